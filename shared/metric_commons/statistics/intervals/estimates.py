"""Intervals of estimates that are not means of rows and have their own variance.

The areas under the ROC and precision-recall curves are such estimates; kappa, Kendall's tau and
rates that are corrected by labels have influences of rows. Like a mean of scores from 0 to 1, an
estimate in a range counts as a proportion of an effective number of trials.
"""

import math
from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np

from ..arguments.arrays import Floats, Integers
from ..arguments.domains import Level, checked_options
from ..arithmetic.exact_sums import exact_sum, group_sums
from .intervals import Bounds
from .proportions import Interval, clopper_pearson, critical_value, wilson
from .spreads import Spread, finite_scores
from .sum_distributions import pairs_interval

Method = Literal["auto", "wilson"]


def korn_graubard(
    proportion: float, trials: float, critical: float, confidence_level: float
) -> tuple[float, float]:
    """Return the ends of Clopper and Pearson in an effective number of trials."""
    normal = critical_value(confidence_level, math.inf)
    scaled = trials * (normal / critical if critical else 1.0) ** 2
    return clopper_pearson(proportion * scaled, scaled, confidence_level)


class ClusterVariance(NamedTuple):
    """The variance of an estimate between clusters of rows.

    `squares` is the sum over clusters of the squared sums of the influences of their rows; `units`
    is the Kish number of clusters, and `n_clusters` the number of clusters.
    """

    squares: float
    units: Fraction
    n_clusters: int


@checked_options
def estimate_interval(
    value: float,
    variance: float,
    rows: int,
    *,
    confidence_level: Level = 0.95,
    method: Method = "auto",
    clusters: ClusterVariance | None = None,
) -> Interval:
    """Return the interval of an estimate from 0 to 1 that has its own variance.

    The area under the ROC curve is such an estimate: its variance is DeLong's, its rows are those
    of the rarer class. The effective number of trials is that of the variance and one pseudo-row,
    so that an area of 1, whose variance is 0, does not give a point. Clusters never increase it,
    and as in `intervals.interval` Student's critical value replaces the normal one.

    Args:
        value: the estimate, from 0 to 1.
        variance: its variance, at least 0, if rows are independent.
        rows: the number of rows that it is based on, at least 1.
        confidence_level: strictly between 0 and 1.
        method: "auto" (Clopper-Pearson, reported as "korn_graubard") or "wilson".
        clusters: its variance between clusters; None if rows are independent.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        DeLong, DeLong and Clarke-Pearson, Comparing the areas under two or more correlated
        receiver operating characteristic curves (1988).

    >>> print("{:.3f} to {:.3f}".format(*estimate_interval(0.97, 0.000436, 10)[:2]))
    0.861 to 0.999
    """
    if not 0 <= value <= 1:
        raise ValueError(f"value must be from 0 to 1, got {value!r}")
    if not 0 <= variance < math.inf:
        raise ValueError(f"variance must be finite and at least 0, got {variance!r}")
    if rows < 1:
        raise ValueError(f"rows must be at least 1, got {rows!r}")
    largest = value * (1 - value)
    trials = largest / (variance + largest / rows**2) if largest else float(rows)
    name = "korn_graubard" if method == "auto" else method
    formula = clopper_pearson if method == "auto" else wilson
    if clusters is None:
        ends = formula(value * trials, trials, confidence_level)
        return Interval(*ends, name, math.sqrt(variance), trials)
    units, number = float(clusters.units), clusters.n_clusters
    error = math.sqrt(clusters.squares * number / (number - 1)) if number > 1 else math.nan
    if units <= 1:
        return Interval(0.0, 1.0, name, error, 0.0, clusters.n_clusters, math.nan)
    clustered = min(units, trials)
    if largest:
        # As for means: with a pseudo-cluster of the largest variance, or a pseudo-row if these are
        # fewer than clusters.
        fewest = min(units, rows)
        spread = clusters.squares * units / (units - 1) + largest / fewest**2
        clustered = min(largest * (1 + 1 / fewest) / spread, trials)
    critical = critical_value(confidence_level, units - 1)
    if method == "auto":
        ends = korn_graubard(value, clustered, critical, confidence_level)
    else:
        ends = wilson(value * clustered, clustered, confidence_level)
    return Interval(*ends, name, error, clustered, clusters.n_clusters, trials / clustered)


