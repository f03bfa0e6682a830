"""Intervals of regression measures: rows are weighted at random together with an unseen one.

The unseen row of a mean error has 1.5 times the largest error; the ends for RMSE are the roots of
those for MSE. If outputs are averaged and the average is not a mean of rows, the ends of their
intervals are averaged too, as if all erred to the same side.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..statistics.arguments.arrays import Floats
from ..statistics.arguments.checks import OptionError
from ..statistics.arithmetic.rank_correlations import CORRELATIONS as ORDER_CORRELATIONS
from ..statistics.arithmetic.rank_correlations import PairedScores
from ..statistics.intervals.cluster_sums import Clusters
from ..statistics.intervals.correlation_intervals import correlation_interval, pearson_interval
from ..statistics.intervals.intervals import mean_interval, resampled_interval
from ..statistics.intervals.methods import Uncertainty
from ..statistics.intervals.proportions import Interval
from ..statistics.intervals.summary import interval_of
from ..statistics.resampling.row_units import resampled_counts
from .explained_intervals import RANKS, explained_interval, summands
from .measure_names import D2_NAMES, RegressionMeasure
from .order_measures import WORSE, median_interval
from .pairs import Pairs
from .row_losses import ROOTS, RowErrors, d2_losses, mean_losses, row_errors

# The values of a measure in each output
Values = Callable[[RegressionMeasure, Pairs], Sequence[float]]

_ONE_BY_ONE = ("median_ae", "max_error", *RANKS, *D2_NAMES)  # measures that resamples compute anew
_UNDEFINED = Interval(math.nan, math.nan, "law", math.nan)


def measure_intervals(
    pairs: Pairs,
    measures: Sequence[RegressionMeasure],
    multioutput: Any,
    values: Values,
    uncertainty: Uncertainty,
) -> dict[str, Interval | list[Interval]]:
    """Return the interval of each measure; a list for "raw_values".

    Args:
        pairs: the rows.
        measures: the measures.
        multioutput: how the values of outputs are reported, as in `regression_scores`.
        values: the function that returns the values of a measure.
        uncertainty: the level, the method and the clusters of the rows.
    """
    if uncertainty.clusters is not None:
        uncertainty = replace(uncertainty, clusters=uncertainty.clusters.take(pairs.positive_rows))
    intervals: dict[str, Interval | list[Interval]] = {}
    for measure in measures:
        with interval_of(measure.name):
            outputs = _of_outputs(measure, pairs, multioutput, values, uncertainty)
        is_list = multioutput == "raw_values"
        intervals[measure.name] = outputs if is_list else _averaged(outputs, pairs, multioutput)
    return intervals


def _of_outputs(
    measure: RegressionMeasure,
    pairs: Pairs,
    multioutput: Any,
    values: Values,
    uncertainty: Uncertainty,
) -> list[Interval]:
    """Return the interval of each output, or of their average where that is a mean of rows."""
    if not len(pairs.references):
        return [_UNDEFINED] * pairs.outputs
    errors = row_errors(pairs, measure, multioutput) or row_errors(pairs, measure, "raw_values")
    if errors is not None:
        return _of_errors(measure, pairs, errors, uncertainty)
    if uncertainty.method not in ("auto", "bootstrap"):
        raise OptionError(
            "method",
            f"{uncertainty.method!r} is for means of rows, which this measure is not; "
            "take 'auto' or 'bootstrap'",
        )
    if uncertainty.method == "bootstrap" and measure.kind in _ONE_BY_ONE:
        return _resampled(measure, pairs, values, uncertainty)
    return [
        _of_output(measure, pairs, output, value, uncertainty)
        for output, value in enumerate(values(measure, pairs))
    ]


def _of_errors(
    measure: RegressionMeasure, pairs: Pairs, errors: RowErrors, uncertainty: Uncertainty
) -> list[Interval]:
    """Return the interval of a mean error, or of its root, from each column of errors of rows."""
    means = mean_losses(errors.columns, pairs.weights)
    intervals = []
    for output, (column, mean) in enumerate(zip(errors.columns, means, strict=True)):
        bounds = (0.0, 2.0) if measure.kind == "smape" else (0.0, math.inf)
        if not column.any():
            bounds = (0.0, _error_of_others(measure, pairs, output, errors.exponent) or bounds[1])
        found = mean_interval(column, uncertainty, bounds=bounds, weights=pairs.weights)
        if measure.kind not in ROOTS:
            intervals.append(_scaled(found, errors.exponent))
            continue
        error = found.standard_error / (2 * math.sqrt(mean)) if mean else math.nan
        root = Interval(math.sqrt(found.low), math.sqrt(found.high), found.method, error)
        intervals.append(_scaled(root, errors.exponent // 2))
    return intervals


def _error_of_others(measure: RegressionMeasure, pairs: Pairs, output: int, exponent: int) -> float:
    """Return the mean error of predicting other rows' references, where none has an error."""
    references = np.sort(pairs.references, axis=0)
    others = Pairs(np.roll(references, len(references) // 2, axis=0), references)
    errors = row_errors(others, measure, "raw_values")
    if errors is None:
        return 0.0
    column = errors.columns[min(output, len(errors.columns) - 1)]
    return math.ldexp(mean_losses(column[np.newaxis], None)[0], errors.exponent - exponent)


def _scaled(found: Interval, exponent: int) -> Interval:
    """Return the interval times a power of two."""
    with np.errstate(over="ignore"):
        low, high, error = np.ldexp([found.low, found.high, found.standard_error], exponent)
    return found._replace(low=float(low), high=float(high), standard_error=float(error))


def _of_output(
    measure: RegressionMeasure, pairs: Pairs, output: int, value: float, uncertainty: Uncertainty
) -> Interval:
    """Return the interval of a measure of one output that is not a mean of rows."""
    columns = pairs.columns()
    numbers = columns.predictions[output], columns.references[output]
    if measure.kind in ("median_ae", "max_error"):
        errors, exponent = pairs.absolute_errors()
        largest = float(errors[output].max())
        with np.errstate(over="ignore"):
            # Without any error, an unseen one is as large as references are apart.
            unseen = WORSE * largest or float(np.std(numbers[1]))
        found = Interval(largest, unseen, "law", math.nan)
        if measure.kind == "median_ae":
            found = median_interval(errors[output], pairs.weights, unseen, uncertainty)
        return _scaled(found, exponent)
    if measure.kind in RANKS:
        scores, name = PairedScores(*numbers), RANKS[measure.kind]
        estimate = ORDER_CORRELATIONS[name](scores)
        return correlation_interval(name, scores, estimate, uncertainty) or _UNDEFINED
    if measure.kind == "pearson":
        return pearson_interval(*numbers, value, uncertainty, pairs.weights)
    weights = np.ones(len(pairs.references)) if pairs.weights is None else pairs.weights
    terms: tuple[Floats, ...]
    if measure.kind in D2_NAMES:
        predictions, references = pairs.tables()
        terms = d2_losses(measure, predictions[output], references[output], pairs.weights)
    else:
        terms = summands(measure.kind, *numbers, weights)
    return explained_interval(measure.kind, value, np.stack(terms), weights, uncertainty)


def _resampled(
    measure: RegressionMeasure, pairs: Pairs, values: Values, uncertainty: Uncertainty
) -> list[Interval]:
    """Return percentile intervals of a measure that is computed from each resample alone."""
    order = pairs.row_order()  # so that the order of rows does not matter
    units = np.arange(order.size)
    if isinstance(uncertainty.clusters, Clusters):
        members = uncertainty.clusters.take(order)
        units = np.argsort(np.argsort(members.labels))[members.numbers]
    once = np.ones(int(units.max()) + 1, np.int64)
    drawn = [
        values(measure, pairs.take(np.repeat(order, counts[units])))
        for block in resampled_counts(once, **uncertainty.draws)
        for counts in block
    ]
    return [resampled_interval(column, uncertainty.level) for column in np.array(drawn).T]


def _averaged(outputs: Sequence[Interval], pairs: Pairs, multioutput: Any) -> Interval:
    """Return the interval of an average over outputs: the average of their ends."""
    if len(outputs) == 1:
        return outputs[0]
    shares = pairs.output_shares(multioutput)
    table = np.array([(found.low, found.high, found.standard_error) for found in outputs])
    low, high, error = (shares[shares > 0] @ table[shares > 0]).tolist()
    return Interval(low, high, outputs[0].method, error)
