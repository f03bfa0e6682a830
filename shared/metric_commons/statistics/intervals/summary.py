"""From the scores of rows to the result of a module."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import fsum, inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments.arrays import Floats, Integers
from ..arguments.checks import OptionError, check_labels
from ..arguments.domains import (
    Count,
    CrossedLabels,
    Labels,
    Level,
    Resamples,
    Seed,
    checked_options,
)
from ..arithmetic.exact_sums import exact_sum
from .cluster_sums import Clusters
from .crossed import CrossedClusters
from .intervals import interval as mean_interval
from .methods import Method
from .proportions import Interval
from .spreads import finite_scores

# A function of `confidence_level`, `method`, `n_resamples` and `seed`: the interval of a score.
Estimator = Callable[..., Interval | list[Interval]]

_ROUNDING = 1e-9  # by which the scores of rows may exceed their upper bound
_MANY = 4_096  # scores; from here on, adding in arrays is faster


def mean(scores: ArrayLike) -> float:
    """Return the mean, from an exactly rounded sum that does not depend on the order of rows.

    >>> mean([0.1] * 10)
    0.1
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.size < _MANY or not np.isfinite(values).all():
        return fsum(values.tolist()) / values.size
    return float(exact_sum(values)) / values.size  # rounded once, as by fsum, and faster


@dataclass(frozen=True)
class Average:
    """How the scores of rows become one score: `after(mean(before(scores)), rows)`.

    A geometric mean is based on a mean of logarithms, a sum on a mean times the number of rows.
    Both functions are monotone, so they also convert the ends of an interval; the standard error is
    multiplied by `slope(mean, rows)`, the derivative of `after`. `bounds` are the smallest and the
    largest score of a row after `before`.

    >>> total = Average(after=lambda mean, rows: mean * rows, slope=lambda mean, rows: rows)
    >>> total(np.array([1.0, 2.0, 6.0]))
    9.0
    """

    mean: Callable[[Floats], float] = mean
    before: Callable[[Floats], Floats] = lambda scores: scores
    after: Callable[[float, int], float] = lambda mean, rows: mean
    slope: Callable[[float, int], float] = lambda mean, rows: 1.0
    bounds: tuple[float, float] = (0.0, 1.0)

    def __call__(self, scores: Floats) -> float:
        """Return the score of all rows."""
        return self.after(self.mean(self.before(scores)), len(scores))

    def interval(
        self, scores: Floats, clusters: Clusters | CrossedClusters | None, **options: Any
    ) -> Interval:
        """Return the interval of the score, with the options of `intervals.interval`."""
        values, rows = self.before(scores), len(scores)
        largest = self.bounds[1]
        if values.max() <= largest + _ROUNDING:
            values = np.minimum(values, largest)
        sums = None if clusters is None else clusters.sums(finite_scores("scores", values))
        estimate = mean_interval(values, clusters=sums, bounds=self.bounds, **options)
        return estimate._replace(
            low=self.after(estimate.low, rows),
            high=self.after(estimate.high, rows),
            standard_error=estimate.standard_error * self.slope(self.mean(values), rows),
        )


_MEAN = Average()
UNBOUNDED = Average(bounds=(0.0, inf))  # of scores that have no largest value


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """The options of modules whose intervals are always resampled.

    Args:
        confidence_level: the level of the intervals, such as 0.95; also return them under
            `confidence_interval`.
        n_resamples: the number of resamples.
        seed: the seed of the bootstrap; the same seed gives the same interval on every machine.
    """

    confidence_level: Level | None = None
    n_resamples: Resamples = 10_000
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class Uncertainty:
    """The options of modules about intervals of scores that are not means of rows.

    Args:
        confidence_level: the level of the intervals, such as 0.95; also return them under
            `confidence_interval`.
        interval: the method; "auto" chooses by the kind of score, "bootstrap" resamples rows.
        clusters: the cluster of each row, such as its document; intervals then count clusters
            instead of rows, and scores do not change.
        n_resamples: the number of resamples of the bootstrap.
        seed: the seed of the bootstrap; the same seed gives the same interval on every machine.
        groups: the group of each row; also return the scores of each group under `groups`.
    """

    confidence_level: Level | None = None
    interval: Method = "auto"
    clusters: Labels | None = None
    n_resamples: Resamples = 10_000
    seed: Seed = 0
    groups: Labels | None = None


