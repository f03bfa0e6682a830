"""How often pairs of labels occur: one pass over two columns, from which scores of classes follow.

A label is a bool, an int or a text. A pair is what two columns, such as references and predictions,
say of one row. Only pairs that occur are kept, so that many clusters against many classes need no
more room than there are rows; few labels are counted without any sorting.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import Booleans, Column, Floats, Integers
from .exact_sums import group_sums

Label = bool | int | str
Labels = list[Any]  # of one kind of Label

_Numbers = NDArray[Any]  # int64, or float64

_BLOCK = 1 << 15  # rows at a time: what is made of them stays in the cache
_CELLS = 1 << 16  # up to so many pairs, or four a row, each has a counter of its own


@dataclass(frozen=True)
class Table:
    """How often each pair of labels occurs, pairs in ascending order of first and second label.

    Rows with weights are told apart by them: an entry is a pair with a weight. So tables of parts
    hold all that a table of the whole does.

    Args:
        first: the labels of the first column, ascending.
        second: those of the second.
        rows: for each entry the position of its first label in `first`.
        columns: that of its second label in `second`.
        counts: how often it occurs, int64.
        weights: the weight of each of its rows, entries of a pair in ascending order; or None.

    """

    first: Labels
    second: Labels
    rows: Integers
    columns: Integers
    counts: Integers
    weights: Floats | None = None

    @cached_property
    def first_totals(self) -> _Numbers:
        """How often each label of the first column occurs, int64; with weights, their sums."""
        return self._sums(self.rows, len(self.first))

    @cached_property
    def second_totals(self) -> _Numbers:
        """The same of the second column."""
        return self._sums(self.columns, len(self.second))

    @cached_property
    def total(self) -> Any:
        """How many rows there are, an int; with weights, their sum, a float."""
        return self._sums(np.zeros_like(self.rows), 1)[0].item()

    def pairs(self) -> tuple[Integers, Integers, _Numbers]:
        """The positions of both labels of each pair that occurs, once, and its count or weight."""
        if self.weights is None:  # then an entry is a pair
            return self.rows, self.columns, self.counts
        new = (self.rows[1:] != self.rows[:-1]) | (self.columns[1:] != self.columns[:-1])
        starts = np.append(0, np.flatnonzero(new) + 1)
        numbers = np.append(0, np.cumsum(new))
        return self.rows[starts], self.columns[starts], self._sums(numbers, starts.size)

    def matrix(self) -> _Numbers:
        """All counts or sums of weights, shape (first labels, second labels)."""
        width = len(self.second)
        sums = self._sums(self.rows * width + self.columns, len(self.first) * width)
        return sums.reshape(len(self.first), width)

    def _sums(self, places: Integers, size: int) -> _Numbers:
        if self.weights is not None:
            return group_sums(
                np.repeat(self.weights, self.counts), np.repeat(places, self.counts), size
            )
        # float64 holds whole numbers up to 2**53, more than any number of rows
        return np.bincount(places, self.counts, size).astype(np.int64)


def contingency(first: Column, second: Column, weights: Floats | None = None) -> Table:
    """How often each pair of labels occurs in the rows of two columns.

    Counts are exact. Sums of weights are rounded once, so that the order of rows cannot show.

    Args:
        first: a label a row: a list or numpy array of bools, ints or texts.
        second: the same; bools and ints may meet, True is 1.
        weights: of each row, finite float64; None counts rows.

    Raises:
        ValueError: no rows, columns of unequal length, or labels that have no common order.

    >>> table = contingency(["a", "b", "b"], ["x", "x", "y"])
    >>> table.first, table.second, table.matrix().tolist()
    (['a', 'b'], ['x', 'y'], [[1, 0], [1, 1]])
    >>> contingency([1, 2], [1, "2"])
    Traceback (most recent call last):
    ValueError: labels are of mixed types: int, str
    """
    if len(first) != len(second):
        raise ValueError(f"the columns differ in length: {len(first)} and {len(second)} rows")
    if not len(first):
        raise ValueError("there are no rows; a table of no rows is undefined")
    one, other = _numbered(first), _numbered(second)
    if weights is None:
        counts = _of_zeros_and_ones(one.numbers, other.numbers)
        if counts is not None:
            return _table(counts, one, other, _Range(0, 2), _Range(0, 2))
    of_one, of_other = _range(one.numbers), _range(other.numbers)
    enough = max(_CELLS, 4 * len(first))
    if of_one.size * of_other.size > enough:
        one, of_one = _dense(one, of_one, enough)
        other, of_other = _dense(other, of_other, enough)
    if weights is not None:
        return _weighed(weights, one, other, of_one, of_other)
    if of_one.size * of_other.size > enough:
        codes, counts = np.unique(_codes(one, other, of_one, of_other), return_counts=True)
        return _sparse(codes, counts, one, other, of_one, of_other)
    return _table(_counted(one, other, of_one, of_other), one, other, of_one, of_other)


def encoded(column: Column) -> tuple[Labels, Integers]:
    """The distinct labels of a column, ascending, and the position of each row's label in them.

    >>> labels, codes = encoded(["b", "a", "b"])
    >>> labels, codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    numbered = _numbered(column)
    dense, _ = _dense(numbered, _range(numbered.numbers), max(_CELLS, 4 * len(column)))
    return dense.names or [], dense.numbers


