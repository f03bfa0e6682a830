"""Round scores to few binary digits, so that few distinct ones remain, and bound the error.

Scores are rounded down, but never across the threshold, so decisions and everything derived from
them stay the same. Rounding keeps the order of scores but makes some equal. A probability s keeps
its distance from 0 or from 1, whichever is nearer, up to 1 part in 2**bits. So for each power of
two among these distances there are at most 2**bits scores, however many rows there are.

The errors of the measures are bounded for any scores. A bin is all rows with the same
rounded score; their original order is unknown.

* Area under the ROC curve. The order of rows in different bins is kept. A positive and a negative
  in one bin count 1/2, where they would have counted 0, 1/2 or 1. So the error is at most half the
  proportion of such pairs among all pairs.
* Average precision, and the area under the precision-recall curve. Let T positives and F negatives
  have higher scores than the p positives and n negatives of a bin. At each of the p positives, at
  least T of at most T + F + n rows so far are positive, and at most T + p of at least T + p + F
  rows; so in any order, and also rounded, each adds a precision between T / (T + F + n) and
  (T + p) / (T + p + F). The error is at most p times their difference, summed over bins and divided
  by the number of positives.
* Log loss. With e = 2**-bits, s becomes at least s * (1 - e), and 1 - s at most (1 - s) * (1 + e).
  A logarithm changes by at most -log(1 - e); clipping only brings numbers closer together.
* Brier score. With d = min(s, 1 - s), s changes by at most d * e. The square of s - y changes by
  that times at most 2 * max(s, 1 - s) + d * e, hence by at most e * (2 * d * (1 - d) + d * d * e),
  which is at most e / 2 + e * e / 4.

Source:
    Histograms with bins that grow with their values: Masson, Rim and Lee, DDSketch (2019). Here
    bins grow with the distance from 1 as well.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Column, Floats
from ...statistics.arguments.checks import OptionError
from ...statistics.arithmetic.binary_digits import raised, truncated
from .score_counts import ScoreCounts
from .score_rows import finite_scores, is_scores


def rounded_scores(predictions: Column, bits: int, threshold: float) -> Floats:
    """Return the scores, rounded down to this many binary digits after the leading one.

    From 1/2 to 1, these are digits of the distance from 1. No score is rounded below the threshold.

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

    >>> from .score_counts import score_counts
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
        precision = _precision_ranges(counts, positives, negatives)
        area = math.fsum(positives * precision) / counts.total_positives
        bounds |= {"pr_auc": area, "average_precision": area}
    if counts.are_probabilities:
        unit = 2.0**-bits
        bounds |= {"log_loss": -math.log1p(-unit), "brier": unit / 2 + unit**2 / 4}
    return bounds


def _precision_ranges(
    counts: ScoreCounts, positives: NDArray[Any], negatives: NDArray[Any]
) -> Floats:
    """Return the possible variation of the precision at the rows of each bin with their order."""
    true_positives = counts.true_positives.astype(np.float64)
    false_positives = counts.false_positives.astype(np.float64)
    positives_above = true_positives - positives
    negatives_above = false_positives - negatives
    rows = positives_above + false_positives
    lowest = np.divide(positives_above, rows, out=np.ones_like(rows), where=rows > 0)
    highest = np.divide(
        true_positives,
        true_positives + negatives_above,
        out=np.zeros_like(rows),
        where=true_positives + negatives_above > 0,
    )
    ranges: Floats = np.maximum(highest - lowest, 0.0)
    return ranges
