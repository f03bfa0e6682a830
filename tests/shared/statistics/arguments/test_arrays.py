from random import Random

import numpy as np
import pyarrow as pa
import pytest

from metric_commons.statistics.arguments.arrays import as_column, digest_text, row_codes
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


@pytest.mark.parametrize("rows", [[1, 2], [[1, 1], [2, 2]], ["a", "b"]])
def test_masked_rows_are_refused(rows):
    mask = np.zeros(np.shape(rows), bool)
    assert as_column("c", np.ma.MaskedArray(rows, mask)).tolist() == rows
    mask[1:] = True
    with pytest.raises(ValueError, match=r"^c\[1\] is masked; every row needs a value$"):
        as_column("c", np.ma.MaskedArray(rows, mask))


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


def row_digest(rows):
    return digest_text(row_codes(rows))


ROWS = ["Paris", ["Rome", "Roma"], "", "\ud800", [1, 0], 2.5, {"text": ["a"]}]


def test_the_order_of_rows_does_not_show():
    shuffled = ROWS.copy()
    Random(0).shuffle(shuffled)

    assert row_digest(shuffled) == row_digest(ROWS)


def test_one_row_more_less_or_different_shows():
    digests = [row_digest(ROWS)]
    digests += [row_digest([*ROWS[:row], *ROWS[row + 1 :]]) for row in range(len(ROWS))]
    digests += [row_digest([*ROWS[:row], "x", *ROWS[row + 1 :]]) for row in range(len(ROWS))]
    digests.append(row_digest([*ROWS, ROWS[0]]))

    assert len(set(digests)) == len(digests)


def test_columns_of_any_kind_are_the_same():
    assert row_digest(np.array([1, 0])) == row_digest([1, 0])
    assert row_digest([["x"]]) == row_digest(["x"]) == row_digest([("x",)])
    assert row_digest([np.array([1, 0])]) == row_digest([[1, 0]])


def test_digests_are_those_of_saved_results():
    columns = [ROWS, ["Paris", "\ud800"], ["Zürich", ""], [3, -1], [["a", "b's"], ["c"], []]]

    assert [*map(row_digest, columns)] == [
        "00000001ea981990",
        "0000000075b28a10",
        "00000000d30ba940",
        "000000009dffd6c7",
        "0000000064ed610a",
    ]
