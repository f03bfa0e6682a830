"""The columns of a module: every row is checked; rows become plain lists or numpy arrays.

A module accepts one or more *layouts*, each of which has a shape for every column. Rows of
different shapes are converted to one layout. An error names the row that fits none.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Column, as_column
from ...statistics.arguments.checks import RowError
from ...statistics.arguments.shapes import ListOf, Mismatch, Record, Scalar, Shape
from .declarations import OBJECTS, JsonInput

# The checked lists, each with the shape of its rows. The references keep the lists alive, so that
# no later list has the same address.
CHECKED: ContextVar[list[tuple[list[Any], Any]] | None] = ContextVar("checked", default=None)


@contextmanager
def checked_once() -> Iterator[None]:
    """Check each list only once within this context, even for several modules.

    Lists must not change in the meantime.
    """
    token = CHECKED.set([])
    try:
        yield
    finally:
        CHECKED.reset(token)


Layout = Mapping[str, Shape]


def query_rows(
    inputs: Mapping[str, Any], fields: Mapping[str, Sequence[str]]
) -> dict[str, list[dict[str, Any]]]:
    """Return rows of dictionaries `{query: {document: number}}`, one for each judged query.

    A judged query that is missing from the run becomes a row without documents; a query that is not
    judged is dropped, as in trec_eval.

    Args:
        inputs: the dictionaries of predictions and references.
        fields: for each input, the names of the fields for documents and numbers in a row.

    Raises:
        ValueError: predictions and references have no query in common.

    >>> inputs = {"predictions": {"q": {"d": 0.5}}, "references": {"q": {"d": 1}, "r": {"e": 1}}}
    >>> fields = {"predictions": ["doc_id", "score"], "references": ["doc_id", "relevance"]}
    >>> query_rows(inputs, fields)["predictions"]
    [{'doc_id': ['d'], 'score': [0.5]}, {'doc_id': [], 'score': []}]
    """
    queries = list(inputs["references"])
    if queries and not any(query in inputs["predictions"] for query in queries):
        raise ValueError("predictions and references have no query in common")
    rows: dict[str, list[dict[str, Any]]] = {}
    for name, (documents, numbers) in fields.items():
        column = inputs[name]
        columns = [column.get(query, {}) for query in queries]
        rows[name] = [{documents: list(row), numbers: list(row.values())} for row in columns]
    return rows


def holds_queries(column: Any) -> bool:
    """Return whether an input is a dictionary `{query: {document: number}}`.

    >>> holds_queries({"q": {"d": 1}}), holds_queries({"system": ["answer"]})
    (True, False)
    """
    if not isinstance(column, Mapping) or not column:
        return False
    documents = next(iter(column.values()))
    return isinstance(documents, Mapping) and not any(
        isinstance(number, Mapping) for number in documents.values()
    )


def holds_maps(column: Any) -> bool:
    """Return whether an input is a pyarrow array whose rows are maps.

    Lists of dictionaries are not.

    >>> holds_maps([{"d": 1}])
    False
    """
    return str(getattr(column, "type", "")).startswith("map<")


def map_rows(column: Any, fields: Sequence[str]) -> list[dict[str, Any] | None]:
    """Return maps from documents to numbers as dictionaries with these two fields.

    >>> import pyarrow as pa
    >>> maps = pa.array([[("d", 0.5), ("e", 0.25)]], pa.map_(pa.string(), pa.float64()))
    >>> map_rows(maps, ["doc_id", "score"])
    [{'doc_id': ['d', 'e'], 'score': [0.5, 0.25]}]
    """
    return [
        None
        if row is None
        else {field: [pair[i] for pair in row] for i, field in enumerate(fields)}
        for row in column.to_pylist()
    ]


def json_rows(name: str, column: Any, values: JsonInput = OBJECTS) -> Column:
    """Return the column, with accepted JSON values other than texts and None written as texts.

    Args:
        name: of the column.
        column: texts and values.
        values: the accepted values; others stay in the column, and are refused later.

    Raises:
        RowError: JSON cannot hold a row.

    >>> json_rows("references", ["text", {"inputs": ["1"]}])
    ['text', '{"inputs": ["1"]}']
    >>> json_rows("predictions", ["[1]", [1], 2.5, {}], JsonInput("values"))
    ['[1]', '[1]', '2.5', '{}']
    """
    rows = as_column(name, column)
    if values.accepted == "values" and isinstance(rows, np.ndarray):
        rows = rows.tolist()
    if not isinstance(rows, list) or all(isinstance(row, str) for row in rows):
        return rows
    texts = []
    for number, row in enumerate(rows):
        items = list(row) if isinstance(row, np.ndarray) and row.ndim == 1 else row
        is_accepted = values.accepted == "values" or isinstance(row, Mapping)
        if isinstance(items, list | tuple) and items:  # of objects
            is_accepted = is_accepted or all(isinstance(item, Mapping) for item in items)
        if row is None or isinstance(row, str) or not is_accepted:
            texts.append(row)
            continue
        try:
            texts.append(values.mark + _ENCODER.encode(row))
        except (TypeError, ValueError, RecursionError) as error:
            raise RowError(name, number, f"cannot be written as JSON: {error}") from None
    return texts


def _json_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, np.ndarray | np.generic) and not np.ma.is_masked(value):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not a value of JSON")


_ENCODER = json.JSONEncoder(default=_json_value)


def copied(column: Column, shape: Shape) -> Column:
    """Return a copy of the column and its containers, so that the caller may reuse the original."""
    if isinstance(column, np.ndarray) or isinstance(shape, Scalar):
        return column.copy()
    return [_copied(row, shape) for row in column]


def _copied(value: Any, shape: Shape) -> Any:
    if isinstance(shape, Record):
        return {name: _copied(value[name], inner) for name, inner in shape.fields}
    if isinstance(shape, ListOf):
        flat = isinstance(shape.item, Scalar)
        return value.copy() if flat else [_copied(item, shape.item) for item in value]
    return value


def read(columns: Mapping[str, Any], layouts: Sequence[Layout]) -> tuple[int, dict[str, Column]]:
    """Return the index of the layout of the columns, and the columns as plain lists or arrays.

    The layout is the first one that all rows have as they are, or else the first one to which all
    rows can be converted without loss. A string can be converted to a list of one string, and an
    int to a float.

    Args:
        columns: for each name a list, tuple, numpy array, torch tensor, pandas Series, `datasets`
            column or pyarrow array.
        layouts: the accepted layouts; those with other column names are ignored.

    Raises:
        ValueError: the lengths differ, or a row fits no layout. The message names column, row and
            cause.

    >>> layouts = [{"r": Scalar(str)}, {"r": ListOf(Scalar(str))}]
    >>> read({"r": ["a", "b"]}, layouts)
    (0, {'r': ['a', 'b']})
    >>> read({"r": ["a", ["b", "c"]]}, layouts)
    (1, {'r': [['a'], ['b', 'c']]})
    >>> read({"r": ["a", ["b", None]]}, layouts)
    Traceback (most recent call last):
    ValueError: r[1][1] is None; every row needs a value
    """
    inputs = {name: as_column(name, column) for name, column in columns.items()}
    if len(set(map(len, inputs.values()))) > 1:
        described = ", ".join(f"{name} has {len(rows)} rows" for name, rows in inputs.items())
        raise ValueError(f"the inputs differ in length: {described}")
    tried: dict[tuple[str, int], Column | None] = {}  # layouts share shapes
    candidates = {}
    for index, layout in enumerate(layouts):
        if layout.keys() != inputs.keys():
            continue
        candidates[index] = layout
        rows: dict[str, Column] = {}
        for name, shape in layout.items():
            key = name, id(shape)
            if key not in tried:
                tried[key] = _taken(inputs[name], shape)
            column = tried[key]
            if column is None:
                break
            rows[name] = column
        else:
            return index, rows
    return _read_rows(inputs, candidates)


def _taken(column: Column, shape: Shape) -> Column | None:
    """Return the column in this shape, or None if it has to be read row by row."""
    checked = CHECKED.get()
    if checked is None or not isinstance(column, list):
        return shape.take(column)
    if any(rows is column and row_shape == shape for rows, row_shape in checked):
        return column
    result = shape.take(column)
    if result is column:
        checked.append((column, shape))
    return result


def _read_rows(
    columns: Mapping[str, Column], layouts: Mapping[int, Layout]
) -> tuple[int, dict[str, Column]]:
    """Return the same as `read`, row by row: first without conversion, then with it."""
    types = [set(map(type, c)) for c in columns.values() if isinstance(c, list)]
    # No shape has texts and lists as they are, or integers and floats.
    is_mixed = any(kinds >= {str, list} or kinds >= {int, float} for kinds in types)
    for strict in (False,) if is_mixed else (True, False):
        failures: dict[str, list[_Failure]] = {name: [] for name in columns}
        for index, layout in layouts.items():
            rows: dict[str, Column] = {}
            for name, shape in layout.items():
                result = _plain_rows(columns[name], shape, strict=strict)
                if isinstance(result, _Failure):
                    failures[name].append(result)
                else:
                    rows[name] = result
            if len(rows) == len(layout):
                return index, rows
    for name, failed in failures.items():
        if len(failed) == len(layouts):  # this column fits no layout
            raise _best_error(name, failed)
    for name, failed in failures.items():
        for failure in failed:
            if "; expected " not in failure.mismatch.problem:  # an integer, where others are floats
                error = failure.mismatch.error(name, failure.row)
                columns_left = " and ".join(column for column in columns if column != name)
                raise RowError(
                    name, failure.row, f"{error.problem}, and {columns_left} has another type"
                )
    accepted = "; ".join(
        ", ".join(f"{name}: {shape}" for name, shape in layout.items())
        for layout in layouts.values()
    )
    raise ValueError(f"the inputs do not fit together; accepted are {accepted}")


class _Failure(NamedTuple):
    """The first row of a column that does not fit a shape, and why."""

    row: int
    mismatch: Mismatch
    shape: Shape


def _plain_rows(column: Column, shape: Shape, *, strict: bool) -> Column | _Failure:
    result = shape.take(column)
    if result is not None:  # only another column of this layout has to be checked row by row
        return result
    result = None if strict else shape.take(column, widen=True)
    if result is not None:
        return result
    rows = []
    for row, value in enumerate(column):
        try:
            rows.append(shape.plain(value, strict=strict))
        except Mismatch as mismatch:
            return _Failure(row, mismatch, shape)
    return rows


def _best_error(column: str, failures: Sequence[_Failure]) -> RowError:
    """Return the error of the shape that fits most rows, probably the intended one."""
    # By the number of rows that fit, how deep in a row the mismatch is, and whether the type fits.
    last = max(
        failures,
        key=lambda failure: (
            failure.row,
            len(failure.mismatch.path),
            "; expected " not in failure.mismatch.problem,
        ),
    )
    problem, expected, _ = last.mismatch.problem.partition("; expected ")
    if expected and not last.mismatch.path:
        shapes = dict.fromkeys(
            str(failure.shape) for failure in failures if failure.row == last.row
        )
        return RowError(column, last.row, f"{problem}; expected {' or '.join(shapes)}")
    return last.mismatch.error(column, last.row)


def joined(
    batches: Sequence[tuple[int, dict[str, Column]]], layouts: Sequence[Layout]
) -> dict[str, Column]:
    """Join the columns of several batches into one, converted to one layout if layouts differ.

    >>> layouts = [{"r": Scalar(str)}, {"r": ListOf(Scalar(str))}]
    >>> joined([(0, {"r": ["a"]}), (1, {"r": [["b", "c"]]})], layouts)
    {'r': [['a'], ['b', 'c']]}
    """
    if len(batches) == 1:
        return batches[0][1]
    names = batches[0][1].keys()
    for _, batch in batches:
        for name in names ^ batch.keys():
            raise ValueError(f"some rows have {name}, others have none")
    merged: dict[str, Column] = {}
    for name in names:
        columns = [batch[name] for _, batch in batches]
        arrays = [column for column in columns if isinstance(column, np.ndarray)]
        # Only for one kind: numpy would convert int64 and uint64 to float64, which rounds.
        kinds = {(array.shape[1:], array.dtype.kind) for array in arrays}
        if len(arrays) == len(columns) and len(kinds) == 1:
            merged[name] = np.concatenate(arrays)
        else:
            lists = (c.tolist() if isinstance(c, np.ndarray) else c for c in columns)
            merged[name] = list(chain.from_iterable(lists))
    if len({index for index, _ in batches}) > 1:
        return read(merged, layouts)[1]
    return merged
