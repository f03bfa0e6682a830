"""The area under the left part of the ROC curve, up to a false positive rate."""

import math

import numpy as np

from ...statistics.arguments.arrays import Floats
from .areas import UNDEFINED, ScoreWithInfluence
from .score_counts import ScoreCounts


def partial_roc_auc(counts: ScoreCounts, max_fpr: float) -> ScoreWithInfluence:
    """Return the area up to a false positive rate, scaled so that chance is 0.5 and perfection 1.

    It is the mean over positives of the proportion of false positive rates up to `max_fpr` that lie
    to the right of their score. Negatives with tied scores form a line of the curve, on which the
    rate grows steadily. The end of the range depends on the negatives; its influence is that of a
    quantile.

    Source:
        McClish, Analyzing a portion of the ROC curve (1989), for the scale; Dodd and Pepe, Partial
        AUC estimation and regression (2003).

    >>> from .score_counts import score_counts
    >>> scores, positive = np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True])
    >>> round(partial_roc_auc(score_counts(scores, positive), 0.3).score, 4)
    0.7059
    """
    positives, negatives = counts.total_positives, counts.total_negatives
    if not positives or not negatives:
        return UNDEFINED
    # Rates at the right and at the left end of the line for each score
    fpr, tpr = counts.false_positives / negatives, counts.true_positives / positives
    left = (counts.false_positives - counts.negatives) / negatives
    width = fpr - left
    # The part of the rates from 0 to `max_fpr` to the right of a positive with each score
    overlap = np.clip(max_fpr - left, 0.0, width)
    steps = np.where(overlap < width, overlap**2, (2 * (max_fpr - left) - width) * width)
    right = np.divide(steps, 2 * width, out=np.clip(max_fpr - left, 0.0, None), where=width > 0)
    area = math.fsum((right * counts.positives).tolist()) / positives
    triangle = max_fpr**2 / 2  # the area of chance
    slope = 0.5 / (max_fpr - triangle)

    def influence() -> tuple[Floats, Floats]:
        share = np.divide(overlap, width, out=(left < max_fpr).astype(float), where=width > 0)
        tpr_left = tpr - counts.positives / positives
        tpr_end = tpr_left + share * (tpr - tpr_left)
        is_last = (left < max_fpr) & (fpr >= max_fpr) & (width > 0)
        at_end = float(tpr_end[is_last].max()) if is_last.any() else 1.0
        negative = share * (tpr_left + tpr_end) / 2 - area - at_end * (share - max_fpr)
        return slope * (right - area) / positives, slope * negative / negatives

    return ScoreWithInfluence(0.5 + slope * (area - triangle), influence)
