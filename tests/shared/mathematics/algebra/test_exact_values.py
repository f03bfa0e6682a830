from fractions import Fraction

import pytest

from metric_commons.mathematics.algebra.elementary import root
from metric_commons.mathematics.algebra.enclosures import are_equal
from metric_commons.mathematics.algebra.exact_values import decimal, opaque, rational, symbol
from metric_commons.mathematics.algebra.work_limits import UndecidedError

X, Y = symbol("x"), symbol("y")


def test_rational_numbers():
    value = (rational(1) + rational(2)) / rational(-4) - rational(1)

    assert value.fraction == Fraction(-7, 4)
    assert value.integer is None
    assert (value * rational(4)).integer == -7
    assert rational(0).fraction == 0
    assert X.fraction is None


def test_quotients_are_compared_by_cross_multiplication():
    one, two = rational(1), rational(2)

    assert ((X * X - Y * Y) / (X - Y)).is_equal(X + Y)
    assert (one / (X - Y) + one / (X + Y)).is_equal(two * X / (X * X - Y * Y))
    assert are_equal(X / Y, Y / X) is False


def test_denominators_with_roots():
    root_2, root_3 = root(rational(2), 2), root(rational(3), 2)

    assert (rational(1) / (root_3 - root_2)).is_equal(root_3 + root_2)
    assert (rational(1) / root_2).is_equal(root_2 / rational(2))
    assert are_equal(root_2 + root_3, root(rational(10), 2)) is False


def test_roots_of_sums_are_reduced():
    base = X + rational(1)

    assert (root(base, 2) * root(base, 2)).is_equal(base)
    assert (rational(1) / root(base, 2)).is_equal(root(base, 2) / base)
    assert root(rational(4) * base, 2).is_equal(rational(2) * root(base, 2))


def test_an_opaque_function_is_equal_to_itself_and_else_undecided():
    function = opaque("f", X)

    assert (function + function).is_equal(rational(2) * function)
    assert are_equal(function, opaque("f", Y)) is None
    assert are_equal(function, opaque("g", X)) is None
    assert (function - function).is_equal(rational(0))
    assert are_equal(function + rational(1), function) is False


def test_zero_divides_nothing():
    with pytest.raises(UndecidedError, match="division by zero"):
        X / (X - X)
    with pytest.raises(UndecidedError, match="division by zero"):
        X / (root(rational(8), 2) - rational(2) * root(rational(2), 2))


def test_one_term_and_no_denominator():
    assert (rational(3) * X).term == (3, frozenset({("x", 1)}))
    assert (X + Y).term is None
    assert (X / (X + Y)).term is None
    assert (X / Y).term == (1, frozenset({("x", 1), ("y", -1)}))


def test_decimals_keep_their_places():
    assert decimal("2.50").decimals == 2
    assert (-decimal("2.50")).decimals == 2
    assert decimal("2.50").fraction == Fraction(5, 2)
