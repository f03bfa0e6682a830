"""Intervals of explained variation (R2 and similar scores) and of correlations.

They use Student's t with the error of the jackknife, on a scale where the score is nearly normal:
log(1 - x) for explained variation, arctanh for a correlation. They are widened to random weights
with an unseen row: one at the mean of references with the largest residual of all rows, or one that
repeats the row with the most effect on a correlation. Rank correlations have the interval that
`ranking_agreement` has, from the influences of rows.

No method is safe for rare gross errors: with 2 % of such rows the coverage of R2 is .31 at ten
rows.

Any measure may be resampled; medians and maximum errors have no other interval.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..statistics.arguments.arrays import Floats, Integers
from ..statistics.arithmetic.exact_sums import group_sums, root, rounded_sum
from ..statistics.intervals.cluster_sums import Clusters
from ..statistics.intervals.intervals import critical_value
from ..statistics.intervals.proportions import Interval
from ..statistics.intervals.rank_correlations import CORRELATIONS as RANK_ESTIMATES
from ..statistics.intervals.rank_correlations import PairedScores
from ..statistics.intervals.rank_correlations import correlation_interval as correlation_of_order
from ..statistics.intervals.weighted_units import DrawnScore, smooth_distributions
from ..statistics.resampling.row_units import (
    cluster_values,
    gathered,
    in_whole_units,
    resampled_counts,
)
from .measure_names import D2_NAMES, ORDER_NAMES, RegressionMeasure
from .pairs import Pairs
from .row_losses import ROOTS, d2, mean_losses, row_errors, row_losses


def median(values: Floats, weights: Floats | None) -> float:
    """The median; with weights, the value at which the cumulative weight reaches half of the total.

    If two values are in the middle, it is their mean.

    >>> median(np.array([1.0, 2.0, 4.0, 8.0]), None)
    3.0
    >>> median(np.array([1.0, 2.0, 4.0]), np.array([0.25, 0.25, 0.5]))
    3.0
    """
    if weights is None:
        # Selecting two positions takes longer than the maximum of the values below one.
        middle = values.size // 2
        selected = np.partition(values, middle)
        high = float(selected[middle])
        low = high if values.size % 2 else float(selected[:middle].max())
    else:
        order = np.lexsort([weights, values])
        cumulative = np.cumsum(weights[order])
        half = cumulative[-1] / 2
        positions = [int(cumulative.searchsorted(half, side)) for side in ("left", "right")]
        low, high = values[order][np.minimum(positions, values.size - 1)].tolist()
    return float(low + (high - low) / 2)


def spearman(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Spearman's correlation of two columns; NaN for less than two rows, or if one is constant.

    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    0.5
    """
    if first.size < 2:
        return math.nan
    x, y = _centred_ranks(first), _centred_ranks(second)
    covariation, first_variation, second_variation = (
        _exact_product(a, b) for a, b in ((x, y), (x, x), (y, y))
    )
    if not (first_variation and second_variation):
        return math.nan
    square = Fraction(covariation * covariation, first_variation * second_variation)
    return math.copysign(min(root(square), 1.0), covariation)


def _centred_ranks(values: NDArray[Any]) -> Integers:
    """Twice the distance of each rank from their mean, an integer; tied values share a mean rank.

    >>> _centred_ranks(np.array([5.0, 7.0, 5.0])).tolist()
    [-1, 2, -1]
    """
    order = np.argsort(values)
    ascending = values[order]
    is_first = np.append(True, ascending[1:] != ascending[:-1])
    ranks = np.empty(values.size, np.int64)
    if is_first.all():
        ranks[order] = np.arange(1 - values.size, values.size, 2)
        return ranks
    starts = np.flatnonzero(is_first)
    ends = np.append(starts[1:], values.size)
    ranks[order] = np.repeat(starts + ends - values.size, ends - starts)
    return ranks


