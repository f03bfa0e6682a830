"""The bootstrap of regression measures: intervals by drawing rows with replacement."""

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from ..statistics.arguments.arrays import Booleans, Floats, Integers
from ..statistics.intervals.cluster_sums import Clusters
from ..statistics.resampling.draws import RandomWords, random_rows
from ..statistics.resampling.progress import report
from ..statistics.resampling.resampled_totals import gathered
from .measure_names import D2_NAMES, LOSS_NAMES, RegressionMeasure, parse_measures
from .moments import required_measures, required_terms
from .order_statistics import kendall, median, rank_correlations, resampled_kendall
from .pairs import SAFE_EXPONENT, FloatColumns, Numbers, Pairs
from .row_losses import d2, row_losses

_BATCH_ROWS = 1 << 17  # rows drawn at a time, for several resamples together
_MATRIX_ROWS = 1 << 9  # up to which a matrix of all pairs of rows is worthwhile for Kendall's tau
_EPSILON = sys.float_info.epsilon


class Bootstrap:
    """Percentile intervals of measures; a resample draws as many rows as there are.

    Rows are sorted first, so their order does not matter. The summands of each row are computed
    once and rounded to integer multiples of a small unit. So the sums of a resample are exact, and
    do not depend on the order of the draws either.

    Args:
        pairs: the rows.
        measures: names of measures.
        multioutput: how the values of outputs are reported, as in `regression_scores`.
        clusters: the clusters of rows, including rows of weight 0; resamples then draw clusters.
    """

    def __init__(
        self,
        pairs: Pairs,
        measures: Sequence[str],
        multioutput: str | Sequence[float],
        clusters: Clusters | None = None,
    ) -> None:
        self._measures, self._multioutput = measures, multioutput
        self._drawable, self._rows = len(pairs.references), pairs.rows  # without, with weight 0
        self._outputs = pairs.outputs
        if not self._drawable:
            return
        order = pairs.row_order()
        self._weights = None if pairs.weights is None else pairs.weights[order]
        predictions, references, residuals = (column[:, order] for column in pairs.columns())
        self._predictions, self._references = _codes(predictions), _codes(references)
        errors, self._error_exponent = pairs.absolute_errors()
        self._reference_ends = [(codes, codes) for codes in self._references]
        self._prediction_ends = [(codes, codes) for codes in self._predictions]
        self._errors = self._largest_errors = errors[:, order]
        absolute = [
            np.abs(np.atleast_2d(table.T)[:, order].astype(np.float64))
            for table in (pairs.predictions, pairs.references)
        ]
        # Numbers whose squares might overflow or underflow are divided by a power of two.
        largest = max(float(column.max()) for column in (*absolute, self._errors))
        exponent = math.frexp(largest)[1]
        self._scale = exponent if abs(exponent) > SAFE_EXPONENT else 0
        predictions, references, *absolute = (
            np.ldexp(column, -self._scale) for column in (predictions, references, *absolute)
        )
        if exponent > SAFE_EXPONENT:  # a residual may have overflowed before
            residuals = references - predictions
        else:
            residuals = np.ldexp(residuals, -self._scale)
        summands = _summands(
            FloatColumns(predictions, references, residuals),
            *absolute,
            lowest=math.ldexp(_EPSILON, -self._scale),
        )
        self._units = {
            term: self._weighted_units(summands[term]())
            for term in required_terms(required_measures(measures, multioutput))
        }
        self._offsets = _near_means(references) - _near_means(predictions)
        self._tables = [table[:, order] for table in pairs.tables()]
        self._parsed = {measure.name: measure for measure in parse_measures(measures)}
        for measure in self._parsed.values():
            if measure.kind in LOSS_NAMES:
                self._units[measure.name] = self._weighted_units(row_losses(measure, *self._tables))
        if self._weights is not None:
            self._units["weight"] = _integer_units(self._weights[np.newaxis])
        self._members: list[Integers] | None = None
        if clusters is not None:
            self._take_clusters(clusters.take(pairs.positive_rows).take(order))

    def _take_clusters(self, clusters: Clusters) -> None:
        """Replace rows by clusters, in the order of their labels."""
        labels = sorted(range(len(clusters.labels)), key=clusters.labels.__getitem__)
        self._members = [np.flatnonzero(clusters.numbers == number) for number in labels]
        if self._weights is None:
            self._units["weight"] = np.ones((1, self._drawable), np.int64), 0
        starts = np.append(0, np.cumsum([*map(len, self._members)]))[:-1]
        order = np.concatenate(self._members)
        for term, (units, exponent) in self._units.items():
            sums = np.add.reduceat(units[:, order], starts, axis=1)
            folded, power = _integer_units(sums.astype(np.float64))
            self._units[term] = folded, power + exponent

        def ends(codes: Integers) -> tuple[Integers, Integers]:
            ordered = codes[order]
            return np.minimum.reduceat(ordered, starts), np.maximum.reduceat(ordered, starts)

        self._reference_ends = [ends(codes) for codes in self._references]
        self._prediction_ends = [ends(codes) for codes in self._predictions]
        self._largest_errors = np.maximum.reduceat(self._errors[:, order], starts, axis=1)
        self._drawable = len(self._members)

    def _weighted_units(self, summands: Floats) -> tuple[Integers, int]:
        return _integer_units(summands if self._weights is None else summands * self._weights)

    def resampled(self, n_resamples: int, seed: int) -> dict[str, Floats]:
        """Return the values of each measure in resamples, shape (outputs, resamples).

        Averages over outputs have the shape (1, resamples).
        """
        if not self._drawable:
            outputs = self._outputs if self._multioutput == "raw_values" else 1
            return {name: np.full((outputs, n_resamples), math.nan) for name in self._measures}
        return gathered(self._resampled_blocks(n_resamples, seed), n_resamples)

    def _resampled_blocks(self, n_resamples: int, seed: int) -> Iterator[dict[str, Floats]]:
        words = RandomWords(seed)
        batch_size = max(1, _BATCH_ROWS // self._drawable)
        for start in range(0, n_resamples, batch_size):
            report(start / n_resamples)
            resamples = min(batch_size, n_resamples - start)
            rows = random_rows(words, self._drawable, resamples * self._drawable)
            yield self._resampled(rows.reshape(resamples, self._drawable))

    def _resampled(self, rows: Integers) -> dict[str, Floats]:
        """Return the measures of some resamples, shape (outputs, resamples).

        Averages have one output.

        Args:
            rows: the rows of each resample, shape (resamples, rows).
        """
        sums = {
            term: np.ldexp(
                np.array([output.take(rows).sum(axis=1) for output in units]).astype(np.float64),
                exponent,
            )
            for term, (units, exponent) in self._units.items()
        }
        weight = sums.get("weight", np.full((1, 1), float(self._drawable)))
        with np.errstate(all="ignore"):
            values = {name: self._values(name, rows, sums, weight) for name in self._measures}
            if self._multioutput == "raw_values":
                return values
            output_weights = np.ones((self._outputs, len(rows)))
            if self._multioutput == "variance_weighted":
                constant = _is_constant(self._reference_ends, rows)
                variation = np.where(constant, 0.0, _variation("reference", sums, weight))
                output_weights = np.where(variation.any(axis=0), variation, output_weights)
            elif not isinstance(self._multioutput, str):
                output_weights = np.tile(np.array(self._multioutput)[:, np.newaxis], (1, len(rows)))
            total = output_weights.sum(axis=0)
            return {
                name: (
                    np.where(output_weights > 0, outputs * output_weights, 0.0).sum(axis=0) / total
                )[np.newaxis]
                for name, outputs in values.items()
            }

    def _values(
        self, name: str, rows: Integers, sums: Mapping[str, Floats], weight: Floats
    ) -> Floats:
        """Return a measure of each output in some resamples."""
        measure = self._parsed[name]
        if measure.kind in LOSS_NAMES:
            means = sums[name] / weight
            return np.sqrt(means) if measure.kind == "rmsle" else means
        if measure.kind == "kendall" or measure.kind in D2_NAMES:
            # Of integers, which a float64 may not hold, ranks have differences that an int64 holds.
            ranks = self._predictions, self._references
            outputs = zip(*(ranks if measure.kind == "kendall" else self._tables), strict=True)
            return np.array(
                [
                    self._measured(partial(self._by_resample, measure, *pair), rows)
                    for pair in outputs
                ]
            )
        match name:
            case "mae":
                return np.ldexp(sums["absolute"] / weight, self._scale)
            case "mse":
                return np.ldexp(sums["squared"] / weight, 2 * self._scale)
            case "rmse":
                return np.ldexp(np.sqrt(sums["squared"] / weight), self._scale)
            case "mape":
                return sums["relative"] / weight
            case "smape":
                return sums["symmetric"] / weight
            case "max_error":
                largest = [errors.take(rows).max(axis=1) for errors in self._largest_errors]
                return np.ldexp(largest, self._error_exponent)
            case "median_ae":
                medians = [
                    self._measured(partial(self._medians, errors), rows) for errors in self._errors
                ]
                return np.ldexp(medians, self._error_exponent)
            case "spearman":
                outputs = zip(self._references, self._predictions, strict=True)
                return np.array(
                    [self._measured(partial(_rank_correlations, *pair), rows) for pair in outputs]
                )
            case "pearson":
                return self._correlations(rows, sums, weight)
            case "concordance":
                difference = (sums["reference"] - sums["prediction"]) / weight + self._offsets
                spread = _variation("reference", sums, weight)
                spread = spread + _variation("prediction", sums, weight) + weight * difference**2
                return 2 * _covariation(sums, weight) / spread
        constant, variation = (
            _is_constant(self._reference_ends, rows),
            _variation("reference", sums, weight),
        )
        if name == "r2":
            unexplained = sums["squared"]
            perfect = unexplained == 0
        else:
            unexplained = variation + _variation("prediction", sums, weight)
            unexplained = np.maximum(unexplained - 2 * _covariation(sums, weight), 0.0)
            perfect = _is_constant(self._prediction_ends, rows)
        explained = np.where(constant, np.where(perfect, 1.0, 0.0), 1 - unexplained / variation)
        return explained if self._rows > 1 or name != "r2" else np.full_like(explained, math.nan)

    def _correlations(self, rows: Integers, sums: Mapping[str, Floats], weight: Floats) -> Floats:
        product = _variation("reference", sums, weight) * _variation("prediction", sums, weight)
        correlations = np.clip(_covariation(sums, weight) / np.sqrt(product), -1.0, 1.0)
        undefined = _is_constant(self._reference_ends, rows)
        undefined |= _is_constant(self._prediction_ends, rows)
        return np.where(undefined, math.nan, correlations)

    def _measured(self, measure: Callable[[Integers], Floats], drawn_rows: Integers) -> Floats:
        """Return a measure of the rows of each resample; with clusters, their number may vary."""
        if self._members is None:
            return measure(drawn_rows)
        members = self._members
        resamples = (np.concatenate([members[number] for number in row]) for row in drawn_rows)
        return np.concatenate([measure(rows[np.newaxis]) for rows in resamples])

    def _by_resample(
        self,
        measure: RegressionMeasure,
        predictions: Numbers,
        references: Numbers,
        drawn_rows: Integers,
    ) -> Floats:
        """Return a measure of the rows of each resample, one resample at a time."""
        if measure.kind == "kendall" and references.size <= _MATRIX_ROWS:
            return resampled_kendall(predictions, references, drawn_rows)
        values = []
        for rows in drawn_rows:
            pair = predictions[rows], references[rows]
            weights = None if self._weights is None else self._weights[rows]
            values.append(
                kendall(*pair) if measure.kind == "kendall" else d2(measure, *pair, weights)
            )
        return np.array(values)

    def _medians(self, errors: Floats, rows: Integers) -> Floats:
        if self._weights is None:
            medians: Floats = np.median(errors[rows], axis=1)
            return medians
        return np.array([median(errors[resample], self._weights[resample]) for resample in rows])


def _summands(
    columns: FloatColumns,
    absolute_predictions: Floats,
    absolute_references: Floats,
    *,
    lowest: float,
) -> dict[str, Callable[[], Floats]]:
    """Functions that compute the summands of each term.

    References and predictions are summed about a centre near their mean.

    Args:
        columns: integers that a float64 cannot hold are given as distances.
        absolute_predictions: the absolute values, not distances.
        absolute_references: the same for references.
        lowest: the smallest divisor of an error.
    """
    errors = np.abs(columns.residuals)
    references = columns.references - _near_means(columns.references)
    predictions = columns.predictions - _near_means(columns.predictions)

    def symmetric() -> Floats:
        totals = absolute_predictions + absolute_references
        return 2 * np.divide(errors, totals, out=np.zeros(errors.shape), where=totals > 0)

    return {
        "absolute": lambda: errors,
        "squared": lambda: columns.residuals * columns.residuals,
        "relative": lambda: errors / np.maximum(absolute_references, lowest),
        "symmetric": symmetric,
        "product": lambda: references * predictions,
        "reference": lambda: references,
        "reference_squared": lambda: np.square(references),
        "prediction": lambda: predictions,
        "prediction_squared": lambda: np.square(predictions),
    }


def _near_means(columns: Floats) -> Floats:
    """Return a number near the mean of each output, independent of row order.

    Shape (outputs, 1).
    """
    # Numbers are divided before they are summed, because their sum might overflow.
    sums = [math.fsum((output / output.size).tolist()) for output in columns]
    return np.array(sums)[:, np.newaxis]


def _integer_units(numbers: Floats) -> tuple[Integers, int]:
    """Numbers as integer multiples of a power of two, and its exponent.

    The power is so large that the sum of as many copies of the largest fits into 64 bits.

    >>> _integer_units(np.array([[0.75, -0.5]]))[0] / 2**60
    array([[ 0.75, -0.5 ]])
    """
    exponent = math.frexp(float(np.abs(numbers).max()))[1] + numbers.shape[1].bit_length() - 62
    return np.rint(np.ldexp(numbers, -exponent)).astype(np.int64), exponent


def _codes(columns: Floats) -> list[Integers]:
    """Each number as the index of its value among the distinct values of its output, ascending.

    >>> _codes(np.array([[0.5, 2.0, 0.5]]))
    [array([0, 1, 0])]
    """
    return [np.unique(column, return_inverse=True)[1] for column in columns]


def _is_constant(ends: Sequence[tuple[Integers, Integers]], rows: Integers) -> Booleans:
    """Return whether all rows of a resample have the same number, for each output.

    Args:
        ends: for each output, the minimum and maximum code of each row, or cluster.
        rows: the indices drawn by each resample, shape (resamples, rows).
    """
    return np.array(
        [
            lowest.take(rows).min(axis=1) == highest.take(rows).max(axis=1)
            for lowest, highest in ends
        ]
    )


def _rank_correlations(references: Integers, predictions: Integers, rows: Integers) -> Floats:
    return rank_correlations(references[rows], predictions[rows])


def _variation(name: str, sums: Mapping[str, Floats], weight: Floats) -> Floats:
    """Return the sum of squared deviations from the mean."""
    return sums[f"{name}_squared"] - sums[name] * sums[name] / weight


def _covariation(sums: Mapping[str, Floats], weight: Floats) -> Floats:
    """Return the sum of products of the deviations of references and of predictions."""
    return sums["product"] - sums["reference"] * sums["prediction"] / weight
