"""Scores of predictions with a probability for each of several labels, one of which is true."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from .areas import AREAS, InfluencedScore
from .one_vs_one import one_vs_one_roc_auc
from .one_vs_rest import OneVsRest, mean_over_rows, undefined
from .score_counts import EPSILON

MultiClass = Literal["ovr", "ovo"]


def multiclass_scores(
    columns: OneVsRest, average: str, multi_class: MultiClass, *, probabilities: bool
) -> dict[str, InfluencedScore]:
    """Return the areas of each label against the rest, averaged, and the losses of whole rows.

    Args:
        columns: probabilities or other scores, and the one label of each row.
        average: as in `OneVsRest.averages`.
        multi_class: "ovo" for the area under the ROC curve of every two labels.
        probabilities: whether the scores are probabilities; otherwise losses are NaN.
    """
    scores = columns.averages(AREAS, average)
    if multi_class == "ovo":
        scores["roc_auc"] = one_vs_one_roc_auc(columns, average)
    if not probabilities:
        return scores | dict.fromkeys(("log_loss", "brier"), undefined(len(columns.scores)))
    return scores | _losses(columns)


def _losses(columns: OneVsRest) -> dict[str, InfluencedScore]:
    """Log loss, and the Brier score of all probabilities of a row, from 0 to 2.

    Source:
        Brier, Verification of forecasts expressed in terms of probability (1950).
    """
    rows = np.arange(len(columns.scores))
    likelihoods = columns.scores[rows, columns.references]
    errors = columns.scores.copy()
    errors[rows, columns.references] -= 1
    losses = {
        "log_loss": -np.log(np.clip(likelihoods, EPSILON, 1 - EPSILON)),
        "brier": (errors**2).sum(axis=1),
    }
    return {name: mean_over_rows(values, columns.weights) for name, values in losses.items()}


_BLOCK = 1 << 18  # scores at a time, so that intermediate arrays fit into the cache


def top_k_hits(scores: Floats, references: Integers, sizes: Sequence[int]) -> list[Floats]:
    """1.0 for each row whose label is among the k highest scores, else 0.0, for each k.

    In a tie, the later label comes first, as in scikit-learn.

    Args:
        scores: the scores of each label, shape (rows, labels).
        references: the label of each row, from 0.
        sizes: each k.

    >>> scores = np.array([[0.5, 0.2, 0.2, 0.1], [0.5, 0.2, 0.2, 0.1]])
    >>> [hits.tolist() for hits in top_k_hits(scores, np.array([1, 2]), [1, 2, 3])]
    [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    rows, labels = scores.shape
    competitors = np.empty(rows, np.int64)
    step = max(_BLOCK // labels, 1)
    columns = np.arange(labels)
    for start in range(0, rows, step):
        block, reference = scores[start : start + step], references[start : start + step]
        score = block[np.arange(len(block)), reference][:, np.newaxis]
        is_competitor = block >= score
        competitors[start : start + step] = np.count_nonzero(is_competitor, axis=1) - 1
        # Each row counts itself; among equal scores, labels before it do not count.
        tied = np.flatnonzero(np.count_nonzero(block == score, axis=1) > 1)
        if tied.size:
            losers = (block[tied] == score[tied]) & (columns < reference[tied, np.newaxis])
            competitors[start + tied] -= np.count_nonzero(losers, axis=1)
    return [(competitors < size).astype(np.float64) for size in sizes]
