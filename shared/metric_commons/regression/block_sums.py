"""One pass over the rows, block by block: the sums of terms, and the ranges of columns.

A column is a value per row: the reference, the prediction, the residual (reference minus
prediction), the relative and the symmetric error. A term is a quantity to sum, such as the square
of a residual or the product of reference and prediction.
"""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..numbers.arrays import Floats
from ..numbers.exact_sums import BinnedSums, Number, exact_ldexp
from .pairs import Block, difference
from .scaling import CENTRED, Ranges, Scaling, relative_scale

_EPSILON = sys.float_info.epsilon


class BlockSums:
    """The sums of terms and the ranges of columns, over all blocks added.

    Arrays have the shape (outputs, rows). Buffers are reused for every block and every pass,
    because allocating memory takes longer than writing to it.

    Args:
        scaling: centres, scales and bins of the sums.
        terms: the terms to sum.
        fold: the number of bins to sum; 0 if only the ranges are needed.
        buffers: arrays by name; missing ones and those that are too small are replaced.
    """

    def __init__(
        self, scaling: Scaling, terms: Sequence[str], fold: int, buffers: dict[str, Floats]
    ) -> None:
        self.terms = list(terms)
        self._scaling = scaling
        self._fold = fold
        self._buffers = buffers
        self._outputs = len(scaling.scales["residual"])
        self._extremes: dict[str, tuple[list[list[Any]], list[list[Any]]]] = {}
        self._scales = scaling.scales | {
            "relative": [relative_scale(scaling.scales["residual"])] * self._outputs
        }
        self._unscaled = {name for name, scales in self._scales.items() if not any(scales)}
        self._sums = BinnedSums([*scaling.exponents.values()], fold)

    @cached_property
    def _weight_sums(self) -> BinnedSums:
        """The sums of the weights, if rows have weights."""
        return BinnedSums([[0]], self._fold)

    def add_blocks(self, blocks: Iterable[Block]) -> None:
        """Add the rows of all blocks."""
        # Numbers may overflow if the scaling does not fit them.
        with np.errstate(over="ignore", invalid="ignore"):
            for block in blocks:
                self._add(*block)

    def _add(
        self, predictions: NDArray[Any], references: NDArray[Any], weights: Floats | None
    ) -> None:
        size = references.shape[1]
        residuals = self._difference(
            "residual", references, predictions, self._buffer("residual", size)
        )
        columns = {"reference": references, "residual": residuals}
        if "prediction" in self.terms:
            columns["prediction"] = predictions
        for term in ("relative", "symmetric"):
            if term in self.terms:
                columns[term] = self._relative_errors(term, predictions, references, residuals)
        for name, column in columns.items():
            lows, highs = self._extremes.setdefault(name, ([], []))
            lows.append(np.minimum.reduce(column, axis=1).tolist())
            highs.append(np.maximum.reduce(column, axis=1).tolist())
        if not self._fold:
            return
        deviations = {
            name: self._deviations(name, columns[name]) for name in CENTRED if name in self.terms
        }
        buffer = self._buffer("summands", size)
        slices = remainders = buffer  # with one bin, summands are not needed after rounding
        if self._fold > 1:
            slices, remainders = self._buffer("slices", size), self._buffer("remainders", size)
        for index, term in enumerate(self.terms):
            summands = self._summands(term, columns, deviations, buffer)
            if weights is not None:
                summands = np.multiply(summands, weights, out=buffer)
            self._sums.add(index, summands, slices, remainders)
        if weights is not None:
            self._weight_sums.add(0, weights.reshape(1, -1), slices[:1], remainders[:1])

    def _summands(
        self, term: str, columns: Mapping[str, Any], deviations: Mapping[str, Floats], out: Floats
    ) -> Floats:
        """The summands of a term, in `out` unless they already are in an array."""
        if term in deviations:
            return deviations[term]
        if term in columns:
            errors: Floats = columns[term]
            return errors
        if term == "absolute":
            np.abs(columns["residual"], out=out)
        elif term == "product":
            np.multiply(deviations["reference"], deviations["prediction"], out=out)
        elif term == "squared":
            np.multiply(columns["residual"], columns["residual"], out=out)
        else:
            numbers = deviations[term.removesuffix("_squared")]
            np.multiply(numbers, numbers, out=out)
        return out

    def _deviations(self, name: str, column: NDArray[Any]) -> Floats:
        """The deviations of references or predictions from their centre, scaled."""
        centres = self._scaling.centres[name]
        if name in self._unscaled and not any(centres):
            return column.astype(np.float64, copy=False)
        buffer = self._buffer(f"{name} deviations", column.shape[1])
        return self._difference(
            name, column, np.array(centres)[:, np.newaxis].astype(column.dtype), buffer
        )

    def _relative_errors(
        self, term: str, predictions: NDArray[Any], references: NDArray[Any], residuals: Floats
    ) -> Floats:
        """The absolute errors over the references, or over the mean of both absolute numbers."""
        size = references.shape[1]
        errors, divisors = self._buffer(term, size), self._buffer("divisors", size)
        scaled = any(self._scales["residual"])
        if term == "relative":
            if scaled:  # residuals and relative errors are divided by different powers of two
                residuals = self._difference(term, references, predictions, errors)
            np.abs(residuals, out=errors)
            np.abs(references, out=divisors, dtype=np.float64)  # that of -2**63 is not an int64
            np.maximum(divisors, _EPSILON, out=divisors)
            errors /= divisors
            return errors
        if scaled:
            # The ratio is the same if all numbers of a row are divided by the same power of two.
            # This way the sum of huge numbers does not overflow, and tiny numbers keep their
            # digits.
            exponents = np.frexp(np.maximum(np.abs(references), np.abs(predictions)))[1]
            references, predictions = (
                np.ldexp(table, -exponents) for table in (references, predictions)
            )
            residuals = np.subtract(references, predictions, out=errors)
        np.abs(residuals, out=errors)
        np.abs(references, out=divisors, dtype=np.float64)
        divisors += np.abs(predictions, out=self._buffer("summands", size), dtype=np.float64)
        # If the sum of both is 0, the error is 0 as well.
        np.divide(errors, divisors, out=errors, where=divisors > 0)
        errors *= 2
        return errors

    def _difference(
        self, name: str, minuend: NDArray[Any], subtrahend: NDArray[Any], out: Floats
    ) -> Floats:
        """The difference, rounded once, divided by the power of two for this column."""
        if name in self._unscaled:
            return difference(minuend, subtrahend, out)
        scales = self._scales[name]
        if max(scales) > 0 and minuend.dtype.kind == "f":
            # Huge numbers are divided first, because their difference might overflow.
            positive = [max(scale, 0) for scale in scales]
            np.subtract(_divided(minuend, positive), _divided(subtrahend, positive), out=out)
        else:
            difference(minuend, subtrahend, out)
        if min(scales) < 0:
            out[...] = _divided(out, [min(scale, 0) for scale in scales])
        return out

    def _buffer(self, name: str, size: int) -> Floats:
        buffer = self._buffers.get(name)
        if buffer is None or buffer.shape[1] < size:
            buffer = self._buffers[name] = np.empty((self._outputs, size))
        return buffer[:, :size]

    def is_finite(self) -> bool:
        """Whether all numbers of all columns are finite."""
        return all(
            all(map(math.isfinite, numbers))
            for limits in self._extremes.values()
            for blocks in limits
            for numbers in blocks
        )

    def ranges(self) -> dict[str, Ranges]:
        """The minimum and maximum of each column in each output, if all numbers are finite."""
        ranges = {}
        for name, (block_lows, block_highs) in self._extremes.items():
            lows = [min(blocks) for blocks in zip(*block_lows, strict=True)]
            highs = [max(blocks) for blocks in zip(*block_highs, strict=True)]
            scaled = name in ("residual", "relative")
            scales = self._scales[name] if scaled else [0] * len(lows)
            ranges[name] = tuple(
                (_unscaled(low, scale), _unscaled(high, scale))
                for low, high, scale in zip(lows, highs, scales, strict=True)
            )
        return ranges

    def totals(self) -> dict[str, list[Fraction]]:
        """The sum of each term in each output, for references and predictions about the centres."""
        return {
            term: [
                exact_ldexp(total, scale)
                for total, scale in zip(outputs, self._term_scales(term), strict=True)
            ]
            for term, outputs in zip(self.terms, self._sums.totals(), strict=True)
        }

    def weight(self) -> Fraction:
        """The sum of the weights."""
        return self._weight_sums.totals()[0][0]

    def is_coarse(self) -> bool:
        """Whether a second bin is needed, because a few rows dominate some sum."""
        signed = {*CENTRED, "product"}
        unsigned = [index for index, term in enumerate(self.terms) if term not in signed]
        return any(map(self._sums.is_coarse, unsigned))

    def _term_scales(self, term: str) -> list[int]:
        """The exponents of the powers of two by which the summands of a term were divided."""
        scales = self._scales
        match term:
            case "relative":
                return scales["relative"]
            case "symmetric":
                return [0] * self._outputs
            case "absolute":
                return scales["residual"]
            case "squared":
                return [2 * scale for scale in scales["residual"]]
            case "product":
                factors = zip(scales["reference"], scales["prediction"], strict=True)
                return [reference + prediction for reference, prediction in factors]
        name = term.removesuffix("_squared")
        return [scale if name == term else 2 * scale for scale in scales[name]]


def _unscaled(value: float | int, exponent: int) -> Number:
    """A scaled number times its power of two; integers as fractions, as a float may not be exact.

    >>> _unscaled(0.5, 0), _unscaled(0.5, 2000) == 2**1999
    (0.5, True)
    """
    if exponent == 0 and isinstance(value, float):
        return value
    return exact_ldexp(Fraction(value), exponent)


def _divided(numbers: NDArray[Any], exponents: Sequence[int]) -> NDArray[Any]:
    """The numbers of each output, divided by a power of two."""
    return np.ldexp(numbers, -np.array(exponents)[:, np.newaxis]) if any(exponents) else numbers
