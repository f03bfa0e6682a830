from fractions import Fraction

import pytest

from metric_commons.mathematics.polynomials import (
    ONE,
    UNIT,
    linear_combination,
    monomial_power,
    monomial_product,
    product,
    reduced,
)
from metric_commons.mathematics.work_limits import UndecidedError

HALF = Fraction(1, 2)


def monomial(**exponents):
    return frozenset(exponents.items())


def root(prime, degree=2):
    return frozenset({(prime, Fraction(1, degree))})


@pytest.mark.parametrize(
    ("left", "right", "coefficient", "expected"),
    [
        (monomial(x=1), monomial(x=2), 1, monomial(x=3)),
        (monomial(x=1), monomial(x=-1), 1, ONE),
        (monomial(i=1), monomial(i=1), -1, ONE),
        (root(2), root(2), 2, ONE),
        (root(2), root(3), 1, root(2) | root(3)),
        (root(2), root(2, 3), 1, frozenset({(2, Fraction(5, 6))})),
        (frozenset({(2, Fraction(2, 3))}), frozenset({(2, Fraction(2, 3))}), 2, root(2, 3)),
    ],
)
def test_monomials_are_multiplied(left, right, coefficient, expected):
    assert monomial_product(left, right) == (coefficient, expected)
    assert monomial_product(right, left) == (coefficient, expected)


@pytest.mark.parametrize(
    ("exponent", "coefficient", "power"),
    [(0, 1, 0), (1, 1, 1), (2, -1, 0), (3, -1, 1), (-1, -1, 1)],
)
def test_powers_of_i(exponent, coefficient, power):
    assert reduced({"i": exponent}) == (coefficient, monomial(i=power) if power else ONE)


def test_exponents_of_primes_stay_between_0_and_1():
    assert reduced({2: Fraction(-1, 2)}) == (HALF, root(2))
    assert monomial_power(root(2), 5) == (4, root(2))
    assert monomial_power(root(2), -2) == (HALF, ONE)


def test_what_cancels_is_not_kept():
    x = {monomial(x=1): Fraction(1)}
    difference = linear_combination(x, UNIT, -1)

    assert product(linear_combination(x, UNIT), difference) == {
        monomial(x=2): 1,
        ONE: -1,
    }
    assert linear_combination(x, x, -1) == {}
    assert product(x, {}) == {}


def test_work_is_limited():
    letters = {monomial(**{f"x_{index}": 1}): Fraction(1) for index in range(45)}

    with pytest.raises(UndecidedError, match="too many terms"):
        product(letters, letters)
    with pytest.raises(UndecidedError, match="too long"):
        product({ONE: Fraction(2**30_000)}, {ONE: Fraction(2**30_000)})
