"""Two systems on the same rows: tests of the mean difference, its interval, and equivalence.

A test says how likely differences at least as great would be if the systems were equally good.
Not being significant does not make systems equal: that is what `equivalence` tests, for a margin
within which a difference does not matter.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..numbers.arrays import Floats
from ..numbers.checks import OptionError
from ..numbers.domains import (
    Labels,
    Level,
    Positive,
    Resamples,
    Seed,
    check_option,
    checked_options,
)
from ..numbers.exact_sums import exact_sum, root
from .bootstrap import mean_interval
from .cluster_sums import ClusterSums, cancelled, cluster_means_ends
from .intervals import critical_value, score_range, t_ends
from .sign_flips import enumerated_p, in_units, sign_flip_tail
from .spreads import LARGEST, Spread, finite_scores, row_spread
from .summary import mean

Test = Literal["permutation", "t", "wilcoxon", "mcnemar", "mcnemar_mid_p"]
Alternative = Literal["two-sided", "greater", "less"]
DifferenceMethod = Literal["auto", "t", "bootstrap"]
_SCIPY_EXACT = 13  # up to so many rows scipy counts all combinations of signed ranks
_HALF = Fraction(1, 2)


class Statistic(NamedTuple):
    """The statistic of a test and its p-value."""

    value: float
    p_value: float


class PairedTest(NamedTuple):
    """What a test says; `test` is the name reported, the error is that of the mean difference."""

    p_value: float
    test: str
    statistic: float
    standard_error: float
    n_clusters: int | None = None


class DifferenceInterval(NamedTuple):
    """The ends of the interval of a mean difference, the method, and the standard error."""

    low: float
    high: float
    method: str
    standard_error: float
    n_clusters: int | None = None


class Equivalence(NamedTuple):
    """P-values of non-inferiority and of equivalence; where they are small, it is shown."""

    p_non_inferior: float
    p_equivalent: float


@checked_options
def paired_test(
    differences: ArrayLike,
    *,
    test: Test = "permutation",
    alternative: Alternative = "two-sided",
    clusters: Labels | ClusterSums | None = None,
) -> PairedTest:
    """The p-value of a paired test, with the name of what was done, and the statistic.

    The tests:

    * "permutation" flips the signs of differences, or of the sums of clusters, and needs no draws:
      it is exact up to 30 differences that are not 0, for differences of one size, and for
      multiples of a unit ("sign_flip_exact"), else an approximation that is within a few percent of
      it however small ("sign_flip_saddlepoint"). The statistic is the sum of differences over the
      root of the sum of their squares, which random signs give the variance 1. p is never 0, and
      it is 1 if all differences are 0.
    * "t" is Student's, as `scipy.stats.ttest_rel`; with clusters the cluster-robust one with one
      degree of freedom less than there are clusters. If all differences are 0, p is 1; else less
      than two rows or clusters give NaN, and equal differences a t that is infinite.
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
    values = _differences(differences)
    sums = _clusters(clusters, values)
    spread = row_spread(values) if sums is None else sums.spread()
    if sums is not None and test not in ("permutation", "t"):
        raise OptionError(
            "test", f"{test!r} is for rows that stand alone, but there are clusters; take 't'"
        )
    name: str = test
    if test == "permutation":
        summands = values
        if sums is not None:
            summands = cancelled(sums.sums(), float(exact_sum(np.abs(values))))
        name, outcome = _sign_flip_test(summands, alternative)
    elif test == "t":
        outcome = (
            _t_test(values, alternative) if sums is None else _robust_t_test(spread, alternative)
        )
    elif test == "wilcoxon":
        outcome = _wilcoxon_test(values, alternative)
    else:
        outcome = _mcnemar_test(values, alternative, test)
    return PairedTest(
        outcome.p_value, name, outcome.value, spread.standard_error(), spread.clusters
    )


