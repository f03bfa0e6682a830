"""The power of paired tests, and the number of rows that it takes to find a difference.

The observed power of a completed test says nothing beyond its p-value. These functions are for
planning, and for the smallest difference that a test could have found.

The functions need only a standard deviation, and are for Student's t-test of normal differences.
`Pilot` has the differences of rows, and is for the sign-flip test of `compare`. For scores 0 and 1
that test is exact and has less power than the t-test, so it takes more rows. `CrossedPilot` is for
Student's t-test of rows in which each item has each template.

Source:
    Cohen, Statistical Power Analysis for the Behavioral Sciences (1988). Card et al., With little
    power comes great responsibility (2020).
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments.arrays import Floats
from ..arguments.checks import OptionError
from ..arguments.domains import (
    Count,
    Labels,
    Level,
    NonNegative,
    Positive,
    Proportion,
    check_option,
)
from ..intervals.cluster_sums import ClusterSums
from ..intervals.crossed import CrossedClusters
from ..intervals.proportions import clopper_pearson
from .paired_tests import summed_differences
from .sign_flips import common_step, saddlepoint_tail

_BISECTIONS = 200  # until two neighbouring floats remain
_DISTINCT = 1 << 10  # if there are more sizes of differences, some are joined
_MOST_ROWS = 1 << 50  # that are planned
_MOST = 1 << 30  # labels of a field
_SHORTFALLS = -8.0, 8.0  # of means, in standard errors
_ALMOST = 1 - 1e-9  # of the largest difference, up to which a mean difference is possible


def power_of(effect: float, deviation: float, rows: int, alpha: float = 0.05) -> float:
    """Return the probability that the two-sided paired t-test finds a mean difference.

    It follows from the noncentral t distribution, as in statsmodels' `TTestPower` and R's
    `power.t.test` with `strict = TRUE`.

    Args:
        effect: the true mean difference.
        deviation: the standard deviation of differences, at least 0.
        rows: the number of rows, at least 2.
        alpha: the level of the test.

    Raises:
        ValueError: an argument is out of its range.

    >>> round(power_of(0.02, 0.4, 1000), 4)
    0.352
    """
    from scipy.special import chdtr, nctdtr, stdtrit

    _check(deviation, alpha)
    if rows < 2:
        raise OptionError("rows", f"must be at least 2, got {rows!r}")
    if not deviation:
        return 1.0 if effect else alpha
    shift = abs(effect) / deviation * math.sqrt(rows)
    critical = -float(stdtrit(rows - 1, alpha / 2))
    upper = 1 - float(nctdtr(rows - 1, shift, critical))
    lower = float(nctdtr(rows - 1, shift, -critical))
    if math.isnan(upper):  # a shift so large that chance is in the observed deviation alone
        excess = shift / critical
        upper = float(chdtr(rows - 1, (rows - 1) * (excess * excess)))
    return upper if math.isnan(lower) else upper + lower


def minimum_detectable(
    deviation: float, rows: int, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Return the mean difference that the two-sided paired t-test finds with this power.

    NaN for one row.

    Args:
        deviation: the standard deviation of differences, at least 0.
        rows: the number of rows.
        alpha: the level of the test.
        power: the probability of finding it.

    Raises:
        ValueError: an argument is out of its range.

    >>> round(minimum_detectable(0.4, 1000), 4)
    0.0355
    """
    _check(deviation, alpha)
    check_option("power", power, Level)
    if rows < 2:
        return math.nan
    low, high = 0.0, deviation / math.sqrt(rows)
    while high and power_of(high, deviation, rows, alpha) < power:
        low, high = high, 2 * high
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        sufficient = power_of(middle, deviation, rows, alpha) >= power
        low, high = (low, middle) if sufficient else (middle, high)
    return high


def required_rows(
    effect: float, deviation: float, alpha: float = 0.05, power: float = 0.8
) -> int | None:
    """Return the smallest number of rows with which the two-sided paired t-test has this power.

    Args:
        effect: the true mean difference, not 0.
        deviation: the standard deviation of differences, at least 0.
        alpha: the level of the test.
        power: the probability of finding it.

    Returns:
        None if a quadrillion rows are too few.

    Raises:
        ValueError: an argument is out of its range.

    >>> required_rows(0.02, 0.4)
    3142
    """
    _check(deviation, alpha)
    check_option("power", power, Level)
    if not effect or not math.isfinite(effect):
        raise OptionError("effect", f"must be a finite number other than 0, got {effect!r}")
    return fewest(lambda rows: rows > 1 and power_of(effect, deviation, rows, alpha) >= power)


