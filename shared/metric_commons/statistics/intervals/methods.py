"""The names of methods for intervals and corrections of p-values, without the computations.

A command line shows them in its help, which should not wait for numpy.
"""

import math
from collections.abc import Sequence
from typing import Annotated, Literal

from ..arguments.checks import OptionError, shown
from ..arguments.domains import Parsed

Method = Literal[
    "auto",
    "korn_graubard",
    "wilson",
    "clopper_pearson",
    "mid_p",
    "t",
    "log_t",
    "bootstrap",
]
AnyMethod = Literal[Method, "linearized", "normal", "sandwich", "hessian"]  # those of all modules
Correction = Literal["bonferroni", "max_t", "holm", "benjamini_hochberg", "none"]
Assumption = Literal["exchangeable", "nothing"]


def difference_range(bounds: Sequence[float]) -> tuple[float, float]:
    """Return the smallest and the largest possible difference of two scores.

    Raises:
        ValueError: they are not two finite numbers, or 0 is not between them.

    >>> difference_range([-0.2, 1])
    (-0.2, 1.0)
    """
    try:
        low, high = map(float, bounds)
    except (TypeError, ValueError, OverflowError):
        low = high = math.nan
    if not (low <= 0 <= high and low < high and math.isfinite(high - low)):
        raise OptionError(
            "bounds",
            "must be the smallest and the largest difference, such as (-0.2, 0.2), "
            f"got {shown(bounds)}",
        )
    return low, high


DifferenceBounds = Annotated[
    Sequence[float], Parsed(difference_range, "the smallest and the largest difference")
]
