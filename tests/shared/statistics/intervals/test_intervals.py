"""Intervals of scores: their equations, their edges, and what cannot show in them."""

import math
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from metric_commons.statistics import interval
from metric_commons.statistics.arithmetic.exact_sums import Multiset
from metric_commons.statistics.intervals.cluster_sums import ClusterSums
from metric_commons.statistics.intervals.estimates import estimate_interval
from metric_commons.statistics.intervals.methods import Method
from metric_commons.statistics.intervals.proportions import f1_of_jaccard, proportion_interval
from metric_commons.statistics.resampling.row_units import mean_ends

SCORES = st.lists(
    st.floats(0, 1) | st.sampled_from([0.0, -0.0, 0.5, 1.0, 0.1, 1e-300]), min_size=1, max_size=40
)
LABELS = st.integers(0, 5)


def effective_by_hand(scores, labels=None):
    """The effective number of rows in fractions, as the formula has it."""
    rows = [Fraction(score) for score in scores]
    n = len(rows)
    mean = sum(rows) / n
    g = mean * (1 - mean)
    squares = sum((row - mean) ** 2 for row in rows)
    alone = n * (n + 1) * g / (squares + g) if g else Fraction(n)
    if labels is None:
        return alone
    names = set(labels)
    sizes = [labels.count(name) for name in names]
    sums = [
        sum(r - mean for r, label in zip(rows, labels, strict=True) if label == name)
        for name in names
    ]
    q = sum(size**2 for size in sizes)
    k = Fraction(n * n, q)
    if k == 1:
        return 0
    if not g:
        return k
    v = (k / (k - 1) * sum(s**2 for s in sums) + q / k * g) / n**2 / (1 + 1 / k)
    return min(g / v, alone)


@pytest.mark.long
@given(SCORES)
def test_the_effective_number_of_rows(scores):
    expected = float(effective_by_hand(scores))
    assert interval(scores).effective_n == pytest.approx(expected, rel=1e-9)


@pytest.mark.long
@given(st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), LABELS), min_size=1, max_size=40))
def test_the_effective_number_of_clusters(rows):
    scores, labels = (list(column) for column in zip(*rows, strict=True))
    result = interval(scores, clusters=labels)
    assert result.effective_n == pytest.approx(float(effective_by_hand(scores, labels)), rel=1e-9)
    assert result.n_clusters == len(set(labels))
    if result.n_clusters > 1:
        alone = float(effective_by_hand(scores))
        assert result.design_effect == pytest.approx(alone / result.effective_n, rel=1e-9)


@pytest.mark.long
@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.floats(0, 1), LABELS), min_size=2, max_size=30),
    st.sampled_from(["auto", "wilson", "t", "bootstrap"]),
    st.randoms(),
)
def test_neither_order_nor_counting_shows(rows, method, random):
    scores, labels = (list(column) for column in zip(*rows, strict=True))
    shuffled, names = zip(*random.sample(rows, len(rows)), strict=True)
    multiset, sums = Multiset.from_values(shuffled), ClusterSums.of(names, np.array(shuffled))
    options = {"method": method, "n_resamples": 50}
    assert repr(interval(multiset, **options)) == repr(interval(scores, **options))
    whole = interval(scores, clusters=labels, **options)
    assert repr(interval(multiset, clusters=sums, **options)) == repr(whole)


@pytest.mark.long
@example([0.0, 5e-324, 5e-324], "auto")
@given(SCORES, st.sampled_from(["auto", "wilson"]))
def test_an_interval_holds_its_mean_and_stays_in_the_range(scores, method):
    result, mean = interval(scores, method=method), math.fsum(scores) / len(scores)
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
    assert scaled.effective_n == pytest.approx(result.effective_n, rel=1e-12)
    assert scaled.method == result.method


