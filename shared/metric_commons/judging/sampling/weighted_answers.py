"""Intervals of scores of answers in the order of their confidence, by random weights.

The unseen answer has a confidence that occurs, and is right or wrong: such that it lowers, or
    raises, a score most. F1 is a ratio of sums, and has an exact interval.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.methods import Method
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.sum_distributions import pairs_interval
from ...statistics.resampling.gamma_weights import weighted_totals
from ...statistics.resampling.weighted_sums import DrawnScore, DrawnValues
from .answer_kinds import AnswerKinds, GradedAnswers

_LEVELS = 64  # confidences that an unseen answer may have
_PARTS = 1 << 14  # of all weight, in which weighted answers are counted


@dataclass(frozen=True)
class WeightedAnswers:
    """Answers, the possible kinds of an unseen one, and the units that are weighted."""

    kinds: AnswerKinds  # of the answers, and of the candidates, whose counts are 0
    candidates: Integers  # their kinds
    units: Floats  # the number of answers of each kind in a unit, shape (distinct units, kinds)
    counts: Integers  # the count of each unit
    n_clusters: int | None

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
        observed_variance, candidates = kinds.index[:rows], np.unique(kinds.index[rows:])
        size = kinds.counts.size
        if clusters is None:
            totals = np.bincount(observed_variance, minlength=size)
            present = np.flatnonzero(totals)
            units = np.eye(size)[present]
            counts = totals[present]
        else:
            table = np.zeros((len(clusters.labels), size))
            np.add.at(table, (clusters.numbers, observed_variance), 1)
            units, counts = np.unique(table, axis=0, return_counts=True)
        n_clusters = None if clusters is None else len(clusters.labels)
        return cls(kinds, candidates, units, counts, n_clusters)

    def interval(
        self,
        name: str,
        value: float,
        redraws: Callable[[int, int], Mapping[str, DrawnValues]],
        *,
        confidence_level: float = 0.95,
        method: Method = "auto",
        n_resamples: int = 10_000,
        seed: int = 0,
    ) -> Interval:
        """Return the interval of a score.

        Args:
            name: the name of the score.
            value: the score.
            redraws: returns the values of all scores, given the number of draws and a seed.
            confidence_level: strictly between 0 and 1.
            method: ignored, since there is only one.
            n_resamples: the number of draws.
            seed: for the draws.
        """
        if name == "f1":
            kinds = self.kinds
            numerators = self.units @ (2.0 * kinds.correct)
            sizes = self.units @ (1.0 + kinds.attempted)
            return pairs_interval(
                numerators,
                sizes,
                self.counts.astype(np.float64),
                confidence_level=confidence_level,
                n_clusters=self.n_clusters,
            )
        largest = 1.0 if name != "augrc" else 0.5
        score = DrawnScore(value, _unused, np.empty(0), np.empty(0), (0.0, largest))
        values = redraws(int(n_resamples), int(seed))[name]
        ends = values.ends(score, confidence_level)
        error = values.standard_error(int(self.counts.sum()))
        return Interval(*ends, "unseen_row", error, None, self.n_clusters)

    def _cells(self, names: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Return the kinds of an unseen answer that lower and raise each score most."""
        totals = self.counts @ self.units
        trial_values = np.tile(totals, (self.candidates.size, 1))
        trial_values[np.arange(self.candidates.size), self.candidates] += self.unseen_size
        scores = self.kinds.scores(np.rint(trial_values * self._scale).astype(np.int64))
        cells = {}
        for name in names:
            values = scores[name]
            if np.isnan(values).all():
                values = np.zeros(values.size)
            ends = np.nanargmin(values), np.nanargmax(values)
            cells[name] = (int(self.candidates[ends[0]]), int(self.candidates[ends[1]]))
        return cells

    def redraws(self, names: Sequence[str], n_resamples: int, seed: int) -> dict[str, DrawnValues]:
        """Return the values of scores in draws, with the same weights for all."""
        cells = self._cells(names)
        kinds = sorted({kind for pair in cells.values() for kind in pair})
        parts: dict[str, list[list[Floats]]] = {name: [[], [], []] for name in names}
        blocks = weighted_totals(self.counts, self.units, n_resamples=n_resamples, seed=seed)
        for totals, unseen in blocks:
            plain = self._scores(totals)
            with_unseen = {}
            for kind in kinds:
                weighted = totals.copy()
                weighted[kind] += unseen * self.unseen_size
                with_unseen[kind] = self._scores(weighted)
            for name in names:
                sides = (*(with_unseen[kind] for kind in cells[name]), plain)
                for part, side in zip(parts[name], sides, strict=True):
                    part.append(side[name])
        return {name: DrawnValues(*map(np.concatenate, lists)) for name, lists in parts.items()}

    def _scores(self, weighted: Floats) -> dict[str, Floats]:
        return self.kinds.scores(np.rint(weighted.T * self._scale).astype(np.int64))

    @property
    def _scale(self) -> float:
        """Return the factor that makes weights whole numbers."""
        return max(1.0, _PARTS / max(float(self.counts @ self.units.sum(axis=1)), 1.0))

    @property
    def unseen_size(self) -> float:
        """Return the number of rows of an unseen unit."""
        sizes = self.units.sum(axis=1)
        total = float(self.counts @ sizes)
        return float(self.counts @ (sizes * sizes)) / total if total else 1.0


def _unused(sums: Floats) -> Floats:
    raise NotImplementedError("scores of answers are computed from counts of kinds")
