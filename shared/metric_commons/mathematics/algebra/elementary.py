"""Powers, roots, exponentials, logarithms and trigonometric functions of exact values.

All are expressed by few generators: the logarithm of a rational number is a sum over its primes,
    b^v
is e^(v ln b), e^(q ln p) is p^q, e^(i pi q) is a root of unity, and sin, cos, tan ... are written
with e^(iv). So identities among them, including addition theorems, become equalities of
polynomials.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import cast

from .algebraic import (
    Algebraic,
    Constant,
    as_fraction,
    as_real,
    conjugate,
    inverse,
    is_real,
    real_root,
    root_of_unity,
    sign,
    square,
)
from .enclosures import are_equal, at_point, check_real, real_sign
from .exact_values import (
    EMPTY,
    Exp,
    Generator,
    Logarithm,
    Monomial,
    Polynomial,
    Sum,
    Value,
    constant_value,
    nonzero_terms,
    opaque,
    rational,
    sort_key,
    symbol,
)
from .work_limits import UndecidedError, spend

_MAX_EXPONENT = 64  # of sums with many terms, and of numerators and denominators of exponents
_MAX_LENGTH = 40_000  # bits of a number
_MAX_DIVISOR = 20_000  # up to which prime factors are searched
_MAX_FACTORED_BITS = 2_000

PI = symbol("pi")
I = symbol("i")  # noqa: E741 - the imaginary unit
_HALF = Fraction(1, 2)


def power(base: Value, exponent: Value) -> Value:
    """Return a value to the power of another.

    Raises:
        UndecidedError: zero to the power of zero, or a negative number to a fractional power.

    >>> power(rational(8), rational(Fraction(2, 3))).fraction
    Fraction(4, 1)
    >>> power(rational(4), symbol("x")).is_equal(power(rational(2), rational(2) * symbol("x")))
    True
    """
    number = exponent.fraction
    if number is None:
        return _power_of_formula(base, exponent)
    if number.denominator == 1:
        return _integer_power(base, number.numerator)
    if max(number.denominator, abs(number.numerator)) > _MAX_EXPONENT:
        return opaque("power", base, exponent)
    constant = base.constant
    if constant is not None and (not is_real(constant) or sign(constant) < 0):
        # (-8)^(1/3) is -2 by some conventions, and 1 + sqrt(3) i by others.
        raise UndecidedError("a negative number to a fractional power")
    return _integer_power(root(base, number.denominator), number.numerator)


def _power_of_formula(base: Value, exponent: Value) -> Value:
    """Return the power with an exponent that has letters or is irrational."""
    constant = base.constant
    if constant is not None:
        if is_real(constant) and sign(constant) > 0:
            return exp(_times_logarithm(exponent, log(base)))
        return opaque("power", base, exponent)
    term = base.term
    if term is not None and len(term[1]) == 1 and term[0] == 1:
        [(generator, inner)] = term[1]
        is_real_exp = isinstance(generator, Exp) and not generator.is_imaginary
        # A letter to a power with letters is assumed to be positive.
        if is_real_exp or isinstance(generator, str):
            return exp(exponent * rational(Fraction(inner)) * log(symbol(generator)))
    return opaque("power", base, exponent)


def _times_logarithm(exponent: Value, logarithm: Value) -> Value:
    """Return the product, in which log_24 6 and the logarithm of 24 have a common factor."""
    pivot = next(iter(logarithm.numerator), EMPTY)
    constant = exponent.denominator.get(pivot, Fraction(0))
    if logarithm.is_polynomial and pivot != EMPTY and constant != 0:
        factor = constant_value(logarithm.numerator[pivot] * inverse(constant))
        if logarithm.is_equal(Value(exponent.denominator) * factor):
            return Value(exponent.numerator) * factor
    return exponent * logarithm


def _integer_power(base: Value, exponent: int) -> Value:
    if exponent <= 0 and not nonzero_terms(base.numerator):
        raise UndecidedError("zero to the power of zero" if not exponent else "division by zero")
    if exponent < 0:
        base, exponent = base.inverse(), -exponent
    term = base.term
    if term is not None:
        quick = _power_of_term(*term, exponent)
        if quick is not None:
            return quick
    if exponent > _MAX_EXPONENT:
        raise UndecidedError("too much work: too high a power")
    result = rational(1)
    while exponent:
        if exponent & 1:
            result *= base
        exponent >>= 1
        if exponent:
            base *= base
    return result


def _power_of_term(constant: Constant, monomial: Monomial, exponent: int) -> Value | None:
    """Return the power of a rational number, or root of unity, times generators."""
    if any(isinstance(generator, Sum) for generator, _ in monomial):
        return None
    coefficient, turn = constant, Fraction(0)
    if isinstance(coefficient, Algebraic):
        if coefficient.kind != "unit":
            return None
        coefficient, turn = coefficient.fraction_and_turn
    sizes = (abs(coefficient.numerator), coefficient.denominator)
    bits = sum(0 if part == 1 else part.bit_length() for part in sizes)
    if max(exponent * bits, exponent.bit_length() ** 2) > _MAX_LENGTH:
        raise UndecidedError("too much work: too large a power")
    spend(1 + exponent * bits // 100)
    number = root_of_unity(turn * exponent, coefficient**exponent)
    return Value({frozenset((g, inner * exponent) for g, inner in monomial): number})


def root(value: Value, degree: int) -> Value:
    """Return the real root of a value; for a negative number the principal square root, times i.

    Roots of even powers of a letter have absolute values, as sqrt(x^2) = |x|.

    >>> root(rational(12), 2).is_equal(rational(2) * root(rational(3), 2))
    True
    >>> root(rational(-4), 2).is_equal(rational(2) * I)
    True
    """
    constant = value.constant
    if constant is not None:
        return constant_value(real_root(constant, degree))
    term_root = _root_of_term(value, degree)
    if term_root is not None:
        return term_root
    name = f"root {degree}"
    if not value.is_polynomial or len(value.numerator) == 1:
        return opaque(name, value)
    content = _content(value.numerator)
    terms = frozenset((m, c * (1 / content)) for m, c in value.numerator.items())
    coefficient_root = constant_value(real_root(content, degree))
    return coefficient_root * symbol_power(Sum(terms), Fraction(1, degree))


def symbol_power(generator: Generator, exponent: Fraction) -> Value:
    """Return a generator with an exponent, as a value."""
    return Value({frozenset({(generator, exponent)}): Fraction(1)})


def _content(polynomial: Polynomial) -> Fraction:
    """Return the largest positive number that divides all coefficients, if all are rational."""
    numerator, denominator = 0, 1
    for constant in polynomial.values():
        if not isinstance(constant, Fraction):
            return Fraction(1)
        numerator = gcd(numerator, constant.numerator)
        denominator = lcm(denominator, constant.denominator)
    return Fraction(numerator, denominator)


def _root_of_term(value: Value, degree: int) -> Value | None:
    """Return the root of a positive number times one generator to a power."""
    term = value.term
    if term is None or len(term[1]) != 1:
        return None
    constant, monomial = term
    if not is_real(constant) or sign(constant) <= 0:
        return None
    [(generator, exponent)] = monomial
    coefficient_root = constant_value(real_root(constant, degree))
    is_positive = generator == "pi" or (isinstance(generator, Exp) and not generator.is_imaginary)
    is_letter, exponent = isinstance(generator, str), Fraction(exponent)
    if is_positive or (is_letter and exponent.numerator % 2 == 1):
        return coefficient_root * symbol_power(generator, exponent / degree)
    if is_letter and exponent.denominator == 1 and exponent % degree == 0:
        inner = int(exponent) // degree
        if degree % 2 or inner % 2 == 0:
            return coefficient_root * symbol_power(generator, Fraction(inner))
        return coefficient_root * _integer_power(opaque("abs", symbol(generator)), inner)
    return None


def exp(value: Value) -> Value:
    """Return e to the power of a value.

    >>> exp(I * PI).fraction
    Fraction(-1, 1)
    """
    if not value.is_polynomial:
        if len(value.denominator) > 1:
            return opaque("exp", value)
        value = Value(value.numerator) * Value(value.denominator).inverse()
        if not value.is_polynomial:
            return opaque("exp", value)
    result = rational(1)
    for monomial, constant in value.numerator.items():
        result *= _exp_of_term(monomial, constant)
    return result


def _exp_of_term(monomial: Monomial, constant: Constant) -> Value:
    number, is_imaginary = as_fraction(constant), False
    if number is None:
        number, is_imaginary = as_fraction(constant * root_of_unity(Fraction(3, 4))), True
    if number is None:
        return _exp_of_irrational_term(monomial, constant)
    if number == 0:
        return rational(1)
    if is_imaginary and monomial == {("pi", 1)}:
        return constant_value(root_of_unity(number / 2))
    if not is_imaginary and len(monomial) == 1:
        [(generator, exponent)] = monomial
        if isinstance(generator, Logarithm) and exponent == 1:  # e^(q ln p) = p^q
            return _power_of_positive(generator.argument, number)
    return Value({frozenset({(Exp(monomial, is_imaginary), number)}): Fraction(1)})


def _power_of_positive(argument: int | Algebraic | str, exponent: Fraction) -> Value:
    if isinstance(argument, str):
        return symbol_power(argument, exponent)
    number = Fraction(argument) if isinstance(argument, int) else argument
    if exponent.denominator > _MAX_EXPONENT:
        raise UndecidedError("too high a root")
    inner = constant_value(real_root(number, exponent.denominator))
    return _integer_power(inner, exponent.numerator)


def _exp_of_irrational_term(monomial: Monomial, constant: Constant) -> Value:
    is_imaginary = not is_real(constant)
    factor = constant * root_of_unity(Fraction(3, 4)) if is_imaginary else constant
    if not is_real(factor):  # a + bi with irrational parts
        return opaque("exp", Value({monomial: constant}))
    factor = as_real(factor)
    factor_sign = sign(factor)
    factor = factor if factor_sign > 0 else -factor
    squared = square(factor)
    shown = factor if squared is None else squared
    return symbol_power(
        Exp(monomial, is_imaginary, shown, squared is not None), Fraction(factor_sign)
    )


def log(value: Value) -> Value:
    """Return the natural logarithm.

    >>> log(rational(8)).is_equal(rational(3) * log(rational(2)))
    True

    Raises:
        UndecidedError: the value is a number that is not positive.
    """
    constant = value.constant
    if constant is not None:
        return _log_of_constant(constant)
    term = value.term
    if term is None:
        return opaque("ln", value)
    coefficient, monomial = term
    if len(monomial) == 1 and is_real(coefficient) and sign(coefficient) > 0:
        [(generator, exponent)] = monomial
        coefficient_root = _log_of_constant(coefficient)
        if isinstance(generator, Exp) and not generator.is_imaginary and generator.factor is None:
            return coefficient_root + Value({generator.monomial: Fraction(exponent)})
        is_odd = Fraction(exponent).numerator % 2 == 1
        if isinstance(generator, str) and (is_odd or generator == "pi"):
            return coefficient_root + rational(Fraction(exponent)) * symbol(Logarithm(generator))
    return opaque("ln", value)


def _log_of_constant(constant: Constant) -> Value:
    number = as_fraction(constant)
    if not is_real(constant) or sign(constant) <= 0:
        raise UndecidedError("the logarithm of a number that is not positive")
    if number is not None:
        total: Polynomial = {}
        for part, factor in ((number.numerator, 1), (number.denominator, -1)):
            for prime, exponent in prime_factors(part):
                total[frozenset({(Logarithm(prime), 1)})] = Fraction(factor * exponent)
        return Value(total)
    constant = cast(Algebraic, constant)
    if constant.kind == "root":
        return rational(Fraction(1, constant.degree)) * _log_of_constant(constant.parts[1])
    if constant.kind == "product" and isinstance(constant.parts[0], Fraction):
        first, last = constant.parts
        if sign(first) > 0:
            return _log_of_constant(first) + _log_of_constant(last)
    return symbol(Logarithm(constant))


def trigonometric(name: str, value: Value) -> Value:
    """Return sin, cos, tan, cot, sec or csc, and with a final h the hyperbolic one.

    >>> trigonometric("sin", PI * rational(Fraction(1, 6))).fraction
    Fraction(1, 2)
    """
    is_hyperbolic = name.endswith("h")
    unit = rational(1) if is_hyperbolic else I
    growth = exp(unit * value)
    decay = growth.inverse()
    half = rational(_HALF)

    def sine() -> Value:
        over_two_i = half * unit.inverse()
        return growth * over_two_i - decay * over_two_i

    def cosine() -> Value:
        return growth * half + decay * half

    ratios: dict[str, Callable[[], Value]] = {
        "sin": sine,
        "cos": cosine,
        "tan": lambda: sine() / cosine(),
        "cot": lambda: cosine() / sine(),
        "sec": lambda: cosine().inverse(),
        "csc": lambda: sine().inverse(),
    }
    return ratios[name.removesuffix("h")]()


def inverse_trigonometric(name: str, value: Value) -> Value:
    """Return arcsin, arccos or arctan: a rational multiple of pi, guessed and proved, or opaque.

    >>> inverse_trigonometric("arctan", root(rational(3), 2)).is_equal(
    ...     PI * rational(Fraction(1, 3))
    ... )
    True
    """
    if value.constant is None or not is_real(value.constant):
        return opaque(name, value)
    function = name.removeprefix("arc")
    for denominator in (1, 2, 3, 4, 5, 6, 8, 10, 12):
        for numerator in range(-denominator, denominator + 1):
            turn = Fraction(numerator, denominator)
            is_in_range = turn >= 0 if function == "cos" else abs(turn) <= _HALF
            is_pole = function == "tan" and abs(turn) == _HALF
            if turn.denominator == denominator and is_in_range and not is_pole:
                angle = PI * rational(turn)
                if are_equal(trigonometric(function, angle), value):
                    return angle
    return opaque(name, value)


def size(value: Value) -> Value:
    """Return the absolute value; it is opaque for a formula with letters, and |-v| is |v|.

    >>> size(rational(3) + rational(4) * I).fraction
    Fraction(5, 1)
    """
    constant = value.constant
    if constant is not None:
        if is_real(constant):
            return value if sign(constant) >= 0 else -value
        return constant_value(real_root(constant * conjugate(constant), 2))
    if value.is_number:
        check_real(value)
        return value if real_sign(value) >= 0 else -value
    if not value.numerator:
        return value
    first = min(value.numerator, key=_spelling)
    coefficient = value.numerator[first]
    if isinstance(coefficient, Fraction) and coefficient < 0:
        value = -value
    term = value.term
    if term is not None and isinstance(term[0], Fraction):
        monic = Value({term[1]: Fraction(1)})
        return rational(term[0]) * opaque("abs", monic)
    return opaque("abs", value)


def _spelling(monomial: Monomial) -> list[str]:
    return sorted(f"{sort_key(generator)} {exponent}" for generator, exponent in monomial)


def rounded_down(value: Value) -> int:
    """Return the largest integer that does not exceed a real number.

    >>> rounded_down(PI)
    3
    """
    number = value.fraction
    if number is not None:
        return number.numerator // number.denominator
    check_real(value)
    guess = at_point(value, {}, 96).real >> 96
    for candidate in (guess + 1, guess, guess - 1):
        if real_sign(value - rational(candidate)) >= 0:
            return candidate
    raise UndecidedError("too close to an integer")


def prime_factors(number: int) -> tuple[tuple[int, int], ...]:
    """Return the prime factors of a positive integer with their exponents.

    Raises:
        UndecidedError: a factor is large.

    >>> prime_factors(360)
    ((2, 3), (3, 2), (5, 1))
    """
    if number.bit_length() > _MAX_FACTORED_BITS:
        raise UndecidedError("too much work: too large to factor")
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
        raise UndecidedError("too much work: too large to factor")
    return (*factors, (number, 1)) if number > 1 else tuple(factors)
