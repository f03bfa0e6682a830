import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import metric_commons
from metric_commons.statistics import compare, detectable
from metric_commons.statistics.tests.corrections import adjusted
from tests.spec import drawn_examples

ALTERNATIVES = ["two-sided", "greater", "less"]


def outcome(differences, **options):
    values = np.asarray(differences, float)
    return compare(
        np.clip(values, 0, None), np.clip(-values, 0, None), confidence_level=None, **options
    )


def p_value(differences, **options):
    return outcome(differences, **options)["p_value"]


def unlike(rows, seed=0):
    """Differences of which no two have the same size."""
    return np.random.default_rng(seed).normal(0.1, 1, rows)


# ---- the obvious way ----------------------------------------------------------------------------


def extreme(total, observed, tolerance, alternative):
    if alternative == "greater":
        return total >= observed - tolerance
    if alternative == "less":
        return total <= observed + tolerance
    return abs(total) >= abs(observed) - tolerance


def obvious_exact(differences, alternative):
    """Every combination of signs, in exact arithmetic."""
    values = [Fraction(d) for d in differences if d]
    observed, tolerance = sum(values), sum(map(abs, values)) / 10**12
    totals = [
        sum(sign * value for sign, value in zip(signs, values, strict=True))
        for signs in product((1, -1), repeat=len(values))
    ]
    count = sum(extreme(total, observed, tolerance, alternative) for total in totals)
    return count / len(totals)


few = st.lists(
    st.one_of(
        st.sampled_from([0.0, -0.0, 0.1, 0.2, -0.1, -0.3, 1.0, -1.0, 1e-9]),
        st.floats(-1, 1, width=32),
    ),
    min_size=1,
    max_size=9,
)


@pytest.mark.long
@drawn_examples(300)
@given(few, st.sampled_from(ALTERNATIVES))
def test_few_differences_are_enumerated(differences, alternative):
    expected = obvious_exact(differences, alternative)

    assert p_value(differences, alternative=alternative) == expected
    assert 0 < expected <= 1


# ---- differences of one size: the binomial ------------------------------------------------------


def obvious_binomial(wins, losses, alternative):
    rows = wins + losses
    most = {"greater": losses, "less": wins, "two-sided": min(wins, losses)}[alternative]
    ways = sum(math.comb(rows, k) for k in range(most + 1))
    return min(float(Fraction((2 if alternative == "two-sided" else 1) * ways, 2**rows)), 1.0)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(
    ("wins", "losses"), [(31, 0), (0, 31), (16, 16), (25, 20), (60, 40), (300, 260), (1, 1000)]
)
def test_one_size_is_binomial(wins, losses, alternative):
    expected = obvious_binomial(wins, losses, alternative)
    for win, loss, tie in ((1.0, -1.0, 0.0), (0.9 - 0.8, 0.7 - 0.8, 0.0), (2.5e-9, -2.5e-9, 0)):
        differences = [win] * wins + [loss] * losses + [tie] * 5
        p = p_value(differences, alternative=alternative)
        assert p == pytest.approx(expected, rel=1e-12, abs=0)


def test_sizes_that_nearly_agree_are_not_binomial():
    differences = [0.5] * 40 + [0.5 + 2e-9] * 40

    assert p_value(differences) == pytest.approx(2 / 2**80, rel=1e-9)
    assert outcome([-0.5, *differences])["test"] == "sign_flip_saddlepoint"


# ---- neither enumerated nor of one size ---------------------------------------------------------


# ---- what must not matter, and what must --------------------------------------------------------


@pytest.mark.parametrize("test", ["permutation", "t", "wilcoxon"])
def test_zeros_and_scale_do_not_matter(test):
    differences = unlike(100)
    expected = p_value(differences, test=test)

    assert p_value(differences * 2.0**-900, test=test) == expected
    assert p_value(differences * 2.0**900, test=test) == expected
    if test == "permutation":
        assert p_value([*differences, *[0.0] * 50, -0.0], test=test) == expected


