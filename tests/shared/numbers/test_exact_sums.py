"""Exact sums against sums of fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.numbers.exact_sums import (
    BinnedSums,
    as_float,
    bin_exponent,
    group_sums,
    quotient,
    root,
    round_centre,
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


@given(st.lists(st.floats(-8, 8, exclude_min=True, exclude_max=True), min_size=1), st.randoms())
def test_binned_sums_do_not_depend_on_the_order(values, random):
    def total(values, block):
        sums = BinnedSums([[3]], fold=2)
        for start in range(0, len(values), block):
            part = np.array([values[start : start + block]])
            sums.add(0, part, np.empty(part.shape), np.empty(part.shape))
        return sums.totals()[0]

    (result,) = total(values, 7)
    assert abs(result - sum(map(Fraction, values))) <= len(values) * Fraction(8, 2**95)
    shuffled = random.sample(values, len(values))
    assert total(shuffled, 5) == [result]


@pytest.mark.parametrize("sign", [-1, 1])
def test_the_greatest_summands_of_the_largest_block_do_not_wrap_around(sign):
    values = np.full((1, 2**16 - 1), sign * math.nextafter(8, 0))
    sums = BinnedSums([[3]], fold=1)
    sums.add(0, values, values, values)

    assert sums.totals()[0] == [sign * 8 * (2**16 - 1)]


def test_few_units_are_coarse():
    even, skewed = BinnedSums([[0]], fold=1), BinnedSums([[0]], fold=1)
    for total, value in ((even, 0.5), (skewed, 2.0**-12)):
        values = np.full((1, 9), value)
        total.add(0, values, values, values)

    assert not even.is_coarse(0)
    assert skewed.is_coarse(0)


@given(numbers.filter(bool).map(abs))
def test_exponents_of_bins(size):
    exponent = bin_exponent(size)
    assert Fraction(size) < Fraction(2) ** exponent <= Fraction(size) * 16
    assert exponent % 4 == 3
    assert exponent in (bin_exponent(Fraction(size)), bin_exponent(Fraction(size)) - 4)


@given(numbers, numbers)
def test_round_centres_are_near_the_range(first, second):
    low, high = map(Fraction, sorted([first, second]))
    centre = Fraction(round_centre(float(low), float(high)))
    margin = (high - low) / 4 * (1 + Fraction(1, 2**50))
    assert low - margin <= centre <= high + margin


@given(fractions, fractions.filter(lambda divisor: divisor > 0))
def test_quotients_are_rounded_once(number, divisor):
    assert quotient(number, divisor) == as_float(number / divisor)


@given(fractions.map(abs))
def test_roots(square):
    result = root(square)
    below, above = (Fraction(math.nextafter(result, end)) for end in (0, math.inf))
    assert below**2 <= square <= above**2