@checked_options
def difference_interval(
    differences: ArrayLike,
    *,
    confidence_level: Level = 0.95,
    method: DifferenceMethod = "auto",
    clusters: Labels | ClusterSums | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
) -> DifferenceInterval:
    """The confidence interval of a mean difference, by a method that suits the scores.

    The methods:

    * "auto": of scores 0 and 1 (or the ends of another range) Bonett and Price's with one more win
      and one more loss, "bonett_price". Of other bounded scores Student's t with half a pseudo-row,
      or pseudo-cluster, of the greatest variance that the mean difference allows, "pseudo_row_t".
      Neither is ever a point. Without bounds it is "t".
    * "t": Student's, of rows or clusters; with K - 1 degrees of freedom for the Kish number K.
    * "bootstrap": the percentile bootstrap of rows, or of clusters. It alone draws.

    Args:
        differences: A - B, shape (rows,).
        confidence_level: strictly between 0 and 1.
        method: one of the above.
        clusters: one label per row, or the sums of the differences by cluster.
        bounds: the least and the greatest possible score, so that a difference is at most their
            range; (0, inf) or (-inf, inf) without a limit.
        n_resamples: how many resamples the bootstrap draws.
        seed: of these draws.

    Raises:
        ValueError: no differences, one that is not possible, or an option out of its range.

    Source:
        Bonett and Price, Adjusted Wald confidence interval for a difference of binomial
        proportions based on paired data (2012).

    >>> print("{:.3f} to {:.3f}, {}".format(*difference_interval([1, 1, 0, 0, 0, -1])[:3]))
    -0.416 to 0.666, bonett_price
    >>> print("{:.3f} to {:.3f}, {}".format(*difference_interval([0.1] * 10)[:3]))
    -0.055 to 0.255, pseudo_row_t
    """
    low, high = score_range(bounds)
    values = _differences(differences)
    span = high - low
    if math.isfinite(span) and float(np.abs(values).max()) > span:
        raise OptionError("differences", f"go beyond {span:g}, the range of scores in bounds")
    sums = _clusters(clusters, values)
    spread = row_spread(values) if sums is None else sums.spread()

    name: str = method
    if method == "bootstrap":
        if sums is None:
            ends = mean_interval(
                values, confidence_level=confidence_level, n_resamples=n_resamples, seed=seed
            )
        else:
            ends = cluster_means_ends(
                sums, confidence_level=confidence_level, n_resamples=n_resamples, seed=seed
            )
    elif method == "t" or math.isinf(span):
        name, ends = "t", t_ends(spread, critical_value(confidence_level, spread.degrees))
    elif sums is None and bool(np.isin(values, (-span, 0.0, span)).all()):
        name = "bonett_price"
        wins, losses = int((values > 0).sum()), int((values < 0).sum())
        low, high = _bonett_price(wins, losses, values.size, confidence_level)
        ends = low * span, high * span
    else:
        name, ends = "pseudo_row_t", _pseudo_row_ends(spread, span, confidence_level)
    return DifferenceInterval(*ends, name, spread.standard_error(), spread.clusters)


def equivalence(
    differences: ArrayLike,
    margin: float,
    *,
    clusters: Labels | ClusterSums | None = None,
) -> Equivalence:
    """P-values for a margin: that A is not worse by it, and that neither is better by it.

    Two one-sided Student's t-tests, cluster-robust with clusters. The first is of the mean
    difference being at most -margin, the second of it being at least margin; equivalence needs
    both, so its p-value is the greater one. Equal differences have an infinite t; less than two
    rows or clusters give NaN.

    Args:
        differences: A - B, shape (rows,).
        margin: the difference that would matter, above 0. There is no default: it is a judgement.
        clusters: one label per row, or the sums of the differences by cluster.

    Raises:
        ValueError: no differences, one that is not a finite number, or a margin that is not
            positive.

    Source:
        Schuirmann, A comparison of the two one-sided tests procedure and the power approach (1987).

    >>> result = equivalence([0.02, -0.01, 0.0, 0.01, -0.02, 0.01], margin=0.02)
    >>> round(result.p_non_inferior, 4), round(result.p_equivalent, 4)
    (0.0077, 0.0142)
    """
    check_option("margin", margin, Positive)
    values = _differences(differences)
    sums = _clusters(clusters, values)
    spread = row_spread(values) if sums is None else sums.spread()
    limit = Fraction(float(margin))
    not_worse = _one_sided_p(spread, spread.mean + limit)
    not_better = _one_sided_p(spread, limit - spread.mean)
    return Equivalence(not_worse, max(not_worse, not_better))


def _sign_flip_test(summands: Floats, alternative: Alternative) -> tuple[str, Statistic]:
    """The name, the statistic and the p-value of the sign-flip test of differences or sums."""
    tail = sign_flip_tail(in_units(summands, alternative))
    size = float(np.abs(summands).max())
    statistic = 0.0
    if size:
        shares = summands / size
        squares = exact_sum(np.square(shares))
        statistic = float(exact_sum(shares)) / root(squares)
    return "sign_flip_exact" if tail.exact else "sign_flip_saddlepoint", Statistic(
        statistic, tail.probability
    )


def _t_test(differences: Floats, alternative: Alternative) -> Statistic:
    """Student's paired t-test; all sums are exactly rounded, so the order of rows cannot show."""
    if differences.size and not differences.any():
        return Statistic(0.0, 1.0)
    if differences.size < 2:
        return Statistic(math.nan, math.nan)
    # A power of two changes no digit of t, and keeps squares from becoming infinite or zero.
    exponent = math.frexp(np.abs(differences).max())[1]
    values = np.ldexp(differences, -exponent)
    center = mean(values)
    squares = math.fsum(np.square(values - center).tolist())
    if squares:
        t = center / math.sqrt(squares / (values.size - 1) / values.size)
    else:
        t = math.copysign(math.inf, center)
    return Statistic(t, _t_p_value(t, values.size - 1, alternative))


