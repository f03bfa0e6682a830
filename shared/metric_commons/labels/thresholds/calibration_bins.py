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

from ...statistics.arguments.arrays import Floats
from .areas import UNDEFINED, ScoreWithInfluence
from .score_counts import ScoreCounts


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

    >>> from .score_counts import score_counts
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
    return Calibration(
        starts,
        [total / size for total, size in zip(totals, sizes, strict=True)],
        [count / size for count, size in zip(positives, sizes, strict=True)],
        [size * unit for size in sizes],
        _edges(counts.scores, starts, bins, strategy),
    )


def _edges(
    scores: Floats, starts: list[int], bins: int, strategy: str
) -> tuple[list[float], list[float]]:
    """Return the lower and the upper edge of each bin that is not empty."""
    last = [float(scores[stop - 1]) for stop in starts[1:]]
    if strategy == "quantile":
        return [float(scores[start]) for start in starts[:-1]], last
    uppers = [max(math.ceil(score * bins - 1e-9), 1) / bins for score in last]
    return [upper - 1 / bins for upper in uppers], uppers


def calibration_errors(counts: ScoreCounts, bins: Calibration) -> dict[str, ScoreWithInfluence]:
    """Return the expected and the maximum calibration error.

    The mean and the largest gap of the bins.
    """
    if not bins.rows:
        return {"ece": UNDEFINED, "mce": UNDEFINED}
    total = math.fsum(bins.rows)
    sizes = [abs(gap) for gap in bins.gaps]
    weighted = [size * rows for size, rows in zip(sizes, bins.rows, strict=True)]
    ece, mce = math.fsum(weighted) / total, max(sizes)
    worst = sizes.index(mce)

    def influence(score: float, weights: list[float]) -> tuple[Floats, Floats]:
        """The influence of rows on a weighted sum of gaps, given the weight per row of each bin."""
        lengths = np.diff(bins.starts)
        slope = np.repeat(np.sign(bins.gaps) * weights, lengths)
        offset = np.repeat(score * np.array(weights), lengths)
        return slope * (1 - counts.scores) - offset, -slope * counts.scores - offset

    unit = 2.0**counts.exponent  # of the counts; the rows of bins are in units of 1
    equal_weights = [unit / total] * len(sizes)
    worst_alone = [unit * (index == worst) / rows for index, rows in enumerate(bins.rows)]
    return {
        "ece": ScoreWithInfluence(ece, lambda: influence(ece, equal_weights)),
        "mce": ScoreWithInfluence(mce, lambda: influence(mce, worst_alone)),
    }
