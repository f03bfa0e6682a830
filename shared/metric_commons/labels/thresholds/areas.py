"""Areas under the ROC and precision-recall curves, log loss and Brier score.

Of a binary task, or of several labels: each against the rest, or against each other label. Each
score comes with the influence of rows on it: the rate at which the score changes as a row with
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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Booleans, Floats, Integers
from ...statistics.arguments.checks import OptionError
from ...statistics.arithmetic.contingency import scaled_weights
from .curves import ScoreCounts, log_losses, score_counts


class InfluencedScore(NamedTuple):
    """A score, and a function that returns the influence of each row on it.

    Or a list of scores, and a function that returns a list of influences. The function is called
    only for intervals.
    """

    score: Any
    influences: Callable[[], Any]


def undefined(rows: int) -> InfluencedScore:
    """Return a score of NaN for this many rows, with influences that are also NaN."""
    return InfluencedScore(math.nan, lambda: np.full(rows, math.nan))


@dataclass(frozen=True)
class RowScores:
    """The score of each row, whether it is positive, and its weight, if there are weights."""

    scores: Floats
    positive: Booleans
    weights: Floats | None = None

    @cached_property
    def counts(self) -> ScoreCounts:
        """Return the number of positives and negatives at each score."""
        return score_counts(self.scores, self.positive, self.weights)

    @cached_property
    def _positions(self) -> Integers:
        """Return the position of the score of each row in those of the counts."""
        positions: Integers = self.counts.scores.searchsorted(self.scores)
        return np.minimum(positions, self.counts.scores.size - 1)  # rows of weight 0 do not count

    def influenced(
        self, score: float, influence: Callable[[], tuple[Floats, Floats]]
    ) -> InfluencedScore:
        """Return a score with the influence of each row.

        Args:
            score: the score.
            influence: returns the influences of positive and of negative rows, each an array over
                the distinct scores.
        """

        def influences() -> Floats:
            positive, negative = influence()
            rows = self._positions
            changes: Floats = np.where(self.positive, positive[rows], negative[rows])
            if self.weights is None:
                return changes
            return changes * np.ldexp(self.weights, -self.counts.exponent)

        return InfluencedScore(score, influences)


# Areas


def roc_auc(rows: RowScores) -> InfluencedScore:
    """Return the proportion of positive-negative pairs in which the positive has the higher score.

    A tie counts as half a pair. Without weights, pairs are counted in integers. The placement of a
    positive is the proportion of negatives below it, and that of a negative the proportion of
    positives above it, counting ties as half; both average to the area. They are scaled so that the
    variances of both classes have n - 1 in the denominator, as in DeLong et al.

    >>> scores, positive = np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True])
    >>> roc_auc(RowScores(scores, positive)).score
    0.75
    """
    counts = rows.counts
    positives, negatives = counts.total_positives, counts.total_negatives
    if not positives or not negatives:
        return undefined(rows.scores.size)
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

    return rows.influenced(score, influence)


def average_precision(rows: RowScores) -> InfluencedScore:
    """Return the precision at the score of each positive, averaged over positives."""
    if not rows.counts.total_positives:
        return undefined(rows.scores.size)
    return rows.influenced(*_mean_precision(rows.counts, rows.counts.sums.precisions, shift=0))


def pr_auc(rows: RowScores) -> InfluencedScore:
    """Return the area under straight lines between the points of the precision-recall curve.

    The curve starts at recall 0 with precision 1. The width of a trapezoid corresponds to the
    positives with one score; its height is the mean of the precision at this score and at the next
    higher one. So the area is the mean of two mean precisions: with positives at the scores 0.9 and
    0.5, and a negative at 0.7, precision is 1 and 2/3 at them, and 1 and 1/2 one score above.
    """
    counts = rows.counts
    if not counts.total_positives:
        return undefined(rows.scores.size)
    lower, influence_at = _mean_precision(counts, counts.sums.precisions, shift=0)
    upper, influence_above = _mean_precision(counts, counts.sums.precisions_above, shift=1)

    def influence() -> tuple[Floats, Floats]:
        (positive, negative), (positive_above, negative_above) = influence_at(), influence_above()
        return (positive + positive_above) / 2, (negative + negative_above) / 2

    return rows.influenced((lower + upper) / 2, influence)


def _mean_precision(
    counts: ScoreCounts, total: float, *, shift: int
) -> tuple[float, Callable[[], tuple[Floats, Floats]]]:
    """Return the precision at the score of each positive, or `shift` scores above, on average."""
    positives = counts.total_positives
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

    return score, influence


# Losses


def _log_loss(rows: RowScores) -> InfluencedScore:
    """Return the mean of -log of the probability of the true label."""
    scores = rows.counts.scores
    return _mean_loss(
        rows, rows.counts.sums.log_losses, lambda: log_losses(scores, np.empty((3, scores.size)))
    )


def _brier(rows: RowScores) -> InfluencedScore:
    """Return the mean squared difference between the probability and the label, 0 or 1."""
    scores = rows.counts.scores
    return _mean_loss(rows, rows.counts.sums.squared_errors, lambda: ((1 - scores) ** 2, scores**2))


def _mean_loss(
    rows: RowScores, total: float, losses: Callable[[], tuple[Floats, Floats]]
) -> InfluencedScore:
    """Return the mean of losses with this total.

    `losses` are the losses of positives and of negatives.
    """
    weight = rows.counts.total_positives + rows.counts.total_negatives
    if not weight or math.isnan(total):
        return undefined(rows.scores.size)
    score = total / weight

    def influence() -> tuple[Floats, Floats]:
        positive_losses, negative_losses = losses()
        return (positive_losses - score) / weight, (negative_losses - score) / weight

    return rows.influenced(score, influence)


AREAS = {"roc_auc": roc_auc, "pr_auc": pr_auc, "average_precision": average_precision}
LOSSES = {"log_loss": _log_loss, "brier": _brier}


def partial_roc_auc(rows: RowScores, max_fpr: float) -> InfluencedScore:
    """Return the area up to a false positive rate, scaled so that chance is 0.5 and perfection 1.

    It is the mean over positives of the proportion of false positive rates up to `max_fpr` that lie
    to the right of their score. Negatives with tied scores form a line of the curve, on which the
    rate grows steadily. The end of the range depends on the negatives; its influence is that of a
    quantile.

    Source:
        McClish, Analyzing a portion of the ROC curve (1989), for the scale; Dodd and Pepe, Partial
        AUC estimation and regression (2003).

    >>> from .curves import score_counts
    >>> scores, positive = np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True])
    >>> round(partial_roc_auc(RowScores(scores, positive), 0.3).score, 4)
    0.7059
    """
    counts = rows.counts
    positives, negatives = counts.total_positives, counts.total_negatives
    if not positives or not negatives:
        return undefined(rows.scores.size)
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

    return rows.influenced(0.5 + slope * (area - triangle), influence)


Measures = Mapping[str, Callable[[RowScores], InfluencedScore]]


@dataclass(frozen=True)
class OneVsRest:
    """The scores of several labels, and which labels each row has.

    Args:
        scores: the score of each label, shape (rows, labels).
        references: the one label of each row, from 0, shape (rows,); or whether it has each label,
            shape (rows, labels).
        weights: the weight of each row, or None.

    """

    scores: Floats
    references: Integers | Booleans
    weights: Floats | None

    def is_positive(self, label: int) -> Booleans:
        """Return which rows have this label."""
        if self.references.ndim == 2:
            return np.ascontiguousarray(self.references[:, label], dtype=np.bool_)
        positive: Booleans = self.references == label
        return positive

    @cached_property
    def rows(self) -> list[RowScores]:
        """Return the scores of each label, and which rows have it."""
        return [
            RowScores(np.ascontiguousarray(column), self.is_positive(label), self.weights)
            for label, column in enumerate(self.scores.T)
        ]

    @cached_property
    def flat_rows(self) -> RowScores:
        """Return all scores, each treated as a separate row."""
        labels = self.scores.shape[1]
        positive = np.stack([self.is_positive(label) for label in range(labels)], axis=1)
        weights = None if self.weights is None else np.repeat(self.weights, labels)
        return RowScores(self.scores.ravel(), positive.ravel(), weights)

    def averages(self, measures: Measures, average: str) -> dict[str, InfluencedScore]:
        """Return measures of binary tasks, averaged over labels.

        Args:
            measures: by name.
            average: "macro", "weighted" by support, "none" for a list, or "micro", which treats
                each score as a separate row of one binary task.
        """
        tables = [self.flat_rows] if average == "micro" else self.rows
        label_weights = [1.0] * len(tables)
        if average == "weighted":
            label_weights = [float(rows.counts.total_positives) for rows in tables]
        scores = {name: [measure(rows) for rows in tables] for name, measure in measures.items()}
        if average == "none":
            return {name: _listed(by_label) for name, by_label in scores.items()}
        return {name: self._averaged(of_name, label_weights) for name, of_name in scores.items()}

    def _averaged(
        self, by_label: Sequence[InfluencedScore], label_weights: Sequence[float]
    ) -> InfluencedScore:
        """Return the weighted mean of scores, NaN if one with a nonzero weight is.

        There is a score for each label, or one for all labels. The scores of different labels are
        not independent: every row influences each of them. So its influences are added up before
        they are squared.
        """
        total = math.fsum(label_weights)
        pairs = [pair for pair in zip(by_label, label_weights, strict=True) if pair[1]]
        if not pairs or any(math.isnan(measured.score) for measured, _ in pairs):
            return undefined(len(self.scores))

        def influences() -> Floats:
            sums = np.zeros(len(self.scores))
            for measured, weight in pairs:
                of_rows = measured.influences().reshape(sums.size, -1)
                sums += of_rows.sum(axis=1) * (weight / total)
            return sums

        score = math.fsum(measured.score * share for measured, share in pairs) / total
        return InfluencedScore(score, influences)


def _listed(by_label: Sequence[InfluencedScore]) -> InfluencedScore:
    """Return the scores of all labels as a list, and the list of their influences."""
    return InfluencedScore(
        [score for score, _ in by_label], lambda: [influences() for _, influences in by_label]
    )


def mean_over_rows(values: Floats, weights: Floats | None) -> InfluencedScore:
    """Return the weighted mean of row scores, from exactly rounded sums."""
    weights = np.ones(values.size) if weights is None else weights
    if not weights.any():
        return undefined(values.size)
    scaled, _ = scaled_weights(weights)
    total = math.fsum(scaled.tolist())
    mean = math.fsum((values * scaled).tolist()) / total

    def influences() -> Floats:
        return (values - mean) / total * scaled

    return InfluencedScore(mean, influences)


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
            areas.append((roc_auc(of_label), weight / 2, rows))
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


MultiClass = Literal["ovr", "ovo"]


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