def test_nothing_is_drawn():
    a, b = np.random.default_rng(0).random((2, 200))

    assert compare(a, b) == compare(a, b)
    p_of_steps = p_value([k * (-1) ** (k % 7 // 3) / 16 for k in range(1, 200)])
    assert p_of_steps == pytest.approx(0.0677, abs=0.003)  # 0.066 of 9,999 draws


# ---- sums that are equal but for rounding -------------------------------------------------------


def test_sums_that_rounding_tells_apart_are_equal():
    assert p_value([0.1, 0.2, -0.3]) == 1.0
    assert p_value([1e-9 * d for d in (0.1, 0.2, -0.3)]) == 1.0
    tenths = np.array([0.3 - 0.2, 0.7 - 0.6, 0.1 - 0.2, 0.9 - 0.6, 0.5 - 0.7])
    assert p_value(tenths) == p_value(np.rint(tenths * 10))


def test_small_differences_count_beside_large_ones():
    assert p_value([1.0, -1.0, 1e-9], alternative="greater") == 4 / 8
    assert p_value([1.0, -1.0, 1e-14], alternative="greater") == 6 / 8


def test_extreme_sizes():
    for size in (1e280, 5e-324, 2.2e-308):
        assert p_value([size, size, size]) == 2 / 8
        assert p_value([size] * 40) == 2 / 2**40
    assert p_value([1e280] * 30 + [5e-324] * 30) == 2 / 2**30
    result = compare([1e280] * 3, [-1e280] * 3)
    assert result["diff"] == pytest.approx(2e280)


def test_p_is_never_zero():
    assert 0 < p_value(unlike(100) + 10) == pytest.approx(2.0**-99, rel=1e-9)
    assert p_value(unlike(3000) + 10) == math.ulp(0.0)
    assert p_value([1.0] * 1000) == 2.0**-999
    assert p_value([1.0] * 5000) == math.ulp(0.0)


# ---- the other tests ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([0.5], math.nan),
        ([0.0], 1.0),
        ([0.0, 0.0], 1.0),
        ([0.5, 0.5, 0.5], 0.0),
        ([-0.5, -0.5], 0.0),
        ([0.5, -0.5], 1.0),
        ([1e-200, 2e-200, 3e-200], 0.07417990022744853),
        ([1e200, 2e200, 3e200], 0.07417990022744853),
    ],
)
def test_t_of_little(differences, expected):
    found = p_value(differences, test="t")

    assert found == pytest.approx(expected, rel=1e-12, abs=0, nan_ok=True)


def test_t_of_equal_differences_by_side():
    for differences, greater, less in (([0.5] * 3, 0.0, 1.0), ([-0.5] * 3, 1.0, 0.0)):
        assert p_value(differences, test="t", alternative="greater") == greater
        assert p_value(differences, test="t", alternative="less") == less


@pytest.mark.parametrize("rows", [1, 13, 14, 60])
def test_wilcoxon_of_nothing_but_zeros(rows):
    for alternative in ALTERNATIVES:
        assert p_value([0.0] * rows, test="wilcoxon", alternative=alternative) == 1.0


def tied(rows):
    """Differences of which several have the same size, none of them zero."""
    return np.array([(1 + place % 4) * (-1) ** (place % 3) for place in range(rows)], float)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("rows", "is_exact"), [(12, True), (13, True), (14, False)])
def test_wilcoxon_of_tied_ranks_is_exact_up_to_thirteen_rows(
    rows, is_exact, alternative, monkeypatch
):
    """As with scipy, which is asked from there on; before, it takes seconds for the same."""
    asked = []

    def wilcoxon(differences, **options):
        asked.append(len(differences))
        return scipys(differences, **options)

    scipys = stats.wilcoxon
    monkeypatch.setattr(stats, "wilcoxon", wilcoxon)
    differences = tied(rows)
    found = p_value(differences, test="wilcoxon", alternative=alternative)
    signed_ranks = np.copysign(stats.rankdata(np.abs(differences)), differences)
    exact = p_value(signed_ranks, alternative=alternative)  # of all combinations of signs

    assert asked == ([] if is_exact else [rows])
    assert (found == pytest.approx(exact, rel=1e-12)) is is_exact


@pytest.mark.long
@pytest.mark.parametrize("rows", [13, 14])
def test_wilcoxon_counts_the_rows_before_zeros_are_left_out(rows):
    differences = np.append(tied(rows - 1), 0.0)
    found = p_value(differences, test="wilcoxon")

    assert found == pytest.approx(stats.wilcoxon(differences).pvalue, rel=1e-12)


# ---- several measures ---------------------------------------------------------------------------


