"""Compare tokens: which texts have the same, how many and which longest run they share."""

from collections.abc import Hashable, Sequence

import numpy as np

from ...statistics.arguments.arrays import Booleans, Integers
from ..tokens.distinct_keys import KEY_MULTIPLIER, distinct_keys
from ..tokens.segments import ranges, segment_starts
from ..tokens.tokens import Tokens
from ..tokens.word_codes import token_keys


def equal_tokens(tokens: Tokens, left: Integers, right: Integers) -> Booleans:
    """Return whether the tokens at `left` and at `right`, pair by pair, are the same bytes.

    Keys decide for tokens of up to eight bytes. Longer ones are compared eight bytes at a time, for
    as long as undecided pairs remain.
    """
    lengths = tokens.lengths.take(left)
    equal: Booleans = tokens.keys.take(left) == tokens.keys.take(right)
    equal &= lengths == tokens.lengths.take(right)
    pairs = np.flatnonzero(equal & (lengths > 8))
    offset = 8
    while pairs.size:
        agree = tokens.bytes_from(left.take(pairs), offset) == tokens.bytes_from(
            right.take(pairs), offset
        )
        equal[pairs[~agree]] = False
        offset += 8
        pairs = pairs[agree & (lengths.take(pairs) > offset)]
    return equal


def equal_texts(tokens: Tokens, left: Integers, right: Integers) -> Booleans:
    """Return whether texts at `left` and `right`, pair by pair, have the same tokens in order."""
    counts = tokens.counts.take(left)
    equal: Booleans = counts == tokens.counts.take(right)
    pairs = np.flatnonzero(equal & (counts > 0))
    if pairs.size:
        starts, pair_counts = tokens.text_starts, counts.take(pairs)
        left_tokens, right_tokens = (
            ranges(starts.take(texts.take(pairs)), pair_counts) for texts in (left, right)
        )
        agree = equal_tokens(tokens, left_tokens, right_tokens)
        equal[pairs] = np.logical_and.reduceat(agree, segment_starts(pair_counts))
    return equal


def distinct_tokens(tokens: Tokens) -> Tokens:
    """Return the tokens without those that occurred in their text before."""
    texts = tokens.texts
    numbers = distinct_keys(token_keys(tokens), texts.astype(np.uint64))
    counts = np.bincount(texts.take(numbers.examples), minlength=tokens.counts.size)
    return tokens.at(numbers.examples, counts)


def shared_tokens(tokens: Tokens, first_texts: Integers) -> Integers:
    """Return how many tokens each text shares with the first text of its row, with multiplicity.

    Args:
        tokens: the tokens of all texts, row after row.
        first_texts: the index of the first text of each row, which shares none with itself.
    """
    candidates = _may_be_shared(tokens, first_texts)
    n, texts = tokens.counts.size, tokens.texts.take(candidates)
    firsts = np.repeat(first_texts, np.diff(first_texts, append=n)).take(texts)
    numbers, examples = distinct_keys(
        token_keys(tokens.at(candidates, tokens.counts)), firsts.view(np.uint64)
    )
    is_first = texts == firsts
    in_first = np.bincount(numbers.compress(is_first), minlength=examples.size)
    others = np.flatnonzero(in_first.take(numbers) * ~is_first)
    numbers, texts = numbers.take(others), texts.take(others)
    pairs, examples = distinct_keys((numbers * n + texts).view(np.uint64))
    clipped = np.minimum(np.bincount(pairs), in_first.take(numbers.take(examples)))
    return np.bincount(texts.take(examples), weights=clipped, minlength=n).astype(np.int64)


def _may_be_shared(tokens: Tokens, first_texts: Integers) -> Integers:
    """Return the tokens that occur on the other side of their row, and a few others.

    One side is the first text, the other all texts after it. For each side, 64 bits record which
    hashes modulo 64 occur; a token whose bit the other side lacks does not occur there.
    """
    n = tokens.keys.size
    text_starts = np.append(tokens.text_starts, n)
    side_starts = text_starts.take(np.stack([first_texts, first_texts + 1], axis=1).ravel())
    # One additional element without a bit: empty sides at the end of the block begin there.
    bits = np.zeros(n + 1, dtype=np.uint64)
    np.left_shift(np.uint64(1), tokens.keys * KEY_MULTIPLIER >> np.uint64(58), out=bits[:-1])
    # A side without tokens gets the bit of the token after it, which drops no token wrongly.
    side_bits = np.bitwise_or.reduceat(bits, side_starts)
    other_side_bits = side_bits.reshape(-1, 2)[:, ::-1].ravel()
    return np.flatnonzero(bits[:-1] & np.repeat(other_side_bits, np.diff(side_starts, append=n)))


def longest_common_run(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Return the length of the longest run that two texts share.

    >>> longest_common_run("new york city".split(), "york city hall".split())
    2
    """
    places: dict[Hashable, list[int]] = {}
    for place, token in enumerate(first):
        places.setdefault(token, []).append(place)
    longest = 0
    runs: dict[int, int] = {}  # of those that end with the last token, by their place in the first
    for token in second:
        runs = {place: runs.get(place - 1, 0) + 1 for place in places.get(token, ())}
        longest = max(longest, *runs.values()) if runs else longest
    return longest
