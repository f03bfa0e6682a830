"""Multisets of numbers: how often each value occurs, which determines a mean and its interval.

Multisets add up without rounding, in any order and any grouping.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Floats, Integers
from .exact_sums import exact_sum

_PYTHON_SIZE = 32  # numbers, up to which counting them in Python takes less time than `np.unique`


@dataclass(frozen=True)
class Multiset:
    """Distinct finite numbers, ascending, with their counts; -0.0 counts as 0.0.

    >>> scores = Multiset.from_values([0.5, 1.0, 0.5])
    >>> scores.values, scores.counts
    (array([0.5, 1. ]), array([2, 1]))
    >>> union = scores + Multiset.from_values([-0.0, 1.0])
    >>> len(union), union.mean()
    (5, 0.6)
    """

    values: Floats
    counts: Integers

    @classmethod
    def from_values(cls, numbers: ArrayLike) -> Self:
        """The multiset of these numbers, shape (rows,)."""
        array = np.asarray(numbers, np.float64) + 0.0
        if array.size <= _PYTHON_SIZE:
            counted = sorted(Counter(array.tolist()).items())
            return cls(
                np.array([value for value, _ in counted], np.float64),
                np.array([count for _, count in counted], np.int64),
            )
        values, counts = np.unique(array, return_counts=True)
        return cls(values, counts.astype(np.int64))

    @classmethod
    def sum(cls, multisets: Iterable["Multiset"]) -> Self:
        """The union of several multisets, counting repeated numbers.

        >>> len(Multiset.sum([]))
        0
        """
        parts = [part for part in multisets if len(part.values)]
        if not parts:
            return cls(np.empty(0), np.empty(0, np.int64))
        values = np.concatenate([part.values for part in parts])
        order = np.argsort(values, kind="stable")
        values = values[order]
        starts = np.append(0, np.flatnonzero(values[1:] != values[:-1]) + 1)
        counts = np.concatenate([part.counts for part in parts])[order]
        return cls(values[starts], np.add.reduceat(counts, starts))

    def __add__(self, other: "Multiset") -> Self:
        return type(self).sum([self, other])

    def __len__(self) -> int:
        return int(self.counts.sum())

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Multiset)
            and np.array_equal(self.values, other.values)
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment] # arrays can change

    def mean(self) -> float:
        """The mean of all numbers: their exact sum, rounded once, divided by their count.

        >>> Multiset.from_values([0.1] * 10).mean()
        0.1
        """
        return float(self.exact_sum()) / len(self)

    def exact_sum(self) -> Fraction:
        """The sum without rounding."""
        return exact_sum(self.values, self.counts)

    def elements(self) -> Floats:
        """All numbers, ascending, with repetitions; shape (rows,)."""
        return np.repeat(self.values, self.counts)

    def to_plain(self) -> list[list[Any]]:
        """Values and counts as lists of Python numbers, for JSON."""
        return [self.values.tolist(), self.counts.tolist()]

    @classmethod
    def from_plain(cls, plain: Any) -> Self:
        """The inverse of `to_plain`.

        Raises:
            ValueError: the input is not two lists of one length, or a count is not positive.
        """
        values = np.asarray(plain[0], np.float64)
        counts = np.asarray(plain[1])
        if values.shape != counts.shape or values.ndim != 1:
            raise ValueError("a multiset needs one count per value")
        if counts.size and (counts.dtype.kind != "i" or counts.min() < 1):
            raise ValueError("the counts of a multiset are positive integers")
        multiset = cls(values + 0.0, counts.astype(np.int64))
        is_ascending = bool((values[1:] > values[:-1]).all())
        return multiset if is_ascending else cls.sum([multiset])
