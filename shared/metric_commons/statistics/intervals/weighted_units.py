"""The engine of intervals and p-values: units with random weights, and an unseen one among them.

A score is computed from sums over units, which are rows or clusters of rows. A family says

* what a unit adds to each sum: `RowUnits`, such as `RowUnits.of_rows` of a table;
* how scores follow from sums: a function of sums of shape (sums, draws) and of the keys of the
  scores in question, which returns the values of each, shape (draws,). A score that sorts rows,
  such as an area or a rank correlation, has a sum for each kind of row: its weight. Such units have
  no `amounts`;
* for each score its value, and the units that lower and raise it most: `DrawnScore`. `extremes`
  finds these units by trying candidates.

The engine does the rest. The units are weighted at random together with an unseen one: the worst
for the lower end, the best for the upper end. All scores of a call, and both ends, share the
weights.

>>> units = RowUnits.of_rows(np.array([[1.0, 2.0], [0.0, 1.0], [2.0, 2.0], [1.0, 1.0]]))
>>> def measure(sums, keys):
...     return {"recall": sums[0] / sums[1]}
>>> row = 10 / 6  # the size of a unit in the mean of rows
>>> scores = {"recall": DrawnScore(4 / 6, np.array([0.0, row]), np.array([row, row]), (0.0, 1.0))}
>>> distribution = weighted_distributions(units, scores, measure, n_resamples=4_000, seed=0)
>>> print("{:.1f} to {:.1f}".format(*distribution["recall"].ends(0.95)))
0.2 to 1.0
"""

import math
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Self, TypeVar

import numpy as np

from ..arguments.arrays import Floats, Integers
from ..arithmetic.exact_sums import rounded_sum
from ..resampling.ratio_distribution import (
    RatioDistribution,
    levels,
    ratio_distribution,
    unseen_unit_ends,
)
from ..resampling.row_units import RowUnits, gathered
from .intervals import resampled_interval
from .methods import Uncertainty
from .proportions import Interval

LINEAR = 5_000  # units, from which a smooth score is treated as linear in its sums

Key = TypeVar("Key", bound=Hashable)
Measure = Callable[[Floats, Collection[Key]], Mapping[Key, Floats]]


@dataclass(frozen=True)
class DrawnScore:
    """A score of units, and what an unseen unit may add to their sums.

    A score is `biased` if the values of weighted rows are; the interval is then widened by the
    bias. `excess` is a bias that draws do not show; it lowers the lower end.
    """

    value: float
    lowering: Floats  # shape (sums,): the unseen unit of the lower end
    raising: Floats  # that of the upper end
    bounds: tuple[float, float] = (-math.inf, math.inf)
    biased: bool = False
    excess: float = 0.0

    def enclosed(self, low: float, high: float) -> tuple[float, float]:
        """Return the ends, moved so that they enclose the value and are in the range."""
        if math.isnan(self.value):
            return math.nan, math.nan
        minimum, maximum = self.bounds
        return min(max(low, minimum), self.value), max(min(high, maximum), self.value)


class DrawnDistribution:
    """The values of a score in draws: with the worst unseen unit, the best one, and none."""

    def __init__(
        self, score: DrawnScore, units: int, lower: Floats, upper: Floats, plain: Floats
    ) -> None:
        self.score = score
        self.lower, self.upper, self.plain = (
            values[~np.isnan(values)] for values in (lower, upper, plain)
        )
        self.standard_error = math.nan
        if units > 1 and self.plain.size:  # unbiased for a mean
            self.standard_error = float(np.std(self.plain)) * math.sqrt((units + 1) / (units - 1))

    @property
    def bias(self) -> float:
        """Return the distance of the mean of draws from the score."""
        return float(np.sort(self.plain).mean()) - self.score.value if self.plain.size else math.nan

    def ends(self, confidence_level: float) -> tuple[float, float]:
        """Return the ends of the interval, which encloses the score and is in its range."""
        low, high = (
            float(np.quantile(values, level)) if values.size else math.nan
            for values, level in zip(
                (self.lower, self.upper), levels(confidence_level), strict=True
            )
        )
        if self.score.biased:
            low, high = low - max(self.bias, 0.0), high - min(self.bias, 0.0)
        return self.score.enclosed(low - self.score.excess, high)

    def interval(self, confidence_level: float) -> Interval:
        """Return the interval with its error."""
        return Interval(*self.ends(confidence_level), "law", self.standard_error)


