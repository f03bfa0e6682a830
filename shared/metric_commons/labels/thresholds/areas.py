"""Areas under the ROC and precision-recall curves, log loss and Brier score of a binary task.

Each score comes with the influence of rows on it: the rate at which the score changes as a row with
this score and label is given more weight. The sum of the squared influences of all rows is the
variance of the score (the infinitesimal jackknife). For the area under the ROC curve the influences
are DeLong's placements, computed with one sort of the scores instead of all pairs.

Source:
    Efron, The Jackknife, the Bootstrap and Other Resampling Plans (1982), chapter 6, for the
    infinitesimal jackknife; DeLong, DeLong and Clarke-Pearson, Comparing the areas under two or
    more correlated receiver operating characteristic curves (1988); Sun and Xu, Fast implementation
    of DeLong's algorithm (2014), for placements from ranks.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Booleans, Floats, Integers
from .score_counts import ScoreCounts, log_losses, score_counts


@dataclass(frozen=True)
class ScoreWithInfluence:
    """A score and the influence of rows on it.

    Args:
        score: the score; NaN if it is undefined.
        influence: returns the influences of positive and of negative rows, each an array over the
            distinct scores; None if the score is undefined. It is called only for intervals.

    """

    score: float
    influence: Callable[[], tuple[Floats, Floats]] | None = None


class _RowColumns(NamedTuple):
    scores: Floats
    positive: Booleans
    weights: Floats | None


class RowScores(_RowColumns):
    """The score of each row, whether it is positive, and its weight, if there are weights."""

    @cached_property
    def counts(self) -> ScoreCounts:
        """Return the number of positives and negatives at each score."""
        return score_counts(*self)

    @cached_property
    def positions(self) -> Integers:
        """Return the position of the score of each row in those of the counts."""
        positions: Integers = self.counts.scores.searchsorted(self.scores)
        return np.minimum(positions, self.counts.scores.size - 1)  # rows of weight 0 do not count


class InfluencedScore(NamedTuple):
    """A score, and a function that returns the influence of each row on it.

    Or a list of scores, and a function that returns a list of influences.
    """

    score: Any
    influences: Callable[[], Any]


UNDEFINED = ScoreWithInfluence(math.nan)


def binary_scores(rows: RowScores) -> dict[str, InfluencedScore]:
    """Return the areas and losses of a binary task.

    >>> scores, positive = np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True])
    >>> scores = binary_scores(RowScores(scores, positive, None))
    >>> scores["roc_auc"].score, round(scores["brier"].score, 4)
    (0.75, 0.1581)
    """
    return {
        name: influenced_score(rows, measure(rows.counts))
        for name, measure in (AREAS | LOSSES).items()
    }


def influenced_score(rows: RowScores, measured: ScoreWithInfluence) -> InfluencedScore:
    """Return the score with the influence of each row; NaN if it is undefined."""

    def influences() -> Floats:
        if measured.influence is None:
            return np.full(rows.scores.size, math.nan)
        positive, negative = measured.influence()
        changes: Floats = np.where(
            rows.positive, positive[rows.positions], negative[rows.positions]
        )
        if rows.weights is None:
            return changes
        return changes * np.ldexp(rows.weights, -rows.counts.exponent)

    return InfluencedScore(measured.score, influences)


# Areas


def roc_auc(counts: ScoreCounts) -> ScoreWithInfluence:
    """Return the proportion of positive-negative pairs in which the positive has the higher score.

    A tie counts as half a pair. Without weights, pairs are counted in integers. The placement of a
    positive is the proportion of negatives below it, and that of a negative the proportion of
    positives above it, counting ties as half; both average to the area. They are scaled so that the
    variances of both classes have n - 1 in the denominator, as in DeLong et al.
    """
    positives, negatives = counts.total_positives, counts.total_negatives
    if not positives or not negatives:
        return UNDEFINED
    score = min(counts.sums.concordant_pairs / (2 * positives * negatives), 1.0)

    def influence() -> tuple[Floats, Floats]:
        negatives_below = negatives - counts.false_positives
        positives_above = counts.true_positives - counts.positives / 2
        positive_placements = (negatives_below + counts.negatives / 2) / negatives - score
        negative_placements = positives_above / positives - score
        if counts.are_whole:
            return (
                positive_placements / math.sqrt(positives * max(positives - 1, 1)),
                negative_placements / math.sqrt(negatives * max(negatives - 1, 1)),
            )
        return positive_placements / positives, negative_placements / negatives

    return ScoreWithInfluence(score, influence)


def average_precision(counts: ScoreCounts) -> ScoreWithInfluence:
    """Return the precision at the score of each positive, averaged over positives."""
    return _mean_precision(counts, counts.sums.precisions, shift=0)


def pr_auc(counts: ScoreCounts) -> ScoreWithInfluence:
    """Return the area under straight lines between the points of the precision-recall curve.

    The curve starts at recall 0 with precision 1. The width of a trapezoid corresponds to the
    positives with one score; its height is the mean of the precision at this score and at the next
    higher one. So the area is the mean of two mean precisions: with positives at the scores 0.9 and
    0.5, and a negative at 0.7, precision is 1 and 2/3 at them, and 1 and 1/2 one score above.
    """
    lower = _mean_precision(counts, counts.sums.precisions, shift=0)
    upper = _mean_precision(counts, counts.sums.precisions_above, shift=1)
    if lower.influence is None or upper.influence is None:
        return UNDEFINED
    lower_influence, upper_influence = lower.influence, upper.influence

    def influence() -> tuple[Floats, Floats]:
        (positive, negative), (positive_above, negative_above) = (
            lower_influence(),
            upper_influence(),
        )
        return (positive + positive_above) / 2, (negative + negative_above) / 2

    return ScoreWithInfluence((lower.score + upper.score) / 2, influence)


def _mean_precision(counts: ScoreCounts, total: float, *, shift: int) -> ScoreWithInfluence:
    """Return the precision at the score of each positive, or `shift` scores above, on average."""
    positives = counts.total_positives
    if not positives:
        return UNDEFINED
    score = min(total / positives, 1.0)

    def influence() -> tuple[Floats, Floats]:
        precision = np.append(counts.precision, [1.0] * shift)[shift:]
        # A row also changes the precision at its own score and at all lower ones, which is TP / n
        # with n = TP + FP: a positive raises it by FP / n**2, a negative lowers it by TP / n**2.
        rows = counts.true_positives + counts.false_positives
        slope = np.zeros(rows.size)
        slope[shift:] = counts.positives[: rows.size - shift] / rows[shift:] / rows[shift:]
        increase = np.cumsum(slope * counts.false_positives)
        decrease = np.cumsum(slope * counts.true_positives)
        return (precision - score + increase) / positives, -decrease / positives

    return ScoreWithInfluence(score, influence)


# Losses


def _log_loss(counts: ScoreCounts) -> ScoreWithInfluence:
    """Return the mean of -log of the probability of the true label."""
    return _mean_loss(
        counts,
        counts.sums.log_losses,
        lambda: log_losses(counts.scores, np.empty((3, counts.scores.size))),
    )


def _brier(counts: ScoreCounts) -> ScoreWithInfluence:
    """Return the mean squared difference between the probability and the label, 0 or 1."""
    return _mean_loss(
        counts, counts.sums.squared_errors, lambda: ((1 - counts.scores) ** 2, counts.scores**2)
    )


def _mean_loss(
    counts: ScoreCounts, total: float, losses: Callable[[], tuple[Floats, Floats]]
) -> ScoreWithInfluence:
    """Return the mean of losses with this total.

    `losses` are the losses of positives and of negatives.
    """
    rows = counts.total_positives + counts.total_negatives
    if not rows or math.isnan(total):
        return UNDEFINED
    score = total / rows

    def influence() -> tuple[Floats, Floats]:
        positive_losses, negative_losses = losses()
        return (positive_losses - score) / rows, (negative_losses - score) / rows

    return ScoreWithInfluence(score, influence)


AREAS = {"roc_auc": roc_auc, "pr_auc": pr_auc, "average_precision": average_precision}
LOSSES = {"log_loss": _log_loss, "brier": _brier}
