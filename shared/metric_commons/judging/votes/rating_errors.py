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
    """Standard errors of log strengths, and of coefficients, with the ends of their intervals."""

    method: str  # as a result names it
    standard_error: Floats
    low: Floats
    high: Floats
    spread: Floats  # the variance that intervals are based on
    degrees: float = math.inf  # of freedom
    design_effect: Floats | None = None  # by which clusters multiply variances; NaN for 0


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
    check_clusters(votes)
    if method == "bootstrap":
        return _bootstrap(votes, strengths, confidence_level, n_resamples, seed)
    expected = win_probabilities(strengths)
    points, numbers = votes.points(), votes.numbers()
    games = points + points.T
    inverse = inverse_information(laplacian(games * expected * expected.T), votes.size)
    residuals = votes.share - expected[votes.first, votes.second]
    squares = votes.table(votes.total_weight * residuals**2)
    squares += squares.T
    cautious = (squares + (games > 0) * expected * expected.T) * (numbers / (numbers + 1))
    of_clusters = None
    if votes.clusters is not None:
        totals = cluster_scores(votes, votes.clusters, votes.total_weight * residuals)
        of_clusters = np.diag(inverse @ (totals.T @ totals) @ inverse)
    return errors_of_variances(
        votes,
        strengths,
        method,
        confidence_level,
        hessian=np.diag(inverse),
        of_votes=np.diag(inverse @ laplacian(squares) @ inverse),
        of_clusters=of_clusters,
        cautious=np.diag(inverse @ laplacian(cautious) @ inverse),
    )


def errors_of_variances(
    votes: Votes,
    values: Floats,
    method: RatingInterval,
    confidence_level: float,
    *,
    hessian: Floats,
    of_votes: Floats,
    of_clusters: Floats | None,
    cautious: Floats,
    degrees: float = math.inf,
) -> RatingErrors:
    """Return the errors of log strengths, and of any coefficients after them.

    Args:
        votes: the votes.
        values: the log strengths and coefficients.
        method: "auto", "sandwich" or "hessian".
        confidence_level: strictly between 0 and 1.
        hessian: their variances from the information.
        of_votes: those of the sandwich, with votes as units.
        of_clusters: those with clusters as units; None if votes are independent.
        cautious: those that "auto" takes for independent votes.
        degrees: the degrees of freedom of "auto" for independent votes.
    """
    size = votes.size

    def levelled(variances: Floats) -> Floats:
        return np.append(votes.levelled(variances[:size]), variances[size:])

    sandwich = of_votes if of_clusters is None else of_clusters
    variance = levelled(hessian if method == "hessian" else sandwich)
    spread, freedom, effect = variance, math.inf, None
    if of_clusters is not None and method != "hessian":
        plain = votes.levelled(of_votes[:size])
        effect = np.full(size, math.nan)
        np.divide(variance[:size], plain, out=effect, where=plain > 0)
    if method == "auto":
        spread, freedom = levelled(cautious), degrees
        if votes.clusters is not None:
            weights = np.bincount(votes.clusters, votes.total_weight)
            spread = np.maximum(variance * (weights.size / (weights.size - 1)), spread)
            # Kish's number of clusters of equal weight that would be as informative, less 1.
            freedom = float(weights.sum() ** 2 / np.square(weights).sum()) - 1
    reach = critical_value(confidence_level, freedom) * np.sqrt(spread)
    name = {"auto": "t" if math.isfinite(degrees) else "cautious_sandwich"}.get(method, method)
    return RatingErrors(
        name, np.sqrt(variance), values - reach, values + reach, spread, freedom, effect
    )


def check_clusters(votes: Votes) -> None:
    """Check that there are at least as many clusters as systems.

    Raises:
        ValueError: there are fewer.
    """
    if votes.clusters is None:
        return
    size = int(votes.clusters.max()) + 1
    if size < votes.size:
        raise OptionError(
            "clusters",
            f"are {size}, too few for the errors of {votes.size} systems; there must be at least "
            "as many",
        )


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
    """Return percentile intervals from ratings of resampled votes, or of resampled clusters.

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
    return RatingErrors("bootstrap", error, ends[:, 0], ends[:, 1], np.square(error))
