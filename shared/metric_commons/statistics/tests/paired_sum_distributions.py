"""The distribution of the difference of two systems, for scores that follow from sums of rows.

Ratios with the same sizes of rows, such as word error rates, have differences that are ratios
again, whose distribution is exact. All others are drawn, with the same weights for both systems.
The unseen row is lost by one system and won by the other.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Floats, Integers
from ..intervals.sum_distributions import SumFunction, SumRatio, SumScore, ratio_error
from ..intervals.weighted_units import DrawnScore, ScoreDistribution, smooth_distributions
from ..resampling.ratio_distribution import ratio_distribution
from ..resampling.row_units import cluster_values
from .difference_distributions import RatioDifference

Side = tuple[
    Mapping[str, SumScore], NDArray[Any], Mapping[str, float]
]  # distributions, statistics, scores
Differences = Callable[[Floats], Floats]  # from sums of both systems


def difference_distributions(
    keys: Sequence[str],
    names: Sequence[str],
    first: Side,
    second: Side,
    clusters: Integers | None,
    **draws: int,
) -> dict[str, ScoreDistribution]:
    """The distribution of the difference of each of these scores that has one in both systems.

    Args:
        keys: names of scores.
        names: the names of the statistics, which are the columns of both systems.
        first: the distributions, the statistics of rows, and the scores of system A.
        second: the same of system B.
        clusters: the number of the cluster of each row; None if rows are independent.
        **draws: `n_resamples` and `seed`.
    """
    a, b = (cluster_values(side[1], clusters) for side in (first, second))
    columns_a, columns_b = (dict(zip(names, table.T, strict=True)) for table in (a, b))
    distributions: dict[str, ScoreDistribution] = {}
    drawn_scores: dict[str, DrawnScore] = {}
    functions: dict[str, Differences] = {}
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
            drawn_scores[key], functions[key] = _drawn_ratio(
                distribution_a, position, difference, units_a, units_b
            )
        elif isinstance(distribution_a, SumFunction) and isinstance(distribution_b, SumFunction):
            drawn_scores[key], functions[key] = _drawn_function(
                (distribution_a, a), (distribution_b, b), names, difference
            )
    if not drawn_scores:
        return distributions
    table = np.column_stack([a, b, *extra])
    width = table.shape[1]
    drawn_scores = {key: _widened(score, width) for key, score in drawn_scores.items()}
    return distributions | smooth_distributions(
        table,
        drawn_scores,
        lambda sums, keys: {key: functions[key](sums) for key in keys},
        **draws,
    )


def _ratio_difference(ratio: SumRatio, a: Floats, b: Floats, sizes: Floats) -> RatioDifference:
    """Return the distribution from the numerators of both systems, and the sizes of units."""
    reach = max(ratio.bounds(ratio_distribution(side, sizes))[1] for side in (a, b))
    error = ratio_error(a - b, sizes) * ratio.scale
    return RatioDifference(ratio_distribution(a - b, sizes), (-reach, reach), error, ratio.scale)


def _drawn_ratio(
    distribution: SumRatio,
    position: int,
    difference: float,
    units_a: tuple[Floats, Floats],
    units_b: tuple[Floats, Floats],
) -> tuple[DrawnScore, Differences]:
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
    return DrawnScore(difference, lowering, raising, bounds), score


def _drawn_function(
    first: tuple[SumFunction, Floats],
    second: tuple[SumFunction, Floats],
    names: Sequence[str],
    difference: float,
) -> tuple[DrawnScore, Differences]:
    """Return the difference of two functions of sums, from the columns of both systems."""
    (lowering_a, raising_a), (lowering_b, raising_b) = (
        distribution.unseen(names, values) for distribution, values in (first, second)
    )
    half = len(names)

    def score(sums: Floats) -> Floats:
        score_a, score_b = (
            distribution.score(dict(zip(names, part, strict=True)))
            for (distribution, _), part in zip(
                (first, second), (sums[:half], sums[half : 2 * half]), strict=True
            )
        )
        return score_a - score_b

    low, high = first[0].bounds
    lowering = np.concatenate([lowering_a, raising_b])
    raising = np.concatenate([raising_a, lowering_b])
    return DrawnScore(difference, lowering, raising, (low - high, high - low)), score


def _widened(score: DrawnScore, width: int) -> DrawnScore:
    """Return the score of sums with further columns, to which its unseen units add nothing."""
    lowering, raising = (
        np.concatenate([unit, np.zeros(width - unit.size)])
        for unit in (score.lowering, score.raising)
    )
    return replace(score, lowering=lowering, raising=raising)
