"""Calibration: whether events occur as often as their predicted probabilities say, in bins.

Source:
    Naeini, Cooper and Hauskrecht, Obtaining well calibrated probabilities using Bayesian binning
    (2015), for the expected and the maximum calibration error.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.weighted_units import (
    DrawnScore,
    unit_intervals,
    weighted_draws,
)
from ...statistics.resampling.row_units import RowUnits, cluster_values
from .areas import RowScores
from .curves import ScoreCounts


@dataclass(frozen=True)
class Calibration:
    """Bins of probabilities, ascending, without empty bins.

    Args:
        predicted: the mean probability in each bin.
        observed: the proportion of positives in each bin.
        rows: the number of rows in each bin, or the sum of their weights.
        lowers: the lower edge of each bin.
        uppers: the upper edge.

    """

    predicted: list[float]
    observed: list[float]
    rows: list[Any]
    lowers: list[float]
    uppers: list[float]

    def errors(self) -> dict[str, float]:
        """Return the mean and the largest gap of the bins; NaN without bins."""
        if not self.rows:
            return dict.fromkeys(("ece", "mce"), math.nan)
        bins = zip(self.observed, self.predicted, strict=True)
        gaps = [abs(share - mean) for share, mean in bins]
        weighted = [gap * size for gap, size in zip(gaps, self.rows, strict=True)]
        return {"ece": math.fsum(weighted) / math.fsum(self.rows), "mce": max(gaps)}


def calibration(counts: ScoreCounts, bins: int, strategy: str = "uniform") -> Calibration:
    """Return the mean probability and the proportion of positives in bins of probabilities.

    A bin includes its upper edge but not its lower one, except for the first bin, which includes
    both, as in scikit-learn's `calibration_curve`.

    Args:
        counts: the counts of probabilities.
        bins: the number of bins.
        strategy: "uniform" for bins of equal width, "quantile" for bins with equal numbers of rows,
            as far as tied probabilities allow.

    >>> from .curves import score_counts
    >>> counts = score_counts(np.array([0.5, 0.4, 0.6]), np.array([True, False, True]))
    >>> result = calibration(counts, 2)
    >>> result.predicted, result.observed, result.rows
    ([0.45, 0.6], [0.5, 1.0], [2, 1])
    """
    rows = counts.positives + counts.negatives
    edges = np.linspace(0, 1, bins + 1)
    if strategy == "quantile":
        if counts.are_whole:
            edges = np.percentile(np.repeat(counts.scores, rows), edges * 100)
        else:
            edges = np.quantile(counts.scores, edges, weights=rows, method="inverted_cdf")
    stops = np.searchsorted(counts.scores, edges[1:-1], side="right").tolist()
    starts = sorted({0, *stops, counts.scores.size})
    slices = [slice(start, stop) for start, stop in pairwise(starts)]
    sizes = [rows[part].sum().item() for part in slices]
    totals = [float((rows[part] * counts.scores[part]).sum()) for part in slices]
    positives = [counts.positives[part].sum().item() for part in slices]
    unit = 2.0**counts.exponent if counts.exponent else 1  # without weights, rows stay integers
    lowers = [float(counts.scores[start]) for start in starts[:-1]]
    uppers = [float(counts.scores[stop - 1]) for stop in starts[1:]]
    if strategy == "uniform":
        uppers = [max(math.ceil(score * bins - 1e-9), 1) / bins for score in uppers]
        lowers = [upper - 1 / bins for upper in uppers]
    return Calibration(
        [total / size for total, size in zip(totals, sizes, strict=True)],
        [count / size for count, size in zip(positives, sizes, strict=True)],
        [size * unit for size in sizes],
        lowers,
        uppers,
    )


def bin_sums(rows: RowScores, binned: Calibration) -> tuple[Floats, Integers]:
    """Return what rows of weight 1 add to the gaps and weights of bins, and the bins of rows.

    The table has the shape (rows, 2 * bins).
    """
    size, every = len(binned.rows), np.arange(rows.scores.size)
    bins = np.minimum(np.searchsorted(binned.uppers, rows.scores), size - 1)
    table = np.zeros((bins.size, 2 * size))
    table[every, bins], table[every, size + bins] = rows.positive - rows.scores, 1.0
    return table, bins


def unseen_in_bins(binned: Calibration) -> Floats:
    """Return what rows that may come add: wholly false, or true, at the end of each bin."""
    size = len(binned.rows)
    candidates = np.tile(np.eye(size), (2, 2))
    candidates[:size, :size] *= -np.array(binned.uppers)
    candidates[size:, :size] *= 1 - np.array(binned.lowers)
    return candidates


def bin_scores(sums: Floats, _: object = None) -> dict[str, Floats]:
    """Return the calibration errors from the sums of bins, shape (2 * bins, draws)."""
    gaps, masses = np.split(np.abs(sums), 2)
    of_bins = np.divide(gaps, masses, out=np.zeros_like(gaps), where=masses > 0)
    return {"ece": gaps.sum(axis=0) / masses.sum(axis=0), "mce": of_bins.max(axis=0)}


_NOISE = 2_000  # normal numbers of each bin
_PARTS = 64  # of a bin, within which rows are joined if there are many
_MANY = 5_000  # units, from which they are joined
_BISECTIONS = 40


def calibration_intervals(
    rows: RowScores, binned: Calibration, uncertainty: Uncertainty
) -> dict[str, Interval]:
    """Return the intervals of the expected and of the maximum calibration error.

    The estimates are biased upwards: a calibrated model has an error above 0 by chance, and
    resampling adds the same again. The lower end is the largest fraction of the observed gaps for
    which these and normal noise together exceed the observed error less often than a tail; 0 if
    noise alone suffices. The upper end follows from random weights with the unseen row that adds
    most, less the bias that is due to weights alone.

    Args:
        rows: probabilities, whether rows are positive, and weights.
        binned: the bins with rows, at least one.
        uncertainty: the level and the clusters.
    """
    values, size, tail = binned.errors(), len(binned.rows), (1 - uncertainty.level) / 2
    numbers = uncertainty.numbers
    table, bins = bin_sums(rows, binned)
    w = np.ones(bins.size) if rows.weights is None else rows.weights
    units = cluster_values(table * w[:, np.newaxis], numbers)
    units = units[np.lexsort(units.T[::-1])]
    total = units.sum(axis=0)
    kinds, counts = _kinds(units, size, numbers is None)
    sizes = units[:, size:].sum(axis=1)
    candidates = unseen_in_bins(binned) * (float(np.sort(sizes**2).sum()) / sizes.sum())
    scores = {name: DrawnScore(value, candidates) for name, value in values.items()}
    of_kinds = RowUnits(counts, kinds)
    if uncertainty.method == "bootstrap":
        return unit_intervals(of_kinds, scores, bin_scores, uncertainty)
    laws = weighted_draws(of_kinds, scores, bin_scores, **uncertainty.draws)
    noise = np.sqrt(_noise(units, rows, bins, w, numbers is None))
    chance = np.random.RandomState(np.random.PCG64(int(uncertainty.seed) + 1))
    z = chance.standard_normal((_NOISE, size)) * noise
    masses = np.tile(total[size:], (_NOISE, 1))
    intervals = {}
    for name, value in values.items():
        low, high = 0.0, 1.0  # the fraction is between them
        for part in (0.0, *[None] * _BISECTIONS):
            middle = (low + high) / 2 if part is None else part
            errors = bin_scores(np.column_stack([middle * total[:size] + z, masses]).T)[name]
            if np.quantile(errors, 1 - tail) < value:
                low = middle
            else:
                high = middle
        low = 0.0 if numbers is not None and len(units) == 1 else low * value
        law = laws[name]
        high = float(np.quantile(law.upper, 1 - tail)) - max(law.bias(value), 0.0)
        intervals[name] = Interval(
            low, min(max(high, value), 1.0), "law", law.standard_error(len(units))
        )
    return intervals


def _kinds(units: Floats, size: int, are_rows: bool) -> tuple[Floats, Integers]:
    """Return distinct units and their counts; many rows are joined within parts of bins."""
    if not are_rows or len(units) <= _MANY:
        kinds, counts = np.unique(units, axis=0, return_counts=True)
        return kinds, counts
    bins = units[:, size:].argmax(axis=1)
    errors = units[np.arange(len(units)), bins] / units[:, size:].sum(axis=1)
    codes = bins * (_PARTS + 1) + np.floor((errors + 1) * (_PARTS / 2)).astype(np.int64)
    _, codes, counts = np.unique(codes, return_inverse=True, return_counts=True)
    means: Floats = cluster_values(units, codes) / counts[:, np.newaxis]
    return means, counts


def _noise(units: Floats, rows: RowScores, bins: Integers, w: Floats, are_rows: bool) -> Floats:
    """Return the variance of the gap of each bin, by its probabilities, or as observed if larger.

    That of clusters is as observed.
    """
    size = units.shape[1] // 2
    gaps, counts = units[:, :size], np.full(size, len(units))
    counting = np.ones(gaps.shape, bool)
    if are_rows:
        counting, counts = units[:, size:] > 0, np.bincount(bins, minlength=size)
    means = gaps.sum(axis=0) / np.maximum(counts, 1)
    squares = np.where(counting, np.square(gaps - means), 0.0).sum(axis=0)
    observed = np.asarray(squares * counts / np.maximum(counts - 1, 1))
    if not are_rows:
        return observed
    order = np.lexsort((w, rows.scores, bins))
    variances = (rows.scores * (1 - rows.scores) * w * w)[order]
    return np.asarray(np.maximum(np.bincount(bins[order], variances, size), observed))
