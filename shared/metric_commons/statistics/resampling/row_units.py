"""Units of rows that are drawn or weighted at random: equal rows, or equal clusters of them.

A resample draws the original number of units with replacement; its sums depend only on how often
each distinct unit was drawn, so units are kinds with counts, in an order of their own.

Random numbers are from streams that all versions of numpy share: the raw words of PCG64, and the
distributions of `RandomState`.

Source:
    Efron and Tibshirani, An Introduction to the Bootstrap (1993), section 13.3. Rubin, The Bayesian
    bootstrap (1981).
"""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Floats, Integers
from ..arithmetic.exact_sums import group_sums

Key = TypeVar("Key", bound=Hashable)

_HALF_WORDS = 2**20  # rows up to which half a word is drawn
_AT_ONCE = 1 << 18  # counts, or rows, of a block of resamples
_WEIGHTS_AT_ONCE = 1 << 19  # weights of a block
_FEWEST, _MOST = 32, 1 << 12  # draws of a block of weights
_SORTED = 1 << 16  # units of several sums up to which equal ones are joined
_REPEATED = 8  # rows of a kind on average, from which counts are drawn instead of rows


class WeightedTotals(NamedTuple):
    """The sums of units with random weights, and the weight of an unseen unit."""

    totals: Floats  # shape (sums, draws)
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
        number = None if clusters is None else len(units)
        if len(units) > _SORTED and units.shape[1] > 1:  # few are equal, and all take long to sort
            return cls(np.ones(len(units), np.int64), units, number)
        ordered = units[np.lexsort(units.T[::-1])]
        ordered += 0.0  # instead of -0.0
        is_new = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
        counts = np.diff(np.flatnonzero(is_new), append=len(units))
        return cls(counts, ordered[is_new], number)

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
        """Yield blocks of sums with random weights, and of weights of an unseen unit.

        A unit that occurs once weighs a standard exponential number, m equal ones together a
        Gamma(m) number, so a kind costs the same however many units it counts.
        """
        chance = np.random.RandomState(np.random.PCG64(seed))
        shapes = np.append(self.counts, 1.0)[:, np.newaxis]
        at_once = min(_MOST, max(_FEWEST, _WEIGHTS_AT_ONCE // shapes.size))
        for start in range(0, n_resamples, at_once):
            draws = min(at_once, n_resamples - start)
            weights = chance.standard_gamma(shapes, (shapes.size, draws))
            yield WeightedTotals(self._sums(weights[:-1]), weights[-1])

    def resampled(
        self,
        measure: Callable[[Floats, Collection[Key]], Mapping[Key, Floats]],
        keys: Collection[Key],
        *,
        n_resamples: int,
        seed: int,
    ) -> dict[Key, Floats]:
        """Return the scores of resamples of units, shape (resamples,).

        Args:
            measure: from sums, shape (sums, resamples), and the keys to the scores.
            keys: those of the scores.
            n_resamples: the number of resamples.
            seed: for the random numbers.
        """
        found = {key: np.empty(n_resamples) for key in keys}
        stop = 0
        with np.errstate(all="ignore"):
            for counts in resampled_counts(self.counts, n_resamples=n_resamples, seed=seed):
                start, stop = stop, stop + len(counts)
                scores = measure(self._sums(counts.T.astype(np.float64)), keys)
                for key, values in found.items():
                    values[start:stop] = scores[key]
        return found

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
    floats = values.astype(np.float64, copy=False)
    if clusters is None:
        return floats
    number = int(clusters.max(initial=-1)) + 1
    return np.stack([group_sums(column, clusters, number) for column in floats.T], axis=1)


def percentile_ends(values: Floats, confidence_level: float) -> tuple[float, float]:
    """Return the ends of the percentile interval of resampled values; NaN values are left out.

    They are the quantiles of `numpy.quantile`, but infinite between two infinite values; NaN
    without any value.

    >>> percentile_ends(np.array([3.0, 1.0, np.nan, 2.0]), 0.5)
    (1.5, 2.5)
    """
    defined = values[~np.isnan(values)]
    if not defined.size:
        return np.nan, np.nan
    levels = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    with np.errstate(invalid="ignore"):  # between two infinite values
        ends = np.quantile(defined, levels, overwrite_input=True)
    if np.isnan(ends).any():
        ends = np.quantile(defined, levels, method="higher")
    low, high = ends.tolist()
    return low, high
