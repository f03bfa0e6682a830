"""Confidence intervals of means of rows and of ratios of sums.

The percentile bootstrap covers too little if rows are few or scores are near the end of their
range: for ten rows that are all right, it is a point. The law weights rows, or clusters, at random
together with an unseen one, the worst possible for the lower end and the best possible for the
upper end; see `resampling.ratio_distribution`. For single rows of 0 and 1 this is the interval of
Clopper and Pearson.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments.arrays import Floats
from ..arguments.checks import OptionError, RowError
from ..arguments.domains import CrossedLabels, Level, Resamples, Seed, checked_options
from ..arithmetic.exact_sums import group_sums, rounded_sum
from ..resampling.ratio_distribution import RatioUnits, unseen_unit_ends
from ..resampling.row_units import RowUnits, percentile_ends
from .cluster_sums import Clusters
from .crossed import CrossedClusters
from .methods import Bounds, Method, Uncertainty, score_bounds
from .proportions import UNDEFINED, Interval, proportion_interval
from .proportions import critical_value as critical_value
from .spreads import finite_scores

_ROUNDED = 2.0**-51  # a smaller part of a number is rounding
_WORSE = 1.5  # an unseen error without a bound is this many times the largest one


@checked_options
def interval(
    scores: ArrayLike,
    *,
    confidence_level: Level = 0.95,
    method: Method = "auto",
    clusters: CrossedLabels | Clusters | None = None,
    bounds: Bounds = (0.0, 1.0),
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
) -> Interval:
    """Return the confidence interval of the mean of scores.

    The methods:

    * "auto": the law, rows or clusters weighted at random together with an unseen one; of single
      rows at the ends of the range Clopper and Pearson's, reported as "clopper_pearson". Without an
      upper bound the unseen row has 1.5 times the largest error. Without any bound, and for crossed
      clusters, it is "t".
    * "bootstrap": the percentile bootstrap of rows, or of clusters. Only this method draws.
    * "t": Student's, which may leave the range, with K - 1 degrees of freedom for the Kish number K
      of rows or clusters. For one row or cluster it is the range.
    * "wilson": for scores 0 and 1 of independent rows; right on average, but not everywhere: it
      covers .84 to .92 of the time where nearly all rows are right.

    Args:
        scores: shape (rows,).
        confidence_level: strictly between 0 and 1.
        method: one of the above.
        clusters: one label per row; None if rows are independent. Two or three fields,
            `{"item": labels, "template": labels}`, are crossed: each is a sample, and the interval
            is that of random effects.
        bounds: the smallest and the largest possible score; (0, inf) for errors, (-inf, inf) for
            differences of them.
        n_resamples: the number of resamples of the bootstrap.
        seed: for these draws.

    Returns:
        `low`, `high`, `method` (the name reported), `standard_error` (NaN for one row or cluster).

    Raises:
        ValueError: no scores, one outside the bounds, not one label per row, an option out
            of its range, or a method that the scores cannot take.

    Source:
        Gaffke, Three test statistics for a nonparametric one-sided hypothesis on the mean of a
        nonnegative variable (2005).

    >>> print("{:.3f} to {:.3f}, {}".format(*interval([1.0] * 10)[:3]))
    0.692 to 1.000, clopper_pearson
    >>> print("{:.3f} to {:.3f}, {}".format(*interval([0.4, 1.0, 0.5, 0.0, 0.8, 1.0])[:3]))
    0.250 to 0.887, law
    >>> interval([0.5, 1.0], method="wilson")
    Traceback (most recent call last):
    ValueError: method 'wilson' is for scores 0 and 1 of single rows; take 'auto'
    """
    low, high = score_bounds(bounds, infinite=True)
    values = finite_scores("scores", scores)
    if not values.size:
        raise ValueError("scores is empty; the mean of nothing is undefined")
    if values.min() < low or values.max() > high:
        row = int(((values < low) | (values > high)).argmax())
        raise RowError(
            "scores", row, f"is {values[row]}, outside the range from {low:g} to {high:g}"
        )
    uncertainty = Uncertainty(confidence_level, method, None, n_resamples, seed)
    uncertainty = replace(uncertainty, clusters=clusters_of(clusters, values.size))
    return mean_interval(values, uncertainty, bounds=(low, high))


def clusters_of(clusters: Any, rows: int) -> Clusters | CrossedClusters | None:
    """Return the clusters of this many rows, from one label per row, or from several fields."""
    if isinstance(clusters, Clusters):
        return clusters
    if isinstance(clusters, Mapping) and len(clusters) != 1:
        return CrossedClusters.of_labels(clusters, rows)
    if clusters is None:
        return None
    labels = next(iter(clusters.values())) if isinstance(clusters, Mapping) else clusters
    return Clusters.of_labels(labels, rows)


def mean_interval(
    values: Floats,
    uncertainty: Uncertainty,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    weights: Floats | None = None,
) -> Interval:
    """Return the interval of the mean of rows, or of clusters of them.

    Args:
        values: finite, shape (rows,).
        uncertainty: the level, the method and the clusters.
        bounds: the smallest and the largest score; (0, inf) for errors.
        weights: at least 0, shape (rows,); None if all are equal.

    Raises:
        ValueError: the method does not suit the scores.
    """
    clusters, method, level = uncertainty.clusters, uncertainty.method, uncertainty.level
    low, high = map(float, bounds)
    if isinstance(clusters, CrossedClusters):
        return _crossed_interval(values, clusters, uncertainty, bounds)
    is_plain = clusters is None and weights is None and math.isfinite(high)
    if is_plain and method in ("auto", "wilson"):
        successes = int(np.count_nonzero(values == high))
        if successes + int(np.count_nonzero(values == low)) == values.size:
            share = proportion_interval(successes, values.size, level, method)
            first, last = (low + (high - low) * end for end in share[:2])
            return Interval(first, last, share.method, ratio_error(values, np.ones(values.size)))
    sizes, numerators = np.ones(values.size), values
    if weights is not None:
        sizes, numerators = weights, values * weights
    if clusters is not None:
        number = len(clusters.labels)
        numerators, sizes = (
            group_sums(column, clusters.numbers, number) for column in (numerators, sizes)
        )
    is_sized = sizes > 0
    if not is_sized.all():
        numerators, sizes = numerators[is_sized], sizes[is_sized]
    return ratio_interval(numerators, sizes, uncertainty, bounds=bounds)


def ratio_interval(
    numerators: Floats,
    sizes: Floats,
    uncertainty: Uncertainty,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    counts: Floats | None = None,
) -> Interval:
    """Return the interval of sum(numerators) / sum(sizes); its ends are NaN without any size.

    Args:
        numerators: those of units, which are rows, clusters, or kinds of rows.
        sizes: at least 0.
        uncertainty: the level and the method; units are clusters if there are any.
        bounds: the smallest and the largest ratio of a unit; without a largest one an unseen unit
            has 1.5 times the largest distance from the smallest.
        counts: the count of each unit; None for one each.

    >>> two = ratio_interval(np.array([1.0, 1.0]), np.ones(2), Uncertainty())
    >>> print("{:.3f} to {:.3f}".format(*two[:2]))
    0.158 to 1.000
    """
    low, high = map(float, bounds)
    method: str = uncertainty.method
    level = uncertainty.level
    if method == "wilson":
        raise OptionError("method", "'wilson' is for scores 0 and 1 of single rows; take 'auto'")
    error = ratio_error(numerators, sizes, counts)
    if not sizes.any():
        return UNDEFINED
    if method == "bootstrap":
        ends = _resampled_ends(numerators, sizes, counts, uncertainty)
        return Interval(max(ends[0], low), min(ends[1], high), method, error)
    units = RatioUnits.of(numerators, sizes, counts)
    if method == "t" or math.isinf(low):
        method, weights = "t", np.ones(sizes.size) if counts is None else counts
        kish = float((weights @ sizes) ** 2 / (weights @ sizes**2))
        if kish <= 1:
            return Interval(low, high, method, error)
        value, reach = units.ratio(), critical_value(level, kish - 1) * error
        return Interval(value - reach, value + reach, method, error)
    method, worst = "law", high
    if math.isinf(high):
        is_sized = sizes > 0
        worst = low + _WORSE * (float((numerators[is_sized] / sizes[is_sized]).max()) - low)
    first, last = unseen_unit_ends(units, (low, worst), level)
    if worst == low:  # rows without an error do not show how large one may be
        last = math.inf
    return Interval(max(first, low), min(last, high), method, error)


def _resampled_ends(
    numerators: Floats, sizes: Floats, counts: Floats | None, uncertainty: Uncertainty
) -> tuple[float, float]:
    """Return the percentile bootstrap interval of a ratio of sums, within the ratios of units."""
    size = 0.0
    if counts is not None:
        units = RowUnits(counts.astype(np.int64), np.column_stack([numerators, sizes]))
    elif sizes.min() == sizes.max():  # one column takes less memory
        units, size = RowUnits.of_rows(numerators[:, np.newaxis]), float(sizes[0]) * sizes.size
    else:
        units = RowUnits.of_rows(np.column_stack([numerators, sizes]))

    def ratio(sums: Floats, _: object) -> dict[str, Floats]:
        return {"": sums[0] / (size or sums[1])}

    values = units.resampled(ratio, [""], **uncertainty.draws)[""]
    low, high = percentile_ends(values, uncertainty.level)
    if size:
        of_units = numerators / sizes
        least, most = float(of_units.min()), float(of_units.max())
        low, high = max(low, least), min(high, most)
    return low, high


def ratio_error(numerators: Floats, sizes: Floats, counts: Floats | None = None) -> float:
    """Return the standard error of sum(numerators) / sum(sizes), by the delta method.

    It is s / sqrt(n) for a mean of n rows; NaN for one unit.

    >>> round(ratio_error(np.array([1.0, 0.0, 1.0]), np.ones(3)), 4)
    0.3333
    """

    def total(values: Floats) -> float:
        return rounded_sum(values if counts is None else counts * values)

    units = float(sizes.size if counts is None else counts.sum())
    size = total(sizes)
    if units <= 1 or not size:
        return math.nan
    deviations = total(numerators) / size * sizes
    deviations -= numerators
    deviations[np.abs(deviations) <= _ROUNDED * np.abs(numerators)] = 0.0  # of equal ratios
    scale = max(float(deviations.max()), -float(deviations.min())) or 1.0
    deviations /= scale  # so that no square overflows
    squares = total(np.square(deviations, out=deviations))
    return scale * math.sqrt(squares * units / (units - 1)) / size


def resampled_interval(
    values: Floats, confidence_level: float, n_clusters: int | None = None
) -> Interval:
    """Return the percentile interval of a score from its values in resamples, NaN left out.

    The standard error is their standard deviation.

    >>> resampled_interval(np.array([3.0, 1.0, math.nan, 2.0]), 0.5)[:4]
    (1.5, 2.5, 'bootstrap', 1.0)
    """
    low, high = percentile_ends(values, confidence_level)
    defined = values[~np.isnan(values)]
    largest = float(np.abs(defined).max(initial=0.0))
    error = math.inf if math.isinf(largest) else math.nan
    if defined.size > 1 and not math.isinf(largest):
        scale = largest or 1.0  # so that no square overflows
        error = float(np.std(defined / scale, ddof=1)) * scale
    return Interval(low, high, "bootstrap", error, None, n_clusters)


def _crossed_interval(
    values: Floats,
    clusters: CrossedClusters,
    uncertainty: Uncertainty,
    bounds: tuple[float, float],
) -> Interval:
    """Return the interval of the mean of crossed rows, within the range of scores."""
    if uncertainty.method not in ("auto", "t"):
        raise OptionError("method", f"{uncertainty.method!r} is not for crossed clusters")
    crossed = clusters.sums(values)
    error = crossed.standard_error
    half = critical_value(uncertainty.level, crossed.degrees) * error
    low, high = crossed.mean - half, crossed.mean + half
    if not error:  # as if the field with the fewest levels were all there is
        same = np.full(len(clusters), crossed.mean)
        low, high, *_ = mean_interval(same, replace(uncertainty, clusters=None), bounds=bounds)
    return Interval(max(low, bounds[0]), min(high, bounds[1]), "t", error)
