"""Intervals of ratios of sums, from random weights and one unseen unit.

Units (rows, or clusters of rows) are weighted at random with independent exponential weights, as in
the Bayesian bootstrap, together with one more unit: the worst possible one for the lower end, the
best possible one for the upper end. The ends are quantiles of the ratio of the weighted units. So
no interval is a point: thirty units cannot exclude that another one fails.

For scores 0 and 1 this is the interval of Clopper and Pearson; for scores in a known range it is
Gaffke's bound, and no distribution is known for which that fails.

Sources:
    Gaffke, Three test statistics for a nonparametric one-sided hypothesis on the mean of a
    nonnegative variable (2005).
    Learned-Miller and Thomas, A new confidence interval for the mean of a bounded random variable
    (2020).
"""

import math

from .ratio_distribution import RatioDistribution, probability_below, ratio_quantile

WORSE = 1.5  # an unseen error is at most this many times the worst observed one


def ratio_ends(
    distribution: RatioDistribution, bounds: tuple[float, float], confidence_level: float
) -> tuple[float, float]:
    """Return the ends of the interval of sum(numerators) / sum(sizes); NaN if there are no sizes.

    Args:
        distribution: the units.
        bounds: the smallest and the largest ratio that a unit can have.
        confidence_level: strictly between 0 and 1.
    """
    size = distribution.unseen_size
    if not size > 0:  # none, or that of one among units without sizes
        return math.nan, math.nan
    low, high = unseen_unit_ends(
        distribution, (bounds[0] * size, bounds[1] * size), confidence_level
    )
    value = distribution.units.ratio()
    return min(low, value), max(high, value)


def unseen_unit_ends(
    distribution: RatioDistribution, numerators: tuple[float, float], confidence_level: float
) -> tuple[float, float]:
    """Return the same for an unseen unit with these numerators, the worst and the best."""
    low, high = (
        ratio_quantile(distribution.units.with_unseen(numerator, distribution.unseen_size), level)
        for numerator, level in zip(numerators, levels(confidence_level), strict=True)
    )
    return low, high


def levels(confidence_level: float) -> tuple[float, float]:
    """Return the levels of both ends."""
    return (1 - confidence_level) / 2, (1 + confidence_level) / 2


def lower_tail(distribution: RatioDistribution, ratio: float, minimum: float) -> float:
    """Return the probability that the weighted ratio, with the lowest unseen unit, is at most this.

    It is less than alpha exactly if the lower end at the level 1 - 2 alpha is above the ratio.

    Args:
        distribution: the units.
        ratio: the ratio in question.
        minimum: the smallest ratio that a unit can have.
    """
    size = distribution.unseen_size
    if not size:
        return math.nan
    return probability_below(ratio, distribution.units.with_unseen(minimum * size, size))


def error_ends(
    distribution: RatioDistribution,
    variance: float,
    critical: float,
    confidence_level: float,
    scale: float | None = None,
) -> tuple[float, float]:
    """The ends of the interval of a mean of errors, which are at least 0 and have no upper bound.

    It contains Student's interval of the logarithm of the mean, and that of the distribution with
    an unseen error of 0 or of 1.5 times the worst one. No method is safe for errors with unlimited
    tails.

    Args:
        distribution: the units; there are at least two.
        variance: the variance of the mean.
        critical: Student's critical value.
        confidence_level: strictly between 0 and 1.
        scale: the mean error of the best constant prediction, which is the unseen error if all
            errors are 0; None if it is unknown, so that there is no upper end.
    """
    mean = distribution.units.ratio()
    if not mean:
        if not scale:
            return 0.0, math.nan
        return 0.0, ratio_ends(distribution, (0.0, scale), confidence_level)[1]
    low, high = ratio_ends(
        distribution, (0.0, WORSE * distribution.largest_ratio), confidence_level
    )
    reach = critical * math.sqrt(variance) / mean
    if reach > 700:  # beyond the exponential of a float
        return 0.0, math.inf
    return min(low, mean * math.exp(-reach)), max(high, mean * math.exp(reach))
