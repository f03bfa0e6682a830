"""Areas under risk-coverage curves beside every order of ties, and beside one answer at a time."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.judging.sampling.risk_coverage import rank_scores, risk_coverage_curve

ANSWERS = st.lists(
    st.tuples(st.sampled_from([0.2, 0.5, 0.9]), st.booleans()), min_size=1, max_size=6
)


def levels_of(answers):
    confidences = sorted({confidence for confidence, _ in answers}, reverse=True)
    sizes = [sum(c == level for c, _ in answers) for level in confidences]
    errors = [sum(c == level and not right for c, right in answers) for level in confidences]
    return np.array(sizes), np.array(errors)


def areas_in_order(answers):
    """AURC, AUGRC and the accuracy of the first half, of answers in one order."""
    n, errors, risks, shares = len(answers), 0, [], []
    for k, (_, right) in enumerate(answers, 1):
        errors += not right
        risks.append(Fraction(errors, k))
        shares.append(Fraction(errors, n))
    half = -(-n // 2)
    return sum(risks) / n, sum(shares) / n, 1 - risks[half - 1]


@pytest.mark.long
@given(ANSWERS)
def test_ties_are_the_mean_over_all_orders(answers):
    orders = [
        areas_in_order(order)
        for order in permutations(answers)
        if [c for c, _ in order] == sorted((c for c, _ in answers), reverse=True)
    ]
    expected = [float(sum(column) / len(orders)) for column in zip(*orders, strict=True)]
    optimal, *_ = areas_in_order(sorted(answers, key=lambda answer: -answer[1]))

    scores = rank_scores(*levels_of(answers), [0.5])
    found = [scores["aurc"], scores["augrc"], scores["accuracy@0.5"]]
    assert found == pytest.approx(expected, rel=1e-14, abs=1e-16)
    assert scores["e_aurc"] == pytest.approx(expected[0] - float(optimal), abs=1e-15)


@given(ANSWERS)
def test_the_area_under_roc_counts_pairs(answers):
    right, wrong = ([c for c, ok in answers if ok is side] for side in (True, False))
    pairs = [(c > e) + (c == e) / 2 for c in right for e in wrong]

    auroc = rank_scores(*levels_of(answers))["auroc"]
    assert auroc == pytest.approx(sum(pairs) / len(pairs) if pairs else math.nan, nan_ok=True)


def test_many_answers_are_added_up_to_the_last_digits():
    chance = np.random.default_rng(1)
    wrong = (chance.random(100_000) < 0.3).astype(np.int64)
    expected = math.fsum((np.cumsum(wrong) / np.arange(1, wrong.size + 1)).tolist()) / wrong.size

    aurc = rank_scores(np.ones_like(wrong), wrong)["aurc"]
    assert aurc == pytest.approx(expected, rel=1e-14)


def test_resamples_may_lack_levels_and_answers():
    answers = np.array([[2, 0, 1], [0, 0, 0], [0, 3, 0]])
    scores = rank_scores(answers, np.array([[1, 0, 0], [0, 0, 0], [0, 3, 0]]), [0.5])

    assert scores["aurc"][[0, 2]].tolist() == [
        float(rank_scores(np.array([2, 1]), np.array([1, 0]))["aurc"]),
        1.0,
    ]
    assert all(math.isnan(values[1]) for values in scores.values())


def test_coverage_is_read_as_a_decimal():
    sizes, errors = np.ones(100, np.int64), np.zeros(100, np.int64)
    errors[7] = 1  # the eighth answer, which 100 * 0.07 in floating point would reach

    assert rank_scores(sizes, errors, [0.07, 0.08, 0.0])["accuracy@0.07"] == 1.0
    assert rank_scores(sizes, errors, [0.08])["accuracy@0.08"] == 7 / 8


def test_the_curve_ends_at_all_answers():
    curve = risk_coverage_curve(np.array([0.9, 0.1]), np.array([1, 3]), np.array([1, 1]))

    assert curve == {"coverage": [0.25, 1.0], "risk": [1.0, 0.5], "thresholds": [0.9, 0.1]}
