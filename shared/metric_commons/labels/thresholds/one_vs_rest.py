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
)
from .score_counts import ScoreCounts

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
        tables = [self.flat_rows] if average == "micro" else self.rows
        label_weights = [1.0] * len(tables)
        if average == "weighted":
            label_weights = [float(rows.counts.total_positives) for rows in tables]
        scores = {}
        for name, measure in measures.items():
            by_label = [influenced_score(rows, measure(rows.counts)) for rows in tables]
            if average == "none":
                scores[name] = _listed(by_label)
            else:
                scores[name] = self._averaged(by_label, label_weights)
        return scores

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


def undefined(rows: int) -> InfluencedScore:
    """Return a score of NaN for this many rows, with influences that are also NaN."""
    return InfluencedScore(math.nan, lambda: np.full(rows, math.nan))
