"""Intervals of areas under curves, by random weights with an unseen row.

The unseen row is at either end of the scores, positive or negative: that which lowers, or raises,
an area most. It is one of the rarer class. Areas of both classes with many rows, and areas averaged
over labels, are treated as means of the numbers of rows.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Booleans, Floats, Integers
from ...statistics.arithmetic.exact_sums import group_sums
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.intervals import ratio_error, ratio_interval
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import UNDEFINED, Interval
from ...statistics.intervals.weighted_units import (
    LINEAR,
    DrawnScore,
    unit_intervals,
)
from ...statistics.resampling.row_units import RowUnits
from .areas import Measure, RowScore, RowScores
from .curves import areas_of_weights

_UNSEEN = 4  # kinds of unseen rows: positive or negative, first or last


def linear_interval(
    score: RowScore,
    extended: tuple[float, float],
    weights: Floats | None,
    uncertainty: Uncertainty,
) -> Interval:
    """Return the interval of an area from 0 to 1 that is treated as a mean of rows.

    Args:
        score: the area.
        extended: the area of all rows and the worst further one, and that with the best one.
        weights: of the rows; None if they are equal.
        uncertainty: the level, the method and the clusters.
    """
    value = score.value
    if math.isnan(value):
        return UNDEFINED
    numerators, sizes = _sums(score, weights, uncertainty.clusters)
    total = math.fsum(sizes.tolist())
    added = float(np.square(sizes).sum()) / total
    low, high = (value + (total + added) / added * (area - value) for area in extended)
    if uncertainty.method != "bootstrap":
        uncertainty = replace(uncertainty, method="auto")
    bounds = min(low, value), max(high, value)
    found = ratio_interval(numerators, sizes, uncertainty, bounds=bounds)
    ends = min(max(found.low, 0.0), value), max(min(found.high, 1.0), value)
    error = _error(numerators, sizes, uncertainty.clusters)
    return found._replace(low=ends[0], high=ends[1], standard_error=error)


def _sums(score: RowScore, weights: Floats | None, clusters: object) -> tuple[Floats, Floats]:
    """Return the numerator and the size of each row, or cluster, of a mean of rows."""
    rows = score.rows()
    sizes = np.ones(rows.size) if weights is None else weights
    if not isinstance(clusters, Clusters):
        return sizes * rows, sizes
    columns = (sizes * rows, sizes)
    numerators, sizes = (group_sums(of, clusters.numbers, len(clusters)) for of in columns)
    return numerators, sizes


def _error(numerators: Floats, sizes: Floats, clusters: object) -> float:
    """Return the standard error of the infinitesimal jackknife; NaN for one row or cluster."""
    error, number = ratio_error(numerators, sizes), sizes.size
    return error if clusters is not None else error * math.sqrt(1 - 1 / number)


def area_intervals(
    rows: RowScores,
    measures: Mapping[str, Measure],
    max_fpr: float | None,
    uncertainty: Uncertainty,
) -> dict[str, Interval]:
    """Return the interval of each area of a binary task.

    Args:
        rows: the rows.
        measures: the areas by name.
        max_fpr: the largest false positive rate of `partial_roc_auc`.
        uncertainty: the level, the method and the clusters.
    """
    areas = {name: measure(rows) for name, measure in measures.items()}
    names = [name for name, score in areas.items() if not math.isnan(score.value)]
    intervals = dict.fromkeys(areas, UNDEFINED)
    if not names:
        return intervals
    units, unit, amounts, entries = _units(rows, uncertainty.clusters)
    is_positive = entries[:, 1] == 1
    sides = (is_positive, ~is_positive)
    fewest = min(_effective(units.counts, np.bincount(unit, amounts * side)) for side in sides)
    if fewest >= LINEAR and uncertainty.method != "bootstrap":
        extended = [rows.with_row(best=best) for best in (False, True)]
        for name in names:
            ends = measures[name](extended[0]).value, measures[name](extended[1]).value
            intervals[name] = linear_interval(areas[name], ends, rows.weights, uncertainty)
        return intervals
    order = np.argsort(entries[:, 0], kind="stable")
    ordered = entries[order, 0]
    starts = np.append(0, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1)

    kinds = [side[order][:, np.newaxis] for side in sides]

    def measure(sums: Floats, names: Collection[str]) -> Mapping[str, Floats]:
        weights = sums[unit[order]] * amounts[order, np.newaxis]
        unseen = sums[len(sums) - _UNSEEN :]
        positives, negatives = (
            np.concatenate(
                [
                    unseen[number + 2 : number + 3],
                    np.add.reduceat(weights * side, starts, axis=0),
                    unseen[number : number + 1],
                ]
            )
            for number, side in enumerate(kinds)
        )
        return areas_of_weights(positives, negatives, names, max_fpr or 1.0)

    sizes = np.bincount(unit, amounts)
    candidates = np.eye(_UNSEEN, units.counts.size + _UNSEEN, units.counts.size)
    candidates *= (units.counts @ sizes**2) / (units.counts @ sizes)
    scores = {name: DrawnScore(areas[name].value, candidates, (0.0, 1.0)) for name in names}
    for name, drawn in unit_intervals(units, scores, measure, uncertainty).items():
        sums = _sums(areas[name], rows.weights, uncertainty.clusters)
        error = _error(*sums, uncertainty.clusters)
        intervals[name] = drawn._replace(standard_error=error)
    return intervals


def _units(rows: RowScores, clusters: object) -> tuple[RowUnits, Integers, Floats, Floats]:
    """Return the units, and for each kind of row its unit, its weight, and its score and class.

    The order of units does not depend on that of rows.
    """
    scores, weights = rows.scores, rows.weights
    if weights is None and not isinstance(clusters, Clusters):
        scores = _without_idle_scores(scores, rows.positive)
    sizes = np.ones(scores.size) if weights is None else weights
    table = np.column_stack([scores, rows.positive, sizes]) + 0.0
    kinds, codes, counts = np.unique(table, axis=0, return_inverse=True, return_counts=True)
    codes = codes.ravel()
    if not isinstance(clusters, Clusters):
        units = RowUnits(counts, unobserved=_UNSEEN)
        return units, np.arange(counts.size), kinds[:, 2], kinds
    order = np.lexsort((codes, clusters.numbers))
    borders = np.flatnonzero(np.diff(clusters.numbers[order])) + 1
    clusters_of_codes = np.split(codes[order], borders)
    clusters_of_codes.sort(key=np.ndarray.tolist)
    members = np.concatenate(clusters_of_codes)
    number = len(clusters_of_codes)
    unit = np.repeat(np.arange(number), list(map(len, clusters_of_codes)))
    units = RowUnits(np.ones(number, np.int64), None, number, _UNSEEN)
    return units, unit, kinds[members, 2], kinds[members]


def _without_idle_scores(scores: Floats, positive: Booleans) -> Floats:
    """Return scores in the same order, equal for negatives between which there is no positive.

    No area changes, and there are few kinds of rows if there are few positives.
    """
    levels = np.unique(scores[positive])
    if not levels.size:
        return np.zeros(scores.size)
    places = levels.searchsorted(scores)
    is_level = levels.take(places, mode="clip") == scores
    return np.where(is_level, places, places - 0.5)


def _effective(counts: Integers, sizes: NDArray[Any]) -> float:
    """Return how many units of equal size these are, by how many there are of each kind."""
    squares = float(counts @ sizes**2)
    return float(counts @ sizes) ** 2 / squares if squares else 0.0
