"""Labels: classes, scores at thresholds, tagged spans and clusters."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .classification.classification_measures import classification_scores
    from .classification.confusion import report_text
    from .clustering.clustering_measures import clustering_scores
    from .spans.spans import span_statistics
    from .thresholds.calibration import calibration
    from .thresholds.curves import det_curve, pr_curve, roc_curve

__all__ = [
    "calibration",
    "classification_scores",
    "clustering_scores",
    "det_curve",
    "pr_curve",
    "report_text",
    "roc_curve",
    "span_statistics",
]

__getattr__ = resolver(
    __name__,
    {
        "calibration": "thresholds.calibration",
        "classification_scores": "classification.classification_measures",
        "clustering_scores": "clustering.clustering_measures",
        "det_curve": "thresholds.curves",
        "pr_curve": "thresholds.curves",
        "report_text": "classification.confusion",
        "roc_curve": "thresholds.curves",
        "span_statistics": "spans.spans",
    },
)
