"""The lengths of longest common subsequences by rapidfuzz, which is optional and faster.

There is one length for each pair of sequences, so results are the same with and without it.
"""

import numpy as np

from ...statistics.arguments.arrays import Integers
from ..tokens.segments import segment_starts

try:
    from rapidfuzz.distance.LCSseq import similarity
except ImportError:
    similarity = None  # type: ignore[assignment] # it is optional

_CHARACTERS = 0x110000  # numbers below this can be characters


def compiled_lcs_lengths(items: Integers, counts: Integers) -> Integers | None:
    """As `lcs_lengths`; None without rapidfuzz, or for too many kinds of items.

    Both sequences of a pair become texts, whose characters count from the least item of the pair:
    rapidfuzz compares small characters fastest.

    >>> lengths = compiled_lcs_lengths(np.array([7, 8, 8, 7]), np.array([2, 2]))
    >>> lengths is None or lengths.tolist() == [1]
    True
    """
    sizes = counts[::2] + counts[1::2]
    pairs = np.flatnonzero(sizes)
    if similarity is None or not pairs.size:
        return None
    starts = segment_starts(counts)
    minima = np.minimum.reduceat(items, starts[::2].take(pairs))
    characters = items - np.repeat(minima, sizes.take(pairs))
    if int(characters.max()) >= _CHARACTERS:
        return None
    text = characters.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    bounds = zip(starts.tolist(), (starts + counts).tolist(), strict=True)
    texts = [text[start:stop] for start, stop in bounds]
    lengths = map(similarity, texts[::2], texts[1::2])
    return np.fromiter(lengths, np.int64, sizes.size)
