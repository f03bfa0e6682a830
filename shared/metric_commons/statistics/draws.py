"""Random draws from the rows of a multiset, and what they add up to.

All come from raw words of PCG64, whose stream numpy guarantees, so they are equal on every machine.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ..numbers.arrays import Floats, Integers
from ..numbers.progress import report

BLOCK = 1 << 16  # rows drawn at a time: even, and small enough for the cache
_BINOMIAL_KINDS = 32  # kinds of rows, up to which each is drawn given those before it
_SLOT_BITS = 12  # of a random word, looked up in the guide to a cumulative distribution


def random_rows(words: "np.random.PCG64", rows: int, size: int) -> Integers:
    """Random row numbers: the whole part of `rows` times a random binary fraction.

    Up to 2**20 rows the fraction has 32 bits, half a word, the lower half first. This moves the
    probability of a row by less than 2**-32, or 1 part in 4096. For more rows it has 64 bits.
    """
    factor, half = np.uint64(rows), np.uint64(32)
    if rows <= 2**20:
        raw = words.random_raw((size + 1) // 2).astype("<u8", copy=False)
        row = raw.view("<u4")[:size].astype(np.uint64)
        row *= factor
        row >>= half
    else:
        # The upper half of a product of 128 bits, of which `rows` has 32: no part overflows.
        raw = words.random_raw(size)
        row = (raw & np.uint64(2**32 - 1)) * factor >> half
        row += (raw >> half) * factor
        row >>= half
    return row.view(np.int64)


def poisson_numbers(words: "np.random.PCG64", mean: float, size: int) -> Integers:
    """Independent Poisson numbers, a word each, by inversion of the cumulative distribution."""
    mode = int(mean)
    first, last = max(0, mode - _reach(mode)), mode + _reach(mode)
    cumulative = _cumulative(mean / np.arange(first + 1, last + 1), mode - first)
    return _inverted(words, first, cumulative, size)


def _binomial_numbers(
    words: "np.random.PCG64", trials: Integers, successes: int, failures: int
) -> Integers:
    """Independent binomial numbers, each of its own number of trials.

    A trial succeeds with the probability successes / (successes + failures). The trials are taken
    together by powers of two, as their binary digits say: for each digit there is but one
    distribution to invert.
    """
    if not failures:
        return trials
    numbers = np.zeros(trials.size, np.int64)
    for digit in range(int(trials.max()).bit_length()):
        selected = np.flatnonzero(trials >> digit & 1)
        first, cumulative = binomial_distribution(2**digit, successes, failures)
        numbers[selected] += _inverted(words, first, cumulative, selected.size)
    return numbers


def binomial_distribution(trials: int, successes: int, failures: int) -> tuple[int, Floats]:
    """The least binomial number to reckon with, and P(at most it), P(at most one more), ..."""
    mode = (trials + 1) * successes // (successes + failures)
    reach = _reach(trials * successes * failures // (successes + failures) ** 2)
    first, last = max(0, mode - reach), min(trials, mode + reach)
    numbers = np.arange(first + 1, last + 1)
    return first, _cumulative(
        (trials + 1 - numbers) / numbers * (successes / failures), mode - first
    )


def _inverted(words: "np.random.PCG64", first: int, cumulative: Floats, size: int) -> Integers:
    """Independent numbers from `first` on, a word each, of this cumulative distribution."""
    # The first bits of a word mostly settle the number; the guide knows when.
    slots = np.arange(2**_SLOT_BITS + 1) / 2**_SLOT_BITS
    guide = cumulative.searchsorted(slots, side="right")
    word = words.random_raw(size)
    slot = (word >> np.uint64(64 - _SLOT_BITS)).view(np.int64)
    numbers: Integers = guide.take(slot)
    unsettled = np.flatnonzero((guide[1:] != guide[:-1]).take(slot))
    fraction = (word[unsettled] >> np.uint64(11)) * 2.0**-53
    numbers[unsettled] = cumulative.searchsorted(fraction, side="right")
    numbers += first
    return numbers


def _reach(variance: int) -> int:
    """How far from its mode a binomial or Poisson number lies, but for chances below 1e-25."""
    return 12 * math.isqrt(variance) + 40


def _cumulative(ratios: Floats, mode: int) -> Floats:
    """Cumulative distribution on 0..len(ratios), from P(1) / P(0), P(2) / P(1), and so on.

    The products run from the mode, where P is largest, so that none overflows.
    """
    lower_ratios = np.cumprod(1 / ratios[:mode][::-1])[::-1]
    upper_ratios = np.cumprod(ratios[mode:])
    cumulative = np.cumsum(np.concatenate([lower_ratios, [1.0], upper_ratios]))
    cumulative /= cumulative[-1]
    return cumulative


def resampled_totals(
    occurrences: Integers,
    cells: Integers,
    size: int,
    *,
    amounts: npt.NDArray[Any] | None = None,
    n_resamples: int,
    seed: int,
) -> npt.NDArray[Any]:
    """What each resample of a multiset adds up to, in each of several places.

    A resample draws as many rows as there are, with replacement; how often it draws each kind of
    row is multinomial. The cost grows with the number of kinds, hardly with that of rows.

    Args:
        occurrences: how many rows are of each kind, at least one, shape (kinds,).
        cells: where a row of each kind counts, shape (kinds, places of a row); less than `size`.
        size: how many places there are.
        amounts: how much a row of each kind counts, shape (kinds, 1); or in each of its places,
            shape (kinds, places of a row). None for 1.
        n_resamples: how many resamples are drawn.
        seed: of the random numbers.

    Returns:
        Shape (size, n_resamples), int64, or float64 with amounts.

    >>> heads_and_tails = resampled_totals(
    ...     np.array([600, 400]), np.array([[0], [1]]), 2, n_resamples=3, seed=0
    ... )
    >>> heads_and_tails.sum(axis=0).tolist()
    [1000, 1000, 1000]
    """
    words = np.random.PCG64(int(seed))
    plain = np.ones((len(occurrences), 1), np.int64)
    row_amounts = np.broadcast_to(plain if amounts is None else amounts, cells.shape)
    if len(occurrences) > _BINOMIAL_KINDS:
        return _totals_by_poisson(words, occurrences, cells, row_amounts, size, int(n_resamples))
    totals = np.zeros((size, n_resamples), row_amounts.dtype)
    lacking = np.full(n_resamples, int(occurrences.sum()))
    left = int(occurrences.sum())
    for number, row_cells, row in zip(occurrences.tolist(), cells, row_amounts, strict=True):
        left -= number
        draw_counts = _binomial_numbers(words, lacking, number, left)
        lacking = lacking - draw_counts
        for cell, amount in zip(row_cells.tolist(), row, strict=True):
            totals[cell] += draw_counts * amount
    return totals


def resampled_sums_of_rows(
    rows: npt.NDArray[Any], *, n_resamples: int, seed: int
) -> npt.NDArray[Any]:
    """The sums of the columns in each resample of rows, whatever their order.

    Args:
        rows: what each adds, shape (rows, columns).
        n_resamples: how many resamples are drawn.
        seed: of the random numbers.

    Returns:
        Shape (columns, n_resamples), of the type of the rows.

    >>> resampled_sums_of_rows(np.array([[1, 10], [1, 10]]), n_resamples=2, seed=0).tolist()
    [[2, 2], [20, 20]]
    """
    kinds, occurrences = np.unique(rows, axis=0, return_counts=True)
    cells = np.broadcast_to(np.arange(kinds.shape[1]), kinds.shape)
    return resampled_totals(
        occurrences, cells, kinds.shape[1], amounts=kinds, n_resamples=n_resamples, seed=seed
    )


def _totals_by_poisson(
    words: "np.random.PCG64",
    occurrences: Integers,
    cells: Integers,
    amounts: npt.NDArray[Any],
    size: int,
    n_resamples: int,
) -> npt.NDArray[Any]:
    """As `resampled_totals`, for many kinds: by Poisson numbers, as in the bootstrap of a mean.

    What a resample lacks is drawn row by row.
    """
    rows = int(occurrences.sum())
    share = (rows - 3 * math.isqrt(rows)) / rows
    batches = []
    remaining = n_resamples
    while remaining:
        attempts = remaining + remaining // 64 + 16
        totals = np.zeros((size, attempts), amounts.dtype)
        lacking = np.full(attempts, rows)
        kinds = zip(occurrences.tolist(), cells, amounts, strict=True)
        for kind, (number, row_cells, row) in enumerate(kinds):
            report(kind / len(cells))
            draw_counts = poisson_numbers(words, number * share, attempts)
            lacking -= draw_counts
            for cell, amount in zip(row_cells.tolist(), row, strict=True):
                totals[cell] += draw_counts * amount
        possible = np.flatnonzero(lacking >= 0)[:remaining]
        batches.append((totals[:, possible], lacking[possible]))
        remaining -= possible.size
    totals, lacking = (np.concatenate(parts, axis=-1) for parts in zip(*batches, strict=True))
    _add_rows(words, totals, lacking, occurrences, cells, amounts)
    return totals


def _add_rows(
    words: "np.random.PCG64",
    totals: npt.NDArray[Any],
    draws: Integers,
    occurrences: Integers,
    cells: Integers,
    amounts: npt.NDArray[Any],
) -> None:
    """Add so many rows to each resample, all equally likely."""
    rows_up_to = np.cumsum(occurrences)
    ends = np.cumsum(draws)
    for start in range(0, int(ends[-1]), BLOCK):
        report(start / int(ends[-1]))
        stop = min(start + BLOCK, int(ends[-1]))
        row = random_rows(words, int(rows_up_to[-1]), stop - start)
        kind = rows_up_to.searchsorted(row, side="right")
        resample = ends.searchsorted(np.arange(start, stop), side="right")
        for place_cells, place_amounts in zip(cells.T, amounts.T, strict=True):
            np.add.at(totals, (place_cells[kind], resample), place_amounts[kind])
