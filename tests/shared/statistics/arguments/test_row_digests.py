from random import Random

import numpy as np
import pytest

from metric_commons.statistics.arguments.arrays import added, row_digest

ROWS = ["Paris", ["Rome", "Roma"], "", "\ud800", [1, 0], 2.5, {"text": ["a"]}]


def test_the_order_of_rows_does_not_show():
    shuffled = ROWS.copy()
    Random(0).shuffle(shuffled)

    assert row_digest(shuffled) == row_digest(ROWS)


@pytest.mark.parametrize("cut", range(len(ROWS) + 1))
def test_digests_of_parts_add_up(cut):
    assert added(row_digest(ROWS[:cut]), row_digest(ROWS[cut:])) == row_digest(ROWS)


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

    assert [f"{row_digest(column):016x}" for column in columns] == [
        "776f29b0a8e1056d",
        "dee0b6bfb019d92a",
        "177e9455ecf168da",
        "d09cfd8bcee56e54",
        "f392aa194bbbbd87",
    ]
