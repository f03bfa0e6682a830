"""Exact sums: no rounding of theirs depends on the order of the summands, and nothing overflows.

Summands are rounded to a grid of whole units and then summed as integers; or, where there are few,
summed without any rounding but the last. Exact numbers are fractions.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import Floats, Integers

Number = float | Fraction  # a float, or a fraction where a float will not do

_DIGIT = 47  # bits of a summand that are summed as one integer: many of them fit into 64
_FINE = 36  # bits that the mean of a sum of one digit has at least
_LARGEST = sys.float_info.max
_BLOCK = 1 << 13  # values summed at a time: few enough for the cache


# Sums on a grid


class GridSums:
    """Sums of some kinds of summands, each in one or more outputs, as integers on grids.

    To add 1.5 * 2**52 units to a number rounds it to whole units, which are then the lower bits of
    the result. Read as integers, such results may be summed without any further rounding; what the
    added number contributes is subtracted at the end. What the first rounding leaves is itself
    summed so, on a grid 2**47 times as fine, if there is a second digit.

    Args:
        exponents: for each kind, in each output, of the power of two that summands stay below.
        digits: 1 or 2; of none nothing is summed.

    >>> sums = GridSums([[3]], digits=2)
    >>> sums.add(0, np.array([[0.1, 7.0]]), np.empty((1, 2)), np.empty((1, 2)))
    >>> [float(total) for total in sums.totals()[0]]
    [7.1]
    """

    def __init__(self, exponents: Sequence[Sequence[int]], digits: int) -> None:
        self._exponents, self._digits = exponents, digits
        added = [
            [[[math.ldexp(1.5, each - digit * _DIGIT + 52)] for each in of] for of in exponents]
            for digit in range(1, digits + 1)
        ]
        self._added = np.array(added)  # shape (digits, kinds, outputs, 1)
        self._sums: list[list[list[Integers]]] = [[[] for _ in of] for of in added]
        self._sizes: list[int] = []

    def add(self, kind: int, summands: Floats, whole: Floats, left: Floats) -> None:
        """Take in summands of a kind, shape (outputs, rows), in less than 2**16 rows.

        Kind 0 comes first, then the others of the same rows. `whole` and `left` are overwritten;
        `whole` may be the summands themselves, and of one digit nothing is left.
        """
        if not kind:
            self._sizes.append(summands.shape[1])
        for digit in range(self._digits):
            added = self._added[digit, kind]
            np.add(summands, added, out=whole)
            self._sums[digit][kind].append(np.add.reduce(whole.view(np.int64), axis=1))
            if digit + 1 < self._digits:
                whole -= added
                summands = np.subtract(summands, whole, out=left)

    @cached_property
    def _units(self) -> list[list[int]]:
        """Each sum, once all is taken in, in units of the finest grid."""
        totals = [[0] * len(of) for of in self._exponents]
        if not self._sizes or not totals:
            return totals
        # So many summands below 2**47 units fit into 64 bits, whatever wraps around.
        steps = np.array(self._sums).swapaxes(2, 3)  # shape (digits, kinds, outputs, blocks)
        steps -= self._added.view(np.int64) * np.array(self._sizes)
        for digit in steps.tolist():
            totals = [
                [(total << _DIGIT) + sum(of_blocks) for total, of_blocks in zip(*of, strict=True)]
                for of in zip(totals, digit, strict=True)
            ]
        return totals

    def totals(self) -> list[list[Fraction]]:
        """The sums of each kind in each output."""
        return [
            [
                times(units, exponent - self._digits * _DIGIT)
                for units, exponent in zip(*of_kind, strict=True)
            ]
            for of_kind in zip(self._units, self._exponents, strict=True)
        ]

    def coarse(self, kind: int) -> bool:
        """Whether summands of a kind that is never negative are few units of a digit on average."""
        least = sum(self._sizes) << _FINE
        return any(0 < units < least for units in self._units[kind])


def grid_exponent(size: Number) -> int:
    """The next of ..., -1, 3, 7, ..., so that it seldom moves: `size` is less than 2 to it.

    >>> grid_exponent(7.9), grid_exponent(8.0)
    (3, 7)
    """
    if isinstance(size, float):
        bits = math.frexp(size)[1]
    else:
        bits = size.numerator.bit_length() - size.denominator.bit_length() + 1
    return -(-(bits - 3) // 4) * 4 + 3 if size else 3


def round_centre(low: float, high: float) -> float:
    """The number with the fewest digits in the range and a quarter of it on either side.

    It is 0 where 0 is not far off. Sums about it do not cancel much, and that it is so round keeps
    it the same when the range grows a little.

    >>> round_centre(-1.0, 3.0), round_centre(999_999.7, 1_000_000.2), round_centre(5.0, 5.0)
    (0.0, 1000000.0, 5.0)
    """
    if low == high:
        return low if math.isfinite(low) else 0.0
    quarter = high / 4 - low / 4
    low, high = max(low - quarter, -_LARGEST), min(high + quarter, _LARGEST)
    if low <= 0 <= high:
        return 0.0
    if high < 0:
        return -_roundest(-high, -low)
    return _roundest(low, high)


def _roundest(low: float, high: float) -> float:
    """The multiple of the greatest power of two between two positive numbers."""
    power = math.frexp(high - low)[1] - 1
    while math.ceil(math.ldexp(low, -power - 1)) <= math.ldexp(high, -power - 1):
        power += 1
    return math.ldexp(math.ceil(math.ldexp(low, -power)), power)


# Sums digit by digit


def whole_digits(values: Floats, rows: int) -> Iterator[tuple[Floats, int]]:
    """Whole numbers times a power of two, array after array, that add up to the values.

    Each array rounds what the arrays before it have left to multiples of a power of two, so nothing
    is lost. The power leaves so many bits free that `rows` of these numbers add up without
    rounding, in any order. Scores from 0 to 1 need two or three arrays for a million rows.

    Args:
        values: finite, shape (rows,).
        rows: how many numbers will be added up, a value counted as often as it occurs.

    >>> [(digits.tolist(), power) for digits, power in whole_digits(np.array([0.75, 2.0**-53]), 4)]
    [([844424930131968.0, 0.0], -50), ([0.0, 562949953421312.0], -102)]
    """
    bits = 53 - rows.bit_length()
    while largest := float(np.abs(values).max(initial=0.0)):
        power = math.frexp(largest)[1] - bits
        digits = np.rint(_shifted(values, -power))
        yield digits, power
        values = values - _shifted(digits, power)


def _shifted(values: Floats, power: int) -> Floats:
    """The values times a power of two."""
    if abs(power) < 960:  # a product is ten times as fast, where the power is itself a float
        return values * 2.0**power
    return np.asarray(np.ldexp(values, power), np.float64)


def exact_sum(values: Floats, counts: Integers | None = None) -> Fraction:
    """The sum without rounding.

    Args:
        values: finite, shape (rows,).
        counts: how often each value occurs; None for once.

    >>> exact_sum(np.array([1e16, 1.0, -1e16, 0.5]))
    Fraction(3, 2)
    >>> exact_sum(np.array([0.1, 1.0]), np.array([10, 1])) == Fraction(0.1) * 10 + 1
    True
    """
    sums: dict[int, int] = {}
    for start in range(0, values.size, _BLOCK):
        block = values[start : start + _BLOCK]
        weights = np.ones(block.size) if counts is None else counts[start : start + _BLOCK] * 1.0
        for digits, power in whole_digits(block, int(weights.sum())):
            sums[power] = sums.get(power, 0) + int(digits @ weights)
    least = min(sums, default=0)
    return times(sum(total << power - least for power, total in sums.items()), least)


def exact_group_sums(values: Floats, groups: Integers, size: int) -> tuple[list[int], int]:
    """The sum of the values of each group 0, 1, ..., without rounding, as units of a power of two.

    Args:
        values: finite, shape (rows,).
        groups: of each value, at least 0 and less than `size`.
        size: how many groups there are.

    >>> units, power = exact_group_sums(
    ...     np.array([1e16, 1.0, 3.0, -1e16]), np.array([0, 0, 1, 0]), 2
    ... )
    >>> [unit * 2.0**power for unit in units]
    [1.0, 3.0]
    """
    arrays = list(whole_digits(values, values.size))
    units, power = [0] * size, arrays[-1][1] if arrays else 0
    for digits, higher in arrays:
        sums = np.bincount(groups, digits, size).astype(np.int64).tolist()
        shift = higher - power
        units = [unit + (total << shift) for unit, total in zip(units, sums, strict=True)]
    return units, power


# Sums of some places


def sums_of_places(values: Floats, places: NDArray[np.integer[Any]], size: int) -> Floats:
    """The sum of the values of each place 0, 1, ..., rounded once.

    Args:
        values: finite, shape (rows,).
        places: of each value, at least 0 and less than `size`.
        size: how many places there are.

    >>> sums_of_places(np.array([1e16, 1.0, 3.0, -1e16]), np.array([0, 0, 1, 0]), 2).tolist()
    [1.0, 3.0]
    """
    whole = bool((values == np.rint(values)).all())
    if whole and float(np.abs(values).sum()) < 2.0**53:  # no partial sum is rounded
        return np.asarray(np.bincount(places, values, size), np.float64)
    order = np.argsort(places, kind="stable")
    ends = np.cumsum(np.bincount(places, minlength=size))
    listed = values[order].tolist()
    starts = [0, *ends[:-1].tolist()]
    return np.array(
        [math.fsum(listed[start:end]) for start, end in zip(starts, ends.tolist(), strict=True)]
    )


# Exact numbers


def times(number: int | Fraction, power: int) -> Fraction:
    """The number times a power of two.

    >>> times(3, -1)
    Fraction(3, 2)
    """
    if isinstance(number, Fraction):
        return number * times(1, power) if power else number
    return Fraction(number << power) if power >= 0 else Fraction(number, 1 << -power)


def as_float(number: Number) -> float:
    """The nearest float; infinity beyond all of them."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def quotient(number: Fraction, divisor: Fraction) -> float:
    """The float nearest to a number over a positive one; infinity beyond all of them.

    >>> quotient(Fraction(1, 3), Fraction(1, 2))
    0.6666666666666666
    """
    # Python rounds the quotient of two integers once, and needs no common divisor to be found.
    above = number.numerator * divisor.denominator
    try:
        return above / (number.denominator * divisor.numerator)
    except OverflowError:
        return math.inf if above > 0 else -math.inf


def root(square: Fraction) -> float:
    """The square root, though its square may be too large or too small for a float.

    >>> root(Fraction(10) ** 400) == 1e200
    True
    """
    power = square.denominator.bit_length() - square.numerator.bit_length() + 128
    power += power % 2
    whole = math.isqrt(int(times(square, power)))
    return as_float(times(whole, -power // 2))
