"""Proofs that values differ, their signs, and their distances, by enclosures.

Two values differ if a difference is not zero where its generators are algebraically independent, or
at one rational point. A point may disprove equality; it never proves it.
"""

from collections.abc import Mapping
from fractions import Fraction

from .algebraic import Constant, as_real, enclosure, is_written_real, sign
from .exact_values import (
    EMPTY,
    Exp,
    Exponent,
    Generator,
    Logarithm,
    Monomial,
    Opaque,
    Polynomial,
    Sum,
    Value,
    generators_of,
)
from .fixed_point import (
    Ball,
    ImpreciseError,
    ball,
    ball_exp,
    ball_inverse,
    ball_log,
    ball_product,
    ball_root,
    ball_sum,
)
from .fixed_point import pi as fixed_pi
from .work_limits import UndecidedError, spend

_BITS = (96, 320, 1_000)  # precisions that are tried in turn
_POINTS = 3  # at which formulas with letters are compared
_MAX_EXPONENT = 100


def are_equal(left: Value, right: Value) -> bool | None:
    """Return whether two values are equal, by proof in either case; None if there is no proof.

    >>> from .exact_values import rational, symbol, opaque
    >>> are_equal(symbol("x") + symbol("y"), symbol("y") + symbol("x"))
    True
    >>> are_equal(symbol("pi"), rational(3)), are_equal(symbol("x"), symbol("y"))
    (False, False)
    >>> print(are_equal(opaque("f", rational(2)), rational(0)))
    None
    """
    difference = left.crosswise_difference(right)
    if not difference:
        return True
    generators = generators_of(difference)
    if any(isinstance(generator, Opaque) for generator in generators):
        return None
    # Letters, and one of pi and e: no polynomial equation holds between these.
    constants = {generator for generator in generators if not _is_letter(generator)}
    if len(constants) <= 1 and constants <= {"pi", Exp(EMPTY, False)}:
        return False
    if _may_be_of_integers(generators):
        return None
    return False if _differ_at_a_point(difference, left, right, generators) else None


def _is_letter(generator: Generator) -> bool:
    return isinstance(generator, str) and generator != "pi"


def _may_be_of_integers(generators: set[Generator]) -> bool:
    """Return whether cos(n pi) occurs, where n is meant to be an integer."""
    return any(
        isinstance(generator, Exp)
        and generator.is_imaginary
        and any(inner == "pi" for inner, _ in generator.monomial)
        and any(_is_letter(inner) for inner, _ in generator.monomial)
        for generator in generators
    )


def _differ_at_a_point(
    difference: Polynomial, left: Value, right: Value, generators: set[Generator]
) -> bool:
    letters = sorted(g for g in generators | left.generators | right.generators if _is_letter(g))
    for number in range(_POINTS if letters else 1):
        point = {
            letter: Fraction(3 + (37 * index + 53 * number + 11) % 97, 40)
            for index, letter in enumerate(map(str, letters))
        }
        for bits in _BITS[: 2 if letters else 3]:
            try:
                polynomials = (difference, left.denominator, right.denominator)
                if all(_at_point(part, point, bits).excludes_zero for part in polynomials):
                    return True
            except ImpreciseError:
                continue
    return False


def real_sign(value: Value) -> int:
    """Return the sign of a real number: -1, 0 or 1.

    >>> from .exact_values import symbol, rational
    >>> real_sign(symbol("pi") - rational(3))
    1

    Raises:
        UndecidedError: the value has letters or is not real, or its sign was not found.
    """
    constant = value.constant
    if constant is not None:
        return sign(constant)
    if value.letters:
        raise UndecidedError("not a number")
    if not value.crosswise_difference(Value({})):
        return 0
    check_real(value)
    for bits in _BITS:
        try:
            number = at_point(value, {}, bits)
        except ImpreciseError:
            continue
        if abs(number.real) > number.error:
            return 1 if number.real > 0 else -1
    raise UndecidedError("too close to zero")


def check_real(value: Value) -> None:
    """Check that a number is real.

    Raises:
        UndecidedError: this could not be shown.
    """
    for polynomial in (value.numerator, value.denominator):
        for monomial, constant in polynomial.items():
            if not is_written_real(constant):
                as_real(constant)
            if any(isinstance(g, Exp) and g.is_imaginary for g, _ in monomial):
                raise UndecidedError("not a real number")


