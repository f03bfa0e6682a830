"""Ranks of systems over several tasks, from one score each: mean rank, mean win rate and Borda.

A system may lack a task. Its mean win rate is over the tasks that it has, as in HELM; in Borda's
count a missing task gives no points, as in MTEB, where a task has as many points as there are
systems at all.

Source:
    Liang and others, Holistic evaluation of language models (2022). Colombo and others, What are
    the best systems? New perspectives on NLP benchmarking (2022).
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class TaskRanks(NamedTuple):
    """A system over all tasks."""

    mean: float  # of the scores; NaN if the system lacks a task
    mean_rank: float  # NaN likewise
    mean_win_rate: float  # NaN if no task has two systems
    borda: float
    borda_rank: int


def task_ranks(
    tasks: Sequence[Mapping[str, float]], lower_is_better: Sequence[bool] | None = None
) -> dict[str, TaskRanks]:
    """Return the ranks of every system.

    Args:
        tasks: for each task the score of each system; a NaN is a missing score.
        lower_is_better: for each task whether the lowest score is the best; None for never.

    >>> ranks = task_ranks([{"a": 0.9, "b": 0.5}, {"a": 0.1, "b": 0.2, "c": 0.3}])
    >>> ranks["a"].mean_win_rate, ranks["a"].borda, ranks["c"].mean_win_rate, ranks["c"].borda
    (0.5, 2.0, 1.0, 2.0)
    """
    lower = [False] * len(tasks) if lower_is_better is None else lower_is_better
    present = [
        {system: score for system, score in task.items() if not math.isnan(score)} for task in tasks
    ]
    systems = list(dict.fromkeys(system for task in tasks for system in task))
    win_rates: dict[str, list[float]] = {system: [] for system in systems}
    ranks: dict[str, list[float]] = {system: [] for system in systems}
    for scores, is_lower in zip(present, lower, strict=True):
        for system, count in zip(scores, beaten(list(scores.values()), is_lower), strict=True):
            ranks[system].append(len(scores) - count)
            if len(scores) > 1:
                win_rates[system].append(count / (len(scores) - 1))
    borda = {system: math.fsum(len(systems) - rank for rank in ranks[system]) for system in systems}
    return {
        system: TaskRanks(
            _mean([task.get(system, math.nan) for task in present]),
            _mean(ranks[system]) if len(ranks[system]) == len(tasks) else math.nan,
            _mean(win_rates[system]),
            borda[system],
            1 + sum(rival_borda > borda[system] for rival_borda in borda.values()),
        )
        for system in systems
    }


def beaten(values: Sequence[float], lower: bool) -> list[float]:
    """For each system, how many others are worse by this score; ties count half.

    >>> beaten([0.3, 0.5, 0.3], lower=False)
    [0.5, 2.0, 0.5]
    """
    oriented = [-value for value in values] if lower else list(values)
    return [
        math.fsum((rival < value) + (rival == value) / 2 for rival in oriented) - 0.5
        for value in oriented
    ]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
