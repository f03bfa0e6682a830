"""Functions for tasks of lm-eval: `process_results` and aggregations.

In the file utils.py beside the configuration of a task:

    from metric_commons.frameworks.harnesses.lm_eval import corpus, estimate, rows

    process_results = rows("qa_f1", reference="answers", estimates=("low", "high"))
    low, high = estimate("low"), estimate("high")
    chrf = corpus("chrf")

This file does not import lm-eval.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, nan
from typing import Any, Literal, Self

from ...module.catalog.catalog import load_without_evaluate
from ...statistics.arguments.checks import OptionError, alternatives
from ...statistics.arguments.domains import check_option
from ..rewards.model_outputs import reference_values, replies, text_of
from ..rewards.named_tasks import task as named_task
from ..rewards.repeated_samples import check_interval_options, mean_estimate, sample_scores

__all__ = ["corpus", "estimate", "rows"]

MeanEstimate = Literal["low", "high", "standard_error"]
Estimate = Literal["score", "standard_error"]
Results = Callable[[Mapping[str, Any], Sequence[Any]], dict[str, Any]]

_REFERENCES = tuple("answers answer targets target solution label gold".split())


@dataclass(frozen=True)
class CorpusScore:
    """A function from pairs of references and prediction to a score, or to its standard error.

    It is a value that can be pickled, since harnesses send aggregations to other processes.

    Args:
        module: a module that compares texts, such as "chrf".
        score: the name of its score; None for the main one.
        what: "score", or "standard_error", which follows from statistics of the rows.
        options: of the module; by default thoughts are stripped.

    Raises:
        ValueError: the module or score is unknown, or an option is not valid.
        TypeError: an option is unknown.

    >>> CorpusScore("chrf")([("abc", "abc"), (["abd", "xyz"], "abd")])
    100.0
    """

    module: str
    score: str | None = None
    what: Estimate = "score"
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check_option("what", self.what, Estimate)
        options = dict(self.options)
        if "thoughts" in load_without_evaluate(self.module).declared_options:
            options.setdefault("thoughts", "strip")
        metric = load_without_evaluate(self.module, **options)
        scores = metric.compute(predictions=["a", "b"], references=["a", "b"])
        name = self.score or metric.main_score or next(iter(scores))
        if not isinstance(scores.get(name), float):
            hint = alternatives(name, scores)
            raise OptionError("score", f": {self.module} has no score {name!r}{hint}")
        if self.what == "standard_error" and "standard_error" not in metric.declared_options:
            raise OptionError("what", f": {self.module} has no standard error")
        object.__setattr__(self, "score", name)
        object.__setattr__(self, "_metric", metric)

    @property
    def __name__(self) -> str:
        return f"{self.module}_{self.what}"

    def __call__(self, items: Sequence[tuple[Any, Any]]) -> float:
        """Return the score of items, which are pairs of references and prediction."""
        arguments = {} if self.what == "score" else {"standard_error": True}
        result = self._metric.compute(
            predictions=[text_of(prediction) for _, prediction in items],
            references=[list(map(str, reference_values(values))) for values, _ in items],
            **arguments,
        )
        estimates = result if self.what == "score" else result["standard_error"]
        return float(estimates[self.score])

    _metric: Any = field(init=False, repr=False, compare=False)


class ScoreToEstimate(float):
    """A score, with its cluster, whose plain mean is NaN.

    lm-eval computes means of scores that `metric_list` leaves out; NaN does not look like an end of
    an interval.

    >>> score = ScoreToEstimate(0.5, "a")
    >>> score, score.cluster, sum([score])
    (0.5, 'a', nan)
    """

    cluster: str | None

    def __new__(cls, score: float, cluster: str | None = None) -> Self:
        self = super().__new__(cls, score)
        self.cluster = cluster
        return self

    def __add__(self, other: object) -> float:
        return nan

    __radd__ = __add__

    def __reduce__(self) -> tuple[Any, ...]:
        return ScoreToEstimate, (float(self), self.cluster)


def rows(
    module: str,
    *,
    reference: str | None = None,
    estimates: Sequence[MeanEstimate] = (),
    cluster: str | None = None,
    **options: Any,
) -> Results:
    r"""Return a `process_results` that returns all scores of a row, with one target or several.

    A document whose references cannot be read has no scores; lm-eval counts such documents. Of k
    samples (`repeats: k`, with a filter that keeps them) each score is the mean, and there are also
    `avg@k`, `pass@k` and `maj@k`; a document counts once, so intervals take questions as units.

    Args:
        module: "math", "choice", or a module that compares texts.
        reference: the field of documents with the accepted answer or answers; "a.b" is a field of a
            field. None for the only one of answers, answer, targets, target, solution, label, gold.
        estimates: further values `<score>_low` and so on, for aggregations by `estimate`.
        cluster: the field with the cluster of a document, such as its source, for these.
        **options: `score`, `extract`, `name` and the options of the module. With `extract` there is
            also `unparsed`, the rate of texts without an answer.

    Raises:
        ValueError: the module, score, step or estimate is unknown, or an option is not valid;
            later, if a document lacks a field.
        TypeError: an option is unknown.

    >>> process_results = rows("qa_f1", reference="answers", estimates=["low"])
    >>> process_results({"answers": ["New York", "NYC"]}, ["York city"])
    {'qa_f1': 0.5, 'qa_precision': 0.5, 'qa_recall': 0.5, 'qa_f1_low': 0.5}
    """
    for name in estimates:
        check_option("estimates", name, MeanEstimate)
    if cluster is not None and not estimates:
        raise OptionError("cluster", "is for estimates, such as estimates=('low', 'high')")
    task = named_task(module, **options)
    main = options.get("name") or task.score_name
    names = [main, *task.further_scores()]
    is_extracted = bool(task.extract)

    def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
        first = results[0]
        are_samples = isinstance(first, list | tuple) and first and replies(first) is None
        samples = list(first) if are_samples else [first]
        accepted = _references(doc, reference)
        verdicts = task.verdicts(samples, [accepted] * len(samples))
        scored = [verdict for verdict in verdicts if verdict.score is not None]
        if not scored:
            return {}
        rows = [{main: verdict.score or 0.0, **verdict.scores} for verdict in scored]
        values: dict[str, Any] = {
            name: fsum(row.get(name, 0.0) for row in rows) / len(rows) for name in names
        }
        if is_extracted:
            unparsed = [verdict.status == "unparsed" for verdict in scored]
            values["unparsed"] = sum(unparsed) / len(unparsed)
        label = None if cluster is None else str(_field(doc, cluster))
        item = ScoreToEstimate(values[main], label)
        if len(samples) > 1:
            values |= sample_scores(task, verdicts)
        return values | {f"{main}_{name}": item for name in estimates}

    return process_results


def estimate(what: MeanEstimate, level: float = 0.95) -> Callable[[Sequence[Any]], float]:
    """Return an aggregation: an end of the confidence interval of the mean, or the standard error.

    Args:
        what: "low", "high" or "standard_error".
        level: the confidence level.

    Returns:
        A function of items, which are scores, or pairs of a score and the label of its cluster.

    Raises:
        ValueError: an option is not valid; later, if only some of the items have a cluster.

    >>> estimate("low")([1.0] * 10)
    0.6915028921812392
    """
    check_option("what", what, MeanEstimate)
    check_interval_options(level)

    def aggregation(items: Sequence[Any]) -> float:
        items = [ScoreToEstimate(*item) if isinstance(item, tuple) else item for item in items]
        labels = [getattr(item, "cluster", None) for item in items]
        lacking = labels.count(None)
        if 0 < lacking < len(labels):
            raise ValueError(f"{lacking} of {len(labels)} items have no cluster")
        clusters = None if lacking else labels
        scores = list(map(float, items))
        return float(getattr(mean_estimate(scores, level, clusters), what))

    aggregation.__name__ = aggregation.__qualname__ = what
    return aggregation


def corpus(
    module: str, score: str | None = None, what: Estimate = "score", **options: Any
) -> CorpusScore:
    """Return an aggregation of a score that is not a mean of rows, such as chrF, BLEU and TER.

    Its items are pairs of references and prediction, as those of lm-eval's metrics bleu, chrf and
    ter; options are kept, and the standard error follows from the rows without any draws.

    Args:
        module: a module that compares texts, such as "chrf".
        score: the name of its score; None for the main one.
        what: "score" or "standard_error".
        **options: of the module.

    Raises:
        ValueError: the module or score is unknown, or an option is not valid.
        TypeError: an option is unknown.

    >>> corpus("ter")([("a b c d", "a b c d"), (["a b c d"], "a b x d")])
    12.5
    """
    return CorpusScore(module, score, what, options)


def _references(doc: Mapping[str, Any], name: str | None) -> Any:
    if name is not None:
        return _field(doc, name)
    present = [field for field in _REFERENCES if field in doc]
    if len(present) != 1:
        fields = ", ".join(present or map(str, doc))
        raise ValueError(f"pass reference=..., the field with the accepted answers: {fields}")
    return doc[present[0]]


def _field(doc: Mapping[str, Any], name: str) -> Any:
    value: Any = doc
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            listed = ", ".join(map(str, value)) if isinstance(value, Mapping) else "none"
            raise ValueError(f"a document has no field {name!r}; there are {listed}")
        value = value[part]
    return value
