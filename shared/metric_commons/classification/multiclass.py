"""Areas and losses of a probability for each of several labels.

The areas are those of each label against the rest, averaged; the losses are those of whole rows.
"""

import math

import numpy as np

from ..numbers.arrays import Floats, Integers
from ..numbers.contingency import scaled_weights
from .areas import (
    AREAS,
    RowScores,
    ScoreWithInfluence,
    ScoreWithVariance,
    row_influences,
    with_variance,
)
from .score_counts import EPSILON, ScoreCounts, score_counts


def one_vs_rest_counts(
    probabilities: Floats, references: Integers, weights: Floats | None
) -> list[ScoreCounts]:
    """The counts of each label against the rest.

    Args:
        probabilities: of each label, shape (rows, labels).
        references: the label of each row, from 0.
        weights: of the rows, or None.
    """
    return [
        score_counts(np.ascontiguousarray(column), references == label, weights)
        for label, column in enumerate(probabilities.T)
    ]


def multiclass_scores(
    probabilities: Floats,
    references: Integers,
    weights: Floats | None,
    counts: list[ScoreCounts],
    average: str,
) -> dict[str, ScoreWithVariance]:
    """The areas and losses of probabilities of several labels.

    Args:
        probabilities: of each label, shape (rows, labels).
        references: the label of each row, from 0.
        weights: of the rows, or None.
        counts: of each label against the rest.
        average: "macro", "weighted" by support, "none" for a list, or "micro", which takes each
            probability for the score of a binary task of its own.
    """
    labels = probabilities.shape[1]
    shares = [1.0] * labels
    if average == "weighted":
        shares = [float(binary.total_positives) for binary in counts]
    elif average == "micro":
        is_reference = references[:, None] == np.arange(labels)
        repeated = None if weights is None else np.repeat(weights, labels)
        counts = [score_counts(probabilities.ravel(), is_reference.ravel(), repeated)]
        shares = [1.0]
    scores = {}
    rows = [
        RowScores(np.ascontiguousarray(column), references == label, weights)
        for label, column in enumerate(probabilities.T)
    ]
    for name, area in AREAS.items():
        areas = [area(binary) for binary in counts]
        if average == "none":
            scores[name] = _listed(areas, counts, rows)
        else:
            scores[name] = _averaged(areas, counts, shares, rows)
    return scores | _losses(probabilities, references, weights)


# Areas


def _listed(
    areas: list[ScoreWithInfluence], counts: list[ScoreCounts], rows: list[RowScores]
) -> ScoreWithVariance:
    """The areas of all labels as a list, and the lists of their variances and influences."""
    scores = [with_variance(*parts) for parts in zip(counts, rows, areas, strict=True)]
    return ScoreWithVariance(
        [score for score, _, _ in scores],
        lambda: [variance() for _, variance, _ in scores],
        lambda: [influences() for _, _, influences in scores],
    )


def _averaged(
    areas: list[ScoreWithInfluence],
    counts: list[ScoreCounts],
    shares: list[float],
    rows: list[RowScores],
) -> ScoreWithVariance:
    """The weighted mean of areas, NaN if one of them is; and its variance.

    There is an area for each label, or one area of all labels. The areas of different labels are
    not independent: every row has an influence on each of them. So its influences are added up
    before they are squared.
    """
    total = math.fsum(shares)
    size = rows[0].scores.size
    if any(math.isnan(area.score) for area in areas) or not total:
        return ScoreWithVariance(math.nan, lambda: math.nan, lambda: np.full(size, math.nan))
    terms = [area.score * share for area, share in zip(areas, shares, strict=True)]

    def influences() -> Floats:
        sums = np.zeros(size)
        for label, rows_of_label in enumerate(rows):
            index = label if len(areas) > 1 else 0
            influence = areas[index].influence
            if influence is None:
                return np.full(size, math.nan)
            changes = row_influences(counts[index], rows_of_label, influence())
            sums += changes * (shares[index] / total)
        return _weighted(sums, rows[0].weights)

    return ScoreWithVariance(
        math.fsum(terms) / total, lambda: _sum_of_squares(influences()), influences
    )


# Losses


def _losses(
    probabilities: Floats, references: Integers, weights: Floats | None
) -> dict[str, ScoreWithVariance]:
    """Log loss, and the Brier score of all probabilities of a row, from 0 to 2.

    Source:
        Brier, Verification of forecasts expressed in terms of probability (1950).
    """
    rows = np.arange(len(probabilities))
    likelihoods = probabilities[rows, references]
    errors = probabilities.copy()
    errors[rows, references] -= 1
    losses = {
        "log_loss": -np.log(np.clip(likelihoods, EPSILON, 1 - EPSILON)),
        "brier": (errors**2).sum(axis=1),
    }
    return {name: _mean_loss(values, weights) for name, values in losses.items()}


def _mean_loss(losses: Floats, weights: Floats | None) -> ScoreWithVariance:
    """The weighted mean of the losses of rows, from exactly rounded sums; and its variance."""
    weights = np.ones(losses.size) if weights is None else weights
    if not weights.any():
        return ScoreWithVariance(math.nan, lambda: math.nan, lambda: np.full(losses.size, math.nan))
    scaled, _ = scaled_weights(weights)
    total = math.fsum(scaled.tolist())
    mean = math.fsum((losses * scaled).tolist()) / total

    def influences() -> Floats:
        return _weighted((losses - mean) / total, scaled)

    return ScoreWithVariance(mean, lambda: _sum_of_squares(influences()), influences)


def _weighted(influences: Floats, weights: Floats | None) -> Floats:
    """The influences of rows, times their weights."""
    return influences if weights is None else influences * scaled_weights(weights)[0]


def _sum_of_squares(influences: Floats) -> float:
    """The sum of squares in ascending order, whatever the order of rows."""
    return float(np.sort(influences**2).sum())
