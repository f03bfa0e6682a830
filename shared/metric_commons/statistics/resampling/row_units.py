"""Units of rows that are weighted at random or drawn: equal rows, or equal clusters of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Floats, Integers
from .draws import WeightedTotals, resampled_counts, weighted_totals


@dataclass(frozen=True)
class RowUnits:
    """Kinds of equal units, in an order that does not depend on that of rows.

    >>> units = RowUnits.of_rows(np.array([[1, 0], [0, 1], [1, 0]]), np.array([0, 0, 1]))
    >>> units.counts.tolist(), units.amounts.tolist(), units.total().tolist(), units.n_clusters
    ([1, 1], [[1.0, 0.0], [1.0, 1.0]], [2.0, 1.0], 2)
    """

    counts: Integers  # of units of each kind
    amounts: Floats | None = None  # that a unit adds to each sum, (kinds, sums); None: to its own
    n_clusters: int | None = None  # None if the units are rows
    unobserved: int = 0  # further sums, to which only an unseen unit adds

    @classmethod
    def of_rows(cls, rows: NDArray[np.generic], clusters: Integers | None = None) -> Self:
        """Return the units of rows, or of clusters of them.

        Args:
            rows: what each row adds to the sums, shape (rows, sums).
            clusters: the number of the cluster of each row, from 0 on; None for independent rows.
        """
        units = cluster_values(rows, clusters)
        kinds, counts = np.unique(units + 0.0, axis=0, return_counts=True)
        return cls(counts, kinds, None if clusters is None else len(units))

    def __len__(self) -> int:
        return int(self.counts.sum())

    def of_kinds(self) -> Floats:
        """Return what a unit of each kind adds to the sums, shape (kinds, sums)."""
        if self.amounts is not None:
            return self.amounts
        return np.eye(self.counts.size, self.counts.size + self.unobserved)

    def total(self) -> Floats:
        """Return the sums of all units."""
        return self._sums(self.counts[:, np.newaxis].astype(np.float64))[:, 0]

    def weighted(self, *, n_resamples: int, seed: int) -> Iterator[WeightedTotals]:
        """Yield blocks of sums with random weights, and of weights of an unseen unit."""
        for weights, unseen in weighted_totals(self.counts, n_resamples=n_resamples, seed=seed):
            yield WeightedTotals(self._sums(weights), unseen)

    def resampled(self, *, n_resamples: int, seed: int) -> Iterator[Floats]:
        """Yield blocks of sums of resamples, shape (sums, resamples), without rounding errors."""
        whole, exponents = self.amounts, np.zeros(0, np.int64)
        if whole is not None:
            whole, exponents = in_whole_units(whole, len(self))
        for counts in resampled_counts(self.counts, n_resamples=n_resamples, seed=seed):
            weights = counts.T.astype(np.float64)
            if whole is None:
                yield self._sums(weights)
            else:
                yield np.ldexp(whole.T @ weights, exponents[:, np.newaxis])

    def _sums(self, weights: Floats) -> Floats:
        if self.amounts is not None:
            return self.amounts.T @ weights
        return np.concatenate([weights, np.zeros((self.unobserved, weights.shape[1]))])


def cluster_values(values: NDArray[np.generic], clusters: Integers | None) -> Floats:
    """Return the sums of each cluster, shape (clusters, columns); without clusters the rows."""
    floats = values.astype(np.float64)
    if clusters is None:
        return floats
    # Sorted rows, so that sums of floats do not depend on the order of rows.
    order = np.lexsort((*floats.T, clusters))
    totals = np.zeros((int(clusters.max(initial=-1)) + 1, floats.shape[1]))
    np.add.at(totals, clusters[order], floats[order])
    return totals


def in_whole_units(values: Floats, draws: int, *, pairs: bool = False) -> tuple[Floats, Integers]:
    """Values as whole numbers of units that are powers of two, and the exponents of the units.

    The sum of so many rows has at most 52 bits, so products of matrices are exact. With `pairs` the
    columns are those of two systems, with the same units for both.
    """
    largest = draws * np.abs(values).max(axis=0, initial=0)
    if pairs:
        largest = np.tile(2 * largest.reshape(2, -1).max(axis=0), 2)
    _, exponents = np.frexp(largest)
    units: Floats = np.rint(np.ldexp(values, 51 - exponents))
    return units, exponents.astype(np.int64) - 51
