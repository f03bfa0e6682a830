"""Exact sums and exact numbers: results do not depend on the order of the summands.

`BinnedSums` is reproducible summation, also called binned summation: all summands are rounded to
multiples of one unit, and such multiples add up without error in any order. `group_sums` rounds the
exact sum of each group once. Numbers that a float64 cannot hold are fractions.

Sources:
    Demmel and Nguyen, Fast Reproducible Floating-Point Summation, ARITH 2013.
    Ahrens, Demmel and Nguyen, Algorithms for Efficient Reproducible Floating Point Summation, ACM
    Transactions on Mathematical Software 46(3), 2020.
    Warren, Hacker's Delight, 2nd edition, section 17-2: rounding by a magic number.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import Floats, Integers, wrapped

Number = float | Fraction  # a float, or a fraction where a float is not exact

_BIN_WIDTH = 47  # bits of a bin: the sum of 2**16 slices of this width fits into 64 bits
_MEAN_BITS = 36  # minimum bits of the mean summand if only one bin is summed
_LARGEST = sys.float_info.max
_BLOCK = 12_000  # values summed at a time: few enough for the cache, and to allocate quickly


# Binned sums


class BinnedSums:
    """Sums of several terms, in one or more outputs, by reproducible (binned) summation.

    All summands of a term are below a common power of two. The 47 bits below it form the first bin,
    the next 47 bits the second. A summand is rounded to a multiple of the lowest bit of the first
    bin; this multiple is its slice. The slice of the remainder belongs to the second bin. The
    slices of a bin are multiples of one unit and are summed as integers. What remains below the
    last bin is dropped. The papers call the number of bins the fold.

    Rounding adds a magic number, 1.5 * 2**52 units. Near it, neighbouring floats are one unit
    apart, so the addition rounds to whole units, and the bits of the result, read as an integer,
    count them:

    >>> magic = np.array([1.5 * 2.0**52])
    >>> rounded = np.array([2.7, -2.7]) + magic
    >>> rounded.view(np.int64) - magic.view(np.int64)
    array([ 3, -3])

    Args:
        exponents: for each term and output, the exponent of a power of two that exceeds all
            absolute summands.
        fold: how many bins are summed, 1 or 2; with 0 nothing is summed.

    >>> sums = BinnedSums([[3]], fold=2)
    >>> sums.add(0, np.array([[0.1, 7.0]]), np.empty((1, 2)), np.empty((1, 2)))
    >>> [float(total) for total in sums.totals()[0]]
    [7.1]
    """

    def __init__(self, exponents: Sequence[Sequence[int]], fold: int) -> None:
        self._exponents, self._fold = exponents, fold
        magic = [
            [
                [[math.ldexp(1.5, exponent - bin_ * _BIN_WIDTH + 52)] for exponent in outputs]
                for outputs in exponents
            ]
            for bin_ in range(1, fold + 1)
        ]
        self._magic = np.array(magic)  # shape (bins, terms, outputs, 1)
        self._sums: list[list[list[list[int]]]] = [[[] for _ in terms] for terms in magic]
        self._sizes: list[int] = []

    def add(self, term: int, summands: Floats, slices: Floats, remainders: Floats) -> None:
        """Add fewer than 2**16 rows of summands to a term.

        Term 0 must be added first, then the other terms of the same rows.

        Args:
            term: its index in `exponents`.
            summands: shape (outputs, rows).
            slices: a buffer of this shape, which is overwritten; `summands` itself may be passed.
            remainders: another such buffer; unused with one bin.
        """
        if not term:
            self._sizes.append(summands.shape[1])
        for bin_ in range(self._fold):
            magic = self._magic[bin_, term]
            np.add(summands, magic, out=slices)
            bits = np.add.reduce(slices.view(np.int64), axis=1)
            self._sums[bin_][term].append(bits.tolist())
            if bin_ + 1 < self._fold:
                slices -= magic
                summands = np.subtract(summands, slices, out=remainders)

    @cached_property
    def _units(self) -> list[list[int]]:
        """Each sum in units of the last bin. Nothing may be added afterwards."""
        totals = [[0] * len(outputs) for outputs in self._exponents]
        if not self._sizes or not totals:
            return totals
        # Sums of bits, and of the bits of magic numbers, may wrap around in 64 bits. Their
        # difference is still right: fewer than 2**16 slices below 2**47 units stay below 2**63.
        magic = self._magic.view(np.int64)[..., 0].tolist()
        for terms, magic_terms in zip(self._sums, magic, strict=True):
            totals = [
                [
                    (total << _BIN_WIDTH) + self._whole(bits, magic)
                    for total, bits, magic in zip(
                        outputs, zip(*blocks, strict=True), magics, strict=True
                    )
                ]
                for outputs, blocks, magics in zip(totals, terms, magic_terms, strict=True)
            ]
        return totals

    def _whole(self, bits: Sequence[int], magic: int) -> int:
        """The sum of slices, from their bits in each block, with the magic number subtracted."""
        pairs = zip(bits, self._sizes, strict=True)
        return sum(wrapped(total - magic * size) for total, size in pairs)

    def totals(self) -> list[list[Fraction]]:
        """The sums of each term in each output."""
        return [
            [
                exact_ldexp(units, exponent - self._fold * _BIN_WIDTH)
                for units, exponent in zip(*outputs, strict=True)
            ]
            for outputs in zip(self._units, self._exponents, strict=True)
        ]

    def is_coarse(self, term: int) -> bool:
        """Whether the mean summand has too few bits in some output, for sums of one bin.

        A few summands that are much larger than the rest make the unit too coarse for the rest.
        Only for a term without negative summands, since those could cancel.
        """
        lowest = sum(self._sizes) << _MEAN_BITS
        return any(0 < units < lowest for units in self._units[term])


def bin_exponent(size: Number) -> int:
    """The exponent of the power of two at which bins start, for numbers up to `size`.

    It is the smallest of ..., -1, 3, 7, ... such that `size` is below the power. Steps of 4 mean
    that similar sizes mostly share an exponent.

    >>> bin_exponent(7.9), bin_exponent(8.0)
    (3, 7)
    """
    if isinstance(size, float):
        bits = math.frexp(size)[1]
    else:
        bits = size.numerator.bit_length() - size.denominator.bit_length() + 1
    return -(-(bits - 3) // 4) * 4 + 3 if size else 3


def round_centre(low: float, high: float) -> float:
    """A round number near a range of numbers, to use as the centre of sums.

    It is the multiple of the largest power of two that lies in the range, or within a quarter of
    its width on either side; 0 if 0 does. Sums about it hardly cancel. A range that grows a little
    usually keeps its centre, because few numbers are as round.

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
    """The multiple of the largest power of two between two positive numbers."""
    exponent = math.frexp(high - low)[1] - 1
    while math.ceil(math.ldexp(low, -exponent - 1)) <= math.ldexp(high, -exponent - 1):
        exponent += 1
    return math.ldexp(math.ceil(math.ldexp(low, -exponent)), exponent)


