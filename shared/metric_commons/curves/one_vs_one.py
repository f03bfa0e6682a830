"""The area under the ROC curve of several labels: every two labels against each other."""

import math
from itertools import combinations

import numpy as np

from ..numbers.arrays import Floats, Integers
from ..numbers.checks import OptionError
from .areas import RowScores, ScoreWithVariance, roc_auc, with_variance
from .one_vs_rest import OneVsRest, sum_of_squares, undefined
from .score_counts import score_counts


def one_vs_one_roc_auc(columns: OneVsRest, average: str) -> ScoreWithVariance:
    """The mean over pairs of labels of the area among the rows of the two.

    The area of a pair is the mean of two: that of the scores of the one label and that of the
    other. It does not change if rows of a label are repeated, as that against the rest does.

    Args:
        columns: scores, and the one label of each row.
        average: "macro", or "weighted" by the rows that have one of the two labels.

    Raises:
        ValueError: there is no such average.

    Source:
        Hand and Till, A simple generalisation of the area under the ROC curve for multiple class
        classification problems (2001).
    """
    if average not in ("macro", "weighted"):
        raise OptionError(
            "multi_class", f"'ovo' has average='macro' or 'weighted', got {average!r}"
        )
    weights = np.ones(len(columns.scores)) if columns.weights is None else columns.weights
    areas: list[tuple[ScoreWithVariance, float, Integers]] = []  # with shares, and rows
    for pair in combinations(range(columns.scores.shape[1]), 2):
        rows = np.flatnonzero(np.isin(columns.references, pair))
        share = math.fsum(weights[rows].tolist()) if average == "weighted" else 1.0
        for label in pair if share else ():
            of_label = RowScores(
                np.ascontiguousarray(columns.scores[rows, label]),
                columns.is_positive(label)[rows],
                None if columns.weights is None else columns.weights[rows],
            )
            counts = score_counts(*of_label)
            areas.append((with_variance(counts, of_label, roc_auc(counts)), share / 2, rows))
    total = math.fsum(share for _, share, _ in areas)
    if not total:
        return undefined(len(columns.scores))

    def influences() -> Floats:
        sums = np.zeros(len(columns.scores))
        for area, share, rows in areas:
            sums[rows] += area.influences() * (share / total)
        return sums

    score = math.fsum(area.score * share for area, share, _ in areas) / total
    return ScoreWithVariance(score, lambda: sum_of_squares(influences()), influences)
