"""Intervals of measures of agreement, by random weights with an unseen row.

The unseen row falls into the pair of a label and a cluster that lowers, or raises, a measure most.
The agreement of a sample is biased upwards, so the interval is widened by the bias of draws, and
for measures of information also by the largest bias due to chance, (K - 1) (L - 1) / (2 n) nats for
K labels and L clusters of n rows.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arithmetic.contingency import ContingencyTable
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.weighted_units import DrawnScore, weighted_intervals
from ...statistics.resampling.row_units import RowUnits
from .agreement import CellCounts, agreement, cell_counts, entropies_of_table, expected_information
from .partition_names import ClusteringMeasure

_INFORMATION = ("nmi", "ami", "v_measure", "homogeneity", "completeness")
_CODES = 1 << 31  # more than there are clusters
_CANDIDATES = 1 << 12  # pairs of a label and a cluster that are tried


def agreement_intervals(
    table: ContingencyTable,
    measures: Sequence[ClusteringMeasure],
    scores: Mapping[str, float],
    **options: Any,
) -> dict[str, Interval]:
    """Return the interval of each measure, with the same weights for all.

    Args:
        table: the table of true labels and clusters.
        measures: the measures.
        scores: their values.
        **options: `confidence_level`, and `n_resamples` and `seed` of the draws.
    """
    order = np.lexsort((table.columns, table.rows))
    order = order[np.argsort(table.counts[order], kind="stable")]
    table = replace(
        table, rows=table.rows[order], columns=table.columns[order], counts=table.counts[order]
    )
    extended = _with_unseen_label(table)
    pairs, trial_values = _with_candidates(extended)
    cells = {}
    for measure in measures:
        # A row with a new label has less information than expected by chance, so AMI would not
        # choose it.
        is_hidden = measure.kind == "ami" and extended is not table
        trial = measure._replace(kind="nmi") if is_hidden else measure
        values = np.array(agreement(trial, trial_values))
        ends = np.array([np.nanargmin(values), np.nanargmax(values)])
        cells[measure.name] = pairs.rows[ends] * _CODES + pairs.columns[ends]
    # The cells of the table, and those that are empty but for the unseen row.
    observed = extended.rows.astype(np.int64) * _CODES + extended.columns
    empty = np.setdiff1d(np.concatenate([*cells.values()]), observed)
    codes = np.append(observed, empty)
    grid = replace(extended, rows=codes // _CODES, columns=codes % _CODES)
    chance = 0.0
    if any(measure.kind == "ami" for measure in measures):
        counts = cell_counts(extended, extended.counts[np.newaxis])
        chance = expected_information(counts.row_totals[0], counts.column_totals[0])
    by_name = {measure.name: measure for measure in measures}

    def measured(sums: Floats, names: Collection[str]) -> dict[str, Floats]:
        shares = _Shares.of(grid, sums)
        return {name: shares.agreement(by_name[name], chance) for name in names}

    drawn_scores = {}
    for name, measure in by_name.items():
        lowering, raising = (codes == cells[name][:, np.newaxis]).astype(np.float64)
        minimum = {"ami": -1.0, "ari": -0.5}.get(measure.kind, 0.0)
        drawn_scores[name] = DrawnScore(
            float(scores[name]),
            lowering,
            raising,
            (minimum, 1.0),
            biased=True,
            excess=_excess(measure, table),
        )
    return weighted_intervals(
        RowUnits(extended.counts, unobserved=empty.size),
        drawn_scores,
        measured,
        **options,
    )


def _with_unseen_label(table: ContingencyTable) -> ContingencyTable:
    """Return the table with one more label, or cluster, if all rows have the same one.

    Otherwise an unseen row could not differ from the others.
    """
    names = table.row_labels, table.column_labels
    if min(map(len, names)) > 1:
        return table
    labels, clusters = ([*column, column[0]] if len(column) == 1 else column for column in names)
    return replace(table, row_labels=labels, column_labels=clusters)


def _with_candidates(table: ContingencyTable) -> tuple[ContingencyTable, CellCounts]:
    """The pairs into which an unseen row may fall, and the counts of a table for each of them."""
    sizes = [
        np.bincount(codes, table.counts, len(labels))
        for codes, labels in ((table.rows, table.row_labels), (table.columns, table.column_labels))
    ]
    nominees = []
    for size in sizes:  # the rarest and the most frequent labels, if there are many
        max_labels = int(np.sqrt(_CANDIDATES))
        order = np.argsort(size, kind="stable")
        nominees.append(
            order if order.size <= max_labels else np.append(order[: max_labels - 8], order[-8:])
        )
    rows, columns = (grid.ravel() for grid in np.meshgrid(*map(np.sort, nominees), indexing="ij"))
    extended = replace(
        table,
        rows=np.concatenate([table.rows, rows]),
        columns=np.concatenate([table.columns, columns]),
        counts=np.concatenate([table.counts, np.zeros(rows.size, np.int64)]),
    )
    merged, position = _merged(extended)
    counts = np.tile(merged.counts, (rows.size, 1))
    counts[np.arange(rows.size), position[len(table.rows) :]] += 1
    pairs = replace(table, rows=rows, columns=columns, counts=np.ones(rows.size, np.int64))
    return pairs, cell_counts(merged, counts)


def _merged(table: ContingencyTable) -> tuple[ContingencyTable, Integers]:
    """Return the table with each pair once, and the new position of each of its pairs."""
    codes = table.rows.astype(np.int64) * len(table.column_labels) + table.columns
    distinct, first, position = np.unique(codes, return_index=True, return_inverse=True)
    counts = np.bincount(position, table.counts, distinct.size).astype(np.int64)
    merged = replace(table, rows=table.rows[first], columns=table.columns[first], counts=counts)
    return merged, position


def _excess(measure: ClusteringMeasure, table: ContingencyTable) -> float:
    """Return the largest bias by chance of a measure of information."""
    if measure.kind not in _INFORMATION:
        return 0.0
    rows = int(table.counts.sum())
    labels, clusters = entropies_of_table(table)
    entropy = {"homogeneity": labels, "completeness": clusters}.get(
        measure.kind, (labels + clusters) / 2
    )
    cells = (len(table.row_labels) - 1) * (len(table.column_labels) - 1)
    return cells / (2 * rows) / entropy if entropy else 0.0


@dataclass(frozen=True)
class _Shares:
    """Weighted tables divided by their totals, each of shape (parts, draws)."""

    cells: Floats
    labels: Floats
    clusters: Floats
    purity: Floats  # shape (draws,)

    @classmethod
    def of(cls, table: ContingencyTable, weights: Floats) -> "_Shares":
        """Return the weighted cells of a table, divided by their total."""
        cells = weights / weights.sum(axis=0)
        largest = _by_code(np.maximum, cells, table.columns)
        return cls(
            cells,
            _by_code(np.add, cells, table.rows),
            _by_code(np.add, cells, table.columns),
            largest.sum(axis=0),
        )

    def agreement(self, measure: ClusteringMeasure, chance: float) -> Floats:
        """Return the measure in each draw.

        The limit of `agreement` for many rows in these proportions.

        Args:
            measure: the measure.
            chance: for "ami", the information expected by chance, in nats.
        """
        if measure.kind == "purity":
            return self.purity
        if measure.kind in ("ari", "rand", "fowlkes_mallows"):
            both, labels, clusters = (
                np.square(shares).sum(axis=0) for shares in (self.cells, self.labels, self.clusters)
            )
            if measure.kind == "rand":
                rand: Floats = 1 - labels - clusters + 2 * both
                return rand
            if measure.kind == "fowlkes_mallows":
                mean: Floats = both / np.sqrt(labels * clusters)
                return mean
            expected, maximum = labels * clusters, (labels + clusters) / 2
            return np.where(maximum > expected, (both - expected) / (maximum - expected), 1.0)
        joint, labels, clusters = map(_entropies, (self.cells, self.labels, self.clusters))
        information = np.maximum(labels + clusters - joint, 0.0)
        if measure.kind == "homogeneity":
            entropy = labels
        elif measure.kind == "completeness":
            entropy = clusters
        elif measure.beta != 1:
            entropy = (measure.beta * clusters + labels) / (1 + measure.beta)
        elif measure.average == "arithmetic":
            entropy = (labels + clusters) / 2
        elif measure.average == "geometric":
            entropy = np.sqrt(labels * clusters)
        else:
            entropy = (np.minimum if measure.average == "min" else np.maximum)(labels, clusters)
        if measure.kind == "ami":
            information, entropy = information - chance, entropy - chance
        return np.where(entropy > 0, np.minimum(information / entropy, 1.0), 1.0)


def _by_code(operation: np.ufunc, cells: Floats, codes: Integers) -> Floats:
    """Return the sums, or the maxima, of the cells of each code."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = np.append(0, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1)
    combined: Floats = operation.reduceat(cells[order], starts, axis=0)
    return combined


def _entropies(shares: Floats) -> Floats:
    """Return the entropy of the proportions in each draw, in nats."""
    entropies: Floats = -np.where(shares > 0, shares * np.log(shares), 0.0).sum(axis=0)
    return entropies
