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
from ..statistics.arithmetic.exact_sums import group_sums
from ..statistics.intervals.intervals import critical_value
from ..statistics.intervals.pair_counts import PairedScores
from ..statistics.intervals.proportions import Interval
from ..statistics.intervals.rank_correlations import CORRELATIONS as RANK_CORRELATIONS
from ..statistics.intervals.rank_correlations import correlation_interval as correlation_of_order
from ..statistics.intervals.weighted_units import DrawnScore, weighted_distributions
from ..statistics.resampling.row_units import RowUnits, cluster_values
from .measure_names import D2_NAMES, RegressionMeasure

EXPLAINED = ("r2", "explained_variance", *D2_NAMES)
CORRELATIONS = ("pearson", "concordance")
RANKS = ("spearman", "kendall")
_PERFECT = 1e-12  # correlations that are closer to 1 count as 1


class _Scale(NamedTuple):
    """A scale on which a score is nearly normal, and the way back."""

    transform: Callable[[Any], Any]
    inverse: Callable[[Any], Any]


_SHARE = _Scale(lambda share: np.log(1 - share), lambda z: 1 - np.exp(z))
_CORRELATION = _Scale(np.arctanh, np.tanh)


def explained_interval(
    measure: RegressionMeasure,
    value: float,
    predictions: Floats,
    references: Floats,
    weights: Floats | None,
    clusters: Integers | None,
    losses: tuple[Floats, Floats] | None = None,
    **options: Any,
) -> Interval:
    """Return the interval of the explained variation of one output.

    Args:
        measure: one of `EXPLAINED`.
        value: the score.
        predictions: shape (rows,).
        references: the same.
        weights: the weights of rows; None if all are 1.
        clusters: the number of the cluster of each row; None if rows are independent.
        losses: for D2, the losses of rows, and those of the best constant prediction.
        **options: `confidence_level`, `n_resamples` and `seed`.
    """
    n_clusters = _number(clusters)
    w = np.ones(references.size) if weights is None else weights
    predictions, references = _scaled(predictions, references)
    center = float(np.sort(references * w).sum() / _sum(w)) if _sum(w) else 0.0
    y, residual = references - center, references - predictions
    if losses is not None:
        columns = [*losses]
    else:
        columns = [np.ones(y.size), y, y * y, residual, residual * residual]
    units = _units(columns, w, clusters)
    total = units.sum(axis=0)
    size = _unseen_size(units, w, clusters)
    undefined = Interval(math.nan, math.nan, "jackknife", math.nan, None, n_clusters)
    if len(units) < 3 or math.isnan(value) or _is_constant_without_a_unit(references, clusters):
        return undefined
    if losses is not None:
        row_losses_of_output = columns[0]
        mean = total[1] / _sum(w)
        unseen = np.array([float(row_losses_of_output.max()) or mean, 0.0]) * size

        def score(sums: Floats) -> Floats:
            shares: Floats = 1 - sums[0] / sums[1]
            return shares
    else:
        largest = float((residual * residual).max()) or total[2] / total[0]
        unseen = np.array([1.0, 0.0, 0.0, math.sqrt(largest), largest]) * size
        is_centered = measure.kind == "explained_variance"

        def score(sums: Floats) -> Floats:
            rows, y, squares, residuals, unexplained = sums
            if is_centered:
                unexplained = unexplained - residuals * residuals / rows
            shares: Floats = 1 - unexplained / (squares - y * y / rows)
            return shares

    drawn_score = DrawnScore(value, unseen, unseen, (-math.inf, 1.0))
    (low, _), error = _drawn_ends(units, drawn_score, score, **options)
    if value >= 1:
        return Interval(low, 1.0, "jackknife", error, None, n_clusters)
    with np.errstate(all="ignore"):
        jackknife_values = np.minimum(score((total - units).T), np.nextafter(1.0, 0.0))
    if not np.isfinite(jackknife_values).all():
        return undefined
    ends = _jackknife_ends(value, jackknife_values, options["confidence_level"], _SHARE)
    return Interval(min(low, *ends), max(ends), "jackknife", error, None, n_clusters)


