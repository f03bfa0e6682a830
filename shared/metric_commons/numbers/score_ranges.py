"""Between which numbers scores lie, which a module declares by patterns of their names."""

import math
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from types import MappingProxyType
from typing import Any

# The least and the greatest value, None for no end; of the patterns that fit the first one counts.
# A score that is no number, such as a name, has None in place of both.
Ranges = Mapping[str, tuple[float | None, float | None] | None]

SHARES: Ranges = MappingProxyType({"*": (0.0, 1.0)})

_ROUNDING = 1e-9  # relative, by which a sum of rounded terms may pass an end


def score_range(name: str, ranges: Ranges) -> tuple[float, float] | None:
    """The least and the greatest value of a score; None if it is no number.

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
    """The first of the patterns that a name fits; parts of one evaluation ask for the same ones."""
    return next((pattern for pattern in patterns if fnmatchcase(name.lower(), pattern)), None)


def check_score(name: str, value: Any, ranges: Ranges) -> None:
    """Nothing, if a score may have this value; one that is undefined is None or NaN.

    Lists and objects, such as curves and confusion matrices, are not looked into.

    Raises:
        ValueError: it may not.

    >>> check_score("qa_em", 7.5, SHARES)
    Traceback (most recent call last):
    ValueError: qa_em is 7.5, but it lies between 0 and 1
    """
    ends = score_range(name, ranges)
    if ends is None or value is None or isinstance(value, list | tuple | Mapping):
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} is {value!r}, but it is a number")
    low, high = ends
    room = _ROUNDING * max([1.0, *(abs(end) for end in ends if math.isfinite(end))])
    if value < low - room or value > high + room:
        expected = f"lies between {low:g} and {high:g}"
        if math.isinf(high):
            expected = f"is at least {low:g}"
        elif math.isinf(low):
            expected = f"is at most {high:g}"
        raise ValueError(f"{name} is {value!r}, but it {expected}")
