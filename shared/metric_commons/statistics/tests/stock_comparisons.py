"""The result of `evaluate`'s comparison `mcnemar`."""

import math
from typing import Annotated, Any

from ..arguments.shapes import Scalar

_Labels = Annotated[Any, Scalar(int)]


def mcnemar(*, predictions1: _Labels, predictions2: _Labels, references: _Labels) -> dict[str, Any]:
    """Return the chi-squared statistic of McNemar's test, without correction, and its p-value.

    Differences:
        If both systems are right and wrong in the same rows, both numbers are NaN; the module
        fails. The test is approximate; `test="mcnemar"` is the exact one.

    >>> labels = [0] * 6
    >>> mcnemar(predictions1=[0] * 6, predictions2=[1, 1, 1, 1, 0, 0], references=labels)
    {'stat': 4.0, 'p': 0.04550026389635857}
    """
    from scipy.special import chdtrc

    rows = list(zip(predictions1, predictions2, references, strict=True))
    first = sum(a == label != b for a, b, label in rows)
    second = sum(b == label != a for a, b, label in rows)
    if not first + second:
        return {"stat": math.nan, "p": math.nan}
    statistic = (first - second) ** 2 / (first + second)
    return {"stat": statistic, "p": float(chdtrc(1, statistic))}
