"""Units of rows that are drawn or weighted at random: equal rows, or equal clusters of them.

A resample draws the original number of units with replacement; its sums depend only on how often
each distinct unit was drawn, so units are kinds with counts. Results are the same for any order of
rows and number of threads, since every sum is exact.

Random numbers are from streams that all versions of numpy share: the raw words of PCG64, and the
distributions of `RandomState`.

Source:
    Efron and Tibshirani, An Introduction to the Bootstrap (1993), section 13.3. Rubin, The Bayesian
    bootstrap (1981).
"""

import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Floats, Integers
from .progress import report

Key = TypeVar("Key", bound=Hashable)

_HALF_WORDS = 2**20  # rows up to which half a word is drawn
_AT_ONCE = 1 << 18  # counts, or rows, of a block of resamples
_WEIGHTS_AT_ONCE = 1 << 19  # weights of a block
_FEWEST, _MOST = 32, 1 << 12  # draws of a block of weights
_REPEATED = 8  # rows of a kind on average, from which counts are drawn instead of rows
_UNDEFINED = np.full(2, math.nan)


class WeightedTotals(NamedTuple):
    """The sums of units with random weights, and the weight of an unseen unit."""

    totals: Floats  # shape (size, draws)
    unseen: Floats  # shape (draws,)


