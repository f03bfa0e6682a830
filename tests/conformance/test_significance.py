"""P-values beside those of scipy, UltraRAG and ranx, and beside exact ones."""

import ast
import math
import random
import re
from functools import cache

import evaluate
import numpy as np
import pytest
from scipy import stats

from metric_commons.statistics import compare
from metric_commons.statistics.tests.corrections import adjusted
from tests.cards import rows_below
from tests.spec import ROOT, recorded, rounds

RESAMPLES = 10_000
ALTERNATIVES = ["two-sided", "greater", "less"]


@cache
def load():
    return evaluate.load(str(ROOT / "metrics" / "paired_significance"))


@cache
def cases():
    """The recorded pairs of systems, by name."""
    return {case["id"]: case for case in recorded("ir") if case["group"] == "sig"}


def comparable():
    """Those that have rows, and a number in each."""
    return [name for name, case in cases().items() if case["expected"].get("n")]


def compute(case, **options):
    options = {"confidence_level": None} | options
    return load().compute(predictions1=case["a"], predictions2=case["b"], **options)


def p_of(differences, **options):
    """The p-value of differences, as scores beside 0."""
    nothing = np.zeros(len(differences))
    return compare(differences, nothing, confidence_level=None, **options)["p_value"]


def standard_error(p, *resamples):
    """Of the difference between p-values of so many resamples each."""
    return math.sqrt(p * (1 - p) * sum(1 / drawn for drawn in resamples))


# Recorded pairs of systems


def test_the_pairs_are_those_of_the_card():
    expected = [cases()[name]["expected"] for name in comparable()]

    assert len(expected) == 20
    assert sorted(each["n"] for each in expected if "p_permutation_exact" in each)[-1] == 20
    drawn = sorted(each["n"] for each in expected if "p_permutation_mc" in each)
    assert (len(drawn), drawn[0], drawn[-1]) == (8, 43, 300)
    assert sum("REAL" in cases()[name]["why"] for name in comparable()) == 5


@pytest.mark.parametrize("name", comparable())
def test_a_pair(name):
    case, expected, peers = cases()[name], cases()[name]["expected"], cases()[name]["peers"]
    result = compute(case)
    p = result["p_value"]
    for key in ("A_mean", "B_mean", "diff"):
        assert result[key] == pytest.approx(expected[key], rel=1e-12, abs=1e-15)
    assert p > 0
    if "p_permutation_exact" in expected:
        assert p == expected["p_permutation_exact"] == compute(case, seed=9)["p_value"]
    else:
        drawn = expected["p_permutation_mc"]
        error = standard_error(drawn, expected["mc_resamples"])
        assert abs(p - drawn) <= 4 * error + 0.02 * drawn + 1 / expected["mc_resamples"]
    t, wilcoxon = (compute(case, test=test)["p_value"] for test in ("t", "wilcoxon"))
    if "scipy_ttest_rel" in peers:
        theirs = float(peers["scipy_ttest_rel"]["p"])
        no_difference = math.isnan(theirs)  # of rows that are all alike, for which scipy has NaN
        assert t == (1.0 if no_difference else pytest.approx(theirs, rel=1e-12, abs=1e-100))
    if "scipy_wilcoxon" in peers:
        theirs = peers["scipy_wilcoxon"]
        assert wilcoxon == pytest.approx(1.0 if theirs == "all-zero" else theirs, rel=1e-12)
    for peer, theirs in peers.items():
        drawn = re.fullmatch(r"(?:ultrarag|ranx_fisher|scipy_permutation)_(\d+)_\w+", peer)
        if drawn:
            # Here nothing is drawn; scipy's p-value near 0 is 2 (0 + 1) / (10,000 + 1).
            error = standard_error(p, int(drawn[1]))
            assert abs(p - theirs) <= 4 * error + 0.02 * p + 2 / RESAMPLES, peer


def test_what_has_no_rows_or_no_number_is_refused():
    with pytest.raises(ValueError, match="predictions1 is empty"):
        compute(cases()["sig-000"])
    with pytest.raises(ValueError, match=r"predictions\d\[\d\] is None"):
        compute(cases()["sig-032"])


# scipy, live


def scores(rows, seed, kind):
    rng = np.random.default_rng(seed)
    if kind == "quarters":  # with ties and zeros, and without rounding
        return rng.integers(0, 5, rows) / 4, rng.integers(0, 5, rows) / 4
    if kind == "large":
        return 1e6 + rng.normal(size=rows), 1e6 + rng.normal(size=rows)
    a = rng.normal(size=rows)
    return a, a + rng.normal(0.2, 0.5, rows)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("kind", ["quarters", "large", "correlated"])
