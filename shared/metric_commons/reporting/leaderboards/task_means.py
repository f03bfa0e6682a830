"""Boards over several tasks: systems by their mean score, or by Borda's count.

Tasks are fixed, and rows are the sample. The interval of a mean score is derived from those of the
tasks, whose rows are independent: the distance of an end from the mean is the root of the sum of
the squared distances in the tasks. Borda's count has the interval of the possible ranks in each
task, simultaneous for all tasks. Resampling rows would be wrong for it: if systems are close
together, the ranks in resamples are closer to each other than the true ones, in the same direction
in every task.

Ranks, tiers and letters follow from comparisons of all pairs of systems, corrected for their
number, so that they hold for all systems at once.

Source:
    Zou and Donner, Construction of confidence limits about effect measures: a general approach
    (2008). Mogstad, Romano, Shaikh and Wilhelm, Inference for ranks (2024). Neuhof and Benjamini,
    arXiv 2606.08679. Colombo and others, What are the best systems? (2022).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ...evaluation.results.rendering import (
    PLAIN,
    Notation,
    Table,
    column,
    counted,
    is_proportion,
    label,
    level_heading,
    listed_names,
)
from ...evaluation.results.result_tables import rank_range
from ...evaluation.results.standings import rank_records
from ...statistics.arguments.arrays import Floats
from .leaderboards import Leaderboard, ascending
from .published_scores import Score
from .score_tables import Gaps, ScoreTable, score_table, without_gaps

Mean = Literal["tasks", "borda"]

_HEADERS = {"tasks": "mean", "borda": "Borda"}
_LETTERED = 25  # systems; more letters cannot be read
_COLUMNS = 6  # of tasks; a table with more would not fit
_WORDS = {
    "tasks": "Mean: of the score over the tasks, with equal weights.",
    "borda": "Borda: the number of systems that a system beats, summed over the tasks; ties count "
    "half, and a missing task adds nothing.",
}


@dataclass(frozen=True)
class TaskMeans:
    """Systems ordered by their mean over tasks, best first."""

    kind: Mean
    table: ScoreTable  # best first
    values: Sequence[float]  # of each system
    borda: Sequence[float]
    confidence_level: float
    intervals: Sequence[Sequence[float] | None]
    ranks: Sequence[Mapping[str, Any]]  # empty if systems cannot be compared
    problem: str = ""  # why there are no intervals

    @property
    def is_lower_better(self) -> bool:
        """Return whether the system with the lowest value is the best."""
        return self.kind == "tasks" and self.table.lower[0]

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the data of each system, best first."""
        unknown = dict.fromkeys(("rank_interval", "tier", "letters"))
        shown: Sequence[int | None] = ascending([rank["rank_interval"][0] for rank in self.ranks])
        for row, system in enumerate(self.table.systems):
            scores = zip(self.table.tasks, self.table.scores[row].tolist(), strict=True)
            yield {
                "rank": shown[row] if self.ranks else None,
                "system": system,
                "value": self.values[row],
                "confidence_interval": self.intervals[row],
                **(self.ranks[row] if self.ranks else unknown),
                "borda": self.borda[row],
                "borda_rank": 1 + sum(borda > self.borda[row] for borda in self.borda),
                "tasks": {task: None if math.isnan(score) else score for task, score in scores},
            }

    def sentence(self) -> str:
        """Return a statement to be quoted: the best system, and how certain that is."""
        first, *others = self.records()
        text = f"{counted(len(self.table.tasks), 'task')}: {label(first['system'])} has the best "
        text += f"{_HEADERS[self.kind]}, {first['value']:.4g}"
        if first["confidence_interval"] is not None:
            low, high = first["confidence_interval"]
            text += f" ({low:.4g} to {high:.4g})"
        if not self.ranks:
            return f"{text}; there are no comparisons to say how certain this is."
        rivals = [label(record["system"]) for record in others if record["tier"] == 1]
        if not rivals:
            return f"{text}, and is significantly better than all others."
        return f"{text}, but cannot be told apart from {listed_names(rivals)}."

    def as_table(self, top: int | None = None, notation: Notation = PLAIN) -> Table:
        """Return one row per system, one column per task.

        The first tier is bold if there is a second.
        """
        records = list(self.records())[:top]
        table = self.table
        values = table.scores[~np.isnan(table.scores)].tolist()
        scaled = notation.percent and is_proportion(table.module, table.name, values)
        ends = table.intervals(self.confidence_level).reshape(-1, 2)
        of_tasks = notation.format_of(ends[~np.isnan(ends).any(axis=1)], is_proportion=scaled)
        is_score = self.kind == "tasks"  # ranks are not scores
        of_means = notation.format_of(self.intervals, is_proportion=scaled and is_score)
        cells = [
            column(
                records,
                "value",
                of_means.number if is_score else "{:g}".format,
                of_means.heading(_HEADERS[self.kind]),
            ),
            column(
                records,
                "confidence_interval",
                of_means.interval,
                level_heading(self.confidence_level),
            ),
            column(records, "rank_interval", rank_range, "ranks"),
            column(records, "tier"),
            column(records, "letters"),
        ]
        scores = [record["tasks"] for record in records]
        for task in table.tasks if len(table.tasks) <= _COLUMNS else ():
            cells.append(column(scores, task, of_tasks.number, of_tasks.heading(label(task))))
        is_divided = any(rank["tier"] > 1 for rank in self.ranks)
        best = [row for row, record in enumerate(records) if is_divided and record["tier"] == 1]
        labels = [column(records, "rank")] if self.ranks else []
        labels.append(column(records, "system", label))
        return Table.of(labels, cells, best=best)._replace(
            note=" ".join(self._notes()), title="Leaderboard over tasks", sentence=self.sentence()
        )

    def _notes(self) -> Iterator[str]:
        """Yield the definition of the means, and of the intervals and tiers if there are any."""
        yield _WORDS[self.kind]
        if self.is_lower_better:
            yield "Lower is better."
        if any(self.intervals):
            yield "Intervals and ranks are for these tasks and do not extend to others."
            if self.table.pairs is None:
                yield (
                    "Errors of two systems count as independent, which is cautious if they "
                    "answered the same rows."
                )
        if self.ranks:
            number = len(self.ranks) * (len(self.ranks) - 1) // 2
            test = "Normal test of the differences"
            if self.kind == "borda":
                test = f"Tests in each of {len(self.table.tasks)} tasks"
                number *= len(self.table.tasks)
            yield (
                "Ranks: the best and the worst that the comparisons of all pairs allow, for all "
                "systems at once. Tier 1: the best system and all that are not significantly "
                f"worse. {test}, corrected by Bonferroni's method over "
                f"{counted(number, 'comparison')}."
            )
            if len(self.ranks) <= _LETTERED:
                yield "Systems that share a letter cannot be told apart."
        if len(self.table.tasks) > _COLUMNS:
            yield "The scores of all tasks are in the formats json and csv."
        if self.problem:
            lacking = "ranks" if any(self.intervals) else "intervals"
            yield f"There are no {lacking}: {self.problem}."


