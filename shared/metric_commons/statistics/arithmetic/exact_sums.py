"""Exact sums and exact numbers: results do not depend on the order of the summands.

Summands are rounded to multiples of one unit, which add up without error in any order, and the
remainders are summed in smaller units, until nothing is left. `group_sums` rounds the exact sum of
each group once. Numbers that a float64 cannot hold are fractions.

Sources:
    Demmel and Nguyen, Fast Reproducible Floating-Point Summation, ARITH 2013.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Floats, Integers

Number = float | Fraction  # a float, or a fraction where a float is not exact

_BLOCK = 12_000  # values summed at a time: few enough for the cache, and to allocate quickly


# Sums digit by digit


def whole_digits(values: Floats, rows: int) -> Iterator[tuple[Floats, int]]:
    """Yield arrays of whole numbers times a power of two that together add up to the values.

    Each array rounds the remainder left by the arrays before it to multiples of a power of two, so
    nothing is lost. The power leaves enough bits free to add up `rows` of these numbers without
    rounding, in any order. Scores from 0 to 1 need two or three arrays for a million rows.

    Args:
        values: finite, shape (rows,).
        rows: the number of numbers that will be added up, counting repeated values.

    Raises:
        ValueError: a value is not finite.

    >>> [(digits.tolist(), power) for digits, power in whole_digits(np.array([0.75, 2.0**-53]), 4)]
    [([844424930131968.0, 0.0], -50), ([0.0, 562949953421312.0], -102)]
    """
    bits = 53 - rows.bit_length()
    while largest := float(np.abs(values).max(initial=0.0)):
        if not math.isfinite(largest):
            raise ValueError(f"a sum is of finite numbers, got {largest}")
        power = math.frexp(largest)[1] - bits
        digits = np.rint(shifted(values, -power))
        yield digits, power
        values = values - shifted(digits, power)


def shifted(values: Floats, power: int) -> Floats:
    """Return the values times a power of two."""
    if abs(power) < 960:  # multiplying is ten times as fast, if the power is itself a float
        return values * 2.0**power
    return np.asarray(np.ldexp(values, power), np.float64)


def exact_sum(values: Floats, counts: Integers | None = None) -> Fraction:
    """Return the sum without rounding.

    Args:
        values: finite, shape (rows,).
        counts: the count of each value; None for one each.

    >>> exact_sum(np.array([1e16, 1.0, -1e16, 0.5]))
    Fraction(3, 2)
    >>> exact_sum(np.array([0.1, 1.0]), np.array([10, 1])) == Fraction(0.1) * 10 + 1
    True
    """
    sums: dict[int, int] = {}
    for start in range(0, values.size, _BLOCK):
        block = values[start : start + _BLOCK]
        weights = None if counts is None else counts[start : start + _BLOCK] * 1.0
        rows = block.size if weights is None else int(weights.sum())
        for digits, power in whole_digits(block, rows):
            total = int(digits.sum() if weights is None else digits @ weights)
            sums[power] = sums.get(power, 0) + total
    lowest = min(sums, default=0)
    return exact_ldexp(sum(total << power - lowest for power, total in sums.items()), lowest)


def rounded_sum(values: Floats) -> float:
    """Return the sum, rounded once.

    Args:
        values: finite, shape (rows,).

    >>> rounded_sum(np.array([1e16, 1.0, -1e16, 0.5]))
    1.5
    """
    return as_float(exact_sum(values))


# Sums of groups


def group_sums(values: Floats, groups: NDArray[np.integer[Any]], size: int) -> Floats:
    """Return the sum of the values of each group, rounded once.

    Args:
        values: finite, shape (rows,).
        groups: the group of each value, from 0 to `size` - 1.
        size: the number of groups.

    >>> group_sums(np.array([1e16, 1.0, 3.0, -1e16]), np.array([0, 0, 1, 0]), 2).tolist()
    [1.0, 3.0]
    """
    integral = bool((values == np.rint(values)).all())
    with np.errstate(over="ignore"):
        total_size = float(np.abs(values).sum())
        if integral and total_size < 2.0**53:  # no partial sum is rounded
            return np.asarray(np.bincount(groups, values, size), np.float64)
        # The sums of digits are exact. That of two floats is rounded once, that of more by `fsum`.
        parts = [
            shifted(np.bincount(groups, digits, size).astype(np.float64), power)
            for digits, power in whole_digits(values, values.size)
        ]
        totals: Floats = parts[0] + parts[1] if len(parts) > 1 else parts[0]
    for group in np.flatnonzero(np.any(parts[2:], axis=0)).tolist():
        totals[group] = _rounded([float(part[group]) for part in parts])
    return totals


def _rounded(numbers: list[float]) -> float:
    """Return the sum, rounded once; infinity with the sign of the first number if it is large."""
    try:
        return math.fsum(numbers)
    except OverflowError:
        return math.copysign(math.inf, numbers[0])


# Exact numbers


def exact_ldexp(number: int | Fraction, exponent: int) -> Fraction:
    """Return `number * 2**exponent`, as `math.ldexp`, but without rounding.

    >>> exact_ldexp(3, -1)
    Fraction(3, 2)
    """
    if isinstance(number, Fraction):
        return number * exact_ldexp(1, exponent) if exponent else number
    return Fraction(number << exponent) if exponent >= 0 else Fraction(number, 1 << -exponent)


def as_float(number: Number) -> float:
    """Return the nearest float; infinity if the number is too large.

    >>> as_float(Fraction(1, 3)), as_float(-(Fraction(10) ** 400))
    (0.3333333333333333, -inf)
    """
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def quotient(dividend: Fraction, divisor: Fraction) -> float:
    """Return the float nearest to `dividend / divisor`, for a positive divisor.

    It is infinite if the quotient is too large for a float.

    >>> quotient(Fraction(1, 3), Fraction(1, 2))
    0.6666666666666666
    """
    # A quotient of two Python integers is rounded once. That of fractions would be reduced first,
    # which takes longer.
    numerator = dividend.numerator * divisor.denominator
    try:
        return numerator / (dividend.denominator * divisor.numerator)
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf


def root(square: Fraction) -> float:
    """Return the square root, even of a square that is too large or too small for a float.

    >>> root(Fraction(10) ** 400) == 1e200
    True
    """
    # The square is shifted to at least 127 bits, so that its integer root has at least 64.
    exponent = square.denominator.bit_length() - square.numerator.bit_length() + 128
    exponent += exponent % 2
    return as_float(exact_ldexp(math.isqrt(int(exact_ldexp(square, exponent))), -exponent // 2))
