"""Davidson's model, with a probability of ties.

With the difference d of two log strengths, P(win) = e**(d/2) / D and P(tie) = nu / D, where
D = e**(d/2) + e**(-d/2) + nu. The tie parameter nu is 0 if there are no ties; 1 makes all three
verdicts equally likely for equals. The likelihood is concave in log strengths and in log nu.

Source:
    Davidson, On extending the Bradley-Terry model to accommodate ties in paired comparison
    experiments (1970).
"""

import math

import numpy as np

from ...statistics.arguments.arrays import Floats
from .bradley_terry import fit_strengths, laplacian, maximize, regular, slopes_of_systems


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
    wins_of_first, losses, tied = wins[first, second], wins[second, first], ties[first, second]
    size = len(wins)

    votes = wins_of_first + losses + tied

    def logarithms(point: Floats) -> Floats:
        """Return the logarithms of the probabilities of a win, a loss and a tie."""
        difference = point[first] - point[second]
        # Of e**(d/2), e**(-d/2) and nu, divided by their sum so that none overflows
        weights = np.stack([difference / 2, -difference / 2, np.full(first.size, point[size])])
        return np.asarray(weights - np.logaddexp.reduce(weights, axis=0), np.float64)

    def likelihood(point: Floats) -> float:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            win, loss, tie = logarithms(point)
            value = float((wins_of_first * win + losses * loss + tied * tie).sum())
        return value if math.isfinite(value) else -math.inf

    def step(point: Floats) -> Floats:
        win, loss, tie = np.exp(logarithms(point))
        mean = (win - loss) / 2
        slopes = (wins_of_first - losses) / 2 - votes * mean
        gradient = np.append(
            slopes_of_systems(first, second, slopes, size), (tied - votes * tie).sum()
        )
        matrix = np.empty((size + 1, size + 1))
        curvature = votes * ((win + loss) / 4 - mean**2)
        weights = np.bincount(first * size + second, curvature, size * size).astype(np.float64)
        weights = weights.reshape(size, size)
        matrix[:size, :size] = regular(laplacian(weights + weights.T))
        mixed = slopes_of_systems(first, second, votes * mean * tie, size)
        matrix[size, :size] = matrix[:size, size] = -mixed
        matrix[size, size] = (votes * tie * (1 - tie)).sum()
        return np.linalg.solve(matrix, gradient)

    point = maximize(likelihood, step, np.zeros(size + 1))
    strengths = point[:size]
    return strengths - strengths.mean(), math.exp(point[size])
