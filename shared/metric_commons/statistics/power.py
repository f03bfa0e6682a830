"""How many rows it takes: the power of the two-sided paired t-test, and what follows from it.

The observed power of a test that has been done says nothing beyond its p-value. These functions are
for planning, and for the least difference that a test could have found.

Source:
    Cohen, Statistical Power Analysis for the Behavioral Sciences (1988). Card et al., With little
    power comes great responsibility (2020).
"""

import math

from ..numbers.checks import OptionError
from ..numbers.domains import Count, Level, NonNegative, Proportion, check_option
from .proportions import clopper_pearson

_BISECTIONS = 200  # until two neighbouring floats are left


def power_of(effect: float, deviation: float, rows: int, alpha: float = 0.05) -> float:
    """The probability that the two-sided paired t-test finds a mean difference.

    By the noncentral t distribution, as statsmodels' `TTestPower` and R's `power.t.test` with
    `strict = TRUE`.

    Args:
        effect: the true mean difference.
        deviation: the standard deviation of differences, at least 0.
        rows: how many, at least 2.
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
    if math.isnan(upper):  # a shift so great that chance is in the observed deviation alone
        upper = float(chdtr(rows - 1, (rows - 1) * (shift / critical) ** 2))
    return upper if math.isnan(lower) else upper + lower


def minimum_detectable(
    deviation: float, rows: int, alpha: float = 0.05, power: float = 0.8
) -> float:
    """The mean difference that the two-sided paired t-test finds with this power; NaN for one row.

    Args:
        deviation: the standard deviation of differences, at least 0.
        rows: how many.
        alpha: the level of the test.
        power: the probability of finding it.

    Raises:
        ValueError: an argument is out of its range.

    >>> round(minimum_detectable(0.4, 1000), 4)
    0.0355
    """
    _check(deviation, alpha)
    check_option("power", power, Level)
    if rows < 2:
        return math.nan
    low, high = 0.0, deviation / math.sqrt(rows)
    while high and power_of(high, deviation, rows, alpha) < power:
        low, high = high, 2 * high
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        sufficient = power_of(middle, deviation, rows, alpha) >= power
        low, high = (low, middle) if sufficient else (middle, high)
    return high


def required_rows(effect: float, deviation: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """The least number of rows with which the two-sided paired t-test has this power.

    Args:
        effect: the true mean difference, not 0.
        deviation: the standard deviation of differences, at least 0.
        alpha: the level of the test.
        power: the probability of finding it.

    Raises:
        ValueError: an argument is out of its range.

    >>> required_rows(0.02, 0.4)
    3142
    """
    _check(deviation, alpha)
    check_option("power", power, Level)
    if not effect or not math.isfinite(effect):
        raise OptionError("effect", f"must be a finite number other than 0, got {effect!r}")
    low, high = 1, 2
    while power_of(effect, deviation, high, alpha) < power:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        sufficient = power_of(effect, deviation, middle, alpha) >= power
        low, high = (low, middle) if sufficient else (middle, high)
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
        rows: how many rows the judge has seen, of which the labels are some; None for as many as
            one likes.
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

    upper = rows or 1
    while rows is None and is_wide(upper):
        upper *= 2
    if is_wide(upper):
        return None
    lower = 1
    while lower < upper:
        middle = (lower + upper) // 2
        lower, upper = (middle + 1, upper) if is_wide(middle) else (lower, middle)
    return lower


def _check(deviation: float, alpha: float) -> None:
    """Nothing, if the deviation and the level are possible."""
    check_option("alpha", alpha, Level)
    check_option("deviation", deviation, NonNegative)
