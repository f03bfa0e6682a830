"""Intervals of regression measures: rows are weighted at random together with an unseen one.

The unseen row of a mean error has 1.5 times the largest error; the ends for RMSE are the roots of
those for MSE. If outputs are averaged and the average is not a mean of rows, the ends of their
intervals are averaged too, as if all erred to the same side.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..statistics.arguments.arrays import Floats
from ..statistics.arguments.checks import OptionError
from ..statistics.arithmetic.rank_correlations import CORRELATIONS, PairedScores
from ..statistics.intervals.cluster_sums import Clusters
from ..statistics.intervals.correlation_intervals import correlation_interval, pearson_interval
from ..statistics.intervals.intervals import mean_interval, resampled_interval
from ..statistics.intervals.methods import Uncertainty
from ..statistics.intervals.proportions import UNDEFINED, Interval
from ..statistics.intervals.summary import interval_of
from ..statistics.resampling.row_units import resampled_counts
from .explained_intervals import explained_interval, sum_columns
from .measure_names import D2_NAMES, INTERVAL_NAMES, RegressionMeasure
from .order_measures import RANKS, median_interval
from .pairs import Pairs
from .row_losses import MEANS, ROOTS, mean_losses, row_errors

# The values of measures in each output
Values = Callable[[Pairs, Sequence[RegressionMeasure]], Mapping[str, Sequence[float]]]

WORSE = 1.5  # an unseen error is this many times the largest one
_ONE_BY_ONE = ("median_ae", "max_error", *RANKS, *D2_NAMES)  # measures that resamples compute anew


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
        values: the function that returns the values of measures.
        uncertainty: the level, the method and the clusters of the rows.
    """
    if uncertainty.clusters is not None:
        uncertainty = replace(uncertainty, clusters=uncertainty.clusters.take(pairs.positive_rows))
    shares = None if multioutput == "raw_values" else pairs.output_shares(multioutput)
    intervals: dict[str, Interval | list[Interval]] = {}
    for measure in measures:
        with interval_of(measure.name):
            outputs = _of_outputs(measure, pairs, shares, values, uncertainty)
        intervals[measure.name] = outputs if shares is None else _averaged(outputs, shares)
    return intervals


def _of_outputs(
    measure: RegressionMeasure,
    pairs: Pairs,
    shares: Floats | None,
    values: Values,
    uncertainty: Uncertainty,
) -> list[Interval]:
    """Return the interval of each output, or of their average where that is a mean of rows."""
    if not pairs.references.size:
        return [UNDEFINED] * pairs.outputs
    if measure.kind in MEANS:
        return _of_errors(measure, pairs, shares, uncertainty)
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
        for output, value in enumerate(values(pairs, [measure])[measure.name])
    ]


def averaged_errors(
    pairs: Pairs, measure: RegressionMeasure, shares: Floats | None
) -> tuple[Floats, int]:
    """Return the errors of rows as `row_errors`, averaged over outputs if the measure is."""
    errors, exponent = row_errors(pairs, measure)
    if shares is None or measure.kind in ROOTS:
        return errors, exponent
    return (shares @ errors)[np.newaxis], exponent


def _of_errors(
    measure: RegressionMeasure, pairs: Pairs, shares: Floats | None, uncertainty: Uncertainty
) -> list[Interval]:
    """Return the interval of a mean error, or of its root, from the errors of rows."""
    errors, exponent = averaged_errors(pairs, measure, shares)
    means = mean_losses(errors, pairs.weights)
    intervals = []
    for output, (column, mean) in enumerate(zip(errors, means, strict=True)):
        bounds = (0.0, {"smape": 2.0, "coverage": 1.0}.get(measure.kind, math.inf))
        if (
            not column.any() and measure.kind not in INTERVAL_NAMES
        ):  # as if the references of other rows were predicted
            references = np.sort(pairs.references, axis=1).T
            shifted = Pairs(np.roll(references, len(references) // 2, axis=0), references)
            others, power = averaged_errors(shifted, measure, shares)
            bounds = (0.0, math.ldexp(others[output].mean(), power - exponent) or bounds[1])
        interval = mean_interval(column, uncertainty, bounds=bounds, weights=pairs.weights)
        if measure.kind not in ROOTS:
            intervals.append(_scaled(interval, exponent))
            continue
        error = interval.standard_error / (2 * math.sqrt(mean)) if mean else math.nan
        root = Interval(math.sqrt(interval.low), math.sqrt(interval.high), interval.method, error)
        intervals.append(_scaled(root, exponent // 2))
    return intervals


def _scaled(interval: Interval, exponent: int) -> Interval:
    """Return the interval times a power of two."""
    with np.errstate(over="ignore"):
        low, high, error = np.ldexp(
            [interval.low, interval.high, interval.standard_error], exponent
        )
    return interval._replace(low=float(low), high=float(high), standard_error=float(error))


def _of_output(
    measure: RegressionMeasure, pairs: Pairs, output: int, value: float, uncertainty: Uncertainty
) -> Interval:
    """Return the interval of a measure of one output that is not a mean of rows."""
    predictions, references = (table[output] for table in pairs.floats())
    if measure.kind in ("median_ae", "max_error"):
        errors, exponent = pairs.absolute_errors()
        largest = float(errors[output].max())
        with np.errstate(over="ignore"):
            # Without any error, an unseen one is as large as references are apart.
            unseen = WORSE * largest or float(np.std(references))
        interval = Interval(largest, unseen, "law", math.nan)
        if measure.kind == "median_ae":
            interval = median_interval(errors[output], pairs.weights, unseen, uncertainty)
        return _scaled(interval, exponent)
    if measure.kind in RANKS:
        scores, name = PairedScores(predictions, references), RANKS[measure.kind]
        estimate = CORRELATIONS[name](scores)
        return correlation_interval(name, scores, estimate, uncertainty) or UNDEFINED
    if measure.kind == "pearson":
        return pearson_interval(predictions, references, value, uncertainty, pairs.weights)
    columns = sum_columns(measure, pairs, output)
    return explained_interval(measure.kind, value, columns, pairs.row_weights(), uncertainty)


def _resampled(
    measure: RegressionMeasure, pairs: Pairs, values: Values, uncertainty: Uncertainty
) -> list[Interval]:
    """Return percentile intervals of a measure that is computed from each resample alone."""
    keys = [*pairs.predictions, *pairs.references, pairs.row_weights()]
    order = np.lexsort(keys)  # so that the order of rows does not matter
    units = np.arange(order.size)
    if isinstance(uncertainty.clusters, Clusters):
        members = uncertainty.clusters.take(order)
        units = np.argsort(np.argsort(members.labels))[members.numbers]
    once = np.ones(int(units.max()) + 1, np.int64)
    drawn = [
        values(pairs.take(np.repeat(order, counts[units])), [measure])[measure.name]
        for block in resampled_counts(once, **uncertainty.draws)
        for counts in block
    ]
    return [resampled_interval(column, uncertainty.level) for column in np.array(drawn).T]


def _averaged(outputs: Sequence[Interval], shares: Floats) -> Interval:
    """Return the interval of an average over outputs: the average of their ends."""
    if len(outputs) == 1:
        return outputs[0]
    table = np.array(
        [(interval.low, interval.high, interval.standard_error) for interval in outputs]
    )
    low, high, error = (shares[shares > 0] @ table[shares > 0]).tolist()
    return Interval(low, high, outputs[0].method, error)
