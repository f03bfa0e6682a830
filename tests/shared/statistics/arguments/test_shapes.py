import math
import re
from array import array
from enum import IntEnum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.statistics.arguments.checks import RowError
from metric_commons.statistics.arguments.shapes import ListOf, checked_column
from tests.columns import (
    FLAG,
    INTEGER,
    NUMBER,
    SHAPES,
    SHARE,
    TEXT,
    as_defined,
    columns,
    columns_with_an_edge,
    dense,
    outcome,
    plain,
)
from tests.spec import drawn_examples

shapes = st.sampled_from([shape for alternatives in SHAPES for shape in alternatives])


def check(column, shape):
    return outcome(lambda column: (0, checked_column("c", column, shape)), column)


@pytest.mark.long
@drawn_examples(500)
@given(columns | columns_with_an_edge, shapes)
def test_rows_are_checked_as_defined(column, shape):
    assert check(column, shape) == as_defined(column, [shape])


@pytest.mark.long
@drawn_examples(200)
@given(dense, shapes)
def test_the_rows_of_an_array_are_checked_as_defined(column, shape):
    assert check(column, shape) == as_defined(column.tolist(), [shape])


def test_a_member_of_an_enumeration_is_its_number():
    label = IntEnum("Label", ["RIGHT", "WRONG"])

    assert repr(plain(checked_column("c", list(label), INTEGER))) == "[1, 2]"


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
    assert repr(plain(checked_column("c", column, NUMBER))) == repr(rows)


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
            "c[1] is masked; every row needs a value",
        ),
        ([1, 2**53 + 1], NUMBER, "c[1] is 9007199254740993 (int), which a float64"),
        (np.array([1, 2**53 + 1]), NUMBER, "c[1] is 9007199254740993 (int), which a float64"),
        ([1, 2**63], INTEGER, "c[1] is 9223372036854775808 (int), which does not fit into 64 bits"),
        (np.array([2**63], "u8"), INTEGER, "c[0] is 9223372036854775808 (int), which does not fit"),
        ([0.5, True], NUMBER, "c[1] is True (bool); expected float"),
        ([1, 1.0], INTEGER, "c[1] is 1.0 (float); expected int"),
        ([1, "1"], INTEGER, "c[1] is '1' (str); expected int"),
        (["a", b"b"], TEXT, "c[1] is b'b' (bytes); expected str"),
        ([[1], b"1"], ListOf(INTEGER), "c[1] is b'1' (bytes); expected list of int"),
        ([[1], 1], ListOf(INTEGER), "c[1] is 1 (int); expected list of int"),
        (["a", "\ud800"], TEXT, "c[1] holds half of a surrogate pair, which is not valid text"),
        (
            [{"n": 1, "share": 0.5}, {"n": 1, "shares": 0.5}],
            SHARE,
            "c[1] has the fields ['n', 'shares']; expected dict {'n': int, 'share': float}",
        ),
        ([{"n": 1, "share": 0.5}, {"n": 1.5, "share": 0.5}], SHARE, "c[1]['n'] is 1.5 (float); "),
        (np.array(["2024-01-01"], "M8[ns]"), INTEGER, "c[0] is "),
    ],
)
def test_a_value_that_would_lose_something_is_refused(column, shape, message):
    with pytest.raises(RowError, match=f"^{re.escape(message)}"):
        checked_column("c", column, shape)


@pytest.mark.long
@pytest.mark.parametrize(
    ("good", "bad", "shape"),
    [("a", 1, TEXT), (1, "1", INTEGER), (0.5, "1", NUMBER), (["a"], ["a", 1], ListOf(TEXT))],
)
def test_a_bad_row_is_named_however_late_it_comes(good, bad, shape):
    column = [good] * 70_000 + [bad, good]

    with pytest.raises(RowError, match=r"^c\[70000\]") as caught:
        checked_column("c", column, shape)
    assert caught.value.row == 70_000


@pytest.mark.parametrize(
    ("column", "shape"),
    [(["a"], TEXT), ([0.5], NUMBER), ([["a"]], ListOf(TEXT)), ([{"n": 1, "share": 0.5}], SHARE)],
)
def test_a_list_is_not_copied(column, shape):
    assert checked_column("c", column, shape) is column


@pytest.mark.parametrize(
    ("column", "shape"),
    [([0.5], NUMBER), ([1], INTEGER), ([True], FLAG), ([[0.5, 1.0]], ListOf(NUMBER))],
)
def test_an_array_is_not_copied(column, shape):
    column = np.array(column)

    assert np.shares_memory(checked_column("c", column, shape), column)


@pytest.mark.parametrize(
    ("column", "shape"),
    [(np.array(["a", "b"]), TEXT), (np.array([["a", "b"]]), ListOf(TEXT))],
)
def test_texts_in_an_array_become_lists(column, shape):
    assert checked_column("c", column, shape) == column.tolist()
