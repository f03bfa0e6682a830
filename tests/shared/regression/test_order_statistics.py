import math
from fractions import Fraction
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metric_commons.regression import explained_intervals
from metric_commons.regression.explained_intervals import median, spearman
from metric_commons.statistics.arithmetic.exact_sums import root

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

    with patch.object(explained_intervals, "_LARGEST_SUM", size * len(rows) ** 2):
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
