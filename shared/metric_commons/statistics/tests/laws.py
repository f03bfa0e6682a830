"""Laws of the difference of two systems on the same rows: each gives p-value and interval.

A p-value is a tail of the law at 0, and the interval ends where the tail reaches half of alpha. So
p is less than alpha exactly if the interval at the level 1 - alpha excludes 0. A margin is tested
by the tails there.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from ..arguments.arrays import Floats, Integers
from ..resampling.ratio_distribution import (
    lower_tail,
    ratio_distribution,
    ratio_ends,
)

Ends = tuple[float, float]
Alternative = Literal["two-sided", "greater", "less"]
_EXACT_RANKS = 50  # differences up to which scipy counts all signed ranks, if none are tied
_EXACT_TIES = 13  # and up to which it does if some are


class Law(Protocol):
    """What a difference may be."""

    def tail(self, limit: float = 0.0, *, upper: bool = False) -> float:
        """Return the one-sided p-value of a difference of at most, or at least, this."""
        ...

    def ends(self, alpha: float) -> Ends:
        """Return the interval at the level 1 - alpha."""
        ...


def p_of(law: Law, alternative: Alternative) -> float:
    """Return the p-value of no difference; 0 only for Student's t of equal differences."""
    if alternative == "two-sided":
        p = 2 * law.tail()
        if not p < 1:  # or else the other tail is larger
            p = min(p, 2 * law.tail(upper=True))
    else:
        p = law.tail(upper=alternative == "less")
    p = 1.0 if p > 1 else p
    return p if isinstance(law, Student) else max(p, math.ulp(0.0))


def interval_of(law: Law, alternative: Alternative, alpha: float, bounds: Ends) -> Ends:
    """Return the ends that agree with the p-value, within the bounds of a difference.

    With an alternative only one end is of the law, and the other that of the range.
    """
    level = alpha if alternative == "two-sided" else min(2 * alpha, 1 - 1e-12)
    low, high = law.ends(level)
    low = max(low, bounds[0]) if alternative != "less" else bounds[0]
    high = min(high, bounds[1]) if alternative != "greater" else bounds[1]
    return low, high


def _on_the_side_of(law: Law, alpha: float, low: float, high: float) -> Ends:
    """Return ends on the side of 0 that the p-value says, whatever is rounded."""
    small = math.ulp(0.0)
    low = max(low, small) if law.tail() < alpha / 2 else min(low, 0.0)
    high = min(high, -small) if law.tail(upper=True) < alpha / 2 else max(high, 0.0)
    return low, high


@dataclass(frozen=True)
class UnseenRow:
    """Rows, or clusters, weighted at random together with an unseen one that A loses, or wins.

    It assumes nothing but the bounds of a difference. For scores of 0 and 1 its p-value is that of
    McNemar's exact test.

    Source:
        Gaffke, Three test statistics for a nonparametric one-sided hypothesis on the mean of a
        nonnegative variable (2005).

    >>> law = UnseenRow(np.array([1.0, 1.0, 0.0, 0.0, 0.0, -1.0]), np.ones(6), (-1.0, 1.0))
    >>> print("{:.3f} to {:.3f}".format(*law.ends(0.05)))
    -0.524 to 0.734
    """

    numbers: Floats  # the difference of each row, or the sum of each cluster
    sizes: Floats
    bounds: Ends  # of the difference of an unseen row

    def tail(self, limit: float = 0.0, *, upper: bool = False) -> float:
        """Return the one-sided p-value of a difference of at most, or at least, this."""
        if not upper:
            return lower_tail(ratio_distribution(self.numbers, self.sizes), limit, self.bounds[0])
        mirrored = ratio_distribution(-self.numbers, self.sizes)
        return lower_tail(mirrored, -limit, -self.bounds[1])

    def ends(self, alpha: float) -> Ends:
        """Return the interval at the level 1 - alpha."""
        units = ratio_distribution(self.numbers, self.sizes)
        return _on_the_side_of(self, alpha, *ratio_ends(units, self.bounds, 1 - alpha))


class Outcomes(UnseenRow):
    """The same of single rows of 0 and 1, whose p-value is a binomial tail."""

    def tail(self, limit: float = 0.0, *, upper: bool = False) -> float:
        """Return the one-sided p-value of a difference of at most, or at least, this."""
        if limit:
            return super().tail(limit, upper=upper)
        wins, losses = ((self.numbers * sign > 0).sum() for sign in (1, -1))
        return mcnemar_tail(*((losses, wins) if upper else (wins, losses)))


def mcnemar_tail(wins: int, losses: int) -> float:
    """Return the probability of at least so many wins, if a win and a loss are equally likely.

    >>> mcnemar_tail(3, 0)
    0.125
    """
    from scipy.special import betainc

    return float(betainc(wins, losses + 1, 0.5)) if wins else 1.0


