"""Paired tests, intervals of differences and margins: beside scipy, and by hand."""

import math
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metric_commons.statistics import compare
from metric_commons.statistics.tests.laws import UnseenRow
from metric_commons.statistics.tests.sign_flips import SignedRanks
from metric_commons.statistics.tests.significance import PairedUnits

ALTERNATIVES = ("two-sided", "greater", "less")


def law(differences, labels=None, bounds=(-1.0, 1.0)):
    """The distribution that assumes nothing but bounds."""
    units = PairedUnits.of(np.array(differences, float), labels)
    return UnseenRow(units.numbers, units.sizes, bounds)


def paired_test(differences, **options):
    """The result, but for means and intervals, as an object."""
    values = np.asarray(differences, float)
    result = compare(
        np.clip(values, 0, None), np.clip(-values, 0, None), confidence_level=None, **options
    )
    return SimpleNamespace(**{"n_clusters": None, **result})


DIFFERENCES = st.lists(
    st.sampled_from([0.0, 1.0, -1.0, 0.5, -0.5]) | st.floats(-1, 1), min_size=2, max_size=30
)


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
        for test in ("mcnemar", "permutation"):
            found = paired_test(differences, test=test, alternative=alternative)
            assert found.p_value == pytest.approx(p_value, rel=1e-12)
        assert paired_test(differences, test="mcnemar").statistic == min(wins, losses)


def test_the_statistic_of_signs_has_the_variance_1():
    differences = np.array([0.5, 0.25, -0.125])
    signs = np.array(list(product((-1, 1), repeat=3)))
    statistics = [paired_test(row * differences).statistic for row in signs]
    assert np.mean(np.square(statistics)) == pytest.approx(1.0, rel=1e-12)
    none = paired_test([0.0, 0.0])
    assert (none.p_value, none.test, none.statistic) == (1.0, "sign_flip_exact", 0.0)


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
@given(DIFFERENCES, st.sampled_from(["permutation", "nothing", "t", "wilcoxon"]), st.randoms())
def test_the_order_of_rows_does_not_show(differences, test, random):
    if test == "wilcoxon" and len(differences) < 14:
        differences = differences * 7
    options = {"assume": test, "bounds": (0, 1)} if test == "nothing" else {"test": test}
    shuffled = random.sample(differences, len(differences))
    results = [
        compare(np.clip(rows, 0, 1), np.clip(np.negative(rows), 0, 1), margin=0.1, **options)
        for rows in (differences, shuffled)
    ]
    assert repr(results[0]) == repr(results[1])


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
            for names in (labels, [9 - label for label in labels]):
                results.append(paired_test(differences, test=test, clusters=names))
        assert len({repr(result) for result in results}) == 1


@pytest.mark.long
@given(DIFFERENCES)
def test_the_interval_is_never_a_point_and_mirrors(differences):
    low, high = law(differences).interval(0.05)
    mirrored = law([-difference for difference in differences]).interval(0.05)
    assert -1 <= low < high <= 1
    assert low <= math.fsum(differences) / len(differences) <= high
    assert mirrored == pytest.approx((-high, -low), rel=1e-12)


@pytest.mark.long
def test_each_interval_by_its_formula():
    differences = np.random.default_rng(0).uniform(-1, 1, 20)
    student = stats.ttest_1samp(differences, 0).confidence_interval()
    ends = compare(differences, np.zeros(20), test="t")["confidence_interval"]
    assert ends == pytest.approx([student.low, student.high])
    # The quantiles of rows weighted at random, with one that is lost or won, from many draws.
    weights = np.random.default_rng(1).exponential(size=(200_000, 21))
    sums = weights[:, :20] @ differences
    drawn = [
        np.quantile((sums + end * weights[:, 20]) / weights.sum(axis=1), level)
        for end, level in ((-1, 0.025), (1, 0.975))
    ]
    low, high = law(differences).interval(0.05)
    assert [low, high] == pytest.approx(drawn, abs=5e-3)
    doubled = law(differences * 2, bounds=(-2.0, 2.0)).interval(0.05)
    assert doubled == pytest.approx((2 * low, 2 * high))
    # One cluster weighs as much as the one that was not seen: the quantiles are those of a line.
    mean = differences.mean()
    one = law(differences, ["a"] * 20).interval(0.05)
    assert one == pytest.approx((mean - 0.975 * (1 + mean), mean + 0.975 * (1 - mean)))
    equal = compare([0.1] * 5, [0.0] * 5, test="t")
    assert equal["confidence_interval"] == pytest.approx([0.1, 0.1])


