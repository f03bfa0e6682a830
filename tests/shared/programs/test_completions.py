"""Programs in completions, and the files of benchmarks."""

import base64
import json
import os
import pickle
import zlib

import pytest

from metric_commons.programs.completions import read_problems, read_samples
from metric_commons.programs.executions import execute
from metric_commons.programs.reference_tests import read_tests
from metric_commons.text.tokens.fences import fenced_program
from tests.tables import by_table, tabled


@by_table("completion, program")
def test_the_program_of_a_completion(completion, program):
    assert fenced_program(completion) == program


def private(content):
    """Tests as LiveCodeBench packs them."""
    return base64.b64encode(zlib.compress(pickle.dumps(content))).decode()


ROWS = tabled(__file__, "ROWS")


@pytest.mark.parametrize("form", ROWS)
def test_problems_of_benchmarks(form):
    (problem, *_) = read_problems([ROWS[form]]).values()
    right, wrong = "def f(x):\n    return x + 1", "def f(x):\n    return x"

    assert execute([[right, wrong]], [problem.reference]).outcomes == [[True, False]]


def test_tests_may_be_data_and_private_ones_follow_the_public():
    tests = {"inputs": ["1 2"], "outputs": ["3"]}
    (problem,) = read_problems([ROWS["LiveCodeBench"]]).values()

    assert read_problems([{"task_id": "t", **tests}])["t"].reference == tests
    assert len(read_tests(problem.reference)) == 2


class Harmful:
    def __reduce__(self):
        return os.system, ("echo harm",)


@pytest.mark.parametrize(
    "content", [private(Harmful()), private(json.dumps([1]))[:20], "%", private(5)]
)
def test_a_pickle_that_is_no_text_is_refused(content, capfd):
    row = ROWS["LiveCodeBench"] | {"private_test_cases": content}

    with pytest.raises(ValueError, match="task abc has test cases that cannot be read"):
        read_problems([row])
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([{"test": "x"}], "row 0 has no id"),
        ([{"id": "a", "prompt": "x"}], "task a has no tests; its fields are id, prompt"),
        ([ROWS["any"], ROWS["any"]], "task x occurs twice"),
    ],
)
def test_rows_that_are_no_problems(rows, problem):
    with pytest.raises(ValueError, match=problem):
        read_problems(rows)


PROBLEMS = read_problems([ROWS["human-eval"], ROWS["MBPP"]])


@by_table("row, programs")
def test_samples(row, programs):
    assert [program for _, program in read_samples([row], PROBLEMS)] == programs


def test_programs_of_bigcodebench_follow_its_imports():
    problems = read_problems([ROWS["BigCodeBench"]])
    rows = [
        {"task_id": "BigCodeBench/0", "solution": "def f(x): return math.ceil(x + 0.5)"},
        {"task_id": "BigCodeBench/0", "completion": "    return math.ceil(x + 0.5)"},
    ]
    programs = [program for _, program in read_samples(rows, problems)]
    (problem,) = problems.values()

    assert execute([[*programs, ""]], [problem.reference]).outcomes == [[True, True, False]]


def test_fenced_samples_stand_alone():
    row = {"task_id": "HumanEval/0", "completion": ["```python\na\n```", "I cannot."]}
    programs = [program for _, program in read_samples([row], PROBLEMS, is_fenced=True)]

    assert programs == ["a\n", ""]


@by_table("row, problem")
def test_rows_that_are_no_samples(row, problem):
    with pytest.raises(ValueError, match=problem):
        list(read_samples([row], PROBLEMS))
