"""Longest common subsequences (LCS): of one pair of sequences, and the lengths of many pairs.

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
"""

from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from ...statistics.arguments.arrays import Integers, Unsigned
from ..tokens.segments import offsets, ranges, segment_numbers, segment_starts

_ROWS = 62  # per machine word: its bits 1 to 62
_CARRIES = np.uint64(1 << 63 | 1)  # bit 63 carries into the next word, bit 0 is the carry received
_MASKS = 6_000_000  # per batch, over all steps
_STEP_MASKS = 200_000  # per step, eight bytes each, so that they fit into the processor's cache
_CALLS = 3_000  # how many masks take as long as numpy's calls for one step
_FEW_PAIRS = 4  # up to this many pairs, plain Python is faster than numpy's calls


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


# The lengths of many pairs


def lcs_lengths(items: Integers, counts: Integers) -> Integers:
    """Return the length of the longest common subsequence of each pair of sequences.

    Args:
        items: the concatenated items of all sequences, pair after pair, as non-negative integers.
            The two sequences of a pair must have the same set of items, since the caller leaves out
            all others, which change no length; and pairs must not have items in common.
        counts: the number of items of each sequence; two counts per pair.

    >>> lcs_lengths(np.array([0, 1, 2, 1, 2, 0, 3, 3, 3]), np.array([3, 3, 2, 1])).tolist()
    [2, 1]
    """
    pairs = np.arange(0, counts.size, 2)
    # Every column is a step, so the longer sequence provides the rows.
    longer = pairs + (counts[1::2] > counts[::2])
    sequences = np.stack((longer, longer ^ 1))
    rows, columns = counts.take(sequences)
    starts = segment_starts(counts)
    lengths = np.zeros(pairs.size, dtype=np.int64)
    for batch in _batches(rows // _ROWS + 1, columns):
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


def _batches(words: Integers, columns: Integers) -> Iterator[Integers]:
    """Batches of similar size of the pairs that have columns.

    A batch is padded to its largest pair, as long as that costs less than the calls for another
    batch. The number of masks is limited, since the memory for the items of a batch and for the
    words that lag behind is at most that of all masks of its steps.
    """
    pairs = np.flatnonzero(columns)
    pairs = pairs[np.lexsort((columns.take(pairs), words.take(pairs)))[::-1]]
    sizes = zip(words.take(pairs).tolist(), columns.take(pairs).tolist(), strict=True)
    start = own_masks = most_words = most_steps = 0
    for stop, (word_count, column_count) in enumerate(sizes):
        steps = column_count + word_count
        most_words = most_words or word_count  # in descending order
        most_steps = max(most_steps, steps)
        own_masks += word_count * steps
        padded = (stop + 1 - start) * most_words * most_steps
        if stop > start and padded > min(own_masks + _CALLS * most_steps, _MASKS):
            yield pairs[start:stop]
            start, own_masks, most_words, most_steps = stop, word_count * steps, word_count, steps
    if pairs.size:
        yield pairs[start:]


def _batch_lengths(
    first: Integers, rows: Integers, second: Integers, columns: Integers
) -> Integers:
    """Return the lengths of a batch: all pairs advance by one column at a time.

    A pair with more rows than a machine word has bits takes several words. Each word passes its
    carry to the next, which works one column behind, so that it need not wait for the carry.
    """
    occurs = np.zeros(int(first.max()) + 1, dtype=np.int64)
    occurs[first] = 1
    numbers = np.cumsum(occurs) - 1  # without gaps between the items of this batch
    matches = _matches(numbers.take(first), rows)
    no_item, lag = len(matches) - 1, matches.shape[1] - 1
    steps = np.full((int(columns.max()) + lag, columns.size), no_item)
    steps[offsets(columns), segment_numbers(columns)] = numbers.take(second)
    rises = np.bitwise_count(~_final_states(matches, steps) & ~_CARRIES)
    lengths: Integers = rises.sum(axis=0, dtype=np.int64)
    return lengths


def _matches(first: Integers, rows: Integers) -> Unsigned:
    """For each item and word, the rows that match, and both carries; the last item is none."""
    words = int(rows.max()) // _ROWS + 1
    matches = np.full((int(first.max()) + 2, words), _CARRIES)
    row = offsets(rows)
    word = row // _ROWS
    bit = row - _ROWS * word  # because numpy's divmod is slow
    np.add.at(matches.reshape(-1), first * words + word, np.uint64(2) << bit.astype(np.uint64))
    return matches


def _final_states(matches: Unsigned, steps: Integers) -> Unsigned:
    """Return the state of each word and pair after the last step.

    Both carry bits are set in all masks, so the addition doubles them. So bit 63, a carry that the
    next word already has, leaves the word; bit 0, a carry received, arrives in the first row.

    Args:
        matches: for each item and word; shape (items, words).
        steps: the item of each pair at each step, and no item in the final steps (one fewer than
            the words), in which the last words catch up; shape (steps, pairs).
    """
    (all_steps, pairs), words = steps.shape, matches.shape[1]
    lag = words - 1
    carry_bit = np.array(63, dtype=np.uint64)  # a plain number would be converted every time
    states = np.full((words, pairs), ~_CARRIES)
    state = states.reshape(-1)
    common, total = np.empty_like(state), np.empty_like(state)
    received, sent_carries = state[pairs:], total[: state.size - pairs]
    size = max(1, min(all_steps, _STEP_MASKS // state.size))
    masks = np.full((size + lag, words, pairs), _CARRIES)
    # Numpy copies all words of an item at once. From there each is moved to its own step: word n is
    # written n steps later than word 0.
    to_step, to_word, to_pair = masks.strides
    lagged = np.ndarray(
        (size, pairs, words), np.uint64, masks, strides=(to_step, to_pair, to_word + to_step)
    )
    for start in range(0, all_steps, size):
        items = steps[start : start + size]
        lagged[: len(items)] = matches.take(items, axis=0)
        for match in masks[: len(items)].reshape(len(items), -1):
            np.bitwise_and(state, match, common)
            np.add(state, common, total)
            np.subtract(state, common, state)
            np.bitwise_or(state, total, state)
            np.right_shift(total, carry_bit, total)
            np.bitwise_or(received, sent_carries, received)
        masks[:lag] = masks[len(items) : len(items) + lag].copy()  # of words that lag behind
    return states
