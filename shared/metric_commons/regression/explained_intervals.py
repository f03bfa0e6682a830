"""Intervals of explained variation (R2 and similar scores) and of correlations.

They use Student's t with the error of the jackknife, on a scale where the score is nearly normal:
log(1 - x) for explained variation, arctanh for a correlation. They are widened to random weights
with an unseen row: one at the mean of references with the largest residual of all rows, or one that
repeats the row with the most effect on a correlation. Rank correlations have the interval that
`ranking_agreement` has, from the influences of rows.

No method is safe for rare gross errors: with 2 % of such rows the coverage of R2 is .31 at ten
rows.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..statistics.arguments.arrays import Floats, Integers
from ..statistics.arithmetic.exact_sums import group_sums, rounded_sum
from ..statistics.intervals.intervals import critical_value
from ..statistics.intervals.proportions import Interval
from ..statistics.intervals.rank_correlations import CORRELATIONS as RANK_CORRELATIONS
from ..statistics.intervals.rank_correlations import PairedScores
from ..statistics.intervals.rank_correlations import correlation_interval as correlation_of_order
from ..statistics.intervals.weighted_units import DrawnScore, smooth_distributions
from ..statistics.resampling.row_units import cluster_values
from .measure_names import D2_NAMES, RegressionMeasure

CORRELATIONS = ("pearson", "concordance")
RANKS = ("spearman", "kendall")
_PERFECT = 1e-12  # correlations that are closer to 1 count as 1
_BELOW_1 = float(np.nextafter(1.0, 0.0))


class _Scale(NamedTuple):
    """A scale on which a score is nearly normal, the way back, and the range of the score."""

    transform: Callable[[Any], Any]
    inverse: Callable[[Any], Any]
    bounds: tuple[float, float]


_SHARE = _Scale(lambda share: np.log(1 - share), lambda z: 1 - np.exp(z), (-math.inf, 1.0))
_CORRELATION = _Scale(np.arctanh, np.tanh, (-1.0, 1.0))


def explained_interval(
    measure: RegressionMeasure,
    value: float,
    predictions: Floats,
    references: Floats,
    weights: Floats | None,
    clusters: Integers | None,
    losses: tuple[Floats, Floats] | None = None,
    *,
    confidence_level: float,
    **draws: Any,
) -> Interval:
    """Return the interval of the explained variation, or of a correlation, of one output.

    Args:
        measure: R2, explained variance, a D2, or one of `CORRELATIONS`.
        value: the score.
        predictions: shape (rows,).
        references: the same.
        weights: the weights of rows; None if all are 1.
        clusters: the number of the cluster of each row; None if rows are independent.
        losses: for D2, the losses of rows, and those of the best constant prediction.
        confidence_level: strictly between 0 and 1.
        **draws: `n_resamples` and `seed`.
    """
    correlated = measure.kind in CORRELATIONS
    scale = _CORRELATION if correlated else _SHARE
    w = np.ones(references.size) if weights is None else weights
    columns = np.stack(losses or summands(measure.kind, predictions, references, w))
    units = cluster_values((columns * w).T, clusters)
    n_clusters = None if clusters is None else len(units)
    undefined = Interval(math.nan, math.nan, "jackknife", math.nan, None, n_clusters)
    if len(units) < 3 + correlated or math.isnan(value):
        return undefined

    def score(sums: Floats) -> Floats:
        return sums_score(measure.kind, sums)

    def drawn(lowering: Floats, raising: Floats) -> Interval:
        scores = {"": DrawnScore(value, lowering, raising, scale.bounds)}
        found = smooth_distributions(units, scores, lambda sums, _: {"": score(sums)}, **draws)
        interval = found[""].interval(confidence_level, n_clusters)
        return interval._replace(method="jackknife")

    constant = [
        _is_constant_without_a_unit(column, clusters) for column in (references, predictions)
    ]
    if constant[0] and not correlated:
        return undefined
    total = np.array([*map(rounded_sum, units.T)])
    unseen = _unseen_row(measure.kind, value, columns, total, rounded_sum(w))
    unseen *= _unseen_size(w, clusters)
    if 1 - (abs(value) if correlated else value) < (_PERFECT if correlated else 0) or value == 1:
        interval = drawn(unseen, unseen)
        return interval if correlated else interval._replace(high=1.0)
    if any(constant) and correlated:
        return undefined._replace(low=-1.0, high=1.0)
    with np.errstate(all="ignore"):
        without_each = np.minimum(score((total - units).T), _BELOW_1)
        if correlated:
            without_each = np.maximum(without_each, -_BELOW_1)
    if not (correlated or np.isfinite(without_each).all()):
        return undefined
    if correlated:
        ends = [_first_of(units[without_each == end]) for end in _ends_of(without_each)]
        interval = drawn(*ends)
    else:
        interval = drawn(unseen, unseen)
    low, high = _jackknife_ends(value, without_each, confidence_level, scale)
    if correlated:
        high = max(high, interval.high)
    return interval._replace(low=min(low, interval.low), high=high)


def summands(
    kind: str, predictions: Floats, references: Floats, weights: Floats
) -> tuple[Floats, ...]:
    """Return what rows of weight 1 add to the sums of `sums_score`, except for a D2.

    Both columns are in units in which no square overflows, near a mean of 0.
    """
    x, y = _in_units(kind, predictions, references, weights)
    e = y - x
    return np.ones(y.size), y, e, y * y, e * e, y * e


def _in_units(
    kind: str, predictions: Floats, references: Floats, weights: Floats
) -> tuple[Floats, Floats]:
    largest = max(float(np.abs(column).max(initial=0.0)) for column in (predictions, references))
    exponent = math.frexp(largest)[1]
    x, y = (np.ldexp(column, -exponent) for column in (predictions, references))
    total = rounded_sum(weights)
    if not total:
        return x, y
    centers = [rounded_sum(column * weights) / total for column in (x, y)]
    if kind != "pearson":  # depends on the difference of means, and of spreads
        return x - centers[1], y - centers[1]
    x, y = x - centers[0], y - centers[1]
    for column in (x, y):
        column /= math.sqrt(rounded_sum(np.square(column) * weights) / total) or 1.0
    return x, y


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
        share: Floats = 1 - sums[0] / sums[1]
        return share
    rows, y, e, squares, unexplained, product = sums
    variation = squares - y * y / rows
    errors = unexplained if kind == "r2" else unexplained - e * e / rows
    if kind not in CORRELATIONS:
        return np.asarray(1 - errors / variation)
    joint = product - y * e / rows
    predicted, covariation = variation + errors - 2 * joint, variation - joint
    if kind == "pearson":
        return np.asarray(covariation / np.sqrt(variation * predicted))
    return np.asarray(2 * covariation / (variation + predicted + e * e / rows))


def _unseen_row(kind: str, value: float, columns: Floats, total: Floats, weight: float) -> Floats:
    """Return what a row of weight 1 that lowers the score most adds to the sums.

    It is at the mean of references, with the largest error of all rows. For a perfect correlation
    it is one standard deviation up in one column, and down in the other.
    """
    if kind in D2_NAMES:
        return np.array([float(columns[0].max()) or total[1] / weight, 0.0])
    variance = total[3] / total[0]
    if kind not in CORRELATIONS:
        largest = float(columns[4].max()) or variance
        return np.array([1.0, 0.0, math.sqrt(largest), 0.0, largest, 0.0])
    x = math.sqrt(variance)
    y = -math.copysign(x, value)
    return np.array([1.0, y, y - x, y * y, (y - x) ** 2, y * (y - x)])


def _ends_of(values: Floats) -> tuple[float, float]:
    return float(np.nanmax(values)), float(np.nanmin(values))


def _first_of(units: Floats) -> Floats:
    """Return the first of units by their amounts, whatever their order."""
    first: Floats = units[np.lexsort(units.T)[0]]
    return first


def rank_interval(
    kind: str,
    predictions: Floats,
    references: Floats,
    clusters: Integers | None,
    confidence_level: float,
) -> Interval:
    """Return the interval of Spearman's or Kendall's rank correlation, by the influences of rows.

    >>> rows = np.arange(20.0)
    >>> print(
    ...     "{:.3f} to {:.3f}".format(*rank_interval("spearman", rows, rows // 3, None, 0.95)[:2])
    ... )
    0.655 to 0.994
    """
    undefined = Interval(
        math.nan,
        math.nan,
        "korn_graubard",
        math.nan,
        None,
        None if clusters is None else int(clusters.max(initial=-1)) + 1,
    )
    if references.size < 2:
        return undefined
    scores = PairedScores(predictions, references)
    name = "spearman" if kind == "spearman" else "kendall_tau_b"
    numbers = None if clusters is None else clusters[scores.order]
    estimate = RANK_CORRELATIONS[name](scores)
    found = correlation_of_order(name, estimate, scores.size, confidence_level, numbers)
    return found or undefined


def _unseen_size(weights: Floats, clusters: Integers | None) -> float:
    """Return the number of rows of weight 1 that an unseen unit is worth."""
    if clusters is not None:
        weights = group_sums(weights, clusters, int(clusters.max(initial=-1)) + 1)
    return rounded_sum(weights * weights) / (rounded_sum(weights) or 1.0)


def _is_constant_without_a_unit(numbers: Floats, clusters: Integers | None) -> bool:
    """Return whether the numbers of all units but one, of three or more, are equal.

    The jackknife says nothing then: a score that needs two different numbers depends on one unit.

    >>> _is_constant_without_a_unit(np.array([2.0, 2.0, 5.0, 2.0]), None)
    True
    >>> _is_constant_without_a_unit(np.array([2.0, 2.0, 5.0, 5.0]), np.array([0, 1, 2, 3]))
    False
    """
    # Of any three units at least two have the common number, so it is the median of theirs.
    firsts = numbers[:3]
    units = np.arange(numbers.size) if clusters is None else clusters
    if clusters is not None:
        firsts = numbers[np.unique(clusters, return_index=True)[1][:3]]
    differing = units[numbers != np.sort(firsts)[1]]
    return not differing.size or bool((differing == differing[0]).all())


def _jackknife_ends(
    value: float, without_each: Floats, confidence_level: float, scale: _Scale
) -> tuple[float, float]:
    """Student's interval on a scale, with the error of the jackknife, converted back."""
    units = without_each.size
    z = scale.transform(without_each)
    squares = rounded_sum(np.square(z - rounded_sum(z) / units))
    reach = critical_value(confidence_level, units - 1) * math.sqrt((units - 1) / units * squares)
    center = float(scale.transform(value))
    first, second = float(scale.inverse(center - reach)), float(scale.inverse(center + reach))
    return min(first, second), max(first, second)
