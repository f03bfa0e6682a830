"""Labels: classes, scores at thresholds, tagged spans and clusters."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .classification.classification_measures import classification_scores
    from .classification.confusion import report_text
    from .classification.labels import label_scores, label_table
    from .clustering.clustering_measures import clustering_scores
    from .spans.spans import span_statistics
    from .thresholds.calibration import calibration
    from .thresholds.curves import det_curve, pr_curve, roc_curve

__all__ = [
    "calibration",
    "classification_scores",
    "clustering_scores",
    "det_curve",
    "label_scores",
    "label_table",
    "pr_curve",
    "report_text",
    "roc_curve",
    "span_statistics",
]

__getattr__ = resolver(
    __name__,
    {
        "calibration": "thresholds.calibration",
        "clustering_scores": "clustering.clustering_measures",
        "classification_scores": "classification.classification_measures",
        "det_curve": "thresholds.curves",
        "label_scores": "classification.labels",
        "label_table": "classification.labels",
        "pr_curve": "thresholds.curves",
        "report_text": "classification.confusion",
        "roc_curve": "thresholds.curves",
        "span_statistics": "spans.spans",
    },
)
