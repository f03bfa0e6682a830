"""Two systems on the same rows: tests of the mean difference.

A test says how likely differences at least as large would be if the systems were equally good.
A difference that is not significant does not show that systems are equal; a test of a margin does.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arguments.arrays import Floats
from ..arguments.checks import OptionError
from ..arguments.domains import Labels, checked_options
from ..arithmetic.exact_sums import exact_sum, root
from ..intervals.cluster_sums import ClusterSums, cancelled
from ..intervals.proportions import clopper_pearson
from ..intervals.spreads import LARGEST, Spread, finite_scores, row_spread
from ..intervals.summary import mean
from .sign_flips import enumerated_p, in_units, sign_flip_tail
from .typical_values import least_shift

Test = Literal["permutation", "t", "wilcoxon", "mcnemar", "mcnemar_mid_p"]
Alternative = Literal["two-sided", "greater", "less"]
_SCIPY_EXACT = 13  # rows up to which scipy counts all combinations of signed ranks


Statistic = tuple[float, float]  # of a test, and its p-value


class PairedTest(NamedTuple):
    """The result of a test; `test` is its name, the error is that of the mean difference."""

    p_value: float
    test: str
    statistic: float
    standard_error: float
    n_clusters: int | None = None


@checked_options
def paired_test(
    differences: ArrayLike,
    *,
    test: Test = "permutation",
    alternative: Alternative = "two-sided",
    clusters: Labels | ClusterSums | None = None,
) -> PairedTest:
    """Return the p-value of a paired test, with the name of the method and the statistic.

    The tests:

    * "permutation" flips the signs of differences, or of the sums of clusters, and needs no draws:
      it is exact up to 30 differences that are not 0, for differences of one size, and for
      multiples of a unit ("sign_flip_exact"), else an approximation that is within a few percent of
      the exact p-value, however small ("sign_flip_saddlepoint"). The statistic is the sum of
      differences over the root of the sum of their squares, which random signs give the variance 1.
      p is never 0, and it is 1 if all differences are 0.
    * "t" is Student's, as `scipy.stats.ttest_rel`; with clusters the cluster-robust one with K - 1
      degrees of freedom for the Kish number K of clusters, as in the interval "t". If all
      differences are 0, p is 1; else less than two rows or clusters give NaN, and equal differences
      a t that is infinite.
    * "wilcoxon" is the signed-rank test, as `scipy.stats.wilcoxon`, without zeros. The statistic is
      the lesser of the two rank sums, or the positive one where the alternative has a side.
    * "mcnemar" is exact, for scores 0 and 1, and the same as the permutation test of those. The
      statistic is the number of wins or of losses, whichever is less.
    * "mcnemar_mid_p" counts the observed number half, and so errs up to the level, not far below.

    Args:
        differences: A - B, shape (rows,).
        test: one of the above.
        alternative: "two-sided", "greater" (A scores higher) or "less".
        clusters: one label per row, or the sums of the differences by cluster; for "permutation"
            and "t".

    Raises:
        ValueError: no differences, one that is not a finite number, an option out of its range, or
            a test that the differences cannot take.

    Source:
        Fisher, The Design of Experiments (1935), section 21. McNemar, Note on the sampling error of
        the difference between correlated proportions (1947). Fagerland, Lydersen and Laake, The
        McNemar test for binary matched-pairs data: mid-p and asymptotic are better than exact
        conditional (2013).

    >>> result = paired_test([0.8, 0.6, 0.4, 0.25, 0.1])  # 2 of 32 combinations
    >>> result.p_value, result.test, round(result.statistic, 2)
    (0.0625, 'sign_flip_exact', 1.94)
    >>> wins = [1.0] * 9 + [-1.0] * 2 + [0.0] * 20
    >>> round(paired_test(wins, test="mcnemar").p_value, 4)
    0.0654
    >>> round(paired_test(wins, test="mcnemar_mid_p").p_value, 4)
    0.0386
    """
    values, sums = summed_differences(differences, clusters)
    spread = row_spread(values) if sums is None else sums.spread()
    if sums is not None and test not in ("permutation", "t"):
        raise OptionError(
            "test", f"{test!r} is for independent rows, but there are clusters; take 't'"
        )
    name: str = test
    if test == "permutation":
        summands = values
        if sums is not None:
            summands = cancelled(sums.sums(), float(exact_sum(np.abs(values))))
        p_value, exact = sign_flip_tail(in_units(summands, alternative))
        name = "sign_flip_exact" if exact else "sign_flip_saddlepoint"
        shares = summands / (np.abs(summands).max() or 1.0)
        length = root(exact_sum(np.square(shares)))
        statistic = float(exact_sum(shares)) / length if length else 0.0
    elif test == "t" and sums is None:
        statistic, p_value = _t_test(values, alternative)
    elif test == "t":
        statistic, p_value = _robust_t_test(spread, alternative)
    elif test == "wilcoxon":
        statistic, p_value = _wilcoxon_test(values, alternative)
    else:
        if not np.isin(values, (-1.0, 0.0, 1.0)).all():
            raise OptionError(
                "test", f"{test!r} is for scores 0 and 1, but differences are not all -1, 0 or 1"
            )
        wins, losses = int((values > 0).sum()), int((values < 0).sum())
        statistic = float(min(wins, losses))
        p_value = mcnemar_p_value(wins, losses, alternative, mid=test == "mcnemar_mid_p")
    return PairedTest(p_value, name, statistic, spread.standard_error(), spread.clusters)


def _t_test(differences: Floats, alternative: Alternative) -> Statistic:
    """Student's paired t-test; sums are exactly rounded, so the order of rows does not matter."""
    if differences.size and not differences.any():
        return 0.0, 1.0
    if differences.size < 2:
        return math.nan, math.nan
    # A power of two changes no digit of t, and keeps squares from becoming infinite or zero.
    exponent = math.frexp(np.abs(differences).max())[1]
    values = np.ldexp(differences, -exponent)
    center = mean(values)
    squares = math.fsum(np.square(values - center).tolist())
    if squares:
        t = center / math.sqrt(squares / (values.size - 1) / values.size)
    else:
        t = math.copysign(math.inf, center)
    return t, t_p_value(t, values.size - 1, alternative)


