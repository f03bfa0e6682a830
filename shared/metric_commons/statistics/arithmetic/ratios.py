"""Ratios with a defined value where the denominator is zero."""

from typing import NamedTuple

import numpy as np

from ..arguments.arrays import Floats, Integers


class PrecisionRecallF1(NamedTuple):
    """Precision, recall and F1 as arrays of equal shape: one value per row, or per pair of texts.

    It is a named tuple: use `result.f1`, or `precision, recall, f1 = result`.
    """

    precision: Floats
    recall: Floats
    f1: Floats


def precision_recall_f1(
    overlap: Integers, predicted: Integers, relevant: Integers
) -> PrecisionRecallF1:
    """Return precision, recall and F1 of `overlap` items between `predicted` and `relevant` ones.

    All three are 0 if nothing overlaps, even if one side is empty. F1 is computed as
    `2 * p * r / (p + r)`, in this order, because the SQuAD script and rouge_score do so: the
    shorter `2 * overlap / (predicted + relevant)` differs from it in the last bit.

    Args:
        overlap: the number of items that the two sides have in common; shape (pairs,).
        predicted: the number of items of the prediction.
        relevant: the number of items of the reference.

    >>> precision_recall_f1(np.array([2, 0]), np.array([3, 0]), np.array([4, 2])).f1.tolist()
    [0.5714285714285715, 0.0]
    """
    overlapping = overlap > 0
    precision = np.divide(overlap, predicted, out=np.zeros(overlap.shape), where=overlapping)
    recall = np.divide(overlap, relevant, out=np.zeros(overlap.shape), where=overlapping)
    f1 = np.divide(
        2 * precision * recall, precision + recall, out=np.zeros(overlap.shape), where=overlapping
    )
    return PrecisionRecallF1(precision, recall, f1)
