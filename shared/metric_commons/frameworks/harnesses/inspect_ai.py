"""Scorers and metrics for inspect_ai, which finds them by an entry point.

In logs the scorers are `metric_commons/math`, `metric_commons/choice` and, of each module that
judges single rows, `metric_commons/qa_f1` and so on. The metrics are `interval` and
`standard_error`. No other file of the package imports this one, which imports inspect_ai.

    Task(dataset, solver=generate(), scorer=[math(percent="value"), choice()])
    Task(dataset, solver=generate(), scorer=math(), metrics=[interval(cluster="document")])
"""

from collections.abc import Callable, Sequence
from math import inf, isnan, nan
from typing import Any

from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    accuracy,
    mean,
    value_to_float,
)
from inspect_ai.scorer import metric as registered_metric
from inspect_ai.scorer import scorer as registered_scorer
from inspect_ai.solver import TaskState

from ...statistics.arguments.domains import Level, check_option
from ...statistics.intervals.intervals import interval as mean_interval
from ...statistics.intervals.proportions import Interval
from ..rewards.model_outputs import sole
from ..rewards.module_tasks import row_modules
from ..rewards.named_tasks import task as named_task
from ..rewards.verdicts import Task as RowTask

__all__ = ["choice", "interval", "math", "module", "standard_error"]


def _interval(level: float = 0.95, cluster: str | None = None) -> Metric:
    """Return the confidence interval of the mean: {"low": ..., "high": ...}.

    It stays within [0, 1] if the scores do, and has a width even if all scores are equal. Scores
    above 1 have an interval without an upper bound.

    Args:
        level: the confidence level.
        cluster: a field of the samples' metadata, such as the document of several questions;
            samples with the same value are not independent.

    Raises:
        ValueError: an option is not valid; or a sample has no such field.
    """
    check_option("level", level, Level)

    def estimate(scores: list[SampleScore]) -> dict[str, float]:
        estimated = _estimate(scores, level, cluster)
        return {"low": estimated.low, "high": estimated.high}

    return estimate


def _standard_error(cluster: str | None = None) -> Metric:
    """Return the standard error of the mean.

    NaN for a single sample or cluster, where it is unknown.

    Args:
        cluster: as in `interval`.
    """

    def estimate(scores: list[SampleScore]) -> float:
        return _estimate(scores, 0.95, cluster).standard_error

    return estimate


def module(
    module: str = "qa_f1", score: str | None = None, extract: Any = None, **options: Any
) -> Scorer:
    """Return a score of a module that judges single rows; its other scores are in the metadata.

    Calls of tools are those of all messages that the model generated. Logs name the scorer after
    the module, and after the score if it is not the main one.

    Args:
        module: the name, such as "qa_f1".
        score: the name of a score of the module; None for its main one.
        extract: the step that finds the answer in the text, if it is not all of it.
        **options: of the module.

    Raises:
        ValueError: the module or score is unknown, or an option is not valid; or the module does
            not judge single rows, as those of rankings.
        TypeError: an option is unknown.
    """
    named_task(module, score=score, extract=extract, **options)  # its errors
    name = module if score in (None, module) else f"{module}_{score}"
    return _registered(module, name, score)(extract=extract, **options)


def _registered(
    module: str, name: str, score: str | None = None, *, is_letter: bool = False
) -> Callable[..., Scorer]:
    """Return the scorer of a module under its name in logs; letters are "C" or "I"."""

    def factory(score: str | None = score, extract: Any = None, **options: Any) -> Scorer:
        task = named_task(module, score=score, extract=extract, explain=True, **options)
        return _scorer(task, is_letter=is_letter)

    metrics = [accuracy() if is_letter else mean(), standard_error(), interval()]
    made: Callable[..., Scorer] = registered_scorer(metrics=metrics, name=name)(factory)
    return made


def _scorer(task: RowTask, *, is_letter: bool) -> Scorer:
    async def scored(state: TaskState, target: Target) -> Score:
        completion: Any = state.output.completion
        if task.reads_calls():
            completion = [
                message
                for message in state.messages
                if message.role == "assistant" and getattr(message, "source", None) != "input"
            ]
        verdict = task.verdict(completion, sole(list(target)))
        fields: dict[str, Any] = {
            "answer": verdict.answer,
            "explanation": verdict.reason,
            "metadata": task.record(verdict),
        }
        if verdict.score is None:
            return Score.unscored(reason="scoring_failed", **fields)
        letter = CORRECT if verdict.score == 1 else INCORRECT
        return Score(value=letter if is_letter else verdict.score, **fields)

    return scored


def _estimate(scores: Sequence[SampleScore], level: float, cluster: str | None) -> Interval:
    """Return the interval of the samples that have a score; NaN without any.

    It is within [0, 1] if the scores are, and otherwise has no upper bound.
    """
    number = value_to_float()
    values, clusters = [], []
    for score in scores:
        value = number(score.score.value)
        if not isnan(value):
            values.append(value)
            clusters.append(None if cluster is None else _label(score, cluster))
    if not values:
        return Interval(nan, nan, "auto", nan, None)
    low = -inf if min(values) < 0 else 0.0
    bounds = (low, inf if low < 0 or max(values) > 1 else 1.0)
    labels = None if cluster is None else clusters
    return mean_interval(values, confidence_level=level, clusters=labels, bounds=bounds)


def _label(score: SampleScore, key: str) -> str:
    """Return the value of a field of the metadata of a sample."""
    label = (score.sample_metadata or {}).get(key)
    if label is None or label != label:
        raise ValueError(f"sample {score.sample_id!r} has no {key!r} in its metadata")
    return str(label)


# The names under which logs mention them begin with "metric_commons/".
interval = registered_metric(name="interval")(_interval)
standard_error = registered_metric(name="standard_error")(_standard_error)
# Whether the answer is proved to be equal to the target, and whether the letter is: "C" or "I". A
# target that cannot be read leaves the sample unscored. Options are those of the rewards.
math = _registered("math", "math", is_letter=True)
choice = _registered("choice", "choice", is_letter=True)
for _name in row_modules():
    _registered(_name, _name)
