"""Leaderboards over several tasks: the mean of a score, the mean rank, and Borda's count.

A mean over tasks is of one score, computed with the same options on each. Its interval follows from
those of the tasks, whose rows are independent of each other: how far an end lies from the mean is
the root of the sum of the squared distances in the tasks, over their number. It stays inside the
range of the score. The tasks are taken as they are: nothing is said of other tasks, unless they are
said to be a sample of tasks. Then each task is one unit, and one more was not seen.

Source:
    Zou and Donner, Construction of confidence limits about effect measures: a general approach
    (2008).

The interval of a mean rank, or of Borda's count, follows from the possible ranks of a system in
each task. Resampling rows, as for a mean, would be wrong: if systems are close together, the ranks
in resamples are closer to each other than the true ones, in the same direction in every task, so
that with fifteen tasks hardly any interval contains the true mean rank.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

from ..results.comparisons import Comparison, Rank, ranks
from ..results.rendering import Table, label
from .leaderboards import Leaderboard, interval_text
from .task_ranks import TaskRanks, task_ranks

Mean = Literal["tasks", "ranks", "borda", "win_rate"]

_HEADERS = {"tasks": "mean", "ranks": "mean rank", "borda": "Borda", "win_rate": "mean win rate"}
_WITH_HOLES = ("borda", "win_rate")  # kinds for which a system may lack a task
_NAMED = 3  # systems that a sentence names
_FEWEST_SAMPLED = 6  # tasks that say something of other tasks
_SAMPLED = (
    "Mean: of the score over the tasks, each counting the same. Intervals and tiers take the tasks "
    "for a sample of tasks."
)
_NOTES = {
    "tasks": "Mean: of the score over the tasks, each counting the same. Intervals are for these "
    "tasks, and say nothing of others.",
    "ranks": "Mean rank: of the ranks by the score in each task; equal scores share a rank. Less "
    "is better.",
    "borda": "Borda: how many systems a system beats, summed over the tasks; ties count half. A "
    "missing task adds nothing.",
    "win_rate": "Mean win rate: the proportion of the other systems of a task that a system beats, "
    "ties counting half; mean over the tasks that it has.",
}


@dataclass(frozen=True)
class TaskMeans:
    """Systems ordered by their mean over tasks, best first."""

    kind: Mean
    boards: Mapping[str, Leaderboard]  # of each task
    values: Mapping[str, float]  # of each system
    intervals: Mapping[str, Sequence[float]]
    ranks: Mapping[str, Rank]
    problem: str = ""  # why there are no intervals
    sampled: bool = False  # whether tasks are a sample of tasks
    task_ranks: Mapping[str, TaskRanks] = field(default_factory=dict)
    is_lower_better: bool = False

    def records(self) -> Iterator[dict[str, Any]]:
        """The data of each system, best first."""
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
                "tasks": {task: scores.get(system) for task, scores in self._scores().items()},
            }

    def _scores(self) -> dict[str, dict[str, float]]:
        """For each task the scores of its systems."""
        return {task: scores_of_board(board) for task, board in self.boards.items()}

    def sentence(self) -> str:
        """What is known, in words that can be quoted."""
        (best, value), *others = self.values.items()
        name = _HEADERS[self.kind]
        text = f"{len(self.boards)} tasks: {label(best)} has the best {name}, {value:.4g}"
        interval = self.intervals.get(best)
        if interval is None:
            return f"{text}; how certain this is, is not known."
        low, high = interval
        text += f" ({low:.4g} to {high:.4g})"
        lower = self.is_lower_better
        rivals = [
            label(system)
            for system, _ in others
            if system in self.intervals
            and (self.intervals[system][0] <= high if lower else self.intervals[system][1] >= low)
        ]
        if not rivals:
            return f"{text}, and the intervals of all others are behind it."
        return f"{text}; its interval overlaps with that of {listed_names(rivals)}."

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
            tasks = ["" if value is None else f"{value:.4f}" for value in record["tasks"].values()]
            rows.append([*names, *cells, *tasks])
        header = [*(["rank"] if self.ranks else []), "system", _HEADERS[self.kind]]
        header += [f"{100 * level:g}% interval"] if self.intervals else []
        header += ["ranks", "tier"] if self.ranks else []
        note = _SAMPLED if self.sampled else _NOTES[self.kind]
        if self.ranks:
            test = "permutation test of the tasks" if self.sampled else "normal test of the paired"
            note += (
                " Tier 1: the best system and all whose mean is not significantly worse, by a "
                f"{test}{'' if self.sampled else ' differences'}, corrected by Holm's method."
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
        tasks = [label(task) for task in self.boards]
        return Table(
            [*header, *tasks],
            rows,
            2 if self.ranks else 1,
            bold,
            note,
            "Leaderboard over tasks",
            self.sentence(),
        )


def scores_of_board(board: Leaderboard) -> dict[str, float]:
    """The score of each system of a board."""
    return {system: board.result(system).scores[board.score] for system in board.results.systems}


def listed_names(names: Sequence[str]) -> str:
    """Names in a sentence, of which at most three are spelled out.

    >>> listed_names(["b"]), listed_names(["b", "c"]), listed_names(["b", "c", "d", "e", "f"])
    ('b', 'b and c', 'b, c, d and 2 others')
    """
    if len(names) == 1:
        return names[0]
    if len(names) <= _NAMED:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    more = len(names) - _NAMED
    return f"{', '.join(names[:_NAMED])} and {more} other{'s' if more > 1 else ''}"


def task_means(boards: Sequence[Leaderboard], kind: Mean, *, sampled: bool = False) -> TaskMeans:
    """The means over the tasks of these boards.

    Args:
        boards: one of each task, with the same systems, which were scored with the same options.
        kind: "tasks" for the mean of scores, "ranks" for that of ranks, "borda" for the count,
            "win_rate" for the mean proportion of the other systems that are beaten.
        sampled: whether the tasks are a sample, so that intervals are for others like them too;
            of "tasks" alone, from six tasks on.

    Raises:
        ValueError: there is only one board, a system is missing from a board, or intervals for a
            sample of tasks are requested but not available.
    """
    if sampled and (kind != "tasks" or len(boards) < _FEWEST_SAMPLED):
        raise ValueError(
            f"tasks are a sample only for the mean of scores, from {_FEWEST_SAMPLED} tasks on; "
            f"there are {len(boards)}"
        )
    if len(boards) < 2:
        raise ValueError("a mean over tasks needs results of several tasks; there is one")
    boards_of_tasks = _boards_of_tasks(boards)
    systems = list(dict.fromkeys(system for board in boards for system in board.results.systems))
    for system in systems:
        for task, board in boards_of_tasks.items():
            if system not in board.results.systems and kind not in _WITH_HOLES:
                raise ValueError(
                    f"system {system!r} has no result for task {task!r}; a mean over tasks needs "
                    "all of each system, under one name"
                )
    lower = (
        boards[0].score in boards[0].result(next(iter(boards[0].results.systems))).lower_is_better
    )
    ranked = task_ranks([*map(scores_of_board, boards)], [lower] * len(boards))
    columns = [
        [scores_of_board(board).get(system, math.nan) for system in systems] for board in boards
    ]
    intervals: dict[str, Sequence[float]] = {}
    ranks_of_systems: dict[str, Rank] = {}
    problem = ""
    if kind == "tasks":
        means = [math.fsum(row) / len(row) for row in zip(*columns, strict=True)]
        by_name = dict(zip(systems, means, strict=True))
        if sampled:
            intervals = _intervals_of_sample(boards, systems, columns)
            ranks_of_systems = _ranks_of_sample(systems, columns, by_name, lower)
        else:
            intervals = _intervals(boards, systems, means)
            ranks_of_systems = _ranks(boards, systems, by_name, lower)
        is_lower_better = lower
    else:
        of_kind = {"ranks": "mean_rank", "borda": "borda", "win_rate": "mean_win_rate"}[kind]
        means = [getattr(ranked[system], of_kind) for system in systems]
        is_lower_better = kind == "ranks"
        problem = _without_comparisons(boards)
        if any(len(board.results.systems) < len(systems) for board in boards):
            problem = "some systems lack a task"
        if not problem:
            best, worst = _possible_ranks(boards, systems, lower)
            for number, system in enumerate(systems):
                ends = [best[number], worst[number]]
                if kind != "ranks":  # a system beats all that rank behind it
                    ends = [len(systems) - end for end in ends[::-1]]
                    tasks, rivals = len(boards), len(systems) - 1
                    factor = tasks if kind == "borda" else 1 / rivals if rivals else math.nan
                    ends = [factor * end for end in ends]
                intervals[system] = ends
    order = sorted(
        range(len(systems)), key=lambda number: means[number] * (1 if is_lower_better else -1)
    )
    values = {systems[number]: means[number] for number in order}
    return TaskMeans(
        kind,
        boards_of_tasks,
        values,
        intervals,
        ranks_of_systems,
        problem,
        sampled,
        ranked,
        is_lower_better,
    )


def _boards_of_tasks(boards: Sequence[Leaderboard]) -> dict[str, Leaderboard]:
    """The leaderboards by the names of their tasks, or by numbers if the names are not unique."""
    names = [board.task for board in boards]
    if len(set(names)) < len(names) or not all(names):
        names = [f"task {number}" for number in range(1, len(boards) + 1)]
    return dict(zip(names, boards, strict=True))


def _intervals(
    boards: Sequence[Leaderboard], systems: Sequence[str], means: Sequence[float]
) -> dict[str, Sequence[float]]:
    """Intervals of the means of systems that have one in each task."""
    intervals: dict[str, Sequence[float]] = {}
    for system, mean in zip(systems, means, strict=True):
        ends = [_ends(board, system) for board in boards]
        pairs = [pair for pair in ends if pair is not None and not any(map(math.isnan, pair))]
        if len(pairs) == len(boards):
            scores = [board.result(system).scores[board.score] for board in boards]
            falls = [score - low for score, (low, _) in zip(scores, pairs, strict=True)]
            rises = [high - score for score, (_, high) in zip(scores, pairs, strict=True)]
            intervals[system] = [
                mean - math.hypot(*falls) / len(boards),
                mean + math.hypot(*rises) / len(boards),
            ]
    return intervals


def _ends(board: Leaderboard, system: str) -> Sequence[float] | None:
    """The interval of a system in a task; from its standard error where nothing else is known."""
    from ..statistics.intervals import critical_value

    ends = board.interval(system)
    if ends is not None:
        return ends
    error = board.standard_error(system)
    if error is None:
        return None
    score = board.result(system).scores[board.score]
    reach = critical_value(board.confidence_level, math.inf) * error
    if 0 <= score <= 1:
        return max(score - reach, 0.0), min(score + reach, 1.0)
    return score - reach, score + reach


def _intervals_of_sample(
    boards: Sequence[Leaderboard], systems: Sequence[str], columns: Sequence[Sequence[float]]
) -> dict[str, Sequence[float]]:
    """Intervals of the means of systems over tasks of which these are a sample."""
    from ..statistics.intervals import interval

    level = boards[0].confidence_level
    intervals: dict[str, Sequence[float]] = {}
    for system, values in zip(systems, zip(*columns, strict=True), strict=True):
        are_shares = all(0 <= value <= 1 for value in values)
        bounds = (0.0, 1.0) if are_shares else (0.0 if min(values) >= 0 else -math.inf, math.inf)
        estimate = interval(list(values), confidence_level=level, bounds=bounds)
        intervals[system] = [estimate.low, estimate.high]
    return intervals


def _ranks_of_sample(
    systems: Sequence[str],
    columns: Sequence[Sequence[float]],
    means: Mapping[str, float],
    lower: bool,
) -> dict[str, Rank]:
    """The ranks by permutation tests of the differences of tasks, each of which counts once."""
    from ..statistics.corrections import holm
    from ..statistics.paired_tests import paired_test

    scores = dict(zip(systems, zip(*columns, strict=True), strict=True))
    pairs = list(combinations(systems, 2))
    p_values = [
        paired_test([x - y for x, y in zip(scores[a], scores[b], strict=True)]).p_value
        for a, b in pairs
    ]
    comparisons = [
        {"a": a, "b": b, "p_adjusted": p}
        for (a, b), p in zip(pairs, holm(p_values).tolist(), strict=True)
    ]
    return ranks(comparisons, means, lower)


def _without_comparisons(boards: Sequence[Leaderboard]) -> str:
    """Why the systems of some task were not all compared; nothing if they were."""
    for board in boards:
        if not board.ranks:
            return next(
                (note.removeprefix("There are no ranks: ").rstrip(".") for note in board.notes),
                f"the systems of {board.task or 'a task'} were not all compared",
            )
    return ""


def _possible_ranks(
    boards: Sequence[Leaderboard], systems: Sequence[str], lower: bool
) -> tuple[list[float], list[float]]:
    """The means over tasks of the best and the worst possible rank of each system."""
    tasks = [
        (
            board.results.comparisons,
            {system: board.result(system).scores[board.score] for system in systems},
        )
        for board in boards
    ]
    ranks_of_tasks = simultaneous_ranks(tasks, boards[0].confidence_level, lower)
    best, worst = (
        [
            math.fsum(ranks_of_task[system][end] for ranks_of_task in ranks_of_tasks) / len(tasks)
            for system in systems
        ]
        for end in (0, 1)
    )
    return best, worst


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
    >>> from ..results.comparisons import Pair, compare_pairs
    >>> pairs = compare_pairs([Pair("a", "b", "m", "em", *rows.values())])
    >>> simultaneous_ranks([(pairs, {"a": 1.0, "b": 0.0})] * 2, 0.95)
    [{'a': [1, 1], 'b': [2, 2]}, {'a': [1, 1], 'b': [2, 2]}]
    """
    from ..statistics.corrections import holm

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


def _ranks(
    boards: Sequence[Leaderboard], systems: Sequence[str], means: Mapping[str, float], lower: bool
) -> dict[str, Rank]:
    """The ranks by mean differences over tasks for all pairs of systems; empty without rows."""
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
        # Equal differences of few rows have no error, which is not evidence.
        p_values.append(2 * float(ndtr(-abs(difference) / error)) if error else 1.0)
        comparisons.append({"a": a, "b": b})
    for comparison, p in zip(comparisons, holm(p_values).tolist(), strict=True):
        comparison["p_adjusted"] = p
    return ranks(comparisons, means, lower)
