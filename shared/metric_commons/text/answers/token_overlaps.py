"""Compare tokens: which texts have the same tokens, and how many tokens texts share."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Booleans, Integers
from ..tokens.distinct_keys import KEY_MULTIPLIER, REST_MULTIPLIER
from ..tokens.segments import changes, ranges, segment_starts, stable_order
from ..tokens.tokens import Tokens

_SHORT_TEXT = 64  # tokens; for longer texts, 16 bits of hash are too few


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
    """The number of tokens that each text shares with the first text of its group."""

    shared: Integers  # with multiplicity: the clipped overlap
    shared_types: Integers  # distinct tokens
    types: Integers | None  # distinct tokens of each text, if requested
    collisions: Booleans  # texts where different tokens have equal hashes: count them otherwise


def overlaps(
    tokens: Tokens, first_texts: Integers, sizes: Integers, *, count_types: bool = False
) -> Overlaps:
    """Return the overlap of each text with the first text of its group.

    A stable radix sort by a hash of the token alone leaves runs of equal (hash, group, text), since
    texts are ordered by group; the run of the first text comes first. So no sort by group or text
    is needed. A run should hold a single token, and matching runs the same token; both are
    verified. Texts with a run of two tokens (one in 65,536 pairs of tokens, or in 2**32 in long
    texts) are collisions.

    Args:
        tokens: the tokens of all texts.
        first_texts: the index of the first text of each group.
        sizes: the number of texts of each group.
        count_types: whether to count the distinct tokens of each text too. Otherwise most tokens
            that are not shared need not be sorted.
    """
    hashes = _hashes(tokens)
    if count_types:
        order = stable_order(hashes)
    else:
        candidates = _may_be_shared(tokens, hashes, first_texts)
        order = candidates.take(stable_order(hashes.take(candidates)))
    hashes = hashes.take(order)
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
    # Match each run with the latest run of a first text, if the two have the same group and hash.
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
        np.bincount(run_texts, minlength=n) if count_types else None,
        collisions,
    )


def _may_be_shared(tokens: Tokens, hashes: NDArray[np.uint32], first_texts: Integers) -> Integers:
    """Return the tokens that may occur on the other side of their group.

    All that do, and few others.

    One side is the first text, the other all texts after it. For each side, 64 bits record which
    hashes modulo 64 occur; a token whose bit the other side lacks does not occur there.
    """
    if not hashes.size:
        return tokens.starts  # which is empty
    text_starts = np.append(tokens.text_starts, hashes.size)
    side_starts = text_starts.take(np.stack([first_texts, first_texts + 1], axis=1).ravel())
    # One additional element without a bit: empty sides at the end of the block begin there.
    bits = np.zeros(hashes.size + 1, dtype=np.uint64)
    np.left_shift(np.uint64(1), hashes & np.uint32(63), dtype=np.uint64, out=bits[:-1])
    # A side without tokens gets the bit of the token after it, which drops no token wrongly.
    bits_of_sides = np.bitwise_or.reduceat(bits, side_starts)
    of_other_side = bits_of_sides.reshape(-1, 2)[:, ::-1].ravel()
    bits[:-1] &= np.repeat(of_other_side, np.diff(side_starts, append=hashes.size))
    return np.flatnonzero(bits)


def _hashes(tokens: Tokens) -> NDArray[np.uint32]:
    """Return a hash of each token, of its first sixteen bytes and its length.

    Its upper 16 bits suffice for short texts; all 32 bits distinguish the tokens of a long text.
    """
    mixed = tokens.keys * KEY_MULTIPLIER
    long = np.flatnonzero(tokens.lengths > 8)
    rest = tokens.bytes_from(long, 8)
    rest += tokens.lengths.take(long).astype(np.uint64)
    mixed[long] += rest * REST_MULTIPLIER
    hashes = (mixed >> np.uint64(32)).astype(np.uint32)
    if tokens.counts.max(initial=0) <= _SHORT_TEXT:
        hashes >>= np.uint32(16)
    return hashes
