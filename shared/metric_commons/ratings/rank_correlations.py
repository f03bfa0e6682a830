"""How far two scores order the same systems alike: tau, AP correlation, Spearman and others.

Systems are the units. An interval of tau, of the pairwise accuracy and of Spearman's correlation
follows from the influence of each system, and speaks of other systems like these.

Source:
    Kendall, A new measure of rank correlation (1938). Yilmaz, Aslam and Robertson, A new rank
    correlation coefficient for information retrieval (2008). Urbano and Marrero, The treatment of
    ties in AP correlation (2017). Vigna, A weighted correlation index for rankings with ties
    (2015).
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ..numbers.arrays import Floats, Integers
from ..statistics.estimates import influence_interval, influence_spread
from ..statistics.intervals import critical_value
from ..statistics.proportions import Interval

FEWEST_SYSTEMS = 6  # that have intervals
_CELLS = 1 << 20  # pairs of systems at a time


class Estimate(NamedTuple):
    """A correlation, and the influence of each system; None if it has no interval from them."""

    value: float
    influences: Floats | None = None


class PairedScores:
    """Two scores of the same systems, and counts of pairs that both are made of.

    Args:
        estimated: shape (systems,).
        true: shape (systems,).

    >>> scores = PairedScores(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0]))
    >>> scores.agreement.tolist()  # from the lowest: pairs in the same minus in opposite order
    [0, 0, 2]
    """

    def __init__(self, estimated: Floats, true: Floats) -> None:
        # In an order that rows do not decide, sums have the same bits for any order of rows.
        order = np.lexsort((true, estimated))
        self.estimated, self.true = estimated[order], true[order]
        self.size = order.size
        self.agreement, self.estimated_pairs, self.true_pairs = (
            np.zeros(self.size, np.int64) for _ in range(3)
        )
        for rows in self.blocks():
            first, second = (
                np.sign(values[rows, None] - values).astype(np.int8)
                for values in (self.estimated, self.true)
            )
            self.agreement[rows] = (first * second).sum(axis=1, dtype=np.int64)
            self.estimated_pairs[rows] = np.count_nonzero(first, axis=1)
            self.true_pairs[rows] = np.count_nonzero(second, axis=1)

    def blocks(self) -> Iterator[slice]:
        """Systems, a block at a time, each of which is paired with all others."""
        step = max(1, _CELLS // self.size)
        return (slice(start, start + step) for start in range(0, self.size, step))


def kendall_tau_a(scores: PairedScores) -> Estimate:
    """Kendall's tau a: the mean over all pairs, of which tied ones count 0.

    >>> kendall_tau_a(PairedScores(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 2.0]))).value
    0.6666666666666666
    """
    opponents = scores.size - 1
    value = int(scores.agreement.sum()) / (scores.size * opponents)
    return Estimate(value, 2 * (scores.agreement / opponents - value))


def kendall_tau_b(scores: PairedScores) -> Estimate:
    """Kendall's tau b, divided by the pairs that are not tied; NaN if a score is constant.

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
    """The proportion of the pairs ordered by the true scores that are ordered alike; ties are half.

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
    higher, tied, better_above, better_tied = _better(scores.estimated, scores, scores.true)
    # With j of its k ties above it, each j equally likely, a system is compared with a + j systems,
    # of which c + t j / k are better. Sums over j are differences of harmonic numbers.
    harmonic = np.append(0.0, np.cumsum(1 / np.arange(1, scores.size + 1)))
    inverse = harmonic[higher + tied] - harmonic[np.maximum(higher - 1, 0)]
    fractions = np.where(higher > 0, tied + 1 - higher * inverse, tied)
    share = np.divide(better_tied, tied, out=np.zeros(scores.size), where=tied > 0)
    terms = (better_above * inverse * (higher > 0) + share * fractions) / (tied + 1)
    return Estimate(2 * math.fsum(terms.tolist()) / (scores.size - 1) - 1)


def tau_ap_b(scores: PairedScores) -> Estimate:
    """AP correlation with ties: each system is compared with those above its group.

    It is the mean of both directions, from the top of the estimated and of the true ranking. NaN if
    a score is constant.

    >>> tau_ap_b(PairedScores(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0]))).value
    0.5
    """
    if not scores.estimated_pairs.any() or not scores.true_pairs.any():
        return Estimate(math.nan)
    directions = ((scores.estimated, scores.true), (scores.true, scores.estimated))
    return Estimate(math.fsum(_tau_ap_of(scores, *pair) for pair in directions) / 2)


def _tau_ap_of(scores: PairedScores, walked: Floats, second: Floats) -> float:
    higher, _, better, _ = _better(walked, scores, second)
    below_others = higher > 0
    shares = better[below_others] / higher[below_others]
    return 2 * math.fsum(shares.tolist()) / shares.size - 1


def _better(
    walked: Floats, scores: PairedScores, second: Floats
) -> tuple[Integers, Integers, Integers, Integers]:
    """For each system, how many are above it and tied with it, and how many of these are better."""
    higher, tied, better_above, better_tied = (np.zeros(scores.size, np.int64) for _ in range(4))
    for rows in scores.blocks():
        is_above = walked > walked[rows, None]
        is_tied = walked == walked[rows, None]
        is_better = second > second[rows, None]
        higher[rows], tied[rows] = is_above.sum(axis=1), is_tied.sum(axis=1) - 1
        better_above[rows] = (is_above & is_better).sum(axis=1)
        better_tied[rows] = (is_tied & is_better).sum(axis=1)
    return higher, tied, better_above, better_tied


def spearman(scores: PairedScores) -> Estimate:
    """Spearman's correlation: Pearson's of the ranks; influences are those of the jackknife.

    >>> spearman(PairedScores(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))).value
    0.5
    """
    size = scores.size
    first, second = _doubled_ranks(scores.estimated), _doubled_ranks(scores.true)
    value = _rank_correlation(size, int(first @ second), int(first @ first), int(second @ second))
    if math.isnan(value) or size < 3:
        return Estimate(value)
    jackknife = []
    for rows in scores.blocks():
        # The ranks of all others without one system: lower by 1 above it, by 1/2 beside it.
        remaining_ranks = [
            ranks - (1 + np.sign(values - values[rows, None])).astype(np.int64)
            for ranks, values in ((first, scores.estimated), (second, scores.true))
        ]
        for offset, number in enumerate(range(size)[rows]):
            for ranks in remaining_ranks:
                ranks[offset, number] = 0
        x, y = remaining_ranks
        products = ((x * y).sum(axis=1), (x * x).sum(axis=1), (y * y).sum(axis=1))
        columns = zip(*(column.tolist() for column in products), strict=True)
        jackknife += [_rank_correlation(size - 1, *sums) for sums in columns]
    mean = math.fsum(jackknife) / size
    return Estimate(value, (size - 1) * (mean - np.array(jackknife)))


def _doubled_ranks(values: Floats) -> Integers:
    """Twice the average ranks, from the least value on, which are whole numbers.

    >>> _doubled_ranks(np.array([5.0, 1.0, 5.0])).tolist()
    [5, 2, 5]
    """
    ordered = np.sort(values)
    left, right = (ordered.searchsorted(values, side=side) for side in ("left", "right"))
    return (left + right + 1).astype(np.int64)


def _rank_correlation(size: int, product: int, first: int, second: int) -> float:
    """Pearson's correlation of doubled ranks, from the sums of their products and squares."""
    square = size * (size + 1) ** 2  # of the sum, divided by the size
    if first == square or second == square:
        return math.nan
    return (product - square) / math.sqrt((first - square) * (second - square))


