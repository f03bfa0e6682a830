"""Four properties of every module, and blocks of every size, on calls that are drawn.

The nightly run draws new calls for an hour; here they are the same every time.
"""

import random
import subprocess
import sys
from collections import Counter

import pytest

import metric_commons
from tests.generators.calls import Call, draw_call
from tests.generators.options import is_drawable, values
from tests.generators.properties import (
    PROPERTIES,
    NotApplicableError,
    fault,
    file_equals_columns,
    smaller,
)
from tests.spec import METRICS, nightly

CALLS = 8  # of each module and property at night
FIRST, BY_DAY = 2, 5  # of them, the calls of the inner loop, and of all tests by day
MODULES = [
    pytest.param(name, marks=pytest.mark.processes) if name == "code_eval" else name
    for name in METRICS
]


def seeds(name):
    """Which calls of a module are drawn: in the inner loop, in `make test` and at night.

    Each row of code_eval is a process, so that by day there are only a few calls of it.
    """
    if name == "code_eval":
        by_day = [pytest.param(name, range(3), marks=pytest.mark.processes)]
        return [*by_day, *nightly((name, range(3, CALLS)))]
    by_day = [
        (name, range(FIRST)),
        pytest.param(name, range(FIRST, BY_DAY), marks=pytest.mark.long),
    ]
    return [*by_day, *nightly((name, range(BY_DAY, CALLS)))]


@pytest.mark.parametrize("check", PROPERTIES, ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    ("name", "seeds"), [case for name in METRICS for case in seeds(name)], ids=str
)
def test_it_holds_of_every_call(name, seeds, check):
    for seed in seeds:
        call = draw_call(name, seed)
        try:
            cause = fault(check, call, seed) if call.is_accepted() else None
        except NotApplicableError:
            continue
        if cause:
            call, cause = smaller(check, call, seed)
            pytest.fail(f"{cause}\nseed {seed}: {call}")


@pytest.mark.processes
@pytest.mark.parametrize("name", ["classification", "qa_f1", "regression"])
def test_it_holds_of_the_command_in_a_process_of_its_own(name):
    def command(arguments):
        program = "import sys; from metric_commons.__main__ import main; sys.exit(main())"
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
        )
        return done.returncode, done.stderr

    calls = (draw_call(name, seed) for seed in range(CALLS))
    call = next(call for call in calls if call.is_accepted() and call.rows > 2)
    file_equals_columns(call, random.Random(0), command)


@pytest.mark.long
@pytest.mark.parametrize("name", MODULES)
def test_calls_are_accepted_and_have_rows_of_every_number(name):
    calls = [draw_call(name, seed) for seed in range(30)]
    asked = calls[: 12 if name == "code_eval" else None]

    assert Counter(call.is_accepted() for call in asked)[True] > len(asked) // 4
    assert len({call.rows for call in calls}) > 4


@pytest.mark.parametrize("name", METRICS)
def test_every_option_is_drawn(name):
    metric = metric_commons.load(name)
    declared = metric.declared_options
    drawable = {option.name for option in declared.values() if is_drawable(option)}
    if metric.stock_formats:  # which go without the other options
        drawable -= {"result_format"}
    calls = [draw_call(name, seed) for seed in range(150)]

    assert all(values(name, declared[option]) for option in drawable)
    assert drawable <= {option for call in calls for option in call.options | call.reporting}


def test_a_failing_call_is_made_small():
    def has_no_paris(call, chance):
        if "Paris" in call.columns["predictions"]:
            raise AssertionError("Paris")

    columns = {"predictions": ["Rome", "Paris", "Oslo"] * 4, "references": ["x"] * 12}
    call = Call("qa_em", columns, {"normalizer": "lower"}, {"seed": 3}, {"groups": ["a"] * 12})
    call, cause = smaller(has_no_paris, call, 0)

    assert call == Call("qa_em", {"predictions": ["Paris"], "references": ["x"]})
    assert cause == "qa_em: has_no_paris: AssertionError: Paris"
