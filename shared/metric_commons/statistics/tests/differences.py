"""Laws of the difference of two systems on the same rows: intervals, p-values, and margins.

p-value and interval follow from one law, so that they never disagree: p is less than alpha exactly
if the interval at the level 1 - alpha excludes 0. The law "exchangeable" is that of sign flips; see
`typical_values`. The law "nothing" weights differences at random together with an unseen row, on
which one system fails and the other does not; see `resampling.ratio_distribution`. For scores 0 and
1 both p-values are McNemar's. Margins are tested by the second: the p-value of a margin is less
than alpha exactly if the interval at the level 1 - 2 alpha excludes the margin.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments.arrays import Floats
from ..arithmetic.exact_sums import exact_sum, root
from ..intervals.cluster_sums import ClusterSums, cancelled
from ..intervals.intervals import critical_value
from ..intervals.spreads import row_spread
from ..intervals.weighted_units import ScoreDistribution
from ..resampling.ratio_distribution import (
    RatioDistribution,
    Units,
    lower_tail,
    probability_below,
    ratio_distribution,
    ratio_ends,
)
from ..resampling.row_units import deviation, percentile_ends
from .paired_tests import Alternative, PairedTest, t_p_value
from .power import fewest, minimum_detectable


@dataclass(frozen=True)
class RatioDifference(ScoreDistribution):
    """A difference that is a ratio of sums of units, weighted at random with an unseen one.

    The mean difference of rows is one, and so is the difference of two ratios of the same sizes.
    """

    units: RatioDistribution
    bounds: tuple[float, float]  # the smallest and the largest difference of an unseen unit
    standard_error: float = math.nan
    scale: float = 1.0

    def ends(self, confidence_level: float) -> tuple[float, float]:
        """Return the ends of the interval of the difference."""
        low, high = ratio_ends(self.units, self.bounds, confidence_level)
        return low * self.scale, high * self.scale

    def tail(self, limit: float, *, upper: bool = False) -> float:
        """Return the p-value of a difference of at most this, or of at least this."""
        ratio = limit / self.scale
        if not upper:
            return lower_tail(self.units, ratio, self.bounds[0])
        units = self.units.units
        mirrored = self.units._replace(units=units._replace(numerators=-units.numerators))
        return lower_tail(mirrored, -ratio, -self.bounds[1])


@dataclass(frozen=True)
class StudentDifference(ScoreDistribution):
    """Student's distribution of a difference with an estimated error."""

    difference: float
    error: float  # of the mean, by the degrees; `standard_error` is the one to report
    degrees: float
    standard_error: float = math.nan

    def ends(self, confidence_level: float) -> tuple[float, float]:
        """Return the ends of Student's interval; NaN without an error."""
        reach = critical_value(confidence_level, self.degrees) * (self.error or math.nan)
        return self.difference - reach, self.difference + reach

    def tail(self, limit: float, *, upper: bool = False) -> float:
        """Return the p-value of a difference of at most this, or of at least this."""
        if not self.degrees > 0 or not self.error > 0:
            return math.nan
        t = (self.difference - limit) / self.error
        return t_p_value(t, self.degrees, "less" if upper else "greater")


@dataclass(frozen=True)
class ResampledDifference(ScoreDistribution):
    """The percentile interval of resampled differences, and Student's t with their error."""

    values: Floats  # of resamples
    difference: float  # the observed one
    number: int  # of rows or clusters

    @property
    def standard_error(self) -> float:  # type: ignore[override]
        """Return the standard deviation of the resamples."""
        return deviation(self.values[~np.isnan(self.values)])

    def ends(self, confidence_level: float) -> tuple[float, float]:
        """Return the ends of the percentile interval."""
        low, high = percentile_ends(self.values, confidence_level).tolist()
        return low, high

    def tail(self, limit: float, *, upper: bool = False) -> float:
        """Return the p-value of a difference of at most this, or of at least this."""
        student = StudentDifference(self.difference, self.standard_error, self.number - 1)
        return student.tail(limit, upper=upper)


def p_of_no_difference(law: ScoreDistribution, alternative: Alternative) -> float:
    """Return the level at which the interval reaches 0; never 0 itself."""
    greater, less = law.tail(0.0), law.tail(0.0, upper=True)
    sides = {"two-sided": min(1.0, 2 * min(greater, less)), "greater": greater, "less": less}
    return max(sides[alternative], math.ulp(0.0))


def student_difference(differences: Floats, sums: ClusterSums | None) -> StudentDifference:
    """Return Student's distribution of the mean difference of rows or clusters.

    Equal differences say nothing about others: they have no error.
    """
    spread = row_spread(differences) if sums is None else sums.spread()
    has_error = spread.units > 1 and spread.squares
    error = root(spread.variance()) if has_error else math.nan
    return StudentDifference(float(spread.mean), error, spread.degrees, spread.standard_error())


def unseen_row(
    differences: Floats, sums: ClusterSums | None, bounds: tuple[float, float]
) -> RatioDifference:
    """Return the distribution that assumes nothing but the bounds of a difference.

    Args:
        differences: A - B, shape (rows,).
        sums: the sums of clusters; None if rows are independent.
        bounds: the smallest and the largest possible difference.

    Source:
        Gaffke, Three test statistics for a nonparametric one-sided hypothesis on the mean of a
        nonnegative variable (2005).

    >>> law = unseen_row(np.array([1.0, 1.0, 0.0, 0.0, 0.0, -1.0]), None, (-1.0, 1.0))
    >>> print("{:.3f} to {:.3f}".format(*law.ends(0.95)))
    -0.524 to 0.734
    """
    spread = row_spread(differences) if sums is None else sums.spread()
    if sums is None:
        units = ratio_distribution(differences, np.ones(differences.size))
    else:
        summands = cancelled(sums.sums(), float(exact_sum(np.abs(differences))))
        units = ratio_distribution(summands, sums.sizes())
    return RatioDifference(units, bounds, spread.standard_error())