def _exact_product(first: Integers, second: Integers) -> int:
    """Return the sum of products of centred ranks."""
    rows = max(1, _LARGEST_SUM // first.size**2)
    starts = range(0, first.size, rows)
    return sum(int(np.dot(first[i : i + rows], second[i : i + rows])) for i in starts)


def kendall(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Kendall's tau-b of two columns; NaN for less than two rows, or if one is constant.

    >>> kendall(np.array([1, 2, 3]), np.array([1, 3, 2])).__round__(4)
    0.3333
    """
    from scipy.stats import kendalltau

    if first.size < 2:
        return math.nan
    return float(kendalltau(first, second, nan_policy="propagate").statistic)


RANK_CORRELATIONS = {"spearman": spearman, "kendall": kendall}


_LARGEST_SUM = 2**62  # of products of ranks, in 64 bits
CORRELATIONS = ("pearson", "concordance")
RANKS = {"spearman": "spearman", "kendall": "kendall_tau_b"}  # as `rank_correlations` has them
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
        drawn = smooth_distributions(units, scores, lambda sums, _: {"": score(sums)}, **draws)
        interval = drawn[""].interval(confidence_level, n_clusters)
        return interval._replace(method="jackknife")

    constant = [
        _is_constant_without_a_unit(column, clusters) for column in (references, predictions)
    ]
    if constant[0] and not correlated:
        return undefined
    total = np.array([*map(rounded_sum, units.T)])
    unseen = _unseen_row(measure.kind, value, columns, total, rounded_sum(w))
    sizes = w if clusters is None else group_sums(w, clusters, len(units))
    unseen *= rounded_sum(sizes * sizes) / (rounded_sum(sizes) or 1.0)
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
        extremes = (np.nanmax(without_each), np.nanmin(without_each))
        most_effective = (units[without_each == end] for end in extremes)
        # The first of equally effective units by their amounts, whatever their order.
        interval = drawn(*(kinds[np.lexsort(kinds.T)[0]] for kinds in most_effective))
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
    e = y - x
    return np.ones(y.size), y, e, y * y, e * e, y * e


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
    n_clusters = None if clusters is None else int(clusters.max(initial=-1)) + 1
    undefined = Interval(math.nan, math.nan, "korn_graubard", math.nan, None, n_clusters)
    if references.size < 2:
        return undefined
    scores = PairedScores(predictions, references)
    name = RANKS[kind]
    numbers = None if clusters is None else clusters[scores.order]
    estimate = RANK_ESTIMATES[name](scores)
    interval = correlation_of_order(name, estimate, scores.size, confidence_level, numbers)
    return interval or undefined


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


_AT_ONCE = 1 << 18  # weights of rows in a block of resamples
_ROUNDING = 1e-12  # a variation that is a smaller part of the sum of squares is that of a constant

Resampled = Callable[[Floats], Floats]  # from counts (resamples, rows) to (outputs, resamples)


def resampled_measures(
    pairs: Pairs,
    measures: Sequence[RegressionMeasure],
    multioutput: str | Sequence[float],
    clusters: Clusters | None = None,
    *,
    n_resamples: int,
    seed: int,
) -> dict[str, Floats]:
    """Return the values of measures in resamples of all rows, or of all clusters.

    Rows are sorted first, and sums are exact, so their order does not matter.

    Args:
        pairs: the rows.
        measures: the measures.
        multioutput: how the values of outputs are reported, as in `regression_scores`.
        clusters: the clusters of rows, without rows of weight 0.
        n_resamples: the number of resamples.
        seed: for the draws.

    Returns:
        Shape (outputs, resamples) each; for averages over outputs (1, resamples).

    >>> pairs = Pairs([1.0, 2.0, 2.0], [1.0, 3.0, 5.0])
    >>> measure = RegressionMeasure("max_error", "max_error")
    >>> resampled_measures(pairs, [measure], "uniform_average", n_resamples=4, seed=0)
    {'max_error': array([[3., 0., 0., 3.]])}
    """
    size = len(pairs.references)
    if not size:
        outputs = pairs.outputs if multioutput == "raw_values" else 1
        return {m.name: np.full((outputs, n_resamples), math.nan) for m in measures}
    order = pairs.row_order()
    pairs = pairs.take(order)
    units = np.arange(size)
    if clusters is not None:
        members = clusters.take(order)
        units = np.argsort(np.argsort(members.labels))[members.numbers]
    values = {measure.name: _resampled(measure, pairs) for measure in measures}
    squares = _sums_of_squares(pairs) if multioutput == "variance_weighted" else None

    def blocks() -> Iterator[dict[str, Floats]]:
        once = np.ones(int(units.max()) + 1, np.int64)
        step = max(1, _AT_ONCE // size)
        for counts in resampled_counts(once, n_resamples=n_resamples, seed=seed):
            for start in range(0, len(counts), step):
                drawn = counts[start : start + step, units].astype(np.float64)
                with np.errstate(all="ignore"):
                    by_output = {name: value(drawn) for name, value in values.items()}
                    if multioutput == "raw_values":
                        yield by_output
                        continue
                    shares = np.ones((pairs.outputs, len(drawn)))
                    if squares is not None:
                        spread = _variation(squares(drawn))
                        shares = np.where(spread.any(axis=0), spread, shares)
                    elif not isinstance(multioutput, str):
                        shares = shares * np.array(multioutput)[:, np.newaxis]
                    yield {
                        name: np.where(shares > 0, shares * value, 0.0).sum(axis=0, keepdims=True)
                        / shares.sum(axis=0)
                        for name, value in by_output.items()
                    }

    return gathered(blocks(), n_resamples)


def _resampled(measure: RegressionMeasure, pairs: Pairs) -> Resampled:
    """Return a function from how often rows are drawn to the values of a measure."""
    errors = row_errors(pairs, measure, "raw_values")
    if errors is not None:
        sums = _weighted_sums(pairs, errors.columns)
        weight = _weighted_sums(pairs, np.ones((1, len(pairs.references))))
        has_root = measure.kind in ROOTS
        exponent = errors.exponent // 2 if has_root else errors.exponent

        def mean(counts: Floats) -> Floats:
            means = sums(counts) / weight(counts)
            return np.asarray(np.ldexp(np.sqrt(means) if has_root else means, exponent))

        return mean
    if measure.kind in (*ORDER_NAMES, "max_error", *D2_NAMES):
        return partial(_one_by_one, measure, pairs)
    squares = _sums_of_squares(pairs)

    def score(counts: Floats) -> Floats:
        columns = squares(counts)
        values = sums_score(measure.kind, columns)
        if measure.kind == "concordance":
            return values
        constant = _variation(columns) == 0
        if measure.kind == "pearson":
            predicted = _variation(columns, predictions=True)
            return np.where(constant | (predicted == 0), math.nan, np.clip(values, -1.0, 1.0))
        if measure.kind == "r2" and pairs.rows < 2:
            return np.full_like(values, math.nan)
        rows, _, error, _, unexplained, _ = columns
        if measure.kind == "explained_variance":
            varied = unexplained - error * error / rows
            unexplained = np.where(varied <= _ROUNDING * unexplained, 0.0, varied)
        return np.where(constant, np.where(unexplained == 0, 1.0, 0.0), values)

    return score


def _one_by_one(measure: RegressionMeasure, pairs: Pairs, counts: Floats) -> Floats:
    """Return a measure of the rows of each resample that does not follow from sums."""
    errors, exponent = pairs.absolute_errors()

    def value(output: int, drawn: Integers) -> float:
        rows = np.repeat(np.arange(drawn.size), drawn)
        weights = None if pairs.weights is None else pairs.weights[rows]
        if measure.kind == "max_error":
            return float(np.ldexp(errors[output][rows].max(), exponent))
        if measure.kind == "median_ae":
            return float(np.ldexp(median(errors[output][rows], weights), exponent))
        predictions, references = (table[output][rows] for table in pairs.tables())
        if measure.kind in RANK_CORRELATIONS:
            return RANK_CORRELATIONS[measure.kind](predictions, references)
        losses = row_losses(measure, predictions[np.newaxis], references[np.newaxis])
        return d2(measure, mean_losses(losses, weights)[0], references, weights)

    resamples = counts.astype(np.int64)
    outputs = range(pairs.outputs)
    return np.array([[value(output, drawn) for drawn in resamples] for output in outputs])


def _sums_of_squares(pairs: Pairs) -> Resampled:
    """Return the sums of `sums_score`, shape (6, outputs, resamples).

    Both columns are in units in which no square overflows, less a number near the mean.
    """
    predictions, references, _ = pairs.columns()
    largest = max(float(np.abs(column).max()) for column in (predictions, references))
    x, y = (np.ldexp(table, -math.frexp(largest)[1]) for table in (predictions, references))
    centers = np.array([math.fsum(column) / len(column) for column in y.tolist()])
    y, e = y - centers[:, np.newaxis], y - x
    columns = np.stack([np.ones(y.shape), y, e, y * y, e * e, y * e])
    sums = _weighted_sums(pairs, columns.reshape(-1, y.shape[1]))
    return lambda counts: sums(counts).reshape(6, len(y), -1)


def _weighted_sums(pairs: Pairs, columns: Floats) -> Resampled:
    """Return a function from counts of rows to weighted sums of columns, without rounding."""
    amounts = (columns if pairs.weights is None else columns * pairs.weights).T
    units, exponents = in_whole_units(amounts, len(amounts))
    return lambda counts: np.ldexp(units.T @ counts.T, exponents[:, np.newaxis])


def _variation(sums: Floats, *, predictions: bool = False) -> Floats:
    """Return the squared deviations of references, or predictions; 0 for a constant."""
    rows, y, e, squares, errors, products = sums
    if predictions:
        y, squares = y - e, squares + errors - 2 * products
    variation = squares - y * y / rows
    return np.where(variation <= _ROUNDING * squares, 0.0, variation)