@dataclass(frozen=True)
class _Numbered:
    """Labels as numbers, one a row; `names` are the labels of 0, 1, ..., or they are themselves."""

    numbers: NDArray[Any]
    names: Labels | None = None

    def labels(self, numbers: Sequence[int]) -> Labels:
        """The labels of these numbers."""
        if self.names is not None:
            return [self.names[number] for number in numbers]
        return [bool(number) for number in numbers] if self.numbers.dtype == bool else [*numbers]


@dataclass(frozen=True)
class _Range:
    """The numbers from `least` on, so many."""

    least: int
    size: int


def _numbered(column: Column) -> _Numbered:
    """The labels of a column as numbers in the same order."""
    if isinstance(column, np.ndarray):
        if column.ndim == 1 and column.dtype.kind in "biu":
            return _Numbered(column)
        column = column.tolist()
    if isinstance(column[0], int):
        try:  # nothing turns small numbers of a list into an array as fast as this
            numbers = np.frombuffer(bytes(column), np.uint8)
        except (TypeError, ValueError):
            numbers = np.asarray(_of_one_kind(column))
        if numbers.dtype.kind in "iu":
            bools = isinstance(column[0], bool) and numbers.max() <= 1
            return _Numbered(numbers.view(bool) if bools and numbers.itemsize == 1 else numbers)
    names = sorted(set(_of_one_kind(column)))
    numbers_of = dict(zip(names, range(len(names)), strict=True)).__getitem__
    if len(names) <= 256:
        return _Numbered(np.frombuffer(bytes(map(numbers_of, column)), np.uint8), names)
    return _Numbered(np.fromiter(map(numbers_of, column), np.int64, len(column)), names)


def _of_one_kind(column: Column) -> Column:
    """The column, if all its labels are texts, or none is."""
    check_kinds(*set(map(type, column)))
    return column


