"""Intervals of regression measures, beside those of the errors of rows and of drawn clusters."""

import math

import numpy as np
import pytest

from metric_commons.regression.errors import regression_scores
from metric_commons.statistics import interval

RNG = np.random.default_rng(9)
ROWS = 60
REFERENCES = RNG.normal(5, 1, ROWS)
PREDICTIONS = REFERENCES + RNG.normal(0, 0.5, ROWS)
CLUSTERS = [f"c{number:02}" for number in RNG.integers(0, 12, ROWS)]
ERRORS = np.abs(REFERENCES - PREDICTIONS)
TERMS = {
    "mae": ERRORS,
    "mse": np.square(ERRORS),
    "mape": ERRORS / np.abs(REFERENCES),
    "smape": 2 * ERRORS / (np.abs(REFERENCES) + np.abs(PREDICTIONS)),
}


@pytest.mark.parametrize("clusters", [None, CLUSTERS])
@pytest.mark.parametrize("measure", TERMS)
def test_mean_errors_are_means_of_rows(measure, clusters):
    options = {"confidence_level": 0.9, "clusters": clusters}
    result = regression_scores(PREDICTIONS, REFERENCES, measures=measure, **options)
    bounds = (0.0, 2.0) if measure == "smape" else (0.0, math.inf)
    expected = interval(TERMS[measure], bounds=bounds, **options)

    ends = result["confidence_interval"][measure]
    assert ends == pytest.approx([expected.low, expected.high], rel=1e-12)
    assert result["interval"][measure] == expected.method
    error = result["standard_error"][measure]
    assert error == pytest.approx(expected.standard_error, rel=1e-12)


def test_rmse_is_the_root_of_mse():
    result = regression_scores(
        PREDICTIONS, REFERENCES, measures=["mse", "rmse"], confidence_level=0.9
    )
    ends = result["confidence_interval"]
    assert ends["rmse"] == pytest.approx([math.sqrt(end) for end in ends["mse"]], rel=1e-12)


def test_a_method_that_a_measure_cannot_have_is_named_with_it():
    with pytest.raises(ValueError, match=r"^interval of r2: 't' is for means of rows"):
        regression_scores(PREDICTIONS, REFERENCES, confidence_level=0.9, interval="t")
    with pytest.raises(ValueError, match=r"^interval of mae: 'wilson' is for scores 0 and 1"):
        regression_scores(
            PREDICTIONS, REFERENCES, measures="mae", confidence_level=0.9, interval="wilson"
        )


def test_several_outputs():
    references = np.column_stack([REFERENCES, 3 * REFERENCES])
    predictions = np.column_stack([PREDICTIONS, 3 * REFERENCES + 1])
    options = {"measures": ["mae", "rmse"], "confidence_level": 0.9}
    listed = regression_scores(predictions, references, multioutput="raw_values", **options)
    alone = regression_scores(PREDICTIONS, REFERENCES, **options)
    for measure in ("mae", "rmse"):
        ends = listed["confidence_interval"][measure]
        assert ends[0] == pytest.approx(alone["confidence_interval"][measure], rel=1e-12)
    averaged = regression_scores(predictions, references, **options)
    expected = interval((ERRORS + 1) / 2, bounds=(0.0, math.inf), confidence_level=0.9)
    ends = averaged["confidence_interval"]["mae"]
    assert ends == pytest.approx([expected.low, expected.high], rel=1e-9)
    assert averaged["interval"] == {"mae": "law", "rmse": "law"}


@pytest.mark.parametrize("clusters", [None, ["b", "a", "c", "d", "d"]])
def test_one_unit_may_hold_all_variation(clusters):
    references, predictions = [0.0, 0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 0.0, 0.5, 1.0]
    rows = slice(None) if clusters else slice(4)  # of rows that stand alone, one differs
    measures = ["r2", "explained_variance", "d2_absolute_error", "pearson", "concordance"]
    result = regression_scores(
        predictions[rows],
        references[rows],
        measures=measures,
        confidence_level=0.9,
        clusters=clusters,
    )
    for name in measures:
        low, high = result["confidence_interval"][name]
        assert low < result[name] < high <= 1


