"""Pseudovalues of regression: a value of each row, whose mean is the measure.

Systems are compared by them, row by row. Those of a mean error are the errors of rows, as in the
test of Diebold and Mariano; elsewhere a pseudovalue is the measure plus the influence of the row on
it, which for correlations gives the comparison of Steiger.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..statistics.arguments.arrays import Column, Floats
from ..statistics.arguments.checks import check_weights
from ..statistics.intervals.rank_correlations import CORRELATIONS as RANK_ESTIMATES
from ..statistics.intervals.rank_correlations import PairedScores
from .explained_intervals import CORRELATIONS, RANKS, score_and_effects, summands
from .measure_names import D2_NAMES, RegressionMeasure, parse_measures
from .pairs import Pairs
from .prediction_intervals import are_of_intervals, interval_columns, interval_row_scores
from .row_losses import ROOTS, d2_losses, row_errors


def regression_pseudovalues(
    predictions: Column,
    references: Column,
    *,
    measures: Any = ("mae", "mse", "rmse", "r2"),
    multioutput: Any = "uniform_average",
    sample_weight: Any = None,
    **_: Any,
) -> dict[str, Floats]:
    """Return the pseudovalues of each measure that has any, shape (rows,).

    Medians and maximum errors have none, since most rows have no influence on them.

    Args:
        predictions: as in `regression_scores`, like all other arguments.
        references: the same.
        measures: names.
        multioutput: how outputs are averaged; "raw_values" of several outputs have none.
        sample_weight: one weight per row.

    >>> values = regression_pseudovalues([2.5, 0.0, 2.0, 8.0], [3.0, -0.5, 2.0, 7.0])
    >>> values["mae"].tolist(), round(float(values["r2"].mean()), 4)
    ([0.5, 0.5, 0.0, 1.0], 0.9486)
    """
    parsed = parse_measures(measures)
    number = len(references)
    if are_of_intervals(parsed):
        columns = interval_columns(predictions, references)
        weights = check_weights("sample_weight", sample_weight, number)
        return {m.name: _of_mean(interval_row_scores(m, *columns), weights) for m in parsed}
    pairs = Pairs(predictions, references, sample_weight)
    is_list = multioutput == "raw_values" and pairs.outputs > 1
    shares = None if is_list else pairs.output_shares(multioutput)
    values: dict[str, Floats] = {}
    for measure in parsed if len(pairs.references) and shares is not None else ():
        with np.errstate(all="ignore"):
            outputs = _outputs(measure, pairs)
            if outputs is None:
                continue
            scores, effects_of_outputs = zip(*outputs, strict=True)
            column = np.full(number, shares @ np.array(scores))
            effects = shares @ np.array(effects_of_outputs)
            column[pairs.positive_rows] += effects * (number / len(pairs.references))
            errors = row_errors(pairs, measure, multioutput) if pairs.weights is None else None
            if errors is not None and measure.kind not in ROOTS:
                column = np.ldexp(errors.columns[0], errors.exponent)  # without rounding
        if np.isfinite(column).all():
            values[measure.name] = column
    return values


def paired_regression_pseudovalues(
    first: Mapping[str, Any], second: Mapping[str, Any], **options: Any
) -> dict[str, tuple[Floats, Floats]]:
    """Return the pseudovalues of the measures of two systems, each from its own rows.

    >>> a, b = ({"predictions": p, "references": [1.0, 3.0]} for p in ([1.0, 2.0], [1.0, 3.5]))
    >>> [values.tolist() for values in paired_regression_pseudovalues(a, b, measures="mae")["mae"]]
    [[0.0, 1.0], [0.0, 0.5]]
    """
    a, b = (regression_pseudovalues(**columns, **options) for columns in (first, second))
    return {name: (values, b[name]) for name, values in a.items() if name in b}


def _outputs(measure: RegressionMeasure, pairs: Pairs) -> list[tuple[float, Floats]] | None:
    """Return the measure of each output, and the effects of rows on it, whose mean is 0.

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
            outputs.append((value, effects))
        return outputs
    predictions, references, _ = pairs.columns()
    if measure.kind in RANKS:
        return [
            _rank_output(measure.kind, *pair) for pair in zip(predictions, references, strict=True)
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
    return [score_and_effects(measure.kind, np.stack(columns) * weights) for columns in tables]


def _of_mean(scores: Floats, weights: Floats | None) -> Floats:
    """Return the pseudovalues of a mean of rows."""
    if weights is None:
        return scores
    shares = weights * (scores.size / weights.sum())
    mean = float(shares @ scores) / scores.size
    values: Floats = mean + shares * (scores - mean)
    return values


def _rank_output(kind: str, predictions: Floats, references: Floats) -> tuple[float, Floats]:
    """Return a rank correlation."""
    scores = PairedScores(predictions, references)
    estimate = RANK_ESTIMATES[RANKS[kind]](scores)
    effects = np.full(scores.size, math.nan)
    if estimate.influences is not None:
        effects[scores.order] = estimate.influences
    return estimate.value, effects
