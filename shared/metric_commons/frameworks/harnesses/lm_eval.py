"""Functions for tasks of lm-eval: `process_results` and aggregations.

In the file utils.py beside the configuration of a task:

    from metric_commons.frameworks.harnesses.lm_eval import corpus, rows

    process_results = rows("qa_f1", reference="answers")
    chrf = corpus("chrf")

This file does not import lm-eval.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Any

from ...module.catalog.catalog import load_without_evaluate
from ...statistics.arguments.checks import OptionError, alternatives
from ..rewards.model_outputs import reference_values, replies, text_of
from ..rewards.named_tasks import task as named_task

__all__ = ["corpus", "rows"]

Results = Callable[[Mapping[str, Any], Sequence[Any]], dict[str, Any]]

_REFERENCES = tuple("answers answer targets target solution label gold".split())


@dataclass(frozen=True)
class CorpusScore:
    """A function from pairs of references and prediction to a score that is not a mean of rows.

    It is a value that can be pickled, since harnesses send aggregations to other processes.

    Args:
        module: a module that compares texts, such as "chrf".
        score: the name of its score; None for the main one.
        options: of the module; by default thoughts are stripped.

    Raises:
        ValueError: the module or score is unknown, or an option is not valid.
        TypeError: an option is unknown.

    >>> CorpusScore("chrf")([("abc", "abc"), (["abd", "xyz"], "abd")])
    100.0
    """

    module: str
    score: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        options = dict(self.options)
        if "thoughts" in load_without_evaluate(self.module).declared_options:
            options.setdefault("thoughts", "strip")
        metric = load_without_evaluate(self.module, **options)
        scores = metric.compute(predictions=["a", "b"], references=["a", "b"])
        name = self.score or metric.main_score or next(iter(scores))
        if not isinstance(scores.get(name), float):
            hint = alternatives(name, scores)
            raise OptionError("score", f": {self.module} has no score {name!r}{hint}")
        object.__setattr__(self, "score", name)
        object.__setattr__(self, "_metric", metric)

    @property
    def __name__(self) -> str:
        return f"{self.module}_{self.score}"

    def __call__(self, items: Sequence[tuple[Any, Any]]) -> float:
        """Return the score of items, which are pairs of references and prediction."""
        result = self._metric.compute(
            predictions=[text_of(prediction) for _, prediction in items],
            references=[list(map(str, reference_values(values))) for values, _ in items],
        )
        return float(result[self.score])

    _metric: Any = field(init=False, repr=False, compare=False)


def rows(module: str, *, reference: str | None = None, **options: Any) -> Results:
    r"""Return a `process_results` that returns all scores of a row, with one target or several.

    A document whose references cannot be read has no scores; lm-eval counts such documents. Of
    several samples (`repeats: k`, with a filter that keeps them) each score is the mean.

    Args:
        module: "math", "choice", or a module that compares texts.
        reference: the field of documents with the accepted answer or answers; "a.b" is a field of a
            field. None for the only one of answers, answer, targets, target, solution, label, gold.
        **options: `score`, `extract`, `name` and the options of the module. With `extract` there is
            also `unparsed`, the rate of texts without an answer.

    Raises:
        ValueError: the module, score or step is unknown, or an option is not valid; later, if a
            document lacks a field.
        TypeError: an option is unknown.

    >>> process_results = rows("qa_f1", reference="answers")
    >>> process_results({"answers": ["New York", "NYC"]}, ["York city"])
    {'qa_f1': 0.5, 'qa_precision': 0.5, 'qa_recall': 0.5}
    """
    task = named_task(module, **options)
    main = options.get("name") or task.score_name
    names = [main, *task.further_scores()]

    def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
        first = results[0]
        are_samples = isinstance(first, list | tuple) and first and replies(first) is None
        samples = list(first) if are_samples else [first]
        verdicts = task.verdicts(samples, [_references(doc, reference)] * len(samples))
        scored = [verdict for verdict in verdicts if verdict.score is not None]
        if not scored:
            return {}
        rows = [{main: verdict.score or 0.0, **verdict.scores} for verdict in scored]
        values = {name: fsum(row.get(name, 0.0) for row in rows) / len(rows) for name in names}
        if task.extract:
            unparsed = sum(verdict.status == "unparsed" for verdict in scored)
            values["unparsed"] = unparsed / len(scored)
        return values

    return process_results


def corpus(module: str, score: str | None = None, **options: Any) -> CorpusScore:
    """Return an aggregation of a score that is not a mean of rows, such as chrF, BLEU and TER.

    Its items are pairs of references and prediction, as those of lm-eval's metrics bleu, chrf and
    ter; options are kept.

    Args:
        module: a module that compares texts, such as "chrf".
        score: the name of its score; None for the main one.
        **options: of the module.

    Raises:
        ValueError: the module or score is unknown, or an option is not valid.
        TypeError: an option is unknown.

    >>> corpus("ter")([("a b c d", "a b c d"), (["a b c d"], "a b x d")])
    12.5
    """
    return CorpusScore(module, score, options)


def _references(doc: Mapping[str, Any], name: str | None) -> Any:
    if name is None:
        present = [field for field in _REFERENCES if field in doc]
        if len(present) != 1:
            fields = ", ".join(present or map(str, doc))
            raise ValueError(f"pass reference=..., the field with the accepted answers: {fields}")
        return doc[present[0]]
    value: Any = doc
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            listed = ", ".join(map(str, value)) if isinstance(value, Mapping) else "none"
            raise ValueError(f"a document has no field {name!r}; there are {listed}")
        value = value[part]
    return value
