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

from ..numbers.arrays import Floats
from ..numbers.exact_sums import EnclosedSum, exact_ldexp, root
from .moments import Moments
from .pairs import Pairs
from .product_sums import RELATIVE, relative_errors

# Each rises or falls with each of its sums.
MEASURES = ("mae", "mse", "rmse", "r2", "mape", "smape")

_ROWS = 1 << 15  # of a block: 2**15 squares of numbers of 19 bits have 53 bits
_CHUNK = 1 << 8  # summands of each sum that is rounded
_BITS = 19  # of the largest difference, in units
_LARGEST = 400  # exponents up to here, or down to minus it, cannot overflow or underflow
# For each summand of a chunk, for each chunk of a block, and some before numbers are summands.
_ROUNDINGS = _CHUNK + _ROWS // _CHUNK + 16
_FEWEST = 1 << 11  # rows below which exact sums take no longer
_SAMPLE = 1 << 8  # rows that suggest a unit
_UNIT_WEIGHTS = np.ones(_CHUNK)


_Ends = tuple[Fraction, Fraction]


class _Sums:
    """The sum of differences over all blocks, the sum of their squares, and bounds of their errors.

    Args:
        largest: the size of a large difference, for the unit; a block may have larger ones.
        are_absolute: whether differences are taken without their signs.
        has_total: whether they are added up.
        has_squares: whether their squares are; one of the two is.

    Attributes:
        lowest: the smallest minuend.
        highest: the largest minuend.
    """

    def __init__(
        self, largest: float, *, are_absolute: bool, has_total: bool, has_squares: bool
    ) -> None:
        self._power = _unit_power(largest)
        self._are_absolute = are_absolute
        self._has_total, self._has_squares = has_total, has_squares
        self._rows = 0
        # In units, and in units squared, by the exponent of the unit; and what is rounded.
        self._multiples: dict[int, tuple[int, int]] = {}
        self._rests: tuple[list[float], list[float]] = [], []
        self.lowest, self.highest = math.inf, -math.inf

    def add(self, minuend: Floats, subtrahend: Floats | float, buffers: Floats) -> bool:
        """Add a block of whole chunks; False if a number is not finite, too large or too small."""
        if self._power is not None and self._add(minuend, subtrahend, self._power, buffers):
            return True
        differences = np.subtract(minuend, subtrahend, out=buffers[0])
        largest = max(-float(differences.min()), float(differences.max()))
        if not largest:
            return True
        power = _unit_power(largest)
        if power is None or not self._add(minuend, subtrahend, power, buffers):
            return False
        self._power = max(power, power if self._power is None else self._power)
        return True

    def _add(
        self, minuend: Floats, subtrahend: Floats | float, power: int, buffers: Floats
    ) -> bool:
        """Add a block; False, and nothing added, if differences are too large for the unit."""
        multiples, rests, second_multiples, second_rests = buffers
        greater: Floats = minuend
        lesser: Floats | float = subtrahend
        if self._are_absolute:
            greater = np.maximum(minuend, subtrahend, out=rests)
            lesser = np.minimum(minuend, subtrahend, out=second_rests)
        limit = math.ldexp(1.0, power + 50)
        magic = math.ldexp(1.5, power + 52)  # near it adjacent floats are one unit apart
        # If the differences turn out to be small, the subtrahend is within limits too.
        lowest = float(np.minimum.reduce(lesser if self._are_absolute else minuend))
        highest = float(np.maximum.reduce(greater))
        self.lowest, self.highest = min(self.lowest, lowest), max(self.highest, highest)
        if -limit < lowest and highest < limit:
            np.add(greater, magic, out=multiples)
            multiples -= magic
            np.subtract(greater, multiples, out=rests)
            if isinstance(lesser, float):
                multiple = (lesser + magic) - magic
                rests -= lesser - multiple
                multiples -= multiple
            else:
                np.add(lesser, magic, out=second_multiples)
                second_multiples -= magic
                rests -= np.subtract(lesser, second_multiples, out=second_rests)
                multiples -= second_multiples
        else:  # far from zero
            _split_differences(greater, lesser, magic, buffers)
        return self._count(multiples, rests, power)

    def _count(self, multiples: Floats, rests: Floats, power: int) -> bool:
        """Add multiples of a unit, and the remainders; False if the multiples are too large."""
        # Chunk by chunk: for one long product BLAS starts threads, which wait for each other longer
        # than they compute.
        chunks = -1, _CHUNK
        multiples_of_chunks, rests_of_chunks = multiples.reshape(chunks), rests.reshape(chunks)
        total = squares = 0.0
        if self._has_squares:
            squares = _product(multiples_of_chunks, multiples_of_chunks)
            if not squares < math.ldexp(1.0, 2 * power + 53):
                return False
            products = _product(multiples_of_chunks, rests_of_chunks)
            rest_squares = _product(rests_of_chunks, rests_of_chunks)
        if self._has_total:
            total = float(np.add.reduce(multiples))
            if not (self._has_squares or total < math.ldexp(1.0, power + 50)):
                return False
            self._rests[0].append(_product(rests_of_chunks, _UNIT_WEIGHTS))
        if self._has_squares:
            self._rests[1].append(2 * products + rest_squares)
        totals = self._multiples.get(power, (0, 0))
        self._multiples[power] = (
            totals[0] + int(math.ldexp(total, -power)),
            totals[1] + int(math.ldexp(squares, -2 * power)),
        )
        self._rows += multiples.size
        return True

    def ends(self) -> tuple[_Ends, _Ends]:
        """The smallest and the largest possible sum of differences, and of their squares.

        The terms of each rounded sum are the remainder of a difference, less than a unit, alone or
        times at most twice the difference and a unit. By the inequality of Cauchy and Schwarz
        absolute differences add up to at most the root of the number of rows times the sum of
        squares.
        """
        if not self._rows:
            return (Fraction(0), Fraction(0)), (Fraction(0), Fraction(0))
        power = max(self._multiples)
        sum_error = exact_ldexp(_ROUNDINGS * self._rows, power - 53)  # a unit of roundoff each
        total = self._total(0)
        if not self._has_squares:
            return (total - sum_error, total + sum_error), (Fraction(0), Fraction(0))
        squares = self._total(1)
        # The sum of squares may itself be off, by far less than to be twice as large. The size of
        # a difference is at most their root, so that of all is at most this.
        sizes = root(2 * self._rows * max(squares, Fraction(0)))
        squares_error = Fraction(sizes) * exact_ldexp(2 * _ROUNDINGS, power - 53)
        squares_error += exact_ldexp(2 * _ROUNDINGS * self._rows, 2 * power - 53)
        squares_error += exact_ldexp(self._rows, -1060)  # of products that underflow
        lowest_squares = max(squares - squares_error, Fraction(0))
        return (total - sum_error, total + sum_error), (lowest_squares, squares + squares_error)

    def _total(self, exponent: int) -> Fraction:
        """The sum of differences, or of squares for 1, in which only the remainders are rounded."""
        total = Fraction(math.fsum(self._rests[exponent]))
        for power, units in self._multiples.items():
            total += exact_ldexp(units[exponent], power * (exponent + 1))
        return total


