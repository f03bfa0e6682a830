"""Intervals that hold however often one looks, and wherever one stops.

The ends of an interval exclude the means against which bets would have won; see `betting`. With a
total, rows are drawn at random from a benchmark, and the target is the mean of the whole benchmark:
the interval shrinks to a point. Without a total the target is the mean of all rows that might have
been drawn.

Source:
    Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting (2024), and
    Confidence sequences for sampling without replacement (2020).
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from ..arguments.checks import shown
from ..arguments.domains import Count, Level, check_option
from ..intervals.methods import score_bounds
from .betting import LowerEnd


class ConfidenceSequence:
    """The interval of a mean after each row; all of them hold together with one probability.

    Rows must be independent and come in random order; the order in which answers arrive is not,
    since quick ones come first.

    Args:
        level: the probability that all intervals hold the target, strictly between 0 and 1.
        bounds: the smallest and the largest possible score.
        total: the number of rows of the benchmark; None for a population.

    Attributes:
        interval: the two ends, which never go back.

    Raises:
        ValueError: an option is out of its range.

    >>> sequence = ConfidenceSequence(total=100)
    >>> for _ in range(3):
    ...     low, high = sequence.update([1, 1, 0, 1, 1, 1, 0, 1, 1, 1] * 3)
    ...     print(f"{sequence.rows} rows: {low:.3f} to {high:.3f}")
    30 rows: 0.540 to 0.933
    60 rows: 0.662 to 0.880
    90 rows: 0.739 to 0.820
    >>> sequence.update([0.5] * 9 + [1.5])
    Traceback (most recent call last):
    ValueError: scores: row 99 is 1.5; bounds are 0 and 1
    """

    def __init__(
        self,
        level: float = 0.95,
        bounds: tuple[float, float] = (0.0, 1.0),
        total: int | None = None,
    ) -> None:
        check_option("level", level, Level)
        check_option("total", total, Count | None)
        self.level = float(level)
        self.bounds = score_bounds(bounds)
        self.total = total
        self.interval = self.bounds
        self._scores: list[float] = []
        limit = 2 / (1 - self.level)
        self._ends = LowerEnd(limit, total), LowerEnd(limit, total)  # of x, and of 1 - x

    @property
    def rows(self) -> int:
        """Return the number of rows so far."""
        return len(self._scores)

    @property
    def mean(self) -> float:
        """Return the mean of the rows; NaN without any."""
        return math.fsum(self._scores) / self.rows if self.rows else math.nan

    def update(self, scores: ArrayLike) -> tuple[float, float]:
        """Add the scores of further rows, one after another, and return the interval.

        Args:
            scores: one number, or many.

        Raises:
            ValueError: a score is not a number within the bounds, or there are more rows than the
                total. Nothing is added then.
        """
        values = self._checked(scores)
        if self.total is not None and self.rows + len(values) > self.total:
            raise ValueError(f"scores: row {self.total} is more than the total of {self.total:,}")
        for value in values:
            self._add(value)
        return self.interval

    def _add(self, score: float) -> None:
        self._scores.append(score)
        start, span = self.bounds[0], self.bounds[1] - self.bounds[0]
        share = min(max((score - start) / span, 0.0), 1.0)
        low, high = self._ends[0].add(share), 1 - self._ends[1].add(1 - share)
        ends = start + span * low, start + span * high
        if self.rows == self.total:
            ends = self.mean, self.mean
        # Ends never go back: a decision that was made stands, whatever comes later.
        low = min(max(ends[0], self.interval[0]), self.interval[1])
        self.interval = low, max(min(ends[1], self.interval[1]), low)

    def _checked(self, scores: ArrayLike) -> list[float]:
        """Return the scores of rows within the bounds."""
        try:
            values: list[float] = np.atleast_1d(np.asarray(scores, np.float64)).tolist()
        except (TypeError, ValueError) as error:
            raise ValueError(f"scores must be numbers, got {shown(scores)}") from error
        low, high = self.bounds
        rounding = 1e-12 * (high - low)
        for row, value in enumerate(values, self.rows):
            if not low - rounding <= value <= high + rounding:
                raise ValueError(f"scores: row {row} is {value:g}; bounds are {low:g} and {high:g}")
        return values
