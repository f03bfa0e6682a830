"""The sums of the rows of each resample of a multiset, a block of resamples at a time.

The counts of each kind of row are drawn kind by kind, for all resamples. Blocks use the same random
words as one block would: a first pass finds where the words of each kind begin. So results do not
depend on the size of blocks, and memory does not grow with the number of resamples.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Floats, Integers
from .draws import BLOCK, RandomWords, RowNumbers, binomial_numbers, poisson_numbers
from .progress import report

RESAMPLES = 1 << 16  # at a time
_CELLS = 1 << 22  # totals at a time: with many places, blocks have fewer resamples,
_FEWEST = 1 << 14  # but enough for the draws to cost more than the tables of distributions
_BINOMIAL_KINDS = 32  # kinds of rows, up to which each is drawn given the previous ones
_FAR = 1 << 64  # words: farther than any draws reach

Totals = NDArray[Any]


def resampled_totals(
    occurrences: Integers,
    cells: Integers,
    size: int,
    *,
    amounts: Totals | None = None,
    n_resamples: int,
    seed: int,
) -> Iterator[Totals]:
    """Return the sums of each resample of a multiset, in each of several places.

    A resample draws the original number of rows with replacement; the counts of each kind of row
    are multinomial. The cost grows with the number of kinds, but hardly with the number of rows.

    Args:
        occurrences: the number of rows of each kind, at least one, shape (kinds,).
        cells: the places where a row of each kind counts, shape (kinds, places of a row); less than
            `size`.
        size: the number of places.
        amounts: the amount that a row of each kind counts, shape (kinds, 1); or in each of its
            places, shape (kinds, places of a row). None for 1.
        n_resamples: the number of resamples.
        seed: for the random numbers.

    Yields:
        Blocks of resamples, shape (size, resamples), int64, or float64 with amounts. No block has a
        single resample, unless it is the only one.

    >>> (heads_and_tails,) = resampled_totals(
    ...     np.array([600, 400]), np.array([[0], [1]]), 2, n_resamples=3, seed=0
    ... )
    >>> heads_and_tails.sum(axis=0).tolist()
    [1000, 1000, 1000]
    """
    words = RandomWords(int(seed))
    plain = np.ones((len(occurrences), 1), np.int64)
    row_amounts = np.broadcast_to(plain if amounts is None else amounts, cells.shape)
    by_kinds = _totals_by_poisson if len(occurrences) > _BINOMIAL_KINDS else _totals_by_binomials
    blocks = by_kinds(words, occurrences, cells, row_amounts, size, int(n_resamples))
    return _without_single(blocks, int(n_resamples))


def resampled_sums_of_rows(
    rows: NDArray[Any], *, n_resamples: int, seed: int
) -> Iterator[NDArray[Any]]:
    """Return the sums of the columns in each resample of rows, independent of their order.

    Args:
        rows: the values that each row adds, shape (rows, columns).
        n_resamples: the number of resamples.
        seed: for the random numbers.

    Yields:
        Blocks of resamples, shape (columns, resamples), of the type of the rows.

    >>> (sums,) = resampled_sums_of_rows(np.array([[1, 10], [1, 10]]), n_resamples=2, seed=0)
    >>> sums.tolist()
    [[2, 2], [20, 20]]
    """
    kinds, occurrences = np.unique(rows, axis=0, return_counts=True)
    cells = np.broadcast_to(np.arange(kinds.shape[1]), kinds.shape)
    return resampled_totals(
        occurrences, cells, kinds.shape[1], amounts=kinds, n_resamples=n_resamples, seed=seed
    )


def gathered(
    blocks: Iterable[Mapping[str, Floats]], n_resamples: int, names: Sequence[str] | None = None
) -> dict[str, Floats]:
    """Return the scores of all blocks of resamples, which are on the last axis.

    Or those of some names.

    >>> gathered([{"a": np.array([1.0, 2.0])}, {"a": np.array([3.0])}], 3)["a"].tolist()
    [1.0, 2.0, 3.0]
    """
    columns: dict[str, Floats] = {}
    start = stop = 0
    for block in blocks:
        for name in block if names is None else names:
            values = block[name]
            stop = start + values.shape[-1]
            if name not in columns:
                columns[name] = np.empty((*values.shape[:-1], n_resamples))
            columns[name][..., start:stop] = values
        start = stop
    return columns


def poisson_totals(
    words: RandomWords,
    occurrences: Sequence[int],
    cells: Integers,
    amounts: Totals,
    size: int,
    n_resamples: int,
) -> Iterator[tuple[Totals, Integers]]:
    """Yield the sums of kinds of rows with Poisson counts, and the number of missing rows.

    Given their total, independent Poisson numbers are multinomial. Their means are below the
    occurrences, all by the same factor, so that the total exceeds the rows in less than 1 of 700
    resamples, which are dropped. The missing rows are to be drawn one by one.

    Yields:
        Blocks of resamples: totals, shape (size, resamples), and the number of missing rows.
    """
    rows = sum(occurrences)
    share = (rows - 3 * math.isqrt(rows)) / rows
    attempts = attempted(n_resamples)
    origin, remaining = words.position, n_resamples
    while remaining:
        for first in range(0, attempts, _at_once(size)):
            at_once = min(_at_once(size), attempts - first)
            totals = np.zeros((size, at_once), amounts.dtype)
            lacking = np.full(at_once, rows)
            kinds = zip(occurrences, cells.tolist(), amounts, strict=True)
            for kind, (number, row_cells, row) in enumerate(kinds):
                report((first + at_once * kind / len(cells)) / attempts)
                words.go_to(origin + kind * attempts + first)
                draw_counts = poisson_numbers(words, number * share, at_once)
                lacking -= draw_counts
                for cell, amount in zip(row_cells, row, strict=True):
                    totals[cell] += draw_counts * amount
            possible = np.flatnonzero(lacking >= 0)[:remaining]
            remaining -= possible.size
            yield totals[:, possible], lacking[possible]
            if not remaining:
                return
        origin += _FAR  # if there were too few attempts: with a probability of 1e-48 at most


def _at_once(size: int) -> int:
    """Return the number of resamples of a block, for a number of places."""
    return min(RESAMPLES, max(_FEWEST, _CELLS // max(size, 1)))


def attempted(n_resamples: int) -> int:
    """The number of resamples that `poisson_totals` draws, so that enough of them are valid."""
    return n_resamples + n_resamples // 64 + 16


def _without_single(blocks: Iterable[Totals], n_resamples: int) -> Iterator[Totals]:
    """Yield the blocks; a last one with a single resample takes another from the previous block.

    numpy adds the rows of a single column in a different order than those of several.
    """
    left, held_block = n_resamples, None
    for totals in blocks:
        block = totals if held_block is None else np.concatenate([held_block, totals], axis=1)
        left, held_block = left - totals.shape[1], None
        if left == 1:
            kept_resamples = block.shape[1] - 1 if block.shape[1] > 2 else 0
            block, held_block = block[:, :kept_resamples], block[:, kept_resamples:]
        if block.size:
            yield block


def _totals_by_binomials(
    words: RandomWords,
    occurrences: Integers,
    cells: Integers,
    amounts: Totals,
    size: int,
    n_resamples: int,
) -> Iterator[Totals]:
    """As `resampled_totals`, for few kinds: each by binomial numbers, given the previous ones."""
    # The words of a single block come one after another.
    positions: list[list[int] | None] = [None] * len(occurrences)
    if n_resamples > _at_once(size):
        positions[:] = _positions_of_words(words, occurrences, n_resamples)
    rows = int(occurrences.sum())
    for start in range(0, n_resamples, _at_once(size)):
        if start:
            report((1 + start / n_resamples) / 2)
        lacking = np.full(min(_at_once(size), n_resamples - start), rows)
        totals = np.zeros((size, lacking.size), amounts.dtype)
        left = rows
        kinds = zip(occurrences.tolist(), cells.tolist(), amounts, positions, strict=True)
        for number, row_cells, row, of_digits in kinds:
            left -= number
            draw_counts = lacking
            if left:
                draw_counts = binomial_numbers(words, of_digits, lacking, number, left)
            lacking = lacking - draw_counts
            for cell, amount in zip(row_cells, row, strict=True):
                totals[cell] += draw_counts * amount
        yield totals


def _positions_of_words(
    words: RandomWords, occurrences: Integers, n_resamples: int
) -> list[list[int]]:
    """The position of the words for each kind and each binary digit of the rows still missing.

    A resample uses a word for each digit that is 1, so they are known when all kinds before have
    been drawn for all resamples. This takes 4 bytes a resample, 8 of 2**32 rows and more.
    """
    left = int(occurrences.sum())
    lacking: Totals = np.full(n_resamples, left, np.uint32 if left < 2**32 else np.uint64)
    blocks = [slice(start, start + RESAMPLES) for start in range(0, n_resamples, RESAMPLES)]
    positions, position = [], words.position
    for kind, number in enumerate(occurrences.tolist()):
        report(kind / len(occurrences) / 2)
        left -= number
        of_digits = []
        for digit in range(int(lacking.max(initial=0)).bit_length() if left else 0):
            of_digits.append(position)
            position += sum(int(np.count_nonzero(lacking[block] >> digit & 1)) for block in blocks)
        positions.append(of_digits)
        if kind < len(occurrences) - 2:  # kinds after the next one need the missing rows
            moving = list(of_digits)
            for block in blocks:
                trials = lacking[block].astype(np.int64)
                lacking[block] -= binomial_numbers(words, moving, trials, number, left).astype(
                    lacking.dtype
                )
    return positions


def _totals_by_poisson(
    words: RandomWords,
    occurrences: Integers,
    cells: Integers,
    amounts: Totals,
    size: int,
    n_resamples: int,
) -> Iterator[Totals]:
    """As `resampled_totals`, for many kinds: by Poisson numbers, as in the bootstrap of a mean.

    The missing rows of a resample are drawn one by one.
    """
    origin = words.position
    rows_up_to = np.cumsum(occurrences)
    words.go_to(origin + len(occurrences) * attempted(n_resamples))
    numbers = RowNumbers(words, int(rows_up_to[-1]))
    words.go_to(origin)
    blocks = poisson_totals(words, occurrences.tolist(), cells, amounts, size, n_resamples)
    for totals, lacking in blocks:
        _add_rows(numbers, totals, lacking, rows_up_to, cells, amounts)
        yield totals


def _add_rows(
    numbers: RowNumbers,
    totals: Totals,
    draws: Integers,
    rows_up_to: Integers,
    cells: Integers,
    amounts: Totals,
) -> None:
    """Add this many rows to each resample, all equally likely."""
    ends = np.cumsum(draws)
    for start in range(0, int(ends[-1]) if ends.size else 0, BLOCK):
        stop = min(start + BLOCK, int(ends[-1]))
        kind = rows_up_to.searchsorted(numbers.next(stop - start), side="right")
        resample = ends.searchsorted(np.arange(start, stop), side="right")
        for place_cells, place_amounts in zip(cells.T, amounts.T, strict=True):
            np.add.at(totals, (place_cells[kind], resample), place_amounts[kind])
