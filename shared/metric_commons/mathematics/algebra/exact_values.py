"""Exact values: quotients of polynomials over algebraic numbers.

A monomial is a set of (generator, exponent), a polynomial a dictionary from monomials to constants:
3 x^2 + sqrt(2) is `{frozenset({("x", 2)}): 3, frozenset(): <root of 2>}`. Generators are
letters, pi, logarithms, exponentials of monomials, sums under a root, and functions that are not
analysed.

Two values are equal if every coefficient of their crosswise difference is zero. That is sound
regardless of relations between generators. `enclosures` proves that they differ.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from .algebraic import (
    Algebraic,
    Constant,
    as_fraction,
    checked,
    inverse,
    is_zero,
    root_of_unity,
)
from .work_limits import UndecidedError, spend

_MAX_PRODUCTS = 2_000  # of terms, to multiply two polynomials


class Opaque(NamedTuple):
    """A function of exact arguments that is not analysed, such as f(2).

    Equal functions of equal arguments are equal. Different ones may be equal or not.
    """

    function: str
    arguments: tuple[Hashable, ...]


class Logarithm(NamedTuple):
    """The natural logarithm of a prime, another positive algebraic number, pi or a letter."""

    argument: int | Algebraic | str


class Exp(NamedTuple):
    """The exponential of a monomial, of i times a monomial, or of these times an irrational factor.

    `factor` is the square of a square root, or the irrational number itself.
    """

    monomial: "Monomial"
    is_imaginary: bool
    factor: Constant | None = None
    is_square: bool = False


class Sum(NamedTuple):
    """A polynomial under a root; its exponents are between 0 and 1."""

    terms: "frozenset[tuple[Monomial, Constant]]"


Generator = str | Opaque | Logarithm | Exp | Sum  # a string is a letter, or "pi"
Exponent = int | Fraction
Monomial = frozenset[tuple[Generator, Exponent]]
Polynomial = dict[Monomial, Constant]

EMPTY: Monomial = frozenset()
_ZERO = Fraction(0)
UNIT: Polynomial = {EMPTY: Fraction(1)}  # the polynomial 1


def monomial_product(left: Monomial, right: Monomial) -> Monomial:
    """Return the product of two monomials."""
    if not left or not right:
        return left or right
    exponents = dict(left)
    for generator, exponent in right:
        exponents[generator] = exponents.get(generator, 0) + exponent
    return frozenset((generator, power) for generator, power in exponents.items() if power)


def product(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return the product of two polynomials.

    >>> product({EMPTY: Fraction(2)}, {EMPTY: Fraction(3)})
    {frozenset(): Fraction(6, 1)}
    """
    if left is UNIT or right is UNIT:
        return left if right is UNIT else right
    if len(left) * len(right) > _MAX_PRODUCTS:
        raise UndecidedError("too much work: too many terms")
    terms: Polynomial = {}
    squared: list[tuple[Polynomial, Polynomial]] = []
    for left_monomial, left_constant in left.items():
        for right_monomial, right_constant in right.items():
            spend(1)
            key = monomial_product(left_monomial, right_monomial)
            constant = left_constant * right_constant
            if left_monomial and right_monomial:
                generator = _reducible(key)
                if generator is not None:
                    reduced = monomial_product(key, frozenset({(generator, -1)}))
                    squared.append(({reduced: constant}, dict(generator.terms)))
                    continue
            terms[key] = terms[key] + constant if key in terms else constant
    result = _checked(terms)
    for term, radicand in squared:
        result = linear_combination(result, product(term, radicand))
    return result


def _reducible(monomial: Monomial) -> Sum | None:
    """Return a sum under a root whose power has become whole."""
    for generator, exponent in monomial:
        if type(generator) is Sum and exponent >= 1:
            return generator
    return None


def linear_combination(left: Polynomial, right: Polynomial, factor: int = 1) -> Polynomial:
    """Return the sum left + factor * right, for a factor of 1 or -1.

    >>> linear_combination({EMPTY: Fraction(1)}, {EMPTY: Fraction(1)}, -1)
    {}
    """
    terms = dict(left)
    for monomial, constant in right.items():
        term = constant if factor == 1 else -constant
        terms[monomial] = terms[monomial] + term if monomial in terms else term
    return _checked(terms)


