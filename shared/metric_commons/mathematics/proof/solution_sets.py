"""Equations and inequalities in several letters that have the same solutions."""

from fractions import Fraction

from ..algebra.algebraic import is_zero
from ..algebra.enclosures import real_sign
from ..algebra.exact_values import Polynomial, Value, product
from ..algebra.work_limits import UndecidedError
from ..parsing.structures import Inequalities


def same_solutions(left: Value, right: Value) -> bool | None:
    """Return whether left = 0 and right = 0 are the same up to a factor.

    Linear ones differ otherwise.
    """
    factor = _ratio(left, right)
    if factor is not None:
        return True
    letters = left.letters
    if letters != right.letters or not (_is_linear(left) and _is_linear(right)):
        return None
    return False


def _ratio(left: Value, right: Value) -> Fraction | int | None:
    """1 or -1, the sign of left / right if that is a constant; 0 if it is not real."""
    first, second = _numerators(left, right)
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


def _numerators(left: Value, right: Value) -> tuple[Polynomial, Polynomial]:
    return product(left.numerator, right.denominator), product(right.numerator, left.denominator)


def _is_linear(value: Value) -> bool:
    """Return whether a value is a sum of letters with rational factors and a rational number."""
    return value.is_polynomial and all(
        isinstance(constant, Fraction)
        and (not monomial or (len(monomial) == 1 and _is_letter(*next(iter(monomial)))))
        for monomial, constant in value.numerator.items()
    )


def _is_letter(generator: object, exponent: object) -> bool:
    return isinstance(generator, str) and generator != "pi" and exponent == 1


def same_inequalities(left: Inequalities, right: Inequalities) -> bool | None:
    """Return whether differences are equal up to positive factors; None otherwise."""
    if left.signs != right.signs:
        return None
    pairs = zip(left.signs, left.differences, right.differences, strict=True)
    for sign, first, second in pairs:
        factor = _positive_ratio(first, second)
        if factor is None or (factor <= 0 and sign != "≠"):
            return None
    return True


def _positive_ratio(left: Value, right: Value) -> Fraction | int | None:
    """Return the sign of left / right; None if one has a denominator, whose sign is unknown."""
    is_simple = left.is_polynomial and right.is_polynomial
    is_same = left.denominator == right.denominator
    return _ratio(left, right) if is_simple or is_same else None
