"""Leaderboards over several tasks: the mean of a score, the mean rank, and the Borda count.

A mean over tasks is the mean of one score, computed with the same options on each task. Its
interval is derived from those of the tasks, whose rows are independent: the distance of an end from
the mean is the root of the sum of the squared distances in the tasks, divided by their number. It
stays inside the range of the score. The tasks are fixed: the interval does not extend to other
tasks, unless the tasks are declared to be a sample. Then each task is one unit, weighted together
with an unseen one.

Source:
    Zou and Donner, Construction of confidence limits about effect measures: a general approach
    (2008).

The interval of a mean rank, or of a Borda count, is derived from the possible ranks of a system in
each task. Resampling rows, as for a mean, would be wrong: if systems are close together, the ranks
in resamples are closer to each other than the true ones, in the same direction in every task, so
that with fifteen tasks hardly any interval contains the true mean rank.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Any, Literal

from ...data.files.stored import option_texts
from ...evaluation.results.comparisons import Comparison, Rank, ranks
from ...evaluation.results.rendering import (
    PLAIN,
    Notation,
    NumberFormat,
    Table,
    is_proportion,
    label,
    listed_names,
)
from .leaderboards import UNSCORED, Leaderboard
from .ranked_tables import column, level_heading, rank_range, ranked_table
from .task_ranks import TaskRanks, task_ranks

Mean = Literal["tasks", "ranks", "borda", "win_rate"]

_HEADERS = {"tasks": "mean", "ranks": "mean rank", "borda": "Borda", "win_rate": "mean win rate"}
_FIELDS = {  # of `TaskRanks`
    "tasks": "mean",
    "ranks": "mean_rank",
    "borda": "borda",
    "win_rate": "mean_win_rate",
}
_WITH_GAPS = ("borda", "win_rate")  # kinds for which a system may lack a task
_LONGEST = 60  # letters of what distinguishes two results of one task
_MIN_SAMPLE = 6  # tasks; fewer cannot represent other tasks
_SAMPLED = (
    "Mean: of the score over the tasks, with equal weights. Intervals and tiers treat the tasks as "
    "a sample of tasks."
)
_NORMAL_TEST = "normal test of the paired differences"
_NOTES = {
    "tasks": "Mean: of the score over the tasks, with equal weights. Intervals are for these tasks "
    "and do not extend to others.",
    "ranks": "Mean rank: of the ranks by the score in each task; equal scores share a rank. Lower "
    "is better.",
    "borda": "Borda: the number of systems that a system beats, summed over the tasks; ties count "
    "half, and a missing task adds nothing.",
    "win_rate": "Mean win rate: the proportion of the other systems of a task that a system beats, "
    "where ties count half; mean over the tasks that the system has.",
}


@dataclass(frozen=True)
class TaskMeans:
    """Systems ordered by their mean over tasks, best first."""

    kind: Mean
    leaderboards: Mapping[str, Leaderboard]  # of each task
    values: Mapping[str, float]  # of each system
    intervals: Mapping[str, Sequence[float]]
    ranks: Mapping[str, Rank]
    problem: str = ""  # why there are no intervals
    sampled: bool = False  # whether tasks are a sample of tasks
    task_ranks: Mapping[str, TaskRanks] = field(default_factory=dict)
    is_lower_better: bool = False

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the data of each system, best first."""
        for system, value in self.values.items():
            rank = self.ranks.get(system)
            yield {
                "rank": rank and rank["rank_interval"][0],
                "system": system,
                "value": value,
                "confidence_interval": self.intervals.get(system),
                "rank_interval": rank and rank["rank_interval"],
                "tier": rank and rank["tier"],
                "mean_win_rate": self.task_ranks[system].mean_win_rate,
                "borda": self.task_ranks[system].borda,
                "borda_rank": self.task_ranks[system].borda_rank,
                "tasks": {
                    task: leaderboard.values.get(system)
                    for task, leaderboard in self.leaderboards.items()
                },
            }

    def sentence(self) -> str:
        """Return a statement of what is known, to be quoted."""
        (best, value), *followers = self.values.items()
        text = f"{len(self.leaderboards)} tasks: {label(best)} has the best {_HEADERS[self.kind]}"
        text += f", {value:.4g}"
        if best not in self.intervals:
            return f"{text}; there is no interval to say how certain this is."
        low, high = self.intervals[best]
        text += f" ({low:.4g} to {high:.4g})"
        rivals = []
        for system, _ in followers:
            start, end = self.intervals.get(system, (math.nan, math.nan))
            if (start <= high) if self.is_lower_better else (end >= low):
                rivals.append(label(system))
        if not rivals:
            return f"{text}, and no other interval reaches so far."
        return f"{text}; its interval overlaps with that of {listed_names(rivals)}."

    def table(self, top: int | None = None, notation: Notation = PLAIN) -> Table:
        """Return one row per system, one column per task.

        The first tier is bold if there is a second.
        """
        records = list(self.records())[:top]
        of_means, of_tasks = self._formats(notation)
        labels = [column(records, "rank")] if self.ranks else []
        labels.append(column(records, "system", label))
        number = of_means.number if self.kind != "borda" else "{:g}".format
        columns = [column(records, "value", number, of_means.heading(_HEADERS[self.kind]))]
        if self.intervals:
            level = level_heading(next(iter(self.leaderboards.values())).confidence_level)
            columns.append(column(records, "confidence_interval", of_means.interval, level))
        if self.ranks:
            columns.append(column(records, "rank_interval", rank_range, "ranks"))
            columns.append(column(records, "tier"))
        scores = [record["tasks"] for record in records]
        columns += [
            column(scores, task, of_tasks.number, of_tasks.heading(label(task)))
            for task in self.leaderboards
        ]
        is_divided = any(rank["tier"] > 1 for rank in self.ranks.values())
        best = [row for row, record in enumerate(records) if is_divided and record["tier"] == 1]
        title = "Leaderboard over tasks"
        return ranked_table(labels, columns, best, self._note(), title, self.sentence())

    def _note(self) -> str:
        """Return the definition of the means, and of the intervals and tiers if there are any."""
        note = _SAMPLED if self.sampled else _NOTES[self.kind]
        if self.ranks:
            test = "permutation test of the tasks" if self.sampled else _NORMAL_TEST
            note += (
                " Tier 1: the best system and all whose mean is not significantly worse, by a "
                f"{test}, corrected by Holm's method."
            )
        elif self.kind == "tasks":
            note += " Tiers need the row scores of every task."
        elif self.intervals:
            note += (
                " Intervals: from the possible ranks of a system in each task, simultaneous for "
                "all systems and tasks, corrected by Holm's method over all comparisons of all "
                "tasks."
            )
        if self.problem:
            note += f" There are no intervals: {self.problem}."
        return note

    def _formats(self, notation: Notation) -> tuple[NumberFormat, NumberFormat]:
        """Return the formats of the means, and of the scores of tasks."""
        boards = list(self.leaderboards.values())
        values = [value for board in boards for value in board.values.values()]
        scaled = notation.percent and is_proportion(boards[0].module, boards[0].score, values)
        # Ranks and proportions of systems that are beaten are not scores.
        of_means = notation if self.kind == "tasks" else notation._replace(percent=False)
        intervals = [self.intervals.get(system) for system in self.values]
        of_tasks = notation.format_of(
            (board.interval(system) for board in boards for system in board.results.systems),
            is_proportion=scaled,
        )
        return of_means.format_of(intervals, is_proportion=scaled), of_tasks