@dataclass(frozen=True)
class LinearDistribution:
    """The distribution of a score of many units taken for linear in its sums: that of a mean."""

    score: DrawnScore
    distribution: RatioDistribution
    unseen: tuple[float, float]  # the values of the units that lower and raise the score most
    standard_error: float

    @classmethod
    def of_rows(
        cls,
        rows: Floats,
        score: DrawnScore,
        measure: Callable[[Floats], Floats],
        counts: Integers | None = None,
    ) -> Self:
        """Return the distribution of a score whose slope at the totals makes a mean of it.

        At 5,000 units the ends differ from those of draws by 0.7 % of the width.

        Args:
            rows: what each unit adds to the sums, shape (units, sums).
            score: the score.
            measure: from sums, shape (sums, draws), to its values.
            counts: how often there is each unit; None for once.
        """
        repeats = np.ones(len(rows)) if counts is None else counts.astype(np.float64)
        number = float(repeats.sum())
        total = np.array([rounded_sum(repeats * column) for column in rows.T])
        mean, step = total / number, 1e-4

        def moved(amounts: Floats) -> Floats:
            """Return the score after a unit's part of the total grows, in units of one row."""
            sums = total[:, np.newaxis] + step * (amounts - mean).T
            values: Floats = score.value + number * (measure(sums) - start) / step
            return values

        with np.errstate(all="ignore"):
            start = float(measure(total[:, np.newaxis])[0])
            values = moved(rows)
            lowered, raised = moved(np.stack([score.lowering, score.raising])).tolist()
        error = math.nan
        if np.isfinite(values).all():
            squares = rounded_sum(repeats * np.square(values - score.value))
            error = math.sqrt(squares / (number - 1) / number)
        distribution = ratio_distribution(values, np.ones(len(rows)), counts)
        return cls(score, distribution, (lowered, raised), error)

    def ends(self, confidence_level: float) -> tuple[float, float]:
        """Return the ends of the interval, which encloses the score and is in its range."""
        if math.isnan(self.score.value):
            return math.nan, math.nan
        return self.score.enclosed(
            *unseen_unit_ends(self.distribution, self.unseen, confidence_level)
        )

    def interval(self, confidence_level: float) -> Interval:
        """Return the interval with its error."""
        return Interval(*self.ends(confidence_level), "law", self.standard_error)


def smooth_distributions(
    rows: Floats,
    scores: Mapping[Key, DrawnScore],
    measure: Measure[Key],
    **draws: int,
) -> dict[Key, DrawnDistribution | LinearDistribution]:
    """As `weighted_distributions`, for scores that are smooth in the sums of units.

    Those of many units are treated as linear.

    Args:
        rows: what each row, or cluster, adds to the sums, shape (units, sums).
        scores: the scores by any keys.
        measure: from sums, shape (sums, draws), and some keys to the values of these scores.
        **draws: `n_resamples` and `seed`.
    """
    if len(rows) > LINEAR:
        return {
            key: LinearDistribution.of_rows(rows, score, partial(_single, measure, key))
            for key, score in scores.items()
        }
    units = RowUnits.of_rows(rows)
    return {**weighted_distributions(units, scores, measure, **draws)}


def smooth_intervals(
    units: RowUnits,
    scores: Mapping[Key, DrawnScore],
    measure: Measure[Key],
    uncertainty: Uncertainty,
    fewest: float,
) -> dict[Key, Interval]:
    """Return the intervals of scores that are smooth in the sums of units.

    Args:
        units: the units, with what each adds to the sums.
        scores: the scores by any keys.
        measure: from sums, shape (sums, draws), and some keys to the values of these scores.
        uncertainty: the level, and how many weights are drawn.
        fewest: the effective number of units of the rarest class, or of the smallest denominator.
    """
    laws: Mapping[Key, DrawnDistribution | LinearDistribution]
    if fewest >= LINEAR:
        laws = {
            key: LinearDistribution.of_rows(
                units.of_kinds(), score, partial(_single, measure, key), units.counts
            )
            for key, score in scores.items()
        }
    else:
        laws = weighted_distributions(units, scores, measure, **uncertainty.draws)
    return {key: law.interval(uncertainty.level) for key, law in laws.items()}


