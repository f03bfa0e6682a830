"""Tasks that judge the answer in a text: base class, choices, and whether there is an answer."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...statistics.arguments.checks import OptionError, shown
from ...text.extraction.step_chains import Extract, answer_in, chain_functions, hashable_chain
from .model_outputs import reference_values
from .verdicts import Task, Verdict, listed

_LETTER = re.compile(r"\s*\(?\s*([A-Za-z])\s*\)?\s*[.):]?\s*")
_STEPS_OF_SOLUTIONS = ("boxed", "gsm8k", "final_answer")  # which references may need


@dataclass(frozen=True)
class TextTask(Task):
    """A task for the answer in a text; see `Task`.

    Args:
        extract: how to extract the answer from a text, as the option `extract` of qa_em; None for
            the whole text.
        extract_references: the same for references.
    """

    extract: Extract = None
    extract_references: Extract = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("extract", "extract_references"):
            try:
                object.__setattr__(self, name, hashable_chain(getattr(self, name)))
            except ValueError as error:
                raise OptionError(name, f": {error}") from None

    def judged(self, predictions: Sequence[Any], references: Sequence[Any]) -> list[Verdict]:
        """Return one verdict for each text."""
        accepted = [self._accepted(reference) for reference in references]
        answers = [None if text is None else _answer(text, self.extract) for text in predictions]
        pairs = [
            (answer, values)
            for answer, values in zip(answers, accepted, strict=True)
            if answer is not None and values
        ]
        judged = iter(self._compared(pairs) if pairs else ())
        verdicts = []
        for answer, values in zip(answers, accepted, strict=True):
            if not values:
                verdict = Verdict(None, answer, "unreadable")
            elif answer is None:
                verdict = self._without_answer(values)
            else:
                verdict = next(judged)
            if self.explain:
                verdict = verdict._replace(reason=self.reason(verdict, values))
            verdicts.append(verdict)
        return verdicts

    def _accepted(self, reference: Any) -> list[str]:
        """Return the accepted answers of a row that can be read."""
        texts = list(map(str, reference_values(reference)))
        if self.extract_references:
            answers = [_answer(text, self.extract_references) for text in texts]
            texts = [answer for answer in answers if answer is not None]
        return [answer for text in texts for answer in self._readable(text)]

    def _readable(self, text: str) -> Sequence[str]:
        """Return the accepted answer that a text stands for; empty if it cannot be read."""
        return (text,)

    def _without_answer(self, accepted: list[str]) -> Verdict:
        """Return the verdict on a text in which no answer is found."""
        return Verdict(0.0, None, "unparsed")

    def _compared(self, pairs: Sequence[tuple[str, list[str]]]) -> Iterable[Verdict]:
        """Return the verdict on each answer with the accepted answers of its row."""
        raise NotImplementedError

    def reason(self, verdict: Verdict, accepted: Sequence[str]) -> str:
        """Return the reason for a verdict, in a sentence."""
        if verdict.status == "unreadable":
            return "The reference cannot be read, so the answer is not judged."
        if verdict.status == "unparsed":
            return f"{self._search('No')}; accepted is {listed(accepted)}."
        return self._explained(verdict, accepted)

    def _search(self, article: str) -> str:
        """Return whether an answer was found, and by which steps."""
        steps = ", then ".join(map(_named, self.extract or ()))  # type: ignore[arg-type]
        return f"{article} answer was found in the text ({steps or 'after its thoughts'})"

    def reference_problem(self, reference: Any) -> str | None:
        """Return the reason why a reference cannot be read; None if it can."""
        try:
            if self._accepted(reference):
                return None
            values = reference_values(reference)
        except TypeError as error:
            return f"is {shown(reference)}: {error}"
        if not values:
            return "is missing" if reference is None else f"is {shown(reference)}, which is missing"
        if self.extract_references and not any(
            _answer(str(value), self.extract_references) is not None for value in values
        ):
            return f"has no answer that extract_references finds: {shown(reference)}"
        return f"cannot be read: {shown(reference)}"

    def suggestion(self, references: Sequence[Any]) -> str:
        """Return the step that makes most of the references readable, if any does."""
        readable = {}
        for step in _STEPS_OF_SOLUTIONS:
            task = replace(self, extract_references=step)
            readable[step] = sum(task.reference_problem(row) is None for row in references)
        best = max(readable, key=lambda step: readable[step])
        if readable[best]:
            return f"is it a whole solution? then pass extract_references={best!r}"
        problem = self.reference_problem(references[0])
        return (
            f"the first {problem}; if it is a whole solution, pass extract_references='boxed' "
            "or another step, and if it is in another column, pass column="
        )

    def doubt(self, references: Sequence[Any]) -> str:
        """Return a remark if references look like whole solutions, although they can be read."""
        if self.extract_references:
            return ""
        for step in _STEPS_OF_SOLUTIONS[:2]:
            texts = [reference for reference in references if isinstance(reference, str)]
            count = sum(_answer(text, (step,)) is not None for text in texts)
            if count:
                return (
                    f"{count:,} references contain an answer that {step!r} finds; if they are "
                    f"whole solutions, pass extract_references={step!r}"
                )
        return ""


def _answer(text: str, chain: Any) -> str | None:
    return answer_in(text, chain_functions(chain)) if chain else text


def _named(step: Any) -> str:
    if isinstance(step, str):
        return step
    return str(getattr(step, "__name__", None) or repr(step))


@dataclass(frozen=True)
class Choice(TextTask):
    """1.0 if the final letter of the text is accepted, else 0.0.

    A reference is a letter, such as "B", "(b)" or "B."; or a whole number, which counts from 0.

    >>> task = Choice()
    >>> [task.verdict("The answer is (B).", reference).score for reference in ("b.", 1, "A", "?")]
    [1.0, 1.0, 0.0, None]
    """

    name: str = "choice"
    extract: Extract = "choice"

    def _accepted(self, reference: Any) -> list[str]:
        values = reference_values(reference)
        letters = [chr(ord("A") + value) for value in values if _is_index(value)]
        return letters + super()._accepted([value for value in values if not _is_index(value)])

    def _readable(self, text: str) -> Sequence[str]:
        letter = _LETTER.fullmatch(text)
        return (letter[1].upper(),) if letter else ()

    def _compared(self, pairs: Sequence[tuple[str, list[str]]]) -> Iterable[Verdict]:
        for answer, letters in pairs:
            is_right = any(letter in letters for letter in self._readable(answer))
            yield Verdict(float(is_right), answer)

    def _explained(self, verdict: Verdict, accepted: Sequence[str]) -> str:
        relation = "is" if verdict.score else "is not"
        return f"The choice {listed([verdict.answer])} {relation} {listed(accepted)}."


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 26


@dataclass(frozen=True)
class Found(TextTask):
    r"""1.0 if `extract` finds an answer, else 0.0; no reference is needed.

    >>> [Found().verdict(text, None).score for text in (r"\boxed{2}", "2")]
    [1.0, 0.0]
    """

    name: str = "found"
    extract: Extract = "tagged_or_boxed"
    extract_references: Extract = field(default=None, init=False)

    def needs_reference(self) -> bool:
        """Return False."""
        return False

    def _accepted(self, reference: Any) -> list[str]:
        return ["any answer"]

    def _compared(self, pairs: Sequence[tuple[str, list[str]]]) -> Iterable[Verdict]:
        return [Verdict(1.0, answer) for answer, _ in pairs]

    def reason(self, verdict: Verdict, accepted: Sequence[str]) -> str:
        """Return the reason for a verdict, in a sentence."""
        return f"{self._search('An' if verdict.score else 'No')}."
