"""Losses of rows whose mean is a measure, and the proportion that a constant would not explain.

A D2 measure is 1 minus the mean loss over that of the best constant, as R2 is for squared errors.
"""

import math
import sys
from fractions import Fraction
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..statistics.arguments.arrays import Booleans, Floats, equal_blocks
from ..statistics.arguments.checks import RowError
from ..statistics.arithmetic.exact_sums import exact_sum, quotient, rounded_sum
from .measure_names import D2_NAMES, LOSS_NAMES, RegressionMeasure
from .pairs import SAFE_EXPONENT, Numbers, Pairs, check_finite, difference
from .unit_deviances import unit_deviances

ROOTS = {"rmse", "rmsle"}
_ERRORS = {"mae", "mse", "rmse", "mape", "smape"}
_EPSILON = sys.float_info.epsilon  # the smallest divisor of an error

_SHIFT = 64  # powers of two, by which errors are divided that may overflow
_BLOCK = 1 << 15  # rows at a time: intermediate arrays fit into the cache, and calls are few


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
    for part in equal_blocks(references.shape[1], _BLOCK):
        _set_losses(measure, _part(predictions, part), references[:, part], losses[:, part])
    if not np.isfinite(losses.max(initial=0.0)):  # losses are never negative
        wrong = ~np.isfinite(losses)
        table = np.broadcast_to(predictions, references.shape)
        _refuse(measure, "predictions", table, wrong, "has a loss within float64")
    return losses


def _part(predictions: Numbers, part: slice) -> Numbers:
    """Return the predictions of these rows; a constant has one column for all rows."""
    return predictions if predictions.shape[1] == 1 else predictions[:, part]


def _set_losses(
    measure: RegressionMeasure, predictions: Numbers, references: Numbers, losses: Floats
) -> None:
    """Set `losses` for rows that are known to be in their domain."""
    parameter = measure.parameter
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        if measure.loss == "pinball":
            difference(references, predictions, losses)
            overestimates = losses * (parameter - 1)
            losses *= parameter
            np.maximum(losses, overestimates, out=losses)
            return
        means, values = (
            table.astype(np.float64, copy=False) for table in (predictions, references)
        )
        if measure.loss == "tweedie" and references.dtype.kind == "f":
            unit_deviances(parameter, means, values, out=losses)
            return
        residuals = difference(references, predictions, np.empty(losses.shape))
        if measure.loss == "tweedie":
            unit_deviances(parameter, means, values, residuals, out=losses)
        else:
            _set_squared_log_errors(means, values, residuals, losses)


def _set_squared_log_errors(
    predictions: Floats, references: Floats, residuals: Floats, losses: Floats
) -> None:
    """Set `losses` to the squares of log(1 + reference) - log(1 + prediction).

    Far from zero the two logarithms are nearly equal, and their difference is noise. The logarithm
    of the ratio 1 + error / (1 + the smaller number) has no such cancellation, and neither have the
    error, which is exact for close numbers, and the sum below the line.
    """
    divisors = np.minimum(references, predictions)
    divisors += 1
    np.abs(residuals, out=losses)
    losses /= divisors
    np.log1p(losses, out=losses)
    if np.isinf(losses.max(initial=0.0)):
        is_far = np.isinf(losses)  # the ratio overflowed, so these logarithms are far apart
        losses[is_far] = np.log1p(references[is_far]) - np.log1p(predictions[is_far])
    np.square(losses, out=losses)


def _check_domain(measure: RegressionMeasure, predictions: Numbers, references: Numbers) -> None:
    """Check that all numbers are in the domain of the loss."""
    power = measure.parameter
    bounds: dict[str, float] = {}
    if measure.loss == "msle":
        bounds = {"predictions": -1, "references": -1}
    elif measure.loss == "tweedie":
        if power:
            bounds["predictions"] = 0
        if power >= 2:
            bounds["references"] = 0
    tables = {"predictions": predictions, "references": references}
    for column, bound in bounds.items():
        table = tables[column]
        if table.size and table.min() <= bound:
            _refuse(measure, column, table, table <= bound, f"is above {bound}")
    if measure.loss == "tweedie" and 1 <= power < 2 and references.size and references.min() < 0:
        _refuse(measure, "references", references, references < 0, "is at least 0")