def check_kinds(*kinds: type) -> None:
    """Labels of these types have an order: all are texts, or all are bools and ints.

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


def _range(numbers: NDArray[Any]) -> _Range:
    least, greatest = int(numbers.min()), int(numbers.max())
    return _Range(least, greatest - least + 1)


def _dense(column: _Numbered, of: _Range, enough: int) -> tuple[_Numbered, _Range]:
    """The same labels with the numbers 0, 1, ..., none of which is left out."""
    if of.size <= enough:  # far enough apart to be worth it, and few enough to be listed
        steps = _shifted(column.numbers, of.least)
        occurs = np.bincount(steps, minlength=of.size) > 0
        places = np.cumsum(occurs) - 1
        numbers = np.flatnonzero(occurs)
        codes = places[steps]
        kept = [int(number) + of.least for number in numbers]
    else:
        distinct, codes = np.unique(column.numbers, return_inverse=True)
        kept = distinct.tolist()
    return _Numbered(codes, column.labels(kept)), _Range(0, len(kept))


def _shifted(numbers: NDArray[Any], least: int) -> Integers:
    """How far each number is above the least one.

    What goes beyond 64 bits on the way comes back: both sides wrap around alike.
    """
    return numbers.astype(np.int64) - np.int64(_wrapped(least))


def _wrapped(number: int) -> int:
    return (number + 2**63) % 2**64 - 2**63


def _of_zeros_and_ones(first: NDArray[Any], second: NDArray[Any]) -> Integers | None:
    """Counts of the four pairs, shape (2, 2); None as soon as another number shows.

    Whether all numbers of a block are 0 or 1 is seen by the bits that any of them has. Then what
    is not 0 is 1, and the rest is done on bits of a byte each, in a fraction of the time.
    """
    rows, ones, others, both = first.size, 0, 0, 0
    room = np.empty((2, min(rows, 4 * _BLOCK)), bool)
    for start in range(0, rows, 4 * _BLOCK):
        is_one = _bits(first[start : start + 4 * _BLOCK], room[0])
        is_other = _bits(second[start : start + 4 * _BLOCK], room[1])
        if is_one is None or is_other is None:
            return None
        ones += int(np.count_nonzero(is_one))
        others += int(np.count_nonzero(is_other))
        met = np.logical_and(is_one, is_other, out=room[0, : is_one.size])
        both += int(np.count_nonzero(met))
    return np.array([[rows - ones - others + both, others - both], [ones - both, both]])


def _bits(numbers: NDArray[Any], room: Booleans) -> Booleans | None:
    """Zeros and ones as bools; None if there are other numbers."""
    if numbers.dtype == bool:
        return numbers
    if int(np.bitwise_or.reduce(numbers)) not in (0, 1):
        return None
    bits: Booleans = np.not_equal(numbers, 0, out=room[: numbers.size])
    return bits


def _counted(one: _Numbered, other: _Numbered, of_one: _Range, of_other: _Range) -> Integers:
    """How often each pair of numbers occurs, shape of both ranges; a block at a time."""
    if of_one.size > 2 and of_other.size > 2:
        ends = _of_two_values(one.numbers, other.numbers, of_one, of_other)
        if ends is not None:
            return ends
    cells = of_one.size * of_other.size
    rows, block = one.numbers.size, max(_BLOCK, cells)
    counts = np.zeros(cells, np.int64)
    room = np.empty(min(rows, block), np.int64)
    for start in range(0, rows, block):
        part = slice(start, start + block)
        first, second = one.numbers[part], other.numbers[part]
        codes = _paired(first, second, of_one, of_other, room[: first.size])
        counts += np.bincount(codes, minlength=cells)
    return counts.reshape(of_one.size, of_other.size)


def _paired(
    first: NDArray[Any], second: NDArray[Any], of_one: _Range, of_other: _Range, out: Integers
) -> Integers:
    """Each pair of numbers as one number from 0 on.

    What goes beyond 64 bits on the way comes back, as every step wraps around alike.
    """
    np.multiply(first, of_other.size, out=out, dtype=np.int64, casting="unsafe")
    np.add(out, second, out=out, dtype=np.int64, casting="unsafe")
    if of_one.least or of_other.least:
        out -= np.int64(_wrapped(of_one.least * of_other.size + of_other.least))
    return out


def _of_two_values(
    first: NDArray[Any], second: NDArray[Any], of_one: _Range, of_other: _Range
) -> Integers | None:
    """The counts where only the ends of the ranges occur, as in -1 and 1; else None."""
    counts = np.zeros((of_one.size, of_other.size), np.int64)
    ends = (of_one.least, of_one.least + of_one.size - 1)
    other_ends = (of_other.least, of_other.least + of_other.size - 1)
    for start in range(0, first.size, _BLOCK):
        one, other = first[start : start + _BLOCK], second[start : start + _BLOCK]
        high, other_high = one == ends[1], other == other_ends[1]
        ones, others = int(np.count_nonzero(high)), int(np.count_nonzero(other_high))
        if ones + int(np.count_nonzero(one == ends[0])) < one.size:
            return None
        if others + int(np.count_nonzero(other == other_ends[0])) < other.size:
            return None
        matched = int(np.count_nonzero(high & other_high))
        counts[0, 0] += one.size - ones - others + matched
        counts[0, -1] += others - matched
        counts[-1, 0] += ones - matched
        counts[-1, -1] += matched
    return counts


def _weighed(
    weights: Floats, one: _Numbered, other: _Numbered, of_one: _Range, of_other: _Range
) -> Table:
    codes = _codes(one, other, of_one, of_other)
    order = np.lexsort((weights, codes))
    codes, ascending = codes[order], weights[order]
    new = (codes[1:] != codes[:-1]) | (ascending[1:] != ascending[:-1])
    starts = np.append(0, np.flatnonzero(new) + 1)
    counts = np.diff(starts, append=codes.size)
    return _sparse(codes[starts], counts, one, other, of_one, of_other, ascending[starts])


def _codes(one: _Numbered, other: _Numbered, of_one: _Range, of_other: _Range) -> Integers:
    room = np.empty(one.numbers.size, np.int64)
    return _paired(one.numbers, other.numbers, of_one, of_other, room)


def _table(
    counts: Integers, one: _Numbered, other: _Numbered, of_one: _Range, of_other: _Range
) -> Table:
    """The table of all counts, shape of both ranges."""
    flat = counts.ravel()
    cells = np.flatnonzero(flat)
    first, rows = _occurring(cells // of_other.size, of_one)
    second, columns = _occurring(cells % of_other.size, of_other)
    return Table(one.labels(first), other.labels(second), rows, columns, flat[cells])


def _occurring(steps: Integers, of: _Range) -> tuple[list[int], Integers]:
    """The numbers of a range that occur, ascending, and the position of each in them."""
    occurs = np.zeros(of.size, bool)
    occurs[steps] = True
    numbers = [step + of.least for step in np.flatnonzero(occurs).tolist()]
    return numbers, (np.cumsum(occurs) - 1)[steps]


def _sparse(
    cells: Integers,
    counts: Integers,
    one: _Numbered,
    other: _Numbered,
    of_one: _Range,
    of_other: _Range,
    weights: Floats | None = None,
) -> Table:
    """The table of these pairs, each as its number from 0 on, ascending."""
    first, rows = np.unique(cells // of_other.size, return_inverse=True)
    second, columns = np.unique(cells % of_other.size, return_inverse=True)
    return Table(
        one.labels([number + of_one.least for number in first.tolist()]),
        other.labels([number + of_other.least for number in second.tolist()]),
        rows,
        columns,
        counts,
        weights,
    )
