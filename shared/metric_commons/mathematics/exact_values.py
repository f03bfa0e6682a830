"""Exact values: quotients of polynomials, which are compared by cross-multiplication."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction

from .polynomials import (
    ONE,
    UNIT,
    Generator,
    Monomial,
    Opaque,
    Polynomial,
    linear_combination,
    monomial_power,
    product,
)
from .work_limits import UndecidedError


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A number, or a formula with letters: numerator / denominator.

    >>> two, x = rational(2), symbol("x")
    >>> ((x * x - two * two) / (x - two)).equals(x + two)
    True
    """

    numerator: Polynomial
    denominator: Polynomial = field(default_factory=lambda: UNIT)

    def __add__(self, right: "Value") -> "Value":
        return self._sum(right, 1)

    def __sub__(self, right: "Value") -> "Value":
        return self._sum(right, -1)

    def __neg__(self) -> "Value":
        return rational(-1) * self

    def __mul__(self, right: "Value") -> "Value":
        return Value(
            product(self.numerator, right.numerator), product(self.denominator, right.denominator)
        )

    def __truediv__(self, right: "Value") -> "Value":
        return self * right.inverse()

    def _sum(self, right: "Value", factor: int) -> "Value":
        if self.denominator == right.denominator:
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
        """1 / value.

        Raises:
            UndecidedError: the value is 0.
        """
        if not self.numerator:
            raise UndecidedError("division by zero")
        term = self._numerator_term()
        if term is None or any(isinstance(generator, Opaque) for generator, _ in term[1]):
            return Value(self.denominator, self.numerator)
        if not term[1]:
            return Value(product({ONE: 1 / term[0]}, self.denominator))
        # A numerator of one term becomes a factor with negative exponents: most denominators are 1.
        coefficient, monomial = term
        factor, key = monomial_power(monomial, -1)
        return Value(product({key: factor / coefficient}, self.denominator))

    def _numerator_term(self) -> tuple[Fraction, Monomial] | None:
        if len(self.numerator) != 1:
            return None
        [(monomial, coefficient)] = self.numerator.items()
        return coefficient, monomial

    @property
    def term(self) -> tuple[Fraction, Monomial] | None:
        """Coefficient and monomial, if there is one term and no denominator."""
        return self._numerator_term() if self.denominator == UNIT else None

    @property
    def fraction(self) -> Fraction | None:
        """The number, if it is rational; None also where that was not seen."""
        if not self.numerator:
            return Fraction(0)
        if self.denominator != UNIT or len(self.numerator) > 1:
            return None
        return self.numerator.get(ONE)

    @property
    def integer(self) -> int | None:
        """The number, if it is an integer."""
        number = self.fraction
        return None if number is None or number.denominator != 1 else number.numerator

    @property
    def generators(self) -> set[Generator]:
        """Everything but rational numbers that the value is made of."""
        polynomials = (self.numerator, self.denominator)
        return {
            generator
            for polynomial in polynomials
            for monomial in polynomial
            for generator, _ in monomial
        }

    @property
    def form(self) -> Hashable:
        """Equal for values that are written alike; equal values may differ in it."""
        return frozenset(self.numerator.items()), frozenset(self.denominator.items())

    def equals(self, right: "Value") -> bool | None:
        """Whether two values are the same; None where functions might make them so.

        >>> rational(Fraction(1, 2)).equals(rational(Fraction(2, 4)))
        True
        >>> symbol("x").equals(symbol("y"))
        False
        >>> print(opaque("sin", rational(0)).equals(rational(0)))
        None
        """
        if self.denominator == right.denominator:
            left_product, right_product = self.numerator, right.numerator
        else:
            left_product = product(self.numerator, right.denominator)
            right_product = product(right.numerator, self.denominator)
        if left_product == right_product:
            return True
        generators = self.generators | right.generators
        return None if any(isinstance(base, Opaque) for base in generators) else False


def rational(number: int | Fraction) -> Value:
    """A rational number as a value."""
    return Value({ONE: Fraction(number)} if number else {})


def symbol(name: Generator) -> Value:
    """A letter, or one of the constants "pi", "e" and "i", as a value."""
    return Value({frozenset({(name, 1)}): Fraction(1)})


def opaque(function: str, *arguments: Value) -> Value:
    """A function that is not looked into, as a value.

    >>> opaque("sin", symbol("x")).equals(opaque("sin", symbol("x")))
    True
    """
    return symbol(Opaque(function, tuple(argument.form for argument in arguments)))
