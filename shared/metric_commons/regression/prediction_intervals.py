"""Prediction intervals: their coverage of the true number, their widths, and both in one score."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..statistics.arguments.arrays import Floats
from ..statistics.arguments.checks import OptionError, RowError
from .measure_names import INTERVAL_NAMES, RegressionMeasure
from .pairs import Pairs, difference


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


class IntervalPairs(Pairs):
    """Intervals as predictions, shape (2, rows), and a number of each row as references.

    >>> IntervalPairs([[1.0, 2.0], [1.0, 2.0]], [1.5, 2.5]).predictions.tolist()
    [[1.0, 1.0], [2.0, 2.0]]
    """

    def check_shapes(self, predictions: NDArray[Any], references: NDArray[Any]) -> None:
        """Check that predictions are [low, high], and that references are numbers."""
        if predictions.ndim != 2 or predictions.shape[1] != 2:
            first = predictions[0].tolist()
            raise RowError("predictions", 0, f"is {first}; an interval is [low, high]")
        if references.ndim != 1:
            first = references[0].tolist()
            raise RowError("references", 0, f"is {first}; an interval is for one number")
        reverse = predictions[:, 0] > predictions[:, 1]
        if reverse.any():
            row = int(reverse.argmax())
            raise RowError(
                "predictions", row, f"is {predictions[row].tolist()}, whose low end is above"
            )


def interval_errors(pairs: Pairs, measure: RegressionMeasure) -> Floats:
    """Return the score of each row, shape (1, rows).

    "coverage" is 1 for an interval that contains the reference, including its ends;
    "interval_width" is its width; and "winkler" is the width plus 2 / alpha times the distance of a
    reference outside, which is minimal if the interval contains 1 - alpha of the distribution.

    Source:
        Winkler, A decision-theoretic approach to interval estimation (1972); Gneiting and Raftery,
        Strictly proper scoring rules, prediction, and estimation (2007), 6.2.

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
