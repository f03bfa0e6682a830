"""Intervals of means of scores whose range is not known beforehand."""

import math
from collections.abc import Sequence
from typing import Any, get_args

from ..numbers.checks import OptionError, check_choice
from ..statistics.intervals import interval
from ..statistics.methods import Method
from ..statistics.proportions import Interval


def check_interval_options(level: Any, method: Any = "auto") -> None:
    """Check the options of an interval before there are scores.

    >>> check_interval_options(95)
    Traceback (most recent call last):
    ValueError: level must be strictly between 0 and 1, got 95
    """
    check_choice("method", method, get_args(Method))
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise OptionError("level", f"must be strictly between 0 and 1, got {level!r}")


def mean_estimate(
    scores: Sequence[float],
    level: float = 0.95,
    clusters: Sequence[Any] | None = None,
    method: Method = "auto",
) -> Interval:
    """The interval of a mean: within [0, 1] if the scores are, else without an upper bound.

    Without scores all numbers are NaN.

    >>> "{:.2f} to {:.2f}".format(*mean_estimate([1.0] * 10)[:2])
    '0.69 to 1.00'
    >>> mean_estimate([0.0, 3.0]).high > 1
    True
    """
    if not scores:
        return Interval(math.nan, math.nan, method, math.nan, None)
    bounds = (0.0, 1.0)
    if max(scores) > 1:
        bounds = (0.0, math.inf)
    if min(scores) < 0:
        bounds = (-math.inf, math.inf)
    return interval(scores, confidence_level=level, method=method, clusters=clusters, bounds=bounds)
