"""Sums of resampled rows or clusters, exact for any order of additions.

Each column is counted in units such that a sum is a whole number of up to 52 bits, so products of
matrices are exact.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Floats, Integers
from .draws import RandomWords, random_rows
from .progress import report
from .resampled_totals import resampled_totals

_DRAWS = 1 << 22  # of a block of resamples
_BLOCK = 1 << 12  # resamples that become scores at a time
_REPEATED = 16  # rows of a kind, from which its count is drawn instead of the rows


def resampled_sums(
    values: NDArray[Any], clusters: Integers | None = None, *, n_resamples: int, seed: int
) -> Iterator[Floats]:
    """Yield the sums of the rows of each resample.

    Rows are sorted first, so the result does not depend on their order.

    Args:
        values: finite, shape (rows, columns).
        clusters: the number of the cluster of each row, from 0 on, if clusters are resampled.
        n_resamples: the number of resamples, each with the original number of rows, or clusters.
        seed: for the random numbers.

    Yields:
        Blocks of resamples, shape (resamples, columns).

    >>> (sums,) = resampled_sums(np.array([[0, 1], [1, 1]]), n_resamples=3, seed=0)
    >>> sums[:, 1].tolist()
    [2.0, 2.0, 2.0]
    """
    row_units, exponents = in_whole_units(values, clusters)
    units = cluster_totals(row_units, clusters)
    kinds, occurrences = np.unique(units, axis=0, return_counts=True)
    if len(units) >= _REPEATED * len(kinds):
        cells = np.broadcast_to(np.arange(kinds.shape[1]), kinds.shape)
        totals = resampled_totals(
            occurrences, cells, kinds.shape[1], amounts=kinds, n_resamples=n_resamples, seed=seed
        )
        blocks: Iterable[Floats] = (
            columns[:, start : start + _BLOCK].T
            for columns in totals
            for start in range(0, columns.shape[1], _BLOCK)
        )
    else:
        blocks = _drawn_sums(kinds, occurrences, n_resamples=n_resamples, seed=seed)
    for sums in blocks:
        yield np.ldexp(sums, exponents)


def in_whole_units(
    values: NDArray[Any], clusters: Integers | None, *, pairs: bool = False
) -> tuple[Floats, Integers]:
    """Values as whole numbers of units that are powers of two, and the exponents of the units.

    The sum of all rows, or clusters, has at most 52 bits. With `pairs` the
    columns are those of two systems, with the same units for both.
    """
    floats = values.astype(np.float64)
    totals = cluster_totals(floats, clusters)
    largest = len(totals) * np.abs(totals).max(axis=0, initial=0)
    if pairs:
        largest = np.tile(2 * largest.reshape(2, -1).max(axis=0), 2)
    _, exponents = np.frexp(largest)
    units: Floats = np.rint(np.ldexp(floats, 51 - exponents))
    return units, exponents.astype(np.int64) - 51


def cluster_totals(values: Floats, clusters: Integers | None) -> Floats:
    """Return the sums of clusters, shape (clusters, columns).

    Without clusters the rows themselves.
    """
    if clusters is None:
        return values
    totals = np.zeros((int(clusters.max(initial=-1)) + 1, values.shape[1]))
    np.add.at(totals, clusters, values)
    return totals


def _drawn_sums(
    units: Floats, occurrences: Integers, *, n_resamples: int, seed: int
) -> Iterator[Floats]:
    """Yield the same in units, row by row: the number of draws of each kind, times its values."""
    words = RandomWords(seed)
    kinds, rows = len(units), int(occurrences.sum())
    kind_of_row = np.repeat(np.arange(kinds), occurrences)
    at_once = max(1, _DRAWS // rows)
    for start in range(0, n_resamples, at_once):
        report(start / n_resamples)
        resamples = min(at_once, n_resamples - start)
        cells = kind_of_row.take(random_rows(words, rows, resamples * rows))
        cells += np.repeat(np.arange(resamples) * kinds, rows)
        counts = np.bincount(cells, minlength=resamples * kinds).reshape(resamples, kinds)
        yield counts.astype(np.float64) @ units
