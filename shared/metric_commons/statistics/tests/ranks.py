"""Ranks of systems, from adjusted p-values of all pairs.

`means` holds the score of each system, where more is better (negate errors). `p_adjusted` is the
square, symmetric table of p-values of all pairs, adjusted together; its diagonal does not matter.
A pair whose p-value is NaN does not differ.
"""

from collections.abc import Sequence
from string import ascii_letters

import numpy as np
from numpy.typing import ArrayLike

from ..arguments.arrays import Booleans, Floats
from ..arguments.domains import Level, check_option


def rank_intervals(means: ArrayLike, p_adjusted: ArrayLike, alpha: float = 0.05) -> list[list[int]]:
    """Return the best and the worst rank that each system may have.

    The best rank is 1 plus the number of significantly better systems, the worst the number of
    systems less the number of significantly worse ones. If p-values are adjusted for all pairs, the
    intervals are simultaneous at the level 1 - alpha.

    Source:
        Mogstad, Romano, Shaikh and Wilhelm, Inference for ranks (2024).

    >>> rank_intervals([0.9, 0.8, 0.3], [[1, 0.2, 0.01], [0.2, 1, 0.03], [0.01, 0.03, 1]])
    [[1, 2], [1, 2], [3, 3]]
    """
    scores, differ = _checked(means, p_adjusted, alpha)
    better = (differ & (scores > scores[:, None])).sum(axis=1)
    worse = (differ & (scores < scores[:, None])).sum(axis=1)
    return [
        [1 + winners, scores.size - losers]
        for winners, losers in zip(better.tolist(), worse.tolist(), strict=True)
    ]


def tiers(means: ArrayLike, p_adjusted: ArrayLike, alpha: float = 0.05) -> list[int]:
    """Return the tier of each system: 1 is the best and all not significantly different from it.

    The best of the remaining systems and its equals are tier 2, and so on.

    >>> tiers([0.9, 0.8, 0.3], [[1, 0.2, 0.01], [0.2, 1, 0.03], [0.01, 0.03, 1]])
    [1, 1, 2]
    """
    scores, differ = _checked(means, p_adjusted, alpha)
    result = [0] * scores.size
    remaining = _descending(scores)
    tier = 0
    while remaining:
        tier += 1
        best = remaining[0]
        for system in remaining:
            if not differ[best, system]:
                result[system] = tier
        remaining = [system for system in remaining if not result[system]]
    return result


def letters(means: ArrayLike, p_adjusted: ArrayLike, alpha: float = 0.05) -> list[str]:
    """Return the letters of each system.

    Two share one if and only if they do not differ significantly.

    The compact letter display, "a" with the best. After a-z and A-Z, letters are preceded by a full
    stop, as in R's multcompView.

    Source:
        Piepho, An algorithm for a letter-based representation of all-pairwise comparisons (2004):
        insert and absorb.

    >>> letters([0.9, 0.8, 0.7], [[1, 0.2, 0.01], [0.2, 1, 0.3], [0.01, 0.3, 1]])
    ['a', 'ab', 'b']
    """
    scores, differ = _checked(means, p_adjusted, alpha)
    order = _descending(scores)
    columns = [frozenset(order)] if order else []
    for position, first in enumerate(order):
        for second in order[position + 1 :]:
            if differ[first, second]:
                columns = _absorbed(columns, first, second)
    rank = {system: position for position, system in enumerate(order)}
    columns.sort(key=lambda column: sorted(rank[system] for system in column))
    symbols = [
        "." * (number // len(ascii_letters)) + ascii_letters[number % len(ascii_letters)]
        for number in range(len(columns))
    ]
    return [
        "".join(symbol for symbol, column in zip(symbols, columns, strict=True) if system in column)
        for system in range(scores.size)
    ]


def _absorbed(columns: Sequence[frozenset[int]], first: int, second: int) -> list[frozenset[int]]:
    """Return columns that never contain both systems, none of them part of another one.

    A column with both becomes two, one without each. Only these can be part of others.
    """
    separate = [column for column in columns if not {first, second} <= column]
    halves = [
        column - {system}
        for column in columns
        if {first, second} <= column
        for system in (first, second)
    ]
    distinct = [*dict.fromkeys(halves)]
    return separate + [
        half
        for half in distinct
        if not any(half <= other for other in separate)
        and not any(half < other for other in distinct)
    ]


def _descending(scores: Floats) -> list[int]:
    """Return the indices of systems, best first; equal ones keep their order."""
    return [int(system) for system in np.argsort(-scores, kind="stable")]


def _checked(means: ArrayLike, p_adjusted: ArrayLike, alpha: float) -> tuple[Floats, Booleans]:
    """Return scores, and which pairs differ significantly."""
    check_option("alpha", alpha, Level)
    scores, table = np.asarray(means, np.float64), np.asarray(p_adjusted, np.float64)
    if scores.ndim != 1 or table.size != scores.size**2 or table.ndim != 2:
        raise ValueError(
            f"p_adjusted must have a row and a column for each of the means, got shape "
            f"{table.shape} for {scores.size} means"
        )
    differ: Booleans = (table < alpha) & ~np.eye(scores.size, dtype=bool)
    return scores, differ
