"""Measures of the errors of predicted numbers, from moments and from rows."""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from ..statistics.arguments.arrays import Column
from ..statistics.arguments.checks import OptionError, shown
from ..statistics.arguments.domains import Parsed, Weights, checked_options
from ..statistics.arithmetic.exact_sums import as_float, exact_ldexp, quotient, root
from ..statistics.intervals.methods import Uncertainty
from ..statistics.intervals.summary import Measured, summarize_inputs
from .enclosed_scores import MEASURES as ENCLOSED
from .enclosed_scores import enclosed_scores
from .error_intervals import measure_intervals
from .measure_names import D2_NAMES, LOSS_NAMES, Measures, RegressionMeasure, parse_measures
from .moments import Moments, compute_moments
from .order_measures import RANK_CORRELATIONS, median
from .pairs import Pairs, check_finite
from .prediction_intervals import are_of_intervals, interval_scores
from .row_losses import loss_values


def output_weights(multioutput: Any) -> tuple[float, ...]:
    """Return the weights of outputs as numbers.

    >>> output_weights([0.25, 1])
    (0.25, 1.0)
    >>> output_weights([0, 0])
    Traceback (most recent call last):
    ValueError: multioutput must be one of 'uniform_average', 'raw_values', 'variance_weighted', \
or a list of weights, at least 0 and not all 0, got [0, 0]
    """
    values = multioutput.tolist() if isinstance(multioutput, np.ndarray) else multioutput
    are_numbers = isinstance(values, list | tuple) and all(
        isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
        for value in values
    )
    if not are_numbers or not any(values):
        raise ValueError(
            "multioutput must be one of 'uniform_average', 'raw_values', 'variance_weighted', "
            f"or a list of weights, at least 0 and not all 0, got {shown(multioutput)}"
        )
    return tuple(map(float, values))


Multioutput = (
    Literal["uniform_average", "raw_values", "variance_weighted"]
    | Annotated[Sequence[float], Parsed(output_weights, "a list with a weight for each output")]
)


@checked_options
def regression_scores(
    predictions: Column,
    references: Column,
    *,
    measures: Measures = ("mae", "mse", "rmse", "r2"),
    multioutput: Multioutput = "uniform_average",
    sample_weight: Weights | None = None,
    **uncertainty: Any,
) -> dict[str, Any]:
    """Return the measures by name and, if a confidence level is given, their intervals.

    Args:
        predictions: one number per row, or a list of numbers, one for each output; for measures of
            prediction intervals, [low, high] per row.
        references: the same; for intervals, one number per row.
        measures: names, as in `measure_names`.
        multioutput: "uniform_average" averages the values of the outputs, "variance_weighted"
            weights each output by the variance of its references, a list of numbers gives the
            weights; "raw_values" returns a list.
        sample_weight: one non-negative weight per row; not for `spearman` and `kendall`.
        **uncertainty: the options of `summarize_inputs`.

    Raises:
        ValueError: a number is not finite, rows differ in length, or an option is not valid; names
            the row or the option.

    >>> regression_scores(
    ...     [2.5, 0.0, 2.0, 8.0], [3.0, -0.5, 2.0, 7.0], measures=["mae", "median_ae"]
    ... )
    {'mae': 0.5, 'median_ae': 0.5}
    >>> regression_scores([1.0], [2.0], measures=["mae", "r2"])
    {'mae': 1.0, 'r2': nan}
    """
    parsed = parse_measures(measures)
    kernel = partial(_error_scores, parsed, multioutput)
    if are_of_intervals(parsed):
        if multioutput != "uniform_average":
            problem = f"applies to separate outputs, which {parsed[0].name!r} does not have"
            raise OptionError("multioutput", problem)
        kernel = partial(interval_scores, parsed)
    columns = {"references": references, "predictions": predictions, "sample_weight": sample_weight}
    return summarize_inputs(kernel, columns, **uncertainty)


def _error_scores(
    measures: Sequence[RegressionMeasure],
    multioutput: Any,
    *,
    predictions: Column,
    references: Column,
    sample_weight: Any = None,
    uncertainty: Uncertainty | None = None,
) -> Measured:
    """Return the measures of numbers, and their intervals."""
    names = [measure.name for measure in measures]
    for name in RANK_CORRELATIONS:
        if sample_weight is not None and name in names:
            raise ValueError(f"sample_weight does not apply to {name!r}: ranks have no weights")
    pairs = Pairs(predictions, references, sample_weight)
    if not isinstance(multioutput, str):
        multioutput = output_weights(multioutput)
    of_moments = [name for name in names if name in MOMENT_MEASURES]
    values: dict[str, list[float]] = {}
    if multioutput != "variance_weighted":
        values = enclosed_scores(pairs, [name for name in names if name in ENCLOSED])
        of_moments = [name for name in of_moments if name not in values]
    moments = compute_moments(
        pairs, [*of_moments, *(["r2"] if multioutput == "variance_weighted" else [])]
    )
    values |= moment_measures(moments, of_moments)
    for measure in measures:
        if measure.name not in values:
            values[measure.name] = _values(measure, pairs)
    result = aggregate_outputs({name: values[name] for name in names}, moments, multioutput)
    if uncertainty is None:
        return result, {}
    return result, measure_intervals(pairs, measures, multioutput, _values, uncertainty)