def comparison(
    means: tuple[float, float],
    difference: float,
    tested: PairedTest,
    ends: tuple[float, float] | None,
    law: ScoreDistribution | None,
    *,
    margin: float | None,
    power: float | None,
    alpha: float,
    units: int,
) -> dict[str, Any]:
    """Return a comparison as `significance.compare` does, and with a margin `p_inferior`.

    Equivalence needs two tests: that no system is better by the margin. Its p-value is the greater.

    Args:
        means: the scores of both systems.
        difference: of the first and the second.
        tested: the test of the difference.
        ends: of its interval; None for none.
        law: the distribution by which a margin is tested; None if no p-value of it is defined.
        margin: a difference that would matter; None for no p-values of it.
        power: also return the difference that a t-test finds with this probability.
        alpha: a p-value less than this is significant.
        units: the number of rows, or clusters.

    Source:
        Schuirmann, A comparison of the two one-sided tests procedure and the power approach (1987).
    """
    error = tested.standard_error
    result: dict[str, Any] = {
        "A_mean": means[0],
        "B_mean": means[1],
        "diff": difference,
        "p_value": tested.p_value,
        "significant": bool(tested.p_value < alpha),
    }
    if ends is not None:
        result["confidence_interval"] = list(ends)
    result |= {"test": tested.test, "statistic": tested.statistic, "standard_error": error}
    if tested.n_clusters is not None:
        result["n_clusters"] = tested.n_clusters
    if power is not None:
        result["mde"] = math.nan
        if units > 1 and not math.isnan(error):
            result["mde"] = minimum_detectable(error * math.sqrt(units), units, alpha, power)
    if margin is not None and law is not None:
        not_inferior = law.tail(-margin)
        result["p_equivalent"] = max(not_inferior, law.tail(margin, upper=True))
        result["p_non_inferior"] = not_inferior
        result["p_inferior"] = law.tail(-margin, upper=True)
    return result


def bounds_of_scores(a: Floats, b: Floats) -> tuple[float, float]:
    """Return the range of scores: 0 to 1 if it contains all of them, otherwise none.

    >>> bounds_of_scores(np.array([0.5]), np.array([2.0]))
    (-inf, inf)
    """
    least, largest = min(a.min(), b.min()), max(a.max(), b.max())
    return (0.0, 1.0) if least >= 0 and largest <= 1 else (-math.inf, math.inf)


def rows_that_show_margin(
    predictions1: ArrayLike,
    predictions2: ArrayLike,
    margin: float,
    *,
    clusters: Sequence[Any] | None = None,
    alpha: float,
    power: float,
    as_observed: bool,
) -> tuple[bool, int | None]:
    """Return whether scores are bounded, and how many rows or clusters would show non-inferiority.

    The rows are like the observed ones; or, if both systems are equally good, like them with
    equally frequent wins and losses. The distribution of the rows is computed for a mean difference
    as low as occurs with the probability 1 - power.

    Args:
        predictions1: the scores of system A; rows with NaN are left out.
        predictions2: the scores of system B on the same rows.
        margin: as in `significance.compare`.
        clusters: one label per row.
        alpha: the level of the decision.
        power: the probability of it.
        as_observed: whether the difference is the observed one; otherwise systems are equally good.

    Returns:
        The number is None if none is enough.

    >>> options = {"alpha": 0.05, "power": 0.8, "as_observed": False}
    >>> rows_that_show_margin([1.0, 0.0], [1.0, 0.0], 0.01, **options)
    (True, 299)
    """
    from scipy.special import ndtri

    a, b = (np.asarray(scores, np.float64) for scores in (predictions1, predictions2))
    counting = ~(np.isnan(a) | np.isnan(b))
    a, b = a[counting], b[counting]
    low, high = bounds_of_scores(a, b)
    if math.isinf(high):
        return False, None
    sums = None
    if clusters is not None:
        labels = [label for label, counts in zip(clusters, counting, strict=True) if counts]
        sums = ClusterSums.of(labels, a - b)
    distribution = unseen_row(a - b, sums, (low - high, high - low)).units
    numerators, sizes, counts = distribution.units
    if not as_observed:
        numerators, sizes = np.concatenate([numerators, -numerators]), np.tile(sizes, 2)
        counts = np.tile(counts, 2) / 2
    shares = counts / counts.sum()
    mean = float((shares * numerators).sum() / (shares * sizes).sum())
    if mean <= -margin:
        return True, None
    residuals = numerators - mean * sizes
    error = math.sqrt(float((shares * np.square(residuals)).sum()))
    error /= float((shares * sizes).sum())

    def is_enough(rows: int) -> bool:
        shortfall = float(ndtri(power)) * error / math.sqrt(rows)
        units = Units(numerators - shortfall * sizes, sizes, rows * shares)
        size = distribution.unseen_size
        unseen = units.with_unseen((low - high) * size, size)
        return probability_below(-margin, unseen) < alpha

    return True, fewest(is_enough)
