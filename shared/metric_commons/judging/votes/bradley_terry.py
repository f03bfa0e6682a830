"""Bradley-Terry ratings: log strengths s for which a beats b with the probability 1/(1 + e**(b-a)).

A tie is half a win of each side. The log-likelihood of all votes is concave and depends only on the
points, so its maximum is unique; Newton's method finds it to the last digits. It exists only if no
group of systems took points from the others without losing any. Programs that stop after some
rounds return numbers even if it does not exist.

Source:
    Bradley and Terry, Rank analysis of incomplete block designs (1952). Ford, Solution of a ranking
    problem from binary comparisons (1957), for the condition.
"""

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

from ...statistics.arguments.arrays import Booleans, Floats, Integers
from ...statistics.arguments.checks import shown

Ties = Literal["half", "davidson", "ignore"]

_STEPS = 200  # of Newton's method; ordinary votes need less than ten
_HALVINGS = 60  # of a step that does not increase the likelihood
_CONVERGED = 1e-12  # the largest change of a log strength in the final step
_ROUNDING = 1e-12  # by which a sum of logarithms may decrease due to rounding, relative to its size
_LISTED_NAMES = 6  # systems of each group that a message names


class NoFiniteRatingsError(ValueError):
    """The votes do not determine finite ratings."""


def fit_strengths(points: Floats, start: Floats | None = None) -> Floats:
    """Return the log strengths of maximum likelihood, with mean 0, shape (systems,).

    Args:
        points: the points that each system took from each other one, shape (systems, systems).
        start: log strengths near the result; None for equal ones.

    Raises:
        NoFiniteRatingsError: the likelihood has no finite maximum.

    >>> fit_strengths(np.array([[0.0, 3.0], [1.0, 0.0]])).tolist()
    [0.549306144334055, -0.549306144334055]
    """
    games = points + points.T
    totals = points.sum(axis=1)
    unordered = np.triu(games, 1)

    def likelihood(strengths: Floats) -> float:
        # log(1 + e**d) for a pair with the difference d, without overflow.
        differences = np.abs(strengths[:, None] - strengths)
        larger = np.maximum(strengths[:, None], strengths)
        losses = unordered * (larger + np.log1p(np.exp(-differences)))
        return float(totals @ strengths - losses.sum())

    def step(strengths: Floats) -> Floats:
        expected = win_probabilities(strengths)
        gradient = totals - (games * expected).sum(axis=1)
        return np.linalg.solve(regular(laplacian(games * expected * expected.T)), gradient)

    strengths = maximize(likelihood, step, np.zeros(len(points)) if start is None else start)
    return np.asarray(strengths - strengths.mean(), np.float64)