def fewest(is_enough: Callable[[int], bool], least: int = 1, most: int = _MOST_ROWS) -> int | None:
    """Return the smallest number from `least` on that is enough; larger ones are enough, too.

    None if `most` is not.

    >>> fewest(lambda rows: rows**2 > 50)
    8
    """
    low, high = least - 1, least
    while not is_enough(high):
        low, high = high, 2 * high
        if high > most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def required_labels(
    half_width: float,
    *,
    rate: float = 0.5,
    correlation: float = 0.0,
    rows: int | None = None,
    confidence_level: float = 0.95,
) -> int | None:
    """The fewest labels with which the interval of a rate is at most this wide to either side.

    The interval is Clopper and Pearson's at the rate. A judge of all rows whose verdicts correlate
    with the labels makes n labels worth n / (1 - r**2 (1 - n / M)) labels alone, for M rows: the
    effective sample size of ppi-python. A pilot of 30 to 50 labels gives the rate and r.

    Args:
        half_width: half the width of the interval, strictly between 0 and 0.5.
        rate: the expected rate.
        correlation: r of verdicts and labels, strictly between -1 and 1; 0 without a judge.
        rows: the number of rows with verdicts, including the labelled ones; None for an unlimited
            number.
        confidence_level: strictly between 0 and 1.

    Returns:
        The number of labels; None if not even labels of all rows suffice, so that more rows are
        needed.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        Broska, Howes and van Loon, The mixed subjects design (2025).

    >>> required_labels(0.05, rate=0.8), required_labels(0.05, rate=0.8, correlation=0.7, rows=1000)
    (264, 155)
    >>> required_labels(0.01, rows=1000) is None
    True
    """
    if not 0 < half_width < 0.5:
        raise OptionError("half_width", f"must be strictly between 0 and 0.5, got {half_width!r}")
    if not -1 < correlation < 1:
        raise OptionError("correlation", f"must be strictly between -1 and 1, got {correlation!r}")
    check_option("rate", rate, Proportion)
    check_option("rows", rows, Count | None)
    check_option("confidence_level", confidence_level, Level)

    def is_wide(labels: int) -> bool:
        unseen = 1.0 if rows is None else 1 - labels / rows
        worth = labels / (1 - correlation**2 * unseen)
        low, high = clopper_pearson(rate * worth, worth, confidence_level)
        return (high - low) / 2 > half_width

    if rows is not None and is_wide(rows):
        return None
    return fewest(lambda labels: labels >= (rows or math.inf) or not is_wide(labels))


def _check(deviation: float, alpha: float) -> None:
    """Check that the deviation and the level are valid."""
    check_option("alpha", alpha, Level)
    check_option("deviation", deviation, NonNegative)


# ---- rows of a pilot ----------------------------------------------------------------------------


