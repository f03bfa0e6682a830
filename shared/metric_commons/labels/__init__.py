"""Labels: classes, scores at thresholds, tagged spans and clusters."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .classification.label_report import report_text
    from .classification.labels import label_scores, label_table
    from .classification.predicted_scores import curve_scores
    from .clustering.clustering_measures import clustering_scores
    from .spans.spans import span_statistics
    from .thresholds.calibration_bins import calibration
    from .thresholds.curves import det_curve, pr_curve, roc_curve

__all__ = [
    "calibration",
    "clustering_scores",
    "curve_scores",
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
        "calibration": "thresholds.calibration_bins",
        "clustering_scores": "clustering.clustering_measures",
        "curve_scores": "classification.predicted_scores",
        "det_curve": "thresholds.curves",
        "label_scores": "classification.labels",
        "label_table": "classification.labels",
        "pr_curve": "thresholds.curves",
        "report_text": "classification.label_report",
        "roc_curve": "thresholds.curves",
        "span_statistics": "spans.spans",
    },
)
