"""Scores of rows with any number of labels, from one predicted score per label."""

import math
from typing import Any, Literal

import numpy as np

from ...statistics.arguments.arrays import Booleans, Column, Floats
from ..thresholds.areas import AREAS, LOSSES, InfluencedScore
from ..thresholds.one_vs_rest import OneVsRest, mean_over_rows
from ..thresholds.score_counts import EPSILON
from ..thresholds.score_rows import THRESHOLD, check_range, finite_scores
from .classes import Classes
from .multilabel import LabelIndicators


class IndicatorScores:
    """References as rows of 0 and 1, and a predicted score for each label of a row.

    Args:
        predictions: a float for each label of each row.
        references: rows of 0 and 1.
        threshold: labels with at least this score are predicted; must be given explicitly for
            scores outside 0 to 1.
        labels: the positions of the labels to average over and to show; None for all.
        average: "macro", "micro", "weighted", "samples" or "none"; None for "macro".
        sample_weight: one finite, non-negative number per row; None for equal weights.

    Raises:
        ValueError: scores, labels and options do not fit together; names the row if there is one.

    >>> predicted = IndicatorScores([[0.1, 0.7], [0.4, 0.6]], [[0, 1], [1, 0]])
    >>> predicted.table.matrices.tolist()
    [[[1, 0], [1, 0]], [[0, 1], [0, 1]]]

    """

    task: Classes
    binary: Literal[False] = False
    probabilities = True  # whether all scores are from 0 to 1

    def __init__(
        self,
        predictions: Column,
        references: Column,
        *,
        threshold: float = THRESHOLD,
        labels: Any = None,
        average: str | None = None,
        sample_weight: Any = None,
    ) -> None:
        scores, ends = finite_scores(predictions)
        check_range(scores, ends, threshold)
        self.table = LabelIndicators(
            (scores >= threshold).view(np.uint8), references, sample_weight
        )
        self.task = self.table.task(labels=labels, average=average)
        selection = self.task.selection
        self.weights = self.table.weights
        self.columns = labels
        self.references: Booleans = self.table.references[:, selection] == 1
        self.one_vs_rest = OneVsRest(scores[:, selection], self.references, self.weights)


def multilabel_scores(columns: OneVsRest, average: str) -> dict[str, InfluencedScore]:
    """Return the areas and losses of each label, averaged.

    Args:
        columns: the scores, and which labels each row has.
        average: as in `OneVsRest.averages`; or "samples", for the mean over rows of the areas and
            losses of their labels.
    """
    if average != "samples":
        return columns.averages(AREAS | LOSSES, average)
    positive = np.asarray(columns.references, dtype=np.bool_)
    by_row = row_areas(columns.scores, positive) | _row_losses(columns.scores, positive)
    return {name: mean_over_rows(values, columns.weights) for name, values in by_row.items()}


def row_areas(scores: Floats, positive: Booleans) -> dict[str, Floats]:
    """Return the areas of each row, treating its labels as samples; shape (rows,).

    They are NaN in a row without positives; ROC AUC is also NaN in a row without negatives.

    >>> scores, positive = np.array([[0.1, 0.4, 0.35, 0.8]]), np.array([[False, False, True, True]])
    >>> {name: values.round(4).tolist() for name, values in row_areas(scores, positive).items()}
    {'roc_auc': [0.75], 'pr_auc': [0.7917], 'average_precision': [0.8333]}
    """
    labels = scores.shape[1]
    order = np.argsort(-scores, axis=1, kind="stable")
    scores = np.take_along_axis(scores, order, axis=1)
    is_hit = np.take_along_axis(positive, order, axis=1)
    hits = np.cumsum(is_hit, axis=1)
    # Equal scores form one point of a curve: each gets the rank of the last of them, and that of
    # the last one above them.
    changes = scores[:, 1:] != scores[:, :-1]
    ranks = np.arange(1, labels + 1)
    edge = np.ones((len(scores), 1), dtype=np.bool_)
    group_ends = np.where(np.hstack([changes, edge]), ranks, labels)
    last = np.minimum.accumulate(group_ends[:, ::-1], axis=1)[:, ::-1]
    group_starts = np.where(np.hstack([edge, changes]), ranks - 1, 0)
    start = np.maximum.accumulate(group_starts, axis=1)
    hits_last = np.take_along_axis(hits, last - 1, axis=1)
    hits_start = np.where(start > 0, np.take_along_axis(hits, np.maximum(start - 1, 0), axis=1), 0)
    positives = hits[:, -1].astype(np.float64)
    negatives = labels - positives
    precision = np.where(is_hit, hits_last / last, 0.0)
    start_precision = np.where(is_hit & (start > 0), hits_start / np.maximum(start, 1), is_hit)
    # Twice the negatives below a positive, plus those with the same score
    beaten = 2 * negatives[:, np.newaxis] - (last - hits_last) - (start - hits_start)
    pairs = np.where(is_hit, beaten, 0.0).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_precision = precision.sum(axis=1) / positives
        return {
            "roc_auc": pairs / (2 * positives * negatives),
            "pr_auc": (mean_precision + start_precision.sum(axis=1) / positives) / 2,
            "average_precision": mean_precision,
        }


def _row_losses(scores: Floats, positive: Booleans) -> dict[str, Floats]:
    """Return the mean losses of the labels of each row; NaN if scores are not probabilities."""
    if scores.size and (scores.min() < 0 or scores.max() > 1):
        return dict.fromkeys(("log_loss", "brier"), np.full(len(scores), math.nan))
    clipped = np.clip(scores, EPSILON, 1 - EPSILON)
    return {
        "log_loss": -np.where(positive, np.log(clipped), np.log1p(-clipped)).mean(axis=1),
        "brier": ((scores - positive) ** 2).mean(axis=1),
    }
