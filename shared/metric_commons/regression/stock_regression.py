"""Results of `evaluate`'s modules for predicted numbers, such as `mse` and `pearsonr`.

These modules store numbers in single precision, so they are rounded here first, too. The parameters
of each function are the inputs and options of the module of this name.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..statistics.arguments.arrays import Floats, single_precision
from ..statistics.arguments.checks import check_finite
from ..statistics.arguments.domains import Weights
from ..statistics.arguments.shapes import NumberRows
from ..statistics.arithmetic.exact_sums import exact_sum
from .errors import Multioutput, regression_scores


def mse(
    *,
    predictions: NumberRows,
    references: NumberRows,
    sample_weight: Weights | None = None,
    multioutput: Multioutput = "uniform_average",
    squared: bool = True,
) -> dict[str, Any]:
    """Return the mean squared error, or its square root if not `squared`.

    Differences:
        The values of several outputs are a list; the module returns a numpy array.

    >>> mse(predictions=[1.0, 2.0], references=[1.0, 4.0])
    {'mse': 2.0}
    """
    measure = "mse" if squared else "rmse"
    return {"mse": _score(measure, predictions, references, sample_weight, multioutput)}


def _mean_error(measure: str, summary: str, differences: str = "") -> Callable[..., dict[str, Any]]:
    """Return the function that takes the place of a module for a mean error."""

    def stock_score(
        *,
        predictions: NumberRows,
        references: NumberRows,
        sample_weight: Weights | None = None,
        multioutput: Multioutput = "uniform_average",
    ) -> dict[str, Any]:
        return {measure: _score(measure, predictions, references, sample_weight, multioutput)}

    stock_score.__doc__ = f"""Return {summary}.

    Differences:
        The values of several outputs are a list; the module returns a numpy array.{differences}
    """
    return stock_score


mae = _mean_error("mae", "the mean absolute error")
mape = _mean_error("mape", "the mean absolute percentage error, as a proportion")
smape = _mean_error(
    "smape",
    "the symmetric mean absolute percentage error, from 0 to 2",
    " It fails\n        with scikit-learn 1.7 and newer.",
)


def pearsonr(
    *, predictions: NumberRows, references: NumberRows, return_pvalue: bool = False
) -> dict[str, float]:
    """Pearson's correlation, and its p-value on request."""
    result = {"pearsonr": _score("pearson", predictions, references)}
    if return_pvalue:
        result["p-value"] = _p_value("pearsonr", predictions, references)
    return result


def spearmanr(
    *, predictions: NumberRows, references: NumberRows, return_pvalue: bool = False
) -> dict[str, float]:
    """Spearman's rank correlation, and its p-value on request."""
    result = {"spearmanr": _score("spearman", predictions, references)}
    if return_pvalue:
        result["spearmanr_pvalue"] = _p_value("spearmanr", predictions, references)
    return result


def r_squared(*, predictions: NumberRows, references: NumberRows) -> float:
    """Return the coefficient of determination, rounded to three decimals.

    A number, not a dictionary.

    It is minus infinity if the references are all equal, and NaN if there is no error either.

    >>> r_squared(predictions=[1.0, 2.0, 3.5], references=[1.0, 2.0, 3.0])
    0.875
    """
    predicted, targets = single_precision(predictions), single_precision(references)
    check_finite("predictions", predicted)
    check_finite("references", targets)
    errors = float(exact_sum((predicted - targets) ** 2))
    deviations = float(exact_sum((targets - math.fsum(targets) / len(targets)) ** 2))
    if deviations:
        return round(1 - errors / deviations, 3)
    return -math.inf if errors else math.nan


def stsb(*, predictions: NumberRows, references: NumberRows) -> dict[str, float]:
    """Pearson's and Spearman's correlation.

    Differences:
        The module computes Pearson's correlation in single precision; here it is exact. They
        differ by about 1e-7.
    """
    return {
        "pearson": _score("pearson", predictions, references),
        "spearmanr": _score("spearman", predictions, references),
    }


def _score(
    measure: Any,
    predictions: Any,
    references: Any,
    sample_weight: Any = None,
    multioutput: Multioutput = "uniform_average",
) -> Any:
    columns = single_precision(predictions), single_precision(references)
    options: dict[str, Any] = {"sample_weight": sample_weight, "multioutput": multioutput}
    return regression_scores(*columns, measures=[measure], **options)[measure]


def _p_value(test: str, predictions: Any, references: Any) -> float:
    """Return the p-value of a correlation; NaN if the correlation is not defined."""
    from scipy import stats  # which takes half a second

    columns: list[Floats] = [single_precision(references), single_precision(predictions)]
    if len(columns[0]) < 2 or any(np.ptp(column) == 0 for column in columns):
        return math.nan
    return float(getattr(stats, test)(*columns).pvalue)