def at_point(value: Value, point: Mapping[str, Fraction], bits: int) -> Ball:
    """Return an enclosure of a value with numbers for its letters.

    Raises:
        ImpreciseError: the precision is too low.
        UndecidedError: the value has functions that are not analysed.
    """
    numerator = _at_point(value.numerator, point, bits)
    if value.is_polynomial:
        return numerator
    denominator = _at_point(value.denominator, point, bits)
    return ball_product(numerator, ball_inverse(denominator, bits), bits)


def _at_point(polynomial: Polynomial, point: Mapping[str, Fraction], bits: int) -> Ball:
    total = Ball(0, 0, 0)
    for monomial, constant in polynomial.items():
        number = _monomial_at_point(monomial, point, bits)
        total = ball_sum(total, ball_product(enclosure(constant, bits), number, bits))
    return total


def _monomial_at_point(monomial: Monomial, point: Mapping[str, Fraction], bits: int) -> Ball:
    result = ball(Fraction(1), bits)
    for generator, exponent in monomial:
        number = _generator_at_point(generator, point, bits)
        result = ball_product(result, _power(number, exponent, bits), bits)
    return result


def _generator_at_point(generator: Generator, point: Mapping[str, Fraction], bits: int) -> Ball:
    spend(2 + bits // 50)
    if isinstance(generator, str):
        return Ball(fixed_pi(bits), 0, 1) if generator == "pi" else ball(point[generator], bits)
    if isinstance(generator, Logarithm):
        argument: Constant | int | str = generator.argument
        if isinstance(argument, str):
            return ball_log(_generator_at_point(argument, point, bits), bits)
        number = Fraction(argument) if isinstance(argument, int) else argument
        return ball_log(enclosure(number, bits), bits)
    if isinstance(generator, Sum):
        return _at_point(dict(generator.terms), point, bits)
    if isinstance(generator, Exp):
        number_of_monomial = _monomial_at_point(generator.monomial, point, bits)
        if generator.factor is not None:
            factor = enclosure(generator.factor, bits)
            factor = ball_root(factor, 2, bits) if generator.is_square else factor
            number_of_monomial = ball_product(number_of_monomial, factor, bits)
        x, y, error = number_of_monomial
        return ball_exp(Ball(-y, x, error) if generator.is_imaginary else Ball(x, y, error), bits)
    raise UndecidedError("a function that is not analysed")


def _power(number: Ball, exponent: Exponent, bits: int) -> Ball:
    exponent = Fraction(exponent)
    if max(abs(exponent.numerator), exponent.denominator) > _MAX_EXPONENT:
        raise UndecidedError("too high a power")
    if exponent.denominator > 1:
        if number.real + number.error <= 0 or abs(number.imaginary) > number.error:
            raise ImpreciseError  # at this point, the root is not real
        number = ball_root(number, exponent.denominator, bits)
    if exponent < 0:
        number = ball_inverse(number, bits)
    result = number
    for _ in range(abs(exponent.numerator) - 1):
        result = ball_product(result, number, bits)
    return result


def is_within(left: Value, right: Value, tolerance: Value) -> bool | None:
    """Return whether two complex numbers differ by at most a real number; None if undecided.

    >>> from .exact_values import rational, symbol
    >>> is_within(symbol("pi"), rational(Fraction(314, 100)), rational(Fraction(1, 100)))
    True
    """
    distance = left - right
    exact = distance.fraction, tolerance.fraction
    if exact[0] is not None and exact[1] is not None:
        return abs(exact[0]) <= exact[1]
    if distance.letters or tolerance.letters:
        return None
    for bits in _BITS:
        try:
            x, y, error = at_point(distance, {}, bits)
            limit, _, bound_error = at_point(tolerance, {}, bits)
        except ImpreciseError:
            continue
        except UndecidedError:
            return None
        square = x * x + y * y
        slack = 4 * error * (abs(x) + abs(y) + error)
        low, high = limit - bound_error, limit + bound_error
        if low >= 0 and square + slack <= low * low:
            return True
        if high < 0 or square - slack > high * high:
            return False
    return None
