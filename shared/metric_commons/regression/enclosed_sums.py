"""Sums over rows that are enclosed instead of exact, and suffice for the same scores.

A score is a rational number, rounded once. The sums that it follows from need not be exact: it is
enough that both ends of what they can be give the same float, as they do all but once in
hundreds of times. This takes a third of the time of `product_sums`, which decides where it fails.

All sums are of differences: reference minus prediction, and reference minus a constant, which
changes no variance. A difference is a float and its rounding error, which is a float too. From the
first a multiple of a unit, of 18 bits, is split off. Sums of multiples and of their squares are
exact over a block, in any order. What is left of a difference is at most one unit; sums with that
are rounded, and how far off they may be follows from the number of summands, whatever their order.

    sum of d**2 = sum of m**2 + sum of (d - m) * (d + m), for a multiple m near d

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
from ..numbers.exact_sums import exact_ldexp, exact_sum, root
from .moments import Moments
from .pairs import Pairs
from .product_sums import RELATIVE, relative_errors

# Each rises or falls with each of its sums.
MEASURES = ("mae", "mse", "rmse", "r2", "mape", "smape")

_ROWS = 1 << 15  # of a block: 2**15 squares of numbers of 18 bits have 51 bits
_CHUNK = 1 << 8  # summands of each sum that is rounded
_BITS = 18  # of a multiple of the unit
_LARGEST = 400  # exponents up to here, or down to minus it, cannot overflow or underflow
_ROUNDINGS = _CHUNK + 16  # of a chunk: one for each summand, and some before it is one
_SIGN = np.int64(-(1 << 63))
_FEWEST = 1 << 11  # rows below which exact sums take no longer


_Ends = tuple[Fraction, Fraction]


class _Sums:
    """The sum of differences over all blocks, the sum of their squares, and how far off they are.

    Args:
        has_signs: whether differences are added up with their signs.
    """

    def __init__(self, has_signs: bool) -> None:
        self._has_signs = has_signs
        self._parts: tuple[list[Floats], list[Floats]] = [], []
        self._rows, self._unit = 0, -math.inf  # the exponent of the largest unit
        self.lowest, self.highest = math.inf, -math.inf

    def add(self, minuend: Floats, subtrahend: Floats | float, buffers: Floats) -> bool:
        """Add a block of whole chunks; False if a number is not finite, too large or too small."""
        differences, errors, scratch, multiples = buffers
        np.subtract(minuend, subtrahend, out=differences)
        ends = float(differences.min()), float(differences.max())
        largest = max(map(abs, ends))
        self.lowest, self.highest = min(self.lowest, ends[0]), max(self.highest, ends[1])
        if not largest:
            return True
        if not (all(map(math.isfinite, ends)) and 2.0**-_LARGEST < largest < 2.0**_LARGEST):
            return False
        np.subtract(differences, minuend, out=scratch)
        np.subtract(differences, scratch, out=errors)
        np.subtract(minuend, errors, out=errors)
        scratch += subtrahend
        errors -= scratch
        if not self._has_signs:
            bits, errors_bits = differences.view(np.int64), errors.view(np.int64)
            signs = np.bitwise_and(bits, _SIGN, out=scratch.view(np.int64))
            np.bitwise_xor(errors_bits, signs, out=errors_bits)
            np.abs(differences, out=differences)

        unit = math.frexp(largest)[1] - _BITS
        self._rows, self._unit = self._rows + minuend.size, max(self._unit, unit)
        magic = math.ldexp(1.5, unit + 52)  # near it adjacent floats are one unit apart
        np.add(differences, magic, out=multiples)
        multiples -= magic
        rests = np.subtract(differences, multiples, out=scratch)
        rests += errors
        differences += multiples
        chunks = -1, _CHUNK
        rests, multiples = rests.reshape(chunks), multiples.reshape(chunks)
        sums, squares = self._parts
        sums += [np.array([multiples.sum()]), np.add.reduce(rests, axis=1)]
        # Chunk by chunk: for one long product BLAS starts threads, which wait for each other longer
        # than they compute.
        squares.append(np.array([np.vecdot(multiples, multiples).sum()]))
        squares.append(np.einsum("ij,ij->i", rests, differences.reshape(chunks)))
        return True

    def ends(self) -> tuple[_Ends, _Ends]:
        """The least and the largest sum of differences that is possible, and of their squares.

        In each rounded sum stands what is left of a difference, less than a unit, alone or times at
        most twice the difference and a unit. By the inequality of Cauchy and Schwarz absolute
        differences add up to at most the root of the number of rows times the sum of squares.
        """
        if not self._rows:
            return (Fraction(0), Fraction(0)), (Fraction(0), Fraction(0))
        total, squares = (exact_sum(np.concatenate(part)) for part in self._parts)
        unit = exact_ldexp(_ROUNDINGS, int(self._unit) - 53)  # in units of roundoff, of a chunk
        off = unit * self._rows
        # The sum of squares may itself be off, by far less than to be twice as large.
        sizes = root(2 * self._rows * max(squares, Fraction(0)))
        off_squares = 2 * unit * (Fraction(sizes) + exact_ldexp(self._rows, int(self._unit)))
        off_squares += exact_ldexp(self._rows, -1060)  # of products that underflow
        least = max(squares - off_squares, Fraction(0))
        return (total - off, total + off), (least, squares + off_squares)


def enclosing_moments(pairs: Pairs, terms: Sequence[str]) -> tuple[Moments, Moments] | None:
    """Moments between which the exact ones lie: those that are best for a score, and worst.

    The first have the least errors and the largest variation of references. References are less a
    constant, so of them these moments know the variation alone.

    Args:
        pairs: the rows.
        terms: some of "absolute", "squared", "reference", "reference_squared", "relative" and
            "symmetric"; the last two are sums of floats, which are exact.

    Returns:
        None where they say nothing: for weights, few rows, integers beyond the floats, and numbers
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
    """Both ends of the sums of one output, best first, and the range of references less a constant.

    None if a number is out of range.
    """
    residuals, shifted = _Sums(has_signs=False), _Sums(has_signs=True)
    has_residuals = not {"absolute", "squared"}.isdisjoint(terms)
    has_references = not {"reference", "reference_squared"}.isdisjoint(terms)
    relative: dict[str, Fraction] = {term: Fraction(0) for term in RELATIVE if term in terms}
    shift = float(references[:_CHUNK].mean())
    rows = len(references)
    for start in range(0, rows, _ROWS):
        size = min(_ROWS, rows - start)
        # A last block is filled with differences of 0 up to the next whole chunk.
        places = -(-size // _CHUNK) * _CHUNK
        columns = []
        for buffer, column in zip(buffers, (predictions, references), strict=False):
            part = column[start : start + size]
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
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                differences = np.subtract(numbers[1], numbers[0], out=buffers[2:3, :places])
                for term in relative:
                    (errors,) = relative_errors(term, *numbers, differences)
                    if not math.isfinite(errors.max()):
                        return None
                    relative[term] += exact_sum(errors)
    errors_of_rows, squared_errors = residuals.ends()
    sums, squares = shifted.ends()
    ends = {
        "absolute": errors_of_rows,
        "squared": squared_errors,
        # The variation is the sum of squares less a part of the squared sum.
        "reference": (max(sums[0], -sums[1], Fraction(0)), max(-sums[0], sums[1])),
        "reference_squared": squares[::-1],
        **{term: (total, total) for term, total in relative.items()},
    }
    return ends, (shifted.lowest, shifted.highest)