@pytest.mark.parametrize("rows", [3, 6, 12, 30, 60])
def test_the_ends_of_wilcoxon_are_walsh_averages(rows):
    """All shifts that the test does not reject, found with a table of all means of two rows."""
    differences = np.random.default_rng(rows).normal(0.3, 1, rows)
    means = np.sort([(x + y) / 2 for i, x in enumerate(differences) for y in differences[i:]])
    rejected = [stats.wilcoxon(differences - mean - 1e-9).pvalue < 0.05 for mean in means[:-1]]
    expected = means[:-1][~np.array(rejected)][0] if rows > 5 else -math.inf
    low, high = SignedRanks(differences).interval(0.05)
    mirrored = SignedRanks(-differences).interval(0.05)

    assert low == pytest.approx(expected, rel=1e-12)
    assert (low, high) == pytest.approx((-mirrored[1], -mirrored[0]))


def test_margins_by_their_formulas():
    a, b = np.random.default_rng(0).normal((0.01, 0.0), 0.05, (40, 2)).T
    differences = a - b
    found = compare(a, b, test="t", margin=0.03)
    above = stats.ttest_1samp(differences, -0.03, alternative="greater").pvalue
    below = stats.ttest_1samp(differences, 0.03, alternative="less").pvalue
    assert found["p_non_inferior"] == pytest.approx(above, rel=1e-12)
    assert found["p_equivalent"] == pytest.approx(max(above, below), rel=1e-12)
    for rows in ([0.1] * 5, [0.0] * 5, [0.0]):
        assert math.isnan(compare(rows, [0.0] * len(rows), test="t", margin=0.1)["p_equivalent"])
    grouped = compare(a, b, test="t", clusters=np.repeat(np.arange(10), 4), margin=0.03)
    t = (differences.mean() + 0.03) / grouped["standard_error"]
    assert grouped["p_non_inferior"] == pytest.approx(stats.t.sf(t, 9), rel=1e-9)


def test_equal_rows_show_no_equivalence_until_there_are_enough():
    # Of n equal rows P(1 - G > ...) is (1 - margin)**n, for the row that was not seen has all.
    for rows in (2, 30, 298, 299):
        found = compare([0.0] * rows, [0.0] * rows, margin=0.01, bounds=(0, 1))
        assert found["p_non_inferior"] == pytest.approx(0.99**rows, rel=1e-9)
        assert found["p_equivalent"] == pytest.approx(0.99**rows, rel=1e-9)
        assert (found["p_equivalent"] < 0.05) == (rows == 299)


@pytest.mark.long
@given(DIFFERENCES, st.floats(0.01, 0.9), st.sampled_from([0.01, 0.05, 0.2]))
def test_a_decision_and_its_interval_never_disagree(differences, margin, alpha):
    distribution = law(differences)
    low, high = distribution.interval(2 * alpha)
    if abs(low + margin) > 1e-9:
        assert (distribution.tail(-margin) < alpha) == (low > -margin)
    if abs(high - margin) > 1e-9:
        assert (distribution.mirrored.tail(-margin) < alpha) == (high < margin)


@pytest.mark.parametrize(("wins", "losses"), [(5, 0), (6, 0), (9, 2), (20, 8), (3, 3), (15, 5)])
def test_zero_is_left_out_where_mcnemars_exact_test_is_significant(wins, losses):
    differences = [1.0] * wins + [-1.0] * losses + [0.0] * 12
    p = paired_test(differences, test="mcnemar").p_value
    for level in (0.9, 0.95, 0.99):
        low, high = law(differences).interval(1 - level)
        assert (low > 0 or high < 0) == (p < 1 - level)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paired_test([]), "predictions1 is empty"),
        (lambda: paired_test([1.0], test="sign"), "test must be one of"),
        (lambda: paired_test([1.0], alternative="two_sided"), "did you mean 'two-sided'"),
        (lambda: compare([0.5], [0.5], margin=0.0), "margin must be a number above 0 or None, got"),
        (lambda: paired_test([0.5, math.nan]), r"predictions1\[1\] is nan; a score is finite"),
        (lambda: compare(0.5, 0.5), r"predictions1 must hold numbers in 1 dimensions, got shape"),
        (lambda: compare(["0.5"], [0.5]), "predictions1 must hold numbers"),
    ],
)
def test_what_is_no_test(call, message):
    with pytest.raises(ValueError, match=message):
        call()
