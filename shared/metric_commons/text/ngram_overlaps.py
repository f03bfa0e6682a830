"""How many n-grams the texts of each pair share: ROUGE-N for a block of pairs at once.

The definition is that of Lin, ROUGE: A Package for Automatic Evaluation of Summaries, 2004. One
sort brings equal words of a pair side by side. Longer n-grams are looked for only among the words
that both texts have: "a b c" is shared only if "a b" is, and "b c" too.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ..numbers.arrays import Integers, Unsigned
from .segments import changes, ranges, segment_numbers, stable_order
from .word_codes import BlockWords


@dataclass(frozen=True)
class SharedNgrams:
    """The n-grams that both texts of a pair have; those of different pairs are different."""

    pairs: Integers  # the pair of each n-gram
    prediction_counts: Integers  # how often each occurs in the prediction
    reference_counts: Integers  # how often each occurs in the reference
    positions: Integers  # where they begin: n-gram after n-gram, each in the order of the texts
    words: int  # of the block

    def overlaps(self, pairs: int) -> Integers:
        """How many n-grams each pair shares, repeated ones as often as both texts have them."""
        clipped = np.minimum(self.prediction_counts, self.reference_counts)
        return np.bincount(self.pairs, weights=clipped, minlength=pairs).astype(np.int64)

    @cached_property
    def ngrams(self) -> Integers:
        """The number of the n-gram that begins at each of `positions`."""
        return segment_numbers(self.prediction_counts + self.reference_counts)

    @cached_property
    def word_ngrams(self) -> Integers:
        """The number of the n-gram that begins at each word of the block, -1 if it is not shared.

        One more -1 follows the last word.
        """
        ngrams = np.full(self.words + 1, -1, dtype=np.int64)
        ngrams[self.positions] = self.ngrams
        return ngrams


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

    A key is equal for equal n-grams of the same text. The keys of both texts of a pair differ only
    in the lowest bit. So in the order of keys an n-gram of the prediction is followed at once by
    the same n-gram of the reference, if there is one.
    """
    texts = words.texts.view(np.uint64)
    positions = words.codes.order
    keys = (words.codes.values.astype(np.uint64) << np.uint64(32) | texts).take(positions)
    shared = _shared(keys, positions, texts)
    yield 1, shared
    for shorter, n in pairwise(_steps(lengths)):
        # Both parts are shared n-grams of the length before, `extension` words apart. Positions
        # are in the order of the last part, and a stable sort by the first part keeps that.
        extension = n - shorter
        starts = np.maximum(shared.positions - extension, -1)  # the entry -1 is no n-gram
        candidates = np.flatnonzero(shared.word_ngrams.take(starts) >= 0)
        starts = starts.take(candidates)
        in_one_text = np.flatnonzero(texts.take(starts) == texts.take(starts + extension))
        candidates, starts = candidates.take(in_one_text), starts.take(in_one_text)
        if not starts.size:
            return
        first_part = shared.word_ngrams.take(starts).astype(np.uint32)
        last_part = shared.ngrams.take(candidates).astype(np.uint64)
        order = stable_order(first_part)
        positions = starts.take(order)
        keys = first_part.take(order).astype(np.uint64) << np.uint64(32)
        keys |= last_part.take(order) << np.uint64(1)
        keys |= texts.take(positions) & np.uint64(1)
        shared = _shared(keys, positions, texts)
        yield n, shared


def _shared(keys: Unsigned, positions: Integers, texts: Unsigned) -> SharedNgrams:
    """The shared n-grams among all, which begin at `positions`, in the order of their keys."""
    starts = np.flatnonzero(changes(keys))
    counts = np.diff(starts, append=keys.size)
    distinct = keys.take(starts)
    # The keys of a pair are 2n and 2n + 1. Sorted neighbours that differ in the lowest bit alone
    # are the n-gram of the prediction and that of the reference.
    predictions = np.flatnonzero(distinct[1:] ^ distinct[:-1] == 1)
    prediction_counts, reference_counts = counts.take(predictions), counts.take(predictions + 1)
    starts = starts.take(predictions)
    return SharedNgrams(
        (texts.take(positions.take(starts)) >> np.uint64(1)).astype(np.int64),
        prediction_counts,
        reference_counts,
        positions.take(ranges(starts, prediction_counts + reference_counts)),
        texts.size,
    )