def random_rows(words: "np.random.PCG64", rows: int, size: int) -> Integers:
    """Return random row numbers: the whole part of `rows` times a random binary fraction.

    Up to 2**20 rows the fraction has 32 bits, half a word, the lower half first. This moves the
    probability of a row by less than 2**-32, or 1 part in 4096. For more rows it has 64 bits.
    """
    factor, half = np.uint64(rows), np.uint64(32)
    if rows <= _HALF_WORDS:
        raw = words.random_raw((size + 1) // 2).astype("<u8", copy=False)
        row = raw.view("<u4")[:size].astype(np.uint64)
        row *= factor
        row >>= half
    else:
        # The upper half of a product of 128 bits; `rows` has 32 bits, so no part overflows.
        raw = words.random_raw(size)
        row = (raw & np.uint64(2**32 - 1)) * factor >> half
        row += (raw >> half) * factor
        row >>= half
    return row.view(np.int64)


def resampled_counts(occurrences: Integers, *, n_resamples: int, seed: int) -> Iterator[Integers]:
    """Yield how often each kind of row is drawn, for blocks of resamples, (resamples, kinds).

    A resample draws the original number of rows with replacement.

    Args:
        occurrences: the number of rows of each kind, in an order that does not depend on rows.
        n_resamples: the number of resamples.
        seed: for the random numbers.

    >>> (counts,) = resampled_counts(np.array([600, 400]), n_resamples=3, seed=0)
    >>> counts.sum(axis=1).tolist()
    [1000, 1000, 1000]
    """
    words = np.random.PCG64(seed)
    kinds, rows = occurrences.size, int(occurrences.sum())
    by_kind = rows >= _REPEATED * kinds
    chance = np.random.RandomState(words)
    kind_of_row = np.repeat(np.arange(kinds), 0 if by_kind else occurrences)
    at_once = max(1, _AT_ONCE // max(kinds if by_kind else rows, 1))
    for start in range(0, n_resamples, at_once):
        report(start / n_resamples)
        resamples = min(at_once, n_resamples - start)
        if by_kind:
            counts = chance.multinomial(rows, occurrences / max(rows, 1), resamples)
            yield counts.astype(np.int64, copy=False)
            continue
        cells = kind_of_row.take(random_rows(words, rows, resamples * rows))
        cells.reshape(resamples, rows)[...] += np.arange(resamples)[:, np.newaxis] * kinds
        counts = np.bincount(cells, minlength=resamples * kinds)
        del cells  # a block of many rows is large: not two at a time
        yield counts.reshape(resamples, kinds)


def weighted_totals(counts: Integers, *, n_resamples: int, seed: int) -> Iterator[WeightedTotals]:
    """Yield random weights of the Bayesian bootstrap, a block of draws at a time.

    A unit that occurs once weighs a standard exponential number, m equal ones together a Gamma(m)
    number, so a cell of a table costs the same however many rows it counts.

    Args:
        counts: the number of units of each kind, shape (kinds,); kinds are sorted, so that the
            order of rows does not matter.
        n_resamples: the number of draws.
        seed: for the random numbers.

    >>> (block,) = weighted_totals(np.array([2, 1]), n_resamples=3, seed=0)
    >>> block.totals.shape, block.unseen.shape
    ((2, 3), (3,))
    """
    chance = np.random.RandomState(np.random.PCG64(seed))
    shapes = np.append(counts, 1.0)[:, np.newaxis]
    at_once = min(_MOST, max(_FEWEST, _WEIGHTS_AT_ONCE // shapes.size))
    for start in range(0, n_resamples, at_once):
        report(start / n_resamples)
        draws = min(at_once, n_resamples - start)
        weights = chance.standard_gamma(shapes, (shapes.size, draws))
        yield WeightedTotals(weights[:-1], weights[-1])


def gathered(
    blocks: Iterable[Mapping[Key, Floats]], n_resamples: int, keys: Collection[Key] | None = None
) -> dict[Key, Floats]:
    """Return the scores of all blocks of resamples, which are on the last axis.

    Or those of some keys.

    >>> gathered([{"a": np.array([1.0, 2.0])}, {"a": np.array([3.0])}], 3)["a"].tolist()
    [1.0, 2.0, 3.0]
    """
    columns: dict[Key, Floats] = {}
    start = stop = 0
    for block in blocks:
        for key in block if keys is None else keys:
            values = block[key]
            stop = start + values.shape[-1]
            if key not in columns:
                columns[key] = np.empty((*values.shape[:-1], n_resamples))
            columns[key][..., start:stop] = values
        start = stop
    return columns


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
            members = [np.flatnonzero(column) for column in self.amounts.T]
            if 10 * sum(map(len, members)) > self.amounts.size:
                return self.amounts.T @ weights
            # Cells of many labels add to few sums each: ten times as fast.
            columns = zip(self.amounts.T, members, strict=True)
            return np.array([column[kinds] @ weights[kinds] for column, kinds in columns])
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


def percentile_ends(values: Floats, confidence_level: float) -> Floats:
    """Return the ends of the percentile interval of resampled values; NaN values are left out.

    Beyond the values this takes 9 bytes a resample.

    Args:
        values: shape (resamples,), or (resamples, columns) for an interval of each column.
        confidence_level: strictly between 0 and 1.

    Returns:
        The quantiles (1 - confidence_level) / 2 and (1 + confidence_level) / 2 as in
        `numpy.quantile`, shape (2,) or (columns, 2), but infinite between two infinite values;
        NaN for a column that has only NaN.

    >>> percentile_ends(np.array([3.0, 1.0, math.nan, 2.0]), 0.5).tolist()
    [1.5, 2.5]
    """
    levels = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    columns = values.reshape(len(values), -1).T
    return np.array([_ends(column, levels) for column in columns]).reshape(*values.shape[1:], 2)


def _ends(values: Floats, levels: Sequence[float]) -> Floats:
    """Return the quantiles of the values that are not NaN."""
    defined = values[~np.isnan(values)]
    if not defined.size:
        return _UNDEFINED
    with np.errstate(invalid="ignore"):  # between two infinite values
        ends = np.quantile(defined, levels, overwrite_input=True)
    if np.isnan(ends).any():
        ends = np.where(np.isnan(ends), np.quantile(defined, levels, method="higher"), ends)
    return ends


def deviation(values: Floats) -> float:
    """Return the standard deviation; NaN for less than two values. Overwrites the values.

    The result equals `np.std(values, ddof=1)`, without further arrays.

    >>> bool(deviation(np.array([1.0, 2.0, 4.0])) == np.std([1.0, 2.0, 4.0], ddof=1))
    True
    """
    if values.size < 2:
        return math.nan
    with np.errstate(invalid="ignore"):  # the deviation of infinite values is NaN
        values -= values.mean()
        np.multiply(values, values, out=values)
    return math.sqrt(float(values.sum()) / (values.size - 1))
