"""Exact sums against sums of fractions, and multisets."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.statistics.arithmetic import exact_sums
from metric_commons.statistics.arithmetic.exact_sums import (
    as_float,
    group_sums,
    quotient,
    root,
)

numbers = st.floats(allow_nan=False, allow_infinity=False)
fractions = st.fractions() | numbers.map(Fraction)


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-1e200, 1e200)), max_size=40))
def test_sums_of_groups_are_rounded_once(rows):
    groups = np.array([group for group, _ in rows], dtype=np.int64)
    values = np.array([value for _, value in rows])

    expected = [
        float(sum(Fraction(value) for group, value in rows if group == number))
        for number in range(4)
    ]
    assert group_sums(values, groups, 4).tolist() == expected


@pytest.mark.long
@given(fractions, fractions.filter(lambda divisor: divisor > 0))
def test_quotients_are_rounded_once(number, divisor):
    assert quotient(number, divisor) == as_float(number / divisor)


@given(fractions.map(abs))
def test_roots(square):
    result = root(square)
    below, above = (Fraction(math.nextafter(result, end)) for end in (0, math.inf))
    assert below**2 <= square <= above**2


def test_sums_near_the_largest_float_come_without_a_warning():
    values = np.tile([1.7e308, -1.6e308], 2000)
    groups = np.arange(4000) // 2
    assert exact_sums.group_sums(values, groups, 2000).tolist() == [1.7e308 - 1.6e308] * 2000
    assert exact_sums.rounded_sum(values[:20]) == float(sum(map(Fraction, values[:20].tolist())))
