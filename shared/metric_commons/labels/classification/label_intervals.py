"""Intervals of the scores of predicted labels, and the influences of rows on them.

Proportions of counted rows have the interval of a ratio, given their denominator: all rows for
accuracy, predicted positives for precision, positives for recall, negatives for specificity; and F1
follows from J = TP / (TP + FP + FN), since F1 = 2 J / (1 + J). Averages over rows of several labels
are means of rows.

All other scores have intervals by random weights of the cells of the confusion matrix, or of
clusters. An unseen row falls into the cell with the lowest score for the lower end, and into the
one with the highest score for the upper end.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arithmetic.contingency import ContingencyTable, scaled_weights
from ...statistics.arithmetic.exact_sums import group_sums
from ...statistics.intervals.intervals import mean_interval, ratio_interval
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import Interval, f1_of_jaccard, proportion_interval
from ...statistics.intervals.weighted_units import (
    DrawnScore,
    unit_intervals,
)
from ...statistics.resampling.row_units import RowUnits
from .classes import Classes, Distances
from .classified_rows import ClassifiedRows
from .confusion import LabelCounts, LabelMeasures
from .multilabel import LabelIndicators

_PROPORTIONS = ("precision", "recall", "f1", "fpr", "specificity")
_BIASED = ("f1", "f_beta", "jaccard")  # whose averages over labels are biased in draws
_SIGNED = ("mcc", "kappa")
_ALL_CELLS = 100  # labels, up to which every cell is a candidate
_RAREST, _COMMONEST = 40, 16  # labels that are candidates if there are more
_STEP = 1e-4  # of a row, in numerical slopes

_Key = tuple[str, int]  # the name of a score, and the position of its label


def label_intervals(
    rows: ClassifiedRows,
    measures: LabelMeasures,
    counts: LabelCounts,
    scores: Mapping[str, Any],
    uncertainty: Uncertainty,
) -> dict[str, Any]:
    """Return the interval of each score of labels, or a list of them.

    A method that a score does not have is replaced by the law; the interval names the one used.

    Args:
        rows: the rows.
        measures: how scores follow from counts.
        counts: of all rows.
        scores: those that follow from them.
        uncertainty: the level, the method and the clusters.
    """
    task, units = measures.task, _units(rows, measures.distances, uncertainty.numbers)
    intervals: dict[str, Any] = {}
    if isinstance(rows.table, LabelIndicators) and task.average == "samples":
        intervals = _intervals_of_rows(rows.table, measures, uncertainty)
    if uncertainty.method != "bootstrap":
        of_units = counts_of(units.of_kinds().T)
        both = (counts, measures.selected(counts)), (of_units, measures.selected(of_units))
        total_terms, unit_terms = (measures.terms(*pair) for pair in both)
        is_plain = rows.weights is None and uncertainty.clusters is None
        method: Any = uncertainty.method
        repeats = units.counts.astype(np.float64)

        def ratio(total: tuple[Any, Any], of_kinds: tuple[Any, Any]) -> Interval:
            if is_plain and method != "t":
                return proportion_interval(*total, uncertainty.level, method)
            return ratio_interval(*of_kinds, supported(uncertainty), counts=repeats)

        intervals["accuracy"] = ratio(
            (counts.correct, counts.total), (of_units.correct, of_units.total)
        )
        for name in _PROPORTIONS if task.average in ("binary", "none") else ():
            term, found = "jaccard" if name == "f1" else name, []
            pairs = (zip(*terms[term](), strict=True) for terms in (total_terms, unit_terms))
            for (hits, size), of_label in zip(*pairs, strict=True):
                interval = ratio((hits, size), of_label)
                is_f1 = name == "f1" and bool(size)
                found.append(f1_of_jaccard(interval, hits / size) if is_f1 else interval)
            intervals[name] = found[0] if task.average == "binary" else found
    others = [name for name in scores if name not in intervals]
    if others:
        of_others = {name: scores[name] for name in others}
        intervals |= _drawn_intervals(measures, of_others, units, uncertainty)
    return {name: intervals[name] for name in scores}


def supported(uncertainty: Uncertainty) -> Uncertainty:
    """Return the law instead of a method that is for single rows of 0 and 1."""
    return replace(uncertainty, method="auto") if uncertainty.method == "wilson" else uncertainty


def _intervals_of_rows(
    indicators: LabelIndicators, measures: LabelMeasures, uncertainty: Uncertainty
) -> dict[str, Interval]:
    """Return the intervals of scores that are averaged over rows of several labels."""
    kinds, codes = indicators.kinds(measures.task)
    weights, clusters = indicators.weights, uncertainty.clusters
    intervals = {}
    for name, of_kinds in measures.scores_of_rows(kinds).items():
        scores = of_kinds[codes]
        rows = np.flatnonzero(~np.isnan(scores))
        intervals[name] = proportion_interval(0, 0)
        if rows.size:
            of_rows = replace(
                supported(uncertainty), clusters=None if clusters is None else clusters.take(rows)
            )
            intervals[name] = mean_interval(
                scores[rows], of_rows, weights=None if weights is None else weights[rows]
            )
    return intervals


# ---- random weights -----------------------------------------------------------------------------


def _drawn_intervals(
    measures: LabelMeasures,
    scores: Mapping[str, Any],
    units: RowUnits,
    uncertainty: Uncertainty,
) -> dict[str, Any]:
    """Return the intervals of scores by random weights, the same for all, or by resamples."""
    measures, units = _with_unseen_label(measures, units)
    task = measures.task
    listed = {name: np.atleast_1d(np.asarray(value, float)) for name, value in scores.items()}
    keys = [(name, index) for name, column in listed.items() for index in range(column.size)]

    def measured(sums: Floats, keys: Collection[_Key]) -> dict[_Key, Floats]:
        found = measures.scores(counts_of(sums), {name for name, _ in keys})
        return {(name, index): np.atleast_2d(found[name])[index] for name, index in keys}

    total = units.total()
    with np.errstate(all="ignore"):
        squares = units.counts @ np.square(units.of_kinds())
        effective = np.square(total) / squares
        size = len(total) // 3 - 1
        if measures.multilabel:
            candidates = _candidates_of_several(size)
        else:
            candidates = _candidates(total, task, measures.distances)
        candidates *= squares[-2] / total[-2] if total[-2] else 1.0
    drawn = {}
    for name, index in keys:
        is_signed = name in _SIGNED or (measures.adjusted and "balanced" in name)
        drawn[name, index] = DrawnScore(
            float(listed[name][index]),
            candidates,
            (-1.0 if is_signed else 0.0, 1.0),
            task.average in ("macro", "weighted") and name in _BIASED,
        )
    denominators = effective[size : 3 * size][total[size : 3 * size] > 0]
    fewest = float(denominators.min()) if denominators.size else 0.0
    intervals = unit_intervals(units, drawn, measured, uncertainty, smooth=fewest)
    return {
        name: [intervals[name, index] for index in range(column.size)]
        if isinstance(scores[name], list)
        else intervals[name, 0]
        for name, column in listed.items()
    }


def _with_unseen_label(measures: LabelMeasures, units: RowUnits) -> tuple[LabelMeasures, RowUnits]:
    """Return both with a label that no row has: where all rows have one, an unseen one may not."""
    task, total = measures.task, units.total()
    size = len(task.all_labels)
    occurs = total[size : 2 * size] + total[2 * size : 3 * size] > 0
    is_averaged = task.average in ("macro", "weighted") and not measures.multilabel
    if not is_averaged or len(task.averaged_positions) > 1 or occurs.sum() > 1:
        return measures, units
    labels = task.all_labels
    if size == 1:
        labels = [*labels, None]
        units = replace(units, amounts=np.insert(units.of_kinds(), [1, 2, 3], 0.0, axis=1))
    task = replace(task, all_labels=labels, selection=[0, 1], absent=frozenset())
    return replace(measures, task=task, distances=None), units


def _candidates(total: Floats, task: Classes, distances: Distances | None) -> Floats:
    """Return the sums that a row of size one adds in each cell that it may fall into.

    These are the cells of labels that occur, if several do. If there are many labels, these are the
    rarest and the most frequent ones, since a row of a rare label changes a score most.
    """
    size = total.size // 3 - 1
    occurrences = total[size : 2 * size] + total[2 * size : 3 * size]
    labels = np.flatnonzero(occurrences > 0)
    labels = labels if labels.size > 1 else np.arange(size)
    if labels.size > _ALL_CELLS:
        order = labels[np.argsort(occurrences[labels], kind="stable")]
        labels = np.sort(np.append(order[:_RAREST], order[-_COMMONEST:]))
    references, predictions = (grid.ravel() for grid in np.meshgrid(labels, labels, indexing="ij"))
    cells = cell_counters(references, predictions, size, distances)
    strays = cells[:, [size + position for position in task.strays]]
    return cells[~strays.any(axis=1)]


def _candidates_of_several(size: int) -> Floats:
    """Return rows whose labels are all right and true, right and false, missed, or wrong."""
    rows = np.zeros((4, 3 * size + 3))
    for row, (hit, true, predicted) in enumerate(((1, 1, 1), (0, 0, 0), (0, 1, 0), (0, 0, 1))):
        rows[row] = [*[hit] * size, *[true] * size, *[predicted] * size, row < 2, 1, 0]
    return rows


# ---- influences ---------------------------------------------------------------------------------


def label_influences(
    rows: ClassifiedRows, measures: LabelMeasures, weights: Floats
) -> dict[str, Floats]:
    """Return the influence of each row on scores, times the number of rows, but for a constant.

    Args:
        rows: the rows.
        measures: how scores follow from counts.
        weights: of the rows, 1 on average.
    """
    number, means = len(weights), {}
    if isinstance(rows.table, LabelIndicators):
        counters, cells = indicator_counters(rows.table, None), np.arange(number)
        if measures.task.average == "samples":
            kinds, codes = rows.table.kinds(measures.task)
            means = {name: of[codes] for name, of in measures.scores_of_rows(kinds).items()}
    else:
        true, guessed = rows.codes()
        size = len(rows.task.all_labels)
        pairs, cells = np.unique(true * size + guessed, return_inverse=True)
        counters = cell_counters(pairs // size, pairs % size, size, measures.distances)
    means["accuracy"] = counters[cells, -3]
    totals = np.bincount(cells, weights, len(counters)) @ counters
    sums = totals[:, np.newaxis] + np.column_stack([np.zeros(len(totals)), _STEP * counters.T])
    names = None if measures.task.average != "samples" else ["hamming_loss"]
    with np.errstate(all="ignore"):
        found = measures.scores(counts_of(sums), names)
    influences = {
        name: number * weights * ((values[1:] - values[0]) / _STEP)[cells]
        for name, values in found.items()
    }
    return influences | {name: of_means(scores, weights) for name, scores in means.items()}


def of_means(scores: Floats, weights: Floats) -> Floats:
    """Return the influences on a mean of rows; rows that do not count, which are NaN, have none.

    >>> of_means(np.array([1.0, 0.0, np.nan]), np.ones(3)).tolist()
    [0.75, -0.75, 0.0]
    """
    counting = ~np.isnan(scores)
    weights = np.where(counting, weights, 0.0)
    if not weights.any():
        return scores
    weights = weights * (scores.size / weights.sum())
    mean = float(np.where(counting, scores, 0.0) @ weights) / scores.size
    return np.where(counting, weights * (scores - mean), 0.0)


# ---- sums ---------------------------------------------------------------------------------------


def _units(rows: ClassifiedRows, distances: Distances | None, numbers: Integers | None) -> RowUnits:
    """Return what rows, or clusters by the numbers of rows, add to the sums."""
    weights = None if rows.weights is None else scaled_weights(rows.weights)[0]
    if isinstance(rows.table, LabelIndicators):
        return RowUnits.of_rows(indicator_counters(rows.table, weights), numbers)
    if numbers is None:
        return table_units(rows.table, rows.task, distances)
    size = len(rows.task.all_labels)
    return RowUnits.of_rows(cell_counters(*rows.codes(), size, distances, weights, numbers))


def table_units(table: ContingencyTable, task: Classes, distances: Distances | None) -> RowUnits:
    """Return the cells of a table of references and predictions, of independent rows."""
    references = task.positions(table.row_labels)[table.rows]
    predictions = task.positions(table.column_labels)[table.columns]
    weights = None if table.weights is None else scaled_weights(table.weights)[0]
    size = len(task.all_labels)
    return RowUnits(table.counts, cell_counters(references, predictions, size, distances, weights))


def counts_of(sums: Floats) -> LabelCounts:
    """Return the counts that sums represent; the last axis is that of draws, or of clusters.

    Sums are in the order of `LabelCounts`: true positives, support and predicted positives of each
    label, correct rows, all rows, and the distance of references and predictions.
    """
    size = len(sums) // 3 - 1
    hits, support, predicted = (sums[start * size : (start + 1) * size] for start in range(3))
    correct, total, distance = sums[3 * size :]
    return LabelCounts(hits, support, predicted, total - support, correct, total, distance)


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
    distances: Distances | None = None,
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
        terms.append((3 * size + 2, amounts * distances[references, predictions]))
    units = np.arange(references.size) if clusters is None else clusters
    width = 3 * size + 3
    cells = np.concatenate([units * width + columns for columns, _ in terms])
    values = np.concatenate([values for _, values in terms])
    number = int(units.max(initial=-1)) + 1
    return group_sums(values, cells, number * width).reshape(number, width)
