"""Tasks that need no module: choices, and whether there is an answer."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from .model_outputs import reference_values
from .verdicts import Task, Verdict, listed

_LETTER = re.compile(r"\s*\(?\s*([A-Za-z])\s*\)?\s*[.):]?\s*")


class Choice(Task):
    """1.0 if the final letter of the text is accepted, else 0.0.

    A reference is a letter, such as "B", "(b)" or "B."; or a whole number, which counts from 0.

    >>> task = Choice("choice", extract="choice")
    >>> [task.verdict("The answer is (B).", reference).score for reference in ("b.", 1, "A", "?")]
    [1.0, 1.0, 0.0, None]
    """

    def accepted(self, reference: Any) -> list[str]:
        """Return the accepted letters, in capitals."""
        values = reference_values(reference)
        letters = [chr(ord("A") + value) for value in values if _is_index(value)]
        return letters + super().accepted([value for value in values if not _is_index(value)])

    def readable(self, text: str) -> Sequence[str]:
        """Return the letter that a text is."""
        letter = _LETTER.fullmatch(text)
        return (letter[1].upper(),) if letter else ()

    def compared(self, pairs: Sequence[tuple[str, list[str]]]) -> Iterable[Verdict]:
        """Yield whether each letter is accepted."""
        for answer, letters in pairs:
            is_right = any(letter in letters for letter in self.readable(answer))
            yield Verdict(float(is_right), answer)

    def explained(self, verdict: Verdict, accepted: Sequence[Any]) -> str:
        """Return in a sentence whether the choice is accepted."""
        relation = "is" if verdict.score else "is not"
        return f"The choice {listed([verdict.answer])} {relation} {listed(accepted)}."


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 26


class Found(Task):
    r"""1.0 if `extract` finds an answer, else 0.0; no reference is needed.

    >>> found = Found("found", extract="boxed")
    >>> [found.verdict(text, None).score for text in (r"\boxed{2}", "2")]
    [1.0, 0.0]
    """

    def needs_reference(self) -> bool:
        """Return False."""
        return False

    def accepted(self, reference: Any) -> list[str]:
        """Return a text, so that every row is judged."""
        return ["any answer"]

    def compared(self, pairs: Sequence[tuple[str, list[str]]]) -> Iterable[Verdict]:
        """Return 1.0 for every answer."""
        return [Verdict(1.0, answer) for answer, _ in pairs]

    def reason(self, verdict: Verdict, accepted: Sequence[Any]) -> str:
        """Return in a sentence whether an answer was found."""
        article = "An" if verdict.score else "No"
        return f"{article} answer was found in the text ({self.steps_text()})."
