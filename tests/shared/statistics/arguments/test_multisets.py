import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.statistics.arithmetic.exact_sums import Multiset
from metric_commons.statistics.intervals.summary import mean

NUMBERS = st.lists(
    st.one_of(
        st.floats(-1e300, 1e300),
        st.sampled_from([0.0, -0.0, 0.1, 1 / 3, 1e-320, 5e-324, 1.0]),
    ),
    min_size=1,
    max_size=40,
)


@given(NUMBERS, st.integers(0, 40))
def test_multisets_of_parts_add_up(numbers, cut):
    parts = [Multiset.from_values(numbers[:cut]), Multiset.from_values(numbers[cut:])]
    union = Multiset.sum(reversed(parts))
    assert union == parts[0] + parts[1] == Multiset.from_values(numbers)
    assert union.mean() == mean(numbers)
    assert len(union) == len(numbers)
    assert np.array_equal(union.elements(), np.sort(np.array(numbers) + 0.0))


@given(NUMBERS)
def test_a_multiset_survives_json(numbers):
    multiset = Multiset.from_values(numbers)
    assert Multiset.from_jsonable(json.loads(json.dumps(multiset.to_jsonable()))) == multiset


@pytest.mark.parametrize("plain", [[[0.5], [1, 2]], [[0.5], [0]], [[0.5], [1.5]]])
def test_a_damaged_multiset_is_refused(plain):
    with pytest.raises(ValueError, match="multiset"):
        Multiset.from_jsonable(plain)