def _wilcoxon_test(differences: Floats, alternative: Alternative) -> Statistic:
    """Compute Wilcoxon's signed-rank test as in scipy, which decides when to approximate.

    Up to 13 rows scipy is exact whether or not ranks are tied, but may take seconds for it. The
    null hypothesis flips the signs of ranks, so the test of differences can be used here.
    """
    from scipy.stats import rankdata, wilcoxon  # takes a second to import

    values = differences[differences != 0]
    ranks = np.copysign(rankdata(np.abs(values)), values)
    rank_sums = float(ranks[ranks > 0].sum()), -float(ranks[ranks < 0].sum())
    statistic = min(rank_sums) if alternative == "two-sided" else rank_sums[0]
    if not values.size or differences.size <= _SCIPY_EXACT:
        return statistic, enumerated_p(in_units(ranks, alternative))
    p_value = float(wilcoxon(np.sort(differences), alternative=alternative).pvalue)
    return statistic, p_value


def _robust_t_test(spread: Spread, alternative: Alternative) -> Statistic:
    """Student's t-test of the mean; clusters count as their Kish number of equal clusters."""
    if not spread.squares and not spread.mean:
        return 0.0, 1.0
    if spread.units <= 1:
        return math.nan, math.nan
    error = root(spread.variance())
    t = float(spread.mean) / error if error else math.copysign(math.inf, spread.mean)
    return t, t_p_value(t, spread.degrees, alternative)


def t_p_value(t: float, degrees: float, alternative: Alternative) -> float:
    """Return the probability of a Student's t at least as extreme."""
    from scipy.special import stdtr

    if alternative == "two-sided":
        return 2 * float(stdtr(degrees, -abs(t)))
    return float(stdtr(degrees, -t if alternative == "greater" else t))


