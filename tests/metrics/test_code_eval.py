import json

import pytest

from metric_commons import load
from metric_commons.execution.worker_pool import Isolation, shared_pool
from tests.spec import Spec

LAYERS = shared_pool(4, Isolation()).layers  # those of this machine
RIGHT, WRONG = "def add(a, b):\n    return a + b", "def add(a, b):\n    return a * b"
CALLS = {"inputs": ["1\n2", "[0]\n[5]", "2\n2"], "outputs": ["3", "[0, 5]", "4"], "fn_name": "add"}
SUMS = {"inputs": ["1 2\n", "10 -4\n"], "outputs": ["3\n", "6\n"]}
SUM = "print(sum(map(int, input().split())))"
FAILURE = {
    "test": 0,
    "status": "wrong",
    "message": "",
    "input": "[1, 2]",
    "expected": "3",
    "got": "2",
}

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
    ranges={"pass@1": (0.0, 1.0), "pass@2": (0.0, 1.0)},
    wrong={"predictions": RIGHT, "references": 5},
)
OTHER_SHAPES = (
    Spec(
        name="code_eval",
        shape="data",
        sample={
            "predictions": [[WRONG, RIGHT], [SUM, "print(0)"]],
            "references": [json.dumps(CALLS), json.dumps(SUMS)],
            "score": "partial",
            "allow_execution": True,
        },
        result={
            "pass@1": 0.5,
            "pass_rate": (2 / 3 + 1 / 2) / 2,
            "outcomes": [[False, True], [True, False]],
            "status": [["wrong", "passed"], ["passed", "wrong"]],
            "messages": [["", ""], ["", "line 1 differs"]],
            "layers": LAYERS,
            "test_status": [
                [["wrong", "failed", "passed"], ["passed"] * 3],
                [["passed"] * 2, ["wrong"] * 2],
            ],
            "passed_tests": [[1, 3], [2, 0]],
            "pass_rates": [[1 / 3, 1.0], [1.0, 0.0]],
            "scores": [[1 / 3, 1.0], [1.0, 0.0]],
            "first_failure": [
                [FAILURE, {}],
                [
                    {},
                    FAILURE
                    | {
                        "message": "line 1 differs",
                        "input": "1 2\n",
                        "expected": "3\n",
                        "got": "0\n",
                    },
                ],
            ],
        },
        perfect={
            "predictions": [[SUM], [RIGHT]],
            "references": [json.dumps(SUMS), json.dumps(CALLS)],
            "allow_execution": True,
        },
        best={
            "pass@1": 1.0,
            "pass_rate": 1.0,
            "outcomes": [[True], [True]],
            "status": [["passed"], ["passed"]],
            "messages": [[""], [""]],
            "layers": LAYERS,
            "test_status": [[["passed"] * 2], [["passed"] * 3]],
            "passed_tests": [[2], [3]],
            "pass_rates": [[1.0], [1.0]],
            "scores": [[1.0], [1.0]],
            "first_failure": [[{}], [{}]],
        },
        ranges={"pass@1": (0.0, 1.0), "pass_rate": (0.0, 1.0)},
        wrong={"predictions": RIGHT, "references": 5},
    ),
)


@pytest.fixture(scope="module")
def code_eval():
    return load("code_eval", allow_execution=True)