def pearson(scores: PairedScores) -> Estimate:
    """Pearson's correlation; NaN if a score is constant.

    >>> pearson(PairedScores(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]))).value
    1.0
    """
    if not scores.estimated_pairs.any() or not scores.true_pairs.any():
        return Estimate(math.nan)
    # Divided by powers of two, which rounds nothing, squares do not overflow.
    x, y = (
        _centered(values / 2.0 ** math.frexp(float(np.abs(values).max()))[1])
        for values in (scores.estimated, scores.true)
    )
    product, first, second = (math.fsum((a * b).tolist()) for a, b in ((x, y), (x, x), (y, y)))
    if not first or not second:
        return Estimate(math.nan)
    return Estimate(min(1.0, max(-1.0, product / math.sqrt(first * second))))


def _centered(values: Floats) -> Floats:
    """The distances from the mean; the second round takes away the rounding of the first."""
    for _ in range(2):
        values = values - math.fsum(values.tolist()) / values.size
    return values


def weighted_tau(scores: PairedScores) -> Estimate:
    """Vigna's weighted tau with hyperbolic weights, as in SciPy: the top counts most.

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
    name: str, estimate: Estimate, systems: int, confidence_level: float
) -> Interval | None:
    """The interval of a correlation; its ends are NaN for too few systems. None if it has none."""
    if name in ("tau_ap_a", "tau_ap_b", "weightedtau"):
        return None
    method = "fisher_z" if name == "pearson" else "korn_graubard"
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
        influence_spread(influences),
        confidence_level=confidence_level,
        bounds=bounds,
    )
