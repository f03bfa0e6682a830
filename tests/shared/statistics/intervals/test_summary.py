import math
from fractions import Fraction

import datasets
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metric_commons.statistics import interval
from metric_commons.statistics.intervals.intervals import mean_interval
from metric_commons.statistics.intervals.summary import (
    Average,
    mean,
    summarize,
    summarize_inputs,
)

SCORES = {"f1": np.array([0.1, 0.2, 0.3, 1.0, 0.7]), "em": np.array([0.0, 0.0, 0.0, 1.0, 1.0])}
LABELS = ["b", "a", "b", "ab", "a"]


# ---- the mean -----------------------------------------------------------------------------------


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=50), st.randoms())
def test_the_mean_is_that_of_the_exact_sum_in_any_order(values, random):
    expected = float(sum(map(Fraction, values))) / len(values)
    assert mean(values) == expected

    random.shuffle(values)
    assert mean(np.array(values)) == expected


@pytest.mark.parametrize("power", [-300, -1, 0, 280])
def test_the_mean_of_many_is_that_of_the_exact_sum(power):
    values = np.random.default_rng(power + 300).standard_normal(10_000) * 10.0**power
    for scores in (values, np.abs(values), np.sign(values), np.where(values > 0, values, -0.0)):
        assert mean(scores) == math.fsum(scores.tolist()) / scores.size


# ---- what a module returns ----------------------------------------------------------------------


def test_intervals_are_those_of_each_score():
    result = summarize(SCORES, confidence_level=0.8)

    for name, values in SCORES.items():
        expected = interval(values, confidence_level=0.8)
        assert result["confidence_interval"][name] == [expected.low, expected.high]
        assert result["interval"][name] == expected.method
        assert result["standard_error"][name] == expected.standard_error
        assert result["effective_n"][name] == 5
    assert result["interval"] == {"f1": "law", "em": "clopper_pearson"}
    assert "n_clusters" not in result


def resampled(values):
    options = {"confidence_level": 0.8, "n_resamples": 50, "seed": 3}
    return interval(values, method="bootstrap", bounds=(-math.inf, math.inf), **options)[:2]


def test_standard_errors_come_alone():
    errors = {name: float(stats.sem(values)) for name, values in SCORES.items()}
    result = summarize(SCORES, standard_error=True)

    assert result.keys() == {"f1", "em", "standard_error"}
    assert result["standard_error"] == pytest.approx(errors, rel=1e-14)


CLUSTERS = ["x", "x", "y", "z", "z"]


def test_clusters_change_intervals_and_no_score():
    plain = summarize(SCORES, confidence_level=0.9, groups=LABELS)
    result = summarize(SCORES, confidence_level=0.9, groups=LABELS, clusters=CLUSTERS)

    assert {name: result[name] for name in SCORES} == {name: plain[name] for name in SCORES}
    assert result["n_clusters"] == 3
    for name, values in SCORES.items():
        expected = interval(values, confidence_level=0.9, clusters=CLUSTERS)
        assert result["confidence_interval"][name] == [expected.low, expected.high]
        effect = (expected.standard_error / interval(values).standard_error) ** 2
        assert result["design_effect"][name] == pytest.approx(effect)
        assert result["effective_n"][name] == pytest.approx(5 / max(1, effect))
    assert result["groups"]["b"]["n_clusters"] == 2
    rows_of_b = interval(SCORES["f1"][[0, 2]], confidence_level=0.9, clusters=["x", "y"])
    assert result["groups"]["b"]["confidence_interval"]["f1"] == [rows_of_b.low, rows_of_b.high]
    assert summarize(SCORES, clusters=CLUSTERS) == summarize(SCORES)


def test_wrong_clusters_are_named_even_if_no_interval_is_asked_for():
    with pytest.raises(ValueError, match=r"^clusters has 2 labels, but there are 5 rows"):
        summarize(SCORES, clusters=["a", "b"])


def test_a_ratio_may_be_rounded_to_above_its_bound():
    values = np.array([1.0 + 2.0**-52, 0.5])
    expected = summarize({"ndcg": np.array([1.0, 0.5])}, confidence_level=0.9)
    result = summarize({"ndcg": values}, confidence_level=0.9)

    assert result["confidence_interval"] == expected["confidence_interval"]


def test_groups_come_in_the_order_of_their_labels():
    result = summarize(SCORES, groups=LABELS)["groups"]

    assert list(result.items()) == [
        ("a", {"f1": mean([0.2, 0.7]), "em": 0.5, "n": 2}),
        ("ab", {"f1": 1.0, "em": 1.0, "n": 1}),
        ("b", {"f1": mean([0.1, 0.3]), "em": 0.0, "n": 2}),
    ]


def series(labels):
    pandas = pytest.importorskip("pandas")
    return pandas.Series(labels, index=range(len(labels), 0, -1))