def _refuse(
    measure: RegressionMeasure, column: str, table: Numbers, is_wrong: Booleans, domain: str
) -> NoReturn:
    """Raise an error about the first wrong number."""
    row, output = np.argwhere(is_wrong.T)[0].tolist()
    index = f"[{output}] " if len(table) > 1 else ""
    raise RowError(
        column, row, f"{index}is {table[output, row]}; for {measure.name!r} each number {domain}"
    )


class RowErrors(NamedTuple):
    """The contribution of rows to a mean error: columns in units of 2**exponent, one per output."""

    columns: Floats
    exponent: int


def row_errors(pairs: Pairs, measure: RegressionMeasure, multioutput: Any) -> RowErrors | None:
    """Return the errors of rows whose mean is the measure, or for RMSE its square; else None.

    Averaged over outputs, a mean error is still a mean of rows, but a root mean square is not.
    """
    name = measure.kind
    averaged = pairs.outputs > 1 and multioutput != "raw_values"
    if name not in (*_ERRORS, *LOSS_NAMES) or not len(pairs.references):
        return None
    if averaged and (multioutput != "uniform_average" or name in ROOTS):
        return None
    if name in LOSS_NAMES:
        losses = row_losses(measure, *pairs.tables())
        return RowErrors(losses.mean(axis=0, keepdims=True) if averaged else losses, 0)
    if name in ("mape", "smape"):
        errors, exponent = relative_errors(pairs, name)
    else:
        errors, exponent = pairs.absolute_errors()
        # In units near the largest error, squares are far from infinity and from 0.
        power = math.frexp(float(errors.max()))[1]
        power = power if abs(power) > SAFE_EXPONENT else 0
        errors, exponent = np.ldexp(errors, -power), power + exponent
    if name in ("mse", "rmse"):
        errors, exponent = np.square(errors), 2 * exponent
    return RowErrors(errors.mean(axis=0, keepdims=True) if averaged else errors, exponent)


def relative_errors(pairs: Pairs, name: str) -> RowErrors:
    """Return the absolute errors over the references, or over the mean of both absolute numbers.

    Args:
        pairs: the rows.
        name: "mape", or "smape" for the mean of both.

    >>> relative_errors(Pairs([1.0, 6.0], [2.0, 4.0]), "mape").columns.tolist()
    [[0.5, 0.5]]
    """
    errors, exponent = pairs.absolute_errors()
    predictions, references = (np.abs(table.astype(np.float64)) for table in pairs.tables())
    if name == "mape":
        with np.errstate(over="ignore"):
            relative = errors / np.maximum(references, _EPSILON)
        if np.isfinite(relative).all():
            return RowErrors(relative, exponent)
        small = np.ldexp(errors, -_SHIFT) / np.maximum(references, _EPSILON)
        return RowErrors(small, exponent + _SHIFT)
    with np.errstate(over="ignore"):
        totals = predictions + references
    if not np.isfinite(totals).all():
        totals = predictions / 2 + references / 2
        errors = errors if exponent else errors / 2
    relative = np.divide(errors, totals, out=np.zeros(errors.shape), where=totals > 0)
    return RowErrors(2 * relative, 0)


def mean_losses(losses: Floats, weights: Floats | None) -> list[float]:
    """Return the weighted mean of each output, from exactly rounded sums.

    NaN if the weight is 0.
    """
    if not losses.size:
        return [math.nan] * len(losses)
    total = Fraction(losses.shape[1]) if weights is None else exact_sum(weights)
    means = []
    for output in losses:
        values = output if weights is None else output * weights
        mean = rounded_sum(values) / float(total)
        means.append(mean if math.isfinite(mean) else quotient(exact_sum(values), total))
    return means


def loss_values(measure: RegressionMeasure, pairs: Pairs) -> list[float]:
    """Return the value of a loss-based measure in each output.

    >>> pairs = Pairs([2.5, 0.0, 2.0, 8.0], [3.0, 0.5, 2.0, 7.0])
    >>> [round(value, 4) for value in loss_values(RegressionMeasure("msle", "msle"), pairs)]
    [0.049]
    """
    check_finite(predictions=pairs.predictions, references=pairs.references)
    predictions, references = pairs.tables()
    means = mean_losses(row_losses(measure, predictions, references), pairs.weights)
    if measure.kind == "rmsle":
        return [math.sqrt(value) for value in means]
    if measure.kind not in D2_NAMES:
        return means
    outputs = zip(means, references, strict=True)
    return [d2(measure, mean, values, pairs.weights) for mean, values in outputs]


