"""Intervals of scores: their equations, their edges, and what cannot show in them."""

import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from metric_commons.statistics import interval
from metric_commons.statistics.intervals.methods import Method
from metric_commons.statistics.intervals.proportions import f1_of_jaccard, proportion_interval

SCORES = st.lists(
    st.floats(0, 1) | st.sampled_from([0.0, -0.0, 0.5, 1.0, 0.1, 1e-300]), min_size=1, max_size=40
)
LABELS = st.integers(0, 5)


@pytest.mark.long
@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.floats(0, 1), LABELS), min_size=2, max_size=30),
    st.sampled_from(["auto", "t", "bootstrap"]),
    st.randoms(),
)
def test_the_order_of_rows_does_not_show(rows, method, random):
    scores, labels = (list(column) for column in zip(*rows, strict=True))
    shuffled, names = zip(*random.sample(rows, len(rows)), strict=True)
    options = {"method": method, "n_resamples": 50}
    assert repr(interval(shuffled, **options)) == repr(interval(scores, **options))
    whole = interval(scores, clusters=labels, **options)
    assert repr(interval(shuffled, clusters=names, **options)) == repr(whole)


@pytest.mark.long
@example([0.0, 5e-324, 5e-324])
@given(SCORES)
def test_an_interval_holds_its_mean_and_stays_in_the_range(scores):
    result, mean = interval(scores), math.fsum(scores) / len(scores)
    assert 0 <= result.low <= mean + 1e-12
    assert mean - 1e-12 <= result.high <= 1
    if not mean:
        assert result.low == 0.0
    if mean == 1:
        assert result.high == 1.0
    assert result.low < result.high


@pytest.mark.long
@given(
    st.lists(st.integers(0, 64), min_size=1, max_size=40),
    st.sampled_from([(0.0, 100.0), (-1.0, 1.0), (3.0, 5.0)]),
)
def test_another_range_is_mapped(parts, bounds):
    low, high = bounds
    scores = np.array(parts) / 64
    result, scaled = interval(scores), interval(low + (high - low) * scores, bounds=bounds)
    expected = [low + (high - low) * end for end in result[:2]]
    assert scaled[:2] == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert scaled.method == result.method


def test_ends_satisfy_the_equations_of_clopper_and_pearson():
    for successes, trials, level in (
        (29, 30, 0.95),
        (1, 1000, 0.99),
        (500, 1000, 0.8),
        (3, 7, 0.5),
    ):
        low, high, *_ = proportion_interval(successes, trials, level)
        tail = (1 - level) / 2
        assert stats.binom.sf(successes - 1, trials, low) == pytest.approx(tail, rel=1e-9)
        assert stats.binom.cdf(successes, trials, high) == pytest.approx(tail, rel=1e-9)


def test_rows_that_say_little():
    # A Beta(1, 1) number between the score and an end: the distribution of one row and one unseen
    # one.
    assert interval([0.4])[:2] == pytest.approx((0.4 * 0.025, 0.4 + 0.6 * 0.975), abs=1e-9)
    assert interval([1.0])[:3] == (pytest.approx(0.025), 1.0, "clopper_pearson")
    one_cluster = {"scores": [1.0, 1.0, 0.5], "clusters": ["a"] * 3}
    assert interval(**one_cluster)[:2] == pytest.approx((0.025 * 2.5 / 3, 1 - 0.025 / 6), abs=1e-9)
    one = interval([0.4], method="t")
    assert one[:3] == (0.0, 1.0, "t")
    assert math.isnan(one.standard_error)
    equal = interval([0.4] * 10)
    assert equal.low < 0.4 < equal.high
    assert equal.standard_error == 0


def test_clusters_that_are_all_right_are_no_point():
    # inspect_ai takes the 50 rows for 50 trials here, and so has .91 for the lower end.
    clusters = [row // 5 for row in range(50)]
    result = interval([1.0] * 50, clusters=clusters)
    assert result[:3] == (pytest.approx(0.025**0.1, abs=1e-9), 1.0, "law")


def test_errors_and_differences_of_errors():
    errors = np.random.default_rng(0).exponential(1, 40)
    result = interval(errors, bounds=(0, math.inf))
    worst = 1.5 * errors.max()
    expected = interval(errors / worst)
    assert result.method == "law"
    assert result[:2] == pytest.approx([worst * end for end in expected[:2]], rel=1e-9)
    assert interval(np.zeros(5), bounds=(0, math.inf))[:2] == (0.0, math.inf)
    plain = interval(errors - 1, bounds=(-math.inf, math.inf))
    student = stats.ttest_1samp(errors - 1, 0).confidence_interval()
    assert plain.method == "t"
    assert plain[:2] == pytest.approx((student.low, student.high), rel=1e-12)


@pytest.mark.parametrize("method", get_args(Method))
@pytest.mark.parametrize(
    "call",
    [
        {"scores": [1.0, 0.5, 0.0]},
        {"scores": [1.0, 0.0, 1.0], "clusters": ["a", "a", "b"]},
        {"scores": [1.0, 0.0, 1.0], "bounds": (0, math.inf)},
    ],
)
def test_wilson_is_for_single_rows_of_0_and_1(method, call):
    interval([1.0, 0.0, 1.0], method=method)
    if method == "wilson":
        with pytest.raises(ValueError, match=r"^method 'wilson' is for scores 0 and 1"):
            interval(**call, method=method)
    else:
        assert interval(**call, method=method).low <= 2 / 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"scores": []}, "scores is empty"),
        ({"scores": [0.5, 1.5]}, r"scores\[1\] is 1.5, outside the range from 0 to 1"),
        ({"scores": [math.nan]}, r"scores\[0\] is nan"),
        ({"scores": [0.5], "bounds": (1, 0)}, "bounds must be"),
        ({"scores": [0.5], "bounds": (-math.inf, 1)}, "bounds must be"),
        ({"scores": [0.5], "bounds": 1}, "bounds must be"),
        ({"scores": [0.5], "method": "beta"}, "method must be one of"),
        ({"scores": [0.5], "confidence_level": 95}, "for 95 % pass 0.95"),
        ({"scores": [0.5], "clusters": ["a", "b"]}, "clusters has 2 labels"),
    ],
)
def test_what_is_no_interval(call, message):
    with pytest.raises(ValueError, match=message):
        interval(**call)


def test_counts():
    jaccard = proportion_interval(8, 13)
    f1 = f1_of_jaccard(jaccard, 8 / 13)
    assert f1.low == pytest.approx(2 * jaccard.low / (1 + jaccard.low), rel=1e-15)
    assert f1.standard_error == pytest.approx(jaccard.standard_error * 2 / (1 + 8 / 13) ** 2)
    assert jaccard[:3] == interval([1.0] * 8 + [0.0] * 5)[:3]