@pytest.mark.parametrize("correction", ["holm", "benjamini_hochberg"])
def test_what_is_undefined_does_not_count(correction):
    p = [0.04, math.nan, 0.01, 0.02, math.nan]
    defined = adjusted([0.04, 0.01, 0.02], correction).tolist()
    given = np.array(p)
    found = adjusted(given, correction).tolist()

    assert [found[0], *found[2:4]] == defined
    assert math.isnan(found[1])
    assert math.isnan(found[4])
    assert given.tolist() == pytest.approx(p, nan_ok=True)


@pytest.mark.parametrize("correction", ["holm", "benjamini_hochberg"])
@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([0.5, 1.5], r"p_values\[1\] is 1.5; a p-value is from 0 to 1"),
        ([-0.1], r"p_values\[0\] is -0.1"),
        ([[0.5]], "p_values must be a flat list"),
        (0.5, "p_values must be a flat list"),
    ],
)
def test_bad_p_values_are_named(correction, p, message):
    with pytest.raises(ValueError, match=message):
        adjusted(p, correction)


# ---- results and errors -------------------------------------------------------------------------


def test_results_are_of_pythons_own_types():
    options = {"clusters": np.array([1, 2]), "margin": np.float32(0.5), "power": 0.5}
    result = compare(np.float32([0.5, 1.0]), [0, 1], alpha=np.float64(0.9), **options)

    assert {type(value) for value in result.values()} == {float, bool, list, str, int}
    assert [type(end) for end in result["confidence_interval"]] == [float, float]


KEYS = [
    *("A_mean", "B_mean", "diff", "p_value", "significant", "confidence_interval"),
    *("test", "statistic", "standard_error"),
]


