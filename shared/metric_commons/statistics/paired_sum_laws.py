"""The law of the difference of two systems whose scores follow from sums over the same rows.

Ratios with the same sizes of rows, such as word error rates, have differences that are ratios
again, whose law is exact. All others are drawn, with the same weights for both systems. The row
that was not seen is lost by one system and won by the other.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..numbers.arrays import Floats, Integers
from ..resampling.bootstrap import deviation, percentile_ends
from ..resampling.ratio_law import law_units
from ..resampling.unseen_units import lower_tail, ratio_ends
from ..resampling.weighed_sums import LINEAR, DrawnScore, linear_law
from .sum_laws import Law, SumFunction, SumRatio, cluster_values, draws_of_units, ratio_error

Side = tuple[Mapping[str, Law], NDArray[Any], Mapping[str, float]]  # laws, statistics, scores


@dataclass(frozen=True)
class DifferenceLaw:
    """The interval of a difference and the p-values that it inverts to."""

    ends: Callable[[float], tuple[float, float]]  # from the confidence level
    at_most: Callable[[float], float]  # the p-value of a difference of at most this
    at_least: Callable[[float], float]  # and of one of at least this
    standard_error: float


def difference_laws(
    keys: Sequence[str],
    names: Sequence[str],
    first: Side,
    second: Side,
    clusters: Integers | None,
    *,
    n_resamples: int,
    seed: int,
) -> dict[str, DifferenceLaw]:
    """The law of the difference of each of these scores that has one in both systems.

    Args:
        keys: names of scores.
        names: of the statistics, the columns of both systems.
        first: the laws, the statistics of rows, and the scores of system A.
        second: those of system B.
        clusters: the number of the cluster of each row; None if rows stand alone.
        n_resamples: how many draws.
        seed: of the draws.
    """
    a, b = (cluster_values(side[1], clusters) for side in (first, second))
    columns_a, columns_b = (dict(zip(names, table.T, strict=True)) for table in (a, b))
    laws: dict[str, DifferenceLaw] = {}
    redraws: dict[str, DrawnScore] = {}
    extra: list[Floats] = []  # numerators and sizes of ratios, behind all statistics
    for key in keys:
        law_a, law_b = first[0].get(key), second[0].get(key)
        difference = first[2][key] - second[2][key]
        if isinstance(law_a, SumRatio) and isinstance(law_b, SumRatio):
            units_a, units_b = law_a.units(columns_a), law_b.units(columns_b)
            if (units_a[1] == units_b[1]).all():
                laws[key] = _ratio_law(law_a, units_a[0], units_b[0], units_a[1])
                continue
            position = 2 * len(names) + len(extra)
            extra += [*units_a, *units_b]
            redraws[key] = _drawn_ratio(law_a, position, difference, units_a, units_b)
        elif isinstance(law_a, SumFunction) and isinstance(law_b, SumFunction):
            redraws[key] = _drawn_function((law_a, a), (law_b, b), names, difference)
    if not redraws:
        return laws
    table = np.column_stack([a, b, *extra])
    width = table.shape[1]
    redraws = {key: _widened(score, width) for key, score in redraws.items()}
    if len(table) > LINEAR:
        for key, score in redraws.items():
            linear = linear_law(table, score)
            laws[key] = DifferenceLaw(
                partial(linear.ends, score),
                linear.tail,
                partial(linear.tail, upper=True),
                linear.error,
            )
        return laws
    for key, values in draws_of_units(table, redraws, n_resamples=n_resamples, seed=seed).items():
        laws[key] = DifferenceLaw(
            partial(values.ends, redraws[key]),
            values.tail,
            partial(values.tail, upper=True),
            values.standard_error(len(table)),
        )
    return laws


def _ratio_law(law: SumRatio, a: Floats, b: Floats, sizes: Floats) -> DifferenceLaw:
    """The law of a difference of ratios of the same sizes, itself a ratio."""
    units = law_units(a - b, sizes)
    mirrored = units._replace(units=units.units._replace(numerators=-units.units.numerators))
    reach = max(law.bounds(law_units(side, sizes))[1] for side in (a, b))

    def ends(confidence_level: float) -> tuple[float, float]:
        low, high = ratio_ends(units, (-reach, reach), confidence_level)
        return low * law.scale, high * law.scale

    return DifferenceLaw(
        ends,
        lambda limit: lower_tail(units, limit / law.scale, -reach),
        lambda limit: lower_tail(mirrored, -limit / law.scale, -reach),
        ratio_error(a - b, sizes) * law.scale,
    )


def _drawn_ratio(
    law: SumRatio,
    position: int,
    difference: float,
    units_a: tuple[Floats, Floats],
    units_b: tuple[Floats, Floats],
) -> DrawnScore:
    """The difference of two ratios whose sizes differ, from four columns at a position."""
    laws = [law_units(*units) for units in (units_a, units_b)]
    reach = max(law.bounds(units)[1] for units in laws)
    sizes = [units.unseen_size for units in laws]
    lowering, raising = np.zeros(position + 4), np.zeros(position + 4)
    lowering[position:] = [0.0, sizes[0], reach * sizes[1], sizes[1]]
    raising[position:] = [reach * sizes[0], sizes[0], 0.0, sizes[1]]

    def score(sums: Floats) -> Floats:
        top_a, bottom_a, top_b, bottom_b = sums[position : position + 4]
        differences: Floats = law.scale * (top_a / bottom_a - top_b / bottom_b)
        return differences

    bounds = -reach * law.scale, reach * law.scale
    return DrawnScore(difference, score, lowering, raising, bounds)


def _drawn_function(
    first: tuple[SumFunction, Floats],
    second: tuple[SumFunction, Floats],
    names: Sequence[str],
    difference: float,
) -> DrawnScore:
    """The difference of two functions of sums, from the columns of both systems."""
    (score_a, lowering_a, raising_a), (score_b, lowering_b, raising_b) = (
        (redraws.score, redraws.lowering, redraws.raising)
        for redraws in (law.redraws(names, values, math.nan) for law, values in (first, second))
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
    """The score of sums with further columns, to which its unseen units add nothing."""
    lowering, raising = (
        np.concatenate([unit, np.zeros(width - unit.size)])
        for unit in (score.lowering, score.raising)
    )
    return DrawnScore(score.value, score.score, lowering, raising, score.bounds)


def resampled_law(values: Floats, difference: float, units: int) -> DifferenceLaw:
    """The percentile interval of resampled differences, and Student's t with their error.

    Args:
        values: the differences of resamples, shape (resamples,).
        difference: the observed one.
        units: how many rows or clusters there are.
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

    return DifferenceLaw(
        ends,
        lambda limit: p_value(difference - limit),
        lambda limit: p_value(limit - difference),
        error,
    )
