"""Longest common subsequences (LCS): of one pair of sequences, and the lengths of many pairs.

The table of dynamic programming is filled column by column, and a column is one integer with a bit
for each row (Crochemore et al., A fast and practical bit-vector algorithm for the longest common
subsequence problem, 2001; in the form of Hyyrö, Bit-parallel LCS-length computation revisited,
2004). A bit of `state` is 0 where the table rises by one from the row above. All bits are 1 at
first; `match` has the rows that equal the item of the next column, and then

    common = state & match
    state = (state + common) | (state - common)

The addition carries each match up to the next row that rises, and so lowers that rise to the
matching row. For the rows "ab" (bit 0 is "a") and the columns "ba" the state is 0b11, then
0b01 after "b" and 0b10 after "a". One bit is 0, so the length is 1.
"""

from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from ..numbers.arrays import Integers, Unsigned
from .segments import offsets, ranges, segment_numbers, segment_starts

_ROWS = 62  # of a machine word: its bits 1 to 62
_CARRIES = np.uint64(1 << 63 | 1)  # bit 63 carries into the next word, bit 0 is the carry received
_MASKS = 1_500_000  # of a batch, eight bytes each
_FEW_PAIRS = 4  # one column of so many pairs costs Python less than numpy's calls


def lcs_length(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """The length of the longest common subsequence of two sequences.

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
    """The longest common subsequence that rouge_score chooses: its rows in `first`, as bits.

    There may be several. rouge_score walks back through the table from the last row and column:
    a match is taken; otherwise the walk goes to the column before if the table is larger there
    than in the row above, and else to the row above. So without a match it goes up to the next row
    in which the table rises, and there to the column before.

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
    path, above = 0, all_rows  # the rows taken, and those that the walk has not left
    for match, rises in reversed(columns):
        stops = (match | rises) & above
        if not stops:
            break
        row = 1 << stops.bit_length() - 1
        path |= row & match
        above = 2 * row - 1 - (row & match)
    return path


def _rows_of_items(items: Sequence[Hashable]) -> dict[Hashable, int]:
    """For each item its rows, as bits."""
    rows: dict[Hashable, int] = {}
    for row, item in enumerate(items):
        rows[item] = rows.get(item, 0) | 1 << row
    return rows


# The lengths of many pairs


def lcs_lengths(items: Integers, counts: Integers) -> Integers:
    """The length of the longest common subsequence of each pair of sequences.

    Args:
        items: the items of all sequences, one sequence after another, pair after pair: integers
            from 0 on. Both sequences of a pair have the same items, in any number and order, since
            the caller leaves out all others, which change no length; and no other pair has them.
        counts: how many items each sequence has; two counts a pair.

    >>> lcs_lengths(np.array([0, 1, 2, 1, 2, 0, 3, 3, 3]), np.array([3, 3, 2, 1])).tolist()
    [2, 1]
    """
    pairs = np.arange(0, counts.size, 2)
    # Every column is a step, so the rows are those of the longer sequence.
    longer = pairs + (counts[1::2] > counts[::2])
    sequences = np.stack((longer, longer ^ 1))
    rows, columns = counts.take(sequences)
    starts = segment_starts(counts)
    lengths = np.zeros(pairs.size, dtype=np.int64)
    for batch in _batches(rows, columns):
        first, second = (
            items.take(ranges(starts.take(side), counts.take(side)))
            for side in sequences.take(batch, axis=1)
        )
        if batch.size < _FEW_PAIRS:
            ends = np.cumsum(rows.take(batch))[:-1], np.cumsum(columns.take(batch))[:-1]
            sides = zip(np.split(first, ends[0]), np.split(second, ends[1]), strict=True)
            lengths[batch] = [lcs_length(left.tolist(), right.tolist()) for left, right in sides]
        else:
            lengths[batch] = _batch_lengths(first, rows.take(batch), second, columns.take(batch))
    return lengths


def _batches(rows: Integers, columns: Integers) -> Iterator[Integers]:
    """The pairs with columns in batches of similar size.

    A batch is padded to its largest pair, which at most doubles the masks it needs.
    """
    pairs = np.flatnonzero(columns)
    pairs = pairs.take(np.argsort(-columns.take(pairs), kind="stable"))
    sizes = zip(rows.take(pairs).tolist(), columns.take(pairs).tolist(), strict=True)
    start = most_rows = most_columns = needed = 0
    for stop, (row_count, column_count) in enumerate(sizes):
        masks = _masks(row_count, column_count)
        needed += masks
        most_rows = max(most_rows, row_count)
        most_columns = most_columns or column_count
        padded = (stop + 1 - start) * _masks(most_rows, most_columns)
        if stop > start and padded > min(2 * needed, _MASKS):
            yield pairs[start:stop]
            start, needed = stop, masks
            most_rows, most_columns = row_count, column_count
    if pairs.size:
        yield pairs[start:]


def _masks(rows: int, columns: int) -> int:
    """How many masks the steps of a pair take, one for each of its machine words."""
    words = _words(rows)
    return words * (columns + 2 * words)


def _words(rows: int) -> int:
    """How many machine words hold so many rows."""
    return rows // _ROWS + 1


def _batch_lengths(
    first: Integers, rows: Integers, second: Integers, columns: Integers
) -> Integers:
    """The lengths of a batch: all pairs advance by a column together.

    A pair with more rows than a machine word has bits takes several. A carry goes from each word
    into the next, which works one column behind, so that it need not wait for the carry.
    """
    occurs = np.zeros(int(first.max()) + 1, dtype=np.int64)
    occurs[first] = 1
    numbers = np.cumsum(occurs) - 1  # without gaps between the items of this batch
    words = _words(int(rows.max()))
    matches = _matches(numbers.take(first), rows, words)
    lag = words - 1
    no_item = matches.shape[1] - 1
    steps = np.full((int(columns.max()) + 2 * lag, columns.size), no_item)
    steps[offsets(columns) + lag, segment_numbers(columns)] = numbers.take(second)
    states = _final_states(_lagged(matches, steps))
    rises = np.bitwise_count(~states & ~_CARRIES)
    lengths: Integers = rises.sum(axis=0, dtype=np.int64)
    return lengths


def _matches(first: Integers, rows: Integers, words: int) -> Unsigned:
    """For each word and item the rows that match, and both carries; the last item is none."""
    matches = np.full((words, int(first.max()) + 2), _CARRIES)
    row = offsets(rows)
    word = row // _ROWS
    bit = row - _ROWS * word  # numpy has no fast divmod
    masks = np.uint64(2) << bit.astype(np.uint64)
    np.add.at(matches.reshape(-1), word * matches.shape[1] + first, masks)
    return matches


def _lagged(matches: Unsigned, items: Integers) -> Unsigned:
    """The matches at each step: for word n those of the item n steps ago.

    Args:
        matches: for each word and item; shape (words, items).
        items: of each step and pair, with words - 1 steps more at both ends; shape (steps, pairs).

    Returns:
        A view, with another stride, of matches that lie word after word; shape (steps, words,
        pairs).
    """
    words, (steps, pairs) = len(matches), items.shape
    masks = np.empty((words, steps, pairs), dtype=np.uint64)
    for of_items, of_steps in zip(matches, masks, strict=True):
        np.take(of_items, items, out=of_steps, mode="clip")  # mode "raise" would make a copy
    to_word, to_step, to_pair = masks.strides
    return np.ndarray(
        (steps - words + 1, words, pairs),
        np.uint64,
        masks,
        offset=(words - 1) * to_step,
        strides=(to_step, to_word - to_step, to_pair),
    )


def _final_states(masks: Unsigned) -> Unsigned:
    """The state of each word and pair after the last step.

    Both carry bits are set in all masks, so the addition doubles them. Bit 63, a carry that the
    next word already has, so leaves the word; bit 0, a carry received, arrives in the first row.
    """
    _, words, pairs = masks.shape
    carry_bit = np.array(63, dtype=np.uint64)  # a plain number would become an array every time
    state = np.full((words, pairs), ~_CARRIES)
    common, total = np.empty_like(state), np.empty_like(state)
    received, sent = state[1:], total[:-1]
    for match in masks:
        np.bitwise_and(state, match, common)
        np.add(state, common, total)
        np.subtract(state, common, state)
        np.bitwise_or(state, total, state)
        np.right_shift(total, carry_bit, total)
        np.bitwise_or(received, sent, received)
    return state
