"""Contingency tables: the counts of pairs of labels in the rows of two columns.

A label is a bool, an int or a string. The two columns are, for instance, references and
predictions. If there are few distinct labels, they are counted in one pass, without sorting. Only
pairs that occur are stored, so a table of many clusters and many classes is never larger than the
columns.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Booleans, Column, Floats, Integers, wrapped
from ..arguments.checks import RowError
from .exact_sums import group_sums

Label = bool | int | str
Labels = list[Any]  # all of one type

_Sums = NDArray[Any]  # int64 counts, or float64 sums of weights

_BLOCK = 1 << 17  # rows counted at a time, so that intermediate arrays stay in the cache
_SAMPLE = 64  # rows inspected to guess which two labels a column has
_CELLS = 1 << 16  # up to this many cells, or four per row, every cell gets a counter


def whole_labels(
    name: str, column: Column, meaning: str = "a label is a whole number, a text or a bool"
) -> Column:
    """Return the column, with floats such as 1.0 converted to integers.

    Raises:
        ValueError: a float is not a whole number; names the row.

    >>> whole_labels("references", np.array([0.0, 1.0])).tolist()
    [0, 1]
    >>> whole_labels("references", [0.0, 0.5])
    Traceback (most recent call last):
    ValueError: references[1] is 0.5; a label is a whole number, a text or a bool
    """
    if not isinstance(column[0], float | np.floating):
        return column
    numbers = np.asarray(column, dtype=np.float64)
    is_whole = (numbers == np.rint(numbers)) & (np.abs(numbers) < 2.0**63)
    if not is_whole.all():
        row = int(is_whole.argmin())
        raise RowError(name, row, f"is {numbers[row]}; {meaning}")
    return numbers.astype(np.int64)


@dataclass(frozen=True)
class ContingencyTable:
    """The counts of pairs of labels: the non-empty cells, row by row.

    With weights, an entry is a pair of labels together with a weight, and one cell may have several
    entries. This way the entries of parts of the data add up to those of the whole.

    Args:
        row_labels: the labels of the first column, ascending.
        column_labels: the labels of the second column, ascending.
        rows: for each entry the position of its first label in `row_labels`.
        columns: for each entry the position of its second label in `column_labels`.
        counts: the count of each entry, int64.
        weights: the weight of each entry, ascending within a cell; None if unweighted.

    """

    row_labels: Labels
    column_labels: Labels
    rows: Integers
    columns: Integers
    counts: Integers
    weights: Floats | None = None

    @cached_property
    def row_totals(self) -> _Sums:
        """Return how often each label of the first column occurs, or the sum of its weights."""
        return self._sums(self.rows, len(self.row_labels))

    @cached_property
    def column_totals(self) -> _Sums:
        """Return how often each label of the second column occurs, or the sum of its weights."""
        return self._sums(self.columns, len(self.column_labels))

    @cached_property
    def total(self) -> Any:
        """Return the number of rows of the data (int), or the sum of their weights (float)."""
        return self._sums(np.zeros_like(self.rows), 1)[0].item()

    def cells(self) -> tuple[Integers, Integers, _Sums]:
        """Return row, column and count (or sum of weights) of each non-empty cell."""
        if self.weights is None:  # each entry is then a cell
            return self.rows, self.columns, self.counts
        changes = (self.rows[1:] != self.rows[:-1]) | (self.columns[1:] != self.columns[:-1])
        starts = np.append(0, np.flatnonzero(changes) + 1)
        numbers = np.append(0, np.cumsum(changes))
        return self.rows[starts], self.columns[starts], self._sums(numbers, starts.size)

    def matrix(self) -> _Sums:
        """Return all cells, including empty ones; shape (row labels, column labels)."""
        width = len(self.column_labels)
        sums = self._sums(self.rows * width + self.columns, len(self.row_labels) * width)
        return sums.reshape(len(self.row_labels), width)

    def _sums(self, positions: Integers, size: int) -> _Sums:
        """The counts of entries, or sums of their weights, at each position 0 to size - 1."""
        if self.weights is not None:
            return group_sums(
                np.repeat(self.weights, self.counts), np.repeat(positions, self.counts), size
            )
        # float64 holds whole numbers up to 2**53, more than any number of rows
        return np.bincount(positions, self.counts, size).astype(np.int64)


def contingency(left: Column, right: Column, weights: Floats | None = None) -> ContingencyTable:
    """Return the contingency table of two columns of labels.

    Counts are exact. Sums of weights are rounded once, so they do not depend on the order of rows.

    Args:
        left: one label per row, indexing the rows of the table: a list or numpy array of bools,
            ints or strings.
        right: the same, for the columns of the table. Bools and ints may be mixed: True is 1.
        weights: one finite float64 per row; None counts rows.

    Raises:
        ValueError: there are no rows, the columns differ in length, or the labels cannot be
            ordered.

    >>> table = contingency(["a", "b", "b"], ["x", "x", "y"])
    >>> table.row_labels, table.column_labels, table.matrix().tolist()
    (['a', 'b'], ['x', 'y'], [[1, 0], [1, 1]])
    >>> contingency([1, 2], [1, "2"])
    Traceback (most recent call last):
    ValueError: labels are of mixed types: int, str
    """
    if len(left) != len(right):
        raise ValueError(f"the columns differ in length: {len(left)} and {len(right)} rows")
    if not len(left):
        raise ValueError("there are no rows; a table of no rows is undefined")
    sides = _label_codes(left), _label_codes(right)
    table = _binary_table(*sides) if weights is None else None
    if table is not None:
        return table
    (row_labels, rows), (column_labels, columns) = (_dense(*side) for side in sides)
    width = len(column_labels)
    cells = rows.astype(np.int64) * width + columns
    if weights is not None:  # one entry per distinct weight in each cell
        order = np.lexsort((weights, cells))
        cells, weights = cells[order], weights[order]
        is_new = np.append(True, (cells[1:] != cells[:-1]) | (weights[1:] != weights[:-1]))
        counts = np.diff(np.flatnonzero(is_new), append=cells.size)
        cells, weights = cells[is_new], weights[is_new]
    elif len(row_labels) * width <= max(_CELLS, 4 * len(left)):
        counts = np.bincount(cells)
        cells = np.flatnonzero(counts)
        counts = counts[cells]
    else:
        cells, counts = np.unique(cells, return_counts=True)
    places = cells // width, cells % width
    return ContingencyTable(row_labels, column_labels, *places, counts, weights)


def encoded(column: Column) -> tuple[Labels, Integers]:
    """The distinct labels of a column, ascending, and the index of each row's label among them.

    >>> labels, codes = encoded(["b", "a", "b"])
    >>> labels, codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    return _dense(*_label_codes(column))


