"""How a score follows from sums over rows, and what an unseen row may add to them.

A `SumRatio` is a ratio of two sums, such as a word error rate: its interval is exact. A `RowMean`
is a ratio whose sizes are 0 or 1: the mean of some rows, with the interval of a mean. A
`SumFunction` is any other function of sums, such as BLEU: its interval is drawn. Unseen rows are as
long as rows are on average, where each row counts by its length.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arguments.arrays import Floats
from ..arithmetic.exact_sums import group_sums
from .cluster_sums import Clusters
from .intervals import mean_interval, ratio_interval
from .methods import Uncertainty
from .proportions import UNDEFINED, Interval

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

    def bounds(self, numerators: Floats, sizes: Floats) -> tuple[float, float]:
        """Return the smallest and the largest ratio of an unseen unit."""
        if self.upper is not None:
            return 0.0, self.upper
        with np.errstate(all="ignore"):
            return 0.0, max(1.0, float(np.nan_to_num(numerators / sizes, posinf=0.0).max()))

    def interval(self, rows: Columns, uncertainty: Uncertainty) -> Interval:
        """Return the interval of the ratio, from the statistics of rows."""
        numerators, sizes = self.units(rows)
        clusters = uncertainty.clusters
        if isinstance(clusters, Clusters):
            numerators, sizes = (
                group_sums(column, clusters.numbers, len(clusters))
                for column in (numerators, sizes)
            )
        bounds = self.bounds(numerators, sizes)
        found = ratio_interval(numerators, sizes, uncertainty, bounds=bounds)
        return found._replace(
            low=found.low * self.scale,
            high=found.high * self.scale,
            standard_error=found.standard_error * self.scale,
        )


@dataclass(frozen=True)
class RowMean(SumRatio):
    """The mean of a score of rows: all rows whose size is 1, and none whose size is 0."""

    def interval(self, rows: Columns, uncertainty: Uncertainty) -> Interval:
        """Return the interval of the mean, from the statistics of rows."""
        scores, sizes = self.units(rows)
        has_score = np.flatnonzero(sizes > 0)
        if not has_score.size:
            return UNDEFINED
        if uncertainty.clusters is not None:
            uncertainty = replace(uncertainty, clusters=uncertainty.clusters.take(has_score))
        return mean_interval(scores[has_score], uncertainty)._replace(rows=has_score.size)


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

    def unseen(self, names: Sequence[str], values: Floats) -> Floats:
        """Return what the most lowering and the most raising unit add to each sum, (2, sums).

        Args:
            names: the names of the sums.
            values: what each unit adds to them, shape (units, names).
        """
        columns = dict(zip(names, values.T, strict=True))
        sizes = weighted_sum(columns, self.size)
        total = math.fsum(sizes.tolist())
        share = math.fsum((sizes * sizes).tolist()) / total / total if total else math.nan
        sums = {name: math.fsum(column.tolist()) for name, column in columns.items()}
        both = {**sums, **self.lowering(sums)}, {**sums, **self.raising(sums)}
        return np.array([[share * changed[name] for name in names] for changed in both])


SumScore = SumRatio | SumFunction
Distributions = Callable[[Sequence[str]], Mapping[str, SumScore]]  # by the names of statistics


def weighted_sum(columns: Columns, factors: Mapping[str, float]) -> Floats:
    """Return the sum of columns times factors."""
    total: Floats = sum(
        (factor * columns[name] for name, factor in factors.items()),
        start=np.zeros(len(next(iter(columns.values()), ()))),
    )
    return total
