"""Agreement of clusters with true labels: pairs of rows, mutual information, and purity.

Intervals are by random weights with an unseen row. It falls into the pair of a label and a cluster
that lowers, or raises, a measure most. The agreement of a sample is biased upwards, so the interval
is widened by the bias of draws, and for measures of information also by the largest bias due to
chance, (K - 1) (L - 1) / (2 n) nats for K labels and L clusters of n rows.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arithmetic.contingency import ContingencyTable
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.weighted_units import (
    DrawnScore,
    extremes,
    unit_intervals,
)
from ...statistics.resampling.row_units import RowUnits
from .partition_names import ClusteringMeasure


@dataclass(frozen=True)
class CellCounts:
    """Counts of several contingency tables of the same labels, such as resamples of one table.

    Args:
        cells: the count of each pair of labels, shape (tables, pairs).
        cell_row_totals: for each pair, the total of its true label.
        cell_column_totals: for each pair, the total of its cluster.
        cell_columns: for each pair, the number of its cluster, shape (pairs,).
        row_totals: the total of each true label, shape (tables, labels).
        column_totals: the total of each cluster, shape (tables, clusters).
    """

    cells: Integers
    cell_row_totals: Integers
    cell_column_totals: Integers
    cell_columns: Integers
    row_totals: Integers
    column_totals: Integers

    @cached_property
    def information(self) -> tuple[list[float], list[float], list[float]]:
        """Return mutual information, and entropies of labels and clusters, in nats times rows."""
        rows = self.row_totals.sum(axis=1, keepdims=True)
        expected = self.cell_row_totals * self.cell_column_totals
        occurs = self.cells > 0
        with np.errstate(divide="ignore", invalid="ignore"):
            # With log1p, a ratio of exactly 1 adds nothing, and ratios close to 1 keep their
            # digits.
            excess = (self.cells * rows - expected) / expected
            information = _sums(np.where(occurs, self.cells * np.log1p(excess), 0.0))
        cells = occurs.sum(axis=1)
        labels, clusters = (
            _entropies(part, rows) for part in (self.row_totals, self.column_totals)
        )
        # Clusters of one label each tell all about labels, without a rounding error; likewise
        # labels about clusters.
        for entropies, totals in ((labels, self.column_totals), (clusters, self.row_totals)):
            is_certain = np.count_nonzero(totals, axis=1) == cells
            information = np.where(is_certain, entropies, information).tolist()
        return information, labels, clusters


def cell_counts(table: ContingencyTable, counts: Integers) -> CellCounts:
    """Return the counts, with their totals.

    Args:
        table: the table of true labels and clusters, which defines the labels of each pair.
        counts: the count of each pair of the table, shape (tables, pairs).
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
        table.columns,
        row_totals,
        column_totals,
    )