def _product(first: Floats, second: Floats) -> float:
    """The sum of products of numbers, chunk by chunk."""
    return float(np.add.reduce(np.vecdot(first, second)))


def _unit_power(largest: float) -> int | None:
    """The exponent of a unit for differences up to here; None if they are too large or small."""
    if not 2.0**-_LARGEST < largest < 2.0**_LARGEST:
        return None
    return math.frexp(largest)[1] - _BITS


def _split_differences(
    minuend: Floats, subtrahend: Floats | float, magic: float, buffers: Floats
) -> None:
    """Set the first two buffers to differences, rounded to units, and their remainders.

    A difference is a float and its rounding error, which is a float too. The minuend may be the
    second buffer, and the subtrahend the fourth.
    """
    multiples, rests, differences, _ = buffers
    np.subtract(minuend, subtrahend, out=differences)
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

    The first have the smallest errors and the largest variation of references. A constant is
    subtracted from references, so only their variation is known.

    Args:
        pairs: the rows.
        terms: some of "absolute", "squared", "reference", "reference_squared", "relative" and
            "symmetric"; the last two are sums of floats.

    Returns:
        None if they are unavailable: for weights, few rows, integers beyond the floats, and numbers
        that are not finite, too large or too small.

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
    buffers = np.empty((6, _ROWS))
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
    """Both ends of the sums of one output, best first, and the range of the references.

    None if a number is out of range.
    """
    rows = len(references)
    sample = slice(None, None, -(-rows // _SAMPLE))
    references_of_sample = references[sample].astype(np.float64)
    shift = float(np.sort(references_of_sample)[len(references_of_sample) // 2])
    has_residuals = not {"absolute", "squared"}.isdisjoint(terms)
    has_references = not {"reference", "reference_squared"}.isdisjoint(terms)
    residuals = _Sums(
        float(np.abs(references_of_sample - predictions[sample]).max()),
        are_absolute="absolute" in terms,
        has_total="absolute" in terms,
        has_squares="squared" in terms,
    )
    shifted = _Sums(
        float(np.abs(references_of_sample - shift).max()),
        are_absolute=False,
        has_total=True,
        has_squares=True,
    )
    relative = {term: EnclosedSum() for term in RELATIVE if term in terms}
    for first in range(0, rows, _ROWS):
        size = min(_ROWS, rows - first)
        # A last block is filled with differences of 0 up to the next whole chunk.
        places = -(-size // _CHUNK) * _CHUNK
        columns = []
        for buffer, column in zip(buffers, (predictions, references), strict=False):
            part = column[first : first + size]
            if part.dtype != np.float64 or not part.flags.c_contiguous or places > size:
                buffer[:size] = part
                buffer[size:places] = shift
                part = buffer[:places]
            columns.append(part)
        predicted, expected = columns
        if has_residuals and not residuals.add(expected, predicted, buffers[2:, :places]):
            return None
        if has_references and not shifted.add(expected, shift, buffers[2:, :places]):
            return None
        if relative:
            numbers = predicted[np.newaxis], expected[np.newaxis]
            differences = np.subtract(numbers[1], numbers[0], out=buffers[2:3, :places])
            for term, total in relative.items():
                if not total.add(relative_errors(term, *numbers, differences)[0]):
                    return None
    errors_of_rows, squared_errors = residuals.ends()
    sums, squares = shifted.ends()
    ends = {
        "absolute": errors_of_rows,
        "squared": squared_errors,
        # The variation is the sum of squares less a fraction of the squared sum.
        "reference": (max(sums[0], -sums[1], Fraction(0)), max(-sums[0], sums[1])),
        "reference_squared": squares[::-1],
        **{term: total.ends() for term, total in relative.items()},
    }
    return ends, (shifted.lowest, shifted.highest)
