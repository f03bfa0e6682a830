"""Intervals of regression measures: mean errors use those of rows, others are resampled.

Mean errors are unbounded, so their interval is that of Student's t on the logarithm of the mean;
the ends for RMSE are the square roots of those for MSE. Symmetric relative errors are between 0 and
2 and count as bounded scores. Measures of weighted rows are resampled.
"""

import math
import sys
from collections.abc import Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from ..numbers.arrays import Floats
from ..numbers.checks import OptionError
from ..statistics.cluster_sums import Clusters
from ..statistics.intervals import interval, resampled_interval
from ..statistics.proportions import Interval
from ..statistics.summary import Estimator, mean
from .measure_names import LOSS_NAMES, Measure, parse_measures
from .moments_bootstrap import Bootstrap
from .pairs import SAFE_EXPONENT, Pairs
from .row_losses import loss_tables, row_losses

_EPSILON = sys.float_info.epsilon  # the smallest divisor of an error
_ERRORS = {"mae", "mse", "rmse", "mape", "smape"}
_ROOTS = {"rmse", "rmsle"}


def measure_estimators(
    pairs: Pairs, measures: Sequence[str], multioutput: Any, clusters: Clusters | None
) -> dict[str, Estimator]:
    """A function for each measure that returns its interval, as `summary.uncertainty` takes them.

    Args:
        pairs: the rows.
        measures: names of measures.
        multioutput: how the values of outputs are reported, as in `regression_scores`.
        clusters: the clusters of rows; None if rows are independent.

    >>> estimators = measure_estimators(Pairs([1.0, 2.0], [1.5, 1.0]), ["mae"], "raw_values", None)
    >>> estimators["mae"](confidence_level=0.95)[0].method
    'log_t'
    """
    raw = multioutput == "raw_values"
    parsed = {measure.name: measure for measure in parse_measures(measures)}

    @cache
    def resamples(n_resamples: int, seed: int) -> dict[str, Floats]:
        return Bootstrap(pairs, measures, multioutput, clusters).resampled(n_resamples, seed)

    def estimate(
        name: str,
        *,
        confidence_level: float = 0.95,
        method: str = "auto",
        n_resamples: int = 10_000,
        seed: int = 0,
    ) -> Interval | list[Interval]:
        errors = None if method == "bootstrap" else _row_errors(pairs, parsed[name], multioutput)
        if errors is not None:
            options: dict[str, Any] = {"confidence_level": confidence_level, "method": method}
            estimates = [
                _interval(name, column, errors.exponent, clusters, **options)
                for column in errors.columns
            ]
            return estimates if raw else estimates[0]
        if method not in ("auto", "bootstrap"):
            raise OptionError(
                "method",
                f"{method!r} is for means of rows, which this measure is not; "
                "use 'auto' or 'bootstrap'",
            )
        values = resamples(n_resamples, seed)[name]
        n_clusters = None if clusters is None else len(clusters.labels)
        return resampled_interval(values if raw else values[0], confidence_level, n_clusters)

    return {name: partial(estimate, name) for name in measures}


class _RowErrors(NamedTuple):
    """The contribution of rows to a mean error: columns in units of 2**exponent, one per output."""

    columns: Floats
    exponent: int


def _row_errors(pairs: Pairs, measure: Measure, multioutput: Any) -> _RowErrors | None:
    """The errors of rows whose mean is the measure, or for RMSE its square; else None.

    Averaged over outputs, a mean error is still a mean of rows, but a root mean square is not.
    """
    name = measure.kind
    averaged = pairs.outputs > 1 and multioutput != "raw_values"
    if name not in (*_ERRORS, *LOSS_NAMES) or pairs.weights is not None:
        return None
    if averaged and (multioutput != "uniform_average" or name in _ROOTS):
        return None
    if name in LOSS_NAMES:
        losses = row_losses(measure, *loss_tables(pairs))
        return _RowErrors(losses.mean(axis=0, keepdims=True) if averaged else losses, 0)
    errors, halved = pairs.absolute_errors()
    exponent = 0
    if name in ("mape", "smape"):
        if halved:
            return None
        predictions, references = (
            np.abs(np.atleast_2d(table.T).astype(np.float64))
            for table in (pairs.predictions, pairs.references)
        )
        if name == "mape":
            errors = errors / np.maximum(references, _EPSILON)
        else:
            totals = predictions / 2 + references / 2
            errors = np.divide(errors, totals, out=np.zeros(errors.shape), where=totals > 0)
    else:
        # In units near the largest error, squares are far from infinity and from 0.
        power = math.frexp(float(errors.max()))[1]
        power = power if abs(power) > SAFE_EXPONENT else 0
        errors, exponent = np.ldexp(errors, -power), power + halved
    if name in ("mse", "rmse"):
        errors, exponent = np.square(errors), 2 * exponent
    return _RowErrors(errors.mean(axis=0, keepdims=True) if averaged else errors, exponent)


def _interval(
    name: str, errors: Floats, exponent: int, clusters: Clusters | None, **options: Any
) -> Interval:
    """The interval of a measure from the errors of rows, in units of 2**exponent."""
    bounds = (0.0, 2.0) if name == "smape" else (0.0, math.inf)
    sums = None if clusters is None else clusters.sums(errors)
    estimate = interval(errors, clusters=sums, bounds=bounds, **options)
    ends = estimate.low, estimate.high, estimate.standard_error
    if name in _ROOTS:
        root = math.sqrt(mean(errors))
        ends = (
            math.sqrt(max(estimate.low, 0.0)),
            math.sqrt(estimate.high),
            estimate.standard_error / (2 * root) if root else math.nan,
        )
        exponent //= 2
    low, high, error = np.ldexp(ends, exponent).tolist()
    return estimate._replace(low=low, high=high, standard_error=error)
