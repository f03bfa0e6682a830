"""Tasks that are a score of a module, row by row."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from ...module.catalog.catalog import load_without_evaluate, score_scale
from ...module.catalog.score_scales import ScoreScale
from ...module.declaration.declarations import REPORTING
from ...statistics.arguments.checks import OptionError, RowError, alternatives, shown
from .model_outputs import replies, text_of
from .text_tasks import TextTask
from .verdicts import Task, Verdict, listed

if TYPE_CHECKING:
    from ...module.declaration.declared_module import DeclaredModule

Columns = Mapping[str, Sequence[Any]]

_SHORT_ANSWERS = ("qa_em", "qa_f1", "substring_recall")
_COMMON = frozenset(  # scores of several modules; logs add the name of the module
    ("exact", "exact_match", "f1", "precision", "recall", "partial_match", "valid", "unparsed")
)
_READING = ("thoughts", "extract", "extract_references")  # options that tasks have, too
_WORDS = 8  # that an explanation names


@dataclass(frozen=True)
class ModuleTask(Task):
    """A score of a module: the same number as that of `compute`.

    Args:
        module: its name.
        score: the name of a score of rows; by default the main one.
        options: of the module.
        sample: a prediction and a reference that are valid for all options.

    Raises:
        ValueError: the module or score is unknown, or an option is not valid.
        TypeError: an option is unknown.
    """

    module: str = field(kw_only=True)
    score: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    sample: tuple[str, Any] = field(default=("a", "a"), hash=False, repr=False)

    def _complete(self) -> None:
        """Check the fields by scoring a sample, and set the score and the name."""
        object.__setattr__(self, "options", dict(self.options))
        columns = self._example_columns
        main = self.metric.main_score
        score = self.score or (main if main in columns else None) or next(iter(columns))
        if score not in columns:
            hint = alternatives(score, columns)
            raise OptionError("score", f": {self.module} has no score {score!r} of rows{hint}")
        object.__setattr__(self, "score", score)
        name = f"{self.module}_{score}" if score in _COMMON else score
        object.__setattr__(self, "name", self.name or name)

    @cached_property
    def metric(self) -> "DeclaredModule":
        """Return the module; a copy of the task in another process loads it again."""
        return load_without_evaluate(self.module, **self.options)

    @cached_property
    def _example_columns(self) -> Columns:
        return self._columns(*([side] for side in self.sample))

    @property
    def score_name(self) -> str:
        """Return the name of the score among the scores of the module."""
        return str(self.score)

    def further_scores(self) -> list[str]:
        """Return the names of the other scores of rows."""
        return [name for name in self._example_columns if name != self.score]

    def scale(self, score: str | None = None) -> ScoreScale:
        """Return the direction and range that the module declares."""
        return score_scale(self.module, score or self.score_name)

    def _settings_of_scores(self) -> tuple[str, dict[str, Any]]:
        steps = {name: getattr(self, name, None) for name in _READING}
        options = {n: v for n, v in self.metric.options.items() if n not in (*REPORTING, *steps)}
        options |= {**{n: v or None for n, v in steps.items()}, "score": self.score}
        return self.module, {name: v for name, v in options.items() if v is not None}

    def _columns(self, predictions: Sequence[Any], references: Sequence[Any]) -> Columns:
        """Return the scores of rows."""
        rows = self.metric.compute(predictions=predictions, references=references, per_example=True)
        return cast(Columns, rows["per_example"])

    def _verdict_of_row(self, columns: Columns, row: int, answer: str) -> Verdict:
        scores = {name: float(values[row]) for name, values in columns.items()}
        return Verdict(scores.pop(str(self.score)), answer, scores=scores)

    def settings(self) -> set[str]:
        """Return the names of settings, and of the options of the module."""
        return super().settings() | {n for n in self.metric.options if n not in REPORTING}


@dataclass(frozen=True)
class ModuleTexts(ModuleTask, TextTask):
    """A score of a module that compares texts; see `ModuleTask`.

    >>> task = ModuleTexts(module="qa_f1", explain=True)
    >>> task.verdict("the York city", "New York").reason
    "qa_f1 is 0.5: the answer is 'the York city', accepted is 'New York'. \
Missing: new. Too much: city."
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self._complete()

    def _compared(self, pairs: Sequence[tuple[str, list[str]]]) -> Iterable[Verdict]:
        answers = [answer for answer, _ in pairs]
        texts = list(map(_valid, answers))
        # Modules for a single reference take no lists.
        references = [values[0] if len(values) == 1 else values for _, values in pairs]
        columns = self._columns(texts, references)
        return [self._verdict_of_row(columns, row, answer) for row, answer in enumerate(answers)]

    def _without_answer(self, accepted: list[str]) -> Verdict:
        verdict = super()._without_answer(accepted)
        if not self.scale().lower_is_better:
            return verdict
        (empty,) = self._compared([("", accepted)])  # as the module has it
        return verdict._replace(score=empty.score, scores=empty.scores)

    def _readable(self, text: str) -> Sequence[str]:
        return (text,) if _valid(text) == text else ()

    def _explained(self, verdict: Verdict, accepted: Sequence[str]) -> str:
        sentence = super()._explained(verdict, accepted)
        if self.module not in _SHORT_ANSWERS or verdict.score == 1:
            return sentence
        from ...text.tokens.normalizers import normalizer_function  # imports numpy, so only on use

        normalize = normalizer_function(self.options.get("normalizer", "squad"))
        words = normalize(verdict.answer or "").split()
        nearest_words = min(
            (normalize(text).split() for text in accepted),
            key=lambda accepted_words: len({*accepted_words} ^ {*words}),
        )
        missing = [word for word in dict.fromkeys(nearest_words) if word not in words]
        surplus = [word for word in dict.fromkeys(words) if word not in nearest_words]
        for label, differing in (("Missing", missing), ("Too much", surplus)):
            if differing:
                sentence += f" {label}: {', '.join(differing[:_WORDS])}."
        return sentence


