"""Assign integers to keys, so that two keys have the same integer if and only if they are equal.

Sorting would also do this. A hash table takes a third of the time: a few passes over all keys, in
any order.
"""

from functools import reduce
from typing import NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Integers, Unsigned
from .segments import changes

# Multiplicative hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4): the upper
# half of the product depends on all bytes of the key. The first constant is 2**64 divided by the
# golden ratio, the second a prime of xxHash64.
KEY_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_REST_MULTIPLIER = np.uint64(0xC2B2AE3D27D4EB4F)

_TABLES = 4  # tried in turn; keys that fit into none are sorted


class DistinctKeys(NamedTuple):
    """The distinct keys in a column of keys."""

    numbers: Integers  # of each key; those of the examples are 0, 1, 2, ...
    examples: Integers  # for each number, the index of one of its keys; ascending


def distinct_keys(*columns: Unsigned) -> DistinctKeys:
    """Number the distinct keys. A key is an integer, or a row of two columns.

    If all occurrences of some keys are contiguous, their numbers are contiguous too.

    >>> numbers, examples = distinct_keys(np.array([7, 9, 7, 7], dtype=np.uint64))
    >>> numbers[examples].tolist(), bool(numbers[0] == numbers[2] == numbers[3])
    ([0, 1], True)
    """
    hashes = columns[0] * KEY_MULTIPLIER
    for column in columns[1:]:
        hashes += column * _REST_MULTIPLIER
    examples = _examples(columns, hashes, _TABLES)
    is_example = examples == np.arange(examples.size)
    return DistinctKeys((np.cumsum(is_example) - 1).take(examples), np.flatnonzero(is_example))


def _examples(columns: tuple[Unsigned, ...], hashes: Unsigned, tables: int) -> Integers:
    """Return for each key the index of an equal key; the same index for all equal keys.

    Each slot of the table keeps one of the keys with its hash, whichever numpy writes last. Keys
    that differ from it go to another table, with another hash. The hash thus affects only the
    running time, never the result.
    """
    if not tables:
        order = np.lexsort(columns)
        starts = np.flatnonzero(changes(*(column.take(order) for column in columns)))
        examples = np.empty_like(order)
        examples[order] = np.repeat(order.take(starts), np.diff(starts, append=order.size))
        return examples
    bits = hashes.size.bit_length() + 1
    slots = (hashes >> np.uint64(64 - bits)).view(np.int64)
    table = np.empty(1 << bits, dtype=np.int64)  # only read where it has been written
    table[slots] = np.arange(hashes.size)
    examples = table.take(slots)
    differs = reduce(np.logical_or, (column.take(examples) != column for column in columns))
    unequal = np.flatnonzero(differs)
    if unequal.size:
        columns = tuple(column.take(unequal) for column in columns)
        hashes = hashes.take(unequal) * KEY_MULTIPLIER
        examples[unequal] = unequal.take(_examples(columns, hashes, tables - 1))
    return examples
