"""Intervals of the scores of predicted labels.

Scores that are proportions of counted rows have binomial intervals, given their denominator: all
rows for accuracy, predicted positives for precision, positives for recall, negatives for
specificity. F1 follows from the proportion J = TP / (TP + FP + FN), since F1 = 2 J / (1 + J). With
clusters the same proportions are means of rows in clusters. Averages over rows of several labels
are means of rows. All other scores, and scores of weighted rows, have intervals by random weights
(`weighted_labels`), whichever method is requested for the proportions; but "bootstrap" resamples
all.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Floats
from ...statistics.arithmetic.exact_sums import Multiset
from ...statistics.intervals.cluster_sums import Clusters, ClusterSums
from ...statistics.intervals.intervals import interval
from ...statistics.intervals.proportions import Interval, f1_of_jaccard, proportion_interval
from ...statistics.intervals.sum_distributions import weighted_mean_interval
from ...statistics.intervals.summary import Estimator
from .classes import Classes
from .confusion import LabelCounts, RowKinds
from .weighted_labels import LabelClusters, WeightedLabels, counts_of, drawn_label_intervals


def label_estimators(
    counts: LabelCounts,
    task: Classes,
    names: Sequence[str],
    *,
    weighted: bool,
    clusters: LabelClusters | None,
    drawn: Callable[..., Mapping[str, Interval | list[Interval]]],
) -> dict[str, Estimator]:
    """Return a function for each score that returns its interval, for `summary.uncertainty`.

    Args:
        counts: the exact counts of all labels.
        task: the labels to average over, and the kind of average.
        names: the names of the scores.
        weighted: whether rows have weights; then everything is resampled.
        clusters: the counts of each cluster; None if rows are independent.
        drawn: the intervals of all other scores, from their names and the options of intervals.
    """

    def are_proportions(name: str, method: str) -> bool:
        return not weighted and method != "bootstrap" and bool(_proportions(name, counts, task))

    @cache
    def drawn_intervals(method: str, **options: Any) -> Mapping[str, Interval | list[Interval]]:
        drawn_names = [name for name in names if not are_proportions(name, method)]
        return drawn(drawn_names, method=method, **options)

    def estimate(name: str, *, method: str, **options: Any) -> Interval | list[Interval]:
        if are_proportions(name, method):
            proportions = _proportions(name, counts, task)
            labels: Sequence[str] = ()
            clustered: Sequence[Any] = [None] * len(proportions)
            if clusters is not None:
                labels = clusters.clusters.labels
                clustered = _proportions(name, counts_of(clusters.sums.T), task)
            asked = {"confidence_level": options["confidence_level"], "method": method}
            estimates = [
                _proportion_interval(proportion, clustered_proportion, labels, **asked)
                for proportion, clustered_proportion in zip(proportions, clustered, strict=True)
            ]
            if name == "f1":
                estimates = [
                    f1_of_jaccard(estimate, hits / rows) if rows else estimate
                    for estimate, (hits, rows) in zip(estimates, proportions, strict=True)
                ]
            return estimates if task.average == "none" and name != "accuracy" else estimates[0]
        return drawn_intervals(method, **options)[name]

    return {name: partial(estimate, name) for name in names}


_BIASED = ("f1", "f_beta", "jaccard")  # whose averages over labels are biased in draws
_SIGNED = ("mcc", "kappa")


class RowMeans(NamedTuple):
    """Scores that are averaged over rows of several labels.

    Args:
        scores: of each row, by name; NaN for rows that do not count.
        weights: of the rows; None if they are equal.
        clusters: of the rows; None if they are independent.
    """

    scores: Mapping[str, Floats]
    weights: Floats | None
    clusters: Clusters | None

    def interval(self, name: str, **options: Any) -> Interval:
        """Return the interval of the mean of a score."""
        is_defined = ~np.isnan(self.scores[name])
        if not is_defined.any():
            return proportion_interval(0, 0)
        return weighted_mean_interval(
            self.scores[name][is_defined],
            None if self.weights is None else self.weights[is_defined],
            None if self.clusters is None else self.clusters.take(is_defined),
            **options,
        )


def weighted_label_intervals(
    labels: WeightedLabels,
    measure: Callable[..., Mapping[str, Floats]],
    scores: Mapping[str, Any],
    task: Classes,
    *,
    rows: RowMeans | None,
    adjusted: bool,
    method: str,
    **options: Any,
) -> dict[str, Interval | list[Interval]]:
    """Return the intervals of scores of labels by random weights, or by resamples.

    Args:
        labels: the units.
        measure: from counts to scores.
        scores: the scores that are drawn, by name.
        task: how to average.
        rows: the scores of rows, if averages are over rows.
        adjusted: whether the balanced accuracy of chance is 0.
        method: "bootstrap" for resamples.
        **options: `confidence_level`, and `n_resamples` and `seed` of the draws.
    """
    intervals: dict[str, Interval | list[Interval]] = {}
    if rows is not None:
        task = replace(task, average="macro")  # of scores that do not depend on it
        measure = partial(measure, task=task)
        names = [name for name in scores if name not in ("accuracy", "hamming_loss")]
        means_method = method if method == "bootstrap" else "auto"
        intervals |= {name: rows.interval(name, method=means_method, **options) for name in names}
    drawn_scores = {name: score for name, score in scores.items() if name not in intervals}
    is_averaged = task.average in ("macro", "weighted")
    if drawn_scores:
        intervals |= drawn_label_intervals(
            labels,
            measure,
            drawn_scores,
            method=method,
            biased=lambda name: is_averaged and name in _BIASED,
            bounds=lambda name: (
                (-1.0, 1.0) if name in _SIGNED or (adjusted and "balanced" in name) else (0.0, 1.0)
            ),
            **options,
        )
    return intervals


def scores_of_kinds(
    kinds: LabelCounts, measure: Callable[..., Mapping[str, Floats]]
) -> dict[str, Floats]:
    """Return the scores of each kind of row of several labels; NaN if they are undefined."""
    with np.errstate(all="ignore"):
        scores = [  # one by one, since an average leaves out what is undefined
            measure(kinds, kinds=RowKinds(kinds.select([kind]), np.ones(1)))
            for kind in range(kinds.support.size)
        ]
    return {name: np.array([row[name] for row in scores]).ravel() for name in scores[0]}


def _proportions(name: str, counts: LabelCounts, task: Classes) -> list[tuple[Any, Any]]:
    """Numerators and denominators of a score that follows from proportions; otherwise empty.

    With clusters, both are arrays over the clusters.
    """
    if name == "accuracy":
        return [(counts.correct, counts.total)]
    if task.average not in ("binary", "none"):
        return []
    label = counts.select(task.averaged_positions)
    true, positives, negatives = label.true_positives, label.predicted_positives, label.negatives
    false = positives - true
    right = negatives - false
    if task.strays and task.negative is not None:
        right = counts.select([task.negative]).true_positives
    terms = {
        "precision": (true, positives),
        "recall": (true, label.support),
        "specificity": (right, negatives),
        "fpr": (false, negatives),
        "f1": (true, label.support + false),  # Jaccard's index
    }
    return [*zip(*terms[name], strict=True)] if name in terms else []


def _proportion_interval(
    proportion: tuple[Any, Any],
    clustered: tuple[Any, Any] | None,
    labels: Sequence[str],
    **options: Any,
) -> Interval:
    """Return the interval of a proportion of the rows of its denominator."""
    numerator, denominator = int(proportion[0]), int(proportion[1])
    sums = None
    if clustered is not None:
        terms = zip(labels, *(part.tolist() for part in clustered), strict=True)
        totals = {label: (int(rows), int(hits)) for label, hits, rows in terms if rows}
        sums = ClusterSums.reduced(totals, 0)
    if not denominator:
        undefined = proportion_interval(0, 0)
        return undefined if sums is None else undefined._replace(n_clusters=0)
    occurrences = np.array([denominator - numerator, numerator])
    present = occurrences > 0
    rows = Multiset(np.array([0.0, 1.0])[present], occurrences[present])
    return interval(rows, clusters=sums, **options)