def _wilcoxon_test(differences: Floats, alternative: Alternative) -> Statistic:
    """Wilcoxon's signed-rank test as scipy has it, which knows when to approximate.

    Up to 13 rows scipy is exact whether or not ranks are tied, but may take seconds for it. The
    null hypothesis flips the signs of ranks, so that what is there for differences serves here.
    """
    from scipy.stats import rankdata, wilcoxon  # takes a second to import

    values = differences[differences != 0]
    ranks = np.copysign(rankdata(np.abs(values)), values)
    rank_sums = float(ranks[ranks > 0].sum()), -float(ranks[ranks < 0].sum())
    statistic = min(rank_sums) if alternative == "two-sided" else rank_sums[0]
    if not values.size or differences.size <= _SCIPY_EXACT:
        return Statistic(statistic, enumerated_p(in_units(ranks, alternative)))
    p_value = float(wilcoxon(np.sort(differences), alternative=alternative).pvalue)
    return Statistic(statistic, p_value)


def _robust_t_test(spread: Spread, alternative: Alternative) -> Statistic:
    """Student's t-test of the mean, of clusters."""
    if not spread.squares and not spread.mean:
        return Statistic(0.0, 1.0)
    if spread.clusters is None or spread.clusters < 2:
        return Statistic(math.nan, math.nan)
    t = _quotient(spread.mean, spread.standard_error())
    return Statistic(t, _t_p_value(t, spread.clusters - 1, alternative))


def _t_p_value(t: float, degrees: int, alternative: Alternative) -> float:
    """The probability of a Student's t at least as extreme."""
    from scipy.special import stdtr

    if alternative == "two-sided":
        return 2 * float(stdtr(degrees, -abs(t)))
    return float(stdtr(degrees, -t if alternative == "greater" else t))


def _one_sided_p(spread: Spread, distance: Fraction) -> float:
    """The p-value of a mean being at most so far below what was observed, by Student's t."""
    units = spread.rows if spread.clusters is None else spread.clusters
    if units < 2:
        return math.nan
    t = _quotient(distance, spread.standard_error())
    return 1.0 if math.isnan(t) else _t_p_value(t, units - 1, "greater")


def _quotient(mean: Fraction, error: float) -> float:
    """A mean over its standard error: infinite if that is 0, and NaN if both are."""
    if error:
        return float(mean) / error
    return math.copysign(math.inf, mean) if mean else math.nan


def _mcnemar_test(differences: Floats, alternative: Alternative, test: str) -> Statistic:
    """McNemar's test: a win and a loss are equally likely, so wins are binomial."""
    from scipy.special import betainc, gammaln

    if not np.isin(differences, (-1.0, 0.0, 1.0)).all():
        raise OptionError(
            "test", f"{test!r} is for scores 0 and 1, but differences are not all -1, 0 or 1"
        )
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    rows = wins + losses
    statistic = float(min(wins, losses))
    # The tail: at most so many wins of the system that should have fewer.
    tail_wins = {"two-sided": min(wins, losses), "greater": losses, "less": wins}[alternative]
    if tail_wins >= rows:  # of no rows, too
        tail, observed = 1.0, 0.5**rows if rows else 0.0
    else:
        tail = float(betainc(rows - tail_wins, tail_wins + 1, 0.5))
        choices = gammaln(rows + 1) - gammaln(tail_wins + 1) - gammaln(rows - tail_wins + 1)
        observed = math.exp(float(choices) - rows * math.log(2))
    sides = 2 if alternative == "two-sided" else 1
    p_value = min(sides * tail, 1.0)
    if test == "mcnemar_mid_p":  # half of what was observed, which equal numbers are once
        p_value -= observed / 2 * (1 if wins == losses else sides)
    return Statistic(statistic, max(p_value, math.ulp(0.0)))


def _bonett_price(
    wins: int, losses: int, rows: int, confidence_level: float
) -> tuple[float, float]:
    """The normal interval of the difference of two shares, with one more win and one more loss."""
    win_share = (wins + 1) / (rows + 2)
    loss_share = (losses + 1) / (rows + 2)
    difference = win_share - loss_share
    error = math.sqrt((win_share + loss_share - difference**2) / (rows + 2))
    reach = critical_value(confidence_level, math.inf) * error
    return max(difference - reach, -1.0), min(difference + reach, 1.0)


def _pseudo_row_ends(spread: Spread, span: float, confidence_level: float) -> tuple[float, float]:
    """Student's interval with half a pseudo-unit; the whole range for one row or cluster."""
    if spread.units <= 1:
        return -span, span
    greatest = Fraction(span) ** 2 - spread.mean**2
    error = root(spread.cautious_variance(greatest, _HALF))
    reach = critical_value(confidence_level, spread.degrees) * error
    center = float(spread.mean)
    return max(center - reach, -span), min(center + reach, span)


def _differences(differences: ArrayLike) -> Floats:
    """The differences as float64: at least one, all finite."""
    values = finite_scores("differences", differences, largest=2 * LARGEST)
    if not values.size:
        raise ValueError("differences is empty; the mean of nothing is undefined")
    return values


def _clusters(
    clusters: Sequence[object] | ClusterSums | None, differences: Floats
) -> ClusterSums | None:
    """The sums of differences by cluster."""
    if isinstance(clusters, ClusterSums) and clusters.rows != differences.size:
        raise OptionError(
            "clusters", f"has {clusters.rows} rows, but there are {differences.size} differences"
        )
    if clusters is None or isinstance(clusters, ClusterSums):
        return clusters
    return ClusterSums.of(clusters, differences)
