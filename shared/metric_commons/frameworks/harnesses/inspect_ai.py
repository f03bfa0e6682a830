"""Scorers and metrics for inspect_ai, which finds them by an entry point.

In logs the scorers are `metric_commons/math`, `metric_commons/choice` and, of each module that
judges single rows, `metric_commons/qa_f1` and so on. The metrics are `interval`, `standard_error`
and `groups`, and the reducer of epochs is `maj`. No other file of the package imports this one,
which imports inspect_ai.

    Task(dataset, solver=generate(), scorer=[math(percent="value"), choice()])
    Task(dataset, solver=generate(), scorer=math(), metrics=[interval(cluster="document")])
"""

import math as numbers
from collections.abc import Callable, Sequence
from typing import Any, Literal

from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    Metric,
    SampleScore,
    Score,
    Scorer,
    ScoreReducer,
    Target,
    accuracy,
    mean,
    value_to_float,
)
from inspect_ai.scorer import metric as registered_metric
from inspect_ai.scorer import score_reducer as registered_reducer
from inspect_ai.scorer import scorer as registered_scorer
from inspect_ai.solver import TaskState

from ...judging.sampling.answer_clusters import sampled_answers
from ...statistics.arguments.domains import check_option
from ...statistics.intervals.methods import Method
from ...statistics.intervals.proportions import Interval
from ..rewards.model_outputs import sole
from ..rewards.module_tasks import row_modules
from ..rewards.named_tasks import task as named_task
from ..rewards.repeated_samples import check_interval_options, mean_estimate
from ..rewards.verdicts import Task as RowTask

__all__ = ["choice", "groups", "interval", "maj", "math", "module", "standard_error"]


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
        labels = _labels(scores, key)
        values: dict[str, float] = {}
        for label in sorted({*labels}):
            rows = [score for score, own in zip(scores, labels, strict=True) if own == label]
            numbered = [number for _, number in _scored(rows)]
            mean = numbers.fsum(numbered) / len(numbered) if numbered else numbers.nan
            low, high, *_ = _estimate(rows, level, cluster, "auto")
            names = label, f"{label}_low", f"{label}_high", f"{label}_n"
            if values.keys() & {*names}:
                raise ValueError(f"two values of {key!r} lead to the name {label!r}")
            values |= dict(zip(names, (mean, low, high, len(numbered)), strict=True))
        return values

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


def _maj(equivalence: Literal["normalized", "math"] = "normalized") -> ScoreReducer:
    """Return the mean score of the most frequent answer of all epochs: maj@k.

    Equally frequent answers count equally; a sample without an answer does not vote.

    Args:
        equivalence: "math" counts answers as one that are proved equal, "normalized" those whose
            texts are equal but for white space.

    Raises:
        ValueError: the option is not valid.
    """
    check_option("equivalence", equivalence, Literal["normalized", "math"])
    equal = named_task("math").equal_answers() if equivalence == "math" else None
    number = value_to_float()

    def reduce(scores: list[Score]) -> Score:
        values = [number(score.value) for score in scores]
        answers = [" ".join((score.answer or "").split()) for score in scores]
        (votes,) = sampled_answers([answers], [""], equal=equal, blank_votes=False)
        clusters: dict[Any, list[float]] = {}
        for value, cluster in zip(values, votes.clusters, strict=True):
            if cluster is not None:
                clusters.setdefault(cluster, []).append(value)
        most = max(map(len, clusters.values()), default=0)
        winners = [numbers.fsum(voted) / most for voted in clusters.values() if len(voted) == most]
        value = numbers.fsum(winners) / len(winners) if winners else 0.0
        first = scores[0]
        return Score(value=value, answer=first.answer, metadata=first.metadata)

    return reduce


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
maj = registered_reducer(name="maj")(_maj)
# Whether the answer is proved to be equal to the target, and whether the letter is: "C" or "I". A
# target that cannot be read leaves the sample unscored. Options are those of the rewards.
math = _registered("math", "math", is_letter=True)
choice = _registered("choice", "choice", is_letter=True)
for _name in row_modules():
    _registered(_name, _name)
