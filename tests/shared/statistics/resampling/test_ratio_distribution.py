from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.statistics.resampling import ratio_distribution
from metric_commons.statistics.resampling.ratio_distribution import probability_above_zero

units = st.lists(
    st.tuples(st.sampled_from([0.5, 1.0, 0.1, 1e-9, 1 / 3, 7.0]), st.integers(1, 50)),
    min_size=1,
    max_size=7,
)


@given(below=units, above=units, rough=st.booleans())
def test_few_units_have_the_digits_of_many(below, above, rough):
    values = np.array([-value for value, _ in below] + [value / 99 for value, _ in above])
    counts = np.array([count for _, count in below + above], np.float64)
    if (values * counts).sum() > 0:
        values = -values
    found = probability_above_zero(values, counts, rough=rough)

    with mock.patch.object(ratio_distribution, "_MIN_ARRAY", 0):
        assert probability_above_zero(values, counts, rough=rough) == found
