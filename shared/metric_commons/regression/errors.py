"""Measures of the errors of predicted numbers, from moments and from rows."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from ..statistics.arguments.arrays import Column
from ..statistics.arguments.checks import OptionError, shown
from ..statistics.arguments.domains import Parsed, Weights, checked_options
from ..statistics.arithmetic.exact_sums import as_float, quotient, root
from ..statistics.intervals.methods import Uncertainty
from ..statistics.intervals.summary import Measured, summarize_inputs
from .error_intervals import measure_intervals
from .measure_names import D2_NAMES, Measures, RegressionMeasure, are_of_intervals, parse_measures
from .moments import SQUARES, Moments, compute_moments
from .order_measures import RANKS, kendall, median, spearman
from .pairs import IntervalPairs, Pairs
from .row_losses import MEANS, d2, mean_losses, row_errors


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
    if are_of_intervals(parsed) and multioutput != "uniform_average":
        problem = f"applies to separate outputs, which {parsed[0].name!r} does not have"
        raise OptionError("multioutput", problem)
    kernel = partial(_error_scores, parsed, multioutput)
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
    for measure in measures:
        if sample_weight is not None and measure.kind in RANKS:
            problem = f"does not apply to {measure.name!r}: ranks have no weights"
            raise OptionError("sample_weight", problem)
    kind = IntervalPairs if are_of_intervals(measures) else Pairs
    pairs = kind(predictions, references, sample_weight)
    if not isinstance(multioutput, str):
        multioutput = output_weights(multioutput)
        if len(multioutput) != pairs.outputs:
            raise ValueError(
                f"multioutput has {len(multioutput)} weights, but rows have {pairs.outputs} numbers"
            )
    values = measure_values(pairs, measures)
    shares: list[Fraction] | None = None
    if multioutput == "variance_weighted" and pairs.references.size:
        moments = compute_moments(pairs, ["r2"])
        shares = [of_output.covariation("reference", "reference") for of_output in moments]
    elif not isinstance(multioutput, str):
        shares = list(map(Fraction, multioutput))
    result: dict[str, Any] = values
    if multioutput != "raw_values":
        result = {name: _average(outputs, shares) for name, outputs in values.items()}
    if uncertainty is None:
        return result, {}
    return result, measure_intervals(pairs, measures, multioutput, measure_values, uncertainty)


def measure_values(pairs: Pairs, measures: Sequence[RegressionMeasure]) -> dict[str, list[float]]:
    """Return the values of measures in each output.

    Undefined values are NaN: everything if the weights sum to zero, R2 of less than two rows, and
    the correlation of a constant. R2 and the explained variance of constant references are 1.0 if
    the residuals do not vary, otherwise 0.0, as in scikit-learn.

    >>> pairs = Pairs([2.5, 0.0, 2.0, 8.0], [3.0, -0.5, 2.0, 7.0])
    >>> measure_values(pairs, parse_measures(["mae", "r2"]))
    {'mae': [0.5], 'r2': [0.9486081370449678]}
    """
    if not pairs.references.size:
        return {measure.name: [math.nan] * pairs.outputs for measure in measures}
    names = [measure.name for measure in measures]
    moments = compute_moments(pairs, [name for name in names if name in MOMENT_MEASURES])
    return {
        measure.name: [MOMENT_MEASURES[measure.name](of_output) for of_output in moments]
        if measure.name in MOMENT_MEASURES
        else _values(measure, pairs)
        for measure in measures
    }


def _values(measure: RegressionMeasure, pairs: Pairs) -> list[float]:
    if measure.kind in MEANS:
        errors, exponent = row_errors(pairs, measure)
        found = mean_losses(errors, pairs.weights)
        if measure.kind == "rmsle":
            return [math.sqrt(mean) for mean in found]
        return _in_units(found, exponent)
    columns = list(zip(pairs.predictions, pairs.references, strict=True))
    if measure.kind in D2_NAMES:
        return [d2(measure, *column, pairs.weights) for column in columns]
    if measure.kind in RANKS:
        return [{"spearman": spearman, "kendall": kendall}[measure.kind](*c) for c in columns]
    errors, exponent = pairs.absolute_errors()
    if measure.kind == "max_error":
        found = [float(output.max()) for output in errors]
    else:
        found = [median(output, pairs.weights) for output in errors]
    return _in_units(found, exponent)


def _in_units(values: list[float], exponent: int) -> list[float]:
    with np.errstate(over="ignore"):
        return [float(value) for value in np.ldexp(values, exponent)]


def _average(values: Sequence[float], shares: Sequence[Fraction] | None) -> float:
    """Return the average over the outputs, rounded once; outputs with weight 0 are ignored."""
    if len(values) == 1:
        return values[0]
    if shares is None or not any(shares):
        shares = [Fraction(1)] * len(values)
    weighted = [(value, share) for value, share in zip(values, shares, strict=True) if share]
    if not all(math.isfinite(value) for value, _ in weighted):
        return sum(value for value, _ in weighted if not math.isfinite(value))
    total = sum(Fraction(value) * share for value, share in weighted)
    return as_float(total / sum(share for _, share in weighted))


# Measures from the moments of one output


def _r2(moments: Moments) -> float:
    if moments.rows < 2:
        return math.nan
    return _explained(moments.covariation("reference", "reference"), moments.sums[SQUARES])


def _explained_variance(moments: Moments) -> float:
    # Not from residuals, which are rounded where predictions are far off.
    reference, prediction, joint = _covariations(moments)
    return _explained(reference, reference + prediction - 2 * joint)


def _explained(variation: Fraction, unexplained: Fraction) -> float:
    """Return the proportion of the variation of references that is explained."""
    return quotient(variation - unexplained, variation) if variation > 0 else float(not unexplained)


def _covariations(moments: Moments) -> tuple[Fraction, Fraction, Fraction]:
    return (
        moments.covariation("reference", "reference"),
        moments.covariation("prediction", "prediction"),
        moments.covariation("reference", "prediction"),
    )


def _pearson(moments: Moments) -> float:
    reference, prediction, joint = _covariations(moments)
    if reference <= 0 or prediction <= 0:
        return math.nan
    correlation = min(root(joint * joint / (reference * prediction)), 1.0)
    return correlation if joint > 0 else -correlation


def _concordance(moments: Moments) -> float:
    """Lin's coefficient: 2 covariation / (both variations + rows * (difference of means)**2).

    Source:
        Lin, A concordance correlation coefficient to evaluate reproducibility (1989).
    """
    reference, prediction, joint = _covariations(moments)
    spread = reference + prediction + moments.weight * moments.mean("error") ** 2
    return quotient(2 * joint, spread) if moments.rows >= 2 and spread > 0 else math.nan


MOMENT_MEASURES: dict[str, Callable[[Moments], float]] = {
    "mae": lambda moments: as_float(moments.mean("size")),
    "mse": lambda moments: as_float(moments.mean(*SQUARES)),
    "rmse": lambda moments: root(moments.mean(*SQUARES)),
    "r2": _r2,
    "explained_variance": _explained_variance,
    "pearson": _pearson,
    "concordance": _concordance,
}