def task_means(
    leaderboards: Sequence[Leaderboard], kind: Mean, *, sampled: bool = False
) -> TaskMeans:
    """Return the means over the tasks of these leaderboards.

    Args:
        leaderboards: one per task, with the same systems, scored with the same options.
        kind: "tasks" for the mean score, "ranks" for the mean rank, "borda" for the Borda count,
            "win_rate" for the mean proportion of the other systems that a system beats.
        sampled: whether the tasks are a sample, so that intervals extend to similar tasks; only for
            the mean score of six or more tasks.

    Raises:
        ValueError: there is only one leaderboard, a system is missing from one, or the tasks cannot
            be treated as a sample.
    """
    if sampled and (kind != "tasks" or len(leaderboards) < _MIN_SAMPLE):
        raise ValueError(
            f"tasks can only be a sample for the mean score of at least {_MIN_SAMPLE} tasks; "
            f"there are {len(leaderboards)}"
        )
    if len(leaderboards) < 2:
        raise ValueError("a mean over tasks needs results of several tasks, but there is only one")
    task_leaderboards = _by_task(leaderboards)
    scores = [leaderboard.values for leaderboard in leaderboards]
    systems = list(dict.fromkeys(chain.from_iterable(scores)))
    for system in systems:
        for task, scores_of_task in zip(task_leaderboards, scores, strict=True):
            if system not in scores_of_task and kind not in _WITH_GAPS:
                raise ValueError(
                    f"system {system!r} has no result for task {task!r}; a mean over tasks needs "
                    "a result of each system, under one name, for every task"
                )
    lower = leaderboards[0].is_lower_better
    ranked = task_ranks(scores, [lower] * len(scores))
    values = {system: float(getattr(ranked[system], _FIELDS[kind])) for system in systems}
    is_lower_better = lower if kind == "tasks" else kind == "ranks"
    intervals: dict[str, Sequence[float]] = {}
    ranks_of_systems: dict[str, Rank] = {}
    problem = ""
    if kind == "tasks":
        columns = {system: [task[system] for task in scores] for system in systems}
        if sampled:
            intervals = _intervals_of_sample(columns, leaderboards[0].confidence_level)
            p_values = _p_values_of_sample(columns)
        else:
            intervals = _intervals(leaderboards, columns, values)
            p_values = _p_values(leaderboards, systems)
        ranks_of_systems = _ranks(p_values, values, lower)
    elif any(len(task) < len(systems) for task in scores):
        problem = "some systems lack a task"
    else:
        problem = _without_comparisons(leaderboards)
        intervals = {} if problem else _intervals_of_ranks(leaderboards, kind, lower)
    sign = 1 if is_lower_better else -1
    order = sorted(systems, key=lambda system: sign * values[system])
    return TaskMeans(
        kind,
        task_leaderboards,
        {system: values[system] for system in order},
        intervals,
        ranks_of_systems,
        problem,
        sampled,
        ranked,
        is_lower_better,
    )


