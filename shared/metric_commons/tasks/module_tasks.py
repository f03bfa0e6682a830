"""Tasks that are a score of a module, row by row."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from ..catalog.catalog import load_without_evaluate
from ..numbers.checks import OptionError, RowError, nearest, shown
from .model_outputs import message_of, text_of
from .text_tasks import TextTask
from .verdicts import Task, Verdict, listed

if TYPE_CHECKING:
    from ..base.declared_module import DeclaredModule

Options = Mapping[str, Any]
Columns = Mapping[str, Sequence[Any]]

_SHORT_ANSWERS = ("qa_em", "qa_f1", "substring_recall")
_WORDS = 8  # that an explanation names


def _metric(task: Any) -> "DeclaredModule":
    return load_without_evaluate(task.module, **task.options)


def _columns(
    metric: "DeclaredModule", predictions: Sequence[Any], references: Sequence[Any]
) -> Columns:
    result = metric.compute(predictions=predictions, references=references, per_example=True)
    return cast(Columns, result["per_example"])


def _check_score(task: Any, columns: Columns) -> None:
    """Fill in the score and the name that follow from the module, and check the score."""
    score = task.score or next(iter(columns))
    if score not in columns:
        hint = nearest(score, columns) or f"; there are {', '.join(columns)}"
        raise OptionError("score", f": {task.module} has no score {score!r} of rows{hint}")
    object.__setattr__(task, "score", score)
    object.__setattr__(task, "name", task.name or score)


def _stored(task: Any) -> dict[str, Any]:
    """The fields of a task, without the module, which is loaded again."""
    return {item.name: getattr(task, item.name) for item in fields(task)}


def _verdict_of_row(columns: Columns, row: int, score: str, answer: str | None) -> Verdict:
    scores = {name: float(values[row]) for name, values in columns.items()}
    return Verdict(scores.pop(score), answer, scores=scores)


@dataclass(frozen=True)
class ModuleTexts(TextTask):
    """A score of a module that compares texts: the same number as that of `compute`.

    Args:
        module: its name.
        score: the name of a score of rows; by default the first.
        options: of the module.

    Raises:
        ValueError: there is no such module or score, or an option is not valid.
        TypeError: there is no such option.

    >>> task = ModuleTexts(module="qa_f1", explain=True)
    >>> task.verdict("the York city", "New York").reason
    "qa_f1 is 0.5: the answer is 'the York city', accepted is 'New York'. \
Missing: new. Too much: city."
    """

    module: str = "qa_f1"
    score: str | None = None
    options: Options = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "options", dict(self.options))
        _check_score(self, _columns(self._metric, ["a"], ["a"]))

    @cached_property
    def _metric(self) -> "DeclaredModule":
        return _metric(self)

    __getstate__ = _stored

    def _compared(self, pairs: Sequence[tuple[str, list[str]]]) -> Iterable[Verdict]:
        answers = [answer for answer, _ in pairs]
        texts = [answer if _is_valid(answer) else _valid(answer) for answer in answers]
        # Modules for a single reference take no lists.
        references = [values[0] if len(values) == 1 else values for _, values in pairs]
        columns = _columns(self._metric, texts, references)
        for row, answer in enumerate(answers):
            yield _verdict_of_row(columns, row, str(self.score), answer)

    def _readable(self, text: str) -> Sequence[str]:
        return (text,) if _is_valid(text) else ()

    def with_settings(self, settings: Mapping[str, Any]) -> "ModuleTexts":
        """The task with the settings and options that it knows; others are ignored."""
        task = cast("ModuleTexts", super().with_settings(settings))
        return cast("ModuleTexts", _with_options(task, settings))

    def _explained(self, verdict: Verdict, accepted: Sequence[str]) -> str:
        sentence = super()._explained(verdict, accepted)
        if self.module not in _SHORT_ANSWERS or verdict.score == 1:
            return sentence
        from ..texts.normalizers import normalizer_function  # imports numpy, so only on use

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
class ModuleRows(Task):
    """A score of a module whose rows are not texts: tool calls, JSON, instructions.

    Args:
        module: its name.
        score: the name of a score of rows; by default the first.
        options: of the module.
        sample: a prediction and a reference, which any options allow.

    Raises:
        ValueError: there is no such module or score, or an option is not valid.
        TypeError: there is no such option.
    """

    module: str = "tool_calls"
    score: str | None = None
    options: Options = field(default_factory=dict, hash=False)
    sample: tuple[str, Any] = field(default=("", "[]"), hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", dict(self.options))
        _check_score(self, _columns(self._metric, *([value] for value in self.sample)))

    @cached_property
    def _metric(self) -> "DeclaredModule":
        return _metric(self)

    __getstate__ = _stored

    def prediction(self, completion: Any) -> Any:
        """The text of a completion; or its last message, if this has calls apart from the text."""
        if isinstance(completion, str):
            return completion
        message = message_of(completion)
        return dict(message) if message.get("tool_calls") else text_of(message)

    def judged(self, predictions: Sequence[Any], references: Sequence[Any]) -> list[Verdict]:
        """One verdict for each prediction."""
        if not predictions:
            return []
        try:
            columns = _columns(self._metric, predictions, references)
        except (RowError, TypeError):  # of a row, which is then found
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
            return self._of_row(_columns(self._metric, [prediction], [reference]), 0, prediction)
        except (RowError, TypeError):  # calls of a message that are not calls at all
            return Verdict(0.0, _answer_text(prediction), "unparsed")

    def _of_row(self, columns: Columns, row: int, prediction: Any) -> Verdict:
        verdict = _verdict_of_row(columns, row, str(self.score), _answer_text(prediction))
        scores = {str(self.score): verdict.score, **verdict.scores}
        is_unparsed = scores.get("unparsed") == 1 or scores.get("valid") == 0
        return verdict._replace(status="unparsed") if is_unparsed else verdict

    def reference_problem(self, reference: Any) -> str | None:
        """The reason why a reference cannot be read; None if it can."""
        if reference is None:
            return "is missing"
        try:
            _columns(self._metric, [""], [reference])
        except RowError as error:
            return error.problem
        except TypeError:
            return f"cannot be read: {shown(reference)}"
        return None

    def with_settings(self, settings: Mapping[str, Any]) -> "ModuleRows":
        """The task with the settings and options that it knows; others are ignored."""
        settings_of_task = {
            name: settings[name] for name in ("name", "score", "explain") if name in settings
        }
        task = replace(self, **settings_of_task) if settings_of_task else self
        return cast("ModuleRows", _with_options(task, settings))

    def _reason(self, verdict: Verdict, reference: Any) -> str:
        if verdict.status == "unreadable":
            return f"The reference {self.reference_problem(reference)}."
        answer = listed([verdict.answer])
        if verdict.status == "unparsed":
            return f"The answer cannot be read: {answer}; accepted is {listed([reference])}."
        return (
            f"{self.name} is {verdict.score:.3g}: the answer is {answer}, "
            f"accepted is {listed([reference])}."
        )


def _with_options(task: ModuleTexts | ModuleRows, settings: Mapping[str, Any]) -> Task:
    settings_of_task = {
        name: value
        for name, value in settings.items()
        if name in task._metric.options and name not in ("extract", "extract_references")
    }
    return replace(task, options={**task.options, **settings_of_task}) if settings_of_task else task


def _is_valid(text: str) -> bool:
    """Whether a text can be encoded: modules refuse halves of surrogate pairs."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _valid(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _answer_text(prediction: Any) -> str:
    if isinstance(prediction, str):
        return prediction
    return json.dumps(prediction.get("tool_calls"), default=str)
