"""Correlations of the order of systems by two scores: tau, AP correlation, Spearman and others.

Systems are the units. Pairs are counted in n log n steps.

Source:
    Kendall, A new measure of rank correlation (1938). Yilmaz, Aslam and Robertson, A new rank
    correlation coefficient for information retrieval (2008). Urbano and Marrero, The treatment of
    ties in AP correlation (2017). Vigna, A weighted correlation index for rankings with ties
    (2015).
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arguments.arrays import Floats, Integers

_WHOLE = 1_500_000  # rows up to which sums of squared ranks are 64-bit integers


class Neighbours(NamedTuple):
    """For each system, the systems above it by one score, and by both scores."""

    higher: Integers
    tied: Integers
    better_above: Integers
    better_tied: Integers


class Places(NamedTuple):
    """For each system, numbers of systems by the first score, and by both."""

    below: Integers  # with a lower first score
    tied: Integers  # with the same first score, itself included
    tied_and_below: Integers  # with the same first score, and a lower second one
    equal: Integers  # with the same scores, itself included

    @classmethod
    def of(cls, first: Integers, second: Integers) -> "Places":
        """Return the places of systems by the ranks of two scores."""
        pairs = first * first.size + second
        counts = [
            np.sort(column).searchsorted(column, side)
            for column in (first, pairs)
            for side in ("left", "right")
        ]
        below, upto, pairs_below, pairs_upto = counts
        return cls(below, upto - below, pairs_below - below, pairs_upto - pairs_below)


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
        ranks, true_ranks = (
            np.unique(column, return_inverse=True)[1] for column in (self.estimated, self.true)
        )
        self.by_estimated = first = Places.of(ranks, true_ranks)
        self.by_true = second = Places.of(true_ranks, ranks)
        # Earlier systems have a lower or an equal estimated score: count those with a lower true
        # score, less those with an equal estimated score.
        both_below = smaller_before(true_ranks) - first.tied_and_below
        first_below = first.below - both_below - second.tied_and_below
        second_below = second.below - both_below - first.tied_and_below
        either_tied = first.tied + second.tied - first.equal
        self._both_above = self.size - either_tied - both_below - first_below - second_below
        self.agreement = both_below + self._both_above - first_below - second_below
        self.estimated_pairs = self.size - first.tied
        self.true_pairs = self.size - second.tied

    def neighbours(self, counts: Places) -> Neighbours:
        """Return the systems above each system by the score of these places."""
        return Neighbours(
            self.size - counts.below - counts.tied,
            counts.tied - 1,
            self._both_above,
            counts.tied - counts.equal - counts.tied_and_below,
        )


def smaller_before(values: Integers) -> Integers:
    """Return the number of smaller values before each value, from 0 to the number of values.

    In blocks of two halves, twice as long each time, the second half counts the smaller values of
    the first.

    >>> smaller_before(np.array([1, 0, 1, 2])).tolist()
    [0, 0, 1, 3]
    """
    counts, rows = np.zeros(values.size, np.int64), np.arange(values.size)
    half = 1
    while half < values.size:
        blocks = rows // (2 * half)
        keys = blocks * (values.size + 1) + values
        is_second = (rows // half) % 2 == 1
        firsts = np.sort(keys[~is_second])
        # All values in earlier blocks are smaller, too
        counts[is_second] += firsts.searchsorted(keys[is_second]) - blocks[is_second] * half
        half *= 2
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
    higher, tied, better_above, better_tied = scores.neighbours(scores.by_estimated)
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
    for neighbours in map(scores.neighbours, (scores.by_estimated, scores.by_true)):
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
    kind = np.int64 if size <= _WHOLE else np.float64
    first, second = (  # twice the average ranks, which are whole numbers
        (2 * places.below + places.tied + 1).astype(kind)
        for places in (scores.by_estimated, scores.by_true)
    )
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
        np.asarray((ranks - (size + 1)) / scale, np.float64)
        for ranks, scale in zip((first, second), scales, strict=True)
    )
    influences = x * y - value * (x * x + y * y) / 2
    influences += _above(scores.by_estimated, y - value * x) / scales[0]
    influences += _above(scores.by_true, x - value * y) / scales[1]
    return Estimate(value, influences - math.fsum(influences.tolist()) / size)


def _above(places: Places, amounts: Floats) -> Floats:
    """Return twice the amounts of greater values and those of equal ones, for each system."""
    sums = np.append(0.0, np.cumsum(amounts[np.argsort(places.below, kind="stable")]))
    below, upto = sums[places.below], sums[places.below + places.tied]
    return np.asarray(2 * (sums[-1] - upto) + (upto - below))


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
