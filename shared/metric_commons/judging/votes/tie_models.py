"""Models with a probability of ties: Davidson's and Rao and Kupper's.

With the difference d of two log strengths:

* Davidson: P(win) = e**(d/2) / D and P(tie) = nu / D, where D = e**(d/2) + e**(-d/2) + nu. The tie
  parameter nu is 0 if there are no ties; 1 makes all three verdicts equally likely for equals.
* Rao and Kupper: P(win) = 1 / (1 + theta e**-d), and the remaining probability is for ties. The
  tie parameter theta is 1 if there are no ties.

Both likelihoods are concave in log strengths and in the logarithm of nu or theta.

Source:
    Davidson, On extending the Bradley-Terry model to accommodate ties in paired comparison
    experiments (1970). Rao and Kupper, Ties in paired-comparison experiments (1967).
"""

import math
from typing import NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Floats
from .bradley_terry import fit_strengths, laplacian, maximize, regular, slopes_of_systems


class _Terms(NamedTuple):
    """The log-likelihood of each pair and its derivatives by the difference and the parameter."""

    value: Floats
    slope: Floats
    tie_slope: Floats
    curvature: Floats
    mixed: Floats
    tie_curvature: Floats


def fit_with_ties(wins: Floats, ties: Floats, model: str) -> tuple[Floats, float]:
    """Return the log strengths of maximum likelihood, with mean 0, and the tie parameter.

    Args:
        wins: the wins of each system over each other one, shape (systems, systems).
        ties: the ties of each pair, symmetric, shape (systems, systems).
        model: "davidson" or "rao_kupper".

    Raises:
        NoFiniteRatingsError: there is no finite maximum.

    >>> wins, ties = np.array([[0.0, 4.0], [1.0, 0.0]]), np.array([[0.0, 4.0], [4.0, 0.0]])
    >>> strengths, tie_parameter = fit_with_ties(wins, ties, "davidson")
    >>> np.exp(strengths).round(9).tolist(), round(tie_parameter, 9)
    ([2.0, 0.5], 2.0)
    """
    if not ties.any():
        return fit_strengths(wins), 0.0 if model == "davidson" else 1.0
    first, second = np.nonzero(np.triu(wins + wins.T + ties, 1))
    verdicts = wins[first, second], wins[second, first], ties[first, second]
    terms = _davidson if model == "davidson" else _rao_kupper
    size = len(wins)

    def terms_at(point: Floats) -> _Terms:
        return terms(*verdicts, point[first] - point[second], float(point[size]))

    def likelihood(point: Floats) -> float:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            value = float(terms_at(point).value.sum())
        return value if math.isfinite(value) else -math.inf

    def step(point: Floats) -> Floats:
        derivatives = terms_at(point)
        gradient = np.append(
            slopes_of_systems(first, second, derivatives.slope, size),
            derivatives.tie_slope.sum(),
        )
        matrix = np.empty((size + 1, size + 1))
        cells = first * size + second
        weights = np.bincount(cells, -derivatives.curvature, size * size).astype(np.float64)
        weights = weights.reshape(size, size)
        matrix[:size, :size] = regular(laplacian(weights + weights.T))
        mixed = slopes_of_systems(first, second, derivatives.mixed, size)
        matrix[size, :size] = matrix[:size, size] = -mixed
        matrix[size, size] = -derivatives.tie_curvature.sum()
        return np.linalg.solve(matrix, gradient)

    point = maximize(likelihood, step, np.zeros(size + 1))
    strengths = point[:size]
    parameter = math.exp(point[size])
    return strengths - strengths.mean(), parameter if model == "davidson" else 1 + parameter


def _davidson(
    wins: Floats, losses: Floats, ties: Floats, difference: Floats, log_nu: float
) -> _Terms:
    """Return Davidson's model, by the logarithm of nu."""
    # The weights are e**(d/2), e**(-d/2) and nu, divided by the largest so that none overflows.
    logarithms = np.stack([difference / 2, -difference / 2, np.full(difference.size, log_nu)])
    logarithms -= np.logaddexp.reduce(logarithms, axis=0)
    win, loss, tie = np.exp(logarithms)
    votes = wins + losses + ties
    mean = (win - loss) / 2
    return _Terms(
        wins * logarithms[0] + losses * logarithms[1] + ties * logarithms[2],
        (wins - losses) / 2 - votes * mean,
        ties - votes * tie,
        -votes * ((win + loss) / 4 - mean**2),
        votes * mean * tie,
        -votes * tie * (1 - tie),
    )


def _rao_kupper(
    wins: Floats, losses: Floats, ties: Floats, difference: Floats, log_excess: float
) -> _Terms:
    """Return Rao and Kupper's model, by the logarithm of theta - 1.

    A tie has the probability (theta**2 - 1) P(win) P(loss), so it counts as a win, a loss and a
    factor.
    """
    from scipy.special import expit, log_expit

    excess = math.exp(log_excess)
    theta = 1 + excess
    log_theta = math.log1p(excess)
    win, loss = expit(difference - log_theta), expit(-difference - log_theta)
    wins, losses = wins + ties, losses + ties
    to_theta = excess / theta  # the derivative of log theta
    factor = log_excess + math.log1p(theta)  # log(theta**2 - 1)
    win_curvature, loss_curvature = wins * win * (1 - win), losses * loss * (1 - loss)
    by_theta = -wins * (1 - win) - losses * (1 - loss)
    return _Terms(
        wins * log_expit(difference - log_theta)
        + losses * log_expit(-difference - log_theta)
        + ties * factor,
        wins * (1 - win) - losses * (1 - loss),
        by_theta * to_theta + ties * (1 + excess / (1 + theta)),
        -win_curvature - loss_curvature,
        (win_curvature - loss_curvature) * to_theta,
        -(win_curvature + loss_curvature) * to_theta**2
        + by_theta * to_theta * (1 - to_theta)
        + ties * 2 * excess / (theta + 1) ** 2,
    )
