"""Intervals of areas under curves, losses and calibration errors, from the influence of rows.

The variance of a score is the sum of the squared influences of its rows; with clusters, influences
are added up within each cluster before they are squared.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Floats
from ...statistics.arithmetic.exact_sums import group_sums, rounded_sum
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.estimates import ClusterVariance, estimate_interval
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.sum_distributions import weighted_mean_interval
from ...statistics.intervals.summary import Estimator
from .areas import InfluencedScore

_OF_MEANS = ("auto", "t")  # the methods of means with an upper bound
_OF_ERRORS = ("auto", "t")
_ROUNDING = 1e-9  # a row's score that is as near to a whole number is one


def score_estimators(
    scores: Mapping[str, InfluencedScore],
    rows: Mapping[str, Any],
    upper_bounds: Mapping[str, float],
    clusters: Clusters | None,
    weights: Floats | None = None,
) -> dict[str, Estimator]:
    """Return a function for each score that returns its interval, for `summary.uncertainty`.

    Args:
        scores: the scores.
        rows: the number of rows that each is based on; for a list of scores a list.
        upper_bounds: the largest possible value of each; infinite for errors without a bound.
        clusters: the clusters of the rows; None if they are independent.
        weights: the weights of the rows; None if they are equal.
    """

    def estimate(name: str, **options: Any) -> Interval | list[Interval]:
        score, influences = scores[name]
        if not isinstance(score, list):
            return interval(name, score, influences(), rows[name], **options)
        of_labels = zip(score, influences(), rows[name], strict=True)
        return [interval(name, *of_label, **options) for of_label in of_labels]

    def interval(
        name: str, score: float, influences: Floats, size: int, **options: Any
    ) -> Interval:
        bound, method = upper_bounds[name], options.get("method", "auto")
        if method == "bootstrap":
            return _normal_interval(score, influences, clusters, bound, options["confidence_level"])
        n_clusters = None if clusters is None else len(clusters.labels)
        if name == "mce":
            return Interval(math.nan, math.nan, "none", math.nan, None, n_clusters)
        is_mean = name in ("log_loss", "brier") or name.startswith("top_")
        if math.isnan(score):
            kind = "korn_graubard"
            if is_mean:
                kind = "unseen_error" if math.isinf(bound) else "unseen_row"
            return Interval(math.nan, math.nan, kind, math.nan, 0.0, n_clusters)
        if is_mean:
            return _mean_interval(score, influences, weights, clusters, bound, **options)
        # Methods that do not apply to such scores are replaced; the result names the one used.
        return estimate_interval(
            score,
            rounded_sum(np.square(influences)),
            size,
            confidence_level=options["confidence_level"],
            method="wilson" if method == "wilson" else "auto",
            clusters=None if clusters is None else cluster_variance(influences, clusters),
        )

    return {name: partial(estimate, name) for name in scores}


def _mean_interval(
    score: float,
    influences: Floats,
    weights: Floats | None,
    clusters: Clusters | None,
    largest: float,
    **options: Any,
) -> Interval:
    """Return the interval of a mean of rows, whose scores follow from their influences on it."""
    w = np.ones(influences.size) if weights is None else weights
    changes = np.divide(influences, w, out=np.zeros(w.size), where=w > 0)
    values = np.clip(score + changes * math.fsum(w.tolist()), 0.0, largest)
    is_whole = np.abs(values - np.rint(values)) < _ROUNDING
    values = np.where(is_whole, np.rint(values), values)
    methods = _OF_ERRORS if math.isinf(largest) else _OF_MEANS
    if options.get("method") not in methods[: 1 if weights is not None else None]:
        options["method"] = "auto"  # the result says which it was
    return weighted_mean_interval(values, weights, clusters, bounds=(0.0, largest), **options)


def cluster_variance(influences: Floats, clusters: Clusters) -> ClusterVariance:
    """Return the variance between clusters, from the influence of each row.

    >>> clusters = Clusters.of_labels(["a", "a", "b"], 3)
    >>> cluster_variance(np.array([0.25, -0.25, 0.5]), clusters)
    ClusterVariance(squares=0.25, units=Fraction(9, 5), n_clusters=2)
    """
    numbers, n_clusters = clusters.numbers, len(clusters.labels)
    sums = group_sums(influences, numbers, n_clusters)
    sizes = np.bincount(numbers, minlength=n_clusters)
    units = Fraction(len(numbers) ** 2, int((sizes**2).sum()))
    return ClusterVariance(float(np.sort(sums**2).sum()), units, n_clusters)


def _normal_interval(
    score: float,
    influences: Floats,
    clusters: Clusters | None,
    upper_bound: float,
    confidence_level: float,
) -> Interval:
    """Return the normal interval around a score, cut at the ends of its range.

    For ROC AUC, DeLong's. It also replaces a requested bootstrap: resampled areas have this
    distribution if there are many rows, and it needs no random numbers.
    """
    n_clusters = None if clusters is None else len(clusters.labels)
    if math.isnan(score):
        return Interval(math.nan, math.nan, "normal", math.nan, None, n_clusters)
    variance = rounded_sum(np.square(influences))
    if clusters is not None and n_clusters:
        factor = n_clusters / (n_clusters - 1) if n_clusters > 1 else math.nan
        variance = cluster_variance(influences, clusters).squares * factor
    error = math.sqrt(variance)
    margin = NormalDist().inv_cdf((1 + confidence_level) / 2) * error
    low, high = max(score - margin, 0.0), min(score + margin, upper_bound)
    return Interval(low, high, "normal", error, None, n_clusters)
