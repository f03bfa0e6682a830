"""The interval of the expected calibration error.

The estimate is biased upwards: a calibrated model has an error above 0 by chance, and resampling
adds the same again. The lower end is the largest fraction of the observed gaps for which these and
normal noise together exceed the observed error less often than a tail; 0 if noise alone suffices.
The upper end follows from random weights with the unseen row that adds most to the gaps, less the
bias that is due to weights alone.

For the maximum calibration error no reliable method was found, so its interval is NaN.
"""

import math
from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.weighted_units import DrawnScore, weighted_distributions
from ...statistics.resampling.row_units import RowUnits, cluster_values
from .areas import RowScores

_NOISE = 2_000  # normal numbers of each bin
_PARTS = 64  # of a bin, within which rows are joined if there are many
_MANY = 5_000  # units, from which they are joined
_BISECTIONS = 40


def calibration_interval(
    value: float,
    rows: RowScores,
    upper_edges: Floats,
    lower_edges: Floats,
    clusters: Integers | None,
    *,
    confidence_level: float,
    method: str,
    n_resamples: int,
    seed: int,
) -> Interval:
    """Return the interval of an expected calibration error.

    Args:
        value: the error.
        rows: probabilities, whether rows are positive, and weights.
        upper_edges: the upper edges of bins with rows, ascending; a bin includes its upper edge.
        lower_edges: the lower edges of the same bins.
        clusters: the number of the cluster of each row; None if rows are independent.
        confidence_level: strictly between 0 and 1.
        method: ignored; "bootstrap" is handled elsewhere.
        n_resamples: the number of draws.
        seed: for the draws.
    """
    n_clusters = None if clusters is None else int(clusters.max(initial=-1)) + 1
    if math.isnan(value):
        return Interval(math.nan, math.nan, "debiased", math.nan, None, n_clusters)
    p, y = rows.scores, rows.positive.astype(np.float64)
    w = np.ones(p.size) if rows.weights is None else rows.weights
    bins = np.minimum(upper_edges.searchsorted(p), upper_edges.size - 1)
    size, tail = upper_edges.size, (1 - confidence_level) / 2
    table = np.zeros((p.size, size + 1))
    table[np.arange(p.size), bins], table[:, size] = (y - p) * w, w
    units = cluster_values(table, clusters)
    units = units[np.lexsort(units.T[::-1])]
    total = units.sum(axis=0)
    gaps, mass = total[:size], float(total[size])

    change = np.stack([-upper_edges, 1 - lower_edges])
    side, cell = np.unravel_index((np.abs(gaps + change) - np.abs(gaps)).argmax(), change.shape)
    sizes = units[:, size]
    unseen_size = float(np.sort(sizes * sizes).sum()) / mass
    unseen = np.zeros(size + 1)
    unseen[cell], unseen[size] = change[side, cell] * unseen_size, unseen_size

    def measure(sums: Floats, _: Any) -> dict[str, Floats]:
        return {"ece": np.abs(sums[:size]).sum(axis=0) / sums[size]}

    kinds, counts = _kinds(units, size, clusters is None)
    draws = weighted_distributions(
        RowUnits(counts, kinds),
        {"ece": DrawnScore(value, unseen, unseen)},
        measure,
        n_resamples=n_resamples,
        seed=seed,
    )["ece"]
    high = float(np.quantile(draws.upper, 1 - tail)) - max(draws.bias, 0.0)

    noise = _noise(units, bins, p, w, size, clusters is None)
    chance = np.random.RandomState(np.random.PCG64(seed + 1))
    z = chance.standard_normal((_NOISE, size)) * np.sqrt(noise)
    low = _least_part(gaps, z, value * mass, 1 - tail) * value
    if n_clusters == 1:  # clusters cannot be compared: the error may be chance
        low = 0.0
    high = min(max(high, value), 1.0)
    return Interval(low, high, "debiased", draws.standard_error, None, n_clusters)


def _kinds(units: Floats, size: int, are_rows: bool) -> tuple[Floats, Integers]:
    """Distinct units and their counts; many rows are joined within parts of bins."""
    if not are_rows or len(units) <= _MANY:
        kinds, counts = np.unique(units, axis=0, return_counts=True)
        return kinds, counts
    bins = np.abs(units[:, :size]).argmax(axis=1)
    errors = units[np.arange(len(units)), bins] / units[:, size]
    part = np.floor((errors + 1) * (_PARTS / 2)).astype(np.int64)
    codes, inverse, counts = np.unique(
        bins * (_PARTS + 1) + part, return_inverse=True, return_counts=True
    )
    means = np.zeros((codes.size, size + 1))
    np.add.at(means, inverse, units)
    return means / counts[:, np.newaxis], counts


def _noise(
    units: Floats, bins: Integers, p: Floats, w: Floats, size: int, are_rows: bool
) -> Floats:
    """Return the variance of the gap of each bin.

    By its probabilities, or as observed if larger.
    """
    if not are_rows:
        number = len(units)
        deviations = units[:, :size] - units[:, :size].mean(axis=0)
        between_squares: Floats = np.square(deviations).sum(axis=0) * (number / max(number - 1, 1))
        return between_squares
    order = np.lexsort((w, p, bins))
    expected = np.bincount(bins[order], (p * (1 - p) * w * w)[order], size)
    is_row = units[:, :size] != 0
    counts = np.bincount(bins, minlength=size)
    squares = np.where(is_row, np.square(units[:, :size]), 0.0).sum(axis=0)
    sums = units[:, :size].sum(axis=0)
    within_squares = np.maximum(squares - sums * sums / np.maximum(counts, 1), 0.0)
    observed_variance = within_squares * np.where(
        counts > 1, counts / np.maximum(counts - 1, 1), 1.0
    )
    noise: Floats = np.maximum(expected, observed_variance)
    return noise


def _least_part(gaps: Floats, noise: Floats, observed: float, level: float) -> float:
    """Return the largest fraction of the gaps that, with noise, stays below the observed error."""

    def reaches(part: float) -> Any:
        return np.quantile(np.abs(part * gaps + noise).sum(axis=1), level) < observed

    if not reaches(0.0):
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if reaches(middle) else (low, middle)
    return low
