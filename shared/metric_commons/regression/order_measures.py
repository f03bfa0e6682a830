"""Medians and rank correlations of predicted numbers."""

import math
from bisect import bisect_left
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..statistics.arguments.arrays import Floats, Integers
from ..statistics.arithmetic.exact_sums import group_sums, root
from ..statistics.intervals.cluster_sums import Clusters
from ..statistics.intervals.methods import Uncertainty
from ..statistics.intervals.proportions import Interval
from ..statistics.resampling.ratio_distribution import RatioUnits, levels, probability_below

RANKS = {"spearman": "spearman", "kendall": "kendall_tau_b"}  # as `rank_correlations` has them
_ONE_DEVIATION = 0.6827  # the probability within one standard deviation of a normal distribution
_LARGEST_SUM = 2**62  # of products of ranks, in 64 bits


def median(values: Floats, weights: Floats | None) -> float:
    """The median; with weights, the value at which the cumulative weight reaches half of the total.

    If two values are in the middle, it is their mean.

    >>> median(np.array([1.0, 2.0, 4.0, 8.0]), None)
    3.0
    >>> median(np.array([1.0, 2.0, 4.0]), np.array([0.25, 0.25, 0.5]))
    3.0
    """
    if weights is None:
        # Selecting two positions takes longer than the maximum of the values below one.
        middle = values.size // 2
        selected = np.partition(values, middle)
        high = float(selected[middle])
        low = high if values.size % 2 else float(selected[:middle].max())
    else:
        order = np.lexsort([weights, values])
        cumulative = np.cumsum(weights[order])
        half = cumulative[-1] / 2
        positions = [int(cumulative.searchsorted(half, side)) for side in ("left", "right")]
        low, high = values[order][np.minimum(positions, values.size - 1)].tolist()
    return float(low + (high - low) / 2)


def median_interval(
    errors: Floats, weights: Floats | None, unseen: float, uncertainty: Uncertainty
) -> Interval:
    """Return the interval of a median error, with an unseen error of 0, or of this size.

    The median is at most t if rows with errors up to t have half of the random weight or more, so
    its distribution is that of a ratio of sums, and no weights are drawn.

    >>> errors = np.arange(1.0, 12.0)
    >>> median_interval(errors, None, 16.5, Uncertainty(0.95))[:2]
    (2.0, 10.0)
    """
    sizes = np.ones(errors.size) if weights is None else weights
    clusters = uncertainty.clusters
    ascending = np.append(np.unique(errors), unseen)

    def totals(column: Floats) -> Floats:
        if isinstance(clusters, Clusters):
            return group_sums(column, clusters.numbers, len(clusters))
        return column

    def quantile(level: float, below: float | None) -> float:
        """Return it with an unseen unit, of which this part has errors of at most t."""

        def reaches(error: float) -> bool:
            units = RatioUnits.of(totals(np.where(errors <= error, sizes, 0.0)), totals(sizes))
            size = units.unseen_size
            if below is not None:
                units = units.with_unseen(below * size, size)
            return probability_below(0.5, units) <= 1 - level

        position = bisect_left(ascending[:-1], True, key=reaches)
        return float(ascending[position])

    value = median(errors, weights)
    low, high = map(quantile, levels(uncertainty.level), (1.0, 0.0))
    if low == high:  # rows that are all alike say nothing about others
        high = unseen
    error = math.nan
    if totals(sizes).size > 1:
        below, above = (quantile(level, None) for level in levels(_ONE_DEVIATION))
        error = (above - below) / 2
    return Interval(min(low, value), max(high, value), "law", error)


def spearman(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Spearman's correlation of two columns; NaN for less than two rows, or if one is constant.

    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    0.5
    """
    if first.size < 2:
        return math.nan
    x, y = _centred_ranks(first), _centred_ranks(second)
    covariation, first_variation, second_variation = (
        _exact_product(a, b) for a, b in ((x, y), (x, x), (y, y))
    )
    if not (first_variation and second_variation):
        return math.nan
    square = Fraction(covariation * covariation, first_variation * second_variation)
    return math.copysign(min(root(square), 1.0), covariation)


def _centred_ranks(values: NDArray[Any]) -> Integers:
    """Twice the distance of each rank from their mean, an integer; tied values share a mean rank.

    >>> _centred_ranks(np.array([5.0, 7.0, 5.0])).tolist()
    [-1, 2, -1]
    """
    order = np.argsort(values)
    ascending = values[order]
    is_first = np.append(True, ascending[1:] != ascending[:-1])
    ranks = np.empty(values.size, np.int64)
    if is_first.all():
        ranks[order] = np.arange(1 - values.size, values.size, 2)
        return ranks
    starts = np.flatnonzero(is_first)
    ends = np.append(starts[1:], values.size)
    ranks[order] = np.repeat(starts + ends - values.size, ends - starts)
    return ranks


def _exact_product(first: Integers, second: Integers) -> int:
    """Return the sum of products of centred ranks."""
    rows = max(1, _LARGEST_SUM // first.size**2)
    starts = range(0, first.size, rows)
    return sum(int(np.dot(first[i : i + rows], second[i : i + rows])) for i in starts)


def kendall(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Kendall's tau-b of two columns; NaN for less than two rows, or if one is constant.

    >>> kendall(np.array([1, 2, 3]), np.array([1, 3, 2])).__round__(4)
    0.3333
    """
    from scipy.stats import kendalltau

    if first.size < 2:
        return math.nan
    return float(kendalltau(first, second, nan_policy="propagate").statistic)
