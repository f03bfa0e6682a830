"""Intervals of scores of answers in the order of their confidence, by random weights.

The unseen answer has a confidence that occurs, and is right or wrong: such that it lowers, or
    raises, a score most. F1 is a ratio of sums, and has an exact interval.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.sum_distributions import pairs_interval
from ...statistics.intervals.weighted_units import DrawnScore, extremes, weighted_intervals
from ...statistics.resampling.row_units import RowUnits
from .answer_kinds import AnswerKinds, GradedAnswers

_LEVELS = 64  # confidences that an unseen answer may have
_PARTS = 1 << 14  # of all weight, in which weighted answers are counted


@dataclass(frozen=True)
class WeightedAnswers:
    """Answers, the possible kinds of an unseen one, and the units that are weighted."""

    kinds: AnswerKinds  # of the answers, and of the candidates, whose counts are 0
    candidates: Integers  # their kinds
    units: RowUnits  # whose sums are the numbers of answers of each kind
    unseen_size: float  # the number of rows of an unseen unit

    @classmethod
    def of_answers(
        cls, answers: GradedAnswers, coverages: Sequence[float], clusters: Clusters | None
    ) -> Self:
        """Return the answers with the candidates for an unseen one.

        Args:
            answers: the rows.
            coverages: the coverages of the accuracies.
            clusters: the clusters of the rows; None if they are independent.
        """
        confidences = np.zeros(0)
        if answers.confidences is not None:
            confidences = np.unique(answers.confidences[answers.attempted])
        if confidences.size > _LEVELS:
            confidences = confidences[np.linspace(0, confidences.size - 1, _LEVELS).astype(int)]
        augmented = max(confidences.size, 1)
        extended = GradedAnswers(
            np.concatenate([answers.correct, np.repeat([False, True], augmented)]),
            np.concatenate([answers.attempted, np.ones(2 * augmented, bool)]),
            None
            if answers.confidences is None
            else np.concatenate(
                [answers.confidences, *[confidences if confidences.size else np.zeros(1)] * 2]
            ),
        )
        kinds = AnswerKinds.of_answers(extended, coverages)
        rows = len(answers)
        observed, candidates = kinds.index[:rows], np.unique(kinds.index[rows:])
        size = kinds.counts.size
        if clusters is None:
            counts = np.bincount(observed, minlength=size)
            present = np.flatnonzero(counts)
            units = RowUnits(counts[present], np.eye(size)[present])
        else:
            table = np.zeros((len(clusters.labels), size))
            np.add.at(table, (clusters.numbers, observed), 1)
            units = RowUnits.of_rows(table, np.arange(len(table)))
        sizes = units.of_kinds().sum(axis=1)
        total = float(units.counts @ sizes)
        unseen_size = float(units.counts @ (sizes * sizes)) / total if total else 1.0
        return cls(kinds, candidates, units, unseen_size)

    def intervals(
        self, scores: Mapping[str, float], *, confidence_level: float, **draws: int
    ) -> dict[str, Interval]:
        """Return the intervals of scores, with the same weights for all."""
        kinds, units = self.kinds, self.units
        amounts = units.of_kinds()
        intervals = {
            "f1": pairs_interval(
                amounts @ (2.0 * kinds.correct),
                amounts @ (1.0 + kinds.attempted),
                units.counts.astype(np.float64),
                confidence_level=confidence_level,
                n_clusters=units.n_clusters,
            )
        }
        total = units.total()
        scale = max(1.0, _PARTS / max(float(total.sum()), 1.0))  # makes weights whole numbers

        def measure(sums: Floats, names: Collection[str]) -> Mapping[str, Floats]:
            return kinds.scores(np.rint(sums.T * scale).astype(np.int64))

        drawn_names = scores.keys() - {"f1"}
        unseen_units = np.zeros((self.candidates.size, total.size))
        unseen_units[np.arange(self.candidates.size), self.candidates] = self.unseen_size
        trials = measure((total + unseen_units).T, drawn_names)
        drawn_scores = {
            name: DrawnScore(
                scores[name],
                *extremes(trials[name], unseen_units),
                bounds=(0.0, 0.5 if name == "augrc" else 1.0),
            )
            for name in sorted(drawn_names)
        }
        return intervals | weighted_intervals(
            units,
            drawn_scores,
            measure,
            confidence_level=confidence_level,
            **draws,
        )
