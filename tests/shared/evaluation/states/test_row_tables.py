"""Tables of rows: they are joined where that makes them shorter, and not one after another."""

import numpy as np
import pytest

from metric_commons.evaluation.states.row_tables import CountedRows


@pytest.mark.parametrize(("values", "tables"), [(1_000, 35), (60_000, 35), (2**60, 100)])
def test_tables_are_joined_where_rows_are_repeated(values, tables):
    rng = np.random.default_rng(0)
    columns = rng.integers(0, values, (100, 1_000))
    total = CountedRows()
    for column in columns:
        part = CountedRows()
        part.update({"predictions": column})
        total.merge(part)

    assert len(total) == 100_000
    assert len(total.parts()) == tables
    distinct, counts = np.unique(columns, return_counts=True)
    assert total.to_jsonable()["columns"]["predictions"].tolist() == distinct.tolist()
    assert total.to_jsonable()["counts"].tolist() == counts.tolist()
