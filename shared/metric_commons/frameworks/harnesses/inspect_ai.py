"""Scorers and metrics for inspect_ai, which finds them by an entry point.

In logs the scorers are `metric_commons/math`, `metric_commons/choice` and `metric_commons/module`.
The metrics are `interval`, `standard_error` and `groups`. This file imports inspect_ai, and no
other file of the package imports this one.

    Task(dataset, solver=generate(), scorer=[math(), choice()])
    Task(dataset, solver=generate(), scorer=math(), metrics=[interval(cluster="document")])
"""

import math as numbers
from collections.abc import Sequence
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

from ...statistics.intervals.methods import Method
from ...statistics.intervals.proportions import Interval
from ..rewards.named_tasks import task as named_task
from ..rewards.verdicts import Task as RowTask
from .mean_estimates import check_interval_options, mean_estimate

__all__ = ["choice", "groups", "interval", "math", "module", "standard_error"]


def _interval(level: float = 0.95, cluster: str | None = None, method: Method = "auto") -> Metric:
    """Return the confidence interval of the mean: {"low": ..., "high": ...}.

    It stays within [0, 1] if the scores do, and has a width even if all scores are equal. Scores
    above 1 have an interval without an upper bound.

    Args:
        level: the confidence level.
        cluster: a field of the samples' metadata, such as the document of several questions;
            samples with the same value are not independent.
        method: as in `metric_commons.statistics.interval`.

    Raises:
        ValueError: an option is not valid; or a sample has no such field.
    """
    check_interval_options(level, method)

    def estimate(scores: list[SampleScore]) -> dict[str, float]:
        estimated = _estimate(scores, level, cluster, method)
        return {"low": estimated.low, "high": estimated.high}

    return estimate


def _standard_error(cluster: str | None = None) -> Metric:
    """Return the standard error of the mean.

    NaN for a single sample or cluster, where it is unknown.

    Args:
        cluster: as in `interval`.
    """

    def estimate(scores: list[SampleScore]) -> float:
        return _estimate(scores, 0.95, cluster, "auto").standard_error

    return estimate


def _groups(key: str, level: float = 0.95, cluster: str | None = None) -> Metric:
    """Return the mean, interval and number of samples of each group.

    The result has four values for each group, such as "algebra", "algebra_low", "algebra_high" and
    "algebra_n".

    Args:
        key: the field of the samples' metadata that names the group.
        level: the confidence level.
        cluster: as in `interval`.

    Raises:
        ValueError: an option is not valid; a sample has no such field; or the names of two groups
            lead to the same name of a value.
    """
    check_interval_options(level)

    def estimate(scores: list[SampleScore]) -> dict[str, float]:
        rows: dict[str, list[SampleScore]] = {}
        for label, score in zip(_labels(scores, key), scores, strict=True):
            rows.setdefault(label, []).append(score)
        values: dict[str, float] = {}
        for label in sorted(rows):
            estimated = _estimate(rows[label], level, cluster, "auto")
            numbered = [number for _, number in _scored(rows[label])]
            of_group = {
                label: numbers.fsum(numbered) / len(numbered) if numbered else numbers.nan,
                f"{label}_low": estimated.low,
                f"{label}_high": estimated.high,
                f"{label}_n": len(numbered),
            }
            if of_group.keys() & values.keys():
                raise ValueError(f"two values of {key!r} lead to the name {label!r}")
            values |= of_group
        return values

    return estimate


def _math(
    extract: Any = "boxed",
    percent: str = "either",
    relative_tolerance: float = 0.0,
    **options: Any,
) -> Scorer:
    """Return whether the answer is proved to be equal to the target: "C" or "I".

    A target that cannot be read leaves the sample unscored.

    Args:
        extract: the step that finds the answer, such as "boxed" or "gsm8k", or a list of steps.
        percent: as in `metric_commons.mathematics.equivalent`.
        relative_tolerance: as there.
        **options: the other options there, and `extract_references` for targets.

    Raises:
        ValueError: an option is not valid.
    """
    task = named_task(
        "math",
        extract=extract,
        percent=percent,
        relative_tolerance=relative_tolerance,
        explain=True,
        **options,
    )
    return _scorer(task, is_letter=True)


def _choice(extract: Any = "choice") -> Scorer:
    """Return whether the letter that the text settles for is the target: "C" or "I".

    Args:
        extract: the step that finds the letter, such as "choice" or "inspect_letter".

    Raises:
        ValueError: the step is unknown.
    """
    return _scorer(named_task("choice", extract=extract, explain=True), is_letter=True)


def _module(
    module: str = "qa_f1", score: str | None = None, extract: Any = None, **options: Any
) -> Scorer:
    """Return a score of a module that compares texts; its other scores are in the metadata.

    Args:
        module: the name, such as "qa_f1".
        score: the name of a score of the module; None for its main one.
        extract: the step that finds the answer in the text, if it is not all of it.
        **options: of the module.

    Raises:
        ValueError: the module or score is unknown, or an option is not valid.
    """
    task = named_task(module, score=score, extract=extract, explain=True, **options)
    return _scorer(task, is_letter=False)


def _scorer(task: RowTask, *, is_letter: bool) -> Scorer:
    async def scored(state: TaskState, target: Target) -> Score:
        verdict = task.verdict(state.output.completion, list(target))
        metadata: dict[str, Any] = {"status": verdict.status, **verdict.scores}
        if verdict.score is None:
            return Score.unscored(
                reason="scoring_failed",
                answer=verdict.answer,
                explanation=verdict.reason,
                metadata=metadata,
            )
        letter = CORRECT if verdict.score == 1 else INCORRECT
        return Score(
            value=letter if is_letter else verdict.score,
            answer=verdict.answer,
            explanation=verdict.reason,
            metadata=metadata,
        )

    return scored


def _scored(scores: Sequence[SampleScore]) -> list[tuple[SampleScore, float]]:
    """Return the samples that have a score, with its number."""
    number = value_to_float()
    pairs = [(score, number(score.score.value)) for score in scores]
    return [(score, value) for score, value in pairs if not numbers.isnan(value)]


def _labels(scores: Sequence[SampleScore], key: str) -> list[str]:
    """Return the value of a field of the metadata of each sample."""
    labels = []
    for score in scores:
        label = (score.sample_metadata or {}).get(key)
        if label is None or label != label:
            raise ValueError(f"sample {score.sample_id!r} has no {key!r} in its metadata")
        labels.append(str(label))
    return labels


def _estimate(
    scores: Sequence[SampleScore], level: float, cluster: str | None, method: Method
) -> Interval:
    pairs = _scored(scores)
    values = [value for _, value in pairs]
    clusters = None if cluster is None else _labels([score for score, _ in pairs], cluster)
    return mean_estimate(values, level, clusters, method)


# The names under which logs mention them begin with "metric_commons/".
interval = registered_metric(name="interval")(_interval)
standard_error = registered_metric(name="standard_error")(_standard_error)
groups = registered_metric(name="groups")(_groups)
_PROPORTION = [accuracy(), standard_error(), interval()]
math = registered_scorer(metrics=_PROPORTION, name="math")(_math)
choice = registered_scorer(metrics=_PROPORTION, name="choice")(_choice)
module = registered_scorer(metrics=[mean(), standard_error(), interval()], name="module")(_module)
