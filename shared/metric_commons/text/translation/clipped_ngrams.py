"""N-grams that texts share with their references: for many rows and all orders, by one sort.

The count of an n-gram in the prediction is limited to its highest count in a reference (Papineni et
al., BLEU, 2002). At each position of a text there is a window of as many symbols as the longest
n-gram has, packed into an integer after the row number. Once these integers are sorted, equal
n-grams of every length are adjacent, since they are the beginnings of equal or adjacent windows.
With the symbols a = 1, b = 2, the row 0 and n-grams of up to two symbols, the text "aba" has the
windows 12, 21 and 10, sorted 10, 12, 21: two of the unigram a, which begins with 1, and one each of
b, ab and ba.
"""

from collections import Counter
from itertools import islice

import numpy as np

from ...statistics.arguments.arrays import Booleans, Integers, Unsigned
from ..tokens.segments import changes, offsets, segment_numbers
from ..tokens.word_codes import Sequences

_BITS = 64


def clipped_counts(texts: Sequences, sizes: Integers, orders: int) -> Integers:
    """Return the number of shared n-grams for each row and order from 1; shape (rows, orders).

    Args:
        texts: for each row the prediction, then its references; symbols start from 1.
        sizes: the number of texts of each row.
        orders: the length of the longest n-grams.

    >>> cat, cats = [1, 2, 3], [1, 2, 1, 2]
    >>> texts = Sequences(np.array(cats + cat + cat), np.array([4, 3, 3]))
    >>> clipped_counts(texts, np.array([3]), 3).tolist()
    [[2, 1, 0]]
    """
    rows, symbols = sizes.size, texts.codes
    if not symbols.size:
        return np.zeros((rows, orders), np.int64)
    sides = int(sizes.max())
    room = _BITS - _bits(rows - 1) - _bits(sides - 1)
    text = segment_numbers(texts.counts)
    row_of_text = segment_numbers(sizes)
    side_of_text = offsets(sizes)
    row, side = row_of_text[text], side_of_text[text]
    positions = np.arange(text.size)
    if _bits(int(symbols.max())) * orders > room:
        positions, symbols = _shared_symbols(symbols, row, side > 0)
        if not symbols.size:
            return np.zeros((rows, orders), np.int64)
        if _bits(int(symbols.max())) * orders > room:
            if rows == 1:
                return _plain_counts(texts, orders)
            half = rows // 2
            middle = int(sizes[:half].sum())
            parts = texts.block(0, middle), texts.block(middle, texts.counts.size)
            counts = map(clipped_counts, parts, (sizes[:half], sizes[half:]), (orders, orders))
            return np.concatenate(list(counts))
    windows = _windows(positions, symbols, text[positions], row[positions], orders)
    return _counts(windows, side[positions], _bits(int(symbols.max())), orders, rows, sides)


def _bits(number: int) -> int:
    return max(number.bit_length(), 1)


def _shared_symbols(
    symbols: Integers, row: Integers, is_reference: Booleans
) -> tuple[Integers, Integers]:
    """Return the positions of symbols that both sides of a row have, and their numbers from 1.

    An n-gram with any other symbol is not shared.
    """
    order = _order_by_row(symbols, row)
    starts = np.flatnonzero(changes(row[order], symbols[order]))
    references = np.add.reduceat(is_reference[order].astype(np.int64), starts)
    lengths = np.diff(starts, append=order.size)
    is_shared = (references > 0) & (references < lengths)
    shared_row = row[order[starts[is_shared]]]
    numbers = np.zeros(starts.size, np.int64)
    ranks = np.arange(shared_row.size)
    first = np.maximum.accumulate(np.where(changes(shared_row), ranks, 0))
    numbers[is_shared] = ranks - first + 1
    local = np.empty(symbols.size, np.int64)
    local[order] = np.repeat(numbers, lengths)
    positions = np.flatnonzero(local)
    return positions, local[positions]