def table_of_boards(leaderboards: Sequence[Leaderboard]) -> ScoreTable:
    """Return the scores of systems on the tasks of these leaderboards, which have one score.

    Raises:
        ValueError: there is only one leaderboard.
    """
    if len(leaderboards) < 2:
        raise ValueError("a mean over tasks needs results of several tasks, but there is only one")
    tasks: dict[str, Leaderboard] = {}
    for number, board in enumerate(leaderboards, start=1):
        name = board.task or f"task {number}"
        tasks[f"{name} ({number})" if name in tasks else name] = board
    cells = [
        Score(name, task, value, "", is_lower_better=board.is_lower_better)
        for task, board in tasks.items()
        for name, value in board.values.items()
    ]
    table, _ = score_table(cells)
    row_of = {name: row for row, name in enumerate(table.systems)}
    ends = np.full((*table.scores.shape, 2), math.nan)
    pairs: list[tuple[Floats, Floats]] = []
    problem = ""
    for number, (task, board) in enumerate(tasks.items()):
        for name in board.values:
            table.errors[row_of[name], number] = board.standard_error(name)
            ends[row_of[name], number] = board.interval(name) or math.nan
        p_values, deviations = np.full((2, len(row_of), len(row_of)), math.nan)
        for comparison in board.results.comparisons:
            a, b = row_of[comparison["a"]], row_of[comparison["b"]]
            p_values[[a, b], [b, a]] = comparison["p_value"]
            deviations[[a, b], [b, a]] = comparison["standard_error"]
        pairs.append((p_values, deviations))
        if not board.ranks and not problem:
            problem = board.problem or f"the systems of {task} were not all compared"
    return replace(
        table,
        ends=ends,
        pairs=pairs,
        problem=problem or "some systems lack a task",
        module=leaderboards[0].module,
        name=leaderboards[0].score,
    )


