"""Scores that are numbers, small enough to be added up."""

import numpy as np
from numpy.typing import ArrayLike

from ..arguments.arrays import Floats

LARGEST = 1e280  # scores up to here add up without overflow, however many there are


def finite_scores(name: str, values: ArrayLike, dimensions: int = 1) -> Floats:
    """Return numbers as float64, all finite and small enough for their sum.

    Raises:
        ValueError: a number is not finite, or is above `LARGEST` in size, or the number of
            dimensions is wrong.

    >>> finite_scores("scores", [1, 0.5])
    array([1. , 0.5])
    """
    array = np.asarray(values)
    if array.ndim != dimensions or (array.size and array.dtype.kind not in "fiub"):
        raise ValueError(
            f"{name} must hold numbers in {dimensions} dimensions, got shape {array.shape} of "
            f"{array.dtype}"
        )
    floats = array.astype(np.float64, copy=False)
    fit = np.abs(floats) <= LARGEST  # which NaN is not
    if not fit.all():
        index = np.unravel_index(int(fit.argmin()), fit.shape)
        raise ValueError(
            f"{name}[{', '.join(map(str, index))}] is {floats[index]}; "
            f"a score is finite, and at most {LARGEST} in size"
        )
    return floats
