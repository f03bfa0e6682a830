"""Paths, scores and targets in files: recorded inputs with what they mean."""

import pytest

from metric_commons.data.files.field_paths import value_at
from metric_commons.data.harness_logs.inspect import number
from metric_commons.data.harness_logs.lm_eval import literal_list
from tests.spec import recorded


def of(kind):
    cases = [case for case in recorded("files") if case["id"].startswith(f"{kind}/")]
    return pytest.mark.parametrize("case", cases, ids=[case["id"] for case in cases])


def answer(function, *arguments):
    try:
        return {"value": function(*arguments)}
    except ValueError as error:
        return {"error": str(error)}


@of("path")
def test_paths(case):
    got = answer(value_at, case["inputs"]["record"], case["inputs"]["path"])

    assert got.keys() == case["expected"].keys()
    if "value" in got:
        assert got == case["expected"]
    else:
        assert case["inputs"]["path"] in got["error"]


@of("inspect-value")
def test_values_of_scores(case):
    got = answer(number, case["inputs"]["value"])

    assert got.keys() == case["expected"].keys()
    assert got.get("value") == case["expected"].get("value")


@of("lm-eval-target")
def test_targets(case):
    assert literal_list(case["inputs"]["target"]) == case["expected"]["references"]
