"""Longest common subsequences (LCS): of one pair of sequences, and of many pairs at once.

The table of dynamic programming is filled column by column, with a column stored as one integer
that has a bit for each row (Crochemore et al., A fast and practical bit-vector algorithm for the
longest common subsequence problem, 2001; in the form of Hyyrö, Bit-parallel LCS-length computation
revisited, 2004). A bit of `state` is 0 where the table rises by one from the row above. All bits
are 1 initially; `match` has the rows that equal the item of the next column. Then

    common = state & match
    state = (state + common) | (state - common)

The addition carries each match up to the next row that rises, which moves that rise down to the
matching row. For the rows "ab" (bit 0 is "a") and the columns "ba" the state is 0b11, then
0b01 after "b" and 0b10 after "a". One bit is 0, so the length is 1.

In `lcs_paths`, the columns of many pairs are adjacent machine words in arrays, so that one call of
numpy advances all pairs by a column. A pair with more rows than a machine word has bits takes
several words. The addition carries from each word into the next. Instead of waiting for the carry,
the next word works one column behind. So every machine word is a separate lane, which starts at
once and stops when its columns end.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Integers, Unsigned
from ..tokens.segments import offsets, segment_starts, stable_order
from ..tokens.word_codes import Sequences

try:
    from rapidfuzz.distance.LCSseq import similarity
except ImportError:
    similarity = None  # type: ignore[assignment] # it is optional, and faster


def lcs_length(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence of two sequences.

    >>> lcs_length("the cat".split(), "the black cat".split())
    2
    """
    rows = _rows_of_items(first)
    all_rows = state = (1 << len(first)) - 1
    for item in second:
        match = rows.get(item)
        if match:
            common = state & match
            state = ((state + common) | (state - common)) & all_rows
    return len(first) - state.bit_count()


