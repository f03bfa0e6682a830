"""Unit deviances of Tweedie distributions, without cancellation where a value is near its mean.

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

from ..numbers.arrays import Floats

_TERMS = 20  # of the series, which leaves out less than 2**-53 of the sum


def unit_deviance(power: float, mean: float, residual: float) -> float:
    """The unit deviance of the value `mean + residual` from a mean.

    >>> round(unit_deviance(2, 4.0, -2.0), 12)  # 2 (ln 2 - 1/2)
    0.38629436112
    """
    means, residuals = np.array([mean]), np.array([residual])
    return float(unit_deviances(power, means, means + residuals, residuals)[0])


def unit_deviances(power: float, means: Floats, values: Floats, residuals: Floats) -> Floats:
    """The unit deviance of each value from its mean.

    Args:
        power: the power of the variance: 0 for squared errors, 1 for Poisson distributions, 2 for
            gamma distributions; below 0 a value may be negative.
        means: positive, unless the power is 0.
        values: in the domain of the power, any shape.
        residuals: the values minus the means.

    Source:
        Jorgensen, The theory of dispersion models (1997), chapter 4.

    >>> columns = np.array([1e9, 4.0]), np.array([1e9 + 1, 2.0]), np.array([1.0, -2.0])
    >>> [f"{deviance:.6e}" for deviance in unit_deviances(1, *columns)]
    ['1.000000e-09', '1.227411e+00']
    """
    if power == 0:
        return np.square(residuals)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        ratios = residuals / means
        is_near = np.abs(ratios) <= min(1 / 8, 1 / (2 + abs(power)))
        near = np.flatnonzero(is_near)
        if not near.size:
            return _far(power, means, values, residuals)
        if near.size == ratios.size:
            return _near(power, means, residuals, ratios)
        # Of all rows, which takes less time than selecting those that are far.
        deviances = _far(power, means, values, residuals)
        columns = means.take(near), residuals.take(near), ratios.take(near)
        deviances.reshape(-1)[near] = _near(power, *columns)
        return deviances


def _near(power: float, means: Floats, residuals: Floats, ratios: Floats) -> Floats:
    """By the series; the residuals and ratios keep what the values lose."""
    coefficients, binomial = [], 1.0
    for k in range(_TERMS):
        coefficients.append(binomial / ((k + 1) * (k + 2)))
        binomial *= -(power + k) / (k + 1)
    sums = np.full(ratios.shape, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        sums *= ratios
        sums += coefficient
    sums *= ratios
    sums *= 2
    if power == 2:
        sums *= ratios
        return sums
    sums *= residuals
    if power != 1:
        sums *= means ** (1 - power)
        sums[residuals == 0] = 0  # also where the power of the mean overflows
    return sums


def _far(power: float, means: Floats, values: Floats, residuals: Floats) -> Floats:
    """By the form of g for this power."""
    logarithms = values / means
    np.log(logarithms, out=logarithms)
    if np.isinf(logarithms).any():
        extreme = np.isinf(logarithms) & (values > 0)  # the quotient overflows or underflows
        logarithms[extreme] = np.log(values[extreme]) - np.log(means[extreme])
    exponent = 1 - power if power < 1.5 else 2 - power
    powers = np.expm1(exponent * logarithms) / exponent if exponent else logarithms
    deviances: Floats
    if power < 1.5:
        deviances = np.multiply(values, powers, out=powers)
        if values.min(initial=1.0) <= 0:  # of such a value v**(2 - p) counts as 0
            rest = np.minimum(values, 0.0) / (power - 1) if power < 0 else 0.0
            deviances = np.where(values > 0, deviances, rest)
        deviances -= residuals
        if power != 1:
            deviances *= means ** (1 - power) / (2 - power)
    else:
        deviances = (residuals / means - powers) / (power - 1)
        if power != 2:
            deviances *= means ** (2 - power)
        if power > 3:  # the powers of small values may overflow where their products do not
            small = values < means / 2
            v, m = values[small], means[small]
            terms = v ** (2 - power) / (power - 2) + v * m ** (1 - power)
            terms -= m ** (2 - power) * ((power - 1) / (power - 2))
            deviances[small] = terms / (power - 1)
    deviances *= 2
    np.maximum(deviances, 0.0, out=deviances)
    return deviances