def task_means(
    table: ScoreTable, kind: Mean, *, gaps: Gaps = "out", confidence_level: float = 0.95
) -> tuple[TaskMeans, list[str]]:
    """Return the board of systems by their mean over tasks, and a line for each missing score.

    Args:
        table: the scores.
        kind: "tasks" for the mean score, "borda" for the number of systems beaten.
        gaps: "out" leaves systems with missing tasks out, "worst" counts them as the worst.
        confidence_level: of intervals, and of ranks for all systems at once.

    Raises:
        ValueError: no system has all tasks, or a mean would be of scores with different directions.

    >>> scores = np.array([[0.9, 0.1], [0.5, 0.2]])
    >>> table = ScoreTable(["a", "b"], ["x", "y"], scores, [False] * 2, scores * 0.01)
    >>> board, _ = task_means(table, "borda")
    >>> [(rank["system"], rank["value"], rank["rank_interval"]) for rank in board.records()]
    [('a', 1.0, [1, 2]), ('b', 1.0, [1, 2])]
    """
    table, lines = without_gaps(table, gaps)
    is_score = kind == "tasks"
    if is_score and len(set(table.lower)) > 1:
        task = table.tasks[table.lower.index(not table.lower[0])]
        raise ValueError(
            f"task {task} has another direction than {table.tasks[0]}: low scores are better in "
            "one of them, so their mean has no meaning; use --mean borda"
        )
    alpha = float(f"{1 - confidence_level:.14g}")

    def totals(points: Floats) -> Floats:
        return np.array([math.fsum(row) for row in points.tolist()])

    values = totals(table.filled()) / len(table.tasks) if is_score else totals(table.beaten())
    sign = -1 if is_score and table.lower[0] else 1
    order = np.argsort(-sign * values, kind="stable")
    borda = totals(table.beaten())[order].tolist()
    table, values = table.only(order), values[order]
    intervals: Sequence[Sequence[float] | None] = [None] * len(order)
    p_adjusted: Floats | None = None
    if is_score:
        intervals = table.intervals_of_means(values, confidence_level)
        p_adjusted = table.p_of_means()
    elif (ends_of_ranks := table.ranks_in_tasks(alpha)) is not None:
        # A system beats all systems that rank below it.
        most, least = (len(order) - ends_of_ranks).sum(axis=0).T
        intervals = np.column_stack([least, most]).tolist()
        p_adjusted = np.where((least[:, None] > most) | (least > most[:, None]), 0.0, 1.0)
    ranks: Sequence[Mapping[str, Any]] = []
    if p_adjusted is not None:
        has_letters = len(order) <= _LETTERED
        ranks = rank_records(sign * values, p_adjusted, alpha, has_letters=has_letters)
    problem = table.problem if p_adjusted is None else ""
    board = TaskMeans(
        kind, table, values.tolist(), borda, confidence_level, intervals, ranks, problem
    )
    return board, lines
