"""Losses of rows whose mean is a measure, and the share of them that a constant would not explain.

A measure D2 is 1 minus the mean loss over that of the best constant, as R2 is for squared errors.
"""

import math
from fractions import Fraction
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from ..numbers.arrays import Booleans, Floats
from ..numbers.checks import RowError
from ..numbers.exact_sums import as_float, exact_sum, quotient
from .measure_names import Measure
from .pairs import Pairs

_LOSSES = {
    "d2_absolute_error": "pinball",
    "d2_pinball": "pinball",
    "d2_tweedie": "tweedie",
    "rmsle": "msle",
    "poisson_deviance": "tweedie",
    "gamma_deviance": "tweedie",
}
_PARAMETERS = {"d2_absolute_error": 0.5, "poisson_deviance": 1.0, "gamma_deviance": 2.0}

_BLOCK = 1 << 13  # rows at a time, so that intermediate arrays stay in the cache


def loss_tables(pairs: Pairs) -> tuple[Floats, Floats]:
    """Predictions and references as floats, shape (outputs, rows)."""
    predictions, references = (
        np.atleast_2d(table.T).astype(np.float64, copy=False)
        for table in (pairs.predictions, pairs.references)
    )
    return predictions, references


def row_losses(measure: Measure, predictions: Floats, references: Floats) -> Floats:
    """The loss of each row in each output, shape (outputs, rows).

    "msle" has the square of the difference of log(1 + x). "pinball" has `alpha` times the error
    where the reference is greater, and 1 - alpha times where it is less. "tweedie" has the unit
    deviance of `power`: squares at 0, Poisson's at 1, that of gamma distributions at 2.

    Raises:
        ValueError: a number is not in the domain of the loss; names the row.

    Source:
        Koenker and Bassett, Regression quantiles (1978); Jorgensen, The theory of dispersion
        models (1997).

    >>> numbers = np.array([[1.0, 2.0]]), np.array([[3.0, 1.0]])
    >>> row_losses(Measure("pinball(alpha=0.9)", "pinball", 0.9), *numbers).round(12).tolist()
    [[1.8, 0.1]]
    """
    kind = _LOSSES.get(measure.kind, measure.kind)
    parameter = _PARAMETERS.get(measure.kind, measure.parameter)
    if kind == "msle":
        _check_above(measure, "predictions", predictions, -1)
        _check_above(measure, "references", references, -1)
    elif kind == "tweedie":
        _check_deviance(measure, parameter, predictions, references)
    losses = np.empty(references.shape)
    buffer = np.empty((len(references), min(_BLOCK, references.shape[1])))
    with np.errstate(over="ignore", divide="ignore"):
        for start in range(0, references.shape[1], _BLOCK):
            part = slice(start, start + _BLOCK)
            columns = predictions[:, part], references[:, part], losses[:, part]
            _set_losses(kind, parameter, *columns, buffer[:, : columns[0].shape[1]])
    if not np.isfinite(losses.max(initial=0.0)):  # none is less than 0
        wrong = ~np.isfinite(losses)
        _refuse(measure, "predictions", predictions, wrong, "has a loss within float64")
    return losses


def _set_losses(
    kind: str,
    parameter: float,
    predictions: Floats,
    references: Floats,
    losses: Floats,
    buffer: Floats,
) -> None:
    """Set `losses` to those of some rows in their domain; `buffer` is overwritten."""
    if kind == "msle":
        np.log1p(references, out=losses)
        losses -= np.log1p(predictions, out=buffer)
        np.square(losses, out=losses)
    elif kind == "pinball":
        np.subtract(references, predictions, out=losses)
        losses *= np.where(losses > 0, parameter, parameter - 1)
    else:
        _set_deviances(parameter, predictions, references, losses, buffer)
        np.maximum(losses, 0.0, out=losses)


def _check_deviance(
    measure: Measure, power: float, predictions: Floats, references: Floats
) -> None:
    """Nothing, if these numbers have such a deviance."""
    if power:
        _check_above(measure, "predictions", predictions, 0)
    if power >= 2:
        _check_above(measure, "references", references, 0)
    elif power >= 1 and references.min(initial=0.0) < 0:
        _refuse(measure, "references", references, references < 0, "is at least 0")


def _check_above(measure: Measure, column: str, table: Floats, bound: float) -> None:
    """Nothing, if all numbers are greater than the bound."""
    if table.min(initial=math.inf) <= bound:
        _refuse(measure, column, table, table <= bound, f"is above {bound}")


def _refuse(
    measure: Measure, column: str, table: Floats, is_wrong: Booleans, domain: str
) -> NoReturn:
    """An error about the first number that is wrong."""
    row, output = np.argwhere(is_wrong.T)[0].tolist()
    index = f"[{output}] " if len(table) > 1 else ""
    raise RowError(
        column, row, f"{index}is {table[output, row]}; for {measure.name!r} each number {domain}"
    )