def lcs_rows(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Return the longest common subsequence that rouge_score chooses: its rows in `first`, as bits.

    There may be several. rouge_score walks back through the table from the last row and column: it
    takes a match; otherwise it moves to the previous column if the table is larger there than in
    the row above, and else to the row above. So without a match it moves up to the next row in
    which the table rises, and there to the previous column.

    >>> bin(lcs_rows("ab", "ba")), bin(lcs_rows("abcb", "bxb"))
    ('0b1', '0b1010')
    """
    rows = _rows_of_items(first)
    all_rows = state = (1 << len(first)) - 1
    columns = []
    for item in second:
        match = rows.get(item, 0)
        common = state & match
        state = ((state + common) | (state - common)) & all_rows
        columns.append((match, all_rows ^ state))
    path, above = 0, all_rows  # the rows taken, and the rows that the walk may still visit
    for match, rises in reversed(columns):
        stops = (match | rises) & above
        if not stops:
            break
        row = 1 << stops.bit_length() - 1
        path |= row & match
        above = 2 * row - 1 - (row & match)
    return path


def _rows_of_items(items: Sequence[Hashable]) -> dict[Hashable, int]:
    """Return the rows of each item, as bits."""
    rows: dict[Hashable, int] = {}
    for row, item in enumerate(items):
        rows[item] = rows.get(item, 0) | 1 << row
    return rows


def lcs_lengths(sequences: Sequences) -> Integers:
    """Return the length of the longest common subsequence of each pair of sequences.

    >>> lcs_lengths(Sequences(np.array([7, 8, 8, 7]), np.array([2, 2]))).tolist()
    [1]
    """
    items = sequences.split()
    length_of = lcs_length if similarity is None else similarity
    lengths = map(length_of, items[::2], items[1::2])
    return np.fromiter(lengths, np.int64, len(items) // 2)


ROWS = 53  # per machine word: integers that float64 holds; its exponent gives the highest bit
_CARRY = np.uint64(ROWS)
GAP = np.uint64(1 << 63)  # set in a mask if a column without matches follows
_SIGN = np.int64(63)
_EXPONENT = np.int64(0x7FF << 52)
_ONE = np.uint64(1)
_ALL_ONES = ~np.uint64(0)


class Matches(NamedTuple):
    """Where the items of many pairs of sequences are equal.

    Rows are the items of the first sequence of a pair, columns those of the second. Items that do
    not occur in the other sequence are left out. A row without matches does not change the path; a
    column without matches can, so the column before it is marked with `GAP`.
    """

    rows: Integers  # number of rows of each pair
    columns: Integers  # number of columns of each pair
    pair: Integers  # for each entry, the pair,
    column: Integers  # the column,
    word: Integers  # the machine word, of `ROWS` rows each,
    bits: Unsigned  # and the rows of this word that match


def word_counts(rows: Integers) -> Integers:
    """Return the number of machine words for these rows and a spare bit, for the last carry."""
    return rows // ROWS + 1


class _Lanes(NamedTuple):
    """One lane for each machine word. The lanes of a pair are adjacent; pairs with most steps lead.

    So at each step the lanes that are still at work come first.
    """

    starts: Integers  # the first lane of each pair
    words: Integers  # the number of lanes of each pair
    active: list[int]  # the number of lanes at work in each step
    mask_starts: list[int]  # where the masks of each step begin
    masks: Unsigned  # step after step, the rows that match, one mask for every lane at work
    valid: Unsigned  # the rows of each lane, as bits


def _lanes(matches: Matches) -> _Lanes:
    rows, words = matches.rows, word_counts(matches.rows)
    steps = matches.columns + words - 1
    order = stable_order((steps.max(initial=0) - steps).astype(np.uint32))
    starts = np.empty(words.size, dtype=np.int64)
    starts[order] = segment_starts(words.take(order))

    stopping = np.bincount(steps, weights=words).astype(np.int64)
    active = (int(words.sum()) - np.cumsum(stopping))[:-1]
    mask_starts = segment_starts(active)
    masks = np.zeros(int(active.sum()), dtype=np.uint64)
    step = matches.column + matches.word
    masks[mask_starts.take(step) + starts.take(matches.pair) + matches.word] = matches.bits

    valid = np.full(int(words.sum()), (1 << ROWS) - 1, dtype=np.uint64)
    last_rows = (rows - ROWS * (words - 1)).astype(np.uint64)
    valid[starts + words - 1] = (_ONE << last_rows) - _ONE
    return _Lanes(starts, words, active.tolist(), mask_starts.tolist(), masks, valid)


def _rises(lanes: _Lanes) -> Unsigned:
    """Return for each mask the rows in which the table rises after its step: zeros of the state."""
    rises = np.empty_like(lanes.masks)
    states = lanes.valid.copy()
    carries = np.zeros(states.size + 1, dtype=np.uint64)  # into each lane, at its next step
    commons, totals = np.empty_like(states), np.empty_like(states)
    width = -1
    for active, start in zip(lanes.active, lanes.mask_starts, strict=True):
        if active != width:  # creating a view costs a third of the work done with it
            width = active
            state, common, total = states[:width], commons[:width], totals[:width]
            received, sent_carries = carries[:width], carries[1 : width + 1]
            valid = lanes.valid[:width]
        masks = lanes.masks[start : start + active]
        np.bitwise_and(state, masks, common)
        np.add(state, common, total)
        np.add(total, received, total)
        np.right_shift(total, _CARRY, sent_carries)
        np.subtract(state, common, state)
        np.bitwise_or(state, total, state)
        np.bitwise_and(state, valid, state)
        np.bitwise_not(state, rises[start : start + active])
    return rises


def lcs_paths(matches: Matches) -> Unsigned:
    """Return for each pair the rows of `lcs_rows`, as machine words, pair after pair.

    All lanes walk back together. At each step a lane looks for its highest row, among those not yet
    passed, that matches or in which the table rises. The walk is in one lane of a pair at a time:
    a lane that finds no row is finished, and the lane above takes over at the next step, when it
    reaches the same column.
    """
    lanes = _lanes(matches)
    stops = _rises(lanes)
    # In a column without matches, the walk moves up to a row that rises. Where such a column
    # follows (bit 63 is set), the walk is already at a rise when it reaches the matches of this
    # one.
    no_gap = ~(lanes.masks.view(np.int64) >> _SIGN).view(np.uint64)
    stops |= lanes.masks & no_gap

    above = lanes.valid.copy()  # the rows that the walk may still visit
    path = np.zeros_like(above)
    last = np.zeros_like(above)
    last[lanes.starts + lanes.words - 1] = _ALL_ONES
    present = last.copy()  # all ones in the lane that the walk is in
    rows, taken, lower = np.empty_like(above), np.empty_like(above), np.empty_like(above)
    floats = np.empty(above.size)
    for active, start in zip(reversed(lanes.active), reversed(lanes.mask_starts), strict=True):
        masks = lanes.masks[start : start + active]
        a, p, r, t, low, f = (
            lane[:active] for lane in (above, present, rows, taken, lower, floats)
        )
        np.bitwise_and(stops[start : start + active], a, out=r)
        np.bitwise_and(r, p, out=r)
        # The highest bit: of the row as a float64, only the exponent is kept.
        f[...] = r
        np.bitwise_and(f.view(np.int64), _EXPONENT, out=f.view(np.int64))
        r[...] = f
        np.bitwise_and(r, masks, out=t)
        np.bitwise_or(path[:active], t, out=path[:active])
        np.subtract(r, _ONE, out=low)  # all ones if there is no row
        np.bitwise_or(r, low, out=r)
        np.bitwise_xor(r, t, out=r)  # the rows that remain for the next step
        np.right_shift(low.view(np.int64), _SIGN, out=low.view(np.int64))  # all ones if no row
        np.bitwise_and(low, p, out=low)  # in the lane of the walk, which moves to the lane above
        np.bitwise_xor(r, low, out=r)
        np.bitwise_and(a, r, out=a)
        np.bitwise_or(last[: active - 1], low[1:], out=p[:-1])
    return path.take(np.repeat(lanes.starts, lanes.words) + offsets(lanes.words))
