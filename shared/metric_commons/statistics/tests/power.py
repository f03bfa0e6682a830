"""The power of paired tests, and the number of rows that it takes to find a difference.

The observed power of a completed test says nothing beyond its p-value. These functions are for
planning, and for the smallest difference that a test could have found.

They need only a standard deviation, and are for Student's t-test of normal differences. For scores
0 and 1 the test of `compare` is exact and takes a tenth to a fifth more rows.

Source:
    Cohen, Statistical Power Analysis for the Behavioral Sciences (1988). Card et al., With little
    power comes great responsibility (2020).
"""

import math
from collections.abc import Callable

from ..arguments.checks import OptionError
from ..arguments.domains import Count, Level, NonNegative, Proportion, check_option
from ..intervals.proportions import clopper_pearson

_MOST_ROWS = 1 << 50  # that are planned


def power_of(effect: float, deviation: float, rows: int, alpha: float = 0.05) -> float:
    """Return the probability that the two-sided paired t-test finds a mean difference.

    It follows from the noncentral t distribution, as in statsmodels' `TTestPower` and R's
    `power.t.test` with `strict = TRUE`.

    Args:
        effect: the true mean difference.
        deviation: the standard deviation of differences, at least 0.
        rows: the number of rows, at least 2.
        alpha: the level of the test.

    Raises:
        ValueError: an argument is out of its range.

    >>> round(power_of(0.02, 0.4, 1000), 4)
    0.352
    """
    from scipy.special import chdtr, nctdtr, stdtrit

    _check(deviation, alpha)
    if rows < 2:
        raise OptionError("rows", f"must be at least 2, got {rows!r}")
    if not deviation:
        return 1.0 if effect else alpha
    shift = abs(effect) / deviation * math.sqrt(rows)
    critical = -float(stdtrit(rows - 1, alpha / 2))
    upper = 1 - float(nctdtr(rows - 1, shift, critical))
    lower = float(nctdtr(rows - 1, shift, -critical))
    if math.isnan(upper):  # a shift so large that chance is in the observed deviation alone
        excess = shift / critical
        upper = float(chdtr(rows - 1, (rows - 1) * (excess * excess)))
    return upper if math.isnan(lower) else upper + lower


def detectable(deviation: float, rows: int, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the mean difference that the two-sided paired t-test finds with this power.

    NaN for one row.

    Args:
        deviation: the standard deviation of differences, at least 0.
        rows: the number of rows.
        alpha: the level of the test.
        power: the probability of finding it.

    Raises:
        ValueError: an argument is out of its range.

    >>> round(detectable(0.4, 1000), 4)
    0.0355
    """
    _check(deviation, alpha)
    check_option("power", power, Level)
    if rows < 2:
        return math.nan
    if not deviation or power <= alpha:
        return 0.0
    from scipy.optimize import brentq

    def lacking(effect: float) -> float:  # in standard errors
        return power - power_of(effect * deviation / math.sqrt(rows), deviation, rows, alpha)

    high = 1.0
    while lacking(high) > 0:
        high *= 2
    return float(brentq(lacking, 0.0, high, xtol=1e-14)) * deviation / math.sqrt(rows)


def rows_needed(
    effect: float, deviation: float, alpha: float = 0.05, power: float = 0.8
) -> int | None:
    """Return the smallest number of rows with which the two-sided paired t-test has this power.

    Args:
        effect: the true mean difference, not 0.
        deviation: the standard deviation of differences, at least 0.
        alpha: the level of the test.
        power: the probability of finding it.

    Returns:
        None if a quadrillion rows are too few.

    Raises:
        ValueError: an argument is out of its range.

    >>> rows_needed(0.02, 0.4)
    3142
    """
    _check(deviation, alpha)
    check_option("power", power, Level)
    if not effect or not math.isfinite(effect):
        raise OptionError("effect", f"must be a finite number other than 0, got {effect!r}")
    return fewest(lambda rows: rows > 1 and power_of(effect, deviation, rows, alpha) >= power)


def fewest(is_enough: Callable[[int], bool]) -> int | None:
    """Return the smallest number that is enough; larger ones are enough, too.

    None if a quadrillion is not.

    >>> fewest(lambda rows: rows**2 > 50)
    8
    """
    low, high = 0, 1
    while not is_enough(high):
        low, high = high, 2 * high
        if high > _MOST_ROWS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def required_labels(
    half_width: float,
    *,
    rate: float = 0.5,
    correlation: float = 0.0,
    rows: int | None = None,
    confidence_level: float = 0.95,
) -> int | None:
    """The fewest labels with which the interval of a rate is at most this wide to either side.

    The interval is Clopper and Pearson's at the rate. A judge of all rows whose verdicts correlate
    with the labels makes n labels worth n / (1 - r**2 (1 - n / M)) labels alone, for M rows: the
    effective sample size of ppi-python. A pilot of 30 to 50 labels gives the rate and r.

    Args:
        half_width: half the width of the interval, strictly between 0 and 0.5.
        rate: the expected rate.
        correlation: r of verdicts and labels, strictly between -1 and 1; 0 without a judge.
        rows: the number of rows with verdicts, including the labelled ones; None for an unlimited
            number.
        confidence_level: strictly between 0 and 1.

    Returns:
        The number of labels; None if not even labels of all rows suffice, so that more rows are
        needed.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        Broska, Howes and van Loon, The mixed subjects design (2025).

    >>> required_labels(0.05, rate=0.8), required_labels(0.05, rate=0.8, correlation=0.7, rows=1000)
    (264, 155)
    >>> required_labels(0.01, rows=1000) is None
    True
    """
    if not 0 < half_width < 0.5:
        raise OptionError("half_width", f"must be strictly between 0 and 0.5, got {half_width!r}")
    if not -1 < correlation < 1:
        raise OptionError("correlation", f"must be strictly between -1 and 1, got {correlation!r}")
    check_option("rate", rate, Proportion)
    check_option("rows", rows, Count | None)
    check_option("confidence_level", confidence_level, Level)

    def is_wide(labels: int) -> bool:
        unseen = 1.0 if rows is None else 1 - labels / rows
        worth = labels / (1 - correlation**2 * unseen)
        low, high = clopper_pearson(rate * worth, worth, confidence_level)
        return (high - low) / 2 > half_width

    if rows is not None and is_wide(rows):
        return None
    return fewest(lambda labels: labels >= (rows or math.inf) or not is_wide(labels))


def _check(deviation: float, alpha: float) -> None:
    """Check that the deviation and the level are valid."""
    check_option("alpha", alpha, Level)
    check_option("deviation", deviation, NonNegative)
