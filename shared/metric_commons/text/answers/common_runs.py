"""The longest run of tokens that two texts have in common, as CMRC 2018 scores answers."""

from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Integers
from ..tokens.segments import ranges, segment_starts

_CELLS = 1 << 18  # of the tables of one block of pairs
_LARGE_TABLE = 1 << 22  # cells of one pair; above this an automaton, of linear time, is faster
_PADDING = -1, -2  # after the tokens of either side; they differ, so that they never match


def longest_common_runs(
    codes: Integers, counts: Integers, left: Integers, right: Integers
) -> Integers:
    """Return the length of the longest run of tokens that both texts of each pair contain.

    Args:
        codes: the tokens of all texts, text after text, as integers from 0.
        counts: the number of tokens of each text.
        left: a text of each pair.
        right: the other text of each pair.

    >>> codes, counts = np.array([3, 1, 2, 1, 2, 3]), np.array([3, 3])
    >>> longest_common_runs(codes, counts, np.array([0]), np.array([1])).tolist()
    [2]
    """
    # The loop steps through the text with fewer tokens.
    swap = counts.take(left) > counts.take(right)
    short, long = np.where(swap, right, left), np.where(swap, left, right)
    starts = segment_starts(counts)
    lengths = np.zeros(left.size, dtype=np.int64)
    cells = counts.take(short) * counts.take(long)
    for pair in np.flatnonzero(cells > _LARGE_TABLE).tolist():
        lengths[pair] = longest_common_run(
            *(codes[starts[t] : starts[t] + counts[t]].tolist() for t in (short[pair], long[pair]))
        )
    for pairs in _blocks_of_similar_size(counts.take(short), counts.take(long), cells):
        lengths[pairs] = _longest_runs(
            _padded(codes, starts, counts, short.take(pairs), _PADDING[0]),
            _padded(codes, starts, counts, long.take(pairs), _PADDING[1]),
        )
    return lengths


def _blocks_of_similar_size(short: Integers, long: Integers, cells: Integers) -> Iterator[Integers]:
    """Blocks of pairs with tables of similar width and height, so that little is padding."""
    pairs = np.flatnonzero((cells > 0) & (cells <= _LARGE_TABLE))
    bits = [np.ceil(np.log2(counts.take(pairs))).astype(np.int64) for counts in (short, long)]
    sizes = bits[0] * 64 + bits[1]
    order = np.argsort(sizes, kind="stable")
    pairs, sizes = pairs.take(order), sizes.take(order)
    bounds = np.flatnonzero(np.diff(sizes, prepend=-1, append=-1))
    for start, stop in pairwise(bounds.tolist()):
        step = max(_CELLS >> int(sizes[start] // 64 + sizes[start] % 64), 1)
        for first in range(start, stop, step):
            yield pairs[first : min(first + step, stop)]


def _padded(
    codes: Integers, starts: Integers, counts: Integers, texts: Integers, padding: int
) -> NDArray[np.int64]:
    """Return the tokens of texts as the rows of a table, with padding after them."""
    lengths = counts.take(texts)
    table = np.full((texts.size, int(lengths.max())), padding, dtype=np.int64)
    is_token = np.arange(table.shape[1]) < lengths[:, np.newaxis]
    table[is_token] = codes.take(ranges(starts.take(texts), lengths))
    return table


def _longest_runs(short: NDArray[np.int64], long: NDArray[np.int64]) -> Integers:
    """Return the longest common run of each pair of rows.

    After each token of the short text, `runs` holds the length of the common run that ends with
    this token and with each token of the long text: one more than the run before both, if they are
    equal.
    """
    runs = np.zeros((long.shape[0], long.shape[1] + 1), dtype=np.int16)  # a run has < 2048 tokens
    longest = np.zeros_like(runs[:, 1:])
    for column in short.T:
        runs[:, 1:] = (runs[:, :-1] + 1) * (long == column[:, np.newaxis])
        np.maximum(longest, runs[:, 1:], out=longest)
    lengths: Integers = longest.max(axis=1).astype(np.int64)
    return lengths


def longest_common_run(short: Sequence[Hashable], long: Sequence[Hashable]) -> int:
    """Return the length of the longest run that two texts share, in linear time.

    Each state of the suffix automaton of the first text represents the runs that end at the same
    places of it. Reading the other text, the automaton keeps the longest run that ends with the
    last token.

    >>> longest_common_run("new york city".split(), "york city hall".split())
    2
    """
    following: list[dict[Hashable, int]] = [{}]
    shorter, length = [-1], [0]  # the state of the longest suffix elsewhere; the longest run
    last = 0
    for token in short:
        new, state = len(length), last
        following.append({})
        length.append(length[last] + 1)
        shorter.append(0)
        while state >= 0 and token not in following[state]:
            following[state][token] = new
            state = shorter[state]
        if state >= 0:
            target = following[state][token]
            if length[target] > length[state] + 1:  # some runs of this state now end here too
                copy = len(length)
                following.append(following[target].copy())
                length.append(length[state] + 1)
                shorter.append(shorter[target])
                while state >= 0 and following[state].get(token) == target:
                    following[state][token] = copy
                    state = shorter[state]
                shorter[target] = target = copy
            shorter[new] = target
        last = new
    longest = run = state = 0
    for token in long:
        while state > 0 and token not in following[state]:
            state = shorter[state]
            run = length[state]
        if token in following[state]:
            state = following[state][token]
            run += 1
        longest = max(longest, run)
    return longest
