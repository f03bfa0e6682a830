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
from typing import NamedTuple

import numpy as np

from ..arguments.arrays import Floats, Integers
from .estimates import influence_interval
from .intervals import critical_value
from .proportions import Interval

_WHOLE = 1_500_000  # rows up to which sums of squared ranks are 64-bit integers
FEWEST_SYSTEMS = 6  # that have intervals


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
    """Return Spearman's correlation: Pearson's of the ranks; influences are from the jackknife.

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
    if size < 3:
        return Estimate(value)
    products, firsts, seconds = (
        column - float((size - 1) * size**2) for column in _sums_without_each(scores, first, second)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        jackknife = products / np.sqrt(firsts * seconds)
    return Estimate(value, (size - 1) * (math.fsum(jackknife.tolist()) / size - jackknife))


def _sums_without_each(
    scores: PairedScores, first: Integers, second: Integers
) -> tuple[Floats, Floats, Floats]:
    """Return the sums of products and squares of doubled ranks without each system in turn.

    Without a system all ranks above it fall by 2, and those tied with it by 1: by 1 + s, with the
    sign s of the difference of scores. So the products (x - 1 - s) (y - 1 - t) of the others add up
    to sums of ranks above and beside the system; the signs s t add up to its agreement.
    """
    sides = (scores.neighbours(), scores.neighbours(by_true=True))
    # Of both scores for each system: the sum of 1 + s, and of its square, over the others.
    falls = [2 * side.higher + side.tied for side in sides]
    squared_falls = [4 * side.higher + side.tied for side in sides]
    columns = (scores.estimated, scores.true)
    ranks = (first, second)

    def products(a: int, b: int) -> Floats:
        """Return sums for the ranks of two scores, or of one score twice."""
        if a == b:
            of_falls = squared_falls[a]
        else:
            signs = [fall - (scores.size - 1) for fall in falls]
            of_falls = scores.size - 1 + signs[0] + signs[1] + scores.agreement
        fallen = _fallen(columns[b], ranks[a]) + _fallen(columns[a], ranks[b])
        total = int(ranks[a] @ ranks[b])
        sums: Floats = (total - (ranks[a] * ranks[b] + fallen - of_falls)).astype(np.float64)
        return sums

    return products(0, 1), products(0, 0), products(1, 1)


def _fallen(values: Floats, ranks: Integers) -> Integers:
    """The sums, for each value, of the ranks of equal values and of twice those of greater ones.

    >>> _fallen(np.array([1.0, 2.0, 2.0]), np.array([10, 3, 4])).tolist()
    [14, 4, 3]
    """
    order = np.argsort(values, kind="stable")
    ordered, sums = values[order], np.append(0, np.cumsum(ranks[order]))
    left, right = (sums[ordered.searchsorted(values, side=side)] for side in ("left", "right"))
    result: Integers = 2 * (sums[-1] - right) + (right - left) - ranks
    return result


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
    name: str,
    estimate: Estimate,
    systems: int,
    confidence_level: float,
    clusters: Integers | None = None,
) -> Interval | None:
    """Return the interval of a correlation.

    Its ends are NaN for too few systems. None if it has none.

    Args:
        name: a key of `CORRELATIONS`.
        estimate: its value.
        systems: the number of rows.
        confidence_level: strictly between 0 and 1.
        clusters: the number of the cluster of each row, in the order of influences.
    """
    if name in ("tau_ap_a", "tau_ap_b", "weightedtau"):
        return None
    method = "fisher_z" if name == "pearson" else "unseen_row"
    undefined = Interval(math.nan, math.nan, method, math.nan, None)
    if name == "pearson":
        if systems < 4 or math.isnan(estimate.value):
            return undefined
        if abs(estimate.value) == 1:
            return undefined._replace(low=estimate.value, high=estimate.value, standard_error=0.0)
        center = math.atanh(estimate.value)
        error = 1 / math.sqrt(systems - 3)
        reach = critical_value(confidence_level, math.inf) * error
        low, high = math.tanh(center - reach), math.tanh(center + reach)
        slope = 1 - estimate.value**2  # of the correlation by its z
        return Interval(low, high, method, slope * error, None)
    influences = estimate.influences
    if systems < FEWEST_SYSTEMS or influences is None or not np.isfinite(influences).all():
        return undefined
    bounds = (0.0, 1.0) if name == "pairwise_accuracy" else (-1.0, 1.0)
    return influence_interval(
        estimate.value,
        influences,
        clusters=clusters,
        confidence_level=confidence_level,
        unseen=bounds,
        bounds=bounds,
    )
