"""Ranges of scores, which a module declares by patterns of their names."""

import math
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from types import MappingProxyType
from typing import Any

# The lowest and the highest value, None if unbounded; the first matching pattern counts.
# A score that is not a number, such as a name, has None instead of the pair.
Ranges = Mapping[str, tuple[float | None, float | None] | None]

SHARES: Ranges = MappingProxyType({"*": (0.0, 1.0)})

_ROUNDING = 1e-9  # relative tolerance at the ends, for sums of rounded terms


def score_range(name: str, ranges: Ranges) -> tuple[float, float] | None:
    """The lowest and the highest value of a score; None if it is not a number.

    >>> score_range("mcc", {"mcc": (-1, 1), "*": (0, None)})
    (-1.0, 1.0)
    >>> score_range("log_loss", {"mcc": (-1, 1), "*": (0, None)})
    (0.0, inf)
    """
    pattern = _first_that_fits(name, tuple(ranges))
    ends = (None, None) if pattern is None else ranges[pattern]
    if ends is None:
        return None
    low, high = ends
    return -math.inf if low is None else float(low), math.inf if high is None else float(high)


@lru_cache(maxsize=1024)
def _first_that_fits(name: str, patterns: tuple[str, ...]) -> str | None:
    """The first pattern that matches a name; cached, since parts of one evaluation ask the same."""
    return next((pattern for pattern in patterns if fnmatchcase(name.lower(), pattern)), None)


def check_score(name: str, value: Any, ranges: Ranges) -> None:
    """Check that a score may have this value; an undefined score is None or NaN.

    Lists and objects, such as curves and confusion matrices, are not inspected.

    Raises:
        ValueError: the value is out of range, or not a number.

    >>> check_score("qa_em", 7.5, SHARES)
    Traceback (most recent call last):
    ValueError: qa_em is 7.5, but must lie between 0 and 1
    """
    ends = score_range(name, ranges)
    if ends is None or value is None or isinstance(value, list | tuple | Mapping):
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} is {value!r}, but must be a number")
    low, high = ends
    room = _ROUNDING * max([1.0, *(abs(end) for end in ends if math.isfinite(end))])
    if value < low - room or value > high + room:
        expected = f"lie between {low:g} and {high:g}"
        if math.isinf(high):
            expected = f"be at least {low:g}"
        elif math.isinf(low):
            expected = f"be at most {high:g}"
        raise ValueError(f"{name} is {value!r}, but must {expected}")


def observed_range(minimum: float, maximum: float) -> tuple[float, float]:
    """The probable range of a score, from its extremes: 0 to 1, 0 or more, or any number.

    >>> observed_range(0.2, 1.0), observed_range(3.0, 56.0)
    ((0.0, 1.0), (0.0, inf))
    """
    if minimum < 0:
        return -math.inf, math.inf
    return 0.0, 1.0 if maximum <= 1 + _ROUNDING else math.inf
