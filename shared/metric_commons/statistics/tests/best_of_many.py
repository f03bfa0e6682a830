"""The interval of the system that was chosen because it scored best.

The best of many scored high partly by luck, so its own interval holds its true score too seldom:
in 30 % of samples for the best of 50 equal systems. This one is simultaneous, but only for the
systems that could have been chosen: a system far below them costs no width.

Source:
    Zrnic and Fithian, Locally simultaneous inference (2024).
"""

from typing import NamedTuple

import numpy as np

from ..arguments.arrays import Floats
from ..intervals.cluster_sums import Clusters
from ..intervals.intervals import interval
from ..intervals.summary import mean
from ..resampling.row_units import RowUnits

_SELECTION = 0.005  # level of the choice of systems that could have been chosen
_DRAWS = 10_000
_SMALLEST = 1e-12  # deviation of a system whose rows are all equal


class Winner(NamedTuple):
    """The system with the highest mean, its interval, and how many could have been chosen."""

    number: int
    mean: float
    low: float
    high: float
    near: int


def best_of(rows: Floats, clusters: Clusters | None = None, *, level: float = 0.95) -> Winner:
    """Return the system with the highest mean, with an interval that allows for the choice.

    Rows, or clusters, are weighted at random. Systems could have been chosen if they are as near as
    twice the largest difference of two deviations is at the level .995; the interval is
    simultaneous for these, and allows for an unseen row. Of a single one it is the plain interval
    at the rest of the level.

    Args:
        rows: from 0 to 1, shape (rows, systems).
        clusters: of rows; None if they are independent.
        level: strictly between 0 and 1.

    >>> rng = np.random.default_rng(0)
    >>> winner = best_of((rng.random((100, 20)) < 0.5).astype(float))
    >>> print(f"{winner.mean:.2f}: {winner.low:.2f} to {winner.high:.2f}, {winner.near} near")
    0.57: 0.42 to 0.71, 20 near
    """
    means = np.array([mean(column) for column in rows.T])
    best, rest = int(means.argmax()), min(level + _SELECTION, 1 - 1e-9)
    numbers = None if clusters is None else clusters.numbers
    units = RowUnits.of_rows(np.column_stack([rows, np.ones(len(rows))]), numbers)
    drawn, low_ends, high_ends = [], [], []
    unseen_size = float(units.of_kinds()[:, -1].max())
    for sums, unseen in units.weighted(n_resamples=_DRAWS, seed=0):
        drawn.append(sums[:-1] / sums[-1])
        added = unseen_size * unseen
        low_ends.append(sums[best] / (sums[-1] + added))
        high_ends.append((sums[best] + added) / (sums[-1] + added))
    deviations = np.concatenate(drawn, axis=1) - means[:, None]
    spread = deviations.max(axis=0) - deviations.min(axis=0)
    reach = 2 * float(np.quantile(spread, 1 - _SELECTION))
    near = np.flatnonzero(means >= means[best] - reach)
    if near.size == 1:
        plain = interval(rows[:, best], confidence_level=rest, clusters=clusters)
        return Winner(best, float(means[best]), plain.low, plain.high, 1)
    from scipy.special import ndtr

    scales = np.maximum(deviations[near].std(axis=1, keepdims=True), _SMALLEST)
    largest = float(np.quantile(np.abs(deviations[near] / scales).max(axis=0), rest))
    tail = float(ndtr(-largest))
    low = float(np.quantile(np.concatenate(low_ends), tail))
    high = float(np.quantile(np.concatenate(high_ends), 1 - tail))
    return Winner(best, float(means[best]), low, high, int(near.size))