def _set_deviances(
    power: float, means: Floats, values: Floats, deviances: Floats, buffer: Floats
) -> None:
    """Set `deviances` to the unit deviances of values from means."""
    if power == 0:
        np.subtract(values, means, out=deviances)
        np.square(deviances, out=deviances)
        return
    if power == 1:
        np.divide(values, means, out=buffer)
        buffer[values == 0] = 1  # 0 * log(0) is 0
        np.log(buffer, out=deviances)
        deviances *= values
        deviances -= values
        deviances += means
    elif power == 2:
        np.divide(values, means, out=buffer)
        np.subtract(buffer, 1, out=deviances)
        deviances -= np.log(buffer, out=buffer)
    else:  # v**(2 - p) / ((1 - p) * (2 - p)) - v * m**(1 - p) / (1 - p) + m**(2 - p) / (2 - p)
        p, base = power, np.maximum(values, 0.0) if power < 0 else values
        deviances[...] = base ** (2 - p)
        deviances /= (1 - p) * (2 - p)
        buffer[...] = means ** (1 - p)
        buffer *= values
        buffer /= 1 - p
        deviances -= buffer
        buffer[...] = means ** (2 - p)
        buffer /= 2 - p
        deviances += buffer
    deviances *= 2


def mean_losses(losses: Floats, weights: Floats | None) -> list[float]:
    """The weighted mean of each output, from exactly rounded sums; NaN without weight."""
    if not losses.size:
        return [math.nan] * len(losses)
    if weights is None:
        return [_mean(output, Fraction(losses.shape[1])) for output in losses]
    total = exact_sum(weights)
    return [_mean(output * weights, total) for output in losses]


def _mean(values: Floats, weight: Fraction) -> float:
    """The sum of the values, rounded once, over a weight."""
    total = exact_sum(values)
    mean = as_float(total) / float(weight)
    return mean if math.isfinite(mean) else quotient(total, weight)


def loss_values(measure: Measure, pairs: Pairs) -> list[float]:
    """The value of a measure of losses in each output.

    >>> pairs = Pairs([2.5, 0.0, 2.0, 8.0], [3.0, 0.5, 2.0, 7.0])
    >>> [round(value, 4) for value in loss_values(Measure("msle", "msle"), pairs)]
    [0.049]
    """
    predictions, references = loss_tables(pairs)
    means = mean_losses(row_losses(measure, predictions, references), pairs.weights)
    if measure.kind == "rmsle":
        return [math.sqrt(value) for value in means]
    if not measure.kind.startswith("d2_"):
        return means
    outputs = zip(means, references, strict=True)
    return [_saved_share(measure, mean, values, pairs.weights) for mean, values in outputs]


def d2(measure: Measure, predictions: Floats, references: Floats, weights: Floats | None) -> float:
    """The share of the loss of the best constant that predictions save; shape (rows,) each.

    As R2, it is NaN for less than two rows, and where the constant loses nothing, as it does of
    constant references and at the ends of quantiles, 1.0 if predictions do not either, else 0.0.

    Source:
        Hastie, Tibshirani and Wainwright, Statistical learning with sparsity (2015), 3.1.

    >>> numbers = np.array([1.0, 2.0, 2.0]), np.array([1.0, 2.0, 4.0])
    >>> round(d2(Measure("d2_absolute_error", "d2_absolute_error"), *numbers, None), 4)
    0.3333
    """
    losses = row_losses(measure, predictions[np.newaxis], references[np.newaxis])
    return _saved_share(measure, mean_losses(losses, weights)[0], references, weights)


def _saved_share(
    measure: Measure, loss: float, references: Floats, weights: Floats | None
) -> float:
    """The same, from the mean loss of the predictions."""
    if references.size < 2:
        return math.nan
    if (references == references[0]).all():
        return float(not loss)
    constant = _best_constant(measure, references, weights)
    if constant <= 0 and needs_positive_means(measure):
        return math.nan
    best = np.full((1, references.size), constant)
    (minimum,) = mean_losses(row_losses(measure, best, references[np.newaxis]), weights)
    return 1 - loss / minimum if minimum else float(not loss)


def _best_constant(measure: Measure, references: Floats, weights: Floats | None) -> float:
    """The constant prediction that loses least: the mean, or a quantile."""
    if _LOSSES[measure.kind] == "tweedie":
        return mean_losses(references[np.newaxis], weights)[0]
    alpha = _PARAMETERS.get(measure.kind, measure.parameter)
    return _quantile(references, alpha, weights)


def d2_losses(
    measure: Measure, predictions: Floats, references: Floats, weights: Floats | None
) -> tuple[Floats, Floats]:
    """The losses of rows, and those of the best constant prediction, shape (rows,) each.

    >>> measure = Measure("d2_absolute_error", "d2_absolute_error")
    >>> lost, constant = d2_losses(measure, np.array([1.0, 2.0]), np.array([1.0, 4.0]), None)
    >>> abs(lost).tolist(), abs(constant).tolist()
    ([0.0, 1.0], [0.0, 1.5])
    """
    constant = np.full(references.size, _best_constant(measure, references, weights))
    lost, lost_by_constant = (
        row_losses(measure, numbers[np.newaxis], references[np.newaxis])[0]
        for numbers in (predictions, constant)
    )
    return lost, lost_by_constant


def needs_positive_means(measure: Measure) -> bool:
    """Whether no deviance from 0 or less is defined."""
    power = _PARAMETERS.get(measure.kind, measure.parameter)
    return _LOSSES.get(measure.kind, measure.kind) == "tweedie" and power != 0


def _quantile(values: Floats, share: float, weights: Floats | None) -> float:
    """The least value up to which this share of the weight lies."""
    if weights is None:
        position = max(math.ceil(share * values.size), 1) - 1
        return float(np.partition(values, position)[position])
    order = np.argsort(values, kind="stable")
    cumulative: NDArray[np.float64] = np.cumsum(weights[order])
    position = int(cumulative.searchsorted(share * cumulative[-1]))
    return float(values[order][min(position, values.size - 1)])
