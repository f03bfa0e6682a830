"""Confidence intervals by resampling: the percentile bootstrap of a mean.

A resample draws the original number of scores with replacement. Its mean depends only on how often
each distinct score was drawn, so the input is a multiset of scores.

Results are equal to the last bit on every machine, for any order of rows and number of threads.
Random numbers are raw words of PCG64, whose stream numpy guarantees. Scores become integers, so
every sum is exact. Floating point is left with single IEEE operations, and with running products
and sums whose order is fixed.
"""

import math
import sys
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from ..arguments.arrays import Floats, Integers
from ..arguments.checks import RowError
from ..arguments.domains import Level, Resamples, Seed, checked_options
from .draws import BLOCK, RandomWords, RowNumbers, binomial_distribution
from .progress import report, step
from .resampled_totals import RESAMPLES, attempted, poisson_totals

_FREQUENT = 16  # rows of a score, from which drawing a count is cheaper than drawing rows
_UNDEFINED = np.full(2, math.nan)
_LISTED = 1 << 22  # rows (32 MB) up to which they are listed for drawing; more are searched for


@checked_options
def mean_interval(
    values: npt.ArrayLike,
    counts: npt.ArrayLike | None = None,
    *,
    confidence_level: Level,
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
) -> tuple[float, float]:
    """Lower and upper end of the percentile bootstrap interval of a mean.

    The ends are the quantiles (1 - confidence_level) / 2 and (1 + confidence_level) / 2 of the
    means of `n_resamples` resamples, interpolated linearly as in `numpy.quantile`, and so as in
    `scipy.stats.bootstrap(method="percentile")`.

    One distinct score is its own interval. With two, as in exact match, the resampled mean follows
    a binomial distribution and the ends are the quantiles of the binomial itself, which infinitely
    many resamples would give: `n_resamples` and `seed` have no effect there.

    A score that occurs in 16 rows or more is drawn as a count, the others row by row, so the time
    grows with the number of rows only if scores do not repeat. Memory beyond the input is at
    most some 45 bytes per row and 12 per resample; 8 of these are its mean, as quantiles need all
    means.

    To make sums exact, scores are rounded to multiples of a small unit, which moves an end by at
    most rows * 2**-61 + 2**-53 of the range of the scores: 5e-13 of it at a million rows.

    Args:
        values: scores in any order, shape (rows,); with `counts`, each score stands for that many
            rows.
        counts: positive integers in the shape of `values`; None for one each.
        confidence_level: strictly between 0 and 1, for example 0.95.
        n_resamples: the number of resamples, at least 1.
        seed: for the random numbers, at least 0; the same seed gives the same interval.

    Returns:
        The two ends. They never leave the range of the scores.

    Raises:
        ValueError: no scores, or 2**32 and more; a score that is not a finite number; counts of
            another shape, or not positive integers; an option out of its range.

    Source:
        Efron and Tibshirani, An Introduction to the Bootstrap (1993), section 13.3.

    Examples:
        >>> low, high = mean_interval([0.0, 0.5, 1.0, 1.0, 0.8, 0.0], confidence_level=0.95)
        >>> print(f"{low:.2f} to {high:.2f}")
        0.22 to 0.88
        >>> mean_interval([0.0, 1.0], [30, 70], confidence_level=0.95)
        (0.61, 0.79)
        >>> mean_interval([0.25], confidence_level=0.95)
        (0.25, 0.25)
    """
    scores, occurrences = _multiset(values, counts)
    minimum, maximum = float(scores[0]), float(scores[-1])
    if scores.size == 1:
        return minimum, maximum

    rows = int(occurrences.sum())
    units, exponent = _in_units(scores, rows)
    lower = (1 - Fraction(float(confidence_level))) / 2
    if scores.size == 2:
        # The lesser score is 0 units, so a sum is the greater one times a binomial number.
        ends = _binomial_ends(rows, int(occurrences[1]), float(lower))
        low, high = (Fraction(times * int(units[1])) for times in ends)
    else:
        words = RandomWords(int(seed))
        sums = _resampled_sums(words, units, occurrences, int(n_resamples))
        sums.sort()
        low, high = _quantile(sums, lower), _quantile(sums, 1 - lower)

    def mean(total: Fraction) -> float:
        # Fractions round once, at the end. The largest score may have been rounded up to a unit.
        exact = Fraction(minimum) + total / rows * Fraction(2) ** exponent
        return float(min(exact, Fraction(maximum)))

    return mean(low), mean(high)


