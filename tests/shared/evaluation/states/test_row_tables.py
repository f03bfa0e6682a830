"""Tables of rows: they are joined when they have grown, and not one after another."""

import numpy as np
import pytest

from metric_commons.evaluation.states.row_tables import CountedRows


@pytest.mark.parametrize("values", [1_000, 60_000, 2**60])
def test_tables_are_joined_when_they_have_grown(values):
    rng = np.random.default_rng(0)
    columns = rng.integers(0, values, (100, 1_000))
    total = CountedRows()
    for column in columns:
        part = CountedRows()
        part.update({"predictions": column})
        total.merge(part)

    assert len(total) == 100_000
    assert len(total._tables) == 35
    distinct, counts = np.unique(columns, return_counts=True)
    assert total.to_jsonable()["columns"]["predictions"].tolist() == distinct.tolist()
    assert total.to_jsonable()["counts"].tolist() == counts.tolist()
