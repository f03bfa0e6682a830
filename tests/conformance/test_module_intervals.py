"""The recorded intervals again, through `compute` of the modules that the cases name."""

import math

import pytest

from metric_commons import load
from tests.conformance.test_statistics import agree, cases, close, named


def compute(module, case, **options):
    return load(module).compute(**case["inputs"], **case["options"], **options)


@pytest.mark.parametrize("name", named("bounded") + named("clusters"))
def test_the_default_of_scores_of_a_range(name):
    case, expected = cases()[name], cases()[name]["expected"]
    result = compute("win_rate", case)

    scores, clusters = case["inputs"]["predictions"], case["options"].get("clusters")
    is_proportion = clusters is None and set(scores) <= {0, 1}
    assert result["interval"]["win_rate"] == ("clopper_pearson" if is_proportion else "law")
    low, high = result["confidence_interval"]["win_rate"]
    assert 0 <= low <= result["win_rate"] <= high <= 1
    assert low < high
    close(result["standard_error"], expected["standard_error"])


@pytest.mark.parametrize("name", named("errors"))
def test_errors_without_an_upper_bound(name):
    case = cases()[name]
    result = compute("regression", case)

    for measure in ("mae", "mse", "rmse"):
        low, high = result["confidence_interval"][measure]
        assert 0 <= low <= result[measure] <= high
        is_known = result[measure] > 0 or len(set(case["inputs"]["references"])) > 1
        assert (high < math.inf) == is_known  # else nothing shows how large an error may be
        assert low < high or result[measure] == 0


@pytest.mark.parametrize("name", named("classification"))
def test_counts_of_two_labels(name):
    case = cases()[name]
    result = compute("classification", case)

    for score in ("accuracy", "precision", "recall", "specificity", "f1"):
        agree(result["confidence_interval"][score], case["exact"][f"{score}_interval"])
        assert result["interval"][score] == "clopper_pearson"


@pytest.mark.parametrize("name", named("auc"))
def test_the_area_under_the_roc_curve(name):
    case, expected = cases()[name], cases()[name]["expected"]
    result = compute("classification", case)

    close(result["roc_auc"], expected["roc_auc"], 1e-15)
    close(result["standard_error"]["roc_auc"], math.sqrt(expected["delong_variance"]))
    low, high = result["confidence_interval"]["roc_auc"]
    assert 0 <= low < result["roc_auc"] <= high <= 1
