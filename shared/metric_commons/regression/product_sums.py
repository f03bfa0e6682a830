"""Exact sums over rows: of numbers, of their products, and of absolute and relative errors.

A column is cut into slices, which are multiples of a power of two with so few bits that the
products of two slices, added up over all rows of a block, have at most 53. So the product of a
matrix of slices with its transpose is exact in any order of summation, and contains the sums of all
products of two columns. Sums of blocks are added as integers. No sum is rounded, and none depends
on the order of rows, or on how they are divided into blocks or parts.

Sums over residuals do not require residuals: the square of reference minus prediction is a sum of
three products, and its absolute value is reference times sign minus prediction times sign.

Source:
    Ozaki, Ogita, Oishi and Rump, Error-free transformations of matrix multiplication by using fast
    routines of matrix multiplication and its applications, Numerical Algorithms 59(1), 2012.
"""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..statistics.arguments.arrays import Booleans, Floats
from ..statistics.arithmetic.exact_sums import Number, as_float, exact_ldexp
from .pairs import PairBlock, difference

Ranges = tuple[tuple[Number, Number], ...]  # the minimum and maximum of each output

_EPSILON = sys.float_info.epsilon  # the smallest divisor of an error
_ROWS = 1 << 13  # per block: 2**13 products of two slices of 20 bits have 53 bits
_BITS, _WEIGHTED_BITS = 20, 13  # per slice; with weights, three slices are multiplied
# Numbers with exponents beyond these have products that may overflow or underflow.
_LARGEST, _WEIGHTED_LARGEST = 450, 280
_MOST_BLOCKS = 1 << 9  # whose sums of 53 bits can be added up in 64 bits
RELATIVE = ("relative", "symmetric")


class _Slices(NamedTuple):
    """Arrays that add up to a column, and the exponent of the unit of each."""

    arrays: list[Floats]
    powers: list[int]


class _Layout(NamedTuple):
    """The columns that the slices of a matrix belong to, and the exponents of their units."""

    factors: tuple[tuple[str, int], ...]
    weight: int