class MeansResult(dict[str, Any]):
    """The result of a module, and the scores of rows whose means it has."""

    scores: Mapping[str, Floats]


@checked_options
def summarize(
    scores: Mapping[str, Floats | list[float]],
    averages: Mapping[str, Average] | None = None,
    *,
    per_example: bool = False,
    confidence_level: Level | None = None,
    standard_error: bool = False,
    interval: Method = "auto",
    clusters: CrossedLabels | None = None,
    longest: Count | None = None,
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
    groups: Labels | None = None,
) -> dict[str, Any]:
    """Return the result of a module that scores row by row.

    The mean of each score, and what is requested.

    Args:
        scores: for each key of the result the scores of all rows, shape (rows,).
        averages: how to average the scores that are not averaged by the exact mean.
        per_example: also return the scores of each row, in input order, under `per_example`.
        confidence_level: the level of the intervals, such as 0.95; also return them under
            `confidence_interval`, with `interval`, `standard_error` and `effective_n`.
        standard_error: also return the standard error of each score.
        interval: the method; "auto" chooses by the kind of score, "bootstrap" resamples rows.
        clusters: the cluster of each row, such as its document; intervals then count clusters
            instead of rows, and scores do not change. Two or three fields, such as item and
            template, are crossed: each is a sample.
        longest: for intervals, the size of the longest row, or cluster, that may come: its words,
            characters or spans in the references, or the rows of a cluster; None if it is about as
            long as the others.
        n_resamples: the number of resamples of "bootstrap".
        seed: the seed of the bootstrap; the same seed gives the same interval on every machine.
        groups: the group of each row; also return the means of each group and its number of rows
            `n` under `groups`, in the order of the labels, with intervals if there are any.

    Raises:
        ValueError: labels that are not one per row, or an interval method that a score does not
            support.

    >>> summarize({"em": np.array([1.0, 0.0])}, groups=["x", "y"])
    {'em': 0.5, 'groups': {'x': {'em': 1.0, 'n': 1}, 'y': {'em': 0.0, 'n': 1}}}
    >>> summarize({"em": np.array([1.0, 0.0, 1.0])}, confidence_level=0.9)["interval"]
    {'em': 'clopper_pearson'}
    """
    arrays = {name: np.asarray(values, np.float64) for name, values in scores.items()}
    rows = len(next(iter(arrays.values())))
    average = averages or {}
    all_clusters: Clusters | CrossedClusters | None = None
    if isinstance(clusters, Mapping) and len(clusters) != 1:
        all_clusters = CrossedClusters.of_labels(clusters, rows)
    elif clusters is not None:
        labels = next(iter(clusters.values())) if isinstance(clusters, Mapping) else clusters
        all_clusters = Clusters.of_labels(labels, rows)

    def summary(
        scores: Mapping[str, Floats], clusters: Clusters | CrossedClusters | None
    ) -> dict[str, Any]:
        result: dict[str, Any] = {
            # Batches of one row are common, and each call costs time there.
            name: average[name](values) if name in average else mean(values)
            for name, values in scores.items()
        }
        if confidence_level is None and not standard_error:
            return result
        estimators = {
            name: partial(average.get(name, _MEAN).interval, values, clusters)
            for name, values in scores.items()
        }
        return result | uncertainty(
            estimators,
            confidence_level=confidence_level,
            standard_error=standard_error,
            interval=interval,
            longest=longest,
            n_resamples=n_resamples,
            seed=seed,
        )

    result = MeansResult(summary(arrays, all_clusters))
    result.scores = arrays
    if per_example:
        result["per_example"] = {name: values.tolist() for name, values in arrays.items()}
    if groups is not None:
        result["groups"] = {
            label: summary(
                {name: values[of_label] for name, values in arrays.items()},
                None if all_clusters is None else all_clusters.take(of_label),
            )
            | {"n": len(of_label)}
            for label, of_label in members(check_labels("groups", groups, rows)).items()
        }
    return result


