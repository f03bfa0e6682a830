"""Points of systems in tasks, and the uncertainty of their means."""

import math
from collections.abc import Sequence

import numpy as np

from ...statistics.arguments.arrays import Floats
from .score_tables import ScoreTable


def beaten_systems(table: ScoreTable) -> Floats:
    """Return how many systems each beats in each task, where ties count half.

    As in MTEB, a missing score beats nobody, and everybody beats it.
    """
    points = np.zeros(table.scores.shape)
    for task, is_lower in enumerate(table.lower):
        present = ~np.isnan(table.scores[:, task])
        scores = table.scores[present, task] * (-1 if is_lower else 1)
        ordered = np.sort(scores)
        below = ordered.searchsorted(scores, "left")
        above = scores.size - ordered.searchsorted(scores, "right")
        rank = 1 + above + (scores.size - above - below - 1) / 2
        points[present, task] = len(table.systems) - rank
    return points


def filled_scores(table: ScoreTable) -> Floats:
    """Return the scores, with the worst score of a task in place of missing ones."""
    worst = np.array(
        [
            (np.nanmax if is_lower else np.nanmin)(table.scores[:, task])
            for task, is_lower in enumerate(table.lower)
        ]
    )
    return np.where(np.isnan(table.scores), worst, table.scores)


def score_intervals(table: ScoreTable, confidence_level: float) -> Floats:
    """Return the interval of each score, from its standard error if there is nothing else."""
    from ...statistics.intervals.intervals import critical_value

    reach = critical_value(confidence_level, math.inf) * table.errors
    is_share = (table.scores >= 0) & (table.scores <= 1)
    low, high = table.scores - reach, table.scores + reach
    low = np.where(is_share, np.maximum(low, 0), low)
    high = np.where(is_share, np.minimum(high, 1), high)
    ends = np.stack([low, high], axis=2)
    return ends if table.ends is None else np.where(np.isnan(table.ends), ends, table.ends)


def intervals_of_means(
    table: ScoreTable, values: Floats, confidence_level: float
) -> list[Sequence[float] | None]:
    """Return the intervals of means of those systems that have an interval in each task."""
    distances = score_intervals(table, confidence_level) - table.scores[:, :, None]
    falls, rises = np.sqrt(np.square(distances).sum(axis=1)).T / len(table.tasks)
    ends = np.column_stack([values - falls, values + rises])
    return [None if math.isnan(low + high) else [low, high] for low, high in ends.tolist()]


def _pairs(table: ScoreTable, task: int) -> tuple[Floats, Floats]:
    """Return the p-values and the errors of the differences of all pairs of systems in a task."""
    if table.pairs is not None:
        return table.pairs[task]
    error = np.hypot(table.errors[:, task, None], table.errors[:, task])
    scores = table.scores[:, task]
    return _normal_p(scores[:, None] - scores, error), error


def _normal_p(differences: Floats, errors: Floats) -> Floats:
    """Return the p-values of differences with these standard errors.

    If all differences of a few rows are equal, the error is 0, which is not evidence.
    """
    from scipy.special import ndtr

    z = np.abs(differences) / np.where(errors > 0, errors, math.inf)
    return np.where(np.isnan(errors), math.nan, 2 * ndtr(-z))


def p_of_means(table: ScoreTable) -> Floats | None:
    """Return the adjusted p-values of the mean differences of all pairs; None if one is unknown."""
    size = len(table.systems)
    variance = np.zeros((size, size))
    for task in range(len(table.tasks)):
        variance += np.square(_pairs(table, task)[1])
    np.fill_diagonal(variance, 0)
    if np.isnan(variance).any() or np.isnan(table.scores).any() or size < 2:
        return None
    totals = table.scores.sum(axis=1)
    p_values = _normal_p(totals[:, None] - totals, np.sqrt(variance))
    return np.minimum(p_values * (size * (size - 1) // 2), 1)


def ranks_in_tasks(table: ScoreTable, alpha: float) -> tuple[Floats, Floats] | None:
    """Return the worst and the best possible rank, (tasks, systems); None without comparisons.

    They are simultaneous for all systems and tasks.
    """
    from ...statistics.tests.ranks import rank_intervals

    size, tests = len(table.systems), len(table.tasks)
    tests *= max(size * (size - 1) // 2, 1)
    ends = []
    for task, is_lower in enumerate(table.lower):
        p_values = _pairs(table, task)[0].copy()
        np.fill_diagonal(p_values, 1)
        scores = table.scores[:, task] * (-1 if is_lower else 1)
        if np.isnan(p_values).any() or np.isnan(scores).any():
            return None
        ends.append(rank_intervals(scores, np.minimum(p_values * tests, 1), alpha))
    intervals = np.array(ends, np.float64)
    return intervals[:, :, 1], intervals[:, :, 0]
