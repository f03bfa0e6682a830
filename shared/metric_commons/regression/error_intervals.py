"""Intervals of regression measures.

Mean errors have no upper bound; their interval is Student's on the logarithm of the mean, widened
to an unseen row of 1.5 times the worst error. The ends for RMSE are the roots of those for MSE.
Symmetric relative errors are between 0 and 2 and count as bounded scores. Explained variation and
correlations have other intervals (`explained_intervals`); medians and maximum errors are resampled.
If outputs are averaged and the average is not a mean of rows, the ends of their intervals are
averaged too, as if all erred to the same side.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from ..statistics.arguments.arrays import Floats
from ..statistics.arguments.checks import OptionError
from ..statistics.arithmetic.exact_sums import exact_sum
from ..statistics.intervals.cluster_sums import Clusters
from ..statistics.intervals.intervals import resampled_interval
from ..statistics.intervals.proportions import Interval
from ..statistics.intervals.sum_distributions import weighted_mean_interval
from ..statistics.intervals.summary import Estimator, mean
from .explained_intervals import RANKS, explained_interval, rank_interval, resampled_measures
from .measure_names import D2_NAMES, RegressionMeasure, parse_measures
from .pairs import Pairs
from .row_losses import ROOTS, RowErrors, d2_losses, row_errors

_RESAMPLED = {"max_error", "median_ae"}


def measure_estimators(
    pairs: Pairs,
    measures: Sequence[str],
    multioutput: Any,
    clusters: Clusters | None,
    values: Mapping[str, Sequence[float]],
) -> dict[str, Estimator]:
    """Return a function for each measure that returns its interval, for `summary.uncertainty`.

    Args:
        pairs: the rows.
        measures: names of measures.
        multioutput: how the values of outputs are reported, as in `regression_scores`.
        clusters: the clusters of the rows; None if they are independent.
        values: the values of each measure in each output.

    >>> pairs = Pairs([1.0, 2.0], [1.5, 1.0])
    >>> estimators = measure_estimators(pairs, ["mae"], "raw_values", None, {"mae": [0.75]})
    >>> estimators["mae"](confidence_level=0.95)[0].method
    'unseen_error'
    """
    raw = multioutput == "raw_values"
    parsed = {measure.name: measure for measure in parse_measures(measures)}

    @cache
    def resamples(**draws: int) -> dict[str, Floats]:
        return resampled_measures(pairs, measures, multioutput, clusters, **draws)

    def estimate(
        name: str, *, confidence_level: float, method: str = "auto", **draws: int
    ) -> Interval | list[Interval]:
        measure = parsed[name]
        if method != "bootstrap":
            errors = row_errors(pairs, measure, multioutput)
            if errors is not None:
                estimates = _error_intervals(
                    measure, pairs, errors, clusters, multioutput, confidence_level, method
                )
                return estimates if raw else estimates[0]
            if method != "auto" and not (row_errors(pairs, measure, "raw_values")):
                raise OptionError(
                    "method",
                    f"{method!r} is for means of rows, which this measure is not; "
                    "take 'auto' or 'bootstrap'",
                )
            if measure.kind not in _RESAMPLED and len(pairs.references):
                outputs = _output_intervals(
                    measure, values[name], pairs, clusters, confidence_level, method, draws
                )
                return outputs if raw else _averaged(outputs, pairs, multioutput)
        resampled = resamples(**draws)[name]
        n_clusters = None if clusters is None else len(clusters.labels)
        redraws = [resampled_interval(column, confidence_level, n_clusters) for column in resampled]
        if method != "bootstrap":
            redraws = [_no_point(ends) for ends in redraws]
        return redraws if raw else redraws[0]

    return {name: partial(estimate, name) for name in measures}


def _error_intervals(
    measure: RegressionMeasure,
    pairs: Pairs,
    errors: RowErrors,
    clusters: Clusters | None,
    multioutput: Any,
    confidence_level: float,
    method: str,
) -> list[Interval]:
    """Return the interval of each output, or of their average, from the errors of rows."""
    constant: Floats | None = None
    if method == "auto" and not errors.columns.any(axis=1).all():
        constant = _constant_errors(measure, pairs, multioutput, errors.exponent)
    options: dict[str, Any] = {"confidence_level": confidence_level, "method": method}
    return [
        _interval(
            measure.name,
            column,
            errors.exponent,
            pairs.weights,
            None if clusters is None else clusters.take(pairs.positive_rows),
            constant_error=None if constant is None else float(constant[output]),
            **options,
        )
        for output, column in enumerate(errors.columns)
    ]


def _constant_errors(
    measure: RegressionMeasure, pairs: Pairs, multioutput: Any, exponent: int
) -> Floats | None:
    """Return the mean error of the best constant prediction, in units of 2**exponent."""
    middles = np.median if measure.kind in ("mae", "mape", "smape", "pinball") else np.mean
    constants = middles(pairs.columns().references, axis=1)
    if pairs.wide_integers:  # whose columns are distances
        constants = np.rint(constants).astype(np.int64) + pairs.references.min()
    references = pairs.tables()[1].T
    try:
        rows = Pairs(np.repeat(constants[np.newaxis], len(references), axis=0), references)
        errors = row_errors(rows, measure, multioutput)
    except ValueError:  # a constant outside the domain of the loss
        return None
    if errors is None:
        return None
    means = np.array([mean(column) for column in errors.columns])
    scaled: Floats = np.ldexp(means, errors.exponent - exponent)
    return scaled


def _interval(
    name: str,
    errors: Floats,
    exponent: int,
    weights: Floats | None,
    clusters: Clusters | None,
    **options: Any,
) -> Interval:
    """Return the interval of a measure from the errors of rows, in units of 2**exponent."""
    bounds = (0.0, 2.0) if name == "smape" else (0.0, math.inf)
    estimate = weighted_mean_interval(errors, weights, clusters, bounds=bounds, **options)
    ends = estimate.low, estimate.high, estimate.standard_error
    if name in ROOTS:
        root = math.sqrt(_weighted_mean(errors, weights))
        ends = (
            math.sqrt(max(estimate.low, 0.0)),
            math.sqrt(estimate.high),
            estimate.standard_error / (2 * root) if root else math.nan,
        )
        exponent //= 2
    with np.errstate(over="ignore"):
        low, high, error = np.ldexp(ends, exponent).tolist()
    return estimate._replace(low=low, high=high, standard_error=error)


def _weighted_mean(errors: Floats, weights: Floats | None) -> float:
    if weights is None:
        return mean(errors)
    return float(exact_sum(errors * weights) / exact_sum(weights))


def _output_intervals(
    measure: RegressionMeasure,
    values: Sequence[float],
    pairs: Pairs,
    clusters: Clusters | None,
    confidence_level: float,
    method: str,
    draws: Mapping[str, int],
) -> list[Interval]:
    """Return the interval of a measure of each output alone."""
    errors = row_errors(pairs, measure, "raw_values")
    if errors is not None:
        return _error_intervals(
            measure, pairs, errors, clusters, "raw_values", confidence_level, method
        )
    member_clusters = None if clusters is None else clusters.take(pairs.positive_rows)
    numbers = None if member_clusters is None else member_clusters.numbers
    predictions, references, _ = pairs.columns()
    tables = pairs.tables()
    intervals = []
    for output, value in enumerate(values):
        pair = predictions[output], references[output]
        if measure.kind in RANKS:
            intervals.append(rank_interval(measure.kind, *pair, numbers, confidence_level))
            continue
        losses = None
        if measure.kind in D2_NAMES:
            losses = d2_losses(measure, tables[0][output], tables[1][output], pairs.weights)
        rows = (*pair, pairs.weights, numbers, losses)
        options: dict[str, Any] = {"confidence_level": confidence_level, **draws}
        intervals.append(explained_interval(measure, value, *rows, **options))
    return intervals


def _averaged(outputs: Sequence[Interval], pairs: Pairs, multioutput: Any) -> Interval:
    """Return the interval of an average over outputs: the average of their ends."""
    if len(outputs) == 1:
        return outputs[0]
    shares = pairs.output_shares(multioutput)
    low, high, error = (
        float(sum(share * number for share, number in zip(shares, numbers, strict=True) if share))
        for numbers in zip(*((o.low, o.high, o.standard_error) for o in outputs), strict=True)
    )
    return outputs[0]._replace(
        low=low, high=high, standard_error=error, effective_n=None, design_effect=None
    )


def _no_point(interval: Interval) -> Interval:
    """Return the interval, or NaN for a point: rows that are all alike say nothing about others."""
    if interval.low == interval.high:
        return interval._replace(low=math.nan, high=math.nan)
    return interval
