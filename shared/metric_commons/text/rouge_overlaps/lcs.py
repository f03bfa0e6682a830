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
numpy advances all pairs by a column.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Integers, Unsigned
from ..tokens.segments import segment_starts, stable_order
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


ROWS = 53  # at most: integers that float64 holds; its exponent gives the highest bit
GAP = np.uint64(1 << 63)  # set in a mask if a column without matches follows
_SIGN = np.int64(63)
_EXPONENT = np.int64(0x7FF << 52)
_ONE = np.uint64(1)


class Matches(NamedTuple):
    """Where the items of many pairs of sequences are equal.

    Rows are the items of the first sequence of a pair, at most `ROWS`, columns those of the second.
    Items that do not occur in the other sequence are left out. A row without matches does not
    change the path; a column without matches can, so the column before it is marked with `GAP`.
    """

    rows: Integers  # number of rows of each pair
    columns: Integers  # number of columns of each pair
    pair: Integers  # for each column with a match, the pair,
    column: Integers  # its number,
    bits: Unsigned  # and the rows that match


def lcs_paths(matches: Matches) -> Unsigned:
    """Return for each pair the rows of `lcs_rows`, as bits."""
    # The pairs with most columns come first, so that those still at work are adjacent.
    columns = matches.columns
    order = stable_order((columns.max(initial=0) - columns).astype(np.uint32))
    places = np.empty_like(order)
    places[order] = np.arange(order.size)
    active = columns.size - np.cumsum(np.bincount(columns))[:-1]
    starts = segment_starts(active)
    masks = np.zeros(int(active.sum()), dtype=np.uint64)
    masks[starts.take(matches.column) + places.take(matches.pair)] = matches.bits
    valid = (_ONE << matches.rows.take(order).astype(np.uint64)) - _ONE
    steps = [(n, slice(i, i + n)) for n, i in zip(active.tolist(), starts.tolist(), strict=True)]

    stops, states = np.empty_like(masks), valid.copy()
    for width, step in steps:
        state = states[:width]
        common = state & masks[step]
        state[:] = ((state + common) | (state - common)) & valid[:width]
        np.bitwise_not(state, out=stops[step])  # the rows in which the table rises
    # In a column without matches, the walk moves up to a row that rises. Where such a column
    # follows (bit 63 is set), the walk is already at a rise when it reaches the matches of this
    # one.
    stops |= masks & ~(masks.view(np.int64) >> _SIGN).view(np.uint64)

    # All pairs walk back together, each to its highest row, among those not yet passed, that
    # matches or in which the table rises.
    above, path = valid, np.zeros_like(valid)
    floats = np.empty(valid.size)
    for width, step in reversed(steps):
        rows, highest = stops[step] & above[:width], floats[:width]
        # The highest bit: of the row as a float64, only the exponent is kept.
        highest[:] = rows
        highest.view(np.int64)[:] &= _EXPONENT
        rows[:] = highest
        taken = rows & masks[step]
        path[:width] |= taken
        above[:width] &= (rows | (rows - _ONE)) ^ taken  # all if there is no row
    return path.take(places)
