"""Tables of labels against counting row by row."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metric_commons.statistics.arithmetic import contingency as module
from metric_commons.statistics.arithmetic.contingency import contingency, encoded

# Kinds of labels; both columns are of one kind.
KINDS = {
    "zeros and ones": st.integers(0, 1),
    "bools": st.booleans(),
    "minus and plus": st.sampled_from([-1, 1]),
    "a gap": st.sampled_from([3, 250]),
    "few": st.integers(-3, 9),
    "bytes": st.integers(0, 255),
    "many": st.integers(-(10**5), 10**5),
    "far apart": st.sampled_from([-(2**63), -1, 0, 2**40, 2**63 - 1]),
    "beyond int64": st.sampled_from([2**63, 2**64 - 1, 5]),
    "beyond any array": st.sampled_from([-1, 2**63, 2**70]),
    "texts": st.sampled_from(["b", "a", "", "é", "e\u0301", "\u0130"]),
}
COLUMNS = st.one_of(
    st.lists(st.tuples(kind, kind), min_size=1, max_size=60) for kind in KINDS.values()
)


def cell_counts(table):
    """The count of each pair of labels."""
    cells = zip(table.rows.tolist(), table.columns.tolist(), table.counts.tolist(), strict=True)
    return {
        (table.row_labels[row], table.column_labels[column]): count for row, column, count in cells
    }


def arrays(column):
    """The column as numpy arrays of all types that hold it as it is."""
    for kind in (bool, np.int8, np.uint8, np.int16, np.int64, np.uint64, str):
        try:
            array = np.array(column, dtype=kind)
        except (OverflowError, ValueError):
            continue
        if array.tolist() == column and set(map(type, array.tolist())) == set(map(type, column)):
            yield array


@pytest.mark.long
@settings(deadline=None)
@given(COLUMNS)
def test_a_table_counts_pairs(rows):
    first, second = (list(column) for column in zip(*rows, strict=True))
    for left in (first, *arrays(first)):
        for right in (second, *arrays(second)):
            table = contingency(left, right)

            assert cell_counts(table) == Counter(rows)
            assert table.row_labels == sorted(set(first))
            assert table.column_labels == sorted(set(second))
            assert set(map(type, table.row_labels)) == set(map(type, first))
            assert list(cell_counts(table)) == sorted(set(rows))
            row_totals = dict(zip(table.row_labels, table.row_totals.tolist(), strict=True))
            assert row_totals == Counter(first)
            assert table.column_totals.tolist() == table.matrix().sum(axis=0).tolist()
            assert table.total == len(rows)
            assert [part.tolist() for part in table.cells()] == [
                part.tolist() for part in (table.rows, table.columns, table.counts)
            ]


@settings(deadline=None)
@given(COLUMNS)
def test_labels_are_encoded_by_their_order(rows):
    column = [row[0] for row in rows]
    for values in (column, *arrays(column)):
        labels, codes = encoded(values)

        assert labels == sorted(set(column))
        assert [labels[code] for code in codes.tolist()] == column


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_add_up(kind, monkeypatch):
    monkeypatch.setattr(module, "_BLOCK", 7)
    monkeypatch.setattr(module, "_CELLS", 3)
    rng = np.random.default_rng(0)
    labels = {"zeros and ones": [0, 1], "bools": [False, True], "minus and plus": [-1, 1]}
    choices = labels.get(kind, ["a", "b"] if kind == "texts" else [*range(-20, 20), 10**6])
    first, second = ([choices[i] for i in rng.integers(0, len(choices), 200)] for _ in range(2))

    expected = Counter(zip(first, second, strict=True))
    assert cell_counts(contingency(first, second)) == expected
    assert cell_counts(contingency(np.array(first), np.array(second))) == expected


@pytest.mark.parametrize(
    "column",
    [
        [-1] * 40 + [1] * 40,
        [-1] * 40 + [1] * 39 + [-1],
        [-1, 1] * 40 + [0, 1],
        [0] * 40 + [1] * 39 + [0],
        [1] * 40 + [0] * 39 + [1],
        [0] * 40 + [2] * 39 + [0],
        [2**63 - 1] * 80,
        [5] * 80 + [5, 6],
    ],
)
def test_two_labels_are_counted_wherever_they_stand(column, monkeypatch):
    monkeypatch.setattr(module, "_BLOCK", 7)
    for left, right in ((column, column[::-1]), (column, [1, 2] * (len(column) // 2))):
        expected = Counter(zip(left, right, strict=True))

        assert cell_counts(contingency(left, right)) == expected
        assert cell_counts(contingency(np.array(left), np.array(right))) == expected


@pytest.mark.long
@settings(deadline=None)
@given(COLUMNS, st.data())
def test_weights_are_summed_exactly(rows, data):
    numbers = st.floats(0, 1e300) | st.sampled_from([0.0, 1.0, 1e-300, 0.1, 1e16])
    weights = data.draw(st.lists(numbers, min_size=len(rows), max_size=len(rows)))
    first, second = (list(column) for column in zip(*rows, strict=True))
    table = contingency(first, second, np.array(weights))

    sums = {}
    for pair, weight in zip(rows, weights, strict=True):
        sums[pair] = sums.get(pair, 0) + Fraction(weight)
    cells = [
        (table.row_labels.index(left), table.column_labels.index(right)) for left, right in sums
    ]
    matrix = table.matrix()
    assert [matrix[cell] for cell in cells] == [float(total) for total in sums.values()]
    row_positions, column_positions, cell_sums = table.cells()
    assert len({*zip(row_positions.tolist(), column_positions.tolist(), strict=True)}) == len(sums)
    assert matrix[row_positions, column_positions].tolist() == cell_sums.tolist()
    assert np.count_nonzero(matrix) == sum(total > 0 for total in sums.values())
    assert table.row_labels == sorted(set(first))
    assert table.total == float(sum(sums.values()))
    assert table.counts.sum() == len(rows)
    reversed_rows = contingency(first[::-1], second[::-1], np.array(weights[::-1]))
    for name in ("rows", "columns", "counts", "weights"):
        assert getattr(reversed_rows, name).tolist() == getattr(table, name).tolist()


def test_true_is_one():
    table = contingency(np.array([True, False, True]), [1, 0, 2])

    assert cell_counts(table) == {(True, 1): 1, (False, 0): 1, (True, 2): 1}


@pytest.mark.long
def test_many_labels_need_no_more_room_than_rows():
    labels = np.arange(200_000)
    table = contingency(labels * 10**9, labels[::-1])

    assert table.counts.size == 200_000
    assert table.row_labels[-1] == 199_999 * 10**9
    assert table.column_labels[int(table.columns[0])] == 199_999


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([1, 2], [1], "differ in length: 2 and 1"),
        ([], [], "no rows"),
        ([1, "a"], [1, 2], "mixed types: int, str"),
        (["a", 1], ["a", "b"], "mixed types: int, str"),
        ([1.0, 2.0], [1, 2], "of str, int or bool, got float"),
        (np.array([0.5]), np.array([1]), "got float"),
        ([None], [1], "got NoneType"),
    ],
)
def test_what_has_no_order_is_refused(first, second, message):
    with pytest.raises(ValueError, match=message):
        contingency(first, second)