def _values(measure: RegressionMeasure, pairs: Pairs) -> list[float]:
    """Return the values of one measure in each output."""
    if measure.name in MOMENT_MEASURES:
        return moment_measures(compute_moments(pairs, [measure.name]), [measure.name])[measure.name]
    if not len(pairs.references):
        return [math.nan] * pairs.outputs
    if measure.kind in (*LOSS_NAMES, *D2_NAMES):
        return loss_values(measure, pairs)
    check_finite(predictions=pairs.predictions, references=pairs.references)
    if measure.kind in RANK_CORRELATIONS:
        correlation = RANK_CORRELATIONS[measure.kind]
        return [correlation(*columns) for columns in zip(*pairs.tables(), strict=True)]
    errors, exponent = pairs.absolute_errors()
    if measure.kind == "max_error":
        found = [float(output.max()) for output in errors]
    else:
        found = [median(output, pairs.weights) for output in errors]
    return [as_float(exact_ldexp(Fraction(value), exponent)) for value in found]


def moment_measures(moments: Sequence[Moments], measures: Sequence[str]) -> dict[str, list[float]]:
    """Return the values of measures in each output.

    Undefined values are NaN: everything if the weights sum to zero, R2 of less than two rows, and
    the correlation of a constant. R2 and the explained variance of constant references are 1.0 if
    the residuals do not vary, otherwise 0.0, as in scikit-learn.

    Args:
        moments: the moments of each output that the measures need.
        measures: names from `MOMENT_MEASURES`.

    >>> pairs = Pairs([2.5, 0.0, 2.0, 8.0], [3.0, -0.5, 2.0, 7.0])
    >>> moment_measures(compute_moments(pairs, ["mae", "r2"]), ["mae", "r2"])
    {'mae': [0.5], 'r2': [0.9486081370449678]}
    """
    return {
        name: [
            MOMENT_MEASURES[name](of_output) if of_output.weight else math.nan
            for of_output in moments
        ]
        for name in measures
    }


def aggregate_outputs(
    values: Mapping[str, list[float]],
    moments: Sequence[Moments],
    multioutput: str | Sequence[float],
) -> dict[str, Any]:
    """Return the average of each measure over the outputs.

    With "raw_values", the list of its values.
    """
    if multioutput == "raw_values":
        return dict(values)
    weights: list[Fraction] | None = None
    if multioutput == "variance_weighted":
        variations = [
            Fraction(0)
            if not of_output.weight or "reference" in of_output.constant
            else of_output.variation("reference")
            for of_output in moments
        ]
        weights = variations if any(variations) else None
    elif not isinstance(multioutput, str):
        if len(multioutput) != len(moments):
            raise ValueError(
                f"multioutput has {len(multioutput)} weights, but rows have {len(moments)} numbers"
            )
        weights = [Fraction(weight) for weight in multioutput]
    return {name: _average(outputs, weights) for name, outputs in values.items()}


def _average(values: Sequence[float], weights: Sequence[Fraction] | None) -> float:
    """Return the average over the outputs, rounded once; outputs with weight 0 are ignored."""
    if len(values) == 1:
        return values[0]
    pairs = zip(values, weights or [Fraction(1)] * len(values), strict=True)
    weighted = [(value, weight) for value, weight in pairs if weight]
    if not all(math.isfinite(value) for value, _ in weighted):
        return sum(value for value, _ in weighted if not math.isfinite(value))
    total = sum(Fraction(value) * weight for value, weight in weighted)
    return as_float(total / sum(weight for _, weight in weighted))


# Measures from the moments of one output


def _r2(moments: Moments) -> float:
    if moments.rows < 2:
        return math.nan
    return _explained(moments, moments.sums["squared"])


_ROUNDING = 10**9  # a variation this many times smaller than its terms may be due to rounding


def _explained_variance(moments: Moments) -> float:
    # The variation of residuals follows from those of references and predictions and their
    # covariation. Residuals themselves are rounded, which shows if predictions are far off. If they
    # are all equal, a variation near 0 is 0, but not otherwise.
    terms = moments.variation("reference") + moments.variation("prediction")
    unexplained = terms - 2 * moments.covariation()
    if "residual" in moments.constant and unexplained * _ROUNDING <= terms:
        unexplained = Fraction(0)
    return _explained(moments, unexplained)


def _explained(moments: Moments, unexplained: Fraction) -> float:
    """Return the proportion of the variation of references that is explained."""
    variation = moments.variation("reference")
    if "reference" in moments.constant or variation <= 0:
        return float(not unexplained)
    return quotient(variation - unexplained, variation)


def _pearson(moments: Moments) -> float:
    if "reference" in moments.constant or "prediction" in moments.constant:
        return math.nan
    reference, prediction = moments.variation("reference"), moments.variation("prediction")
    if reference <= 0 or prediction <= 0:  # rounded to nothing
        return math.nan
    covariation = moments.covariation()
    correlation = min(root(covariation * covariation / (reference * prediction)), 1.0)
    return correlation if covariation > 0 else -correlation


def _concordance(moments: Moments) -> float:
    """Lin's coefficient: 2 covariation / (both variations + rows * (difference of means)**2).

    Source:
        Lin, A concordance correlation coefficient to evaluate reproducibility (1989).
    """
    distance = moments.mean("reference") - moments.mean("prediction")
    spread = moments.variation("reference") + moments.variation("prediction")
    spread += moments.weight * distance**2
    if moments.rows < 2 or spread <= 0:
        return math.nan
    return quotient(2 * moments.covariation(), spread)


MOMENT_MEASURES: dict[str, Callable[[Moments], float]] = {
    "mae": lambda moments: moments.mean_float("absolute"),
    "mse": lambda moments: moments.mean_float("squared"),
    "rmse": lambda moments: root(moments.mean("squared")),
    "r2": _r2,
    "mape": lambda moments: moments.mean_float("mape"),
    "smape": lambda moments: moments.mean_float("smape"),
    "explained_variance": _explained_variance,
    "pearson": _pearson,
    "concordance": _concordance,
}
