"""A module of ours in an official script gives the number of the stock module, and serves there."""

import json
import math
from numbers import Real

import pytest

from tests.apps.official_scripts import ROWS, table

pytest.importorskip("sklearn", reason="scikit-learn, behind stock modules, is not installed")


@pytest.mark.parametrize("row", [pytest.param(row, id=f"{row.script}-{row.stock}") for row in ROWS])
def test_a_script_gets_the_stock_number(row):
    if row.needs:
        pytest.skip(f"the row needs {row.needs}")
    try:
        result = row.our_result()
    except (ValueError, TypeError) as error:
        # Lists in a plain result, and floats for several labels a row.
        if not row.ours.startswith("classification"):
            raise
        pytest.xfail(f"classification does not serve in this script yet: {error}")

    assert row.value() == pytest.approx(row.stock_value(), rel=1e-9)
    if all(isinstance(value, Real) for value in result.values()):
        logged = {f"eval_{key}": value for key, value in result.items()}
        assert {type(value) for value in logged.values()} <= {int, float}  # as a Trainer rounds
        assert math.isfinite(json.loads(json.dumps(logged))[f"eval_{row.key}"])
    elif not row.ours.startswith("classification"):
        pytest.fail(f"not all values are numbers: {result}")


def test_the_table_has_every_row():
    assert len(table().splitlines()) == len(ROWS) + 1