def test_the_result_says_what_was_asked_for():
    a, b = np.random.default_rng(0).random((2, 60))
    labels = [row // 4 for row in range(60)]
    result = compare(a, b, clusters=labels, margin=0.1, power=0.9, confidence_level=0.9)

    assert list(result) == [*KEYS, "n_clusters", "mde", "p_equivalent", "p_non_inferior"]
    assert result["n_clusters"] == 15
    # Clusters are the units of the t-test: their number, and the deviation that makes the error.
    deviation = result["standard_error"] * math.sqrt(15)
    assert result["mde"] == detectable(deviation, 15, power=0.9)
    assert list(compare(a, b)) == KEYS
    assert math.isnan(compare([0.5], [0.1], power=0.8)["mde"])


def test_nothing_is_assumed_only_where_the_range_is_declared():
    a, b = np.random.default_rng(0).random((2, 30))
    for scores in ((a, b), (a, b - 0.5), (a + 1, b)):
        with pytest.raises(ValueError, match="assume 'nothing' is for means of rows in a known"):
            compare(*scores, assume="nothing")
        few = compare(scores[0][:5], scores[1][:5])
        assert few["confidence_interval"][0] == -few["confidence_interval"][1] < -0.9
        declared = compare(*scores, assume="nothing", bounds=(-2, 3))
        low, high = declared["confidence_interval"]
        assert declared["test"] == "unseen_row"
        assert -5 < low < declared["diff"] < high < 5
    outcomes = compare([1, 0, 1], [0, 0, 1], assume="nothing")
    assert outcomes["confidence_interval"] == compare([1, 0, 1], [0, 0, 1])["confidence_interval"]


@pytest.mark.parametrize("side", ["greater", "less"])
def test_the_interval_of_one_side_reaches_to_the_end_of_the_range(side):
    a, b = np.random.default_rng(0).random((2, 30))
    both = compare(a, b, confidence_level=0.9)["confidence_interval"]
    for bounds, end in (((0, 1), 1.0), (None, math.inf)):
        found = compare(a, b, alternative=side, bounds=bounds)["confidence_interval"]
        assert found == ([both[0], end] if side == "greater" else [-end, both[1]])


def test_ten_equal_rows_exclude_little():
    for scores in ([1] * 10, [0] * 10):
        result = compare(scores, scores)
        assert result["confidence_interval"] == pytest.approx([-0.3085, 0.3085], abs=1e-4)
        assert result["p_value"] == 1.0


def test_few_rows_that_differ_leave_room_for_an_unseen_one():
    """Sign flips alone say [0, 0.02] of these rows: no subset has a mean below 0."""
    equal = np.full(30, 0.5)
    found = compare(np.append(equal, [0.6] * 5), np.append(equal, [0.5] * 5), bounds=(0, 1))

    assert found["confidence_interval"][0] < -0.08
    assert found["p_value"] == 2 / 2**5
    more = compare(np.append(equal, [0.6] * 6), np.append(equal, [0.5] * 6))
    assert more["confidence_interval"][0] > 0


@pytest.mark.parametrize("kind", [int, bool, float])
def test_two_lists_of_outcomes_are_compared_positionally(kind):
    a, b = [1, 1, 1, 1, 1, 1, 0, 1], [0, 0, 0, 0, 0, 0, 0, 1]
    result = metric_commons.compare_rows(list(map(kind, a)), list(map(kind, b)), test="mcnemar")
    module = metric_commons.load("paired_significance")
    assert result == module.compute(predictions1=a, predictions2=b, test="mcnemar")
    assert result["p_value"] == 2 * 0.5**6


# ---- p-value and interval follow from one law ----------------------------------------------------

DIFFERENCES = {
    "wins and losses": lambda rng, n: rng.choice([-1.0, 0.0, 1.0], n, p=[0.2, 0.5, 0.3]),
    "eighths": lambda rng, n: (rng.integers(1, 9, n) - rng.integers(0, 8, n)) / 8,
    "smooth": lambda rng, n: np.clip(rng.normal(0.08, 0.3, n), -1, 1),
    "like F1": lambda rng, n: rng.beta(0.3, 0.4, n) - rng.beta(0.35, 0.4, n),
    "rarely much worse": lambda rng, n: np.where(rng.random(n) < 0.05, -0.95, 0.05),
    "mostly equal": lambda rng, n: np.where(rng.random(n) < 0.5, 0, 0.02) * rng.choice([1, -9], n),
    "some partial credit": lambda rng, n: (
        np.where(rng.random(n) < 0.1, rng.random(n), rng.random(n) < 0.6) - (rng.random(n) < 0.5)
    ),
}
SIZES = 3, 8, 15, 25, 31, 40, 60, 100, 200
LAWS = (
    {},
    {"alternative": "greater"},
    {"alternative": "less"},
    {"assume": "nothing", "bounds": (0, 1)},
    {"test": "t"},
    {"test": "wilcoxon"},
)


@pytest.mark.parametrize(
    "draws", [pytest.param(14, marks=pytest.mark.long), pytest.param(1430, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", DIFFERENCES)
def test_p_is_below_the_level_exactly_if_the_interval_excludes_0(name, draws):
    rng = np.random.default_rng(sorted(DIFFERENCES).index(name))
    significant = 0
    for number in range(draws):
        rows = SIZES[number % len(SIZES)]
        differences = DIFFERENCES[name](rng, rows)
        new = np.clip(differences, 0, 1)
        clusters = rng.integers(0, max(2, rows // 3), rows).tolist() if number % 5 == 4 else None
        for options in LAWS if clusters is None else LAWS[:-1]:
            result = compare(new, new - differences, clusters=clusters, **options)
            low, high = result["confidence_interval"]
            assert (result["p_value"] < 0.05) == (low > 0 or high < 0), (rows, options, result)
            significant += result["p_value"] < 0.05
    assert 0 < significant < len(LAWS) * draws


def test_ends_that_are_approximated_stay_on_the_side_that_was_counted():
    # p is .0501, counted; the approximation, on its own, would leave 0 outside the interval.
    odd = [-0.247, 0.721, 0.941]
    differences = np.repeat([-1.0, 0.0, 1.0, *odd], [10, 27, 20, 1, 1, 1])
    result = compare(np.clip(differences, 0, 1), np.clip(-differences, 0, 1))
    assert (result["test"], result["confidence_interval"][0]) == ("sign_flip_exact", 0.0)
    assert 0.05 < result["p_value"] < 0.0502


@pytest.mark.parametrize("rows", range(34, 40))
def test_a_loss_of_rounding_size_beside_wins(rows):
    wins = np.append(np.random.default_rng(0).random(rows), 0.0)
    wins *= 0.5 / wins.sum()
    losses = np.append(np.zeros(rows), 1e-17)
    result = compare(wins, losses)
    assert result["p_value"] == 2.0 ** (1 - rows)
    assert result["confidence_interval"][0] > 0
