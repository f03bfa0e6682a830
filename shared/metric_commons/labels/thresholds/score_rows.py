"""Columns of scores: checked in every row, and rounded to few binary digits."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Column, Floats
from ...statistics.arguments.checks import OptionError, RowError, check_finite, check_widths
from ...statistics.arithmetic.binary_digits import raised, truncated
from .curves import ScoreCounts

_SUM_TOLERANCE = 1e-5  # how far the sum of a row of probabilities may be from 1


def is_scores(predictions: Column) -> bool:
    """Return whether these are scores: one float per row, or several."""
    if isinstance(predictions, np.ndarray):
        return predictions.dtype.kind == "f"
    first = predictions[0]
    return isinstance(first[0] if isinstance(first, list) and first else first, float)


def finite_scores(predictions: Column) -> tuple[Floats, tuple[float, float]]:
    """Return the scores, shape (rows,) or (rows, columns), with their minimum and maximum."""
    check_widths("predictions", predictions, "probabilities")
    scores = np.asarray(predictions, dtype=np.float64)
    ends = check_finite("predictions", scores, "a score is a finite number")
    if scores.ndim == 2 and scores.shape[1] < 2:
        if not scores.size:
            raise ValueError("predictions[0] has no probabilities")
        scores = scores.ravel()
    return scores, ends


class ImplicitDefault(float):
    """A default value, not set by the caller: scores that it does not suit are refused.

    >>> ImplicitDefault(0.5) == 0.5, isinstance(0.5, ImplicitDefault)
    (True, False)
    """


THRESHOLD = ImplicitDefault(0.5)


def check_range(scores: Floats, ends: tuple[float, float], threshold: float) -> None:
    """Check that the scores are from 0 to 1, unless the caller has set a threshold."""
    if not isinstance(threshold, ImplicitDefault) or (ends[0] >= 0 and ends[1] <= 1):
        return
    row, *columns = map(int, np.argwhere((scores < 0) | (scores > 1))[0])
    suffix = "".join(f"[{column}] " for column in columns)
    raise RowError(
        "predictions",
        row,
        f"{suffix}is {scores[(row, *columns)]}, so these look like logits, for which a threshold "
        "of 0.5 makes no sense; set one, such as threshold=0.0, or pass probabilities",
    )


def check_probabilities(scores: Floats) -> None:
    """Check that the rows are probabilities.

    In half precision, which models may use, their sum is less exact.

    >>> check_probabilities(np.array([[0.3, 0.3, 0.4]], np.float16).astype(np.float64))
    >>> check_probabilities(np.array([[0.3, 0.3, 0.3995]]))
    Traceback (most recent call last):
    ValueError: predictions[0] is [0.3, 0.3, 0.3995]; the probabilities of a row are from 0 to 1 \