def mcnemar_p_value(
    wins: int, losses: int, alternative: Alternative = "two-sided", *, mid: bool = False
) -> float:
    """Return the p-value of McNemar's test: a win and a loss are equally likely.

    Args:
        wins: the rows that only the first system has right.
        losses: the rows that only the second has right.
        alternative: "two-sided", "greater" or "less".
        mid: whether the observed number counts half.

    >>> mcnemar_p_value(3, 0)  # no outcome with three differing rows is significant
    0.25
    """
    from scipy.special import betainc, gammaln

    rows = wins + losses
    # The tail: at most this many wins of the system that should have fewer.
    tail_wins = {"two-sided": min(wins, losses), "greater": losses, "less": wins}[alternative]
    if tail_wins >= rows:  # also without rows
        tail, observed = 1.0, 0.5**rows if rows else 0.0
    else:
        tail = float(betainc(rows - tail_wins, tail_wins + 1, 0.5))
        choices = gammaln(rows + 1) - gammaln(tail_wins + 1) - gammaln(rows - tail_wins + 1)
        observed = math.exp(float(choices) - rows * math.log(2))
    sides = 2 if alternative == "two-sided" else 1
    p_value = min(sides * tail, 1.0)
    if mid:  # half of what was observed, which equal numbers are once
        p_value -= observed / 2 * (1 if wins == losses else sides)
    return max(p_value, math.ulp(0.0))


def wilcoxon_ends(
    differences: Floats, alpha: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Return the shifts that the signed-rank test does not reject: an interval of the pseudomedian.

    The pseudomedian is the median of the means of two rows. The mean difference may lie outside.

    >>> wilcoxon_ends(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), 0.05, (-1.0, 1.0))
    (0.1, 0.6)
    """
    span = float(differences.max() - differences.min())
    ends = []
    for values, bound in ((differences, -bounds[0]), (-differences, bounds[1])):

        def proportion(shift: float, values: Floats = values) -> float:
            return _wilcoxon_test(values - shift, "greater")[1]

        low, high = float(values.min()), float(values.max())
        if proportion(low - max(span, 1.0)) > alpha / 2:
            ends.append(-bound)
            continue
        is_above = proportion(0.0) <= alpha / 2
        if low <= 0 <= high:
            low, high = (0.0, high) if is_above else (low, 0.0)
        end = least_shift(proportion, alpha / 2, low, high, 0.0)
        ends.append(max(end, math.ulp(0.0)) if is_above and not end else end)
    return ends[0], 0.0 - ends[1]


def mcnemar_ends(differences: Floats, confidence_level: float, test: str) -> tuple[float, float]:
    """Return the interval of the mean of wins and losses, given how many rows differ.

    It excludes 0 exactly if the test is significant.

    >>> low, high = mcnemar_ends(np.repeat([1.0, -1.0, 0.0], [9, 2, 20]), 0.95, "mcnemar")
    >>> print(f"{low:.3f} to {high:.3f}")
    -0.013 to 0.339
    """
    wins, differing = int((differences > 0).sum()), int((differences != 0).sum())
    if not differing:
        return 0.0, 0.0
    shares = clopper_pearson(wins, differing, confidence_level)
    low, high = ((2 * share - 1) * differing / differences.size for share in shares)
    return low, high


def summed_differences(
    differences: ArrayLike, clusters: Sequence[object] | ClusterSums | None = None
) -> tuple[Floats, ClusterSums | None]:
    """Return the differences as float64, and their sums by cluster.

    Raises:
        ValueError: there are none, one is not finite, or there are labels of another number.
    """
    values = finite_scores("differences", differences, largest=2 * LARGEST)
    if not values.size:
        raise ValueError("differences is empty; the mean of nothing is undefined")
    if isinstance(clusters, ClusterSums) and clusters.rows != values.size:
        raise OptionError(
            "clusters", f"has {clusters.rows} rows, but there are {values.size} differences"
        )
    if clusters is None or isinstance(clusters, ClusterSums):
        return values, clusters
    return values, ClusterSums.of(clusters, values)
