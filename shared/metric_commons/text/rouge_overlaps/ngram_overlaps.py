"""Count the n-grams that the texts of each pair share: ROUGE-N for a block of pairs at once.

The definition is that of Lin, ROUGE: A Package for Automatic Evaluation of Summaries, 2004. Equal
words of a pair get the same number, by which they are counted. Longer n-grams are searched only
among words that both texts have: "a b c" is shared only if "a b" and "b c" are.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Integers, Unsigned
from ..tokens.distinct_keys import distinct_keys
from .block_words import BlockWords


class SharedNgrams(NamedTuple):
    """The n-grams that both texts of a pair have; different pairs have different n-grams."""

    pairs: Integers  # the pair of each n-gram, ascending
    prediction_counts: Integers  # how often each occurs in the prediction
    reference_counts: Integers  # how often each occurs in the reference
    numbers: Integers  # the n-gram at each possible position, -1 if it is not shared

    def overlaps(self, pairs: int) -> Integers:
        """Return the number of n-grams that each pair shares, with multiplicity."""
        clipped = np.minimum(self.prediction_counts, self.reference_counts)
        return np.bincount(self.pairs, weights=clipped, minlength=pairs).astype(np.int64)


def _steps(lengths: set[int]) -> list[int]:
    """Increasing n-gram lengths from 1 to the longest, none more than twice the previous one.

    >>> _steps({2, 9, 0})
    [1, 2, 4, 8, 9]
    """
    steps = [1]
    for n in sorted(lengths):
        while steps[-1] < n:
            steps.append(min(n, 2 * steps[-1]))
    return steps


def shared_ngrams(words: BlockWords, lengths: set[int]) -> Iterator[tuple[int, SharedNgrams]]:
    """Yield the shared words, then shared n-grams of increasing length, while there are any.

    Each length is at most twice the previous one, so that an n-gram consists of its first and its
    last words, both of the previous length, which overlap or touch: "a b c" is "a b" and "b c".
    Shared words may start at any word of the block, which is what their `numbers` refer to.
    """
    pairs = (words.texts >> 1).view(np.uint64)
    shared = _shared(words.texts, words.codes, pairs)
    yield 1, shared
    starts, at_words = np.empty(0, np.int64), shared.numbers
    for shorter, n in pairwise(_steps(lengths)):
        if shorter > 1:
            at_words = np.full(words.texts.size, -1)
            at_words[starts] = shared.numbers
        extension = n - shorter
        if extension >= words.texts.size:
            return
        first_parts, last_parts = at_words[:-extension], at_words[extension:]
        are_shared = (first_parts >= 0) & (last_parts >= 0)
        are_shared &= words.texts[:-extension] == words.texts[extension:]
        starts = np.flatnonzero(are_shared)
        if not starts.size:
            return
        keys = first_parts.take(starts) * shared.pairs.size + last_parts.take(starts)
        shared = _shared(words.texts.take(starts), keys.view(np.uint64))
        yield n, shared


def _shared(texts: Integers, *keys: Unsigned) -> SharedNgrams:
    """Return the shared n-grams among those with these keys.

    Args:
        texts: the text of each n-gram, ascending.
        keys: columns that are equal for equal n-grams of the same pair.
    """
    numbers, examples = distinct_keys(*keys)
    of_references = (texts & 1) * examples.size
    counts = np.bincount(numbers + of_references, minlength=2 * examples.size)
    prediction_counts, reference_counts = counts[: examples.size], counts[examples.size :]
    shared = np.flatnonzero((prediction_counts > 0) & (reference_counts > 0))
    new_numbers = np.full(examples.size, -1)
    new_numbers[shared] = np.arange(shared.size)
    return SharedNgrams(
        texts.take(examples.take(shared)) >> 1,
        prediction_counts.take(shared),
        reference_counts.take(shared),
        new_numbers.take(numbers),
    )
