"""The fewest edits that turn one sequence into another, for many pairs of sequences at once.

An edit substitutes, deletes or inserts an item (Levenshtein 1966). There may be several shortest
paths, which differ in the number of edits of each kind. The path is chosen as in rapidfuzz, and so
in jiwer: a common prefix, then a common suffix is set aside; then, from the end backwards, an item
of the reference is deleted if that is as short as any other step, else an item of the prediction is
inserted if that is strictly shorter than pairing the two items, else the two are paired.

Where rapidfuzz is installed, it counts the edits. Otherwise a column of the table of distances,
which has a row for each item of the reference and a column for each of the prediction, is one
integer with a bit for each row (Myers 1999, in the form of Hyyrö 2003). A large table is
split into two, as in rapidfuzz, at the first row in which a shortest path leaves the first half of
the columns (Hirschberg 1975).
"""

from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from itertools import accumulate, groupby

import numpy as np

from ...statistics.arguments.arrays import Integers

try:
    from rapidfuzz.distance.Levenshtein import distance, editops
except ImportError:
    editops = None  # type: ignore[assignment] # it is optional

# Of each pair a side: texts, or lists of integers below 2**32.
Items = Sequence[str] | Sequence[list[int]]

_SPLIT_BYTES = 1 << 20  # of a table that rapidfuzz splits


def edit_counts(references: Items, predictions: Items) -> Integers:
    """Return the hits, substitutions, deletions and insertions of each pair; shape (pairs, 4).

    >>> edit_counts(["abcde"], ["bcde"]).tolist()
    [[4, 0, 1, 0]]
    """
    rows = np.fromiter(map(len, references), np.int64, len(references))
    columns = np.fromiter(map(len, predictions), np.int64, len(predictions))
    if editops is None:
        steps = map(_steps, references, predictions)
        kinds = [(kinds.count("equal"), kinds.count("substitute")) for kinds in steps]
        hits, substitutions = np.array(kinds, np.int64).reshape(-1, 2).T
    else:
        distances = np.fromiter(map(distance, references, predictions), np.int64, len(rows))
        # Edits beyond the difference of lengths are substitutions, or a deletion and an insertion.
        substitutions = distances - np.abs(rows - columns)
        for pair in np.flatnonzero(substitutions > 1).tolist():
            edits = editops(references[pair], predictions[pair]).as_list()
            substitutions[pair] = [kind for kind, _, _ in edits].count("replace")
        hits = (rows + columns - distances - substitutions) // 2
    pairs = hits + substitutions
    return np.stack([hits, substitutions, rows - pairs, columns - pairs], axis=1)


def alignment(
    reference: Sequence[Hashable], prediction: Sequence[Hashable]
) -> list[tuple[str, int, int, int, int]]:
    """Return runs of one kind of edit: the kind, and the first item and the end on both sides.

    The kinds are "equal", "substitute", "delete" and "insert"; the reference comes first.

    >>> alignment("the cat sat".split(), "cat sat on".split())
    [('delete', 0, 1, 0, 0), ('equal', 1, 3, 0, 2), ('insert', 3, 3, 2, 3)]
    """
    stretches = []
    row = column = 0
    for kind, steps in groupby(_steps(reference, prediction)):
        length = len(list(steps))
        row_end = row if kind == "insert" else row + length
        column_end = column if kind == "delete" else column + length
        stretches.append((kind, row, row_end, column, column_end))
        row, column = row_end, column_end
    return stretches


def _steps(
    reference: Sequence[Hashable], prediction: Sequence[Hashable], most_edits: int | None = None
) -> list[str]:
    """Return the kind of each step of the chosen path, from the beginning.

    Args:
        reference: one sequence.
        prediction: the other.
        most_edits: a bound on their distance, if one is known.
    """
    shorter = min(len(reference), len(prediction))
    prefix = 0
    while prefix < shorter and reference[prefix] == prediction[prefix]:
        prefix += 1
    suffix = 0
    while suffix < shorter - prefix and reference[-1 - suffix] == prediction[-1 - suffix]:
        suffix += 1
    rows = reference[prefix : len(reference) - suffix]
    columns = prediction[prefix : len(prediction) - suffix]
    band = len(rows) if most_edits is None else min(len(rows), 2 * most_edits + 1)
    halve = _is_split(band, len(rows), len(columns))
    inner = _halved_steps(rows, columns) if halve else _inner_steps(rows, columns)
    return ["equal"] * prefix + inner + ["equal"] * suffix


def _is_split(band: int, rows: int, columns: int) -> bool:
    """Return whether a table is so large that it is split; only a band of its rows counts."""
    return band * columns // 4 >= _SPLIT_BYTES and rows >= 65 and columns >= 10


def _halved_steps(rows: Sequence[Hashable], columns: Sequence[Hashable]) -> list[str]:
    """Return the steps through the first row in which a shortest path leaves the first half."""
    middle = len(columns) // 2
    left = _last_column(rows, columns[:middle])
    right = _last_column(rows[::-1], columns[middle:][::-1])[::-1]
    row = min(range(len(left)), key=lambda row: left[row] + right[row])
    return _steps(rows[:row], columns[:middle], left[row]) + _steps(
        rows[row:], columns[middle:], right[row]
    )


def _last_column(rows: Sequence[Hashable], columns: Sequence[Hashable]) -> list[int]:
    """Return the distance of all columns from the first 0, 1, 2, ... rows."""
    ((rises, falls),) = deque(_columns(rows, columns), maxlen=1)
    changes = [(rises >> row & 1) - (falls >> row & 1) for row in range(len(rows))]
    return list(accumulate(changes, initial=len(columns)))


def _columns(rows: Sequence[Hashable], columns: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    """Yield each column of the table: where it rises by one from the row above, and where it falls.

    Both are integers with a bit for each row.
    """
    rows_of_items: dict[Hashable, int] = {}
    for row, item in enumerate(rows):
        rows_of_items[item] = rows_of_items.get(item, 0) | 1 << row
    all_rows = (1 << len(rows)) - 1
    rises, falls = all_rows, 0
    for item in columns:
        match = rows_of_items.get(item, 0)
        level = (((match & rises) + rises) ^ rises) | match | falls  # equals the diagonal neighbour
        rises_right = falls | ~(level | rises)
        falls_right = level & rises
        rises_right = rises_right << 1 | 1
        rises = (falls_right << 1 | ~(level | rises_right)) & all_rows
        falls = rises_right & level & all_rows
        yield rises, falls


def _inner_steps(rows: Sequence[Hashable], columns: Sequence[Hashable]) -> list[str]:
    """Return the steps back from the end of the whole table."""
    table = list(_columns(rows, columns))
    row, column = len(rows), len(columns)
    steps = []
    while row and column:
        if table[column - 1][0] >> (row - 1) & 1:
            row -= 1
            steps.append("delete")
        elif column > 1 and table[column - 2][1] >> (row - 1) & 1:
            column -= 1
            steps.append("insert")
        else:
            row, column = row - 1, column - 1
            steps.append("equal" if rows[row] == columns[column] else "substitute")
    steps += ["delete"] * row + ["insert"] * column
    return steps[::-1]
