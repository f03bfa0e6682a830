"""Graded answers, and counts of equal ones: the basis of risk-coverage areas."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ...statistics.arguments.arrays import Booleans, Floats, Integers
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.resampling.row_units import gathered, random_rows
from .risk_coverage import rank_scores, risk_coverage_curve

_CELLS = 1 << 19  # of a block of resamples: 4 MB an array


@dataclass(frozen=True)
class GradedAnswers:
    """Whether each row is correct, and whether there was an answer at all; shape (rows,).

    `confidences` are None if only grades are known.
    """

    correct: Booleans
    attempted: Booleans
    confidences: Floats | None = None

    def __len__(self) -> int:
        return self.correct.size

    def take(self, rows: Integers) -> Self:
        """Some of the rows."""
        confidences = None if self.confidences is None else self.confidences[rows]
        return type(self)(self.correct[rows], self.attempted[rows], confidences)


@dataclass(frozen=True)
class AnswerKinds:
    """The kinds of equal rows, with their counts.

    Kinds are in a fixed order, highest confidence first, so that results do not depend on the order
    of rows.
    """

    counts: Integers
    index: Integers  # the kind of each row
    correct: Booleans
    attempted: Booleans
    levels: Integers  # the start of the kinds of each confidence among attempted answers
    confidences: Floats | None  # of the levels
    coverages: tuple[float, ...]

    @classmethod
    def of_answers(cls, answers: GradedAnswers, coverages: Sequence[float]) -> Self:
        """Return the kinds of these answers."""
        keys = np.zeros(len(answers))
        if answers.confidences is not None:  # not needed for answers not attempted
            keys = np.where(answers.attempted, -answers.confidences, 0.0)
        levels, level = np.unique(keys, return_inverse=True)
        # Answers that were not attempted come last: they are not ordered by confidence.
        codes = 2 * np.where(answers.attempted, level, levels.size) + answers.correct
        kinds, index, counts = np.unique(codes, return_inverse=True, return_counts=True)
        attempted = kinds < 2 * levels.size
        level_numbers, starts = np.unique(kinds[attempted] // 2, return_index=True)
        confidences = None if answers.confidences is None else 0.0 - levels[level_numbers]
        return cls(counts, index, kinds % 2 == 1, attempted, starts, confidences, tuple(coverages))

    def scores(self, counts: Integers) -> dict[str, Floats]:
        """The scores of each resample that are not means of rows, from the counts of kinds."""
        correct = counts[:, self.correct].sum(axis=1)
        attempted = counts[:, self.attempted].sum(axis=1)
        with np.errstate(invalid="ignore"):  # where all weights of a draw are rounded to 0
            scores: dict[str, Floats] = {"f1": 2 * correct / (attempted + counts.sum(axis=1))}
        if self.confidences is not None:
            scores |= rank_scores(*self._levels(counts), self.coverages)
        return scores

    def curve(self) -> dict[str, list[float]]:
        """Return the risk-coverage curve."""
        answers, errors = self._levels(self.counts[np.newaxis])
        confidences = np.zeros(0) if self.confidences is None else self.confidences
        return risk_coverage_curve(confidences, answers[0], errors[0])

    def resampled(
        self, clusters: Clusters | None, n_resamples: int, seed: int
    ) -> dict[str, Floats]:
        """Return the scores of resamples of rows, or of clusters; shape (resamples,)."""
        return gathered(self._resampled_blocks(clusters, n_resamples, seed), n_resamples)

    def _resampled_blocks(
        self, clusters: Clusters | None, n_resamples: int, seed: int
    ) -> Iterator[dict[str, Floats]]:
        kinds, sizes = self._units(clusters)
        starts = np.cumsum(sizes) - sizes
        words = np.random.PCG64(seed)
        at_once = max(1, _CELLS // max(kinds.size, self.counts.size))
        for start in range(0, n_resamples, at_once):
            resamples = min(at_once, n_resamples - start)
            units = random_rows(words, sizes.size, resamples * sizes.size)
            numbers = np.repeat(np.arange(resamples), sizes.size)
            if clusters is not None:  # all rows of each, one after another
                lengths = sizes[units]
                ends = np.cumsum(lengths)
                shifts = np.repeat(starts[units] - (ends - lengths), lengths)
                units = np.arange(shifts.size) + shifts
                numbers = np.repeat(numbers, lengths)
            cells = numbers * self.counts.size + kinds[units]
            counts = np.bincount(cells, minlength=resamples * self.counts.size)
            yield self.scores(counts.reshape(resamples, -1))

    def _units(self, clusters: Clusters | None) -> tuple[Integers, Integers]:
        """Return the kinds of the rows, unit by unit, and the number of rows of each unit.

        Units are rows or clusters, in an order that does not depend on rows or labels.
        """
        if clusters is None:
            kinds = np.repeat(np.arange(self.counts.size), self.counts)
            return kinds, np.ones(kinds.size, dtype=np.int64)
        order = np.lexsort((self.index, clusters.numbers))
        ends = np.cumsum(np.bincount(clusters.numbers, minlength=len(clusters.labels)))
        units = sorted(part.tolist() for part in np.split(self.index[order], ends[:-1]))
        return np.concatenate(units).astype(np.int64), np.array(list(map(len, units)))

    def _levels(self, counts: Integers) -> tuple[Integers, Integers]:
        """The numbers of answers and errors of each confidence, shape (resamples, levels)."""
        answers = counts[:, self.attempted]
        errors = np.where(self.correct[self.attempted], 0, answers)
        if not self.levels.size:
            return answers, errors
        return (
            np.add.reduceat(answers, self.levels, axis=1),
            np.add.reduceat(errors, self.levels, axis=1),
        )
