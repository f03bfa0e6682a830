"""Intervals of regression measures, beside those of the errors of rows and of drawn clusters."""

import math

import numpy as np
import pytest

from metric_commons.regression.errors import regression_scores
from metric_commons.statistics import interval
from metric_commons.statistics.resampling.row_units import random_rows

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


@pytest.mark.parametrize(
    "measure", ["r2", "explained_variance", "pearson", "spearman", "median_ae", "max_error"]
)
def test_a_resample_draws_clusters(measure):
    labels = sorted(set(CLUSTERS))
    members = [np.flatnonzero(np.array(CLUSTERS) == label) for label in labels]
    words = np.random.PCG64(7)
    resamples = random_rows(words, len(labels), 50 * len(labels)).reshape(50, len(labels))
    values = []
    for numbers in resamples:
        rows = np.concatenate([members[number] for number in numbers])
        result = regression_scores(PREDICTIONS[rows], REFERENCES[rows], measures=measure)
        values.append(result[measure])
    result = regression_scores(
        PREDICTIONS,
        REFERENCES,
        measures=measure,
        clusters=CLUSTERS,
        confidence_level=0.9,
        interval="bootstrap",
        n_resamples=50,
        seed=7,
    )
    assert result["interval"][measure] == "bootstrap"
    expected = np.quantile(values, [0.05, 0.95]).tolist()
    assert result["confidence_interval"][measure] == pytest.approx(expected, rel=1e-9)


def test_a_method_that_a_measure_cannot_have_is_named_with_it():
    with pytest.raises(ValueError, match=r"^interval of r2: 't' is for means of rows"):
        regression_scores(PREDICTIONS, REFERENCES, confidence_level=0.9, interval="t")
    with pytest.raises(ValueError, match=r"^interval of mae: 'wilson' is for bounded scores"):
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
    assert averaged["interval"] == {"mae": "unseen_error", "rmse": "unseen_error"}


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
    ends = result["confidence_interval"]
    for name in measures[:3]:
        assert all(map(math.isnan, ends[name]))
    for name in measures[3:]:
        assert ends[name] == [-1.0, 1.0]


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


@pytest.mark.parametrize("measure", ["median_ae", "max_error"])
def test_resampled_errors_beyond_the_largest_float_are_infinite(measure):
    columns = [1.7e308, 1.7e308, 1.0], [-1e308, -1.7e308, 0.5]
    result = regression_scores(*columns, measures=measure, confidence_level=0.95)
    assert result[measure] == result["confidence_interval"][measure][1] == math.inf
    assert result["confidence_interval"][measure][0] == 0.5
    assert result["standard_error"][measure] == math.inf
