"""Influences of rows on measures of regression, by which systems are compared.

Those on a mean error are the errors of rows but for a constant, as in the test of Diebold and
Mariano; those on correlations give the comparison of Steiger.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..statistics.arguments.arrays import Column, Floats
from ..statistics.arguments.checks import check_weights
from ..statistics.arithmetic.rank_correlations import CORRELATIONS as RANK_ESTIMATES
from ..statistics.arithmetic.rank_correlations import PairedScores
from .explained_intervals import CORRELATIONS, RANKS, score_and_effects, summands
from .measure_names import D2_NAMES, RegressionMeasure, parse_measures
from .pairs import Pairs
from .prediction_intervals import are_of_intervals, interval_columns, interval_row_scores
from .row_losses import ROOTS, d2_losses, row_errors

_WORSE = 1.5  # an unseen error is so many times the largest one


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
    number = len(references)
    if are_of_intervals(parsed):
        columns = interval_columns(predictions, references)
        weights = check_weights("sample_weight", sample_weight, number)
        shares = np.ones(number) if weights is None else weights * (number / weights.sum())
        of_rows = {m.name: interval_row_scores(m, *columns) for m in parsed}
        return {n: shares * (v - shares @ v / number) for n, v in of_rows.items()}
    pairs = Pairs(predictions, references, sample_weight)
    is_list = multioutput == "raw_values" and pairs.outputs > 1
    shares_of_outputs = None if is_list else pairs.output_shares(multioutput)
    values: dict[str, Floats] = {}
    if shares_of_outputs is None or not len(pairs.references):
        return values
    for measure in parsed:
        with np.errstate(all="ignore"):
            effects_of_outputs = _effects(measure, pairs)
            if effects_of_outputs is None:
                continue
            effects = shares_of_outputs @ np.array(effects_of_outputs)
            column = np.zeros(number)
            column[pairs.positive_rows] = effects * (number / len(pairs.references))
            errors = row_errors(pairs, measure, multioutput) if pairs.weights is None else None
            if errors is not None and measure.kind not in ROOTS:
                column = np.ldexp(errors.columns[0], errors.exponent)  # without rounding
        if np.isfinite(column).all():
            values[measure.name] = column
    return values


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
    columns = [np.append(column, [0.0, _WORSE * column.max()]) for column in errors]

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


def _effects(measure: RegressionMeasure, pairs: Pairs) -> list[Floats] | None:
    """Return the effects of rows on each output, whose mean is 0.

    None for medians and maximum errors.
    """
    number = len(pairs.references)
    weights = np.ones(number)
    if pairs.weights is not None:
        weights = pairs.weights * (number / math.fsum(pairs.weights.tolist()))

    def mean(column: Floats) -> np.float64:  # whose quotients by 0 are no errors
        try:
            return np.float64(math.fsum((weights * column).tolist())) / number
        except (OverflowError, ValueError):  # of huge numbers, or their squares
            return np.float64(math.nan)

    errors = row_errors(pairs, measure, "raw_values")
    if errors is not None:
        outputs = []
        for column in np.ldexp(errors.columns, errors.exponent):
            value: float = mean(column)
            effects = weights * (column - value)
            if measure.kind in ROOTS:
                value = math.sqrt(value)
                effects = effects / (2 * value) if value else effects
            outputs.append(effects)
        return outputs
    predictions, references, _ = pairs.columns()
    if measure.kind in RANKS:
        return [
            _rank_effects(measure.kind, *pair) for pair in zip(predictions, references, strict=True)
        ]
    tables: list[tuple[Floats, ...]]
    if measure.kind in D2_NAMES:
        tables = [
            d2_losses(measure, *pair, pairs.weights) for pair in zip(*pairs.tables(), strict=True)
        ]
    elif measure.kind in ("r2", "explained_variance", *CORRELATIONS):
        tables = [
            summands(measure.kind, *pair, weights)
            for pair in zip(predictions, references, strict=True)
        ]
    else:
        return None
    return [score_and_effects(measure.kind, np.stack(columns) * weights)[1] for columns in tables]


def _rank_effects(kind: str, predictions: Floats, references: Floats) -> Floats:
    """Return the effects of rows on a rank correlation."""
    scores = PairedScores(predictions, references)
    estimate = RANK_ESTIMATES[RANKS[kind]](scores)
    effects = np.full(scores.size, math.nan)
    if estimate.influences is not None:
        effects[scores.order] = estimate.influences
    return effects