def test_ends_satisfy_the_equations_of_clopper_and_pearson():
    for successes, trials, level in (
        (29, 30, 0.95),
        (1, 1000, 0.99),
        (500, 1000, 0.8),
        (3, 7, 0.5),
    ):
        low, high, *_ = proportion_interval(successes, trials, confidence_level=level)
        tail = (1 - level) / 2
        assert stats.binom.sf(successes - 1, trials, low) == pytest.approx(tail, rel=1e-9)
        assert stats.binom.cdf(successes, trials, high) == pytest.approx(tail, rel=1e-9)
        low, high, *_ = proportion_interval(
            successes, trials, confidence_level=level, method="mid_p"
        )
        half = stats.binom.pmf(successes, trials, low) / 2
        assert stats.binom.sf(successes, trials, low) + half == pytest.approx(tail, rel=1e-9)
        half = stats.binom.pmf(successes, trials, high) / 2
        assert stats.binom.cdf(successes - 1, trials, high) + half == pytest.approx(tail, rel=1e-9)


def test_small_scores_keep_their_digits():
    scores = np.array([1e-9, 3e-9, 2e-9, 5e-9])
    result = interval(scores, method="korn_graubard")
    n = result.effective_n * (stats.norm.isf(0.025) / stats.t.isf(0.025, 3)) ** 2
    x = scores.mean() * n
    assert result.high == pytest.approx(stats.beta.isf(0.025, x + 1, n - x), rel=1e-9)


def test_rows_that_say_little():
    # A Beta(1, 1) number between the score and an end: the distribution of one row and one unseen
    # one.
    assert interval([0.4])[:2] == pytest.approx((0.4 * 0.025, 0.4 + 0.6 * 0.975), abs=1e-9)
    assert interval([0.4], method="korn_graubard")[:2] == (0.0, 1.0)
    assert interval([1.0])[:3] == (pytest.approx(0.025), 1.0, "clopper_pearson")
    assert interval([0.4], method="wilson")[:2] == (0.0, 1.0)
    one_cluster = {"scores": [1.0, 1.0, 0.5], "clusters": ["a"] * 3}
    assert interval(**one_cluster, method="korn_graubard")[:2] == (0.0, 1.0)
    assert interval(**one_cluster)[:2] == pytest.approx((0.025 * 2.5 / 3, 1 - 0.025 / 6), abs=1e-9)
    one = interval([0.4], method="t")
    assert np.isnan([*one[:2], one.standard_error]).all()
    equal = interval([0.4] * 10)
    assert equal.low < 0.4 < equal.high
    assert equal.effective_n == pytest.approx(110)


