"""The distribution of a ratio of sums whose units are weighted at random, computed without draws.

Units (rows, or clusters of rows) are weighted with independent exponential weights, as in the
Bayesian bootstrap, together with one more unit: the worst possible one for the lower end of an
interval, the best possible one for the upper end. The ends are quantiles of the ratio of the
weighted units. So no interval is a point: thirty units cannot exclude that another one fails. For
scores 0 and 1 this is the interval of Clopper and Pearson; for scores in a known range it is
Gaffke's bound, and no distribution is known for which that fails.

A unit has a numerator a and a size b; m equal units together have a Gamma(m) weight. The ratio
sum(w a) / sum(w b) is at most t exactly if sum(w (a - t b)) is at most 0, so its distribution is
the tail of a weighted sum of Gamma numbers. That tail is the inverse Laplace integral of
E exp(s sum) / s along the path s0 + i h sinh(u) through the saddle point s0. The integrand is
analytic around the whole path, so the trapezoid rule with the step 1/32 is exact to some 1e-10. It
is off by up to 1e-3 of the width of an interval if there are only more than 10,000 equal units and
a single other one.

For many different units the formula of Lugannani and Rice replaces the integral: at 10,000 it is
off by less than 1e-5 of the width of an interval. More than 65,536 units are joined within as many
steps of their range, to units of the same sums.

Sources:
    Lugannani and Rice, Saddle point approximation for the distribution of the sum of independent
    random variables (1980).
    Rubin, The Bayesian bootstrap (1981).
    Gaffke, Three test statistics for a nonparametric one-sided hypothesis on the mean of a
    nonnegative variable (2005).
    Learned-Miller and Thomas, A new confidence interval for the mean of a bounded random variable
    (2020).
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Floats
from ..arithmetic.exact_sums import group_sums, rounded_sum

_INTEGRATED = 10_000  # different units up to which the integral is computed
_STEPS = 1 << 16  # in which more units are joined
_STEP = 1 / 32  # of the trapezoid rule
_CELLS = 1 << 16  # of the matrix of points of the path and units, at a time
_ITERATIONS = 200
_TINY = 1e-300


class RatioUnits(NamedTuple):
    """Distinct units in ascending order: numerators, sizes and counts."""

    numerators: Floats
    sizes: Floats
    counts: Floats  # need not be whole

    @classmethod
    def of(
        cls, numerators: Floats, sizes: Floats, counts: NDArray[Any] | None = None
    ) -> "RatioUnits":
        """Return the distinct pairs of numerators and sizes, without pairs of two zeros.

        >>> units = RatioUnits.of(np.array([1.0, 0.0, 1.0]), np.array([2.0, 2.0, 2.0]))
        >>> [column.tolist() for column in units]
        [[0.0, 1.0], [2.0, 2.0], [1.0, 2.0]]
        """
        repeats = np.ones(sizes.size) if counts is None else counts.astype(np.float64)
        if sizes.size > _STEPS:
            return cls._joined(numerators, sizes, repeats)
        pairs = numerators + 0.0 + 1j * sizes
        kinds, positions = np.unique(pairs, return_inverse=True)
        masses = np.bincount(positions, repeats, kinds.size).astype(np.float64)
        units = cls(kinds.real, kinds.imag, masses)
        is_filled = kinds != 0
        return cls(*(column[is_filled] for column in units))

    @classmethod
    def _joined(cls, numerators: Floats, sizes: Floats, counts: Floats) -> "RatioUnits":
        """Return the means of units in steps of a - t b, where t is the ratio of all."""
        columns = counts * numerators, counts * sizes, counts
        residuals = numerators - rounded_sum(columns[0]) / (rounded_sum(columns[1]) or 1.0) * sizes
        low = float(residuals.min())
        span = float(residuals.max()) - low or 1.0
        steps = np.rint((residuals - low) / span * _STEPS).astype(np.int64)
        a, b, m = (group_sums(column, steps, _STEPS + 1) for column in columns)
        is_filled = (m > 0) & ((a != 0) | (b != 0))
        a, b, m = a[is_filled], b[is_filled], m[is_filled]
        return cls(a / m, b / m, m)

    def ratio(self) -> float:
        """Return the ratio of the sums."""
        return float((self.counts * self.numerators).sum() / (self.counts * self.sizes).sum())

    def with_unseen(self, numerator: float, size: float) -> "RatioUnits":
        """Return these units and one more, of weight one."""
        added = (numerator, size, 1.0)
        return RatioUnits(*(np.append(*pair) for pair in zip(self, added, strict=True)))

    @property
    def unseen_size(self) -> float:
        """Return the mean of sizes, each weighted by itself: that of the unit of an average row.

        With their plain mean, failures of long units would be covered too rarely.
        """
        total = float((self.counts * self.sizes).sum())
        return float((self.counts * self.sizes * self.sizes).sum()) / total if total else 0.0


def probability_above_zero(values: Floats, counts: Floats, *, rough: bool = False) -> float:
    """Return the probability that a weighted sum is above 0, for values whose own sum is at most 0.

    Args:
        values: the amount that each unit adds, shape (units,).
        counts: the number of units with each value.
        rough: whether to use the formula of Lugannani and Rice even for few units.

    >>> round(probability_above_zero(np.array([-1.0, 1.0]), np.array([3.0, 2.0])), 6)
    0.3125
    """
    is_moving = values != 0
    largest = float(np.abs(values).max(initial=_TINY))
    c, m = values[is_moving] / largest, counts[is_moving]
    if not c.size or c.max() <= 0:
        return 0.0
    if c.min() >= 0:
        return 1.0
    end = 1 / float(c.max())
    s = _saddle_point(c, m, end)
    r = c / (1 - s * c)
    width = 1 / math.sqrt(float((m * r * r).sum()))
    exponent = -float((m * np.log1p(-s * c)).sum())  # of the transform at the saddle point
    if rough or c.size > _INTEGRATED:
        root, scaled = math.sqrt(max(-2 * exponent, 0.0)), s / width
        if scaled > 0.1:  # nearer to the middle, both terms in brackets are infinite
            density = math.exp(-root * root / 2) / math.sqrt(2 * math.pi)
            tail = math.erfc(root / math.sqrt(2)) / 2
            return min(max(tail + density * (1 / scaled - 1 / root), 0.0), 1.0)
    shifted = max(s, min(1e-3 * width, end / 2))  # away from the pole at 0
    if shifted != s:
        s = shifted
        r = c / (1 - s * c)
        exponent = -float((m * np.log1p(-s * c)).sum())
    return min(max(_integral(r, m, s, min(s, end - s, 1e6 * width)) * math.exp(exponent), 0.0), 1.0)


def _saddle_point(c: Floats, m: Floats, end: float) -> float:
    """Return the minimum of the transform.

    The root of an increasing function, by Newton's method.
    """
    low, high = 0.0, end * (1 - 1e-15)
    s = min(0.5 * end, max(1e-12, -float(m @ c) / float(m @ (c * c))))
    for _ in range(_ITERATIONS):
        r = c / (1 - s * c)
        mr = m * r
        slope = float(np.add.reduce(mr))
        low, high = (s, high) if slope < 0 else (low, s)
        following = s - slope / float(np.add.reduce(mr * r))
        if abs(following - s) <= 1e-11 * s:  # before rounding moves it out of the bracket
            break
        if not low < following < high:
            following = (low + high) / 2
        s = following
    return s


def _integral(r: Floats, m: Floats, s: float, scale: float) -> float:
    """Return the integral along the path through s, over its value there.

    With r = c / (1 - s c), the factor of a unit at s + i y is (1 - i y r)**-m times that at s.
    """
    points = max(1, min(128, _CELLS // r.size))
    total, start = 0.0, 0
    while True:
        u = _STEP * np.arange(start, start + points)
        y = scale * np.sinh(u)
        turned = y[:, np.newaxis] * r
        size = np.exp(-(m * np.log1p(turned * turned)).sum(axis=1) / 2)
        angle = (m * np.arctan(turned)).sum(axis=1)
        weight = size * scale * np.cosh(u) / (s * s + y * y)
        values = weight * (s * np.cos(angle) + y * np.sin(angle))
        if not start:
            values[0] /= 2
        total += float(values.sum())
        # Further values are even smaller than the last one.
        if weight[-1] * math.hypot(s, y[-1]) < 1e-14 * max(abs(total), _TINY) or u[-1] > 60:
            return total * _STEP / math.pi
        start += points


def probability_below(ratio: float, units: RatioUnits, *, rough: bool = False) -> float:
    """Return the probability that the ratio of weighted units is at most this.

    >>> units = RatioUnits(np.array([0.0, 1.0]), np.ones(2), np.array([2.0, 3.0]))
    >>> round(probability_below(0.5, units), 6)
    0.3125
    """
    residuals = units.numerators - ratio * units.sizes
    if float((units.counts * residuals).sum()) <= 0:
        return 1 - probability_above_zero(residuals, units.counts, rough=rough)
    return probability_above_zero(-residuals, units.counts, rough=rough)


def ratio_quantile(units: RatioUnits, level: float) -> float:
    """Return the quantile of the ratio of weighted units, exact to some 1e-12.

    Args:
        units: at least one of a size above 0; sizes are at least 0.
        level: strictly between 0 and 1.

    >>> round(
    ...     ratio_quantile(RatioUnits(np.array([0.0, 1.0]), np.ones(2), np.array([2.0, 3.0])), 0.5),
    ...     6,
    ... )
    0.614272
    """
    # In units near the largest of them no square is infinite or 0.
    largest = float(np.abs(units.numerators).max()) or 1.0
    longest = float(units.sizes.max())
    units = RatioUnits(units.numerators / largest, units.sizes / longest, units.counts)
    scale = largest / longest
    is_sized = units.sizes > 0
    shares = units.numerators[is_sized] / units.sizes[is_sized]
    low, high = float(shares.min()), float(shares.max())
    if not is_sized.all():  # numerators without a size: the ratio has no end on their side
        reach = max(high - low, abs(high), float(np.abs(units.numerators).max()), _TINY)
        while probability_below(low, units) > level:
            low, reach = low - reach, 2 * reach
        while probability_below(high, units) < level:
            high, reach = high + reach, 2 * reach
    if low == high:
        return low * scale
    ratio = units.ratio()
    residuals = units.numerators - ratio * units.sizes
    size = float((units.counts * units.sizes).sum())
    error = math.sqrt(float((units.counts * residuals * residuals).sum())) / size
    error = error or (high - low)  # where squares of what remains are 0
    # The formula comes close to the root, which leaves some two steps for the integral.
    start, slope = ratio + normal_quantile(level) * error, 1 / error
    is_rough = units.counts.size > _INTEGRATED
    for rough, tolerance in ((True, 1e-13 if is_rough else 1e-9), (is_rough, 1e-13)):
        probability = partial(probability_below, units=units, rough=rough)
        start, slope = quantile(probability, level, (low, high), start, slope, tolerance)
        if is_rough:
            break
    return start * scale


def normal_quantile(probability: float) -> float:
    """Return the normal quantile of a probability, which may round to 0 or 1."""
    from statistics import NormalDist  # a tenth of the time that scipy.special takes to import

    return NormalDist().inv_cdf(min(max(probability, _TINY), 1 - 1e-16))


def quantile(
    probability: Callable[[float], float],
    level: float,
    ends: tuple[float, float],
    start: float,
    slope: float,
    tolerance: float = 1e-13,
) -> tuple[float, float]:
    """Return where an increasing probability has a level, by bracketed secants, and the slope.

    On the scale of normal quantiles probabilities are nearly linear, so the slope is of these.
    """
    left, right = ends
    span, goal = right - left, normal_quantile(level)
    t, before, offset_before = start, math.nan, math.nan
    for _ in range(_ITERATIONS):
        if not left < t < right:
            t, before = (left + right) / 2, math.nan
        offset = normal_quantile(probability(t)) - goal
        left, right = (t, right) if offset < 0 else (left, t)
        if (offset - offset_before) * (t - before) > 0:
            slope = (offset - offset_before) / (t - before)
        step = offset / slope
        before, offset_before = t, offset
        t -= step
        if not offset or abs(step) <= tolerance * max(abs(t), span) or right - left <= 1e-13 * span:
            break
    return min(max(t, left), right), slope


def unseen_unit_ends(
    units: RatioUnits, ratios: tuple[float, float], confidence_level: float
) -> tuple[float, float]:
    """Return the ends of the interval of sum(numerators) / sum(sizes), which enclose the ratio.

    NaN without a size.

    Args:
        units: the units.
        ratios: the smallest and the largest ratio that an unseen unit can have.
        confidence_level: strictly between 0 and 1.
    """
    size = units.unseen_size
    if not size > 0:  # none, or that of one among units without sizes
        return math.nan, math.nan
    low, high = (
        ratio_quantile(units.with_unseen(ratio * size, size), level)
        for ratio, level in zip(ratios, levels(confidence_level), strict=True)
    )
    value = units.ratio()
    return min(low, value), max(high, value)


def levels(confidence_level: float) -> tuple[float, float]:
    """Return the levels of both ends."""
    return (1 - confidence_level) / 2, (1 + confidence_level) / 2
