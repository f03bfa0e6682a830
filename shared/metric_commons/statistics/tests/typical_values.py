"""The interval of a mean difference that agrees with sign flips: all shifts they do not reject.

If the systems could be exchanged on each row once a shift t is taken from every difference, a
random subset of rows, each in it with probability 1/2, has a mean below t as often as above. A
shift is rejected from one side if the means of too few subsets are at most t, so the ends of the
interval are quantiles of the means of random subsets, Hartigan's typical values. The empty subset
counts on both sides. At the shift 0 that is the sign-flip test itself; so p is less than alpha
exactly if the interval excludes 0.

Subsets of up to 30 rows are counted, and so are those of rows with few steps, such as wins, ties
and losses, by a Fourier transform. For all others the proportion is the saddlepoint approximation.

Source:
    Hartigan, Using subsample values as typical values (1969).
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arguments.arrays import Floats, Integers
from ..arithmetic.exact_sums import exact_sum
from ..intervals.cluster_sums import ClusterSums, cancelled
from ..resampling.ratio_distribution import Units, normal_quantile, ratio_distribution
from .sign_flips import (
    common_step,
    enumerated_p,
    in_units,
    shifted_tail,
    sign_flip_tail,
    subset_sums,
)

_ENUMERATED = 30  # units up to which every subset is counted
_QUICKLY = 16  # units up to which the means of all subsets are sorted
_BITS = 52  # of whole numbers whose quotients are rounded once
_CELLS = 1 << 20  # of the table of sums and sizes of subsets, times different units
_PRECISION = 1e-13  # of an end, in parts of the range of differences
_EXACTLY = 20  # counted units up to which the end is the mean of a subset to all digits
_NEARLY = 1e-6  # parts of the level by which the proportion may miss it for more counted units
_CLOSE = 1e-10  # parts of the level by which an approximated proportion may miss it
_OFF_STEP = 1e-7  # by which a sum may miss a step
_FAR = 12.0  # standard errors

Proportion = Callable[[float], float]  # of subsets whose mean is at most a shift


def typical_ends(
    differences: Floats, sums: ClusterSums | None, alpha: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Return the smallest and the largest shift that sign flips do not reject at a level.

    Args:
        differences: shape (rows,).
        sums: the sums of clusters; None if rows are independent.
        alpha: the level of the two-sided test; 0 for one that rejects nothing.
        bounds: of a difference: the ends if there are too few rows to reject any shift.

    >>> typical_ends(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), None, 0.05, (-1.0, 1.0))
    (0.1, 0.6)
    >>> typical_ends(np.array([1.0, 1.0, 1.0]), None, 0.05, (-1.0, 1.0))
    (-1.0, 1.0)
    """
    numerators, sizes = differences, np.ones(differences.size)
    if sums is not None:
        numerators = cancelled(sums.sums(), float(exact_sum(np.abs(differences))))
        sizes = sums.sizes()
    if not alpha or 0.5**numerators.size > alpha / 2:
        return bounds
    table = None
    if numerators.size > _QUICKLY:
        table = _SubsetTable.of_units(ratio_distribution(numerators, sizes).units)
    low = _least_shift(numerators, sizes, table, alpha / 2)
    mirrored = None if table is None else table.mirrored()
    return low, 0.0 - _least_shift(-numerators, sizes, mirrored, alpha / 2)


def _least_shift(
    numerators: Floats, sizes: Floats, table: "_SubsetTable | None", level: float
) -> float:
    """Return the least shift that more than this proportion of subsets have a mean up to."""
    shares = numerators / sizes
    low, high = float(shares.min()), float(exact_sum(numerators) / exact_sum(sizes))
    at_zero = sign_flip_tail(in_units(numerators, "greater")).probability
    if low <= 0 < high:
        # The end is on the side of 0 that the test says, whatever is rounded or approximated.
        low, high = (low, 0.0) if at_zero > level else (0.0, high)
    if numerators.size <= _QUICKLY:
        end = min(max(_mean_of_subset(numerators, sizes, level), low), high)
    elif table is not None:
        end = table.least(level, low, high)
    elif numerators.size > _ENUMERATED:
        units = ratio_distribution(numerators, sizes).units
        mean, total = units.ratio(), float((units.counts * units.sizes).sum())
        squares = np.square(units.numerators - mean * units.sizes)
        # Next to no subset has a mean up to a shift so far below.
        far_below = mean - _FAR * math.sqrt(float((units.counts * squares).sum())) / total

        def approximated(shift: float) -> float:
            return shifted_tail(units.numerators - shift * units.sizes, units.counts)

        end = least_shift(approximated, level, max(low, far_below), high, _CLOSE)
    else:

        def counted(shift: float) -> float:
            return enumerated_p(in_units(numerators - shift * sizes, "greater"))

        close = 0.0 if numerators.size <= _EXACTLY else _NEARLY
        end = least_shift(counted, level, low, high, close)
    return max(end, math.ulp(0.0)) if not low and at_zero <= level else end


def _mean_of_subset(numerators: Floats, sizes: Floats, level: float) -> float:
    """Return the least mean of a subset that more than this proportion of means are up to."""
    order = np.lexsort((sizes, numerators))  # so that no digit depends on the order of units
    exponent = math.frexp(float(np.abs(numerators).sum()))[1] - _BITS
    units = np.rint(np.ldexp(numerators[order], -exponent)).astype(np.int64)
    sums, rows = subset_sums(units)[1:], subset_sums(sizes[order].astype(np.int64))[1:]
    rank = math.floor(level * (sums.size + 1)) - 1  # the empty subset is the first
    subset = 1 + int(np.argpartition(sums / rows, rank)[rank])
    members = order[[bool(subset >> member & 1) for member in range(order.size)]]
    return float(exact_sum(numerators[members]) / exact_sum(sizes[members]))


