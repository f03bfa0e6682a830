"""The forms in which tests come."""

import json

import pytest

from metric_commons.programs.reference_tests import read_tests
from tests.tables import tabled

SUMS = {"inputs": ["1 2\n", "3 4\n"], "outputs": ["3\n", "7\n"]}
CASES = [
    {"input": "1 2\n", "output": "3\n", "type": "stdin_stdout", "fn_name": None},
    {"input": "3 4\n", "output": "7\n", "type": "stdin_stdout", "fn_name": None},
]


@pytest.mark.parametrize(
    "reference",
    [
        SUMS,
        json.dumps(SUMS),
        SUMS | {"fn_name": None},
        SUMS | {"fn_name": ""},
        {"input_output": json.dumps(SUMS)},
        {"input_output": SUMS},
        {"language": "python", "test_cases": CASES},
        {"language": None, "test_cases": CASES},
        json.dumps({"language": "python3", "test_cases": CASES}),
        CASES,
        json.dumps(
            [{"input": c["input"], "output": c["output"], "testtype": "stdin"} for c in CASES]
        ),
        {"inputs": [["1 2", ""], ["3 4", ""]], "outputs": [["3", ""], ["7", ""]]},
    ],
)
def test_forms_of_programs_with_an_input(reference):
    tests = read_tests(reference)

    assert (tests.kind, len(tests)) == ("stdin", 2)
    assert tests.inputs == ("1 2\n", "3 4\n")
    assert tests.outputs == ("3\n", "7\n")


@pytest.mark.parametrize(
    ("inputs", "outputs", "arguments", "answers"),
    tabled(__file__, "forms_of_calls"),
)
def test_forms_of_calls(inputs, outputs, arguments, answers):
    tests = read_tests({"inputs": inputs, "outputs": outputs, "fn_name": "f"})

    assert tests.kind == "calls"
    assert tests.arguments == (arguments,)
    assert tests.answers == (answers,)


def test_statements():
    tests = read_tests({"assert_case": ["assert f(1)", "assert f(2)"], "inputs": ["", ""]})

    assert tests.kind == "asserts"
    assert [test.text for test in tests.programs] == ["assert f(1)", "assert f(2)"]


@pytest.mark.parametrize("program", ["assert f([1]) == 2", "[f(x) for x in y]", "{1: 2}[f(1)]"])
def test_other_texts_are_programs(program):
    assert read_tests(program).programs[0].text == program


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        (SUMS | {"outputs": ["3"]}, "has 2 inputs, but 1 outputs"),
        ({"inputs": ["1"]}, "has no list of outputs"),
        ({"inputs": [], "outputs": []}, "has no tests"),
        ({"inputs": ["1"], "outputs": [None]}, r"has None as outputs\[0\]"),
        ([], "has no tests"),
        ("[]", "has no tests"),
        ("{}", "has no list of inputs"),
        (5, "holds tests as int"),
        ({"language": "cpp", "test_cases": CASES}, "is for programs in 'cpp'; only Python"),
        ([CASES[0], CASES[1] | {"type": "function_call"}], "mixes tests of different kinds"),
        ([CASES[0] | {"type": "function_call"}], "has tests of a function, but no fn_name"),
        ([{"input": "1"}], "has no 'input' and 'output' in test 0"),
        ({"inputs": ["1, 2"], "outputs": ["3"], "fn_name": "f"}, "has no JSON in test 0"),
        ({"inputs": ["1"], "outputs": ["x"], "fn_name": "f"}, "has no JSON in test 0"),
        ({"inputs": [1], "outputs": ["1"], "fn_name": "f"}, "has neither a list nor JSON text"),
        ({"inputs": ["1"], "outputs": ["1"], "fn_name": 5}, "has no text as fn_name"),
        (SUMS | {"checker": "x", "checker_protocol": "mine"}, "has the checker_protocol 'mine'"),
        (
            {"inputs": ["1"], "outputs": ["1"], "fn_name": "f", "checker": "x"},
            "has a checker, which judges the output of programs",
        ),
        ({"assert_case": ["assert 1"], "inputs": ["", ""]}, "has 2 inputs, but 1 asserts"),
        ({"assert_case": "assert 1"}, "has no list of texts as assert_case"),
        ({"inputs": [[{1}]], "outputs": ["1"], "fn_name": "f"}, "has no JSON in test 0"),
    ],
)
def test_what_cannot_be_run_is_an_error(reference, problem):
    with pytest.raises(ValueError, match=problem):
        read_tests(reference)
