"""Rank-biased overlap of two rankings, which may have ties, other items and other lengths.

RBO is the mean agreement of both rankings over all depths that a reader reaches who continues from
each place with the probability p. Beyond the end of a ranking the agreement is unknown, so RBO has
a minimum and a maximum possible value, and an extrapolated one.

There are three conventions for ties: "a" is the mean over all orders of tied items; "b" is the same
divided by the agreement that ties make possible; with "w" tied items share a place, as in sports.

Source:
    Webber, Moffat and Zobel, A similarity measure for indefinite rankings (2010). Corsi and Urbano,
    The treatment of ties in rank-biased overlap (2024).
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Booleans, Floats, Integers
from ...statistics.arguments.checks import RowError, shown

TieConvention = Literal["a", "b", "w"]


class Overlap(NamedTuple):
    """The extrapolated, the minimum and the maximum possible value, and their difference."""

    rbo: float
    rbo_min: float
    rbo_max: float
    rbo_residual: float


class FlatRanking(NamedTuple):
    """The items of a ranking from its top, with the first and the last place of their group."""

    items: list[str]
    top: Integers  # places count from 0
    bottom: Integers

    @property
    def is_tied(self) -> bool:
        """Return whether any items are tied."""
        return bool((self.top < self.bottom).any())

    def seen(self, ties: TieConvention) -> Floats:
        """The proportion of each place's group that is seen at its depth, shape (places,)."""
        if ties == "w":
            return np.ones(self.top.size)
        depth = np.arange(1, self.top.size + 1)
        return (depth - self.top) / (self.bottom - self.top + 1)


def flat_ranking(name: str, row: int, ranking: Sequence[Sequence[str]]) -> FlatRanking:
    """Return a ranking with its groups of tied items spelled out.

    Raises:
        ValueError: it is empty, has an empty group, or an item twice.

    >>> flat_ranking("predictions", 0, [["a"], ["b", "c"]]).bottom.tolist()
    [0, 2, 2]
    """
    if not ranking:
        raise RowError(name, row, "is empty; the overlap of an empty ranking is undefined")
    if not all(ranking):
        raise RowError(name, row, "has an empty group of ties")
    sizes = np.array([len(group) for group in ranking])
    items = [item for group in ranking for item in group]
    if len(set(items)) < len(items):
        duplicate = next(item for number, item in enumerate(items) if item in items[:number])
        raise RowError(name, row, f"has {shown(duplicate)} twice")
    ends = np.cumsum(sizes)
    return FlatRanking(items, np.repeat(ends - sizes, sizes), np.repeat(ends - 1, sizes))


def rank_biased_overlap(
    first: FlatRanking, second: FlatRanking, p: float, ties: TieConvention
) -> Overlap:
    """RBO of two rankings.

    Args:
        first: a ranking.
        second: the other one.
        p: the probability of continuing to the next place, strictly between 0 and 1.
        ties: the convention for ties.

    >>> rankings = [flat_ranking("predictions", 0, ranking) for ranking in ("abc", "acb")]
    >>> round(rank_biased_overlap(*rankings, 0.9, "a").rbo, 6)
    0.955
    """
    shorter, longer = sorted((first, second), key=lambda ranking: len(ranking.items))
    if not shorter.is_tied and not longer.is_tied:
        ties = "w"  # without ties all conventions agree, and this one is the fastest
    short, long = len(shorter.items), len(longer.items)
    depth = np.arange(1, long + 1)
    overlaps = _common(shorter, longer, ties)
    unseen = _Unseen(shorter, longer, ties)

    in_shorter = _extent(shorter, ties)
    # Missing places of a ranking are treated as untied.
    in_shorter = np.append(in_shorter, depth[short:])
    in_longer = _extent(longer, ties)
    divisor = depth.astype(np.float64)
    if ties == "w":
        divisor = (in_shorter + in_longer) / 2
    elif ties == "b":
        divisor = np.sqrt(in_shorter) * np.sqrt(in_longer)

    last = overlaps[short - 1] / divisor[short - 1]
    extra = np.maximum(depth - short, 0)
    upper_overlaps = overlaps + unseen.first_items(extra)
    extrapolated = overlaps + extra * last * unseen.mean()
    powers = p ** depth.astype(np.float64)
    total = float(overlaps[-1])

    tail_min = total * (-math.log1p(-p) - float((powers / depth).sum()))
    last_needed = long + short - round(total)  # the depth at which all items have been seen
    depths_below = np.arange(long + 1, last_needed + 1)
    common = (2 * depths_below - long - short + total) / depths_below
    tail_max = float((common * p**depths_below).sum()) + p ** (last_needed + 1) / (1 - p)
    tail = (total + (long - short) * last) / long * p ** (long + 1) / (1 - p)

    def value(overlaps: Floats, of_tail: float) -> float:
        return (1 - p) / p * (float((overlaps / divisor * powers).sum()) + float(of_tail))

    minimum, maximum = value(overlaps, tail_min), value(upper_overlaps, tail_max)
    return Overlap(value(extrapolated, tail), minimum, maximum, maximum - minimum)


