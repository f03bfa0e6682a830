"""Intervals of estimates that are no means of rows, but have a variance of their own.

The areas under the ROC and precision-recall curves are such estimates. Like a mean of scores from 0
to 1, an estimate in that range counts as a proportion of an effective number of trials.
"""

import math
from fractions import Fraction
from typing import Literal, NamedTuple

from ..numbers.checks import OptionError
from ..numbers.domains import Level, checked_options
from .intervals import critical_value
from .proportions import Interval, clopper_pearson, wilson

Method = Literal["auto", "wilson"]


class ClusterVariance(NamedTuple):
    """The variance of an estimate between clusters of rows.

    `squares` is the sum over clusters of the squared sums of the influences of their rows; `units`
    is the Kish number of clusters, and `n_clusters` how many there are.
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
    """The interval of an estimate from 0 to 1 that has a variance of its own.

    The area under the ROC curve is one: its variance is DeLong's, its rows are those of the scarcer
    class. The effective number of trials is that of the variance and one pseudo-row, so that an
    area of 1, whose variance is 0, is no point. With clusters it is at most that, and as in
    `intervals.interval` Student's critical value takes the place of the normal one.

    Args:
        value: the estimate, from 0 to 1.
        variance: its variance, at least 0, if rows stand alone.
        rows: how many rows it rests on, at least 1.
        confidence_level: strictly between 0 and 1.
        method: "auto" (Clopper-Pearson, reported as "korn_graubard") or "wilson".
        clusters: its variance between clusters; None if rows stand alone.

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
    units, error = float(clusters.units), _clustered_error(clusters)
    if units <= 1:
        return Interval(0.0, 1.0, name, error, 0.0, clusters.n_clusters, math.nan)
    clustered = min(units, trials)
    if largest:
        # As of means: with a pseudo-cluster of the largest variance, or a pseudo-row if these are
        # fewer than clusters.
        number = min(units, rows)
        spread = clusters.squares * units / (units - 1) + largest / number**2
        clustered = min(largest * (1 + 1 / number) / spread, trials)
    normal = critical_value(confidence_level, math.inf)
    critical = critical_value(confidence_level, units - 1)
    if method == "auto":
        scaled = clustered * (normal / critical if critical else 1.0) ** 2
        ends = clopper_pearson(value * scaled, scaled, confidence_level)
    else:
        ends = wilson(value * clustered, clustered, confidence_level, critical)
    return Interval(*ends, name, error, clustered, clusters.n_clusters, trials / clustered)


def error_interval(
    mean: float,
    variance: float,
    rows: int,
    *,
    confidence_level: float,
    method: str = "auto",
    clusters: ClusterVariance | None = None,
) -> Interval:
    """The interval of a mean error, at least 0, that has a variance of its own, such as log loss.

    Student's t of the logarithm of the mean, "log_t", as in `intervals.interval` for scores without
    an upper bound; or of the mean itself.

    Args:
        mean: the mean error.
        variance: of the mean, if rows stand alone: the sum of squared deviations over rows**2.
        rows: how many there are.
        confidence_level: strictly between 0 and 1.
        method: "auto" or "t".
        clusters: the variance between clusters; None if rows stand alone.

    Raises:
        ValueError: there is no such method for errors.

    >>> print("{:.3f} to {:.3f}".format(*error_interval(0.5, 0.01, 10, confidence_level=0.95)[:2]))
    0.310 to 0.806
    """
    if method not in ("auto", "t"):
        raise OptionError("method", f"{method!r} is for bounded scores; take 'auto' or 't'")
    name = "log_t" if method == "auto" else "t"
    units = rows if clusters is None else float(clusters.units)
    error, effective, n_clusters, effect = math.nan, float(rows), None, None
    if clusters is not None:
        error, n_clusters = _clustered_error(clusters), clusters.n_clusters
    if units <= 1:
        clustered = (0.0, n_clusters, math.nan) if clusters else (effective,)
        return Interval(math.nan, math.nan, name, error, *clustered)
    unbiased = variance * rows / (rows - 1) if rows > 1 else math.nan
    spread = unbiased
    if clusters is None:
        error = math.sqrt(unbiased)
    else:
        spread = clusters.squares * units / (units - 1)
        effect = max(1.0, spread / unbiased) if unbiased else rows / units
        effective = rows / effect
    reach = critical_value(confidence_level, units - 1) * math.sqrt(spread)
    if method == "t":
        ends = mean - reach, mean + reach
    elif not mean:
        ends = 0.0, math.nan
    elif reach / mean > 700:  # beyond the exponential of a float
        ends = 0.0, math.inf
    else:
        ends = mean * math.exp(-reach / mean), mean * math.exp(reach / mean)
    return Interval(*ends, name, error, effective, n_clusters, effect)


def _clustered_error(clusters: ClusterVariance) -> float:
    """The cluster-robust standard error; NaN of one cluster."""
    number = clusters.n_clusters
    return math.sqrt(clusters.squares * number / (number - 1)) if number > 1 else math.nan
