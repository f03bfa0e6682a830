"""Pairs of numbers: the predictions and references of rows, with the weights of rows."""

import math
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..statistics.arguments.arrays import Column, Floats, Integers
from ..statistics.arguments.checks import RowError, check_finite, check_weights, check_widths

_LARGEST = 2.0**900  # numbers up to here, and their quotients by 2**-52, are within the floats
_EXACT = 1 << 53  # every smaller integer is a float64


Numbers = NDArray[Any]
"""Floats, or integers that a float64 cannot hold."""


class Pairs:
    """Predictions and references as checked arrays of shape (outputs, rows), with weights of rows.

    Rows of weight 0 are dropped from the arrays, but counted in `rows`. The weights are divided by
    a power of two, so that all are less than 1.

    Args:
        predictions: one number per row, or a list of numbers, one for each output.
        references: the same; a number and a list of one number are equivalent.
        sample_weight: one non-negative number per row; None gives all rows the same weight.

    Raises:
        ValueError: rows differ in length, a number is not finite, or a weight is not valid; names
            the row.

    >>> pairs = Pairs([[1.0], [2.0]], [1.0, 4.0])
    >>> pairs.rows, pairs.outputs, pairs.absolute_errors()
    (2, 1, (array([[0., 2.]]), 0))
    """

    def __init__(self, predictions: Column, references: Column, sample_weight: Any = None) -> None:
        tables = {
            "predictions": number_table("predictions", predictions),
            "references": number_table("references", references),
        }
        self.rows = len(tables["references"])
        if len(tables["predictions"]) != self.rows:
            raise ValueError(
                f"the inputs differ in length: predictions has {len(tables['predictions'])} rows, "
                f"references has {self.rows} rows"
            )
        if not self.rows:
            raise ValueError("predictions is empty; a score of no rows is undefined")
        self.check_shapes(**tables)
        self.outputs = tables["references"].size // self.rows
        self.weights = check_weights("sample_weight", sample_weight, self.rows)
        self.largest = max(abs(float(end)) for n, t in tables.items() for end in check_finite(n, t))
        are_integers = all(table.dtype.kind in "iu" for table in tables.values())
        number = np.int64 if are_integers and self.largest >= _EXACT else np.float64
        self.predictions, self.references = (
            np.ascontiguousarray(table.reshape(self.rows, -1).T, number)
            for table in tables.values()
        )
        self.positive_rows: Any = slice(None)  # the rows of positive weight
        if self.weights is not None:
            power = math.frexp(float(self.weights.max()))[1]
            self.weights = np.ldexp(self.weights, -power)
            self.positive_rows = np.flatnonzero(self.weights)
            self.__dict__ |= self.take(self.positive_rows).__dict__

    def check_shapes(self, predictions: NDArray[Any], references: NDArray[Any]) -> None:
        """Check that both tables have as many numbers per row."""
        if predictions.shape != references.shape:
            raise ValueError(
                f"predictions have {predictions.size // self.rows} numbers per row, "
                f"but references have {references.size // self.rows}"
            )

    def absolute_errors(self) -> tuple[Floats, int]:
        """Return the absolute errors over a power of two, and its exponent, which is 0 or 64."""
        if self.largest < _LARGEST:
            return np.abs(difference(self.references, self.predictions)), 0
        predictions, references = (
            np.ldexp(table, -64) for table in (self.predictions, self.references)
        )
        return np.asarray(np.abs(references - predictions)), 64

    def floats(self) -> tuple[Numbers, Numbers]:
        """Return both tables as floats, for what does not depend on where they begin.

        Integers that a float64 cannot hold are given as their distance from the smallest reference.
        """
        if self.references.dtype.kind == "f" or not self.references.size:
            return self.predictions, self.references
        lowest = self.references.min()
        return difference(self.predictions, lowest), difference(self.references, lowest)

    def output_shares(self, multioutput: Any) -> Floats:
        """Return the share of each output in an average, with `multioutput` as in the scores."""
        shares = np.ones(self.outputs)
        if multioutput == "variance_weighted":
            variances = np.var(np.sort(self.floats()[1], axis=1), axis=1)
            shares = variances if variances.any() else shares
        elif not isinstance(multioutput, str):
            shares = np.asarray(multioutput, np.float64)
        averaged: Floats = shares / shares.sum()
        return averaged

    def row_weights(self) -> Floats:
        """Return the weights of rows, which are 1 if there are none."""
        return np.ones(self.references.shape[1]) if self.weights is None else self.weights

    def take(self, rows: Integers) -> "Pairs":
        """Return these rows of the arrays, in this order."""
        pairs = copy(self)
        pairs.predictions, pairs.references = self.predictions[:, rows], self.references[:, rows]
        pairs.weights = None if self.weights is None else self.weights[rows]
        return pairs


class IntervalPairs(Pairs):
    """Intervals as predictions, shape (2, rows), and a number of each row as references.

    >>> IntervalPairs([[1.0, 2.0], [1.0, 2.0]], [1.5, 2.5]).predictions.tolist()
    [[1.0, 1.0], [2.0, 2.0]]
    """

    def check_shapes(self, predictions: NDArray[Any], references: NDArray[Any]) -> None:
        """Check that predictions are [low, high], and that references are numbers."""
        if predictions.ndim != 2 or predictions.shape[1] != 2:
            first = predictions[0].tolist()
            raise RowError("predictions", 0, f"is {first}; an interval is [low, high]")
        if references.ndim != 1:
            first = references[0].tolist()
            raise RowError("references", 0, f"is {first}; an interval is for one number")
        reverse = predictions[:, 0] > predictions[:, 1]
        if reverse.any():
            row = int(reverse.argmax())
            raise RowError(
                "predictions", row, f"is {predictions[row].tolist()}, whose low end is above"
            )


def difference(first: Numbers, second: Any) -> Floats:
    """Return `first - second`, rounded once, even of integers that a float64 cannot hold.

    >>> difference(np.array([2**62 + 1]), np.array([2**62]))
    array([1.])
    """
    if first.dtype.kind == "f":
        return np.asarray(first - second)
    # An int64 is a * 2**32 + b, where b has 32 bits, so the differences of both are floats.
    mask = np.int64(2**32 - 1)
    large = ((first >> 32) - (second >> 32)) * 2.0**32
    return np.asarray(large + ((first & mask) - (second & mask)))


def number_table(name: str, column: Column) -> NDArray[Any]:
    """Return a column as an array, one number per row, or as many in each."""
    check_widths(name, column, "numbers")
    table = np.asarray(column)
    if table.ndim not in (1, 2) or table.dtype.kind not in "biuf" or 0 in table.shape[1:]:
        raise ValueError(
            f"{name} must hold one number per row, or as many numbers in each, got an array of "
            f"shape {table.shape} and {table.dtype}"
        )
    return table.ravel() if table.ndim == 2 and table.shape[1] == 1 else table
