"""Calibration: whether events occur as often as their predicted probabilities say, in bins.

Source:
    Naeini, Cooper and Hauskrecht, Obtaining well calibrated probabilities using Bayesian binning
    (2015), for the expected and the maximum calibration error.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.weighted_units import (
    DrawnScore,
    extremes,
    unit_intervals,
    weighted_draws,
)
from ...statistics.resampling.row_units import RowUnits, cluster_values
from .areas import InfluencedScore, RowScores, undefined
from .curves import ScoreCounts


@dataclass(frozen=True)
class Calibration:
    """Bins of probabilities, ascending, without empty bins.

    Args:
        starts: the start of each bin among the distinct scores, and the end of the last one.
        predicted: the mean probability in each bin.
        observed: the proportion of positives in each bin.
        rows: the number of rows in each bin, or the sum of their weights.

    """

    starts: list[int]
    predicted: list[float]
    observed: list[float]
    rows: list[Any]
    edges: tuple[list[float], list[float]] = ([], [])  # the lower and the upper edges

    @property
    def gaps(self) -> list[float]:
        """Return the proportion of positives minus the mean probability, for each bin."""
        return [share - mean for share, mean in zip(self.observed, self.predicted, strict=True)]


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
        starts,
        [total / size for total, size in zip(totals, sizes, strict=True)],
        [count / size for count, size in zip(positives, sizes, strict=True)],
        [size * unit for size in sizes],
        (lowers, uppers),
    )


def calibration_errors(rows: RowScores, bins: Calibration) -> dict[str, InfluencedScore]:
    """Return the expected and the maximum calibration error.

    The mean and the largest gap of the bins.
    """
    if not bins.rows:
        return dict.fromkeys(("ece", "mce"), undefined(rows.scores.size))
    counts = rows.counts
    total = math.fsum(bins.rows)
    gaps = [abs(gap) for gap in bins.gaps]
    weighted = [gap * size for gap, size in zip(gaps, bins.rows, strict=True)]
    ece, mce = math.fsum(weighted) / total, max(gaps)
    worst = gaps.index(mce)

    def influence(score: float, weights: list[float]) -> tuple[Floats, Floats]:
        """The influence of rows on a weighted sum of gaps, given the weight per row of each bin."""
        lengths = np.diff(bins.starts)
        slope = np.repeat(np.sign(bins.gaps) * weights, lengths)
        offset = np.repeat(score * np.array(weights), lengths)
        return slope * (1 - counts.scores) - offset, -slope * counts.scores - offset

    unit = 2.0**counts.exponent  # of the counts; the rows of bins are in units of 1
    equal_weights = [unit / total] * len(gaps)
    worst_alone = [unit * (index == worst) / size for index, size in enumerate(bins.rows)]
    return {
        "ece": rows.influenced(ece, lambda: influence(ece, equal_weights)),
        "mce": rows.influenced(mce, lambda: influence(mce, worst_alone)),
    }


class BinSums(NamedTuple):
    """What rows of weight 1 add to the sums of bins: their gaps, and then their weights."""

    table: Floats  # shape (rows, 2 * bins)
    unseen: Floats  # of rows that may come, shape (2 * bins, 2 * bins)
    bins: Integers  # of the rows

    @classmethod
    def of(cls, rows: RowScores, binned: Calibration) -> "BinSums":
        """Return the sums of rows, and of those that may come: at the edges of each bin."""
        lower_edges, upper_edges = map(np.array, binned.edges)
        p, size = rows.scores, upper_edges.size
        bins = np.minimum(upper_edges.searchsorted(p), size - 1)
        table = np.zeros((p.size, 2 * size))
        table[np.arange(p.size), bins] = rows.positive.astype(np.float64) - p
        table[np.arange(p.size), size + bins] = 1.0
        unseen = np.zeros((2, size, 2 * size))
        numbers = np.arange(size)
        for side, change in enumerate((-upper_edges, 1 - lower_edges)):
            unseen[side, numbers, numbers] = change
            unseen[side, numbers, size + numbers] = 1.0
        return cls(table, unseen.reshape(2 * size, -1), bins)


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
    values: Mapping[str, float],
    rows: RowScores,
    binned: Calibration,
    uncertainty: Uncertainty,
) -> dict[str, Interval]:
    """Return the intervals of the expected and of the maximum calibration error.

    The estimates are biased upwards: a calibrated model has an error above 0 by chance, and
    resampling adds the same again. The lower end is the largest fraction of the observed gaps for
    which these and normal noise together exceed the observed error less often than a tail; 0 if
    noise alone suffices. The upper end follows from random weights with the unseen row that adds
    most, less the bias that is due to weights alone.

    Args:
        values: "ece" and "mce".
        rows: probabilities, whether rows are positive, and weights.
        binned: the bins with rows, at least one.
        uncertainty: the level and the clusters.
    """
    clusters = uncertainty.clusters
    numbers = clusters.numbers if isinstance(clusters, Clusters) else None
    table, unseen, bins = BinSums.of(rows, binned)
    p = rows.scores
    w = np.ones(p.size) if rows.weights is None else rows.weights
    size, tail = len(unseen) // 2, (1 - uncertainty.level) / 2
    units = cluster_values(table * w[:, np.newaxis], numbers)
    units = units[np.lexsort(units.T[::-1])]
    total = units.sum(axis=0)
    kinds, counts = _kinds(units, size, numbers is None)
    sizes = units[:, size:].sum(axis=1)
    unseen *= float(np.sort(sizes**2).sum()) / sizes.sum()
    trials = bin_scores(total[:, np.newaxis] + unseen.T)
    scores = {}
    for name, value in values.items():
        _, raising = extremes(trials[name], unseen)
        scores[name] = DrawnScore(value, raising, raising)
    of_kinds = RowUnits(counts, kinds)
    if uncertainty.method == "bootstrap":
        return unit_intervals(of_kinds, scores, bin_scores, uncertainty)
    laws = weighted_draws(of_kinds, scores, bin_scores, **uncertainty.draws)
    noise = np.sqrt(_noise(units, bins, p, w, size, numbers is None))
    chance = np.random.RandomState(np.random.PCG64(int(uncertainty.seed) + 1))
    z = chance.standard_normal((_NOISE, size)) * noise
    intervals = {}
    for name, value in values.items():

        def reaches(part: float, name: str = name, value: float = value) -> bool:
            sums = np.concatenate([part * total[:size] + z, np.tile(total[size:], (_NOISE, 1))], 1)
            return bool(np.quantile(bin_scores(sums.T)[name], 1 - tail) < value)

        low = 0.0 if numbers is not None and len(units) == 1 else _largest_part(reaches) * value
        law = laws[name]
        high = float(np.quantile(law.upper, 1 - tail)) - max(law.bias(value), 0.0)
        high = min(max(high, value), 1.0)
        intervals[name] = Interval(low, high, "law", law.standard_error(len(units)))
    return intervals


def _kinds(units: Floats, size: int, are_rows: bool) -> tuple[Floats, Integers]:
    """Return distinct units and their counts; many rows are joined within parts of bins."""
    if not are_rows or len(units) <= _MANY:
        kinds, counts = np.unique(units, axis=0, return_counts=True)
        return kinds, counts
    bins = np.abs(units[:, :size]).argmax(axis=1)
    errors = units[np.arange(len(units)), bins] / units[:, size:].sum(axis=1)
    part = np.floor((errors + 1) * (_PARTS / 2)).astype(np.int64)
    codes, inverse, counts = np.unique(
        bins * (_PARTS + 1) + part, return_inverse=True, return_counts=True
    )
    means = np.zeros((codes.size, 2 * size))
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


def _largest_part(reaches: Callable[[float], bool]) -> float:
    """Return the largest fraction of the gaps that, with noise, stays below the observed error."""
    if not reaches(0.0):
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if reaches(middle) else (low, middle)
    return low