class ProductSums:
    """The sums of terms and the ranges of columns, over all blocks added.

    Args:
        terms: names from `moments`: "reference", "prediction", their "_squared", "product",
            "absolute", "squared", "relative" and "symmetric".
        outputs: the number of outputs of a row.

    >>> sums = ProductSums(["squared", "absolute"], 1)
    >>> sums.add_blocks([PairBlock(np.array([[0.1, 1e9]]), np.array([[0.3, 1e9 + 0.5]]), None)])
    >>> [float(total) for total in sums.totals()["absolute"]]
    [0.7]
    """

    def __init__(self, terms: Sequence[str], outputs: int) -> None:
        self._terms, self._outputs = list(terms), outputs
        self._has_products = not {*terms} <= {"absolute", *RELATIVE, "reference", "prediction"}
        self._sums: dict[_Layout, list[Any]] = {}  # a matrix per output, and the number of blocks
        self._totals = {term: [Fraction(0)] * outputs for term in terms}
        self._ranges: dict[str, list[tuple[Number, Number]]] = {}
        self._buffer: Floats = np.empty(0)

    def add_blocks(self, blocks: Iterable[PairBlock]) -> None:
        """Add the rows of all blocks; all numbers must be finite."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            for predictions, references, weights in blocks:
                for start in range(0, references.shape[1], _ROWS):
                    rows = slice(start, start + _ROWS)
                    self._add(
                        predictions[:, rows],
                        references[:, rows],
                        None if weights is None else weights[rows],
                    )

    def totals(self) -> dict[str, list[Fraction]]:
        """Return the sum of each term in each output."""
        for layout in list(self._sums):
            self._settle(layout)
        return self._totals

    def ranges(self) -> dict[str, Ranges]:
        """Return the minimum and maximum reference, prediction and residual of each output."""
        return {name: tuple(ranges) for name, ranges in self._ranges.items()}

    def is_finite(self) -> bool:
        """Return whether all references and predictions are finite.

        Residuals may have overflowed.
        """
        ends = (end for ranges in self._ranges.values() for pair in ranges for end in pair)
        return all(isinstance(end, Fraction) or math.isfinite(end) for end in ends)

    def _add(
        self, predictions: NDArray[Any], references: NDArray[Any], weights: Floats | None
    ) -> None:
        residuals = difference(references, predictions, np.empty(references.shape))
        self._extend("reference", references)
        self._extend("prediction", predictions)
        self._extend("residual", residuals)
        if not self.is_finite():
            self._extend_overflowed(predictions, references, residuals)
            if not self.is_finite():  # the caller reports which number is not finite
                return
        columns: dict[str, NDArray[Any]] = {"reference": references, "prediction": predictions}
        for term in RELATIVE:
            if term in self._terms:
                columns[term] = relative_errors(term, predictions, references, residuals)
        signs = np.sign(residuals)
        if not self._add_slices(columns, signs, weights):
            largest = _LARGEST if weights is None else _WEIGHTED_LARGEST
            extreme = np.zeros(references.shape, np.bool_)
            for column in (*columns.values(), *([] if weights is None else [weights])):
                extreme |= _is_extreme(column, largest)
            self._add_exactly(columns, extreme, weights)
            usual = {name: np.where(extreme, 0.0, column) for name, column in columns.items()}
            usual_weights = weights
            if weights is not None:
                usual_weights = np.where(_is_extreme(weights, largest), 0.0, weights)
            self._add_slices(usual, np.where(extreme, 0.0, signs), usual_weights)

    def _extend(self, name: str, column: NDArray[Any]) -> None:
        """Extend the range of a column by these numbers."""
        lows, highs = column.min(axis=1).tolist(), column.max(axis=1).tolist()
        ends = [
            (low, high) if isinstance(low, float) else (Fraction(low), Fraction(high))
            for low, high in zip(lows, highs, strict=True)
        ]
        ranges = self._ranges.get(name, ends)
        self._ranges[name] = [
            # Unlike any other number, NaN stays, whatever it is compared with.
            (min(low, new_low), max(high, new_high)) if new_low == new_low else (new_low, new_high)
            for (low, high), (new_low, new_high) in zip(ranges, ends, strict=True)
        ]

    def _extend_overflowed(
        self, predictions: NDArray[Any], references: NDArray[Any], residuals: Floats
    ) -> None:
        """Extend the range by the exact values of residuals that overflowed."""
        finite = np.isfinite(references) & np.isfinite(predictions)
        if not finite.all():
            return
        exact: list[tuple[Number, Number]] = []
        for output in range(self._outputs):
            rows = np.flatnonzero(~np.isfinite(residuals[output]))
            numbers: list[Number] = [
                Fraction(float(references[output, row])) - Fraction(float(predictions[output, row]))
                for row in rows.tolist()
            ]
            numbers += residuals[output][np.isfinite(residuals[output])].tolist()
            ends = self._ranges["residual"][output]
            numbers += [end for end in ends if isinstance(end, Fraction) or math.isfinite(end)]
            exact.append((min(numbers), max(numbers)))
        self._ranges["residual"] = exact

    def _add_slices(
        self, columns: Mapping[str, NDArray[Any]], signs: Floats, weights: Floats | None
    ) -> bool:
        """Add the sums of a block, or none of them if some products would not be exact."""
        bits, largest = _BITS, _LARGEST
        if weights is not None:
            bits, largest = _WEIGHTED_BITS, _WEIGHTED_LARGEST
        factors_of_terms = {
            name: column
            for name, column in columns.items()
            if name in RELATIVE or self._has_products or self._needs(name)
        }
        slices = {name: _sliced(column, bits, largest) for name, column in factors_of_terms.items()}
        weight_slices = None if weights is None else _sliced(weights, bits, largest)
        if None in slices.values() or (weights is not None and weight_slices is None):
            return False
        entries = [
            (name, power, array)
            for name, parts in slices.items()
            if parts is not None
            for array, power in zip(*parts, strict=True)
        ]
        matrix = self._matrix(len(entries) + 2, signs.shape[1])
        for number, (_, _, array) in enumerate(entries):
            matrix[:, number] = array
        matrix[:, -2], matrix[:, -1] = 1.0, signs
        factors = (*((name, power) for name, power, _ in entries), ("one", 0), ("sign", 0))
        transposed = matrix.transpose(0, 2, 1)
        if weight_slices is None:
            self._count(_Layout(factors, 0), matrix @ transposed)
        else:
            for array, power in zip(*weight_slices, strict=True):
                self._count(_Layout(factors, power), (matrix * array) @ transposed)
        return True

    def _matrix(self, factors: int, rows: int) -> Floats:
        """Memory for slices, reused for every block: allocating it takes longer than filling it."""
        shape = self._outputs, factors, rows
        if self._buffer.size < math.prod(shape):
            self._buffer = np.empty(math.prod(shape))
        return self._buffer[: math.prod(shape)].reshape(shape)

    def _needs(self, name: str) -> bool:
        return name in self._terms or "absolute" in self._terms

    def _count(self, layout: _Layout, sums: Floats) -> None:
        """Add a matrix of sums, as whole numbers of its units."""
        factors = np.array([power for _, power in layout.factors])
        powers = factors[:, np.newaxis] + factors + layout.weight
        whole_sums = np.ldexp(sums, -powers).astype(np.int64)
        if layout not in self._sums:
            self._sums[layout] = [whole_sums, 1]
            return
        entry = self._sums[layout]
        entry[0] += whole_sums
        entry[1] += 1
        if entry[1] == _MOST_BLOCKS:
            self._settle(layout)

    def _settle(self, layout: _Layout) -> None:
        """Add whole numbers of units to the totals."""
        matrices: list[list[list[int]]] = self._sums.pop(layout)[0].tolist()
        for output, matrix in enumerate(matrices):
            units: dict[tuple[str, str], dict[int, int]] = {}
            for (name, power), row in zip(layout.factors, matrix, strict=True):
                for (factor, factor_power), number in zip(layout.factors, row, strict=True):
                    exponent = power + factor_power + layout.weight
                    of_pair = units.setdefault((name, factor), {})
                    of_pair[exponent] = of_pair.get(exponent, 0) + number
            sums = {
                pair: sum(map(exact_ldexp, of_pair.values(), of_pair.keys()), Fraction(0))
                for pair, of_pair in units.items()
            }
            for term in self._terms:
                self._totals[term][output] += _combined(term, sums)

    def _add_exactly(
        self, columns: Mapping[str, NDArray[Any]], extreme: Booleans, weights: Floats | None
    ) -> None:
        """Add numbers that are too large or too small for products of floats, one by one."""
        for output, row in np.argwhere(extreme).tolist():
            weight = Fraction(1 if weights is None else float(weights[row]))
            numbers = {
                name: Fraction(column[output, row].item())
                for name, column in columns.items()
                if math.isfinite(column[output, row])
            }
            reference, prediction = numbers["reference"], numbers["prediction"]
            residual = reference - prediction
            values = numbers | {
                "reference_squared": reference * reference,
                "prediction_squared": prediction * prediction,
                "product": reference * prediction,
                "absolute": abs(residual),
                "squared": residual * residual,
            }
            # The one that may overflow: an error divided by the smallest divisor.
            values.setdefault("relative", abs(residual) / max(abs(reference), Fraction(_EPSILON)))
            for term in self._terms:
                self._totals[term][output] += weight * values[term]


def _combined(term: str, sums: Mapping[tuple[str, str], Fraction]) -> Fraction:
    """Return the sum of a term from sums of products of two columns."""

    def total(name: str, factor: str) -> Fraction:
        return sums.get((name, factor), Fraction(0))

    match term:
        case "absolute":
            return total("reference", "sign") - total("prediction", "sign")
        case "squared":
            squares = total("reference", "reference") + total("prediction", "prediction")
            return squares - 2 * total("reference", "prediction")
        case "product":
            return total("reference", "prediction")
        case "reference_squared" | "prediction_squared":
            name = term.removesuffix("_squared")
            return total(name, name)
    return total(term, "one")


def _sliced(column: NDArray[Any], bits: int, limit: int) -> _Slices | None:
    """Return the slices of a column, largest first; None if a number is too large or too small.

    Adding and subtracting 1.5 * 2**52 units rounds to whole units, which leaves the slice; near
    this number, adjacent floats are one unit apart.
    """
    if column.dtype.kind in "iu":  # integers that a float64 cannot hold
        halves = (column >> 32) * 2.0**32, (column & np.int64(2**32 - 1)) * 1.0
        parts = [part for half in halves if (part := _sliced(half, bits, limit)) is not None]
        return _Slices(
            [array for part in parts for array in part.arrays],
            [power for part in parts for power in part.powers],
        )
    largest = max(float(column.max()), -float(column.min()))
    arrays: list[Floats] = []
    powers: list[int] = []
    # Steps of 4 give most blocks the same units, so that their sums can be added together.
    power = -(-math.frexp(largest)[1] // 4) * 4
    if not largest:
        return _Slices(arrays, powers)
    if not power <= limit:
        return None
    remainders = column
    while True:
        power -= bits
        if power < -limit - 64:
            return None
        magic = math.ldexp(1.5, power + 52)
        array = remainders + magic
        array -= magic
        arrays.append(array)
        powers.append(power)
        remainders = remainders - array
        if not (remainders.flat[0] or remainders.any()):
            return _Slices(arrays, powers)


def _is_extreme(column: NDArray[Any], largest: int) -> Booleans:
    """Return which numbers are too large or too small for products of slices."""
    sizes = np.abs(column)
    is_small: Booleans = (sizes < 2.0 ** (-largest + 10)) & (sizes > 0)
    is_great: Booleans = sizes > 2.0 ** (largest - 10)
    return is_small | is_great


def relative_errors(
    term: str, predictions: NDArray[Any], references: NDArray[Any], residuals: Floats
) -> Floats:
    """Return the absolute errors over the references, or over the mean of both absolute numbers.

    Args:
        term: "relative" or "symmetric".
        predictions: shape (outputs, rows), and so are the others.
        references: the true numbers.
        residuals: reference minus prediction.

    >>> numbers = np.array([[1.0, 6.0]]), np.array([[2.0, 4.0]])
    >>> relative_errors("relative", *numbers, np.array([[1.0, -2.0]])).tolist()
    [[0.5, 0.5]]
    """
    sizes = np.abs(references.astype(np.float64))  # that of -2**63 is not an int64
    if term == "relative":
        errors: Floats = np.abs(residuals) / np.maximum(sizes, _EPSILON)
        return errors
    divisors = sizes + np.abs(predictions.astype(np.float64))
    errors = np.zeros(references.shape)
    # If the sum of both is 0, the error is 0 as well.
    np.divide(np.abs(residuals), divisors, out=errors, where=divisors > 0)
    errors *= 2
    for output, row in np.argwhere(~np.isfinite(divisors) | ~np.isfinite(residuals)).tolist():
        reference, prediction = (
            Fraction(float(table[output, row])) for table in (references, predictions)
        )
        size = abs(reference) + abs(prediction)
        errors[output, row] = as_float(2 * abs(reference - prediction) / size)
    return errors
