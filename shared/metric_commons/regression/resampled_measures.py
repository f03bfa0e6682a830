"""Regression measures of resamples of rows, or of clusters of rows."""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ..statistics.arguments.arrays import Floats, Integers
from ..statistics.intervals.cluster_sums import Clusters
from ..statistics.resampling.row_units import gathered, in_whole_units, resampled_counts
from .explained_intervals import sums_score
from .measure_names import D2_NAMES, ORDER_NAMES, RegressionMeasure, parse_measures
from .order_statistics import kendall, median, spearman
from .pairs import Pairs
from .row_losses import ROOTS, d2, row_errors

_AT_ONCE = 1 << 18  # weights of rows in a block of resamples
_ROUNDING = 1e-12  # a variation that is a smaller part of the sum of squares is that of a constant

Resampled = Callable[[Floats], Floats]  # from counts (resamples, rows) to (outputs, resamples)


def resampled_measures(
    pairs: Pairs,
    measures: Sequence[str],
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
        measures: names of measures.
        multioutput: how the values of outputs are reported, as in `regression_scores`.
        clusters: the clusters of rows, including rows of weight 0.
        n_resamples: the number of resamples.
        seed: for the draws.

    Returns:
        Shape (outputs, resamples) each; for averages over outputs (1, resamples).

    >>> pairs = Pairs([1.0, 2.0, 2.0], [1.0, 3.0, 5.0])
    >>> resampled_measures(pairs, ["max_error"], "uniform_average", n_resamples=4, seed=0)
    {'max_error': array([[3., 0., 0., 3.]])}
    """
    size = len(pairs.references)
    if not size:
        outputs = pairs.outputs if multioutput == "raw_values" else 1
        return {name: np.full((outputs, n_resamples), math.nan) for name in measures}
    rows = _SortedRows(pairs)
    numbers = np.arange(size)
    if clusters is not None:
        members = clusters.take(pairs.positive_rows).take(rows.order)
        numbers = np.argsort(np.argsort(members.labels))[members.numbers]
    values = {measure.name: rows.resampled(measure) for measure in parse_measures(measures)}
    weighted = multioutput == "variance_weighted"
    variation = rows.sums_of_squares() if weighted else None

    def blocks() -> Iterator[dict[str, Floats]]:
        units = np.ones(int(numbers.max()) + 1, np.int64)
        step = max(1, _AT_ONCE // size)
        for counts in resampled_counts(units, n_resamples=n_resamples, seed=seed):
            for start in range(0, len(counts), step):
                drawn = counts[start : start + step, numbers].astype(np.float64)
                with np.errstate(all="ignore"):
                    found = {name: value(drawn) for name, value in values.items()}
                    if multioutput == "raw_values":
                        yield found
                        continue
                    shares = np.ones((pairs.outputs, len(drawn)))
                    if variation is not None:
                        spread = _variation(variation(drawn))
                        shares = np.where(spread.any(axis=0), spread, shares)
                    elif not isinstance(multioutput, str):
                        shares = shares * np.array(multioutput)[:, np.newaxis]
                    yield {
                        name: np.where(shares > 0, shares * value, 0.0).sum(axis=0, keepdims=True)
                        / shares.sum(axis=0)
                        for name, value in found.items()
                    }

    return gathered(blocks(), n_resamples)


class _SortedRows:
    """The rows in an order that does not depend on that of the input."""

    def __init__(self, pairs: Pairs) -> None:
        self._pairs = pairs
        self.order = pairs.row_order()
        self._weights = np.ones(len(self.order))
        if pairs.weights is not None:
            self._weights = pairs.weights[self.order]
        self._tables = [table[:, self.order] for table in pairs.tables()]
        errors, self._exponent = pairs.absolute_errors()
        self._errors = errors[:, self.order]

    def resampled(self, measure: RegressionMeasure) -> Resampled:
        """Return a function from how often rows are drawn to the values of a measure."""
        errors = row_errors(self._pairs, measure, "raw_values")
        if errors is not None:
            sums = self._sums(errors.columns[:, self.order])
            weight = self._sums(np.ones((1, self.order.size)))
            has_root = measure.kind in ROOTS
            exponent = errors.exponent // 2 if has_root else errors.exponent

            def mean(counts: Floats) -> Floats:
                means = sums(counts) / weight(counts)
                return np.asarray(np.ldexp(np.sqrt(means) if has_root else means, exponent))

            return mean
        if measure.kind in (*ORDER_NAMES, "max_error", *D2_NAMES):
            return lambda counts: np.array(
                [
                    [self._of_rows(measure, output, drawn) for drawn in counts.astype(np.int64)]
                    for output in range(self._pairs.outputs)
                ]
            )
        sums = self.sums_of_squares()
        is_single = self._pairs.rows < 2

        def score(counts: Floats) -> Floats:
            columns = sums(counts)
            values = sums_score(measure.kind, columns)
            if measure.kind == "concordance":
                return values
            constant = _variation(columns) == 0
            if measure.kind == "pearson":
                predicted = _variation(columns, predictions=True)
                return np.where(constant | (predicted == 0), math.nan, np.clip(values, -1.0, 1.0))
            rows, _, error, _, unexplained, _ = columns
            if measure.kind == "explained_variance":
                varied = unexplained - error * error / rows
                unexplained = np.where(varied <= _ROUNDING * unexplained, 0.0, varied)
            values = np.where(constant, np.where(unexplained == 0, 1.0, 0.0), values)
            return np.full_like(values, math.nan) if is_single and measure.kind == "r2" else values

        return score

    def _of_rows(self, measure: RegressionMeasure, output: int, counts: Integers) -> float:
        """Return a measure of the rows of one resample."""
        rows = np.repeat(np.arange(counts.size), counts)
        weights = None if self._pairs.weights is None else self._weights[rows]
        predictions, references = (table[output][rows] for table in self._tables)
        match measure.kind:
            case "max_error" | "median_ae":
                errors = self._errors[output][rows]
                value = errors.max() if measure.kind == "max_error" else median(errors, weights)
                return float(np.ldexp(value, self._exponent))
            case "spearman":
                return spearman(predictions, references)
            case "kendall":
                return kendall(predictions, references)
        return d2(measure, predictions, references, weights)

    def sums_of_squares(self) -> Resampled:
        """Return the sums of `sums_score`, shape (6, outputs, resamples).

        Both columns are in units in which no square overflows, less a number near the mean.
        """
        predictions, references, _ = self._pairs.columns()
        largest = max(float(np.abs(column).max()) for column in (predictions, references))
        exponent = math.frexp(largest)[1]
        x, y = (np.ldexp(table[:, self.order], -exponent) for table in (predictions, references))
        centers = np.array([math.fsum(column) / self.order.size for column in y.tolist()])
        y, e = y - centers[:, np.newaxis], y - x
        columns = np.stack([np.ones(y.shape), y, e, y * y, e * e, y * e])
        sums = self._sums(columns.reshape(-1, self.order.size))
        return lambda counts: sums(counts).reshape(6, len(y), -1)

    def _sums(self, columns: Floats) -> Resampled:
        """Return a function from counts of rows to weighted sums of columns, without rounding."""
        amounts = (columns * self._weights).T
        units, exponents = in_whole_units(amounts, self.order.size)
        return lambda counts: np.ldexp(units.T @ counts.T, exponents[:, np.newaxis])


def _variation(sums: Floats, *, predictions: bool = False) -> Floats:
    """Return the squared deviations of references, or predictions; 0 for a constant."""
    rows, y, e, squares, errors, products = sums
    if predictions:
        y, squares = y - e, squares + errors - 2 * products
    variation = squares - y * y / rows
    return np.where(variation <= _ROUNDING * squares, 0.0, variation)
