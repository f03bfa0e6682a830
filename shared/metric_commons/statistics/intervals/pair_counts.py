"""The order of each system relative to all others by two scores, in n log n steps."""

from typing import NamedTuple

import numpy as np

from ..arguments.arrays import Floats, Integers

_TABLE_SIZE = 128  # systems, up to which a table of all pairs takes less time


class Neighbours(NamedTuple):
    """For each system, the systems above it by one score, and by both scores."""

    higher: Integers
    tied: Integers
    better_above: Integers
    better_tied: Integers


class PairedScores:
    """Two scores of the same systems, and counts of pairs.

    Args:
        estimated: shape (systems,).
        true: shape (systems,).

    >>> scores = PairedScores(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0]))
    >>> scores.agreement.tolist()  # from the lowest: pairs in the same minus in opposite order
    [0, 0, 2]
    """

    def __init__(self, estimated: Floats, true: Floats) -> None:
        # In this order, sums have the same bits for any order of rows.
        self.order = np.lexsort((true, estimated))
        self.estimated, self.true = estimated[self.order], true[self.order]
        self.size = self.order.size
        first, second = self._below(), self._below(swapped=True)
        # Earlier systems have a lower or an equal estimated score: count those with a lower true
        # score, less those with an equal estimated score.
        both_below = smaller_before(self.true) - first.tied_and_below
        self._below_of = first, second
        first_below = first.below - both_below - second.tied_and_below
        second_below = second.below - both_below - first.tied_and_below
        either_tied = first.tied + second.tied - first.equal
        self._both_above = self.size - either_tied - both_below - first_below - second_below
        self.agreement = both_below + self._both_above - first_below - second_below
        self.estimated_pairs = self.size - first.tied
        self.true_pairs = self.size - second.tied

    def neighbours(self, *, by_true: bool = False) -> Neighbours:
        """Return the systems above each system by the estimated, or the true, score."""
        counts = self._below_of[by_true]
        return Neighbours(
            self.size - counts.below - counts.tied,
            counts.tied - 1,
            self._both_above,
            counts.tied - counts.equal - counts.tied_and_below,
        )

    def _below(self, *, swapped: bool = False) -> "_Below":
        scores = (self.estimated, self.true)
        first, second = scores[::-1] if swapped else scores
        order = np.lexsort((second, first)) if swapped else np.arange(self.size)
        first, second = first[order], second[order]
        is_new = np.ones(self.size, bool)
        is_new[1:] = first[1:] != first[:-1]
        starts, sizes = _groups(is_new)
        is_new[1:] |= second[1:] != second[:-1]
        pair_starts, pair_sizes = _groups(is_new)
        counts = _Below(*(np.empty(self.size, np.int64) for _ in range(4)))
        columns = starts, sizes, pair_starts - starts, pair_sizes
        for target, values in zip(counts, columns, strict=True):
            target[order] = values
        return counts


class _Below(NamedTuple):
    """For each system, numbers of systems by the first score, and by both."""

    below: Integers  # with a lower first score
    tied: Integers  # with the same first score, itself included
    tied_and_below: Integers  # with the same first score, and a lower second one
    equal: Integers  # with the same scores, itself included


def _groups(is_new: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> tuple[Integers, Integers]:
    """Return the start and the size of the group of each position."""
    starts = np.flatnonzero(is_new)
    sizes = np.diff(starts, append=is_new.size)
    return np.repeat(starts, sizes), np.repeat(sizes, sizes)


def smaller_before(values: Floats) -> Integers:
    """Return the number of smaller values before each value.

    Positions, in the order of values, are split by their bits, from the highest to the lowest. Of
    two positions with the same higher bits, the one whose bit is 0 comes first; so each position
    with a 1 counts the smaller values among those with a 0 in its block.

    >>> smaller_before(np.array([2.0, 1.0, 2.0, 3.0])).tolist()
    [0, 0, 1, 3]
    """
    size = values.size
    if size <= _TABLE_SIZE:
        smaller: Integers = np.tril(values < values[:, np.newaxis]).sum(axis=1)
        return smaller
    counts = np.zeros(size, np.int64)
    indices = np.arange(size)
    # The last of equal values comes first, so that none counts another.
    positions = np.lexsort((-indices, values))
    for bit in reversed(range(size.bit_length())):
        is_right = (positions >> bit & 1).astype(bool)
        starts = positions >> bit + 1 << bit + 1  # of blocks, which cover all positions up to size
        lefts = np.cumsum(~is_right) - (starts >> 1)  # in the block, up to here
        counts[positions[is_right]] += lefts[is_right]
        lefts_of_block = np.minimum(1 << bit, size - starts)
        rights = indices - starts - lefts
        targets = starts + np.where(is_right, lefts_of_block + rights, lefts - 1)
        split = np.empty_like(positions)
        split[targets] = positions
        positions = split
    return counts
