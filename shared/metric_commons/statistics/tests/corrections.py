"""P-values of several tests, adjusted for the number of tests."""

import numpy as np
from numpy.typing import ArrayLike

from ..arguments.arrays import Floats
from ..arguments.domains import check_option
from ..intervals.methods import Correction


def adjusted(p_values: ArrayLike, correction: Correction) -> Floats:
    """Return p-values adjusted for their number; NaN stays, and does not count but in Bonferroni's.

    "bonferroni" and "holm" keep the probability of any false discovery below the level,
    "benjamini_hochberg" the expected proportion of false discoveries among all, of tests that are
    independent or positively dependent; "none" leaves p-values unchanged. With "bonferroni"
    intervals at the level 1 - alpha / tests are simultaneous, and exclude 0 exactly where the
    adjusted p-value is less than alpha.

    Args:
        p_values: one for each test, shape (tests,).
        correction: one of the above.

    Raises:
        ValueError: a p-value is outside 0 to 1.

    Source:
        Holm, A simple sequentially rejective multiple test procedure (1979). Benjamini and
        Hochberg, Controlling the false discovery rate (1995).

    >>> p_values = [0.01, 0.04, 0.03, 0.005]
    >>> adjusted(p_values, "holm").tolist(), adjusted(p_values, "benjamini_hochberg").tolist()
    ([0.03, 0.06, 0.06, 0.02], [0.02, 0.04, 0.04, 0.02])
    """
    check_option("correction", correction, Correction)
    values = np.array(p_values, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"p_values must be a flat list of numbers, got shape {values.shape}")
    wrong = (values < 0) | (values > 1)
    if wrong.any():
        test = int(wrong.argmax())
        raise ValueError(f"p_values[{test}] is {values[test]}; a p-value is from 0 to 1")
    if correction == "bonferroni":
        return np.minimum(values * values.size, 1)
    order = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    ascending, ranks = values[order], np.arange(1, order.size + 1)
    if correction == "holm":
        values[order] = np.minimum(np.maximum.accumulate(ascending * ranks[::-1]), 1)
    elif correction == "benjamini_hochberg":
        values[order] = np.minimum.accumulate((ascending * order.size / ranks)[::-1])[::-1]
    return values


def significance_level(confidence_level: float) -> float:
    """Return one minus a confidence level, without the rounding error of the subtraction.

    >>> 1 - 0.95, significance_level(0.95)
    (0.050000000000000044, 0.05)
    """
    return float(f"{1 - confidence_level:.14g}")
