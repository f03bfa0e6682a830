"""Units that raters have labelled, as counts of equal units.

The agreement of raters depends only on the number of units with the same labels. With few labels
and raters there are few distinct units, however many units there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Booleans, Column, Floats, Integers
from ...statistics.arguments.checks import OptionError, RowError, shown
from ...statistics.arithmetic.exact_sums import group_sums
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.intervals import mean_interval, ratio_error, ratio_interval
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import Interval

LARGEST = 1e75  # whose fourth power is finite
_HOLE = -1  # the code of a rating that is missing
_KEYS = 2**62  # number of codes, from which one integer cannot distinguish all units


class ClusterMembers(NamedTuple):
    """The number of units of each kind in each cluster: an entry for each cluster and kind."""

    clusters: Integers
    kinds: Integers
    counts: Integers


@dataclass(frozen=True)
class RatedUnits:
    """The distinct units, in ascending order, with their counts.

    Args:
        values: the labels, in their order.
        codes: for each kind of unit the positions of its labels in `values`; -1 for a rating that
            is missing; shape (kinds, raters).
        counts: the number of units of each kind, shape (kinds,).
        members: the numbers of units in clusters; None if units are independent.
    """

    values: list[Any]
    codes: Integers
    counts: Integers
    members: ClusterMembers | None = None

    def __len__(self) -> int:
        return int(self.counts.sum())

    @property
    def is_rated(self) -> Booleans:
        """Return which ratings are present; shape (kinds, raters)."""
        return np.not_equal(self.codes, _HOLE)

    def with_ratings(self, least: int) -> Self:
        """Return the units with at least this many ratings."""
        kinds, members = self.is_rated.sum(axis=1) >= least, None
        if self.members is not None:
            remain = kinds[self.members.kinds]
            positions = np.cumsum(kinds) - 1
            members = ClusterMembers(
                self.members.clusters[remain],
                positions[self.members.kinds[remain]],
                self.members.counts[remain],
            )
        return replace(self, codes=self.codes[kinds], counts=self.counts[kinds], members=members)

    def standard_error(self, influences: Floats) -> float:
        """Return the error of a value with these influences of kinds, which add up to 0."""
        clusters, kinds, counts = self.members or (None, slice(None), self.counts)
        values, repeats = influences[kinds], counts.astype(np.float64)
        if clusters is None:
            return ratio_error(values, np.ones(values.size), repeats)
        number = int(clusters.max(initial=-1)) + 1
        columns = (values * repeats, repeats)
        return ratio_error(*(group_sums(column, clusters, number) for column in columns))

    def mean_interval(
        self, values: Floats, uncertainty: Uncertainty, sizes: Floats | None = None
    ) -> Interval:
        """Return the interval of a mean over units of values from 0 to 1.

        Args:
            values: those of kinds, times their sizes.
            uncertainty: the level and the method.
            sizes: how much each kind counts; None if all count the same.
        """
        sizes = np.ones(values.size) if sizes is None else sizes
        if self.members is None:
            rows = [np.repeat(column, self.counts) for column in (values, sizes)]
            is_counted = rows[1] > 0
            return mean_interval(rows[0][is_counted], replace(uncertainty, clusters=None))
        clusters, kinds, counts = self.members
        number = int(clusters.max()) + 1
        sums, weights = (
            group_sums(column[kinds] * counts, clusters, number) for column in (values, sizes)
        )
        return ratio_interval(sums, weights, uncertainty)

    def numbers(self, purpose: str) -> Floats:
        """Return the labels as numbers.

        Raises:
            ValueError: they are texts.
        """
        if any(isinstance(value, str) for value in self.values):
            raise ValueError(f"{purpose} needs numbers, but the labels are texts")
        return np.array(self.values, np.float64)


def rated_units(
    ratings: Column,
    *,
    labels: Sequence[Any] | None = None,
    clusters: Clusters | None = None,
    in_order: bool = False,
) -> RatedUnits:
    """Return the units of a column of lists of ratings.

    Args:
        ratings: for each unit its ratings, None where a rater gave none; or an array of numbers,
            NaN where a rater gave none, shape (units, raters).
        labels: all labels in their order; None for those that occur, ascending.
        clusters: one label per unit; None if units are independent.
        in_order: whether it matters which rater gave a rating.

    Raises:
        ValueError: a rating is not among the labels, or clusters are not one per unit.

    >>> units = rated_units([["yes", "no"], ["no", "yes"], ["yes", None]])
    >>> units.values, units.codes.tolist(), units.counts.tolist()
    (['no', 'yes'], [[0, 1], [1, -1]], [2, 1])
    """
    sizes = np.fromiter(map(len, ratings), np.int64, len(ratings))
    is_array = isinstance(ratings, np.ndarray)
    flat: Column = np.ravel(ratings) if is_array else list(chain.from_iterable(ratings))
    values, codes = coded(flat, labels)
    raters = int(sizes.max(initial=0))
    matrix = np.full((len(ratings), raters), _HOLE)
    matrix[np.arange(raters) < sizes[:, np.newaxis]] = codes
    if labels is not None and (matrix == len(values)).any():
        unit, rater = map(int, np.argwhere(matrix == len(values))[0])
        problem = f"holds {shown(ratings[unit][rater])}, which is not among the labels"
        raise RowError("predictions", unit, problem)
    if not in_order:
        matrix = _holes_last(matrix)
    return distinct_units(values, matrix, clusters)


def paired_units(
    predictions: Column,
    references: Column,
    *,
    labels: Sequence[Any] | None = None,
    clusters: Clusters | None = None,
) -> RatedUnits:
    """Return the units of two columns of labels.

    In `codes` the first column is that of predictions.

    Raises:
        ValueError: a label is missing, or is not among the labels, or clusters are not one per row.

    >>> pairs = paired_units(["a", "b", "a"], ["b", "b", "b"])
    >>> pairs.codes.tolist(), pairs.counts.tolist()
    ([[0, 1], [1, 1]], [2, 1])
    """
    columns = {"predictions": predictions, "references": references}
    if all(isinstance(column, np.ndarray) for column in columns.values()):
        labels_of_both: Column = np.concatenate([*columns.values()])
    else:
        labels_of_both = [*predictions, *references]
    values, codes = coded(labels_of_both, labels)
    codes = codes.reshape(2, -1)
    for name, column in zip(columns, codes, strict=True):
        is_label = (column >= 0) & (column < len(values))
        if not is_label.all():
            row = int(is_label.argmin())
            problem = "every row needs a label" if column[row] < 0 else "which is not a label"
            separator = ";" if column[row] < 0 else ","
            raise RowError(name, row, f"is {shown(columns[name][row])}{separator} {problem}")
    return distinct_units(values, codes.T, clusters)


def unordered(units: RatedUnits) -> RatedUnits:
    """Return the same units, with the ratings of each in ascending order and holes at the end."""
    return replace(units, codes=_holes_last(units.codes))


def _holes_last(matrix: Integers) -> Integers:
    unsigned = matrix.astype(np.uint64)  # in which -1 is the largest number
    unsigned.sort(axis=1)
    return unsigned.astype(np.int64)


def distinct_units(
    values: list[Any], codes: Integers, clusters: Clusters | None = None
) -> RatedUnits:
    """Return the distinct rows of codes, and their counts, also in each cluster."""
    span = len(values) + 1
    if float(span) ** codes.shape[1] < _KEYS:
        keys = np.zeros(len(codes), np.int64)
        for column in codes.T:
            keys *= span
            keys += column + 1
        distinct, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
        kinds = np.empty((distinct.size, codes.shape[1]), np.int64)
        for position in reversed(range(codes.shape[1])):
            distinct, kinds[:, position] = np.divmod(distinct, span)
        kinds -= 1
    else:
        kinds, inverse, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    if clusters is None:
        return RatedUnits(values, kinds, counts)
    keys = clusters.numbers * len(kinds) + inverse.reshape(-1)
    entries, entry_counts = np.unique(keys, return_counts=True)
    members = ClusterMembers(*np.divmod(entries, len(kinds)), entry_counts)
    return RatedUnits(values, kinds, counts, members)


def coded(column: Column, labels: Sequence[Any] | None = None) -> tuple[list[Any], Integers]:
    """Return the labels of a column, ascending, and the position of each; -1 for None and NaN.

    A value that is not among `labels` has the position after the last one.

    >>> values, codes = coded([2.0, None, 1.0])
    >>> values, codes.tolist()
    ([1.0, 2.0], [1, -1, 0])
    >>> coded(["b", "c"], ["b", "a"])[1].tolist()
    [0, 2]
    """
    if labels is not None:
        if len(set(labels)) != len(labels):
            raise OptionError("labels", f"holds a label twice: {shown(list(labels))}")
        column = column.tolist() if isinstance(column, np.ndarray) else column
        values = list(labels)
    elif isinstance(column, np.ndarray):
        return _coded_numbers(column)
    else:
        distinct = set(column) - {None}
        if any(isinstance(value, float) for value in distinct):
            return _coded_numbers(np.array(column, np.float64))  # None is NaN there
        values = sorted(distinct)
    position: dict[Any, int] = {value: code for code, value in enumerate(values)}
    position[None] = _HOLE
    behind_labels = len(values)
    codes = np.fromiter(
        (position.get(value, behind_labels if value == value else _HOLE) for value in column),
        np.int64,
        len(column),
    )
    return values, codes


def _coded_numbers(numbers: NDArray[Any]) -> tuple[list[Any], Integers]:
    """Return the same for an array of numbers."""
    codes = np.full(numbers.size, _HOLE)
    is_present = numbers == numbers
    values, codes[is_present] = np.unique(numbers[is_present], return_inverse=True)
    return values.tolist(), codes
