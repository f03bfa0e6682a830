"""The table of the official scripts: what is compared, and what it says; the runs take torch."""

import math
import os
from importlib.util import find_spec

import pytest

from metric_commons.module.catalog.stock_modules import replacements
from tests.apps.official_scripts import RUNS, TABLE, differences, run_all, table
from tests.spec import METRICS, ROOT

STOCK = {"eval_accuracy": 0.5, "eval_f1": 0.25}


def scores(**changes):
    return {"stock": STOCK, "configured": STOCK, "patched": {**STOCK, **changes}}


def test_equal_scores_do_not_differ():
    assert differences("run_glue, mrpc", scores()) == {}
    assert differences("run_glue, mrpc", scores(eval_f1=0.25 + 1e-12)) == {}


@pytest.mark.parametrize("name", ["run_glue, mrpc", "run_summarization"])
def test_a_difference_without_a_cause_is_reported(name):
    assert differences(name, scores(eval_f1=0.2501)) == {"eval_f1": (pytest.approx(1e-4), "")}


def test_a_missing_or_further_key_is_a_difference():
    ((key, (difference, why)),) = differences("run_ner", scores(eval_fpr=0.1)).items()

    assert (key, math.isnan(difference), why) == ("eval_fpr", True, "")


def test_a_known_difference_has_its_cause_up_to_its_size():
    stock = {"eval_rouge1": 50.0}
    near = {"stock": stock, "configured": stock, "patched": {"eval_rouge1": 50.5}}
    far = {"stock": stock, "configured": stock, "patched": {"eval_rouge1": 60.0}}

    assert "median" in differences("run_summarization", near)["eval_rouge1"][1]
    assert differences("run_summarization", far)["eval_rouge1"][1] == ""
    assert "| 0 of 1 | rouge1: the stock value is the median" in table({"run_summarization": near})


def test_every_run_is_in_the_table_of_the_guide_without_unexplained_differences():
    rows = TABLE.read_text("utf-8").splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]

    assert [name for name, *_ in cells] == [run.name for run in RUNS]
    for name, keys, equal, causes in cells:
        count, total = map(int, equal.split(" of "))
        assert total == len(keys.split(", ")), name
        reasons = [cause.partition(": ")[2] for cause in causes.split("; ")]
        assert count == total or all(reasons), name
    assert "(../tables/official_scripts.md)" in (
        ROOT / "docs" / "guides" / "training.md"
    ).read_text("utf-8")


def test_an_edited_script_loads_what_replaces_its_module():
    for run in RUNS:
        if run.loaded is not None:
            stock, ours = run.loaded
            module = ours.partition("METRICS/")[2].partition('"')[0]
            names = [entry.stock for entry in replacements() if entry.module == module]
            assert module in METRICS
            named = any(f'"{name}"' in stock for name in names)
            assert named or set(names) & set(run.arguments), run.name


@pytest.mark.slow
@pytest.mark.processes
def test_a_script_runs():
    for name in ("TRANSFORMERS_CHECKOUT", "EVALUATE_CHECKOUT"):
        if name not in os.environ:
            pytest.skip(f"{name} is not set")
    for library in ("torch", "transformers", "accelerate"):
        if find_spec(library) is None:
            pytest.skip(f"{library} is not installed")
    runs = [run for run in RUNS if run.name == "run_glue, mrpc"]

    results = run_all(runs)
    assert set(results["run_glue, mrpc"]["stock"]) >= {"eval_accuracy", "eval_f1"}
    assert differences("run_glue, mrpc", results["run_glue, mrpc"]) == {}
