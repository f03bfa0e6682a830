"""The demo of a Space: the worked examples of its card, which can be edited and scored.

This file does not import any of our other files. A Space with gradio has it as `app.py`, in one
folder with its card, which names the module, and the script of the module.
"""

import ast
import doctest
import json
import re
import string
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

Cells = list[list[str]]

_AXES = ["false positives", "true positives", "curve"]

# Scores of rows are always shown, and groups would need another input.
_HIDDEN_OPTIONS = ("per_example", "groups")
# The owner of a Space decides, by its environment, whether and where programs run.
_OWNERS_OPTIONS = ("allow_execution",)


def usage(card: str) -> list[list[doctest.Example]]:
    """Return the examples in the usage section of a card, block by block."""
    section = card.partition("\n## Usage\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    return [doctest.DocTestParser().get_examples(block) for block in blocks]


def module_name(card: str) -> str:
    """Return the module of a card, which its first example loads."""
    return re.findall(r'\.load\("(?:[^"]*/)?(\w+)"', card)[0]  # type: ignore[no-any-return]


def worked_examples(card: str) -> list[dict[str, Any]]:
    r'''Return the settings and arguments of each call of `compute` in a card, if literals.

    >>> card = """
    ... ## Usage
    ...
    ... ```python
    ... >>> toy = evaluate.load("./metrics/toy", size=2)
    ... >>> toy.compute(predictions=[1])
    ... {'toy': 0.5}
    ... ```
    ... """
    >>> worked_examples(card)
    [{'size': 2, 'predictions': [1]}]
    '''
    values: dict[str, Any] = {}  # literals by variable name
    settings: dict[str, dict[str, Any]] = {}  # of loaded modules, by variable name
    examples = []
    for example in chain.from_iterable(usage(card)):
        if example.exc_msg:  # it shows an error
            continue
        for statement in ast.parse(example.source).body:
            for call in _calls(statement):
                try:
                    arguments = _arguments(call, values)
                    module = ast.unparse(call.func.value)  # type: ignore[attr-defined]
                    arguments = {**settings[module], **arguments}
                except (ValueError, KeyError):
                    continue  # an argument is not a literal, such as a function
                if arguments not in examples:
                    examples.append(arguments)
            _record_assignment(statement, values, settings)
    return examples


def _calls(statement: ast.stmt) -> Iterator[ast.Call]:
    """Yield the calls of methods named `compute` in a statement; none if they may fail."""
    if isinstance(statement, ast.Try):
        return
    for node in ast.walk(statement):
        match node:
            case ast.Call(func=ast.Attribute(attr="compute")):
                yield node


def _arguments(call: ast.Call, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments of a call; a KeyError or ValueError if one is not a literal."""
    arguments: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg is None:  # **name
            arguments |= values[ast.unparse(keyword.value)]
        else:
            arguments[keyword.arg] = _literal(keyword.value, values)
    return arguments


def _literal(node: ast.expr, values: Mapping[str, Any]) -> Any:
    """Return the value of a literal, in which names, `float("nan")` and repeated lists may occur.

    >>> _literal(ast.parse('[nan] * 2 + [float("inf")]', mode="eval").body, {"nan": None})
    [None, None, inf]
    """
    match node:
        case ast.Name(id=name):
            return values[name]
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str(text))]):
            return float(text)
        case ast.List(elts=items):
            return [_literal(item, values) for item in items]
        case ast.Dict(keys=keys, values=items) if None not in keys:
            pairs = zip(keys, items, strict=True)
            return {_literal(key, values): _literal(item, values) for key, item in pairs if key}
        case ast.BinOp(left=ast.List() | ast.BinOp() as left, op=ast.Mult(), right=right):
            return _literal(left, values) * _literal(right, values)
        case ast.BinOp(left=ast.List() | ast.BinOp() as left, op=ast.Add(), right=right):
            return _literal(left, values) + _literal(right, values)
    return ast.literal_eval(node)


def _record_assignment(
    statement: ast.stmt, values: dict[str, Any], settings: dict[str, dict[str, Any]]
) -> None:
    """Record the literal that a statement assigns, or the settings of the module that it loads."""
    match statement:
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Call(func=ast.Attribute(attr="load")) as call,
        ):
            try:
                settings[name] = _arguments(call, values)
            except (ValueError, KeyError):
                settings.pop(name, None)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            try:
                values[name] = _literal(value, values)
            except (ValueError, KeyError):
                values.pop(name, None)


class Demo:
    """The module of a Space, with conversions from cells to columns and from scores to tables."""

    def __init__(self, folder: Path, load: Callable[[str], Any] | None = None) -> None:
        if load is None:
            import evaluate  # which a browser does not have

            load = evaluate.load
        card = (folder / "README.md").read_text("utf-8")
        self.name = module_name(card)
        self.metric: Any = load(str(folder / f"{self.name}.py"))
        self.about = str(self.metric.info.description).strip()
        layouts = self.metric.feature_sets
        self.inputs = list(layouts[0])
        self._types = {
            name: tuple(
                {kind for layout in layouts if name in layout for kind in _json_types(layout[name])}
                | _accepted_types(self.metric.json_inputs.get(name))
            )
            for name in self.inputs
        }
        self.examples = [
            example for example in worked_examples(card) if set(self.inputs) <= example.keys()
        ]

    def titles(self) -> list[str]:
        """Return a title for each example: its options and its first row."""
        titles = []
        for number, example in enumerate(self.examples):
            options = self._example_options(example)
            settings = ", ".join(f"{name}={value!r}" for name, value in options.items())
            row = " | ".join(self.cells(number)[0])
            titles.append(textwrap.shorten(f"{settings or 'defaults'}: {row}", 80))
        return titles

    def cells(self, number: int) -> Cells:
        """Return the rows of an example as editable texts."""
        return [
            [self._to_cell(name, value) for name, value in row.items()]
            for row in self._rows(number)
        ]

    def options(self, number: int) -> str:
        """Return all options as editable JSON, with the values set by an example.

        With a result format, the options are those of evaluate's module of this name.
        """
        options = self._example_options(self.examples[number])
        if not _is_stock(options):
            options = {**self.metric.options, **options}
        visible = {
            name: value
            for name, value in options.items()
            if name not in (*_HIDDEN_OPTIONS, *_OWNERS_OPTIONS)
        }
        return json.dumps(visible, indent=2, default=str, ensure_ascii=False)

    def score(self, cells: Cells, options: str) -> tuple[dict[str, Any], list[str], Cells]:
        """Return the scores, and the header and rows of the table with the scores of each row."""
        rows = [row for row in cells if any(str(cell).strip() for cell in row)]
        columns = {
            name: [self._from_cell(name, str(row[j]), i) for i, row in enumerate(rows)]
            for j, name in enumerate(self.inputs)
        }
        return self.score_columns(columns, options)

    def score_lines(self, text: str, options: str) -> tuple[dict[str, Any], list[str], Cells]:
        """Return the same from JSON Lines; each line has the inputs of a row."""
        columns: dict[str, list[Any]] = {name: [] for name in self.inputs}
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                try:
                    row = json.loads(line)
                    for name in self.inputs:
                        columns[name].append(row[name])
                except (ValueError, KeyError, TypeError) as error:
                    fields = ", ".join(self.inputs)
                    raise ValueError(f"line {number}: {error!r}; expected {fields}") from error
        return self.score_columns(columns, options)

    def score_columns(
        self, columns: dict[str, list[Any]], options: str
    ) -> tuple[dict[str, Any], list[str], Cells]:
        """Return the same from columns."""
        try:
            values = json.loads(options or "{}")
        except ValueError as error:
            raise ValueError(f"the options are not JSON: {error}") from error
        if not isinstance(values, dict):
            raise ValueError("the options must be a JSON object")
        for name in _OWNERS_OPTIONS:
            if name in values:
                raise ValueError(f"{name} is set by the owner of this Space")
        if "per_example" in self.metric.options and not _is_stock(values):
            values["per_example"] = True
        result = self.metric.compute(**columns, **values)
        if not isinstance(result, dict):  # as evaluate's `wer`
            result = {str(values["result_format"]): result}
        row_scores = result.pop("per_example", {})
        rows = zip(*columns.values(), *row_scores.values(), strict=True) if row_scores else []
        table = [[_to_text(value) for value in row] for row in rows]
        return _json_safe(result), [*self.inputs, *row_scores], table

    def lines(self, number: int) -> str:
        """Return the rows of an example as JSON Lines."""
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in self._rows(number))

    def shared_words(self, cells: Cells) -> list[tuple[str, str | float | None]]:
        """Return the words of the predictions, and whether a reference of their row has them."""
        words: list[tuple[str, str | float | None]] = []
        if self.inputs != ["predictions", "references"]:
            return words
        if not {str} <= set(self._types["predictions"]) <= {str, dict}:  # texts, and SQuAD's
            return words
        for row in cells:
            prediction, reference = (str(cell) for cell in row[:2])
            expected = {_normalize(word) for word in re.findall(r"[^\s\[\]]+", reference)} - {""}
            for word in prediction.split():
                words.append((f"{word} ", "shared" if _normalize(word) in expected else None))
            words.append(("\n", None))
        return words

    def _rows(self, number: int) -> Iterator[dict[str, Any]]:
        """Yield the rows of an example, by input."""
        columns = [self.examples[number][name] for name in self.inputs]
        for row in zip(*columns, strict=True):
            yield dict(zip(self.inputs, row, strict=True))

    def _example_options(self, example: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: value
            for name, value in example.items()
            if name not in (*self.inputs, *_HIDDEN_OPTIONS, *_OWNERS_OPTIONS)
        }

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
    parts = ("scores", "header", "rows")
    questions: dict[str, Callable[..., Any]] = {
        "titles": demo.titles,
        "example": lambda number: {
            "cells": demo.cells(number),
            "options": demo.options(number),
            "inputs": demo.inputs,
        },
        "score": lambda *content: dict(zip(parts, demo.score(*content), strict=True)),
    }
    try:
        value: Any = questions[question](*json.loads(parameters))
    except (ValueError, TypeError) as error:
        return json.dumps({"problem": str(error)})
    return json.dumps({"value": value})


def build(folder: Path) -> Any:
    """Return the page, as gradio blocks."""
    import gradio as gr
    import pandas as pd

    demo = Demo(folder)

    def outputs(scores: dict[str, Any], header: list[str], rows: Cells) -> tuple[Any, Any, Any]:
        points = roc_points(scores)
        return (
            scores,
            gr.Dataframe(headers=header, value=rows, visible=bool(rows)),
            gr.LinePlot(pd.DataFrame(points, columns=_AXES), visible=bool(points)),
        )

    def score(cells: Cells, options: str) -> tuple[Any, ...]:
        try:
            result = demo.score(cells, options)
        except (ValueError, TypeError) as error:
            raise gr.Error(str(error)) from error
        words = demo.shared_words(cells)
        return *outputs(*result), gr.HighlightedText(words, visible=bool(words))

    def score_lines(lines: str, options: str) -> tuple[Any, ...]:
        try:
            return outputs(*demo.score_lines(lines, options))
        except (ValueError, TypeError) as error:
            raise gr.Error(str(error)) from error

    def choose(number: int) -> tuple[Cells, str]:
        return demo.cells(number), demo.options(number)

    with gr.Blocks(title=demo.name) as page:
        gr.Markdown(f"# {demo.name}\n\n{demo.about}")
        with gr.Tab("Examples"):
            titles = [(title, number) for number, title in enumerate(demo.titles())]
            example = gr.Dropdown(titles, value=0, label="Worked examples of the card")
            with gr.Row():
                table = gr.Dataframe(
                    demo.cells(0),
                    headers=demo.inputs,
                    datatype="str",
                    type="array",
                    column_limits=(len(demo.inputs), len(demo.inputs)),
                    interactive=True,
                    wrap=True,
                    label="Rows: texts unchanged, other values as JSON",
                    scale=2,
                )
                options = gr.Code(demo.options(0), language="json", label="Options", scale=1)
            example.change(choose, example, [table, options], api_visibility="private")
            button = gr.Button("Score", variant="primary")
            results = _result_blocks(gr)
            words = gr.HighlightedText(
                label="Words that also occur in a reference, ignoring case and punctuation",
                visible=False,
                color_map={"shared": "green"},
                show_inline_category=False,
            )
            button.click(score, [table, options], [*results, words], api_name="score")
            page.load(score, [table, options], [*results, words], api_visibility="private")
        with gr.Tab("JSON Lines"):
            gr.Markdown(f"One row per line, with the fields {', '.join(demo.inputs)}.")
            with gr.Row():
                lines = gr.Code(demo.lines(0), language="json", label="Lines", scale=2)
                file = gr.File(label="or a file", file_types=[".jsonl"], type="filepath", scale=1)
            line_options = gr.Code(demo.options(0), language="json", label="Options")
            file.upload(_read_text, file, lines, api_visibility="private")
            run = gr.Button("Score", variant="primary")
            run.click(
                score_lines, [lines, line_options], _result_blocks(gr), api_name="score_lines"
            )
    return page


def _result_blocks(gr: Any) -> list[Any]:
    """Return the blocks for scores, for the scores of each row, and for the ROC curve."""
    return [
        gr.JSON(label="Scores"),
        gr.Dataframe(label="Scores of each row", interactive=False, wrap=True, visible=False),
        gr.LinePlot(x=_AXES[0], y=_AXES[1], color=_AXES[2], title="ROC", visible=False),
    ]


def roc_points(scores: Mapping[str, Any]) -> list[tuple[float, float, str]]:
    """Return false positive rate, true positive rate and label of the points of ROC curves."""
    if "roc_curve" not in scores:
        return []
    curves = scores["roc_curve"]
    if isinstance(curves, list):
        labels = scores["labels"]
    else:
        curves, labels = [curves], ["ROC"]
    return [
        (fpr, tpr, str(label))
        for curve, label in zip(curves, labels, strict=True)
        for fpr, tpr in zip(curve["fpr"], curve["tpr"], strict=True)
        if fpr is not None and tpr is not None  # unless no row has the label, or every row has
    ]


def _read_text(path: str) -> str:
    return Path(path).read_text("utf-8")


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


def _normalize(word: str) -> str:
    return word.strip(string.punctuation + "‘’“”").casefold()


def _is_stock(options: Mapping[str, Any]) -> bool:
    """Return whether the options request the result of one of evaluate's own modules."""
    return options.get("result_format") is not None


def _to_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _json_safe(value: Any) -> Any:
    """Replace NaN and infinities by null, since JSON cannot represent them."""
    return json.loads(json.dumps(value), parse_constant=lambda _: None)


if __name__ == "__main__":
    build(Path(__file__).parent).launch()
