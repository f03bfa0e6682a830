"""The scaling of a pass over the rows: the centre, the scale and the bins of its sums.

The scaling depends on the ranges of the columns alone, so it is the same for any order of rows.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ..numbers.exact_sums import Number, as_float, bin_exponent, exact_ldexp, round_centre

Ranges = tuple[tuple[Number, Number], ...]  # the least and the greatest number, for each output

CENTRED = ("reference", "prediction")  # columns that are summed about a centre
SAFE_EXPONENT = 400  # numbers with an exponent up to here, or down to minus it, can be squared


class Scaling(NamedTuple):
    """How the numbers of a pass are centred, scaled and binned; each list has a value an output.

    Attributes:
        centres: of references and predictions, the number that is subtracted before they are
            summed. This is the shifted data algorithm of Chan, Golub and LeVeque (Algorithms for
            Computing the Sample Variance, The American Statistician 37(3), 1983).
        scales: of references, predictions and residuals, the exponent of the power of two that
            they are divided by, such that squares neither overflow nor underflow; mostly 0.
        exponents: of each term, the exponent of the power of two that its bins start at.
    """

    centres: dict[str, list[float]]
    scales: dict[str, list[int]]
    exponents: dict[str, list[int]]


def choose_scaling(
    ranges: Mapping[str, Ranges], terms: Sequence[str], means: Mapping[str, list[float]]
) -> Scaling:
    """The scaling for columns of these ranges; ranges that differ a little mostly share it.

    Args:
        ranges: of references ("reference"), residuals ("residual"), and as far as the terms need
            them of predictions ("prediction"), relative and symmetric errors, in this order.
        terms: what is summed.
        means: the means of references and predictions, if these shall be the centres.
    """
    centres: dict[str, list[float]] = {}
    scales: dict[str, list[int]] = {}
    greatest: dict[str, list[Number]] = {}  # the greatest absolute summand of each term
    for name, outputs in ranges.items():
        if name in CENTRED:
            centres[name] = means.get(name) or [
                round_centre(as_float(low), as_float(high)) for low, high in outputs
            ]
            distances = [
                max(_gap(high, centre), _gap(centre, low))
                for (low, high), centre in zip(outputs, centres[name], strict=True)
            ]
        elif name == "residual":
            distances = [max(-low, high) for low, high in outputs]
        else:
            greatest[name] = [high for _, high in outputs]
            if name == "relative":
                exponents = [relative_scale(scales["residual"])] * len(outputs)
                greatest[name] = _scaled(greatest[name], exponents)
            continue
        exponents = [bin_exponent(distance) for distance in distances]
        scales[name] = [exponent if abs(exponent) > SAFE_EXPONENT else 0 for exponent in exponents]
        greatest[name] = _scaled(distances, scales[name])
        greatest[f"{name}_squared"] = [number * number for number in greatest[name]]
    greatest["absolute"], greatest["squared"] = greatest["residual"], greatest["residual_squared"]
    if "product" in terms:
        factors = zip(greatest["reference"], greatest["prediction"], strict=True)
        greatest["product"] = [reference * prediction for reference, prediction in factors]
    return Scaling(centres, scales, {term: [*map(bin_exponent, greatest[term])] for term in terms})


def relative_scale(scales: Sequence[int]) -> int:
    """The exponent of the power of two that relative errors are divided by.

    It is 0 unless numbers are huge: an error of 1e308 over the least reference, 2.2e-16, overflows.

    Args:
        scales: of the residuals.
    """
    return 100 if max(scales) > 0 else 0


def _scaled(numbers: Sequence[Number], exponents: Sequence[int]) -> list[Number]:
    """The numbers over powers of two."""
    return [
        exact_ldexp(Fraction(number), -exponent) if exponent else number
        for number, exponent in zip(numbers, exponents, strict=True)
    ]


def _gap(high: Number, low: Number) -> Number:
    """`high - low`, rounded to a float if both are floats, unless that overflows.

    Rounding is monotonic: where the exact difference reaches a power of two, the rounded one does
    too. So both have the same power of two above them, or the rounded one has a greater.
    """
    if isinstance(high, float) and isinstance(low, float) and math.isfinite(high - low):
        return high - low
    return Fraction(high) - Fraction(low)
