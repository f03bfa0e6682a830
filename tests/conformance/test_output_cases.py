"""What models really write: extraction, thoughts, choices, answers, calls, JSON and programs."""

import json

import pytest

from metric_commons import rewards
from metric_commons.module.catalog.catalog import load_without_evaluate
from tests.spec import GIVEN

FILE = GIVEN / "cases" / "outputs.jsonl"
KINDS = {"extract", "thoughts", "choice", "answer", "tool_calls", "json", "code"}
LINES = FILE.read_text(encoding="utf-8").splitlines() if FILE.is_file() else []
CASES = [json.loads(line) for line in LINES]


def test_the_cases_are_there():
    if not FILE.is_file():
        pytest.skip("the folder of shared cases is not here")
    assert {case["kind"] for case in CASES} == KINDS


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

    # "a+b" is the sum of two scores: a call is read, or it counts as unparsed.
    found = {name: sum(result[part] for part in name.split("+")) for name in case["want"]}
    assert found == pytest.approx(case["want"])
