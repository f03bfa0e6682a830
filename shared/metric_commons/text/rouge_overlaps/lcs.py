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

from collections.abc import Hashable, Sequence

import numpy as np

from ...statistics.arguments.arrays import Integers
from ..tokens.sequences import Sequences

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
