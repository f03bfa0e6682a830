"""Losses of rows whose mean is a measure, and the proportion that a constant would not explain.

A D2 measure is 1 minus the mean loss over that of the best constant, as R2 is for squared errors.
"""

import math
import sys
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..statistics.arguments.arrays import Booleans, Floats
from ..statistics.arguments.checks import RowError
from ..statistics.arithmetic.exact_sums import exact_sum, quotient, rounded_sum, shifted
from .measure_names import INTERVAL_NAMES, LOSS_NAMES, RegressionMeasure
from .pairs import Numbers, Pairs, difference
from .unit_deviances import unit_deviances

ROOTS = ("rmse", "rmsle")
MEANS = ("mae", "mse", "rmse", "mape", "smape", *LOSS_NAMES, *INTERVAL_NAMES)
_EPSILON = sys.float_info.epsilon  # the smallest divisor of an error
_SAFE = 400  # numbers with an exponent up to here, or down to minus it, can be squared
_BLOCK = 1 << 15  # rows at a time: intermediate arrays fit into the cache, and calls are few


def row_errors(pairs: Pairs, measure: RegressionMeasure) -> tuple[Floats, int]:
    """Return errors whose mean is the measure, or for a root its square, and a power of two.

    They are in units of this power; shape (outputs, rows).

    Args:
        pairs: the rows.
        measure: one of `MEANS`.

    >>> row_errors(Pairs([1.0, 6.0], [2.0, 4.0]), RegressionMeasure("mape", "mape"))
    (array([[0.5, 0.5]]), 0)
    """
    if measure.kind in INTERVAL_NAMES:
        return interval_errors(pairs, measure), 0
    if measure.kind in LOSS_NAMES:
        return row_losses(measure, pairs.predictions, pairs.references), 0
    errors, exponent = pairs.absolute_errors()
    if measure.kind == "mae":
        return errors, exponent
    if measure.kind in ("mse", "rmse"):
        power = math.frexp(float(errors.max()))[1]
        power = power if abs(power) > _SAFE else 0
        return np.square(shifted(errors, -power)), 2 * (power + exponent)
    predictions, references = (
        np.abs(table.astype(np.float64)) for table in (pairs.predictions, pairs.references)
    )
    with np.errstate(over="ignore"):
        if measure.kind == "mape":
            return errors / np.maximum(references, _EPSILON), exponent
        sizes = shifted(predictions, -exponent)
        sizes += shifted(references, -exponent)
    return np.divide(2 * errors, sizes, out=np.zeros(errors.shape), where=sizes > 0), 0


def interval_errors(pairs: Pairs, measure: RegressionMeasure) -> Floats:
    """Return the score of each row, shape (1, rows).

    "coverage" is 1 for an interval that contains the reference, including its ends;
    "interval_width" is its width; and "winkler" is the width plus 2 / alpha times the distance of a
    reference outside, which is minimal if the interval contains 1 - alpha of the distribution.

    Source:
        Winkler, A decision-theoretic approach to interval estimation (1972); Gneiting and Raftery,
        Strictly proper scoring rules, prediction, and estimation (2007), 6.2.

    >>> from .pairs import IntervalPairs
    >>> pairs = IntervalPairs([[1.0, 2.0], [1.0, 2.0]], [1.5, 2.5])
    >>> interval_errors(pairs, RegressionMeasure("winkler(alpha=0.1)", "winkler", 0.1)).tolist()
    [[1.0, 11.0]]
    """
    low, high = pairs.predictions
    numbers = pairs.references
    if measure.kind == "coverage":
        return np.asarray((low <= numbers) & (numbers <= high), np.float64)
    with np.errstate(over="ignore"):
        scores = difference(high, low)[np.newaxis]
        if measure.kind == "winkler":
            outside = np.maximum(difference(low, numbers), difference(numbers, high))
            scores = scores + 2 / measure.parameter * np.maximum(outside, 0.0)
    if not np.isfinite(scores.max(initial=0.0)):
        row = int(scores.argmax())
        problem = f"is {[low[row].item(), high[row].item()]}; for {measure.name!r} each interval "
        raise RowError("predictions", row, f"{problem}has a score within float64")
    return np.asarray(scores)