@dataclass(frozen=True)
class Student:
    """Student's distribution of a difference; without an error it says nothing."""

    difference: float
    error: float
    degrees: float

    def tail(self, limit: float = 0.0, *, upper: bool = False) -> float:
        """Return the one-sided p-value of a difference of at most, or at least, this."""
        from scipy.special import stdtr

        distance = limit - self.difference if upper else self.difference - limit
        if self.error:
            return float(stdtr(self.degrees, -distance / self.error))
        return math.nan if limit else float(distance <= 0)

    def ends(self, alpha: float) -> Ends:
        """Return the interval at the level 1 - alpha."""
        from scipy.special import stdtrit

        if math.isnan(self.error):
            return -math.inf, math.inf
        reach = -float(stdtrit(self.degrees, alpha / 2)) * self.error
        low, high = self.difference - reach, self.difference + reach
        return _on_the_side_of(self, alpha, low, high)


@dataclass(frozen=True)
class SignedRanks:
    """Wilcoxon's signed-rank test, as scipy has it, and the shifts that it does not reject.

    The interval is of the pseudomedian, the median of the means of two rows: its ends are two of
    these means (Walsh averages), the smallest that more than so many are at most.

    >>> SignedRanks(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])).ends(0.05)
    (0.1, 0.6)
    """

    differences: Floats

    def tail(self, limit: float = 0.0, *, upper: bool = False) -> float:
        """Return the one-sided p-value of a difference of at most, or at least, this."""
        from scipy.stats import rankdata, wilcoxon

        from .sign_flips import sign_flip_tail

        values = np.sort(limit - self.differences if upper else self.differences - limit)
        if not values.any() or values.size <= _EXACT_TIES:  # where scipy takes seconds
            ranks = rankdata(np.abs(values[values != 0]))
            return sign_flip_tail(np.copysign(ranks, values[values != 0])).probability
        return float(wilcoxon(values, alternative="greater").pvalue)

    def ends(self, alpha: float) -> Ends:
        """Return the interval at the level 1 - alpha."""
        rank = self._rejected(alpha / 2)
        if not rank:
            return -math.inf, math.inf
        values = np.sort(self.differences)
        low, high = _walsh_average(values, rank), 0.0 - _walsh_average(-values[::-1], rank)
        return _on_the_side_of(self, alpha, low, high)

    def statistic(self, alternative: Alternative) -> float:
        """Return the lesser of both rank sums, or the positive one for a side."""
        from scipy.stats import rankdata

        values = self.differences[self.differences != 0]
        ranks = rankdata(np.abs(values))
        sums = float(ranks[values > 0].sum()), float(ranks[values < 0].sum())
        return min(sums) if alternative == "two-sided" else sums[0]

    def _rejected(self, level: float) -> int:
        """Return how many sums of positive ranks, from 0 up, are together less likely."""
        from scipy.special import ndtri

        rows = self.differences.size
        if rows > _EXACT_RANKS:
            deviation = math.sqrt(rows * (rows + 1) * (2 * rows + 1) / 24)
            return max(math.ceil(rows * (rows + 1) / 4 + float(ndtri(level)) * deviation), 0)
        sums = np.ones(1)
        for rank in range(1, rows + 1):
            sums = (np.append(sums, np.zeros(rank)) + np.append(np.zeros(rank), sums)) / 2
        return int(np.searchsorted(np.cumsum(sums), level))


def _walsh_average(values: Floats, rank: int) -> float:
    """Return the mean of two ascending values, or of one, that has this rank, from 1, among all.

    Means up to a limit are counted, so there is no table of them.
    """
    rows = np.arange(values.size)

    def partners(double: float) -> Integers:
        """Return for each value how many from it on have a sum with it up to this."""
        numbers: Integers = values.searchsorted(double - values, side="right") - rows
        return np.maximum(numbers, 0)

    low, high = 2 * float(values[0]), 2 * float(values[-1])
    span = high - low
    while high - low > 1e-13 * span:
        middle = (low + high) / 2
        enough = int(partners(middle).sum()) >= rank
        low, high = (low, middle) if enough else (middle, high)
    numbers = partners(high)
    some = rows[numbers > 0]
    return float((values[some] + values[some + numbers[some] - 1]).max()) / 2


@dataclass(frozen=True)
class Drawn:
    """Differences of draws: with the unseen unit lost by A, and with the one that A wins."""

    lower: Floats
    upper: Floats

    def tail(self, limit: float = 0.0, *, upper: bool = False) -> float:
        """Return the proportion of draws of at most, or at least, this."""
        hits = self.upper >= limit if upper else self.lower <= limit
        return (int(np.count_nonzero(hits)) + 1) / (hits.size + 1)

    def ends(self, alpha: float) -> Ends:
        """Return order statistics of the draws that `tail` counts."""
        rank = math.ceil(alpha / 2 * (self.lower.size + 1) * (1 - 1e-12)) - 1
        if rank < 1:
            return -math.inf, math.inf
        low = float(np.partition(self.lower, rank - 1)[rank - 1])
        return low, -float(np.partition(-self.upper, rank - 1)[rank - 1])


@dataclass(frozen=True)
class Either:
    """Several laws of which any may hold: the largest p-value, and an interval that covers all."""

    laws: Sequence[Law]

    def tail(self, limit: float = 0.0, *, upper: bool = False) -> float:
        """Return the one-sided p-value of a difference of at most, or at least, this."""
        return max(law.tail(limit, upper=upper) for law in self.laws)

    def ends(self, alpha: float) -> Ends:
        """Return the interval at the level 1 - alpha."""
        lows, highs = zip(*(law.ends(alpha) for law in self.laws), strict=True)
        return min(lows), max(highs)
