"""Sequences of integers, concatenated in one array."""

from typing import NamedTuple

from ..numbers.arrays import Integers


class Sequences(NamedTuple):
    """Concatenated sequences of non-negative integers; equal items are equal integers."""

    codes: Integers
    counts: Integers  # number of items of each sequence

    def block(self, start: int, stop: int) -> "Sequences":
        """The sequences from `start` to `stop`."""
        counts = self.counts[start:stop]
        first = int(self.counts[:start].sum())
        return Sequences(self.codes[first : first + int(counts.sum())], counts)
