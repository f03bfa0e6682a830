"""Verdicts on rows, and tasks, which return them: how an answer is found and compared."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeVar

from ...module.catalog.score_scales import ScoreScale
from ...module.declaration.declarations import names_of_functions
from ...statistics.arguments.checks import OptionError, shown
from ...statistics.arguments.domains import check_option
from ...text.extraction.step_chains import Extract, answer_in, chain_functions, hashable_chain
from ...text.tokens.thoughts import Thoughts, answer_of
from .model_outputs import ReferenceTypeError, reference_values, text_of

T = TypeVar("T")
Outputs = Sequence[Any]  # of models: texts, messages, or None
References = Sequence[Any]  # one accepted answer or several for each output
Status = Literal["scored", "undecided", "unparsed", "unreadable"]
STATUSES: tuple[Status, ...] = ("unparsed", "undecided", "unreadable")  # which logs count

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
class Task:
    """A way to judge rows, as a value: it can be compared, hashed, pickled and shared by threads.

    Args:
        module: the name of the kind of task.
        name: of the score, in logs.
        score: the name of a score of the module.
        extract: how to extract the answer from a text, as the option `extract` of qa_em; None for
            the whole text.
        extract_references: the same for references.
        thoughts: "strip" judges what follows the thoughts of a model, as the option of `qa_em`.
        explain: whether verdicts have a reason.
        options: of the kind.

    Raises:
        ValueError: an option is not valid.
        TypeError: an option is unknown.
    """

    module: str
    name: str = ""
    score: str | None = None
    extract: Extract = None
    extract_references: Extract = None
    thoughts: Thoughts = "strip"
    explain: bool = False
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check_option("thoughts", self.thoughts, Thoughts)
        changes: dict[str, Any] = {"name": self.name or self.module}
        if not isinstance(self.thoughts, str):
            changes["thoughts"] = tuple(self.thoughts)
        for name in ("extract", "extract_references"):
            try:
                changes[name] = hashable_chain(getattr(self, name))
            except ValueError as error:
                raise OptionError(name, f": {error}") from None
        vars(self).update(changes | self.checked())

    def checked(self) -> dict[str, Any]:
        """Check the options; return the fields that follow from them."""
        if self.options:
            raise TypeError(f"{self.module} has no option {next(iter(self.options))!r}")
        return {}

    def verdicts(self, completions: Outputs, references: References) -> list[Verdict]:
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

    def _verdicts(self, completions: Outputs, references: References) -> list[Verdict]:
        predictions = list(map(self.prediction, completions))
        try:
            return self.judged(predictions, references)
        except ReferenceTypeError:
            raise
        except Exception as error:
            if not isinstance(error, RecursionError) and names_of_functions(self.settings()):
                raise  # an error of the caller's own function
            if len(predictions) > 1:  # judge the other rows
                pairs = zip(completions, references, strict=True)
                return [self._verdicts([text], [value])[0] for text, value in pairs]
            reason = f"The answer cannot be judged: {type(error).__name__}: {_short(str(error))}"
            return [Verdict(None, text_of(predictions[0]), "undecided", reason=reason)]

    def verdict(self, completion: Any, reference: Any) -> Verdict:
        """Return the verdict on one row."""
        return self.verdicts([completion], [reference])[0]

    def prediction(self, completion: Any) -> Any:
        """Return the part of a completion that is judged; None if its thoughts were cut off."""
        return answer_of(text_of(completion), self.thoughts)

    def judged(self, predictions: Outputs, references: References) -> list[Verdict]:
        """Return one verdict for each prediction, which is None if there is no answer."""
        accepted = list(map(self.accepted, references))
        answers = [None if text is None else _answer(text, self.extract) for text in predictions]
        rows = list(zip(answers, accepted, strict=True))
        found = [(answer, values) for answer, values in rows if answer is not None and values]
        judged = iter(self.compared(found) if found else ())
        verdicts = []
        for answer, values in rows:
            if not values:
                verdicts.append(Verdict(None, answer, "unreadable"))
            elif answer is None:
                verdicts.append(self.without_answer(values))
            else:
                verdicts.append(next(judged))
        return self.with_reasons(verdicts, accepted)

    def accepted(self, reference: Any) -> list[str]:
        """Return the accepted answers of a row that can be read."""
        texts = list(map(str, reference_values(reference)))
        if self.extract_references:
            answers = [_answer(text, self.extract_references) for text in texts]
            texts = [answer for answer in answers if answer is not None]
        return [answer for text in texts for answer in self.readable(text)]

    def readable(self, text: str) -> Sequence[str]:
        """Return the accepted answer that a text stands for; empty if it cannot be read."""
        return (text,)

    def without_answer(self, accepted: list[str]) -> Verdict:
        """Return the verdict on a text in which no answer is found."""
        return Verdict(0.0, None, "unparsed")

    def compared(self, pairs: Sequence[tuple[str, list[str]]]) -> Iterable[Verdict]:
        """Return the verdict on each answer with the accepted answers of its row."""
        raise NotImplementedError

    def needs_reference(self) -> bool:
        """Return whether the verdict depends on references."""
        return True

    def reads_calls(self) -> bool:
        """Return whether the calls of all messages are judged, and not a text alone."""
        return False

    @property
    def score_name(self) -> str:
        """Return the name of the score among the scores of its module."""
        return self.score or self.name

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

        return signature(self.module, self.settings(), None)

    def settings(self) -> dict[str, Any]:
        """Return the options that change scores."""
        names = ("score", "thoughts", "extract", "extract_references")
        settings = {**self.options, **{name: getattr(self, name) or None for name in names}}
        return {name: value for name, value in settings.items() if value is not None}

    def given(self) -> dict[str, Any]:
        """Return the settings of which `task` makes the same task."""
        names = ("name", "score", "extract", "extract_references", "thoughts", "explain")
        return {**{name: getattr(self, name) for name in names}, **self.options}

    def __getstate__(self) -> dict[str, Any]:
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def with_reasons(
        self, verdicts: list[Verdict], accepted: Sequence[Sequence[Any]]
    ) -> list[Verdict]:
        """Return the verdicts with their reasons, if the task explains."""
        if not self.explain:
            return verdicts
        rows = zip(verdicts, accepted, strict=True)
        return [verdict._replace(reason=self._reason(verdict, row)) for verdict, row in rows]

    def _reason(self, verdict: Verdict, accepted: Sequence[Any]) -> str:
        if verdict.status == "unreadable":
            return "The reference cannot be read, so the answer is not judged."
        if verdict.answer is None:
            steps: Any = self.extract or ["after its thoughts"]
            names = ", then ".join(getattr(step, "__name__", None) or str(step) for step in steps)
            return f"No answer was found in the text ({names}); accepted is {_listed(accepted)}."
        score = "" if verdict.score is None else f" is {verdict.score:.3g}"
        status = "" if verdict.status == "scored" else f" ({verdict.status})"
        answer = f"the answer is {_short(verdict.answer)}, accepted is {_listed(accepted)}"
        return f"{self.name}{score}{status}: {answer}."

    def reference_problem(self, reference: Any) -> str | None:
        """Return the reason why a reference cannot be read; None if it can."""
        try:
            if self.accepted(reference):
                return None
            is_missing = not reference_values(reference)
        except TypeError as error:
            return f"is {shown(reference)}: {error}"
        return "is missing" if is_missing else f"cannot be read: {shown(reference)}"


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


def _listed(values: Sequence[Any]) -> str:
    return " or ".join(map(_short, values[:3])) + (" or others" if len(values) > 3 else "")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:197]}..."


def _answer(text: str, chain: Any) -> str | None:
    return answer_in(text, chain_functions(chain)) if chain else text
