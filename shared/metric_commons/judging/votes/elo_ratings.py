"""Elo ratings, which depend on the order of votes by definition.

Source:
    Elo, The rating of chessplayers, past and present (1978).
"""

import math

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.resampling.draws import RandomWords
from .vote_counts import VoteRows


def elo_strengths(rows: VoteRows, k_factor: float, orderings: int = 1, seed: int = 0) -> Floats:
    """Log strengths after all votes, beginning with 0; shape (systems,).

    A vote moves its two systems by `k_factor` times the difference between the points of the first
    one and the expected points.

    Args:
        rows: the votes in their order.
        k_factor: the K-factor, in units of log strengths.
        orderings: 1 for the given order; a larger number for the mean over this many random orders,
            which does not depend on the given one.
        seed: for the random orders.

    >>> from .vote_counts import read_rows
    >>> elo_strengths(read_rows(["a"], ["b"], ["model_a"]), 0.5).tolist()
    [0.25, -0.25]
    """
    if orderings == 1:
        return _after(rows, np.arange(rows.first.size), k_factor)
    words = RandomWords(seed)
    by_content = np.lexsort((rows.verdicts, rows.second, rows.first))
    finals = []
    for _ in range(orderings):
        order = by_content[np.argsort(words.random_raw(by_content.size), kind="stable")]
        finals.append(_after(rows, order, k_factor))
    return np.array([math.fsum(column) / orderings for column in np.transpose(finals).tolist()])


def _after(rows: VoteRows, order: Integers, k_factor: float) -> Floats:
    """Return the log strengths after the votes in this order."""
    # Each vote depends on the previous one. Python's floats are faster than arrays of one number.
    strengths = [0.0] * len(rows.systems)
    exp = math.exp
    columns = (rows.first, rows.second, rows.shares[rows.verdicts])
    for first, second, share in zip(*(column[order].tolist() for column in columns), strict=True):
        change = k_factor * (share - 1 / (1 + exp(strengths[second] - strengths[first])))
        strengths[first] += change
        strengths[second] -= change
    return np.array(strengths)
