"""Numbers rounded to fewer binary digits, so that few distinct values remain.

A float64 is 1.f * 2**e, where f has 52 binary digits. Keeping only the first few of these changes a
number by less than 1 part in 2**digits, whatever its magnitude, unless it is below 2.2e-308.
"""

from typing import Annotated

import numpy as np

from ..arguments.arrays import Floats
from ..arguments.domains import Range

Digits = Annotated[int, Range(1, 40)]

_FRACTION = 52


def truncated(numbers: Floats, digits: int) -> Floats:
    """Round down to the given number of binary digits after the leading one.

    Args:
        numbers: finite, at least 0.
        digits: up to 40.

    >>> truncated(np.array([0.3, 1.0, 1.99]), 2).tolist()
    [0.25, 1.0, 1.75]
    """
    return ((numbers + 0.0).view(np.int64) & ~_mask(digits)).view(np.float64)


def raised(numbers: Floats, digits: int) -> Floats:
    """Round up to the given number of binary digits; infinite if no float is large enough.

    >>> raised(np.array([0.3, 1.0, 1.99]), 2).tolist()
    [0.3125, 1.0, 2.0]
    """
    mask = _mask(digits)
    return (((numbers + 0.0).view(np.int64) + mask) & ~mask).view(np.float64)


def _mask(digits: int) -> np.int64:
    """Return the bits to drop, as ones."""
    return np.int64((1 << (_FRACTION - digits)) - 1)
