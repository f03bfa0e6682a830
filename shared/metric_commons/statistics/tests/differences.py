"""The interval of the mean difference of two systems on the same rows; and margins.

p-value and interval follow from one law, so that they never disagree: p is less than alpha exactly
if the interval at the level 1 - alpha excludes 0. The law "exchangeable" is that of sign flips; see
`typical_values`. The law "nothing" weights differences at random together with an unseen row, on
which one system fails and the other does not; see `resampling.unseen_units`. For scores 0 and 1
both p-values are McNemar's. Margins are tested by the second: the p-value of a margin is less than
alpha exactly if the interval at the level 1 - 2 alpha excludes the margin.
"""

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arguments.arrays import Floats
from ..arguments.checks import OptionError
from ..arguments.domains import (
    Labels,
    Level,
    Positive,
    Resamples,
    Seed,
    check_option,
    checked_options,
)
from ..arithmetic.exact_sums import exact_sum, root
from ..intervals.cluster_sums import ClusterSums, bootstrap_ends, cancelled
from ..intervals.intervals import score_range
from ..intervals.spreads import Spread, row_spread
from ..resampling.ratio_distribution import (
    RatioDistribution,
    Units,
    probability_below,
    ratio_distribution,
)
from .difference_distributions import Margins, RatioDifference, StudentDifference
from .paired_tests import (
    PairedTest,
    checked_differences,
    difference_sums,
)
from .power import fewest, minimum_detectable

DifferenceMethod = Literal["auto", "t", "bootstrap"]

_NO_INTERVAL = math.nan, math.nan
_UNLIMITED = -math.inf, math.inf


class DifferenceInterval(NamedTuple):
    """The ends of the interval of a mean difference, the method, and the standard error."""

    low: float
    high: float
    method: str
    standard_error: float
    n_clusters: int | None = None


class Equivalence(NamedTuple):
    """P-values of non-inferiority and of equivalence; small ones show it."""

    p_non_inferior: float
    p_equivalent: float


def comparison(
    means: tuple[float, float],
    difference: float,
    tested: PairedTest,
    ends: tuple[float, float] | None,
    margins: Margins | None,
    *,
    alpha: float,
    power: float | None,
    units: int,
) -> dict[str, Any]:
    """Return a comparison as `significance.compare` does, and with margins `p_inferior`.

    Args:
        means: the scores of both systems.
        difference: of the first and the second.
        tested: the test of the difference.
        ends: of its interval; None for none.
        margins: the p-values of a margin; None without one.
        alpha: a p-value less than this is significant.
        power: also return the difference that a t-test finds with this probability.
        units: the number of rows, or clusters.
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
    if margins is not None:
        result |= {
            "p_equivalent": margins.equivalent,
            "p_non_inferior": margins.not_inferior,
            "p_inferior": margins.inferior,
        }
    return result


@checked_options
def difference_interval(
    differences: ArrayLike,
    *,
    confidence_level: Level = 0.95,
    method: DifferenceMethod = "auto",
    clusters: Labels | ClusterSums | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
) -> DifferenceInterval:
    """Return the confidence interval of the mean difference, by a method that suits the scores.

    The methods:

    * "auto": for bounded scores, rows or clusters weighted at random together with an unseen one,
      on which one system has the smallest score and the other the largest, "unseen_row". The
      interval is never a point. Without bounds it is "t".
    * "t": Student's, of rows or clusters; with K - 1 degrees of freedom for the Kish number K.
      Equal differences say nothing about others, so their interval is NaN.
    * "bootstrap": the percentile bootstrap of rows, or of clusters. Only this method draws.

    Args:
        differences: A - B, shape (rows,).
        confidence_level: strictly between 0 and 1.
        method: one of the above.
        clusters: one label per row, or the sums of the differences by cluster.
        bounds: the smallest and the largest possible score, so that a difference is at most their
            range; (0, inf) or (-inf, inf) without a limit.
        n_resamples: the number of resamples of the bootstrap.
        seed: for these draws.

    Raises:
        ValueError: no differences, one that is not possible, or an option out of its range.

    Source:
        Gaffke, Three test statistics for a nonparametric one-sided hypothesis on the mean of a
        nonnegative variable (2005).

    >>> print("{:.3f} to {:.3f}, {}".format(*difference_interval([1, 1, 0, 0, 0, -1])[:3]))
    -0.524 to 0.734, unseen_row
    >>> print("{:.3f} to {:.3f}, {}".format(*difference_interval([0.1] * 10)[:3]))
    -0.239 to 0.378, unseen_row
    """
    low, high = score_range(bounds)
    values = checked_differences(differences)
    span = _span(values, low, high)
    sums = difference_sums(clusters, values)
    spread = row_spread(values) if sums is None else sums.spread()

    name: str = method
    if method == "bootstrap":
        draws: dict[str, Any] = {"n_resamples": n_resamples, "seed": seed}
        ends = bootstrap_ends(values, None, sums, confidence_level=confidence_level, **draws)
    elif method == "t" or math.isinf(span):
        name, ends = "t", student_difference(spread).ends(confidence_level)
    else:
        name = "unseen_row"
        ends = unseen_row(values, sums, (-span, span)).ends(confidence_level)
    return DifferenceInterval(*ends, name, spread.standard_error(), spread.clusters)


def student_difference(spread: Spread) -> StudentDifference:
    """Return Student's distribution of the mean difference of rows or clusters."""
    has_error = spread.units > 1 and spread.squares
    error = root(spread.variance()) if has_error else math.nan
    return StudentDifference(float(spread.mean), error, spread.degrees, spread.standard_error())


