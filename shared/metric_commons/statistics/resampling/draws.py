"""Resampled and weighted rows, from streams of random numbers that all versions of numpy share.

These are the raw words of PCG64, and the distributions of `RandomState`.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

import numpy as np

from ..arguments.arrays import Floats, Integers
from .progress import report

Key = TypeVar("Key", bound=Hashable)

_HALF_WORDS = 2**20  # rows up to which half a word is drawn
_AT_ONCE = 1 << 18  # counts, or rows, of a block of resamples
_WEIGHTS_AT_ONCE = 1 << 19  # weights of a block
_FEWEST, _MOST = 32, 1 << 12  # draws of a block of weights
_REPEATED = 8  # rows of a kind on average, from which counts are drawn instead of rows


class WeightedTotals(NamedTuple):
    """The sums of units with random weights, and the weight of an unseen unit."""

    totals: Floats  # shape (size, draws)
    unseen: Floats  # shape (draws,)


def random_rows(words: "np.random.PCG64", rows: int, size: int) -> Integers:
    """Random row numbers: the whole part of `rows` times a random binary fraction.

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

    Source:
        Rubin, The Bayesian bootstrap (1981).

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
