"""Numbers with fewer binary digits: of very many few are then different.

A float64 is 1.f * 2**e, where f has 52 binary digits. With the first of these alone a number is off
by less than 1 part in 2**digits, however large or small it is, unless it is below 2.2e-308.
"""

from typing import Annotated

import numpy as np

from .arrays import Floats
from .domains import Range

Digits = Annotated[int, Range(1, 40)]

_FRACTION = 52


def truncated(numbers: Floats, digits: int) -> Floats:
    """The greatest numbers with so many digits behind the first that are not above these.

    Args:
        numbers: finite, at least 0.
        digits: up to 40.

    >>> truncated(np.array([0.3, 1.0, 1.99]), 2).tolist()
    [0.25, 1.0, 1.75]
    """
    return ((numbers + 0.0).view(np.int64) & ~_mask(digits)).view(np.float64)


def raised(numbers: Floats, digits: int) -> Floats:
    """The least such numbers that are not below these; infinite, where there are none.

    >>> raised(np.array([0.3, 1.0, 1.99]), 2).tolist()
    [0.3125, 1.0, 2.0]
    """
    mask = _mask(digits)
    return (((numbers + 0.0).view(np.int64) + mask) & ~mask).view(np.float64)


def _mask(digits: int) -> np.int64:
    """The digits that are left out, as ones."""
    return np.int64((1 << (_FRACTION - digits)) - 1)
