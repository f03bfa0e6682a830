"""The probability of a sum of differences with random signs, computed without draws.

If two systems are equally good, each could have had either score of a row. The test counts the
combinations of signs that favor a system as much as the observed signs do (Fisher 1935). It assumes
nothing about the distribution of scores, and needs no random numbers:

* Up to 30 differences: every combination is counted.
* Differences of one size, as in exact match: the number of minus signs is binomial.
* Differences that are multiples of a unit, such as wins, ties and losses, or eighths: the
  distribution of their sum follows from its Fourier transform.
* All others: the saddlepoint approximation of Lugannani and Rice. For 30 differences it gives 90 to
  106 % of the exact p-value, down to 3e-7, and it is closer for more.

No digit depends on the order of rows: differences become integers, whose sums are exact, and are
sorted. Tails that are not counted use exponentials, whose last digits depend on the machine.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Booleans, Floats, Integers
from ..arithmetic.exact_sums import exact_sum

_SUM_BITS = 61  # of all magnitudes together, in units, so that int64 has room to spare
_TIE = 10**12  # sums that differ by at most this part of the sum of all magnitudes are equal
_ENUMERATED = 30  # signs up to which every combination is counted
_DISTINCT = 1000  # no unit is sought for more distinct magnitudes than this
_PARTS = 100  # of the smallest magnitude; a unit is one of them or larger
_OFF_UNIT = 1e-9  # of a unit, by which a multiple may miss it
_OFF_STEP = 1e-4  # by which a sum of multiples may miss a step: far less than one
_TRANSFORMED = 1 << 20  # frequencies times steps, above which the approximation is quicker
_HEAVY = 0.1  # of the variance: one magnitude with a larger part spoils the approximation
_HEAVY_BESIDE = 0.2  # the same, of the variance without larger magnitudes
_MOST_HEAVY = 9  # such magnitudes; all 512 combinations are counted
_APPROXIMATED = 1 << 16  # sums on a lattice times odd magnitudes, above which nothing is combined
_BETWEEN = 1e-9  # parts of a level, by which it is above the p-value it is made from
_CENTRAL = 1e-4  # standard deviations from the mean within which the normal distribution is used


class Tail(NamedTuple):
    """A probability, and whether it is exact or the saddlepoint approximation."""

    probability: float
    exact: bool


@dataclass(frozen=True)
class SignFlips:
    """The differences of one measure as the test sees them, in whole units.

    With random signs the sum of all differences is that of their magnitudes, less twice the sum of
    those that are negative. So all that varies is a *subset sum* of magnitudes, which is small if A
    does well. The observed one is the sum of A's losses.
    """

    magnitudes: Integers  # without zeros, descending
    tolerance: int  # subset sums that differ by no more are equal
    at_most: int  # subset sums up to here are as extreme as the observed one
    at_least: int  # and so are subset sums from here on


def in_units(differences: Floats, alternative: str) -> SignFlips:
    """Return differences as multiples of a power of two, such that all together are below 2**61.

    Integers add up exactly, so a sum does not depend on the order or the machine. Rounding to units
    moves each magnitude by half a unit at most, hence two subset sums against each other by at most
    one unit a row. The tolerance allows for that and, with its other part, for scores that were
    rounded before: such errors grow with the sum of all magnitudes, however small the mean is.
    Flipping a sign moves a sum by twice the magnitude, so subset sums get half the tolerance.
    """
    total = float(exact_sum(np.abs(differences)))
    exponent = math.frexp(total)[1] - _SUM_BITS
    units = np.rint(np.ldexp(differences, -exponent)).astype(np.int64)
    losses, wins = -int(units[units < 0].sum()), int(units[units > 0].sum())

    magnitudes = np.sort(np.abs(units[units != 0]))[::-1]
    tolerance = (losses + wins) // (2 * _TIE) + magnitudes.size
    observed = {"greater": losses, "less": wins, "two-sided": min(losses, wins)}[alternative]
    at_most = observed + tolerance
    # The null distribution is symmetric: the losses of one system are the wins of the other.
    at_least = losses + wins - at_most if alternative == "two-sided" else losses + wins + 1
    return SignFlips(magnitudes, tolerance, at_most, at_least)


def sign_flip_tail(flips: SignFlips) -> Tail:
    """Return the p-value: the proportion of combinations of signs whose sum is at least as extreme.

    It is never 0: if it would be less than the smallest float, it is that float.

    >>> sign_flip_tail(in_units(np.array([0.8, 0.6, 0.4, 0.25, 0.1]), "two-sided"))
    Tail(probability=0.0625, exact=True)
    >>> votes = np.repeat([1.0, 0.5, -0.5, -1.0], [20, 15, 10, 8])
    >>> tail = sign_flip_tail(in_units(votes, "two-sided"))
    >>> print(f"{tail.probability:.5f}", tail.exact)
    0.01597 True
    """
    magnitudes = flips.magnitudes
    if magnitudes.size <= _ENUMERATED:
        return Tail(enumerated_p(flips), True)
    spread = int(magnitudes[0] - magnitudes[-1])
    if magnitudes.size * spread <= flips.tolerance < magnitudes[-1]:
        return Tail(_binomial_p(flips), True)
    starts = np.flatnonzero(np.diff(magnitudes, prepend=-1))
    counts = np.diff(starts, append=magnitudes.size)
    at_most = flips.at_most - flips.tolerance
    tail = _subset_tail(magnitudes[starts], counts, at_most, flips.tolerance)
    two_sided = flips.at_least <= int(magnitudes.sum())
    probability = min((1 + two_sided) * tail.probability, 1.0)
    return Tail(max(probability, math.ulp(0.0)), tail.exact)


def sign_flip_level(differences: Floats, statistic: float) -> float:
    """Return the two-sided p-value that |sum| / root of the sum of squares has above a statistic.

    It is a trifle higher, so that p-values of larger statistics are below it, and others above.
    0 if no signs reach it, and 1 if all differences are 0.

    >>> round(sign_flip_level(np.array([0.5, 0.5, 0.5, 0.5]), 1.5), 6)
    0.125
    """
    sizes = np.abs(differences)
    largest = float(sizes.max())
    if not largest:
        return 1.0
    length = largest * math.sqrt(exact_sum(np.square(sizes / largest)))
    losses = (float(exact_sum(sizes)) - statistic * length) / 2
    if losses < 0:
        return 0.0
    flips = in_units(differences, "two-sided")
    full_sum = int(flips.magnitudes.sum())
    at_most = min(math.floor(losses / float(exact_sum(sizes)) * full_sum), (full_sum - 1) // 2)
    strict = replace(flips, at_most=at_most, at_least=full_sum - at_most)
    return sign_flip_tail(strict).probability * (1 + _BETWEEN)


def enumerated_p(flips: SignFlips) -> float:
    """Return the proportion of all subsets whose sum is extreme.

    Each subset is one of half the magnitudes and one of the other half. With the sums of the
    second half in order, those that make a given sum of the first one extreme are found by
    bisection: 2**15 of these for 2**30 subsets.
    """
    halves = flips.magnitudes[::2], flips.magnitudes[1::2]
    first, second = map(subset_sums, halves)
    second.sort()
    small = second.searchsorted(flips.at_most - first, side="right").sum()
    large = second.size * first.size - second.searchsorted(flips.at_least - first).sum()
    subsets = first.size * second.size
    return min(int(small + large), subsets) / subsets  # limits that overlap count some sums twice


def _binomial_p(flips: SignFlips) -> float:
    """Return the proportion of all subsets whose sum is extreme, if all magnitudes are equal.

    They are equal within the tolerance; the size of a subset, which its sum then determines, is
    binomial. A proportion too small for a float64 becomes the smallest one, since no p-value is 0.
    """
    from scipy.special import betainc  # costs as much to import as all of numpy

    rows = flips.magnitudes.size
    at_most = flips.at_most // int(flips.magnitudes[-1])
    if at_most >= rows:
        return 1.0
    share = float(betainc(rows - at_most, at_most + 1, 0.5))  # of subsets of at most that size
    if flips.at_least <= flips.magnitudes.sum():  # two-sided: as many subsets are as large
        share = min(2 * share, 1.0)
    return max(share, math.ulp(0.0))


def subset_sums(magnitudes: Integers) -> Integers:
    """Return the sum of each subset, at the number whose bits are its members.

    >>> subset_sums(np.array([1, 10, 100])).tolist()
    [0, 1, 10, 11, 100, 101, 110, 111]
    """
    sums = np.zeros(1 << magnitudes.size, np.int64)
    for member, magnitude in enumerate(magnitudes.tolist()):
        np.add(sums[: 1 << member], magnitude, out=sums[1 << member : 2 << member])
    return sums


# ---- tails of many subsets ----------------------------------------------------------------------


def _subset_tail(magnitudes: Integers, counts: Integers, at_most: int, tolerance: int) -> Tail:
    """Return the proportion of subsets whose sum is at most `at_most`.

    Args:
        magnitudes: distinct and positive, descending.
        counts: the count of each.
        at_most: the largest sum that counts, from 0 to the sum of all.
        tolerance: sums that differ by no more are equal.
    """
    lattice, odd = _lattice_and_odd(magnitudes, counts)
    if lattice is None:
        return Tail(_smooth_tail(magnitudes, counts, at_most), False)
    steps = math.floor(at_most / lattice.unit + _OFF_STEP)
    if not odd.any():
        return Tail(_steps_tail(lattice.steps, lattice.counts, steps), True)
    # What the multiples of a unit add up to determines what the odd magnitudes may add up to.
    first, probabilities = _steps_distribution(lattice.steps, lattice.counts, steps)
    sums = first + np.arange(probabilities.size)
    limits = np.floor(at_most + tolerance - sums * lattice.unit).astype(np.int64)
    rest, rest_counts = magnitudes[odd], counts[odd]
    full_sum = int(rest @ rest_counts)
    tails = (limits >= full_sum).astype(np.float64)
    between = np.flatnonzero((limits >= 0) & (limits < full_sum))
    is_exact = int(rest_counts.sum()) <= _ENUMERATED
    if is_exact:
        tails[between] = _counted_tails(np.repeat(rest, rest_counts), limits[between])
    elif between.size * rest.size > _APPROXIMATED:
        return Tail(_smooth_tail(magnitudes, counts, at_most), False)
    else:
        tails[between] = [_smooth_tail(rest, rest_counts, limit) for limit in limits[between]]
    smallest = 0.5 ** int(counts.sum())
    return Tail(min(max(float(probabilities @ tails), smallest), 1.0), is_exact)


def _counted_tails(magnitudes: Integers, limits: Integers) -> Floats:
    """Return the proportion of all subsets whose sum is at most each of these limits."""
    first, second = map(subset_sums, (magnitudes[::2], magnitudes[1::2]))
    second.sort()
    numbers = [second.searchsorted(limit - first, side="right").sum() for limit in limits]
    return np.array(numbers, np.float64) / (first.size * second.size)


def shifted_tail(values: Floats, counts: Floats) -> float:
    """Return the proportion of subsets whose sum is at most 0, approximated.

    Args:
        values: of either sign, shape (values,).
        counts: the count of each, which need not be whole.

    >>> print(f"{shifted_tail(np.array([1.0, -1.0]), np.array([14.0, 6.0])):.3f}")
    0.037
    """
    total = float((np.abs(values) * counts).sum())
    exponent = math.frexp(total)[1] - _SUM_BITS
    units = np.rint(np.ldexp(values, -exponent)).astype(np.int64)
    order = np.argsort(-np.abs(units))[: np.count_nonzero(units)]
    losses = int((counts * np.maximum(-units, 0)).sum())
    return _smooth_tail(np.abs(units)[order], counts[order], losses)


def _smooth_tail(magnitudes: Integers, counts: NDArray[Any], at_most: int) -> float:
    """Return the proportion of subsets whose sum is at most `at_most`, approximated.

    A magnitude with much of the variance makes the distribution of the sum lumpy. There are few
    such: each of their combinations determines what the others may add up to. Magnitudes that are
    negligible beside the sum are rounding, and change no tail.
    """
    sizable = magnitudes > int(magnitudes @ counts) // _TIE
    magnitudes, counts = magnitudes[sizable], counts[sizable]
    heavy = _heavy(magnitudes, counts)
    light, light_counts = magnitudes[heavy:], counts[heavy:]
    sums = subset_sums(np.repeat(magnitudes[:heavy], counts[:heavy].astype(np.int64)))
    tails = [_saddlepoint_tail(light, light_counts, at_most - total) for total in sums.tolist()]
    return math.fsum(tails) / len(tails)


def _heavy(magnitudes: Integers, counts: NDArray[Any]) -> int:
    """Return the number of leading distinct magnitudes that each have much of the variance.

    >>> _heavy(np.array([8, 4, 1]), np.array([1, 1, 20]))
    2
    """
    squares = np.square(np.ldexp(magnitudes.astype(np.float64), -_SUM_BITS))
    variance = remaining = float(squares @ counts)
    heavy = rows = 0
    for square, count in zip(squares.tolist(), counts.tolist(), strict=True):
        rows += count
        if rows > _MOST_HEAVY or square <= min(_HEAVY * variance, _HEAVY_BESIDE * remaining):
            break
        remaining -= square * count
        heavy += 1
    return heavy


def _tilt(magnitudes: Floats, counts: NDArray[Any], total: float) -> float:
    """The t at which signs with the weights exp(+-t * magnitude) have the sum `total` on average.

    It solves: sum of magnitude * tanh(t * magnitude) = total, for a positive total below the sum of
    all. That sum is concave in t, so Newton's steps approach from below.
    """
    squares = counts * np.square(magnitudes)
    tilt = total / float(squares.sum())
    for _ in range(200):
        slopes = np.tanh(tilt * magnitudes)
        lacking = total - float((counts * magnitudes * slopes).sum())
        step = lacking / float((squares * (1 - np.square(slopes))).sum())
        tilt += step
        if not step > 1e-14 * tilt:
            break
    return tilt


def _cumulant(magnitudes: Floats, counts: NDArray[Any], tilt: float) -> float:
    """Return the logarithm of the mean of exp(tilt * sum) over all signs: the sum of log cosh."""
    sizes = tilt * magnitudes
    return float((counts * (sizes + np.log1p(np.exp(-2 * sizes)) - math.log(2))).sum())


def _saddlepoint_tail(magnitudes: Integers, counts: NDArray[Any], at_most: int) -> float:
    """Return the proportion of subsets whose sum is at most `at_most`, approximated.

    In terms of signs: the proportion of sums of signed magnitudes that are at least the sum of all
    less twice `at_most`.

    Source:
        Lugannani and Rice, Saddle point approximation for the distribution of the sum of
        independent random variables (1980). Robinson, Saddlepoint approximations for permutation
        tests and confidence intervals (1982).
    """
    full_sum = int(magnitudes @ counts)
    if at_most < 0 or at_most >= full_sum:
        return 0.0 if at_most < 0 else 1.0
    if 2 * at_most > full_sum:  # signs are symmetric, and no single sum has a probability
        return 1.0 - _saddlepoint_tail(magnitudes, counts, full_sum - at_most)
    smallest = 0.5 ** int(counts.sum())  # the empty subset is one of them
    if at_most < magnitudes[-1]:
        return smallest
    sizes = np.ldexp(magnitudes.astype(np.float64), -_SUM_BITS)
    total = math.ldexp(full_sum - 2 * at_most, -_SUM_BITS)
    return max(_formula(sizes, counts, total), smallest)


def _formula(sizes: Floats, counts: NDArray[Any], total: float) -> float:
    """The probability of a sum of signed sizes of at least `total`, less than the sum of all."""
    from scipy.special import ndtr

    tilt = _tilt(sizes, counts, total)
    distance = tilt * total - _cumulant(sizes, counts, tilt)
    w = math.sqrt(max(2 * distance, 0.0))
    if w < _CENTRAL:
        return float(ndtr(-w))
    slopes = np.tanh(tilt * sizes)
    u = tilt * math.sqrt(float((counts * np.square(sizes) * (1 - np.square(slopes))).sum()))
    density = math.exp(-w * w / 2) / math.sqrt(2 * math.pi)
    return float(ndtr(-w)) + density * (1 / u - 1 / w)


def common_step(sizes: Floats) -> float:
    """Return the largest unit that divides all sizes; 0 if there is none that is not tiny.

    >>> common_step(np.array([0.0, 0.5, 1.0, 1.5])), common_step(np.array([0.1, math.pi]))
    (0.5, 0.0)
    """
    flips = in_units(sizes, "greater")
    if not flips.magnitudes.size:
        return 0.0
    starts = np.flatnonzero(np.diff(flips.magnitudes, prepend=-1))
    counts = np.diff(starts, append=flips.magnitudes.size)
    lattice, odd = _lattice_and_odd(flips.magnitudes[starts], counts)
    if lattice is None or odd.any():
        return 0.0
    return lattice.unit / float(flips.magnitudes[0]) * float(sizes.max())


class _Lattice(NamedTuple):
    """Magnitudes that are multiples of a unit: steps, their counts, and the unit."""

    steps: Integers
    counts: Integers
    unit: float


def _lattice_and_odd(magnitudes: Integers, counts: Integers) -> "tuple[_Lattice | None, Booleans]":
    """Return the magnitudes that are multiples of a unit, and a mask of all others.

    The unit is a part of the most frequent magnitude, or of the smallest one if all are multiples.
    There is none if it is too small, or if no magnitude occurs twice and some would be odd.

    >>> lattice, odd = _lattice_and_odd(np.array([1500, 1000, 500]), np.array([1, 1, 1]))
    >>> lattice.steps.tolist(), lattice.unit, odd.tolist()
    ([1, 2, 3], 500.0, [False, False, False])
    >>> lattice, odd = _lattice_and_odd(np.array([1000, 717, 500]), np.array([9, 1, 4]))
    >>> lattice.steps.tolist(), odd.tolist()
    ([1, 2], [False, True, False])
    """
    nothing = np.ones(magnitudes.size, np.bool_)
    if magnitudes.size > _DISTINCT:
        return None, nothing
    # Magnitudes that are negligible beside the sum are rounding errors of equal scores: no steps.
    sizable = magnitudes > int(magnitudes @ counts) // _TIE
    parts = np.arange(1, _PARTS + 1)[:, None]
    for reference in (magnitudes[sizable].min(), magnitudes[counts.argmax()]):
        steps = magnitudes / reference * parts
        is_odd = (np.abs(steps - np.rint(steps)) > _OFF_UNIT) | ((steps < 0.5) & sizable)
        number = is_odd @ counts
        best = int(number.argmin())
        if not number[best]:
            break
    if number[best] and counts.max() == 1:
        return None, nothing
    odd, whole = is_odd[best], np.rint(steps[best][~is_odd[best]]).astype(np.int64)
    # Magnitudes that differ only by rounding are the same number of steps.
    distinct, steps_of_each = np.unique(whole, return_inverse=True)
    merged = np.bincount(steps_of_each, counts[~odd]).astype(np.int64)
    distinct, merged = distinct[distinct > 0], merged[distinct > 0]
    if _window(distinct, merged) * distinct.size > _TRANSFORMED:
        return None, nothing
    unit = int(magnitudes[~odd] @ counts[~odd]) / int(distinct @ merged)
    return _Lattice(distinct, merged, unit), odd


def _window(steps: Integers, counts: Integers) -> int:
    """Return the number of neighbouring subset sums that have all but 1e-17 of the probability.

    The sum is further than u from its mean with a probability of at most
    2 exp(-2 u**2 / sum of squared steps) (Hoeffding 1963), for any tilt.
    """
    reach = math.ceil(4.5 * math.sqrt(float(counts @ np.square(steps.astype(np.float64))))) + 1
    return min(2 * reach, int(steps @ counts) + 1)


def _steps_tail(steps: Integers, counts: Integers, at_most: int) -> float:
    """Return the proportion of subsets of steps whose sum is at most `at_most`.

    >>> tail = _steps_tail(np.array([1, 2]), np.array([2, 1]), 1)
    >>> round(tail, 12)  # 3 of 8: {}, {1}, and the other {1}
    0.375
    """
    full_sum = int(steps @ counts)
    if at_most < 0:
        return 0.0
    if 2 * at_most >= full_sum:
        return 1.0 - _steps_tail(steps, counts, full_sum - at_most - 1)
    if not at_most:
        return 0.5 ** int(counts.sum())
    return float(_steps_distribution(steps, counts, at_most)[1].sum())


def _steps_distribution(steps: Integers, counts: Integers, at_most: int) -> tuple[int, Floats]:
    """Return the proportion of subsets with each sum up to `at_most`, and the first of these sums.

    A Fourier transform of the distribution would lose small probabilities in the rounding of large
    ones. So the distribution is tilted: subsets get weights that make `at_most` their mean sum, and
    probabilities near it large. Each probability is divided by the weights afterwards. So the tail
    is accurate to nearly all digits, however small it is. Sums above the middle need no tilt.
    """
    full_sum = int(steps @ counts)
    center = min(max(at_most, 1), full_sum // 2)
    total = full_sum - 2 * center if at_most <= center else 0
    sizes = steps.astype(np.float64)
    tilt = _tilt(sizes, counts, total) if total else 0.0
    length = _window(steps, counts)
    first = max(center - length // 2, 0)
    roots = np.exp(-2j * np.pi / length * np.arange(length))  # closed under powers
    frequencies = np.arange(length // 2 + 1)
    transform = roots[-first * frequencies % length]
    for step, count in zip(steps.tolist(), counts.tolist(), strict=True):
        member = 1 / (1 + math.exp(min(2 * tilt * step, 700.0)))
        transform *= (1 - member + member * roots[step * frequencies % length]) ** count
    last = min(at_most, first + length - 1)
    distribution = np.maximum(np.fft.irfft(transform, length)[: max(last - first + 1, 0)], 0.0)
    distance = np.arange(first, first + distribution.size) - center
    scale = math.exp(_cumulant(sizes, counts, tilt) - tilt * total)
    return first, scale * distribution * np.exp(np.minimum(2 * tilt * distance, 0.0))
