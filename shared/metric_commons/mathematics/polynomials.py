"""Polynomials with rational coefficients over roots of primes, constants and letters.

A monomial is a set of (generator, exponent), a polynomial a dictionary from monomials to their
coefficients: 3 x^2 sqrt(2) + 1 is `{frozenset({("x", 2), (2, 1/2)}): 3, frozenset(): 1}`.

Exponents of primes stay between 0 and 1, what is above goes into the coefficient, and i * i = -1.
Products of such roots of primes are linearly independent over the rationals (Besicovitch 1940, "On
the linear independence of fractional powers of integers"). So a polynomial is zero if and only if
its dictionary is empty.
"""

from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import NamedTuple

from .work_limits import UndecidedError, spend

_MAX_BITS = 40_000  # of a coefficient
_MAX_PRODUCTS = 2_000  # of terms, to multiply two polynomials


class Opaque(NamedTuple):
    """A function of exact arguments that is not looked into, such as sin(2).

    Equal functions of equal arguments are equal. Different ones may be equal or not.
    """

    function: str
    arguments: tuple[Hashable, ...]


Generator = int | str | Opaque  # a prime under a root; "pi", "e", "i" or a letter; a function
Exponent = int | Fraction
Monomial = frozenset[tuple[Generator, Exponent]]
Polynomial = dict[Monomial, Fraction]

ONE: Monomial = frozenset()
UNIT: Polynomial = {ONE: Fraction(1)}  # the polynomial 1

_FRACTION_1 = Fraction(1)


def monomial_product(left: Monomial, right: Monomial) -> tuple[Fraction, Monomial]:
    """The product of two monomials: what of it is rational, and the monomial that remains.

    >>> root_of_2 = frozenset({(2, Fraction(1, 2))})
    >>> monomial_product(root_of_2, root_of_2)
    (Fraction(2, 1), frozenset())
    """
    spend(1 + (len(left) + len(right)) // 4)
    exponents, shared = dict(left), {}
    for generator, exponent in right:
        if generator in exponents:
            shared[generator] = exponents.pop(generator) + exponent
        else:
            exponents[generator] = exponent
    if not shared:  # nothing to bring between 0 and 1
        return _FRACTION_1, frozenset(exponents.items())
    coefficient, powers = reduced(shared)
    return coefficient, powers.union(exponents.items())


def reduced(exponents: Mapping[Generator, Exponent]) -> tuple[Fraction, Monomial]:
    """The product of generators with any exponents: what of it is rational, and the monomial.

    >>> reduced({2: Fraction(3, 2), "i": 2})
    (Fraction(-2, 1), frozenset({(2, Fraction(1, 2))}))
    """
    coefficient, powers = _FRACTION_1, []
    for generator, exponent in exponents.items():
        if isinstance(generator, int):
            integer, exponent = divmod(exponent, 1)
            coefficient *= Fraction(generator) ** int(integer)
        elif generator == "i":
            exponent %= 4
            if exponent >= 2:
                coefficient, exponent = -coefficient, exponent - 2
        if exponent:
            powers.append((generator, exponent))
    return coefficient, frozenset(powers)


def monomial_power(monomial: Monomial, exponent: Exponent) -> tuple[Fraction, Monomial]:
    """A power of a monomial: what of it is rational, and the monomial that remains.

    >>> monomial_power(frozenset({("x", 1), (2, Fraction(1, 2))}), 2)
    (Fraction(2, 1), frozenset({('x', 2)}))
    """
    return reduced({base: power * exponent for base, power in monomial})


def product(left: Polynomial, right: Polynomial) -> Polynomial:
    """The product of two polynomials.

    >>> root = frozenset({(2, Fraction(1, 2))})
    >>> product({ONE: Fraction(1), root: Fraction(1)}, {ONE: Fraction(-1), root: Fraction(1)})
    {frozenset(): Fraction(1, 1)}
    """
    if left is UNIT or right is UNIT:
        return left if right is UNIT else right
    if left.keys() == right.keys() == UNIT.keys():  # two numbers
        return _checked({ONE: left[ONE] * right[ONE]})
    if len(left) * len(right) > _MAX_PRODUCTS:
        raise UndecidedError("too many terms")
    terms: Polynomial = {}
    for left_monomial, left_coefficient in left.items():
        for right_monomial, right_coefficient in right.items():
            factor, key = monomial_product(left_monomial, right_monomial)
            term = left_coefficient * right_coefficient
            if factor is not _FRACTION_1:
                term *= factor
            terms[key] = terms[key] + term if key in terms else term
    return _checked(terms)


def linear_combination(left: Polynomial, right: Polynomial, factor: int = 1) -> Polynomial:
    """The sum left + factor * right.

    >>> linear_combination({ONE: Fraction(1)}, {ONE: Fraction(1)}, -1)
    {}
    """
    terms = dict(left)
    for monomial, coefficient in right.items():
        term = factor * coefficient
        terms[monomial] = terms[monomial] + term if monomial in terms else term
    return _checked(terms)


def _checked(terms: Polynomial) -> Polynomial:
    """The terms that are not zero; coefficients must not be too long."""
    bits = 0
    for coefficient in terms.values():
        length = coefficient.numerator.bit_length() + coefficient.denominator.bit_length()
        check_size(length)
        bits += length
    spend(1 + len(terms) // 8 + bits // 50)
    return {monomial: coefficient for monomial, coefficient in terms.items() if coefficient}


def check_size(bits: int) -> None:
    """Numbers of so many binary digits may be made.

    Raises:
        UndecidedError: they may not.
    """
    if bits > _MAX_BITS:
        raise UndecidedError("a number is too long")
