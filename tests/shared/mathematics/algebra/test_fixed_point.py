"""Enclosures hold the number, to more digits than they have."""

from fractions import Fraction
from random import Random

import mpmath
import pytest

from metric_commons.mathematics.algebra.fixed_point import (
    Ball,
    ImpreciseError,
    ball,
    ball_exp,
    ball_inverse,
    ball_log,
    ball_product,
    ball_root,
    ball_sum,
    direction,
    integer_root,
    logarithm_of_2,
    pi,
)

BITS = (64, 96, 320)


@pytest.fixture(autouse=True)
def precision():
    with mpmath.workprec(900):
        yield


def real(fraction):
    return mpmath.mpf(fraction.numerator) / fraction.denominator


def holds(enclosure, number, bits):
    scaled = number * mpmath.mpf(2) ** bits
    x, y = mpmath.re(scaled), mpmath.im(scaled)
    return (
        abs(x - enclosure.real) <= enclosure.error
        and abs(y - enclosure.imaginary) <= enclosure.error
    )


def numbers(random, count):
    for _ in range(count):
        yield Fraction(random.randint(-(10**6), 10**6), random.randint(1, 10**5))


@pytest.mark.parametrize("bits", BITS)
def test_constants(bits):
    assert abs(pi(bits) - mpmath.pi * mpmath.mpf(2) ** bits) <= 1
    assert abs(logarithm_of_2(bits) - mpmath.log(2) * mpmath.mpf(2) ** bits) <= 1


@pytest.mark.parametrize("bits", BITS)
def test_arithmetic(bits):
    random = Random(bits)
    for a, b, c, d in zip(*(numbers(random, 100) for _ in range(4)), strict=True):
        left = Ball(ball(a, bits).real, ball(b, bits).real, 1)
        right = Ball(ball(c, bits).real, ball(d, bits).real, 1)
        exact_left, exact_right = mpmath.mpc(real(a), real(b)), mpmath.mpc(real(c), real(d))

        assert holds(ball_sum(left, right), exact_left + exact_right, bits)
        assert holds(ball_product(left, right, bits), exact_left * exact_right, bits)
        if c or d:
            assert holds(ball_inverse(right, bits), 1 / exact_right, bits)


@pytest.mark.parametrize("bits", BITS)
def test_functions(bits):
    random = Random(bits)
    for a, b in zip(numbers(random, 100), numbers(random, 100), strict=True):
        if abs(a) < 200:
            argument = Ball(ball(a, bits).real, ball(b, bits).real, 1)
            exact = mpmath.exp(mpmath.mpc(real(a), real(b)))
            assert holds(ball_exp(argument, bits), exact, bits)
        if a > 0:
            assert holds(ball_log(ball(a, bits), bits), mpmath.log(real(a)), bits)
            for degree in (2, 3, 7):
                root = ball_root(ball(a, bits), degree, bits)
                assert holds(root, mpmath.root(real(a), degree), bits)
        assert holds(direction(a % 1, bits), mpmath.expjpi(2 * real(a % 1)), bits)


def test_integer_roots():
    for number in (0, 1, 7, 8, 9, 10**30, 10**30 - 1):
        for degree in (2, 3, 5):
            root = integer_root(number, degree)
            assert root**degree <= number < (root + 1) ** degree


def test_what_is_too_close_to_zero():
    doubtful = Ball(1, 0, 2)

    assert not doubtful.excludes_zero
    for operation in (ball_inverse, ball_log):
        with pytest.raises(ImpreciseError):
            operation(doubtful, 64)
    with pytest.raises(ImpreciseError):
        ball_root(doubtful, 2, 64)
