"""Explained variation (R2 and similar scores) and correlations as functions of sums over rows.

Their intervals weight rows at random together with an unseen one. For explained variation it has
the largest error of all rows, at the mean of references, or none, at the reference farthest from
that.

No method is safe for rare gross errors: with 2 % of such rows the coverage of R2 is .2 at ten rows.
"""

import math

import numpy as np

from ..statistics.arguments.arrays import Floats
from ..statistics.arithmetic.exact_sums import rounded_sum
from ..statistics.intervals.methods import Uncertainty
from ..statistics.intervals.proportions import UNDEFINED, Interval
from ..statistics.intervals.weighted_units import (
    DrawnScore,
    unit_intervals,
)
from ..statistics.resampling.row_units import RowUnits, cluster_values
from .measure_names import D2_NAMES, RegressionMeasure
from .pairs import Pairs
from .row_losses import d2_losses

CORRELATIONS = ("pearson", "concordance")
_ROUNDING = 1e-12  # a variation that is a smaller part of the sum of squares is that of a constant


def sum_columns(measure: RegressionMeasure, pairs: Pairs, output: int) -> Floats:
    """Return what rows of weight 1 add to the sums of `sums_score`, shape (sums, rows).

    For a D2 these are the losses, and those of the best constant prediction; else sums over errors
    and references near 0, in units in which no square overflows.
    """
    if measure.kind in D2_NAMES:
        columns = pairs.predictions[output], pairs.references[output]
        return np.stack(d2_losses(measure, *columns, pairs.weights))
    x, y = (table[output] for table in pairs.floats())
    power = math.frexp(max(float(np.abs(column).max()) for column in (x, y)))[1]
    x, y = np.ldexp(x, -power), np.ldexp(y, -power)
    weights = pairs.row_weights()
    total = rounded_sum(weights)
    centre = rounded_sum(y * weights) / total
    if measure.kind != "pearson":  # depends on the difference of means, and of spreads
        return _terms(y - centre, y - x)
    x, y = x - rounded_sum(x * weights) / total, y - centre
    for column in (x, y):
        column /= math.sqrt(rounded_sum(np.square(column) * weights) / total) or 1.0
    return _terms(y, y - x)


def explained_interval(
    kind: str, value: float, columns: Floats, weights: Floats, uncertainty: Uncertainty
) -> Interval:
    """Return the interval of explained variation, or of concordance, of one output.

    Args:
        kind: R2, explained variance, a D2, or concordance.
        value: the score.
        columns: what rows of weight 1 add to the sums, from `sum_columns`.
        weights: the weights of rows.
        uncertainty: the level, the method and the clusters.
    """
    if math.isnan(value):
        return UNDEFINED
    numbers = uncertainty.numbers
    units = RowUnits.of_rows((columns * weights).T, numbers)
    sizes = cluster_values(weights[:, np.newaxis], numbers)[:, 0]

    def measure(sums: Floats, _: object = None) -> dict[str, Floats]:
        return {"": sums_score(kind, sums)}

    bounds = (-1.0 if kind in CORRELATIONS else -math.inf, 1.0)
    candidates = _unseen_rows(kind, columns)
    candidates *= rounded_sum(sizes * sizes) / rounded_sum(sizes)
    score = DrawnScore(value, candidates, bounds)
    found = unit_intervals(units, {"": score}, measure, uncertainty, smooth=len(units))[""]
    if math.isnan(found.low):  # no variation in any draw
        return found._replace(low=bounds[0], high=bounds[1])
    return found


def _unseen_rows(kind: str, columns: Floats) -> Floats:
    """Return what rows of weight 1 that may come add to the sums, shape (rows, sums)."""
    if kind in D2_NAMES:
        losses, of_constant = columns.max(axis=1)
        return np.array([[losses or of_constant, 0.0], [0.0, of_constant]])
    _, y, e, *_ = columns
    largest, far = (float(np.abs(column).max()) for column in (e, y))
    largest = largest or float(np.std(y))  # without any error, as far as references are apart
    at = largest / 2 if kind == "concordance" else 0.0
    references = np.array([at, -at, far, -far])
    return _terms(references, np.array([largest, -largest, 0.0, 0.0])).T


def _terms(y: Floats, e: Floats) -> Floats:
    return np.stack([np.ones(y.size), y, e, y * y, e * e, y * e])


def score_effects(kind: str, columns: Floats) -> Floats:
    """Return the effect of each row on the score from sums; the mean of effects is 0.

    Args:
        kind: as in `sums_score`.
        columns: what each row adds to the sums, shape (sums, rows).

    >>> score_effects("d2_tweedie", np.array([[0.0, 1.0], [1.0, 3.0]])).tolist()
    [0.125, -0.125]
    """
    if not np.isfinite(columns).all():
        return np.full(columns.shape[1], math.nan)
    totals = np.array([*map(rounded_sum, columns)])[:, np.newaxis]
    step = 1e-100  # an imaginary step has the derivative as its imaginary part, without rounding
    slopes = np.imag(sums_score(kind, totals + step * 1j * np.eye(totals.size)))
    effects: Floats = columns.shape[1] * (slopes / step @ columns)
    return effects


def sums_score(kind: str, sums: Floats) -> Floats:
    """Return the score from sums over rows: of 1, y, e, y**2, e**2 and y e for the error e."""
    if kind in D2_NAMES:
        return np.where(np.real(sums[1]) > 0, 1 - sums[0] / sums[1], np.nan)
    rows, y, e, squares, unexplained, product = sums
    variation = squares - y * y / rows
    variation = np.where(np.real(variation) > _ROUNDING * np.real(squares), variation, np.nan)
    errors = unexplained if kind == "r2" else unexplained - e * e / rows
    if kind not in CORRELATIONS:
        return np.asarray(1 - errors / variation)
    joint = product - y * e / rows
    predicted, covariation = variation + errors - 2 * joint, variation - joint
    if kind == "pearson":
        return np.asarray(covariation / np.sqrt(variation * predicted))
    return np.asarray(2 * covariation / (variation + predicted + e * e / rows))