@pytest.mark.parametrize(
    "rows", [2, 3, 5, 7, pytest.param(13, marks=pytest.mark.slow), 14, 30, 50, 51, 300, 5000]
)
@rounds(2, 5)
def test_t_and_wilcoxon_are_those_of_scipy(rows, kind, alternative, rounds):
    for seed in range(1 if rows == 13 else rounds):  # of 13 rows with ties scipy takes seconds
        a, b = scores(rows, seed, kind)
        if kind == "quarters" and np.ptp(a - b) == 0:
            continue
        theirs = {
            "t": stats.ttest_rel(a, b, alternative=alternative),
            "wilcoxon": stats.wilcoxon(a, b, alternative=alternative),
        }
        for test, their in theirs.items():
            found = compare(a - b, np.zeros(rows), test=test, alternative=alternative)
            assert found["p_value"] == pytest.approx(their.pvalue, rel=1e-12)
            assert found["statistic"] == pytest.approx(their.statistic, rel=1e-12)
            assert found["standard_error"] == pytest.approx(stats.sem(a - b), rel=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("kind", ["quarters", "correlated"])
@pytest.mark.parametrize("rows", [2, 7, 13])
def test_few_rows_are_counted_as_by_scipy(rows, kind, alternative):
    for seed in range(5):
        a, b = scores(rows, seed, kind)
        theirs = scipys(a - b, alternative=alternative).pvalue
        assert p_of(a - b, alternative=alternative) == pytest.approx(theirs, rel=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("rows", [40, 200])
def test_many_rows_are_near_what_scipy_draws(rows, alternative):
    a, b = scores(rows, rows, "correlated")
    ours = p_of(0.3 * (a - b) + 0.05, alternative=alternative)
    theirs = scipys(0.3 * (a - b) + 0.05, alternative=alternative).pvalue

    assert abs(ours - theirs) <= 4 * standard_error(ours, RESAMPLES / 2) + 2e-4


def scipys(differences, **options):
    return stats.permutation_test(
        (differences,),
        lambda x, axis: np.mean(x, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(0),
        **options,
    )


def test_false_discovery_rates_are_those_of_scipy():
    rng = np.random.default_rng(0)
    for tests in (1, 2, 16, 300):
        p = rng.random(tests) ** 3
        assert adjusted(p, "benjamini_hochberg") == pytest.approx(
            stats.false_discovery_control(p), rel=1e-12
        )


# Sums that are equal but for rounding


def exact_in_steps(steps):
    """The p-value of whole differences, from the number of ways to each sum."""
    ways = [1]
    for step in map(abs, steps):
        ways = [
            (ways[total] if total < len(ways) else 0)
            + (ways[total - 2 * step] if 0 <= total - 2 * step < len(ways) else 0)
            for total in range(len(ways) + 2 * step)
        ]
    middle = sum(map(abs, steps))
    extreme = sum(n for total, n in enumerate(ways) if abs(total - middle) >= abs(sum(steps)))
    return extreme / 2 ** len(steps)


def without_tolerance(differences, resamples):
    """UltraRAG's definition: the share of means at least as far from 0."""
    draw = random.Random(0)
    observed = abs(sum(differences) / len(differences))
    extreme = 0
    for _ in range(resamples):
        total = sum(d if draw.getrandbits(1) else -d for d in differences)
        extreme += abs(total / len(differences)) >= observed
    return extreme / resamples


def test_steps_of_a_tenth():
    rng = np.random.default_rng(10)
    b = rng.integers(0, 10, 100)
    a = np.clip(b + rng.integers(-1, 2, 100), 0, 10)
    exact = exact_in_steps((a - b).tolist())
    differences = a / 10 - b / 10

    assert p_of(differences) == pytest.approx(exact, rel=1e-12)
    too_small = without_tolerance(differences.tolist(), 2000)
    assert too_small < exact - 4 * standard_error(exact, 2000)


# What the card says


def value(cell):
    """What a cell says in Python's words."""
    return eval(cell.strip("`"), {"float": float, "__builtins__": {}})


@pytest.mark.parametrize(
    "row", rows_below("paired_significance", "Edge cases"), ids=lambda row: " ".join(row[:3])
)
def test_an_edge_case_of_the_card(row):
    a, b, options, result, why = row
    call = {"predictions1": value(a), "predictions2": value(b)}
    if options:
        name, _, chosen = options.strip("`").partition("=")
        call[name] = ast.literal_eval(chosen)

    if result == "error":
        with pytest.raises(ValueError, match=f"^{re.escape(why)}$"):
            load().compute(**call)
    else:
        found = load().compute(**call)
        assert found["p_value"] == pytest.approx(float(result), rel=1e-15, abs=0, nan_ok=True)
        assert not (math.isnan(found["p_value"]) and found["significant"])
