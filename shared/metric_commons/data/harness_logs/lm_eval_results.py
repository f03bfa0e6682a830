"""Results of lm-evaluation-harness, `results_<time>.json`: means of tasks with standard errors.

Source: EleutherAI/lm-evaluation-harness, `loggers/evaluation_tracker.py`.
"""

from collections.abc import Mapping
from typing import Any

from .logs import Content, Log, LoggedMeans, Marks

FORMAT = "lm-eval-results"
MARKS = Marks(kinds=("document",), fields=[("results", "configs", "versions")])


def read(content: Content) -> Log:
    """Return the means of each task, which is a split of its own."""
    document = content.document
    samples = document.get("n-samples") or {}
    directions = document.get("higher_is_better") or {}
    groups = {
        member: group
        for group, members in (document.get("group_subtasks") or {}).items()
        for member in members
        if _numbers(document["results"].get(group) or {})
    }
    means = [
        LoggedMeans(
            task,
            _numbers(scores),
            {},
            {"task": task, "group": groups.get(task)},
            _numbers(scores, "_stderr"),
            int((samples.get(task) or {}).get("effective") or 0),
        )
        for task, scores in document["results"].items()
        if _numbers(scores)
    ]
    lower = {
        score
        for task in means
        for score in task.scores
        if (directions.get(task.split) or {}).get(score.partition(",")[0]) is False
    }
    name = document.get("model_name") or (document.get("config") or {}).get("model_name")
    return Log(rows=iter(()), system=name, means=means, lower_is_better=frozenset(lower))


def _numbers(scores: Mapping[str, Any], ending: str = "") -> dict[str, float]:
    """Return the scores by metric and filter, or their errors, whose names have the ending.

    >>> _numbers({"alias": "x", "acc,none": 0.5, "acc_stderr,none": 0.1})
    {'acc,none': 0.5}
    >>> _numbers({"acc,none": 0.5, "acc_stderr,none": 0.1}, "_stderr")
    {'acc,none': 0.1}
    """
    numbers = {}
    for name, value in scores.items():
        metric, comma, chosen = name.partition(",")
        if not isinstance(value, int | float) or not comma:
            continue
        if metric.endswith("_stderr") == bool(ending):
            numbers[f"{metric.removesuffix(ending)},{chosen}"] = float(value)
    return numbers
