import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.module.declaration.columns import joined, read
from metric_commons.statistics.arguments.checks import RowError
from metric_commons.statistics.arguments.shapes import ListOf
from tests.columns import (
    COLUMNS,
    CONTAINERS,
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
)
from tests.spec import drawn_examples


def result(column, shapes):
    """The index of the layout and the rows that `read` returns, or the row that it names."""

    def read_column(column):
        index, rows = read({"c": column}, [{"c": shape} for shape in shapes])
        return index, rows["c"]

    return outcome(read_column, column)


def ordered(value):
    """The same with the fields of records in alphabetical order, since theirs is not defined."""
    if isinstance(value, dict):
        return {name: ordered(value[name]) for name in sorted(value)}
    return [ordered(item) for item in value] if isinstance(value, list) else value


@pytest.mark.long
@drawn_examples(400)
@given(columns | columns_with_an_edge, st.sampled_from(SHAPES))
def test_rows_are_read_as_defined(column, shapes):
    assert result(column, shapes) == as_defined(column, shapes)


@pytest.mark.long
@drawn_examples(300)
@given(columns, st.integers(0, 5), st.sampled_from(SHAPES))
def test_batches_are_joined_as_if_read_at_once(column, cut, shapes):
    layouts = [{"c": shape} for shape in shapes]
    try:
        _, whole = read({"c": column}, layouts)
    except ValueError:
        return
    batches = [read({"c": part}, layouts) for part in (column[:cut], column[cut:])]

    assert repr(ordered(joined(batches, layouts))) == repr(ordered(whole))


@pytest.mark.long
@drawn_examples(500)
@given(dense, st.sampled_from(SHAPES))
def test_an_array_is_read_as_its_list(column, shapes):
    assert result(column, shapes) == as_defined(column.tolist(), shapes)


@pytest.mark.long
@drawn_examples(100)
@given(dense, st.sampled_from(SHAPES))
def test_a_list_of_numpy_values_is_read_as_one_of_python_values(column, shapes):
    assert result(list(column), shapes) == as_defined(column.tolist(), shapes)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", COLUMNS)
def test_any_container_is_read_as_a_list(container, kind):
    column, shapes = COLUMNS[kind]

    assert result(CONTAINERS[container](column), shapes) == as_defined(column, shapes)


# What is refused


def test_rows_of_two_kinds_are_not_said_to_be_of_either():
    with pytest.raises(ValueError, match=r"^c\[1\] is \[0.5\] \(list\)") as caught:
        read({"c": [0.5, [0.5]]}, [{"c": NUMBER}, {"c": ListOf(NUMBER)}])

    assert "expected float or list of float" not in str(caught.value)


def test_a_row_of_no_kind_is_said_to_be_of_none():
    with pytest.raises(ValueError, match=r"^c\[0\] is 1j .*; expected float or list of float$"):
        read({"c": [1j, 0.5]}, [{"c": NUMBER}, {"c": ListOf(NUMBER)}])


def test_columns_that_do_not_go_together_are_refused():
    layouts = [{"p": NUMBER, "r": INTEGER}, {"p": ListOf(NUMBER), "r": ListOf(INTEGER)}]
    accepted = "p: float, r: int; p: list of float, r: list of int"

    with pytest.raises(ValueError, match=f"do not fit together; accepted are {accepted}$"):
        read({"p": [0.5], "r": [[1]]}, layouts)


@pytest.mark.parametrize("rows", [list, np.array])
def test_a_large_integer_beside_floats_is_named(rows):
    layouts = [{"p": NUMBER, "r": NUMBER}, {"p": INTEGER, "r": INTEGER}]

    with pytest.raises(RowError, match=r"cannot hold exactly, and p has another type$") as caught:
        read({"p": rows([0.5, 1.0]), "r": rows([1, 2**53 + 1])}, layouts)

    assert str(caught.value).startswith("r[1] is 9007199254740993 (int), which a float64 ")


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match=r"in length: p has 2 rows, r has 1 rows$"):
        read({"p": ["a", "b"], "r": ["a"]}, [{"p": TEXT, "r": TEXT}])


# What is not copied


@pytest.mark.parametrize(
    ("column", "shape"),
    [(["a"], TEXT), ([0.5], NUMBER), ([["a"]], ListOf(TEXT)), ([{"n": 1, "share": 0.5}], SHARE)],
)
def test_a_list_is_passed_on_without_a_copy(column, shape):
    _, rows = read({"c": column}, [{"c": shape}])

    assert rows["c"] is column


@pytest.mark.parametrize(
    ("column", "shape"),
    [([0.5], NUMBER), ([1], INTEGER), ([True], FLAG), ([[0.5, 1.0]], ListOf(NUMBER))],
)
def test_an_array_is_passed_on_without_a_copy(column, shape):
    array = np.array(column)
    _, rows = read({"c": array}, [{"c": shape}])

    assert np.shares_memory(rows["c"], array)


def test_a_column_is_not_copied_beside_one_that_is_widened():
    layouts = [{"a": INTEGER, "b": INTEGER}]
    array, rows = np.array([1, 0]), [1, 0]

    assert np.shares_memory(read({"a": array, "b": array > 0}, layouts)[1]["a"], array)
    assert read({"a": rows, "b": [True, False]}, layouts)[1]["a"] is rows


# Batches


def test_batches_of_an_array_and_a_list_are_joined():
    layouts = [{"c": NUMBER}]
    batches = [read({"c": column}, layouts) for column in (np.array([0.5, 0.1]), [0.2], (1,))]

    assert joined(batches, layouts) == {"c": [0.5, 0.1, 0.2, 1.0]}
