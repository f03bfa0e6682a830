"""Intervals of means of scores whose range is not known beforehand."""

import math
from collections.abc import Sequence
from typing import Any

from ...statistics.arguments.domains import Level, check_option
from ...statistics.intervals.intervals import interval
from ...statistics.intervals.methods import Method
from ...statistics.intervals.proportions import Interval


def check_interval_options(level: Any, method: Any = "auto") -> None:
    """Check the options of an interval before there are scores.

    >>> check_interval_options(95)
    Traceback (most recent call last):
    ValueError: level must be a number strictly between 0 and 1, got 95; for 95 % pass 0.95
    """
    check_option("method", method, Method)
    check_option("level", level, Level)


def mean_estimate(
    scores: Sequence[float],
    level: float = 0.95,
    clusters: Sequence[Any] | None = None,
    method: Method = "auto",
) -> Interval:
    """Return the interval of a mean: within [0, 1] if the scores are, else without an upper bound.

    Without scores all numbers are NaN.

    >>> "{:.2f} to {:.2f}".format(*mean_estimate([1.0] * 10)[:2])
    '0.69 to 1.00'
    >>> mean_estimate([0.0, 3.0]).high > 1
    True
    """
    if not scores:
        return Interval(math.nan, math.nan, method, math.nan, None)
    low = -math.inf if min(scores) < 0 else 0.0
    bounds = (low, math.inf if low < 0 or max(scores) > 1 else 1.0)
    return interval(scores, confidence_level=level, method=method, clusters=clusters, bounds=bounds)