def _extent(ranking: FlatRanking, ties: TieConvention) -> Floats:
    """Return the items seen at each depth of a ranking.

    Their number, or the sum of squares of shares.
    """
    if ties == "w":
        return np.asarray(ranking.bottom + 1, np.float64)
    share = ranking.seen(ties)
    return np.asarray(ranking.top + (ranking.bottom - ranking.top + 1) * share**2, np.float64)


def _common(shorter: FlatRanking, longer: FlatRanking, ties: TieConvention) -> Floats:
    """Return the overlap at each depth of the longer ranking.

    The sum over items of products of shares.
    """
    positions = {item: position for position, item in enumerate(longer.items)}
    pairs = [(i, positions[item]) for i, item in enumerate(shorter.items) if item in positions]
    size = len(longer.items)
    complete = np.zeros(size + 1)
    partial = np.zeros(size)
    for i, j in pairs:
        start = max(int(shorter.top[i]), int(longer.top[j]))
        end = start if ties == "w" else max(int(shorter.bottom[i]), int(longer.bottom[j]))
        complete[end] += 1
        if start < end:
            depth = np.arange(start, end)
            partial[start:end] += _share(shorter, i, depth) * _share(longer, j, depth)
    return np.asarray(np.cumsum(complete[:size]) + partial, np.float64)


def _share(ranking: FlatRanking, position: int, depth: Integers) -> Floats:
    """Return the proportion of an item that is seen at these depths, which count from 0."""
    top, bottom = int(ranking.top[position]), int(ranking.bottom[position])
    return np.minimum((depth - top + 1) / (bottom - top + 1), 1.0)


class _Unseen:
    """The items of the longer ranking that the shorter one does not have, at each depth."""

    def __init__(self, shorter: FlatRanking, longer: FlatRanking, ties: TieConvention) -> None:
        shorter_items = set(shorter.items)
        is_unshared: Booleans = np.array([item not in shorter_items for item in longer.items])
        size = is_unshared.size
        upto = np.append(0, np.cumsum(is_unshared))
        positions = np.arange(size)
        if ties == "w":
            self.complete = self.begun = upto[longer.bottom + 1]
        else:
            ends = np.where(longer.bottom == positions, positions + 1, longer.top)
            self.complete, self.begun = upto[ends], upto[longer.bottom + 1]
        self.share = longer.seen(ties)

    def first_items(self, number: Integers) -> Floats:
        """Return the amount seen at each depth of the first `number` of these items."""
        complete = np.minimum(number, self.complete)
        begun = np.minimum(number, self.begun)
        return np.asarray(complete + self.share * np.maximum(begun - complete, 0), np.float64)

    def mean(self) -> Floats:
        """Return the mean proportion seen of the items that have begun; 0 if none has."""
        amounts = self.first_items(self.begun)
        mean = np.zeros(amounts.size)
        np.divide(amounts, self.begun, out=mean, where=self.begun > 0)
        return mean
