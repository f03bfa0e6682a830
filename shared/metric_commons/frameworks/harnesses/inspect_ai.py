"""Scorers and metrics for inspect_ai, which finds them by an entry point.

In logs the scorers are `metric_commons/math`, `metric_commons/choice` and, of each module that
judges single rows, `metric_commons/qa_f1` and so on. The metrics are `interval`, `standard_error`
and `groups`, the reducer of epochs is `maj`, and `until_decided` ends a run as soon as enough
samples are known. Answers do not arrive in random order, since quick ones come first; so samples
count in the order of the data set, which must be shuffled, and one that is finished early waits
for those before it. No other file of the package imports this one, which imports inspect_ai.

    Task(dataset, solver=generate(), scorer=[math(percent="value"), choice()])
    Task(dataset, solver=generate(), scorer=math(), metrics=[interval(cluster="document")])
"""

import math as numbers
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any, Literal

from inspect_ai.log import read_eval_log
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
from inspect_ai.util import EarlyStop

from ...judging.sampling.answer_clusters import sampled_answers
from ...statistics.arguments.checks import OptionError
from ...statistics.arguments.domains import Positive, check_option
from ...statistics.intervals.methods import Method
from ...statistics.intervals.proportions import Interval
from ...statistics.tests.confidence_sequences import ConfidenceSequence, SequentialComparison
from ..rewards.math_tasks import Math
from ..rewards.model_outputs import sole
from ..rewards.named_tasks import row_modules
from ..rewards.named_tasks import task as named_task
from ..rewards.repeated_samples import check_interval_options, mean_estimate
from ..rewards.verdicts import Task as RowTask

__all__ = [
    *("choice", "groups", "interval", "maj", "math", "module", "standard_error"),
    "until_decided",
]


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
    equal = Math().equal_answers() if equivalence == "math" else None
    number = value_to_float()

    def reduce(scores: list[Score]) -> Score:
        values = [number(score.value) for score in scores]
        answers = [" ".join((score.answer or "").split()) for score in scores]
        (votes,) = sampled_answers([answers], [""], equal=equal, blank_votes=False)
        counts = Counter(cluster for cluster in votes.clusters if cluster is not None)
        most = max(counts.values(), default=0)
        winners = [
            numbers.fsum(value for value, vote in rows if vote == cluster) / most
            for cluster in counts
            if counts[cluster] == most
            for rows in [list(zip(values, votes.clusters, strict=True))]
        ]
        value = numbers.fsum(winners) / len(winners) if winners else 0.0
        first = scores[0]
        return Score(value=value, answer=first.answer, metadata=first.metadata)

    return reduce


_MEANS = ("accuracy", "mean")  # metrics, in the place of the only scorer


