"""Sequences of integers, concatenated in one array."""

from typing import NamedTuple

from ...statistics.arguments.arrays import Integers
from .segments import ranges, segment_starts

_TEXT = 0x110000  # codes below this are characters, and a text is compared faster than a list


class Sequences(NamedTuple):
    """Concatenated sequences of non-negative integers; equal items are equal integers."""

    codes: Integers
    counts: Integers  # number of items of each sequence

    def block(self, start: int, stop: int) -> "Sequences":
        """Return the sequences from `start` to `stop`."""
        counts = self.counts[start:stop]
        first = int(self.counts[:start].sum())
        return Sequences(self.codes[first : first + int(counts.sum())], counts)

    def of(self, rows: Integers) -> "Sequences":
        """Return the sequences with these indices."""
        counts = self.counts[rows]
        starts = segment_starts(self.counts)[rows]
        return Sequences(self.codes[ranges(starts, counts)], counts)

    def split(self) -> "list[str] | list[list[int]]":
        """Return the items of each sequence: a text if they can be characters, else a list.

        >>> import numpy as np
        >>> Sequences(np.array([97, 98, 99]), np.array([2, 0, 1])).split()
        ['ab', '', 'c']
        """
        starts = segment_starts(self.counts)
        bounds = list(zip(starts.tolist(), (starts + self.counts).tolist(), strict=True))
        if int(self.codes.max(initial=0)) < _TEXT:
            text = self.codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
            return [text[start:stop] for start, stop in bounds]
        items = self.codes.tolist()
        return [items[start:stop] for start, stop in bounds]
