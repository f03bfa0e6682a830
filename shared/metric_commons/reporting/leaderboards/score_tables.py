"""The scores of systems on tasks as one table, with notes about what is missing or not comparable.

A mean is never taken over only those tasks that a model happens to have.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
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
        missing = np.isnan(self.scores).tolist()
        return {
            system: [task for task, gap in zip(self.tasks, gaps, strict=True) if gap]
            for system, gaps in zip(self.systems, missing, strict=True)
            if any(gaps)
        }


def score_table(scores: Sequence[Score], *, lower: bool = False) -> tuple[ScoreTable, list[str]]:
    """Return the table of scores, and notes about models without any.

    Args:
        scores: of systems and tasks, each once.
        lower: whether the lowest scores are the best.

    Raises:
        ValueError: two scores of one system and task, or two units in one task.
    """
    by_task: dict[str, list[Score]] = {}
    for score in scores:
        by_task.setdefault(score.task, []).append(score)
    systems = {name: row for row, name in enumerate(dict.fromkeys(s.system for s in scores))}
    values, errors, rows = (np.full((len(systems), len(by_task)), math.nan) for _ in range(3))
    for column, (task, of_task) in enumerate(by_task.items()):
        locations: dict[str, str] = {}
        for score in of_task:
            if score.system in locations:
                raise ValueError(
                    f"two scores of model {score.system} and task {task}: "
                    f"{locations[score.system]} and {score.location}"
                )
            locations[score.system] = score.location
            cell = systems[score.system], column
            values[cell], errors[cell], rows[cell] = score.value, score.error, score.rows
        _check_unit(task, of_task, values[:, column], systems)
    directions = [lower or any(score.is_lower_better for score in s) for s in by_task.values()]
    # A mean of n scores from 0 to 1 varies no more than a proportion of n rows. One success and one
    # failure are added, so that the error of 0 or 1 is not 0 (Agresti and Caffo, 2000).
    from_rows = np.isnan(errors) & (rows > 0) & (values >= 0) & (values <= 1)
    share = (values[from_rows] * rows[from_rows] + 1) / (rows[from_rows] + 2)
    errors[from_rows] = np.sqrt(share * (1 - share) / (rows[from_rows] + 2))
    table = ScoreTable(list(systems), list(by_task), values, directions, errors)
    unknown = np.isnan(values).all(axis=1).tolist()
    if all(unknown):
        raise ValueError("no model has a score of any task")
    notes = [f"{name} has no score of any task" for name, row in systems.items() if unknown[row]]
    return table.only(row for row in systems.values() if not unknown[row]), notes


def _check_unit(
    task: str, scores: Sequence[Score], values: Floats, systems: Mapping[str, int]
) -> None:
    """Check that scores are not proportions in some systems and percentages in others.

    A score from 0 to 1 is a proportion if it would be among the others as a percentage.
    """
    large = values[values > 1]
    if not large.size or large.max() > 100:
        return
    low, high = min(large.min() / 5, 1.0), min(2 * large.max(), 100.0)
    for score in scores:
        value = float(values[systems[score.system]])
        if 0 < value <= low and large.min() / 2 <= 100 * value <= high:
            raise ValueError(
                f"{score.location}: model {score.system}, task {task}: {value:g} is in another "
                f"unit than {large[0]:g}"
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
    lines = [
        f"{system} has no score of {listed('task', tasks)}; it "
        + ("counts as the worst there" if gaps == "worst" else "is left out")
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