and add up to 1
    """
    sums = scores.sum(axis=1)
    wrong = (scores < 0).any(axis=1) | (scores > 1).any(axis=1)
    distances = np.abs(sums - 1)
    if not (distances <= _SUM_TOLERANCE).all():
        wrong |= distances > max(_SUM_TOLERANCE, 4 * _roundoff(scores))
    if wrong.any():
        row = int(wrong.argmax())
        raise RowError(
            "predictions",
            row,
            f"is {scores[row].tolist()}; "
            "the probabilities of a row are from 0 to 1 and add up to 1",
        )


def _roundoff(scores: Floats) -> float:
    """Return the rounding error of a number near 1, in the precision that all scores have.

    The precision is inferred from the numbers themselves: float16 has 11 binary digits, and
    bfloat16, the upper half of a float32, has 8.
    """
    single = scores.astype(np.float32)
    if (single == scores).all():
        if not (single.view(np.uint32) & 0xFFFF).any():
            return 2.0**-8
        if (single.astype(np.float16) == single).all():
            return 2.0**-11
    return 0.0


def rounded_scores(predictions: Column, bits: int, threshold: float) -> Floats:
    """Return the scores, rounded down to this many binary digits after the leading one.

    From 1/2 to 1, these are digits of the distance from 1. No score is rounded below the threshold,
    so decisions and everything derived from them stay the same. Rounding keeps the order of scores
    but makes some equal: for each power of two among their distances from 0 or 1 there are at most
    2**bits scores, however many rows there are.

    Source:
        Histograms with bins that grow with their values: Masson, Rim and Lee, DDSketch (2019). Here
        bins grow with the distance from 1 as well.

    Args:
        predictions: one score per row, finite.
        bits: the number of digits.
        threshold: the threshold of decisions.

    Raises:
        ValueError: predictions are not one score per row, or a score is not finite.

    >>> rounded_scores([0.3, 0.7, 0.999, 1.0], 2, 0.5).tolist()
    [0.25, 0.6875, 0.998779296875, 1.0]
    >>> rounded_scores([0.3], 2, 0.28).tolist()
    [0.28]
    """
    if not is_scores(predictions):
        raise OptionError("score_bits", "needs scores, but predictions are labels")
    scores, _ = finite_scores(predictions)
    if scores.ndim > 1:
        raise OptionError("score_bits", "is for one score per row")
    near_one = (scores >= 0.5) & (scores <= 1)
    near_zero = (scores >= 0) & ~near_one
    rounded = np.where(scores == 0, 0.0, scores)  # negative or too large scores are kept
    rounded[near_zero] = truncated(scores[near_zero], bits)
    rounded[near_one] = 1 - raised(1 - scores[near_one], bits)
    negative = scores < 0
    lower = -raised(-scores[negative], bits)
    rounded[negative] = np.where(np.isfinite(lower), lower, scores[negative])
    return np.where((scores >= threshold) & (rounded < threshold), threshold, rounded)


def with_rounded_scores(
    columns: Mapping[str, Any], *, score_bits: int | None, threshold: float, **_: Any
) -> Mapping[str, Any]:
    """Round predictions as `rounded_scores` does, if `score_bits` is given.

    >>> with_rounded_scores({"predictions": [0.3]}, score_bits=2, threshold=0.5)
    {'predictions': array([0.25])}
    """
    if score_bits is None:
        return columns
    predictions = rounded_scores(columns["predictions"], score_bits, threshold)
    return {**columns, "predictions": predictions}


def error_bounds(counts: ScoreCounts, bits: int) -> dict[str, float]:
    """Return the maximum error of each measure due to rounding the scores.

    Measures that are not listed are exact; undefined measures have no bound.

    A bin is all rows with the same rounded score; their original order is unknown.

    * Area under the ROC curve. The order of rows in different bins is kept. A positive and a
      negative in one bin count 1/2, where they would have counted 0, 1/2 or 1. So the error is at
      most half the proportion of such pairs among all pairs.
    * Average precision, and the area under the precision-recall curve. Let T positives and F
      negatives have higher scores than the p positives and n negatives of a bin. At each of the p
      positives, at least T of at most T + F + n rows so far are positive, and at most T + p of at
      least T + p + F rows; so in any order, and also rounded, each adds a precision between
      T / (T + F + n) and (T + p) / (T + p + F). The error is at most p times their difference,
      summed over bins and divided by the number of positives.
    * Log loss. With e = 2**-bits, s becomes at least s * (1 - e), and 1 - s at most
      (1 - s) * (1 + e). A logarithm changes by at most -log(1 - e); clipping only brings numbers
      closer together.
    * Brier score. With d = min(s, 1 - s), s changes by at most d * e. The square of s - y changes
      by that times at most 2 * max(s, 1 - s) + d * e, hence by at most
      e * (2 * d * (1 - d) + d * d * e), which is at most e / 2 + e * e / 4.

    >>> from .curves import score_counts
    >>> counts = score_counts(np.array([0.25, 0.5, 0.5]), np.array([False, True, False]))
    >>> bounds = error_bounds(counts, 4)
    >>> bounds["roc_auc"], round(bounds["log_loss"], 4)
    (0.25, 0.0645)
    """
    positives, negatives = (
        column.astype(np.float64) for column in (counts.positives, counts.negatives)
    )
    bounds = {}
    if counts.total_positives and counts.total_negatives:
        tied_pairs = positives / counts.total_positives * (negatives / counts.total_negatives)
        bounds["roc_auc"] = math.fsum(tied_pairs) / 2
    if counts.total_positives:
        true_positives = counts.true_positives.astype(np.float64)
        positives_above = true_positives - positives
        false_positives = counts.false_positives.astype(np.float64)
        rows = positives_above + false_positives
        lowest = np.divide(positives_above, rows, out=np.ones_like(rows), where=rows > 0)
        rows = true_positives + (false_positives - negatives)
        highest = np.divide(true_positives, rows, out=np.zeros_like(rows), where=rows > 0)
        variations = positives * np.maximum(highest - lowest, 0.0)
        area = math.fsum(variations) / counts.total_positives
        bounds |= {"pr_auc": area, "average_precision": area}
    if counts.are_probabilities:
        unit = 2.0**-bits
        bounds |= {"log_loss": -math.log1p(-unit), "brier": unit / 2 + unit**2 / 4}
    return bounds
