"""Verdicts on rows, and the base class of the tasks that return them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, NamedTuple, Self

from .model_outputs import text_of

Status = Literal["scored", "undecided", "unparsed", "unreadable"]
STATUSES: tuple[Status, ...] = ("unparsed", "undecided", "unreadable")  # which logs count

_FIXED = ("module", "options", "sample")  # fields that no setting changes
_NO_SCORES: Mapping[str, float] = {}


class Verdict(NamedTuple):
    """The score of a row, and how it came about.

    `status` is "scored"; "undecided" where neither equality nor the opposite is proved, or a
    machine failed; "unparsed" where the text contains no answer; and "unreadable", with the score
    None, where no reference of the row can be read.
    """

    score: float | None
    answer: str | None  # found in the text
    status: Status = "scored"
    scores: Mapping[str, float] = _NO_SCORES  # further scores of the row, such as precision
    reason: str = ""  # in a sentence, where the task explains


@dataclass(frozen=True)
class Task(ABC):
    """A way to judge rows. A value: equal, hashable, picklable, the same in every thread.

    Args:
        name: of the score, in logs.
        explain: whether verdicts have a reason.
    """

    name: str = ""
    explain: bool = False

    def verdicts(self, completions: Sequence[Any], references: Sequence[Any]) -> list[Verdict]:
        """Return one verdict for each row; nothing that a model wrote raises an error.

        Args:
            completions: texts, or lists of messages.
            references: the accepted answer, or answers, of each row.

        Raises:
            ValueError: the lengths differ.
            TypeError: a completion or a reference is of a type that the task does not accept.
        """
        check_lengths(completions, references)
        predictions = [self.prediction(completion) for completion in completions]
        return self.judged(predictions, list(references))

    def verdict(self, completion: Any, reference: Any) -> Verdict:
        """Return the verdict on one row."""
        return self.verdicts([completion], [reference])[0]

    def prediction(self, completion: Any) -> Any:
        """Return the part of a completion that is judged."""
        return text_of(completion)

    @abstractmethod
    def judged(self, predictions: Sequence[Any], references: Sequence[Any]) -> list[Verdict]:
        """Return one verdict for each prediction."""

    @abstractmethod
    def reference_problem(self, reference: Any) -> str | None:
        """Return the reason why a reference cannot be read; None if it can."""

    def needs_reference(self) -> bool:
        """Return whether the verdict depends on references."""
        return True

    def suggestion(self, references: Sequence[Any]) -> str:
        """Advice for a batch in which no reference can be read."""
        problem = self.reference_problem(references[0])
        return f"the first {problem}; is it the right column?"

    def doubt(self, references: Sequence[Any]) -> str:
        """Return a remark on references that can be read, but may not be meant so.

        Usually empty.
        """
        return ""

    def with_settings(self, settings: Mapping[str, Any]) -> Self:
        """Return the task with the settings that it knows; others are ignored."""
        names = {item.name for item in fields(self) if item.init and item.name not in _FIXED}
        changes = {name: _hashable(value) for name, value in settings.items() if name in names}
        return replace(self, **changes) if changes else self

    def explanation(self, verdict: Verdict, reference: Any) -> dict[str, Any]:
        """Return what the sides of a row were read as, the steps, the verdict and the reason."""
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


def _hashable(value: Any) -> Any:
    """Return a list of a configuration library as a tuple, which can be hashed."""
    return tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value


def check_lengths(completions: Sequence[Any], references: Sequence[Any]) -> None:
    """Check that each completion has a reference.

    Raises:
        ValueError: the lengths differ.
    """
    if len(completions) != len(references):
        raise ValueError(f"{len(completions)} texts, but {len(references)} references")


def listed(values: Sequence[Any]) -> str:
    """At most three values, for a sentence.

    >>> listed(["a", "b"]), listed([1, 2, 3, 4])
    ("'a' or 'b'", '1 or 2 or 3 or others')
    """
    return " or ".join(map(_short, values[:3])) + (" or others" if len(values) > 3 else "")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:197]}..."
