"""Columns of scores, checked in every row."""

import numpy as np

from ...statistics.arguments.arrays import Column, Floats
from ...statistics.arguments.checks import RowError, check_finite, check_widths

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
