"""Unit deviances of Tweedie distributions, which do not cancel where a value is near its mean.

The deviance of a value v from a mean m is, with the power p and x = (v - m) / m,

    2 (v**(2 - p) / ((1 - p) (2 - p)) - v m**(1 - p) / (1 - p) + m**(2 - p) / (2 - p))
    = 2 m**(2 - p) g(x),    g(x) = x**2 (c0 + c1 x + c2 x**2 + ...)

where g is the function with g(0) = g'(0) = 0 and g''(x) = (1 + x)**-p, so that the coefficient ck
is the k-th of the binomial series of (1 + x)**-p over (k + 1) (k + 2). The terms of the first line
are nearly equal for small x, and their rounding would dominate the sum; the series avoids such
terms. For other x, g has no noticeable cancellation in one of the forms

    g(x) = ((1 + x) E(1 - p) - x) / (2 - p),    g(x) = (x - E(2 - p)) / (p - 1)

with E(c) = ((1 + x)**c - 1) / c, which is log(1 + x) for c = 0: the deviances of Poisson and gamma
distributions. The first form is for powers below 1.5, the second for those above.
"""

import numpy as np

from ..statistics.arguments.arrays import Floats

_NEAR = 1 / 16  # the largest x of the series; other forms lose at most nine bits of a row
_TERMS = 14  # of the series, which leaves out less than 2**-53 of the sum


def unit_deviances(power: float, means: Floats, values: Floats, residuals: Floats) -> Floats:
    """Return the unit deviance of each value from its mean.

    Args:
        power: the power of the variance: 0 for squared errors, 1 for Poisson distributions, 2 for
            gamma distributions; below 0 a value may be negative.
        means: positive, unless the power is 0; of any shape with which values broadcast.
        values: in the domain of the power, any shape.
        residuals: the values minus the means.

    Source:
        Jorgensen, The theory of dispersion models (1997), chapter 4.

    >>> means, values = np.array([1e9, 4.0]), np.array([1e9 + 1, 2.0])
    >>> [f"{deviance:.6e}" for deviance in unit_deviances(1, means, values, values - means)]
    ['1.000000e-09', '1.227411e+00']
    """
    if power == 0:
        return np.square(residuals)
    means = np.broadcast_to(means, values.shape)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        x = residuals / means
        near = np.abs(x) <= min(_NEAR, 1 / (4 + 2 * abs(power)))
        deviances = _far(power, means, values, residuals)
        deviances[near] = _near(power, x[near]) * residuals[near] * means[near] ** (1 - power)
    deviances[residuals == 0] = 0  # also where the power of the mean overflows
    return deviances


def _near(power: float, x: Floats) -> Floats:
    """Return 2 g(x) / x by its series."""
    coefficients, binomial = [], 2.0
    for k in range(_TERMS):
        coefficients.append(binomial / ((k + 1) * (k + 2)))
        binomial *= -(power + k) / (k + 1)
    return x * np.polynomial.polynomial.polyval(x, coefficients)


def _far(power: float, means: Floats, values: Floats, residuals: Floats) -> Floats:
    logarithms = np.log(values / means)
    extreme = np.isinf(logarithms) & (values > 0)  # whose quotient is no float
    logarithms[extreme] = np.log(values[extreme]) - np.log(means[extreme])
    exponent = 1 - power if power < 1.5 else 2 - power
    if exponent:
        logarithms = np.expm1(logarithms * exponent) / exponent
    if power < 1.5:
        # Of a value of 0 or less v**(2 - p) counts as 0.
        others = np.minimum(values, 0.0) / (power - 1) if power < 0 else 0.0
        deviances = np.where(values > 0, values * logarithms, others) - residuals
        return 2 * (deviances * (means ** (1 - power) / (2 - power)))
    deviances = (residuals / means - logarithms) * (means ** (2 - power) / (power - 1))
    if power > 3:  # the powers of small values may overflow where their products do not
        small = values < means / 2
        v, m = values[small], means[small]
        terms = v ** (2 - power) / (power - 2) + v * m ** (1 - power)
        terms -= m ** (2 - power) * ((power - 1) / (power - 2))
        deviances[small] = terms / (power - 1)
    return 2 * deviances
