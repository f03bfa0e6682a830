"""Errors and intervals of Bradley-Terry ratings, and the ranks that follow from them.

A tie that counts half is not a Bernoulli variable: its residual is smaller than that of a win or a
loss. The inverse of the information is then too wide, but the sandwich, with the squared residuals
of votes in the middle, is right. The default adds one pseudo-vote for each compared pair, with the
variance of a win or a loss, so that six ties do not count as certainty. With clusters, such as
prompts, residuals are added up in each cluster first, and the critical value is Student's with
Kish's number of clusters.

Source:
    White, Maximum likelihood estimation of misspecified models (1982). Chiang and others, Chatbot
    Arena: an open platform for evaluating LLMs by human preference (2024), for ranks.
"""

import math
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arguments.checks import OptionError
from ...statistics.intervals.intervals import critical_value
from ...statistics.resampling.row_units import percentile_ends, resampled_counts
from .bradley_terry import (
    NoFiniteRatingsError,
    check_finite,
    fit_strengths,
    inverse_information,
    laplacian,
    win_probabilities,
)
from .vote_counts import Votes

RatingInterval = Literal["auto", "sandwich", "hessian", "bootstrap"]

_MOST_SEPARATED = 0.05  # of resamples that may have no finite maximum


class RatingErrors(NamedTuple):
    """Standard errors of log strengths, and the ends of their intervals."""

    standard_error: Floats
    low: Floats
    high: Floats
    design_effect: Floats | None = None  # by which clusters multiply variances


def rating_errors(
    votes: Votes,
    strengths: Floats,
    method: RatingInterval,
    confidence_level: float,
    n_resamples: int,
    seed: int,
) -> RatingErrors:
    """Return the errors of maximum likelihood log strengths, with ties as half wins.

    Raises:
        ValueError: there are fewer clusters than systems, or too many resamples have no finite
            ratings.
    """
    size = number_of_clusters(votes)
    if method == "bootstrap":
        return _bootstrap(votes, strengths, confidence_level, n_resamples, seed)
    expected = win_probabilities(strengths)
    points = votes.points()
    games = points + points.T
    inverse = inverse_information(laplacian(games * expected * expected.T), votes.size)
    cells = expected[votes.first, votes.second]
    squares = votes.table(votes.total_weight * (votes.share - cells) ** 2)
    squares += squares.T
    covariance = inverse @ laplacian(squares) @ inverse
    if method == "hessian":
        covariance = inverse
    elif votes.clusters is not None:
        totals = cluster_scores(votes, votes.clusters, votes.total_weight * (votes.share - cells))
        covariance = inverse @ (totals.T @ totals) @ inverse
    variance = votes.levelled(np.diag(covariance))
    spread, degrees = variance, math.inf
    effect = None
    if votes.clusters is not None and method != "hessian":
        of_votes = votes.levelled(np.diag(inverse @ laplacian(squares) @ inverse))
        effect = design_effects(variance, of_votes)
    if method == "auto":
        numbers = votes.numbers()
        cautious = (squares + (games > 0) * expected * expected.T) * (numbers / (numbers + 1))
        spread = votes.levelled(np.diag(inverse @ laplacian(cautious) @ inverse))
        if votes.clusters is not None:
            spread = np.maximum(variance * (size / (size - 1)), spread)
            degrees = kish_number(votes.clusters, votes.total_weight) - 1
    reach = critical_value(confidence_level, degrees) * np.sqrt(spread)
    return RatingErrors(np.sqrt(variance), strengths - reach, strengths + reach, effect)


def number_of_clusters(votes: Votes) -> int:
    """Return the number of clusters; 0 if votes are independent.

    Raises:
        ValueError: there are fewer clusters than systems.
    """
    if votes.clusters is None:
        return 0
    size = int(votes.clusters.max()) + 1
    if size < votes.size:
        raise OptionError(
            "clusters",
            f"are {size}, too few for the errors of {votes.size} systems; there must be at least "
            "as many",
        )
    return size


def design_effects(clustered: Floats, of_votes: Floats) -> Floats:
    """Return the factors by which clusters multiply variances; NaN for a variance of 0.

    >>> design_effects(np.array([2.0, 0.0]), np.array([1.0, 0.0])).tolist()
    [2.0, nan]
    """
    effects = np.full(clustered.size, math.nan)
    np.divide(clustered, of_votes, out=effects, where=of_votes > 0)
    return effects


def kish_number(clusters: Integers, weights: Floats) -> float:
    """Return the number of clusters of equal weight that would be as informative.

    >>> kish_number(np.array([0, 0, 1, 1]), np.ones(4))
    2.0
    """
    totals = np.bincount(clusters, weights)
    return float(totals.sum() ** 2 / np.square(totals).sum())


def cluster_scores(votes: Votes, clusters: Integers, residuals: Floats) -> Floats:
    """The derivatives by the log strengths, added up in each cluster, shape (clusters, systems)."""
    number = int(clusters.max()) + 1
    cells = number * votes.size
    totals = np.bincount(clusters * votes.size + votes.first, residuals, cells)
    totals -= np.bincount(clusters * votes.size + votes.second, residuals, cells)
    return np.asarray(totals.reshape(number, votes.size), np.float64)


def ranks_of_intervals(low: Floats, high: Floats) -> tuple[Integers, Integers]:
    """Return the best and the worst rank of each system that its interval allows.

    The best rank is 1 plus the number of systems whose lower end is above the system's upper end,
    as in Chatbot Arena; ends that touch overlap. The worst rank is its mirror image.

    Args:
        low: lower ends, shape (systems,).
        high: upper ends.

    >>> best, worst = ranks_of_intervals(np.array([2.0, 0.0, 1.0]), np.array([3.0, 1.0, 2.5]))
    >>> best.tolist(), worst.tolist()
    ([1, 2, 1], [2, 3, 3])
    """
    low, high = np.asarray(low), np.asarray(high)
    best = 1 + np.searchsorted(np.sort(-low), -high, side="left")
    worst = low.size - np.searchsorted(np.sort(high), low, side="left")
    return best, worst


def _bootstrap(
    votes: Votes, strengths: Floats, confidence_level: float, n_resamples: int, seed: int
) -> RatingErrors:
    """Percentile intervals from ratings of resampled votes, or of resampled clusters.

    Raises:
        ValueError: more than 5 % of the resamples have no finite ratings.
    """
    fits: list[Floats] = []
    separated = 0
    clusters = votes.clusters
    units = votes.count if clusters is None else np.ones(int(clusters.max()) + 1, np.int64)
    for counts in chain.from_iterable(resampled_counts(units, n_resamples=n_resamples, seed=seed)):
        drawn = counts / votes.count if clusters is None else counts[clusters]
        points = votes.points(drawn)
        try:
            check_finite(points, votes.systems)
            fits.append(fit_strengths(points, start=strengths))
        except NoFiniteRatingsError:
            separated += 1
    if separated > _MOST_SEPARATED * n_resamples:
        raise OptionError(
            "interval",
            f"'bootstrap': {separated} of {n_resamples} resamples have no finite ratings; take "
            "'auto'",
        )
    values = np.array(fits)
    ends = np.array([percentile_ends(column, confidence_level) for column in values.T])
    error = values.std(axis=0, ddof=1) if len(fits) > 1 else np.full(votes.size, math.nan)
    return RatingErrors(error, ends[:, 0], ends[:, 1])
