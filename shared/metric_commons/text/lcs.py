"""Longest common subsequences of many pairs of sequences, and the one that rouge_score reads out.

The table of dynamic programming is worked out column by column, all rows of a column with a few
operations on the bits of an integer (Hyyrö, Bit-parallel LCS-length computation revisited, 2004):
a bit that is 0 in the state stands for a row in which the table rises. Here the integers of many
pairs lie side by side in arrays, so that a numpy call advances all of them by a column.

A pair with more rows than a word has bits takes several words. Addition carries from each into
the next, and instead of waiting for it the next word works one column behind. So words of all
pairs are alike: lanes that start and stop at their own time.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from ..numbers.arrays import Booleans, Integers, Unsigned
from .tokens import stable_order

ROWS = 53  # of a word: a float64 holds every such integer, so its exponent tells the highest bit
_CARRY = np.uint64(ROWS)
_GAP = np.uint64(1 << 63)  # in the masks of a column that is followed by one without matches
_SIGN = np.int64(63)
_EXPONENT = np.int64(0x7FF << 52)
_ONE = np.uint64(1)
_LONG_ROWS = 62  # of a word of `long_lengths`: its bits 1 to 62
_BESIDE = np.uint64(1 << 63 | 1)  # the other two


def longest(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """The length of the longest common subsequence of two sequences.

    >>> longest("the cat".split(), "the black cat".split())
    2
    """
    places = _places(first)
    everything = state = (1 << len(first)) - 1
    for item in second:
        match = places.get(item)
        if match:
            common = state & match
            state = ((state + common) | (state - common)) & everything
    return len(first) - state.bit_count()


def traced(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """The longest common subsequence that rouge_score finds: its places in `first`, as bits.

    Of several it takes the one that its walk back through the table meets, from the last row and
    column: a match is taken; else it goes to the column before if the table is larger there than
    in the row above, and otherwise to the row above. Without a match that means: up to the next
    row in which this column rises, and there to the column before.

    >>> bin(traced("ab", "ba")), bin(traced("abcb", "bxb"))
    ('0b1', '0b1010')
    """
    places = _places(first)
    everything = state = (1 << len(first)) - 1
    columns = []
    for item in second:
        match = places.get(item, 0)
        common = state & match
        state = ((state + common) | (state - common)) & everything
        columns.append((match, everything ^ state))
    path, above = 0, everything
    for match, rises in reversed(columns):
        seen = (match | rises) & above
        if not seen:
            break
        highest = 1 << seen.bit_length() - 1
        path |= highest & match
        above = 2 * highest - 1 - (highest & match)
    return path


def _places(items: Sequence[Hashable]) -> dict[Hashable, int]:
    """Where each item is, as bits."""
    places: dict[Hashable, int] = {}
    for place, item in enumerate(items):
        places[item] = places.get(item, 0) | 1 << place
    return places


class Matches(NamedTuple):
    """Where the items of many pairs of sequences are equal.

    Rows are the items of the first sequence of a pair and columns those of the second. Items
    without an equal one are left out: they change no length. Neither do such rows change a path;
    that such a column was there, can, so `gap` tells where.
    """

    rows: Integers  # of each pair
    columns: Integers  # of each pair
    pair: Integers  # of each entry: which pair,
    column: Integers  # which column,
    word: Integers  # which of the words of its rows, `ROWS` a word,
    bits: Unsigned  # and which rows of this word match


def words_of(rows: Integers) -> Integers:
    """How many words so many rows take; the last always has a bit to spare, for the last carry."""
    return rows // ROWS + 1


def marked(bits: Unsigned, gap: Booleans) -> Unsigned:
    """The bits of entries, with a mark at those whose column was followed by one without matches.

    >>> marked(np.array([1, 1], dtype=np.uint64), np.array([True, False])).tolist()
    [9223372036854775809, 1]
    """
    return bits | gap.astype(np.uint64) << np.uint64(63)


class _Lanes(NamedTuple):
    """One lane a word. Lanes of a pair lie together; pairs that take more steps lie first."""

    first: Integers  # the first lane of each pair
    words: Integers  # the lanes of each pair
    working: list[int]  # how many lanes work at each step, always the first ones
    begins: list[int]  # where the masks of each step begin
    masks: Unsigned  # step after step: which rows match, a word for every working lane
    valid: Unsigned  # the rows of each lane


def _lanes(matches: Matches) -> _Lanes:
    rows, words = matches.rows, words_of(matches.rows)
    steps = matches.columns + words - 1
    by_steps = stable_order((steps.max(initial=0) - steps).astype(np.uint32))
    first = np.empty(words.size, dtype=np.int64)
    first[by_steps] = np.cumsum(words.take(by_steps)) - words.take(by_steps)

    stopping = np.bincount(steps, weights=words).astype(np.int64)
    working = (int(words.sum()) - np.cumsum(stopping))[:-1]
    begins = np.cumsum(working) - working
    masks = np.zeros(int(working.sum()), dtype=np.uint64)
    step = matches.column + matches.word
    masks[begins.take(step) + first.take(matches.pair) + matches.word] = matches.bits

    valid = np.full(int(words.sum()), (1 << ROWS) - 1, dtype=np.uint64)
    in_last = (rows - ROWS * (words - 1)).astype(np.uint64)
    valid[first + words - 1] = (_ONE << in_last) - _ONE
    return _Lanes(first, words, working.tolist(), begins.tolist(), masks, valid)


def _final_state(lanes: _Lanes, rises: Unsigned | None = None) -> Unsigned:
    """The state of each lane after its last column, and in `rises` where it is 0 at each step."""
    state = lanes.valid.copy()
    carries = np.zeros(state.size + 1, dtype=np.uint64)  # into each lane, at its next step
    common, added = np.empty_like(state), np.empty_like(state)
    width = -1
    for working, begin in zip(lanes.working, lanes.begins, strict=True):
        if working != width:  # a view costs a third of what is done with it
            width = working
            now, u, sums = state[:working], common[:working], added[:working]
            carried, carry, valid = (
                carries[:working],
                carries[1 : working + 1],
                lanes.valid[:working],
            )
        masks = lanes.masks[begin : begin + working]
        np.bitwise_and(now, masks, u)
        np.add(now, u, sums)
        np.add(sums, carried, sums)
        np.right_shift(sums, _CARRY, carry)
        np.subtract(now, u, now)
        np.bitwise_or(now, sums, now)
        np.bitwise_and(now, valid, now)
        if rises is not None:
            np.bitwise_not(now, rises[begin : begin + working])
    return state


def lengths(matches: Matches) -> Integers:
    """For each pair the length of its longest common subsequence."""
    lanes = _lanes(matches)
    left = np.bitwise_count(_final_state(lanes))
    upto = np.concatenate(([0], np.cumsum(left, dtype=np.int64)))
    found: Integers = matches.rows - (upto.take(lanes.first + lanes.words) - upto.take(lanes.first))
    return found


def long_lengths(first: Integers, rows: Integers, second: Integers, columns: Integers) -> Integers:
    """The same as `lengths` of pairs with many words of rows, and alike in size.

    There a step has little more to do than numpy to call. So two steps are made of one: the first
    half of the columns goes forward, at its side the second half backward, against reversed rows.
    Where a longest subsequence passes from one half to the other, it leaves some rows to the one,
    and the rest to the other: its length is the greatest sum of what both have, over these rows.

    Args:
        first: the items of the first sequences, one after another, as integers from 0 on; none is
            in two pairs.
        rows: how many each has, at least one.
        second: the items of the second sequences, all of which are in the first.
        columns: how many each has, at least one.

    >>> sides = np.array([0, 1, 2, 3, 3]), np.array([1, 2, 0, 3])
    >>> long_lengths(sides[0], np.array([3, 2]), sides[1], np.array([3, 1])).tolist()
    [2, 1]
    """
    seen = np.zeros(int(first.max()) + 1, dtype=np.int64)
    seen[first] = 1
    number = np.cumsum(seen) - 1
    words = int(rows.max()) // _LONG_ROWS + 1
    tables = _tables(number.take(first), rows, words)
    items = _halves(number.take(second), columns, tables, rounds=words - 1)
    return _met_halfway(_states(_skewed(tables, items)), rows)


def long_cells(rows: Integers, columns: Integers) -> Integers:
    """How many masks each pair takes there, eight bytes each."""
    words = rows // _LONG_ROWS + 1
    return words * (columns + 4 * words + 2 * _LONG_ROWS)


def _tables(first: Integers, rows: Integers, words: int) -> Unsigned:
    """For each word of rows, and each item, the rows that match it; then the same of reversed rows.

    The last item is none. Beside the rows two bits are set, for `_states`.
    """
    place = np.arange(first.size) - np.repeat(np.cumsum(rows) - rows, rows)
    items = int(first.max()) + 1
    tables = np.full((words, 2 * items + 1), _BESIDE)
    for start, row in ((0, place), (items, np.repeat(rows - 1, rows) - place)):
        word = row // _LONG_ROWS
        bit = row - _LONG_ROWS * word
        at = word * tables.shape[1] + (first + start)
        np.add.at(tables.reshape(-1), at, np.uint64(2) << bit.astype(np.uint64))
    return tables


def _halves(second: Integers, columns: Integers, tables: Unsigned, rounds: int) -> Integers:
    """The item of each step and lane; before and behind them so many steps without any.

    The first halves lie in as many lanes as there are pairs, then the second halves, reversed.
    """
    half = (columns + 1) // 2
    pair = np.repeat(np.arange(columns.size), columns)
    place = np.arange(second.size) - np.repeat(np.cumsum(columns) - columns, columns)
    back = place >= half.take(pair)
    step = np.where(back, columns.take(pair) - 1 - place, place)
    none = tables.shape[1] - 1
    items = np.full((int(half.max()) + 2 * rounds, 2 * columns.size), none)
    items[step + rounds, pair + columns.size * back] = second + none // 2 * back
    return items


def _skewed(tables: Unsigned, items: Integers) -> Unsigned:
    """The masks of each step, for the nth word those of n steps ago; shape (steps, words, lanes).

    They are a view of the masks that lie word by word.
    """
    words, (steps, lanes) = len(tables), items.shape
    masks = np.empty((words, steps, lanes), dtype=np.uint64)
    for table, of_word in zip(tables, masks, strict=True):
        np.take(table, items, out=of_word, mode="clip")  # "raise" would make a copy
    to_word, to_step, to_lane = masks.strides
    return np.ndarray(
        (steps - words + 1, words, lanes),
        np.uint64,
        masks,
        offset=(words - 1) * to_step,
        strides=(to_step, to_word - to_step, to_lane),
    )


def _states(masks: Unsigned) -> Unsigned:
    """The state of each word and lane after the last step.

    Bit 63 of a word is its carry, and bit 0 that of the word before. Both are set in all masks. So
    an old carry is added to itself, out of the word; and the one that came in is added to itself,
    which is to add it to the first row.
    """
    _, words, lanes = masks.shape
    carry_bit = np.array(63, dtype=np.uint64)  # a plain number would be made an array every time
    state = np.full((words, lanes), ~_BESIDE)
    common, added = np.empty_like(state), np.empty_like(state)
    into, out_of = state[1:], added[:-1]
    for now in masks:
        np.bitwise_and(state, now, common)
        np.add(state, common, added)
        np.subtract(state, common, state)
        np.bitwise_or(state, added, state)
        np.right_shift(added, carry_bit, added)
        np.bitwise_or(into, out_of, into)
    return state


def _met_halfway(states: Unsigned, rows: Integers) -> Integers:
    """For each pair the greatest sum of what both halves have, over the rows of the first one."""
    rises = np.unpackbits((~states).T.copy().view(np.uint8), axis=1, bitorder="little")
    rises = rises.reshape(2, rows.size, -1, 64)[..., 1:63].reshape(2, rows.size, -1)
    upto = np.zeros((2, rows.size, rises.shape[-1] + 1), dtype=np.int64)
    np.cumsum(rises, axis=-1, out=upto[..., 1:])
    rest = np.maximum(rows[:, np.newaxis] - np.arange(upto.shape[-1]), 0)
    found: Integers = (upto[0] + np.take_along_axis(upto[1], rest, axis=1)).max(axis=1)
    return found


def paths(matches: Matches) -> Unsigned:
    """For each pair the rows that `traced` gives, as its words, pair after pair.

    All lanes walk back together. At each step a lane looks for the highest row at or above the
    walk's place that matches or in which the column rises. The walk is in one lane of a pair at a
    time: one that finds nothing is left for good, and the one above has its turn at the next step,
    when it comes to the same column.
    """
    lanes = _lanes(matches)
    rises = np.empty_like(lanes.masks)
    _final_state(lanes, rises)
    # Between two columns lie others without matches if the first is marked as a gap: there the
    # walk goes up to a row that rises before it comes to this column.
    followed = ~(lanes.masks.view(np.int64) >> _SIGN).view(np.uint64)
    rises |= lanes.masks & followed

    above = lanes.valid.copy()
    path = np.zeros_like(above)
    last = np.zeros_like(above)
    last[lanes.first + lanes.words - 1] = ~np.uint64(0)
    here = last.copy()  # all ones in the lane where the walk is
    seen, taken, left = np.empty_like(above), np.empty_like(above), np.empty_like(above)
    floats = np.empty(above.size)
    for working, begin in zip(reversed(lanes.working), reversed(lanes.begins), strict=True):
        masks = lanes.masks[begin : begin + working]
        a, h, u, t, e, f = (array[:working] for array in (above, here, seen, taken, left, floats))
        np.bitwise_and(rises[begin : begin + working], a, out=u)
        np.bitwise_and(u, h, out=u)
        f[...] = u
        np.bitwise_and(f.view(np.int64), _EXPONENT, out=f.view(np.int64))
        u[...] = f  # its highest bit
        np.bitwise_and(u, masks, out=t)
        np.bitwise_or(path[:working], t, out=path[:working])
        np.subtract(u, _ONE, out=e)
        np.bitwise_or(u, e, out=u)
        np.bitwise_xor(u, t, out=u)  # the rows above the place, or all if nothing was found
        np.right_shift(e.view(np.int64), _SIGN, out=e.view(np.int64))  # all ones if so
        np.bitwise_and(e, h, out=e)
        np.bitwise_xor(u, e, out=u)
        np.bitwise_and(a, u, out=a)
        np.bitwise_or(last[: working - 1], e[1:], out=h[:-1])
    order = np.repeat(lanes.first - (np.cumsum(lanes.words) - lanes.words), lanes.words)
    return path.take(order + np.arange(order.size))