# Sums digit by digit


def whole_digits(values: Floats, rows: int) -> Iterator[tuple[Floats, int]]:
    """Arrays of whole numbers times a power of two that together add up to the values.

    Each array rounds the remainder left by the arrays before it to multiples of a power of two, so
    nothing is lost. The power leaves enough bits free to add up `rows` of these numbers without
    rounding, in any order. Scores from 0 to 1 need two or three arrays for a million rows.

    Args:
        values: finite, shape (rows,).
        rows: how many numbers will be added up, counting repeated values.

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
    if abs(power) < 960:  # multiplying is ten times as fast, if the power is itself a float
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
        parts = _sliced_sum(block)
        if counts is not None:
            weights = counts[start : start + _BLOCK] * 1.0
            digits = whole_digits(block, int(weights.sum()))
            parts = ((int(numbers @ weights), power) for numbers, power in digits)
        for total, power in parts:
            sums[power] = sums.get(power, 0) + total
    lowest = min(sums, default=0)
    return exact_ldexp(sum(total << power - lowest for power, total in sums.items()), lowest)


def _sliced_sum(values: Floats) -> Iterator[tuple[int, int]]:
    """Whole numbers times a power of two that add up to the sum of fewer than 2**16 values.

    Slices are taken off as in `BinnedSums`, until nothing is left.

    >>> [(total, power) for total, power in _sliced_sum(np.array([0.75, 2.0**-53]))]
    [(105553116266496, -47), (2199023255552, -94)]
    """
    largest = max(float(values.max()), -float(values.min()))
    power = math.frexp(largest)[1]
    while values.size:
        power -= _BIN_WIDTH
        if abs(power) > 900:  # the magic number might not be a finite float
            digits = whole_digits(values, values.size)
            yield from ((int(numbers.sum()), power) for numbers, power in digits)
            return
        magic = np.float64(math.ldexp(1.5, power + 52))
        slices = values + magic
        bits = int(np.add.reduce(slices.view(np.int64)))
        yield wrapped(bits - values.size * int(magic.view(np.int64))), power
        slices -= magic
        remainders = np.subtract(values, slices, out=slices)
        values = remainders[remainders != 0]


def exact_group_sums(values: Floats, groups: Integers, size: int) -> tuple[list[int], int]:
    """The exact sum of the values of each group 0, 1, ..., in units of a power of two.

    Args:
        values: finite, shape (rows,).
        groups: the group of each value, from 0 to `size` - 1.
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


