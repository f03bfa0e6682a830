"""The points of the ROC, precision-recall and detection error curves of a binary task."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .score_counts import ScoreCounts


def roc_curve(counts: ScoreCounts, drop_intermediate: bool = True) -> dict[str, list[float]]:
    """Return the corners of the ROC curve, from threshold infinity down, as in scikit-learn.

    With `drop_intermediate=False`, all points of the curve, including those on straight lines.

    A rate that would divide by zero is NaN: "tpr" without positives, "fpr" without negatives.

    >>> from .score_counts import score_counts
    >>> counts = score_counts(np.array([0.1, 0.4, 0.8]), np.array([False, True, True]))
    >>> roc_curve(counts)
    {'fpr': [0.0, 0.0, 0.0, 1.0], 'tpr': [0.0, 0.5, 1.0, 1.0], 'thresholds': [inf, 0.8, 0.4, 0.1]}
    """
    true_positives = counts.true_positives[::-1]
    false_positives = counts.false_positives[::-1]
    is_corner = np.ones(true_positives.size, bool)
    if drop_intermediate and true_positives.size > 2:
        # A point in the middle of a straight line is not a corner.
        is_corner[1:-1] = (np.diff(true_positives, 2) != 0) | (np.diff(false_positives, 2) != 0)
    return {
        "fpr": _rates(false_positives[is_corner]),
        "tpr": _rates(true_positives[is_corner]),
        "thresholds": [math.inf, *counts.scores[::-1][is_corner].tolist()],
    }


def _rates(cumulated: NDArray[Any]) -> list[float]:
    """Cumulative counts after a 0, divided by the last one, which is the total; NaN if it is 0.

    >>> _rates(np.array([1, 1, 2]))
    [0.0, 0.5, 0.5, 1.0]
    """
    if not cumulated.size or not cumulated[-1]:
        return [math.nan] * (cumulated.size + 1)
    return [0.0, *(cumulated / cumulated[-1]).tolist()]


def pr_curve(counts: ScoreCounts, drop_intermediate: bool = False) -> dict[str, list[float]]:
    """Return the precision-recall curve at each distinct score, ascending, as in scikit-learn.

    It ends with precision 1 and recall 0, without a threshold. Without positives,
    recall is 1. With `drop_intermediate`, only the first and the last point of each recall are
    kept.

    >>> from .score_counts import score_counts
    >>> pr_curve(score_counts(np.array([0.1, 0.4]), np.array([False, True])))
    {'precision': [0.5, 1.0, 1.0], 'recall': [1.0, 1.0, 0.0], 'thresholds': [0.1, 0.4]}
    """
    recall = np.ones(counts.scores.size)
    if counts.total_positives:
        recall = counts.true_positives / counts.true_positives[0]
    is_shown = np.ones(counts.scores.size, bool)
    if drop_intermediate:
        is_shown = _changes(counts.true_positives)
    return {
        "precision": [*counts.precision[is_shown].tolist(), 1.0],
        "recall": [*recall[is_shown].tolist(), 0.0],
        "thresholds": counts.scores[is_shown].tolist(),
    }


def _changes(cumulated: NDArray[Any]) -> NDArray[np.bool]:
    """Where a cumulative count differs from the one before or after it, and both ends.

    >>> _changes(np.array([5, 5, 5, 3, 0])).tolist()
    [True, False, True, True, True]
    """
    changes = np.diff(cumulated) != 0
    edge = [True]
    changed: NDArray[np.bool] = np.concatenate([edge, changes[:-1] | changes[1:], edge])
    return changed if cumulated.size > 2 else np.ones(cumulated.size, bool)


def det_curve(counts: ScoreCounts, drop_intermediate: bool = False) -> dict[str, list[float]]:
    """Return the detection error tradeoff.

    False positive and false negative rate, as in scikit-learn.

    One point per distinct score, ascending, from the last one without a false negative to the first
    one without a false positive, which may be infinity. A rate that would divide by zero is NaN.

    Source:
        Martin et al., The DET curve in assessment of detection task performance (1997).

    >>> from .score_counts import score_counts
    >>> scores, positive = np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True])
    >>> det_curve(score_counts(scores, positive))
    {'fpr': [0.5, 0.5, 0.0], 'fnr': [0.0, 0.5, 0.5], 'thresholds': [0.35, 0.4, 0.8]}
    """
    false_positives = np.append(counts.false_positives, 0)
    true_positives = np.append(counts.true_positives, 0)
    thresholds = np.append(counts.scores, math.inf)
    if drop_intermediate:
        is_shown = _changes(true_positives)
        false_positives, true_positives, thresholds = (
            numbers[is_shown] for numbers in (false_positives, true_positives, thresholds)
        )
    positives, negatives = counts.total_positives, counts.total_negatives
    first = int(np.count_nonzero(true_positives == true_positives[0])) - 1
    stop = false_positives.size - int(np.count_nonzero(false_positives == 0)) + 1
    part = slice(first, max(stop, first + 1))
    nan = np.full(thresholds[part].size, math.nan)
    return {
        "fpr": (false_positives[part] / negatives if negatives else nan).tolist(),
        "fnr": ((positives - true_positives[part]) / positives if positives else nan).tolist(),
        "thresholds": thresholds[part].tolist(),
    }
