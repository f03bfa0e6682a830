"""Measures of prediction intervals: their coverage of the true number, and their widths."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..statistics.arguments.arrays import Column, Floats
from ..statistics.arguments.checks import OptionError, RowError, check_weights, check_widths
from ..statistics.intervals.intervals import mean_interval
from ..statistics.intervals.methods import Uncertainty
from ..statistics.intervals.proportions import Interval
from ..statistics.intervals.summary import Measured, interval_of
from .measure_names import INTERVAL_NAMES, RegressionMeasure
from .pairs import Numbers, are_wide_integers, check_finite, difference
from .row_losses import mean_losses


def are_of_intervals(measures: Sequence[RegressionMeasure]) -> bool:
    """Return whether these are measures of prediction intervals.

    Raises:
        ValueError: only some of them are.
    """
    of_intervals = [measure.name for measure in measures if measure.kind in INTERVAL_NAMES]
    numeric = [measure.name for measure in measures if measure.kind not in INTERVAL_NAMES]
    if of_intervals and numeric:
        raise OptionError(
            "measures",
            f"holds {of_intervals[0]!r}, for which predictions are [low, high], and "
            f"{numeric[0]!r}, for which they are not",
        )
    return bool(of_intervals)


def interval_scores(
    measures: Sequence[RegressionMeasure],
    *,
    predictions: Column,
    references: Column,
    sample_weight: Any = None,
    uncertainty: Uncertainty | None = None,
) -> Measured:
    """Return the means of scores of prediction intervals, and their own intervals.

    "coverage" is 1 for an interval that contains the reference, including its ends;
    "interval_width" is its width; and "winkler" is the width plus 2 / alpha times the distance of a
    reference outside, which is minimal if the interval contains 1 - alpha of the distribution.

    Args:
        measures: measures of prediction intervals.
        predictions: [low, high] per row.
        references: one number per row.
        sample_weight: one non-negative number per row; None for equal weights.
        uncertainty: the level, the method and the clusters; None for no intervals.

    Raises:
        ValueError: a row is not valid; names the row.

    Source:
        Winkler, A decision-theoretic approach to interval estimation (1972); Gneiting and Raftery,
        Strictly proper scoring rules, prediction, and estimation (2007), 6.2.

    >>> measures = [
    ...     RegressionMeasure("coverage", "coverage"),
    ...     RegressionMeasure("winkler(alpha=0.1)", "winkler", 0.1),
    ... ]
    >>> interval_scores(measures, predictions=[[1.0, 2.0], [1.0, 2.0]], references=[1.5, 2.5])[0]
    {'coverage': 0.5, 'winkler(alpha=0.1)': 6.0}
    """
    low, high, numbers = interval_columns(predictions, references)
    weights = check_weights("sample_weight", sample_weight, len(numbers))
    scores = {m.name: interval_row_scores(m, low, high, numbers) for m in measures}
    result: dict[str, Any] = {
        name: mean_losses(values[np.newaxis], weights)[0]
        if weights is None or weights.any()
        else math.nan
        for name, values in scores.items()
    }
    intervals: dict[str, Interval] = {}
    if uncertainty is None:
        return result, intervals
    for m in measures:
        bounds = (0.0, 1.0 if m.kind == "coverage" else math.inf)
        with interval_of(m.name):
            intervals[m.name] = mean_interval(
                scores[m.name], uncertainty, bounds=bounds, weights=weights
            )
    return result, intervals


def interval_columns(predictions: Column, references: Column) -> tuple[Numbers, Numbers, Numbers]:
    """Return the lower ends, the upper ends and the references."""
    if not isinstance(predictions, np.ndarray):
        for row, ends in enumerate(predictions):
            if not isinstance(ends, Sequence) or len(ends) != 2:
                raise RowError("predictions", row, f"is {ends}; an interval is [low, high]")
    check_widths("references", references, "numbers")
    table, numbers = np.asarray(predictions), np.asarray(references)
    number = np.int64 if are_wide_integers(table, numbers) else np.float64
    table, numbers = table.astype(number, copy=False), numbers.astype(number, copy=False)
    if table.ndim != 2 or table.shape[1] != 2:
        raise RowError("predictions", 0, f"is {table[0].tolist()}; an interval is [low, high]")
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        numbers = numbers.ravel()
    if numbers.ndim != 1:
        raise RowError("references", 0, f"is {numbers[0].tolist()}; an interval is for one number")
    check_finite(predictions=table, references=numbers)
    low, high = np.ascontiguousarray(table.T)
    if (low > high).any():
        row = int((low > high).argmax())
        raise RowError("predictions", row, f"is {table[row].tolist()}, whose low end is above")
    return low, high, numbers


def interval_row_scores(
    measure: RegressionMeasure, low: Numbers, high: Numbers, numbers: Numbers
) -> Floats:
    """Return the score of each row."""
    if measure.kind == "coverage":
        return ((low <= numbers) & (numbers <= high)).astype(np.float64)
    with np.errstate(over="ignore"):
        scores = difference(high, low, np.empty(low.shape))
        if measure.kind != "interval_width":
            below = difference(low, numbers, np.empty(low.shape))
            above = difference(numbers, high, np.empty(low.shape))
            scores += 2 / measure.parameter * np.maximum(np.maximum(below, above), 0.0)
    if not math.isfinite(scores.max()):
        row = int(scores.argmax())
        problem = f"is {[low[row].item(), high[row].item()]}; for {measure.name!r} each interval "
        raise RowError("predictions", row, f"{problem}has a score within float64")
    return scores
