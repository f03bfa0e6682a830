"""The recorded cases of agreement and of corrected rates, beside what peers returned."""

import math
from functools import cache

import pytest
from scipy import stats

from metric_commons.judging import judge_agreement, judge_corrected
from metric_commons.statistics import required_labels
from tests.spec import is_passed_over, recorded


@cache
def cases(module):
    return [
        case
        for case in recorded("preferences")
        if case["module"] == module and not is_passed_over(case)
    ]


def plain(value):
    """A value of a case, with NaN and the infinities as numbers."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [*map(plain, value)]
    return float(value) if value in ("NaN", "Infinity", "-Infinity") else value


def agree(found, expected):
    """The result has these entries, to 1e-9."""
    for name, value in expected.items():
        if isinstance(value, dict):
            agree(found[name], value)
        else:
            assert found[name] == pytest.approx(value, rel=1e-9, abs=1e-9, nan_ok=True), name


def without_ends(expected, options):
    """Leave out recorded ends of "auto": they are of another method, from a cautious variance."""
    if options.get("interval", "auto") != "auto":
        return expected
    of_ends = ("confidence_interval", "effective_n", "design_effect")
    return {name: value for name, value in expected.items() if name not in of_ends}


def names(module):
    return [case["id"] for case in cases(module)]


def case(module, name):
    found = next(case for case in cases(module) if case["id"] == name)
    return {key: plain(found[key]) for key in ("inputs", "options", "peers", "expected")} | {
        "form": found.get("form")
    }


# Agreement

SHORT = {
    "cohen_kappa_none": ("cohen_kappa", {}),
    "cohen_kappa_linear": ("cohen_kappa", {"weights": "linear"}),
    "cohen_kappa_quadratic": ("cohen_kappa", {"weights": "quadratic"}),
    "kendall": ("kendall_tau_b", {}),
    **{
        f"krippendorff_alpha_{level}": ("krippendorff_alpha", {"level": level})
        for level in ("nominal", "ordinal", "interval", "ratio")
    },
    **{
        f"{short}_{weights}": (name, {"weights": weights})
        for short, name in {
            "percent_agreement": "percent_agreement",
            "gwet": "gwet_ac",
            "fleiss": "fleiss_kappa",
            "brennan_prediger": "brennan_prediger",
        }.items()
        for weights in ("identity", "linear", "quadratic", "ordinal")
    },
}


@pytest.mark.parametrize("name", names("judge_agreement"))
def test_agreement(name):
    recorded_case = case("judge_agreement", name)
    inputs, options = recorded_case["inputs"], dict(recorded_case["options"])
    expected = recorded_case["expected"]
    if "error" in expected:
        with pytest.raises(ValueError, match=expected["error"]):
            judge_agreement(**inputs, **options)
        return
    if recorded_case["form"] == 2 or options.get("swapped"):
        agree(judge_agreement(**inputs, **options), without_ends(expected, options))
        return
    options.pop("measures", None)
    for key, value in expected.items():
        measure, weighting = SHORT.get(key, (key, {}))
        result = judge_agreement(**inputs, **options, **weighting, measures=[measure])
        agree(result, {measure: value})


def test_agreement_of_irrcac():
    """Errors of irrCAC, whose intervals are Student's around the value, cut at 1."""
    kinds = {"gwet": "gwet_ac", "fleiss": "fleiss_kappa", "bp": "brennan_prediger"}
    compared = 0
    for name in names("judge_agreement"):
        recorded_case = case("judge_agreement", name)
        for peer, values in recorded_case["peers"].items():
            if not peer.startswith("irrCAC 0.4.4 ") or "table" in peer:
                continue
            weights = peer.removeprefix("irrCAC 0.4.4 ")
            for short, value in values.items():
                if short not in kinds or not math.isfinite(value.get("standard_error", math.nan)):
                    continue
                result = judge_agreement(
                    **recorded_case["inputs"],
                    measures=[kinds[short]],
                    weights=weights,
                    confidence_level=0.95,
                    n_resamples=10,
                )
                measure = kinds[short]
                error = result["standard_error"][measure]
                assert error == pytest.approx(value["standard_error"], abs=1e-9)
                ratings = recorded_case["inputs"]["predictions"]
                units = [unit for unit in ratings if any(r is not None for r in unit)]
                reach = stats.t.ppf(0.975, len(units) - 1) * error
                ends = [result[measure] - reach, min(result[measure] + reach, 1.0)]
                assert ends == pytest.approx([value["low"], value["high"]], abs=1e-9)
                compared += 1
    assert compared > 100


# Corrected rates

KEYS = {"estimate": "judge_corrected", "lambda": "power_tuning"}


@pytest.mark.parametrize("name", names("judge_corrected"))
def test_corrected_rates(name):
    recorded_case = case("judge_corrected", name)
    inputs, options = recorded_case["inputs"], dict(recorded_case["options"])
    expected = dict(recorded_case["expected"])
    options.pop("interval", None)
    if "error" in expected:
        words = {"judge no better than chance": "does no better than chance"}
        message = words.get(expected["error"], expected["error"])
        with pytest.raises(ValueError, match=message):
            judge_corrected(**inputs, **options)
        return
    if recorded_case["form"] != 2:
        ends = expected.pop("low", None), expected.pop("high", None)
        if options.get("method") != "rogan_gladen":
            options.setdefault("score_range", (-1e9, 1e9))
        expected.pop("estimate_unclipped", None)
        expected = {KEYS.get(key, key): value for key, value in expected.items()}
        result = judge_corrected(**inputs, **options)
        if None not in ends and options.get("method") != "rogan_gladen":
            # The peer's are those of a normal distribution.
            reach = stats.norm.ppf(0.5 + options.get("confidence_level", 0.95) / 2)
            reach *= result["standard_error"]
            value = result["judge_corrected"]
            assert [value - reach, value + reach] == pytest.approx(ends, rel=1e-9, abs=1e-9)
    agree(judge_corrected(**inputs, **options), without_ends(expected, options))


@pytest.mark.parametrize("name", names("required_labels"))
def test_required_labels(name):
    recorded_case = case("required_labels", name)
    labels = required_labels(**recorded_case["inputs"], **recorded_case["options"])

    assert labels == recorded_case["expected"]["labels"]
