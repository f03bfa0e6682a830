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

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arithmetic.contingency import ContingencyTable, scaled_weights
from ...statistics.arithmetic.exact_sums import group_sums
from ...statistics.intervals.cluster_sums import Clusters, ClusterSums
from ...statistics.intervals.intervals import ratio_interval
from ...statistics.intervals.methods import Uncertainty
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
from .multilabel import LabelIndicators, kinds_of_rows

_BIASED = ("f1", "f_beta", "jaccard")  # whose averages over labels are biased in draws
_SIGNED = ("mcc", "kappa")
_ALL_CELLS = 64  # labels, up to which every cell is a candidate
_RAREST = 24  # labels of each kind that are candidates if there are more

Measure = Callable[..., Mapping[str, Floats]]
Intervals = dict[str, Interval | list[Interval]]
_Key = tuple[str, int]  # the name of a score, and the position of its label


class LabelClusters(NamedTuple):
    """Clusters of rows, and what each adds to the sums, shape (clusters, sums)."""

    clusters: Clusters
    sums: Floats


def label_estimators(
    table: ContingencyTable | LabelIndicators,
    task: Classes,
    counts: LabelCounts,
    measure: Measure,
    scores: Mapping[str, Any],
    *,
    clusters: LabelClusters | None,
    distances: LabelDistances | None,
    adjusted: bool,
) -> dict[str, Estimator]:
    """Return a function for each score that returns its interval, for `summary.uncertainty`.

    Args:
        table: the rows.
        task: the labels to average over, and the kind of average.
        counts: the exact counts of all labels.
        measure: from counts to scores.
        scores: the scores, numbers or lists of them.
        clusters: the counts of each cluster; None if rows are independent.
        distances: the distances of labels, for a weighted kappa.
        adjusted: whether the balanced accuracy of chance is 0.
    """

    def proportions(name: str, method: str, counts: LabelCounts) -> list[tuple[Any, Any]]:
        if table.weights is not None or method == "bootstrap":
            return []
        return _proportions(name, counts, task)

    @cache
    def drawn_intervals(method: str, **options: Any) -> Intervals:
        drawn = {name: scores[name] for name in scores if not proportions(name, method, counts)}
        intervals: Intervals = {}
        if isinstance(table, LabelIndicators) and task.average == "samples":
            intervals = _intervals_of_rows(
                table, task, measure, clusters and clusters.clusters, method, **options
            )
        further = {name: score for name, score in drawn.items() if name not in intervals}
        return intervals | _drawn_intervals(
            *(table, task, measure, further),
            clusters=clusters,
            distances=distances,
            adjusted=adjusted,
            method=method,
            **options,
        )

    def estimate(name: str, *, method: str, **options: Any) -> Interval | list[Interval]:
        pairs = proportions(name, method, counts)
        if not pairs:
            return drawn_intervals(method, **options)[name]
        labels: list[str] = []
        of_clusters: list[Any] = [None] * len(pairs)
        if clusters is not None:
            labels = clusters.clusters.labels
            of_clusters = proportions(name, method, counts_of(clusters.sums.T))
        asked = {"confidence_level": options["confidence_level"], "method": method}
        estimates = []
        for (hits, rows), clustered in zip(pairs, of_clusters, strict=True):
            estimate = _proportion_interval(int(hits), int(rows), clustered, labels, **asked)
            if name == "f1" and rows:
                estimate = f1_of_jaccard(estimate, hits / rows)
            estimates.append(estimate)
        return estimates if task.average == "none" and name != "accuracy" else estimates[0]

    return {name: partial(estimate, name) for name in scores}


