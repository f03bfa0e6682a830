"""Four properties of every module, and blocks of every size, on calls that are drawn.

The nightly run draws new calls for an hour; here they are the same every time.
"""

import random
import subprocess
import sys
from collections import Counter

import pytest

from metric_commons.catalog import catalog
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

CALLS = 8  # of each module and property
# Each row of code_eval is a process: by day a few calls. The nightly run draws as many of it.
CALLS_BY_DAY = {"code_eval": 3}


@pytest.mark.parametrize("check", PROPERTIES, ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    ("name", "count"),
    [
        *((name, CALLS_BY_DAY.get(name, CALLS)) for name in METRICS),
        *nightly(*((name, CALLS) for name in CALLS_BY_DAY)),
    ],
    ids=str,
)
def test_it_holds_of_every_call(name, count, check):
    for seed in range(count):
        call = draw_call(name, seed)
        try:
            cause = fault(check, call, seed) if call.is_accepted() else None
        except NotApplicableError:
            continue
        if cause:
            call, cause = smaller(check, call, seed)
            pytest.fail(f"{cause}\nseed {seed}: {call}")


@pytest.mark.parametrize("name", ["classification", "qa_f1", "regression"])
def test_it_holds_of_the_command_in_a_process_of_its_own(name):
    def command(arguments):
        program = "import sys; from metric_commons.__main__ import main; sys.exit(main())"
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr

    calls = (draw_call(name, seed) for seed in range(CALLS))
    call = next(call for call in calls if call.is_accepted() and call.rows > 2)
    file_equals_columns(call, random.Random(0), command)


@pytest.mark.parametrize("name", METRICS)
def test_calls_are_accepted_and_have_rows_of_every_number(name):
    calls = [draw_call(name, seed) for seed in range(30)]
    asked = calls[: 12 if name in CALLS_BY_DAY else None]

    assert Counter(call.is_accepted() for call in asked)[True] > len(asked) // 4
    assert len({call.rows for call in calls}) > 4


@pytest.mark.parametrize("name", METRICS)
def test_every_option_is_drawn(name):
    metric = catalog.load(name)
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
