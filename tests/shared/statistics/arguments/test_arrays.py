from array import array

import numpy as np
import pyarrow as pa
import pytest

from metric_commons.statistics.arguments.arrays import as_column
from tests.columns import COLUMNS, CONTAINERS


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", COLUMNS)
def test_any_container_becomes_a_list_or_an_array(container, kind):
    expected, _ = COLUMNS[kind]
    column = as_column("c", CONTAINERS[container](expected))

    assert isinstance(column, list | np.ndarray)
    rows = column.tolist() if isinstance(column, np.ndarray) else column
    assert repr(rows) == repr(expected)


@pytest.mark.parametrize("column", [[0.5], np.array([0.5]), np.array([[1, 2]]), np.array(["a"])])
def test_a_list_or_an_array_is_not_copied(column):
    assert as_column("c", column) is column


def test_dates_stay_dates():
    dates = np.array(["2024-01-01"], "M8[ns]")

    assert as_column("c", dates) == list(dates)


def test_masked_rows_are_none():
    assert as_column("c", np.ma.MaskedArray([1, 2], mask=[False, True])) == [1, None]


@pytest.mark.parametrize("column", [range(3), array("i", [0, 1, 2])])
def test_a_sequence_becomes_a_list(column):
    assert as_column("c", column) == [0, 1, 2]


class Tensor:
    """The part of torch.Tensor that is used; numpy does not know bfloat16."""

    def __init__(self, values, dtype):
        self.values, self.dtype = values, dtype

    def detach(self):
        return self

    def cpu(self):
        return self

    def float(self):
        return Tensor(self.values, "torch.float32")

    def __array__(self, dtype=None, copy=None):
        if "bfloat" in self.dtype:
            raise TypeError("Got unsupported ScalarType BFloat16")
        return np.array(self.values, dtype=self.dtype.removeprefix("torch."))


@pytest.mark.parametrize(
    ("dtype", "expected"), [("torch.bfloat16", np.float32), ("torch.float64", np.float64)]
)
def test_a_tensor_becomes_an_array(dtype, expected):
    column = as_column("c", Tensor([0.5, 1.0], dtype))

    assert column.tolist() == [0.5, 1.0]
    assert column.dtype == expected


class Matrix:
    """Only convertible to an array."""

    def __array__(self, dtype=None, copy=None):
        return np.array([[1, 2]])

    @property
    def ndim(self):
        return 2


def test_an_object_that_numpy_can_convert_becomes_an_array():
    assert as_column("c", Matrix()).tolist() == [[1, 2]]


@pytest.mark.parametrize(
    "column",
    ["ab", b"ab", 1, None, {"a": 1}, {1, 2}, np.array(1)],
    ids=lambda value: type(value).__name__,
)
def test_a_value_without_rows_is_refused(column):
    kind = type(column).__name__

    with pytest.raises(
        ValueError, match=f"^c must hold one value per row, got {kind}; pass a list$"
    ):
        as_column("c", column)


def test_what_is_read_once_is_a_column():
    assert as_column("c", (number for number in (1, 2))) == [1, 2]


def test_maps_become_dictionaries():
    numbers = pa.map_(pa.string(), pa.float64())
    rows = [{"d1": 0.5, "d2": 1.0}, {}]
    for kind, expected in (
        (numbers, rows),
        (pa.list_(numbers), [rows]),
        (pa.struct([("run", numbers)]), [{"run": row} for row in rows]),
    ):
        assert as_column("c", pa.array(expected, kind)) == expected
        assert as_column("c", pa.chunked_array([expected], kind)) == expected
    with pytest.raises(KeyError, match="d1"):
        as_column("c", pa.array([[("d1", 0.5), ("d1", 1.0)]], numbers))
