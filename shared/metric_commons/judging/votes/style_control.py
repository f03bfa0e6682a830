"""Bradley-Terry ratings with covariates of votes, such as the difference of the answers' lengths.

The log odds of a vote are the difference of two log strengths plus covariates times coefficients.
Ratings are then for answers with equal covariates (style control), and each
coefficient tests a bias of the judge: a constant covariate of 1 finds a preference for the answer
shown first, and the difference of lengths finds a preference for longer answers.

Source:
    Li, Angelopoulos and Chiang, Does style matter? Disentangling style and substance in Chatbot
    Arena (2024). White, Maximum likelihood estimation of misspecified models (1982), for the error.
"""

from typing import NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Floats
from ...statistics.arguments.checks import OptionError
from .bradley_terry import (
    fit_strengths,
    inverse_information,
    laplacian,
    maximize,
    regular,
    slopes_of_systems,
)
from .vote_counts import Votes

_DEPENDENT = 1e-10  # the smallest eigenvalue of a correlation matrix that can be inverted


class StyleFit(NamedTuple):
    """Log strengths with mean 0, and coefficients, with the components of their errors."""

    strengths: Floats
    coefficients: Floats
    inverse: Floats  # of the information, shape (systems + covariates, systems + covariates)
    expected: Floats  # the expected proportion of the points in each distinct vote


def standardized(covariates: Floats) -> Floats:
    """Return the covariates with mean 0 and standard deviation 1 (divisor n) over all votes.

    A constant, such as a column of ones that tests the position, stays as it is.

    >>> standardized(np.array([[1.0, 1.0], [3.0, 1.0]])).tolist()
    [[-1.0, 1.0], [1.0, 1.0]]
    """
    is_constant = covariates.min(axis=0) == covariates.max(axis=0)
    centered = covariates - np.where(is_constant, 0.0, covariates.mean(axis=0))
    deviations = np.sqrt(np.square(centered).mean(axis=0))
    return np.asarray(centered / np.where(is_constant, 1.0, deviations), np.float64)


def fit_with_covariates(votes: Votes, covariates: Floats) -> StyleFit:
    """Return the maximum of the likelihood.

    Args:
        votes: all votes; a tie is half a win of each side.
        covariates: shape (votes, covariates).

    Raises:
        NoFiniteRatingsError: the likelihood has no finite maximum.
        ValueError: a covariate follows from the others and from the systems.

    >>> from .vote_counts import count_votes, read_rows
    >>> rows = read_rows(
    ...     ["a", "a", "a", "b", "b"],
    ...     ["b", "b", "b", "a", "a"],
    ...     ["model_a", "model_a", "model_b", "model_a", "model_b"],
    ... )
    >>> votes = count_votes(rows, covariates=[[1.0]] * 5)
    >>> fit = fit_with_covariates(votes, votes.covariates)
    >>> fit.coefficients.round(6).tolist()  # the mean of the log odds of 2 to 1 and of 1 to 1
    [0.346574]
    """
    from scipy.special import expit, log_expit

    size = votes.size
    weight = votes.total_weight

    def log_odds(point: Floats) -> Floats:
        strengths = point[:size]
        return strengths[votes.first] - strengths[votes.second] + covariates @ point[size:]

    def likelihood(point: Floats) -> float:
        odds = log_odds(point)
        return float(weight @ (votes.share * odds + log_expit(-odds)))

    def information(expected: Floats) -> Floats:
        return _cross_products(votes, covariates, weight * expected * (1 - expected))

    def step(point: Floats) -> Floats:
        expected = expit(log_odds(point))
        residuals = weight * (votes.share - expected)
        gradient = np.append(
            slopes_of_systems(votes.first, votes.second, residuals, size),
            covariates.T @ residuals,
        )
        matrix = information(expected)
        matrix[:size, :size] = regular(matrix[:size, :size])
        return np.linalg.solve(matrix, gradient)

    # Near the maximum already, unless covariates explain much.
    start = np.append(fit_strengths(votes.points()), np.zeros(covariates.shape[1]))
    _check_independent(information(np.full(votes.share.size, 0.5)), size)
    point = maximize(likelihood, step, start)
    expected = expit(log_odds(point))
    inverse = inverse_information(information(expected), size)
    strengths = point[:size] - point[:size].mean()
    return StyleFit(strengths, point[size:], inverse, expected)


def _cross_products(votes: Votes, covariates: Floats, amounts: Floats) -> Floats:
    """Return the sum over votes of amount * d d', where d has 1, -1 and the vote's covariates."""
    size, features = votes.size, covariates.shape[1]
    table = votes.table(amounts)
    weighted = amounts[:, None] * covariates
    matrix = np.empty((size + features, size + features))
    matrix[:size, :size] = laplacian(table + table.T)
    for number, slopes in enumerate(weighted.T):
        column = slopes_of_systems(votes.first, votes.second, slopes, size)
        matrix[:size, size + number] = matrix[size + number, :size] = column
    matrix[size:, size:] = covariates.T @ weighted
    return matrix


def _check_independent(matrix: Floats, size: int) -> None:
    """Check that no covariate follows from the others and from the systems.

    Raises:
        ValueError: one does.
    """
    matrix[:size, :size] = regular(matrix[:size, :size])
    scale = np.sqrt(np.diag(matrix))
    if not scale.all() or np.linalg.eigvalsh(matrix / np.outer(scale, scale))[0] < _DEPENDENT:
        raise OptionError(
            "covariates",
            "cannot be distinguished from each other or from the systems: a column is 0 in every "
            "vote, or follows from other columns or from the pair of systems",
        )
