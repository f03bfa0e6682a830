"""Moments: exact sums over rows, from which most regression measures are computed.

No sum is rounded, so results depend neither on the order of rows nor on how they are divided into
parts, nothing overflows, and variances do not suffer from cancellation, however far from zero the
numbers are. The product of two floats is a float and its rounding error, which is a float too, so a
sum of products is an exact sum of floats. Sums over residuals do not require residuals: the square
of reference minus prediction is a sum of three products, and its absolute value is reference times
sign minus prediction times sign.

Source:
    Dekker, A floating-point technique for extending the available precision (1971).
"""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..statistics.arguments.arrays import Floats
from ..statistics.arithmetic.exact_sums import Number, as_float, exact_ldexp, exact_sum, quotient
from .pairs import Numbers, PairBlock, Pairs, check_finite

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
    largest = _LARGEST if weights is None else _WEIGHTED_LARGEST
    for column in (*columns.values(), *([] if weights is None else [weights])):
        sizes = np.abs(column)
        extreme |= (sizes < 2.0 ** (10 - largest)) & (sizes > 0)
        extreme |= sizes > 2.0 ** (largest - 10)
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
    ranges = []
    for errors, predictions, references in zip(
        residuals, block.predictions, block.references, strict=True
    ):
        low, high = _range(errors)
        if not (math.isfinite(low) and math.isfinite(high)):
            numbers: list[Number] = errors[np.isfinite(errors)].tolist()
            for row in np.flatnonzero(~np.isfinite(errors)).tolist():
                numbers.append(Fraction(float(references[row])) - Fraction(float(predictions[row])))
            low, high = min(numbers), max(numbers)
        ranges.append(
            {
                "reference": _range(references),
                "prediction": _range(predictions),
                "residual": (low, high),
            }
        )
    return ranges


def _range(column: Numbers) -> NumberRange:
    low, high = column.min().item(), column.max().item()
    return (low, high) if isinstance(low, float) else (Fraction(low), Fraction(high))


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


# The terms whose sums a measure needs. A residual is reference minus prediction: its absolute value
# and its square are "absolute" and "squared". "product" is reference times prediction.
_COVARIANCE = ("reference", "reference_squared", "prediction", "prediction_squared", "product")
_TERMS = {
    "mae": ("absolute",),
    "mse": ("squared",),
    "rmse": ("squared",),
    "r2": ("squared", "reference", "reference_squared"),
    "mape": ("relative",),
    "smape": ("symmetric",),
    "explained_variance": _COVARIANCE,
    "pearson": _COVARIANCE,
    "concordance": _COVARIANCE,
}
_NO_RANGE = (math.inf, -math.inf)


@dataclass(frozen=True)
class Moments:
    """Weighted sums over the rows of one output, without rounding.

    Attributes:
        rows: the number of rows, including those of weight 0.
        weight: the sum of the weights, or the number of rows if there are none.
        sums: the weighted sum of each term.
        ranges: the minimum and maximum, over the rows with a positive weight, of references
            ("reference"), predictions ("prediction") and residuals ("residual").
    """

    rows: int
    weight: Fraction
    sums: Mapping[str, Fraction]
    ranges: Mapping[str, NumberRange]

    def __add__(self, other: "Moments") -> "Moments":
        """The moments of the rows of both.

        Raw sums (about zero) simply add up. Only rounded sums about a mean would need the update
        formula of Chan, Golub and LeVeque.

        >>> (first,) = compute_moments(Pairs([1.0], [1.0]), ["r2"])
        >>> (second,) = compute_moments(Pairs([2.0, 4.0], [2.0, 3.0]), ["r2"])
        >>> [first + second] == compute_moments(Pairs([1.0, 2.0, 4.0], [1.0, 2.0, 3.0]), ["r2"])
        True
        """
        ranges = {
            name: (min(low, other.ranges[name][0]), max(high, other.ranges[name][1]))
            for name, (low, high) in self.ranges.items()
        }
        return Moments(
            self.rows + other.rows,
            self.weight + other.weight,
            {term: total + other.sums[term] for term, total in self.sums.items()},
            ranges,
        )

    def mean(self, term: str) -> Fraction:
        """Return the weighted mean of a term."""
        return self.sums[term] / self.weight

    def mean_float(self, term: str) -> float:
        """Return the same, rounded once."""
        return quotient(self.sums[term], self.weight)

    def variation(self, name: str) -> Fraction:
        """Return the sum of squared deviations of references or predictions from their mean."""
        return self.sums[f"{name}_squared"] - self.sums[name] ** 2 / self.weight

    def covariation(self) -> Fraction:
        """Return the sum of products of the deviations of references and of predictions."""
        product = self.sums["reference"] * self.sums["prediction"]
        return self.sums["product"] - product / self.weight

    def constant(self, name: str) -> bool:
        """Return whether a column is constant over all rows."""
        lowest, highest = self.ranges[name]
        return lowest == highest


def required_measures(measures: Sequence[str], multioutput: str | Sequence[float]) -> list[str]:
    """The measures whose moments are needed, including R2 if outputs are weighted by variance.

    >>> required_measures(["mae"], "variance_weighted")
    ['mae', 'r2']
    """
    return [*measures, *(["r2"] if multioutput == "variance_weighted" else [])]


def required_terms(measures: Sequence[str]) -> list[str]:
    """Return the terms whose sums these measures need.

    >>> required_terms(["rmse", "mse", "mae", "max_error"])
    ['squared', 'absolute']
    """
    return list(dict.fromkeys(term for name in measures for term in _TERMS.get(name, ())))


def compute_moments(pairs: Pairs, measures: Sequence[str]) -> list[Moments]:
    """Return the moments of each output that these measures need, in one pass over the rows.

    Raises:
        ValueError: a number is not finite; names the row.

    >>> (moments,) = compute_moments(Pairs([2.5, 0.0], [3.0, -0.5]), ["mae"])
    >>> moments.sums["absolute"], moments.weight
    (Fraction(1, 1), Fraction(2, 1))
    """
    terms = required_terms(measures)
    if not len(pairs.references):
        return no_moments(pairs, terms)
    check_finite(predictions=pairs.predictions, references=pairs.references)
    outputs = no_moments(pairs, terms)
    for block in pairs.blocks():
        weight = block.references.shape[1] if block.weights is None else exact_sum(block.weights)
        parts = zip(product_sums(block, terms), column_ranges(block), strict=True)
        outputs = [
            moments
            + Moments(
                0,
                exact_ldexp(weight, pairs.weight_exponent),
                {name: exact_ldexp(total, pairs.weight_exponent) for name, total in sums.items()},
                ranges,
            )
            for moments, (sums, ranges) in zip(outputs, parts, strict=True)
        ]
    return outputs


def no_moments(pairs: Pairs, terms: Sequence[str]) -> list[Moments]:
    """Return the moments of rows that all have weight 0, or if no moments are needed."""
    sums = dict.fromkeys(terms, Fraction(0))
    ranges = dict.fromkeys(("reference", "prediction", "residual"), _NO_RANGE)
    return [Moments(pairs.rows, Fraction(0), sums, ranges)] * pairs.outputs
