"""A pass has to be earned: tests that run nothing are refused, and tricks do what the page says."""

import re
from pathlib import Path

import pytest

from metric_commons.programs.executions import execute, prepare
from metric_commons.programs.reference_tests import read_test_program
from tests.spec import ROOT
from tests.tables import tabled

pytestmark = pytest.mark.processes

RIGHT, WRONG = "def add(a, b):\n    return a + b", "def add(a, b):\n    return a * b"

NOTHING = tabled(__file__, "NOTHING")
RUN = tabled(__file__, "RUN")


@pytest.mark.parametrize("form", NOTHING)
def test_tests_that_run_nothing_are_refused(form):
    with pytest.raises(ValueError, match=r"references\[0\] has (tests that run|the test test_add)"):
        execute([[RIGHT]], [NOTHING[form]])


@pytest.mark.parametrize("form", RUN)
def test_tests_of_all_forms_run(form):
    executions = execute([[RIGHT, WRONG, ""]], [RUN[form]], num_workers=1)

    assert executions.outcomes == [[True, False, False]], executions.grades


def test_lines_keep_their_numbers():
    program = read_test_program(RUN["a guard"])

    assert program.text == "x = 'é'\nif 1:\n    assert add(2, 3) == 5"


def test_a_task_that_an_empty_program_passes_is_named():
    tests = [RUN["a statement"], "assert True", {"inputs": ["1", "2"], "outputs": ["", "\n"]}]
    empty_passes = prepare(tests, num_workers=1).tasks_that_cannot_fail()

    assert empty_passes == [1, 2]


# Programs that pass without computing a sum, if their trick works.
TRICKS = tabled(__file__, "TRICKS")


@pytest.mark.parametrize("trick", TRICKS)
def test_tricks_do_what_the_page_says(trick):
    program, tests, expected = TRICKS[trick]

    assert execute([[program]], [tests], num_workers=1).grades[0][0].status == expected


def test_the_page_has_all_tricks():
    page = Path(ROOT / "docs/guides/programs.md").read_text("utf-8")
    rows = re.findall(r"^\| ([^|]+) \| `(\w+)` \|$", page, re.MULTILINE)

    assert rows == [(trick, end) for trick, (_, _, end) in TRICKS.items()]
