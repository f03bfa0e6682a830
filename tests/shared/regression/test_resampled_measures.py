"""The bootstrap against measures of the drawn rows."""

import numpy as np
import pytest

from metric_commons.regression.errors import regression_scores
from metric_commons.statistics.resampling.row_units import random_rows


@pytest.mark.parametrize(
    "measure",
    [
        *("mae", "mse", "rmse", "r2", "explained_variance", "pearson", "median_ae", "max_error"),
        *("spearman", "kendall", "d2_absolute_error"),
    ],
)
def test_the_bootstrap_draws_rows(measure):
    rng = np.random.default_rng(2)
    references = rng.normal(size=60)
    predictions = references + rng.normal(size=60) / 2
    order = np.lexsort([predictions, references])
    words = np.random.PCG64(7)
    resamples = random_rows(words, 60, 50 * 60).reshape(50, 60)
    values = [
        regression_scores(predictions[order][rows], references[order][rows], measures=measure)
        for rows in resamples
    ]
    options = {"confidence_level": 0.9, "interval": "bootstrap", "n_resamples": 50, "seed": 7}
    result = regression_scores(predictions, references, measures=measure, **options)

    expected = np.quantile([value[measure] for value in values], [0.05, 0.95])
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
