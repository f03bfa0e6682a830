"""Systems rated by votes between two of them, and rankings of systems compared."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .order_agreement import ranking_agreement
    from .rating_errors import ranks_of_intervals
    from .system_ratings import pairwise_ratings

__all__ = ["pairwise_ratings", "ranking_agreement", "ranks_of_intervals"]

__getattr__ = resolver(
    __name__,
    {
        "pairwise_ratings": "system_ratings",
        "ranking_agreement": "order_agreement",
        "ranks_of_intervals": "rating_errors",
    },
)
