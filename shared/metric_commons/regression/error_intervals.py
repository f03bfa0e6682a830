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
from .measure_names import D2_NAMES, RegressionMeasure
from .pairs import Pairs
from .row_losses import ROOTS, RowErrors, d2_losses, row_errors

_RESAMPLED = {"max_error", "median_ae"}


def measure_estimators(
    pairs: Pairs,
    measures: Sequence[RegressionMeasure],
    multioutput: Any,
    clusters: Clusters | None,
    values: Mapping[str, Sequence[float]],
) -> dict[str, Estimator]:
    """Return a function for each measure that returns its interval, for `summary.uncertainty`.

    Args:
        pairs: the rows.
        measures: the measures.
        multioutput: how the values of outputs are reported, as in `regression_scores`.
        clusters: the clusters of the rows; None if they are independent.
        values: the values of each measure in each output.

    >>> pairs, measures = Pairs([1.0, 2.0], [1.5, 1.0]), [RegressionMeasure("mae", "mae")]
    >>> estimators = measure_estimators(pairs, measures, "raw_values", None, {"mae": [0.75]})
    >>> estimators["mae"](confidence_level=0.95)[0].method
    'unseen_error'
    """
    raw = multioutput == "raw_values"
    members = None if clusters is None else clusters.take(pairs.positive_rows)

    @cache
    def resamples(**draws: int) -> dict[str, Floats]:
        return resampled_measures(pairs, measures, multioutput, members, **draws)

    def estimate(
        measure: RegressionMeasure, *, confidence_level: float, method: str = "auto", **draws: int
    ) -> Interval | list[Interval]:
        options: dict[str, Any] = {"confidence_level": confidence_level, "method": method}
        if method != "bootstrap":
            errors = row_errors(pairs, measure, multioutput)
            if errors is not None:
                estimates = _error_intervals(
                    measure, pairs, errors, members, multioutput, **options
                )
                return estimates if raw else estimates[0]
            errors = row_errors(pairs, measure, "raw_values")
            if method != "auto" and errors is None:
                raise OptionError(
                    "method",
                    f"{method!r} is for means of rows, which this measure is not; "
                    "take 'auto' or 'bootstrap'",
                )
            if errors is not None:
                outputs = _error_intervals(measure, pairs, errors, members, "raw_values", **options)
                return _averaged(outputs, pairs, multioutput)
            if measure.kind not in _RESAMPLED and len(pairs.references):
                outputs = _explained_intervals(
                    measure, values[measure.name], pairs, members, confidence_level, draws
                )
                return outputs if raw else _averaged(outputs, pairs, multioutput)
        resampled = resamples(**draws)[measure.name]
        n_clusters = None if clusters is None else len(clusters.labels)
        redraws = [resampled_interval(column, confidence_level, n_clusters) for column in resampled]
        if method != "bootstrap":  # rows that are all alike say nothing about others
            redraws = [
                ends._replace(low=math.nan, high=math.nan) if ends.low == ends.high else ends
                for ends in redraws
            ]
        return redraws if raw else redraws[0]

    return {measure.name: partial(estimate, measure) for measure in measures}


def _error_intervals(
    measure: RegressionMeasure,
    pairs: Pairs,
    errors: RowErrors,
    clusters: Clusters | None,
    multioutput: Any,
    **options: Any,
) -> list[Interval]:
    """Return the interval of each output, or of their average, from the errors of rows."""
    constants: Floats | None = None
    if options["method"] == "auto" and not errors.columns.any(axis=1).all():
        constants = _constant_errors(measure, pairs, multioutput, errors.exponent)
    bounds = (0.0, 2.0) if measure.kind == "smape" else (0.0, math.inf)
    intervals = []
    for output, column in enumerate(errors.columns):
        estimate = weighted_mean_interval(
            column,
            pairs.weights,
            clusters,
            bounds=bounds,
            constant_error=None if constants is None else float(constants[output]),
            **options,
        )
        ends, exponent = (estimate.low, estimate.high, estimate.standard_error), errors.exponent
        if measure.kind in ROOTS:
            square = mean(column)
            if pairs.weights is not None:
                square = float(exact_sum(column * pairs.weights) / exact_sum(pairs.weights))
            ends = (
                math.sqrt(max(estimate.low, 0.0)),
                math.sqrt(estimate.high),
                estimate.standard_error / (2 * math.sqrt(square)) if square else math.nan,
            )
            exponent //= 2
        with np.errstate(over="ignore"):
            low, high, error = np.ldexp(ends, exponent).tolist()
        intervals.append(estimate._replace(low=low, high=high, standard_error=error))
    return intervals


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


def _explained_intervals(
    measure: RegressionMeasure,
    values: Sequence[float],
    pairs: Pairs,
    clusters: Clusters | None,
    confidence_level: float,
    draws: Mapping[str, int],
) -> list[Interval]:
    """Return the interval of a measure of each output alone."""
    numbers = None if clusters is None else clusters.numbers
    predictions, references, _ = pairs.columns()
    columns = zip(values, predictions, references, *pairs.tables(), strict=True)
    intervals = []
    for value, x, y, predicted, expected in columns:
        if measure.kind in RANKS:
            intervals.append(rank_interval(measure.kind, x, y, numbers, confidence_level))
            continue
        losses = None
        if measure.kind in D2_NAMES:
            losses = d2_losses(measure, predicted, expected, pairs.weights)
        rows = (x, y, pairs.weights, numbers, losses)
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
    return outputs[0]._replace(low=low, high=high, standard_error=error, design_effect=None)
