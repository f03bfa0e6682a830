"""Correlations of the order of systems by two scores: tau, AP correlation, Spearman and others.

Systems are the units. An interval of tau, of the pairwise accuracy and of Spearman's correlation
follows from the influence of each system, and is about other systems like these. Pairs are counted
in n log n steps.

Source:
    Kendall, A new measure of rank correlation (1938). Yilmaz, Aslam and Robertson, A new rank
    correlation coefficient for information retrieval (2008). Urbano and Marrero, The treatment of
    ties in AP correlation (2017). Vigna, A weighted correlation index for rankings with ties
    (2015).
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..arguments.arrays import Floats, Integers
from ..arguments.checks import OptionError
from ..arithmetic.exact_sums import rounded_sum
from ..resampling.row_units import RowUnits, cluster_values, resampled_counts
from .cluster_sums import Clusters
from .intervals import mean_interval, resampled_interval
from .methods import Uncertainty
from .proportions import Interval
from .weighted_units import DrawnScore, extremes, resampled_intervals, smooth_distributions

_WHOLE = 1_500_000  # rows up to which sums of squared ranks are 64-bit integers
_UNSEEN = 7.0  # units
_ROUNDING = 1e-12
_WITH_INTERVALS = ("kendall_tau_a", "kendall_tau_b", "pairwise_accuracy", "spearman", "pearson")


class Neighbours(NamedTuple):
    """For each system, the systems above it by one score, and by both scores."""

    higher: Integers
    tied: Integers
    better_above: Integers
    better_tied: Integers


class PairedScores:
    """Two scores of the same systems, and counts of pairs.

    Args:
        estimated: shape (systems,).
        true: shape (systems,).

    >>> scores = PairedScores(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0]))
    >>> scores.agreement.tolist()  # from the lowest: pairs in the same minus in opposite order
    [0, 0, 2]
    """

    def __init__(self, estimated: Floats, true: Floats) -> None:
        # In this order, sums have the same bits for any order of rows.
        self.order = np.lexsort((true, estimated))
        self.estimated, self.true = estimated[self.order], true[self.order]
        self.size = self.order.size
        first, second = self._below(), self._below(swapped=True)
        # Earlier systems have a lower or an equal estimated score: count those with a lower true
        # score, less those with an equal estimated score.
        both_below = smaller_before(self.true) - first.tied_and_below
        self._below_of = first, second
        first_below = first.below - both_below - second.tied_and_below
        second_below = second.below - both_below - first.tied_and_below
        either_tied = first.tied + second.tied - first.equal
        self._both_above = self.size - either_tied - both_below - first_below - second_below
        self.agreement = both_below + self._both_above - first_below - second_below
        self.estimated_pairs = self.size - first.tied
        self.true_pairs = self.size - second.tied

    def neighbours(self, *, by_true: bool = False) -> Neighbours:
        """Return the systems above each system by the estimated, or the true, score."""
        counts = self._below_of[by_true]
        return Neighbours(
            self.size - counts.below - counts.tied,
            counts.tied - 1,
            self._both_above,
            counts.tied - counts.equal - counts.tied_and_below,
        )

    def _below(self, *, swapped: bool = False) -> "_Below":
        scores = (self.estimated, self.true)
        first, second = scores[::-1] if swapped else scores
        order = np.lexsort((second, first)) if swapped else np.arange(self.size)
        first, second = first[order], second[order]
        is_new = np.ones(self.size, bool)
        is_new[1:] = first[1:] != first[:-1]
        starts, sizes = _groups(is_new)
        is_new[1:] |= second[1:] != second[:-1]
        pair_starts, pair_sizes = _groups(is_new)
        counts = _Below(*(np.empty(self.size, np.int64) for _ in range(4)))
        columns = starts, sizes, pair_starts - starts, pair_sizes
        for target, values in zip(counts, columns, strict=True):
            target[order] = values
        return counts


class _Below(NamedTuple):
    """For each system, numbers of systems by the first score, and by both."""

    below: Integers  # with a lower first score
    tied: Integers  # with the same first score, itself included
    tied_and_below: Integers  # with the same first score, and a lower second one
    equal: Integers  # with the same scores, itself included


def _groups(is_new: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> tuple[Integers, Integers]:
    """Return the start and the size of the group of each position."""
    starts = np.flatnonzero(is_new)
    sizes = np.diff(starts, append=is_new.size)
    return np.repeat(starts, sizes), np.repeat(sizes, sizes)


def smaller_before(values: Floats) -> Integers:
    """Return the number of smaller values before each value.

    Positions, in the order of values, are split by their bits, from the highest to the lowest. Of
    two positions with the same higher bits, the one whose bit is 0 comes first; so each position
    with a 1 counts the smaller values among those with a 0 in its block.

    >>> smaller_before(np.array([2.0, 1.0, 2.0, 3.0])).tolist()
    [0, 0, 1, 3]
    """
    size = values.size
    counts = np.zeros(size, np.int64)
    indices = np.arange(size)
    # The last of equal values comes first, so that none counts another.
    positions = np.lexsort((-indices, values))
    for bit in reversed(range(size.bit_length())):
        is_right = (positions >> bit & 1).astype(bool)
        starts = positions >> bit + 1 << bit + 1  # of blocks, which cover all positions up to size
        lefts = np.cumsum(~is_right) - (starts >> 1)  # in the block, up to here
        counts[positions[is_right]] += lefts[is_right]
        lefts_of_block = np.minimum(1 << bit, size - starts)
        rights = indices - starts - lefts
        targets = starts + np.where(is_right, lefts_of_block + rights, lefts - 1)
        split = np.empty_like(positions)
        split[targets] = positions
        positions = split
    return counts


class Estimate(NamedTuple):
    """A correlation, and the influence of each system; None if it has no interval from them."""

    value: float
    influences: Floats | None = None


def kendall_tau_a(scores: PairedScores) -> Estimate:
    """Return Kendall's tau a: the mean over all pairs, where tied ones count 0.

    >>> kendall_tau_a(PairedScores(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 2.0]))).value
    0.6666666666666666
    """
    opponents = scores.size - 1
    value = int(scores.agreement.sum()) / (scores.size * opponents)
    return Estimate(value, 2 * (scores.agreement / opponents - value))


def kendall_tau_b(scores: PairedScores) -> Estimate:
    """Return Kendall's tau b, divided by the pairs that are not tied; NaN if a score is constant.

    >>> round(
    ...     kendall_tau_b(PairedScores(np.array([1.0, 2.0, 3.0]), np.ones(3) * [1, 1, 2])).value, 6
    ... )
    0.816497
    """
    estimated, true = int(scores.estimated_pairs.sum()), int(scores.true_pairs.sum())
    if not estimated or not true:
        return Estimate(math.nan)
    value = int(scores.agreement.sum()) / math.sqrt(estimated * true)
    shares = scores.agreement / math.sqrt(estimated * true)
    ties = scores.estimated_pairs / estimated + scores.true_pairs / true
    return Estimate(value, 2 * scores.size * (shares - value * ties / 2))


def pairwise_accuracy(scores: PairedScores) -> Estimate:
    """Return the proportion of the pairs ordered by the true scores that are ordered alike.

    Ties are half.

    >>> pairwise_accuracy(PairedScores(np.array([1.0, 1.0, 3.0]), np.array([1.0, 2.0, 3.0]))).value
    0.8333333333333333
    """
    pairs = int(scores.true_pairs.sum())
    if not pairs:
        return Estimate(math.nan)
    balance = int(scores.agreement.sum()) / pairs
    influences = scores.size * (scores.agreement - balance * scores.true_pairs) / pairs
    return Estimate((balance + 1) / 2, influences)


def tau_ap_a(scores: PairedScores) -> Estimate:
    """AP correlation from the top of the estimated ranking; the mean over all orders of tied ones.

    NaN if true scores are tied, for which it is not defined.

    >>> tau_ap_a(PairedScores(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0]))).value
    0.5
    """
    if int(scores.true_pairs.sum()) < scores.size * (scores.size - 1):
        return Estimate(math.nan)
    higher, tied, better_above, better_tied = scores.neighbours()
    # With j of its k ties above it, each j equally likely, a system is compared with a + j others:
    # a share a / (a + j) of them has higher scores, and the rest are ties.
    places = np.arange(scores.size)[::-1]
    shares = np.divide(higher, places, out=np.ones(scores.size), where=places > 0)
    starts = np.flatnonzero(np.diff(higher, prepend=-1))
    strictly_above = np.repeat(np.add.reduceat(shares, starts), tied[starts] + 1)
    terms = _ratios(better_above, higher) * strictly_above
    terms += _ratios(better_tied, tied) * (tied + 1 - strictly_above)
    return Estimate(2 * math.fsum((terms / (tied + 1)).tolist()) / (scores.size - 1) - 1)


def _ratios(numerators: Integers, denominators: Integers) -> Floats:
    """Return the ratios, 0 where the denominator is 0."""
    zeros = np.zeros(numerators.size)
    return np.divide(numerators, denominators, out=zeros, where=denominators > 0)


def tau_ap_b(scores: PairedScores) -> Estimate:
    """Return AP correlation with ties: each system is compared with those above its group.

    It is the mean of both directions, from the top of the estimated and of the true ranking. NaN if
    a score is constant.

    >>> tau_ap_b(PairedScores(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0]))).value
    0.5
    """
    if not scores.estimated_pairs.any() or not scores.true_pairs.any():
        return Estimate(math.nan)
    directions = []
    for neighbours in (scores.neighbours(), scores.neighbours(by_true=True)):
        below_others = neighbours.higher > 0
        shares = neighbours.better_above[below_others] / neighbours.higher[below_others]
        directions.append(2 * math.fsum(shares.tolist()) / shares.size - 1)
    return Estimate(math.fsum(directions) / 2)


def spearman(scores: PairedScores) -> Estimate:
    """Return Spearman's correlation: Pearson's of the ranks.

    >>> spearman(PairedScores(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))).value
    0.5
    """
    size = scores.size
    first, second = _doubled_ranks(scores.estimated), _doubled_ranks(scores.true)
    # Pearson's correlation, from the sums of products and squares.
    square = size * (size + 1) ** 2  # of the sum, divided by the size
    squares = int(first @ first) - square, int(second @ second) - square
    if not all(squares):
        return Estimate(math.nan)
    value = (int(first @ second) - square) / math.sqrt(squares[0] * squares[1])
    # The influence of a system on the correlation of its own ranks, and by the ranks of others,
    # which it moves by the signs of their differences.
    scales = [math.sqrt(total / size) for total in squares]
    x, y = (
        (ranks - (size + 1)) / scale for ranks, scale in zip((first, second), scales, strict=True)
    )
    influences = x * y - value * (x * x + y * y) / 2
    for scores_of, scale, own, other in (
        (scores.estimated, scales[0], x, y),
        (scores.true, scales[1], y, x),
    ):
        influences += _above(scores_of, other - value * own) / scale
    return Estimate(value, influences - math.fsum(influences.tolist()) / size)


def _above(values: Floats, amounts: Floats) -> Floats:
    """Return twice the amounts of greater values and those of equal ones, for each value.

    >>> _above(np.array([1.0, 2.0, 2.0]), np.array([10.0, 3.0, 4.0])).tolist()
    [24.0, 7.0, 7.0]
    """
    order = np.argsort(values, kind="stable")
    ordered, sums = values[order], np.append(0.0, np.cumsum(amounts[order]))
    left, right = (sums[ordered.searchsorted(values, side=side)] for side in ("left", "right"))
    return np.asarray(2 * (sums[-1] - right) + (right - left))


def _doubled_ranks(values: Floats) -> Integers:
    """Return twice the average ranks, from the smallest value, which are whole numbers.

    >>> _doubled_ranks(np.array([5.0, 1.0, 5.0])).tolist()
    [5, 2, 5]
    """
    ordered = np.sort(values)
    left, right = (ordered.searchsorted(values, side=side) for side in ("left", "right"))
    return (left + right + 1).astype(np.int64 if values.size <= _WHOLE else np.float64)


def pearson(scores: PairedScores) -> Estimate:
    """Return Pearson's correlation; NaN if a score is constant.

    >>> pearson(PairedScores(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]))).value
    1.0
    """
    if not scores.estimated_pairs.any() or not scores.true_pairs.any():
        return Estimate(math.nan)
    # Divided by powers of two, which rounds nothing, squares do not overflow.
    x, y = (
        _centered(np.ldexp(values, -math.frexp(float(np.abs(values).max()))[1]))
        for values in (scores.estimated, scores.true)
    )
    product, first, second = (math.fsum((a * b).tolist()) for a, b in ((x, y), (x, x), (y, y)))
    if not first or not second:
        return Estimate(math.nan)
    return Estimate(min(1.0, max(-1.0, product / math.sqrt(first * second))))


def _centered(values: Floats) -> Floats:
    """Return the distances from the mean, times the number of values.

    Of whole numbers they are whole. From the smallest value, an offset costs no digits.
    """
    values = values - values.min()
    return values.size * values - math.fsum(values.tolist())


def weighted_tau(scores: PairedScores) -> Estimate:
    """Return Vigna's weighted tau with hyperbolic weights, as in SciPy: the top counts most.

    >>> round(
    ...     weighted_tau(PairedScores(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0]))).value,
    ...     4,
    ... )
    0.5455
    """
    from scipy.stats import weightedtau

    return Estimate(float(weightedtau(scores.estimated, scores.true).statistic))


CORRELATIONS: dict[str, Callable[[PairedScores], Estimate]] = {
    "kendall_tau_a": kendall_tau_a,
    "kendall_tau_b": kendall_tau_b,
    "pairwise_accuracy": pairwise_accuracy,
    "tau_ap_a": tau_ap_a,
    "tau_ap_b": tau_ap_b,
    "spearman": spearman,
    "pearson": pearson,
    "weightedtau": weighted_tau,
}


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
        return Interval(math.nan, math.nan, "law", math.nan)
    if uncertainty.method not in ("auto", "bootstrap"):
        raise OptionError("method", f"{uncertainty.method!r} is for means of rows; take 'auto'")
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
        return Interval(math.nan, math.nan, "law", math.nan)
    w = np.ones(first.size) if weights is None else weights / rounded_sum(weights) * weights.size
    x, y = (_standardized(column, w) for column in (first, second))
    clusters = uncertainty.clusters
    numbers = clusters.numbers if isinstance(clusters, Clusters) else None
    units = cluster_values(_pearson_terms(x, y).T * w[:, np.newaxis], numbers)
    sign = -1.0 if value < 0 else 1.0
    apart = float(np.abs(y - sign * x).max()) * (1 + _UNSEEN / len(units)) / 2
    if (
        apart < _ROUNDING
    ):  # a perfect correlation: one deviation up in one column, down in the other
        apart = 1.0
    far = max(float(np.abs(column).max()) for column in (x, y))
    candidates = _pearson_terms(
        np.array([apart, -apart, far, -far]), sign * np.array([-apart, apart, far, -far])
    )
    sizes = units[:, 0]
    candidates *= rounded_sum(sizes * sizes) / rounded_sum(sizes)

    def measure(sums: Floats, _: object = None) -> dict[str, Floats]:
        rows, x, y, x_squares, y_squares, products = sums
        joint = products - x * y / rows
        return {"": joint / np.sqrt((x_squares - x * x / rows) * (y_squares - y * y / rows))}

    level, draws = uncertainty.level, uncertainty.draws
    if uncertainty.method == "bootstrap":
        kinds = RowUnits.of_rows(units)
        found = resampled_intervals(kinds, [""], measure, confidence_level=level, **draws)[""]
        return found._replace(low=max(found.low, -1.0), high=min(found.high, 1.0))
    total = np.array([*map(rounded_sum, units.T)])
    with np.errstate(all="ignore"):
        of_candidates = measure(total[:, np.newaxis] + candidates)[""]
    score = DrawnScore(value, *extremes(of_candidates, candidates.T), (-1.0, 1.0))
    return smooth_distributions(units, {"": score}, measure, **draws)[""].interval(level)


def _pearson_terms(x: Floats, y: Floats) -> Floats:
    return np.stack([np.ones(x.size), x, y, x * x, y * y, x * y])


def _standardized(column: Floats, weights: Floats) -> Floats:
    """Return the distances from the mean in standard deviations."""
    column = np.ldexp(column, -math.frexp(float(np.abs(column).max()))[1])
    column = column - rounded_sum(column * weights) / column.size
    deviation = math.sqrt(rounded_sum(np.square(column) * weights) / column.size)
    scaled: Floats = column / (deviation or 1.0)
    return scaled