def _checked(terms: Polynomial) -> Polynomial:
    """Return the terms that are not literally zero; coefficients must not be too long."""
    bits = 0
    for constant in terms.values():
        if type(constant) is Fraction:
            checked(constant)
            bits += constant.numerator.bit_length() + constant.denominator.bit_length()
    spend(1 + len(terms) // 8 + bits // 50)
    return {monomial: constant for monomial, constant in terms.items() if constant != 0}


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A number, or a formula with letters: numerator / denominator.

    >>> two, x = rational(2), symbol("x")
    >>> ((x * x - two * two) / (x - two)).is_equal(x + two)
    True
    """

    numerator: Polynomial
    denominator: Polynomial = field(default_factory=lambda: UNIT)

    def __add__(self, right: "Value") -> "Value":
        return self._sum(right, 1)

    def __sub__(self, right: "Value") -> "Value":
        return self._sum(right, -1)

    def __neg__(self) -> "Value":
        return Value({m: -constant for m, constant in self.numerator.items()}, self.denominator)

    def __mul__(self, right: "Value") -> "Value":
        return Value(
            product(self.numerator, right.numerator), product(self.denominator, right.denominator)
        )

    def __truediv__(self, right: "Value") -> "Value":
        return self * right.inverse()

    def _sum(self, right: "Value", factor: int) -> "Value":
        if self.denominator is right.denominator or self.denominator == right.denominator:
            return Value(
                linear_combination(self.numerator, right.numerator, factor), self.denominator
            )
        return Value(
            linear_combination(
                product(self.numerator, right.denominator),
                product(right.numerator, self.denominator),
                factor,
            ),
            product(self.denominator, right.denominator),
        )

    def inverse(self) -> "Value":
        """Return 1 / value.

        Raises:
            UndecidedError: the value is 0.
        """
        numerator = nonzero_terms(self.numerator)
        if not numerator:
            raise UndecidedError("division by zero")
        if len(numerator) > 1:
            return Value(self.denominator, numerator)
        # A numerator of one term becomes a factor with negative exponents: most denominators are 1.
        [(monomial, constant)] = numerator.items()
        result = Value(self.denominator)
        exponents: list[tuple[Generator, Exponent]] = []
        for generator, exponent in monomial:
            if type(generator) is Sum:  # 1 / root(s) is root(s) / s
                reduced: Monomial = frozenset({(generator, 1 - exponent)})
                result *= Value({reduced: Fraction(1)}, dict(generator.terms))
            else:
                exponents.append((generator, -exponent))
        return result * Value({frozenset(exponents): inverse(constant)})

    @property
    def is_polynomial(self) -> bool:
        """Return whether the denominator is 1."""
        return self.denominator is UNIT or self.denominator == UNIT

    @property
    def constant(self) -> Constant | None:
        """Return the algebraic number, if the value is one."""
        if not self.is_polynomial:
            return None
        if not self.numerator.keys() - {EMPTY}:
            return self.numerator.get(EMPTY, Fraction(0))
        numerator = nonzero_terms(self.numerator)
        return None if numerator.keys() - {EMPTY} else numerator.get(EMPTY, Fraction(0))

    @property
    def fraction(self) -> Fraction | None:
        """Return the number, if it is recognized as rational; otherwise None."""
        constant = self.constant
        return None if constant is None else as_fraction(constant)

    @property
    def integer(self) -> int | None:
        """Return the number, if it is an integer."""
        number = self.fraction
        return None if number is None or number.denominator != 1 else number.numerator

    @property
    def term(self) -> tuple[Constant, Monomial] | None:
        """Return coefficient and monomial, if there is one term and no denominator."""
        if not self.is_polynomial or len(self.numerator) != 1:
            return None
        [(monomial, constant)] = self.numerator.items()
        return constant, monomial

    @property
    def generators(self) -> set[Generator]:
        """Return all generators of the value, and the generators that they contain."""
        return generators_of(self.numerator) | generators_of(self.denominator)

    @property
    def letters(self) -> set[str]:
        """Return the letters of the value, except those in functions that are not analysed."""
        return {g for g in self.generators if isinstance(g, str) and g != "pi"}

    @property
    def unknowns(self) -> set[str]:
        """Return the letters, and "?" if the value has functions that are not analysed."""
        has_opaque = any(isinstance(generator, Opaque) for generator in self.generators)
        return self.letters | ({"?"} if has_opaque else set())

    @property
    def is_number(self) -> bool:
        """Return whether there are neither letters nor functions that are not analysed."""
        return not self.unknowns

    @property
    def form(self) -> Hashable:
        """Return a key, equal for values of the same form; equal values may have different keys."""
        return frozenset(self.numerator.items()), frozenset(self.denominator.items())

    def crosswise_difference(self, right: "Value") -> Polynomial:
        """Return the numerator of the difference of two values, without terms that are zero."""
        return nonzero_terms((self - right).numerator)

    def is_equal(self, right: "Value") -> bool:
        """Return whether two values are proved to be equal.

        >>> rational(Fraction(1, 2)).is_equal(rational(Fraction(2, 4)))
        True
        """
        return not self.crosswise_difference(right)


@dataclass(frozen=True, slots=True, eq=False)
class DecimalValue(Value):
    """A number that was written with a decimal point, and how many digits follow it."""

    decimals: int = 0

    def __neg__(self) -> "DecimalValue":
        negated = {m: -constant for m, constant in self.numerator.items()}
        return DecimalValue(negated, self.denominator, self.decimals)


def half_unit(value: Value) -> Value:
    """Return half a unit of the last written digit: what rounding may change."""
    return rational(
        Fraction(1, 2 * 10 ** (value.decimals if isinstance(value, DecimalValue) else 0))
    )


def plain_fraction(value: Value) -> Fraction | None:
    """Return the number, if the value has the form of a rational one."""
    if value.denominator is not UNIT or value.numerator.keys() - UNIT.keys():
        return None
    constant = value.numerator.get(EMPTY, _ZERO)
    return constant if type(constant) is Fraction else None


def nonzero_terms(polynomial: Polynomial) -> Polynomial:
    """Return the terms that are proved to be nonzero."""
    if all(type(constant) is Fraction for constant in polynomial.values()):
        return polynomial
    return {m: constant for m, constant in polynomial.items() if not is_zero(constant)}


def generators_of(polynomial: Polynomial) -> set[Generator]:
    """Return all generators of a polynomial, and the generators that they contain."""
    return {inner for m in polynomial for generator, _ in m for inner in _inner(generator)}


def _inner(generator: Generator) -> Iterator[Generator]:
    yield generator
    if isinstance(generator, Exp):
        for inner, _ in generator.monomial:
            yield from _inner(inner)
    elif isinstance(generator, Logarithm):
        if isinstance(generator.argument, str):
            yield generator.argument
    elif isinstance(generator, Sum):
        for monomial, _ in generator.terms:
            for inner, _ in monomial:
                yield from _inner(inner)


def constant_value(number: Constant) -> Value:
    """Return an algebraic number as a value."""
    return Value({EMPTY: number} if number != 0 else {})


def rational(number: int | Fraction) -> Value:
    """Return a rational number as a value."""
    return Value({EMPTY: Fraction(number)} if number else {})


def decimal(text: str) -> Value:
    """Return a number in digits, with or without a point.

    >>> decimal("2.50").decimals
    2
    """
    _, point, digits = text.partition(".")
    number = rational(Fraction(text))
    return DecimalValue(number.numerator, number.denominator, len(digits)) if point else number


def symbol(generator: Generator) -> Value:
    """Return a letter or another generator, or one of the constants "e" and "i", as a value."""
    if generator == "i":
        return constant_value(root_of_unity(Fraction(1, 4)))
    if generator == "e":
        generator = Exp(EMPTY, False)
    return Value({frozenset({(generator, 1)}): Fraction(1)})


def sort_key(part: object) -> str:
    """Return a text by which parts of values are put in order.

    Raises:
        UndecidedError: a number in it has more digits than Python writes.
    """
    try:
        return repr(part)
    except ValueError:
        raise UndecidedError("too much work: a number is too long") from None


def opaque(function: str, *arguments: Value) -> Value:
    """Return a function that is not analysed, as a value.

    >>> opaque("f", symbol("x")).is_equal(opaque("f", symbol("x")))
    True
    """
    return symbol(Opaque(function, tuple(argument.form for argument in arguments)))
