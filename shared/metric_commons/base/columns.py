"""Columns of rows, checked in every row and handed on as plain lists or numpy arrays.

A module accepts one or several *layouts*, each a shape for every column. Rows of mixed shape are
brought to one shape; a row that fits no layout is named.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..numbers.arrays import Column, as_column
from ..numbers.checks import RowError
from ..numbers.shapes import ListOf, Mismatch, Record, Scalar, Shape

Layout = Mapping[str, Shape]


def copied(column: Column, shape: Shape) -> Column:
    """The column with containers of its own: whoever gave it may use his for the next rows."""
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
    """The columns as plain lists or arrays, and which layout they have.

    The first layout that all rows have as they stand is taken, else the first to which all rows
    can be brought without loss: a single string becomes a list of one, an int a float.

    Args:
        columns: for each name a list, tuple, numpy array, torch tensor, pandas Series, `datasets`
            column or pyarrow array.
        layouts: what is accepted, all with these names.

    Raises:
        ValueError: unequal lengths, or a row that fits no layout; names column, row and cause.

    >>> layouts = [{"r": Scalar(str)}, {"r": ListOf(Scalar(str))}]
    >>> read({"r": ["a", "b"]}, layouts)
    (0, {'r': ['a', 'b']})
    >>> read({"r": ["a", ["b", "c"]]}, layouts)
    (1, {'r': [['a'], ['b', 'c']]})
    >>> read({"r": ["a", ["b", None]]}, layouts)
    Traceback (most recent call last):
    ValueError: r[1][1] is None; every row needs a value
    """
    given = {name: as_column(name, column) for name, column in columns.items()}
    lengths = {name: len(column) for name, column in given.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {rows} rows" for name, rows in lengths.items())
        raise ValueError(f"the inputs differ in length: {listed}")
    take = cache(lambda name, shape: shape.take(given[name]))  # layouts share shapes
    for number, layout in enumerate(layouts):
        taken = {name: take(name, shape) for name, shape in layout.items()}
        if all(column is not None for column in taken.values()):
            return number, taken
    return _read_rows(given, layouts)


def _read_rows(
    given: Mapping[str, Column], layouts: Sequence[Layout]
) -> tuple[int, dict[str, Column]]:
    """As `read`, row by row: first for rows as they stand, then for what they can become."""
    for as_it_stands in (True, False):
        failures: dict[str, list[_Failure]] = {name: [] for name in given}
        for number, layout in enumerate(layouts):
            rows: dict[str, Column] = {}
            for name, shape in layout.items():
                taken = _plain_rows(given[name], shape, as_it_stands=as_it_stands)
                if isinstance(taken, _Failure):
                    failures[name].append(taken)
                else:
                    rows[name] = taken
            if len(rows) == len(layout):
                return number, rows
    for name, found in failures.items():
        if len(found) == len(layouts):  # whatever the other columns are, this one is wrong
            raise _blamed(name, found)
    accepted = "; ".join(
        ", ".join(f"{name}: {shape}" for name, shape in layout.items()) for layout in layouts
    )
    raise ValueError(f"the inputs do not go together; accepted are {accepted}")


class _Failure(NamedTuple):
    row: int
    mismatch: Mismatch
    shape: Shape


def _plain_rows(column: Column, shape: Shape, *, as_it_stands: bool) -> Column | _Failure:
    taken = shape.take(column)
    if taken is not None:  # only another column of this layout has to be looked at
        return taken
    if isinstance(column, np.ndarray) and not as_it_stands:
        array = shape.widened(column)
        if array is not None:
            return array
    rows = []
    for row, value in enumerate(column):
        try:
            rows.append(shape.plain(value, as_it_stands=as_it_stands))
        except Mismatch as mismatch:
            return _Failure(row, mismatch, shape)
    return rows


def _blamed(column: str, failures: Sequence[_Failure]) -> RowError:
    """The row at which the shapes that go furthest give up, and why."""
    last = max(failures, key=_telling)
    problem, expected, _ = last.mismatch.problem.partition("; expected ")
    if expected and not last.mismatch.place:
        shapes = dict.fromkeys(str(each.shape) for each in failures if each.row == last.row)
        return RowError(column, last.row, f"{problem}; expected {' or '.join(shapes)}")
    return last.mismatch.at(column, last.row)


def _telling(failure: _Failure) -> tuple[int, int, bool]:
    """How much a failure says: a value of the right type that may not be beats one of another."""
    mismatch = failure.mismatch
    return failure.row, len(mismatch.place), "; expected " not in mismatch.problem


def joined(
    batches: Sequence[tuple[int, dict[str, Column]]], layouts: Sequence[Layout]
) -> dict[str, Column]:
    """The columns of several batches as one, brought to one layout if they differ.

    >>> layouts = [{"r": Scalar(str)}, {"r": ListOf(Scalar(str))}]
    >>> joined([(0, {"r": ["a"]}), (1, {"r": [["b", "c"]]})], layouts)
    {'r': [['a'], ['b', 'c']]}
    """
    if len(batches) == 1:
        return batches[0][1]
    names = batches[0][1].keys()
    merged = {name: _concatenated([batch[name] for _, batch in batches]) for name in names}
    if len({number for number, _ in batches}) > 1:
        return read(merged, layouts)[1]
    return merged


def _concatenated(columns: Sequence[Column]) -> Column:
    arrays = [column for column in columns if isinstance(column, np.ndarray)]
    alike = {(array.shape[1:], array.dtype.kind) for array in arrays}  # int and uint make a float
    if len(arrays) == len(columns) and len(alike) == 1:
        return np.concatenate(arrays)
    return list(
        chain.from_iterable(
            column.tolist() if isinstance(column, np.ndarray) else column for column in columns
        )
    )
