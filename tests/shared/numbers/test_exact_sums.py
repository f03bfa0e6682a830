"""Exact sums against sums of fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.numbers.exact_sums import (
    GridSums,
    as_float,
    grid_exponent,
    quotient,
    root,
    round_centre,
    sums_of_places,
)

numbers = st.floats(allow_nan=False, allow_infinity=False)
fractions = st.fractions() | numbers.map(Fraction)


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-1e200, 1e200)), max_size=40))
def test_sums_are_rounded_once(rows):
    places = np.array([place for place, _ in rows], dtype=np.int64)
    values = np.array([value for _, value in rows])

    expected = [float(sum(Fraction(v) for place, v in rows if place == i)) for i in range(4)]
    assert sums_of_places(values, places, 4).tolist() == expected


@given(st.lists(st.floats(-8, 8, exclude_min=True, exclude_max=True), min_size=1), st.randoms())
def test_sums_on_a_grid_know_no_order(values, random):
    def total(values, block):
        found = GridSums([[3]], digits=2)
        for start in range(0, len(values), block):
            part = np.array([values[start : start + block]])
            found.add(0, part, np.empty(part.shape), np.empty(part.shape))
        return found.totals()[0]

    (found,) = total(values, 7)
    assert abs(found - sum(map(Fraction, values))) <= len(values) * Fraction(8, 2**95)
    moved = random.sample(values, len(values))
    assert total(moved, 5) == [found]


@pytest.mark.parametrize("sign", [-1, 1])
def test_the_greatest_summands_of_the_largest_block_do_not_wrap_around(sign):
    values = np.full((1, 2**16 - 1), sign * math.nextafter(8, 0))
    found = GridSums([[3]], digits=1)
    found.add(0, values, values, values)

    assert found.totals()[0] == [sign * 8 * (2**16 - 1)]


def test_few_units_are_coarse():
    even, skewed = GridSums([[0]], digits=1), GridSums([[0]], digits=1)
    for total, value in ((even, 0.5), (skewed, 2.0**-12)):
        values = np.full((1, 9), value)
        total.add(0, values, values, values)

    assert not even.coarse(0)
    assert skewed.coarse(0)


@given(numbers.filter(bool).map(abs))
def test_exponents_of_grids(size):
    exponent = grid_exponent(size)
    assert Fraction(size) < Fraction(2) ** exponent <= Fraction(size) * 16
    assert exponent % 4 == 3
    assert exponent in (grid_exponent(Fraction(size)), grid_exponent(Fraction(size)) - 4)


@given(numbers, numbers)
def test_round_centres_are_near(one, other):
    low, high = map(Fraction, sorted([one, other]))
    centre, near = Fraction(round_centre(float(low), float(high))), (high - low) / 4
    assert low - near * (1 + Fraction(1, 2**50)) <= centre <= high + near * (1 + Fraction(1, 2**50))


@given(fractions, fractions.filter(lambda divisor: divisor > 0))
def test_quotients_are_rounded_once(number, divisor):
    assert quotient(number, divisor) == as_float(number / divisor)


@given(fractions.map(abs))
def test_roots(square):
    found = Fraction(root(square))
    below, above = (Fraction(math.nextafter(float(found), end)) for end in (0, math.inf))
    assert below**2 <= square <= above**2
