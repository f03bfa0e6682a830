"""Sums over rows that are enclosed instead of exact, and suffice for the same scores.

A score is a rational number, rounded once. The sums that it follows from need not be exact: it is
enough if both ends of their enclosures give the same float, which fails only once in hundreds of
times. This takes a third of the time of `product_sums`, which is used if it fails.

All sums are of differences: reference minus prediction, and reference minus a constant, which
changes no variance. Both numbers are rounded to multiples of a unit. The difference of two
multiples has so few bits that sums of these differences and of their squares are exact over a
block, in any order. The remainder of a difference after rounding is at most one unit. Sums with
remainders are rounded; a bound of their error follows from the number of summands, whatever their
order.

    sum of d**2 = sum of m**2 + 2 * sum of m * r + sum of r**2, for d = m + r

Absolute differences subtract the smaller number of each row from the greater one.

Source:
    Higham, Accuracy and stability of numerical algorithms (2002), section 3.1: an inner product of
    n terms is off by at most about n units of roundoff of the sum of absolute products.
    Knuth, The art of computer programming 2 (1997), section 4.2.2: the error of a sum is a float.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..statistics.arguments.arrays import Floats, equal_blocks
from ..statistics.arithmetic.exact_sums import EnclosedSum, exact_ldexp
from .moments import Moments
from .pairs import Pairs
from .product_sums import RELATIVE, relative_errors

# Each rises or falls with each of its sums.
MEASURES = ("mae", "mse", "rmse", "r2", "mape", "smape")

_ROWS = 1 << 15  # of a block, or half as many again: 2**16 squares of 18 bits have 52 bits
_BITS = 18  # of the largest difference, in units
_TOTAL_BITS = 28  # of the largest difference, where no squares are added up
_COARSER = 2  # bits that a unit may be too large, if both sums can then share it
_SMALL_BITS = 100  # of a unit, in units as small as the ends of a sum need
_LARGEST = 400  # exponents up to here, or down to minus it, cannot overflow or underflow
_CHUNK = 1 << 8  # summands of each sum that is rounded
_UNIT_WEIGHTS = np.ones(_CHUNK)
# For each summand of a chunk, for each chunk of a block, and some before numbers are summands.
_ROUNDINGS = _CHUNK + _ROWS * 3 // 2 // _CHUNK + 16
_FEWEST = 1 << 11  # rows below which exact sums take no longer
_SAMPLE = 1 << 8  # rows that suggest a unit


_Ends = tuple[Fraction, Fraction]


class _Sums:
    """The sum of differences over all blocks, the sum of their squares, and bounds of their errors.

    Args:
        sample: some of the differences, which suggest a unit.
        are_absolute: whether differences are taken without their signs.
        has_total: whether they are added up.
        has_squares: whether their squares are; one of the two is.

    Attributes:
        power: the exponent of the unit for the next block; None if no unit suits the sample.
        minuend_power: that of the unit into whose multiples the minuend of the last block is split;
            None if it is not.
    """

    def __init__(
        self, sample: Floats, *, are_absolute: bool, has_total: bool, has_squares: bool
    ) -> None:
        self._bits = _BITS if has_squares else _TOTAL_BITS
        # As a rule less than two thirds of the squares that fit.
        size = 0.75 * math.sqrt(float(np.vecdot(sample, sample)) / sample.size)
        self.power = _unit_power(size, self._bits)
        self.minuend_power: int | None = None
        self._is_near = True  # to zero, compared with the size of differences
        self._are_absolute = are_absolute
        self._has_total, self._has_squares = has_total, has_squares
        self._rows = 0
        # In units, and in units squared, by the exponent of the unit; and what is rounded.
        self._multiples: dict[int, tuple[int, int]] = {}
        self._rests: tuple[list[float], list[float]] = [], []

    def add(self, minuend: Floats, subtrahend: Floats | float, buffers: Floats) -> bool:
        """Add a block; False if a number is not finite, too large or too small.

        Args:
            minuend: shape (rows,).
            subtrahend: the same, or one number.
            buffers: four columns of whole chunks; with `minuend_power`, the first two then hold
                the remainders of the minuend, and its multiples.
        """
        if self.power is not None and self._add(minuend, subtrahend, self.power, buffers):
            return True
        self.minuend_power = None
        differences = np.subtract(minuend, subtrahend, out=buffers[0, : minuend.size])
        largest = max(-float(differences.min()), float(differences.max()))
        if not largest:
            return True
        power = _unit_power(largest, self._bits)
        if power is None or not self._add(minuend, subtrahend, power, buffers):
            return False
        self.power = max(power, power if self.power is None else self.power)
        return True

    def _add(
        self, minuend: Floats, subtrahend: Floats | float, power: int, buffers: Floats
    ) -> bool:
        """Add a block; False, and nothing added, if differences are too large for the unit."""
        self.minuend_power = None
        magic = math.ldexp(1.5, power + 52)  # near it adjacent floats are one unit apart
        rows = minuend.size
        if rows < buffers.shape[1]:
            buffers[:, rows:] = 0
        if self._is_near:
            self._split_both(minuend, subtrahend, magic, buffers[:, :rows])
            multiples = _chunks(buffers[1])
            # If the differences turn out to be small, the subtrahend is within 2**51 units too.
            limit = math.ldexp(1.0, 2 * power + 100)
            self._is_near = float(np.add.reduce(np.vecdot(multiples, multiples))) < limit
        if not self._is_near:
            if self._are_absolute:
                ordered = np.maximum(minuend, subtrahend), np.minimum(minuend, subtrahend)
                minuend, subtrahend = ordered
            _split_differences(minuend, subtrahend, magic, buffers[2:, :rows])
        elif not self._are_absolute:
            self.minuend_power = power
        return self.add_split(buffers[2:], rows, power)

    def _split_both(
        self, minuend: Floats, subtrahend: Floats | float, magic: float, columns: Floats
    ) -> None:
        """Split the minuend and the differences into multiples of a unit and remainders.

        Args:
            minuend: shape (rows,).
            subtrahend: the same, or one number.
            magic: the number near which adjacent floats are one unit apart.
            columns: set to the remainders and multiples of the minuend, then of the differences.
        """
        rests, multiples, rests_of_differences, differences = columns
        lesser: Floats | float = subtrahend
        greater = minuend
        if self._are_absolute:
            greater = np.maximum(minuend, subtrahend, out=rests)
            lesser = np.minimum(minuend, subtrahend, out=rests_of_differences)
        np.add(greater, magic, out=multiples)
        multiples -= magic
        np.subtract(greater, multiples, out=rests)
        if isinstance(lesser, float):
            multiple = (lesser + magic) - magic
            np.subtract(multiples, multiple, out=differences)
            np.subtract(rests, lesser - multiple, out=rests_of_differences)
            return
        np.add(lesser, magic, out=differences)
        differences -= magic
        np.subtract(lesser, differences, out=rests_of_differences)
        np.subtract(multiples, differences, out=differences)
        np.subtract(rests, rests_of_differences, out=rests_of_differences)

    def add_split(self, columns: Floats, rows: int, power: int) -> bool:
        """Add differences that are split; False if the multiples are too large.

        Args:
            columns: their remainders, and their multiples of a unit; 0 beyond the rows.
            rows: the number of differences.
            power: the exponent of the unit.
        """
        chunks = _chunks(columns)
        sums = np.zeros((5, chunks.shape[1]))
        # One call for both products with the multiples, and for both sums: calls take time.
        if self._has_squares:
            np.vecdot(chunks, chunks[1], out=sums[:2])
            np.vecdot(chunks[0], chunks[0], out=sums[2])
        if self._has_total:
            np.vecdot(chunks, _UNIT_WEIGHTS, out=sums[3:])
        products, squares, rest_squares, rests, total = np.add.reduce(sums, axis=1).tolist()
        if not (squares < math.ldexp(1.0, 2 * power + 53)):
            return False
        if not (self._has_squares or total < math.ldexp(1.0, power + 50)):
            return False
        self._rests[0].append(rests)
        self._rests[1].append(2 * products + rest_squares)
        totals = self._multiples.get(power, (0, 0))
        self._multiples[power] = (
            totals[0] + int(math.ldexp(total, -power)),
            totals[1] + int(math.ldexp(squares, -2 * power)),
        )
        self._rows += rows
        return True

    def ends(self) -> tuple[_Ends, _Ends]:
        """Return the smallest and the largest possible sum of differences, and of their squares.

        The terms of each rounded sum are the remainder of a difference, less than a unit, alone or
        times at most twice the difference and a unit. By the inequality of Cauchy and Schwarz
        absolute differences add up to at most the root of the number of rows times the sum of
        squares.
        """
        if not self._rows:
            return (Fraction(0), Fraction(0)), (Fraction(0), Fraction(0))
        power = max(self._multiples)
        # A unit of roundoff of each rest.
        ends = self._ends(0, math.ldexp(_ROUNDINGS * self._rows, power - 53))
        if not self._has_squares:
            return ends, (Fraction(0), Fraction(0))
        squares = [math.ldexp(units[1], 2 * power) for power, units in self._multiples.items()]
        # The sum of squares may itself be off, by far less than to be twice as large. The size of
        # a difference is at most their root, so that of all is at most this.
        sizes = math.sqrt(2.0 * self._rows * max(math.fsum([*squares, *self._rests[1]]), 0.0))
        error = math.ldexp(2.0 * _ROUNDINGS * sizes, power - 53)
        error += math.ldexp(2.0 * _ROUNDINGS * self._rows, 2 * power - 53)
        error += math.ldexp(self._rows, -1060)  # of products that underflow
        lowest, largest = self._ends(1, error)
        return ends, (max(lowest, Fraction(0)), largest)

    def _ends(self, exponent: int, error: float) -> _Ends:
        """The sum of differences, or of squares for 1, less and plus its largest possible error."""
        # In a small unit, as fractions take longer than integers.
        small = (exponent + 1) * max(self._multiples) - _SMALL_BITS
        total = int(math.ldexp(math.fsum(self._rests[exponent]), -small))
        for power, units in self._multiples.items():
            shift = (exponent + 1) * power - small
            total += units[exponent] << shift if shift >= 0 else units[exponent] >> -shift
        # Each of these integers is rounded too.
        error_units = int(math.ldexp(error, -small)) + len(self._multiples) + 2
        return exact_ldexp(total - error_units, small), exact_ldexp(total + error_units, small)


def _unit_power(largest: float, bits: int) -> int | None:
    """Return the exponent of a unit for differences up to here.

    None if they are too large or small.
    """
    if not 2.0**-_LARGEST < largest < 2.0**_LARGEST:
        return None
    return math.frexp(largest)[1] - bits


def _chunks(columns: Floats) -> Floats:
    """Return the columns in chunks."""
    # For longer products BLAS starts threads, which wait for each other longer than they compute.
    return columns.reshape(*columns.shape[:-1], -1, _CHUNK)


def _split_differences(
    minuend: Floats, subtrahend: Floats | float, magic: float, columns: Floats
) -> None:
    """Set the columns to the remainders of differences, and to their multiples of a unit.

    A difference is a float and its rounding error, which is a float too.
    """
    rests, multiples = columns
    differences = minuend - subtrahend
    np.subtract(differences, minuend, out=multiples)
    virtual = differences - multiples
    np.subtract(minuend, virtual, out=rests)
    multiples += subtrahend
    rests -= multiples
    np.add(differences, magic, out=multiples)
    multiples -= magic
    differences -= multiples
    rests += differences


def enclosing_moments(pairs: Pairs, terms: Sequence[str]) -> tuple[Moments, Moments] | None:
    """Moments that enclose the exact ones: the best for a score, and the worst.

    The first have the least errors and the largest variation of references. References are less a
    constant, so of them these moments know the variation alone; their range is that of a sample.

    Args:
        pairs: the rows.
        terms: some of "absolute", "squared", "reference", "reference_squared", "relative" and
            "symmetric"; the last two are sums of floats.

    Returns:
        None where they say nothing: for weights, few rows, integers beyond the floats, constant
        references, if terms need them, and numbers that are not finite, too large or too small.

    >>> predictions, references = np.sqrt(np.arange(4096.0)), np.arange(4096.0)
    >>> terms = ["absolute", "reference", "reference_squared", "squared"]
    >>> best, worst = enclosing_moments(Pairs(predictions, references), terms)
    >>> best.sums["absolute"][0] < worst.sums["absolute"][0]
    True
    >>> best.mean_float("absolute") == worst.mean_float("absolute")
    True
    """
    rows = len(pairs.references)
    if pairs.weights is not None or pairs.wide_integers or rows < _FEWEST:
        return None
    outputs = []
    # Of the first block, which is the largest, in whole chunks.
    length = -(-equal_blocks(rows, _ROWS)[0].stop // _CHUNK) * _CHUNK
    buffers = np.empty((6, length))
    columns = map(_columns, (pairs.predictions, pairs.references))
    for predictions, references in zip(*columns, strict=True):
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            sums = _added(predictions, references, terms, buffers)
        if sums is None:
            return None
        outputs.append(sums)
    best, worst = (
        Moments(
            pairs.rows,
            Fraction(rows),
            {term: tuple(ends[term][side] for ends, _ in outputs) for term in terms},
            {"reference": tuple(range_of_output for _, range_of_output in outputs)},
        )
        for side in (0, 1)
    )
    return best, worst


def _columns(table: NDArray[Any]) -> list[NDArray[Any]]:
    return [table] if table.ndim == 1 else list(table.T)


def _added(
    predictions: NDArray[Any], references: NDArray[Any], terms: Sequence[str], buffers: Floats
) -> tuple[dict[str, _Ends], tuple[float, float]] | None:
    """Return both ends of the sums of one output, best first, and the range of some references.

    None if a number is out of range, or if the references are constant and their sums needed.
    """
    rows = len(references)
    sample = slice(None, None, -(-rows // _SAMPLE))
    references_of_sample = references[sample].astype(np.float64)
    has_references = not {"reference", "reference_squared"}.isdisjoint(terms)
    residuals = _Sums(
        references_of_sample - predictions[sample],
        are_absolute="absolute" in terms,
        has_total="absolute" in terms,
        has_squares="squared" in terms,
    )
    has_residuals = not {"absolute", "squared"}.isdisjoint(terms)
    relative = {term: EnclosedSum() for term in RELATIVE if term in terms}
    if has_references:
        shift = _shift(references_of_sample)
        deviations = references_of_sample - shift
        shifted = _Sums(deviations, are_absolute=False, has_total=True, has_squares=True)
        if "squared" in terms and "absolute" not in terms:
            _share_unit(residuals, shifted)
    for block in equal_blocks(rows, _ROWS):
        size = block.stop - block.start
        columns = []
        for buffer, column in zip(buffers, (predictions, references), strict=False):
            part = column[block]
            if part.dtype != np.float64 or not part.flags.c_contiguous:
                buffer[:size] = part
                part = buffer[:size]
            columns.append(part)
        predicted, expected = columns
        workspace = buffers[2:, : -(-size // _CHUNK) * _CHUNK]
        if has_residuals and not residuals.add(expected, predicted, workspace):
            return None
        if has_references and not (
            _add_deviations(residuals, shifted, shift, workspace[:2], size)
            or shifted.add(expected, shift, workspace)
        ):
            return None
        if relative:
            numbers = predicted[np.newaxis], expected[np.newaxis]
            differences = np.subtract(numbers[1], numbers[0], out=buffers[2:3, :size])
            for term, total in relative.items():
                if not total.add(relative_errors(term, *numbers, differences)[0]):
                    return None
    errors_of_rows, squared_errors = residuals.ends()
    ends = {
        "absolute": errors_of_rows,
        "squared": squared_errors,
        **{term: total.ends() for term, total in relative.items()},
    }
    lowest, highest = -math.inf, math.inf
    if has_references:
        sums, squares = shifted.ends()
        # The variation is the sum of squares less a part of the squared sum.
        ends["reference"] = max(sums[0], -sums[1], Fraction(0)), max(-sums[0], sums[1])
        ends["reference_squared"] = squares[::-1]
        for column in (references_of_sample, references):
            lowest, highest = float(column.min()), float(column.max())
            if lowest < highest:
                break
        else:
            return None
    return ends, (lowest, highest)


def _shift(sample: Floats) -> float:
    """Return a number of few bits near most of the sample; 0 if they are far apart."""
    middle = float(np.sort(sample)[sample.size // 2])
    largest = float(np.abs(sample - middle).max())
    if not 0 < largest < math.inf:
        return middle
    step = math.ldexp(1.0, math.frexp(largest)[1] - 2)
    return float(np.rint(middle / step)) * step


def _share_unit(first: _Sums, second: _Sums) -> None:
    """Give both sums the larger of their units, if it is not much larger than the other one."""
    if first.power is None or second.power is None:
        return
    if abs(first.power - second.power) <= _COARSER:
        first.power = second.power = max(first.power, second.power)


def _add_deviations(
    residuals: _Sums, deviations: _Sums, shift: float, columns: Floats, rows: int
) -> bool:
    """Add what references are more than the shift, if their block was split into the same units.

    False, and nothing added, if it was not.
    """
    power = deviations.power
    if power is None or residuals.minuend_power != power:
        return False
    if not abs(shift) < math.ldexp(1.0, power + 50) or math.ldexp(shift, -power) % 1:
        return False
    if shift:
        columns[1, :rows] -= shift
    return deviations.add_split(columns, rows, power)