def mean_losses(losses: Floats, weights: Floats | None) -> list[float]:
    """Return the weighted mean of each output, from exactly rounded sums; NaN without any row."""
    if not losses.size:
        return [math.nan] * len(losses)
    total = Fraction(losses.shape[1]) if weights is None else exact_sum(weights)
    means = []
    for output in losses:
        values = output if weights is None else output * weights
        mean = rounded_sum(values) / float(total)
        means.append(mean if math.isfinite(mean) else quotient(exact_sum(values), total))
    return means


def row_losses(measure: RegressionMeasure, predictions: Numbers, references: Numbers) -> Floats:
    """Return the loss of each row in each output, shape (outputs, rows).

    "msle" is the squared difference of log(1 + x). "pinball" is `alpha` times the error if the
    reference is larger, and 1 - alpha times if it is smaller. "tweedie" is the unit deviance for
    `power`: squares at 0, Poisson's at 1, that of gamma distributions at 2.

    Raises:
        ValueError: a number is not in the domain of the loss; names the row.

    Source:
        Koenker and Bassett, Regression quantiles (1978); Jorgensen, The theory of dispersion
        models (1997).

    >>> numbers = np.array([[1.0, 2.0]]), np.array([[3.0, 1.0]])
    >>> row_losses(RegressionMeasure("pinball(alpha=0.9)", "pinball", 0.9), *numbers).round(
    ...     12
    ... ).tolist()
    [[1.8, 0.1]]
    """
    _check_domain(measure, predictions, references)
    losses = np.empty(references.shape)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        for start in range(0, references.shape[1], _BLOCK):
            part = slice(start, start + _BLOCK)
            of_part = predictions if predictions.shape[1] == 1 else predictions[:, part]
            losses[:, part] = _losses(measure, of_part, references[:, part])
    if not np.isfinite(losses.max(initial=0.0)):  # losses are never negative
        table = np.broadcast_to(predictions, references.shape)
        domain = "has a loss within float64"
        _refuse(measure, "predictions", table, ~np.isfinite(losses), domain)
    return losses


def _losses(measure: RegressionMeasure, predictions: Numbers, references: Numbers) -> Floats:
    residuals = difference(references, predictions)
    if measure.loss == "pinball":
        lowered = residuals * (measure.parameter - 1)
        return np.asarray(np.maximum(residuals * measure.parameter, lowered))
    means, values = (table.astype(np.float64, copy=False) for table in (predictions, references))
    if measure.loss == "tweedie":
        return unit_deviances(measure.parameter, means, values, residuals)
    # Far from zero the logarithms of 1 + x are nearly equal, and their difference is noise. That of
    # the ratio 1 + error / (1 + the smaller number) is not.
    logarithms = np.log1p(np.abs(residuals) / (np.minimum(values, means) + 1))
    is_far = np.isinf(logarithms)  # the ratio overflowed, so these are far apart
    if is_far.any():
        logarithms[is_far] = np.log1p(values[is_far]) - np.log1p(means[is_far])
    return np.asarray(np.square(logarithms))


def _check_domain(measure: RegressionMeasure, predictions: Numbers, references: Numbers) -> None:
    both, domains = ("predictions", "references"), {}
    if measure.loss == "msle":
        domains = dict.fromkeys(both, "is above -1")
    elif measure.loss == "tweedie" and measure.parameter:
        domains = dict.fromkeys(both if measure.parameter >= 2 else both[:1], "is above 0")
        if 1 <= measure.parameter < 2:
            domains["references"] = "is at least 0"
    for column, domain in domains.items():
        table = predictions if column == "predictions" else references
        wrong = table < 0 if domain == "is at least 0" else table <= int(domain.split()[-1])
        if wrong.any():
            _refuse(measure, column, table, wrong, domain)


def _refuse(
    measure: RegressionMeasure, column: str, table: Numbers, is_wrong: Booleans, domain: str
) -> NoReturn:
    row, output = np.argwhere(is_wrong.T)[0].tolist()
    index = f"[{output}] " if len(table) > 1 else ""
    raise RowError(
        column, row, f"{index}is {table[output, row]}; for {measure.name!r} each number {domain}"
    )


