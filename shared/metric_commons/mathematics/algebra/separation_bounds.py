"""Sizes for the separation bound of `algebraic`, in integers, so that no proof needs floats."""

from fractions import Fraction
from functools import lru_cache

from .fixed_point import integer_root

BIT = 1024  # sizes are counted in parts of a bit, rounded up
# log2(1 + 2^-d) in these parts, rounded up, for d = 0, 1, 2 ...
_GROWTH = (1024, 600, 330, 175, 90, 46, 24, 12, 6, 3, 2)


def size_of_sum(left: int, right: int) -> int:
    """Return the logarithm of the sum of two numbers, from their logarithms."""
    high, low = max(left, right), min(left, right)
    distance = (high - low) // BIT
    return high + (_GROWTH[distance] if distance < len(_GROWTH) else 1)


def logarithm(number: int) -> int:
    """The logarithm of the size of an integer to the base 2, rounded up to parts of a bit."""
    number = abs(number)
    if number < 2:
        return 0
    shift = max(number.bit_length() - 11, 0)
    return shift * BIT + _short_logarithm((number >> shift) + (shift > 0))


@lru_cache(4096)
def _short_logarithm(number: int) -> int:
    return int((number**BIT).bit_length())


@lru_cache(1024)
def totient(order: int) -> int:
    """Euler's function: the degree of a root of unity."""
    result, cofactor, factor = order, order, 2
    while factor * factor <= cofactor:
        if cofactor % factor == 0:
            result -= result // factor
            while cofactor % factor == 0:
                cofactor //= factor
        factor += 1
    return result - result // cofactor if cofactor > 1 else result


@lru_cache(1024)
def coefficient_and_radicand(number: Fraction, degree: int) -> tuple[Fraction, Fraction]:
    """A positive number as power times remainder, so that root(12) and 2 root(3) are one object."""
    n, d = (integer_root(part, degree) for part in (number.numerator, number.denominator))
    if n**degree == number.numerator and d**degree == number.denominator:
        return Fraction(n, d), Fraction(1)
    if max(number.numerator.bit_length(), number.denominator.bit_length()) * degree > 2_000:
        return Fraction(1), number
    radicand, coefficient = number.numerator * number.denominator ** (degree - 1), 1
    for divisor in range(2, 100):
        power = divisor**degree
        while radicand % power == 0:
            radicand, coefficient = radicand // power, coefficient * divisor
    return Fraction(coefficient, number.denominator), Fraction(radicand)