def correlation_interval(
    measure: RegressionMeasure,
    value: float,
    predictions: Floats,
    references: Floats,
    weights: Floats | None,
    clusters: Integers | None,
    **options: Any,
) -> Interval:
    """Return the interval of Pearson's correlation, or of concordance, of one output.

    The arguments are those of `explained_interval`.
    """
    n_clusters = _number(clusters)
    w = np.ones(references.size) if weights is None else weights
    predictions, references = _scaled(predictions, references)
    x, y = (_standardized(column, w) for column in (predictions, references))
    distance = 0.0
    if measure.kind == "concordance":  # depends on means and spreads: one scale for both
        scale = _spread(references, w) or 1.0
        center = float(np.sort(references * w).sum() / _sum(w))
        x, y = (predictions - center) / scale, (references - center) / scale
        distance = 1.0
    units = _units([np.ones(x.size), x, y, x * x, y * y, x * y], w, clusters)
    total = units.sum(axis=0)
    undefined = Interval(math.nan, math.nan, "jackknife", math.nan, None, n_clusters)
    if len(units) < 4 or math.isnan(value):
        return undefined

    def score(sums: Floats) -> Floats:
        rows, a, b, aa, bb, ab = sums
        covariance = ab - a * b / rows
        first, second = aa - a * a / rows, bb - b * b / rows
        if distance:
            agreement: Floats = 2 * covariance / (first + second + np.square(a - b) / rows)
            return agreement
        correlation: Floats = covariance / np.sqrt(first * second)
        return correlation

    with np.errstate(all="ignore"):
        if 1 - abs(value) < _PERFECT:
            sign = math.copysign(1, value)
            deviation = math.sqrt(float(total[4] / total[0]))
            opposite = np.array([1.0, deviation, -sign * deviation, 1, 1, -sign])
            opposite[3:] *= deviation * deviation
            opposite *= _unseen_size(units, w, clusters)
            drawn_score = DrawnScore(value, opposite, opposite, (-1.0, 1.0))
            ends, error = _drawn_ends(units, drawn_score, score, **options)
            return Interval(*ends, "jackknife", error, None, n_clusters)
        if any(_is_constant_without_a_unit(c, clusters) for c in (predictions, references)):
            return Interval(-1.0, 1.0, "jackknife", math.nan, None, n_clusters)
        jackknife_values = score((total - units).T)
        limit = np.nextafter(1.0, 0.0)
        ends = _jackknife_ends(
            value,
            np.clip(jackknife_values, -limit, limit),
            options["confidence_level"],
            _CORRELATION,
        )
        lowering, raising = (
            units[np.nanargmax(jackknife_values)],
            units[np.nanargmin(jackknife_values)],
        )
        drawn_score = DrawnScore(value, lowering, raising, (-1.0, 1.0))
        (low, high), error = _drawn_ends(units, drawn_score, score, **options)
    low, high = min(low, *ends), max(high, *ends)
    return Interval(low, high, "jackknife", error, None, n_clusters)


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
    0.963 to 0.999
    """
    undefined = Interval(math.nan, math.nan, "korn_graubard", math.nan, None, _number(clusters))
    if references.size < 2:
        return undefined
    scores = PairedScores(predictions, references)
    name = "spearman" if kind == "spearman" else "kendall_tau_b"
    numbers = None if clusters is None else clusters[scores.order]
    estimate = RANK_CORRELATIONS[name](scores)
    found = correlation_of_order(name, estimate, scores.size, confidence_level, numbers)
    return found or undefined


def _scaled(*columns: Floats) -> list[Floats]:
    """Columns in a unit, a power of two, in which no square overflows or underflows."""
    largest = max(float(np.abs(column).max(initial=0.0)) for column in columns)
    exponent = math.frexp(largest)[1]
    return [np.ldexp(column, -exponent) for column in columns]


def _sum(numbers: Floats) -> float:
    """Return the sum, rounded once, in any order."""
    return math.fsum(numbers.tolist())


def _number(clusters: Integers | None) -> int | None:
    return None if clusters is None else int(clusters.max(initial=-1)) + 1


def _units(columns: list[Floats], weights: Floats, clusters: Integers | None) -> Floats:
    """Return the contributions of rows, or of clusters, to each sum, sorted by value."""
    rows = np.column_stack(columns) * weights[:, np.newaxis]
    units = cluster_values(rows, clusters)
    return units[np.lexsort(units.T[::-1])]


def _unseen_size(units: Floats, weights: Floats, clusters: Integers | None) -> float:
    """Return the number of rows of weight 1 that an unseen unit is worth."""
    sizes = np.sort(
        weights if clusters is None else group_sums(weights, clusters, int(clusters.max()) + 1)
    )
    return float((sizes * sizes).sum() / sizes.sum())


def _is_constant_without_a_unit(numbers: Floats, clusters: Integers | None) -> bool:
    """Return whether the numbers of all units but one, of three or more, are equal.

    The jackknife says nothing then: a score that needs two different numbers depends on one unit.

    >>> _is_constant_without_a_unit(np.array([2.0, 2.0, 5.0, 2.0]), None)
    True
    >>> _is_constant_without_a_unit(np.array([2.0, 2.0, 5.0, 5.0]), np.array([0, 1, 2, 3]))
    False
    """
    units = np.arange(numbers.size) if clusters is None else clusters
    # Of any three units at least two have the common number, so it is the median of theirs.
    firsts = numbers[np.unique(units, return_index=True)[1][:3]]
    differing = units[numbers != np.sort(firsts)[1]]
    return not differing.size or bool((differing == differing[0]).all())


def _spread(numbers: Floats, weights: Floats) -> float:
    center = float(np.sort(numbers * weights).sum() / _sum(weights))
    return math.sqrt(float(np.sort(np.square(numbers - center) * weights).sum() / _sum(weights)))


def _standardized(numbers: Floats, weights: Floats) -> Floats:
    """Return the numbers with mean 0 and standard deviation 1."""
    center = float(np.sort(numbers * weights).sum() / _sum(weights))
    return (numbers - center) / (_spread(numbers, weights) or 1.0)


def _drawn_ends(
    units: Floats,
    score: DrawnScore,
    measure: Callable[[Floats], Floats],
    *,
    confidence_level: float,
    n_resamples: int,
    seed: int,
) -> tuple[tuple[float, float], float]:
    """Return the ends by random weights, and the standard error."""
    distribution = weighted_distributions(
        RowUnits.of_rows(units),
        {"": score},
        lambda sums, _: {"": measure(sums)},
        n_resamples=n_resamples,
        seed=seed,
        smooth=True,
    )[""]
    return distribution.ends(confidence_level), distribution.standard_error


def _jackknife_ends(
    value: float, jackknife_values: Floats, confidence_level: float, scale: _Scale
) -> tuple[float, float]:
    """Student's interval on a scale, with the error of the jackknife, converted back."""
    units = jackknife_values.size
    z = scale.transform(jackknife_values)
    deviations = np.sort(np.square(z - np.sort(z).mean()))
    error = math.sqrt((units - 1) / units * float(deviations.sum()))
    reach = critical_value(confidence_level, units - 1) * error
    center = float(scale.transform(value))
    ends = float(scale.inverse(center - reach)), float(scale.inverse(center + reach))
    return min(ends), max(ends)