@pytest.mark.parametrize(
    "container",
    [
        tuple,
        np.array,
        pa.array,
        series,
        lambda labels: series(labels).astype("category"),
        lambda labels: datasets.Dataset.from_dict({"label": labels})["label"],
    ],
    ids=["tuple", "numpy", "pyarrow", "pandas", "pandas categories", "datasets"],
)
@pytest.mark.parametrize("labels", [LABELS, [2, 10, 2, -1, 10], [True, False, True, True, False]])
def test_labels_may_be_in_any_container(container, labels):
    assert summarize(SCORES, groups=container(labels)) == summarize(SCORES, groups=labels)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (["a"], "groups has 1 labels, but there are 5 rows"),
        ([], "groups has 0 labels, but there are 5 rows"),
        ("abcde", "groups must be one label per row or None, got .abcde"),
        (iter(LABELS), "groups must be one label per row or None, got "),
        (set("abcde"), "groups must be one label per row or None, got "),
        (dict.fromkeys("abcde"), "groups must be one label per row or None, got "),
        (["a", "b", None, "c", "d"], r"groups\[2\] is None; every row needs a label"),
        (["a", math.nan, "b", "c", "d"], r"groups\[1\] is nan; every row needs a label"),
        ([1, 2, "1", 3, 4], r"groups\[2\] is '1', but an earlier row has 1: both would be"),
    ],
)
def test_wrong_groups_are_named(groups, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        summarize(SCORES, groups=groups)


def test_a_single_row_has_an_interval_and_no_error():
    result = summarize({"em": [1.0]}, confidence_level=0.95)

    assert result["confidence_interval"] == {"em": [pytest.approx(0.025), 1.0]}
    assert result["standard_error"] == result["effective_n"] == {}


def test_an_effective_number_is_never_above_the_number_of_rows():
    scores = {"em": [1.0, 0.0] * 5, "same": [1.0] * 10}
    result = summarize(scores, confidence_level=0.9, clusters=[row // 2 for row in range(10)])

    assert result["design_effect"]["em"] < 1
    assert result["effective_n"] == {"em": 10.0, "same": 10.0}


def test_a_kernel_knows_nothing_of_groups_clusters_and_keys():
    calls = []

    def kernel(*, x, weights, uncertainty):
        calls.append((len(x), None if uncertainty is None else uncertainty.clusters))
        assert weights is None
        of_all = {"mean": float(np.mean(x))}
        if uncertainty is None:
            return of_all, {}
        return of_all, {"mean": mean_interval(np.asarray(x), uncertainty)}

    columns = {"x": [0.0, 0.5, 1.0, 0.5], "weights": None}
    options = {"groups": list("abab"), "clusters": list("xxyy")}
    assert summarize_inputs(kernel, columns, groups=list("abab"))["groups"]["b"]["n"] == 2
    assert calls == [(4, None), (2, None), (2, None)]
    result = summarize_inputs(kernel, columns, confidence_level=0.9, **options)
    assert result["n_clusters"] == 2
    assert result["groups"]["a"]["confidence_interval"].keys() == {"mean"}
    with pytest.raises(ValueError, match="clusters of several fields are for means"):
        summarize_inputs(
            kernel, columns, confidence_level=0.9, clusters={"i": list("aabb"), "j": list("abab")}
        )


# ---- scores that are not means ------------------------------------------------------------------

GEOMETRIC = Average(
    before=np.log,
    after=lambda mean, rows: math.exp(mean),
    slope=lambda mean, rows: math.exp(mean),
    bounds=(-math.inf, math.inf),
)
TOTAL = Average(
    after=lambda mean, rows: mean * rows, slope=lambda mean, rows: rows, bounds=(0.0, math.inf)
)


def test_scores_may_be_averaged_otherwise():
    scores = {"gm": np.array([1.0, 4.0]), "total": np.array([1.0, 4.0]), "am": np.array([1.0, 4.0])}
    result = summarize(scores, {"gm": GEOMETRIC, "total": TOTAL}, groups=["x", "y"])

    assert result["gm"] == pytest.approx(2.0)
    assert (result["total"], result["am"]) == (5.0, 2.5)
    assert result["groups"]["y"] == {"gm": pytest.approx(4.0), "total": 4.0, "am": 4.0, "n": 1}


def test_an_interval_is_that_of_what_is_averaged():
    values = SCORES["f1"]
    options = {"confidence_level": 0.8, "n_resamples": 50, "seed": 3}
    averages = {"gm": GEOMETRIC, "total": TOTAL}
    scores = dict.fromkeys(averages, values)
    result = summarize(scores, averages, interval="bootstrap", **options)

    assert result["confidence_interval"] == {
        "gm": [math.exp(end) for end in resampled(np.log(values))],
        "total": [end * 5 for end in resampled(values)],
    }

    result = summarize(scores, averages, confidence_level=0.8)
    logarithms = interval(np.log(values), confidence_level=0.8, bounds=(-math.inf, math.inf))
    assert result["interval"] == {"gm": "t", "total": "law"}
    assert result["confidence_interval"]["gm"] == [
        math.exp(logarithms.low),
        math.exp(logarithms.high),
    ]
    assert result["standard_error"]["gm"] == logarithms.standard_error * stats.gmean(values)
    assert result["standard_error"]["total"] == pytest.approx(5 * stats.sem(values), rel=1e-14)
