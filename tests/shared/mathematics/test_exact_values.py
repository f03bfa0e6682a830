from fractions import Fraction

import pytest

from metric_commons.mathematics.exact_values import opaque, rational, symbol
from metric_commons.mathematics.powers import root
from metric_commons.mathematics.work_limits import UndecidedError

X, Y = symbol("x"), symbol("y")


def test_rational_numbers():
    value = (rational(1) + rational(2)) / rational(-4) - rational(1)

    assert value.fraction == Fraction(-7, 4)
    assert value.integer is None
    assert (value * rational(4)).integer == -7
    assert rational(0).fraction == 0
    assert X.fraction is None


def test_quotients_are_compared_by_cross_multiplication():
    assert ((X * X - Y * Y) / (X - Y)).equals(X + Y)
    assert (rational(1) / (X - Y) + rational(1) / (X + Y)).equals(rational(2) * X / (X * X - Y * Y))
    assert (X / Y).equals(Y / X) is False


def test_denominators_with_roots():
    root_2, root_3 = root(rational(2), 2), root(rational(3), 2)

    assert (rational(1) / (root_3 - root_2)).equals(root_3 + root_2)
    assert (rational(1) / root_2).equals(root_2 / rational(2))
    assert (root_2 + root_3).equals(root(rational(10), 2)) is False


def test_an_opaque_function_is_equal_to_itself_and_else_undecided():
    sine = opaque("sin", X)

    assert (sine + sine).equals(rational(2) * sine)
    assert sine.equals(opaque("sin", Y)) is None
    assert sine.equals(opaque("cos", X)) is None
    assert (sine - sine).equals(rational(0))


def test_zero_divides_nothing():
    with pytest.raises(UndecidedError, match="division by zero"):
        X / (X - X)


def test_one_term_and_no_denominator():
    assert (rational(3) * X).term == (3, frozenset({("x", 1)}))
    assert (X + Y).term is None
    assert (X / (X + Y)).term is None
    assert (X / Y).term == (1, frozenset({("x", 1), ("y", -1)}))
