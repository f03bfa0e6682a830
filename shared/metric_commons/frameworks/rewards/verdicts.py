"""Verdicts on rows, and the base class of the tasks that return them."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self, TypeVar

from ...module.catalog.score_scales import ScoreScale
from ...module.declaration.declarations import names_of_functions
from ...statistics.arguments.checks import alternatives
from ...statistics.arguments.domains import check_option
from ...text.tokens.thoughts import Thoughts, answer_of
from .model_outputs import ReferenceTypeError, text_of

T = TypeVar("T")
Status = Literal["scored", "undecided", "unparsed", "unreadable"]
STATUSES: tuple[Status, ...] = ("unparsed", "undecided", "unreadable")  # which logs count

_FIXED = ("module", "options", "sample")  # fields that no setting changes
_OF_REPORTS = ("name", "explain")  # fields that change no score
_NO_SCORES: Mapping[str, float] = {}
_FRAMES = 800  # of the stack that a row may need


class Verdict(NamedTuple):
    """The score of a row, and how it came about.

    `status` is "scored"; "undecided" if neither equality nor its opposite is proved, or a
    machine failed; "unparsed" if the text contains no answer; and "unreadable" if no reference of
    the row can be read, with the score None.
    """

    score: float | None
    answer: str | None  # found in the text
    status: Status = "scored"
    scores: Mapping[str, float] = _NO_SCORES  # further scores of the row, such as precision
    reason: str = ""  # in a sentence, if the task explains


@dataclass(frozen=True)
class Task(ABC):
    """A way to judge rows, as a value: it can be compared, hashed, pickled and shared by threads.

    Args:
        name: of the score, in logs.
        explain: whether verdicts have a reason.
        thoughts: "strip" judges what follows the thoughts of a model, as the option of `qa_em`.
    """

    name: str = ""
    explain: bool = False
    thoughts: Thoughts = "strip"

    def __post_init__(self) -> None:
        check_option("thoughts", self.thoughts, Thoughts)
        if not isinstance(self.thoughts, str):
            object.__setattr__(self, "thoughts", tuple(self.thoughts))

    def verdicts(self, completions: Sequence[Any], references: Sequence[Any]) -> list[Verdict]:
        """Return one verdict for each row; nothing that a model wrote raises an error.

        Args:
            completions: texts, lists of messages, or any other output of a model.
            references: the accepted answer, or answers, of each row.

        Raises:
            ValueError: the lengths differ.
            TypeError: a reference is of a type that the task does not accept.
        """
        if len(completions) != len(references):
            raise ValueError(f"{len(completions)} texts, but {len(references)} references")
        return on_free_stack(self._verdicts, completions, list(references))

    def _verdicts(self, completions: Sequence[Any], references: Sequence[Any]) -> list[Verdict]:
        predictions = list(map(self.prediction, completions))
        try:
            return self.judged(predictions, references)
        except ReferenceTypeError:
            raise
        except Exception as error:
            if not isinstance(error, RecursionError) and self.has_functions():
                raise  # an error of the caller's own function
            if len(predictions) > 1:  # judge the other rows
                pairs = zip(predictions, references, strict=True)
                return [self._verdicts([text], [value])[0] for text, value in pairs]
            reason = f"The answer cannot be judged: {type(error).__name__}: {_short(str(error))}"
            return [Verdict(None, text_of(predictions[0]), "undecided", reason=reason)]

    def verdict(self, completion: Any, reference: Any) -> Verdict:
        """Return the verdict on one row."""
        return self.verdicts([completion], [reference])[0]

    def prediction(self, completion: Any) -> Any:
        """Return the part of a completion that is judged; None if its thoughts were cut off."""
        return answer_of(text_of(completion), self.thoughts)

    @abstractmethod
    def judged(self, predictions: Sequence[Any], references: Sequence[Any]) -> list[Verdict]:
        """Return one verdict for each prediction, which is None if there is no answer."""

    @abstractmethod
    def reference_problem(self, reference: Any) -> str | None:
        """Return the reason why a reference cannot be read; None if it can."""

    def needs_reference(self) -> bool:
        """Return whether the verdict depends on references."""
        return True

    def reads_calls(self) -> bool:
        """Return whether the calls of all messages are judged, and not a text alone."""
        return False

    @property
    def score_name(self) -> str:
        """Return the name of the score among the scores of its module."""
        return self.name

    def equal_answers(self) -> Callable[[str, str], object] | None:
        """Return the function that says whether two answers are equal; None to compare texts."""
        return None

    def scale(self, score: str | None = None) -> ScoreScale:
        """Return the direction and range of the score, or of a further one."""
        return ScoreScale()

    def further_scores(self) -> list[str]:
        """Return the names of the further scores of a verdict."""
        return []

    def all_scores(self, verdict: Verdict) -> dict[str, float]:
        """Return the scores of a row by name, without those that it does not have."""
        main = {} if verdict.score is None else {self.score_name: verdict.score}
        return {**main, **verdict.scores}

    def record(self, verdict: Verdict) -> dict[str, Any]:
        """Return the status, all scores and the signature of a row, for logs."""
        scores = self.all_scores(verdict)
        return {"status": verdict.status, **scores, "signature": self.signature}

    @cached_property
    def signature(self) -> str:
        """Return one line that says how scores are computed, as in results."""
        from ...evaluation.results.module_results import signature  # imports numpy, so only on use

        return signature(*self._settings_of_scores(), None)

    def _settings_of_scores(self) -> tuple[str, dict[str, Any]]:
        """Return the name in the signature, and the options that change scores."""
        options = {item.name: getattr(self, item.name) for item in fields(self)}
        return self.name, {
            name: value
            for name, value in options.items()
            if name not in _OF_REPORTS and value is not None
        }

    def __getstate__(self) -> dict[str, Any]:
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def has_functions(self) -> bool:
        """Return whether an option is a function, or a list with one."""
        return bool(names_of_functions(self._settings_of_scores()[1]))

    def suggestion(self, references: Sequence[Any]) -> str:
        """Return advice for a batch in which no reference can be read."""
        problem = self.reference_problem(references[0])
        return f"the first {problem}; is it the right column?"

    def doubt(self, references: Sequence[Any]) -> str:
        """Return a remark on references that were perhaps read wrongly; usually empty."""
        return ""

    def settings(self) -> set[str]:
        """Return the names of the settings and options that `with_settings` takes."""
        return {item.name for item in fields(self) if item.init and item.name not in _FIXED}

    def with_settings(self, settings: Mapping[str, Any]) -> Self:
        """Return the task with other settings.

        Raises:
            TypeError: a setting is unknown.
        """
        known = self.settings()
        for name in settings:
            if name not in known:
                hint = alternatives(name, sorted(known))
                raise TypeError(f"{self.name} has no option {name!r}{hint}")
        names = {item.name for item in fields(self)}
        changes = {name: value for name, value in settings.items() if name in names}
        if options := {name: value for name, value in settings.items() if name not in names}:
            changes["options"] = {**getattr(self, "options", {}), **options}
        return replace(self, **changes)

    def explanation(self, verdict: Verdict, reference: Any) -> dict[str, Any]:
        """Return the readings of answer and reference, the steps, the verdict and the reason."""
        return {
            "prediction_reading": verdict.answer,
            "reference_reading": reference,
            "steps": [verdict.status],
            "verdict": verdict.score,
            "reason": verdict.reason,
        }

    def _explained(self, verdict: Verdict, accepted: Sequence[Any]) -> str:
        """Return the score, the answer and the accepted answers, in a sentence."""
        return (
            f"{self.name} is {verdict.score:.3g}: the answer is {listed([verdict.answer])}, "
            f"accepted is {listed(accepted)}."
        )


def on_free_stack(function: Callable[..., T], *args: Any) -> T:
    """Return the result of a call, made in a thread of its own if the caller's stack is deep.

    A model may nest its answer deeply, and the verdict must not depend on the caller's stack.
    """
    try:
        sys._getframe(sys.getrecursionlimit() - _FRAMES)
    except ValueError:  # the stack is not that deep
        return function(*args)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as threads:
        return threads.submit(copy_context().run, function, *args).result()


def listed(values: Sequence[Any]) -> str:
    """Return at most three values, for a sentence.

    >>> listed(["a", "b"]), listed([1, 2, 3, 4])
    ("'a' or 'b'", '1 or 2 or 3 or others')
    """
    return " or ".join(map(_short, values[:3])) + (" or others" if len(values) > 3 else "")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:197]}..."
