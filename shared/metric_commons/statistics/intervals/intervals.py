"""Confidence intervals of means of scores, by a method that suits the scores.

The percentile bootstrap covers too little if rows are few or scores are near the end of their
range: for ten rows that are all right, it is a point. "auto" weights rows, or clusters, at random
together with an unseen one; see `resampling.ratio_distribution`.

The method "korn_graubard" is narrower where scores vary little, and covers less often where rare
rows are far off. It is based on another idea. A mean m of scores from 0 to 1 behaves like a
proportion of an *effective* number of trials, the number that would give a proportion the same
variance:

    n_eff = N (N + 1) g / (SS + g),   g = m (1 - m),   SS = sum of (score - m)**2.

This is the variance of the N rows and of one pseudo-row with g, the largest variance that the mean
allows. For scores 0 and 1, SS is N g and n_eff is N. The interval is Clopper and Pearson's for m n'
successes in n' = n_eff (z / t)**2 trials, where z and t are the normal and Student's critical
values (Korn and Graubard 1998). With clusters of rows the same holds for the variance between
clusters; see `spreads`. The number of effective trials is reported whatever the method.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from operator import itemgetter
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from ..arguments.arrays import Floats, Integers
from ..arguments.checks import OptionError
from ..arguments.domains import (
    Count,
    CrossedLabels,
    Level,
    Parsed,
    Resamples,
    Seed,
    checked_options,
)
from ..arithmetic.exact_sums import Multiset, as_float, root
from ..resampling.ratio_distribution import (
    error_ends,
    ratio_distribution,
    ratio_ends,
)
from ..resampling.row_units import deviation, mean_ends, percentile_ends
from .cluster_sums import ClusterSums
from .crossed import CrossedClusters, CrossedMean
from .methods import Method
from .proportions import COUNTING, Interval, clopper_pearson, proportion_ends
from .spreads import Spread, row_spread, weighted_scores


def score_range(bounds: tuple[float, float]) -> tuple[float, float]:
    """Return the smallest and the largest possible score."""
    try:
        low, high = map(float, bounds)
    except (TypeError, ValueError):
        low = high = math.nan
    if not (low < high and (math.isfinite(low) or (low, high) == (-math.inf, math.inf))):
        raise OptionError(
            "bounds",
            f"must be the smallest and the largest score, such as (0, 1), (0, inf) or (-inf, inf), "
            f"got {bounds!r}",
        )
    return low, high


Bounds = Annotated[tuple[float, float], Parsed(score_range, "the smallest and the largest score")]


@checked_options
def interval(
    scores: ArrayLike | Multiset,
    *,
    confidence_level: Level | None = 0.95,
    method: Method = "auto",
    clusters: CrossedLabels | ClusterSums | CrossedMean | None = None,
    bounds: Bounds = (0.0, 1.0),
    constant_error: float | None = None,
    longest: Count | None = None,
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
) -> Interval:
    """Return the confidence interval of the mean of scores, by a method that suits them.

    The methods:

    * "auto": rows, or clusters, weighted at random together with an unseen one, "unseen_row". If
      all scores are ends of the range and rows are independent, this is Clopper and Pearson's,
      reported as "clopper_pearson". Without an upper bound the unseen row has 1.5 times the worst
      error, and the interval includes that of "log_t": "unseen_error". Without any bound it is "t".
    * "korn_graubard": for bounded scores. Narrower than "auto" where scores vary little; covers .38
      of the time where rare rows are far off.
    * "log_t": Student's t of the logarithm of a mean of errors without an upper bound.
    * "clopper_pearson", "mid_p": for scores 0 and 1 (or the ends of another range) of
      independent rows.
    * "wilson": for bounded scores; narrower than "auto", right on average, but not everywhere: it
      covers .84 to .92 of the time where nearly all rows are right.
    * "t": Student's, which may leave the range. With clusters it has K - 1 degrees of freedom for
      the Kish number K, which is what inspect_ai computes if clusters are of one size.
    * "bootstrap": the percentile bootstrap of rows, or of clusters. Only this method draws.

    No method is safe for errors without an upper bound: see the table in docs/statistics.md.

    Args:
        scores: shape (rows,), or the multiset of them.
        confidence_level: strictly between 0 and 1; None for the standard error alone: the ends are
            then NaN.
        method: one of the above.
        clusters: one label per row, or for a multiset the sums of its clusters; None if rows are
            independent. Two or three fields, `{"item": labels, "template": labels}`, are crossed:
            each is a sample, and the interval is that of random effects, "crossed_t".
        bounds: the smallest and the largest possible score; (0, inf) for errors, (-inf, inf) for
            differences of them.
        constant_error: for errors, the mean error of the best constant prediction: the size of an
            unseen error if all errors are 0. With None there is then no upper end.
        longest: the rows of the largest cluster that may come; None if it is as large as the
            others: the mean of their sizes, each weighted by itself.
        n_resamples: the number of resamples of the bootstrap.
        seed: for these draws.

    Returns:
        `low`, `high`, `method` (the name reported), `standard_error` (NaN for one row or cluster),
        `effective_n`, and with clusters `n_clusters` and `design_effect`.

    Raises:
        ValueError: no scores, one outside the bounds, not one label per row, an option out
            of its range, or a method that the scores cannot take.

    Source:
        Gaffke, Three test statistics for a nonparametric one-sided hypothesis on the mean of a
        nonnegative variable (2005). Korn and Graubard, Confidence intervals for proportions with
        small expected number of positive counts estimated from survey data (1998).

    >>> print("{:.3f} to {:.3f}, {}".format(*interval([1.0] * 10)[:3]))
    0.692 to 1.000, clopper_pearson
    >>> print("{:.3f} to {:.3f}, {}".format(*interval([0.4, 1.0, 0.5, 0.0, 0.8, 1.0])[:3]))
    0.250 to 0.887, unseen_row
    >>> rows = [1.0] * 5 + [0.0] * 5
    >>> clustered = interval(rows, clusters=["a", "b"] * 5)
    >>> interval(rows).effective_n, clustered.n_clusters
    (10.0, 2)
    >>> interval([0.5, 1.0], method="mid_p")
    Traceback (most recent call last):
    ValueError: method 'mid_p' is for scores 0 and 1, but there are others; take 'auto'
    """
    low, high = score_range(bounds)
    values, counts = weighted_scores("scores", scores, low, high)
    if isinstance(clusters, Mapping):
        clusters = crossed_or_labels(clusters, values)
    if isinstance(clusters, CrossedMean):
        if longest is not None:
            raise OptionError("longest", "does not apply to crossed clusters")
        return _crossed_interval(clusters, method, confidence_level, low, high)
    sums = None if clusters is None else _cluster_sums(clusters, scores, values)
    if longest is not None:
        _check_longest(longest, sums)
    spread = row_spread(values, counts)
    units = spread if sums is None else sums.spread()

    successes = None if sums is not None else _successes(values, counts, low, high, spread.rows)
    _check_method(method, successes, sums, low, high)
    trials, degrees, effect = _precision(spread, units, low, high, successes is not None)
    clusters_seen = None if sums is None else len(sums)
    ends = math.nan, math.nan
    if confidence_level is None:
        return Interval(*ends, method, units.standard_error(), trials, clusters_seen, effect)
    critical = critical_value(confidence_level, degrees)

    name: str = method
    if method == "bootstrap":
        draws = {"n_resamples": int(n_resamples), "seed": int(seed)}
        if sums is not None:
            ends = sums.resampled_ends(confidence_level, **draws)
        else:
            multiset = scores if isinstance(scores, Multiset) else Multiset.from_values(values)
            ends = mean_ends(multiset, confidence_level, **draws)
    elif method == "t" or math.isinf(low):
        name = "t"
        if units.units > 1:
            reach = critical * root(units.variance())
            ends = float(units.mean) - reach, float(units.mean) + reach
    elif method == "log_t":
        ends = _log_t_ends(units, Fraction(low), critical)
    elif method == "auto" and (successes is None or math.isinf(high)):
        least = low if math.isinf(high) else 0.0  # errors are distances from the smallest
        if sums is None:
            distribution = ratio_distribution(values - least, np.ones(values.size), counts)
        else:
            sizes = sums.sizes()
            distribution = ratio_distribution(sums.sums() - least * sizes, sizes)
        if longest is not None:
            distribution = distribution._replace(unseen_size=float(longest))
        if math.isfinite(high):
            name, ends = "unseen_row", ratio_ends(distribution, (low, high), confidence_level)
        else:
            name = "unseen_error"
            variance = as_float(units.variance()) if units.units > 1 else math.nan
            if units.units > 1 or units.mean == least:  # a single unit says nothing
                errors = error_ends(
                    distribution, variance, critical, confidence_level, constant_error
                )
                ends = least + errors[0], least + errors[1]
    else:
        share = float((spread.mean - Fraction(low)) / (Fraction(high) - Fraction(low)))
        if method == "korn_graubard" and successes is None:
            ends = korn_graubard(share, trials, critical, confidence_level)
        else:
            hits = share * trials if successes is None else successes
            name = "clopper_pearson" if method in ("auto", "korn_graubard") else method
            ends = proportion_ends(name, hits, trials, confidence_level, critical)
        if (low, high) != (0.0, 1.0):
            ends = low + (high - low) * ends[0], high - (high - low) * (1 - ends[1])
    return Interval(*ends, name, units.standard_error(), trials, clusters_seen, effect)


def korn_graubard(
    proportion: float, trials: float, critical: float, confidence_level: float
) -> tuple[float, float]:
    """Return the ends of Clopper and Pearson in an effective number of trials.

    An estimated variance reduces the trials by the square of the normal critical value over
    Student's. If Student's is infinite, the interval is 0 to 1.

    >>> low, high = korn_graubard(0.9, 50.0, critical_value(0.95, 20), 0.95)
    >>> print(f"{low:.4f} to {high:.4f}")
    0.7719 to 0.9697
    """
    normal = critical_value(confidence_level, math.inf)
    scaled = trials * (normal / critical if critical else 1.0) ** 2
    return clopper_pearson(proportion * scaled, scaled, confidence_level)


def resampled_interval(
    values: Floats, confidence_level: float, n_clusters: int | None = None
) -> Interval:
    """Return the percentile interval of a score from its values in resamples.

    NaN values are left out.

    The standard error is their standard deviation. A score that is not a mean of rows has no
    effective number of rows.

    Args:
        values: shape (resamples,).
        confidence_level: strictly between 0 and 1.
        n_clusters: the number of resampled clusters; None for rows.

    >>> resampled_interval(np.array([3.0, 1.0, math.nan, 2.0]), 0.5)[:4]
    (1.5, 2.5, 'bootstrap', 1.0)
    """
    low, high = percentile_ends(values, confidence_level).tolist()
    defined = values[~np.isnan(values)]
    largest = float(max(-defined.min(initial=0.0), defined.max(initial=0.0)))
    if math.isinf(largest):
        return Interval(low, high, "bootstrap", math.inf, None, n_clusters)
    scale = largest or 1.0  # so that no square overflows
    defined /= scale
    error = deviation(defined) * scale
    return Interval(low, high, "bootstrap", error, None, n_clusters)


def _log_t_ends(spread: Spread, least: Fraction, critical: float) -> tuple[float, float]:
    """Return Student's interval of the logarithm of a mean above `least`, by the delta method.

    Logarithms skew the interval to the right as errors are skewed. For the mean 0 there is only a
    lower end: the rows do not show how large an error may be.

    >>> _log_t_ends(row_spread(np.zeros(3)), Fraction(0), 4.3)
    (0.0, nan)
    """
    mean = spread.mean - least
    if not mean:
        return float(least), math.nan
    if spread.units <= 1:
        return math.nan, math.nan
    reach = critical * root(spread.variance() / mean**2)
    if reach > 700:  # beyond the exponential of a float
        return float(least), math.inf
    return (
        float(least) + float(mean) * math.exp(-reach),
        float(least) + float(mean) * math.exp(reach),
    )


def crossed_or_labels(
    clusters: Mapping[str, Sequence[object]], values: Floats
) -> Sequence[object] | CrossedMean:
    """Return the mean of crossed rows, or the labels of the only field."""
    if len(clusters) == 1:
        return next(iter(clusters.values()))
    return CrossedClusters.of_labels(clusters, values.size).sums(values)


def _crossed_interval(
    crossed: CrossedMean, method: Method, confidence_level: float | None, low: float, high: float
) -> Interval:
    """Return the interval of the mean of crossed rows, within the range of scores."""
    if method not in ("auto", "t"):
        raise OptionError("method", f"{method!r} is not for crossed clusters; take 'auto'")
    units, error = min(crossed.levels), crossed.standard_error
    if confidence_level is None:
        return Interval(math.nan, math.nan, "crossed_t", error, None, units)
    ends = crossed.ends(confidence_level)
    if not error and math.isfinite(high):
        # Nothing varies: as if the field with the fewest levels were all there is.
        equal = interval(
            np.full(units, crossed.mean), confidence_level=confidence_level, bounds=(low, high)
        )
        ends = equal.low, equal.high
    return Interval(max(ends[0], low), min(ends[1], high), "crossed_t", error, None, units)


def _cluster_sums(
    clusters: Sequence[object] | ClusterSums, scores: ArrayLike | Multiset, values: Floats
) -> ClusterSums:
    """Return the sums of clusters of these scores."""
    if isinstance(clusters, ClusterSums):
        rows = len(scores) if isinstance(scores, Multiset) else values.size
        if clusters.rows != rows:
            raise OptionError("clusters", f"has {clusters.rows} rows, but there are {rows} scores")
        return clusters
    if isinstance(scores, Multiset):
        raise OptionError("clusters", "must be the ClusterSums of a multiset, which has no rows")
    return ClusterSums.of(clusters, values)


def _check_longest(longest: int, sums: ClusterSums | None) -> None:
    """Check that there are clusters, and none with more rows than this.

    Raises:
        ValueError: there is a larger one, or there are no clusters.
    """
    if sums is None:
        raise OptionError("longest", "is the number of rows of a cluster, but there are none")
    label, rows = max(
        ((label, rows) for label, (rows, _) in sums.clusters.items()), key=itemgetter(1)
    )
    if rows > longest:
        raise OptionError("longest", f"is {longest}, but cluster {label!r} has {rows} rows")


def _successes(
    values: Floats, counts: Integers | None, low: float, high: float, rows: int
) -> int | None:
    """Return the number of largest possible scores, if all others are the smallest possible one."""
    best, worst = values == high, values == low
    if counts is None:
        successes, failures = int(np.count_nonzero(best)), int(np.count_nonzero(worst))
    else:
        successes, failures = int(counts[best].sum()), int(counts[worst].sum())
    return successes if successes + failures == rows else None


def _check_method(
    method: str, successes: int | None, sums: ClusterSums | None, low: float, high: float
) -> None:
    """Check that the method suits the scores.

    Raises:
        ValueError: it does not; the message says why.
    """
    if method in COUNTING and sums is not None:
        raise OptionError(
            "method",
            f"{method!r} is for independent rows, but there are clusters; take 'auto'",
        )
    if method == "log_t" and (math.isinf(low) or math.isfinite(high)):
        raise OptionError(
            "method", "'log_t' is for errors without an upper bound; take 'auto' for these scores"
        )
    if method in (*COUNTING, "wilson", "korn_graubard") and math.isinf(high):
        raise OptionError(
            "method",
            f"{method!r} is for bounded scores, but these have no upper bound; take 'auto'",
        )
    if method in COUNTING and successes is None:
        raise OptionError(
            "method",
            f"{method!r} is for scores {low:g} and {high:g}, but there are others; take 'auto'",
        )


def _precision(
    spread: Spread, units: Spread, low: float, high: float, binary: bool
) -> tuple[float, float, float | None]:
    """Return an effective number of trials, degrees of freedom, and the design effect of clusters.

    Without an upper bound the trials are all rows, or as many independent ones as have the variance
    between clusters.
    """
    largest, pseudo_row = Fraction(0), Fraction(1)
    if math.isfinite(high):
        largest = (spread.mean - Fraction(low)) * (Fraction(high) - spread.mean)
    trials = float(spread.rows)
    if largest and not binary:
        trials = float(largest / spread.cautious_variance(largest, pseudo_row))
    if units.clusters is None:
        return trials, math.inf if binary and math.isfinite(high) else units.degrees, None
    if units.units <= 1:
        return 0.0, 0.0, math.nan
    if math.isinf(high):
        effect = float(spread.rows / units.units)
        if spread.squares:
            effect = max(1.0, float(units.variance() / spread.variance()))
        return trials / effect, units.degrees, effect
    clustered = float(units.units)
    if largest:
        clustered = min(float(largest / units.cautious_variance(largest, pseudo_row)), trials)
    return clustered, units.degrees, trials / clustered


def critical_value(confidence_level: float, degrees: float) -> float:
    """Return Student's critical value; infinite without degrees of freedom."""
    from scipy.special import ndtri, stdtrit

    tail = (1 - confidence_level) / 2
    if math.isinf(degrees):
        return -float(ndtri(tail))
    return -float(stdtrit(degrees, tail)) if degrees > 0 else math.inf
