"""Rates, errors and intervals beside their definitions and scipy."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from metric_commons.judging.sampling.preferences import (
    outcomes,
    win_rates,
)

# The squares of lesser numbers are 0 for `math.sqrt`, which the definition below takes.
rows = st.lists(st.sampled_from([0.0, 0.5, 1.0]) | st.floats(1e-100, 1), min_size=1, max_size=30)


def defined(rows, ties):
    """The rates by their definitions, in fractions."""
    wins = sum(x > 0.5 for x in rows)
    losses = sum(x < 0.5 for x in rows)
    even = len(rows) - wins - losses
    if ties == "ignore":
        values = [Fraction(x > 0.5) for x in rows if x != 0.5]
        discrete = Fraction(wins, wins + losses) if wins + losses else math.nan
    else:
        values = list(map(Fraction, rows))
        discrete = (wins + Fraction(even, 2)) / len(rows)
    n = len(values)
    mean = sum(values) / n if n else math.nan
    error = math.nan
    if n > 1:
        error = math.sqrt(sum((x - mean) ** 2 for x in values) / (n - 1) / n)
    return {
        "win_rate": float(mean),
        "discrete_win_rate": float(discrete),
        "standard_error": error,
        "wins": wins,
        "losses": losses,
        "ties": even,
    }


@pytest.mark.long
@given(rows, st.sampled_from(["ignore", "half"]))
def test_rates_are_those_of_the_definition(rows, ties):
    expected = pytest.approx(defined(rows, ties), rel=1e-13, abs=0, nan_ok=True)

    assert win_rates(np.array(rows), ties=ties) == expected
    assert win_rates(np.array(rows[::-1]), ties=ties) == pytest.approx(
        win_rates(np.array(rows), ties=ties), rel=0, abs=0, nan_ok=True
    )


@pytest.mark.long
@given(st.floats(0, 1), st.integers(2, 60))
def test_equal_outcomes_have_no_error(value, rows):
    assert win_rates(np.full(rows, value), ties="half")["standard_error"] == 0.0


def wilson(wins, losses, level):
    rows = np.repeat([1.0, 0.0], [wins, losses])
    result = win_rates(rows, confidence_level=level, interval="wilson")
    assert result["interval"]["win_rate"] == "wilson"
    return tuple(result["confidence_interval"]["win_rate"])


@pytest.mark.long
@given(
    st.integers(0, 10**4), st.integers(0, 10**4), st.sampled_from([0.5, 0.9, 0.95, 0.99, 0.999999])
)
def test_wilson_is_that_of_scipy(wins, losses, level):
    assume(wins + losses)
    low, high = wilson(wins, losses, level)
    peer = stats.binomtest(wins, wins + losses).proportion_ci(level, method="wilson")

    assert 0 <= low <= wins / (wins + losses) <= high <= 1
    assert (low, high) == pytest.approx(tuple(peer), rel=1e-9, abs=1e-12)
    assert wilson(losses, wins, level) == pytest.approx((1 - high, 1 - low), rel=1e-12, abs=1e-15)
    assert (low == 0) == (wins == 0)
    assert losses or high == 1


def test_a_bootstrap_of_decisions_is_the_binomial_itself():
    rows = np.array([1.0] * 30 + [0.0] * 20 + [0.5] * 50)
    result = win_rates(rows, confidence_level=0.9, interval="bootstrap")
    low, high = result["confidence_interval"]["win_rate"]

    binomial = stats.binom(50, 0.6)
    assert (low, high) == (binomial.ppf(0.05) / 50, binomial.ppf(0.95) / 50)


def test_the_bootstrap_is_near_that_of_scipy():
    rows = np.random.default_rng(0).beta(0.7, 0.6, 400).round(3)
    rows[::5] = 0.5
    options = {"ties": "half", "confidence_level": 0.95, "interval": "bootstrap"}
    interval = win_rates(rows, **options)["confidence_interval"]
    peer = stats.bootstrap((rows,), np.mean, method="percentile", rng=np.random.default_rng(1))

    assert interval["win_rate"] == pytest.approx(list(peer.confidence_interval), abs=3e-3)


def test_words_become_numbers():
    assert outcomes(["tie", "win", "loss"]).tolist() == [0.5, 1.0, 0.0]
    assert math.copysign(1, outcomes([-0.0])[0]) == 1
