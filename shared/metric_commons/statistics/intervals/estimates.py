"""Intervals of estimates that are not means of rows and have their own variance.

The areas under the ROC and precision-recall curves are such estimates; kappa, Kendall's tau and
rates that are corrected by labels have influences of rows. Like a mean of scores from 0 to 1, an
estimate in a range counts as a proportion of an effective number of trials.
"""

from fractions import Fraction
from typing import Literal

import numpy as np

from ..arguments.arrays import Floats, Integers
from ..arguments.domains import Level, checked_options
from ..arithmetic.exact_sums import exact_sum, group_sums
from .intervals import Bounds
from .proportions import Interval
from .spreads import Spread, finite_scores
from .sum_distributions import pairs_interval

Method = Literal["auto", "wilson"]


def influence_spread(
    influences: Floats, counts: Integers | None = None, clusters: Integers | None = None
) -> Spread:
    """Return the spread of the influences of rows, or of clusters of rows, on an estimate.

    The influence of a row on a mean is its distance from the mean. For other estimates, rows have
    values whose mean is the estimate to first order, and the influence is the distance of such a
    value. The squares divided by the square of the number of rows are then a variance, and
    `standard_error` is that of the linearized estimate. Sums are exact, so the order of rows does
    not matter.

    Args:
        influences: the influences of the rows, whose sum is 0 except for rounding; shape (rows,).
        counts: the count of each row; None for one each.
        clusters: the number of the cluster of each row, from 0 on; None if rows are independent.

    Raises:
        ValueError: an influence is not a finite number, or there are none.

    Source:
        Gwet, Computing inter-rater reliability and its variance in the presence of high agreement
        (2008). Linearization in general: Deville, Variance estimation for complex statistics
        (1999).

    >>> influence_spread(np.array([0.5, -0.5])).standard_error()
    0.5
    >>> influence_spread(np.array([0.5, -0.5, 0.5, -0.5]), clusters=np.array([0, 1, 0, 1])).squares
    Fraction(2, 1)
    """
    values = finite_scores("influences", influences)
    if not values.size:
        raise ValueError("influences is empty; the spread of nothing is undefined")
    rows = values.size if counts is None else int(counts.sum())
    if clusters is None:
        return Spread(rows, Fraction(0), exact_sum(np.square(values), counts), rows)
    labels, numbers = np.unique(clusters, return_inverse=True)
    weights = np.ones(values.size, np.int64) if counts is None else counts
    sizes = np.bincount(numbers, weights, labels.size).astype(np.int64)
    sums = group_sums(values * weights, numbers, labels.size)
    squares = exact_sum(np.square(sums))
    return Spread(rows, Fraction(0), squares, int((sizes**2).sum()), labels.size)


@checked_options
def influence_interval(
    value: float,
    influences: Floats,
    counts: Integers | None = None,
    *,
    clusters: Integers | None = None,
    sizes: Floats | None = None,
    confidence_level: Level = 0.95,
    unseen: Bounds = (0.0, 1.0),
    bounds: Bounds = (0.0, 1.0),
) -> Interval:
    """Return the interval of an estimate in a range, from the influences of its rows.

    The rows are taken for those of a mean: each has the value of the estimate plus its influence.
    They, or clusters of them, are weighted at random with an unseen one, as those of means are.

    Args:
        value: the estimate, within the bounds.
        influences: as in `influence_spread`, shape (rows,).
        counts: the count of each row; None for one each.
        clusters: the number of the cluster of each row, from 0 on; None if rows are independent.
        sizes: the weight of each row in the mean; rows of size 0 only add their influence. None if
            all are 1.
        confidence_level: strictly between 0 and 1.
        unseen: the smallest and the largest value of an unseen row of size 1.
        bounds: the smallest and the largest possible estimate.

    Raises:
        ValueError: an influence is not a finite number, or an option is out of its range.

    >>> scores = np.array([0.4, 1.0, 0.5, 0.0, 0.8, 1.0])
    >>> influences = scores - scores.mean()
    >>> print("{:.4f} to {:.4f}".format(*influence_interval(scores.mean(), influences)[:2]))
    0.2505 to 0.8872
    >>> from .intervals import interval
    >>> print("{:.4f} to {:.4f}".format(*interval(scores)[:2]))
    0.2505 to 0.8872
    """
    added = finite_scores("influences", influences)
    repeats = np.ones(added.size) if counts is None else counts.astype(np.float64)
    sizes = np.ones(added.size) if sizes is None else sizes
    n_clusters = None
    if clusters is not None:
        n_clusters = int(clusters.max(initial=-1)) + 1
        added, sizes = (
            group_sums(column * repeats, clusters, n_clusters) for column in (added, sizes)
        )
        repeats = np.ones(n_clusters)
    estimate = pairs_interval(
        sizes * value + added,
        sizes,
        repeats,
        confidence_level=confidence_level,
        bounds=unseen,
        n_clusters=n_clusters,
    )
    low, high = max(estimate.low, bounds[0]), min(estimate.high, bounds[1])
    return estimate._replace(low=min(low, value), high=max(high, value))
