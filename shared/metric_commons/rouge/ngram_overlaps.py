"""How many n-grams the texts of each pair share: ROUGE-N for a block of pairs at once.

The definition is that of Lin, ROUGE: A Package for Automatic Evaluation of Summaries, 2004. Equal
words of a pair get one number, and words are counted by it. Longer n-grams are looked for only
among the words that both texts have: "a b c" is shared only if "a b" is, and "b c" too.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..numbers.arrays import Integers, Unsigned
from ..texts.distinct_keys import distinct_keys
from .block_words import BlockWords


class SharedNgrams(NamedTuple):
    """The n-grams that both texts of a pair have; those of different pairs are different."""

    pairs: Integers  # the pair of each n-gram, ascending
    prediction_counts: Integers  # how often each occurs in the prediction
    reference_counts: Integers  # how often each occurs in the reference
    numbers: Integers  # the n-gram at each place where one may begin, -1 if it is not shared

    def overlaps(self, pairs: int) -> Integers:
        """How many n-grams each pair shares, repeated ones as often as both texts have them."""
        clipped = np.minimum(self.prediction_counts, self.reference_counts)
        return np.bincount(self.pairs, weights=clipped, minlength=pairs).astype(np.int64)


def _steps(lengths: set[int]) -> list[int]:
    """Lengths of n-grams from 1 to the longest, none more than twice the one before.

    >>> _steps({2, 9, 0})
    [1, 2, 4, 8, 9]
    """
    steps = [1]
    for n in sorted(lengths):
        while steps[-1] < n:
            steps.append(min(n, 2 * steps[-1]))
    return steps


def shared_ngrams(words: BlockWords, lengths: set[int]) -> Iterator[tuple[int, SharedNgrams]]:
    """The shared words, then ever longer n-grams up to the longest length, while any are shared.

    The lengths grow by steps of at most the double, so that an n-gram is its first words and its
    last words, both of the length before, which overlap or touch: "a b c" is "a b" and "b c".
    Shared words may be at all words of the block, which is where their `numbers` are.
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
    """The shared n-grams among those with these keys.

    Args:
        texts: the text of each, ascending.
        keys: columns that are equal for equal n-grams of the same pair.
    """
    numbers, examples = distinct_keys(*keys)
    of_references = (texts & 1) * examples.size
    counts = np.bincount(numbers + of_references, minlength=2 * examples.size)
    prediction_counts, reference_counts = counts[: examples.size], counts[examples.size :]
    shared = np.flatnonzero(np.minimum(prediction_counts, reference_counts))
    new_numbers = np.full(examples.size, -1)
    new_numbers[shared] = np.arange(shared.size)
    return SharedNgrams(
        texts.take(examples.take(shared)) >> 1,
        prediction_counts.take(shared),
        reference_counts.take(shared),
        new_numbers.take(numbers),
    )