class UntilDecided:
    """Early stopping: no samples are started once the mean or a comparison is decided.

    Samples count in the order of the data set, which must be shuffled; several epochs of a sample
    count as one mean. The decision holds with the probability `level` for all looks together, and
    for the mean that the full run would have. A sample without a score blocks those after it.

    Args:
        score: the name of a scorer, with scores from 0 to 1; None for the only one, as "accuracy"
            and "mean".
        half_width: stop when the interval of the mean is this wide to each side.
        margin: with a baseline, a difference that does not matter: stop when the run is better,
            worse or equivalent.
        baseline: the log of the other system, whose samples are matched by id.
        level: the confidence level.

    Raises:
        ValueError: an option is not valid, or there is not one of `half_width` and `baseline`.
    """

    def __init__(
        self,
        score: str | None = None,
        *,
        half_width: float | None = None,
        margin: float = 0.0,
        baseline: str | None = None,
        level: float = 0.95,
    ) -> None:
        if (half_width is None) == (baseline is None):
            raise OptionError("half_width", "or baseline is needed, and not both")
        check_option("half_width", half_width, Positive | None)
        self._score, self._half_width, self._level = score, half_width, level
        self._margin, self._baseline = margin, baseline
        self._start([], 1)

    def _start(self, names: Sequence[str | int], epochs: int) -> None:
        self._names, self._epochs = names, epochs
        self._values: dict[str | int, dict[int, float]] = {name: {} for name in names}
        self._next = 0  # the first sample that does not count yet
        total = len(names) or None
        self._comparison = SequentialComparison(self._margin, self._level, total=total)
        self._sequence = ConfidenceSequence(self._level, total=total)

    async def start_task(self, task: Any, samples: Sequence[Any], epochs: int) -> str:
        """Begin a run of these samples, and return the name of this manager.

        Raises:
            ValueError: the baseline has no score of a sample.
        """
        self._start([sample.id for sample in samples], epochs)
        self._of_baseline: Mapping[str, float] = {}
        if self._baseline is not None:
            self._of_baseline = _scores_of_log(self._baseline, self._score)
            for name in self._names:
                if numbers.isnan(self._of_baseline.get(str(name), numbers.nan)):
                    raise ValueError(f"{self._baseline}: sample {name!r} has no score")
        return "until_decided"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:  # noqa: A002
        """Return an early stop of the sample once the run is decided."""
        if not self._is_decided:
            return None
        low, high = self._interval
        reason = f"{self._verdict} after {self._next:,} samples: [{low:.4f}, {high:.4f}]"
        return EarlyStop(id=id, epoch=epoch, reason=reason)

    async def complete_sample(
        self,
        id: str | int,  # noqa: A002
        epoch: int,
        scores: Mapping[str, Any],
    ) -> None:
        """Take the score of a sample, and count all samples that no longer wait."""
        by_scorer = {name: sample.score for name, sample in scores.items()}
        value = value_to_float()(_chosen(by_scorer, self._score).value)
        if not numbers.isnan(value):
            self._values[id][epoch] = value
        while self._next < len(self._names) and not self._is_decided:
            name = self._names[self._next]
            values = self._values[name]
            if len(values) < self._epochs:
                break
            mean = fmean(values.values())
            if self._baseline is None:
                self._sequence.update(mean)
            else:
                self._comparison.update(mean, self._of_baseline[str(name)])
            self._next += 1

    async def complete_task(self) -> dict[str, Any]:
        """Return the decision for the log."""
        low, high = self._interval
        return {
            "score": self._score,
            "verdict": self._verdict,
            "confidence_interval": [low, high],
            "confidence_level": self._level,
            "samples": self._next,
            "total": len(self._names),
        }

    @property
    def _interval(self) -> tuple[float, float]:
        chosen = self._sequence if self._baseline is None else self._comparison
        return chosen.interval

    @property
    def _verdict(self) -> str:
        if self._half_width is None:
            return self._comparison.verdict
        low, high = self._interval
        return "known" if high - low <= 2 * self._half_width else "undecided"

    @property
    def _is_decided(self) -> bool:
        return self._verdict != "undecided"


def _chosen(scores: Mapping[str, Any], name: str | None) -> Any:
    """Return the score by this scorer, or by the only one."""
    if name is not None and name in scores:
        return scores[name]
    if len(scores) == 1 and name in (None, *_MEANS):
        return next(iter(scores.values()))
    raise ValueError(f"score must be one of the scorers {', '.join(scores)}, got {name!r}")


def _scores_of_log(path: str, name: str | None) -> dict[str, float]:
    """Return the mean score over epochs of each sample of a log; NaN if an epoch has none."""
    number = value_to_float()
    values: dict[str, list[float]] = {}
    for sample in read_eval_log(path).samples or []:
        value = number(_chosen(sample.scores, name).value) if sample.scores else numbers.nan
        values.setdefault(str(sample.id), []).append(value)
    return {sample: fmean(scores) for sample, scores in values.items()}


until_decided = UntilDecided


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
# Whether the answer is proved to be equal to the target, and whether the letter is: "C" or "I". A
# target that cannot be read leaves the sample unscored. Options are those of the rewards.
math = _registered("math", "math", is_letter=True)
choice = _registered("choice", "choice", is_letter=True)
maj = registered_reducer(name="maj")(_maj)
for _name in row_modules():
    _registered(_name, _name)