class Pilot:
    """The rows of a pilot, for planning a comparison by the sign-flip test.

    The rows to be drawn are like the rows of the pilot, but favor one system by the effect:
    each difference may have either sign, and those in favor are more frequent, by a factor that
    grows exponentially with the difference. So differences of scores 0 and 1 stay -1, 0 and 1.
    The power is the probability that the mean difference does not fall short of the smallest
    significant one; its p-value is that of a sample in which every size of differences is as
    frequent as expected at this mean. Up to 1,024 sizes are distinguished.

    Args:
        differences: A - B, shape (rows,).
        clusters: one label per row, or the sums of the differences by cluster; then clusters of the
            same kind are planned, and `rows` below counts them.

    Raises:
        ValueError: no differences, one that is not a finite number, or labels of another number of
            rows.

    Source:
        Noether, Sample size determination for some common nonparametric tests (1987).

    >>> pilot = Pilot([1.0] * 5 + [-1.0] * 3 + [0.0] * 42)
    >>> pilot.required_rows(0.05)
    552
    >>> print(f"{pilot.power_of(0.05, 500):.2f} {pilot.minimum_detectable(500):.3f}")
    0.76 0.053
    """

    def __init__(
        self, differences: ArrayLike, clusters: Labels | ClusterSums | None = None
    ) -> None:
        values, sums = summed_differences(differences, clusters)
        if sums is not None:
            values = sums.sums() / (values.size / len(sums))
        sizes, counts = np.unique(np.abs(values), return_counts=True)
        self._unit = 2.0 ** (math.frexp(sizes[-1])[1] - 1)  # no square of a size is infinite
        sizes = sizes / self._unit
        self._step = common_step(np.repeat(sizes, counts))
        if sizes.size > _DISTINCT:
            parts = np.array_split(np.repeat(sizes, counts), _DISTINCT)
            sizes = np.array([math.sqrt(float(np.square(part).mean())) for part in parts])
            counts = np.array([part.size for part in parts])
        self._sizes = sizes
        self._frequencies = counts / counts.sum()

    def power_of(self, effect: float, rows: int, alpha: float = 0.05) -> float:
        """Return the probability that the two-sided sign-flip test finds a mean difference.

        Args:
            effect: the true mean difference, above 0.
            rows: the number of rows, or clusters, at least 1.
            alpha: the level of the test.

        Returns:
            NaN if the rows of the pilot differ by less than the effect.

        Raises:
            ValueError: an argument is out of its range.
        """
        check_option("effect", effect, Positive)
        check_option("alpha", alpha, Level)
        if rows < 1:
            raise OptionError("rows", f"must be at least 1, got {rows!r}")
        effect /= self._unit
        if effect >= self._sizes[-1] * _ALMOST:
            return math.nan
        from scipy.special import ndtr

        deviation = self._deviation(effect)
        shortfall = _root(
            lambda z: self._p_value(effect - z * deviation / math.sqrt(rows), rows) - alpha,
            *_SHORTFALLS,
        )
        return float(ndtr(shortfall))

    def minimum_detectable(self, rows: int, alpha: float = 0.05, power: float = 0.8) -> float:
        """Return the mean difference that the test finds with this power; NaN if it finds none.

        Args:
            rows: the number of rows, or clusters.
            alpha: the level of the test.
            power: the probability of finding it.

        Raises:
            ValueError: an argument is out of its range.
        """
        check_option("alpha", alpha, Level)
        check_option("power", power, Level)
        largest = float(self._sizes[-1]) * _ALMOST
        if rows < 1 or not largest or self._excess(largest, rows, alpha, power) > 0:
            return math.nan
        effect = _root(lambda effect: self._excess(effect, rows, alpha, power), 0.0, largest)
        return effect * self._unit

    def required_rows(self, effect: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
        """Return the number of rows, or clusters, with which the test has this power.

        Args:
            effect: the true mean difference, above 0.
            alpha: the level of the test.
            power: the probability of finding it.

        Returns:
            None if the rows of the pilot differ by less than the effect.

        Raises:
            ValueError: an argument is out of its range.
        """
        check_option("effect", effect, Positive)
        check_option("alpha", alpha, Level)
        check_option("power", power, Level)
        effect /= self._unit
        if effect >= self._sizes[-1] * _ALMOST:
            return None
        return fewest(lambda rows: self._excess(effect, rows, alpha, power) < 0)

    def _excess(self, effect: float, rows: int, alpha: float, power: float) -> float:
        """Return the excess of the p-value over alpha if the mean falls as short as it may."""
        from scipy.special import ndtri

        shortfall = float(ndtri(power)) * self._deviation(effect) / math.sqrt(rows)
        return self._p_value(effect - shortfall, rows) - alpha

    def _p_value(self, mean: float, rows: int) -> float:
        """Return the p-value of a sample with this mean difference."""
        largest = float(self._sizes[-1])
        if mean <= 0:
            return 1.0
        if mean < largest * _ALMOST:
            shares = self._shares(mean)
        else:
            mean, shares = largest, np.where(self._sizes == largest, 1.0, 0.0)
        total = max(rows * mean - self._step, 0.0)
        return min(2 * saddlepoint_tail(self._sizes, rows * shares, total), 1.0)

    def _deviation(self, mean: float) -> float:
        """Return the standard deviation of rows with this mean difference."""
        if mean <= 0:
            return 0.0
        variance = float(self._shares(mean) @ np.square(self._sizes)) - mean * mean
        return math.sqrt(max(variance, 0.0))

    def _shares(self, mean: float) -> Floats:
        """Return the frequency of each size in rows like the pilot's with this mean difference."""
        sizes = self._sizes / self._sizes[-1]
        target = mean / float(self._sizes[-1])
        high = 1.0
        while self._tilted(sizes, high)[1] < target:
            high *= 2
        tilt = _root(lambda tilt: self._tilted(sizes, tilt)[1] - target, 0.0, high)
        return self._tilted(sizes, tilt)[0]

    def _tilted(self, sizes: Floats, tilt: float) -> tuple[Floats, float]:
        """Return the frequency of each size under a tilt, and the mean difference."""
        growth = tilt * (sizes - 1)  # relative to the largest, so that nothing overflows
        favorable, unfavorable = np.exp(growth), np.exp(-tilt * (sizes + 1))
        weights = self._frequencies * (favorable + unfavorable)
        weighted = self._frequencies * (favorable - unfavorable)
        total = float(weights.sum())
        return weights / total, float(weighted @ sizes) / total


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the point where a monotone function changes its sign.

    Otherwise the end nearer to it.
    """
    from scipy.optimize import brentq

    at_low, at_high = function(low), function(high)
    if at_low * at_high > 0:
        return low if abs(at_low) < abs(at_high) else high
    return float(brentq(function, low, high, xtol=1e-15 * max(abs(low), abs(high))))


# ---- crossed rows -------------------------------------------------------------------------------


class CrossedPilot:
    """The differences of crossed rows, for planning a comparison by Student's t.

    The variance of the mean has a part of each field and a rest:
    items / n + templates / m + rest / nm. More items do nothing for the part of the templates.

    Args:
        differences: A - B, shape (rows,).
        clusters: the labels of two fields, such as item and template, one per row.

    Raises:
        ValueError: there are not two fields, or they are not crossed and balanced.

    >>> pairs = [(item, template) for item in range(40) for template in range(4)]
    >>> differences = [item % 3 + template % 2 + item * template % 5 for item, template in pairs]
    >>> labels = {"item": [item for item, _ in pairs], "template": [t for _, t in pairs]}
    >>> pilot = CrossedPilot(differences, labels)
    >>> pilot.required("item", 1.5), pilot.required("template", 1.5)
    (None, 10)
    """

    def __init__(self, differences: ArrayLike, clusters: Mapping[str, Any]) -> None:
        values, _ = summed_differences(differences)
        if len(clusters) != 2:
            raise OptionError("clusters", f"must be two fields to plan, got {len(clusters)}")
        crossed = CrossedClusters.of_labels(clusters, values.size).sums(values)
        self.levels = dict(zip(clusters, crossed.levels, strict=True))
        self.parts = dict(crossed.parts)

    def standard_error(self, levels: Mapping[str, int]) -> tuple[float, float]:
        """Return the standard error of the mean with these numbers of labels, and its degrees."""
        (first, n), (second, m) = levels.items()
        rest = self.parts["rest"]
        squares = (rest + m * self.parts[first], n - 1), (rest + n * self.parts[second], m - 1)
        variance = max(squares[0][0] + squares[1][0] - rest, 0.0)
        total = sum(square**2 / degrees for square, degrees in squares)
        total += rest**2 / ((n - 1) * (m - 1))
        return math.sqrt(variance / (n * m)), max(variance**2 / total, 1.0) if total else 1.0

    def half_width(self, levels: Mapping[str, int], confidence_level: float = 0.95) -> float:
        """Return how far the interval reaches to either side with these numbers of labels."""
        from scipy.special import stdtrit

        error, degrees = self.standard_error(levels)
        return -float(stdtrit(degrees, (1 - confidence_level) / 2)) * error

    def power_of(self, effect: float, levels: Mapping[str, int], alpha: float = 0.05) -> float:
        """Return the probability that a two-sided test finds this mean difference."""
        from scipy.special import nctdtr, stdtrit

        error, degrees = self.standard_error(levels)
        if not error:
            return 1.0
        critical = -float(stdtrit(degrees, alpha / 2))
        return 1 - float(nctdtr(degrees, effect / error, critical))

    def required(
        self, field: str, effect: float, alpha: float = 0.05, power: float = 0.8
    ) -> int | None:
        """Return how many labels of a field find an effect with this power, all else being equal.

        None if no number does, since the other field varies too much.

        Raises:
            ValueError: an argument is out of its range.
        """
        check_option("effect", effect, Positive)
        check_option("alpha", alpha, Level)
        check_option("power", power, Level)
        return self._fewest(field, 2, lambda levels: self.power_of(effect, levels, alpha) >= power)

    def worth(self, field: str, more: int, other: str) -> int | None:
        """Return how many more labels of another field narrow the interval as much as these.

        None if no number does.
        """
        width = self.half_width({**self.levels, field: self.levels[field] + more})
        present = self.levels[other]
        number = self._fewest(other, present, lambda levels: self.half_width(levels) <= width)
        return None if number is None else number - present

    def _fewest(self, field: str, least: int, is_enough: Any) -> int | None:
        """Return the fewest labels of a field, all else being equal, that are enough."""
        return fewest(lambda number: is_enough({**self.levels, field: number}), least, _MOST)