def _order_by_row(symbols: Integers, row: Integers) -> Integers:
    """Return the order of symbols by row, then by symbol.

    If they fit into one integer together with the position, these integers are sorted, which is
    several times as fast as sorting an index.
    """
    bits = [_bits(int(row.max())), _bits(int(symbols.max())), _bits(symbols.size - 1)]
    if sum(bits) > _BITS:
        return np.lexsort((symbols, row))
    keys = row.astype(np.uint64) << np.uint64(bits[1])
    keys |= symbols.astype(np.uint64)
    keys <<= np.uint64(bits[2])
    keys |= np.arange(symbols.size, dtype=np.uint64)
    keys.sort()
    keys &= np.uint64((1 << bits[2]) - 1)
    return keys.astype(np.int64)


def _windows(
    positions: Integers, symbols: Integers, text: Integers, row: Integers, orders: int
) -> Unsigned:
    """Return the window that begins at each position: the row, then symbols, then zeros.

    Its symbols end with the text, or before one that was dropped.
    """
    bits = np.uint64(_bits(int(symbols.max())))
    packed = symbols.astype(np.uint64)
    windows = row.astype(np.uint64) << bits | packed
    is_inside = np.ones(positions.size, dtype=bool)
    for order in range(1, orders):
        windows <<= bits
        if order < positions.size:
            is_inside = is_inside[:-1] & (positions[order:] - positions[:-order] == order)
            is_inside &= text[order:] == text[:-order]
            windows[:-order] |= np.where(is_inside, packed[order:], np.uint64(0))
    return windows


def _counts(
    windows: Unsigned, side: Integers, bits: int, orders: int, rows: int, sides: int
) -> Integers:
    """Return the clipped counts of sorted windows, from runs of equal beginnings."""
    side_bits = _bits(sides - 1)
    keys = windows << np.uint64(side_bits) | side.astype(np.uint64)
    keys.sort()
    sides_sorted = keys & np.uint64((1 << side_bits) - 1)
    up_to = [
        np.concatenate(([0], np.cumsum(sides_sorted == number, dtype=np.int64)))
        for number in range(sides)
    ]
    differences = keys[1:] ^ keys[:-1]
    counts = np.zeros((rows, orders), np.int64)
    for order in range(1, orders + 1):
        shift = np.uint64(bits * (orders - order) + side_bits)
        bounds = np.concatenate(([0], np.flatnonzero(differences >> shift) + 1, [keys.size]))
        references = np.diff(up_to[1][bounds]) if sides > 1 else np.zeros(bounds.size - 1, np.int64)
        for number in range(2, sides):
            np.maximum(references, np.diff(up_to[number][bounds]), out=references)
        clipped = np.minimum(references, np.diff(up_to[0][bounds]))
        runs = np.flatnonzero(clipped)
        ngrams = keys[bounds[runs]] >> shift
        runs = runs[(ngrams & np.uint64((1 << bits) - 1)) > 0]  # drop those that end earlier
        row = (keys[bounds[runs]] >> shift >> np.uint64(bits * order)).astype(np.int64)
        counts[:, order - 1] = np.bincount(row, weights=clipped[runs], minlength=rows)
    return counts


def _plain_counts(row: Sequences, orders: int) -> Integers:
    """Return the same for a single row, whose windows are too long for an integer.

    >>> _plain_counts(Sequences(np.array([1, 2, 1, 2, 3]), np.array([2, 3])), 3).tolist()
    [[2, 1, 0]]
    """
    symbols = iter(row.codes.tolist())
    prediction, *references = (tuple(islice(symbols, count)) for count in row.counts.tolist())
    counts = [_shared(prediction, references, order) for order in range(1, orders + 1)]
    return np.array([counts], np.int64)


def _shared(prediction: tuple[int, ...], references: list[tuple[int, ...]], order: int) -> int:
    """Return how many n-grams a prediction shares with its references."""
    maxima: Counter[tuple[int, ...]] = Counter()
    for reference in references:
        maxima |= _ngram_counts(reference, order)
    return (maxima & _ngram_counts(prediction, order)).total()


def _ngram_counts(symbols: tuple[int, ...], order: int) -> Counter[tuple[int, ...]]:
    return Counter(zip(*(symbols[start:] for start in range(order)), strict=False))
