import inspect
import sys

import numpy as np
import pytest

from metric_commons.mathematics import equivalent
from metric_commons.mathematics.parsing.mathematical_answers import parse_answer
from metric_commons.mathematics.proof.comparisons import Rules
from metric_commons.mathematics.proof.equivalence import (
    EquivalenceVerdict,
    readable,
    rules_of,
    verdict,
)
from tests.programs import output
from tests.tables import by_table, tabled

VERDICTS = {"equal_answers": True, "different_answers": False, "undecided_answers": None}


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [(*row, VERDICTS[name]) for name in VERDICTS for row in tabled(__file__, name)],
)
def test_answers_are_equal_different_or_undecided(left, right, verdict):
    assert equivalent(left, right) is verdict
    assert equivalent(right, left) is verdict


def test_what_is_written_alike_is_equal_even_if_nobody_understands_it():
    assert equivalent("gibberish ) (", " gibberish)(") is True
    assert equivalent("gib berish", "gibberish") is False


@by_table("percent, reference, prediction, expected")
def test_percentages(percent, reference, prediction, expected):
    assert equivalent(reference, prediction, percent=percent) is expected


@by_table("reference, prediction, options, expected")
def test_options(reference, prediction, options, expected):
    assert equivalent(reference, prediction, **options) is expected


def test_readable():
    assert [*map(readable, ["1/2", "Evelyn", r"\{1, 2\}", "1 +", ""])] == [True] * 3 + [False] * 2


@pytest.mark.long
def test_verdicts_need_no_numpy():
    program = """
import sys
from metric_commons.text.extraction.step_chains import STEPS
from metric_commons.mathematics.proof.equivalence import equivalent, readable
assert STEPS["final_answer"]("The answer is 4.") == "4"
assert equivalent("1/2", "0.5") and readable("1/2")
print([name for name in ("numpy", "evaluate", "scipy", "sympy") if name in sys.modules])
"""
    assert output(program).strip() == "[]"


def test_a_tolerance_may_be_any_number():
    assert equivalent("100", "105", relative_tolerance=np.float64(0.05)) is True
    assert equivalent("100", "105", relative_tolerance=np.float32(0.0625)) is True
    assert equivalent("100", "105", absolute_tolerance=5) is True
    assert equivalent("100", "100.00001", relative_tolerance=1e-07) is True
    assert equivalent("100", "100.00002", relative_tolerance=1e-07) is False


TOWERS = ["9^{" * levels + "9" + "}" * levels for levels in (12, 163, 200, 500, 5_000)]
ODD_ANSWERS = [r"\$", "€", r"x=\$", r"5 or \$", r"\lfloor \sqrt{3-\pi} \rfloor", r"\sqrt{2-e}"]


@pytest.mark.parametrize("answer", ODD_ANSWERS)
def test_no_answer_raises_and_none_that_is_not_understood_is_equal(answer: str) -> None:
    assert verdict("5", answer, Rules()).is_equal is not True
    assert verdict(answer, "5", Rules()).is_equal is not True


@pytest.mark.long
@pytest.mark.parametrize("tower", TOWERS, ids=len)
def test_verdicts_of_towers_do_not_depend_on_the_depth_of_the_caller(tower: str) -> None:
    frames_left = 60

    def at_depth(levels: int) -> EquivalenceVerdict:
        return at_depth(levels - 1) if levels else verdict("5", tower, Rules())

    depth = sys.getrecursionlimit() - len(inspect.stack(0)) - frames_left
    parse_answer.cache_clear()
    deep = at_depth(depth)
    parse_answer.cache_clear()
    assert deep == at_depth(0)
    assert deep.is_equal is not True


@by_table("dataset, reference, prediction, is_equal")
def test_data_sets_settle_conventions(dataset, reference, prediction, is_equal):
    rules = rules_of(dataset=dataset)

    assert verdict(reference, prediction, rules).is_equal is is_equal