def check_kinds(*kinds: type) -> None:
    """Check that labels of these types can be ordered: all strings, or all bools and ints.

    >>> check_kinds(bool, int)
    >>> check_kinds(int, float)
    Traceback (most recent call last):
    ValueError: labels must be of str, int or bool, got float
    """
    wrong = [kind.__name__ for kind in kinds if not issubclass(kind, bool | int | str)]
    if wrong:
        raise ValueError(f"labels must be of str, int or bool, got {', '.join(sorted(wrong))}")
    if len({issubclass(kind, str) for kind in kinds}) > 1:
        names = ", ".join(sorted({kind.__name__ for kind in kinds}))
        raise ValueError(f"labels are of mixed types: {names}")


def scaled_weights(weights: Floats) -> tuple[Floats, int]:
    """Return the weights divided by 2**exponent, so that all are below 1, and the exponent.

    This keeps their squares and products from overflowing. Division by a power of two does not
    round, so ratios of weights stay the same.

    >>> scaled, exponent = scaled_weights(np.array([3.0, 4.0]))
    >>> scaled.tolist(), exponent
    ([0.375, 0.5], 3)
    """
    exponent = math.frexp(float(weights.max()))[1]
    return np.ldexp(weights, -exponent), exponent


# Labels as integers


def _label_codes(column: Column) -> tuple[NDArray[Any], Labels | None]:
    """Return integers that sort as the labels of a column, and the labels with these indices.

    Integers and bools are their own codes, without labels.
    """
    if isinstance(column, np.ndarray):
        if column.ndim == 1 and column.dtype.kind in "biu":
            return column, None
        column = column.tolist()
    if isinstance(column[0], int):
        try:  # bytes() is the fastest way to turn a list of small integers into an array
            codes = np.frombuffer(bytes(column), np.uint8)
        except (TypeError, ValueError):
            codes = np.asarray(_checked_kinds(column))
        if codes.dtype.kind in "iu":
            bools = isinstance(column[0], bool) and codes.max() <= 1
            return codes.view(bool) if bools and codes.itemsize == 1 else codes, None
    names = sorted(set(_checked_kinds(column)))
    name_codes = dict(zip(names, range(len(names)), strict=True)).__getitem__
    if len(names) <= 256:
        return np.frombuffer(bytes(map(name_codes, column)), np.uint8), names
    return np.fromiter(map(name_codes, column), np.int64, len(column)), names


