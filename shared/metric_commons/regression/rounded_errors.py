"""Absolute errors with few binary digits, to keep the state of a median of many rows small.

Rounding down keeps the order of errors. So the median of rounded errors is the rounded median, or
the mean of the two middle values, rounded; each is off by less than 1 part in 2**bits.

Source:
    Masson, Rim and Lee, DDSketch: a fast and fully-mergeable quantile sketch with relative-error
    guarantees (2019).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..statistics.arguments.arrays import Column, Floats
from ..statistics.arguments.checks import OptionError
from ..statistics.arithmetic.binary_digits import truncated
from .measure_names import parse_measures
from .pairs import Pairs, check_finite, difference

_NORMAL = 2.0**-1022  # from here on a float64 has all its digits


def rounded_errors(predictions: Column, references: Column, bits: int) -> tuple[Floats, Floats]:
    """Absolute errors with this many binary digits after the leading one, with zeros as references.

    Raises:
        ValueError: a number is not finite, or a difference is not.

    >>> rounded_errors([1.5, 2.0], [1.2, 2.0], 2)
    (array([0.25, 0.  ]), array([0., 0.]))
    """
    pairs = Pairs(predictions, references, None)
    check_finite(predictions=pairs.predictions, references=pairs.references)
    errors = np.empty(pairs.references.shape)
    with np.errstate(over="ignore"):
        errors = np.abs(difference(pairs.references, pairs.predictions, errors))
    check_finite(errors=errors)
    return truncated(errors, bits), np.zeros_like(errors)


def with_rounded_errors(
    columns: Mapping[str, Any], *, error_bits: int | None, **options: Any
) -> Mapping[str, Any]:
    """Replace both columns by `rounded_errors`, if `error_bits` is given."""
    if error_bits is None:
        return columns
    check_measure(**options)
    errors, zeros = rounded_errors(columns["predictions"], columns["references"], error_bits)
    return {**columns, "predictions": errors, "references": zeros}


def check_measure(*, measures: Any, multioutput: Any, **_: Any) -> None:
    """Check that the measures can be computed from rounded errors."""
    if [measure.kind for measure in parse_measures(measures)] != ["median_ae"]:
        raise OptionError("error_bits", "is for measures='median_ae' only")
    if multioutput == "variance_weighted":
        raise OptionError("error_bits", "does not apply to 'variance_weighted'")


def error_bound(medians: Any, bits: int) -> Any:
    """Return the maximum error of medians of rounded errors.

    >>> error_bound(0.5, 4)
    0.03125
    """
    if isinstance(medians, list):
        return [error_bound(median, bits) for median in medians]
    return max(medians, _NORMAL) * 2.0**-bits
