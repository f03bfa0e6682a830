"""Enclosures of complex numbers: integers over a power of two, with a bound of their error.

A `Ball` at a precision of p bits represents all numbers whose real and imaginary parts differ from
`real` / 2^p and `imaginary` / 2^p by at most `error` / 2^p. Every operation returns a ball that
contains the results for all numbers in its arguments, so a ball without zero proves that a number
is not zero. No floating-point number takes part.
"""

from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import NamedTuple

from .work_limits import UndecidedError

_GUARD_BITS = 40  # that series are computed with, besides the requested ones
_MAX_EXPONENT = 3_000  # up to which exponentials are computed


class Ball(NamedTuple):
    """A square of complex numbers; see above for its unit."""

    real: int
    imaginary: int
    error: int

    @property
    def excludes_zero(self) -> bool:
        """Return whether no number of the ball is zero."""
        return abs(self.real) > self.error or abs(self.imaginary) > self.error


class ImpreciseError(UndecidedError):
    """A precision is too low to divide, or to take a root or a logarithm."""


def ball(number: Fraction, bits: int) -> Ball:
    """Return a rational number.

    >>> ball(Fraction(1, 2), 4)
    Ball(real=8, imaginary=0, error=1)
    """
    return Ball((number.numerator << bits) // number.denominator, 0, 1)


def ball_sum(left: Ball, right: Ball) -> Ball:
    """Return the sum of two balls."""
    return Ball(left[0] + right[0], left[1] + right[1], left[2] + right[2])


def ball_product(left: Ball, right: Ball, bits: int) -> Ball:
    """Return the product of two balls."""
    (a, b, error), (c, d, right_error) = left, right
    cross = (abs(a) + abs(b)) * right_error + (abs(c) + abs(d)) * error
    return Ball(
        (a * c - b * d) >> bits,
        (a * d + b * c) >> bits,
        ((cross + 2 * error * right_error) >> bits) + 3,
    )


def ball_inverse(number: Ball, bits: int) -> Ball:
    """Return 1 over a ball.

    Raises:
        ImpreciseError: the ball may contain zero.
    """
    a, b, error = number
    square = a * a + b * b
    # The distance between two numbers of the ball is at most the root of two times the error.
    distance = 3 * error // 2 + 1
    size = isqrt(square) - distance
    if size <= 0:
        raise ImpreciseError
    return Ball(
        (a << 2 * bits) // square,
        -(b << 2 * bits) // square,
        (distance << 2 * bits) // (size * size) + 3,
    )


def ball_root(number: Ball, degree: int, bits: int) -> Ball:
    """Return the positive root of a ball that represents a positive real number.

    Raises:
        ImpreciseError: the ball may contain zero.
    """
    low, middle, high = number.real - number.error, number.real, number.real + number.error
    if low <= 0:
        raise ImpreciseError
    shift = bits * (degree - 1)
    root = integer_root(middle << shift, degree)
    upper_error = integer_root(high << shift, degree) + 1 - root
    return Ball(root, 0, max(upper_error, root - integer_root(low << shift, degree)) + 1)


def integer_root(number: int, degree: int) -> int:
    """Return the root of a natural number, rounded down.

    >>> integer_root(27, 3), integer_root(26, 3)
    (3, 2)
    """
    if degree == 2 or number < 2:
        return isqrt(number)
    guess = 1 << (number.bit_length() // degree + 1)
    while True:
        better = ((degree - 1) * guess + number // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better


@lru_cache(64)
def pi(bits: int) -> int:
    """Return pi times 2^bits, with an error of at most 1, by Machin's formula.

    >>> pi(4)
    50
    """
    scale = 1 << (bits + _GUARD_BITS)

    def arctan_of_inverse(n: int) -> int:
        term, total, k, sign = scale // n, scale // n, 3, -1
        while term:
            term //= n * n
            total += sign * (term // k)
            k, sign = k + 2, -sign
        return total

    return (4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))) >> _GUARD_BITS


@lru_cache(64)
def logarithm_of_2(bits: int) -> int:
    """Return the natural logarithm of 2 times 2^bits, with an error of at most 1."""
    scale = 1 << (bits + _GUARD_BITS)
    term, total, k = scale // 3, scale // 3, 3
    while term:
        term //= 9
        total += term // k
        k += 2
    return (2 * total) >> _GUARD_BITS


def direction(turn: Fraction, bits: int) -> Ball:
    """Return the root of unity at a fraction of a full turn: e^(2 pi i turn).

    >>> direction(Fraction(1, 4), 4)[:2]
    (0, 16)
    """
    precise = bits + _GUARD_BITS
    octant = round(turn * 8)
    remainder = turn - Fraction(octant, 8)
    angle = 2 * pi(precise) * remainder.numerator // remainder.denominator
    cosine, sine = _cosine_and_sine(angle, precise)
    unit, half = 1 << precise, isqrt(1 << (2 * precise - 1))
    corners = [(unit, 0), (half, half), (0, unit), (-half, half)]
    corners += [(-unit, 0), (-half, -half), (0, -unit), (half, -half)]
    x, y = corners[octant % 8]
    shift = 2 * precise - bits
    return Ball((cosine * x - sine * y) >> shift, (cosine * y + sine * x) >> shift, 2)


def _cosine_and_sine(angle: int, bits: int) -> tuple[int, int]:
    """Return cosine and sine of an angle below 2 in size; guard bits absorb the terms' errors."""
    sums, term, k = [0, 0, 0, 0], 1 << bits, 0
    while term not in (0, -1):
        sums[k % 4] += term
        k += 1
        term = (term * angle >> bits) // k
    return sums[0] - sums[2], sums[1] - sums[3]


def ball_exp(number: Ball, bits: int) -> Ball:
    """Return the exponential of a ball.

    Raises:
        ImpreciseError: the ball is large.
        UndecidedError: the exponential is very large.
    """
    x, y, error = number
    if abs(x) >> bits > _MAX_EXPONENT or abs(y) >> bits > 1 << 40:
        raise UndecidedError("too large an exponential")
    if error >> (bits - 1):
        raise ImpreciseError
    precise = bits + _GUARD_BITS + 48
    shift = precise - bits
    twos, remainder = divmod(x << shift, logarithm_of_2(precise))
    term, growth, k = 1 << precise, 0, 0
    while term:
        growth += term
        k += 1
        term = (term * remainder >> precise) // k
    quarters, angle = divmod(y << shift, pi(precise) >> 1)
    cosine, sine = _cosine_and_sine(angle, precise)
    for _ in range(quarters % 4):
        cosine, sine = -sine, cosine
    # |e^d - 1| <= 4 |d| for |d| below 1, and |d| is at most 3/2 of the error.
    size = _shifted(growth, bits + twos - precise)
    spread = ((size + 1) * 6 * error >> bits) + 2 + (1 << max(twos - 20, 0))
    up = bits + twos - 2 * precise
    return Ball(_shifted(growth * cosine, up), _shifted(growth * sine, up), spread)


def _shifted(number: int, bits: int) -> int:
    return number << bits if bits >= 0 else number >> -bits


def ball_log(number: Ball, bits: int) -> Ball:
    """Return the natural logarithm of a ball that represents a positive real number.

    Raises:
        ImpreciseError: the ball may contain zero.
    """
    x, _, error = number
    if x - error <= 0:
        raise ImpreciseError
    precise = bits + _GUARD_BITS
    twos = x.bit_length() - bits
    mantissa = _shifted(x, precise - bits - twos)
    unit = 1 << precise
    ratio = ((mantissa - unit) << precise) // (mantissa + unit)  # ln m = 2 artanh((m-1)/(m+1))
    square = ratio * ratio >> precise
    power, total, k = ratio, 0, 1
    while power not in (0, -1):
        total += power // k
        power = power * square >> precise
        k += 2
    logarithm = (2 * total + twos * logarithm_of_2(precise)) >> _GUARD_BITS
    return Ball(logarithm, 0, (error << bits) // (x - error) + 3)
