"""Intervals of the scores of predicted labels.

Scores that are proportions of counted rows have binomial intervals, given their denominator: all
rows for accuracy, predicted positives for precision, positives for recall, negatives for
specificity. F1 follows from the proportion J = TP / (TP + FP + FN), since F1 = 2 J / (1 + J). With
clusters the same proportions are means of rows in clusters. Averages over rows of several labels
are means of rows.

All other scores, and scores of weighted rows, have intervals by random weights, whichever method is
requested for the proportions; but "bootstrap" resamples all. Weighted rows give each cell of the
confusion matrix a random count. An unseen row falls into the cell with the lowest score for the
lower end, and into the one with the highest score for the upper end; with clusters or weights it is
as large as these are on average.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple, Self

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arithmetic.contingency import ContingencyTable, scaled_weights
from ...statistics.arithmetic.exact_sums import Multiset, group_sums
from ...statistics.intervals.cluster_sums import Clusters, ClusterSums
from ...statistics.intervals.intervals import interval
from ...statistics.intervals.proportions import Interval, f1_of_jaccard, proportion_interval
from ...statistics.intervals.sum_distributions import weighted_mean_interval
from ...statistics.intervals.summary import Estimator
from ...statistics.intervals.weighted_units import (
    DrawnScore,
    extremes,
    resampled_intervals,
    weighted_intervals,
)
from ...statistics.resampling.row_units import RowUnits
from .classes import Classes, LabelDistances
from .confusion import LabelCounts, RowKinds
from .multilabel import LabelIndicators

_ALL_CELLS = 64  # labels, up to which every cell is a candidate
_RAREST = 24  # labels of each kind that are candidates if there are more

Measured = Callable[[LabelCounts], Mapping[str, Floats]]
_Key = tuple[str, int]  # the name of a score, and the position of its label


@dataclass(frozen=True)
class WeightedLabels:
    """Kinds of units, and where an unseen row may fall.

    Sums are in the order of `LabelCounts`: true positives, support and predicted positives of
    each label, correct rows, all rows, and the distance of references and predictions.

    Args:
        units: the rows, or clusters of them.
        candidates: the sums that a row of size one adds in each cell that it may fall into, shape
            (candidates, sums).
        unseen_size: the size of an unseen row.
        combined: whether each candidate is for a single label, and a row combines them.
    """

    units: RowUnits
    candidates: Floats
    unseen_size: float
    combined: bool

    @classmethod
    def of_units(cls, units: RowUnits, distances: LabelDistances | None, *, combined: bool) -> Self:
        """Return the labels of these units; an unseen row is as large as these are on average.

        Args:
            units: the rows, or clusters of them.
            distances: the distances of labels, for a weighted kappa.
            combined: whether rows have several labels.
        """
        total, amounts = units.total(), units.of_kinds()
        size, sizes = total.size // 3 - 1, amounts[:, -2]
        if combined:
            candidates = _candidate_states(size)
        else:
            candidates = _cells_among(_candidate_labels(total, size), size, distances)
        squares = float(np.sort(units.counts * sizes * sizes).sum())
        return cls(units, candidates, squares / total[-2] if total[-2] else 1.0, combined)

    @property
    def size(self) -> int:
        """Return the number of labels."""
        return len(self.candidates.T) // 3 - 1

    def extremes(self, values: Floats) -> tuple[Floats, Floats]:
        """The sums of the rows that lower and raise a score most, by its values for candidates."""
        if not self.combined or np.isnan(values).all():
            return extremes(values, self.candidates * self.unseen_size)
        # Four states of each label: the row takes the worst, or the best, of each.
        states = np.nan_to_num(values).reshape(4, self.size)
        labels = np.arange(self.size)
        lowering, raising = (
            self._combined(best * self.size + labels) * self.unseen_size
            for best in (states.argmin(axis=0), states.argmax(axis=0))
        )
        return lowering, raising

    def _combined(self, positions: Integers) -> Floats:
        """Return a row of all these states of single labels."""
        row: Floats = self.candidates[positions].sum(axis=0)
        row[3 * self.size : 3 * self.size + 2] = (positions // self.size <= 1).all(), 1
        return row


def drawn_label_intervals(
    labels: WeightedLabels,
    measure: Measured,
    scores: Mapping[str, Any],
    *,
    method: str,
    biased: Callable[[str], bool],
    bounds: Callable[[str], tuple[float, float]],
    **options: Any,
) -> dict[str, Interval | list[Interval]]:
    """Return the intervals of scores of labels, with the same weights for all.

    Args:
        labels: the units.
        measure: from counts to scores.
        scores: the scores, numbers or lists of them, by name.
        method: "bootstrap" resamples units; any other weights them, together with an unseen one.
        biased: whether the draws of a score are biased.
        bounds: the range of a score.
        **options: `confidence_level`, and `n_resamples` and `seed` of the draws.
    """
    values = {name: np.atleast_1d(np.asarray(score, np.float64)) for name, score in scores.items()}
    keys = [(name, index) for name, column in values.items() for index in range(column.size)]

    def measure_sums(sums: Floats, keys: Collection[_Key]) -> dict[_Key, Floats]:
        measured = measure(counts_of(sums))
        return {(name, index): np.atleast_2d(measured[name])[index] for name, index in keys}

    if method == "bootstrap":
        intervals = resampled_intervals(labels.units, keys, measure_sums, **options)
        return listed_intervals(intervals, scores)
    additions = labels.candidates * labels.unseen_size
    with np.errstate(all="ignore"):
        trials = measure_sums(labels.units.total()[:, np.newaxis] + additions.T, keys)
    drawn_scores = {
        (name, index): DrawnScore(
            float(values[name][index]),
            *labels.extremes(trials[name, index]),
            bounds(name),
            biased(name),
        )
        for name, index in keys
    }
    intervals = weighted_intervals(labels.units, drawn_scores, measure_sums, **options)
    return listed_intervals(intervals, scores)


def listed_intervals(
    intervals: Mapping[_Key, Interval], scores: Mapping[str, Any]
) -> dict[str, Interval | list[Interval]]:
    """Return the intervals by name; lists of them for scores that are lists."""
    return {
        name: [intervals[name, index] for index in range(len(score))]
        if isinstance(score, list)
        else intervals[name, 0]
        for name, score in scores.items()
    }


# ---- the units ----------------------------------------------------------------------------------


def counts_of(sums: Floats) -> LabelCounts:
    """Return the counts that sums represent; the last axis is that of draws, or of clusters."""
    size = len(sums) // 3 - 1
    support, total = sums[size : 2 * size], sums[3 * size + 1]
    return LabelCounts(
        true_positives=sums[:size],
        support=support,
        predicted_positives=sums[2 * size : 3 * size],
        negatives=total - support,
        correct=sums[3 * size],
        total=total,
        distance=sums[3 * size + 2],
    )


class LabelClusters(NamedTuple):
    """Clusters of rows, and what each adds to the sums, shape (clusters, sums)."""

    clusters: Clusters
    sums: Floats

    def units(self) -> RowUnits:
        """Return the clusters as units."""
        return RowUnits.of_rows(self.sums, np.arange(len(self.sums)))


def table_units(
    table: ContingencyTable, task: Classes, distances: LabelDistances | None
) -> RowUnits:
    """Return the cells of a table of references and predictions, of independent rows."""
    size = len(task.all_labels)
    references = task.positions(table.row_labels)[table.rows]
    predictions = task.positions(table.column_labels)[table.columns]
    weights = np.ones(references.size)
    if table.weights is not None:
        weights, _ = scaled_weights(table.weights)
    order = np.lexsort((weights, predictions, references))
    counters = cell_counters(references[order], predictions[order], size, distances)
    return RowUnits(table.counts[order], counters * weights[order, np.newaxis])


def indicator_counters(indicators: LabelIndicators, weights: Floats | None) -> Floats:
    """Return the contribution of each row of 0 and 1 to the sums, times its weight."""
    references, predictions = indicators.references, indicators.predictions
    totals = np.zeros((len(references), 3))
    totals[:, 0], totals[:, 1] = (references == predictions).all(axis=1), 1.0
    counters = np.column_stack([references & predictions, references, predictions, totals])
    return counters if weights is None else counters * weights[:, np.newaxis]


def cell_counters(
    references: Integers,
    predictions: Integers,
    size: int,
    distances: LabelDistances | None = None,
    *,
    weights: Floats | None = None,
    clusters: Integers | None = None,
) -> Floats:
    """Return what rows in these cells, or clusters of them, add to the sums, shape (units, sums).

    Args:
        references: the position of the reference of each row.
        predictions: that of its prediction.
        size: the number of labels.
        distances: of labels, for a weighted kappa.
        weights: of the rows; None for 1.
        clusters: the number of the cluster of each row; None for a unit of each row.

    >>> codes = np.array([0, 1, 1])
    >>> counts = counts_of(cell_counters(codes, codes, 2, clusters=np.array([0, 0, 1])).T)
    >>> counts.support.tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    amounts = np.ones(references.size) if weights is None else weights
    correct = (references == predictions) * amounts
    terms: list[tuple[Any, Floats]] = [  # the column of a sum, or that of each row
        (references, correct),
        (size + references, amounts),
        (2 * size + predictions, amounts),
        (3 * size, correct),
        (3 * size + 1, amounts),
    ]
    if distances is not None:
        terms.append((3 * size + 2, amounts * distances.between(references, predictions)))
    units = np.arange(references.size) if clusters is None else clusters
    width = 3 * size + 3
    cells = np.concatenate([units * width + columns for columns, _ in terms])
    values = np.concatenate([values for _, values in terms])
    number = int(units.max(initial=-1)) + 1
    return group_sums(values, cells, number * width).reshape(number, width)


