"""The area under the ROC curve for several labels: every pair of labels against each other."""

import math
from itertools import combinations

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arguments.checks import OptionError
from .areas import InfluencedScore, RowScores, influenced_score, roc_auc
from .one_vs_rest import OneVsRest, undefined


def one_vs_one_roc_auc(columns: OneVsRest, average: str) -> InfluencedScore:
    """The area under the ROC curve among the rows of two labels, averaged over pairs of labels.

    The area of a pair is the mean of two areas, one for the scores of each label. Unlike the area
    against the rest, it does not change if the rows of a label are repeated.

    Args:
        columns: scores, and the one label of each row.
        average: "macro", or "weighted" by the rows that have one of the two labels.

    Raises:
        ValueError: the average is not supported.

    Source:
        Hand and Till, A simple generalisation of the area under the ROC curve for multiple class
        classification problems (2001).
    """
    if average not in ("macro", "weighted"):
        raise OptionError(
            "multi_class", f"'ovo' needs average='macro' or 'weighted', got {average!r}"
        )
    weights = np.ones(len(columns.scores)) if columns.weights is None else columns.weights
    areas: list[tuple[InfluencedScore, float, Integers]] = []  # with weights, and rows
    for pair in combinations(range(columns.scores.shape[1]), 2):
        rows = np.flatnonzero(np.isin(columns.references, pair))
        weight = math.fsum(weights[rows].tolist()) if average == "weighted" else 1.0
        for label in pair if weight else ():
            of_label = RowScores(
                np.ascontiguousarray(columns.scores[rows, label]),
                columns.is_positive(label)[rows],
                None if columns.weights is None else columns.weights[rows],
            )
            area = influenced_score(of_label, roc_auc(of_label.counts))
            areas.append((area, weight / 2, rows))
    total = math.fsum(weight for _, weight, _ in areas)
    if not total:
        return undefined(len(columns.scores))

    def influences() -> Floats:
        sums = np.zeros(len(columns.scores))
        for area, weight, rows in areas:
            sums[rows] += area.influences() * (weight / total)
        return sums

    score = math.fsum(area.score * weight for area, weight, _ in areas) / total
    return InfluencedScore(score, influences)
