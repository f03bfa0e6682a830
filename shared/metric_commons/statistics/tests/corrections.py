"""P-values of several tests, adjusted for the number of tests."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from ..arguments.arrays import Floats
from ..arguments.domains import check_option
from ..intervals.methods import Correction


def adjusted(p_values: ArrayLike, correction: Correction) -> Floats:
    """Return p-values adjusted for their number; NaN stays, and does not count but in Bonferroni's.

    "bonferroni" and "holm" keep the probability of any false discovery below the level,
    "benjamini_hochberg" the expected proportion of false discoveries among all; "none" leaves
    p-values unchanged. With "bonferroni" intervals at the level 1 - alpha / tests are simultaneous,
    and exclude 0 exactly where the adjusted p-value is less than alpha.

    Args:
        p_values: one for each test, shape (tests,).
        correction: one of the above.

    Raises:
        ValueError: a p-value is outside 0 to 1.

    >>> adjusted([0.01, 0.5], "bonferroni").tolist()
    [0.02, 1.0]
    """
    check_option("correction", correction, Correction)
    return _METHODS[correction](p_values)


def significance_level(confidence_level: float) -> float:
    """Return one minus a confidence level, without the rounding error of the subtraction.

    >>> 1 - 0.95, significance_level(0.95)
    (0.050000000000000044, 0.05)
    """
    return float(f"{1 - confidence_level:.14g}")


def bonferroni(p_values: ArrayLike) -> Floats:
    """Return p-values times their number."""
    values = checked_p_values(p_values)
    return np.minimum(values * values.size, 1)


def holm(p_values: ArrayLike) -> Floats:
    """Return p-values of which the smallest is multiplied by their number, the next by one less.

    None becomes smaller than the previous one, or greater than 1.

    Source:
        Holm, A simple sequentially rejective multiple test procedure (1979).

    >>> holm([0.01, 0.04, 0.03, 0.005]).tolist()
    [0.03, 0.06, 0.06, 0.02]
    """
    values = checked_p_values(p_values)
    order = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    factors = np.arange(order.size, 0, -1)
    values[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1)
    return values


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    """Return p-values of which the largest stays, the next is multiplied by tests / (tests - 1).

    None becomes greater than the previous one. Tests must be independent or positively dependent,
    as measures of the same systems are.

    Source:
        Benjamini and Hochberg, Controlling the false discovery rate (1995).

    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.005]).tolist()
    [0.02, 0.04, 0.04, 0.02]
    """
    values = checked_p_values(p_values)
    tests = np.count_nonzero(~np.isnan(values))
    downwards = np.argsort(values, kind="stable")[:tests][::-1]
    ranks = np.arange(tests, 0, -1)
    values[downwards] = np.minimum.accumulate(values[downwards] * tests / ranks)
    return values


def checked_p_values(p_values: ArrayLike) -> Floats:
    """Return a copy of p-values, each from 0 to 1 or NaN."""
    values = np.array(p_values, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"p_values must be a flat list of numbers, got shape {values.shape}")
    wrong = (values < 0) | (values > 1)
    if wrong.any():
        test = int(wrong.argmax())
        raise ValueError(f"p_values[{test}] is {values[test]}; a p-value is from 0 to 1")
    return values


_METHODS: Mapping[str, Callable[[ArrayLike], Floats]] = {
    "bonferroni": bonferroni,
    "holm": holm,
    "benjamini_hochberg": benjamini_hochberg,
    "none": checked_p_values,
}