def _by_task(leaderboards: Sequence[Leaderboard]) -> dict[str, Leaderboard]:
    """Return the leaderboards by the names of their tasks.

    Several of one task also by what differs.
    """
    names = [board.task or f"task {number}" for number, board in enumerate(leaderboards, start=1)]
    tasks: dict[str, Leaderboard] = {}
    for task, board in zip(names, leaderboards, strict=True):
        rivals = [rival for name, rival in zip(names, leaderboards, strict=True) if name == task]
        distinction = ", ".join(option_texts(_distinction(board, rivals)))[:_LONGEST]
        name = f"{task} ({distinction})" if distinction else task
        tasks[name if name not in tasks else f"{task} ({len(tasks) + 1})"] = board
    return tasks


def _distinction(board: Leaderboard, rivals: Sequence[Leaderboard]) -> dict[str, Any]:
    """Return the settings of a leaderboard that not all others of the same task share."""
    settings, *settings_of_rivals = (
        part.result(next(iter(part.results.systems))).settings() for part in (board, *rivals)
    )
    return {
        name: value
        for name, value in settings.items()
        if name not in UNSCORED and any(part.get(name) != value for part in settings_of_rivals)
    }


def _intervals(
    leaderboards: Sequence[Leaderboard],
    columns: Mapping[str, Sequence[float]],
    means: Mapping[str, float],
) -> dict[str, Sequence[float]]:
    """Intervals of the means of those systems that have an interval in each task."""
    intervals: dict[str, Sequence[float]] = {}
    for system, scores in columns.items():
        ends = [_ends(leaderboard, system) for leaderboard in leaderboards]
        pairs = [pair for pair in ends if pair is not None and not any(map(math.isnan, pair))]
        if len(pairs) == len(leaderboards):
            falls = [score - low for score, (low, _) in zip(scores, pairs, strict=True)]
            rises = [high - score for score, (_, high) in zip(scores, pairs, strict=True)]
            intervals[system] = [
                means[system] - math.hypot(*falls) / len(leaderboards),
                means[system] + math.hypot(*rises) / len(leaderboards),
            ]
    return intervals


def _ends(leaderboard: Leaderboard, system: str) -> Sequence[float] | None:
    """Return the interval of a system in a task.

    From its standard error if there is nothing else.
    """
    from ...statistics.intervals.intervals import critical_value

    ends = leaderboard.interval(system)
    if ends is not None:
        return ends
    error = leaderboard.standard_error(system)
    if error is None:
        return None
    score = leaderboard.values[system]
    reach = critical_value(leaderboard.confidence_level, math.inf) * error
    if 0 <= score <= 1:
        return max(score - reach, 0.0), min(score + reach, 1.0)
    return score - reach, score + reach


def _intervals_of_sample(
    columns: Mapping[str, Sequence[float]], confidence_level: float
) -> dict[str, Sequence[float]]:
    """Intervals of the means of systems over the tasks from which these are a sample."""
    from ...statistics.intervals.intervals import interval

    intervals: dict[str, Sequence[float]] = {}
    for system, scores in columns.items():
        are_rates = all(0 <= score <= 1 for score in scores)
        bounds = (0.0, 1.0) if are_rates else (0.0 if min(scores) >= 0 else -math.inf, math.inf)
        estimate = interval(scores, confidence_level=confidence_level, bounds=bounds)
        intervals[system] = [estimate.low, estimate.high]
    return intervals


def _without_comparisons(leaderboards: Sequence[Leaderboard]) -> str:
    """Why the systems of some task were not all compared; an empty text if they were."""
    for leaderboard in leaderboards:
        if not leaderboard.ranks:
            task = leaderboard.task or "a task"
            return leaderboard.problem or f"the systems of {task} were not all compared"
    return ""


