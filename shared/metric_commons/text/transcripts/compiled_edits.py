"""Edits as counted by rapidfuzz, which is optional and several times faster.

It chooses the path that `edit_distance` describes, except where it splits a large table into two
(Hirschberg 1975). Such pairs are left to our own code, so that results are the same with and
without it.
"""

import numpy as np

from ...statistics.arguments.arrays import Integers
from ..tokens.segments import segment_starts
from ..tokens.sequences import Sequences

try:
    from rapidfuzz.distance.Levenshtein import editops
except ImportError:
    editops = None  # type: ignore[assignment] # it is optional

_CELLS = 1 << 20  # of the table of a pair; rapidfuzz splits tables of more than four times as many
_TEXT = 0x110000  # codes below this are characters, and a text is compared faster than a list


def compiled_pairs(references: Sequences, predictions: Sequences) -> tuple[Integers, Integers]:
    """Hits and substitutions of each pair; -1 for pairs that are too large, or all without it.

    >>> word = Sequences(np.array([1, 2]), np.array([2]))
    >>> hits, substitutions = compiled_pairs(word, word)
    >>> int(hits[0]) in (2, -1)
    True
    """
    hits = np.full(references.counts.size, -1)
    substitutions = hits.copy()
    if editops is None:
        return hits, substitutions
    rows = zip(_items(references), _items(predictions), strict=True)
    for pair, (reference, prediction) in enumerate(rows):
        if len(reference) * len(prediction) <= _CELLS:
            kinds = [kind for kind, _, _ in editops(reference, prediction).as_list()]
            changed = kinds.count("replace")
            hits[pair] = len(reference) - changed - kinds.count("delete")
            substitutions[pair] = changed
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
