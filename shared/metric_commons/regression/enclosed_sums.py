"""Sums over rows that are enclosed instead of exact, and suffice for the same scores.

A score is a rational number, rounded once. The sums that it follows from need not be exact: it is
enough if both ends of their enclosures give the same float, which fails only once in hundreds of
times. This takes a third of the time of `product_sums`, which is used if it fails.

All sums are of differences: reference minus prediction, and reference minus a constant, which
changes no variance. Both numbers are rounded to multiples of a unit. The difference of two
multiples has so few bits that sums of these differences and of their squares are exact over a
block, in any order. Sums with remainders are rounded; a bound of their error follows from the
number of summands, whatever their order, and from the squares by the inequality of Cauchy and
Schwarz.

    sum of d**2 = sum of m**2 + 2 * sum of m * r + sum of r**2, for d = m + r

Source:
    Higham, Accuracy and stability of numerical algorithms (2002), section 3.1: an inner product of
    n terms is off by at most about n units of roundoff of the sum of absolute products.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..statistics.arguments.arrays import Floats, equal_blocks
from ..statistics.arithmetic.exact_sums import CHUNK, EnclosedSum, chunks, sum_of_squares
from .moments import RELATIVE, Moments, relative_errors
from .pairs import Pairs

# Each rises or falls with each of its sums.
MEASURES = ("mae", "mse", "rmse", "r2", "mape", "smape")

_ROWS = 1 << 14  # of a block, or half as many again
_BITS = 26  # of the root of the sum of squares, in units: a sum of squared multiples has 53
_SIZES = 2.0**-900, 2.0**900  # of sums of squares, whose units and their squares are floats
_FEWEST = 1 << 11  # rows below which exact sums take no longer
_SAMPLE = 1 << 8  # rows among which the constant is found
_UNIT_WEIGHTS = np.ones(CHUNK)

_Ends = tuple[Fraction, Fraction]


class _DifferenceSums:
    """The sum of differences over all blocks, of their sizes, and of their squares.

    Args:
        buffers: three columns of whole chunks, in which a block is computed.
        has_sizes: whether the sizes of differences are added up, instead of themselves.
    """

    def __init__(self, buffers: Floats, *, has_sizes: bool) -> None:
        self.total, self.squares = EnclosedSum(), EnclosedSum()
        self._buffers, self._has_sizes = buffers, has_sizes
        self._power: int | None = None  # of the unit of the last block

    def add(self, minuend: Floats, subtrahend: Floats | float) -> bool:
        """Add a block; False if a number is not finite, or too large or small, or all are far off.

        Args:
            minuend: shape (rows,).
            subtrahend: the same, or one number.
        """
        if self._power is not None and self._add(minuend, subtrahend, self._power):
            return True
        differences = np.subtract(minuend, subtrahend, out=self._buffers[0, : minuend.size])
        size = sum_of_squares(differences)
        if not _SIZES[0] < size < _SIZES[1]:
            return not (size or differences.any())
        self._power = math.frexp(math.sqrt(size))[1] - _BITS
        return self._add(minuend, subtrahend, self._power)

    def _add(self, minuend: Floats, subtrahend: Floats | float, power: int) -> bool:
        """Add a block; False, and nothing added, if the unit 2**power is too small or large."""
        rows = minuend.size
        buffers = self._buffers[:, : -(-rows // CHUNK) * CHUNK]
        buffers[:, rows:] = 0
        wholes, rests, signs = buffers[:3, :rows]
        magic = math.ldexp(1.5, power + 52)  # near it adjacent floats are one unit apart
        np.add(minuend, magic, out=wholes)
        wholes -= magic
        np.subtract(minuend, wholes, out=rests)
        lesser: Any = subtrahend + magic
        lesser -= magic
        wholes -= lesser
        rests -= np.subtract(subtrahend, lesser, out=signs)
        weights = _UNIT_WEIGHTS
        if self._has_sizes:
            np.subtract(minuend, subtrahend, out=signs)
            weights = chunks(np.copysign(1.0, buffers[2], out=buffers[2]))
        # One call for both products with the multiples, and for both sums: calls take time.
        split = chunks(buffers[:2])
        sums = np.empty((5, split.shape[1]))
        np.vecdot(split, split[0], out=sums[:2])
        np.vecdot(split[1], split[1], out=sums[2])
        np.vecdot(split, weights, out=sums[3:])
        squares, products, rest_squares, total, rests_total = np.add.reduce(sums, axis=1).tolist()
        if not math.ldexp(1.0, 2 * power + 44) < squares < math.ldexp(1.0, 2 * power + 53):
            return False
        # For each summand of a chunk, for each chunk, and some before numbers are summands.
        roundings = math.ldexp(CHUNK + rows / CHUNK + 16, -53)
        underflow = math.ldexp(rows, -1060)  # of products
        rest_size = math.sqrt(rest_squares + underflow)
        self.total.add_split(total, rests_total, power, roundings * math.sqrt(rows) * rest_size)
        error = roundings * rest_size * (2 * math.sqrt(squares) + rest_size)
        rests_of_squares = 2 * products + rest_squares
        self.squares.add_split(squares, rests_of_squares, 2 * power, error + underflow)
        return True


def enclosing_moments(
    pairs: Pairs, terms: Sequence[str]
) -> tuple[list[Moments], list[Moments]] | None:
    """Moments of each output that enclose the exact ones: the best for a score, and the worst.

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
    >>> (best,), (worst,) = enclosing_moments(Pairs(predictions, references), terms)
    >>> best.sums["absolute"] < worst.sums["absolute"]
    True
    >>> best.mean_float("absolute") == worst.mean_float("absolute")
    True
    """
    rows = len(pairs.references)
    if pairs.weights is not None or pairs.wide_integers or rows < _FEWEST:
        return None
    outputs = []
    columns = (np.atleast_2d(table.T) for table in (pairs.predictions, pairs.references))
    for predictions, references in zip(*columns, strict=True):
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            sums = _added(predictions, references, terms)
        if sums is None:
            return None
        outputs.append(sums)
    best, worst = (
        [
            Moments(
                pairs.rows,
                Fraction(rows),
                {term: ends[term][side] for term in terms},
                {"reference": range_of_output},
            )
            for ends, range_of_output in outputs
        ]
        for side in (0, 1)
    )
    return best, worst


def _added(
    predictions: NDArray[Any], references: NDArray[Any], terms: Sequence[str]
) -> tuple[dict[str, _Ends], tuple[float, float]] | None:
    """Return both ends of the sums of one output, best first, and the range of some references.

    None if a number is out of range, or if the references are constant and their sums needed.
    """
    rows = len(references)
    blocks = equal_blocks(rows, _ROWS)
    buffers = np.empty((3, -(-blocks[0].stop // CHUNK) * CHUNK))
    residuals = _DifferenceSums(buffers, has_sizes="absolute" in terms)
    deviations = _DifferenceSums(buffers, has_sizes=False)
    relative = {term: EnclosedSum() for term in RELATIVE if term in terms}
    has_references = not {"reference", "reference_squared"}.isdisjoint(terms)
    has_residuals = not {"absolute", "squared"}.isdisjoint(terms)
    sample = references[:: -(-rows // _SAMPLE)].astype(np.float64)
    middle = float(np.sort(sample)[sample.size // 2])
    for block in blocks:
        predicted, expected = (
            np.ascontiguousarray(column[block], np.float64) for column in (predictions, references)
        )
        if has_residuals and not residuals.add(expected, predicted):
            return None
        if has_references and not deviations.add(expected, middle):
            return None
        if relative:
            numbers = predicted[np.newaxis], expected[np.newaxis]
            for term, total in relative.items():
                if not total.add(relative_errors(term, *numbers, numbers[1] - numbers[0])[0]):
                    return None
    ends = {
        "absolute": residuals.total.ends(),
        "squared": residuals.squares.ends(),
        **{term: total.ends() for term, total in relative.items()},
    }
    lowest, highest = -math.inf, math.inf
    if has_references:
        low, high = deviations.total.ends()
        # The variation is the sum of squares less a part of the squared sum.
        ends["reference"] = max(low, -high, Fraction(0)), max(-low, high)
        ends["reference_squared"] = deviations.squares.ends()[::-1]
        for column in (sample, references):
            lowest, highest = float(column.min()), float(column.max())
            if lowest < highest:
                break
        else:
            return None
    return ends, (lowest, highest)
