"""Pairs of numbers: the predictions and references of rows, with the weights of rows."""

import math
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..statistics.arguments.arrays import Column, Floats, Integers
from ..statistics.arguments.checks import check_finite as check_numbers
from ..statistics.arguments.checks import check_weights, check_widths

SAFE_EXPONENT = 400  # numbers with an exponent up to here, or down to minus it, can be squared
_EXACT = 1 << 53  # every integer up to here is a float64


Numbers = NDArray[Any]
"""Floats, or integers that a float64 cannot hold."""


class FloatColumns(NamedTuple):
    """All rows as floats, shape (outputs, rows) each; a residual is reference minus prediction."""

    predictions: Floats
    references: Floats
    residuals: Floats


class Pairs:
    """Predictions and references as checked arrays, with the weights of rows.

    Rows of weight 0 are dropped from the arrays, but counted in `rows`. The weights are divided by
    a power of two, 2**weight_exponent, so that all are less than 1.

    Args:
        predictions: one number per row, or a list of numbers, one for each output.
        references: the same; a number and a list of one number are equivalent.
        sample_weight: one non-negative number per row; None gives all rows the same weight.

    Raises:
        ValueError: rows differ in length, a number is not finite (with weights this is checked
            here, otherwise where the rows are summed), or a weight is not valid; names the row.

    >>> pairs = Pairs([[1.0], [2.0]], [1.0, 4.0])
    >>> pairs.rows, pairs.outputs
    (2, 1)
    """

    def __init__(self, predictions: Column, references: Column, sample_weight: Any = None) -> None:
        predictions = _table("predictions", predictions)
        references = _table("references", references)
        self.rows = len(references)
        self.outputs = 1 if references.ndim == 1 else references.shape[1]
        if len(predictions) != self.rows:
            raise ValueError(
                f"the inputs differ in length: predictions has {len(predictions)} rows, "
                f"references has {self.rows} rows"
            )
        if not self.rows:
            raise ValueError("predictions is empty; a score of no rows is undefined")
        if predictions.shape != references.shape:
            raise ValueError(
                f"predictions have {predictions.size // self.rows} numbers per row, "
                f"but references have {self.outputs}"
            )
        # Integers that a float64 cannot hold stay integers and are subtracted as such.
        self.wide_integers = are_wide_integers(predictions, references)
        if self.wide_integers:
            predictions, references = predictions.astype(np.int64), references.astype(np.int64)
        self.weight_exponent = 0
        self._positive_rows: Integers | None = None
        weights = check_weights("sample_weight", sample_weight, self.rows)
        if weights is not None:
            check_finite(predictions=predictions, references=references)
            positive = weights > 0
            self._positive_rows = np.flatnonzero(positive)
            predictions, references = predictions[positive], references[positive]
            weights = weights[positive]
            if weights.size:
                self.weight_exponent = math.frexp(float(weights.max()))[1]
            weights = np.ldexp(weights, -self.weight_exponent)
        self.predictions, self.references, self.weights = predictions, references, weights

    @property
    def positive_rows(self) -> Integers:
        """Return the indices of the rows in the arrays."""
        return np.arange(self.rows) if self._positive_rows is None else self._positive_rows

    def tables(self) -> tuple[Numbers, Numbers]:
        """Predictions and references of all rows, shape (outputs, rows)."""
        return self._transposed(self.predictions), self._transposed(self.references)

    def _transposed(self, table: NDArray[Any]) -> Numbers:
        """Rows in the shape (outputs, rows), as floats unless that would round."""
        outputs = table.reshape(1, -1) if table.ndim == 1 else np.ascontiguousarray(table.T)
        return outputs if self.wide_integers else outputs.astype(np.float64, copy=False)

    def columns(self) -> FloatColumns:
        """Return all rows as floats.

        Integers that a float64 cannot hold are given as their distance from the smallest reference.
        """
        predictions, references = self.tables()
        with np.errstate(over="ignore"):
            residuals = difference(references, predictions, np.empty(references.shape))
        if self.wide_integers:
            lowest = np.full((self.outputs, 1), self.references.min())
            predictions, references = (
                difference(table, lowest, np.empty(table.shape))
                for table in (predictions, references)
            )
        return FloatColumns(predictions, references, residuals)

    def output_shares(self, multioutput: Any) -> Floats:
        """Return the share of each output in an average, with `multioutput` as in the scores."""
        shares = np.ones(self.outputs)
        if multioutput == "variance_weighted":
            variances = np.var(np.sort(self.columns().references, axis=1), axis=1)
            shares = variances if variances.any() else shares
        elif not isinstance(multioutput, str):
            shares = np.asarray(multioutput, np.float64)
        averaged: Floats = shares / shares.sum()
        return averaged

    def absolute_errors(self) -> tuple[Floats, int]:
        """The absolute errors divided by a power of two, shape (outputs, rows), and its exponent.

        The exponent is 0, or 1 if an error exceeds the largest float.
        """
        residuals = self.columns().residuals
        if np.isfinite(residuals).all():
            return np.abs(residuals), 0
        predictions, references = self.tables()
        return np.abs(references / 2 - predictions / 2), 1

    def take(self, rows: Integers) -> "Pairs":
        """Return these rows of the arrays, in this order."""
        pairs = copy(self)
        pairs.predictions, pairs.references = self.predictions[rows], self.references[rows]
        pairs.weights = None if self.weights is None else self.weights[rows]
        return pairs

    def row_order(self) -> Integers:
        """The order of rows by their numbers, which does not depend on the original order."""
        keys = [
            column
            for table in (self.predictions, self.references)
            for column in np.atleast_2d(table.T)
        ]
        return np.lexsort(keys if self.weights is None else [self.weights, *keys])


def are_wide_integers(*tables: NDArray[Any]) -> bool:
    """Return whether the tables hold integers, some of which a float64 cannot hold."""
    return all(table.dtype.kind in "iu" for table in tables) and any(
        max(-int(table.min()), int(table.max())) > _EXACT for table in tables
    )


def check_finite(**tables: NDArray[Any]) -> None:
    """Check that all numbers of all tables are finite."""
    for name, table in tables.items():
        check_numbers(name, table)


def difference(minuend: Numbers, subtrahend: Numbers, out: Floats) -> Floats:
    """`minuend - subtrahend`, rounded once, even for int64 that a float64 cannot hold.

    >>> difference(np.array([2**62 + 1]), np.array([2**62]), np.empty(1))
    array([1.])
    """
    if minuend.dtype.kind == "f":
        np.subtract(minuend, subtrahend, out=out)
        return out
    # An int64 is high * 2**32 + low, where low has 32 bits. The differences of the two halves have
    # at most 33 bits, so float64 holds both, and only their sum is rounded.
    mask = np.int64(2**32 - 1)
    np.multiply((minuend >> 32) - (subtrahend >> 32), 2.0**32, out=out)
    out += (minuend & mask) - (subtrahend & mask)
    return out


def _table(name: str, column: Column) -> NDArray[Any]:
    """A column as an array, shape (rows,) for one number per row, otherwise (rows, outputs)."""
    check_widths(name, column, "numbers")
    column = np.asarray(column)
    if column.ndim > 2 or column.dtype.kind not in "biuf" or 0 in column.shape[1:]:
        raise ValueError(
            f"{name} must hold one number per row, or as many numbers in each, got an array of "
            f"shape {column.shape} and {column.dtype}"
        )
    if column.dtype.kind == "b":
        column = column.astype(np.int64)
    return column.ravel() if column.ndim == 2 and column.shape[1] == 1 else column
