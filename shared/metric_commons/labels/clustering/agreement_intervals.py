"""Intervals of measures of agreement, by random weights with an unseen row.

The unseen row falls into the pair of a label and a cluster that lowers, or raises, a measure most.
The agreement of a sample is biased upwards, so the interval is widened by the bias of draws, and
for measures of information also by the largest bias due to chance, (K - 1) (L - 1) / (2 n) nats for
K labels and L clusters of n rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arithmetic.contingency import ContingencyTable
from ...statistics.intervals.proportions import Interval
from ...statistics.resampling.gamma_weights import weighted_totals
from ...statistics.resampling.weighted_sums import DrawnScore, DrawnValues
from .agreement import CellCounts, agreement, cell_counts, entropies_of_table
from .expected_information import expected_information
from .partition_names import ClusteringMeasure

_INFORMATION = ("nmi", "ami", "v_measure", "homogeneity", "completeness")
_CANDIDATES = 1 << 12  # pairs of a label and a cluster that are tried


def agreement_intervals(
    table: ContingencyTable,
    measures: Sequence[ClusteringMeasure],
    scores: Mapping[str, float],
    *,
    confidence_level: float,
    n_resamples: int,
    seed: int,
) -> dict[str, Interval]:
    """Return the interval of each measure, with the same weights for all.

    Args:
        table: the table of true labels and clusters.
        measures: the measures.
        scores: their values.
        confidence_level: strictly between 0 and 1.
        n_resamples: the number of draws.
        seed: for the draws.
    """
    order = np.lexsort((table.columns, table.rows))
    order = order[np.argsort(table.counts[order], kind="stable")]
    table = replace(
        table, rows=table.rows[order], columns=table.columns[order], counts=table.counts[order]
    )
    extended = _with_unseen_label(table)
    pairs, trial_values = _with_candidates(extended)
    drawn_scores, cells = {}, {}
    for measure in measures:
        # A row with a new label has less information than expected by chance, so AMI would not
        # choose it.
        is_hidden = measure.kind == "ami" and extended is not table
        trial = measure._replace(kind="nmi") if is_hidden else measure
        values = np.array(agreement(trial, trial_values))
        worst, best = int(np.nanargmin(values)), int(np.nanargmax(values))
        cells[measure.name] = [(pairs.rows[cell], pairs.columns[cell]) for cell in (worst, best)]
        drawn_scores[measure.name] = DrawnScore(
            float(scores[measure.name]),
            _unused,
            np.empty(0),
            np.empty(0),
            (-1.0 if measure.kind == "ami" else -0.5 if measure.kind == "ari" else 0.0, 1.0),
            biased=True,
            excess=_excess(measure, table),
        )
    redraws = _draws(extended, measures, cells, n_resamples, seed)
    rows = int(table.counts.sum())
    return {
        name: Interval(
            *redraws[name].ends(score, confidence_level),
            "unseen_row",
            redraws[name].standard_error(rows),
            None,
        )
        for name, score in drawn_scores.items()
    }


def _unused(sums: Floats) -> Floats:
    raise NotImplementedError("measures of agreement are computed from tables")


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


def _draws(
    table: ContingencyTable,
    measures: Sequence[ClusteringMeasure],
    cells: Mapping[str, Sequence[tuple[int, int]]],
    n_resamples: int,
    seed: int,
) -> dict[str, DrawnValues]:
    """Return the values of measures in draws."""
    extra = sorted({cell for pair in cells.values() for cell in pair})
    extended = replace(
        table,
        rows=np.append(table.rows, [row for row, _ in extra]).astype(table.rows.dtype),
        columns=np.append(table.columns, [column for _, column in extra]).astype(
            table.columns.dtype
        ),
        counts=np.append(table.counts, np.zeros(len(extra), np.int64)),
    )
    merged, position = _merged(extended)
    chance = 0.0
    if any(measure.kind == "ami" for measure in measures):
        counts = cell_counts(table, table.counts[np.newaxis])
        chance = expected_information(counts.row_totals[0], counts.column_totals[0])
    parts: dict[str, list[list[Floats]]] = {measure.name: [[], [], []] for measure in measures}
    with np.errstate(all="ignore"):
        for block in weighted_totals(table.counts, n_resamples=n_resamples, seed=seed):
            weights = np.zeros((merged.counts.size, block.unseen.size))
            weights[position[: len(table.rows)]] = block.totals
            plain = _Shares.of(merged, weights)
            with_unseen = []
            for index in range(len(extra)):
                augmented = weights.copy()
                augmented[position[len(table.rows) + index]] += block.unseen
                with_unseen.append(_Shares.of(merged, augmented))
            for measure in measures:
                sides = [with_unseen[extra.index(cell)] for cell in cells[measure.name]]
                for part, shares in zip(parts[measure.name], (*sides, plain), strict=True):
                    part.append(shares.agreement(measure, chance))
    return {name: DrawnValues(*map(np.concatenate, lists)) for name, lists in parts.items()}


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
