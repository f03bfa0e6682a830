"""The fewest edits that turn one sequence into another, for many pairs of sequences at once.

An edit substitutes, deletes or inserts an item (Levenshtein 1966). There may be several shortest
paths, which differ in the number of edits of each kind. The path is chosen as in rapidfuzz, and so
in jiwer: a common prefix, then a common suffix is set aside; then, from the end backwards, an item
of the reference is deleted if that is as short as any other step, else an item of the prediction is
inserted if that is strictly shorter than pairing the two items, else the two are paired.

In the table of distances, with a row for each item of the reference and a column for each of the
prediction, neighbours on a diagonal differ by at most one. So a diagonal is described by the last
row that 0, 1, 2, ... edits reach on it (Ukkonen 1985, Myers 1986). If few edits are needed, these
rows are computed for many pairs at a time, passing over equal items eight bytes at a time. If many
are needed, a column of the table is one integer with a bit for each row (Myers 1999, in the form of
Hyyrö 2003). A large table is split into two, as in rapidfuzz, at the first row in which a shortest
path leaves the first half of the columns (Hirschberg 1975). Where rapidfuzz is installed, it counts
the edits.
"""

from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...statistics.arguments.arrays import Integers, Unsigned
from ..tokens.segments import bounded_ranges, offsets, segment_starts
from ..tokens.sequences import Sequences
from .compiled_edits import compiled_pairs

_FEW_EDITS = 40  # up to which diagonals are faster than columns of bits
# A block costs some thousand numpy calls, however many pairs it has; a pair may take 13 KB.
_ITEMS, _ITEMS_A_PAIR = 1_000_000, 256
_UNREACHED = -(1 << 20)
_SPLIT_BYTES = 1 << 20  # of a table that rapidfuzz splits


def edit_counts(references: Sequences, predictions: Sequences) -> Integers:
    """Return the hits, substitutions, deletions and insertions of each pair; shape (pairs, 4).

    >>> words = np.array([0, 1, 2, 3, 4])
    >>> reference, prediction = Sequences(words, np.array([5])), Sequences(words[1:], np.array([4]))
    >>> edit_counts(reference, prediction).tolist()
    [[4, 0, 1, 0]]
    """
    counts = np.zeros((references.counts.size, 4), np.int64)
    sizes = references.counts + predictions.counts + _ITEMS_A_PAIR
    for start, stop in bounded_ranges(sizes, _ITEMS):
        sides = references.block(start, stop), predictions.block(start, stop)
        hits, substitutions = compiled_pairs(*sides) or _near_counts(*sides)
        for pair in np.flatnonzero(hits < 0).tolist():
            pair_counts = _far_counts(
                *(side.block(pair, pair + 1).codes.tolist() for side in sides)
            )
            hits[pair], substitutions[pair] = pair_counts
        pairs = hits + substitutions
        deletions, insertions = (side.counts - pairs for side in sides)
        counts[start:stop] = np.stack([hits, substitutions, deletions, insertions], axis=1)
    return counts


# ---- few edits: diagonals -----------------------------------------------------------------------


