"""Intervals of areas under curves, and of losses, by random weights with an unseen row.

The unseen row is at either end of the scores, positive or negative: that which lowers, or raises,
an area most. It is one of the rarer class. Areas of both classes with many rows, and areas averaged
over labels, are treated as linear in the rows, by the influences of rows.
"""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Booleans, Floats, Integers
from ...statistics.arithmetic.exact_sums import group_sums, rounded_sum
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.intervals import mean_interval, ratio_interval
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.weighted_units import (
    LINEAR,
    DrawnScore,
    extremes,
    unit_intervals,
)
from ...statistics.resampling.row_units import RowUnits
from .areas import InfluencedScore, RowScores

_ROUNDING = 1e-9  # a row's score that is as near to a whole number is one
_UNSEEN = 4  # kinds of unseen rows: positive or negative, first or last
UNDEFINED = Interval(math.nan, math.nan, "law", math.nan)

Areas = Mapping[str, Callable[[RowScores], InfluencedScore]]


def loss_interval(
    score: InfluencedScore, weights: Floats | None, upper: float, uncertainty: Uncertainty
) -> Interval:
    """Return the interval of a mean of rows, whose scores follow from their influences on it."""
    if math.isnan(score.score):
        return UNDEFINED
    influences = score.influences()
    w = np.ones(influences.size) if weights is None else weights
    changes = np.divide(influences, w, out=np.zeros(w.size), where=w > 0)
    values = np.clip(score.score + changes * math.fsum(w.tolist()), 0.0, upper)
    is_whole = np.abs(values - np.rint(values)) < _ROUNDING
    values = np.where(is_whole, np.rint(values), values)
    if uncertainty.method == "wilson":
        uncertainty = replace(uncertainty, method="auto")  # the result says which it was
    return mean_interval(values, uncertainty, bounds=(0.0, upper), weights=weights)


def linear_interval(
    score: float,
    influences: Floats,
    extended: tuple[float, float],
    weights: Floats | None,
    uncertainty: Uncertainty,
) -> Interval:
    """Return the interval of an area from 0 to 1 that is treated as a mean of rows.

    Args:
        score: the area.
        influences: of the rows on it.
        extended: the area of all rows and the worst further one, and that with the best one.
        weights: of the rows; None if they are equal.
        uncertainty: the level, the method and the clusters.
    """
    if math.isnan(score):
        return UNDEFINED
    sizes = np.ones(influences.size) if weights is None else weights
    total = math.fsum(sizes.tolist())
    numerators = sizes * score + influences * total
    clusters = uncertainty.clusters
    if isinstance(clusters, Clusters):
        numerators, sizes = (
            group_sums(column, clusters.numbers, len(clusters)) for column in (numerators, sizes)
        )
    added = float(np.square(sizes).sum()) / total
    low, high = (score + (total + added) / added * (area - score) for area in extended)
    if uncertainty.method != "bootstrap":
        uncertainty = replace(uncertainty, method="auto")
    bounds = min(low, score), max(high, score)
    found = ratio_interval(numerators, sizes, uncertainty, bounds=bounds)
    return found._replace(
        low=min(max(found.low, 0.0), score),
        high=max(min(found.high, 1.0), score),
        standard_error=_error(influences, clusters),
    )


def area_intervals(
    rows: RowScores, areas: Areas, max_fpr: float | None, uncertainty: Uncertainty
) -> dict[str, Interval]:
    """Return the interval of each area of a binary task.

    Args:
        rows: the rows.
        areas: the functions of the areas by name.
        max_fpr: the largest false positive rate of `partial_roc_auc`.
        uncertainty: the level, the method and the clusters.
    """
    found = {name: area(rows) for name, area in areas.items()}
    names = [name for name, score in found.items() if not math.isnan(score.score)]
    intervals = dict.fromkeys(found, UNDEFINED)
    if not names:
        return intervals
    units, unit, amounts, entries = _units(rows, uncertainty.clusters)
    is_positive = entries[:, 1] == 1
    sides = (is_positive, ~is_positive)
    fewest = min(_effective(units.counts, np.bincount(unit, amounts * side)) for side in sides)
    if fewest >= LINEAR and uncertainty.method != "bootstrap":
        ends = [
            [area(_with_row(rows, best=best)).score for area in areas.values()] for best in (0, 1)
        ]
        return {
            name: linear_interval(
                score.score, score.influences(), extended, rows.weights, uncertainty
            )
            for (name, score), *extended in zip(found.items(), *ends, strict=True)
        }
    order = np.argsort(-entries[:, 0], kind="stable")
    ordered = entries[order, 0]
    starts = np.append(0, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1)
    kinds = [side[order][:, np.newaxis] for side in sides]

    def measure(sums: Floats, names: Collection[str]) -> dict[str, Floats]:
        weights = sums[unit[order]] * amounts[order, np.newaxis]
        ends = sums[len(sums) - _UNSEEN :]
        positives, negatives = (
            np.concatenate(
                [
                    ends[number : number + 1],
                    np.add.reduceat(weights * side, starts, axis=0),
                    ends[number + 2 : number + 3],
                ]
            )
            for number, side in enumerate(kinds)
        )
        return areas_of_weights(positives, negatives, names, max_fpr)

    sizes = np.bincount(unit, amounts)
    candidates = np.eye(_UNSEEN, units.counts.size + _UNSEEN, units.counts.size)
    candidates *= (units.counts @ sizes**2) / (units.counts @ sizes)
    with np.errstate(all="ignore"):
        trials = measure(units.total()[:, np.newaxis] + candidates.T, names)
    scores = {
        name: DrawnScore(found[name].score, *extremes(trials[name], candidates), (0.0, 1.0))
        for name in names
    }
    for name, drawn in unit_intervals(units, scores, measure, uncertainty).items():
        error = _error(found[name].influences(), uncertainty.clusters)
        intervals[name] = drawn._replace(standard_error=error)
    return intervals


