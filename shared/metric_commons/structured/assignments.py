"""Pairs of predicted and expected items: as many, or as good ones, as possible.

A greedy pairing may use up the only partner of a later item; these are maximum matchings, longest
common subsequences and best assignments.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..statistics.arguments.arrays import Floats


def equal_pairs(keys: Sequence[Hashable], targets: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the positions of equal items, each paired once, in order.

    >>> equal_pairs("aab", "ba")
    [(0, 1), (2, 0)]
    """
    positions: defaultdict[Hashable, list[int]] = defaultdict(list)
    for column in reversed(range(len(targets))):
        positions[targets[column]].append(column)
    pairs = []
    for row, key in enumerate(keys):
        columns = positions.get(key)
        if columns:
            pairs.append((row, columns.pop()))
    return pairs


def most_pairs(fits: Sequence[Sequence[int]]) -> int:
    """Return the number of pairs of a maximum matching.

    Args:
        fits: for each item of one side the positions on the other side that it fits.

    >>> most_pairs([[0, 1], [0]])
    2
    """
    if len(fits) < 2:  # the usual row
        return sum(map(bool, fits))
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    columns = list(chain.from_iterable(fits))
    ends = np.cumsum([0, *map(len, fits)])
    shape = len(fits), max(columns, default=0) + 1
    graph = csr_array((np.ones(len(columns)), columns, ends), shape)
    return int((maximum_bipartite_matching(graph, "column") >= 0).sum())


def common_subsequence(fits: Sequence[Sequence[int]], length: int) -> int:
    """Return the length of the longest common subsequence of two sequences.

    All columns of the usual table are bits of one integer, so that a row takes a few operations
    (Hyyrö, Bit-parallel LCS-length computation revisited, 2004).

    Args:
        fits: for each item of the first sequence the positions in the second that it fits.
        length: the length of the second sequence.

    >>> common_subsequence([[1], [0], [2]], 3)
    2
    """
    full = (1 << length) - 1
    columns = full
    masks: dict[int, int] = {}  # items with the same list of positions share a mask
    for positions in fits:
        mask = masks.get(id(positions), 0)
        if not mask:
            for position in positions:
                mask |= 1 << position
            masks[id(positions)] = mask
        hits = columns & mask
        columns = ((columns + hits) | (columns - hits)) & full
    return length - columns.bit_count()


def best_total(weights: Sequence[Floats | Sequence[float]]) -> float:
    """Return the largest sum of weights at least 0 of pairs, each row and column once.

    >>> best_total([[0.5, 1.0], [0.0, 0.75]])
    1.25
    """
    if len(weights) == 1 or len(weights[0]) == 1:
        return float(max(map(max, weights)))
    table = np.array(weights)
    return float(table[best_assignment(-table)].sum())


def best_ordered_total(rows: Iterable[Floats], length: int) -> float:
    """Return the largest sum of weights of pairs that cross no other pair.

    Args:
        rows: for each item of the first sequence its weight with each item of the second.
        length: the length of the second sequence.

    >>> best_ordered_total(np.array([[0.5, 1.0], [1.0, 0.0]]), 2)
    1.0
    """
    best: Floats = np.zeros(length + 1)
    for row in rows:
        best[1:] = np.maximum.accumulate(np.maximum(best[:-1] + row, best[1:]))
    return float(best[-1])


def best_assignment(costs: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows and columns of the pairs whose costs have the smallest sum."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(costs)
    return rows, columns
