"""The sign-flip test beside plain enumeration and plain counting of ways."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metric_commons.statistics.tests import sign_flips
from metric_commons.statistics.tests.sign_flips import SignFlips, Tail

ALTERNATIVES = ["two-sided", "greater", "less"]


def counted(steps, alternative):
    """The exact p-value of whole differences: the ways to each sum, one sign after the other."""
    ways = {0: 1}
    for step in steps:
        longer = {}
        for total, number in ways.items():
            for flipped in (total + step, total - step):
                longer[flipped] = longer.get(flipped, 0) + number
        ways = longer
    observed = sum(steps)
    extreme = {
        "two-sided": lambda total: abs(total) >= abs(observed),
        "greater": lambda total: total >= observed,
        "less": lambda total: total <= observed,
    }[alternative]
    return Fraction(
        sum(number for total, number in ways.items() if extreme(total)), 2 ** len(steps)
    )


def tail(differences, alternative="two-sided"):
    flips = SignFlips(np.asarray(differences, float), np.ones(len(differences)))
    return Tail(flips.p_value(alternative), flips.exact)


@pytest.mark.long
@settings(max_examples=60)
@given(
    st.lists(st.integers(-6, 6), min_size=31, max_size=120),
    st.sampled_from(ALTERNATIVES),
    st.sampled_from([1.0, 0.1, 1 / 3, 1 / 8, 0.05, 1e200]),
)
def test_multiples_of_a_unit_are_counted(steps, alternative, unit):
    found = tail(np.array(steps) * unit, alternative)
    assert found.exact
    assert found.probability == pytest.approx(float(counted(steps, alternative)), rel=1e-11)


def test_small_probabilities_of_multiples_keep_their_digits():
    steps = [1] * 60 + [2] * 70 + [3] * 40 + [-1] * 5
    expected = float(counted(steps, "two-sided"))
    assert expected < 1e-40
    assert tail(steps).probability == pytest.approx(expected, rel=1e-11)


def test_what_rounding_leaves_of_equal_scores_does_not_hide_the_unit():
    steps = np.array([1.0] * 25 + [-1.0] * 10 + [0.5] * 12)
    noise = np.where(np.arange(steps.size) % 2, 1e-16, 0.0)
    leftovers = np.array([5e-17, -5e-17, 3e-17])  # of scores that should be equal
    found = tail(np.append(steps + noise, leftovers))
    assert found.exact
    assert found.probability == pytest.approx(tail(steps).probability, rel=1e-12)


DISTRIBUTIONS = {
    "normal": lambda rng: rng.normal(0.3, 1, 30),
    "cubes": lambda rng: rng.normal(0.2, 1, 30) ** 3,
    "one great": lambda rng: rng.normal(0.2, 1, 30) * np.append(8, np.ones(29)),
    "cauchy": lambda rng: rng.standard_cauchy(30) + 0.3,
    "skewed": lambda rng: rng.exponential(1, 30) - 0.4,
}


@pytest.mark.long
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_the_saddlepoint_is_near_enumeration(distribution, monkeypatch):
    rng = np.random.default_rng(0)
    for _ in range(8):
        differences = DISTRIBUTIONS[distribution](rng)
        for alternative in ALTERNATIVES:
            expected = tail(differences, alternative).probability
            with monkeypatch.context() as patch:
                patch.setattr(sign_flips, "_COUNTED", 29)
                found = tail(differences, alternative)
            assert not found.exact
            assert found.probability == pytest.approx(expected, rel=0.08)


def test_a_great_difference_among_equal_ones_is_exact(monkeypatch):
    # 5 sqrt(2) is no multiple of 1: its two signs count, and the rest is binomial.
    differences = np.append(np.repeat([1.0, -1.0], [20, 9]), 5 * math.sqrt(2))
    expected = tail(differences).probability
    monkeypatch.setattr(sign_flips, "_COUNTED", 29)
    assert tail(differences) == (pytest.approx(expected, rel=1e-12), True)


@pytest.mark.long
@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(31, 300), st.floats(0.0, 3.0))
def test_neither_order_nor_names_show(seed, rows, shift):
    rng = np.random.default_rng(seed)
    differences = rng.normal(shift, 1, rows)
    found = tail(differences)
    assert tail(rng.permutation(differences)) == found == tail(-differences)
    assert tail(differences, "greater") == tail(-differences, "less")
    assert math.ulp(0.0) <= found.probability <= 1.0
    both = tail(differences, "greater").probability + tail(differences, "less").probability
    assert both == pytest.approx(1.0, abs=1e-8)  # the observed combination counts in both


def test_differences_that_cancel_are_no_evidence():
    halves = np.random.default_rng(0).random(50)
    assert tail(np.concatenate([halves, -halves])).probability == 1.0
    assert tail(np.zeros(40)) == (1.0, True)


@pytest.mark.parametrize("equal", [10, 11])
def test_equal_differences_among_others_change_nothing(equal):
    """An odd number of them once lost a part of their distribution above its middle."""
    chance = np.random.default_rng(equal)
    others = chance.normal(0.1, 0.5, 50)
    differences = np.append(others, np.full(equal, 0.01))
    apart = differences + 1e-5 * chance.normal(size=differences.size)

    assert tail(differences).probability == pytest.approx(tail(apart).probability, rel=1e-3)


@pytest.mark.parametrize("odd", [["1/7"] * 2 + ["2/13"] * 2 + ["3/101"] * n for n in (1, 2)])
def test_a_few_odd_scores_among_wins_and_losses_are_counted(odd):
    differences = [Fraction(1)] * 24 + [Fraction(-1)] * 5 + list(map(Fraction, odd))
    unit = math.lcm(*(value.denominator for value in differences))
    expected = counted([int(value * unit) for value in differences], "two-sided")
    found = tail(list(map(float, differences)))

    assert found.exact
    assert found.probability == pytest.approx(float(expected), rel=1e-12)
