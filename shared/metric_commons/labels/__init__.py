"""Labels: classes, scores at thresholds, tagged spans and clusters."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .classification.classification_measures import classification_scores
    from .classification.confusion import report_text
    from .clustering.clustering_measures import clustering_scores
    from .spans.spans import span_statistics

__all__ = [
    "classification_scores",
    "clustering_scores",
    "report_text",
    "span_statistics",
]

__getattr__ = resolver(
    __name__,
    {
        "classification_scores": "classification.classification_measures",
        "clustering_scores": "clustering.clustering_measures",
        "report_text": "classification.confusion",
        "span_statistics": "spans.spans",
    },
)
