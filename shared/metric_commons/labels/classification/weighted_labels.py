"""Intervals of scores of labels by random weights, with an unseen row.

Weighted rows give each cell of the confusion matrix a random count. The unseen row falls into the
cell with the lowest score for the lower end, and into the one with the highest score for the upper
end; with clusters or weights it is as large as these are on average.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arithmetic.contingency import ContingencyTable, scaled_weights
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.weighted_units import (
    DrawnScore,
    extremes,
    resampled_intervals,
    weighted_intervals,
)
from ...statistics.resampling.row_units import RowUnits
from .classes import Classes
from .confusion import LabelCounts
from .label_distances import LabelDistances
from .multilabel import LabelIndicators, label_counters

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
        size: the number of labels.
        units: the rows, or clusters of them.
        candidates: the sums that a row of size one adds in each cell that it may fall into, shape
            (candidates, sums).
        unseen_size: the size of an unseen row.
        combined: whether each candidate is for a single label, and a row combines them.
    """

    size: int
    units: RowUnits
    candidates: Floats
    unseen_size: float
    combined: bool = False

    def counts(self, sums: Floats) -> LabelCounts:
        """Return the counts that sums represent; the last axis is that of draws."""
        size = self.size
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
    confidence_level: float,
    n_resamples: int,
    seed: int,
) -> dict[str, Interval | list[Interval]]:
    """Return the intervals of scores of labels, with the same weights for all.

    Args:
        labels: the units.
        measure: from counts to scores.
        scores: the scores, numbers or lists of them, by name.
        method: "bootstrap" resamples units; any other weights them, together with an unseen one.
        biased: whether the draws of a score are biased.
        bounds: the range of a score.
        confidence_level: strictly between 0 and 1.
        n_resamples: the number of draws.
        seed: for the draws.
    """
    values = {name: np.atleast_1d(np.asarray(score, np.float64)) for name, score in scores.items()}
    keys = [(name, index) for name, column in values.items() for index in range(column.size)]

    def measure_sums(sums: Floats, keys: Collection[_Key]) -> dict[_Key, Floats]:
        measured = measure(labels.counts(sums))
        return {(name, index): np.atleast_2d(measured[name])[index] for name, index in keys}

    options: dict[str, Any] = {
        "confidence_level": confidence_level,
        "n_resamples": n_resamples,
        "seed": seed,
    }
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


def labels_of_table(
    table: ContingencyTable, task: Classes, distances: LabelDistances | None
) -> WeightedLabels:
    """Return the cells of a table of references and predictions, of independent rows."""
    size = len(task.all_labels)
    references = task.positions(table.row_labels)[table.rows]
    predictions = task.positions(table.column_labels)[table.columns]
    counters = cell_counters(references, predictions, size, distances)
    weights = np.ones(len(counters))
    if table.weights is not None:
        weights, _ = scaled_weights(table.weights)
    amounts = counters * weights[:, np.newaxis]
    order = np.lexsort((weights, predictions, references))
    counts, amounts = table.counts[order], amounts[order]
    masses = counts * weights[order]
    total_mass = float(masses.sum())

    return WeightedLabels(
        size,
        RowUnits(counts, amounts),
        _candidate_cells(references, predictions, masses[np.argsort(order)], size, distances),
        float(masses @ weights[order]) / total_mass if total_mass else 1.0,
    )


def labels_of_indicators(indicators: LabelIndicators) -> WeightedLabels:
    """Independent rows of 0 and 1 for each of several labels."""
    counters, weights, counts = label_counters(indicators)
    size = indicators.references.shape[1]
    amounts = np.column_stack([counters * weights[:, np.newaxis], np.zeros(len(weights))])
    masses = counts * weights
    total_mass = float(masses.sum())

    return WeightedLabels(
        size,
        RowUnits(counts, amounts),
        _candidate_states(size),
        float(masses @ weights) / total_mass if total_mass else 1.0,
        combined=True,
    )


def labels_of_clusters(
    counts: LabelCounts, distances: LabelDistances | None, *, combined: bool
) -> WeightedLabels:
    """Clusters of rows, whose counts are on the last axis.

    Args:
        counts: the counts of each cluster.
        distances: the distances of labels, for a weighted kappa.
        combined: whether rows have several labels.
    """
    size = len(counts.support)
    sizes = np.asarray(counts.total, np.float64)
    distance = np.zeros(sizes.size) if counts.distance is None else counts.distance
    columns = np.vstack(
        [
            counts.true_positives,
            counts.support,
            counts.predicted_positives,
            counts.correct,
            counts.total,
            distance,
        ]
    ).astype(np.float64)
    units = RowUnits.of_rows(columns.T, np.arange(sizes.size))
    total = units.total()
    if combined:
        candidates = _candidate_states(size)
    else:
        present = (total[size : 2 * size] + total[2 * size : 3 * size]) > 0
        candidates = _cells_among(_candidate_labels(present, total, size), size, distances)
    mass = float(sizes.sum())
    unseen = float(np.sort(sizes * sizes).sum()) / mass if mass else 1.0
    return WeightedLabels(size, units, candidates, unseen, combined)


def cell_counters(
    references: Integers, predictions: Integers, size: int, distances: LabelDistances | None
) -> Floats:
    """Return the contribution of a row in each of these cells to the sums."""
    rows = np.arange(references.size)
    counters = np.zeros((references.size, 3 * size + 3))
    correct = references == predictions
    counters[rows[correct], references[correct]] = 1
    counters[rows, size + references] = 1
    counters[rows, 2 * size + predictions] = 1
    counters[:, 3 * size] = correct
    counters[:, 3 * size + 1] = 1
    if distances is not None:
        counters[:, 3 * size + 2] = distances.between(references, predictions)
    return counters


def _candidate_cells(
    references: Integers,
    predictions: Integers,
    masses: Floats,
    size: int,
    distances: LabelDistances | None,
) -> Floats:
    """Return the cells of labels that occur; of all labels if only one occurs."""
    total = np.zeros(3 * size + 3)
    np.add.at(total, size + references, masses)
    np.add.at(total, 2 * size + predictions, masses)
    present = (total[size : 2 * size] + total[2 * size : 3 * size]) > 0
    return _cells_among(_candidate_labels(present, total, size), size, distances)


def _candidate_labels(present: NDArray[np.bool_], total: Floats, size: int) -> Integers:
    """Return the labels among which an unseen row may fall.

    If there are many labels, these are the rarest and the most frequent ones on both sides, since a
    row of a rare label changes a score most.
    """
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
