"""Areas for several labels: each label against the rest, averaged."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...statistics.arguments.arrays import Booleans, Floats, Integers
from ...statistics.arithmetic.contingency import scaled_weights
from .areas import (
    InfluencedScore,
    RowScores,
    ScoreWithInfluence,
    influenced_score,
    row_influences,
)
from .score_counts import ScoreCounts, score_counts

Measures = Mapping[str, Callable[[ScoreCounts], ScoreWithInfluence]]


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
    def counts(self) -> list[ScoreCounts]:
        """Return the counts of each label against the rest."""
        return [score_counts(*rows) for rows in self.rows]

    @cached_property
    def flat_rows(self) -> RowScores:
        """Return all scores, each treated as a separate row."""
        labels = self.scores.shape[1]
        positive = np.stack([self.is_positive(label) for label in range(labels)], axis=1)
        weights = None if self.weights is None else np.repeat(self.weights, labels)
        return RowScores(self.scores.ravel(), positive.ravel(), weights)

    def averages(self, measures: Measures, average: str) -> dict[str, InfluencedScore]:
        """Measures of binary tasks, averaged over labels.

        Args:
            measures: by name.
            average: "macro", "weighted" by support, "none" for a list, or "micro", which treats
                each score as a separate row of one binary task.
        """
        label_weights = [1.0] * self.scores.shape[1]
        counts = [score_counts(*self.flat_rows)] if average == "micro" else self.counts
        if average == "micro":
            label_weights = [1.0]
        if average == "weighted":
            label_weights = [float(binary.total_positives) for binary in counts]
        scores = {}
        for name, measure in measures.items():
            by_label = [measure(binary) for binary in counts]
            if average == "none":
                scores[name] = _listed(by_label, counts, self.rows)
            else:
                scores[name] = self._averaged(by_label, counts, label_weights)
        return scores

    def _averaged(
        self,
        by_label: Sequence[ScoreWithInfluence],
        counts: Sequence[ScoreCounts],
        label_weights: Sequence[float],
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
            for label, rows in enumerate(self.rows):
                index = label if len(by_label) > 1 else 0
                influence = by_label[index].influence
                if label_weights[index] and influence is not None:
                    changes = row_influences(counts[index], rows, influence())
                    sums += changes * (label_weights[index] / total)
            return _weighted(sums, self.weights)

        score = math.fsum(measured.score * share for measured, share in pairs) / total
        return InfluencedScore(score, influences)


def _listed(
    by_label: Sequence[ScoreWithInfluence],
    counts: Sequence[ScoreCounts],
    rows: Sequence[RowScores],
) -> InfluencedScore:
    """The scores of all labels as a list, and the list of their influences."""
    scores = [influenced_score(*parts) for parts in zip(counts, rows, by_label, strict=True)]
    return InfluencedScore(
        [score for score, _ in scores], lambda: [influences() for _, influences in scores]
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
        return _weighted((values - mean) / total, scaled)

    return InfluencedScore(mean, influences)


def undefined(rows: int) -> InfluencedScore:
    """Return a score of NaN for this many rows, with influences that are also NaN."""
    return InfluencedScore(math.nan, lambda: np.full(rows, math.nan))


def _weighted(influences: Floats, weights: Floats | None) -> Floats:
    """Return the influences of rows, times their weights."""
    return influences if weights is None else influences * scaled_weights(weights)[0]
