"""The sums of Python's `sum`, whichever Python runs: until 3.11 it rounds after each addition.

From 3.12 on `sum` also accumulates the rounding errors, and adds them at the end. Programs that
compute means with `sum` therefore return different last digits on different versions of Python.

Source:
    Neumaier, Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen, ZAMM 54, 1974.
"""

import math
import re

import numpy as np
from numpy.typing import ArrayLike

_COMPENSATED_SINCE = (3, 12)


def running_sum(values: ArrayLike) -> float:
    """Return the sum that is rounded after each addition, as by `sum` of Python 3.11.

    Args:
        values: shape (rows,).

    >>> running_sum([0.1] * 10)
    0.9999999999999999
    """
    terms = np.asarray(values, np.float64)
    return float(np.add.accumulate(terms)[-1]) if terms.size else 0.0


def compensated_sum(values: ArrayLike) -> float:
    """The sum with the rounding errors of all additions added at the end, as by `sum` of 3.12.

    Args:
        values: shape (rows,).

    >>> compensated_sum([0.1] * 10)
    1.0
    """
    terms = np.asarray(values, np.float64)
    if not terms.size:
        return 0.0
    totals = np.add.accumulate(terms)
    earlier_totals, later_totals, addends = totals[:-1], totals[1:], terms[1:]
    with np.errstate(invalid="ignore"):  # infinities, whose errors do not count
        is_total_greater = np.abs(earlier_totals) >= np.abs(addends)
        greater = np.where(is_total_greater, earlier_totals, addends)
        lesser = np.where(is_total_greater, addends, earlier_totals)
        error = running_sum((greater - later_totals) + lesser)
    total = float(totals[-1])
    return total + error if error and math.isfinite(error) else total


def is_compensated(python_version: str) -> bool:
    """Return whether `sum` of this version of Python compensates its rounding errors.

    Raises:
        ValueError: this is not a version, such as "3.11" or "3.13.1".

    >>> is_compensated("3.11.9"), is_compensated("3.12")
    (False, True)
    """
    match = re.match(r"(\d+)\.(\d+)(\.|$)", python_version)
    if match is None:
        raise ValueError(f"python_version is {python_version!r}, not a version such as '3.12'")
    return (int(match[1]), int(match[2])) >= _COMPENSATED_SINCE
