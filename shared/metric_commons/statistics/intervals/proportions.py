"""Intervals of proportions: a number of successes among trials.

The lower end is exactly 0 without a success, the upper one exactly 1 without a failure.
"""

import math
from typing import NamedTuple


class Interval(NamedTuple):
    """The ends of an interval, its method, and the standard error; NaN for one row, or cluster."""

    low: float
    high: float
    method: str
    standard_error: float
    rows: int | None = None  # that count; None if all do
    n_clusters: int | None = None
    design_effect: float | None = None


UNDEFINED = Interval(math.nan, math.nan, "law", math.nan)


def clopper_pearson(
    successes: float, trials: float, confidence_level: float
) -> tuple[float, float]:
    """Return the ends at which this many successes, or more extreme ones, have a tail probability.

    Their coverage of the true proportion is never below the level.

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
    # Not 1 minus the lower end of the failures, which would leave few digits of a small end.
    return low, float(betainccinv(successes + 1, failures, tail)) if failures > 0 else 1.0


def wilson(successes: float, trials: float, confidence_level: float) -> tuple[float, float]:
    """Return the proportions that the score test does not reject.

    The usual formula is rearranged so that no similar numbers are subtracted.

    Source:
        Wilson, Probable inference, the law of succession, and statistical inference (1927).

    >>> low, high = wilson(5, 5, 0.95)
    >>> print(f"{low:.4f} to {high}")
    0.5655 to 1.0
    """
    critical = critical_value(confidence_level, math.inf)
    failures = trials - successes
    root = math.sqrt(critical * critical + 4 * successes * failures / trials)
    slack = critical * critical + critical * root
    low = 2 * successes * successes / (trials * (2 * successes + slack))
    return low, 1 - 2 * failures * failures / (trials * (2 * failures + slack))


def proportion_interval(
    successes: int, trials: int, level: float = 0.95, method: str = "auto"
) -> Interval:
    """Return the interval of a ratio of counts of rows, given its denominator.

    Accuracy, precision, recall and Jaccard's index, `tp` of `tp + fp + fn`, are such ratios.

    Args:
        successes: the number of successes, at least 0.
        trials: the number of trials, at least as many; without trials the ends are NaN.
        level: strictly between 0 and 1.
        method: "wilson", or that of Clopper and Pearson.

    >>> print("{:.4f} to {:.4f}, {}".format(*proportion_interval(29, 30)[:3]))
    0.8278 to 0.9992, clopper_pearson
    >>> proportion_interval(0, 0)[:2]
    (nan, nan)
    """
    formula = wilson if method == "wilson" else clopper_pearson
    if not trials:
        return Interval(math.nan, math.nan, formula.__name__, math.nan)
    error = math.nan
    if trials > 1:
        error = math.sqrt(successes / trials * (trials - successes) / trials / (trials - 1))
    return Interval(*formula(successes, trials, level), formula.__name__, error)


def f1_of_jaccard(interval: Interval, jaccard: float) -> Interval:
    """Return the interval of F1 from that of Jaccard's index, whose value is `jaccard`.

    F1 = 2 J / (1 + J) for Jaccard's J = tp / (tp + fp + fn), and the true positives among the rows
    that J counts are binomial. So the ends of F1 are those of J, converted; the standard error is
    multiplied by the derivative 2 / (1 + J)**2.

    >>> f1_of_jaccard(Interval(0.25, 1.0, "clopper_pearson", 0.1), 0.5)[:2]
    (0.4, 1.0)
    """
    low, high = (2 * end / (1 + end) for end in (interval.low, interval.high))
    slope = 2 / (1 + jaccard) ** 2
    return interval._replace(low=low, high=high, standard_error=interval.standard_error * slope)


def critical_value(confidence_level: float, degrees: float) -> float:
    """Return Student's critical value; infinite without degrees of freedom."""
    from scipy.special import ndtri, stdtrit

    tail = (1 - confidence_level) / 2
    if math.isinf(degrees):
        return -float(ndtri(tail))
    return -float(stdtrit(degrees, tail)) if degrees > 0 else math.inf
