"""Rankings of documents: their order, trec_eval's measures, and scores of whole runs."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .names import parse_measures
    from .order import rankings
    from .ranking_measures import average, scores
    from .runs import score_run

__all__ = [
    "average",
    "parse_measures",
    "rankings",
    "score_run",
    "scores",
]

__getattr__ = resolver(
    __name__,
    {
        "average": "ranking_measures",
        "parse_measures": "names",
        "rankings": "order",
        "score_run": "runs",
        "scores": "ranking_measures",
    },
)