# Sums of groups


def group_sums(values: Floats, groups: NDArray[np.integer[Any]], size: int) -> Floats:
    """The sum of the values of each group, rounded once.

    Args:
        values: finite, shape (rows,).
        groups: the group of each value, from 0 to `size` - 1.
        size: how many groups there are.

    >>> group_sums(np.array([1e16, 1.0, 3.0, -1e16]), np.array([0, 0, 1, 0]), 2).tolist()
    [1.0, 3.0]
    """
    integral = bool((values == np.rint(values)).all())
    if integral and float(np.abs(values).sum()) < 2.0**53:  # no partial sum is rounded
        return np.asarray(np.bincount(groups, values, size), np.float64)
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups, minlength=size))
    ordered = values[order].tolist()
    starts = [0, *ends[:-1].tolist()]
    return np.array(
        [math.fsum(ordered[start:end]) for start, end in zip(starts, ends.tolist(), strict=True)]
    )


# Exact numbers


def exact_ldexp(number: int | Fraction, exponent: int) -> Fraction:
    """`number * 2**exponent`, as `math.ldexp`, but without rounding.

    >>> exact_ldexp(3, -1)
    Fraction(3, 2)
    """
    if isinstance(number, Fraction):
        return number * exact_ldexp(1, exponent) if exponent else number
    return Fraction(number << exponent) if exponent >= 0 else Fraction(number, 1 << -exponent)


def as_float(number: Number) -> float:
    """The nearest float; infinity if the number is too large.

    >>> as_float(Fraction(1, 3)), as_float(-(Fraction(10) ** 400))
    (0.3333333333333333, -inf)
    """
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def quotient(dividend: Fraction, divisor: Fraction) -> float:
    """The float nearest to `dividend / divisor`, for a positive divisor.

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
    """The square root, even of a square that is too large or too small for a float.

    >>> root(Fraction(10) ** 400) == 1e200
    True
    """
    # The square is shifted to at least 127 bits, so that its integer root has at least 64.
    exponent = square.denominator.bit_length() - square.numerator.bit_length() + 128
    exponent += exponent % 2
    return as_float(exact_ldexp(math.isqrt(int(exact_ldexp(square, exponent))), -exponent // 2))
