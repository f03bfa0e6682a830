"""Order statistics: medians and rank correlations, which cannot be computed from sums of rows."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..statistics.arguments.arrays import Floats, Integers
from ..statistics.arithmetic.exact_sums import root

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


def resampled_medians(values: Floats, weights: Floats) -> Floats:
    """Return the weighted median of the same values for each row of weights, as `median`.

    >>> resampled_medians(np.array([1.0, 2.0, 4.0]), np.array([[1.0, 1.0, 1.0], [2.0, 0.0, 2.0]]))
    array([2. , 2.5])
    """
    order = np.argsort(values, kind="stable")
    ascending, cumulative = values[order], np.cumsum(weights[:, order], axis=1)
    half = cumulative[:, -1:] / 2
    last = values.size - 1
    low = ascending[np.minimum((cumulative < half).sum(axis=1), last)]
    high = ascending[np.minimum((cumulative <= half).sum(axis=1), last)]
    return np.asarray(low + (high - low) / 2)


def resampled_spearman(first: NDArray[Any], second: NDArray[Any], weights: Floats) -> Floats:
    """Return Spearman's correlation of the same rows for each row of weights.

    NaN where a column is constant.

    >>> rows = np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])
    >>> resampled_spearman(*rows, np.array([[1.0, 1.0, 1.0], [2.0, 0.0, 0.0]]))
    array([0.5, nan])
    """
    x, y = (_weighted_ranks(column, weights) for column in (first, second))
    product, x_squared, y_squared = (
        (weights * a * b).sum(axis=1) for a, b in ((x, y), (x, x), (y, y))
    )
    spread = np.sqrt(x_squared) * np.sqrt(y_squared)
    undefined = np.full(len(weights), math.nan)
    correlations: Floats = np.divide(product, spread, out=undefined, where=spread > 0)
    return np.clip(correlations, -1.0, 1.0)


def _weighted_ranks(values: NDArray[Any], weights: Floats) -> Floats:
    """Return twice the distance of each mean rank from the middle, as (draws, rows)."""
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    starts = np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1]))
    masses = np.add.reduceat(weights[:, order], starts, axis=1)
    cumulative = np.cumsum(masses, axis=1)
    ranks = np.empty(weights.shape)
    ranks[:, order] = np.repeat(
        2 * cumulative - masses - cumulative[:, -1:], np.diff(starts, append=values.size), axis=1
    )
    return ranks
