"""Exact sums over rows: of numbers, of their products, and of absolute and relative errors.

The product of two floats is a float and its rounding error, which is a float too, so a sum of
products is an exact sum of floats. It depends neither on the order of rows, nor on how they are
divided into blocks or parts.

Sums over residuals do not require residuals: the square of reference minus prediction is a sum of
three products, and its absolute value is reference times sign minus prediction times sign.

Source:
    Dekker, A floating-point technique for extending the available precision (1971).
"""

import math
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..statistics.arguments.arrays import Booleans, Floats
from ..statistics.arithmetic.exact_sums import Number, as_float, exact_sum
from .pairs import Numbers, PairBlock

NumberRange = tuple[Number, Number]  # the minimum and the maximum

_EPSILON = sys.float_info.epsilon  # the smallest divisor of an error
# Numbers with exponents beyond these have products that may overflow or underflow.
_LARGEST, _WEIGHTED_LARGEST = 450, 280
_HALVING = 2.0**27 + 1
RELATIVE = ("relative", "symmetric")


def product_sums(block: PairBlock, terms: Sequence[str]) -> list[dict[str, Fraction]]:
    """Return for each output the sum of each term over finite rows.

    Args:
        block: the rows.
        terms: names from `moments`: "reference", "prediction", their "_squared", "product",
            "absolute", "squared", "relative" and "symmetric".

    >>> block = PairBlock(np.array([[0.1, 1e9]]), np.array([[0.3, 1e9 + 0.5]]), None)
    >>> [float(sums["absolute"]) for sums in product_sums(block, ["absolute"])]
    [0.7]
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        residuals = block.residuals()
        tables: dict[str, NDArray[Any]] = {
            "reference": block.references,
            "prediction": block.predictions,
            "sign": np.sign(residuals),
        }
        for term in RELATIVE:
            if term in terms:
                tables[term] = relative_errors(term, block.predictions, block.references, residuals)
    return [
        _sums_of_output(dict(zip(tables, columns, strict=True)), block.weights, terms)
        for columns in zip(*tables.values(), strict=True)
    ]


def _sums_of_output(
    columns: Mapping[str, NDArray[Any]], weights: Floats | None, terms: Sequence[str]
) -> dict[str, Fraction]:
    extreme = np.zeros(columns["sign"].size, np.bool_)
    for column in (*columns.values(), *([] if weights is None else [weights])):
        extreme |= _is_extreme(column, _LARGEST if weights is None else _WEIGHTED_LARGEST)
    sums = dict.fromkeys(terms, Fraction(0))
    if extreme.any():
        for row in np.flatnonzero(extreme).tolist():
            values = _terms_of_row({name: column[row] for name, column in columns.items()})
            weight = Fraction(1 if weights is None else float(weights[row]))
            sums = {term: total + weight * values[term] for term, total in sums.items()}
        columns = {name: column[~extreme] for name, column in columns.items()}
        weights = None if weights is None else weights[~extreme]
    parts = {name: _parts(column) for name, column in columns.items()}

    def total(name: str, factor: str | None = None) -> Fraction:
        factors = [parts[name], *([parts[factor]] if factor else [])]
        factors += [] if weights is None else [[weights]]
        summands = factors[0]
        for others in factors[1:]:
            summands = [part for a in summands for b in others for part in _products(a, b)]
        return sum(map(exact_sum, summands), Fraction(0))

    for term in terms:
        match term:
            case "absolute":
                sums[term] += total("reference", "sign") - total("prediction", "sign")
            case "squared":
                squares = total("reference", "reference") + total("prediction", "prediction")
                sums[term] += squares - 2 * total("reference", "prediction")
            case "product":
                sums[term] += total("reference", "prediction")
            case "reference_squared" | "prediction_squared":
                name = term.removesuffix("_squared")
                sums[term] += total(name, name)
            case _:
                sums[term] += total(term)
    return sums


def _parts(column: NDArray[Any]) -> list[Floats]:
    """Return floats that add up to the numbers without rounding."""
    if column.dtype.kind == "f":
        return [column]
    halves = column >> 32, column & np.int64(2**32 - 1)
    return [halves[0].astype(np.float64) * 2.0**32, halves[1].astype(np.float64)]


def _products(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Return the products, and their rounding errors."""
    products = first * second
    a, b = (_halves(factor) for factor in (first, second))
    errors = a[1] * b[1] - (((products - a[0] * b[0]) - a[1] * b[0]) - a[0] * b[1])
    return products, errors


def _halves(numbers: Floats) -> tuple[Floats, Floats]:
    """Return two numbers of 26 bits that add up to each."""
    large = numbers * _HALVING
    high = large - (large - numbers)
    return high, numbers - high


def _terms_of_row(row: Mapping[str, Any]) -> dict[str, Fraction]:
    """Return the terms of a row with a number too large or too small for products of floats."""
    numbers = {name: Fraction(number.item()) for name, number in row.items() if np.isfinite(number)}
    reference, prediction = numbers["reference"], numbers["prediction"]
    residual = reference - prediction
    return {
        # The one that may overflow: an error divided by the smallest divisor.
        "relative": abs(residual) / max(abs(reference), Fraction(_EPSILON)),
        **numbers,
        "reference_squared": reference * reference,
        "prediction_squared": prediction * prediction,
        "product": reference * prediction,
        "absolute": abs(residual),
        "squared": residual * residual,
    }


def column_ranges(block: PairBlock) -> list[dict[str, NumberRange]]:
    """Return the minimum and maximum reference, prediction and residual of each output."""
    with np.errstate(over="ignore"):
        residuals = block.residuals()
    return [
        {
            "reference": _range(references),
            "prediction": _range(predictions),
            "residual": _residual_range(errors, predictions, references),
        }
        for errors, predictions, references in zip(
            residuals, block.predictions, block.references, strict=True
        )
    ]


def _range(column: Numbers) -> NumberRange:
    low, high = column.min().item(), column.max().item()
    return (low, high) if isinstance(low, float) else (Fraction(low), Fraction(high))


def _residual_range(residuals: Floats, predictions: Numbers, references: Numbers) -> NumberRange:
    low, high = _range(residuals)
    if math.isfinite(low) and math.isfinite(high):
        return low, high
    numbers: list[Number] = residuals[np.isfinite(residuals)].tolist()
    for row in np.flatnonzero(~np.isfinite(residuals)).tolist():
        numbers.append(Fraction(float(references[row])) - Fraction(float(predictions[row])))
    return min(numbers), max(numbers)


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
