"""Sequences of integers, one after another in one array."""

from typing import NamedTuple

from ..numbers.arrays import Integers


class Sequences(NamedTuple):
    """Sequences of integers from 0 on, one after another; equal items are equal integers."""

    codes: Integers
    counts: Integers  # items of each sequence

    def block(self, start: int, stop: int) -> "Sequences":
        """Some of the sequences."""
        counts = self.counts[start:stop]
        first = int(self.counts[:start].sum())
        return Sequences(self.codes[first : first + int(counts.sum())], counts)
