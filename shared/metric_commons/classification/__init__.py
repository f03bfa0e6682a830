"""Scores of classifiers, from predicted labels or scores: counts, ratios, curves and areas."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from ..curves.calibration_bins import calibration
    from ..curves.curves import det_curve, pr_curve, roc_curve
    from .label_report import report_text
    from .labels import label_scores, label_table
    from .predicted_scores import curve_scores

__all__ = [
    "calibration",
    "curve_scores",
    "det_curve",
    "label_scores",
    "label_table",
    "pr_curve",
    "report_text",
    "roc_curve",
]

__getattr__ = resolver(
    __name__,
    {
        "calibration": ".curves.calibration_bins",
        "curve_scores": "predicted_scores",
        "det_curve": ".curves.curves",
        "label_scores": "labels",
        "label_table": "labels",
        "pr_curve": ".curves.curves",
        "report_text": "label_report",
        "roc_curve": ".curves.curves",
    },
)