def _error(influences: Floats, clusters: object) -> float:
    """Return the standard error of the infinitesimal jackknife; NaN for one cluster."""
    if not isinstance(clusters, Clusters):
        return math.sqrt(rounded_sum(np.square(influences)))
    number = len(clusters)
    sums = group_sums(influences, clusters.numbers, number)
    return math.sqrt(rounded_sum(sums**2) * number / (number - 1)) if number > 1 else math.nan


def areas_of_weights(
    positives: Floats, negatives: Floats, names: Collection[str], max_fpr: float | None
) -> dict[str, Floats]:
    """Return areas of weighted rows, shape (scores, draws), from the highest score down."""
    true, false = np.cumsum(positives, axis=0), np.cumsum(negatives, axis=0)
    total, others = true[-1], false[-1]
    areas: dict[str, Floats] = {}
    if "roc_auc" in names:
        beaten = others - false + negatives / 2
        areas["roc_auc"] = (positives * beaten).sum(axis=0) / (total * others)
    if "average_precision" in names or "pr_auc" in names:
        seen = true + false
        precision = np.divide(true, seen, out=np.ones_like(true), where=seen > 0)
        areas["average_precision"] = (positives * precision).sum(axis=0) / total
        above = (positives[1:] * precision[:-1]).sum(axis=0) + positives[0]
        areas["pr_auc"] = (areas["average_precision"] + above / total) / 2
    if max_fpr is not None and "partial_roc_auc" in names:
        left, width = (false - negatives) / others, negatives / others
        room = np.clip(max_fpr - left, 0.0, None)
        overlap = np.minimum(room, width)
        steps = np.where(overlap < width, overlap**2, (2 * room - width) * width)
        right = np.divide(steps, 2 * width, out=room, where=width > 0)
        chance = max_fpr**2 / 2
        area = (right * positives).sum(axis=0) / total
        areas["partial_roc_auc"] = 0.5 + 0.5 / (max_fpr - chance) * (area - chance)
    return areas


def _units(rows: RowScores, clusters: object) -> tuple[RowUnits, Integers, Floats, Floats]:
    """Return the units, and for each kind of row its unit, its weight, and its score and class.

    The order of units does not depend on that of rows.
    """
    scores, weights = rows.scores, rows.weights
    if weights is None and not isinstance(clusters, Clusters):
        scores = _without_idle_scores(scores, rows.positive)
    table = np.column_stack([scores, rows.positive, np.ones(scores.size)]) + 0.0
    numbers = clusters.numbers if isinstance(clusters, Clusters) else None
    if weights is not None:
        table[:, 2] = weights
        table = table[weights > 0]
        numbers = None if numbers is None else numbers[weights > 0]
    kinds, codes, counts = np.unique(table, axis=0, return_inverse=True, return_counts=True)
    if numbers is None:
        units = RowUnits(counts, unobserved=_UNSEEN)
        return units, np.arange(counts.size), kinds[:, 2], kinds
    pairs, repeats = np.unique(numbers * counts.size + codes, return_counts=True)
    owners, members = np.divmod(pairs, counts.size)
    contents: dict[int, list[tuple[int, int]]] = {}
    columns = (owners.tolist(), members.tolist(), repeats.tolist())
    for owner, member, repeat in zip(*columns, strict=True):
        contents.setdefault(owner, []).append((member, repeat))
    places = {
        owner: place for place, owner in enumerate(sorted(contents, key=contents.__getitem__))
    }
    unit = np.array([places[owner] for owner in columns[0]], np.int64)
    units = RowUnits(np.ones(len(places), np.int64), None, len(places), _UNSEEN)
    return units, unit, kinds[members, 2] * repeats, kinds[members]


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


def _with_row(rows: RowScores, *, best: int) -> RowScores:
    """Return the rows and one of the rarer class, first or last."""
    is_positive = bool(2 * np.count_nonzero(rows.positive) < rows.positive.size)
    ends = rows.scores.min() - 1, rows.scores.max() + 1
    weights = rows.weights
    return RowScores(
        np.append(rows.scores, ends[best if is_positive else 1 - best]),
        np.append(rows.positive, is_positive),
        None if weights is None else np.append(weights, weights.mean()),
    )
