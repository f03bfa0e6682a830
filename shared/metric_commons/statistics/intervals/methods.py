"""The names of methods for intervals and corrections of p-values, without the computations.

A command line shows them in its help, which should not wait for numpy.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

from ..arguments.checks import OptionError, shown
from ..arguments.domains import Parsed

if TYPE_CHECKING:
    from ..arguments.arrays import Integers
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
    def numbers(self) -> "Integers | None":
        """Return the number of the cluster of each row, from 0 on; None for independent rows."""
        return getattr(self.clusters, "numbers", None)

    def check_drawn(self) -> None:
        """Check that the method is one of those of scores that are no means of rows."""
        if self.method not in ("auto", "bootstrap"):
            raise OptionError("method", f"{self.method!r} is for means of rows; take 'auto'")

    @property
    def draws(self) -> dict[str, int]:
        """Return the options of random draws."""
        return {"n_resamples": int(self.n_resamples), "seed": int(self.seed)}


def score_bounds(bounds: Sequence[float], *, infinite: bool = False) -> tuple[float, float]:
    """Return the lowest and the highest possible score.

    Args:
        bounds: both.
        infinite: whether the highest one, or both, may be infinite.

    Raises:
        ValueError: they are not two such numbers in this order.

    >>> score_bounds([0, 100])
    (0.0, 100.0)
    """
    try:
        low, high = map(float, bounds)
    except (TypeError, ValueError, OverflowError):
        low = high = math.nan
    is_open = infinite and (math.isfinite(low) or (low, high) == (-math.inf, math.inf))
    if not (low < high and (is_open or math.isfinite(high - low))):
        known = "such as (0, 1), (0, inf) or (-inf, inf)" if infinite else "such as (0, 1)"
        raise OptionError(
            "bounds", f"must be the lowest and the highest score, {known}, got {shown(bounds)}"
        )
    return low, high


_WORDS = "the lowest and the highest score"
ScoreBounds = Annotated[Sequence[float], Parsed(score_bounds, _WORDS)]
Bounds = Annotated[Sequence[float], Parsed(partial(score_bounds, infinite=True), _WORDS)]
