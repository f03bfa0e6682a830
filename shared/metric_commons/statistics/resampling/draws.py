"""Random rows, Poisson numbers and binomial numbers.

All come from raw words of PCG64, whose stream numpy guarantees, so they are equal on every machine.
"""

import math

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Floats, Integers

BLOCK = 1 << 16  # rows drawn at a time: even, and small enough for the cache
_HALF_WORDS = 2**20  # rows up to which half a word is drawn
_SLOT_BITS = 12  # of a random word, looked up in the guide to a cumulative distribution


class RandomWords:
    """The raw words of PCG64 with a seed, which can be read from any position.

    So draws that use distant words can be made together, a block of resamples at a time.

    >>> words = RandomWords(0)
    >>> first = words.random_raw(3)
    >>> words.go_to(1)
    >>> bool(words.random_raw(1) == first[1]), words.position
    (True, 2)
    """

    def __init__(self, seed: int) -> None:
        self._generator = np.random.PCG64(seed)
        self.position = 0  # of the next word

    def go_to(self, position: int) -> None:
        """Continue at the word with this position, counted from 0."""
        self._generator.advance((position - self.position) % 2**128)
        self.position = position

    def random_raw(self, size: int) -> NDArray[np.uint64]:
        """Return the next words."""
        self.position += size
        return self._generator.random_raw(size)


class RowNumbers:
    """Random row numbers from a stream, starting at its next word, however far others read it.

    Up to 2**20 rows there are two numbers in a word.
    """

    def __init__(self, words: RandomWords, rows: int) -> None:
        self._words, self._rows = words, rows
        self._start, self._drawn = words.position, 0
        self._of_a_word = 2 if rows <= _HALF_WORDS else 1

    @property
    def end(self) -> int:
        """Return the position after the words of all numbers so far."""
        return self._start - (-self._drawn // self._of_a_word)

    def next(self, size: int) -> Integers:
        """Further numbers, as `random_rows` draws all of them at once."""
        word, used_numbers = divmod(self._drawn, self._of_a_word)
        self._words.go_to(self._start + word)
        self._drawn += size
        return random_rows(self._words, self._rows, size + used_numbers)[used_numbers:]


def random_rows(words: "RandomWords | np.random.PCG64", rows: int, size: int) -> Integers:
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


def poisson_numbers(words: RandomWords, mean: float, size: int) -> Integers:
    """Independent Poisson numbers, a word each, by inversion of the cumulative distribution."""
    mode = int(mean)
    first, last = max(0, mode - _reach(mode)), mode + _reach(mode)
    cumulative = _cumulative(mean / np.arange(first + 1, last + 1), mode - first)
    return _inverted(words, first, cumulative, size)


def binomial_numbers(
    words: RandomWords, positions: list[int] | None, trials: Integers, successes: int, failures: int
) -> Integers:
    """Independent binomial numbers, each with its own number of trials.

    A trial succeeds with the probability successes / (successes + failures). The trials are taken
    together by powers of two, according to their binary digits: for each digit only one
    distribution has to be inverted.

    Args:
        words: the random words.
        positions: the position of the words for each binary digit of trials; moved past the used
            ones. None if they are the next ones.
        trials: at least 0, shape (numbers,).
        successes: at least 0.
        failures: at least 1.
    """
    numbers = np.zeros(trials.size, np.int64)
    for digit in range(int(trials.max(initial=0)).bit_length()):
        selected = np.flatnonzero(trials >> digit & 1)
        first, cumulative = binomial_distribution(2**digit, successes, failures)
        if positions is not None:
            words.go_to(positions[digit])
        numbers[selected] += _inverted(words, first, cumulative, selected.size)
        if positions is not None:
            positions[digit] = words.position
    return numbers


def binomial_distribution(trials: int, successes: int, failures: int) -> tuple[int, Floats]:
    """Return the smallest likely binomial number k, and P(at most k), P(at most k + 1), ..."""
    mode = (trials + 1) * successes // (successes + failures)
    reach = _reach(trials * successes * failures // (successes + failures) ** 2)
    first, last = max(0, mode - reach), min(trials, mode + reach)
    numbers = np.arange(first + 1, last + 1)
    return first, _cumulative(
        (trials + 1 - numbers) / numbers * (successes / failures), mode - first
    )


def _inverted(words: RandomWords, first: int, cumulative: Floats, size: int) -> Integers:
    """Independent numbers from `first` on, a word each, of this cumulative distribution."""
    # The first bits of a word usually determine the number; the guide says whether they do.
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
    """Return the distance from its mode that a number exceeds with a probability below 1e-25."""
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
