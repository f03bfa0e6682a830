"""Sign flips: how likely a sum is with random signs, and the shifts that they do not reject.

If two systems are equally good, each could have had either score of a row (Fisher 1935). With
random signs the sum of all differences is at least the observed one exactly if a random subset of
them, each in it with probability 1/2, has a sum of at most 0. So all follows from the distribution
of sums of random subsets. It needs no draws:

* Up to 30 differences: every subset is counted.
* Multiples of a unit, such as wins, ties and losses, or eighths, with a few others among them: the
  distributions of all sizes are convolved, which keeps the digits of small probabilities.
* All others: the saddlepoint approximation of Lugannani and Rice. For 30 differences it gives 92 to
  108 % of the exact probability, and it is closer for more.

A shift that is taken from every difference is rejected if too few subsets have a mean of at most
the shift; the ends of the interval are Hartigan's typical values.

Sources:
    Robinson, Saddlepoint approximations for permutation tests and confidence intervals (1982).
    Hartigan, Using subsample values as typical values (1969).
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..arguments.arrays import Booleans, Floats, Integers
from ..resampling.ratio_distribution import normal_quantile, quantile
from .laws import Alternative, Law

_EXACT_RANKS = 50  # differences up to which scipy counts all signed ranks, if none are tied
_EXACT_TIES = 13  # and up to which it does if some are
_TIE = 1e-12  # sums that differ by at most this part of the sum of all sizes are equal
_COUNTED = 30  # differences up to which all subsets are counted
_QUICKLY = 16  # differences up to which the means of all subsets are sorted
_PARTS = 100  # of the smallest size; a unit is one of them, or larger
_TRIED = 40  # sizes, which show whether most are multiples
_OFF_UNIT = 1e-9  # of a unit, by which a multiple may miss it
_CONVOLVED = 1 << 22  # steps times differences, above which the approximation is quicker
_CLOSE = 1e-10  # of the range, by which an end may be off
_APART = 9  # sizes that are not multiples, or much larger than others: their subsets are counted
_HEAVY, _HEAVY_BESIDE = 0.1, 0.2  # of the variance of all, and of those that are not larger


class Tail(NamedTuple):
    """A probability, and whether it is exact or the saddlepoint approximation."""

    probability: float
    exact: bool


def sign_flip_tail(values: Floats) -> Tail:
    """Return the probability that these numbers, with random signs, add up to their sum or more.

    It does not depend on the order.

    >>> sign_flip_tail(np.array([0.8, 0.6, 0.4, 0.25, 0.1]))
    Tail(probability=0.03125, exact=True)
    >>> votes = np.repeat([1.0, 0.5, -0.5, -1.0], [20, 15, 10, 8])
    >>> print(f"{sign_flip_tail(votes).probability:.5f}")
    0.00799
    """
    largest = float(np.abs(values).max(initial=0.0))
    if not largest:
        return Tail(1.0, True)
    values = np.sort(values / largest)
    sizes = np.sort(np.abs(values))
    losses = -float(values[values < 0][::-1].sum())
    tolerance = _TIE / 2 * float(sizes.sum())
    # Among many differences the smallest are rounding of equal scores.
    sizes = sizes[sizes > (2 * tolerance if np.count_nonzero(sizes) > _COUNTED else 0.0)]
    if losses + tolerance < sizes[0]:
        return Tail(0.5**sizes.size, True)
    limit = losses + tolerance
    if sizes.size <= _COUNTED:
        return Tail(_counted(sizes, limit), True)
    distinct, counts = np.unique(sizes, return_counts=True)
    found = _on_a_lattice(distinct, counts, limit)
    if found is not None:
        return Tail(found, True)
    if abs(sizes.sum() - 2 * losses) <= 2 * tolerance:
        return Tail(0.5, False)
    probability = _approximated(distinct, counts.astype(np.float64), losses)
    return Tail(max(probability, 0.5**sizes.size), False)


def subset_sums(sizes: Floats) -> Floats:
    """Return the sum of each subset.

    >>> subset_sums(np.array([1.0, 10.0, 100.0])).tolist()
    [0.0, 1.0, 10.0, 11.0, 100.0, 101.0, 110.0, 111.0]
    """
    sums = np.zeros(1 << sizes.size)
    for member, size in enumerate(sizes.tolist()):
        np.add(sums[: 1 << member], size, out=sums[1 << member : 2 << member])
    return sums


def _counted(sizes: Floats, limit: float) -> float:
    """Return the proportion of all subsets with a sum up to a limit: one half for each other."""
    first, second = subset_sums(sizes[::2]), np.sort(subset_sums(sizes[1::2]))
    number = second.searchsorted(limit - first, side="right").sum()
    return int(number) / (first.size * second.size)


def _on_a_lattice(sizes: Floats, counts: Integers, limit: float) -> float | None:
    """Return the same of sizes that are multiples of a unit, but for a few; None for others."""
    steps, apart = _steps(sizes, counts)
    number = int(counts[apart].sum())
    full, all_counts = int(steps @ counts[~apart]), int(counts.sum())
    if number > _APART or not full or (steps.size > 1 and full * all_counts > _CONVOLVED):
        return None
    unit = float(sizes[~apart] @ counts[~apart]) / full
    probabilities = np.ones(1)
    for step, count in zip(steps.tolist(), counts[~apart].tolist(), strict=True):
        binomial = np.zeros(step * count + 1)
        binomial[::step] = _binomial(count)
        probabilities = np.convolve(probabilities, binomial)
    rest = limit - subset_sums(np.repeat(sizes[apart], counts[apart]))
    last = np.minimum(np.floor(rest / unit + _OFF_UNIT * all_counts).astype(np.int64), full)
    tails = np.append(np.cumsum(probabilities), 0.0)  # the last one is that of sums below 0
    return float(tails[np.maximum(last, -1)].mean())


def _steps(sizes: Floats, counts: Integers) -> tuple[Integers, Booleans]:
    """Return the sizes in units, without those that are not multiples, and a mask of these."""
    steps, apart = np.zeros(sizes.size), np.ones(sizes.size, np.bool_)
    parts = np.arange(1, _PARTS + 1)[:, None]
    for reference in (sizes[0], sizes[counts.argmax()]):
        first = sizes[:_TRIED] / reference * parts  # most sizes have no unit, which a few show
        if (np.abs(first - np.rint(first)) > _OFF_UNIT).sum(axis=1).min() > _APART:
            continue
        found = sizes / reference * parts
        is_apart = (np.abs(found - np.rint(found)) > _OFF_UNIT) | (found < 0.5)
        number = is_apart @ counts
        best = int(number.argmin())
        if number[best] < apart @ counts:
            steps, apart = found[best], is_apart[best]
    return np.rint(steps[~apart]).astype(np.int64), apart


def _binomial(number: int) -> Floats:
    """Return the probability of each number of heads, from the most likely one outwards."""
    half = number // 2
    heads = np.arange(half, 0, -1)
    ratios = np.append(1.0, heads / (number - heads + 1))
    falling = math.comb(number, half) / (1 << number) * np.cumprod(ratios)
    return np.concatenate([falling[::-1], falling[1 - number % 2 :]])


def _approximated(sizes: Floats, counts: Floats, limit: float) -> float:
    """Return the proportion of subsets with a sum up to a limit, approximated.

    A size with much of the variance makes the distribution lumpy. There are few such, whose subsets
    are counted.
    """
    squares = np.square(sizes)
    variance = rest = float(counts @ squares)
    heavy, number = np.zeros(sizes.size, np.bool_), 0.0
    while True:
        largest = int(np.where(heavy, 0.0, squares).argmax())
        number += counts[largest]
        if number > _APART or squares[largest] <= min(_HEAVY * variance, _HEAVY_BESIDE * rest):
            break
        heavy[largest] = True
        rest -= counts[largest] * squares[largest]
    limits = limit - subset_sums(np.repeat(sizes[heavy], counts[heavy].astype(np.int64)))
    sizes, counts = sizes[~heavy], counts[~heavy]
    return float(_saddlepoint_tails(sizes, counts, float(sizes @ counts) - 2 * limits).mean())


def _saddlepoint_tails(sizes: Floats, counts: Floats, totals: Floats) -> Floats:
    """Return the probabilities that sizes with random signs add up to these totals or more.

    With the weights exp(tilt * size) of the two signs each total becomes the mean; the tilt solves
    sum of size * tanh(tilt * size) = total, which is concave, so Newton's steps stay below it.
    """
    from scipy.special import ndtr

    weighted, squares = counts * sizes, counts * np.square(sizes)
    full = float(weighted.sum())
    result = np.where(totals > 0, 0.5 ** float(counts.sum()), 1.0)
    inside = np.abs(totals) < full * (1 - _TIE)
    goals = np.abs(totals[inside])
    tilts = goals / squares.sum()
    slopes = np.tanh(tilts[:, None] * sizes)
    for _ in range(100):
        steps = (goals - slopes @ weighted) / ((1 - np.square(slopes)) @ squares)
        tilts = tilts + steps
        slopes = np.tanh(tilts[:, None] * sizes)
        if not (steps > 1e-7 * tilts).any():
            break
    exponents = tilts[:, None] * sizes
    # The logarithm of the mean of exp(tilt * sum) is the sum of log cosh.
    cumulants = (exponents + np.log1p(np.exp(-2 * exponents)) - math.log(2)) @ counts
    roots = np.sqrt(np.maximum(2 * (tilts * goals - cumulants), 0.0))
    scaled = tilts * np.sqrt((1 - np.square(slopes)) @ squares)
    central = roots < 1e-4  # where the normal distribution is exact enough
    roots, scaled = np.where(central, 1.0, roots), np.where(central, 1.0, scaled)
    density = np.exp(-np.square(roots) / 2) / math.sqrt(2 * math.pi)
    tails = ndtr(-roots) + density * (1 / scaled - 1 / roots)
    tails = np.where(central, ndtr(-tilts * np.sqrt(squares.sum())), tails)
    result[inside] = np.where(totals[inside] > 0, tails, 1 - tails)
    return np.clip(result, 0.0, 1.0)


class SignFlips(Law):
    """The law of sign flips: the shifts of units that random signs do not reject.

    Args:
        numbers: the difference of each row, or the sum of each cluster, shape (units,).
        sizes: the number of rows of each unit.

    >>> SignFlips(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), np.ones(6)).interval(0.05)
    (0.1, 0.6)
    """

    def __init__(self, numbers: Floats, sizes: Floats) -> None:
        order = np.lexsort((sizes, numbers))  # so that no digit depends on the order of units
        self.numbers, self.sizes = numbers[order], sizes[order]

    @cached_property
    def mirrored(self) -> "SignFlips":
        """Return the law of the difference with the other sign."""
        return SignFlips(0.0 - self.numbers, self.sizes)

    @cached_property
    def found(self) -> Tail:
        """Return the tail without a shift."""
        return sign_flip_tail(self.numbers)

    @property
    def exact(self) -> bool:
        """Return whether the p-value is counted."""
        return (self if float(self.numbers.sum()) >= 0 else self.mirrored).found.exact

    def tail(self, limit: float = 0.0) -> float:
        """Return the p-value of a mean difference of at most a limit."""
        if not limit:
            return self.found.probability
        return sign_flip_tail(self.numbers - limit * self.sizes).probability

    def least(self, level: float) -> float:
        """Return the least shift that at least this proportion of subsets have a mean up to."""
        number = self.numbers.size
        if 0.5**number >= level:
            return -math.inf
        if number > _QUICKLY:
            return self._root(level)
        sums, sizes = subset_sums(self.numbers)[1:], subset_sums(self.sizes)[1:]
        rank = math.ceil(level * (sums.size + 1) * (1 - _TIE)) - 2  # after the empty subset
        return float(np.partition(sums / sizes, rank)[rank])

    def _root(self, level: float) -> float:
        """Return the shift where the approximated proportion is the level."""
        numbers, sizes = self.numbers, self.sizes
        is_new = np.append(True, (np.diff(numbers) != 0) | (np.diff(sizes) != 0))
        repeats = np.diff(np.flatnonzero(is_new), append=numbers.size).astype(np.float64)
        values, sizes = numbers[is_new], sizes[is_new]
        total = float(repeats @ sizes)
        mean = float(repeats @ values) / total
        error = math.sqrt(float(repeats @ np.square(values - mean * sizes))) / total
        if not error:
            return mean

        def proportion(shift: float) -> float:
            shifted = values - shift * sizes
            losses = float(repeats @ np.maximum(-shifted, 0.0))
            return _approximated(np.abs(shifted), repeats, losses)

        ends = float((values / sizes).min()), mean
        start = mean + normal_quantile(level) * error
        return quantile(proportion, level, ends, start, 1 / error, _CLOSE)[0]


# Signed ranks


@dataclass(frozen=True)
class SignedRanks(Law):
    """Wilcoxon's signed-rank test, as scipy has it, and the shifts that it does not reject.

    The interval is of the pseudomedian, the median of the means of two rows: its ends are two of
    these means (Walsh averages), the smallest that more than so many are at most.

    >>> SignedRanks(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])).interval(0.05)
    (0.1, 0.6)
    """

    differences: Floats

    @cached_property
    def mirrored(self) -> Law:
        """Return the law of the difference with the other sign."""
        return SignedRanks(0.0 - self.differences)

    def tail(self, limit: float = 0.0) -> float:
        """Return the one-sided p-value of a difference of at most this."""
        from scipy.stats import rankdata, wilcoxon

        values = np.sort(self.differences - limit)
        if not values.any() or values.size <= _EXACT_TIES:  # where scipy takes seconds
            ranks = rankdata(np.abs(values[values != 0]))
            return sign_flip_tail(np.copysign(ranks, values[values != 0])).probability
        return float(wilcoxon(values, alternative="greater").pvalue)

    def least(self, level: float) -> float:
        """Return the difference at which the tail is this level."""
        from scipy.special import ndtri

        rows = self.differences.size
        if rows > _EXACT_RANKS:
            deviation = math.sqrt(rows * (rows + 1) * (2 * rows + 1) / 24)
            rank = max(math.ceil(rows * (rows + 1) / 4 + float(ndtri(level)) * deviation), 0)
        else:  # how many sums of positive ranks, from 0 up, are together less likely
            sums = np.ones(1)
            for number in range(1, rows + 1):
                sums = np.convolve(sums, np.r_[0.5, np.zeros(number - 1), 0.5])
            rank = int(np.searchsorted(np.cumsum(sums), level))
        return _walsh_average(np.sort(self.differences), rank) if rank else -math.inf

    def statistic(self, alternative: Alternative) -> float:
        """Return the lesser of both rank sums, or the positive one for a side."""
        from scipy.stats import rankdata

        values = self.differences[self.differences != 0]
        ranks = rankdata(np.abs(values))
        sums = float(ranks[values > 0].sum()), float(ranks[values < 0].sum())
        return min(sums) if alternative == "two-sided" else sums[0]


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
