"""What the page of a Space asks for: examples of its card, as editable cells, and their scores.

This file runs in the browser, and does not import any of our other files.
"""

import json
import textwrap
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

Example = dict[str, Any]  # the arguments of a call of `compute`

# Scores of rows are always shown, groups would need another input, and nobody is asked whether
# programs may run.
_HIDDEN_OPTIONS = ("per_example", "groups", "allow_execution")


class Demo:
    """A module, with conversions from cells to columns and from scores to tables.

    Args:
        metric: the module.
        examples: the calls that its card shows.
    """

    def __init__(self, metric: Any, examples: Sequence[Example]) -> None:
        self.metric = metric
        layouts = metric.feature_sets
        self.inputs = list(layouts[0])
        self.examples = [each for each in examples if set(self.inputs) <= each.keys()]
        self._types = {
            name: tuple(
                {kind for layout in layouts if name in layout for kind in _json_types(layout[name])}
                | _accepted_types(metric.json_inputs.get(name))
            )
            for name in self.inputs
        }

    def titles(self) -> list[str]:
        """Return a title for each example: its options and its first row."""
        titles = []
        for number, example in enumerate(self.examples):
            options = self._shown_options(example)
            settings = ", ".join(f"{name}={value!r}" for name, value in options.items())
            row = " | ".join(self.cells(number)[0])
            titles.append(textwrap.shorten(f"{settings or 'defaults'}: {row}", 80))
        return titles

    def cells(self, number: int) -> list[list[str]]:
        """Return the rows of an example as editable texts."""
        columns = [self.examples[number][name] for name in self.inputs]
        return [
            [self._to_cell(name, value) for name, value in zip(self.inputs, row, strict=True)]
            for row in zip(*columns, strict=True)
        ]

    def options(self, number: int) -> str:
        """Return all options as editable JSON, with the values set by an example.

        With a result format, the options are those of evaluate's module of this name.
        """
        options = self._shown_options(self.examples[number])
        if options.get("result_format") is None:
            options = self._shown_options({**self.metric.options, **options})
        return json.dumps(options, indent=2, default=str, ensure_ascii=False)

    def score(self, cells: list[list[str]], options: str) -> dict[str, Any]:
        """Return the scores, and the header and rows of the table with the scores of each row."""
        filled = [row for row in cells if any(str(cell).strip() for cell in row)]
        columns = {
            name: [self._from_cell(name, str(row[j]), i) for i, row in enumerate(filled)]
            for j, name in enumerate(self.inputs)
        }
        try:
            values = json.loads(options or "{}")
        except ValueError as error:
            raise ValueError(f"the options are not JSON: {error}") from error
        if not isinstance(values, dict):
            raise ValueError("the options must be a JSON object")
        if "per_example" in self.metric.options and values.get("result_format") is None:
            values["per_example"] = True
        result = self.metric.compute(**columns, **values)
        if not isinstance(result, dict):  # as evaluate's `wer`
            result = {str(values["result_format"]): result}
        row_scores = result.pop("per_example", {})
        rows = zip(*columns.values(), *row_scores.values(), strict=True) if row_scores else []
        return {
            # NaN and infinities are null, since JSON cannot represent them.
            "scores": json.loads(json.dumps(result), parse_constant=lambda _: None),
            "header": [*self.inputs, *row_scores],
            "rows": [[_to_text(value) for value in row] for row in rows],
        }

    def _shown_options(self, example: Example) -> dict[str, Any]:
        hidden = {*self.inputs, *_HIDDEN_OPTIONS}
        return {name: value for name, value in example.items() if name not in hidden}

    def _to_cell(self, name: str, value: Any) -> str:
        """Return a text unchanged, unless it looks like JSON or an empty cell; else JSON."""
        if isinstance(value, str) and value.strip() == value != "":
            with suppress(ValueError):
                if self._from_cell(name, value, 0) == value:
                    return value
        return json.dumps(value, ensure_ascii=False)

    def _from_cell(self, name: str, cell: str, row: int) -> Any:
        """Return the value of a cell: JSON of a type that the input accepts, or else a text."""
        try:
            value = json.loads(cell)
            if isinstance(value, self._types[name]):
                return value
            expected = " or ".join(sorted(kind.__name__ for kind in self._types[name]))
            problem = f"expected {expected}"
        except ValueError as error:
            problem = f"not JSON: {error}"
        if str in self._types[name] and cell[:1] not in ("[", "{"):
            return cell
        raise ValueError(f"{name}[{row}] is {cell!r}; {problem}")


def answer(demo: Demo, question: str, parameters: str) -> str:
    """Answer a page's request in JSON: `{"value": ...}`, or `{"problem": "..."}` for bad input."""
    questions: dict[str, Callable[..., Any]] = {
        "titles": demo.titles,
        "example": lambda number: {
            "cells": demo.cells(number),
            "options": demo.options(number),
            "inputs": demo.inputs,
        },
        "score": demo.score,
    }
    try:
        return json.dumps({"value": questions[question](*json.loads(parameters))})
    except (ValueError, TypeError) as error:
        return json.dumps({"problem": str(error)})


def _json_types(feature: Any) -> set[type]:
    """Return the JSON types that the values of a feature may have."""
    if isinstance(feature, dict):
        return {dict}
    if hasattr(feature, "feature"):
        return {list}
    types: dict[str, set[type]] = {"string": {str}, "bool": {bool}}
    return types.get(feature.dtype, {int, float})


def _accepted_types(values: Any) -> set[type]:
    """Return the JSON types that an input of texts also accepts."""
    if values is None:
        return set()
    return {dict, list} if values.accepted == "objects" else {dict, list, int, float, bool}


def _to_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