def fit_with_ties(wins: Floats, ties: Floats) -> tuple[Floats, float]:
    """Return the log strengths of maximum likelihood by Davidson's model, and its tie parameter.

    With the difference d of two log strengths, P(win) = e**(d/2) / D and P(tie) = nu / D, where
    D = e**(d/2) + e**(-d/2) + nu. The tie parameter nu is 0 if there are no ties; 1 makes all three
    verdicts equally likely for equals. The likelihood is concave in log strengths and in log nu.

    Args:
        wins: the wins of each system over each other one, shape (systems, systems).
        ties: the ties of each pair, symmetric, shape (systems, systems).

    Raises:
        NoFiniteRatingsError: there is no finite maximum.

    Source:
        Davidson, On extending the Bradley-Terry model to accommodate ties in paired comparison
        experiments (1970).

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


def maximize(
    likelihood: Callable[[Floats], float], step: Callable[[Floats], Floats], start: Floats
) -> Floats:
    """The maximum of a concave function by Newton's method, halving steps that do not increase it.

    Raises:
        NoFiniteRatingsError: the method does not converge.
    """
    point, best = start, likelihood(start)
    for _ in range(_STEPS):
        try:
            change = step(point)
        except np.linalg.LinAlgError:
            break
        for _ in range(_HALVINGS):
            value = likelihood(point + change)
            if value >= best - _ROUNDING * abs(best):
                break
            change = change / 2
        point, best = point + change, value
        if not np.isfinite(point).all():
            break
        if np.abs(change).max() < _CONVERGED * (1 + np.abs(point).max()):
            return point
    raise NoFiniteRatingsError("separated: the likelihood of these votes has no finite maximum")


def win_probabilities(strengths: Floats) -> Floats:
    """Return the probability that each system beats each other one, shape (systems, systems).

    >>> win_probabilities(np.array([0.0, np.log(3)])).round(9).tolist()
    [[0.5, 0.25], [0.75, 0.5]]
    """
    from scipy.special import expit

    return np.asarray(expit(strengths[:, None] - strengths), np.float64)


def slopes_of_systems(first: Integers, second: Integers, slopes: Floats, size: int) -> Floats:
    """Return slopes by the difference of two strengths, added up as slopes by each strength.

    >>> slopes_of_systems(np.array([0, 0]), np.array([1, 2]), np.array([0.5, 1.0]), 3).tolist()
    [1.5, -0.5, -1.0]
    """
    rising = np.bincount(first, slopes, size)
    return np.asarray(rising - np.bincount(second, slopes, size), np.float64)


def laplacian(weights: Floats) -> Floats:
    """Return the Laplacian matrix of pairs with these weights: minus the second derivatives.

    >>> laplacian(np.array([[0.0, 2.0], [2.0, 0.0]])).tolist()
    [[2.0, -2.0], [-2.0, 2.0]]
    """
    return np.diag(weights.sum(axis=1)) - weights


def regular(matrix: Floats) -> Floats:
    """Return a Laplacian matrix that can be inverted, because a multiple of all ones is added.

    All strengths may be shifted, so the vector of ones is in its null space; this adds an
    eigenvalue of the size of the others there.
    """
    return matrix + _level(matrix)


def inverse_information(matrix: Floats, size: int) -> Floats:
    """Return the pseudoinverse of second derivatives whose first block is a Laplacian matrix.

    In one or two of a hundred fits, a pseudoinverse from eigenvalues mistakes the null direction
    for a small eigenvalue, and errors become NaN or enormous. Here it is removed exactly.

    Args:
        matrix: shape (parameters, parameters).
        size: the number of systems, whose strengths are the first parameters.

    >>> inverse_information(np.array([[2.0, -2.0], [-2.0, 2.0]]), 2).tolist()
    [[0.125, -0.125], [-0.125, 0.125]]
    """
    block = matrix[:size, :size]
    full = matrix.copy()
    full[:size, :size] = regular(block)
    inverse = np.linalg.inv(full)
    inverse[:size, :size] -= 1 / (_level(block) * size * size)
    return np.asarray(inverse, np.float64)


def _level(matrix: Floats) -> float:
    return max(float(np.trace(matrix)) / len(matrix), 1e-300) / len(matrix)


# Whether there is a finite maximum


def check_finite(points: Floats, systems: list[str]) -> None:
    """Check that the likelihood has a finite maximum.

    Raises:
        NoFiniteRatingsError: votes do not connect all systems ("disconnected"), or some systems
            took all points from the others ("separated").

    >>> try:
    ...     check_finite(np.array([[0.0, 3.0], [0.0, 0.0]]), ["x", "y"])
    ... except NoFiniteRatingsError as error:
    ...     print(str(error)[:44])
    separated: 'x' never lost a point to 'y', so
    """
    from scipy.sparse.csgraph import connected_components

    graph = points > 0
    components, parts = connected_components(graph, directed=True, connection="weak")
    if components > 1:
        listed = sorted(_listed(systems, parts == part) for part in range(components))
        raise NoFiniteRatingsError(
            f"disconnected: no votes connect {' and '.join(listed)}; rate each part by itself, "
            "with groups="
        )
    components, parts = connected_components(graph, directed=True, connection="strong")
    if components > 1:
        winners = _above(graph, parts)
        raise NoFiniteRatingsError(
            f"separated: {_listed(systems, winners)} never lost a point to "
            f"{_listed(systems, ~winners)}, so no finite ratings fit the votes; win rates exist, "
            "with method='win_rate'"
        )


def _above(graph: Booleans, parts: Floats) -> Booleans:
    """Return the systems of a component from which no other component took points."""
    # There is no cycle between strongly connected components, so one of them is above all others.
    candidates = (parts == part for part in range(int(parts.max()) + 1))
    return next(members for members in candidates if not graph[np.ix_(~members, members)].any())


def check_finite_with_ties(wins: Floats, ties: Floats, systems: list[str]) -> None:
    """Check that Davidson's model, with its own parameter for ties, has a finite maximum.

    Let a win of i over j require that the difference of their strengths increases by 1 or more, and
    a tie that it increases by 1 at most. If some differences satisfy all of these, the likelihood
    increases without limit in their direction. By the theory of difference constraints they exist
    unless some cycle of wins and ties has more wins than ties.

    Raises:
        NoFiniteRatingsError: it has none.
    """
    from scipy.sparse.csgraph import NegativeCycleError, bellman_ford

    check_finite(wins + ties, systems)
    lengths = np.where(wins > 0, -1.0, np.where(ties > 0, 1.0, np.inf))
    try:
        bellman_ford(np.ma.masked_invalid(lengths), indices=0)
    except NegativeCycleError:
        return
    raise NoFiniteRatingsError(
        "separated: too many of the votes are ties for a finite maximum of ties='davidson', as no "
        "cycle of wins and ties holds more wins than ties; take ties='half'"
    )


def _listed(systems: list[str], selection: Booleans) -> str:
    """Return the names of some systems, for a message."""
    names = sorted(name for name, is_chosen in zip(systems, selection, strict=True) if is_chosen)
    text = ", ".join(map(shown, names[:_LISTED_NAMES]))
    return (
        text if len(names) <= _LISTED_NAMES else f"{text} and {len(names) - _LISTED_NAMES} others"
    )