def agreement(measure: ClusteringMeasure, counts: CellCounts) -> list[Any]:
    """Return the value of the measure for each table.

    Source:
        Hubert and Arabie, Comparing partitions (1985), for the adjusted Rand index; Rosenberg and
        Hirschberg, V-Measure: A conditional entropy-based external cluster evaluation measure
        (2007).

    >>> from ...statistics.arithmetic.contingency import contingency
    >>> table = contingency(["x", "x", "y", "y"], [0, 0, 1, 2])
    >>> counts = cell_counts(table, table.counts[np.newaxis])
    >>> [
    ...     agreement(ClusteringMeasure(name, name), counts)
    ...     for name in ("ari", "homogeneity", "purity")
    ... ]
    [[0.5714285714285714], [1.0], [1.0]]
    """
    match measure.kind:
        case "ari":
            # Of P pairs of rows, let A have the same true label, B the same cluster, and S both.
            # The expected value of S is A * B / P, its maximum (A + B) / 2. The index is
            # (S - expected) / (maximum - expected); both terms times 2 P are integers, so only the
            # division rounds. Where it would be 0 / 0, as with a single label and a single cluster,
            # the index is 1.
            return [
                2 * (s * p - a * b) / ((a + b) * p - 2 * a * b) if (a + b) * p > 2 * a * b else 1.0
                for s, a, b, p in _pair_counts(counts)
            ]
        case "rand":
            return [(p - a - b + 2 * s) / p if p else 1.0 for s, a, b, p in _pair_counts(counts)]
        case "fowlkes_mallows":
            pairs = _pair_counts(counts)
            return [math.sqrt(s / a) * math.sqrt(s / b) if s else 0.0 for s, a, b, _ in pairs]
        case "pair_confusion":
            pairs = _pair_counts(counts)
            return [
                [[2 * (p - a - b + s), 2 * (b - s)], [2 * (a - s), 2 * s]] for s, a, b, p in pairs
            ]
        case "purity":
            purities = []  # the proportion of rows with the most frequent label of their cluster
            for cells, totals in zip(counts.cells, counts.column_totals, strict=True):
                largest = np.zeros(totals.size, np.int64)
                np.maximum.at(largest, counts.cell_columns, cells)
                purities.append(int(largest.sum()) / int(totals.sum()))
            return purities
    information, label_entropies, cluster_entropies = counts.information
    entropies = list(zip(label_entropies, cluster_entropies, strict=True))
    match measure.kind:
        case "homogeneity":
            return _information_ratios(information, label_entropies)
        case "completeness":
            return _information_ratios(information, cluster_entropies)
        case "ami":
            return _adjusted_information(measure.average, counts, information, entropies)
    if measure.beta != 1:
        # (1 + beta) h c / (beta h + c), where homogeneity h is I / H and completeness c is I / K
        share = measure.beta / (1 + measure.beta)
        weighted = [h + (k - h) * share for h, k in entropies]
        return _information_ratios(information, weighted)
    # NMI is the information divided by the mean entropy. V-measure is the harmonic mean of
    # homogeneity I / H and completeness I / K, which is equal: 2 / (H / I + K / I) = 2 I / (H + K).
    return _normalized(measure.average, information, entropies)


def _normalized(
    average: str, information: Sequence[float], entropies: Sequence[tuple[float, float]]
) -> list[float]:
    """Information over an average of both entropies; 1 if both are 0, 0 without information."""
    ratios = _information_ratios(information, [_average(average, *pair) for pair in entropies])
    return [
        ratio if value or not any(pair) else 0.0
        for ratio, value, pair in zip(ratios, information, entropies, strict=True)
    ]


def _average(average: str, first: float, second: float) -> float:
    match average:
        case "arithmetic":
            return (first + second) / 2
        case "geometric":
            return math.sqrt(first * second)
        case "min":
            return min(first, second)
        case _:
            return max(first, second)


_ROUNDING = 1e-12  # relative difference up to which entropies count as equal


def _adjusted_information(
    average: str,
    counts: CellCounts,
    information: Sequence[float],
    entropies: Sequence[tuple[float, float]],
) -> list[float]:
    """Return information above chance, divided by its maximum; 0 is chance level.

    As in scikit-learn, a single label and a single cluster agree; a single one and several have
    nothing in common.

    Source:
        Vinh, Epps and Bailey, Information theoretic measures for clusterings comparison (2010).
    """
    values = []
    tables = zip(counts.row_totals, counts.column_totals, information, entropies, strict=True)
    for row_totals, column_totals, total, pair in tables:
        sizes = [int(np.count_nonzero(totals)) for totals in (row_totals, column_totals)]
        if 1 in sizes:
            values.append(float(sizes == [1, 1]))
            continue
        rows = int(row_totals.sum())
        expected = expected_information(row_totals, column_totals)
        average_entropy = _average(average, *pair) / rows
        maximum = average_entropy - expected
        # If clusters are single rows on both sides, agreement by chance is already perfect.
        is_certain = maximum <= _ROUNDING * average_entropy
        values.append(1.0 if is_certain else (total / rows - expected) / maximum)
    return values


