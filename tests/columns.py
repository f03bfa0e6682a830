"""Columns and shapes, read value by value: the definition beside which fast reading is tested."""

import math
import re
from collections import UserList, deque

import datasets
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from metric_commons.statistics.arguments.shapes import ListOf, Record, Scalar

TEXT, FLAG, INTEGER, NUMBER = map(Scalar, (str, bool, int, float))
ANY_NUMBER = Scalar(float, nan=True)
SHARE = Record((("n", INTEGER), ("share", NUMBER)))

# The shapes that a column may have; the first one that fits is taken.
SHAPES = [
    [TEXT],
    [FLAG],
    [INTEGER],
    [NUMBER],
    [ANY_NUMBER],
    [ListOf(NUMBER)],
    [TEXT, ListOf(TEXT)],
    [NUMBER, INTEGER, FLAG, TEXT],
    [NUMBER, ListOf(NUMBER), ListOf(INTEGER)],
    [SHARE, ListOf(INTEGER), ListOf(FLAG)],
    [ListOf(SHARE), ListOf(ListOf(TEXT))],
]


class UnfitError(Exception):
    """A value does not have a shape and cannot be converted to it."""


def convert(value, shape, strict):
    """The value in this shape, without loss."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    match shape:
        case Scalar() if fits(value, shape, strict):
            return shape.kind(value)
        case ListOf(ListOf()) if isinstance(value, list | tuple) and str in map(type, value):
            raise UnfitError  # a text is a list of one as a row alone
        case ListOf(item) if isinstance(value, list | tuple):
            return [convert(inner, item, strict) for inner in value]
        case ListOf(item) if isinstance(value, str) and item == TEXT and not strict:
            return [convert(value, item, strict)]
        case Record(fields) if isinstance(value, dict) and value.keys() == dict(fields).keys():
            return {key: convert(value[key], kind, strict) for key, kind in fields}
    raise UnfitError


def fits(value, shape, strict):
    """Whether a single value is of a type; unless strict, 1 may be 1.0, and True may be 1."""
    if isinstance(value, str):
        return shape.kind is str and not re.search("[\ud800-\udfff]", value)
    if isinstance(value, bool):
        return shape.kind is bool or (shape.kind is int and not strict)
    if isinstance(value, int) and shape.kind is float:
        return not strict and abs(value) < 2**1023 and float(value) == value
    if isinstance(value, int):
        return shape.kind is int and -(2**63) <= value < 2**63
    return isinstance(value, float) and shape.kind is float and (shape.nan or value == value)


def as_defined(column, shapes):
    """The first shape that all rows have, else to which all can be converted, and the rows.

    If there is none, the row that the error should name: that of the shape that goes furthest.
    """
    failures = []
    for strict in (True, False):
        for index, shape in enumerate(shapes):
            rows = []
            try:
                for value in column:
                    rows.append(convert(value, shape, strict))
            except UnfitError:
                failures += [] if strict else [len(rows)]
            else:
                return index, repr(rows)
    return f"c[{max(failures)}]"


def outcome(read, column):
    """What `read` returns for the column, index and rows, in the same form; or the row it names."""
    try:
        index, rows = read(column)
    except ValueError as error:
        (message,) = str(error).splitlines()
        return re.match(r"c\[\d+\]|", message)[0] or message
    return index, repr(plain(rows))


def plain(rows):
    """Lists for arrays, str for subclasses of str, and fields in alphabetical order."""
    if isinstance(rows, np.ndarray):
        assert rows.dtype in (bool, np.int64, np.float64)
        return rows.tolist()
    if isinstance(rows, list):
        return [plain(inner) for inner in rows]
    if isinstance(rows, dict):
        return {name: plain(rows[name]) for name in sorted(rows)}
    return str(rows) if isinstance(rows, str) else rows


# Generated columns

flags = st.booleans()
integers = st.integers(-3, 3)
numbers = st.floats(-1, 1)
texts = st.sampled_from(["", "a", "é", "to\0be", "𝛼"])
shares = st.fixed_dictionaries({"n": integers, "share": numbers})
near_shares = st.dictionaries(st.sampled_from(["n", "share", "more"]), integers | numbers)
edges = st.sampled_from(
    [
        *(None, math.nan, math.inf, -0.0, "\ud800", "a\udfff", b"bytes", 1j, object()),
        *(sign * (2**bits + d) for bits in (53, 60, 63) for d in (-1, 0, 1) for sign in (1, -1)),
        *(10**400, 10**5000, np.array([1, 2]), np.array([0.5]), np.array(["a"]), np.array(1)),
        *(np.float32(0.1), np.float64("nan"), np.int64(7), np.uint8(7), np.bool_(1), np.str_("a")),
    ]
)


def rows_from(*kinds):
    return st.lists(st.one_of(kinds), max_size=5)


def lists_from(kind):
    inner = st.lists(kind, max_size=3)
    return inner | inner.map(tuple)


columns = st.one_of(
    *(rows_from(kind) for kind in (flags, integers, numbers, texts, shares)),
    *(rows_from(lists_from(kind)) for kind in (flags, integers, numbers, texts, shares)),
    rows_from(integers, numbers),
    rows_from(integers, flags),
    rows_from(texts, lists_from(texts)),
    rows_from(numbers, lists_from(numbers)),
    rows_from(lists_from(integers), lists_from(numbers)),
    rows_from(shares, near_shares),
    rows_from(lists_from(lists_from(texts))),
)
columns_with_an_edge = st.builds(
    lambda column, row, value: [*column[:row], value, *column[row:]],
    columns,
    st.integers(0, 5),
    edges | lists_from(edges) | st.fixed_dictionaries({"n": edges, "share": edges}),
)

DTYPES = ["?", "i1", "i2", "i8", "u1", "u4", "u8", "f2", "f4", "f8", "U2", "O"]
dense = st.sampled_from(DTYPES).flatmap(
    lambda dtype: arrays(
        dtype,
        array_shapes(min_dims=1, max_dims=2, max_side=3),
        elements=integers | texts | numbers | flags if dtype == "O" else None,
    )
)


# Containers


def series(column):
    pandas = pytest.importorskip("pandas")
    return pandas.Series(column, index=range(len(column), 0, -1))


CONTAINERS = {
    "tuple": tuple,
    "deque": deque,
    "UserList": UserList,
    "numpy": np.array,
    "numpy objects": lambda column: np.array([*column, None], dtype=object)[:-1],
    "pandas": series,
    "pandas objects": lambda column: series(column).astype(object),
    "pyarrow": pa.array,
    "pyarrow chunks": lambda column: pa.chunked_array([pa.array(column[:1]), pa.array(column[1:])]),
    "datasets": lambda column: datasets.Dataset.from_dict({"c": column})["c"],
}


COLUMNS = {
    "texts": (["a", "b", "é"], [TEXT]),
    "flags": ([True, False, True], [INTEGER, FLAG]),
    "integers": ([1, -2, 3], [NUMBER, INTEGER]),
    "numbers": ([0.1, 1e300, -0.0], [INTEGER, NUMBER]),
    "lists of texts": ([["a", "b"], ["c", "d"]], [TEXT, ListOf(TEXT)]),
    "lists of integers": ([[1, 2], [3, 4]], [ListOf(NUMBER), ListOf(INTEGER)]),
    "lists of numbers": ([[0.1, 0.2], [0.3, 1.0]], [ListOf(INTEGER), ListOf(NUMBER)]),
    "dicts": ([{"n": 1, "share": 0.5}, {"n": 2, "share": 0.1}], [SHARE]),
}
