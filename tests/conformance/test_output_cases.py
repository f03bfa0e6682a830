"""What models really write: cases of extraction, thoughts, choices and final answers."""

import json

import pytest

from metric_commons import rewards
from metric_commons.module.catalog.catalog import load_without_evaluate
from tests.spec import GIVEN

FILE = GIVEN / "cases" / "outputs.jsonl"
KINDS = ("extract", "thoughts", "choice", "answer")
CASES = [
    case
    for case in (map(json.loads, FILE.open(encoding="utf-8")) if FILE.is_file() else ())
    if case["kind"] in KINDS
]


def test_the_cases_are_there():
    if not FILE.is_file():
        pytest.skip("the folder of shared cases is not here")
    assert {case["kind"] for case in CASES} == {*KINDS}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_outputs_are_read_as_they_are_meant(case):
    call, columns = case["call"], {"references": [case["reference"]]}
    if "module" in call:
        columns |= {"predictions": [case["prediction"]], **call.get("columns", {})}
        result = load_without_evaluate(call["module"]).compute(**columns, **call["options"])
    else:
        named = {} if call["reward"] == "found" else {"column": "references"}
        reward = getattr(rewards, call["reward"])(**named, **call["options"])
        result = {"reward": reward([case["prediction"]], **columns)[0]}

    assert {name: result[name] for name in case["want"]} == pytest.approx(case["want"])
