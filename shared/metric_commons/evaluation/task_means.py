"""Leaderboards over several tasks: the mean of a score, the mean rank, and Borda's count.

A mean over tasks is of one score, computed with the same options on each. Its standard error
follows from those of the tasks, whose rows are independent of each other. The tasks are taken as
they are: nothing is said of other tasks.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

from .boards import Board, interval_text
from .comparisons import Rank, ranks
from .rendering import Table, label

Mean = Literal["tasks", "ranks", "borda"]

_HEADERS = {"tasks": "mean", "ranks": "mean rank", "borda": "Borda"}
_NOTES = {
    "tasks": "Mean: of the score over the tasks, each counting the same.",
    "ranks": "Mean rank: of the ranks by the score in each task; equal scores share a rank. Less "
    "is better.",
    "borda": "Borda: how many systems a system beats, summed over the tasks; equals are half.",
}


@dataclass(frozen=True)
class TaskMeans:
    """Systems in the order of their mean over tasks, the best first."""

    kind: Mean
    boards: Mapping[str, Board]  # of each task
    values: Mapping[str, float]  # of each system
    intervals: Mapping[str, Sequence[float]]
    ranks: Mapping[str, Rank]

    def records(self) -> Iterator[dict[str, Any]]:
        """What there is to say of each system, best first."""
        for system, value in self.values.items():
            rank = self.ranks.get(system)
            yield {
                "rank": rank and rank["rank_interval"][0],
                "system": system,
                "value": value,
                "confidence_interval": self.intervals.get(system),
                "rank_interval": rank and rank["rank_interval"],
                "tier": rank and rank["tier"],
                "tasks": {
                    task: board.result(system).scores[board.score]
                    for task, board in self.boards.items()
                },
            }

    def table(self, top: int | None = None) -> Table:
        """One row per system, one column per task; the first tier is bold if there is a second."""
        is_divided = any(rank["tier"] > 1 for rank in self.ranks.values())
        level = next(iter(self.boards.values())).confidence_level
        rows: list[list[str]] = []
        bold: set[tuple[int, int]] = set()
        for record in list(self.records())[:top]:
            names = [*([str(record["rank"])] if self.ranks else []), label(record["system"])]
            cells = [f"{record['value']:.4f}" if self.kind != "borda" else f"{record['value']:g}"]
            if self.intervals:
                cells.append(interval_text(record["confidence_interval"]))
            if self.ranks:
                low, high = record["rank_interval"]
                cells += [str(low) if low == high else f"{low}-{high}", str(record["tier"])]
                if is_divided and record["tier"] == 1:
                    bold.add((len(rows), len(names)))
            tasks = [f"{value:.4f}" for value in record["tasks"].values()]
            rows.append([*names, *cells, *tasks])
        header = [*(["rank"] if self.ranks else []), "system", _HEADERS[self.kind]]
        header += [f"{100 * level:g}% interval"] if self.intervals else []
        header += ["ranks", "tier"] if self.ranks else []
        note = _NOTES[self.kind]
        if self.ranks:
            note += (
                " Tier 1: the best system and all whose mean is not significantly worse, by a "
                "normal test of the paired differences, corrected by Holm's method."
            )
        elif self.kind == "tasks":
            note += " Tiers need the scores of rows of every task."
        tasks = [label(task) for task in self.boards]
        return Table(
            [*header, *tasks], rows, 2 if self.ranks else 1, bold, note, "Leaderboard over tasks"
        )


def task_means(boards: Sequence[Board], kind: Mean) -> TaskMeans:
    """The means over the tasks of these boards.

    Args:
        boards: one of each task, with the same systems, which were scored with the same options.
        kind: "tasks" for the mean of scores, "ranks" for that of ranks, "borda" for the count.

    Raises:
        ValueError: there is one board, or a system is not on each.
    """
    if len(boards) < 2:
        raise ValueError("a mean over tasks needs results of several tasks; there is one")
    boards_of_tasks = _boards_of_tasks(boards)
    systems = list(dict.fromkeys(system for board in boards for system in board.results.systems))
    for system in systems:
        for task, board in boards_of_tasks.items():
            if system not in board.results.systems:
                raise ValueError(
                    f"system {system!r} has no result of task {task!r}; a mean over tasks needs "
                    "all of each system, under one name"
                )
    lower = boards[0].score in boards[0].result(systems[0]).lower_is_better
    columns = [[board.result(system).scores[board.score] for system in systems] for board in boards]
    intervals: dict[str, Sequence[float]] = {}
    ranks_of_systems: dict[str, Rank] = {}
    if kind == "tasks":
        means = [math.fsum(row) / len(row) for row in zip(*columns, strict=True)]
        intervals = _intervals(boards, systems, means)
        ranks_of_systems = _ranks(boards, systems, dict(zip(systems, means, strict=True)), lower)
        is_lower_better = lower
    else:
        rows = zip(*(_beaten(column, lower) for column in columns), strict=True)
        wins = [math.fsum(row) for row in rows]
        means = wins
        if kind == "ranks":
            means = [len(systems) - count / len(boards) for count in wins]
        is_lower_better = kind == "ranks"
    order = sorted(
        range(len(systems)), key=lambda number: means[number] * (1 if is_lower_better else -1)
    )
    values = {systems[number]: means[number] for number in order}
    return TaskMeans(kind, boards_of_tasks, values, intervals, ranks_of_systems)


def _boards_of_tasks(boards: Sequence[Board]) -> dict[str, Board]:
    """The boards under the names of their tasks, or numbers where these do not tell them apart."""
    names = [board.task for board in boards]
    if len(set(names)) < len(names) or not all(names):
        names = [f"task {number}" for number in range(1, len(boards) + 1)]
    return dict(zip(names, boards, strict=True))


def _beaten(values: Sequence[float], lower: bool) -> list[float]:
    """Of each system how many others are worse by this score; an equal one is half.

    >>> _beaten([0.3, 0.5, 0.3], lower=False)
    [0.5, 2.0, 0.5]
    """
    oriented = [-value for value in values] if lower else list(values)
    return [
        math.fsum((rival < value) + (rival == value) / 2 for rival in oriented) - 0.5
        for value in oriented
    ]


def _intervals(
    boards: Sequence[Board], systems: Sequence[str], means: Sequence[float]
) -> dict[str, Sequence[float]]:
    """Normal intervals of the means of systems whose standard errors are known."""
    from ..statistics.intervals import critical_value

    critical = critical_value(boards[0].confidence_level, math.inf)
    intervals: dict[str, Sequence[float]] = {}
    for system, mean in zip(systems, means, strict=True):
        errors = [board.standard_error(system) for board in boards]
        if None not in errors:
            reach = critical * math.hypot(*filter(None, errors)) / len(boards)
            intervals[system] = [mean - reach, mean + reach]
    return intervals


def _ranks(
    boards: Sequence[Board], systems: Sequence[str], means: Mapping[str, float], lower: bool
) -> dict[str, Rank]:
    """The ranks by the mean difference over tasks of every two systems; none without their rows."""
    from scipy.special import ndtr

    from ..statistics.corrections import holm

    comparisons = []
    p_values = []
    for a, b in combinations(systems, 2):
        pairs = [board.difference(a, b) for board in boards]
        if None in pairs:
            return {}
        parts = [pair for pair in pairs if pair]
        difference = math.fsum(mean for mean, _ in parts)
        error = math.hypot(*(error for _, error in parts))
        if math.isnan(error):
            return {}
        z = math.inf if not error else abs(difference) / error
        p_values.append(1.0 if not difference else 2 * float(ndtr(-z)))
        comparisons.append({"a": a, "b": b})
    for comparison, p in zip(comparisons, holm(p_values).tolist(), strict=True):
        comparison["p_adjusted"] = p
    return ranks(comparisons, means, lower)
