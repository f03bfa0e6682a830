"""Equations and inequalities in several letters that have the same solutions."""

from fractions import Fraction

from ..algebra.algebraic import is_zero
from ..algebra.enclosures import real_sign
from ..algebra.exact_values import EMPTY, Value, product, rational
from ..algebra.work_limits import UndecidedError
from ..parsing.structures import Congruence, Inequalities


def same_solutions(left: Value, right: Value) -> bool | None:
    """Return True if both are equal up to a factor, else False if they are linear, else None."""
    if _ratio(left, right) is not None:
        return True
    same_letters = left.letters == right.letters
    return False if same_letters and _is_linear(left) and _is_linear(right) else None


def _ratio(left: Value, right: Value) -> Fraction | int | None:
    """Return the sign of left / right if that is a constant; 0 if it is not real."""
    first = product(left.numerator, right.denominator)
    second = product(right.numerator, left.denominator)
    if not first or not second or first.keys() != second.keys():
        return None
    monomials = list(first)
    pivot = monomials[0]
    for monomial in monomials[1:]:
        cross = first[monomial] * second[pivot] - first[pivot] * second[monomial]
        if not is_zero(cross):
            return None
    quotient = first[pivot] * second[pivot]
    try:
        return real_sign(Value({frozenset(): quotient}))
    except UndecidedError:
        return 0


def _is_linear(value: Value) -> bool:
    """Return whether a value is a sum of letters with rational factors and a rational number."""
    return value.is_polynomial and all(
        isinstance(constant, Fraction)
        and (not monomial or (len(monomial) == 1 and _is_letter(*next(iter(monomial)))))
        for monomial, constant in value.numerator.items()
    )


def _is_letter(generator: object, exponent: object) -> bool:
    return isinstance(generator, str) and generator != "pi" and exponent == 1


def same_congruences(left: Congruence, right: Congruence) -> bool | None:
    """Return whether two congruences of letters have the same solutions; None for other forms.

    >>> from ..parsing.structures import Congruence
    >>> from ..algebra.exact_values import rational, symbol
    >>> two, seven = (Congruence(symbol("x") - rational(n), 5) for n in (2, 7))
    >>> same_congruences(two, seven)
    True
    """
    are_integers = [
        (left.difference + sign * right.difference).integer for sign in (rational(-1), rational(1))
    ]
    multiples = [number % left.modulus == 0 for number in are_integers if number is not None]
    if left.modulus == right.modulus and any(multiples):
        return True
    same_letters = left.difference.letters == right.difference.letters
    return False if same_letters and _is_solved(left) and _is_solved(right) else None


def _is_solved(side: Congruence) -> bool:
    """Return whether a congruence is a letter beside an integer."""
    terms = dict(side.difference.numerator)
    integer = terms.pop(EMPTY, Fraction(0))
    is_integer = isinstance(integer, Fraction) and integer.denominator == 1
    is_letter = len(terms) == 1 and all(factor in (1, -1) for factor in terms.values())
    return is_integer and is_letter and side.difference.is_polynomial


def same_inequalities(left: Inequalities, right: Inequalities) -> bool | None:
    """Return whether differences are equal up to positive factors; None otherwise."""
    if left.signs != right.signs:
        return None
    pairs = zip(left.signs, left.differences, right.differences, strict=True)
    for sign, first, second in pairs:
        # A denominator has an unknown sign, unless it is the same on both sides.
        is_polynomial = first.is_polynomial and second.is_polynomial
        has_known_sign = is_polynomial or first.denominator == second.denominator
        factor = _ratio(first, second) if has_known_sign else None
        if factor is None or (factor <= 0 and sign != "≠"):
            return None
    return True