def _proportions(name: str, counts: LabelCounts, task: Classes) -> list[tuple[Any, Any]]:
    """Return numerators and denominators of a score that follows from proportions; otherwise empty.

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
    hits: int, rows: int, clustered: tuple[Any, Any] | None, labels: list[str], **options: Any
) -> Interval:
    """Return the interval of a proportion of rows."""
    sums = None
    if clustered is not None:
        terms = zip(labels, *(part.tolist() for part in clustered), strict=True)
        totals = {label: (int(size), int(right)) for label, right, size in terms if size}
        sums = ClusterSums.reduced(totals, 0)
    if not rows:
        undefined = proportion_interval(0, 0)
        return undefined if sums is None else undefined._replace(n_clusters=0)
    level, method = options["confidence_level"], options["method"]
    if sums is not None:
        return ratio_interval(sums.sums(), sums.sizes(), Uncertainty(level))
    kind: Any = method if method == "wilson" else "auto"
    return proportion_interval(hits, rows, confidence_level=level, method=kind)


def _intervals_of_rows(
    indicators: LabelIndicators,
    task: Classes,
    measure: Measure,
    clusters: Clusters | None,
    method: str,
    **options: Any,
) -> Intervals:
    """Return the intervals of scores that are averaged over rows of several labels."""
    of_kinds, codes = kinds_of_rows(indicators, task)
    weights = indicators.weights
    intervals: Intervals = {}
    for name, by_kind in scores_of_kinds(of_kinds, measure).items():
        scores = by_kind[codes]
        is_defined = ~np.isnan(scores)
        if name in ("accuracy", "hamming_loss"):
            continue
        intervals[name] = proportion_interval(0, 0)
        if is_defined.any():
            intervals[name] = weighted_mean_interval(
                scores[is_defined],
                None if weights is None else weights[is_defined],
                None if clusters is None else clusters.take(is_defined),
                method=method if method == "bootstrap" else "auto",
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


# ---- random weights -----------------------------------------------------------------------------


def _drawn_intervals(
    table: ContingencyTable | LabelIndicators,
    task: Classes,
    measure: Measure,
    scores: Mapping[str, Any],
    *,
    clusters: LabelClusters | None,
    distances: LabelDistances | None,
    adjusted: bool,
    method: str,
    **options: Any,
) -> Intervals:
    """Return the intervals of scores by random weights, the same for all, or by resamples."""
    combined = isinstance(table, LabelIndicators)
    if task.average == "samples":
        task = replace(task, average="macro")  # of scores that do not depend on it
        measure = partial(measure, task=task)
    if clusters is not None:
        units = RowUnits.of_rows(clusters.sums, np.arange(len(clusters.sums)))
    elif isinstance(table, LabelIndicators):
        weights = None if table.weights is None else scaled_weights(table.weights)[0]
        units = RowUnits.of_rows(indicator_counters(table, weights))
    else:
        units = table_units(table, task, distances)
    values = {name: np.atleast_1d(np.asarray(score, np.float64)) for name, score in scores.items()}
    keys = [(name, index) for name, column in values.items() for index in range(column.size)]

    def measure_sums(sums: Floats, keys: Collection[_Key]) -> dict[_Key, Floats]:
        measured = measure(counts_of(sums))
        return {(name, index): np.atleast_2d(measured[name])[index] for name, index in keys}

    if method == "bootstrap":
        intervals = resampled_intervals(units, keys, measure_sums, **options)
    else:
        total, sizes = units.total(), units.of_kinds()[:, -2]
        candidates = _candidates(total, task, distances, combined=combined)
        squares = float(np.sort(units.counts * sizes * sizes).sum())
        unseen_size = squares / total[-2] if total[-2] else 1.0
        with np.errstate(all="ignore"):
            trials = measure_sums(total[:, np.newaxis] + (candidates * unseen_size).T, keys)
        is_averaged = task.average in ("macro", "weighted")
        drawn = {}
        for name, index in keys:
            is_signed = name in _SIGNED or (adjusted and "balanced" in name)
            drawn[name, index] = DrawnScore(
                float(values[name][index]),
                *_unseen_rows(trials[name, index], candidates, unseen_size, combined=combined),
                (-1.0 if is_signed else 0.0, 1.0),
                is_averaged and name in _BIASED,
            )
        intervals = weighted_intervals(units, drawn, measure_sums, **options)
    return {
        name: [intervals[name, index] for index in range(len(score))]
        if isinstance(score, list)
        else intervals[name, 0]
        for name, score in scores.items()
    }


def _candidates(
    total: Floats, task: Classes, distances: LabelDistances | None, *, combined: bool
) -> Floats:
    """Return the sums that a row of size one adds in each cell that it may fall into.

    If rows have several labels, each is for a single label, and a row combines them.
    """
    size = total.size // 3 - 1
    if combined:
        return _candidate_states(size)
    labels = _candidate_labels(total, size)
    references, predictions = (grid.ravel() for grid in np.meshgrid(labels, labels, indexing="ij"))
    candidates = cell_counters(references, predictions, size, distances)
    strays = candidates[:, [size + position for position in task.strays]]
    return candidates[~strays.any(axis=1)]


def _unseen_rows(
    values: Floats, candidates: Floats, unseen_size: float, *, combined: bool
) -> tuple[Floats, Floats]:
    """The sums of the rows that lower and raise a score most, by its values for candidates."""
    if not combined or np.isnan(values).all():
        return extremes(values, candidates * unseen_size)
    # Four states of each label: the row takes the worst, or the best, of each.
    size = candidates.shape[1] // 3 - 1
    states = np.nan_to_num(values).reshape(4, size)
    rows = []
    for best in (states.argmin(axis=0), states.argmax(axis=0)):
        row = candidates[best * size + np.arange(size)].sum(axis=0)
        row[3 * size : 3 * size + 2] = (best <= 1).all(), 1
        rows.append(row * unseen_size)
    return rows[0], rows[1]


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


def _candidate_states(size: int) -> Floats:
    """Return rows where one label is right and true, right and false, missed, or wrong."""
    states = np.zeros((4, size, 3 * size + 3))
    labels = np.arange(size)
    states[:, :, 3 * size + 1] = 1
    states[:2, :, 3 * size] = 1
    for state, additions in enumerate(((0, 1, 2), (), (1,), (2,))):
        for counter in additions:
            states[state, labels, counter * size + labels] = 1
    return states.reshape(4 * size, -1)


# ---- sums ---------------------------------------------------------------------------------------


def counts_of(sums: Floats) -> LabelCounts:
    """Return the counts that sums represent; the last axis is that of draws, or of clusters.

    Sums are in the order of `LabelCounts`: true positives, support and predicted positives of each
    label, correct rows, all rows, and the distance of references and predictions.
    """
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
