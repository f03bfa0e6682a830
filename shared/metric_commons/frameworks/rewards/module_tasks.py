"""Tasks that are a score of a module, row by row."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, cast

from ...module.catalog.catalog import load_without_evaluate, module_class, names, score_scale
from ...module.catalog.score_scales import ScoreScale
from ...module.declaration.declarations import REPORTING
from ...statistics.arguments.checks import OptionError, RowError, alternatives, shown
from .model_outputs import has_calls, replies, text_of
from .verdicts import Outputs, References, Task, Verdict

if TYPE_CHECKING:
    from ...module.declaration.declared_module import DeclaredModule

Columns = Mapping[str, Sequence[Any]]

_ROWS: Mapping[str, tuple[str, Any]] = {  # modules whose rows are not texts, with a valid row
    "tool_calls": ("", {"tool_calls": [], "tools": []}),
    "json_match": ("null", "null"),
    "instruction_following": (
        "",
        {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]},
    ),
}
_COMMON = frozenset(  # scores of several modules; logs add the name of the module
    "exact exact_match f1 precision recall partial_match valid unparsed".split()
)
_READING = ("thoughts", "extract", "extract_references")  # options that tasks have, too


def module_task(module: str, **settings: Any) -> Task:
    """Return the task of a module.

    Raises:
        ValueError: the module does not judge single rows; the message names those that do.
    """
    if module in _ROWS:
        return ModuleRows(module, **settings)
    if not compares_texts(module):
        raise ValueError(
            f"{module} does not compare a text with a reference; "
            f"modules that do are {', '.join(row_modules())}"
        )
    return ModuleTexts(module, **settings)


@cache
def compares_texts(module: str) -> bool:
    """Return whether a module scores rows of a text and one or more accepted texts.

    >>> compares_texts("qa_f1"), compares_texts("ir_ranking"), compares_texts("classification")
    (True, False, False)
    """
    metric = module_class(module)()
    if metric.score_kind == "counts" or "per_example" not in metric.declared_options:
        return False
    for features in metric.feature_sets:
        kinds = {name: getattr(kind, "feature", kind) for name, kind in features.items()}
        types = {name: getattr(kind, "dtype", None) for name, kind in kinds.items()}
        is_text = types == {"predictions": "string", "references": "string"}
        if is_text and hasattr(features["predictions"], "dtype"):
            return True
    return False


def row_modules() -> list[str]:
    """Return the names of all modules that judge one row at a time.

    >>> "qa_f1" in row_modules(), "tool_calls" in row_modules(), "ir_ranking" in row_modules()
    (True, True, False)
    """
    return [name for name in names() if name in _ROWS or compares_texts(name)]


class ModuleTexts(Task):
    """A score of a module that compares texts: the same number as that of `compute`.

    >>> ModuleTexts("qa_f1", explain=True).verdict("the York city", "New York").reason
    "qa_f1 is 0.5: the answer is 'the York city', accepted is 'New York'."
    """

    def checked(self) -> dict[str, Any]:
        """Check the options by scoring a row; return the names."""
        columns = self._columns_of_sample
        main = self.metric.main_score
        score = self.score or (main if main in columns else None) or next(iter(columns))
        if score not in columns:
            hint = alternatives(score, columns)
            raise OptionError("score", f": {self.module} has no score {score!r} of rows{hint}")
        name = f"{self.module}_{score}" if score in _COMMON else score
        return {"score": score, "name": self.name or name}

    @cached_property
    def metric(self) -> "DeclaredModule":
        """Return the module; a copy of the task in another process loads it again."""
        return load_without_evaluate(self.module, **self.options)

    @cached_property
    def _columns_of_sample(self) -> Columns:
        prediction, reference = _ROWS.get(self.module, ("a", "a"))
        if self.module == "tool_calls" and self.options.get("tools") is not None:
            reference = []  # tools come with the option
        return self._columns([prediction], [reference])

    def further_scores(self) -> list[str]:
        """Return the names of the other scores of rows."""
        return [name for name in self._columns_of_sample if name != self.score]

    def scale(self, score: str | None = None) -> ScoreScale:
        """Return the direction and range that the module declares."""
        return score_scale(self.module, score or self.score_name)

    def settings(self) -> dict[str, Any]:
        """Return the options that change scores, with the defaults of the module."""
        known = self.metric.options.items()
        options = {n: value for n, value in known if n not in (*REPORTING, *_READING)}
        return {name: v for name, v in options.items() if v is not None} | super().settings()

    def _columns(self, predictions: Sequence[Any], references: Sequence[Any]) -> Columns:
        """Return the scores of rows."""
        rows = self.metric.compute(predictions=predictions, references=references, per_example=True)
        return cast(Columns, rows["per_example"])

    def _of_row(self, columns: Columns, row: int, answer: str) -> Verdict:
        scores = {name: float(values[row]) for name, values in columns.items()}
        return Verdict(scores.pop(str(self.score)), answer, scores=scores)

    def readable(self, text: str) -> Sequence[str]:
        """Return the text, if modules take it."""
        return (text,) if _valid(text) == text else ()

    def compared(self, pairs: Sequence[tuple[str, list[str]]]) -> Iterable[Verdict]:
        """Return the scores of the module."""
        # Modules for a single reference take no lists.
        references = [values[0] if len(values) == 1 else values for _, values in pairs]
        columns = self._columns([_valid(answer) for answer, _ in pairs], references)
        return [self._of_row(columns, row, answer) for row, (answer, _) in enumerate(pairs)]

    def without_answer(self, accepted: list[str]) -> Verdict:
        """Return 0.0; where lower is better, the score of an empty text."""
        verdict = super().without_answer(accepted)
        if not self.scale().lower_is_better:
            return verdict
        (empty,) = self.compared([("", accepted)])
        return verdict._replace(score=empty.score, scores=empty.scores)


class ModuleRows(ModuleTexts):
    """A score of a module whose rows are not texts: tool calls, JSON, instructions."""

    def checked(self) -> dict[str, Any]:
        """Check the options, which are all of the module."""
        for name in ("extract", "extract_references"):
            if getattr(self, name):
                raise TypeError(f"{self.module} has no option {name!r}")
        return super().checked()

    def reads_calls(self) -> bool:
        """Return whether calls are judged, which may be separate from the text."""
        return self.module == "tool_calls"

    def prediction(self, completion: Any) -> Any:
        """Return the text of a completion; for calls all messages of the assistant.

        If there is one message, without calls apart from its text, the text is read.
        """
        messages = replies(completion) if self.reads_calls() else None
        if messages is None or not (len(messages) > 1 or any(map(has_calls, messages))):
            return super().prediction(completion)
        return messages

    def judged(self, predictions: Outputs, references: References) -> list[Verdict]:
        """Return one verdict for each prediction."""
        if not predictions:
            return []
        try:
            columns = self._columns([text or "" for text in predictions], references)
        except (RowError, TypeError):  # of one row: judge each alone
            if len(predictions) > 1:
                rows = zip(predictions, references, strict=True)
                return [self.judged([text], [reference])[0] for text, reference in rows]
            is_unreadable = self.reference_problem(references[0]) is not None
            answer = _answer_text(predictions[0])
            verdicts = [Verdict(0.0, answer, "unparsed")]  # the calls of a message, for example
            if is_unreadable:
                verdicts = [Verdict(None, answer, "unreadable")]
        else:
            verdicts = [self._parsed(columns, row, text) for row, text in enumerate(predictions)]
        return self.with_reasons(verdicts, [[reference] for reference in references])

    def _parsed(self, columns: Columns, row: int, prediction: Any) -> Verdict:
        if prediction is None:
            return Verdict(0.0, None, "unparsed")
        verdict = self._of_row(columns, row, _answer_text(prediction))
        scores = self.all_scores(verdict)
        is_unparsed = scores.get("unparsed") == 1 or scores.get("valid") == 0
        return verdict._replace(status="unparsed") if is_unparsed else verdict

    def reference_problem(self, reference: Any) -> str | None:
        """Return the reason why a reference cannot be read; None if it can."""
        if reference is None:
            return "is missing"
        try:
            self._columns([""], [reference])
        except RowError as error:
            return error.problem
        except TypeError:
            return f"cannot be read: {shown(reference)}"
        return None


def _valid(text: str) -> str:
    """Return the text without halves of surrogate pairs, which modules refuse."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _answer_text(prediction: Any) -> str:
    if isinstance(prediction, str | None):
        return prediction or ""
    calls = [call for message in prediction for call in message.get("tool_calls") or [message]]
    return text_of(calls)
