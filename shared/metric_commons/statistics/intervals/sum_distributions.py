"""How a score follows from sums over rows, and what an unseen row may add to them.

A `SumRatio` is a ratio of two sums, such as a word error rate: its interval is exact. A `RowMean`
is a ratio whose sizes are 0 or 1: the mean of some rows, with the interval of a mean. A
`SumFunction` is any other function of sums, such as BLEU: its interval is drawn. Unseen rows are as
long as rows are on average, where each row counts by its length.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..arguments.arrays import Floats
from ..arguments.checks import OptionError
from ..arithmetic.exact_sums import group_sums
from ..resampling.ratio_distribution import (
    RatioDistribution,
    error_ends,
    ratio_distribution,
    ratio_ends,
)
from ..resampling.row_units import RowUnits
from .cluster_sums import Clusters
from .intervals import critical_value, interval, korn_graubard
from .proportions import Interval
from .weighted_units import resampled_intervals

Columns = Mapping[str, Floats]


@dataclass(frozen=True)
class SumRatio:
    """The ratio of two sums, each of statistics with factors, times a scale.

    Without an upper bound an unseen row is at worst as bad as the worst observed one, and at least
    1, if all its words are wrong.
    """

    numerator: Mapping[str, float]
    denominator: Mapping[str, float]
    upper: float | None = 1.0
    scale: float = 1.0

    def units(self, columns: Columns) -> tuple[Floats, Floats]:
        """Return the numerators and the sizes of units."""
        return weighted_sum(columns, self.numerator), weighted_sum(columns, self.denominator)

    def bounds(
        self, distribution: RatioDistribution, worst_ratio: float | None = None
    ) -> tuple[float, float]:
        """Return the smallest and the largest ratio of an unseen unit.

        Raises:
            ValueError: the declared worst ratio is better than that of a unit.
        """
        if self.upper is not None:
            return 0.0, self.upper
        if worst_ratio is None:
            return 0.0, max(1.0, distribution.largest_ratio)
        if worst_ratio < distribution.largest_ratio:
            raise OptionError(
                "worst_ratio", f"is {worst_ratio:g}, but one is {distribution.largest_ratio:g}"
            )
        return 0.0, worst_ratio

    def interval(
        self,
        columns: Columns,
        rows: Columns,
        *,
        confidence_level: float,
        method: str,
        n_clusters: int | None,
        share: float | None = None,
        worst_ratio: float | None = None,
    ) -> Interval:
        """Return the interval of the ratio.

        Args:
            columns: the statistics of units: rows, or clusters.
            rows: the statistics of rows.
            confidence_level: strictly between 0 and 1.
            method: "auto" or "korn_graubard".
            n_clusters: the number of clusters; None if rows are independent.
            share: the size of an unseen unit, as in `SumFunction.unseen`.
            worst_ratio: the largest ratio of a unit, if it has no upper bound.

        Raises:
            ValueError: a unit has a larger ratio.
        """
        numerators, sizes = self.units(columns)
        if method == "korn_graubard":
            name, ends = method, korn_graubard_ends(numerators, sizes, confidence_level)
        else:
            units = ratio_distribution(numerators, sizes)
            if share is not None:
                units = units._replace(unseen_size=share * math.fsum(sizes.tolist()))
            ends = ratio_ends(units, self.bounds(units, worst_ratio), confidence_level)
            name = "unseen_row"
        low, high = (end * self.scale for end in ends)
        error = ratio_error(numerators, sizes)
        trials = float(len(next(iter(rows.values()), ())))
        estimate = Interval(low, high, name, error, trials, n_clusters)
        if n_clusters is not None:
            estimate = by_clusters(estimate, ratio_error(*self.units(rows)))
        return estimate._replace(standard_error=error * self.scale)


def by_clusters(estimate: Interval, row_error: float) -> Interval:
    """Return the interval of clusters with the factor by which they increase the variance of rows.

    They divide the number of rows by it.
    """
    effect = (estimate.standard_error / row_error) ** 2 if row_error else 1.0
    rows = estimate.effective_n or 0.0
    return estimate._replace(effective_n=rows / effect if effect else rows, design_effect=effect)


@dataclass(frozen=True)
class RowMean(SumRatio):
    """The mean of a score of rows: all rows whose size is 1, and none whose size is 0."""

    def mean_interval(
        self, rows: Columns, clusters: Clusters | None, **options: Any
    ) -> Interval | None:
        """Return the interval of the mean; None if no row has a score.

        Args:
            rows: the statistics of rows.
            clusters: the clusters of the rows; None if they are independent.
            **options: the options of `intervals.interval`.
        """
        scores, sizes = self.units(rows)
        has_score = sizes > 0
        if not has_score.any():
            return None
        values = scores[has_score]
        sums = None if clusters is None else clusters.take(has_score).sums(values)
        return interval(values, clusters=sums, bounds=(0.0, self.upper or math.inf), **options)


def row_mean(score: str, rows: str = "rows") -> RowMean:
    """Return the mean of a statistic from 0 to 1.

    Args:
        score: the statistic, 0 in rows that do not count.
        rows: another statistic, 1 in each row that counts and 0 in all others.

    >>> row_mean("f1")
    RowMean(numerator={'f1': 1.0}, denominator={'rows': 1.0}, upper=1.0, scale=1.0)
    """
    return RowMean({score: 1.0}, {rows: 1.0})


@dataclass(frozen=True)
class SumFunction:
    """A function of sums of statistics, over arrays of sums.

    Args:
        score: from the sums by name, each of shape (draws,), to the scores.
        size: statistics with factors, whose sum is the length of a unit.
        lowering: from the sums of all units to those that change where a unit lowers the score
            most, such as hits that become 0.
        raising: the same for a unit that raises it most.
        bounds: the range of the score.
        biased: whether the scores of weighted rows are biased.
    """

    score: Callable[[Columns], Floats]
    size: Mapping[str, float]
    lowering: Callable[[Mapping[str, float]], Mapping[str, float]]
    raising: Callable[[Mapping[str, float]], Mapping[str, float]]
    bounds: tuple[float, float] = (0.0, 1.0)
    biased: bool = False

    def unseen(
        self, names: Sequence[str], values: Floats, share: float | None = None
    ) -> tuple[Floats, Floats]:
        """Return the terms that the most lowering and the most raising unit add to each sum.

        Args:
            names: the names of the sums.
            values: what each unit adds to them, shape (units, names).
            share: the size of an unseen unit in units of the sum of all sizes; None for the mean
                of sizes, each weighted by itself.
        """
        columns = dict(zip(names, values.T, strict=True))
        if share is None:
            sizes = weighted_sum(columns, self.size)
            total = math.fsum(sizes.tolist())
            share = math.fsum((sizes * sizes).tolist()) / total / total if total else math.nan
        sums = {name: math.fsum(column.tolist()) for name, column in columns.items()}
        lowering, raising = (
            np.array([share * changed[name] for name in names])
            for changed in ({**sums, **self.lowering(sums)}, {**sums, **self.raising(sums)})
        )
        return lowering, raising


SumScore = SumRatio | SumFunction
Distributions = Callable[[Sequence[str]], Mapping[str, SumScore]]  # by the names of statistics
# By the names of statistics: for each dictionary of a result, such as scores by path, and for each
# of its entries, how the scores of the entry follow from sums.
Breakdowns = Callable[[Sequence[str]], Mapping[str, Mapping[str, Mapping[str, SumRatio]]]]


class Precision(NamedTuple):
    """The precision of a ratio: its variance, and the Kish number of units."""

    variance: float
    units: float
    squares: float  # the sum of squared sizes over that of sizes, squared


def weighted_sum(columns: Columns, factors: Mapping[str, float]) -> Floats:
    """Return the sum of columns times factors."""
    total: Floats = sum(
        (factor * columns[name] for name, factor in factors.items()),
        start=np.zeros(len(next(iter(columns.values()), ()))),
    )
    return total


def ratio_precision(numerators: Floats, sizes: Floats, counts: Floats | None = None) -> Precision:
    """The variance of a ratio by the delta method, without the factor for the number of units."""
    repeats = np.ones(sizes.size) if counts is None else counts
    total = math.fsum((repeats * sizes).tolist())
    if not total:
        return Precision(math.nan, 0.0, 0.0)
    ratio = math.fsum((repeats * numerators).tolist()) / total
    deviations = np.sort(repeats * np.square(numerators - ratio * sizes))
    squares = math.fsum((repeats * np.square(sizes)).tolist())
    return Precision(
        float(deviations.sum()) / total / total, total * total / squares, squares / total / total
    )


def ratio_error(numerators: Floats, sizes: Floats, counts: Floats | None = None) -> float:
    """Return the standard error of sum(numerators) / sum(sizes), by the delta method.

    NaN for one unit.

    >>> round(ratio_error(np.array([1.0, 0.0, 1.0]), np.ones(3)), 4)
    0.3333
    """
    units = float(sizes.size if counts is None else counts.sum())
    if units <= 1:
        return math.nan
    return math.sqrt(ratio_precision(numerators, sizes, counts).variance * units / (units - 1))


def korn_graubard_ends(
    numerators: Floats, sizes: Floats, confidence_level: float
) -> tuple[float, float]:
    """Return Clopper and Pearson's ends for a ratio from 0 to 1, at an effective number of trials.

    They are narrower than the distribution with an unseen row if every row fails a little, and
    cover less often if whole rows fail.
    """
    variance, units, squares = ratio_precision(numerators, sizes)
    if math.isnan(variance):
        return math.nan, math.nan
    if units <= 1:
        return 0.0, 1.0
    ratio = min(max(float(numerators.sum() / sizes.sum()), 0.0), 1.0)
    largest = ratio * (1 - ratio)
    trials = units
    if largest:
        pseudo = (units / (units - 1) * variance + squares / units * largest) / (1 + 1 / units)
        trials = min(largest / pseudo, units * (units + 1))
    critical = critical_value(confidence_level, units - 1)
    return korn_graubard(ratio, trials, critical, confidence_level)


def weighted_mean_interval(
    scores: Floats,
    weights: Floats | None,
    clusters: Clusters | None,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    constant_error: float | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    **draws: Any,
) -> Interval:
    """Return the interval of a mean of rows, or of clusters of them; as in `interval`.

    Args:
        scores: shape (rows,).
        weights: at least 0, shape (rows,); None if all are equal.
        clusters: the clusters of the rows; None if they are independent.
        bounds: the smallest and the largest score; (0, inf) for errors.
        constant_error: as in `interval`.
        confidence_level: strictly between 0 and 1.
        method: as in `interval`; with weights "auto" or "bootstrap".
        **draws: `n_resamples` and `seed` of "bootstrap".

    Raises:
        ValueError: the method does not suit the scores.
    """
    options: dict[str, Any] = {"confidence_level": confidence_level}
    if weights is None:
        sums = None if clusters is None else clusters.sums(scores)
        options |= {"bounds": bounds, "constant_error": constant_error, "method": method}
        return interval(scores, clusters=sums, **options, **draws)
    if method not in ("auto", "bootstrap"):
        raise OptionError("method", f"{method!r} is for rows of one weight; take 'auto'")
    columns = np.column_stack([scores * weights, weights])
    if method == "bootstrap":
        units = RowUnits.of_rows(columns, None if clusters is None else clusters.numbers)
        return resampled_intervals(
            units, [""], lambda sums, _: {"": sums[0] / sums[1]}, **options, **draws
        )[""]
    columns, n_clusters = columns[weights > 0], None
    if clusters is not None:
        members = clusters.take(weights > 0)
        n_clusters = len(members.labels)
        columns = np.column_stack(
            [group_sums(column, members.numbers, n_clusters) for column in columns.T]
        )
    numerators, sizes = columns.T
    if math.isfinite(bounds[1]):
        return pairs_interval(numerators, sizes, bounds=bounds, n_clusters=n_clusters, **options)
    units_of_rows = ratio_distribution(numerators, sizes)
    error = ratio_error(numerators, sizes)
    ends = math.nan, math.nan
    precision = ratio_precision(numerators, sizes)
    if precision.units > 1 or (sizes.size and not numerators.any()):
        number = max(precision.units, 1.0 + 1e-9)
        variance = precision.variance * number / (number - 1)
        critical = critical_value(confidence_level, number - 1)
        ends = error_ends(units_of_rows, variance, critical, confidence_level, constant_error)
    return Interval(*ends, "unseen_error", error, None, n_clusters)


def pairs_interval(
    numerators: Floats,
    sizes: Floats,
    counts: Floats | None = None,
    *,
    confidence_level: float,
    bounds: tuple[float, float] = (0.0, 1.0),
    n_clusters: int | None = None,
) -> Interval:
    """Return the interval of sum(numerators) / sum(sizes), whose units have a ratio within bounds.

    Args:
        numerators: the numerators of units, which are rows, clusters, or kinds of rows.
        sizes: at least 0.
        counts: the count of each; None for one each.
        confidence_level: strictly between 0 and 1.
        bounds: the smallest and the largest ratio of a unit.
        n_clusters: the number of clusters; None if rows are independent.

    >>> print(
    ...     "{:.3f} to {:.3f}".format(
    ...         *pairs_interval(np.array([1.0, 1.0]), np.ones(2), confidence_level=0.95)[:2]
    ...     )
    ... )
    0.158 to 1.000
    """
    units = ratio_distribution(numerators, sizes, counts)
    ends = ratio_ends(units, bounds, confidence_level)
    error = ratio_error(numerators, sizes, counts)
    return Interval(*ends, "unseen_row", error, None, n_clusters)