def _checked_kinds(column: Column) -> Column:
    """Return the column, checked to hold only strings or no strings at all."""
    check_kinds(*set(map(type, column)))
    return column


def _dense(codes: NDArray[Any], names: Labels | None) -> tuple[Labels, Integers]:
    """Return the labels that occur, ascending, and the index of each row's label among them."""
    if names is not None:
        return names, codes
    low, span = codes.min(), int(codes.max()) - int(codes.min()) + 1
    if span <= max(_CELLS, 4 * codes.size):  # a counter for each integer is cheaper than sorting
        offsets = codes.astype(np.int64) - np.int64(wrapped(int(low)))  # modulo 2**64
        occurs = np.bincount(offsets, minlength=span) > 0
        indices = offsets if occurs.all() else (np.cumsum(occurs) - 1)[offsets]
        present = [int(offset) + int(low) for offset in np.flatnonzero(occurs)]
    else:
        distinct, indices = np.unique(codes, return_inverse=True)
        present = distinct.tolist()
    return [*map(bool, present)] if codes.dtype == bool else present, indices


# Two labels


def _binary_table(
    left: tuple[NDArray[Any], Labels | None], right: tuple[NDArray[Any], Labels | None]
) -> ContingencyTable | None:
    """Return the table of columns of two labels; None if there are more.

    Such columns are bools in effect, and bools are counted faster than integers: 2 ms instead of 5
    for two columns of a million labels 1 and 2.
    """
    left_pair, right_pair = _likely_pair(left[0]), _likely_pair(right[0])
    if left_pair is None or right_pair is None:
        return None
    left_high, right_high, both_high, rows = 0, 0, 0, left[0].size
    for start in range(0, rows, _BLOCK):
        part = slice(start, start + _BLOCK)
        of_left, of_right = _is_high(left[0][part], left_pair), _is_high(right[0][part], right_pair)
        if of_left is None or of_right is None:
            return None
        left_high += int(np.count_nonzero(of_left))
        right_high += int(np.count_nonzero(of_right))
        both_high += int(np.count_nonzero(of_left & of_right))
    both_low = rows - left_high - right_high + both_high
    counts = np.array([[both_low, right_high - both_high], [left_high - both_high, both_high]])
    labels: list[Labels] = []
    for (codes, names), pair, axis in ((left, left_pair, 1), (right, right_pair, 0)):
        occurs = np.flatnonzero(counts.any(axis=axis))
        counts = counts.take(occurs, axis=1 - axis)
        present = [pair[place] for place in occurs.tolist()]
        if names is not None:
            labels.append([names[code] for code in present])
        else:
            labels.append([*map(bool, present)] if codes.dtype == bool else present)
    rows_of_cells, columns_of_cells = np.nonzero(counts)
    filled = counts[rows_of_cells, columns_of_cells]
    return ContingencyTable(labels[0], labels[1], rows_of_cells, columns_of_cells, filled)


def _likely_pair(codes: NDArray[Any]) -> tuple[int, int] | None:
    """Return the two codes of a column, guessed from a sample of its rows; None if there are more.

    If the sample holds only zeros or only ones, the column is taken to hold 0 and 1, one of them
    rarely.
    >>> (
    ...     _likely_pair(np.array([3, -1, 3])),
    ...     _likely_pair(np.array([0, 0])),
    ...     _likely_pair(np.arange(3)),
    ... )
    ((-1, 3), (0, 1), None)
    """
    sample = {*codes[:: codes.size // _SAMPLE + 1].tolist(), codes[-1].item()}
    low, high = min(sample), max(sample)
    if len(sample) > 2:
        return None
    return (0, 1) if low >= 0 and high <= 1 else (low, max(high, low + 1))


def _is_high(codes: NDArray[Any], pair: tuple[int, int]) -> Booleans | None:
    """Return which codes are the larger one of the pair; None if there is a third code."""
    if codes.dtype == bool:
        return codes
    is_high: Booleans = codes == pair[1]
    rows = int(np.count_nonzero(is_high)) + int(np.count_nonzero(codes == pair[0]))
    return is_high if rows == codes.size else None