def _span(differences: Floats, low: float, high: float) -> float:
    """Return the largest possible difference of two scores."""
    span = high - low
    if math.isfinite(span) and float(np.abs(differences).max()) > span:
        raise OptionError("differences", f"go beyond {span:g}, the range of scores in bounds")
    return span


def unseen_row(
    values: Floats, sums: ClusterSums | None, bounds: tuple[float, float]
) -> RatioDifference:
    """Return the distribution that assumes nothing but the bounds of a difference."""
    spread = row_spread(values) if sums is None else sums.spread()
    return RatioDifference(_mean_distribution(values, sums), bounds, spread.standard_error())


def _mean_distribution(values: Floats, sums: ClusterSums | None) -> RatioDistribution:
    """Return the distribution of the mean difference of rows, or of clusters."""
    if sums is None:
        return ratio_distribution(values, np.ones(values.size))
    sizes = np.array([rows for rows, _ in sums.clusters.values()], np.float64)
    return ratio_distribution(cancelled(sums.sums(), float(exact_sum(np.abs(values)))), sizes)


@checked_options
def equivalence(
    differences: ArrayLike,
    margin: Positive,
    *,
    clusters: Labels | ClusterSums | None = None,
    method: Literal["auto", "t"] = "auto",
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Equivalence:
    """P-values for a margin: that A is not worse by it, and that neither system is better by it.

    The first tests a mean difference of at most -margin, the second one of at least margin;
    equivalence needs both, so its p-value is the greater one. They invert `difference_interval`:
    they are less than alpha exactly if the interval at the level 1 - 2 alpha excludes the margin.
    Student's t needs two rows or clusters that differ, and is NaN without them.

    Args:
        differences: A - B, shape (rows,).
        margin: the difference that would matter, above 0. There is no default, since it is a
            judgement.
        clusters: one label per row, or the sums of the differences by cluster.
        method: as in `difference_interval`.
        bounds: as in `difference_interval`.

    Raises:
        ValueError: no differences, one that is not possible, or a margin that is not positive.

    Source:
        Schuirmann, A comparison of the two one-sided tests procedure and the power approach (1987).

    >>> result = equivalence([0.02, -0.01, 0.0, 0.01, -0.02, 0.01] * 50, margin=0.02)
    >>> round(result.p_non_inferior, 4), round(result.p_equivalent, 4)
    (0.0015, 0.004)
    """
    check_option("margin", margin, Positive)
    low, high = score_range(bounds)
    values = checked_differences(differences)
    span = _span(values, low, high)
    sums = difference_sums(clusters, values)
    limits = _UNLIMITED if method == "t" else (-span, span)
    p_values = margin_p_values(values, sums, float(margin), limits)
    return Equivalence(p_values.not_inferior, p_values.equivalent)


def margin_p_values(
    values: Floats, sums: ClusterSums | None, margin: float, bounds: tuple[float, float]
) -> Margins:
    """Return the p-values of a margin, by the distribution of the interval.

    Args:
        values: the differences.
        sums: the sums of clusters; None if rows are independent.
        margin: above 0.
        bounds: the smallest and the largest possible difference; infinite for Student's t.
    """
    if math.isinf(bounds[0]):
        spread = row_spread(values) if sums is None else sums.spread()
        return Margins.of(student_difference(spread), margin)
    return Margins.of(unseen_row(values, sums, bounds), margin)


def rows_for_margin(
    values: Floats,
    sums: ClusterSums | None,
    margin: float,
    span: float,
    *,
    alpha: float,
    power: float,
    as_observed: bool,
) -> int | None:
    """How many rows, or clusters, show with some probability that A is not worse by a margin.

    The rows are like the observed ones; or, if both systems are equally good, like them with
    equally frequent wins and losses. The distribution of the rows is computed for a mean difference
    as low as occurs with the probability 1 - power.

    Args:
        values: the differences.
        sums: the sums of clusters; None if rows are independent.
        margin: above 0.
        span: the largest possible difference, finite.
        alpha: the level of the decision.
        power: the probability of it.
        as_observed: whether the difference is the observed one; otherwise systems are equally good.

    Returns:
        None if no number is enough.

    >>> rows_for_margin(np.zeros(2), None, 0.01, 1.0, alpha=0.05, power=0.8, as_observed=False)
    299
    """
    from scipy.special import ndtri

    distribution = _mean_distribution(values, sums)
    a, b, m = distribution.units
    if not as_observed:
        a, b, m = np.concatenate([a, -a]), np.concatenate([b, b]), np.concatenate([m, m]) / 2
    shares = m / m.sum()
    mean = float((shares * a).sum() / (shares * b).sum())
    if mean <= -margin:
        return None
    error = math.sqrt(float((shares * np.square(a - mean * b)).sum())) / float((shares * b).sum())

    def is_enough(rows: int) -> bool:
        shortfall = float(ndtri(power)) * error / math.sqrt(rows)
        units = Units(a - shortfall * b, b, rows * shares)
        size = distribution.unseen_size
        return probability_below(-margin, units.with_unseen(-span * size, size)) < alpha

    return fewest(is_enough)
