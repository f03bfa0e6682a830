"""Powers and roots of exact values."""

from fractions import Fraction
from functools import lru_cache
from math import ceil

from .exact_values import Value, opaque, rational, symbol
from .polynomials import (
    Exponent,
    Generator,
    Monomial,
    check_size,
    monomial_power,
    reduced,
)
from .work_limits import UndecidedError, spend

_MAX_EXPONENT = 64  # of sums with many terms, and of numerators and denominators of exponents
_MAX_DIVISOR = 20_000  # up to which factors are looked for
_MAX_FACTORED_BITS = 2_000
_POSITIVE = {"pi", "e"}


def power(base: Value, exponent: Value) -> Value:
    """A value to the power of another; unknown exponents make an opaque function.

    Raises:
        UndecidedError: zero to the power of zero, or a negative number to a broken one.

    >>> power(rational(8), rational(Fraction(2, 3))).fraction
    Fraction(4, 1)
    >>> power(symbol("x"), symbol("y")).equals(power(symbol("x"), symbol("y")))
    True
    """
    number = exponent.fraction
    if number is None:
        return opaque("power", base, exponent)
    if number.denominator == 1:
        return _integer_power(base, number.numerator)
    if max(number.denominator, abs(number.numerator)) > _MAX_EXPONENT:
        return opaque("power", base, exponent)
    if base.term is not None and _is_real(base) and base.term[0] < 0:
        # (-8)^(1/3) is -2 for some, and 1 + sqrt(3) i for others.
        raise UndecidedError("a negative number to a broken power")
    return _integer_power(root(base, number.denominator), number.numerator)


def _integer_power(base: Value, exponent: int) -> Value:
    if not base.numerator and exponent <= 0:
        raise UndecidedError("zero to the power of zero" if not exponent else "division by zero")
    if base.term is not None:
        coefficient, monomial = base.term
        check_size(_power_size(coefficient, monomial, exponent))
        factor, key = monomial_power(monomial, exponent)
        return Value({key: factor * coefficient**exponent})
    if abs(exponent) > _MAX_EXPONENT:
        raise UndecidedError("too high a power of a sum")
    if exponent < 0:
        base, exponent = base.inverse(), -exponent
    result = rational(1)
    for _ in range(exponent):
        result *= base
    return result


def _power_size(coefficient: Fraction, monomial: Monomial, exponent: int) -> int:
    """How many binary digits the power of a term may have at most."""
    primes = {base: power for base, power in monomial if isinstance(base, int)}
    digits = sum(ceil(power) * base.bit_length() for base, power in primes.items())
    for part in (abs(coefficient.numerator), coefficient.denominator):
        digits += 0 if part == 1 else part.bit_length()
    return max(abs(exponent) * digits, exponent.bit_length() ** 2)


def root(radicand: Value, degree: int) -> Value:
    """The real root of a value; of a negative number the principal square root, times i.

    Roots of sums and of letters are opaque.

    >>> root(rational(12), 2).equals(rational(2) * root(rational(3), 2))
    True
    >>> root(rational(-4), 2).equals(rational(2) * symbol("i"))
    True
    """
    if not radicand.numerator:
        return rational(0)
    if radicand.term is None or not _is_real(radicand):
        return opaque(f"root {degree}", radicand)
    coefficient, monomial = radicand.term
    if coefficient > 0:
        sign = rational(1)
    elif degree == 2:
        sign = symbol("i")
    elif degree % 2:
        sign = rational(-1)
    else:
        raise UndecidedError("an even root of a negative number")
    exponents: dict[Generator, Exponent] = {}
    for prime, exponent in prime_factors(abs(coefficient.numerator)):
        exponents[prime] = Fraction(exponent, degree)
    for prime, exponent in prime_factors(coefficient.denominator):
        exponents[prime] = exponents.get(prime, 0) - Fraction(exponent, degree)
    for generator, power_of_generator in monomial:
        exponents[generator] = exponents.get(generator, 0) + Fraction(power_of_generator) / degree
    factor, key = reduced(exponents)
    return sign * Value({key: factor})


def _is_real(value: Value) -> bool:
    """Whether a single term is made of positive real numbers, but for its sign."""
    return all(isinstance(g, int) or g in _POSITIVE for g in value.generators)


def prime_factors(number: int) -> tuple[tuple[int, int], ...]:
    """The prime factors of a positive integer with their exponents.

    Raises:
        UndecidedError: there are large ones.

    >>> prime_factors(360)
    ((2, 3), (3, 2), (5, 1))
    """
    if number.bit_length() > _MAX_FACTORED_BITS:
        raise UndecidedError("too large to factor")
    if number > _MAX_DIVISOR:
        spend(500)
    return _prime_factors(number)


@lru_cache(4096)
def _prime_factors(number: int) -> tuple[tuple[int, int], ...]:
    factors, divisor = [], 2
    while divisor * divisor <= number and divisor < _MAX_DIVISOR:
        exponent = 0
        while number % divisor == 0:
            number, exponent = number // divisor, exponent + 1
        if exponent:
            factors.append((divisor, exponent))
        divisor += 1 if divisor == 2 else 2
    if divisor * divisor <= number:
        raise UndecidedError("too large to factor")
    return (*factors, (number, 1)) if number > 1 else tuple(factors)
