import math
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metric_commons.regression import order_statistics
from metric_commons.regression.order_statistics import (
    median,
    resampled_medians,
    resampled_spearman,
    spearman,
)
from metric_commons.statistics.arithmetic.exact_sums import root

values = st.integers(-5, 5).map(float)


@given(st.lists(st.tuples(values, st.integers(1, 4)), min_size=1))
def test_weights_repeat_values(rows):
    numbers, weights = (np.array(column, np.float64) for column in zip(*rows, strict=True))
    repeated = np.repeat(numbers, weights.astype(int))

    assert median(numbers, weights) == median(repeated, None) == np.median(repeated)


@pytest.mark.parametrize("values", [2, 100])
def test_weighted_rows_are_repeated_rows(values):
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, values, (2, 12)).astype(float)
    weights = rng.multinomial(12, np.full(12, 1 / 12), 30)
    rows = [np.repeat(np.arange(12), counts) for counts in weights]
    medians = [np.median(first[sample]) for sample in rows]
    assert resampled_medians(first, weights * 1.0).tolist() == medians
    correlations = [spearman(first[sample], second[sample]) for sample in rows]
    found = resampled_spearman(first, second, weights * 1.0)
    assert found.tolist() == pytest.approx(correlations, rel=1e-12, abs=1e-15, nan_ok=True)


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

    with patch.object(order_statistics, "_LARGEST_SUM", size * len(rows) ** 2):
        correlation = spearman(*columns)
    if products[1] * products[2]:
        square = products[0] ** 2 / (products[1] * products[2])
        assert correlation == math.copysign(root(square), products[0])
    else:
        assert math.isnan(correlation)


@given(st.lists(st.floats(-4, 4), min_size=1, max_size=9))
def test_a_median_is_the_mean_of_the_two_in_the_middle(numbers):
    ascending = sorted(numbers)
    low, high = ascending[(len(numbers) - 1) // 2], ascending[len(numbers) // 2]
    assert median(np.array(numbers), None) == low + (high - low) / 2
