"""Edits as counted by rapidfuzz, which is optional and several times faster."""

import numpy as np

from ...statistics.arguments.arrays import Integers
from ..tokens.segments import segment_starts
from ..tokens.sequences import Sequences

try:
    from rapidfuzz.distance.Levenshtein import distance, editops
except ImportError:
    editops = None  # type: ignore[assignment] # it is optional

_TEXT = 0x110000  # codes below this are characters, and a text is compared faster than a list


def compiled_pairs(
    references: Sequences, predictions: Sequences
) -> tuple[Integers, Integers] | None:
    """Return the hits and substitutions of each pair; None without rapidfuzz.

    >>> word = Sequences(np.array([1, 2]), np.array([2]))
    >>> pairs = compiled_pairs(word, word)
    >>> pairs is None or [column.tolist() for column in pairs] == [[2], [0]]
    True
    """
    if editops is None:
        return None
    rows, columns = _items(references), _items(predictions)
    distances = np.fromiter(map(distance, rows, columns), np.int64, len(rows))
    # The edits beyond the difference of lengths are substitutions, or a deletion and an insertion.
    substitutions = distances - np.abs(references.counts - predictions.counts)
    for pair in np.flatnonzero(substitutions > 1).tolist():
        kinds = [kind for kind, _, _ in editops(rows[pair], columns[pair]).as_list()]
        substitutions[pair] = kinds.count("replace")
    hits = (references.counts + predictions.counts - distances - substitutions) // 2
    return hits, substitutions


def _items(side: Sequences) -> "list[str] | list[list[int]]":
    """Return the items of each sequence, as a text if they can be characters."""
    starts = segment_starts(side.counts)
    ranges = list(zip(starts.tolist(), (starts + side.counts).tolist(), strict=True))
    if int(side.codes.max(initial=0)) < _TEXT:
        text = side.codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        return [text[start:stop] for start, stop in ranges]
    items = side.codes.tolist()
    return [items[start:stop] for start, stop in ranges]
