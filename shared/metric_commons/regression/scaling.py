"""The scaling of a pass over the rows: the centre, the scale and the bins of its sums.

The scaling depends only on the ranges of the columns, so it is the same for any order of rows.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ..numbers.exact_sums import Number, as_float, bin_exponent, exact_ldexp, round_centre

Ranges = tuple[tuple[Number, Number], ...]  # the minimum and maximum of each output

CENTRED = ("reference", "prediction")  # columns that are summed about a centre
SAFE_EXPONENT = 400  # numbers with an exponent up to here, or down to minus it, can be squared


class Scaling(NamedTuple):
    """How the numbers of a pass are centred, scaled and binned; each list has a value per output.

    Attributes:
        centres: for references and predictions, the number subtracted before summing. This is the
            shifted data algorithm of Chan, Golub and LeVeque (Algorithms for Computing the Sample
            Variance, The American Statistician 37(3), 1983).
        scales: for references, predictions and residuals, the exponent of the power of two that
            they are divided by, so that squares neither overflow nor underflow; usually 0.
        exponents: for each term, the exponent of the power of two at which its bins start.
    """

    centres: dict[str, list[float]]
    scales: dict[str, list[int]]
    exponents: dict[str, list[int]]


def choose_scaling(
    ranges: Mapping[str, Ranges], terms: Sequence[str], means: Mapping[str, list[float]]
) -> Scaling:
    """The scaling for columns of these ranges; slightly different ranges mostly get the same one.

    Args:
        ranges: of references ("reference"), residuals ("residual") and, if the terms need them, of
            predictions ("prediction"), relative and symmetric errors, in this order.
        terms: the terms to sum.
        means: the means of references and predictions, if these are to be the centres.
    """
    centres: dict[str, list[float]] = {}
    scales: dict[str, list[int]] = {}
    largest: dict[str, list[Number]] = {}  # the largest absolute summand of each term
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
            largest[name] = [high for _, high in outputs]
            if name == "relative":
                exponents = [relative_scale(scales["residual"])] * len(outputs)
                largest[name] = _scaled(largest[name], exponents)
            continue
        exponents = [bin_exponent(distance) for distance in distances]
        scales[name] = [exponent if abs(exponent) > SAFE_EXPONENT else 0 for exponent in exponents]
        largest[name] = _scaled(distances, scales[name])
        largest[f"{name}_squared"] = [number * number for number in largest[name]]
    largest["absolute"], largest["squared"] = largest["residual"], largest["residual_squared"]
    if "product" in terms:
        factors = zip(largest["reference"], largest["prediction"], strict=True)
        largest["product"] = [reference * prediction for reference, prediction in factors]
    return Scaling(centres, scales, {term: [*map(bin_exponent, largest[term])] for term in terms})


def relative_scale(scales: Sequence[int]) -> int:
    """The exponent of the power of two that relative errors are divided by.

    It is 0 unless numbers are huge: an error of 1e308 over the smallest divisor, 2.2e-16,
    overflows.

    Args:
        scales: the scales of the residuals.
    """
    return 100 if max(scales) > 0 else 0


def _scaled(numbers: Sequence[Number], exponents: Sequence[int]) -> list[Number]:
    """The numbers, divided by powers of two."""
    return [
        exact_ldexp(Fraction(number), -exponent) if exponent else number
        for number, exponent in zip(numbers, exponents, strict=True)
    ]


def _gap(high: Number, low: Number) -> Number:
    """`high - low`, rounded to a float if both are floats, unless that overflows.

    Rounding is monotonic: if the exact difference reaches a power of two, the rounded one does too.
    So the next power of two above them is the same, or that of the rounded one is larger.
    """
    if isinstance(high, float) and isinstance(low, float) and math.isfinite(high - low):
        return high - low
    return Fraction(high) - Fraction(low)
