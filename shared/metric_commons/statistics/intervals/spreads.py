"""Squared deviations of rows, or clusters of rows, from their mean: the basis of standard errors.

Sums are exact, so nothing here depends on the order of rows or on how they were divided.
"""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arguments.arrays import Floats, Integers
from ..arithmetic.exact_sums import exact_ldexp, exact_sum, root

LARGEST = 1e280  # scores up to here add up without overflow, however many there are
_SQUARED = 400  # powers of two up to which squares are far from infinite and from zero


class Spread(NamedTuple):
    """The mean of rows and the squared deviations from it, of rows or of clusters of them.

    The units are rows or clusters. Clusters of different sizes count as K clusters of equal size: K
    = rows**2 / (sum of squared sizes), the *Kish number*. It is 1 if one cluster holds all rows.
    Without clusters each row is a cluster.

    >>> spread = row_spread(np.array([0.0, 0.5, 1.0]))
    >>> spread.units, spread.mean, spread.squares, spread.standard_error()
    (Fraction(3, 1), Fraction(1, 2), Fraction(1, 2), 0.28867513459481287)
    """

    rows: int
    mean: Fraction
    squares: Fraction  # the sum over units of (sum of the deviations of a unit)**2
    square_sizes: int  # the sum over units of squared sizes
    clusters: int | None = None  # how many; None if rows are independent

    @property
    def units(self) -> Fraction:
        """Return the Kish number of clusters, or the number of rows."""
        return Fraction(self.rows**2, self.square_sizes)

    @property
    def degrees(self) -> float:
        """Return degrees of freedom of a variance from these units."""
        return float(self.units - 1)

    def standard_error(self) -> float:
        """Return the standard error of the mean; NaN for one row, or one cluster.

        For rows it is s / sqrt(rows), for clusters the cluster-robust one with the factor
        G / (G - 1) for G clusters (as in inspect_ai, statsmodels and R's sandwich).
        """
        number = self.rows if self.clusters is None else self.clusters
        if number < 2:
            return math.nan
        return root(self.squares * Fraction(number, number - 1) / self.rows**2)

    def variance(self) -> Fraction:
        """The variance of the mean, unbiased for clusters of any sizes with the factor K / (K - 1).

        Raises:
            ZeroDivisionError: there is one unit.
        """
        return self.squares * self.units / (self.units - 1) / self.rows**2


def row_spread(values: Floats, counts: Integers | None = None) -> Spread:
    """Return the spread of independent scores with these counts (None for one each)."""
    rows = values.size if counts is None else int(counts.sum())
    mean = exact_sum(values, counts) / rows
    deviations = values - float(mean)
    # A power of two changes no digit, and keeps squares from becoming infinite or zero.
    power = math.frexp(float(np.abs(deviations).max()))[1]
    power = power if abs(power) > _SQUARED else 0
    if power:
        deviations = np.ldexp(deviations, -power)
    squares = exact_ldexp(exact_sum(np.square(deviations), counts), 2 * power)
    return Spread(rows, mean, squares, rows)


def finite_scores(
    name: str, values: ArrayLike, dimensions: tuple[int, ...] = (1,), largest: float = LARGEST
) -> Floats:
    """Return numbers as float64, all finite and small enough for their sum.

    Raises:
        ValueError: a number is not finite, or is above `largest` in size, or the number of
            dimensions is wrong.

    >>> finite_scores("scores", [1, 0.5])
    array([1. , 0.5])
    """
    array = np.asarray(values)
    if array.ndim not in dimensions or (array.size and array.dtype.kind not in "fiub"):
        raise ValueError(
            f"{name} must hold numbers in {' or '.join(map(str, dimensions))} dimensions, "
            f"got shape {array.shape} of {array.dtype}"
        )
    floats = array.astype(np.float64, copy=False)
    fit = np.abs(floats) <= largest  # which NaN is not
    if not fit.all():
        index = np.unravel_index(int(fit.argmin()), fit.shape)
        raise ValueError(
            f"{name}[{', '.join(map(str, index))}] is {floats[index]}; "
            f"a score is finite, and at most {largest} in size"
        )
    return floats
