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

For these two, a series in s = x / (2 + x) needs fewer terms, since log(1 + x) = 2 artanh(s):

    g(x) = s (x + (1 + x) q),    g(x) = s (x - q),    q = 2 s**2 (1/3 + s**2/5 + s**4/7 + ...)
"""

import math

import numpy as np

from ..statistics.arguments.arrays import Floats

_NEAR = 1 / 16  # the largest x of the series; other forms lose at most nine bits of a row
_TERMS = 14  # of the series in x, which leaves out less than 2**-53 of the sum
_LOGARITHM_TERMS = 5  # of the series in s, likewise: s**2 is at most 1/961


def unit_deviances(
    power: float,
    means: Floats,
    values: Floats,
    residuals: Floats | None = None,
    out: Floats | None = None,
) -> Floats:
    """Return the unit deviance of each value from its mean.

    Args:
        power: the power of the variance: 0 for squared errors, 1 for Poisson distributions, 2 for
            gamma distributions; below 0 a value may be negative.
        means: positive, unless the power is 0; one number if all are equal.
        values: in the domain of the power, any shape.
        residuals: the values minus the means, if these are rounded numbers.
        out: an array for the result.

    Source:
        Jorgensen, The theory of dispersion models (1997), chapter 4.

    >>> deviances = unit_deviances(1, np.array([1e9, 4.0]), np.array([1e9 + 1, 2.0]))
    >>> [f"{deviance:.6e}" for deviance in deviances]
    ['1.000000e-09', '1.227411e+00']
    """
    deviances = np.empty(values.shape) if out is None else out
    if power == 0:
        differences = np.subtract(values, means) if residuals is None else residuals
        return np.square(differences, out=deviances)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        quotients = values / means
        np.abs(np.subtract(quotients, 1, out=deviances), out=deviances)
        near = np.flatnonzero(deviances <= min(_NEAR, 1 / (4 + 2 * abs(power))))
        if near.size < values.size:
            # Of all rows, which takes less time than selecting those that are far.
            _set_far(power, means, values, quotients, deviances)
        if near.size:
            near_means = means.reshape(-1) if means.size == 1 else means.take(near)
            near_values = values.take(near)
            near_residuals = near_values - near_means if residuals is None else residuals.take(near)
            deviances.reshape(-1)[near] = _near(power, near_means, near_values, near_residuals)
    return deviances


def _near(power: float, means: Floats, values: Floats, residuals: Floats) -> Floats:
    """Return deviances by a series; the residuals keep what quotients lose."""
    ratios = residuals / means
    if power in (1, 2):
        return _near_of_logarithm(power, values, residuals, ratios)
    coefficients, binomial = [], 1.0
    for k in range(_TERMS):
        coefficients.append(binomial / ((k + 1) * (k + 2)))
        binomial *= -(power + k) / (k + 1)
    sums = _polynomial(coefficients, ratios)
    sums *= ratios
    sums *= 2
    sums *= residuals
    sums *= means ** (1 - power)
    sums[residuals == 0] = 0  # also where the power of the mean overflows
    return sums


def _near_of_logarithm(power: float, values: Floats, residuals: Floats, ratios: Floats) -> Floats:
    """Deviances of Poisson distributions, for power 1, and of gamma distributions, for 2."""
    s = ratios / (ratios + 2)
    squares = s * s
    deviances = _polynomial([2 / (2 * k + 3) for k in range(_LOGARITHM_TERMS)], squares)
    deviances *= squares
    if power == 1:
        deviances *= values
        deviances += residuals
    else:
        np.subtract(ratios, deviances, out=deviances)
    deviances *= s
    deviances *= 2
    return deviances


def _polynomial(coefficients: list[float], numbers: Floats) -> Floats:
    """Return the polynomial at each number; the first coefficient is the constant."""
    sums = numbers * coefficients[-1]
    for coefficient in coefficients[-2:0:-1]:
        sums += coefficient
        sums *= numbers
    sums += coefficients[0]
    return sums


def _set_far(
    power: float, means: Floats, values: Floats, quotients: Floats, deviances: Floats
) -> None:
    """Set the deviances by the form of g for this power."""
    logarithms = np.log(quotients, out=deviances)
    # Their sum is not finite if a value is 0 or less, or if a quotient overflows or underflows.
    is_special = not math.isfinite(float(np.add.reduce(logarithms, axis=None)))
    if is_special:
        extreme = np.isinf(logarithms) & (values > 0)
        means_of_rows = np.broadcast_to(means, values.shape)
        logarithms[extreme] = np.log(values[extreme]) - np.log(means_of_rows[extreme])
    exponent = 1 - power if power < 1.5 else 2 - power
    if exponent:
        np.expm1(np.multiply(logarithms, exponent, out=deviances), out=deviances)
        deviances /= exponent
    if power < 1.5:
        deviances *= values
        if is_special and values.min() <= 0:  # of such a value v**(2 - p) counts as 0
            negative = np.minimum(values, 0.0) / (power - 1) if power < 0 else 0.0
            deviances[...] = np.where(values > 0, deviances, negative)
        deviances -= np.subtract(values, means, out=quotients)
        if power != 1:
            deviances *= means ** (1 - power) / (2 - power)
    else:
        quotients -= 1
        np.subtract(quotients, deviances, out=deviances)
        if power != 2:
            deviances /= power - 1
            deviances *= means ** (2 - power)
        if power > 3:  # the powers of small values may overflow where their products do not
            small = values < means / 2
            v, m = values[small], np.broadcast_to(means, values.shape)[small]
            terms = v ** (2 - power) / (power - 2) + v * m ** (1 - power)
            terms -= m ** (2 - power) * ((power - 1) / (power - 2))
            deviances[small] = terms / (power - 1)
    deviances *= 2
    if power not in (1, 2):  # far from their means these two are positive, whatever is rounded
        np.maximum(deviances, 0.0, out=deviances)
