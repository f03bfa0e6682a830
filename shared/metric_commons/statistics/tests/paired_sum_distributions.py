"""The distribution of the difference of two systems, for scores that follow from sums of rows.

Ratios with the same sizes of rows, such as word error rates, have differences that are ratios
again, whose distribution is exact. All others are drawn, with the same weights for both systems.
The unseen row is lost by one system and won by the other.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Floats, Integers
from ..intervals.sum_distributions import (
    SumFunction,
    SumRatio,
    SumScore,
    cluster_values,
    draws_of_units,
    ratio_error,
)
from ..resampling.bootstrap import deviation, percentile_ends
from ..resampling.ratio_distribution import ratio_distribution
from ..resampling.unseen_units import lower_tail, ratio_ends
from ..resampling.weighted_sums import LINEAR, DrawnScore, linear_distribution

Side = tuple[
    Mapping[str, SumScore], NDArray[Any], Mapping[str, float]
]  # distributions, statistics, scores


@dataclass(frozen=True)
class DifferenceDistribution:
    """The interval of a difference and the p-values that invert it."""

    ends: Callable[[float], tuple[float, float]]  # from the confidence level
    at_most: Callable[[float], float]  # the p-value of a difference of at most this
    at_least: Callable[[float], float]  # and of one of at least this
    standard_error: float


def difference_distributions(
    keys: Sequence[str],
    names: Sequence[str],
    first: Side,
    second: Side,
    clusters: Integers | None,
    *,
    n_resamples: int,
    seed: int,
) -> dict[str, DifferenceDistribution]:
    """The distribution of the difference of each of these scores that has one in both systems.

    Args:
        keys: names of scores.
        names: the names of the statistics, which are the columns of both systems.
        first: the distributions, the statistics of rows, and the scores of system A.
        second: the same of system B.
        clusters: the number of the cluster of each row; None if rows are independent.
        n_resamples: the number of draws.
        seed: for the draws.
    """
    a, b = (cluster_values(side[1], clusters) for side in (first, second))
    columns_a, columns_b = (dict(zip(names, table.T, strict=True)) for table in (a, b))
    distributions: dict[str, DifferenceDistribution] = {}
    drawn_scores: dict[str, DrawnScore] = {}
    extra: list[Floats] = []  # numerators and sizes of ratios, after all statistics
    for key in keys:
        distribution_a, distribution_b = first[0].get(key), second[0].get(key)
        difference = first[2][key] - second[2][key]
        if isinstance(distribution_a, SumRatio) and isinstance(distribution_b, SumRatio):
            units_a, units_b = distribution_a.units(columns_a), distribution_b.units(columns_b)
            if (units_a[1] == units_b[1]).all():
                distributions[key] = _ratio_difference(
                    distribution_a, units_a[0], units_b[0], units_a[1]
                )
                continue
            position = 2 * len(names) + len(extra)
            extra += [*units_a, *units_b]
            drawn_scores[key] = _drawn_ratio(distribution_a, position, difference, units_a, units_b)
        elif isinstance(distribution_a, SumFunction) and isinstance(distribution_b, SumFunction):
            drawn_scores[key] = _drawn_function(
                (distribution_a, a), (distribution_b, b), names, difference
            )
    if not drawn_scores:
        return distributions
    table = np.column_stack([a, b, *extra])
    width = table.shape[1]
    drawn_scores = {key: _widened(score, width) for key, score in drawn_scores.items()}
    if len(table) > LINEAR:
        for key, score in drawn_scores.items():
            linear = linear_distribution(table, score)
            distributions[key] = DifferenceDistribution(
                partial(linear.ends, score),
                linear.tail,
                partial(linear.tail, upper=True),
                linear.error,
            )
        return distributions
    for key, values in draws_of_units(
        table, drawn_scores, n_resamples=n_resamples, seed=seed
    ).items():
        distributions[key] = DifferenceDistribution(
            partial(values.ends, drawn_scores[key]),
            values.tail,
            partial(values.tail, upper=True),
            values.standard_error(len(table)),
        )
    return distributions


def _ratio_difference(
    distribution: SumRatio, a: Floats, b: Floats, sizes: Floats
) -> DifferenceDistribution:
    """Return the distribution of a difference of ratios of the same sizes, itself a ratio."""
    units = ratio_distribution(a - b, sizes)
    mirrored = units._replace(units=units.units._replace(numerators=-units.units.numerators))
    reach = max(distribution.bounds(ratio_distribution(side, sizes))[1] for side in (a, b))

    def ends(confidence_level: float) -> tuple[float, float]:
        low, high = ratio_ends(units, (-reach, reach), confidence_level)
        return low * distribution.scale, high * distribution.scale

    return DifferenceDistribution(
        ends,
        lambda limit: lower_tail(units, limit / distribution.scale, -reach),
        lambda limit: lower_tail(mirrored, -limit / distribution.scale, -reach),
        ratio_error(a - b, sizes) * distribution.scale,
    )


def _drawn_ratio(
    distribution: SumRatio,
    position: int,
    difference: float,
    units_a: tuple[Floats, Floats],
    units_b: tuple[Floats, Floats],
) -> DrawnScore:
    """Return the difference of two ratios whose sizes differ, from four columns at a position."""
    distributions = [ratio_distribution(*units) for units in (units_a, units_b)]
    reach = max(distribution.bounds(units)[1] for units in distributions)
    sizes = [units.unseen_size for units in distributions]
    lowering, raising = np.zeros(position + 4), np.zeros(position + 4)
    lowering[position:] = [0.0, sizes[0], reach * sizes[1], sizes[1]]
    raising[position:] = [reach * sizes[0], sizes[0], 0.0, sizes[1]]

    def score(sums: Floats) -> Floats:
        top_a, bottom_a, top_b, bottom_b = sums[position : position + 4]
        differences: Floats = distribution.scale * (top_a / bottom_a - top_b / bottom_b)
        return differences

    bounds = -reach * distribution.scale, reach * distribution.scale
    return DrawnScore(difference, score, lowering, raising, bounds)


def _drawn_function(
    first: tuple[SumFunction, Floats],
    second: tuple[SumFunction, Floats],
    names: Sequence[str],
    difference: float,
) -> DrawnScore:
    """Return the difference of two functions of sums, from the columns of both systems."""
    (score_a, lowering_a, raising_a), (score_b, lowering_b, raising_b) = (
        (drawn_score.score, drawn_score.lowering, drawn_score.raising)
        for drawn_score in (
            distribution.drawn_score(names, values, math.nan)
            for distribution, values in (first, second)
        )
    )
    half = len(names)

    def score(sums: Floats) -> Floats:
        return score_a(sums[:half]) - score_b(sums[half : 2 * half])

    low, high = first[0].bounds
    return DrawnScore(
        difference,
        score,
        np.concatenate([lowering_a, raising_b]),
        np.concatenate([raising_a, lowering_b]),
        (low - high, high - low),
    )


def _widened(score: DrawnScore, width: int) -> DrawnScore:
    """Return the score of sums with further columns, to which its unseen units add nothing."""
    lowering, raising = (
        np.concatenate([unit, np.zeros(width - unit.size)])
        for unit in (score.lowering, score.raising)
    )
    return DrawnScore(score.value, score.score, lowering, raising, score.bounds)


def resampled_distribution(values: Floats, difference: float, units: int) -> DifferenceDistribution:
    """Return the percentile interval of resampled differences, and Student's t with their error.

    Args:
        values: the differences of resamples, shape (resamples,).
        difference: the observed one.
        units: the number of rows or clusters.
    """
    error = deviation(values[~np.isnan(values)])

    def ends(confidence_level: float) -> tuple[float, float]:
        low, high = percentile_ends(values, confidence_level).tolist()
        return low, high

    def p_value(excess: float) -> float:
        from scipy.special import stdtr

        if units < 2 or not error > 0:
            return math.nan
        return float(stdtr(units - 1, -excess / error))

    return DifferenceDistribution(
        ends,
        lambda limit: p_value(difference - limit),
        lambda limit: p_value(limit - difference),
        error,
    )