def least_shift(
    proportion: Proportion, level: float, low: float, high: float, close: float
) -> float:
    """Return the least shift in a range whose proportion is above a level, or else its end.

    Steps follow the line between both ends on the scale of normal quantiles, on which proportions
    are nearly straight; every third step halves the range, which proportions with steps need.

    Args:
        proportion: of subsets, by the shift.
        level: strictly between 0 and 1/2.
        low: a shift below the least one.
        high: a shift above it.
        close: the part of the level by which the proportion may miss it.
    """
    below, above = proportion(low), proportion(high)
    if below > level or low == high:
        return low
    if above <= level:  # approximated, where the proportion at the end was counted
        return high
    span, goal = high - low, normal_quantile(level)
    left, right = normal_quantile(below) - goal, normal_quantile(above) - goal
    for step in range(200):
        if high - low <= _PRECISION * span:
            break
        part = left / (left - right) if step % 3 < 2 and left < right else 0.5
        shift = low + part * (high - low)
        value = proportion(shift)
        if abs(value - level) < close * level:
            return shift
        if value > level:
            high, right = shift, normal_quantile(value) - goal
        else:
            low, left = shift, normal_quantile(value) - goal
    return high


class _SubsetTable(NamedTuple):
    """The probability of each sum and size of a random subset, both in steps.

    For each size the probabilities of all sums up to each one, in ascending order.
    """

    cumulative: Floats  # shape (sizes, sums)
    first_sum: int
    sizes: Integers  # in steps
    sum_step: float
    size_step: float

    @classmethod
    def of_units(cls, units: Units) -> "_SubsetTable | None":
        """Return the table of these units; None if they have no common step, or too many steps."""
        steps = common_step(np.abs(units.numerators)), common_step(units.sizes)
        if units.numerators.any() and not steps[0]:
            return None
        sum_step, size_step = steps[0] or 1.0, steps[1]
        counts = units.counts
        sums, sizes = np.rint(units.numerators / sum_step), np.rint(units.sizes / size_step)
        windows = [_window(values, counts) for values in (sums, sizes)]
        if windows[0] * windows[1] * counts.size > _CELLS:
            return None
        # The transform of a random subset is that of its mean, moved, times cosines.
        frequencies = [np.arange(windows[0]), np.arange(windows[1] // 2 + 1)]
        product = np.ones((frequencies[0].size, frequencies[1].size))
        for total, size, count in zip(sums, sizes, counts, strict=True):
            angles = frequencies[0][:, None] * (total / windows[0]) + frequencies[1][None] * (
                size / windows[1]
            )
            product *= np.cos(np.pi * angles) ** count
        centers = [float((values * counts).sum()) for values in (sums, sizes)]
        firsts = [
            max(math.ceil(center / 2) - window // 2, int((counts * np.minimum(values, 0)).sum()))
            for center, window, values in zip(centers, windows, (sums, sizes), strict=True)
        ]
        moves = [
            np.exp(np.pi * 1j / window * (2 * first - center) * frequency)
            for window, first, center, frequency in zip(
                windows, firsts, centers, frequencies, strict=True
            )
        ]
        probabilities = np.fft.irfft2(product * moves[0][:, None] * moves[1][None], windows)
        cumulative = np.cumsum(np.maximum(probabilities, 0.0), axis=0).T
        return cls(cumulative, firsts[0], firsts[1] + np.arange(windows[1]), sum_step, size_step)

    def mirrored(self) -> "_SubsetTable":
        """Return the table of the units with the opposite signs."""
        probabilities = np.diff(self.cumulative, axis=1, prepend=0.0)[:, ::-1]
        last = self.first_sum + probabilities.shape[1] - 1
        return self._replace(cumulative=np.cumsum(probabilities, axis=1), first_sum=-last)

    def least(self, level: float, low: float, high: float) -> float:
        """Return the least shift in a range that more than this proportion is at most."""
        ratio = self.size_step / self.sum_step

        def proportion(shift: float) -> float:
            last = np.floor(shift * ratio * self.sizes + _OFF_STEP).astype(np.int64)
            columns = np.minimum(last - self.first_sum, self.cumulative.shape[1] - 1)
            is_any = columns >= 0
            return float(self.cumulative[is_any, columns[is_any]].sum())

        if proportion(low) > level:
            return low
        while high - low > _PRECISION * max(abs(low), abs(high)):
            middle = (low + high) / 2
            low, high = (low, middle) if proportion(middle) > level else (middle, high)
            if middle in (low, high) and low == high:
                break
        # The nearest mean of a subset, without the rounding of the search.
        filled = self.sizes > 0
        sums = np.floor(high * ratio * self.sizes[filled] + _OFF_STEP)
        return float((sums / self.sizes[filled]).max()) * self.sum_step / self.size_step


def _window(values: Floats, counts: Floats) -> int:
    """Return the number of steps that sums of random subsets need, but for 1e-17 of them."""
    reach = math.ceil(4.5 * math.sqrt(float(counts @ np.square(values)))) + 1
    return min(2 * reach, int(counts @ np.abs(values)) + 1)
