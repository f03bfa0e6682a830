"""Agreement of clusters with true labels: adjusted Rand index, and mutual information."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..numbers.arrays import Floats, Integers
from ..numbers.contingency import ContingencyTable

LABEL_MEASURES = ("ari", "nmi", "v_measure", "homogeneity", "completeness")


@dataclass(frozen=True)
class CellCounts:
    """Counts of several contingency tables of the same labels, such as resamples of one.

    Args:
        cells: how often each pair of labels occurs, shape (tables, pairs).
        cell_row_totals: for each pair the total of its true label.
        cell_column_totals: for each pair the total of its cluster.
        row_totals: the total of each true label, shape (tables, labels).
        column_totals: the total of each cluster, shape (tables, clusters).

    """

    cells: Integers
    cell_row_totals: Integers
    cell_column_totals: Integers
    row_totals: Integers
    column_totals: Integers


def cell_counts(table: ContingencyTable, counts: Integers) -> CellCounts:
    """The counts with their totals.

    Args:
        table: of true labels and clusters; says which labels each pair has.
        counts: how often each pair of the table occurs, shape (tables, pairs).
    """
    row_totals = np.zeros((len(counts), len(table.row_labels)), np.int64)
    column_totals = np.zeros((len(counts), len(table.column_labels)), np.int64)
    for cells, rows, columns in zip(counts, row_totals, column_totals, strict=True):
        # Sums of whole numbers are exact in float64.
        rows += np.bincount(table.rows, cells, len(rows)).astype(np.int64)
        columns += np.bincount(table.columns, cells, len(columns)).astype(np.int64)
    return CellCounts(
        counts,
        row_totals[:, table.rows],
        column_totals[:, table.columns],
        row_totals,
        column_totals,
    )


def agreement(name: str, counts: CellCounts) -> list[float]:
    """The measure of this name for each table.

    >>> from ..numbers.contingency import contingency
    >>> table = contingency(["x", "x", "y", "y"], [0, 0, 1, 2])
    >>> counts = cell_counts(table, table.counts[np.newaxis])
    >>> agreement("ari", counts), agreement("homogeneity", counts)
    ([0.5714285714285714], [1.0])
    """
    if name == "ari":
        return _adjusted_rand_indices(counts)
    information, label_entropies, cluster_entropies = _information(counts)
    if name == "homogeneity":
        return _shares(information, label_entropies)
    if name == "completeness":
        return _shares(information, cluster_entropies)
    # NMI is the information over the mean entropy. V-measure is the harmonic mean of homogeneity
    # I / H and completeness I / K, which is the same: 2 / (H / I + K / I) = 2 I / (H + K).
    sums = [h + k for h, k in zip(label_entropies, cluster_entropies, strict=True)]
    return _shares([2 * value for value in information], sums)


def _adjusted_rand_indices(counts: CellCounts) -> list[float]:
    """Pairs of rows that are together in both columns, adjusted for chance.

    Of P pairs of rows, let A have the same true label, B the same cluster, and S both. By chance S
    would be A * B / P, and it is at most (A + B) / 2. The index is (S - chance) / (most - chance);
    both terms times 2 P are integers, so only the division rounds. Where it would be 0 / 0, as with
    a single label and a single cluster, the index is 1.

    Source:
        Hubert and Arabie, Comparing partitions (1985).
    """

    def pairs(totals: Integers) -> list[int]:
        return [int(products) // 2 for products in (totals * (totals - 1)).sum(axis=1)]

    indices = []
    same_label, same_cluster = pairs(counts.row_totals), pairs(counts.column_totals)
    rows = counts.row_totals.sum(axis=1).tolist()
    for s, a, b, n in zip(pairs(counts.cells), same_label, same_cluster, rows, strict=True):
        p = n * (n - 1) // 2
        most = (a + b) * p - 2 * a * b
        indices.append(2 * (s * p - a * b) / most if most else 1.0)
    return indices


def _information(counts: CellCounts) -> tuple[list[float], list[float], list[float]]:
    """Mutual information, entropy of labels and entropy of clusters, in nats times rows.

    Source:
        Rosenberg and Hirschberg, V-Measure: A conditional entropy-based external cluster evaluation
        measure (2007).
    """
    rows = counts.row_totals.sum(axis=1, keepdims=True)
    expected = counts.cell_row_totals * counts.cell_column_totals
    with np.errstate(divide="ignore", invalid="ignore"):
        # With log1p a ratio of exactly 1 adds nothing, and ratios close to 1 keep their digits.
        excess = (counts.cells * rows - expected) / expected
        terms = np.where(counts.cells > 0, counts.cells * np.log1p(excess), 0.0)
    return _sums(terms), _entropies(counts.row_totals, rows), _entropies(counts.column_totals, rows)


def _entropies(totals: Integers, rows: Integers) -> list[float]:
    """The entropy of each row of totals, in nats times rows."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return _sums(np.where(totals > 0, totals * np.log(rows / totals), 0.0))


def _sums(terms: Floats) -> list[float]:
    """The sum of each row of terms, at least 0."""
    return [max(math.fsum(row), 0.0) for row in terms.tolist()]


def _shares(information: Sequence[float], entropies: Sequence[float]) -> list[float]:
    """Information over entropy, at most 1; 1 where there is no entropy, hence no uncertainty."""
    return [
        min(value / entropy, 1.0) if entropy else 1.0
        for value, entropy in zip(information, entropies, strict=True)
    ]
