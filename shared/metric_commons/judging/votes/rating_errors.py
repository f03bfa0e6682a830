"""Errors and intervals of Bradley-Terry ratings, and the ranks that follow from them.

A rating is taken for a mean of the influences of votes, or of clusters such as prompts. These are
weighted at random together with an unseen one: of the votes that occurred, with either outcome,
that which lowers or raises the rating most; of clusters, at most as far off as the farthest one.
The scale is that of the probability of beating a system of the mean strength of the others. The
standard error is the sandwich, which is right for ties that count half; the inverse of the
information would be too wide for them.

Source:
    White, Maximum likelihood estimation of misspecified models (1982). Chiang and others, Chatbot
    Arena: an open platform for evaluating LLMs by human preference (2024), for ranks.
"""

import math
from itertools import chain
from typing import NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arguments.checks import OptionError
from ...statistics.intervals.intervals import ratio_interval
from ...statistics.intervals.methods import Uncertainty
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

_MOST_SEPARATED = 0.05  # of resamples that may have no finite maximum


class RatingErrors(NamedTuple):
    """Standard errors of log strengths, and of coefficients, with the ends of their intervals."""

    method: str  # as a result names it
    standard_error: Floats
    low: Floats
    high: Floats
    design_effect: Floats | None = None  # by which clusters multiply variances; NaN for 0


def rating_errors(votes: Votes, strengths: Floats, uncertainty: Uncertainty) -> RatingErrors:
    """Return the errors of maximum likelihood log strengths, with ties as half wins.

    Raises:
        ValueError: there are fewer clusters than systems, or too many resamples have no finite
            ratings.
    """
    check_clusters(votes)
    if uncertainty.method == "bootstrap":
        return _bootstrap(votes, strengths, uncertainty)
    expected = win_probabilities(strengths)
    points = votes.points()
    games = points + points.T
    inverse = inverse_information(laplacian(games * expected * expected.T), votes.size)
    return errors_of_influences(
        votes, strengths, inverse, expected[votes.first, votes.second], uncertainty
    )


def errors_of_influences(
    votes: Votes,
    values: Floats,
    inverse: Floats,
    expected: Floats,
    uncertainty: Uncertainty,
    covariates: Floats | None = None,
) -> RatingErrors:
    """Return the errors of log strengths, and of any coefficients after them.

    Args:
        votes: the votes.
        values: the log strengths and coefficients.
        inverse: that of the information about them.
        expected: the expected part of the points in each distinct vote.
        uncertainty: the level.
        covariates: those of each distinct vote; None for none.
    """
    from scipy.special import expit, logit

    size, counts = votes.size, votes.total_weight
    rows = float(counts.sum())
    residuals = votes.share - expected
    low, high, variances, of_votes = np.empty((4, values.size))
    for number, (value, row) in enumerate(zip(values.tolist(), inverse, strict=True)):
        slopes = row[votes.first] - row[votes.second]
        if covariates is not None:
            slopes = slopes + covariates @ row[size:]
        influences = residuals * slopes
        unseen = np.append(-expected * slopes, (1 - expected) * slopes)
        of_votes[number] = variances[number] = counts @ np.square(influences)
        sizes, sums, repeats = np.ones(counts.size), influences, counts
        if votes.clusters is not None:
            sums = np.bincount(votes.clusters, counts * influences).astype(np.float64)
            sizes = np.bincount(votes.clusters, counts).astype(np.float64)
            repeats = np.ones(sums.size)
            variances[number] = np.square(sums).sum()
            farthest = float(np.abs(sums).max() / sizes.mean())  # as any cluster seen
            if farthest:
                unseen = np.clip(unseen, -farthest, farthest)
        # The probability of beating a system of the mean strength of the others has a range; of two
        # systems it is a mean of votes. Coefficients have none.
        scale = size / (size - 1) if number < size else 0.0
        chance = float(expit(scale * value))
        slope = scale * chance * (1 - chance) if scale else 1.0
        middle = chance if scale else value
        found = ratio_interval(
            middle * sizes + rows * slope * sums,
            sizes,
            uncertainty,
            bounds=(middle + rows * slope * unseen.min(), middle + rows * slope * unseen.max()),
            counts=repeats,
        )
        ends = min(found.low, middle), max(found.high, middle)
        low[number], high[number] = (
            float(logit(end)) / scale if scale and 0 < end < 1 else value + (end - middle) / slope
            for end in ends
        )

    effect = None
    if votes.clusters is not None:
        effect = np.full(size, math.nan)
        np.divide(variances[:size], of_votes[:size], out=effect, where=of_votes[:size] > 0)
    return RatingErrors("law", np.sqrt(variances), low, high, effect)


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


def _bootstrap(votes: Votes, strengths: Floats, uncertainty: Uncertainty) -> RatingErrors:
    """Return percentile intervals from ratings of resampled votes, or of resampled clusters.

    Raises:
        ValueError: more than 5 % of the resamples have no finite ratings.
    """
    fits: list[Floats] = []
    separated = 0
    clusters = votes.clusters
    units = votes.count if clusters is None else np.ones(int(clusters.max()) + 1, np.int64)
    for counts in chain.from_iterable(resampled_counts(units, **uncertainty.draws)):
        drawn = counts / votes.count if clusters is None else counts[clusters]
        points = votes.points(drawn)
        try:
            check_finite(points, votes.systems)
            fits.append(fit_strengths(points, start=strengths))
        except NoFiniteRatingsError:
            separated += 1
    if separated > _MOST_SEPARATED * uncertainty.n_resamples:
        raise OptionError(
            "interval",
            f"'bootstrap': {separated} of {uncertainty.n_resamples} resamples have no finite "
            "ratings; take 'auto'",
        )
    values = np.array(fits)
    ends = np.array([percentile_ends(column, uncertainty.level) for column in values.T])
    error = values.std(axis=0, ddof=1) if len(fits) > 1 else np.full(votes.size, math.nan)
    return RatingErrors("bootstrap", error, ends[:, 0], ends[:, 1])
