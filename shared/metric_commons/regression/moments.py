"""Moments: exact sums over rows, from which most regression measures are computed.

No sum is rounded (see `product_sums`). So results depend neither on the order of rows nor on how
they are divided into parts, nothing overflows, and variances do not suffer from cancellation,
however far from zero the numbers are.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any

from ..statistics.arithmetic.exact_sums import exact_ldexp, exact_sum, quotient
from .pairs import Pairs, check_finite
from .product_sums import Ranges, column_ranges, product_sums

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
    """Weighted sums over rows, without rounding.

    Attributes:
        rows: the number of rows, including those of weight 0.
        weight: the sum of the weights, or the number of rows if there are none.
        sums: for each term, the weighted sum in each output.
        ranges: the minimum and maximum in each output, over the rows with a positive weight, of
            references ("reference"), of residuals ("residual") and, if a measure needs them, of
            predictions ("prediction").
    """

    rows: int
    weight: Fraction
    sums: Mapping[str, tuple[Fraction, ...]]
    ranges: Mapping[str, Ranges]

    def __add__(self, other: "Moments") -> "Moments":
        """The moments of the rows of both.

        Raw sums (about zero) simply add up. Only rounded sums about a mean would need the update
        formula of Chan, Golub and LeVeque.

        >>> first, second = Pairs([1.0], [1.0]), Pairs([2.0, 4.0], [2.0, 3.0])
        >>> total = compute_moments(first, ["r2"]) + compute_moments(second, ["r2"])
        >>> total == compute_moments(Pairs([1.0, 2.0, 4.0], [1.0, 2.0, 3.0]), ["r2"])
        True
        """
        return Moments(
            self.rows + other.rows,
            self.weight + other.weight,
            {
                term: tuple(a + b for a, b in zip(sums, other.sums[term], strict=True))
                for term, sums in self.sums.items()
            },
            {name: _union(ranges, other.ranges[name]) for name, ranges in self.ranges.items()},
        )

    def to_jsonable(self) -> dict[str, Any]:
        """Return the moments in JSON form: a fraction becomes two integers, which may be large.

        If all rows have weight 0, minimum and maximum are None.
        """
        return {
            "rows": self.rows,
            "weight": self.weight.as_integer_ratio(),
            "sums": {
                _stored_name(term): [total.as_integer_ratio() for total in outputs]
                for term, outputs in self.sums.items()
            },
            "ranges": {
                _stored_name(name): [
                    [end.as_integer_ratio() for end in ends] if self.weight else None
                    for ends in outputs
                ]
                for name, outputs in self.ranges.items()
            },
        }

    @classmethod
    def from_jsonable(cls, plain: Mapping[str, Any]) -> "Moments":
        """Return the inverse of `to_jsonable`."""
        return cls(
            plain["rows"],
            Fraction(*plain["weight"]),
            {
                _name(stored): tuple(Fraction(*total) for total in outputs)
                for stored, outputs in plain["sums"].items()
            },
            {
                _name(stored): tuple(
                    _NO_RANGE if ends is None else (Fraction(*ends[0]), Fraction(*ends[1]))
                    for ends in outputs
                )
                for stored, outputs in plain["ranges"].items()
            },
        )

    @property
    def outputs(self) -> int:
        """Return the number of outputs of a row."""
        return len(self.ranges["reference"])

    def mean(self, term: str) -> list[Fraction]:
        """Return the weighted mean of a term in each output."""
        return [total / self.weight for total in self.sums[term]]

    def mean_float(self, term: str) -> list[float]:
        """Return the same, rounded once."""
        return [quotient(total, self.weight) for total in self.sums[term]]

    def variation(self, name: str) -> list[Fraction]:
        """Return the sum of squared deviations of references or predictions from their mean."""
        return [
            squared - total * total / self.weight
            for total, squared in zip(self.sums[name], self.sums[f"{name}_squared"], strict=True)
        ]

    def covariation(self) -> list[Fraction]:
        """Return the sum of products of the deviations of references and of predictions."""
        sums = self.sums["reference"], self.sums["prediction"], self.sums["product"]
        return [
            product - reference * prediction / self.weight
            for reference, prediction, product in zip(*sums, strict=True)
        ]

    def constant(self, name: str) -> list[bool]:
        """Return whether a column is constant over all rows, for each output."""
        return [lowest == highest for lowest, highest in self.ranges[name]]


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


def compute_moments(pairs: Pairs, measures: Sequence[str]) -> Moments:
    """Return the moments that these measures need, in one pass over the rows.

    Raises:
        ValueError: a number is not finite; names the row.

    >>> moments = compute_moments(Pairs([2.5, 0.0], [3.0, -0.5]), ["mae"])
    >>> moments.sums["absolute"], moments.weight
    ((Fraction(1, 1),), Fraction(2, 1))
    """
    terms = required_terms(measures)
    if not len(pairs.references):
        return no_moments(pairs, terms)
    check_finite(predictions=pairs.predictions, references=pairs.references)
    names = ["reference", *(["prediction"] if "prediction" in terms else []), "residual"]
    blocks = []
    for block in pairs.blocks():
        ranges = column_ranges(block)
        weight = block.references.shape[1] if block.weights is None else exact_sum(block.weights)
        blocks.append(
            Moments(
                0,
                exact_ldexp(weight, pairs.weight_exponent),
                {
                    term: tuple(exact_ldexp(total, pairs.weight_exponent) for total in outputs)
                    for term, outputs in product_sums(block, terms).items()
                },
                {name: ranges[name] for name in names},
            )
        )
    return replace(reduce(Moments.__add__, blocks), rows=pairs.rows)


def no_moments(pairs: Pairs, terms: Sequence[str]) -> Moments:
    """Return the moments of rows that all have weight 0, or if no moments are needed."""
    zeros = tuple(Fraction(0) for _ in range(pairs.outputs))
    empty = (_NO_RANGE,) * pairs.outputs
    ranges = dict.fromkeys(["reference", "residual"], empty)
    return Moments(pairs.rows, Fraction(0), dict.fromkeys(terms, zeros), ranges)


def _union(first: Ranges, second: Ranges) -> Ranges:
    return tuple(
        (min(low, second_low), max(high, second_high))
        for (low, high), (second_low, second_high) in zip(first, second, strict=True)
    )


# The format of stored moments calls references "target" and predictions "guess".


def _stored_name(name: str) -> str:
    return name.replace("reference", "target").replace("prediction", "guess")


def _name(stored: str) -> str:
    return stored.replace("target", "reference").replace("guess", "prediction")