def test_clusters_that_are_all_right_are_no_point():
    # inspect_ai takes the 50 rows for 50 trials here, and so has .91 for the lower end.
    clusters = [row // 5 for row in range(50)]
    result = interval([1.0] * 50, clusters=clusters, method="korn_graubard")
    assert result.low == pytest.approx(0.6118, abs=1e-4)
    assert interval([1.0] * 50, clusters=clusters).low == pytest.approx(0.025**0.1, abs=1e-9)
    assert (result.high, result.effective_n, result.design_effect) == (1.0, 10.0, 5.0)
    assert result.method == "korn_graubard"


def test_errors_and_differences_of_errors():
    errors = np.random.default_rng(0).exponential(1, 40)
    result = interval(errors, bounds=(0, math.inf), method="log_t")
    assert (result.method, result.effective_n) == ("log_t", 40.0)
    wider = interval(errors, bounds=(0, math.inf))
    assert wider.method == "unseen_error"
    assert wider.low <= result.low < result.high <= wider.high
    assert math.sqrt(result.low * result.high) == pytest.approx(errors.mean(), rel=1e-12)
    assert interval(np.zeros(5), bounds=(0, math.inf))[:2] == pytest.approx(
        (0.0, math.nan), nan_ok=True
    )
    plain = interval(errors - 1, bounds=(-math.inf, math.inf))
    student = stats.ttest_1samp(errors - 1, 0).confidence_interval()
    assert plain.method == "t"
    assert plain[:2] == pytest.approx((student.low, student.high), rel=1e-12)
    clusters = [row // 4 for row in range(40)]
    grouped = interval(errors, bounds=(0, math.inf), clusters=clusters)
    assert grouped.effective_n == pytest.approx(40 / grouped.design_effect)


def test_the_bootstrap_is_the_one_there_was():
    scores = np.random.default_rng(0).random(50)
    ends = mean_ends(Multiset.from_values(scores), 0.9, n_resamples=500, seed=3)
    result = interval(scores, method="bootstrap", confidence_level=0.9, n_resamples=500, seed=3)
    assert result[:2] == ends
    clusters = [row // 5 for row in range(50)]
    low, high, *_ = interval(scores, method="bootstrap", clusters=clusters)
    assert low < scores.mean() < high


@pytest.mark.parametrize("method", get_args(Method))
def test_methods_that_scores_cannot_take(method):
    whole, shares, clusters = [1.0, 0.0, 1.0], [1.0, 0.5, 0.0], ["a", "a", "b"]
    counting = method in ("clopper_pearson", "mid_p")
    if method == "log_t":
        with pytest.raises(ValueError, match="'log_t' is for errors without an upper bound"):
            interval(whole, method=method)
        interval(whole, method=method, bounds=(0, math.inf))
        return
    interval(whole, method=method)
    calls = {
        "but there are others": ({"scores": shares}, counting),
        "but there are clusters": ({"scores": whole, "clusters": clusters}, counting),
        "no upper bound": (
            {"scores": whole, "bounds": (0, math.inf)},
            counting or method in ("wilson", "korn_graubard"),
        ),
    }
    for message, (call, refused) in calls.items():
        if refused:
            with pytest.raises(ValueError, match=f"^method {method!r} .*{message}"):
                interval(**call, method=method)
        else:
            interval(**call, method=method)


@pytest.mark.parametrize("clusters", [None, ["a", "b", "b", "c"]])
@pytest.mark.parametrize("bounds", [(0.0, 1.0), (0.0, math.inf)])
def test_without_a_level_there_are_no_ends(clusters, bounds):
    options = {"clusters": clusters, "bounds": bounds}
    alone = interval([0.2, 0.4, 1.0, 0.3], confidence_level=None, **options)
    expected = interval([0.2, 0.4, 1.0, 0.3], **options)

    assert math.isnan(alone.low)
    assert math.isnan(alone.high)
    assert alone[3:] == expected[3:]


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
        (
            {"scores": Multiset.from_values([0.5]), "clusters": ["a"]},
            "clusters must be the ClusterSums",
        ),
        (
            {"scores": [0.5], "clusters": ClusterSums.of(["a", "b"], np.ones(2))},
            "clusters has 2 rows, but there are 1 scores",
        ),
    ],
)
def test_what_is_no_interval(call, message):
    with pytest.raises(ValueError, match=message):
        interval(**call)


def test_counts_and_estimates():
    assert proportion_interval(0, 0).effective_n == 0
    jaccard = proportion_interval(8, 13)
    f1 = f1_of_jaccard(jaccard, 8 / 13)
    assert f1.low == pytest.approx(2 * jaccard.low / (1 + jaccard.low), rel=1e-15)
    assert f1.standard_error == pytest.approx(jaccard.standard_error * 2 / (1 + 8 / 13) ** 2)
    assert jaccard == interval([1.0] * 8 + [0.0] * 5)
    assert estimate_interval(1.0, 0.0, 12)[:2] == proportion_interval(12, 12)[:2]
    for call in ((1.1, 0.1, 5), (0.5, -1.0, 5), (0.5, math.inf, 5), (0.5, 0.1, 0)):
        with pytest.raises(ValueError, match="must be"):
            estimate_interval(*call)
    with pytest.raises(ValueError, match="successes"):
        proportion_interval(3, 2)
