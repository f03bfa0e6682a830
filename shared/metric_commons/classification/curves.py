"""The points of the ROC curve and of the precision-recall curve of a binary task."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .score_counts import ScoreCounts


def roc_curve(counts: ScoreCounts) -> dict[str, list[float]]:
    """The corners of the ROC curve, from threshold infinity down, as in scikit-learn.

    A rate without rows to divide by is NaN: "tpr" without positives, "fpr" without negatives.

    >>> from .score_counts import score_counts
    >>> counts = score_counts(np.array([0.1, 0.4, 0.8]), np.array([False, True, True]))
    >>> roc_curve(counts)
    {'fpr': [0.0, 0.0, 0.0, 1.0], 'tpr': [0.0, 0.5, 1.0, 1.0], 'thresholds': [inf, 0.8, 0.4, 0.1]}
    """
    true_positives = counts.true_positives[::-1]
    false_positives = counts.false_positives[::-1]
    is_corner = np.ones(true_positives.size, bool)
    if true_positives.size > 2:  # a point in the middle of a straight line is no corner
        is_corner[1:-1] = (np.diff(true_positives, 2) != 0) | (np.diff(false_positives, 2) != 0)
    return {
        "fpr": _rates(false_positives[is_corner]),
        "tpr": _rates(true_positives[is_corner]),
        "thresholds": [math.inf, *counts.scores[::-1][is_corner].tolist()],
    }


def _rates(cumulated: NDArray[Any]) -> list[float]:
    """Cumulated counts as shares of the last one, which is the total, after a 0; NaN without any.

    >>> _rates(np.array([1, 1, 2]))
    [0.0, 0.5, 0.5, 1.0]
    """
    if not cumulated.size or not cumulated[-1]:
        return [math.nan] * (cumulated.size + 1)
    return [0.0, *(cumulated / cumulated[-1]).tolist()]


def pr_curve(counts: ScoreCounts) -> dict[str, list[float]]:
    """The precision-recall curve at each distinct score, ascending, as in scikit-learn.

    It ends with precision 1 and recall 0, for which there is no threshold. Without positives recall
    is 1.

    >>> from .score_counts import score_counts
    >>> pr_curve(score_counts(np.array([0.1, 0.4]), np.array([False, True])))
    {'precision': [0.5, 1.0, 1.0], 'recall': [1.0, 1.0, 0.0], 'thresholds': [0.1, 0.4]}
    """
    recall = np.ones(counts.scores.size)
    if counts.total_positives:
        recall = counts.true_positives / counts.true_positives[0]
    return {
        "precision": [*counts.precision.tolist(), 1.0],
        "recall": [*recall.tolist(), 0.0],
        "thresholds": counts.scores.tolist(),
    }
