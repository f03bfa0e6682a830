"""Paired tests, intervals of differences and equivalence: beside scipy, and by hand."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metric_commons.statistics import (
    ClusterSums,
    compare,
    difference_interval,
    equivalence,
    mean_interval,
    paired_test,
)

ALTERNATIVES = ("two-sided", "greater", "less")

DIFFERENCES = st.lists(
    st.sampled_from([0.0, 1.0, -1.0, 0.5, -0.5]) | st.floats(-1, 1), min_size=2, max_size=30
)


@pytest.mark.long
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("rows", [5, 13, 14, 60])
def test_t_and_wilcoxon_are_those_of_scipy(rows, alternative):
    rng = np.random.default_rng(rows)
    differences = rng.integers(-4, 6, rows) / 4 + (rows > 30) * rng.normal(0, 1, rows)
    t = stats.ttest_1samp(differences, 0, alternative=alternative)
    result = paired_test(differences, test="t", alternative=alternative)
    assert (result.p_value, result.statistic) == pytest.approx((t.pvalue, t.statistic), rel=1e-12)
    assert result.standard_error == pytest.approx(stats.sem(differences), rel=1e-12)
    ranked = stats.wilcoxon(differences, alternative=alternative)
    result = paired_test(differences, test="wilcoxon", alternative=alternative)
    assert (result.p_value, result.statistic) == pytest.approx(
        (ranked.pvalue, ranked.statistic), rel=1e-12
    )


@pytest.mark.parametrize("test", ["t", "wilcoxon", "permutation"])
def test_what_was_exact_is_what_compare_gives(test):
    a, b = np.random.default_rng(1).random((2, 25))
    for alternative in ALTERNATIVES:
        expected = compare(a, b, test=test, alternative=alternative, confidence_level=None)
        found = paired_test(a - b, test=test, alternative=alternative)
        assert found.p_value == expected["p_value"]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_mcnemar_by_hand(alternative):
    for wins, losses in product(range(6), repeat=2):
        rows = wins + losses
        differences = [1.0] * wins + [-1.0] * losses + [0.0, 0.0]
        distribution = [math.comb(rows, k) / 2**rows for k in range(rows + 1)]
        extreme = {
            "greater": [k for k in range(rows + 1) if k >= wins],
            "less": [k for k in range(rows + 1) if k <= wins],
            "two-sided": [k for k in range(rows + 1) if abs(2 * k - rows) >= abs(wins - losses)],
        }[alternative]
        p_value = sum(distribution[k] for k in extreme)
        # As likely as what was observed are so many wins, and, two-sided, so many losses.
        observed = {wins, losses} if alternative == "two-sided" else {wins}
        mid = p_value - sum(distribution[k] for k in observed) / 2 if rows else 1.0
        exact = paired_test(differences, test="mcnemar", alternative=alternative)
        assert exact.p_value == pytest.approx(p_value, rel=1e-12)
        assert exact.statistic == min(wins, losses)
        assert paired_test(differences, alternative=alternative).p_value == exact.p_value
        found = paired_test(differences, test="mcnemar_mid_p", alternative=alternative)
        assert found.p_value == pytest.approx(mid, rel=1e-12)


def test_the_statistic_of_signs_has_the_variance_1():
    differences = np.array([0.5, 0.25, -0.125])
    signs = np.array(list(product((-1, 1), repeat=3)))
    statistics = [paired_test(row * differences).statistic for row in signs]
    assert np.mean(np.square(statistics)) == pytest.approx(1.0, rel=1e-12)
    assert paired_test([0.0, 0.0])[:3] == (1.0, "sign_flip_exact", 0.0)


def test_clusters_flip_together():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(12), 4)
    differences = rng.normal(0.2, 1, 48)
    sums = differences.reshape(12, 4).sum(axis=1)
    found = paired_test(differences, clusters=labels)
    assert found.p_value == pytest.approx(paired_test(sums).p_value, rel=1e-12)
    assert found.n_clusters == 12

    robust = paired_test(differences, test="t", clusters=labels)
    error = math.sqrt(12 / 11 * np.square(sums - differences.mean() * 4).sum()) / 48
    assert robust.standard_error == pytest.approx(error, rel=1e-12)
    p_value = 2 * stats.t.sf(abs(differences.mean() / error), 11)
    assert robust.p_value == pytest.approx(p_value, rel=1e-12)
    assert math.isnan(paired_test(differences, test="t", clusters=["a"] * 48).p_value)


def test_clusters_whose_differences_cancel_count_as_equal():
    labels = ["a", "a", "a", "b", "c"]
    result = paired_test([0.1, 0.2, -0.3, 0.5, 0.5], clusters=labels)  # 0.1 + 0.2 is not 0.3
    assert result.p_value == 0.5


@pytest.mark.long
@settings(max_examples=50)
@given(DIFFERENCES, st.sampled_from(["permutation", "t", "wilcoxon"]), st.randoms())
def test_the_order_of_rows_does_not_show(differences, test, random):
    if test == "wilcoxon" and len(differences) < 14:
        differences = differences * 7
    shuffled = random.sample(differences, len(differences))
    assert repr(paired_test(shuffled, test=test)) == repr(paired_test(differences, test=test))
    assert repr(difference_interval(shuffled)) == repr(difference_interval(differences))
    assert repr(equivalence(shuffled, 0.1)) == repr(equivalence(differences, 0.1))


@pytest.mark.long
@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.floats(-1, 1), st.integers(0, 4)), min_size=1, max_size=30), st.randoms()
)
def test_the_order_of_clusters_does_not_show(rows, random):
    shuffled = random.sample(rows, len(rows))
    for test in ("permutation", "t"):
        results = []
        for table in (rows, shuffled):
            differences, labels = (list(column) for column in zip(*table, strict=True))
            sums = ClusterSums.of([9 - label for label in labels], np.array(differences))
            results += [
                paired_test(differences, test=test, clusters=labels),
                paired_test(differences, test=test, clusters=sums),
            ]
        assert len({repr(result) for result in results}) == 1


@pytest.mark.long
@given(DIFFERENCES)
def test_the_interval_is_never_a_point_and_mirrors(differences):
    result = difference_interval(differences)
    mirrored = difference_interval([-difference for difference in differences])
    assert -1 <= result.low < result.high <= 1
    assert result.low <= math.fsum(differences) / len(differences) <= result.high
    assert (mirrored.low, mirrored.high) == pytest.approx((-result.high, -result.low), rel=1e-12)


@pytest.mark.long
def test_each_interval_by_its_formula():
    rng = np.random.default_rng(0)
    differences = rng.uniform(-1, 1, 20)
    student = stats.ttest_1samp(differences, 0).confidence_interval()
    assert difference_interval(differences, method="t")[:3] == (
        pytest.approx(student.low),
        pytest.approx(student.high),
        "t",
    )
    unbounded = difference_interval(differences * 50, bounds=(0, math.inf))
    assert unbounded[:3] == (pytest.approx(student.low * 50), pytest.approx(student.high * 50), "t")
    # The quantiles of rows weighted at random, with one that is lost or won, from many draws.
    weights = rng.exponential(size=(200_000, 21))
    sums = weights[:, :20] @ differences
    low, high = (
        np.quantile((sums + end * weights[:, 20]) / weights.sum(axis=1), level)
        for end, level in ((-1, 0.025), (1, 0.975))
    )
    found = difference_interval(differences)
    assert found[:3] == (
        pytest.approx(low, abs=5e-3),
        pytest.approx(high, abs=5e-3),
        "unseen_row",
    )
    doubled = difference_interval(differences * 2, bounds=(-1, 1))
    assert doubled[:2] == pytest.approx((2 * found.low, 2 * found.high))
    drawn = difference_interval(differences, method="bootstrap", n_resamples=200)
    assert drawn[:2] == mean_interval(differences, confidence_level=0.95, n_resamples=200)
    grouped = difference_interval(differences, method="bootstrap", clusters=[0, 1] * 10)
    assert (grouped.method, grouped.n_clusters) == ("bootstrap", 2)
    # One cluster weighs as much as the one that was not seen: the quantiles are those of a line.
    mean = differences.mean()
    one = difference_interval(differences, clusters=[0] * 20)
    assert one[:2] == pytest.approx((mean - 0.975 * (1 + mean), mean + 0.975 * (1 - mean)))
    equal = difference_interval([0.1] * 5, bounds=(-math.inf, math.inf))
    assert np.isnan(equal[:2]).all()


def test_equivalence_by_its_formula():
    differences = np.random.default_rng(0).normal(0.01, 0.05, 40)
    found = equivalence(differences, 0.03, method="t")
    above = stats.ttest_1samp(differences, -0.03, alternative="greater").pvalue
    below = stats.ttest_1samp(differences, 0.03, alternative="less").pvalue
    assert found == pytest.approx((above, max(above, below)), rel=1e-12)
    for rows in ([0.0] * 5, [0.1] * 5, [0.0]):
        assert all(math.isnan(p) for p in equivalence(rows, 0.1, method="t"))
    labels = np.repeat(np.arange(10), 4)
    grouped = equivalence(differences, 0.03, clusters=labels, method="t")
    error = paired_test(differences, clusters=labels).standard_error
    p_value = stats.t.sf((differences.mean() + 0.03) / error, 9)
    assert grouped.p_non_inferior == pytest.approx(p_value, rel=1e-9)


def test_equal_rows_show_no_equivalence_until_there_are_enough():
    # Of n equal rows P(1 - G > ...) is (1 - margin)**n, for the row that was not seen has all.
    for rows in (2, 30, 298, 299):
        found = equivalence([0.0] * rows, 0.01)
        assert found == pytest.approx((0.99**rows, 0.99**rows), rel=1e-9)
    assert equivalence([0.0] * 299, 0.01).p_equivalent < 0.05


@pytest.mark.long
@given(DIFFERENCES, st.floats(0.01, 0.9), st.sampled_from([0.01, 0.05, 0.2]))
def test_a_decision_and_its_interval_never_disagree(differences, margin, alpha):
    low, high, *_ = difference_interval(differences, confidence_level=1 - 2 * alpha)
    shown = equivalence(differences, margin)
    if abs(low + margin) > 1e-9:
        assert (shown.p_non_inferior < alpha) == (low > -margin)
    if min(abs(low + margin), abs(high - margin)) > 1e-9:
        assert (shown.p_equivalent < alpha) == (low > -margin and high < margin)


@pytest.mark.parametrize(("wins", "losses"), [(5, 0), (6, 0), (9, 2), (20, 8), (3, 3), (15, 5)])
def test_zero_is_left_out_where_mcnemars_exact_test_is_significant(wins, losses):
    differences = [1.0] * wins + [-1.0] * losses + [0.0] * 12
    p = paired_test(differences, test="mcnemar").p_value
    for level in (0.9, 0.95, 0.99):
        low, high, *_ = difference_interval(differences, confidence_level=level)
        assert (low > 0 or high < 0) == (p < 1 - level)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paired_test([]), "differences is empty"),
        (lambda: paired_test([1.0], test="sign"), "test must be one of"),
        (lambda: paired_test([1.0], alternative="two_sided"), "did you mean 'two-sided'"),
        (lambda: paired_test([0.5], test="mcnemar"), "test 'mcnemar' is for scores 0 and 1"),
        (
            lambda: paired_test([1.0], test="wilcoxon", clusters=["a"]),
            "test 'wilcoxon' is for independent rows, but there are clusters",
        ),
        (lambda: paired_test([1.0, 2.0], clusters=["a"]), "clusters has 1 labels"),
        (
            lambda: paired_test([1.0, 2.0], clusters=ClusterSums.of(["a"], np.ones(1))),
            "clusters has 1 rows, but there are 2 differences",
        ),
        (lambda: difference_interval([1.5]), "differences go beyond 1"),
        (lambda: difference_interval([0.5], method="wilson"), "method must be one of"),
        (lambda: equivalence([0.5], 0.0), "margin must be a number above 0, got 0.0"),
        (lambda: equivalence([math.nan], 0.1), r"differences\[0\] is nan"),
    ],
)
def test_what_is_no_test(call, message):
    with pytest.raises(ValueError, match=message):
        call()
