"""Areas and losses of a probability for each of several labels.

The areas are those of each label against the rest, averaged; the losses are those of whole rows.
"""

import math

import numpy as np

from ..numbers.arrays import Floats, Integers
from ..numbers.contingency import scaled_weights
from .areas import AREAS, ScoreWithInfluence, ScoreWithVariance, with_variance
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
    for name, area in AREAS.items():
        areas = [area(binary) for binary in counts]
        if average == "none":
            scores[name] = _listed(areas, counts)
        else:
            scores[name] = _averaged(areas, counts, shares, probabilities, references, weights)
    return scores | _losses(probabilities, references, weights)


# Areas


def _listed(areas: list[ScoreWithInfluence], counts: list[ScoreCounts]) -> ScoreWithVariance:
    """The areas of all labels as a list, and the list of their variances."""
    scores = [with_variance(*pair) for pair in zip(counts, areas, strict=True)]
    return ScoreWithVariance(
        [score for score, _ in scores], lambda: [variance() for _, variance in scores]
    )


def _averaged(
    areas: list[ScoreWithInfluence],
    counts: list[ScoreCounts],
    shares: list[float],
    probabilities: Floats,
    references: Integers,
    weights: Floats | None,
) -> ScoreWithVariance:
    """The weighted mean of areas, NaN if one of them is; and its variance.

    There is an area for each label, or one area of all labels. The areas of different labels are
    not independent: every row has an influence on each of them. So its influences are added up
    before they are squared.
    """
    total = math.fsum(shares)
    if any(math.isnan(area.score) for area in areas) or not total:
        return ScoreWithVariance(math.nan, lambda: math.nan)
    terms = [area.score * share for area, share in zip(areas, shares, strict=True)]

    def variance() -> float:
        sums = np.zeros(len(probabilities))
        for label, column in enumerate(probabilities.T):
            index = label if len(areas) > 1 else 0
            influence, scores = areas[index].influence, counts[index].scores
            if influence is None:
                return math.nan
            positive, negative = influence()
            positions = scores.searchsorted(column)
            positions = np.minimum(positions, scores.size - 1)  # rows of weight 0 are not counted
            changes = np.where(references == label, positive[positions], negative[positions])
            sums += changes * (shares[index] / total)
        return _sum_of_squares(sums, weights)

    return ScoreWithVariance(math.fsum(terms) / total, variance)


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
        return ScoreWithVariance(math.nan, lambda: math.nan)
    scaled, _ = scaled_weights(weights)
    total = math.fsum(scaled.tolist())
    mean = math.fsum((losses * scaled).tolist()) / total
    return ScoreWithVariance(mean, lambda: _sum_of_squares((losses - mean) / total, scaled))


def _sum_of_squares(influence: Floats, weights: Floats | None) -> float:
    """The sum of squares of weighted influences, in ascending order, whatever the order of rows."""
    if weights is not None:
        influence = influence * scaled_weights(weights)[0]
    return float(np.sort(influence**2).sum())
