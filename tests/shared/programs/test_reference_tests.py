"""The forms in which tests come."""

import pytest

from metric_commons.programs.reference_tests import read_tests
from tests.tables import by_table


@by_table("reference")
def test_forms_of_programs_with_an_input(reference):
    tests = read_tests(reference)

    assert (tests.kind, len(tests)) == ("stdin", 2)
    assert tests.inputs == ("1 2\n", "3 4\n")
    assert tests.outputs == ("3\n", "7\n")


@by_table("inputs, outputs, arguments, answers")
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


@by_table("reference, problem")
def test_what_cannot_be_run_is_an_error(reference, problem):
    with pytest.raises(ValueError, match=problem):
        read_tests(reference)
