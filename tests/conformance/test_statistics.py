"""Intervals, paired tests, power and ranks beside what R, scipy, statsmodels and others returned.

The values are recorded. A case names the module whose result should hold them. Pairs of systems are
asked of the module; for the others it is the functions behind the modules.
"""

from functools import cache

import evaluate
import numpy as np
import pytest

from metric_commons.statistics import (
    detectable,
    interval,
    letters,
    power_of,
    rank_intervals,
    rows_needed,
    tiers,
)
from metric_commons.statistics.intervals.proportions import proportion_interval
from metric_commons.statistics.tests.corrections import adjusted
from metric_commons.statistics.tests.laws import UnseenRow
from metric_commons.statistics.tests.significance import PairedUnits
from tests.spec import ROOT, recorded


@cache
def cases():
    """The recorded cases by id."""
    return {case["id"]: case for case in recorded("statistics")}


def named(kind):
    return [name for name, case in cases().items() if case["kind"] == kind]


def number(value):
    """NaN and infinities are recorded as words."""
    return float(value) if isinstance(value, str) else value


def agree(values, expected, rel=1e-9):
    expected = [number(value) for value in expected]
    assert list(values) == pytest.approx(expected, rel=rel, abs=1e-15, nan_ok=True)


def close(value, expected, rel=1e-9):
    agree([value], [expected], rel)


def test_every_case_is_asked():
    kinds = ("proportion", "bounded", "clusters", "errors", "classification", "auc", "paired")
    assert sorted(cases()) == sorted(
        name for kind in (*kinds, "power", "ranks") for name in named(kind)
    )
    assert len(cases()) == 77
    assert len(named("paired")) == 17  # as the card of paired_significance says


@pytest.mark.parametrize("name", named("proportion"))
def test_a_proportion(name):
    case = cases()[name]
    right, rows = case["inputs"]["right"], case["inputs"]["rows"]
    scores, level = [1.0] * right + [0.0] * (rows - right), case["options"]["confidence_level"]
    expected = case["expected"]

    result = interval(scores, confidence_level=level)
    agree(result[:2], expected["confidence_interval"])
    assert result.method == expected["interval"]
    for name in {"wilson", "clopper_pearson"} & case["exact"].keys():
        method = "wilson" if name == "wilson" else "auto"
        ends = case["exact"][name]
        agree(interval(scores, confidence_level=level, method=method)[:2], ends)
        counted = proportion_interval(right, rows, level, method)
        agree(counted[:2], ends)


@pytest.mark.parametrize("name", named("bounded") + named("clusters"))
def test_students_interval_is_that_of_peers(name):
    case, peers = cases()[name], cases()[name]["peers"]
    scores, clusters = case["inputs"]["predictions"], case["options"].get("clusters")
    level = case["options"]["confidence_level"]
    result = interval(scores, clusters=clusters, confidence_level=level, method="t")

    sizes = {clusters.count(label) for label in clusters} if clusters else {1}
    if "t" in peers.get("scipy 1.17.1", {}):
        agree(result[:2], peers["scipy 1.17.1"]["t"])
    if clusters and len(set(clusters)) > 1:
        close(result.standard_error, peers["inspect_ai 0.3.285"]["stderr"], 1e-12)
        if len(sizes) == 1:  # of clusters of unequal sizes it takes the number for the Kish number
            agree(result[:2], peers["inspect_ai 0.3.285"]["ci_t"])


@cache
def load(name):
    return evaluate.load(str(ROOT / "metrics" / name))


@pytest.mark.parametrize("name", named("paired"))
def test_two_systems(name):
    case, expected, peers = cases()[name], cases()[name]["expected"], cases()[name]["peers"]
    clusters = case["options"].get("clusters")

    def compute(**options):
        return load("paired_significance").compute(**case["inputs"], **case["options"] | options)

    result = compute()
    differences = np.subtract(*case["inputs"].values())
    for key in ("diff", "p_value", "mde"):
        if key in expected:
            close(result[key], expected[key])
    assert result["test"] == f"sign_flip_{expected['p_method']}"
    assert result["significant"] is (expected["p_value"] < 0.05)
    if "p_permutation" in case.get("exact", {}):
        close(result["p_value"], case["exact"]["p_permutation"])
    assert result.get("n_clusters") == (len(set(clusters)) if clusters else None)
    level = case["options"]["confidence_level"]
    low, high = result["confidence_interval"]
    assert (result["p_value"] < 1 - level) is not (low <= 0 <= high)
    units = PairedUnits.of(differences, clusters)
    by_bounds = compute(assume="nothing", bounds=(0.0, 1.0))
    ends = UnseenRow(units.numbers, units.sizes, (-1.0, 1.0)).interval(1 - level)
    assert by_bounds["confidence_interval"] == pytest.approx([*ends], rel=1e-12)
    # The distribution of the interval replaces Bonett and Price's and the t-tests of a margin;
    # these stay under "t".
    if "ttest_rel_p" in peers.get("scipy 1.17.1", {}):
        close(compute(test="t")["p_value"], peers["scipy 1.17.1"]["ttest_rel_p"])
    statsmodels = peers.get("statsmodels 0.15.0", {})
    if "mcnemar_exact_p" in statsmodels and clusters is None:
        close(compute(test="mcnemar")["p_value"], statsmodels["mcnemar_exact_p"])
    if "tost_p" in statsmodels and len(set(differences.tolist())) > 1:
        by_t = compute(test="t")
        close(by_t["p_non_inferior"], statsmodels["tost_lower_p"])
        close(by_t["p_equivalent"], statsmodels["tost_p"])


@pytest.mark.parametrize("name", named("power"))
def test_power(name):
    case, expected = cases()[name], cases()[name]["expected"]
    effect, deviation, rows = (
        case["inputs"][key] for key in ("effect", "standard_deviation", "rows")
    )
    alpha, power = case["options"]["alpha"], case["options"]["power"]

    close(power_of(effect, deviation, rows, alpha), expected["power"])
    close(detectable(deviation, rows, alpha, power), expected["mde"])
    assert rows_needed(effect, deviation, alpha, power) == expected["required_rows"]


@pytest.mark.parametrize("name", named("ranks"))
def test_ranks(name):
    case, expected = cases()[name], cases()[name]["expected"]
    means, p_values = case["inputs"]["means"], case["inputs"]["p_adjusted"]
    alpha = case["options"]["alpha"]

    assert rank_intervals(means, p_values, alpha) == expected["rank_interval"]
    assert tiers(means, p_values, alpha) == expected["tiers"]
    assert letters(means, p_values, alpha) == expected["letters"]
    assert letters(means, p_values, alpha) == case["peers"]["R multcompView 0.1-8"]["letters"]
    pairs = np.array(p_values)[np.tril_indices(len(means), -1)]
    corrected = case["peers"]["statsmodels 0.15.0"]
    agree(adjusted(pairs, "holm"), corrected["holm_of_p"])
    agree(adjusted(pairs, "benjamini_hochberg"), corrected["fdr_bh_of_p"])
