"""Boards over several tasks: systems by their mean score, or by Borda's count.

Tasks are fixed, and rows are the sample; those of two systems count as independent. Borda's count
has the interval of the possible ranks in each task, simultaneous for all tasks. Resampling rows
would be wrong for it: if systems are close together, the ranks in resamples are closer to each
other than the true ones, in the same direction in every task.

Ranks, tiers and letters follow from comparisons of all pairs of systems, corrected for their
number, so that they hold for all systems at once.

Source:
    Mogstad, Romano, Shaikh and Wilhelm, Inference for ranks (2024). Neuhof and Benjamini,
    arXiv 2606.08679. Colombo and others, What are the best systems? (2022).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...evaluation.results.rendering import (
    PLAIN,
    Notation,
    Table,
    column,
    counted,
    label,
    level_heading,
    listed_names,
)
from ...evaluation.results.result_tables import rank_range
from ...evaluation.results.standings import rank_records
from ...statistics.arguments.arrays import Floats
from ...statistics.intervals.intervals import critical_value
from .leaderboards import ascending
from .score_tables import Gaps, ScoreTable, without_gaps

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
    scored: ScoreTable  # best first
    values: Sequence[float]  # of each system
    borda: Sequence[float]
    confidence_level: float
    intervals: Sequence[Sequence[float] | None]
    ranks: Sequence[Mapping[str, Any]]  # empty if systems cannot be compared

    @property
    def is_lower_better(self) -> bool:
        """Return whether the system with the lowest value is the best."""
        return self.kind == "tasks" and self.scored.is_lower_better

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the data of each system, best first."""
        unknown = dict.fromkeys(("rank_interval", "tier", "letters"))
        shown: Sequence[int | None] = ascending([rank["rank_interval"][0] for rank in self.ranks])
        for row, system in enumerate(self.scored.systems):
            scores = zip(self.scored.tasks, self.scored.scores[row].tolist(), strict=True)
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
        text = f"{counted(len(self.scored.tasks), 'task')}: {label(first['system'])} has the best "
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

    def table(self, top: int | None = None, notation: Notation = PLAIN) -> Table:
        """Return one row per system, one column per task.

        The first tier is bold if there is a second.
        """
        records = list(self.records())[:top]
        is_share = self.scored.has_shares
        reach = critical_value(self.confidence_level, math.inf) * self.scored.errors
        ends = [(-end, end) for end in reach[~np.isnan(reach)].tolist()]
        of_tasks = notation.format_of(ends, is_proportion=is_share)
        is_score = self.kind == "tasks"  # ranks are not scores
        of_means = notation.format_of(self.intervals, is_proportion=is_share and is_score)
        number = of_means.number if is_score else "{:g}".format
        level = level_heading(self.confidence_level)
        cells = [
            column(records, "value", number, of_means.heading(_HEADERS[self.kind])),
            column(records, "confidence_interval", of_means.interval, level),
            column(records, "rank_interval", rank_range, "ranks"),
            column(records, "tier"),
            column(records, "letters"),
        ]
        of_systems = [record["tasks"] for record in records]
        for task in self.scored.tasks if len(self.scored.tasks) <= _COLUMNS else ():
            cells.append(column(of_systems, task, of_tasks.number, of_tasks.heading(label(task))))
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
            yield (
                "Intervals and ranks are for these tasks and do not extend to others. Errors of "
                "two systems count as independent, which is cautious if they answered the same "
                "rows."
            )
        if self.ranks:
            number = math.comb(len(self.ranks), 2)
            test = "Normal test of the differences"
            if self.kind == "borda":
                test = f"Tests in each of {len(self.scored.tasks)} tasks"
                number *= len(self.scored.tasks)
            yield (
                "Ranks: the best and the worst that the comparisons of all pairs allow, for all "
                "systems at once. Tier 1: the best system and all that are not significantly "
                f"worse. {test}, corrected by Bonferroni's method over "
                f"{counted(number, 'comparison')}."
            )
            if len(self.ranks) <= _LETTERED:
                yield "Systems that share a letter cannot be told apart."
        if len(self.scored.tasks) > _COLUMNS:
            yield "The scores of all tasks are in the formats json and csv."
        if not self.ranks:
            problem = "some systems lack a task"
            if not self.scored.gaps():
                problem = "some scores have neither standard errors nor rows"
            yield f"There are no ranks: {problem}."


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
        ValueError: no system has all tasks.

    >>> scores = np.array([[0.9, 0.1], [0.5, 0.2]])
    >>> board, _ = task_means(ScoreTable(["a", "b"], ["x", "y"], scores, scores * 0.01), "borda")
    >>> [(rank["system"], rank["value"], rank["rank_interval"]) for rank in board.records()]
    [('a', 1.0, [1, 2]), ('b', 1.0, [1, 2])]
    """
    table, lines = without_gaps(table, gaps)
    is_score = kind == "tasks"
    alpha = float(f"{1 - confidence_level:.14g}")

    def totals(points: Floats) -> Floats:
        return np.array([math.fsum(row) for row in points.tolist()])

    values = totals(table.filled()) / len(table.tasks) if is_score else totals(table.beaten())
    sign = -1 if is_score and table.is_lower_better else 1
    order = np.argsort(-sign * values, kind="stable")
    borda = totals(table.beaten())[order].tolist()
    table, values = table.only(order), values[order]
    is_known = not np.isnan(table.errors + table.scores).any()
    intervals: Sequence[Sequence[float] | None] = [None] * len(order)
    ranks: Sequence[Mapping[str, Any]] = []
    if is_score:
        errors = np.sqrt(np.square(table.errors).sum(axis=1)) / len(table.tasks)
        reach = critical_value(confidence_level, math.inf) * errors
        ends = values[:, None] + reach[:, None] * [-1, 1]
        ends = ends.clip(0, 1) if table.has_shares else ends
        intervals = [None if math.isnan(sum(pair)) else pair for pair in ends.tolist()]
        p_adjusted = table.p_of_means()
    elif is_known:
        # A system beats all systems that rank below it.
        most, least = (len(order) - table.ranks_in_tasks(alpha)).sum(axis=0).T
        intervals = np.column_stack([least, most]).tolist()
        p_adjusted = np.where((least[:, None] > most) | (least > most[:, None]), 0.0, 1.0)
    if is_known and len(order) > 1:
        has_letters = len(order) <= _LETTERED
        ranks = rank_records(sign * values, p_adjusted, alpha, has_letters=has_letters)
    board = TaskMeans(kind, table, values.tolist(), borda, confidence_level, intervals, ranks)
    return board, lines
