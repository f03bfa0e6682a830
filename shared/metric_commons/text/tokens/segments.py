"""Segments of arrays: runs of consecutive elements, described by their lengths.

The words of three texts with 2, 0 and 3 words, one text after another, form segments with the
counts [2, 0, 3]. After sorting, equal values form segments too.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Booleans, Integers


def segment_starts(counts: Integers) -> Integers:
    """Return the index of each segment's first element, or where it would be.

    >>> segment_starts(np.array([2, 0, 3])).tolist()
    [0, 2, 2]
    """
    return counts.cumsum() - counts


def segment_numbers(counts: Integers) -> Integers:
    """Return the segment number of each element.

    >>> segment_numbers(np.array([2, 0, 3])).tolist()
    [0, 0, 2, 2, 2]
    """
    return np.repeat(np.arange(counts.size), counts)


def offsets(counts: Integers) -> Integers:
    """Return the position of each element within its segment.

    >>> offsets(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(int(counts.sum())) - np.repeat(segment_starts(counts), counts)


def ranges(starts: Integers, counts: Integers) -> Integers:
    """Return the indices from each start onwards, as many as its count, one range after another.

    >>> ranges(np.array([10, 3]), np.array([2, 3])).tolist()
    [10, 11, 3, 4, 5]
    """
    return np.repeat(starts, counts) + offsets(counts)


def changes(*columns: NDArray[Any]) -> Booleans:
    """Return where a row of these columns differs from the previous one; true for the first row.

    >>> changes(np.array([7, 7, 8]), np.array([0, 1, 1])).tolist()
    [True, True, True]
    """
    new = np.zeros(columns[0].size, dtype=bool)
    new[:1] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return new


def stable_order(values: NDArray[np.unsignedinteger]) -> Integers:
    """Return the stable order of integers below 2**32.

    numpy sorts 16-bit integers by radix, five times as fast as longer ones. So the lower halves are
    sorted first, then the upper halves, keeping equal ones in order.

    >>> stable_order(np.array([70_000, 1, 70_000, 0], dtype=np.uint32)).tolist()
    [3, 1, 0, 2]
    """
    order = np.argsort(values.astype(np.uint16), kind="stable")
    if int(values.max(initial=0)) < 1 << 16:
        return order
    upper = (values >> 16).astype(np.uint16)
    return order.take(np.argsort(upper.take(order), kind="stable"))


def bounded_ranges(costs: Integers, limit: int) -> list[tuple[int, int]]:
    """Split into consecutive ranges that each cost at most the limit, or have a single element.

    >>> bounded_ranges(np.array([2, 2, 9, 1]), limit=4)
    [(0, 2), (2, 3), (3, 4)]
    """
    totals = np.cumsum(costs)
    bounds, start = [], 0
    while start < costs.size:
        total = int(totals[start] - costs[start])
        stop = max(int(np.searchsorted(totals, total + limit, side="right")), start + 1)
        bounds.append((start, stop))
        start = stop
    return bounds
