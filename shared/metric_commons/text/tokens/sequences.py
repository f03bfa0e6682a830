"""Sequences of integers, concatenated in one array."""

from typing import NamedTuple

from ...statistics.arguments.arrays import Integers
from .segments import ranges, segment_starts


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
