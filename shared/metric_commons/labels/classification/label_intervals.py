"""Intervals of the scores of predicted labels.

Proportions of counted rows have the interval of a ratio, given their denominator: all rows for
accuracy, predicted positives for precision, positives for recall, negatives for specificity; and F1
follows from J = TP / (TP + FP + FN), since F1 = 2 J / (1 + J). Averages over rows of several labels
are means of rows.

All other scores have intervals by random weights of the cells of the confusion matrix, or of
clusters. An unseen row falls into the cell with the lowest score for the lower end, and into the
one with the highest score for the upper end.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arithmetic.contingency import ContingencyTable, scaled_weights
from ...statistics.arithmetic.exact_sums import group_sums
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.intervals import mean_interval, ratio_interval
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import Interval, f1_of_jaccard, proportion_interval
from ...statistics.intervals.weighted_units import (
    DrawnScore,
    extremes,
    unit_intervals,
)
from ...statistics.resampling.row_units import RowUnits
from .classes import Classes, LabelDistances
from .confusion import LabelCounts, RowKinds
from .multilabel import LabelIndicators, kinds_of_rows

if TYPE_CHECKING:
    from .labels import LabelMeasures

_BIASED = ("f1", "f_beta", "jaccard")  # whose averages over labels are biased in draws
_SIGNED = ("mcc", "kappa")
_ALL_CELLS = 100  # labels, up to which every cell is a candidate
_RAREST = 24  # labels of each kind that are candidates if there are more

Positions = Callable[[], tuple[Integers, Integers]]  # of the label of each row, true and predicted
Intervals = dict[str, Interval | list[Interval]]
_Key = tuple[str, int]  # the name of a score, and the position of its label


def label_intervals(
    measures: "LabelMeasures",
    uncertainty: Uncertainty,
    positions: Positions,
    weights: Floats | None = None,
) -> Intervals:
    """Return the interval of each score of labels.

    A method that a score does not have is replaced by the law; the interval names the one used.

    Args:
        measures: the rows, and their scores.
        uncertainty: the level, the method and the clusters.
        positions: returns the position of the reference and of the prediction of each row.
        weights: of the rows; None if they are equal.
    """
    task, method = measures.task, uncertainty.method
    units = _units(measures, uncertainty, positions, weights)
    intervals: Intervals = {}
    if isinstance(measures.table, LabelIndicators) and task.average == "samples":
        intervals |= _intervals_of_rows(measures.table, task, measures.measure, uncertainty)
    for name in measures.scores if method != "bootstrap" else ():
        ratios = _ratios(name, measures.counts, task)
        if name not in intervals and ratios:
            of_units = _ratios(name, counts_of(units.of_kinds().T), task)
            is_plain = measures.table.weights is None and uncertainty.clusters is None
            found = [
                _ratio_interval(total, of_unit, units, uncertainty, is_plain=is_plain)
                for total, of_unit in zip(ratios, of_units, strict=True)
            ]
            if name == "f1":
                found = [
                    f1_of_jaccard(interval, hits / rows) if rows else interval
                    for interval, (hits, rows) in zip(found, ratios, strict=True)
                ]
            is_list = task.average == "none" and name != "accuracy"
            intervals[name] = found if is_list else found[0]
    others = [name for name in measures.scores if name not in intervals]
    drawn = _drawn_intervals(measures, others, units, uncertainty) if others else {}
    return {name: intervals[name] if name in intervals else drawn[name] for name in measures.scores}


def _units(
    measures: "LabelMeasures",
    uncertainty: Uncertainty,
    positions: Positions,
    weights: Floats | None,
) -> RowUnits:
    """Return what rows, or clusters of them, add to the sums."""
    table, task, distances = measures.table, measures.task, measures.distances
    clusters = uncertainty.clusters
    numbers = clusters.numbers if isinstance(clusters, Clusters) else None
    if weights is not None:
        weights, _ = scaled_weights(weights)
    if isinstance(table, LabelIndicators):
        return RowUnits.of_rows(indicator_counters(table, weights), numbers)
    if numbers is None:
        return table_units(table, task, distances)
    return RowUnits.of_rows(
        cell_counters(
            *positions(), len(task.all_labels), distances, weights=weights, clusters=numbers
        )
    )


def table_units(
    table: ContingencyTable, task: Classes, distances: LabelDistances | None
) -> RowUnits:
    """Return the cells of a table of references and predictions, of independent rows."""
    references = task.positions(table.row_labels)[table.rows]
    predictions = task.positions(table.column_labels)[table.columns]
    weights = np.ones(references.size)
    if table.weights is not None:
        weights, _ = scaled_weights(table.weights)
    order = np.lexsort((weights, predictions, references))
    size = len(task.all_labels)
    counters = cell_counters(references[order], predictions[order], size, distances)
    return RowUnits(table.counts[order], counters * weights[order, np.newaxis])


def _ratios(name: str, counts: LabelCounts, task: Classes) -> list[tuple[Any, Any]]:
    """Return numerators and denominators of a score that is a proportion; otherwise empty."""
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


def _ratio_interval(
    total: tuple[Any, Any],
    of_units: tuple[Any, Any],
    units: RowUnits,
    uncertainty: Uncertainty,
    *,
    is_plain: bool,
) -> Interval:
    if is_plain and uncertainty.method != "t":
        method: Any = uncertainty.method
        return proportion_interval(*total, confidence_level=uncertainty.level, method=method)
    if uncertainty.method == "wilson":
        uncertainty = replace(uncertainty, method="auto")
    hits, sizes = of_units
    return ratio_interval(hits, sizes, uncertainty, counts=units.counts.astype(np.float64))


def _intervals_of_rows(
    indicators: LabelIndicators,
    task: Classes,
    measure: Callable[..., Mapping[str, Floats]],
    uncertainty: Uncertainty,
) -> Intervals:
    """Return the intervals of scores that are averaged over rows of several labels."""
    of_kinds, codes = kinds_of_rows(indicators, task)
    weights, clusters = indicators.weights, uncertainty.clusters
    if uncertainty.method == "wilson":
        uncertainty = replace(uncertainty, method="auto")
    intervals: Intervals = {}
    for name, by_kind in scores_of_kinds(of_kinds, measure).items():
        scores = by_kind[codes]
        rows = np.flatnonzero(~np.isnan(scores))
        if name in ("accuracy", "hamming_loss"):
            continue
        intervals[name] = proportion_interval(0, 0)
        if rows.size:
            of_rows = replace(
                uncertainty, clusters=None if clusters is None else clusters.take(rows)
            )
            intervals[name] = mean_interval(
                scores[rows], of_rows, weights=None if weights is None else weights[rows]
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
    measures: "LabelMeasures", names: Collection[str], units: RowUnits, uncertainty: Uncertainty
) -> Intervals:
    """Return the intervals of scores by random weights, the same for all, or by resamples."""
    task, measure = measures.task, measures.measure
    if task.average == "samples":
        task = replace(task, average="macro")  # of scores that do not depend on it
        measure = partial(measure, task=task)
    listed = {name: np.atleast_1d(np.asarray(measures.scores[name], float)) for name in names}
    keys = [(name, index) for name, column in listed.items() for index in range(column.size)]

    def measured(sums: Floats, keys: Collection[_Key]) -> dict[_Key, Floats]:
        found = measure(counts_of(sums), names={name for name, _ in keys})
        return {(name, index): np.atleast_2d(found[name])[index] for name, index in keys}

    combined = isinstance(measures.table, LabelIndicators)
    total, amounts = units.total(), units.of_kinds()
    with np.errstate(all="ignore"):
        squares = units.counts @ np.square(amounts)
        effective = np.square(total) / squares
        size = len(total) // 3 - 1
        unseen_size = squares[-2] / total[-2] if total[-2] else 1.0
        candidates = _candidates(total, task, measures.distances, combined=combined)
        candidates *= unseen_size
        trials = measured(total[:, np.newaxis] + candidates.T, keys)
    scores = {}
    for name, index in keys:
        is_signed = name in _SIGNED or (measures.adjusted and "balanced" in name)
        scores[name, index] = DrawnScore(
            float(listed[name][index]),
            *_unseen_rows(trials[name, index], candidates, combined=combined),
            (-1.0 if is_signed else 0.0, 1.0),
            task.average in ("macro", "weighted") and name in _BIASED,
        )
    denominators = effective[size : 3 * size][total[size : 3 * size] > 0]
    fewest = float(denominators.min(initial=0.0 if not denominators.size else np.inf))
    intervals = unit_intervals(units, scores, measured, uncertainty, smooth=fewest)
    return {
        name: [intervals[name, index] for index in range(column.size)]
        if measures.task.average == "none" and np.ndim(measures.scores[name])
        else intervals[name, 0]
        for name, column in listed.items()
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


def _unseen_rows(values: Floats, candidates: Floats, *, combined: bool) -> tuple[Floats, Floats]:
    """The sums of the rows that lower and raise a score most, by its values for candidates."""
    if not combined or np.isnan(values).all():
        return extremes(values, candidates)
    # Four states of each label: the row takes the worst, or the best, of each.
    size = candidates.shape[1] // 3 - 1
    states = np.nan_to_num(values).reshape(4, size)
    rows = []
    for best in (states.argmin(axis=0), states.argmax(axis=0)):
        row = candidates[best * size + np.arange(size)].sum(axis=0)
        unseen_size = candidates[0, 3 * size + 1]
        row[3 * size : 3 * size + 2] = unseen_size * (best <= 1).all(), unseen_size
        rows.append(row)
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
