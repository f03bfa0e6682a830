"""The names of methods for intervals and corrections of p-values, without the computations.

A command line shows them in its help, which should not wait for numpy.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from ..arguments.checks import OptionError, shown
from ..arguments.domains import Parsed

if TYPE_CHECKING:
    from .cluster_sums import Clusters
    from .crossed import CrossedClusters

Method = Literal["auto", "bootstrap", "t", "wilson"]
DrawnMethod = Literal["auto", "bootstrap"]  # of scores that are no means of rows
Correction = Literal["bonferroni", "holm", "benjamini_hochberg", "none"]
Assumption = Literal["exchangeable", "nothing"]


@dataclass(frozen=True)
class Uncertainty:
    """What a score is told about its interval.

    The methods are "auto", the law of random weights and one unseen row; "bootstrap", the
    percentiles of resamples; and for means of rows "t" and, if all are 0 or 1, "wilson".
    """

    level: float = 0.95
    method: Method = "auto"
    clusters: "Clusters | CrossedClusters | None" = None  # of the rows at hand
    n_resamples: int = 10_000
    seed: int = 0

    @property
    def draws(self) -> dict[str, int]:
        """Return the options of random draws."""
        return {"n_resamples": int(self.n_resamples), "seed": int(self.seed)}


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