class _Windows(NamedTuple):
    """Both sides of a block, as buffers in which eight bytes can be read starting at any item.

    After each sequence there is a sentinel, 0 in one buffer and 1 in the other, so that a run of
    equal items never extends past an end. Items count from 2.
    """

    left: Unsigned
    right: Unsigned
    left_starts: Integers
    right_starts: Integers
    items: int  # per eight bytes

    def equal_ahead(self, left: Integers, right: Integers) -> Integers:
        """Return the number of equal items from these positions onwards."""
        lengths = np.zeros(left.size, np.int64)
        active = np.arange(left.size)
        bits = np.uint64(64 // self.items)
        while active.size:
            # `take` would copy such a view at each call; indexing does not.
            differences = self.left[left] ^ self.right[right]
            equal = differences == 0
            # Equal items are below the lowest bit that differs; 0 - 1 has all 64 bits set.
            low_bits = (differences & (~differences + np.uint64(1))) - np.uint64(1)
            lengths[active] += (np.bitwise_count(low_bits) // bits).astype(np.int64)
            active, left, right = active[equal], left[equal] + self.items, right[equal] + self.items
        return lengths

    def equal_behind(self, left: Integers, right: Integers) -> Integers:
        """Return the number of equal items from these positions backwards."""
        lengths = np.zeros(left.size, np.int64)
        active = np.arange(left.size)
        left, right = left - self.items + 1, right - self.items + 1
        bits = 64 // self.items
        while active.size:
            differences = self.left[left] ^ self.right[right]
            equal = differences == 0
            for shift in (1, 2, 4, 8, 16, 32):  # set all bits below the highest that differs
                differences |= differences >> np.uint64(shift)
            lengths[active] += (64 - np.bitwise_count(differences).astype(np.int64)) // bits
            active, left, right = active[equal], left[equal] - self.items, right[equal] - self.items
        return lengths


def _windows(references: Sequences, predictions: Sequences) -> _Windows:
    highest = 2 + max(int(side.codes.max(initial=0)) for side in (references, predictions))
    size = 1 if highest < 1 << 8 else 2 if highest < 1 << 16 else 4
    items = 8 // size
    views, starts = [], []
    for stop, side in enumerate((references, predictions)):
        begins = segment_starts(side.counts + 1) + items
        buffer = np.full(side.codes.size + side.counts.size + 2 * items, stop, f"<u{size}")
        buffer[np.repeat(begins, side.counts) + offsets(side.counts)] = side.codes + 2
        view: Unsigned = np.ndarray((buffer.size - items + 1,), "<u8", buffer, strides=(size,))
        views.append(view)
        starts.append(begins)
    return _Windows(views[0], views[1], starts[0], starts[1], items)


class _Levels(NamedTuple):
    """The last row that 0, 1, 2, ... edits reach, for each pair and diagonal.

    The diagonal of a cell is its column minus its row; with e edits they range from -e to e.
    """

    rows: list[Integers]  # for each level, shape (pairs that have not ended before, 2e + 1)
    lines: list[Integers]  # for each level, the index of each pair in it
    distances: Integers  # of each pair; -1 if it takes more edits than there are levels


def _near_counts(references: Sequences, predictions: Sequences) -> tuple[Integers, Integers]:
    """Hits and substitutions of each pair; -1 for pairs that need many edits."""
    windows = _windows(references, predictions)
    row_counts, column_counts = references.counts, predictions.counts
    shorter = np.minimum(row_counts, column_counts)
    prefix = np.minimum(windows.equal_ahead(windows.left_starts, windows.right_starts), shorter)
    suffix = windows.equal_behind(
        windows.left_starts + row_counts - 1, windows.right_starts + column_counts - 1
    )
    common = prefix + np.minimum(suffix, shorter - prefix)
    windows = windows._replace(
        left_starts=windows.left_starts + prefix, right_starts=windows.right_starts + prefix
    )
    row_counts, column_counts = row_counts - common, column_counts - common
    levels = _levels(windows, row_counts, column_counts)
    hits, substitutions = _steps_back(levels, row_counts, column_counts)
    near = (levels.distances >= 0) & ~_is_split(row_counts, row_counts, column_counts)
    return np.where(near, hits + common, -1), np.where(near, substitutions, -1)


def _levels(windows: _Windows, row_counts: Integers, column_counts: Integers) -> _Levels:
    """Return the levels of all pairs, up to the level on which each pair ends."""
    pairs = row_counts.size
    corners = column_counts - row_counts  # the diagonal on which each pair ends
    rows, lines = [np.zeros((pairs, 1), np.int64)], [np.arange(pairs)]
    ended = (row_counts == 0) & (corners == 0)
    distances = np.where(ended, 0, -1)
    active = np.flatnonzero(~ended)
    for edits in range(1, _FEW_EDITS + 1):
        if not active.size:
            break
        previous = np.full((active.size, 2 * edits + 3), _UNREACHED)
        previous[:, 2:-2] = rows[-1][lines[-1][active]]
        # A deletion comes from the diagonal above, an insertion from the one below, in the same
        # row; a substitution stays on its diagonal.
        reached = np.maximum(previous[:, 1:-1] + 1, previous[:, 2:] + 1)
        np.maximum(reached, previous[:, :-2], out=reached)
        diagonals = np.arange(-edits, edits + 1)
        last_row = row_counts[active, np.newaxis]
        last_on_diagonal = np.minimum(last_row, column_counts[active, np.newaxis] - diagonals)
        np.minimum(reached, last_on_diagonal, out=reached)
        reached[(reached < 0) | (diagonals < -last_row)] = _UNREACHED
        pair, diagonal = np.nonzero((reached >= 0) & (reached < last_on_diagonal))
        row = reached[pair, diagonal]
        row += windows.equal_ahead(
            windows.left_starts[active[pair]] + row,
            windows.right_starts[active[pair]] + row + diagonal - edits,
        )
        reached[pair, diagonal] = np.minimum(row, last_on_diagonal[pair, diagonal])
        line = np.full(pairs, -1)
        line[active] = np.arange(active.size)
        rows.append(reached)
        lines.append(line)
        corner = np.clip(corners[active] + edits, 0, 2 * edits)
        at_end = reached[np.arange(active.size), corner] == row_counts[active]
        at_end &= np.abs(corners[active]) <= edits
        distances[active[at_end]] = edits
        active = active[~at_end]
    return _Levels(rows, lines, distances)


def _steps_back(
    levels: _Levels, row_counts: Integers, column_counts: Integers
) -> tuple[Integers, Integers]:
    """Hits and substitutions on the way back from the end; 0 for pairs that did not reach it.

    A step goes from a level to the previous one. Going up a diagonal, the edit is made at the first
    row from which one leads to the previous level; in a tie, by the order of preference.
    """
    hits, substitutions = np.zeros_like(row_counts), np.zeros_like(row_counts)
    rows, diagonals = row_counts.copy(), column_counts - row_counts
    for edits in range(int(levels.distances.max(initial=0)), 0, -1):
        pairs = np.flatnonzero(levels.distances >= edits)
        previous = levels.rows[edits - 1]
        lines = levels.lines[edits - 1][pairs]
        row, diagonal = rows[pairs], diagonals[pairs]
        padded = np.full((pairs.size, 2 * edits + 3), _UNREACHED)
        padded[:, 2:-2] = previous[lines]
        column = np.clip(diagonal + edits + 1, 1, 2 * edits + 1)
        pair_indices = np.arange(pairs.size)
        deletion = np.minimum(row, padded[pair_indices, column + 1] + 1)
        pair = np.minimum(row, padded[pair_indices, column] + 1)
        insertion = np.minimum(row, padded[pair_indices, column - 1])
        deletion[deletion < 1] = _UNREACHED
        pair[(pair < 1) | (pair + diagonal < 1)] = _UNREACHED
        insertion[(insertion < 0) | (insertion <= pair) | (insertion + diagonal < 1)] = _UNREACHED
        last = np.maximum(np.maximum(deletion, insertion), pair)
        is_deletion = deletion == last
        is_insertion = ~is_deletion & (insertion == last)
        is_pair = ~(is_deletion | is_insertion)
        hits[pairs] += row - last
        substitutions[pairs] += is_pair
        rows[pairs] = last - (is_deletion | is_pair)
        diagonals[pairs] = diagonal + is_deletion - is_insertion
    hits += np.where(levels.distances >= 0, rows, 0)
    return hits, substitutions


# ---- any number of edits: columns of bits -------------------------------------------------------


def _far_counts(reference: Sequence[Hashable], prediction: Sequence[Hashable]) -> tuple[int, int]:
    """Hits and substitutions of one pair.

    >>> _far_counts("sitting", "kitten")
    (4, 2)
    """
    steps = _steps(reference, prediction)
    return steps.count("equal"), steps.count("substitute")


def alignment(
    reference: Sequence[Hashable], prediction: Sequence[Hashable]
) -> list[tuple[str, int, int, int, int]]:
    """Runs of one kind of edit: the kind, first item and end in the reference and the prediction.

    The kinds are "equal", "substitute", "delete" and "insert".

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
    halve = bool(_is_split(band, len(rows), len(columns)))
    inner = _halved_steps(rows, columns) if halve else _inner_steps(rows, columns)
    return ["equal"] * prefix + inner + ["equal"] * suffix


def _is_split(band: ArrayLike, rows: ArrayLike, columns: ArrayLike) -> Any:
    """Return whether a table, of which a band of rows counts, is so large that it is split."""
    size = np.multiply(band, columns, dtype=np.int64) // 4
    return (size >= _SPLIT_BYTES) & np.greater_equal(rows, 65) & np.greater_equal(columns, 10)


def _halved_steps(rows: Sequence[Hashable], columns: Sequence[Hashable]) -> list[str]:
    """Return the steps through the first row in which a shortest path leaves the first half."""
    middle = len(columns) // 2
    left = _last_column(rows, columns[:middle])
    right = _last_column(rows[::-1], columns[middle:][::-1])[::-1]
    row = int(np.argmin(left + right))
    return _steps(rows[:row], columns[:middle], int(left[row])) + _steps(
        rows[row:], columns[middle:], int(right[row])
    )


def _last_column(rows: Sequence[Hashable], columns: Sequence[Hashable]) -> Integers:
    """Return the distance of all columns from the first 0, 1, 2, ... rows."""
    ((rises, falls),) = deque(_columns(rows, columns), maxlen=1)
    steps = [
        np.unpackbits(
            np.frombuffer(bits.to_bytes(len(rows) // 8 + 1, "little"), np.uint8),
            count=len(rows),
            bitorder="little",
        )
        for bits in (rises, falls)
    ]
    changes = steps[0].astype(np.int64) - steps[1]
    return len(columns) + np.concatenate(([0], np.cumsum(changes)))


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