def _candidate_labels(total: Floats, size: int) -> Integers:
    """Return the labels among which an unseen row may fall: those that occur, if several do.

    If there are many labels, these are the rarest and the most frequent ones on both sides, since a
    row of a rare label changes a score most.
    """
    present = (total[size : 2 * size] + total[2 * size : 3 * size]) > 0
    labels = np.flatnonzero(present) if present.sum() > 1 else np.arange(size)
    if labels.size <= _ALL_CELLS:
        return labels
    selection: list[Integers] = []
    for start in (size, 2 * size):
        order = labels[np.argsort(total[start : start + size][labels], kind="stable")]
        selection += [order[:_RAREST], order[-8:]]
    return np.unique(np.concatenate(selection))


def _cells_among(labels: Integers, size: int, distances: LabelDistances | None) -> Floats:
    references, predictions = (grid.ravel() for grid in np.meshgrid(labels, labels, indexing="ij"))
    return cell_counters(references, predictions, size, distances)


def _candidate_states(size: int) -> Floats:
    """Rows where one label is right and true, right and false, missed, or wrong."""
    states = np.zeros((4, size, 3 * size + 3))
    labels = np.arange(size)
    states[:, :, 3 * size + 1] = 1
    states[:2, :, 3 * size] = 1
    for state, additions in enumerate(((0, 1, 2), (), (1,), (2,))):
        for counter in additions:
            states[state, labels, counter * size + labels] = 1
    return states.reshape(4 * size, -1)


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