def d2(
    measure: RegressionMeasure, loss: float, references: Numbers, weights: Floats | None
) -> float:
    """Return the proportion of the best constant's loss that predictions avoid.

    As with R2, it is NaN for less than two rows; if the constant has no loss, as with constant
    references and at extreme quantiles, it is 1.0 if predictions have none either, else 0.0.

    Args:
        measure: a D2.
        loss: the mean loss of the predictions.
        references: shape (rows,).
        weights: the weights of rows; None if all are 1.

    Source:
        Hastie, Tibshirani and Wainwright, Statistical learning with sparsity (2015), 3.1; Banerjee
        et al., Clustering with Bregman divergences (2005), equation 1.

    >>> measure = RegressionMeasure("d2_absolute_error", "d2_absolute_error", 0.5)
    >>> round(d2(measure, 1 / 3, np.array([1.0, 2.0, 4.0]), None), 4)
    0.3333
    """
    if references.size < 2:
        return math.nan
    lowest, highest = references.min().item(), references.max().item()
    if lowest == highest:
        return float(not loss)
    is_mean = measure.loss == "tweedie"
    constant = _best_constant(measure, references, weights)
    if constant <= 0 and is_mean and measure.parameter:  # a deviance that needs positive means
        return math.nan
    losses = _losses_of_constant(measure, constant, references, weights)
    (minimum,) = mean_losses(losses[np.newaxis], weights)
    if is_mean and references.dtype.kind == "f":
        # The best constant may not be a float. The mean deviance from its rounded value exceeds
        # that from itself by the deviance between both, which counts where floats are far apart.
        excess = _deviance_at(measure, constant, 2 * math.ulp(constant))
        if excess > minimum * 2.0**-53:
            (distance,) = mean_losses((references - constant)[np.newaxis], weights)
            minimum -= _deviance_at(measure, constant, distance)
    return 1 - loss / minimum if minimum else float(not loss)


def _deviance_at(measure: RegressionMeasure, mean: float, distance: float) -> float:
    """Return the deviance of the value at a distance from its mean."""
    columns = (np.array([number]) for number in (mean, mean + distance, distance))
    return float(unit_deviances(measure.parameter, *columns)[0])


def _best_constant(
    measure: RegressionMeasure, references: Numbers, weights: Floats | None
) -> float:
    """Return the constant prediction with the smallest loss: the mean, or a quantile."""
    if measure.loss == "tweedie":
        return mean_losses(references[np.newaxis].astype(np.float64, copy=False), weights)[0]
    return _quantile(references, measure.parameter, weights)


def _losses_of_constant(
    measure: RegressionMeasure, constant: float, references: Numbers, weights: Floats | None
) -> Floats:
    """Return the loss of each row if the best constant is predicted."""
    if references.dtype.kind == "f" or measure.loss != "tweedie":
        best = np.full((1, 1), constant, references.dtype)
        losses: Floats = row_losses(measure, best, references[np.newaxis])[0]
        return losses
    # The mean is not rounded before it is subtracted from integers that a float64 cannot hold.
    residuals = difference(references, references.min(), np.empty(references.shape))
    residuals -= mean_losses(residuals[np.newaxis], weights)[0]
    values = references.astype(np.float64)
    return unit_deviances(measure.parameter, np.full(1, constant), values, residuals)


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
    losses = row_losses(measure, predictions[np.newaxis], references[np.newaxis])[0]
    constant = _best_constant(measure, references, weights)
    both = np.stack([losses, _losses_of_constant(measure, constant, references, weights)])
    scaled: Floats = np.ldexp(both, -math.frexp(float(both.max(initial=0.0)))[1])
    return scaled[0], scaled[1]


def _quantile(values: Numbers, fraction: float, weights: Floats | None) -> float:
    """Return the smallest value at which the cumulative weight reaches this fraction."""
    if weights is None:
        position = max(math.ceil(fraction * values.size), 1) - 1
        ascending = np.partition(values, position)
    else:
        order = np.argsort(values, kind="stable")
        cumulative: NDArray[np.float64] = np.cumsum(weights[order])
        position = int(cumulative.searchsorted(fraction * cumulative[-1]))
        ascending = values[order]
    quantile: float = ascending[min(position, values.size - 1)].item()
    return quantile
