"""Scores of whole corpora that are not means of rows, such as chrF and BLEU."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ...module.catalog.catalog import load_without_evaluate
from ...statistics.arguments.checks import OptionError, alternatives
from ...statistics.arguments.domains import check_option
from ..rewards.model_outputs import reference_values, text_of

Estimate = Literal["score", "standard_error"]


@dataclass(frozen=True)
class CorpusScore:
    """A function from pairs of references and prediction to a score, or to its standard error.

    It is a value that can be pickled, since harnesses send aggregations to other processes.

    Args:
        module: a module that compares texts, such as "chrf".
        score: the name of its score; None for the main one.
        what: "score", or "standard_error", which follows from statistics of the rows.
        options: of the module.

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
        metric = load_without_evaluate(self.module, **self.options)
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
        """The score of items, which are pairs of references and prediction."""
        arguments = {} if self.what == "score" else {"standard_error": True}
        result = self._metric.compute(
            predictions=[text_of(prediction) for _, prediction in items],
            references=[list(map(str, reference_values(values))) for values, _ in items],
            **arguments,
        )
        estimates = result if self.what == "score" else result["standard_error"]
        return float(estimates[self.score])

    _metric: Any = field(init=False, repr=False, compare=False)
