"""Davidson's model, with a probability of ties.

With the difference d of two log strengths, P(win) = e**(d/2) / D and P(tie) = nu / D, where
D = e**(d/2) + e**(-d/2) + nu. The tie parameter nu is 0 if there are no ties; 1 makes all three
verdicts equally likely for equals. The likelihood is concave in log strengths and in log nu.

Source:
    Davidson, On extending the Bradley-Terry model to accommodate ties in paired comparison
    experiments (1970).
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


def fit_with_ties(wins: Floats, ties: Floats) -> tuple[Floats, float]:
    """Return the log strengths of maximum likelihood, with mean 0, and the tie parameter.

    Args:
        wins: the wins of each system over each other one, shape (systems, systems).
        ties: the ties of each pair, symmetric, shape (systems, systems).

    Raises:
        NoFiniteRatingsError: there is no finite maximum.

    >>> wins, ties = np.array([[0.0, 4.0], [1.0, 0.0]]), np.array([[0.0, 4.0], [4.0, 0.0]])
    >>> strengths, tie_parameter = fit_with_ties(wins, ties)
    >>> np.exp(strengths).round(9).tolist(), round(tie_parameter, 9)
    ([2.0, 0.5], 2.0)
    """
    if not ties.any():
        return fit_strengths(wins), 0.0
    first, second = np.nonzero(np.triu(wins + wins.T + ties, 1))
    verdicts = wins[first, second], wins[second, first], ties[first, second]
    size = len(wins)

    def terms_at(point: Floats) -> _Terms:
        return _davidson(*verdicts, point[first] - point[second], float(point[size]))

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
    return strengths - strengths.mean(), math.exp(point[size])


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
