from fractions import Fraction

import pytest

from metric_commons.mathematics.algebra.elementary import (
    PI,
    I,
    exp,
    inverse_trigonometric,
    log,
    power,
    prime_factors,
    root,
    rounded_down,
    size,
    trigonometric,
)
from metric_commons.mathematics.algebra.enclosures import are_equal, is_within, real_sign
from metric_commons.mathematics.algebra.exact_values import opaque, rational, symbol
from metric_commons.mathematics.algebra.work_limits import UndecidedError, limited_work
from tests.tables import by_table

X, Y = symbol("x"), symbol("y")
HALF = rational(Fraction(1, 2))


def number(text):
    return rational(Fraction(text))


@pytest.mark.parametrize(
    ("base", "exponent", "expected"),
    [
        *(("2", "10", "1024"), ("2", "-2", "1/4"), ("-3", "3", "-27"), ("8", "2/3", "4")),
        *(("4/9", "-1/2", "3/2"), ("7", "0", "1"), ("-1", "2004", "1"), ("0", "3", "0")),
    ],
)
def test_powers_of_numbers(base, exponent, expected):
    assert power(number(base), number(exponent)).fraction == Fraction(expected)


@by_table("base, exponent, message")
def test_powers_that_are_not_decided(base, exponent, message):
    with pytest.raises(UndecidedError, match=message):
        power(number(base), number(exponent))


def test_powers_of_sums_and_letters():
    two = rational(2)

    assert power(X + rational(1), two).is_equal(X * X + two * X + rational(1))
    assert power(X, number("1000")).is_equal(power(power(X, number("10")), number("100")))
    assert power(rational(4), X).is_equal(power(two, two * X))
    assert power(two, X + rational(3)).is_equal(rational(8) * power(two, X))
    assert power(X, Y + rational(1)).is_equal(X * power(X, Y))
    assert are_equal(power(two, X), power(rational(3), X)) is False
    with pytest.raises(UndecidedError, match="too high a power"):
        power(X + rational(1), number("65"))


def test_roots():
    assert root(rational(12), 2).is_equal(rational(2) * root(rational(3), 2))
    assert root(X * X, 2).is_equal(opaque("abs", X))
    assert root(power(X, rational(3)), 3).is_equal(X)
    assert are_equal(root(X * X, 2), X) is None
    assert root(rational(12) * X, 2).is_equal(rational(2) * root(rational(3) * X, 2))


def test_logarithms():
    assert log(rational(6)).is_equal(log(rational(2)) + log(rational(3)))
    assert are_equal(log(rational(6)), log(rational(5))) is False
    assert log(exp(X)).is_equal(X)
    assert exp(log(rational(7))).fraction == 7
    assert exp(HALF * log(X)).is_equal(root(X, 2))
    assert log(root(rational(8), 2)).is_equal(number("3/2") * log(rational(2)))
    assert are_equal(log(X * X), rational(2) * log(X)) is None
    for argument in (rational(0), rational(-1), I):
        with pytest.raises(UndecidedError, match="logarithm"):
            log(argument)


def test_trigonometric_identities():
    sine, cosine = (trigonometric(name, X) for name in ("sin", "cos"))

    assert (sine * sine + cosine * cosine).is_equal(rational(1))
    assert trigonometric("sin", X + Y).is_equal(
        sine * trigonometric("cos", Y) + cosine * trigonometric("sin", Y)
    )
    assert trigonometric("tan", X).is_equal(sine / cosine)
    assert are_equal(sine, cosine) is False
    assert are_equal(trigonometric("cos", X * PI), rational(1)) is None
    assert exp(I * PI).fraction == -1


@pytest.mark.parametrize("turn", ["1/6", "1/5", "3/8", "7/12", "2/7"])
def test_angles_are_found_again(turn):
    angle = PI * (number(turn) - HALF)
    sine = trigonometric("sin", angle)

    is_usual = Fraction(turn).denominator != 7
    assert inverse_trigonometric("arcsin", sine).is_equal(angle) is is_usual


def test_order_and_size():
    assert real_sign(PI - number("22/7")) == -1
    assert size(rational(3) + rational(4) * I).fraction == 5
    assert size(PI - rational(4)).is_equal(rational(4) - PI)
    assert size(X - rational(2)).is_equal(size(rational(2) - X))
    assert rounded_down(-PI) == -4
    assert rounded_down(root(rational(10**12 + 1), 2)) == 10**6
    assert is_within(PI, number("3.14"), number("0.01")) is True
    assert is_within(PI, number("3.14"), number("0.001")) is False
    assert is_within(X, rational(1), rational(1)) is None


def test_prime_factors():
    assert prime_factors(1) == ()
    assert prime_factors(2**5 * 97) == ((2, 5), (97, 1))
    for large in (2**2_001, 1_000_003 * 1_000_033):
        with pytest.raises(UndecidedError, match="too large to factor"):
            prime_factors(large)
    with limited_work(400), pytest.raises(UndecidedError, match="too much work"):
        prime_factors(1_000_003)