def d2(
    measure: RegressionMeasure, predictions: Numbers, references: Numbers, weights: Floats | None
) -> float:
    """Return the proportion of the best constant's loss that predictions avoid.

    As with R2, it is NaN for less than two rows; if the constant has no loss, as with constant
    references and at extreme quantiles, it is 1.0 if predictions have none either, else 0.0.

    Args:
        measure: a D2.
        predictions: shape (rows,).
        references: the same.
        weights: the weights of rows; None if all are 1.

    Source:
        Hastie, Tibshirani and Wainwright, Statistical learning with sparsity (2015), 3.1; Banerjee
        et al., Clustering with Bregman divergences (2005), equation 1.

    >>> measure = RegressionMeasure("d2_absolute_error", "d2_absolute_error", 0.5)
    >>> round(d2(measure, np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]), None), 4)
    0.6667
    """
    losses = row_losses(measure, predictions[np.newaxis], references[np.newaxis])
    if references.size < 2:
        return math.nan
    (loss,) = mean_losses(losses, weights)
    constant = _best_constant(measure, references, weights)
    if references.min() == references.max():
        return float(not loss)
    is_mean = measure.loss == "tweedie"
    if constant <= 0 and is_mean and measure.parameter:  # a deviance that needs positive means
        return math.nan
    (minimum,) = mean_losses(_losses_of(measure, constant, references, weights), weights)
    if is_mean and references.dtype.kind == "f":
        # The best constant may not be a float. The mean deviance from its rounded value exceeds
        # that from itself by the deviance between both, which counts where floats are far apart.
        (distance,) = mean_losses((references - constant)[np.newaxis], weights)
        both = (np.array([number]) for number in (constant, constant + distance, distance))
        minimum -= float(unit_deviances(measure.parameter, *both)[0])
    return 1 - loss / minimum if minimum else float(not loss)


def _best_constant(measure: RegressionMeasure, references: Numbers, weights: Floats | None) -> Any:
    """Return the constant prediction with the smallest loss: the mean, or a quantile."""
    if measure.loss == "tweedie":
        return mean_losses(references[np.newaxis].astype(np.float64), weights)[0]
    return _quantile(references, measure.parameter, weights)


def _losses_of(
    measure: RegressionMeasure, constant: float, references: Numbers, weights: Floats | None
) -> Floats:
    """Return the loss of each row if the best constant is predicted, shape (1, rows)."""
    if references.dtype.kind == "f" or measure.loss != "tweedie":
        best = np.full((1, 1), constant, references.dtype)
        return row_losses(measure, best, references[np.newaxis])
    # The mean is not rounded before it is subtracted from integers that a float64 cannot hold.
    residuals = difference(references, references.min())
    residuals -= mean_losses(residuals[np.newaxis], weights)[0]
    values = references.astype(np.float64)
    return unit_deviances(measure.parameter, np.full(1, constant), values, residuals)[np.newaxis]


def d2_losses(
    measure: RegressionMeasure, predictions: Numbers, references: Numbers, weights: Floats | None
) -> tuple[Floats, Floats]:
    """Return the losses of rows, and those of the best constant prediction, shape (rows,) each.

    Both are in one unit, in which no square overflows.

    >>> measure = RegressionMeasure("d2_absolute_error", "d2_absolute_error", 0.5)
    >>> lost, constant = d2_losses(measure, np.array([1.0, 2.0]), np.array([1.0, 4.0]), None)
    >>> abs(lost).tolist(), abs(constant).tolist()
    ([0.0, 0.5], [0.0, 0.75])
    """
    losses = row_losses(measure, predictions[np.newaxis], references[np.newaxis])
    constant = _best_constant(measure, references, weights)
    both = np.concatenate([losses, _losses_of(measure, constant, references, weights)])
    scaled: Floats = np.ldexp(both, -math.frexp(float(both.max(initial=0.0)))[1])
    return scaled[0], scaled[1]


def _quantile(values: Numbers, fraction: float, weights: Floats | None) -> Any:
    """Return the smallest value at which the cumulative weight reaches this fraction."""
    if weights is None:
        position = max(math.ceil(fraction * values.size), 1) - 1
        ascending = np.partition(values, position)
    else:
        order = np.argsort(values, kind="stable")
        cumulative: NDArray[np.float64] = np.cumsum(weights[order])
        position = int(cumulative.searchsorted(fraction * cumulative[-1]))
        ascending = values[order]
    return ascending[min(position, values.size - 1)].item()
