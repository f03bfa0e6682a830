"""Power beside simulation and beside the equations that define the other two functions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metric_commons.statistics import detectable, power_of, rows_needed


def test_power_is_how_often_the_test_finds_it():
    drawn = np.random.default_rng(0).normal(0.5, 1.0, (20_000, 20))
    found = (stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05).mean()
    assert power_of(0.5, 1.0, 20) == pytest.approx(found, abs=0.01)


@pytest.mark.long
@settings(max_examples=50)
@given(
    st.floats(1e-3, 10),
    st.integers(2, 10_000),
    st.sampled_from([0.05, 0.01]),
    st.floats(0.1, 0.99),
)
def test_what_is_detectable_has_the_power(deviation, rows, alpha, power):
    effect = detectable(deviation, rows, alpha, power)
    assert power_of(effect, deviation, rows, alpha) == pytest.approx(power, rel=1e-9)
    assert power_of(-effect, deviation, rows, alpha) == pytest.approx(power, rel=1e-9)


@settings(max_examples=50)
@given(st.floats(0.01, 5), st.floats(0.1, 2), st.sampled_from([0.5, 0.8, 0.95]))
def test_required_rows_are_the_least(effect, deviation, power):
    rows = rows_needed(effect, deviation, power=power)
    assert power_of(effect, deviation, rows) >= power
    assert rows == 2 or power_of(effect, deviation, rows - 1) < power


def test_extremes():
    assert power_of(0.0, 1.0, 10) == pytest.approx(0.05, rel=1e-9)
    assert power_of(1e12, 1.0, 2) == pytest.approx(1.0)
    assert power_of(1.0, 0.0, 5) == 1.0
    assert power_of(0.0, 0.0, 5) == 0.05
    assert rows_needed(1.0, 1e-9) == 2
    assert rows_needed(1e-9, 1e300) is None
    assert power_of(1e300, 1e-9, 5) == 1.0
    assert detectable(0.0, 5) == 0.0
    assert math.isnan(detectable(1.0, 1))
    # One degree of freedom at a level of 1e-10: a critical value of 6e9.
    assert power_of(1e10, 1.0, 2, alpha=1e-10) == pytest.approx(
        stats.chi2.cdf((1e10 * math.sqrt(2) / stats.t.isf(0.5e-10, 1)) ** 2, 1), rel=1e-6
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: power_of(0.1, -1.0, 5), "deviation must be"),
        (lambda: power_of(0.1, 1.0, 1), "rows must be at least 2"),
        (lambda: power_of(0.1, 1.0, 5, alpha=5), "for 5 % pass 0.05"),
        (lambda: detectable(1.0, 5, power=80), "for 80 % pass 0.8"),
        (lambda: rows_needed(0.0, 1.0), "effect must be"),
    ],
)
def test_what_has_no_power(call, message):
    with pytest.raises(ValueError, match=message):
        call()