def percentile_ends(values: Floats, confidence_level: float) -> Floats:
    """Return the ends of the percentile interval of resampled values; NaN values are left out.

    Beyond the values this takes 9 bytes a resample.

    Args:
        values: shape (resamples,), or (resamples, columns) for an interval of each column.
        confidence_level: strictly between 0 and 1.

    Returns:
        The quantiles (1 - confidence_level) / 2 and (1 + confidence_level) / 2 as in
        `numpy.quantile`, shape (2,) or (columns, 2), but infinite between two infinite values;
        NaN for a column that has only NaN.

    >>> percentile_ends(np.array([3.0, 1.0, math.nan, 2.0]), 0.5).tolist()
    [1.5, 2.5]
    """
    levels = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    columns = values.reshape(len(values), -1).T
    return np.array([_ends(column, levels) for column in columns]).reshape(*values.shape[1:], 2)


def _ends(values: Floats, levels: Sequence[float]) -> Floats:
    """Return the quantiles of the values that are not NaN."""
    defined = values[~np.isnan(values)]
    if not defined.size:
        return _UNDEFINED
    with np.errstate(invalid="ignore"):  # between two infinite values
        ends = np.quantile(defined, levels, overwrite_input=True)
    if np.isnan(ends).any():
        ends = np.where(np.isnan(ends), np.quantile(defined, levels, method="higher"), ends)
    return ends


def deviation(values: Floats) -> float:
    """Return the standard deviation; NaN for less than two values. Overwrites the values.

    The result equals `np.std(values, ddof=1)`, without further arrays.

    >>> bool(deviation(np.array([1.0, 2.0, 4.0])) == np.std([1.0, 2.0, 4.0], ddof=1))
    True
    """
    if values.size < 2:
        return math.nan
    with np.errstate(invalid="ignore"):  # the deviation of infinite values is NaN
        values -= values.mean()
        np.multiply(values, values, out=values)
    return math.sqrt(float(values.sum()) / (values.size - 1))


def _multiset(values: npt.ArrayLike, counts: npt.ArrayLike | None) -> tuple[Floats, Integers]:
    """Distinct scores, ascending, and their counts."""
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "fiub"):
        raise ValueError(
            f"values must be a flat list of numbers, got shape {array.shape} of {array.dtype}"
        )
    if not array.size:
        raise ValueError("values is empty; the mean of nothing is undefined")
    scores = array.astype(np.float64, copy=False)
    finite = np.isfinite(scores)
    if not finite.all():
        row = int(finite.argmin())
        raise RowError("values", row, f"is {scores[row]}; every score must be finite")

    if counts is None:
        scores = np.sort(scores)
        starts = _run_starts(scores)
        occurrences = np.diff(starts, append=scores.size)
    else:
        weights = _checked_counts(counts, scores.size)
        order = np.argsort(scores)
        scores = scores[order]
        starts = _run_starts(scores)
        occurrences = np.add.reduceat(weights[order], starts)
    # 0.0 and -0.0 are equal, hence one score; adding 0.0 makes it the positive one.
    return scores[starts] + 0.0, occurrences


def _checked_counts(counts: npt.ArrayLike, size: int) -> Integers:
    """Return the counts of this many values, checked to be positive and not too many in total."""
    array = np.asarray(counts)
    if array.shape != (size,) or array.dtype.kind not in "iu":
        raise ValueError(
            f"counts must be one integer for each of {size} values, "
            f"got shape {array.shape} of {array.dtype}"
        )
    if array.min() < 1:
        row = int((array < 1).argmax())
        raise RowError("counts", row, f"is {array[row]}; every value must occur at least once")
    if array.max() >= 2**32 or array.sum(dtype=np.int64) >= 2**32:
        raise ValueError("counts must add up to less than 2**32")
    return array.astype(np.int64)


def _run_starts(ascending: Floats) -> Integers:
    """Where each distinct value of a sorted array begins."""
    return np.append(0, np.flatnonzero(ascending[1:] != ascending[:-1]) + 1)


def _in_units(scores: Floats, rows: int) -> tuple[Integers, int]:
    """Ascending scores as multiples of 2**exponent above the least one, and the exponent.

    This many rows of the largest score add up to at most 2**62 units, which int64 holds.
    """
    # A range beyond float64 is treated as half as large, which still fits into int64.
    span = min(float(scores[-1]) - float(scores[0]), sys.float_info.max)
    exponent = math.frexp(span)[1] + rows.bit_length() - 62
    # Scaling comes before the difference, which might overflow.
    scaled = np.ldexp(scores, -exponent)
    return np.rint(scaled - scaled[0]).astype(np.int64), exponent


def _quantile(ascending: Integers, level: Fraction) -> Fraction:
    """Quantile interpolated between the two nearest order statistics, without rounding."""
    position = level * (ascending.size - 1)
    lower, upper = math.floor(position), math.ceil(position)
    start = int(ascending[lower])
    return start + (int(ascending[upper]) - start) * (position - lower)