def influence_spread(
    influences: Floats, counts: Integers | None = None, clusters: Integers | None = None
) -> Spread:
    """Return the spread of the influences of rows, or of clusters of rows, on an estimate.

    The influence of a row on a mean is its distance from the mean. For other estimates, rows have
    values whose mean is the estimate to first order, and the influence is the distance of such a
    value. The squares divided by the square of the number of rows are then a variance, and
    `standard_error` is that of the linearized estimate. Sums are exact, so the order of rows does
    not matter.

    Args:
        influences: the influences of the rows, whose sum is 0 except for rounding; shape (rows,).
        counts: the count of each row; None for one each.
        clusters: the number of the cluster of each row, from 0 on; None if rows are independent.

    Raises:
        ValueError: an influence is not a finite number, or there are none.

    Source:
        Gwet, Computing inter-rater reliability and its variance in the presence of high agreement
        (2008). Linearization in general: Deville, Variance estimation for complex statistics
        (1999).

    >>> influence_spread(np.array([0.5, -0.5])).standard_error()
    0.5
    >>> influence_spread(np.array([0.5, -0.5, 0.5, -0.5]), clusters=np.array([0, 1, 0, 1])).squares
    Fraction(2, 1)
    """
    values = finite_scores("influences", influences)
    if not values.size:
        raise ValueError("influences is empty; the spread of nothing is undefined")
    rows = values.size if counts is None else int(counts.sum())
    if clusters is None:
        return Spread(rows, Fraction(0), exact_sum(np.square(values), counts), rows)
    labels, numbers = np.unique(clusters, return_inverse=True)
    weights = np.ones(values.size, np.int64) if counts is None else counts
    sizes = np.bincount(numbers, weights, labels.size).astype(np.int64)
    sums = group_sums(values * weights, numbers, labels.size)
    squares = exact_sum(np.square(sums))
    return Spread(rows, Fraction(0), squares, int((sizes**2).sum()), labels.size)


@checked_options
def influence_interval(
    value: float,
    influences: Floats,
    counts: Integers | None = None,
    *,
    clusters: Integers | None = None,
    sizes: Floats | None = None,
    confidence_level: Level = 0.95,
    unseen: Bounds = (0.0, 1.0),
    bounds: Bounds = (0.0, 1.0),
) -> Interval:
    """Return the interval of an estimate in a range, from the influences of its rows.

    The rows are taken for those of a mean: each has the value of the estimate plus its influence.
    They, or clusters of them, are weighted at random with an unseen one, as those of means are.

    Args:
        value: the estimate, within the bounds.
        influences: as in `influence_spread`, shape (rows,).
        counts: the count of each row; None for one each.
        clusters: the number of the cluster of each row, from 0 on; None if rows are independent.
        sizes: the weight of each row in the mean; rows of size 0 only add their influence. None if
            all are 1.
        confidence_level: strictly between 0 and 1.
        unseen: the smallest and the largest value of an unseen row of size 1.
        bounds: the smallest and the largest possible estimate.

    Raises:
        ValueError: an influence is not a finite number, or an option is out of its range.

    >>> scores = np.array([0.4, 1.0, 0.5, 0.0, 0.8, 1.0])
    >>> influences = scores - scores.mean()
    >>> print("{:.4f} to {:.4f}".format(*influence_interval(scores.mean(), influences)[:2]))
    0.2505 to 0.8872
    >>> from .intervals import interval
    >>> print("{:.4f} to {:.4f}".format(*interval(scores)[:2]))
    0.2505 to 0.8872
    """
    added = finite_scores("influences", influences)
    repeats = np.ones(added.size) if counts is None else counts.astype(np.float64)
    sizes = np.ones(added.size) if sizes is None else sizes
    n_clusters = None
    if clusters is not None:
        n_clusters = int(clusters.max(initial=-1)) + 1
        added, sizes = (
            group_sums(column * repeats, clusters, n_clusters) for column in (added, sizes)
        )
        repeats = np.ones(n_clusters)
    estimate = pairs_interval(
        sizes * value + added,
        sizes,
        repeats,
        confidence_level=confidence_level,
        bounds=unseen,
        n_clusters=n_clusters,
    )
    low, high = max(estimate.low, bounds[0]), min(estimate.high, bounds[1])
    return estimate._replace(low=min(low, value), high=max(high, value))
