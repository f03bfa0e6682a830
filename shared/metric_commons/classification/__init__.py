"""Predicted labels and scores against true labels: counts, ratios, curves and their areas."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .curves import calibration, curve_scores, pr_curve, roc_curve
    from .labels import label_scores, tabulated

__all__ = [
    "calibration",
    "curve_scores",
    "label_scores",
    "pr_curve",
    "roc_curve",
    "tabulated",
]

__getattr__ = resolver(
    __name__,
    {
        "calibration": "curves",
        "curve_scores": "curves",
        "label_scores": "labels",
        "pr_curve": "curves",
        "roc_curve": "curves",
        "tabulated": "labels",
    },
)
