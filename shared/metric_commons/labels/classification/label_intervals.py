"""Intervals of the scores of predicted labels.

Scores that are proportions of counted rows have binomial intervals, given their denominator: all
rows for accuracy, predicted positives for precision, positives for recall, negatives for
specificity. F1 follows from the proportion J = TP / (TP + FP + FN), since F1 = 2 J / (1 + J). With
clusters the same proportions are means of rows in clusters. Averages over rows of several labels
are means of rows. All other scores, and scores of weighted rows, have intervals by random weights
(`weighted_labels`), whichever method is requested for the proportions; but "bootstrap" resamples
all.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arithmetic.exact_sums import Multiset
from ...statistics.intervals.cluster_sums import Clusters, ClusterSums
from ...statistics.intervals.intervals import interval
from ...statistics.intervals.proportions import Interval, f1_of_jaccard, proportion_interval
from ...statistics.intervals.sum_distributions import pairs_interval
from ...statistics.intervals.summary import Estimator
from ...statistics.intervals.weighted_units import resampled_intervals
from ...statistics.resampling.row_units import RowUnits
from .classes import Classes
from .confusion import LabelCounts, RowKinds
from .label_distances import LabelDistances
from .multilabel import LabelIndicators, weighted_counts
from .weighted_labels import WeightedLabels, drawn_label_intervals


@dataclass(frozen=True)
class ClusteredCounts:
    """The counts of each cluster: `LabelCounts` whose last axis is that of clusters.

    >>> clusters = Clusters.of_labels(["a", "a", "b"], 3)
    >>> codes = np.array([0, 1, 1])
    >>> ClusteredCounts.of_rows(clusters, codes, codes, 2, None).counts.support.tolist()
    [[1, 0], [1, 1]]
    """

    labels: Sequence[str]
    counts: LabelCounts
    kinds: RowKinds | None = None  # of the rows of each cluster, for averages over rows

    @classmethod
    def of_rows(
        cls,
        clusters: Clusters,
        references: Integers,
        predictions: Integers,
        size: int,
        weights: Floats | None,
        distances: LabelDistances | None = None,
    ) -> "ClusteredCounts":
        """The counts from the label positions of each row, given the total number of labels."""
        number, correct = clusters.numbers, references == predictions
        shape = size, len(clusters.labels)

        def totals(positions: Integers, rows: NDArray[Any]) -> NDArray[Any]:
            cells = (positions * shape[1] + number)[rows]
            size = shape[0] * shape[1]
            counted_weights = None if weights is None else weights[rows]
            return weighted_counts(cells, counted_weights, size).reshape(shape)

        all_rows = np.ones(correct.size, bool)
        true_positives, support = totals(references, correct), totals(references, all_rows)
        distance = None
        if distances is not None:
            steps = distances.between(references, predictions).astype(np.float64)
            distance = weighted_counts(
                number, steps if weights is None else steps * weights, shape[1]
            )
        return cls.of_totals(
            clusters.labels,
            true_positives,
            support,
            totals(predictions, all_rows),
            true_positives.sum(axis=0),
            support.sum(axis=0),
            distance,
        )

    @classmethod
    def of_indicators(
        cls, clusters: Clusters, indicators: LabelIndicators, task: Classes
    ) -> "ClusteredCounts":
        """Return the counts of rows of 0 and 1 for each of several labels."""
        weights = indicators.weights

        def totals(rows: NDArray[Any]) -> NDArray[Any]:
            columns = [
                weighted_counts(
                    clusters.numbers[column == 1],
                    None if weights is None else weights[column == 1],
                    len(clusters.labels),
                )
                for column in np.atleast_2d(rows.T)
            ]
            return np.array(columns) if rows.ndim > 1 else columns[0]

        references, predictions = indicators.references, indicators.predictions
        correct = (references == predictions).all(axis=1)
        counts = cls.of_totals(
            clusters.labels,
            totals(references & predictions),
            totals(references),
            totals(predictions),
            totals(correct.astype(np.uint8)),
            totals(np.ones(len(correct), np.uint8)),
        )
        return replace(counts, kinds=indicators.clustered_row_kinds(task, clusters.numbers))

    def row_units(self, amounts: Floats) -> RowUnits:
        """Return the clusters, from what a row of each kind adds to sums, shape (sums, kinds)."""
        if self.kinds is None:
            raise ValueError("averages are not over rows")
        return RowUnits.of_rows(
            np.asarray(self.kinds.occurrences, np.float64).T @ amounts.T,
            np.arange(len(self.labels)),
        )

    @classmethod
    def of_totals(
        cls,
        labels: Sequence[str],
        true_positives: NDArray[Any],
        support: NDArray[Any],
        predicted_positives: NDArray[Any],
        correct: NDArray[Any],
        total: NDArray[Any],
        distance: NDArray[Any] | None = None,
    ) -> "ClusteredCounts":
        """Return the counts from all totals except negatives."""
        counts = LabelCounts(
            true_positives, support, predicted_positives, total - support, correct, total, distance
        )
        return cls(labels, counts)


def label_estimators(
    counts: LabelCounts,
    task: Classes,
    names: Sequence[str],
    *,
    weighted: bool,
    clusters: ClusteredCounts | None,
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

    def estimate(
        name: str,
        *,
        confidence_level: float = 0.95,
        method: str = "auto",
        n_resamples: int = 10_000,
        seed: int = 0,
    ) -> Interval | list[Interval]:
        if are_proportions(name, method):
            proportions = _proportions(name, counts, task)
            labels: Sequence[str] = () if clusters is None else clusters.labels
            clustered = (
                [None] * len(proportions)
                if clusters is None
                else _proportions(name, clusters.counts, task)
            )
            options = {"confidence_level": confidence_level, "method": method}
            estimates = [
                _proportion_interval(proportion, clustered_proportion, labels, **options)
                for proportion, clustered_proportion in zip(proportions, clustered, strict=True)
            ]
            if name == "f1":
                estimates = [
                    f1_of_jaccard(estimate, hits / rows) if rows else estimate
                    for estimate, (hits, rows) in zip(estimates, proportions, strict=True)
                ]
            return estimates if task.average == "none" and name != "accuracy" else estimates[0]
        return drawn_intervals(
            method, confidence_level=confidence_level, n_resamples=n_resamples, seed=seed
        )[name]

    return {name: partial(estimate, name) for name in names}


_BIASED = ("f1", "f_beta", "jaccard")  # whose averages over labels are biased in draws
_SIGNED = ("mcc", "kappa")


def weighted_label_intervals(
    labels: WeightedLabels,
    measure: Callable[..., Mapping[str, Floats]],
    scores: Mapping[str, Any],
    task: Classes,
    *,
    kinds: RowKinds | None,
    row_units: Callable[[Floats], RowUnits] | None,
    clusters: ClusteredCounts | None,
    adjusted: bool,
    method: str,
    confidence_level: float,
    n_resamples: int,
    seed: int,
) -> dict[str, Interval | list[Interval]]:
    """Return the intervals of scores of labels by random weights, or by resamples.

    Args:
        labels: the units.
        measure: from counts to scores.
        scores: the scores that are drawn, by name.
        task: how to average.
        kinds: the rows, if averages are over rows.
        row_units: returns the units that are resampled, if averages are over rows, from what a row
            of each kind adds to sums, shape (sums, kinds).
        clusters: the counts of clusters; None if rows are independent.
        adjusted: whether the balanced accuracy of chance is 0.
        method: "bootstrap" for resamples.
        confidence_level: strictly between 0 and 1.
        n_resamples: the number of draws.
        seed: for the draws.
    """
    options: dict[str, Any] = {"confidence_level": confidence_level}
    draws = {"n_resamples": n_resamples, "seed": seed}
    intervals: dict[str, Interval | list[Interval]] = {}
    if kinds is not None:
        of_kinds = kinds if clusters is None or clusters.kinds is None else clusters.kinds
        for name in [name for name in scores if name not in ("accuracy", "hamming_loss")]:
            values = scores_of_row_kinds(name, of_kinds, measure)
            if method == "bootstrap" and row_units is not None:
                units = row_units(np.stack([np.nan_to_num(values), ~np.isnan(values)]))
                intervals |= resampled_intervals(
                    units,
                    [name],
                    _quotient,
                    **options,
                    **draws,
                )
            else:
                intervals[name] = _mean_of_rows(values, of_kinds, clusters, **options)
    drawn_scores = {name: score for name, score in scores.items() if name not in intervals}
    is_averaged = task.average in ("macro", "weighted")
    if drawn_scores:
        intervals |= drawn_label_intervals(
            labels,
            measure if kinds is None else partial(measure, kinds=_one_kind(kinds)),
            drawn_scores,
            method=method,
            biased=lambda name: is_averaged and name in _BIASED,
            bounds=lambda name: (
                (-1.0, 1.0) if name in _SIGNED or (adjusted and "balanced" in name) else (0.0, 1.0)
            ),
            **options,
            **draws,
        )
    return intervals


def _quotient(sums: Floats, names: Collection[str]) -> dict[str, Floats]:
    """Return a ratio of two sums."""
    return dict.fromkeys(names, sums[0] / sums[1])


def _one_kind(kinds: RowKinds) -> RowKinds:
    """Return a single row, for scores that do not depend on rows."""
    return RowKinds(kinds.counts.select(np.zeros((1, 1), np.int64)), np.ones((1, 1)))


def scores_of_row_kinds(
    name: str, kinds: RowKinds, measure: Callable[..., Mapping[str, Floats]]
) -> Floats:
    """Return a score of each kind of row of several labels; NaN if it is undefined."""
    counts = kinds.counts
    size = np.ravel(counts.support).size
    columns = (counts.true_positives, counts.support, counts.predicted_positives, counts.negatives)
    true, support, predicted, negatives = (
        np.ravel(column).astype(np.float64) for column in columns
    )
    rows = LabelCounts(true, support, predicted, negatives, np.zeros(1), np.ones(1))
    with np.errstate(all="ignore"):
        scores = [  # one by one, since an average leaves out what is undefined
            measure(_no_counts(size), kinds=RowKinds(rows.select([kind]), np.ones(1)))[name]
            for kind in range(size)
        ]
    return np.array(scores, np.float64).ravel()


def _mean_of_rows(
    values: Floats, kinds: RowKinds, clusters: ClusteredCounts | None, *, confidence_level: float
) -> Interval:
    """Return the interval of a score of rows of several labels, averaged over rows."""
    is_defined = ~np.isnan(values)
    occurrences = np.asarray(kinds.occurrences, np.float64).reshape(values.size, -1)[is_defined]
    values = values[is_defined]
    if clusters is None:
        weights = occurrences.sum(axis=1)
        numerators, sizes, repeats = values, np.ones(values.size), weights
    else:
        # Not a product of matrices, whose last digit depends on the position of a cluster.
        numerators = np.array([math.fsum(column) for column in (values * occurrences.T).tolist()])
        sizes, repeats = occurrences.sum(axis=0), None
    n_clusters = None if clusters is None else len(clusters.labels)
    return pairs_interval(
        numerators, sizes, repeats, confidence_level=confidence_level, n_clusters=n_clusters
    )


def _no_counts(size: int) -> LabelCounts:
    """Counts that a score of rows does not use."""
    ones = np.ones((1, size))
    return LabelCounts(ones, ones, ones, ones, np.ones(size), np.ones(size))


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
        sums = ClusterSums.reduced({label: (rows, hits) for label, hits, rows in terms if rows}, 0)
    if not denominator:
        undefined = proportion_interval(0, 0)
        return undefined if sums is None else undefined._replace(n_clusters=0)
    occurrences = np.array([denominator - numerator, numerator])
    present = occurrences > 0
    rows = Multiset(np.array([0.0, 1.0])[present], occurrences[present])
    return interval(rows, clusters=sums, **options)
