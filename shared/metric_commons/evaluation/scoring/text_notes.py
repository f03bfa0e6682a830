"""Notes on the texts of an evaluation: thoughts that are scored, and texts without tokens."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...module.declaration.declarations import Module
from ...text.tokens.thoughts import without_thoughts
from ..results.rendering import counted

_LATIN = re.compile("[A-Za-z0-9]")


class TextNotes:
    """What the texts of all rows have in common.

    Args:
        metrics: the modules with their options, by name.
    """

    def __init__(self, metrics: Mapping[str, Module]) -> None:
        self._keeps_thoughts = any(m.options.get("thoughts") == "keep" for m in metrics.values())
        self._latin = [
            (module, option, other)
            for module, metric in metrics.items()
            for option, (value, other) in metric.latin_tokens.items()
            if metric.options[option] == value
        ]
        self._rows = self._thoughts = 0
        self._has_tokens = False

    def update(self, predictions: Sequence[Any], references: Sequence[Any]) -> None:
        """Add the texts of rows."""
        self._rows += len(predictions)
        if self._keeps_thoughts:
            texts = list(_texts(predictions))
            whole = "\n".join(texts)
            if any(letter in whole for letter in "<[◁"):  # with which all marks begin
                self._thoughts += sum(without_thoughts(text) is not text for text in texts)
        if self._latin and not self._has_tokens:
            found = (text for column in (predictions, references) for text in _texts(column))
            self._has_tokens = any(map(_LATIN.search, found))

    def lines(self) -> list[str]:
        """Return the notes, each of which names the option that changes it."""
        lines = []
        if self._thoughts:
            subject = counted(self._thoughts, "prediction")
            verb = "begins" if self._thoughts == 1 else "begin"
            advice = "--set thoughts=strip scores what follows"
            lines.append(f"{subject} {verb} with thoughts, which are scored, too; {advice}")
        if self._rows and not self._has_tokens:
            lines += [
                f"no row of {module} has a token of a-z and 0-9; --set {option}={other} reads "
                "other scripts"
                for module, option, other in self._latin
            ]
        return lines


def _texts(column: Iterable[Any]) -> Iterable[str]:
    if isinstance(column, list) and set(map(type, column)) == {str}:
        yield from column
        return
    for value in column:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from _texts(value)
