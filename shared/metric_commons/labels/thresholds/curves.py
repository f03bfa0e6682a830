"""The number of positives and negatives at each score, and the areas, losses and curves of these.

Counting takes one sort.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Booleans, Floats
from ...statistics.arithmetic.contingency import scaled_weights
from ...statistics.arithmetic.exact_sums import group_sums

_BLOCK = 1 << 14  # scores at a time, so that intermediate arrays fit into the cache
EPSILON = float(np.finfo(np.float64).eps)  # log loss clips probabilities to EPSILON .. 1 - EPSILON
MEASURES = ("roc_auc", "pr_auc", "average_precision", "log_loss", "brier")


@dataclass(frozen=True)
class ScoreCounts:
    """The number of positives and negatives at each score.

    Args:
        scores: distinct scores, ascending; -0.0 counts as 0.0.
        positives: the number of positives at each score, integers; or float64 sums of weights.
        negatives: the same for negatives.
        exponent: sums of weights are in units of 2**exponent, so that no square overflows.

    """

    scores: Floats
    positives: NDArray[Any]
    negatives: NDArray[Any]
    exponent: int = 0

    @cached_property
    def true_positives(self) -> NDArray[Any]:
        """Return the number of positives with this score or a higher one."""
        return _cumulated_from_top(self.positives)

    @cached_property
    def false_positives(self) -> NDArray[Any]:
        """Return the number of negatives with this score or a higher one."""
        return _cumulated_from_top(self.negatives)

    @cached_property
    def precision(self) -> Floats:
        """Return the proportion of positives among all rows with this score or a higher one."""
        precision: Floats = self.true_positives / (self.true_positives + self.false_positives)
        return precision

    @cached_property
    def total_positives(self) -> Any:
        """Return the number of positives."""
        return self.positives.sum().item()

    @cached_property
    def total_negatives(self) -> Any:
        """Return the number of negatives."""
        return self.negatives.sum().item()

    @cached_property
    def measures(self) -> dict[str, float]:
        """Return areas, log loss and Brier score; NaN where they are undefined."""
        has_ties = not self.no_ties or not self.scores.size
        return _measures(self) if has_ties else _measures_without_ties(self)

    @property
    def no_ties(self) -> bool:
        """Return whether all scores are distinct, and there are no weights."""
        return self.positives.dtype == np.int8

    @property
    def are_whole(self) -> bool:
        """Return whether these are counts rather than sums of weights."""
        return self.positives.dtype.kind != "f"

    @cached_property
    def are_probabilities(self) -> bool:
        """Return whether all scores are from 0 to 1."""
        return bool(self.scores.size and self.scores[0] >= 0 and self.scores[-1] <= 1)


def _cumulated_from_top(counts: NDArray[Any]) -> NDArray[Any]:
    """Return the sum of each count and all after it, int64 or float64.

    >>> _cumulated_from_top(np.array([1, 0, 2])).tolist()
    [3, 2, 2]
    """
    kind = np.float64 if counts.dtype.kind == "f" else np.int64
    # A copy in C order, since summing a reversed view takes ten times as long.
    return np.cumsum(counts[::-1].astype(kind, order="C"))[::-1]


def score_counts(scores: Floats, positive: Booleans, weights: Floats | None = None) -> ScoreCounts:
    """Count positives and negatives at each score.

    Args:
        scores: finite, shape (rows,).
        positive: whether each row is positive.
        weights: non-negative row weights; rows of weight 0 are dropped. None for equal weights.

    >>> counts = score_counts(np.array([0.5, 0.1, 0.5]), np.array([True, False, False]))
    >>> counts.scores.tolist(), counts.positives.tolist(), counts.negatives.tolist()
    ([0.1, 0.5], [0, 1], [1, 1])
    """
    if weights is None and scores.size and scores.min() >= 0 and scores.max() < 2:
        return _quick_score_counts(scores, positive)
    exponent = 0
    if weights is not None:
        counting = weights > 0
        scores, positive, weights = scores[counting], positive[counting], weights[counting]
        if weights.size:
            weights, exponent = scaled_weights(weights)
    distinct, positions = np.unique(scores + 0.0, return_inverse=True)
    sides: list[NDArray[Any]] = []
    for side in (positive, ~positive):
        if weights is None:
            sides.append(np.bincount(positions[side], minlength=distinct.size))
        else:
            sides.append(group_sums(weights[side], positions[side], distinct.size))
    return ScoreCounts(distinct, sides[0], sides[1], exponent)


def _quick_score_counts(scores: Floats, positive: Booleans) -> ScoreCounts:
    """Return the counts of scores from 0 to less than 2, as integers with the label as last bit.

    One array of integers is sorted several times faster than scores with labels beside them. The
    bits of such a float, read as an integer, are below 2**62 and in the order of the floats: 0.5 is
    0x3FE << 52 and 1.0 is 0x3FF << 52. That leaves room for the label.
    """
    keys = (scores + 0.0).view(np.int64)  # -0.0 becomes 0.0
    keys <<= 1
    keys |= positive
    keys.sort()
    last_bits = keys.astype(np.uint8)
    last_bits &= 1
    is_positive = last_bits.view(bool)
    keys >>= 1
    is_new = np.empty(keys.size, bool)
    is_new[0] = True
    np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
    distinct = keys.view(np.float64)
    if np.count_nonzero(is_new) == keys.size:  # counts of 0 and 1 fit into bytes, faster to write
        return ScoreCounts(distinct, is_positive.view(np.int8), (~is_positive).view(np.int8))
    starts = np.flatnonzero(is_new)
    positives = np.add.reduceat(is_positive, starts, dtype=np.int64)
    rows = np.diff(starts, append=keys.size)
    return ScoreCounts(distinct[starts], positives, rows - positives)


# Areas and losses


def areas_of_weights(
    positives: Floats,
    negatives: Floats,
    names: Collection[str] = ("roc_auc", "average_precision", "pr_auc"),
    max_fpr: float = 1.0,
) -> dict[str, Floats]:
    """Return areas of weighted rows.

    A tie of a positive and a negative counts as half a pair, and is a line of the ROC curve. The
    part of its area up to `max_fpr` is scaled so that chance is 0.5 and perfection 1. The width of
    a trapezoid under the precision-recall curve is that of the positives with one score; its height
    is the mean of the precision at this score and at the next higher one, first 1.

    Args:
        positives: the weight of positives at each score, ascending, shape (scores,) or (scores,
            draws).
        negatives: that of negatives.
        names: "roc_auc", "average_precision", "pr_auc" and "partial_roc_auc".
        max_fpr: the largest false positive rate of the last one.

    Source:
        McClish, Analyzing a portion of the ROC curve (1989), for the scale.

    >>> areas = areas_of_weights(np.array([1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0]))
    >>> areas["roc_auc"].item()
    0.5
    """
    true, false = (np.cumsum(side[::-1], axis=0)[::-1] for side in (positives, negatives))
    total, others = positives.sum(axis=0), negatives.sum(axis=0)
    areas: dict[str, Floats] = {}
    if "roc_auc" in names:
        pairs = (others - false + negatives / 2) * positives
        areas["roc_auc"] = np.minimum(pairs.sum(axis=0) / (total * others), 1.0)
    if "average_precision" in names or "pr_auc" in names:
        seen = true + false
        precision = np.divide(true, seen, out=np.ones_like(true), where=seen > 0)
        at = np.minimum((precision * positives).sum(axis=0) / total, 1.0)
        above = (positives[:-1] * precision[1:]).sum(axis=0) + positives[-1]
        areas["average_precision"] = at
        areas["pr_auc"] = (at + np.minimum(above / total, 1.0)) / 2
    if "partial_roc_auc" in names:
        right, _ = rates_to_the_right((false - negatives) / others, negatives / others, max_fpr)
        chance = max_fpr**2 / 2
        area = (right * positives).sum(axis=0) / total
        areas["partial_roc_auc"] = 0.5 + 0.5 / (max_fpr - chance) * (area - chance)
    return areas


def rates_to_the_right(left: Floats, width: Floats, max_fpr: float) -> tuple[Floats, Floats]:
    """Return the rates up to `max_fpr` to the right of positives, and of each line that are left.

    Args:
        left: the false positive rate at the left end of the line of each score.
        width: of the line.
        max_fpr: the largest rate.
    """
    room = np.clip(max_fpr - left, 0.0, None)
    overlap = np.minimum(room, width)
    steps = np.where(overlap < width, overlap**2, (2 * room - width) * width)
    return np.divide(steps, 2 * width, out=room, where=width > 0), overlap


def _measures(counts: ScoreCounts) -> dict[str, float]:
    measures = dict.fromkeys(MEASURES, math.nan)
    if not counts.scores.size:
        return measures
    positives, negatives = (
        side.astype(np.float64) for side in (counts.positives, counts.negatives)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        areas = areas_of_weights(positives, negatives)
    measures |= {name: area.item() for name, area in areas.items()}
    if counts.are_probabilities:
        total = counts.total_positives + counts.total_negatives
        of_positives, of_negatives = log_losses(counts.scores)
        squares = (1 - counts.scores) ** 2 * positives + counts.scores**2 * negatives
        losses = of_positives * positives + of_negatives * negatives
        measures |= {"log_loss": losses.sum() / total, "brier": squares.sum() / total}
    return {name: float(value) for name, value in measures.items()}


def _measures_without_ties(counts: ScoreCounts) -> dict[str, float]:
    """Return the same if all scores are distinct: only positives have to be visited.

    One block of scores at a time, since writing arrays as large as the input would take longer than
    the arithmetic.

    Rows are numbered from 0, from the lowest score. Row i has rank n - i from the top; precision
    there is the number of positives from this row upwards, divided by the rank. A positive in row i
    with k positives below it has i - k negatives below it.
    """
    rows, pairs, positives_below = counts.scores.size, 0, 0
    terms: list[tuple[float, ...]] = []
    for start in range(0, rows, _BLOCK):
        references = counts.positives[start : start + _BLOCK]
        positions = np.flatnonzero(references.view(bool))
        # Twice the sum of i - k over the positives of the block
        pairs += 2 * (int(positions.sum()) + positions.size * start)
        pairs -= positions.size * (2 * positives_below + positions.size - 1)
        ranks = np.subtract(rows - start, positions, dtype=np.float64)
        remaining = counts.total_positives - positives_below
        true_positives = np.arange(remaining, remaining - positions.size, -1.0)
        positives_below += positions.size
        precisions = float((true_positives / ranks).sum())
        # One row higher there is one positive less.
        true_positives -= 1
        ranks -= 1
        if positions.size and not ranks[-1]:  # above the highest score, precision is 1
            true_positives[-1] = ranks[-1] = 1
        true_positives /= ranks
        losses = math.nan, math.nan
        if counts.are_probabilities:
            losses = _row_losses(counts.scores[start : start + _BLOCK], references)
        terms.append((precisions, float(true_positives.sum()), *losses))
    precisions, above, log_loss, squares = map(math.fsum, zip(*terms, strict=True))
    positives, negatives = counts.total_positives, counts.total_negatives
    measures = {
        "roc_auc": pairs / (2 * positives * negatives) if positives and negatives else math.nan,
        "pr_auc": math.nan,
        "average_precision": math.nan,
        "log_loss": log_loss / rows,
        "brier": squares / rows,
    }
    if positives:
        precision = min(precisions / positives, 1.0)
        measures["average_precision"] = precision
        measures["pr_auc"] = (precision + min(above / positives, 1.0)) / 2
    return measures


def _row_losses(scores: Floats, references: NDArray[np.int8]) -> tuple[float, float]:
    """Return the sums of log losses and of squared errors of rows with ascending scores."""
    errors, ends = scores - references, (scores[0], scores[-1])
    squared_errors = float((errors * errors).sum())
    if ends[0] < EPSILON or ends[1] > 1 - EPSILON:
        scores = np.clip(scores, EPSILON, 1 - EPSILON)
        errors = scores - references
    likelihoods = np.abs(scores - (1 - references))
    losses = np.log(likelihoods)
    if scores[0] < 0.5:  # the correction of `log_losses`; it is 1 for positives, and from 0.5 on
        losses *= np.abs(errors) / (1 - likelihoods)
    return -float(losses.sum()), squared_errors


def log_losses(scores: Floats) -> tuple[Floats, Floats]:
    """Return -log(p) and -log(1 - p) of clipped probabilities p, accurate to the last digits.

    1 - p is rounded, so log(1 - p) alone loses the digits of a small p. Let q be 1 - p as rounded:
    then 1 - q is exact, and log(1 - p) is log(q) * p / (1 - q), apart from rounding. This is how
    log1p is computed. With p = 1e-10, log(1 - p) alone would be accurate to seven decimals.

    Source:
        Goldberg, What every computer scientist should know about floating-point arithmetic (1991),
        theorem 4.
    """
    probabilities = np.clip(scores, EPSILON, 1 - EPSILON)
    complements = 1 - probabilities
    return -np.log(probabilities), np.log(complements) * probabilities / (complements - 1)


def roc_curve(counts: ScoreCounts) -> dict[str, list[float]]:
    """Return the corners of the ROC curve, from threshold infinity down, as in scikit-learn.

    Points in the middle of two equal steps are left out. A rate that would divide by zero is NaN:
    "tpr" without positives, "fpr" without negatives.

    >>> counts = score_counts(np.array([0.1, 0.4, 0.8]), np.array([False, True, True]))
    >>> roc_curve(counts)
    {'fpr': [0.0, 0.0, 0.0, 1.0], 'tpr': [0.0, 0.5, 1.0, 1.0], 'thresholds': [inf, 0.8, 0.4, 0.1]}
    """
    true_positives = counts.true_positives[::-1]
    false_positives = counts.false_positives[::-1]
    is_corner = np.ones(true_positives.size, bool)
    is_corner[1:-1] = (np.diff(true_positives, 2) != 0) | (np.diff(false_positives, 2) != 0)
    return {
        "fpr": _rates(false_positives[is_corner]),
        "tpr": _rates(true_positives[is_corner]),
        "thresholds": [math.inf, *counts.scores[::-1][is_corner].tolist()],
    }


def _rates(cumulated: NDArray[Any]) -> list[float]:
    """Cumulative counts after a 0, divided by the last one, which is the total; NaN if it is 0.

    >>> _rates(np.array([1, 1, 2]))
    [0.0, 0.5, 0.5, 1.0]
    """
    if not cumulated.size or not cumulated[-1]:
        return [math.nan] * (cumulated.size + 1)
    return [0.0, *(cumulated / cumulated[-1]).tolist()]


def pr_curve(counts: ScoreCounts) -> dict[str, list[float]]:
    """Return the precision-recall curve at each distinct score, ascending, as in scikit-learn.

    It ends with precision 1 and recall 0, without a threshold. Without positives,
    recall is 1.

    >>> pr_curve(score_counts(np.array([0.1, 0.4]), np.array([False, True])))
    {'precision': [0.5, 1.0, 1.0], 'recall': [1.0, 1.0, 0.0], 'thresholds': [0.1, 0.4]}
    """
    recall = np.ones(counts.scores.size)
    if counts.total_positives:
        recall = counts.true_positives / counts.true_positives[0]
    return {
        "precision": [*counts.precision.tolist(), 1.0],
        "recall": [*recall.tolist(), 0.0],
        "thresholds": counts.scores.tolist(),
    }


def det_curve(counts: ScoreCounts) -> dict[str, list[float]]:
    """Return the detection error tradeoff: false positive and false negative rate, ascending.

    As in scikit-learn, from the last point without a false negative to the first one without a
    false positive, which may be infinity. A rate that would divide by zero is NaN.

    Source:
        Martin et al., The DET curve in assessment of detection task performance (1997).

    >>> scores, positive = np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True])
    >>> det_curve(score_counts(scores, positive))
    {'fpr': [0.5, 0.5, 0.0], 'fnr': [0.0, 0.5, 0.5], 'thresholds': [0.35, 0.4, 0.8]}
    """
    false_positives = np.append(counts.false_positives, 0)
    true_positives = np.append(counts.true_positives, 0)
    first = int(np.count_nonzero(true_positives == true_positives[0])) - 1
    stop = false_positives.size - int(np.count_nonzero(false_positives == 0)) + 1
    part = slice(first, max(stop, first + 1))
    with np.errstate(invalid="ignore"):
        fpr = false_positives[part] / np.float64(counts.total_negatives)
        fnr = (counts.total_positives - true_positives[part]) / np.float64(counts.total_positives)
    return {
        "fpr": fpr.tolist(),
        "fnr": fnr.tolist(),
        "thresholds": np.append(counts.scores, math.inf)[part].tolist(),
    }
