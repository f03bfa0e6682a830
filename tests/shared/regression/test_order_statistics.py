import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metric_commons.regression.order_statistics import (
    kendall,
    median,
    rank_correlations,
    resampled_kendall,
)

values = st.integers(-5, 5).map(float)


@given(st.lists(st.tuples(values, st.integers(1, 4)), min_size=1))
def test_weights_repeat_values(rows):
    numbers, weights = (np.array(column, np.float64) for column in zip(*rows, strict=True))
    repeated = np.repeat(numbers, weights.astype(int))

    assert median(numbers, weights) == median(repeated, None) == np.median(repeated)


@pytest.mark.long
@given(st.integers(2, 12), st.data())
def test_rank_correlations_are_those_of_scipy(size, data):
    samples = st.lists(st.integers(0, 5), min_size=size, max_size=size)
    first, second = (np.array([data.draw(samples) for _ in range(3)]) for _ in range(2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of constants
        expected = [stats.spearmanr(x, y)[0] for x, y in zip(first, second, strict=True)]

    result = rank_correlations(first, second)
    assert result.tolist() == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("values", [2, 100])
def test_resampled_kendall_is_that_of_each_sample(values):
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, values, (2, 12)).astype(float)
    rows = rng.integers(0, 12, (30, 12))
    expected = [kendall(first[sample], second[sample]) for sample in rows]
    assert resampled_kendall(first, second, rows) == pytest.approx(expected, nan_ok=True)
