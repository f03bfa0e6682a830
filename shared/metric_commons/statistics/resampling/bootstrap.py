"""Confidence intervals by resampling: the percentile bootstrap of a mean.

A resample draws the original number of scores with replacement. Its mean depends only on how often
each distinct score was drawn, so the input is a multiset of scores.

Results are the same for any order of rows and number of threads, since every sum is exact.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..arguments.arrays import Floats, Integers
from ..arguments.checks import RowError
from ..arguments.domains import Level, Resamples, Seed, checked_options
from ..arithmetic.exact_sums import Multiset
from .draws import gathered
from .row_units import RowUnits

_UNDEFINED = np.full(2, math.nan)


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

    Scores that occur in 32 rows or more, on average, are drawn as counts, so the time grows with
    the number of rows only if scores do not repeat.

    To make sums exact, scores are rounded to multiples of a small unit, which moves an end by at
    most rows * 2**-51 of the range of the scores: 5e-10 of it at a million rows.

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
    multiset = _multiset(values, counts)
    scores = multiset.values
    # In units near the largest score no sum overflows.
    exponent = math.frexp(float(np.abs(scores).max()))[1]
    scaled = np.ldexp(scores, -exponent)
    units = RowUnits(multiset.counts, (scaled - scaled[0])[:, np.newaxis])
    blocks = units.resampled(n_resamples=int(n_resamples), seed=int(seed))
    sums = gathered(({"": block[0]} for block in blocks), int(n_resamples))[""]
    ends = scaled[0] + percentile_ends(sums, float(confidence_level)) / len(units)
    low, high = np.ldexp(np.clip(ends, scaled[0], scaled[-1]), exponent).tolist()
    return low, high


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


def _multiset(values: npt.ArrayLike, counts: npt.ArrayLike | None) -> Multiset:
    """Return the scores with their counts."""
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
        return Multiset.from_values(scores)
    return Multiset.sum([Multiset(scores + 0.0, _checked_counts(counts, scores.size))])


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
