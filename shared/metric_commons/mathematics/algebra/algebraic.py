"""Algebraic numbers as expressions, with a proof of zero by a separation bound.

A `Constant` is a `Fraction` or an `Algebraic`: a rational number times a root of unity, a sum, a
product, an inverse, or the real root of a positive number. There is no normal form. That a number
is *not* zero is shown by an enclosure of sufficient precision. That it *is* zero is proved by the
bound of Burnikel, Funke, Mehlhorn, Schirra and Schmitt (2001, "A separation bound for real
algebraic expressions"): with u and l computed along the expression, and D the product of the
degrees of its distinct roots and the degree of its roots of unity, a number that is not zero is at
least 1 / (u^(D-1) l) in size. An enclosure below that is a proof.

The bound holds for complex numbers too, since it is one of norms: the number is a quotient of two
algebraic integers whose conjugates are at most u and l in size.
"""

from fractions import Fraction
from functools import cached_property, lru_cache
from math import lcm
from typing import Literal, cast
from weakref import WeakValueDictionary

from .fixed_point import (
    Ball,
    ImpreciseError,
    ball,
    ball_inverse,
    ball_product,
    ball_root,
    ball_sum,
    direction,
    integer_root,
)
from .work_limits import UndecidedError, spend

_MAX_LENGTH = 40_000  # bits of a rational number
_MAX_ORDER = 20_000  # of a root of unity
_MAX_BITS = 12_000  # of an enclosure that proves zero
_FIRST_BITS = 96
_MAX_DENOMINATOR = 10_000  # of rational numbers that are recognised

_BIT = 1024  # sizes are counted in parts of a bit, rounded up
# log2(1 + 2^-d) in these parts, rounded up, for d = 0, 1, 2 ...
_GROWTH = (1024, 600, 330, 175, 90, 46, 24, 12, 6, 3, 2)

Kind = Literal["unit", "sum", "product", "inverse", "root"]


