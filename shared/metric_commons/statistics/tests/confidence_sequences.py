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
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments.checks import OptionError, shown
from ..arguments.domains import Count, Level, check_option
from .betting import LowerEnd


class ConfidenceSequence:
    """The interval of a mean after each row; all of them hold together with one probability.

    Rows must come in random order; the order in which answers arrive is not, since quick ones come
    first. With clusters, the unit is a cluster, and the target the mean of the means of clusters;
    a cluster counts once it is complete: when another begins, or at `close`.

    Args:
        level: the probability that all intervals hold the target, strictly between 0 and 1.
        bounds: the smallest and the largest possible score.
        total: the number of rows, or clusters, of the benchmark; None for a population.

    Attributes:
        rows: the number of rows so far.
        units: the number of rows, or complete clusters, that count.
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
        self.bounds = _checked_bounds(bounds)
        self.total = total
        self.rows = 0
        self.interval = self.bounds
        self._scores: list[float] = []  # of units
        limit = 2 / (1 - self.level)
        self._ends = LowerEnd(limit, total), LowerEnd(limit, total)  # of x, and of 1 - x
        self._clusters: dict[Any, list[float]] | None = None  # the last one may not be complete

    @property
    def units(self) -> int:
        """Return the number of rows, or complete clusters, that count."""
        return len(self._scores)

    @property
    def mean(self) -> float:
        """Return the mean of the rows, or of the means of complete clusters; NaN without any."""
        return math.fsum(self._scores) / self.units if self.units else math.nan

    def update(
        self, scores: ArrayLike, clusters: Sequence[Any] | None = None
    ) -> tuple[float, float]:
        """Add the scores of further rows, one after another, and return the interval.

        Args:
            scores: one number, or many.
            clusters: one label per row, if rows are not independent; in all updates or in none.

        Raises:
            ValueError: a score is not a number within the bounds, there are more rows than the
                total, or a cluster goes on after another one began. Nothing is added then.
        """
        values = self._checked(scores)
        if self.rows and (clusters is None) != (self._clusters is None):
            labels = "none, but earlier rows had some"
            if clusters is not None:
                labels = "one, but earlier rows had none"
            raise ValueError(f"clusters: row {self.rows} has {labels}")
        if clusters is None:
            if self.total is not None and self.units + len(values) > self.total:
                raise ValueError(
                    f"scores: row {self.total} is more than the total of {self.total:,}"
                )
            for value in values:
                self._add(value)
        else:
            labels_of_rows = _labels(clusters, len(values))
            self._check_clusters(labels_of_rows)
            self._clusters = self._clusters or {}
            for label, value in zip(labels_of_rows, values, strict=True):
                if label not in self._clusters:
                    self.close()
                self._clusters.setdefault(label, []).append(value)
        self.rows += len(values)
        return self.interval

    def close(self) -> tuple[float, float]:
        """Complete the last cluster, and return the interval."""
        clusters = list((self._clusters or {}).values())
        if len(clusters) > self.units:
            self._add(math.fsum(clusters[-1]) / len(clusters[-1]))
        return self.interval

    def _add(self, score: float) -> None:
        """Add the score of a unit."""
        self._scores.append(score)
        start, span = self.bounds[0], self.bounds[1] - self.bounds[0]
        share = min(max((score - start) / span, 0.0), 1.0)
        low, high = self._ends[0].add(share), 1 - self._ends[1].add(1 - share)
        ends = start + span * low, start + span * high
        if self.units == self.total:
            ends = self.mean, self.mean
        # Ends never go back: a decision that was made stands, whatever comes later.
        low = min(max(ends[0], self.interval[0]), self.interval[1])
        self.interval = low, max(min(ends[1], self.interval[1]), low)

    def _checked(self, scores: ArrayLike) -> list[float]:
        """Return the scores of rows within the bounds."""
        try:
            values = np.atleast_1d(np.asarray(scores, np.float64))
        except (TypeError, ValueError) as error:
            raise ValueError(f"scores must be numbers, got {shown(scores)}") from error
        if values.ndim != 1:
            raise ValueError(f"scores must be a number or a flat list, got shape {values.shape}")
        low, high = self.bounds
        rounding = 1e-12 * (high - low)
        listed: list[float] = values.tolist()
        for row, value in enumerate(listed, self.rows):
            if not low - rounding <= value <= high + rounding:
                text = "NaN" if math.isnan(value) else f"{value:g}"
                raise ValueError(f"scores: row {row} is {text}; bounds are {low:g} and {high:g}")
        return listed

    def _check_clusters(self, labels: Sequence[str]) -> None:
        """Check that no label comes back, and that there are not more clusters than the total."""
        seen = dict.fromkeys(self._clusters or ())
        last = next(reversed(seen), None) if len(seen) > self.units else None
        for row, label in enumerate(labels, self.rows):
            if label in seen and label != last:
                raise ValueError(
                    f"clusters: row {row} is of {label!r}, which ended before; the rows of a "
                    "cluster must follow one another"
                )
            seen[label], last = None, label
            if self.total is not None and len(seen) > self.total:
                raise ValueError(
                    f"clusters: {label!r} of row {row} is more than the total of {self.total:,}"
                )


def _checked_bounds(bounds: Sequence[float]) -> tuple[float, float]:
    """Return two finite bounds in order."""
    pair = [float(bound) for bound in bounds]
    if len(pair) != 2 or not all(map(math.isfinite, pair)) or pair[0] >= pair[1]:
        raise OptionError(
            "bounds",
            f"must be the smallest and the largest possible value, both finite, got {bounds!r}; "
            "sequences are for means of rows in a known range",
        )
    return pair[0], pair[1]


def _labels(clusters: Sequence[Any], rows: int) -> list[str]:
    """Return the label of each row, or of the only one, as a text."""
    listed = [clusters] if isinstance(clusters, str) or not np.ndim(clusters) else list(clusters)
    if len(listed) != rows:
        raise OptionError("clusters", f"has {len(listed)} labels, but there are {rows} rows")
    return [str(label) for label in listed]