def _pair_counts(counts: CellCounts) -> list[tuple[int, int, int, int]]:
    """Return the pairs of rows with equal label and cluster, equal label, equal cluster.

    And all pairs.

    >>> from ...statistics.arithmetic.contingency import contingency
    >>> table = contingency(["x", "x", "y", "y"], [0, 0, 1, 2])
    >>> _pair_counts(cell_counts(table, table.counts[np.newaxis]))
    [(1, 2, 1, 6)]
    """

    def pairs(totals: Integers) -> list[int]:
        return [int(products) // 2 for products in (totals * (totals - 1)).sum(axis=1)]

    rows = counts.row_totals.sum(axis=1).tolist()
    columns = map(pairs, (counts.cells, counts.row_totals, counts.column_totals))
    return [(*shared, n * (n - 1) // 2) for *shared, n in zip(*columns, rows, strict=True)]


def entropies_of_table(table: ContingencyTable) -> tuple[float, float]:
    """Return the entropy of labels and that of clusters, in nats.

    >>> from ...statistics.arithmetic.contingency import contingency
    >>> entropies_of_table(contingency(["x", "x"], [0, 0]))
    (0.0, 0.0)
    """
    counts = cell_counts(table, table.counts[np.newaxis])
    rows = float(table.counts.sum())
    _, (labels,), (clusters,) = counts.information
    return labels / rows, clusters / rows


def _entropies(totals: Integers, rows: Integers) -> list[float]:
    """Return the entropy of each row of totals, in nats times rows."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return _sums(np.where(totals > 0, totals * np.log(rows / totals), 0.0))


def _sums(terms: Floats) -> list[float]:
    """Return the sum of each row of terms, at least 0."""
    return [max(math.fsum(row), 0.0) for row in terms.tolist()]


def _information_ratios(information: Sequence[float], entropies: Sequence[float]) -> list[float]:
    """Information over entropy, at most 1; 1 if the entropy is 0, since nothing is uncertain."""
    return [
        min(value / entropy, 1.0) if entropy else 1.0
        for value, entropy in zip(information, entropies, strict=True)
    ]


def expected_information(row_totals: Integers, column_totals: Integers) -> float:
    """Return the mean mutual information over all partitions with these cluster sizes, in nats.

    The number of rows in both a label of a rows and a cluster of b rows is hypergeometric. Pairs of
    equal sizes have equal terms, which are computed once.

    Source:
        Vinh, Epps and Bailey, Information theoretic measures for clusterings comparison (2010).

    >>> round(expected_information(np.array([2, 2]), np.array([2, 2])), 4)
    0.231
    """
    from scipy.special import gammaln

    rows = int(row_totals.sum())
    factorials = gammaln(np.arange(rows + 1) + 1.0)
    row_sizes, row_counts = np.unique(row_totals[row_totals > 0], return_counts=True)
    column_sizes, column_counts = np.unique(column_totals[column_totals > 0], return_counts=True)
    terms = []
    for a, row_count in zip(row_sizes.tolist(), row_counts.tolist(), strict=True):
        for b, column_count in zip(column_sizes.tolist(), column_counts.tolist(), strict=True):
            shared = np.arange(max(1, a + b - rows), min(a, b) + 1)
            margins = factorials[[a, b, rows - a, rows - b]].sum() - factorials[rows]
            logarithms = margins - (
                factorials[shared]
                + factorials[a - shared]
                + factorials[b - shared]
                + factorials[rows - a - b + shared]
            )
            information = shared / rows * np.log(rows * shared / (a * b))
            mean = float((information * np.exp(logarithms)).sum())
            terms.append(row_count * column_count * mean)
    return math.fsum(terms)


_INFORMATION = ("nmi", "ami", "v_measure", "homogeneity", "completeness")
_MOST = 32  # labels, and clusters, that an unseen row may have


def agreement_intervals(
    table: ContingencyTable,
    measures: Sequence[ClusteringMeasure],
    scores: Mapping[str, float],
    uncertainty: Uncertainty,
) -> dict[str, Interval]:
    """Return the interval of each measure, with the same weights for all.

    Args:
        table: the table of true labels and clusters.
        measures: the measures.
        scores: their values.
        uncertainty: the level and the method.
    """
    # If all rows have the same label, or cluster, an unseen one may have another.
    width = max(len(table.column_labels), 2)
    sides = (
        (table.rows, max(len(table.row_labels), 2)),
        (table.columns, width),
    )
    rows, columns = (_nominees(np.bincount(side, table.counts, size)) for side, size in sides)
    candidates = (rows[:, np.newaxis] * width + columns).ravel()
    observed = table.rows.astype(np.int64) * width + table.columns
    order = np.lexsort((observed, table.counts))
    cells = np.append(observed[order], np.setdiff1d(candidates, observed))
    labels_of_cells, clusters_of_cells = np.divmod(cells, width)
    units = RowUnits(np.append(table.counts[order], np.zeros(cells.size - order.size, np.int64)))
    places = np.argsort(cells)
    chance = 0.0
    if any(measure.kind == "ami" for measure in measures):
        counts = cell_counts(table, table.counts[np.newaxis])
        chance = expected_information(counts.row_totals[0], counts.column_totals[0])
    by_name = {measure.name: measure for measure in measures}

    def measured(sums: Floats, names: Collection[str]) -> dict[str, Floats]:
        shares = sums / sums.sum(axis=0)
        labels, clusters = (
            _by_code(np.add, shares, of) for of in (labels_of_cells, clusters_of_cells)
        )
        purity = _by_code(np.maximum, shares, clusters_of_cells).sum(axis=0)
        return {
            name: purity
            if by_name[name].kind == "purity"
            else _limit(by_name[name], shares, labels, clusters, chance)
            for name in names
        }

    names = list(by_name)
    unseen = np.zeros((candidates.size, cells.size))
    unseen[np.arange(candidates.size), places[cells[places].searchsorted(candidates)]] = 1.0
    with np.errstate(all="ignore"):
        trials = measured(units.total()[:, np.newaxis] + unseen.T, names)
    drawn_scores = {
        name: DrawnScore(
            float(scores[name]),
            *extremes(trials[name], unseen),
            ({"ami": -1.0, "ari": -0.5}.get(measure.kind, 0.0), 1.0),
            biased=True,
            excess=_excess(measure, table),
        )
        for name, measure in by_name.items()
    }
    return unit_intervals(units, drawn_scores, measured, uncertainty)


def _nominees(sizes: NDArray[Any]) -> Integers:
    """Return the labels that an unseen row may have: the rarest and the most frequent ones."""
    order = np.argsort(sizes, kind="stable")
    return np.sort(order if order.size <= _MOST else np.append(order[: _MOST - 8], order[-8:]))


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


def _limit(
    measure: ClusteringMeasure, cells: Floats, labels: Floats, clusters: Floats, chance: float
) -> Floats:
    """Return the measure in each draw: the limit of `agreement` for many rows.

    Args:
        measure: the measure.
        cells: the shares of pairs of a label and a cluster, shape (pairs, draws).
        labels: the shares of labels.
        clusters: the shares of clusters.
        chance: for "ami", the information expected by chance, in nats.
    """
    if measure.kind in ("ari", "rand", "fowlkes_mallows"):
        same_both, same_label, same_cluster = (
            np.square(shares).sum(axis=0) for shares in (cells, labels, clusters)
        )
        if measure.kind == "rand":
            return np.asarray(1 - same_label - same_cluster + 2 * same_both)
        if measure.kind == "fowlkes_mallows":
            return np.asarray(same_both / np.sqrt(same_label * same_cluster))
        expected, maximum = same_label * same_cluster, (same_label + same_cluster) / 2
        return np.where(maximum > expected, (same_both - expected) / (maximum - expected), 1.0)
    joint, of_labels, of_clusters = (
        -np.where(shares > 0, shares * np.log(shares), 0.0).sum(axis=0)
        for shares in (cells, labels, clusters)
    )
    information = np.maximum(of_labels + of_clusters - joint, 0.0)
    if measure.kind == "homogeneity":
        entropy = of_labels
    elif measure.kind == "completeness":
        entropy = of_clusters
    elif measure.beta != 1:
        entropy = (measure.beta * of_clusters + of_labels) / (1 + measure.beta)
    elif measure.average == "arithmetic":
        entropy = (of_labels + of_clusters) / 2
    elif measure.average == "geometric":
        entropy = np.sqrt(of_labels * of_clusters)
    else:
        entropy = (np.minimum if measure.average == "min" else np.maximum)(of_labels, of_clusters)
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
