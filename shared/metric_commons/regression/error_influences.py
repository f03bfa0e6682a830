"""Influences of rows on measures of regression, by which systems are compared.

Those on a mean error are the errors of rows but for a constant, as in the test of Diebold and
Mariano; those on correlations give the comparison of Steiger.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..statistics.arguments.arrays import Column, Floats
from ..statistics.arithmetic.rank_correlations import CORRELATIONS, PairedScores
from ..statistics.intervals.spreads import LARGEST
from .error_intervals import WORSE, averaged_errors
from .explained_intervals import score_effects, sum_columns
from .measure_names import RegressionMeasure, are_of_intervals, parse_measures
from .order_measures import RANKS
from .pairs import IntervalPairs, Pairs
from .row_losses import MEANS, ROOTS, mean_losses


def regression_influences(
    predictions: Column,
    references: Column,
    *,
    measures: Any = ("mae", "mse", "rmse", "r2"),
    multioutput: Any = "uniform_average",
    sample_weight: Any = None,
    **_: Any,
) -> dict[str, Floats]:
    """Return the influence of each row on measures, times the number of rows, but for a constant.

    Medians and maximum errors have none, since most rows have no influence on them.

    Args:
        predictions: as in `regression_scores`, like all other arguments.
        references: the same.
        measures: names.
        multioutput: how outputs are averaged; "raw_values" of several outputs have none.
        sample_weight: one weight per row.

    >>> values = regression_influences([2.5, 0.0, 2.0, 8.0], [3.0, -0.5, 2.0, 7.0])
    >>> values["mae"].tolist(), values["r2"].round(2).tolist()
    ([0.5, 0.5, 0.0, 1.0], [-0.03, 0.05, 0.01, -0.02])
    """
    parsed = parse_measures(measures)
    kind = IntervalPairs if are_of_intervals(parsed) else Pairs
    pairs = kind(predictions, references, sample_weight)
    values: dict[str, Floats] = {}
    if (multioutput == "raw_values" and pairs.outputs > 1) or not pairs.references.size:
        return values
    shares = pairs.output_shares(multioutput)
    for measure in parsed:
        with np.errstate(all="ignore"):
            effects = _effects(measure, pairs, shares)
        if effects is not None and (np.abs(effects) <= LARGEST).all():
            values[measure.name] = np.zeros(pairs.rows)
            values[measure.name][pairs.positive_rows] = effects
    return values


def _effects(measure: RegressionMeasure, pairs: Pairs, shares: Floats) -> Floats | None:
    """Return the effects of rows; None for medians and maximum errors."""
    if measure.kind in MEANS:
        errors, exponent = averaged_errors(pairs, measure, shares)
        if measure.kind in ROOTS:
            means = [math.sqrt(mean) for mean in mean_losses(errors, pairs.weights)]
            slopes = [0.5 / mean if mean else 0.0 for mean in means]
            errors, exponent = (shares * slopes)[np.newaxis] @ errors, exponent // 2
        column: Floats = np.ldexp(errors[0], exponent)
        if pairs.weights is None:
            return column
        column -= mean_losses(column[np.newaxis], pairs.weights)[0]
        column *= pairs.weights
        return column
    outputs = []
    for output, columns in enumerate(zip(*pairs.floats(), strict=True)):
        if measure.kind in RANKS:
            scores = PairedScores(*columns)
            estimate = CORRELATIONS[RANKS[measure.kind]](scores)
            if estimate.influences is None:
                return None
            effects = np.empty(scores.size)
            effects[scores.order] = estimate.influences
        elif measure.kind in ("median_ae", "max_error"):
            return None
        else:
            sums = sum_columns(measure, pairs, output) * pairs.row_weights()
            effects = score_effects(measure.kind, sums)
        outputs.append(effects)
    return np.asarray(shares @ np.array(outputs))


def weighted_errors(
    predictions: Column, references: Column, *, multioutput: Any = "uniform_average", **_: Any
) -> tuple[Callable[[Floats], dict[str, Floats]], int]:
    """Return how median and maximum error follow from weights, and the number of unseen rows.

    These come after the rows: one without an error, and one with 1.5 times the largest.

    >>> scores, unseen = weighted_errors([2.0, 1.0, 1.0], [1.0, 1.0, 3.0])
    >>> scores(np.array([[1.0, 0.5, 1.0, 0.0, 0.0], [1.0, 0.5, 1.0, 0.0, 1.0]]).T)["max_error"]
    array([2., 3.])
    """
    pairs = Pairs(predictions, references)
    errors, exponent = pairs.absolute_errors()
    shares = pairs.output_shares(multioutput)
    columns = [np.append(column, [0.0, WORSE * column.max()]) for column in errors]

    def scores(weights: Floats) -> dict[str, Floats]:
        medians, largest = [], []
        for column in columns:
            order = np.argsort(column)
            cumulative = np.cumsum(weights[order], axis=0)
            medians.append(column[order][(cumulative >= cumulative[-1] / 2).argmax(axis=0)])
            largest.append(np.where(weights > 0, column[:, np.newaxis], 0.0).max(axis=0))
        listed = {"median_ae": medians, "max_error": largest}
        return {name: np.ldexp(shares @ np.array(v), exponent) for name, v in listed.items()}

    return scores, 2
