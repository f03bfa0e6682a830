"""Notes on the texts of an evaluation: thoughts that are scored, and texts without tokens."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...text.tokens.thoughts import without_thoughts
from ..results.rendering import counted
from ..rows.rows import Metrics

_LATIN = re.compile("[A-Za-z0-9]")


class TextNotes:
    """What the texts of all rows have in common.

    Args:
        metrics: the modules with their options, by name.
    """

    def __init__(self, metrics: Metrics) -> None:
        self._keeps_thoughts = any(m.options.get("thoughts") == "keep" for m in metrics.values())
        self._latin = [
            (module, option, other)
            for module, metric in metrics.items()
            for option, (value, other) in metric.latin_tokens.items()
            if metric.options[option] == value
        ]
        self._rows = self._thoughts = 0

    def update(self, predictions: Iterable[Any], references: Iterable[Any]) -> None:
        """Add the texts of rows."""
        texts = [*_texts(predictions)] if self._keeps_thoughts or self._latin else []
        self._rows += len(texts)
        whole = "\n".join(texts)
        if self._keeps_thoughts and any(mark in whole for mark in "<[◁"):  # all begin with these
            self._thoughts += sum(without_thoughts(text) is not text for text in texts)
        if self._latin and (_LATIN.search(whole) or any(map(_LATIN.search, _texts(references)))):
            self._latin = []

    def lines(self) -> Iterator[str]:
        """Yield the notes, each of which names the option that changes it."""
        if self._thoughts:
            subject = counted(self._thoughts, "prediction")
            verb = "begins" if self._thoughts == 1 else "begin"
            advice = "--set thoughts=strip scores what follows"
            yield f"{subject} {verb} with thoughts, which are scored, too; {advice}"
        for module, option, other in self._latin if self._rows else ():
            advice = f"--set {option}={other} reads other scripts"
            yield f"no row of {module} has a token of a-z and 0-9; {advice}"


def _texts(column: Iterable[Any]) -> Iterator[str]:
    for value in column:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from _texts(value)
