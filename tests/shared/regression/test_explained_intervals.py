"""Medians and ranks against fractions, and the bootstrap against measures of the drawn rows."""

import math
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metric_commons.regression import order_measures
from metric_commons.regression.errors import regression_scores
from metric_commons.regression.order_measures import median, spearman
from metric_commons.statistics.arithmetic.exact_sums import root
from metric_commons.statistics.resampling.row_units import random_rows

values = st.integers(-5, 5).map(float)


@given(st.lists(st.tuples(values, st.integers(1, 4)), min_size=1))
def test_weights_repeat_values(rows):
    numbers, weights = (np.array(column, np.float64) for column in zip(*rows, strict=True))
    repeated = np.repeat(numbers, weights.astype(int))

    assert median(numbers, weights) == median(repeated, None) == np.median(repeated)


@given(
    st.lists(
        st.tuples(st.sampled_from([-0.0, 0.0, 1.0, 2.5, -1e300, 1e9]), st.floats(-3, 3)),
        min_size=1,
        max_size=40,
    ),
    st.sampled_from([1, 3, 100]),
)
def test_spearman_is_the_exact_correlation_of_ranks(rows, size):
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    ranks = [list(map(Fraction, stats.rankdata(column).tolist())) for column in columns]
    x, y = ([rank - sum(column) / len(column) for rank in column] for column in ranks)
    products = [sum(a * b for a, b in zip(*pair, strict=True)) for pair in ((x, y), (x, x), (y, y))]

    with patch.object(order_measures, "_LARGEST_SUM", size * len(rows) ** 2):
        correlation = spearman(*columns)
    if products[1] * products[2]:
        square = products[0] ** 2 / (products[1] * products[2])
        assert correlation == math.copysign(root(square), products[0])
    else:
        assert math.isnan(correlation)


@pytest.mark.parametrize(
    "measure",
    [
        *("mae", "mse", "rmse", "r2", "explained_variance", "pearson", "median_ae", "max_error"),
        *("spearman", "kendall", "d2_absolute_error"),
    ],
)
@pytest.mark.parametrize("clustered", [False, True])
def test_the_bootstrap_draws_rows_or_clusters(measure, clustered):
    rng = np.random.default_rng(2)
    references = rng.normal(size=60)
    predictions = references + rng.normal(size=60) / 2
    units, clusters = np.arange(60)[:, np.newaxis], None
    if clustered:
        units = rng.permutation(60).reshape(12, 5)
        clusters = [f"c{np.argwhere(units == row)[0][0]:02}" for row in range(60)]
    # Units are drawn in an order that does not depend on that of rows.
    keys = {"mae": np.abs(predictions - references), "pearson": predictions}
    keys |= dict.fromkeys(["mse", "rmse"], np.square(predictions - references))
    if measure in ("r2", "explained_variance", *keys) or not clustered:
        units = units[np.argsort(keys.get(measure, references)[units].sum(axis=1))]
    words = np.random.PCG64(7)
    resamples = random_rows(words, len(units), 50 * len(units)).reshape(50, len(units))
    values = [
        regression_scores(predictions[rows], references[rows], measures=measure)
        for rows in (units[drawn].ravel() for drawn in resamples)
    ]
    options = {"confidence_level": 0.9, "interval": "bootstrap", "n_resamples": 50, "seed": 7}
    options |= {"clusters": clusters, "measures": measure}
    result = regression_scores(predictions, references, **options)

    power = 2 if measure == "rmse" else 1  # whose ends are the roots of those of MSE
    expected = np.quantile([value[measure] ** power for value in values], [0.05, 0.95])
    expected **= 1 / power
    assert result["confidence_interval"][measure] == pytest.approx(expected, rel=1e-9)
    assert expected[0] < result[measure] <= expected[1]


@pytest.mark.parametrize("scale", [1e200, 1e-200, 1e308 / 4])
@pytest.mark.parametrize("interval", ["auto", "bootstrap"])
def test_intervals_do_not_depend_on_the_scale(scale, interval):
    references, predictions = [0.0, 1.0, 3.0, -2.0], [0.5, 1.0, 2.0, -1.0]
    options = {"confidence_level": 0.9, "n_resamples": 100, "measures": ["mae", "rmse", "r2"]}
    options |= {"interval": interval}
    plain = regression_scores(predictions, references, **options)
    scaled = regression_scores(
        [x * scale for x in predictions], [x * scale for x in references], **options
    )

    for measure, unit in (("mae", scale), ("rmse", scale), ("r2", 1.0)):
        expected = [end * unit for end in plain["confidence_interval"][measure]]
        assert scaled["confidence_interval"][measure] == pytest.approx(expected)
