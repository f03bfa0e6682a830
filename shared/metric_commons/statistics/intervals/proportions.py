"""Intervals of proportions: a number of successes among trials, or scores that resemble these.

The formulas come first, and return the lower and the upper end. Numbers need not be whole, since a
mean of scores counts as a proportion of an *effective* number of trials; only `mid_p` needs whole
ones. The lower end is exactly 0 without a success, the upper one exactly 1 without a failure.
"""

import math
from typing import Literal, NamedTuple

from ..arguments.domains import Level, checked_options

_BISECTIONS = 100  # each halves an interval in [0, 1]; floats allow some 60 at most


class Interval(NamedTuple):
    """The ends of an interval, the method, and how much the scores say.

    `effective_n` is the number of rows that scores 0 and 1 would need to be as informative;
    `design_effect` is the factor by which clusters divide it. Scores that are not means of rows
    have neither.
    """

    low: float
    high: float
    method: str
    standard_error: float
    effective_n: float | None
    n_clusters: int | None = None
    design_effect: float | None = None


def clopper_pearson(
    successes: float, trials: float, confidence_level: float
) -> tuple[float, float]:
    """Return the ends at which this many successes, or more extreme ones, have a tail probability.

    Their coverage of the true proportion is never below the level. Numbers that are not whole use
    the same quantiles of the beta distribution (Korn and Graubard 1998).

    Source:
        Clopper and Pearson, The use of confidence or fiducial limits illustrated in the case of
        the binomial (1934).

    >>> low, high = clopper_pearson(29, 30, 0.95)
    >>> print(f"{low:.4f} to {high:.4f}")
    0.8278 to 0.9992
    >>> clopper_pearson(0, 1, 0.95)
    (0.0, 0.975)
    """
    from scipy.special import betainccinv, betaincinv  # cost as much to import as all of numpy

    if trials <= 0:
        return 0.0, 1.0
    tail, failures = (1 - confidence_level) / 2, trials - successes
    low = float(betaincinv(successes, failures + 1, tail)) if successes > 0 else 0.0
    # No lower end is above the proportion, but SciPy returns 2e-12 for 1e-323 successes.
    low = min(low, successes / trials)
    # Not 1 minus the lower end of the failures, which would leave few digits of a small end.
    return low, float(betainccinv(successes + 1, failures, tail)) if failures > 0 else 1.0


def wilson(
    successes: float, trials: float, confidence_level: float, critical: float | None = None
) -> tuple[float, float]:
    """Return the proportions that the score test does not reject.

    The usual formula is rearranged so that no similar numbers are subtracted.

    Args:
        successes: the number of successes.
        trials: the number of trials.
        confidence_level: such as 0.95.
        critical: the critical value; None for that of the normal distribution. If it is infinite,
            all proportions remain.

    Source:
        Wilson, Probable inference, the law of succession, and statistical inference (1927).

    >>> low, high = wilson(5, 5, 0.95)
    >>> print(f"{low:.4f} to {high}")
    0.5655 to 1.0
    """
    from scipy.special import ndtri

    if critical is None:
        critical = -float(ndtri((1 - confidence_level) / 2))
    if trials <= 0 or math.isinf(critical):
        return 0.0, 1.0
    failures = trials - successes
    root = math.sqrt(critical * critical + 4 * successes * failures / trials)
    slack = critical * critical + critical * root
    low = 2 * successes * successes / (trials * (2 * successes + slack))
    return low, 1 - 2 * failures * failures / (trials * (2 * failures + slack))


def mid_p(successes: float, trials: float, confidence_level: float) -> tuple[float, float]:
    """As Clopper-Pearson, but the observed number counts half in its tail.

    Source:
        Lancaster, Significance tests in discrete distributions (1961).

    >>> low, high = mid_p(30, 30, 0.95)
    >>> print(f"{low:.4f} to {high}")
    0.9050 to 1.0
    """
    tail = (1 - confidence_level) / 2
    return _mid_p_low(successes, trials, tail), 1 - _mid_p_low(trials - successes, trials, tail)


def _mid_p_low(successes: float, trials: float, tail: float) -> float:
    """Return the proportion at which the upper mid-P tail is `tail`, by bisection."""
    from scipy.special import betainc

    if successes == 0:
        return 0.0
    low, high = 0.0, successes / trials
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        at_least = float(betainc(successes, trials - successes + 1, middle))
        upper_tail = (
            betainc(successes + 1, trials - successes, middle) if successes < trials else 0.0
        )
        # Half of the observed number is half of both tails: of at least it, and of more.
        low, high = (middle, high) if at_least + float(upper_tail) < 2 * tail else (low, middle)
    return (low + high) / 2


COUNTING = {"clopper_pearson": clopper_pearson, "mid_p": mid_p}
CountMethod = Literal["auto", "wilson", "clopper_pearson", "mid_p"]


def proportion_ends(
    method: str, successes: float, trials: float, confidence_level: float, critical: float | None
) -> tuple[float, float]:
    """Return the ends by one of the formulas."""
    if method == "wilson":
        return wilson(successes, trials, confidence_level, critical)
    return COUNTING[method](successes, trials, confidence_level)


@checked_options
def proportion_interval(
    successes: int, trials: int, *, confidence_level: Level = 0.95, method: CountMethod = "auto"
) -> Interval:
    """Return the interval of a ratio of counts, given its denominator.

    Accuracy, precision, recall, ...

    This includes Jaccard's index, `tp` of `tp + fp + fn`.

    Args:
        successes: the number of successes, at least 0.
        trials: the number of trials, at least as many; without trials the ends are NaN.
        confidence_level: strictly between 0 and 1.
        method: "auto" (Clopper-Pearson), "clopper_pearson", "mid_p" or "wilson".

    Raises:
        ValueError: more successes than trials, or an option out of its range.

    >>> print("{:.4f} to {:.4f}, {}".format(*proportion_interval(29, 30)[:3]))
    0.8278 to 0.9992, clopper_pearson
    >>> proportion_interval(0, 0)[:2]
    (nan, nan)
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"successes must be from 0 to trials, got {successes} of {trials}")
    name = "clopper_pearson" if method == "auto" else method
    if not trials:
        return Interval(math.nan, math.nan, name, math.nan, 0.0)
    error = math.nan
    if trials > 1:
        error = math.sqrt(successes / trials * (trials - successes) / trials / (trials - 1))
    ends = proportion_ends(name, successes, trials, confidence_level, None)
    return Interval(*ends, name, error, float(trials))


def f1_of_jaccard(interval: Interval, jaccard: float) -> Interval:
    """Return the interval of F1 from that of Jaccard's index, whose value is `jaccard`.

    F1 = 2 J / (1 + J) for Jaccard's J = tp / (tp + fp + fn), and the true positives among the rows
    that J counts are binomial. So the ends of F1 are those of J, converted; the standard error is
    multiplied by the derivative 2 / (1 + J)**2.

    >>> f1_of_jaccard(Interval(0.25, 1.0, "clopper_pearson", 0.1, 8.0), 0.5)[:2]
    (0.4, 1.0)
    """
    low, high = (2 * end / (1 + end) for end in (interval.low, interval.high))
    slope = 2 / (1 + jaccard) ** 2
    return interval._replace(low=low, high=high, standard_error=interval.standard_error * slope)
