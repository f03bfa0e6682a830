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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arithmetic.exact_sums import Multiset
from ...statistics.intervals.cluster_sums import Clusters, ClusterSums
from ...statistics.intervals.intervals import interval, resampled_interval
from ...statistics.intervals.proportions import Interval, f1_of_jaccard, proportion_interval
from ...statistics.intervals.sum_distributions import pairs_interval
from ...statistics.intervals.summary import Estimator
from ...statistics.resampling.resampled_totals import gathered, resampled_sums_of_rows
from .classes import Classes
from .confusion import LabelCounts, RowKinds
from .label_distances import LabelDistances
from .multilabel import LabelIndicators, weighted_counts
from .weighted_labels import WeightedLabels, weighted_intervals


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

    def resampled_kinds(self, n_resamples: int, seed: int) -> Iterator[RowKinds | None]:
        """Yield the kinds of rows in resamples of clusters, in blocks."""
        if self.kinds is None:
            yield from repeat(None)
            return
        blocks = resampled_sums_of_rows(
            self.kinds.occurrences.T.astype(np.float64), n_resamples=n_resamples, seed=seed
        )
        for totals in blocks:
            yield RowKinds(self.kinds.counts, totals)

    def resampled(self, n_resamples: int, seed: int) -> Iterator[LabelCounts]:
        """Yield the counts of blocks of resamples, each of as many clusters as there are.

        Float64.
        """
        numbers = [getattr(self.counts, field.name) for field in fields(LabelCounts)]
        columns = [np.atleast_2d(number) for number in numbers if number is not None]
        blocks = resampled_sums_of_rows(
            np.concatenate(columns).T, n_resamples=n_resamples, seed=seed
        )
        size = len(self.counts.support)
        for block in blocks:
            totals = block.astype(np.float64)
            true_positives, support, predicted_positives, negatives = (
                totals[start : start + size] for start in range(0, 4 * size, size)
            )
            yield LabelCounts(
                true_positives, support, predicted_positives, negatives, *totals[4 * size :]
            )


def label_estimators(
    counts: LabelCounts,
    task: Classes,
    names: Sequence[str],
    *,
    weighted: bool,
    clusters: ClusteredCounts | None,
    resampled: Callable[[int, int], Iterator[Mapping[str, Floats]]],
    intervals_by_weights: Callable[
        [Sequence[str], float, int, int], Mapping[str, Interval | list[Interval]]
    ],
) -> dict[str, Estimator]:
    """Return a function for each score that returns its interval, for `summary.uncertainty`.

    Args:
        counts: the exact counts of all labels.
        task: the labels to average over, and the kind of average.
        names: the names of the scores.
        weighted: whether rows have weights; then everything is resampled.
        clusters: the counts of each cluster; None if rows are independent.
        resampled: the scores of blocks of resamples, from their number and a seed.
        intervals_by_weights: the intervals by random weights, from names of scores, the level, the
            number of draws and a seed.
    """

    def are_proportions(name: str, method: str) -> bool:
        return not weighted and method != "bootstrap" and bool(_proportions(name, counts, task))

    @cache
    def resamples(method: str, n_resamples: int, seed: int) -> dict[str, Floats]:
        drawn_names = [name for name in names if not are_proportions(name, method)]
        return gathered(resampled(n_resamples, seed), n_resamples, drawn_names)

    @cache
    def drawn_intervals(
        confidence_level: float, method: str, n_resamples: int, seed: int
    ) -> Mapping[str, Interval | list[Interval]]:
        drawn_names = [name for name in names if not are_proportions(name, method)]
        return intervals_by_weights(drawn_names, confidence_level, n_resamples, seed)

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
        if method != "bootstrap":
            return drawn_intervals(confidence_level, method, n_resamples, seed)[name]
        return resampled_interval(
            resamples(method, n_resamples, seed)[name],
            confidence_level,
            None if clusters is None else len(clusters.labels),
        )

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
    clusters: ClusteredCounts | None,
    adjusted: bool,
    confidence_level: float,
    n_resamples: int,
    seed: int,
) -> dict[str, Interval | list[Interval]]:
    """Return the intervals of scores of labels by random weights.

    Args:
        labels: the units.
        measure: from counts to scores.
        scores: the scores that are drawn, by name.
        task: how to average.
        kinds: the rows, if averages are over rows.
        clusters: the counts of clusters; None if rows are independent.
        adjusted: whether the balanced accuracy of chance is 0.
        confidence_level: strictly between 0 and 1.
        n_resamples: the number of draws.
        seed: for the draws.
    """
    intervals: dict[str, Interval | list[Interval]] = {}
    if kinds is not None:
        of_kinds = kinds if clusters is None or clusters.kinds is None else clusters.kinds
        for name in [name for name in scores if name not in ("accuracy", "hamming_loss")]:
            intervals[name] = _mean_of_rows(
                name, of_kinds, measure, clusters, confidence_level=confidence_level
            )
    drawn_scores = {name: score for name, score in scores.items() if name not in intervals}
    is_averaged = task.average in ("macro", "weighted")
    if drawn_scores:
        intervals |= weighted_intervals(
            labels,
            measure if kinds is None else partial(measure, kinds=_one_kind(kinds)),
            drawn_scores,
            biased=lambda name: is_averaged and name in _BIASED,
            bounds=lambda name: (
                (-1.0, 1.0) if name in _SIGNED or (adjusted and "balanced" in name) else (0.0, 1.0)
            ),
            confidence_level=confidence_level,
            n_resamples=n_resamples,
            seed=seed,
            n_clusters=None if clusters is None else len(clusters.labels),
        )
    return intervals


def _one_kind(kinds: RowKinds) -> RowKinds:
    """Return a single row, for scores that do not depend on rows."""
    return RowKinds(kinds.counts.select(np.zeros((1, 1), np.int64)), np.ones((1, 1)))


def _mean_of_rows(
    name: str,
    kinds: RowKinds,
    measure: Callable[..., Mapping[str, Floats]],
    clusters: ClusteredCounts | None,
    *,
    confidence_level: float,
) -> Interval:
    """Return the interval of a score of rows of several labels, averaged over rows."""
    counts = kinds.counts
    size = np.ravel(counts.support).size
    columns = (counts.true_positives, counts.support, counts.predicted_positives, counts.negatives)
    true, support, predicted, negatives = (
        np.ravel(column).astype(np.float64)[:, np.newaxis] for column in columns
    )
    single_rows = RowKinds(
        LabelCounts(true, support, predicted, negatives, np.zeros(1), np.ones(1)),
        np.eye(size),
    )
    with np.errstate(all="ignore"):
        values = np.asarray(measure(_no_counts(size), kinds=single_rows)[name], np.float64)
    is_defined = ~np.isnan(values)
    occurrences = np.asarray(kinds.occurrences, np.float64).reshape(size, -1)[is_defined]
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
    terms = {
        "precision": (true, positives),
        "recall": (true, label.support),
        "specificity": (negatives - false, negatives),
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
