"""Explained variation (R2 and similar scores) and concordance as functions of sums over rows.

Their intervals weight rows at random together with an unseen one. For explained variation it has
the largest error of all rows, at the mean of references, or none, at the reference farthest from
that.

No method is safe for rare gross errors: with 2 % of such rows the coverage of R2 is .2 at ten rows.
"""

import math
from typing import Any

import numpy as np

from ..statistics.arguments.arrays import Floats
from ..statistics.arithmetic.exact_sums import rounded_sum
from ..statistics.intervals.cluster_sums import Clusters
from ..statistics.intervals.methods import Uncertainty
from ..statistics.intervals.proportions import Interval
from ..statistics.intervals.weighted_units import (
    DrawnScore,
    extremes,
    unit_intervals,
)
from ..statistics.resampling.row_units import RowUnits, cluster_values
from .measure_names import D2_NAMES

CORRELATIONS = ("pearson", "concordance")
RANKS = {"spearman": "spearman", "kendall": "kendall_tau_b"}  # as `rank_correlations` has them
_ROUNDING = 1e-12  # a variation that is a smaller part of the sum of squares is that of a constant


def explained_interval(
    kind: str, value: float, columns: Floats, weights: Floats, uncertainty: Uncertainty
) -> Interval:
    """Return the interval of explained variation, or of concordance, of one output.

    Args:
        kind: R2, explained variance, a D2, or concordance.
        value: the score.
        columns: the terms of rows of weight 1, as `summands` returns them, shape (sums, rows); for
            a D2 the losses, and those of the best constant prediction.
        weights: the weights of rows.
        uncertainty: the level, the method and the clusters.
    """
    numbers = None
    if isinstance(uncertainty.clusters, Clusters):
        numbers = uncertainty.clusters.numbers
    units = RowUnits.of_rows((columns * weights).T, numbers)
    sizes = cluster_values(weights[:, np.newaxis], numbers)[:, 0]

    def measure(sums: Floats, _: object = None) -> dict[str, Floats]:
        return {"": sums_score(kind, sums)}

    bounds = (-1.0 if kind in CORRELATIONS else -math.inf, 1.0)
    if math.isnan(value):
        return Interval(math.nan, math.nan, "law", math.nan)
    candidates = _unseen_rows(kind, columns)
    candidates *= rounded_sum(sizes * sizes) / rounded_sum(sizes)
    with np.errstate(all="ignore"):
        of_candidates = measure(units.total()[:, np.newaxis] + candidates.T)[""]
        score = DrawnScore(value, *extremes(of_candidates, candidates), bounds)
        found = unit_intervals(units, {"": score}, measure, uncertainty, smooth=len(units))[""]
    if math.isnan(found.low):  # no variation in any draw
        found = found._replace(low=bounds[0], high=bounds[1])
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
    return np.stack(_terms(references, np.array([largest, -largest, 0.0, 0.0])), axis=1)


def _terms(y: Floats, e: Floats) -> tuple[Floats, ...]:
    return np.ones(y.size), y, e, y * y, e * e, y * e


def summands(
    kind: str, predictions: Floats, references: Floats, weights: Floats
) -> tuple[Floats, ...]:
    """Return what rows of weight 1 add to the sums of `sums_score`, except for a D2.

    Both columns are in units in which no square overflows, near a mean of 0.
    """
    largest = max(float(np.abs(column).max(initial=0.0)) for column in (predictions, references))
    x, y = (np.ldexp(column, -math.frexp(largest)[1]) for column in (predictions, references))
    total = rounded_sum(weights)
    if total:
        centers = [rounded_sum(column * weights) / total for column in (x, y)]
        if kind != "pearson":  # depends on the difference of means, and of spreads
            centers[0] = centers[1]
        x, y = x - centers[0], y - centers[1]
        if kind == "pearson":
            for column in (x, y):
                column /= math.sqrt(rounded_sum(np.square(column) * weights) / total) or 1.0
    return _terms(y, y - x)


def score_and_effects(kind: str, columns: Floats) -> tuple[float, Floats]:
    """Return the score from sums, and the effect of each row on it, whose mean is 0.

    Args:
        kind: as in `sums_score`.
        columns: what each row adds to the sums, shape (sums, rows).

    >>> score, effects = score_and_effects("d2_tweedie", np.array([[0.0, 1.0], [1.0, 3.0]]))
    >>> score, effects.tolist()
    (0.75, [0.125, -0.125])
    """
    if not np.isfinite(columns).all():
        return math.nan, np.full(columns.shape[1], math.nan)
    totals: Any = np.array([*map(rounded_sum, columns)])
    step = 1e-100  # an imaginary step has the derivative as its imaginary part, without rounding
    slopes = np.imag(sums_score(kind, totals[:, np.newaxis] + step * 1j * np.eye(totals.size)))
    effects: Floats = columns.shape[1] * (slopes / step @ columns)
    return float(sums_score(kind, totals)), effects


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
