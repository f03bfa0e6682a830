import json

import pytest

from metric_commons import load
from metric_commons.programs.worker_pool import shared_pool
from tests.spec import Spec
from tests.tables import by_table, other_shapes, tabled

pytestmark = pytest.mark.processes

LAYERS = shared_pool(4).layers  # those of this machine
RIGHT, WRONG = "def add(a, b):\n    return a + b", "def add(a, b):\n    return a * b"
SUMS = {"inputs": ["1 2\n", "10 -4\n"], "outputs": ["3\n", "6\n"]}
SUM = "print(sum(map(int, input().split())))"
FAILURE = tabled(__file__, "FAILURE")

SPEC = Spec(
    name="code_eval",
    sample={
        "predictions": [[WRONG, RIGHT], [RIGHT, WRONG, WRONG], [RIGHT, RIGHT]],
        "references": ["assert add(2, 3) == 5", "assert add(1, 1) == 2", "assert add(2, 2) == 4"],
        "k": [1, 2],
        "allow_execution": True,
    },
    result={
        "pass@1": (1 / 2 + 1 / 3 + 1) / 3,
        "pass@2": (1 + 2 / 3 + 1) / 3,
        "outcomes": [[False, True], [True, False, False], [True, True]],
        "status": [["failed", "passed"], ["passed", "failed", "failed"], ["passed", "passed"]],
        "messages": [
            ["AssertionError: ", ""],
            ["", "AssertionError: ", "AssertionError: "],
            ["", ""],
        ],
        "layers": LAYERS,
    },
    perfect={
        "predictions": [[RIGHT, RIGHT], [RIGHT, RIGHT]],
        "references": ["assert add(2, 3) == 5", "assert add(0, 0) == 0"],
        "k": [1, 2],
        "allow_execution": True,
    },
    best={
        "pass@1": 1.0,
        "pass@2": 1.0,
        "outcomes": [[True, True]] * 2,
        "status": [["passed", "passed"]] * 2,
        "messages": [["", ""]] * 2,
        "layers": LAYERS,
    },
    wrong={"predictions": RIGHT, "references": 5},
)
OTHER_SHAPES = other_shapes(__file__)


@pytest.fixture(scope="module")
def code_eval():
    return load("code_eval", allow_execution=True)


TASKS = {
    "predictions": [[WRONG, RIGHT, "import sys; sys.exit(0)"], [RIGHT, "x = (", WRONG]],
    "references": ["assert add(2, 3) == 5"] * 2,
}


def test_nothing_runs_unless_it_is_allowed(monkeypatch):
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL", raising=False)
    with pytest.raises(ValueError, match="HF_ALLOW_CODE_EVAL=1, or pass allow_execution=True"):
        load("code_eval").compute(**TASKS)
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "0")
    with pytest.raises(ValueError, match="which may do harm"):
        load("code_eval").compute(**TASKS)
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")
    assert load("code_eval").compute(**TASKS)["pass@1"] == pytest.approx(1 / 3)


def test_the_result_of_evaluates_module(code_eval):
    scores, results = code_eval.compute(**TASKS, k=[1, 2, 10], result_format="code_eval")

    assert scores == {"pass@1": pytest.approx(1 / 3), "pass@2": pytest.approx(2 / 3)}
    assert list(results) == [0, 1]
    assert results[0][0] == [
        0,
        {"task_id": 0, "passed": False, "result": "failed: ", "completion_id": 0},
    ]
    assert results[0][2][1]["result"] == "failed: exited"
    assert results[1][1][1]["result"].startswith("failed: '(' was never closed")


def test_the_codes_of_livecodebench(code_eval):
    data = {"inputs": ["1", "2", "3"], "outputs": ["1", "2", "3"]}
    programs = [
        "print(input())",
        "n = input()\nprint(n if n != '2' else 0)",
        "n = input()\nassert n != '2'\nprint(n)",
        "while True: pass",
        "import os; os.abort()",
    ]
    function = "def f(n):\n    return n if n != 2 else 0"
    result = code_eval.compute(
        predictions=[programs, [function]],
        references=[data, data | {"fn_name": "f"}],
        result_format="livecodebench",
        timeout=0.5,
    )

    assert result == {
        "results": [[[True] * 3, [True, -2], [True, -4], [-3], [-1]], [[True, False]]],
        "pass@1": 0.1,
    }


def test_references_may_be_objects_texts_and_programs(code_eval):
    result = code_eval.compute(
        predictions=[[SUM], [SUM], [RIGHT]],
        references=[SUMS, json.dumps(SUMS), "assert add(1, 1) == 2"],
    )

    assert result["pass@1"] == 1.0
    assert result["test_status"] == [[["passed"] * 2]] * 2 + [[["passed"]]]


@by_table("call, problem")
def test_bad_input_is_an_error_before_anything_runs(
    code_eval, call, problem, tmp_path, monkeypatch
):
    with pytest.raises(ValueError, match=problem):
        code_eval.compute(**TASKS | call)


def test_what_nobody_knows_counts_as_a_failure_and_is_named(code_eval):
    broken = SUMS | {"checker": "1 / 0"}
    result = code_eval.compute(
        predictions=[[SUM, "print(0)", "1 / 0"], [SUM, SUM, SUM]], references=[broken, SUMS]
    )

    assert result["outcomes"] == [[False] * 3, [True] * 3]
    assert result["status"][0] == ["infrastructure", "infrastructure", "failed"]
    assert result["scores"][0] == [None, None, 0.0]
    assert (result["pass@1"], result["pass_rate"]) == (0.5, 0.5)