def _intervals_of_ranks(
    leaderboards: Sequence[Leaderboard], kind: Mean, lower: bool
) -> dict[str, Sequence[float]]:
    """Intervals of mean ranks, or of what follows from them, by the possible ranks in each task."""
    tasks = [(leaderboard.results.comparisons, leaderboard.values) for leaderboard in leaderboards]
    ranks_of_tasks = simultaneous_ranks(tasks, leaderboards[0].confidence_level, lower)
    systems = leaderboards[0].values
    rivals = max(len(systems) - 1, 1)
    factor = len(tasks) if kind == "borda" else 1 / rivals
    intervals: dict[str, Sequence[float]] = {}
    for system in systems:
        ends = zip(*(ranks_of_task[system] for ranks_of_task in ranks_of_tasks), strict=True)
        best, worst = (math.fsum(ranks_in_tasks) / len(tasks) for ranks_in_tasks in ends)
        intervals[system] = [best, worst]
        if kind != "ranks":  # a system beats all systems that rank below it
            intervals[system] = [factor * (len(systems) - end) for end in (worst, best)]
    return intervals


def simultaneous_ranks(
    tasks: Sequence[tuple[Sequence[Comparison], Mapping[str, float]]],
    confidence_level: float,
    is_lower_better: bool = False,
) -> list[dict[str, list[int]]]:
    """Simultaneous intervals of the ranks of each system in each task.

    Args:
        tasks: for each task, the comparisons of all pairs of systems, and the score of each system.
        confidence_level: the joint level of all intervals.
        is_lower_better: whether the lowest score is the best.

    >>> rows = {"a": [1.0] * 9, "b": [0.0] * 9}
    >>> from ...evaluation.results.comparisons import Pair, compare_pairs
    >>> pairs = compare_pairs([Pair("a", "b", "m", "em", *rows.values())])
    >>> simultaneous_ranks([(pairs, {"a": 1.0, "b": 0.0})] * 2, 0.95)
    [{'a': [1, 1], 'b': [2, 2]}, {'a': [1, 1], 'b': [2, 2]}]
    """
    from ...statistics.tests.corrections import holm

    p_values = [comparison["p_value"] for comparisons, _ in tasks for comparison in comparisons]
    p_adjusted = iter(holm(p_values).tolist())
    alpha = {"alpha": 1 - confidence_level}
    ranks_of_tasks = []
    for comparisons, scores in tasks:
        adjusted = [
            {**c, "p_adjusted": p, "options": c.get("options", {}) | alpha}
            for c, p in zip(comparisons, p_adjusted, strict=False)
        ]
        ranks_of_systems = ranks(adjusted, scores, is_lower_better)
        ranks_of_tasks.append(
            {system: rank["rank_interval"] for system, rank in ranks_of_systems.items()}
        )
    return ranks_of_tasks


def _p_values(
    leaderboards: Sequence[Leaderboard], systems: Sequence[str]
) -> dict[tuple[str, str], float]:
    """Return the p-value of the mean difference of every two systems; empty without rows."""
    from scipy.special import ndtr

    p_values = {}
    for a, b in combinations(systems, 2):
        parts = [leaderboard.difference(a, b) for leaderboard in leaderboards]
        differences = [part for part in parts if part is not None]
        difference = math.fsum(mean for mean, _ in differences)
        error = math.hypot(*(error for _, error in differences))
        if len(differences) < len(parts) or math.isnan(error):
            return {}
        # If all differences of a few rows are equal, the error is 0, which is not evidence.
        p_values[a, b] = 2 * float(ndtr(-abs(difference) / error)) if error else 1.0
    return p_values


def _p_values_of_sample(columns: Mapping[str, Sequence[float]]) -> dict[tuple[str, str], float]:
    """Return the p-values of permutation tests on the differences of tasks, one unit per task."""
    from ...statistics.tests.paired_tests import paired_test

    return {
        (a, b): paired_test([x - y for x, y in zip(columns[a], columns[b], strict=True)]).p_value
        for a, b in combinations(columns, 2)
    }


def _ranks(
    p_values: Mapping[tuple[str, str], float], means: Mapping[str, float], lower: bool
) -> dict[str, Rank]:
    """Return the ranks of systems by comparisons with these p-values; empty without comparisons."""
    from ...statistics.tests.corrections import holm

    if not p_values:
        return {}
    adjusted = holm(list(p_values.values())).tolist()
    comparisons = [
        {"a": a, "b": b, "p_adjusted": p} for (a, b), p in zip(p_values, adjusted, strict=True)
    ]
    return ranks(comparisons, means, lower)
