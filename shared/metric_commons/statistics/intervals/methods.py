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
Correction = Literal["bonferroni", "holm", "benjamini_hochberg", "none"]
Assumption = Literal["exchangeable", "nothing"]


def score_bounds(bounds: Sequence[float]) -> tuple[float, float]:
    """Return the lowest and the highest possible score.

    Raises:
        ValueError: they are not two finite numbers in this order.

    >>> score_bounds([0, 100])
    (0.0, 100.0)
    """
    try:
        low, high = map(float, bounds)
    except (TypeError, ValueError, OverflowError):
        low = high = math.nan
    if not (low < high and math.isfinite(high - low)):
        raise OptionError(
            "bounds",
            f"must be the lowest and the highest score, such as (0, 1), got {shown(bounds)}",
        )
    return low, high


ScoreBounds = Annotated[Sequence[float], Parsed(score_bounds, "the lowest and the highest score")]
