"""Equal tokens: which texts have the same tokens, and how many of them texts share."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..numbers.arrays import Booleans, Integers
from .segments import changes, ranges, segment_starts, stable_order
from .tokens import Tokens

_SHORT_TEXT = 64  # tokens; in longer texts 16 bits of hash are too few

# Multiplicative hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4): the upper
# half of the product depends on all bytes of the key. The first constant is 2**64 divided by the
# golden ratio, the second a prime of xxHash64.
KEY_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
REST_MULTIPLIER = np.uint64(0xC2B2AE3D27D4EB4F)


def equal_tokens(tokens: Tokens, left: Integers, right: Integers) -> Booleans:
    """Whether the tokens at `left` and at `right`, pair by pair, are the same bytes.

    Keys decide for tokens of up to eight bytes. Longer ones are compared eight bytes at a time, as
    long as there is a pair without a difference.
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
    """Whether the texts at `left` and at `right`, pair by pair, have the same tokens in order."""
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


class Overlaps(NamedTuple):
    """How many tokens each text has, and shares with the first text of its group."""

    shared: Integers  # with multiplicity: the clipped overlap
    shared_types: Integers  # distinct tokens
    types: Integers  # distinct tokens of each text
    collisions: Booleans  # texts in which different tokens have one hash: count them another way


def overlaps(tokens: Tokens, first_texts: Integers, sizes: Integers) -> Overlaps:
    """For each text its overlap with the first text of its group.

    A stable radix sort by a hash of the token alone leaves runs of equal (hash, group, text), since
    texts lie group after group; the run of the first text comes first. So no sort by group or text
    is needed. A run stands for one token. That it does, and that two runs hold the same token, is
    verified. Texts with a run of two tokens (one in 65,536 pairs of tokens, or in 2**32 in long
    texts) are collisions.

    Args:
        tokens: of all texts.
        first_texts: index of the first text of each group.
        sizes: texts of each group.
    """
    order, hashes = _by_hash(tokens)
    texts = tokens.texts.take(order)
    is_new = changes(hashes, texts)
    repeats = np.flatnonzero(~is_new)
    differ = ~equal_tokens(tokens, order.take(repeats - 1), order.take(repeats))
    collisions = np.zeros(tokens.counts.size, dtype=bool)
    collisions[texts.take(repeats[differ])] = True

    run_starts = np.flatnonzero(is_new)
    run_lengths = np.diff(run_starts, append=order.size)
    run_tokens, run_hashes, run_texts = (
        column.take(run_starts) for column in (order, hashes, texts)
    )
    run_firsts = np.repeat(first_texts, sizes).astype(np.int32).take(run_texts)
    # Each run beside the latest run of a first text: they match if that has this group and hash.
    is_first = run_texts == run_firsts
    latest = np.maximum.accumulate(np.where(is_first, np.arange(is_first.size), 0))
    runs = np.flatnonzero(~is_first)
    partners = latest.take(runs)
    match = run_texts.take(partners) == run_firsts.take(runs)
    match &= run_hashes.take(partners) == run_hashes.take(runs)
    runs, partners = runs[match], partners[match]
    match = equal_tokens(tokens, run_tokens.take(runs), run_tokens.take(partners))
    runs, partners = runs[match], partners[match]

    text = run_texts.take(runs)
    clipped = np.minimum(run_lengths.take(runs), run_lengths.take(partners))
    n = tokens.counts.size
    return Overlaps(
        np.bincount(text, weights=clipped, minlength=n).astype(np.int64),
        np.bincount(text, minlength=n),
        np.bincount(run_texts, minlength=n),
        collisions,
    )


def _by_hash(tokens: Tokens) -> tuple[Integers, NDArray[np.uint32]]:
    """A stable order of the tokens by hash, and the hashes in this order.

    The hash is of the first sixteen bytes and the length. Its upper 16 bits are enough where texts
    are short; all 32 keep the different tokens of a long text apart.
    """
    mixed = tokens.keys * KEY_MULTIPLIER
    long = np.flatnonzero(tokens.lengths > 8)
    rest = tokens.bytes_from(long, 8)
    rest += tokens.lengths.take(long).astype(np.uint64)
    mixed[long] += rest * REST_MULTIPLIER
    hashes = (mixed >> np.uint64(32)).astype(np.uint32)
    if tokens.counts.max(initial=0) <= _SHORT_TEXT:
        hashes >>= np.uint32(16)
    order = stable_order(hashes)
    return order, hashes.take(order)