class Algebraic:
    """An algebraic number that is not written as a rational one; made by the functions below."""

    def __init__(self, kind: Kind, parts: tuple["Constant", ...], is_real: bool) -> None:
        self.kind, self.parts, self.is_real = kind, parts, is_real
        self._bits = 0
        self._ball = Ball(0, 0, 0)
        self.order = 1
        self.radicals: frozenset[tuple[int, Constant]] = frozenset()
        self._set_bounds()

    def _set_bounds(self) -> None:
        """Set the bounds u and l of the number, as logarithms, and its fields."""
        if self.kind == "unit":
            coefficient, turn = self.fraction_and_turn
            self.upper, self.lower = _upper(coefficient), _lower(coefficient)
            self.order = 2 * turn.denominator
            return
        parts = self.parts[1:] if self.kind == "root" else self.parts
        for part in parts:
            if isinstance(part, Algebraic):
                self.radicals |= part.radicals
                self.order = lcm(self.order, part.order)
        upper, lower = _upper(parts[0]), _lower(parts[0])
        if self.kind == "sum":
            last_upper, last_lower = _upper(parts[-1]), _lower(parts[-1])
            self.upper = _size_of_sum(upper + last_lower, lower + last_upper)
            self.lower = lower + last_lower
        elif self.kind == "product":
            self.upper, self.lower = upper + _upper(parts[-1]), lower + _lower(parts[-1])
        elif self.kind == "inverse":
            self.upper, self.lower = lower, upper
        else:
            degree = int(self.degree)
            self.radicals |= {(degree, parts[0])}
            if upper >= lower:
                self.upper, self.lower = -(-(upper + (degree - 1) * lower) // degree), lower
            else:
                self.upper, self.lower = upper, -(-((degree - 1) * upper + lower) // degree)

    @property
    def fraction_and_turn(self) -> tuple[Fraction, Fraction]:
        """Return the rational factor and the turn of a rational number times a root of unity."""
        return cast(tuple[Fraction, Fraction], self.parts)

    @property
    def degree(self) -> int:
        """Return the degree of a root."""
        degree = self.parts[0]
        return degree.numerator if isinstance(degree, Fraction) else 0

    def __add__(self, other: "Constant") -> "Constant":
        if other == 0:
            return self
        is_real = self.is_real and is_written_real(other)
        if isinstance(other, Algebraic) and self.kind == other.kind == "unit":
            number, turn = self.fraction_and_turn
            other_number, other_turn = other.fraction_and_turn
            if turn == other_turn:
                return root_of_unity(turn, number + other_number)
            is_real = number == -other_number and turn + other_turn == Fraction(1, 2)
        return _node("sum", (self, other), is_real)

    __radd__ = __add__

    def __neg__(self) -> "Constant":
        return self * Fraction(-1)

    def __sub__(self, right: "Constant") -> "Constant":
        return self + -right

    def __rsub__(self, left: Fraction) -> "Constant":
        return -self + left

    def __mul__(self, other: "Constant") -> "Constant":
        if isinstance(other, Fraction):
            return self._multiple(other)
        if self.kind == other.kind == "unit":
            number, turn = self.fraction_and_turn
            other_number, other_turn = other.fraction_and_turn
            return root_of_unity(turn + other_turn, checked(number * other_number))
        if self is other and self.kind == "root" and self.degree == 2:
            return self.parts[1]
        for factor, second in ((self, other), (other, self)):
            if factor.kind == "product" and isinstance(factor.parts[0], Fraction):
                return factor.parts[0] * (factor.parts[1] * second)
        return _node("product", (self, other), self.is_real and other.is_real)

    __rmul__ = __mul__

    def _multiple(self, number: Fraction) -> "Constant":
        """Return a rational multiple; rational factors come first, so that equal ones are one."""
        if number in (0, 1):
            return self if number else number
        if self.kind == "unit":
            coefficient, turn = self.fraction_and_turn
            return root_of_unity(turn, checked(number * coefficient))
        first, last = self.parts[0], self.parts[-1]
        if self.kind == "product" and isinstance(first, Fraction):
            number = checked(number * first)
            return last if number == 1 else _node("product", (number, last), self.is_real)
        if self.kind == "sum" and all(_kind(part) == "unit" for part in self.parts):
            return number * first + number * last
        return _node("product", (number, self), self.is_real)

    def enclosure(self, bits: int) -> Ball:
        """Return a ball around the number.

        Its precision decreases with the depth of the expression.

        Raises:
            ImpreciseError: a part may be zero at this precision.
        """
        if self._bits == bits:
            return self._ball
        spend(1 + bits * bits // 150_000)
        number = self._enclosure(bits)
        if bits > self._bits:
            self._bits, self._ball = bits, number
        return number

    def _enclosure(self, bits: int) -> Ball:
        if self.kind == "unit":
            coefficient, turn = self.fraction_and_turn
            return ball_product(ball(coefficient, bits), direction(turn, bits), bits)
        first, last = self.parts[0], self.parts[-1]
        if self.kind == "root":
            spend((bits * self.degree) ** 2 // 400_000)
            return ball_root(enclosure(last, bits), self.degree, bits)
        if self.kind == "inverse":
            return ball_inverse(enclosure(first, bits), bits)
        left, right = enclosure(first, bits), enclosure(last, bits)
        return ball_sum(left, right) if self.kind == "sum" else ball_product(left, right, bits)

    @cached_property
    def is_proved_zero(self) -> bool:
        """Return whether the number is zero; see `is_zero`."""
        degree = _totient(self.order)
        for root_degree, _ in self.radicals:
            degree *= root_degree
        proof_bits = ((degree - 1) * max(self.upper, 0) + max(self.lower, 0)) // _BIT + 3
        bits = _FIRST_BITS
        while True:
            try:
                number = self.enclosure(bits)
            except ImpreciseError:
                pass
            else:
                if number.excludes_zero:
                    return False
                size = abs(number.real) + abs(number.imaginary) + 2 * number.error
                if bits > proof_bits and size.bit_length() < bits - proof_bits:
                    return True
            if bits > 2 * _MAX_BITS or (proof_bits > _MAX_BITS and bits > 1_500):
                raise UndecidedError("too close to zero")
            bits *= 2
            if bits >= 768:  # one step to the precision of the proof, with a few more bits
                bits = max(bits, min(proof_bits + 60, 2 * _MAX_BITS))

    @cached_property
    def proved_rational(self) -> Fraction | None:
        """Return the number as a fraction; see `as_fraction`."""
        try:
            number = self.enclosure(192)
        except ImpreciseError:
            return None
        if abs(number.imaginary) >> 96:
            return None
        guess = Fraction(number.real, 1 << 192).limit_denominator(_MAX_DENOMINATOR)
        if abs(guess - Fraction(number.real, 1 << 192)) * (1 << 96) > 1:
            return None
        try:
            return guess if is_zero(self - guess) else None
        except UndecidedError:
            return None


Constant = Fraction | Algebraic

# Equal expressions are one object, so that roots which occur twice count once in the bound.
_NODES: "WeakValueDictionary[object, Algebraic]" = WeakValueDictionary()


def _node(kind: Kind, parts: tuple[Constant, ...], is_real: bool) -> Algebraic:
    spend(1)
    is_ordered = kind in ("unit", "root")
    key = kind, parts if is_ordered else frozenset(parts), len(parts), is_real
    node = _NODES.get(key)
    if node is None:
        node = Algebraic(kind, parts, is_real)
        node = _NODES.setdefault(key, node)
    return node


def root_of_unity(turn: Fraction, coefficient: Fraction = Fraction(1)) -> Constant:
    """Return a rational number times e^(2 pi i turn).

    >>> root_of_unity(Fraction(1, 4)) * root_of_unity(Fraction(1, 4))
    Fraction(-1, 1)
    """
    turn %= 1
    if turn >= Fraction(1, 2):
        coefficient, turn = -coefficient, turn - Fraction(1, 2)
    if not turn or not coefficient:
        return coefficient
    if turn.denominator > _MAX_ORDER:
        raise UndecidedError("too fine an angle")
    return _node("unit", (coefficient, turn), False)


def inverse(number: Constant) -> Constant:
    """Return 1 over a number.

    Raises:
        UndecidedError: the number is zero, or nearly so.
    """
    if isinstance(number, Fraction):
        if not number:
            raise UndecidedError("division by zero")
        return 1 / number
    if number.kind == "unit":
        coefficient, turn = number.fraction_and_turn
        return root_of_unity(-turn, 1 / coefficient)
    if number.kind == "inverse":
        return number.parts[0]
    if number.is_proved_zero:
        raise UndecidedError("division by zero")
    return _node("inverse", (number,), number.is_real)


def real_root(number: Constant, degree: int) -> Constant:
    """Return the root of a real number; for a negative one -|root| for odd degrees, i |root| for 2.

    >>> real_root(Fraction(-8), 3), real_root(Fraction(4, 9), 2)
    (Fraction(-2, 1), Fraction(2, 3))

    Raises:
        UndecidedError: the number is not real, or it is negative and the degree is 4, 6 ...
    """
    number = as_real(number)
    number_sign = sign(number)
    if not number_sign:
        return Fraction(0)
    if number_sign < 0:
        if degree == 2:
            return root_of_unity(Fraction(1, 4)) * real_root(-number, 2)
        if degree % 2:
            return -real_root(-number, degree)
        raise UndecidedError("an even root of a negative number")
    if isinstance(number, Algebraic):
        fraction = number.proved_rational
        number = number if fraction is None else fraction
    if isinstance(number, Algebraic):
        return _node("root", (Fraction(degree), number), True)
    coefficient, radicand = _coefficient_and_radicand(number, degree)
    if radicand == 1:
        return coefficient
    return coefficient * _node("root", (Fraction(degree), radicand), True)


def is_zero(number: Constant) -> bool:
    """Return whether a number is zero: by proof in either case.

    >>> two = Fraction(2)
    >>> is_zero(real_root(Fraction(8), 2) - two * real_root(two, 2))
    True

    Raises:
        UndecidedError: the proof would take too many digits.
    """
    return not number if isinstance(number, Fraction) else number.is_proved_zero


def sign(number: Constant) -> int:
    """Return the sign of a real number: -1, 0 or 1.

    Raises:
        UndecidedError: the number is not real, or the proof would take too many digits.
    """
    if isinstance(number, Fraction):
        return (number > 0) - (number < 0)
    number = as_real(number)
    if is_zero(number):
        return 0
    bits = _FIRST_BITS
    while True:
        try:
            middle, _, error = enclosure(number, bits)
            if abs(middle) > error:
                return 1 if middle > 0 else -1
        except ImpreciseError:
            pass
        bits *= 2


def as_fraction(number: Constant) -> Fraction | None:
    """Return the number as a fraction of small terms, if it is proved to be one."""
    if isinstance(number, Fraction):
        return number
    return None if number.kind == "unit" else number.proved_rational


def as_real(number: Constant) -> Constant:
    """Return the number as one that is written real.

    Raises:
        UndecidedError: it is not real.
    """
    if isinstance(number, Fraction) or number.is_real:
        return number
    if not is_zero(number - conjugate(number)):
        raise UndecidedError("not a real number")
    return _node(number.kind, number.parts, True)


def is_real(number: Constant) -> bool:
    """Return whether a number is proved to be real; otherwise it is proved that it is not.

    Raises:
        UndecidedError: the proof would take too many digits.
    """
    return is_written_real(number) or is_zero(number - conjugate(number))


def is_written_real(number: Constant) -> bool:
    """Return whether all parts of an expression are real."""
    return isinstance(number, Fraction) or number.is_real


def conjugate(number: Constant) -> Constant:
    """Return the complex conjugate."""
    if isinstance(number, Fraction) or number.is_real:
        return number
    if number.kind == "unit":
        coefficient, turn = number.fraction_and_turn
        return root_of_unity(-turn, coefficient)
    spend(1)
    parts = [conjugate(part) for part in number.parts]
    if number.kind == "sum":
        return parts[0] + parts[-1]
    return parts[0] * parts[-1] if number.kind == "product" else inverse(parts[0])


def enclosure(number: Constant, bits: int) -> Ball:
    """Return a ball around a number; see `Algebraic.enclosure`."""
    return ball(number, bits) if isinstance(number, Fraction) else number.enclosure(bits)


def square(number: Constant) -> Fraction | None:
    """Return the square of a number, if it is a product of square roots of fractions."""
    if isinstance(number, Fraction):
        return number * number
    if number.kind == "root" and number.degree == 2 and isinstance(number.parts[1], Fraction):
        return number.parts[1]
    if number.kind in ("product", "inverse"):
        squares = [square(part) for part in number.parts]
        first, last = squares[0], squares[-1]
        if first is not None and last is not None:
            return 1 / first if number.kind == "inverse" else first * last
    return None


def checked(number: Fraction) -> Fraction:
    """Return the same number.

    Raises:
        UndecidedError: it is too long.
    """
    if number.numerator.bit_length() + number.denominator.bit_length() > _MAX_LENGTH:
        raise UndecidedError("too much work: a number is too long")
    return number


def _kind(number: Constant) -> str:
    return "fraction" if isinstance(number, Fraction) else number.kind


def _upper(number: Constant) -> int:
    return _logarithm(number.numerator) if isinstance(number, Fraction) else number.upper


def _lower(number: Constant) -> int:
    return _logarithm(number.denominator) if isinstance(number, Fraction) else number.lower


# Sizes for the separation bound, in integers, so that no proof needs floats


def _size_of_sum(left: int, right: int) -> int:
    """Return the logarithm of the sum of two numbers, from their logarithms."""
    high, low = max(left, right), min(left, right)
    distance = (high - low) // _BIT
    return high + (_GROWTH[distance] if distance < len(_GROWTH) else 1)


def _logarithm(number: int) -> int:
    """Return the logarithm of an integer's size to the base 2, rounded up to parts of a bit."""
    number = abs(number)
    if number < 2:
        return 0
    shift = max(number.bit_length() - 11, 0)
    return shift * _BIT + _short_logarithm((number >> shift) + (shift > 0))


@lru_cache(4096)
def _short_logarithm(number: int) -> int:
    return int((number**_BIT).bit_length())


@lru_cache(1024)
def _totient(order: int) -> int:
    """Return Euler's function: the degree of a root of unity."""
    result, cofactor, factor = order, order, 2
    while factor * factor <= cofactor:
        if cofactor % factor == 0:
            result -= result // factor
            while cofactor % factor == 0:
                cofactor //= factor
        factor += 1
    return result - result // cofactor if cofactor > 1 else result


@lru_cache(1024)
def _coefficient_and_radicand(number: Fraction, degree: int) -> tuple[Fraction, Fraction]:
    """Return a coefficient and a radicand, so that root(12) and 2 root(3) are one object."""
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
