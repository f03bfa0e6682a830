"""The scores of systems on tasks as one table, with points in each task and their uncertainty.

A mean is never taken over only those tasks that a model happens to have.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.special import ndtr

from ...statistics.arguments.arrays import Floats
from ...statistics.tests.ranks import rank_intervals
from .published_scores import Score, listed

Gaps = Literal["out", "worst"]


@dataclass(frozen=True)
class ScoreTable:
    """The scores of systems on tasks, with their standard errors.

    Arrays have the shape (systems, tasks), with NaN where a system lacks a task, and where an error
    is not known.
    """

    systems: Sequence[str]
    tasks: Sequence[str]
    scores: Floats
    errors: Floats
    is_lower_better: bool = False

    @property
    def oriented(self) -> Floats:
        """Return the scores with a sign by which the highest are the best."""
        return -self.scores if self.is_lower_better else self.scores

    @property
    def has_shares(self) -> bool:
        """Return whether all scores are from 0 to 1."""
        return bool((np.isnan(self.scores) | ((self.scores >= 0) & (self.scores <= 1))).all())

    def only(self, systems: Iterable[int]) -> "ScoreTable":
        """Return the table of these systems alone."""
        chosen = list(systems)
        names = [self.systems[system] for system in chosen]
        return replace(self, systems=names, scores=self.scores[chosen], errors=self.errors[chosen])

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
        worst = np.nanmax if self.is_lower_better else np.nanmin
        return np.where(np.isnan(self.scores), worst(self.scores, axis=0), self.scores)

    def p_of_means(self) -> Floats:
        """Return the adjusted p-values of the mean differences of all pairs; NaN if unknown."""
        size = len(self.systems)
        p_values = _normal_p(self.scores.sum(axis=1), np.sqrt(np.square(self.errors).sum(axis=1)))
        return np.minimum(p_values * math.comb(size, 2), 1)

    def ranks_in_tasks(self, alpha: float) -> Floats:
        """Return the best and the worst possible ranks, (tasks, systems, 2).

        They are simultaneous for all systems and tasks.
        """
        tests = len(self.tasks) * max(math.comb(len(self.systems), 2), 1)
        ends = [
            rank_intervals(scores, np.minimum(_normal_p(scores, errors) * tests, 1), alpha)
            for scores, errors in zip(self.oriented.T, self.errors.T, strict=True)
        ]
        return np.array(ends, np.float64)


def _normal_p(values: Floats, errors: Floats) -> Floats:
    """Return the p-values of the differences of all pairs, whose errors are independent.

    If all rows of two systems are alike, the error is 0, which is not evidence.
    """
    deviations = np.hypot(errors[:, None], errors)
    z = np.abs(values[:, None] - values) / np.where(deviations > 0, deviations, math.inf)
    return np.where(np.isnan(deviations), math.nan, 2 * ndtr(-z))


def score_table(scores: Sequence[Score], *, lower: bool = False) -> ScoreTable:
    """Return the table of scores.

    Args:
        scores: of systems and tasks, each once.
        lower: whether the lowest scores are the best.

    Raises:
        ValueError: two scores of one system and task, or none of a task.
    """
    tasks = {name: n for n, name in enumerate(dict.fromkeys(score.task for score in scores))}
    systems = {name: n for n, name in enumerate(dict.fromkeys(score.system for score in scores))}
    cells: dict[tuple[int, int], Score] = {}
    values, errors, rows = (np.full((len(systems), len(tasks)), math.nan) for _ in range(3))
    for score in scores:
        cell = systems[score.system], tasks[score.task]
        if cell in cells:
            raise ValueError(
                f"two scores of model {score.system} and task {score.task}: "
                f"{cells[cell].location} and {score.location}"
            )
        cells[cell] = score
        values[cell], errors[cell], rows[cell] = score.value, score.error, score.rows
    # A mean of n scores from 0 to 1 varies no more than a proportion of n rows. One success and one
    # failure are added, so that the error of 0 or 1 is not 0 (Agresti and Caffo, 2000).
    from_rows = np.isnan(errors) & (rows > 0) & (values >= 0) & (values <= 1)
    share = (values[from_rows] * rows[from_rows] + 1) / (rows[from_rows] + 2)
    errors[from_rows] = np.sqrt(share * (1 - share) / (rows[from_rows] + 2))
    for task, number in tasks.items():
        if np.isnan(values[:, number]).all():
            raise ValueError(f"no model has a score of task {task}")
    is_lower_better = lower or any(score.is_lower_better for score in scores)
    return ScoreTable(list(systems), list(tasks), values, errors, is_lower_better)


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
