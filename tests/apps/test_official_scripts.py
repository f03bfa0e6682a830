"""A module of ours in an official script gives the number of the stock module, and serves there."""

import json
import math

import pytest

from tests.apps.beside_stock import main
from tests.apps.official_scripts import ROWS, table

pytest.importorskip("sklearn", reason="scikit-learn, behind stock modules, is not installed")


@pytest.mark.parametrize("row", [pytest.param(row, id=f"{row.script}-{row.stock}") for row in ROWS])
def test_a_script_gets_the_stock_number(row):
    try:
        row.stock_value()
    except ModuleNotFoundError as error:
        pytest.skip(f"{error.name}, behind the stock module, is not installed")
    result = row.our_result()
    assert row.value() == pytest.approx(row.stock_value(), rel=1e-9)
    logged = {f"eval_{key}": value for key, value in result.items()}  # as a Trainer does
    assert {type(value) for value in logged.values()} <= {int, float}
    assert math.isfinite(json.loads(json.dumps(logged))[f"eval_{row.key}"])


def test_the_table_has_every_row():
    for library in ("sacrebleu", "seqeval", "jiwer"):
        pytest.importorskip(library, reason=f"{library}, behind a stock module, is not installed")
    assert len(table().splitlines()) == len(ROWS) + 1


STOCK = """
import datasets
import evaluate


class Stock(evaluate.Metric):
    def _info(self):
        label = datasets.Value("int64")
        features = datasets.Features({"predictions": label, "references": label})
        return evaluate.MetricInfo(description="", citation="", features=features)

    def _compute(self, predictions, references):
        hits = [p == r for p, r in zip(predictions, references)]
        return {"right": sum(hits) / len(hits) WRONG}
"""
SCRIPT = """
import sys
import evaluate

metric = evaluate.load(sys.argv[1])
metric.add_batch(predictions=[0, 1], references=[0, 1])
metric.add_batch(predictions=[1, 1], references=[0, 1])
assert metric.compute()["right"] == 0.75
"""


@pytest.mark.parametrize("wrong", ["", "+ 0.1"])
def test_ours_beside_stock_in_a_script(wrong, tmp_path, capsys, monkeypatch):
    (tmp_path / "stock").mkdir()
    (tmp_path / "stock" / "stock.py").write_text(STOCK.replace("WRONG", wrong))
    (tmp_path / "script.py").write_text(SCRIPT)
    monkeypatch.setattr("sys.argv", [])
    files = [str(tmp_path / name) for name in ("script.py", "stock")]
    arguments = ["right=classification:accuracy", *files]

    if wrong:
        with pytest.raises(SystemExit, match=r"right is 0\.85 in the stock module, 0\.75 in ours"):
            main(arguments)
    else:
        main(arguments)
        assert capsys.readouterr().out.split() == [
            "right",
            "0.75000000",
            "classification:accuracy",
            "0.75000000",
        ]
