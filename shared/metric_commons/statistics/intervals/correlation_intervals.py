"""Intervals of correlations of two scores of the same systems.

Those of tau, of the pairwise accuracy and of Spearman's correlation follow from the influence of
each system, and are about other systems like these.
"""

import math
from dataclasses import replace

import numpy as np

from ..arguments.arrays import Floats
from ..arithmetic.exact_sums import rounded_sum
from ..arithmetic.rank_correlations import CORRELATIONS, Estimate, PairedScores
from ..resampling.row_units import RowUnits, resampled_counts
from .cluster_sums import Clusters
from .intervals import mean_interval, resampled_interval
from .methods import Uncertainty
from .proportions import UNDEFINED, Interval
from .weighted_units import DrawnScore, unit_intervals

_UNSEEN = 7.0  # units
_ROUNDING = 1e-12
_WITH_INTERVALS = ("kendall_tau_a", "kendall_tau_b", "pairwise_accuracy", "spearman", "pearson")


def correlation_interval(
    name: str, scores: PairedScores, estimate: Estimate, uncertainty: Uncertainty
) -> Interval | None:
    """Return the interval of a correlation; None if it has none.

    For Pearson's see `pearson_interval`. Else the systems are taken for those of a mean: each has
    the value of the correlation plus its influence. An unseen one has the smallest, or the largest,
    possible value.

    Args:
        name: a key of `CORRELATIONS`.
        scores: both scores of all systems.
        estimate: the correlation.
        uncertainty: the level and the clusters of systems.
    """
    if name not in _WITH_INTERVALS:
        return None
    if math.isnan(estimate.value):
        return UNDEFINED
    uncertainty.check_drawn()
    if isinstance(uncertainty.clusters, Clusters):
        uncertainty = replace(uncertainty, clusters=uncertainty.clusters.take(scores.order))
    if name == "pearson":
        return pearson_interval(scores.estimated, scores.true, estimate.value, uncertainty)
    if uncertainty.method == "bootstrap":
        return _resampled(name, scores, uncertainty)
    influences = np.zeros(1) if estimate.influences is None else estimate.influences
    bounds = (0.0, 1.0) if name == "pairwise_accuracy" else (-1.0, 1.0)
    values = estimate.value + np.nan_to_num(influences)
    found = mean_interval(values, uncertainty, bounds=bounds, weights=np.ones(values.size))
    return found._replace(low=min(found.low, estimate.value), high=max(found.high, estimate.value))


def _resampled(name: str, scores: PairedScores, uncertainty: Uncertainty) -> Interval:
    """Return the percentile interval of a correlation of drawn systems, or clusters of them."""
    numbers = np.arange(scores.size)
    if isinstance(uncertainty.clusters, Clusters):
        numbers = uncertainty.clusters.numbers
    once = np.ones(int(numbers.max()) + 1, np.int64)
    values = []
    for block in resampled_counts(once, **uncertainty.draws):
        for counts in block:
            rows = np.repeat(np.arange(scores.size), counts[numbers])
            drawn = PairedScores(scores.estimated[rows], scores.true[rows])
            values.append(CORRELATIONS[name](drawn).value)
    return resampled_interval(np.array(values), uncertainty.level)


def pearson_interval(
    first: Floats,
    second: Floats,
    value: float,
    uncertainty: Uncertainty,
    weights: Floats | None = None,
) -> Interval:
    """Return the interval of Pearson's correlation, with rows weighted at random.

    On scales of both standard deviations the unseen row of the lower end is off the line of perfect
    correlation, beside the means, by the largest distance of any row times 1 + 7 / units, since few
    rows do not show how far off rows may be. That of the upper end is on the line, as far from the
    means as any row.

    Args:
        first: shape (rows,).
        second: the same.
        value: the correlation.
        uncertainty: the level, the method and the clusters of rows.
        weights: above 0, shape (rows,); None if all are 1.

    >>> x = np.arange(8.0)
    >>> print(
    ...     "{:.2f} to {:.2f}".format(*pearson_interval(x, x + x % 3, 0.9, Uncertainty(0.95))[:2])
    ... )
    0.71 to 0.99
    """
    if math.isnan(value):
        return UNDEFINED
    w = np.ones(first.size) if weights is None else weights / rounded_sum(weights) * weights.size
    x, y = (_standardized(column, w) for column in (first, second))
    units = RowUnits.of_rows(_pearson_terms(x, y).T * w[:, np.newaxis], uncertainty.numbers)
    sign = -1.0 if value < 0 else 1.0
    apart = float(np.abs(y - sign * x).max()) * (1 + _UNSEEN / len(units)) / 2
    if apart < _ROUNDING:  # a perfect correlation: one deviation up in one column, down in another
        apart = 1.0
    far = max(float(np.abs(column).max()) for column in (x, y))
    candidates = _pearson_terms(
        np.array([apart, -apart, far, -far]), sign * np.array([-apart, apart, far, -far])
    )
    sizes = units.of_kinds()[:, 0]
    candidates *= float(units.counts @ (sizes * sizes)) / float(units.counts @ sizes)

    def measure(sums: Floats, _: object = None) -> dict[str, Floats]:
        rows, x, y, x_squares, y_squares, products = sums
        joint = products - x * y / rows
        return {"": joint / np.sqrt((x_squares - x * x / rows) * (y_squares - y * y / rows))}

    score = DrawnScore(value, candidates.T, (-1.0, 1.0))
    found = unit_intervals(units, {"": score}, measure, uncertainty, smooth=len(units))[""]
    return found._replace(low=max(found.low, -1.0), high=min(found.high, 1.0))


def _pearson_terms(x: Floats, y: Floats) -> Floats:
    return np.stack([np.ones(x.size), x, y, x * x, y * y, x * y])


def _standardized(column: Floats, weights: Floats) -> Floats:
    """Return the distances from the mean in standard deviations."""
    column = np.ldexp(column, -math.frexp(float(np.abs(column).max()))[1])
    column = column - rounded_sum(column * weights) / column.size
    deviation = math.sqrt(rounded_sum(np.square(column) * weights) / column.size)
    scaled: Floats = column / (deviation or 1.0)
    return scaled
