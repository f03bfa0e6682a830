"""Laws of the difference of two systems on the same rows: each gives p-value and interval.

A p-value is a tail of the law at 0, and the interval ends where the tail reaches half of alpha. So
p is less than alpha exactly if the interval at the level 1 - alpha excludes 0. A margin is tested
by the tails there.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from ..arguments.arrays import Floats
from ..resampling.ratio_distribution import RatioUnits, probability_below, ratio_quantile

Ends = tuple[float, float]
Alternative = Literal["two-sided", "greater", "less"]


class Law:
    """What a difference may be."""

    @cached_property
    def mirrored(self) -> "Law":
        """Return the law of the difference with the other sign."""
        raise NotImplementedError

    def tail(self, limit: float = 0.0) -> float:
        """Return the one-sided p-value of a difference of at most this."""
        raise NotImplementedError

    def least(self, level: float) -> float:
        """Return the difference at which the tail is this level."""
        raise NotImplementedError

    @cached_property
    def at_zero(self) -> float:
        """Return the one-sided p-value of no difference."""
        return self.tail()

    def end(self, level: float) -> float:
        """Return the lower end, on the side of 0 that the p-value says, whatever is rounded."""
        end = self.least(level)
        return max(end, math.ulp(0.0)) if self.at_zero < level else min(end, 0.0)

    def p_value(self, alternative: Alternative = "two-sided") -> float:
        """Return the p-value of no difference; 0 only for Student's t of equal differences."""
        p = (self.mirrored if alternative == "less" else self).at_zero
        if alternative == "two-sided":
            p = 2 * (p if p < 0.5 else min(p, self.mirrored.at_zero))
        p = 1.0 if p > 1 else p
        return p if isinstance(self, Student) else max(p, math.ulp(0.0))

    def interval(
        self,
        alpha: float,
        alternative: Alternative = "two-sided",
        bounds: Ends = (-math.inf, math.inf),
    ) -> Ends:
        """Return the ends that agree with the p-value, within the bounds of a difference.

        With an alternative only one end is of the law, and the other that of the range.
        """
        level = alpha / 2 if alternative == "two-sided" else min(alpha, 0.5 - 1e-12)
        low, high = bounds
        if alternative != "less":
            low = max(self.end(level), low)
        if alternative != "greater":
            high = min(0.0 - self.mirrored.end(level), high)
        return low, high


@dataclass(frozen=True)
class UnseenRow(Law):
    """Rows, or clusters, weighted at random together with an unseen one that A loses, or wins.

    It assumes nothing but the bounds of a difference. For scores of 0 and 1 its p-value is that of
    McNemar's exact test.

    Source:
        Gaffke, Three test statistics for a nonparametric one-sided hypothesis on the mean of a
        nonnegative variable (2005).

    >>> law = UnseenRow(np.array([1.0, 1.0, 0.0, 0.0, 0.0, -1.0]), np.ones(6), (-1.0, 1.0))
    >>> print("{:.3f} to {:.3f}".format(*law.interval(0.05)))
    -0.524 to 0.734
    """

    numbers: Floats  # the difference of each row, or the sum of each cluster
    sizes: Floats
    bounds: Ends  # of the difference of an unseen row

    @cached_property
    def mirrored(self) -> Law:
        """Return the law of the difference with the other sign."""
        return type(self)(0.0 - self.numbers, self.sizes, (-self.bounds[1], -self.bounds[0]))

    @cached_property
    def _units(self) -> RatioUnits:
        units = RatioUnits.of(self.numbers, self.sizes)
        return units.with_unseen(self.bounds[0] * units.unseen_size, units.unseen_size)

    def tail(self, limit: float = 0.0) -> float:
        """Return the one-sided p-value of a difference of at most this."""
        return probability_below(limit, self._units)

    def least(self, level: float) -> float:
        """Return the difference at which the tail is this level."""
        return ratio_quantile(self._units, level)


class Outcomes(UnseenRow):
    """The same of single rows of 0 and 1, whose p-value is a binomial tail."""

    def tail(self, limit: float = 0.0) -> float:
        """Return the one-sided p-value of a difference of at most this."""
        if limit:
            return super().tail(limit)
        return mcnemar_tail(int((self.numbers > 0).sum()), int((self.numbers < 0).sum()))


def mcnemar_tail(wins: int, losses: int) -> float:
    """Return the probability of at least so many wins, if a win and a loss are equally likely.

    >>> mcnemar_tail(3, 0)
    0.125
    """
    from scipy.special import betainc

    return float(betainc(wins, losses + 1, 0.5)) if wins else 1.0


@dataclass(frozen=True)
class Student(Law):
    """Student's distribution of a difference; without an error it says nothing."""

    difference: float
    error: float
    degrees: float

    @property
    def t(self) -> float:
        """Return the statistic; infinite if all differences are equal."""
        if self.error:
            return self.difference / self.error
        return math.copysign(math.inf, self.difference) if self.difference else 0.0

    @cached_property
    def mirrored(self) -> Law:
        """Return the law of the difference with the other sign."""
        return Student(-self.difference, self.error, self.degrees)

    def tail(self, limit: float = 0.0) -> float:
        """Return the one-sided p-value of a difference of at most this."""
        from scipy.special import stdtr

        if self.error:
            return float(stdtr(self.degrees, (limit - self.difference) / self.error))
        return math.nan if limit else float(self.difference <= 0)

    def least(self, level: float) -> float:
        """Return the difference at which the tail is this level."""
        from scipy.special import stdtrit

        if math.isnan(self.error):
            return -math.inf
        return self.difference + float(stdtrit(self.degrees, level)) * self.error


@dataclass(frozen=True)
class Drawn(Law):
    """Differences of draws: with the unseen unit lost by A, and with the one that A wins."""

    lower: Floats
    upper: Floats

    @cached_property
    def mirrored(self) -> Law:
        """Return the law of the difference with the other sign."""
        return Drawn(0.0 - self.upper, 0.0 - self.lower)

    def tail(self, limit: float = 0.0) -> float:
        """Return the proportion of draws of at most this."""
        return (int(np.count_nonzero(self.lower <= limit)) + 1) / (self.lower.size + 1)

    def least(self, level: float) -> float:
        """Return the order statistic of the draws that `tail` counts."""
        rank = math.ceil(level * (self.lower.size + 1) * (1 - 1e-12)) - 1
        return float(np.partition(self.lower, rank - 1)[rank - 1]) if rank > 0 else -math.inf


@dataclass(frozen=True)
class Either(Law):
    """Several laws of which any may hold: the largest p-value, and an interval that covers all."""

    laws: Sequence[Law]

    @cached_property
    def mirrored(self) -> Law:
        """Return the law of the difference with the other sign."""
        return Either([law.mirrored for law in self.laws])

    def tail(self, limit: float = 0.0) -> float:
        """Return the one-sided p-value of a difference of at most this."""
        return max(law.tail(limit) for law in self.laws)

    def least(self, level: float) -> float:
        """Return the difference at which the tail is this level."""
        return min(law.end(level) for law in self.laws)
