"""Intervals by random weights and a row that was not seen, beside recorded ones of a prototype.

Where the method draws, the prototype drew 60,000 to 100,000 times and we draw 10,000 times, so an
end may differ by a part of the width that the case states; elsewhere both are exact.
"""

from itertools import combinations

import pytest

from metric_commons import load
from metric_commons.statistics import simultaneous_intervals
from tests.spec import recorded

CASES = recorded("ratio_intervals")


def tolerance(case, low, high):
    allowed = case["tolerance"]
    if "of_width" in allowed:
        return {"rel": 0, "abs": allowed["of_width"] * (high - low)}
    return {"rel": allowed["rel"], "abs": allowed["abs"]}


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case["id"]) for case in CASES if case["module"] != "compare"]
)
def test_a_recorded_interval(case):
    result = load(case["module"]).compute(**case["inputs"], **case["options"])
    intervals = result["confidence_interval"]
    if case["module"] == "paired_significance":
        intervals = {"": intervals}

    for score, (low, high) in case["expected"].items():
        expected = pytest.approx([low, high], **tolerance(case, low, high))
        assert list(intervals[score]) == expected, score


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case["id"]) for case in CASES if case["module"] == "compare"]
)
def test_recorded_simultaneous_intervals(case):
    scores = case["inputs"]["scores"]
    pairs = [f"{first}-{second}" for first, second in combinations(range(len(scores)), 2)]
    intervals = simultaneous_intervals(scores, **case["options"])

    assert list(case["expected"]) == pairs
    for pair, ends in zip(pairs, intervals, strict=True):
        low, high = case["expected"][pair]
        assert list(ends) == pytest.approx([low, high], **tolerance(case, low, high)), pair


def test_every_recorded_case_is_compared():
    assert len(CASES) == 30
