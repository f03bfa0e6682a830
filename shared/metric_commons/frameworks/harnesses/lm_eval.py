"""Functions for tasks of lm-eval: `process_results` and aggregations.

In the file utils.py beside the configuration of a task:

    from metric_commons.frameworks.harnesses.lm_eval import corpus, estimate, rows

    process_results = rows("qa_f1", reference="answers", estimates=("low", "high"))
    low, high = estimate("low"), estimate("high")
    chrf = corpus("chrf")

This file does not import lm-eval.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from ...statistics.arguments.checks import OptionError
from ...statistics.arguments.domains import check_option
from ..rewards.framework_values import completion_of, further_scores
from ..rewards.named_tasks import task as named_task
from ..rewards.text_tasks import TextTask
from ..trainers.corpus_scores import CorpusScore, Estimate
from .mean_estimates import check_interval_options, mean_estimate

__all__ = ["corpus", "estimate", "rows"]

MeanEstimate = Literal["low", "high", "standard_error"]
Results = Callable[[Mapping[str, Any], Sequence[Any]], dict[str, Any]]

_REFERENCES = ("answers", "answer", "targets", "target", "solution", "label", "gold")


def rows(
    module: str,
    *,
    reference: str | None = None,
    estimates: Sequence[MeanEstimate] = (),
    cluster: str | None = None,
    **options: Any,
) -> Results:
    r"""Return a `process_results` that returns all scores of a row, with one target or several.

    A document whose references cannot be read has no scores; lm-eval counts such documents.
    Of several samples the first is scored.

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
    further = dict.fromkeys(further_scores(task), 0.0)
    is_extracted = isinstance(task, TextTask) and bool(task.extract)

    def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
        text = results[0]
        if isinstance(text, list | tuple) and text:
            text = text[0]
        verdict = task.verdict(completion_of(text), _references(doc, reference))
        if verdict.score is None:
            return {}
        values: dict[str, Any] = {task.name: verdict.score, **further, **verdict.scores}
        if is_extracted:
            values["unparsed"] = float(verdict.status == "unparsed")
        item: Any = verdict.score
        if cluster is not None:
            item = verdict.score, str(_field(doc, cluster))
        return values | {f"{task.name}_{name}": item for name in estimates}

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
        pairs = [item if isinstance(item, tuple | list) else (item, None) for item in items]
        labels = [label for _, label in pairs]
        lacking = labels.count(None)
        if 0 < lacking < len(labels):
            raise ValueError(f"{lacking} of {len(labels)} items have no cluster")
        clusters = None if lacking else labels
        scores = [float(score) for score, _ in pairs]
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
