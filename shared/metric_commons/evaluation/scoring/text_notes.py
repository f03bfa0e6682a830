"""Notes on the texts of an evaluation: thoughts that are scored, and texts without tokens."""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from typing import Any

from ...module.declaration.declarations import Module
from ...text.tokens.thoughts import without_thoughts
from ..results.rendering import counted

_LATIN = re.compile("[A-Za-z0-9]")


class TextNotes:
    """What the texts of all rows have in common, counted by all processes of an evaluation.

    Args:
        metrics: the modules with their options, by name.
        processes: how many there are.
    """

    def __init__(self, metrics: Mapping[str, Module], processes: int) -> None:
        self._keeps_thoughts = any(m.options.get("thoughts") == "keep" for m in metrics.values())
        self._latin = [
            (module, option, other)
            for module, metric in metrics.items()
            for option, (value, other) in metric.latin_tokens.items()
            if metric.options[option] == value
        ]
        number: Callable[[str], Any] = _Number
        if processes > 1:
            from multiprocessing import Value  # takes long to import

            number = Value
        self._rows, self._thoughts, self._tokens = number("q"), number("q"), number("b")

    def update(self, columns: Mapping[str, Any]) -> None:
        """Add the texts of rows."""
        predictions, references = (columns.get(n) or [] for n in ("predictions", "references"))
        with self._rows:
            self._rows.value += len(predictions)
        if self._keeps_thoughts:
            texts = list(_texts(predictions))
            whole = "\n".join(texts)
            if any(letter in whole for letter in "<[◁"):  # with which all marks begin
                thoughts = sum(without_thoughts(text) is not text for text in texts)
                with self._thoughts:
                    self._thoughts.value += thoughts
        if self._latin and not self._tokens.value:
            found = (text for column in (predictions, references) for text in _texts(column))
            if any(map(_LATIN.search, found)):
                self._tokens.value = 1

    def lines(self) -> list[str]:
        """Return the notes, each of which names the option that changes it."""
        lines = []
        if self._thoughts.value:
            subject = counted(self._thoughts.value, "prediction")
            verb = "begins" if self._thoughts.value == 1 else "begin"
            advice = "--set thoughts=strip scores what follows"
            lines.append(f"{subject} {verb} with thoughts, which are scored, too; {advice}")
        if self._rows.value and not self._tokens.value:
            lines += [
                f"no row of {module} has a token of a-z and 0-9; --set {option}={other} reads "
                "other scripts"
                for module, option, other in self._latin
            ]
        return lines


class _Number(nullcontext[str]):
    """A number of one process, which needs no lock."""

    value = 0


def _texts(column: Iterable[Any]) -> Iterable[str]:
    if isinstance(column, list) and set(map(type, column)) == {str}:
        yield from column
        return
    for value in column:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from _texts(value)
