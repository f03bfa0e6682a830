"""The scores of systems on tasks as one table, with points in each task and their uncertainty.

A mean is never taken over only those tasks that a model happens to have.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ...statistics.arguments.arrays import Floats
from .published_scores import Score, listed

Gaps = Literal["out", "worst"]


@dataclass(frozen=True)
class ScoreTable:
    """The scores of systems on tasks, with their errors as far as known.

    Arrays have the shape (systems, tasks). `pairs` has for each task, if its rows are known, the
    p-values of all pairs of systems and the standard errors of their differences.
    """

    systems: Sequence[str]
    tasks: Sequence[str]
    scores: Floats  # NaN where a system lacks a task
    lower: Sequence[bool]  # for each task, whether the lowest score is the best
    errors: Floats
    ends: Floats | None = None  # of intervals, with a third axis
    pairs: Sequence[tuple[Floats, Floats]] | None = None
    problem: str = "there are neither rows nor standard errors"  # why a task has no pairs
    module: str = ""
    name: str = "score"

    @property
    def oriented(self) -> Floats:
        """Return the scores with a sign by which the highest are the best."""
        return np.where(self.lower, -self.scores, self.scores)

    def only(self, systems: Iterable[int]) -> "ScoreTable":
        """Return the table of these systems alone."""
        chosen = list(systems)
        square = np.ix_(chosen, chosen)
        return replace(
            self,
            systems=[self.systems[system] for system in chosen],
            scores=self.scores[chosen],
            errors=self.errors[chosen],
            ends=None if self.ends is None else self.ends[chosen],
            pairs=self.pairs and [(p[square], error[square]) for p, error in self.pairs],
        )

    def gaps(self) -> dict[str, list[str]]:
        """Return the tasks that systems lack, for those that lack any."""
        return {
            system: [self.tasks[task] for task in np.flatnonzero(gaps).tolist()]
            for system, gaps in zip(self.systems, np.isnan(self.scores), strict=True)
            if gaps.any()
        }

    def beaten(self) -> Floats:
        """Return how many systems each beats in each task, where ties count half.

        As in MTEB, a missing score beats nobody, and everybody beats it.
        """
        points = np.zeros(self.scores.shape)
        for task, column in enumerate(self.oriented.T):
            present = ~np.isnan(column)
            scores = column[present]
            ordered = np.sort(scores)
            ranks = ordered.searchsorted(scores, "left") + ordered.searchsorted(scores, "right") - 1
            points[present, task] = ranks / 2 + column.size - scores.size
        return points

    def filled(self) -> Floats:
        """Return the scores, with the worst score of a task in place of missing ones."""
        worst = np.nanmin(self.oriented, axis=0) * np.where(self.lower, -1, 1)
        return np.where(np.isnan(self.scores), worst, self.scores)

    def intervals(self, confidence_level: float) -> Floats:
        """Return the interval of each score, from its standard error if there is nothing else."""
        from ...statistics.intervals.intervals import critical_value

        reach = critical_value(confidence_level, math.inf) * self.errors
        ends = self.scores[..., None] + np.stack([-reach, reach], axis=2)
        is_share = (self.scores >= 0) & (self.scores <= 1)
        ends = np.where(is_share[..., None], ends.clip(0, 1), ends)
        return ends if self.ends is None else np.where(np.isnan(self.ends), ends, self.ends)

    def intervals_of_means(
        self, values: Floats, confidence_level: float
    ) -> list[Sequence[float] | None]:
        """Return the intervals of means of those systems that have an interval in each task."""
        distances = self.intervals(confidence_level) - self.scores[:, :, None]
        reach = np.sqrt(np.square(distances).sum(axis=1)) / len(self.tasks)
        ends = values[:, None] + reach * [-1, 1]
        return [None if math.isnan(sum(pair)) else pair for pair in ends.tolist()]

    def p_of_means(self) -> Floats | None:
        """Return the adjusted p-values of the mean differences of all pairs, if all are known."""
        size = len(self.systems)
        errors = [self._pairs(task)[1] for task in range(len(self.tasks))]
        variance: Floats = np.square(errors).sum(axis=0)
        np.fill_diagonal(variance, 0)
        if np.isnan(variance).any() or np.isnan(self.scores).any() or size < 2:
            return None
        totals = self.scores.sum(axis=1)
        p_values = _normal_p(totals[:, None] - totals, np.sqrt(variance))
        return np.minimum(p_values * (size * (size - 1) // 2), 1)

    def ranks_in_tasks(self, alpha: float) -> Floats | None:
        """Return the best and the worst possible ranks, (tasks, systems, 2); None if unknown.

        They are simultaneous for all systems and tasks.
        """
        from ...statistics.tests.ranks import rank_intervals

        size = len(self.systems)
        tests = len(self.tasks) * max(size * (size - 1) // 2, 1)
        ends = []
        for task, scores in enumerate(self.oriented.T):
            p_values = self._pairs(task)[0].copy()
            np.fill_diagonal(p_values, 1)
            if np.isnan(p_values).any() or np.isnan(scores).any():
                return None
            ends.append(rank_intervals(scores, np.minimum(p_values * tests, 1), alpha))
        return np.array(ends, np.float64)

    def _pairs(self, task: int) -> tuple[Floats, Floats]:
        """Return the p-values and the errors of the differences of all pairs in a task."""
        if self.pairs is not None:
            return self.pairs[task]
        error = np.hypot(self.errors[:, task, None], self.errors[:, task])
        scores = self.scores[:, task]
        return _normal_p(scores[:, None] - scores, error), error


def _normal_p(differences: Floats, errors: Floats) -> Floats:
    """Return the p-values of differences with these standard errors.

    If all differences of a few rows are equal, the error is 0, which is not evidence.
    """
    from scipy.special import ndtr

    z = np.abs(differences) / np.where(errors > 0, errors, math.inf)
    return np.where(np.isnan(errors), math.nan, 2 * ndtr(-z))


def score_table(scores: Sequence[Score], *, lower: bool = False) -> tuple[ScoreTable, list[str]]:
    """Return the table of scores, and notes about models without any.

    Args:
        scores: of systems and tasks, each once.
        lower: whether the lowest scores are the best.

    Raises:
        ValueError: two scores of one system and task, or two units in one task.
    """
    tasks = {name: n for n, name in enumerate(dict.fromkeys(score.task for score in scores))}
    systems = {name: n for n, name in enumerate(dict.fromkeys(score.system for score in scores))}
    cells: dict[tuple[int, int], Score] = {}
    directions = [lower] * len(tasks)
    for score in scores:
        cell = systems[score.system], tasks[score.task]
        if cell in cells:
            raise ValueError(
                f"two scores of model {score.system} and task {score.task}: "
                f"{cells[cell].location} and {score.location}"
            )
        cells[cell] = score
        directions[cell[1]] |= score.is_lower_better
    values, errors, rows = (np.full((len(systems), len(tasks)), math.nan) for _ in range(3))
    for cell, score in cells.items():
        values[cell], errors[cell], rows[cell] = score.value, score.error, score.rows
    for (_, task), score in cells.items():
        _check_unit(score, values[:, task])
    # A mean of n scores from 0 to 1 varies no more than a proportion of n rows. One success and one
    # failure are added, so that the error of 0 or 1 is not 0 (Agresti and Caffo, 2000).
    from_rows = np.isnan(errors) & (rows > 0) & (values >= 0) & (values <= 1)
    share = (values[from_rows] * rows[from_rows] + 1) / (rows[from_rows] + 2)
    errors[from_rows] = np.sqrt(share * (1 - share) / (rows[from_rows] + 2))
    is_known = ~np.isnan(values).all(axis=1)
    if not is_known.any():
        raise ValueError("no model has a score of any task")
    table = ScoreTable(list(systems), list(tasks), values, directions, errors)
    notes = [f"{name} has no score of any task" for name, n in systems.items() if not is_known[n]]
    return table.only(np.flatnonzero(is_known)), notes


def _check_unit(score: Score, values: Floats) -> None:
    """Check that a score is no proportion where those of other systems are percentages.

    A score from 0 to 1 is a proportion if it would be among the others as a percentage.
    """
    large = values[values > 1]
    if not large.size or large.max() > 100:
        return
    low, high = min(large.min() / 5, 1.0), min(2 * large.max(), 100.0)
    if 0 < score.value <= low and large.min() / 2 <= 100 * score.value <= high:
        raise ValueError(
            f"{score.location}: model {score.system}, task {score.task}: {score.value:g} is in "
            f"another unit than {large[0]:g}"
        )


def without_gaps(table: ScoreTable, gaps: Gaps) -> tuple[ScoreTable, list[str]]:
    """Return the table of the systems that have all tasks, and a line for each that has not.

    Args:
        table: of all systems.
        gaps: "out" leaves systems with missing tasks out, "worst" keeps them.

    Raises:
        ValueError: no system has all tasks.
    """
    missing = table.gaps()
    end = "counts as the worst there" if gaps == "worst" else "is left out"
    lines = [
        f"{system} has no score of {listed('task', tasks)}; it {end}"
        for system, tasks in missing.items()
    ]
    if gaps == "worst":
        return table, lines
    if len(missing) == len(table.systems):
        raise ValueError(
            f"no model has all {len(table.tasks)} tasks: {lines[0].partition(';')[0]}; count "
            "missing ones as the worst with --missing-tasks worst"
        )
    return table.only(n for n, name in enumerate(table.systems) if name not in missing), lines