@pytest.mark.parametrize("rows", [2, 3, 9])
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("kind", ["equal errors", "no errors", "constant references", "usual"])
def test_every_number_has_an_interval_in_its_range(rows, clustered, kind):
    rng = np.random.default_rng(rows)
    references = rng.normal(size=rows) if kind != "constant references" else np.full(rows, 2.0)
    errors = {"equal errors": 0.5, "no errors": 0.0}.get(kind, rng.normal(size=rows))
    measures = [*TERMS, "rmse", "r2", "explained_variance", "d2_absolute_error", "pearson"]
    measures += ["concordance", "spearman", "kendall", "median_ae", "max_error"]
    clusters = [row // 2 for row in range(rows)] if clustered else None
    options = {"confidence_level": 0.9, "clusters": clusters, "n_resamples": 200}
    result = regression_scores(references + errors, references, measures=measures, **options)
    for name in measures:
        low, high = result["confidence_interval"][name]
        if not math.isnan(result[name]):
            assert low <= result[name] <= high
        if name in ("pearson", "spearman", "kendall", "concordance"):
            assert not low < -1
            assert not high > 1
        elif name in ("r2", "explained_variance", "d2_absolute_error"):
            assert not high > 1
        else:
            assert low >= 0


def test_two_units_that_differ_have_intervals():
    references, predictions = [0.0, 0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 0.0, 0.5, 1.0]
    measures = ["r2", "explained_variance", "d2_absolute_error", "pearson", "concordance"]
    result = regression_scores(predictions, references, measures=measures, confidence_level=0.9)
    for name in measures:
        low, high = result["confidence_interval"][name]
        assert low < result[name] < high <= 1


@pytest.mark.parametrize("measure", ["interval_width", "winkler(alpha=0.1)"])
def test_a_prediction_interval_wider_than_any_float_is_named(measure):
    intervals, references = [[0.0, 1.0], [-1.7e308, 1.7e308]], [0.0, 0.0]
    with pytest.raises(ValueError, match=r"predictions\[1\] is .* has a score within float64"):
        regression_scores(intervals, references, measures=measure)
    assert regression_scores([[0.0, 1e308]], [1.0], measures=measure)[measure] == 1e308


@pytest.mark.parametrize("measure", ["mae", "mse", "rmse"])
def test_ends_beyond_the_largest_float_are_infinite(measure):
    columns = [1.7e308, -1.2e308, 1.5e308], [-1e308, 1.5e308, -1.1e308]
    result = regression_scores(*columns, measures=measure, confidence_level=0.9)
    assert result[measure] == result["confidence_interval"][measure][1] == math.inf


@pytest.mark.parametrize("measure", ["mape", "smape"])
def test_relative_errors_beyond_the_largest_float_are_means_of_rows(measure):
    columns = [1.5e308, 2.0, 3.0], [-1.5e308, 1.0, 2.5]
    same_errors = [3.0, 2.0, 3.0], [1.0, 1.0, 2.5]
    if measure == "smape":  # whose largest value is 2
        same_errors = [1.0, 2.0, 3.0], [-1.0, 1.0, 2.5]
    options = {"measures": measure, "confidence_level": 0.9}
    assert regression_scores(*columns, **options) == regression_scores(*same_errors, **options)


def test_medians_and_largest_errors_have_closed_forms():
    errors = np.arange(1.0, 31.0)
    options = {"measures": ["median_ae", "max_error"], "confidence_level": 0.95}
    result = regression_scores(errors, np.zeros(30), **options)
    ends = result["confidence_interval"]
    # Ranks whose tails of the binomial distribution of 30 and 1/2 are .025 (Conover 1999)
    assert ends == {"median_ae": [10.0, 21.0], "max_error": [30.0, 45.0]}
    weighted = regression_scores(errors, np.zeros(30), sample_weight=np.ones(30) * 3, **options)
    assert weighted["confidence_interval"] == ends


@pytest.mark.parametrize("measure", ["median_ae", "max_error"])
def test_ordered_errors_beyond_the_largest_float_are_infinite(measure):
    columns = [1.7e308, 1.7e308, 1.0], [-1e308, -1.7e308, 0.5]
    result = regression_scores(*columns, measures=measure, confidence_level=0.95)
    assert result[measure] == result["confidence_interval"][measure][1] == math.inf
