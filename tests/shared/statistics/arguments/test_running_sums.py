"""Both sums of Python, on any Python."""

import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.frameworks.harnesses.ultrarag_profiles import (
    compensated_sum,
    running_sum,
    summation,
)

FLOATS = st.lists(st.floats(-1e300, 1e300) | st.sampled_from([0.1, 0.3, 1e16, -1e16, 0.0, -0.0]))


def loop(values):
    """The loop of Python 3.11."""
    total = 0.0
    for value in values:
        total += value
    return total


def neumaier(values):
    """The loop of Python 3.12: Objects/../bltinmodule.c, `sum`."""
    total = error = 0.0
    for value in values:
        after = total + value
        if abs(total) >= abs(value):
            error += (total - after) + value
        else:
            error += (value - after) + total
        total = after
    return total + error if error and math.isfinite(error) else total


@given(FLOATS)
def test_each_sum_is_that_of_its_loop(values):
    assert running_sum(values) == loop(values)
    assert compensated_sum(values) == neumaier(values)
    version = ".".join(map(str, sys.version_info[:2]))
    own = compensated_sum if summation("ultrarag", version) == "compensated" else running_sum
    assert own(values) == sum(values)


def test_the_sums_differ_where_pythons_do():
    tenths = [0.1] * 10
    assert (running_sum(tenths), compensated_sum(tenths)) == (0.9999999999999999, 1.0)


@pytest.mark.parametrize("version", ["three", "3", "3.x"])
def test_other_texts_are_no_versions(version):
    with pytest.raises(ValueError, match="not a version such as"):
        summation("ultrarag", version)