def _single(measure: Measure[Key], key: Key, sums: Floats) -> Floats:
    return measure(sums, [key])[key]


def weighted_distributions(
    units: RowUnits,
    scores: Mapping[Key, DrawnScore],
    measure: Measure[Key],
    **draws: int,
) -> dict[Key, DrawnDistribution]:
    """Return the distribution of each score, with the same weights for all.

    An unseen unit is measured once for all scores.

    Args:
        units: the rows, or clusters of them.
        scores: the scores by any keys.
        measure: from sums, shape (sums, draws), and some keys to the values of these scores.
        **draws: `n_resamples` and `seed`.
    """
    unseen_units: dict[bytes, tuple[Floats, list[Key]]] = {}
    for key, score in scores.items():
        for unit in (score.lowering, score.raising):
            unseen_units.setdefault(unit.tobytes(), (unit, []))[1].append(key)
    parts: dict[Key, list[list[Floats]]] = {key: [[], [], []] for key in scores}
    with np.errstate(all="ignore"):
        for totals, unseen in units.weighted(**draws):
            values = measure(totals, scores.keys())
            plain = {key: np.array(values[key]) for key in scores}
            measured: dict[bytes, Mapping[Key, Floats]] = {}
            for name, (unit, keys) in unseen_units.items():
                added = np.flatnonzero(unit)
                if 2 * added.size > unit.size:
                    measured[name] = measure(totals + unit[:, np.newaxis] * unseen, keys)
                    continue
                before = totals[added]
                totals[added] += unit[added, np.newaxis] * unseen
                values = measure(totals, keys)
                measured[name] = {key: np.array(values[key]) for key in keys}
                totals[added] = before  # in place, since a copy of all sums takes longer
            for key, score in scores.items():
                lower, upper = (
                    measured[unit.tobytes()] for unit in (score.lowering, score.raising)
                )
                for part, values in zip(parts[key], (lower, upper, plain), strict=True):
                    part.append(values[key])
    return {
        key: DrawnDistribution(scores[key], len(units), *map(np.concatenate, lists))
        for key, lists in parts.items()
    }


def weighted_intervals(
    units: RowUnits,
    scores: Mapping[Key, DrawnScore],
    measure: Measure[Key],
    *,
    confidence_level: float,
    **draws: int,
) -> dict[Key, Interval]:
    """Return the intervals of scores; for the arguments see `weighted_distributions`."""
    distributions = weighted_distributions(units, scores, measure, **draws)
    return {
        key: distribution.interval(confidence_level) for key, distribution in distributions.items()
    }


def resampled_intervals(
    units: RowUnits,
    keys: Collection[Key],
    measure: Measure[Key],
    *,
    confidence_level: float,
    n_resamples: int,
    seed: int,
) -> dict[Key, Interval]:
    """Return the percentile bootstrap intervals of scores of the same units."""
    with np.errstate(all="ignore"):
        blocks = (
            measure(sums, keys) for sums in units.resampled(n_resamples=n_resamples, seed=seed)
        )
        values = gathered(blocks, n_resamples, keys)
    return {
        key: resampled_interval(values[key], confidence_level, units.n_clusters) for key in keys
    }


def extremes(values: Floats, candidates: Floats) -> tuple[Floats, Floats]:
    """Return the candidates for an unseen unit with the lowest and the highest value of a score.

    Without any defined value these are units that add nothing.

    Args:
        values: the score of all units and the candidate, shape (candidates,).
        candidates: what each adds to the sums, shape (candidates, sums).

    >>> extremes(np.array([0.5, np.nan, 0.7]), np.eye(3))
    (array([1., 0., 0.]), array([0., 0., 1.]))
    """
    if np.isnan(values).all():
        return np.zeros(candidates.shape[1]), np.zeros(candidates.shape[1])
    return candidates[np.nanargmin(values)], candidates[np.nanargmax(values)]