def _binomial_ends(trials: int, successes: int, tail: float) -> tuple[int, int]:
    """Return the least k with P(at most k) >= tail, and the least k with P(more than k) <= tail.

    A trial succeeds with the probability successes / trials.
    """
    failures = trials - successes
    first, cumulative = binomial_distribution(trials, successes, failures)
    low = first + int(cumulative.searchsorted(tail))
    # The upper tail is the lower tail of the failures, where small numbers keep their digits.
    first, cumulative = binomial_distribution(trials, failures, successes)
    high = trials - first - int(cumulative.searchsorted(tail, side="right"))
    return low, high


def _resampled_sums(
    words: RandomWords, units: Integers, occurrences: Integers, n_resamples: int
) -> Integers:
    """Return the sum of each resample of a multiset, in units.

    How often each score is drawn is multinomial. So are independent Poisson numbers, given their
    total. Each frequent score therefore gets a Poisson number, and the rare ones get one together;
    the missing rows are drawn from all rows; see `poisson_totals`. The distribution is
    exactly that of drawing row by row, at the cost of one number for each frequent score, the rare
    rows, and some 3 sqrt(rows) rows more.

    Random words are used in this order: for each frequent score, ascending, a word for each
    resample; the same for the rare ones together; rare rows; missing rows.
    """
    rows = int(occurrences.sum())
    sums = np.zeros(n_resamples, np.int64)
    blocks = [slice(start, start + RESAMPLES) for start in range(0, n_resamples, RESAMPLES)]
    frequent = occurrences >= _FREQUENT
    if not frequent.any():
        all_rows = _DrawnRows(words, units, occurrences)
        for number, block in enumerate(blocks):
            with step(number, len(blocks)):
                sums[block] = all_rows.sums(np.full(sums[block].size, rows))
        return sums

    rare_rows = int(occurrences[~frequent].sum())
    kinds, amounts = occurrences[frequent].tolist(), units[frequent]
    cells = np.zeros((len(kinds), 1), np.int64)
    if rare_rows:  # the last kind, counted in a place of its own
        kinds, amounts = [*kinds, rare_rows], np.append(amounts, 1)
        cells = np.append(cells, [[1]], axis=0)
    origin = words.position
    totals = poisson_totals(words, kinds, cells, amounts[:, np.newaxis], 2, n_resamples)
    words.go_to(origin + len(kinds) * attempted(n_resamples))
    rare = _DrawnRows(words, units[~frequent], occurrences[~frequent]) if rare_rows else None
    words.go_to(origin)
    lacking = np.zeros(n_resamples, np.uint32)  # there are less than 2**32 rows
    start = 0
    with step(0, 2):
        for (frequent_sums, rare_counts), lacking_rows in totals:
            stop = start + lacking_rows.size
            sums[start:stop] = frequent_sums
            lacking[start:stop] = lacking_rows
            if rare is not None:
                sums[start:stop] += rare.sums(rare_counts)
            start = stop
    words.go_to(origin + len(kinds) * attempted(n_resamples) if rare is None else rare.end)
    all_rows = _DrawnRows(words, units, occurrences)
    for number, block in enumerate(blocks):
        with step(len(blocks) + number, 2 * len(blocks)):
            sums[block] += all_rows.sums(lacking[block].astype(np.int64))
    return sums


class _DrawnRows:
    """Rows that are drawn from a multiset, all equally likely, from the next random word on."""

    def __init__(self, words: RandomWords, units: Integers, occurrences: Integers) -> None:
        self._units = units
        self._rows_up_to = np.cumsum(occurrences)
        rows = int(self._rows_up_to[-1])
        self._numbers = RowNumbers(words, rows)
        self._listed: Integers | None = None
        if rows <= max(_LISTED, _FREQUENT * units.size):
            self._listed = np.repeat(units, occurrences)

    @property
    def end(self) -> int:
        """Return the position of the word after those of all rows so far."""
        return self._numbers.end

    def sums(self, draws: Integers) -> Integers:
        """Return the sums of this many draws for each of the next resamples, in units."""
        sums = np.zeros(draws.size, np.int64)
        drawing = np.flatnonzero(draws)  # reduceat knows no empty sums
        ends = np.cumsum(draws[drawing])
        all_draws = int(draws.sum())
        for start in range(0, all_draws, BLOCK):
            report(start / all_draws)
            stop = min(start + BLOCK, all_draws)
            row = self._numbers.next(stop - start)
            if self._listed is None:
                row_units = self._units.take(self._rows_up_to.searchsorted(row, side="right"))
            else:
                row_units = self._listed.take(row)
            # A resample may begin before this block, or end after it.
            first = int(ends.searchsorted(start, side="right"))
            last = int(ends.searchsorted(stop))
            begins = np.append(0, ends[first:last] - start)
            sums[drawing[first : last + 1]] += np.add.reduceat(row_units, begins)
        return sums
