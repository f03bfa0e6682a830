import math
import re
from array import array
from collections import UserList, deque
from enum import IntEnum

import datasets
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from metric_commons.base.columns import joined, read
from metric_commons.numbers.arrays import as_column
from metric_commons.numbers.shapes import ListOf, Record, Scalar

TEXT, FLAG, WHOLE, NUMBER = map(Scalar, (str, bool, int, float))
ANY_NUMBER = Scalar(float, nan=True)
SHARE = Record((("n", WHOLE), ("share", NUMBER)))

# Shapes that one column may have; the first that fits is taken.
SHAPES = [
    [TEXT],
    [FLAG],
    [WHOLE],
    [NUMBER],
    [ANY_NUMBER],
    [ListOf(NUMBER)],
    [TEXT, ListOf(TEXT)],
    [NUMBER, WHOLE, FLAG, TEXT],
    [NUMBER, ListOf(NUMBER), ListOf(WHOLE)],
    [SHARE, ListOf(WHOLE), ListOf(FLAG)],
    [ListOf(SHARE), ListOf(ListOf(TEXT))],
]


# ---- the obvious way: row by row, value by value ------------------------------------------------


class UnfitError(Exception):
    """A value is not of a shape, and cannot be brought to it."""


def fitted(value, shape, as_it_stands):
    """The value in this shape, with nothing lost."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    match shape:
        case Scalar() if fits(value, shape, as_it_stands):
            return shape.kind(value)
        case ListOf(item) if isinstance(value, list | tuple):
            return [fitted(inner, item, as_it_stands) for inner in value]
        case ListOf(item) if isinstance(value, str) and item == TEXT and not as_it_stands:
            return [fitted(value, item, as_it_stands)]
        case Record(fields) if isinstance(value, dict) and value.keys() == dict(fields).keys():
            return {key: fitted(value[key], kind, as_it_stands) for key, kind in fields}
    raise UnfitError


def fits(value, shape, as_it_stands):
    """Whether a single value is of a kind, or says the same: 1 is 1.0, and True is 1."""
    if isinstance(value, str):
        return shape.kind is str and not re.search("[\ud800-\udfff]", value)
    if isinstance(value, bool):
        return shape.kind is bool or (shape.kind is int and not as_it_stands)
    if isinstance(value, int) and shape.kind is float:
        return not as_it_stands and abs(value) < 2**1023 and float(value) == value
    if isinstance(value, int):
        return shape.kind is int and -(2**63) <= value < 2**63
    return isinstance(value, float) and shape.kind is float and (shape.nan or value == value)


def obvious(column, shapes):
    """The first shape that all rows have as they stand, else that they fit; or the row to blame.

    Where no shape fits, the one is taken for meant that goes furthest.
    """
    blamed = []
    for as_it_stands in (True, False):
        for number, shape in enumerate(shapes):
            rows = []
            try:
                for value in column:
                    rows.append(fitted(value, shape, as_it_stands))
            except UnfitError:
                blamed += [] if as_it_stands else [len(rows)]
            else:
                return number, repr(rows)
    return f"c[{max(blamed)}]"


def found(column, shapes):
    """What `read` makes of it, in the same form."""
    try:
        number, rows = read({"c": column}, [{"c": shape} for shape in shapes])
    except ValueError as error:
        (message,) = str(error).splitlines()
        return re.match(r"c\[\d+\]|", message)[0] or message
    return number, repr(bare(rows["c"]))


def bare(rows):
    """Lists for arrays, a str for a text of whatever class, and the fields in order."""
    if isinstance(rows, np.ndarray):
        assert rows.dtype in (bool, np.int64, np.float64)
        return rows.tolist()
    if isinstance(rows, list):
        return [bare(inner) for inner in rows]
    if isinstance(rows, dict):
        return {name: bare(rows[name]) for name in sorted(rows)}
    return str(rows) if isinstance(rows, str) else rows


# ---- what may stand in a column -----------------------------------------------------------------

flags = st.booleans()
wholes = st.integers(-3, 3)
numbers = st.floats(-1, 1)
texts = st.sampled_from(["", "a", "é", "to\0be", "𝛼"])
shares = st.fixed_dictionaries({"n": wholes, "share": numbers})
near_shares = st.dictionaries(st.sampled_from(["n", "share", "more"]), wholes | numbers)
edges = st.sampled_from(
    [
        *(None, math.nan, math.inf, -0.0, "\ud800", "a\udfff", b"bytes", 1j, object()),
        *(sign * (2**bits + d) for bits in (53, 60, 63) for d in (-1, 0, 1) for sign in (1, -1)),
        *(10**400, 10**5000, np.array([1, 2]), np.array([0.5]), np.array(["a"]), np.array(1)),
        *(np.float32(0.1), np.float64("nan"), np.int64(7), np.uint8(7), np.bool_(1), np.str_("a")),
    ]
)


def rows_of(*kinds):
    return st.lists(st.one_of(kinds), max_size=5)


def lists_of(kind):
    inner = st.lists(kind, max_size=3)
    return inner | inner.map(tuple)


columns = st.one_of(
    *(rows_of(kind) for kind in (flags, wholes, numbers, texts, shares)),
    *(rows_of(lists_of(kind)) for kind in (flags, wholes, numbers, texts, shares)),
    rows_of(wholes, numbers),
    rows_of(wholes, flags),
    rows_of(texts, lists_of(texts)),
    rows_of(numbers, lists_of(numbers)),
    rows_of(lists_of(wholes), lists_of(numbers)),
    rows_of(shares, near_shares),
    rows_of(lists_of(lists_of(texts))),
)
spoilt_columns = st.builds(
    lambda column, row, value: [*column[:row], value, *column[row:]],
    columns,
    st.integers(0, 5),
    edges | lists_of(edges) | st.fixed_dictionaries({"n": edges, "share": edges}),
)


@settings(max_examples=300)
@given(columns | spoilt_columns, st.sampled_from(SHAPES))
def test_rows_are_read_as_the_obvious_way_reads_them(column, shapes):
    assert found(column, shapes) == obvious(column, shapes)


@settings(max_examples=300)
@given(columns, st.integers(0, 5), st.sampled_from(SHAPES))
def test_batches_are_joined_as_if_read_at_once(column, cut, shapes):
    layouts = [{"c": shape} for shape in shapes]
    try:
        _, whole = read({"c": column}, layouts)
    except ValueError:
        return
    batches = [read({"c": part}, layouts) for part in (column[:cut], column[cut:])]

    assert repr(joined(batches, layouts)) == repr(whole)


# ---- whatever holds the rows --------------------------------------------------------------------

DTYPES = ["?", "i1", "i2", "i8", "u1", "u4", "u8", "f2", "f4", "f8", "U2", "O"]
dense = st.sampled_from(DTYPES).flatmap(
    lambda dtype: arrays(
        dtype,
        array_shapes(min_dims=1, max_dims=2, max_side=3),
        elements=wholes | texts | numbers | flags if dtype == "O" else None,
    )
)


@settings(max_examples=200)
@given(dense, st.sampled_from(SHAPES))
def test_an_array_is_read_as_its_list(column, shapes):
    assert found(column, shapes) == obvious(column.tolist(), shapes)


@settings(max_examples=100)
@given(dense, st.sampled_from(SHAPES))
def test_a_list_of_numpy_values_is_read_as_that_of_python(column, shapes):
    assert found(list(column), shapes) == obvious(column.tolist(), shapes)


def test_a_member_of_an_enumeration_is_its_number():
    label = IntEnum("Label", ["RIGHT", "WRONG"])

    assert found(list(label), [WHOLE]) == (0, "[1, 2]")


def series(column):
    pandas = pytest.importorskip("pandas")
    return pandas.Series(column, index=range(len(column), 0, -1))


CONTAINERS = {
    "tuple": tuple,
    "deque": deque,
    "UserList": UserList,
    "numpy": np.array,
    "pandas": series,
    "pandas objects": lambda column: series(column).astype(object),
    "pyarrow": pa.array,
    "pyarrow chunks": lambda column: pa.chunked_array([pa.array(column[:1]), pa.array(column[1:])]),
    "datasets": lambda column: datasets.Dataset.from_dict({"c": column})["c"],
}


COLUMNS = {
    "texts": (["a", "b", "é"], [TEXT]),
    "flags": ([True, False, True], [WHOLE, FLAG]),
    "whole numbers": ([1, -2, 3], [NUMBER, WHOLE]),
    "numbers": ([0.1, 1e300, -0.0], [WHOLE, NUMBER]),
    "lists of texts": ([["a", "b"], ["c", "d"]], [TEXT, ListOf(TEXT)]),
    "lists of whole numbers": ([[1, 2], [3, 4]], [ListOf(NUMBER), ListOf(WHOLE)]),
    "lists of numbers": ([[0.1, 0.2], [0.3, 1.0]], [ListOf(WHOLE), ListOf(NUMBER)]),
    "dicts": ([{"n": 1, "share": 0.5}, {"n": 2, "share": 0.1}], [SHARE]),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", COLUMNS)
def test_any_container_is_read_as_a_list(container, kind):
    column, shapes = COLUMNS[kind]

    assert found(CONTAINERS[container](column), shapes) == obvious(column, shapes)


@pytest.mark.parametrize(
    ("column", "rows"),
    [
        (range(3), [0.0, 1.0, 2.0]),
        (array("i", [1, 2]), [1.0, 2.0]),
        (np.ma.MaskedArray([1, 2], mask=[False, False]), [1.0, 2.0]),
        (np.array([0.1, 0.2], np.float32), np.array([0.1, 0.2], np.float32).tolist()),
        (np.array([1, 2**53], np.int64), [1.0, 2.0**53]),
        (np.arange(6)[::-2], [5.0, 3.0, 1.0]),
        ([2**60, -(2**60)], [2.0**60, -(2.0**60)]),
        ([math.inf, -math.inf], [math.inf, -math.inf]),
    ],
)
def test_numbers_lose_nothing(column, rows):
    _, columns = read({"c": column}, [{"c": NUMBER}])

    assert repr(bare(columns["c"])) == repr(rows)


@pytest.mark.parametrize(
    ("column", "shape", "message"),
    [
        ([0.5, None], NUMBER, "c[1] is None; every row needs a value"),
        ([0.5, math.nan], NUMBER, "c[1] is NaN; every row needs a number"),
        (np.array([0.5, math.nan]), NUMBER, "c[1] is NaN; every row needs a number"),
        ([[0.5], [0.5, math.nan]], ListOf(NUMBER), "c[1][1] is NaN; every row needs a number"),
        (
            np.ma.MaskedArray([0.5, 0.5], mask=[False, True]),
            NUMBER,
            "c[1] is None; every row needs a value",
        ),
        ([1, 2**53 + 1], NUMBER, "c[1] is 9007199254740993 (int), which a float64"),
        (np.array([1, 2**53 + 1]), NUMBER, "c[1] is 9007199254740993 (int), which a float64"),
        ([1, 2**63], WHOLE, "c[1] is 9223372036854775808 (int), which does not fit into 64 bits"),
        (np.array([2**63], "u8"), WHOLE, "c[0] is 9223372036854775808 (int), which does not fit"),
        ([0.5, True], NUMBER, "c[1] is True (bool); expected float"),
        ([1, 1.0], WHOLE, "c[1] is 1.0 (float); expected int"),
        ([1, "1"], WHOLE, "c[1] is '1' (str); expected int"),
        (["a", b"b"], TEXT, "c[1] is b'b' (bytes); expected str"),
        ([[1], b"1"], ListOf(WHOLE), "c[1] is b'1' (bytes); expected list of int"),
        ([[1], 1], ListOf(WHOLE), "c[1] is 1 (int); expected list of int"),
        (["a", "\ud800"], TEXT, "c[1] holds half of a surrogate pair, which is not valid text"),
        (
            [{"n": 1, "share": 0.5}, {"n": 1, "shares": 0.5}],
            SHARE,
            "c[1] has the fields ['n', 'shares']; expected dict {'n': int, 'share': float}",
        ),
        ([{"n": 1, "share": 0.5}, {"n": 1.5, "share": 0.5}], SHARE, "c[1]['n'] is 1.5 (float); "),
        (np.array(["2024-01-01"], "M8[ns]"), WHOLE, "c[0] is "),
    ],
)
def test_what_would_lose_something_is_refused(column, shape, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        read({"c": column}, [{"c": shape}])


@pytest.mark.parametrize(
    ("good", "bad", "shape"),
    [("a", 1, TEXT), (1, "1", WHOLE), (0.5, "1", NUMBER), (["a"], ["a", 1], ListOf(TEXT))],
)
def test_a_bad_row_is_named_however_far_it_is(good, bad, shape):
    column = [good] * 70_000 + [bad, good]

    with pytest.raises(ValueError, match=r"^c\[70000\]"):
        read({"c": column}, [{"c": shape}])


def test_rows_of_two_kinds_are_not_said_to_be_of_either():
    with pytest.raises(ValueError, match=r"^c\[1\] is \[0.5\] \(list\)") as caught:
        read({"c": [0.5, [0.5]]}, [{"c": NUMBER}, {"c": ListOf(NUMBER)}])

    assert "expected float or list of float" not in str(caught.value)


def test_columns_that_do_not_go_together_are_refused():
    layouts = [{"p": NUMBER, "r": WHOLE}, {"p": ListOf(NUMBER), "r": ListOf(WHOLE)}]
    accepted = "p: float, r: int; p: list of float, r: list of int"

    with pytest.raises(ValueError, match=f"do not go together; accepted are {accepted}$"):
        read({"p": [0.5], "r": [[1]]}, layouts)


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match=r"in length: p has 2 rows, r has 1 rows$"):
        read({"p": ["a", "b"], "r": ["a"]}, [{"p": TEXT, "r": TEXT}])


@pytest.mark.parametrize(
    "column",
    ["ab", b"ab", 1, None, {"a": 1}, {1, 2}, iter([1]), np.array(1)],
    ids=lambda v: type(v).__name__,
)
def test_what_holds_no_rows_is_refused(column):
    kind = type(column).__name__

    with pytest.raises(ValueError, match=f"^c must hold one value a row, got {kind}; pass a list$"):
        as_column("c", column)


@pytest.mark.parametrize(
    ("column", "shape"),
    [(["a"], TEXT), ([0.5], NUMBER), ([["a"]], ListOf(TEXT)), ([{"n": 1, "share": 0.5}], SHARE)],
)
def test_a_list_is_handed_on_as_it_is(column, shape):
    _, columns = read({"c": column}, [{"c": shape}])

    assert columns["c"] is column


@pytest.mark.parametrize(
    ("column", "shape"),
    [([0.5], NUMBER), ([1], WHOLE), ([True], FLAG), ([[0.5, 1.0]], ListOf(NUMBER))],
)
def test_an_array_is_handed_on_as_it_is(column, shape):
    array = np.array(column)
    _, columns = read({"c": array}, [{"c": shape}])

    assert np.shares_memory(columns["c"], array)


def test_a_column_is_handed_on_as_it_is_beside_one_that_is_widened():
    layouts = [{"a": WHOLE, "b": WHOLE}]
    array, listed = np.array([1, 0]), [1, 0]

    assert np.shares_memory(read({"a": array, "b": array > 0}, layouts)[1]["a"], array)
    assert read({"a": listed, "b": [True, False]}, layouts)[1]["a"] is listed


def test_texts_in_an_array_of_any_form_become_lists():
    for column in (np.array(["a", "b"]), np.array([["a", "b"]])):
        _, columns = read({"c": column}, [{"c": TEXT}, {"c": ListOf(TEXT)}])

        assert columns == {"c": column.tolist()}


def test_batches_of_an_array_and_a_list_are_joined():
    layouts = [{"c": NUMBER}]
    batches = [read({"c": column}, layouts) for column in (np.array([0.5, 0.1]), [0.2], (1,))]

    assert joined(batches, layouts) == {"c": [0.5, 0.1, 0.2, 1.0]}


def test_labels_may_have_no_sign():
    layouts = [{"c": Scalar(int, unsigned=True)}]
    most = 2**64 - 1
    for column in ([most, 0], np.array([most, 0], "u8"), [np.uint64(most), 0]):
        assert list(read({"c": column}, layouts)[1]["c"]) == [most, 0]
    with pytest.raises(ValueError, match=r"c\[0\] is 18446744073709551616 .*not fit into 64 bits"):
        read({"c": [2**64]}, layouts)

    batches = [read({"c": column}, layouts) for column in (np.array([-1]), np.array([most], "u8"))]
    assert joined(batches, layouts) == {"c": [-1, most]}, "a float would have been rounded"
