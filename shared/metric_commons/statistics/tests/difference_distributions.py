"""Distributions of the difference of two systems: intervals, and p-values of limits.

A distribution says how likely a difference of at most, or of at least, some limit is. All that a
comparison reports follows: the ends of the interval, the p-value of no difference, and margins.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from ..arguments.arrays import Floats
from ..intervals.intervals import critical_value
from ..intervals.weighted_units import ScoreDistribution
from ..resampling.bootstrap import deviation, percentile_ends
from ..resampling.ratio_distribution import RatioDistribution
from ..resampling.unseen_units import lower_tail, ratio_ends
from .paired_tests import Alternative, t_p_value


@dataclass(frozen=True)
class RatioDifference(ScoreDistribution):
    """A difference that is a ratio of sums of units, weighted at random with an unseen one.

    The mean difference of rows is one, and so is the difference of two ratios of the same sizes.
    """

    units: RatioDistribution
    bounds: tuple[float, float]  # the smallest and the largest difference of an unseen unit
    standard_error: float = math.nan
    scale: float = 1.0

    def ends(self, confidence_level: float) -> tuple[float, float]:
        """Return the ends of the interval of the difference."""
        low, high = ratio_ends(self.units, self.bounds, confidence_level)
        return low * self.scale, high * self.scale

    def tail(self, limit: float, *, upper: bool = False) -> float:
        """Return the p-value of a difference of at most this, or of at least this."""
        ratio = limit / self.scale
        if upper:
            return lower_tail(self._mirrored(), -ratio, -self.bounds[1])
        return lower_tail(self.units, ratio, self.bounds[0])

    def _mirrored(self) -> RatioDistribution:
        """Return the distribution of B - A."""
        units = self.units.units
        return self.units._replace(units=units._replace(numerators=-units.numerators))


@dataclass(frozen=True)
class StudentDifference(ScoreDistribution):
    """Student's distribution of a difference with an estimated error."""

    difference: float
    error: float  # of the mean, by the degrees; `standard_error` is the one to report
    degrees: float
    standard_error: float = math.nan

    def ends(self, confidence_level: float) -> tuple[float, float]:
        """Return the ends of Student's interval; NaN without an error."""
        reach = critical_value(confidence_level, self.degrees) * (self.error or math.nan)
        return self.difference - reach, self.difference + reach

    def tail(self, limit: float, *, upper: bool = False) -> float:
        """Return the p-value of a difference of at most this, or of at least this."""
        if not self.degrees > 0 or not self.error > 0:
            return math.nan
        t = (self.difference - limit) / self.error
        return t_p_value(t, self.degrees, "less" if upper else "greater")


@dataclass(frozen=True)
class ResampledDifference(ScoreDistribution):
    """The percentile interval of resampled differences, and Student's t with their error."""

    values: Floats  # of resamples
    difference: float  # the observed one
    number: int  # of rows or clusters

    @property
    def standard_error(self) -> float:  # type: ignore[override]
        """Return the standard deviation of the resamples."""
        return deviation(self.values[~np.isnan(self.values)])

    def ends(self, confidence_level: float) -> tuple[float, float]:
        """Return the ends of the percentile interval."""
        low, high = percentile_ends(self.values, confidence_level).tolist()
        return low, high

    def tail(self, limit: float, *, upper: bool = False) -> float:
        """Return the p-value of a difference of at most this, or of at least this."""
        student = StudentDifference(self.difference, self.standard_error, self.number - 1)
        return student.tail(limit, upper=upper)


class Margins(NamedTuple):
    """P-values of all hypotheses about a margin."""

    not_inferior: float  # of a difference of at most -margin
    inferior: float  # of one of at least -margin
    equivalent: float  # of one outside of -margin to margin

    @classmethod
    def of(cls, distribution: ScoreDistribution, margin: float) -> Self:
        """Return the p-values of a margin, each the level at which the interval reaches it."""
        not_worse = distribution.tail(-margin)
        equivalent = max(not_worse, distribution.tail(margin, upper=True))
        return cls(not_worse, distribution.tail(-margin, upper=True), equivalent)


def p_of_no_difference(distribution: ScoreDistribution, alternative: Alternative) -> float:
    """Return the level at which the interval reaches 0; never 0 itself."""
    greater, less = distribution.tail(0.0), distribution.tail(0.0, upper=True)
    sides = {"two-sided": min(1.0, 2 * min(greater, less)), "greater": greater, "less": less}
    return max(sides[alternative], math.ulp(0.0))
