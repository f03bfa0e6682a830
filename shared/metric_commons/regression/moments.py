"""Moments: exact sums over rows, from which most regression measures are computed.

No sum is rounded (see `product_sums`). So results depend neither on the order of rows nor on how
they are divided into parts, nothing overflows, and variances do not suffer from cancellation,
however far from zero the numbers are.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..statistics.arithmetic.exact_sums import exact_ldexp, exact_sum, quotient
from .pairs import Pairs, check_finite
from .product_sums import NumberRange, column_ranges, product_sums

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

    def to_jsonable(self) -> dict[str, Any]:
        """Return the moments in JSON form: a fraction becomes two integers, which may be large.

        If all rows have weight 0, minimum and maximum are None.
        """
        return {
            "rows": self.rows,
            "weight": self.weight.as_integer_ratio(),
            "sums": {term: total.as_integer_ratio() for term, total in self.sums.items()},
            "ranges": {
                name: [end.as_integer_ratio() for end in ends] if self.weight else None
                for name, ends in self.ranges.items()
            },
        }

    @classmethod
    def from_jsonable(cls, plain: Mapping[str, Any]) -> "Moments":
        """Return the inverse of `to_jsonable`."""
        return cls(
            plain["rows"],
            Fraction(*plain["weight"]),
            {term: Fraction(*total) for term, total in plain["sums"].items()},
            {
                name: _NO_RANGE if ends is None else (Fraction(*ends[0]), Fraction(*ends[1]))
                for name, ends in plain["ranges"].items()
            },
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
