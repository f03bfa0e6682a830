"""Predicted labels, scores and spans against true ones: counts, ratios, curves and areas."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .calibration_bins import calibration
    from .curves import det_curve, pr_curve, roc_curve
    from .label_report import report_text
    from .labels import label_scores, label_table
    from .predicted_scores import curve_scores
    from .spans import span_statistics

__all__ = [
    "calibration",
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
        "calibration": "calibration_bins",
        "curve_scores": "predicted_scores",
        "det_curve": "curves",
        "label_scores": "labels",
        "label_table": "labels",
        "pr_curve": "curves",
        "report_text": "label_report",
        "roc_curve": "curves",
        "span_statistics": "spans",
    },
)