@dataclass(frozen=True)
class ModuleRows(ModuleTask):
    """A score of a module whose rows are not texts: tool calls, JSON, instructions."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._complete()

    def reads_calls(self) -> bool:
        """Return whether calls are judged, which may be separate from the text."""
        return self.module == "tool_calls"

    def prediction(self, completion: Any) -> Any:
        """Return the text of a completion; for calls all messages of the assistant.

        If there is one message, without calls apart from its text, the text is read.
        """
        messages = replies(completion) if self.reads_calls() else None
        if messages is None or not (len(messages) > 1 or any("tool_calls" in m for m in messages)):
            return super().prediction(completion)
        return messages

    def judged(self, predictions: Sequence[Any], references: Sequence[Any]) -> list[Verdict]:
        """Return one verdict for each prediction."""
        if not predictions:
            return []
        texts = ["" if prediction is None else prediction for prediction in predictions]
        try:
            columns = self._columns(texts, references)
        except (RowError, TypeError):  # of one row: judge each alone
            verdicts = list(map(self._single, predictions, references))
        else:
            verdicts = [
                self._of_row(columns, row, prediction) for row, prediction in enumerate(predictions)
            ]
        if not self.explain:
            return verdicts
        return [
            verdict._replace(reason=self._reason(verdict, reference))
            for verdict, reference in zip(verdicts, references, strict=True)
        ]

    def _single(self, prediction: Any, reference: Any) -> Verdict:
        if self.reference_problem(reference) is not None:
            return Verdict(None, _answer_text(prediction), "unreadable")
        try:
            return self._of_row(self._columns([prediction or ""], [reference]), 0, prediction)
        except (RowError, TypeError):  # the calls of a message cannot be read
            return Verdict(0.0, _answer_text(prediction), "unparsed")

    def _of_row(self, columns: Columns, row: int, prediction: Any) -> Verdict:
        if prediction is None:
            return Verdict(0.0, None, "unparsed")
        verdict = self._verdict_of_row(columns, row, _answer_text(prediction))
        scores = {str(self.score): verdict.score, **verdict.scores}
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

    def _reason(self, verdict: Verdict, reference: Any) -> str:
        if verdict.status == "unreadable":
            return f"The reference {self.reference_problem(reference)}."
        if verdict.status == "unparsed":
            answer = listed([verdict.answer])
            return f"The answer cannot be read: {answer}; accepted is {listed([reference])}."
        return self._explained(verdict, [reference])


def _valid(text: str) -> str:
    """Return the text without halves of surrogate pairs, which modules refuse."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _answer_text(prediction: Any) -> str:
    if isinstance(prediction, str | None):
        return prediction or ""
    calls = [call for message in prediction for call in message.get("tool_calls") or [message]]
    return text_of(calls)