def uncertainty(
    estimators: Mapping[str, Estimator],
    *,
    confidence_level: float | None,
    standard_error: bool = False,
    interval: Method = "auto",
    longest: int | None = None,
    n_resamples: int = 10_000,
    seed: int = 0,
) -> dict[str, Any]:
    """Return the requested uncertainty of scores, as in a result.

    Args:
        estimators: for each score the function that returns its interval.
        confidence_level: the level of the intervals; None for none.
        standard_error: whether standard errors are requested even without intervals.
        interval: the method.
        longest: the rows of the largest cluster that may come; None if it is unknown.
        n_resamples: the number of resamples, if the method resamples.
        seed: for the resampling.

    Raises:
        ValueError: a score does not support the method; the message names both.

    >>> estimators = {"em": partial(mean_interval, [1.0, 0.0, 1.0])}
    >>> uncertainty(estimators, confidence_level=None, standard_error=True)
    {'standard_error': {'em': 0.3333333333333333}}
    >>> uncertainty({"f1": partial(mean_interval, [0.5])}, confidence_level=0.9, interval="mid_p")
    Traceback (most recent call last):
    ValueError: interval of f1: 'mid_p' is for scores 0 and 1, but there are others; take 'auto'
    """
    if confidence_level is None and not standard_error:
        return {}
    options = {
        "confidence_level": confidence_level,
        "method": "auto" if confidence_level is None else interval,
        "n_resamples": n_resamples,
        "seed": seed,
        **({} if longest is None else {"longest": longest}),
    }
    intervals = {}
    for name, estimator in estimators.items():
        try:
            intervals[name] = estimator(**options)
        except OptionError as error:
            if error.option != "method":
                raise
            raise OptionError(f"interval of {name}", f": {error.problem}") from error
    result = reported(intervals)
    return {"standard_error": result["standard_error"]} if confidence_level is None else result


def reported(intervals: Mapping[str, Interval | list[Interval]]) -> dict[str, Any]:
    """Return intervals as in a result: for each key the values by the name of the score.

    The keys are `confidence_interval`, `interval`, `standard_error`, `effective_n` and, with
    clusters, `n_clusters` and `design_effect`. A score that is a list has a list of intervals; one
    that is not a mean of rows has no `effective_n` and no `design_effect`.

    >>> from .proportions import proportion_interval
    >>> reported({"accuracy": proportion_interval(1, 2)})["effective_n"]
    {'accuracy': 2.0}
    """
    lists = {
        name: [estimate] if isinstance(estimate, Interval) else estimate
        for name, estimate in intervals.items()
    }

    def table(field: Callable[[Interval], Any]) -> dict[str, Any]:
        columns = {name: [*map(field, estimates)] for name, estimates in lists.items()}
        return {
            name: values[0] if isinstance(intervals[name], Interval) else values
            for name, values in columns.items()
            if values[0] is not None
        }

    result: dict[str, Any] = {
        "confidence_interval": table(lambda estimate: [estimate.low, estimate.high]),
        "interval": {name: estimates[0].method for name, estimates in lists.items()},
        "standard_error": table(lambda estimate: estimate.standard_error),
        "effective_n": table(lambda estimate: estimate.effective_n),
    }
    n_clusters = [
        estimate.n_clusters
        for estimates in lists.values()
        for estimate in estimates
        if estimate.n_clusters is not None
    ]
    if n_clusters:
        result["n_clusters"] = max(n_clusters)
        result["design_effect"] = table(lambda estimate: estimate.design_effect)
    return result


def members(labels: Sequence[str]) -> dict[str, Integers]:
    """Return the rows of each label, labels in ascending order.

    >>> {label: rows.tolist() for label, rows in members(["b", "a", "b"]).items()}
    {'a': [1], 'b': [0, 2]}
    """
    rows: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        rows.setdefault(label, []).append(row)
    return {label: np.array(rows[label], dtype=np.int64) for label in sorted(rows)}
