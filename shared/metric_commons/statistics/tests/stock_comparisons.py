"""The results of `evaluate`'s comparisons `mcnemar` and `wilcoxon`."""

import math
from typing import Annotated, Any

from ..arguments.arrays import single_precision
from ..arguments.shapes import Scalar

_Labels = Annotated[Any, Scalar(int)]
_Scores = Annotated[Any, Scalar(float)]


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


def wilcoxon(*, predictions1: _Scores, predictions2: _Scores) -> dict[str, Any]:
    """Return the statistic of the signed-rank test of scipy, and its p-value.

    Scores have single precision, as in the module.

    >>> wilcoxon(predictions1=[1.0, 3.0, 5.0, 7.0], predictions2=[2.0, 2.5, 8.0, 1.0])
    {'stat': 5.0, 'p': 1.0}
    """
    from scipy import stats

    first, second = (single_precision(column) for column in (predictions1, predictions2))
    result = stats.wilcoxon(first - second)
    return {"stat": float(result.statistic), "p": float(result.pvalue)}
