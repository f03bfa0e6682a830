"""Agreement of clusters with true labels: pairs of rows, mutual information, and purity.

Intervals are by random weights with an unseen row. It falls into the pair of a label and a cluster
that lowers, or raises, a measure most. The agreement of a sample is biased upwards, so the interval
is widened by the bias of draws, and for measures of information also by the largest bias due to
chance, (K - 1) (L - 1) / (2 n) nats for K labels and L clusters of n rows.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arithmetic.contingency import ContingencyTable
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.weighted_units import (
    DrawnScore,
    unit_intervals,
)
from ...statistics.resampling.row_units import RowUnits
from .partition_names import ClusteringMeasure

_ROUNDING = 1e-12  # relative difference up to which entropies count as equal
_AVERAGES: dict[str, Any] = {
    "arithmetic": lambda first, second: (first + second) / 2,
    "geometric": lambda first, second: np.sqrt(first * second),
    "min": np.minimum,
    "max": np.maximum,
}


def agreement(measure: ClusteringMeasure, table: ContingencyTable) -> Any:
    """Return the value of the measure.

    Source:
        Hubert and Arabie, Comparing partitions (1985), for the adjusted Rand index; Rosenberg and
        Hirschberg, V-Measure: A conditional entropy-based external cluster evaluation measure
        (2007).

    >>> from ...statistics.arithmetic.contingency import contingency
    >>> table = contingency(["x", "x", "y", "y"], [0, 0, 1, 2])
    >>> [agreement(ClusteringMeasure(n, n), table) for n in ("ari", "homogeneity", "purity")]
    [0.5714285714285714, 1.0, 1.0]
    """
    if measure.kind == "purity":  # the proportion of rows with the commonest label of their cluster
        largest = np.zeros(len(table.column_labels), np.int64)
        np.maximum.at(largest, table.columns, table.counts)
        return int(largest.sum()) / table.total
    # Of p pairs of rows, let a have the same true label, b the same cluster, and s both.
    columns = (table.counts, table.row_totals, table.column_totals, np.array([table.total]))
    s, a, b, p = (int((totals * (totals - 1)).sum()) // 2 for totals in columns)
    match measure.kind:
        case "ari":
            # The expected value of s is a * b / p, its maximum (a + b) / 2. The index is
            # (s - expected) / (maximum - expected); both terms times 2 p are integers, so only the
            # division rounds. Where it would be 0 / 0, as with a single label and a single cluster,
            # the index is 1.
            room = (a + b) * p - 2 * a * b
            return 2 * (s * p - a * b) / room if room > 0 else 1.0
        case "rand":
            return (p - a - b + 2 * s) / p if p else 1.0
        case "fowlkes_mallows":
            return math.sqrt(s / a) * math.sqrt(s / b) if s else 0.0
        case "pair_confusion":
            return [[2 * (p - a - b + s), 2 * (b - s)], [2 * (a - s), 2 * s]]
    information, h, k = information_of(table)
    match measure.kind:
        case "homogeneity":
            return _share(information, h)
        case "completeness":
            return _share(information, k)
        case "ami":
            return _adjusted_information(measure.average, table, information, h, k)
    if measure.beta != 1:
        # (1 + beta) h c / (beta h + c), where homogeneity h is I / H and completeness c is I / K
        return _share(information, h + (k - h) * (measure.beta / (1 + measure.beta)))
    # NMI is the information divided by the mean entropy. V-measure is the harmonic mean of
    # homogeneity I / H and completeness I / K, which is equal: 2 / (H / I + K / I) = 2 I / (H + K).
    if not information and (h or k):
        return 0.0
    return _share(information, float(_AVERAGES[measure.average](h, k)))


def _share(information: float, entropy: float) -> float:
    """Information over entropy, at most 1; 1 if the entropy is 0, since nothing is uncertain."""
    return min(information / entropy, 1.0) if entropy else 1.0


def information_of(table: ContingencyTable) -> tuple[float, float, float]:
    """Return mutual information, and the entropies of labels and clusters, in nats times rows.

    >>> from ...statistics.arithmetic.contingency import contingency
    >>> information_of(contingency(["x", "x"], [0, 0]))
    (0.0, 0.0, 0.0)
    """
    cells, sides = table.counts, (table.row_totals, table.column_totals)
    expected = sides[0][table.rows] * sides[1][table.columns]
    # With log1p, a ratio of exactly 1 adds nothing, and ratios close to 1 keep their digits.
    information = _sum(cells * np.log1p((cells * table.total - expected) / expected))
    labels, clusters = (_sum(totals * np.log(table.total / totals)) for totals in sides)
    # Clusters of one label each tell all about labels, without a rounding error; likewise labels
    # about clusters.
    if sides[1].size == cells.size:
        information = labels
    if sides[0].size == cells.size:
        information = clusters
    return information, labels, clusters


def _sum(terms: Floats) -> float:
    return max(math.fsum(terms.tolist()), 0.0)


def _adjusted_information(
    average: str, table: ContingencyTable, information: float, h: float, k: float
) -> float:
    """Return information above chance, divided by its maximum; 0 is chance level.

    As in scikit-learn, a single label and a single cluster agree; a single one and several have
    nothing in common.

    Source:
        Vinh, Epps and Bailey, Information theoretic measures for clusterings comparison (2010).
    """
    sizes = [len(table.row_labels), len(table.column_labels)]
    if 1 in sizes:
        return float(sizes == [1, 1])
    expected = expected_information(table.row_totals, table.column_totals)
    average_entropy = float(_AVERAGES[average](h, k)) / table.total
    maximum = average_entropy - expected
    # If clusters are single rows on both sides, agreement by chance is already perfect.
    if maximum <= _ROUNDING * average_entropy:
        return 1.0
    return float((information / table.total - expected) / maximum)


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
    row_sizes, row_counts = np.unique(row_totals, return_counts=True)
    column_sizes, column_counts = np.unique(column_totals, return_counts=True)
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
    height, width = (max(len(of), 2) for of in (table.row_labels, table.column_labels))
    rows = _nominees(np.bincount(table.rows, table.counts, height))
    columns = _nominees(np.bincount(table.columns, table.counts, width))
    candidates = (rows[:, np.newaxis] * width + columns).ravel()
    observed = table.rows.astype(np.int64) * width + table.columns
    cells = np.union1d(observed, candidates)
    counts = np.zeros(cells.size, np.int64)
    counts[cells.searchsorted(observed)] = table.counts
    order = np.argsort(counts, kind="stable")
    cells, units = cells[order], RowUnits(counts[order])
    labels_of_cells, clusters_of_cells = np.divmod(cells, width)
    chance = 0.0
    if any(measure.kind == "ami" for measure in measures):
        chance = expected_information(table.row_totals, table.column_totals)
    by_name = {measure.name: measure for measure in measures}

    def measured(sums: Floats, names: Collection[str]) -> dict[str, Floats]:
        shares = sums / sums.sum(axis=0)
        labels = _by_code(np.add, shares, labels_of_cells)
        clusters = _by_code(np.add, shares, clusters_of_cells)
        values = {name: _limit(by_name[name], shares, labels, clusters, chance) for name in names}
        if "purity" in values:
            values["purity"] = _by_code(np.maximum, shares, clusters_of_cells).sum(axis=0)
        return values

    unseen = (candidates[:, np.newaxis] == cells).astype(np.float64)
    drawn_scores = {
        name: DrawnScore(
            float(scores[name]),
            unseen,
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
    _, labels, clusters = information_of(table)
    entropy = {"homogeneity": labels, "completeness": clusters}.get(
        measure.kind, (labels + clusters) / 2
    )
    cells = (len(table.row_labels) - 1) * (len(table.column_labels) - 1)
    return cells / 2 / entropy if entropy else 0.0


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
    else:
        entropy = _AVERAGES[measure.average](of_labels, of_clusters)
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
