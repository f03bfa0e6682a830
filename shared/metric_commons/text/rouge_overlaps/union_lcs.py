"""ROUGE-Lsum: the union of the longest common subsequences between lines.

For each line of the reference, the words on its longest common subsequence with any line
of the prediction count (Lin, ROUGE: A Package for Automatic Evaluation of Summaries, 2004,
section 3.2). Lin's example: the reference line "w1 w2 w3 w4 w5" has the subsequence "w1 w2" in
common with the line "w1 w2 w6 w7 w8", and "w1 w3 w5" with "w1 w3 w8 w9 w5". The union is
w1 w2 w3 w5: four words. The count of each word is limited to its count in the prediction.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Integers, Unsigned
from ..tokens.segments import (
    bounded_ranges,
    changes,
    offsets,
    ranges,
    segment_numbers,
    segment_starts,
    stable_order,
)
from .block_words import BlockWords
from .lcs import lcs_rows
from .lcs_paths import ROWS, Matches, lcs_paths, marked_gaps, word_counts
from .ngram_overlaps import SharedNgrams

_ENTRIES = 200_000  # per batch: matches between lines, some two hundred bytes each


def union_lcs(
    prediction_lines: Sequence[Sequence[Hashable]], reference_lines: Sequence[Sequence[Hashable]]
) -> int:
    """Return the number of words of the reference in the union, for one pair of texts.

    >>> prediction = ["w1 w2 w6 w7 w8".split(), "w1 w3 w8 w9 w5".split()]
    >>> union_lcs(prediction, ["w1 w2 w3 w4 w5".split()])
    4
    """
    available = Counter(chain.from_iterable(prediction_lines))
    union: Counter[Hashable] = Counter()
    for reference_line in reference_lines:
        words = set(reference_line)
        rows = 0
        for prediction_line in prediction_lines:
            if not words.isdisjoint(prediction_line):
                rows |= lcs_rows(reference_line, prediction_line)
        union.update(word for row, word in enumerate(reference_line) if rows >> row & 1)
    return (union & available).total()


class _BitRows(NamedTuple):
    """The shared words of references as bits: an entry for each word, line and `ROWS` rows."""

    line: Integers  # the line of each entry
    word: Integers  # the machine word, which begins at row word * ROWS
    bits: Unsigned  # the rows where the word occurs
    counts: Integers  # number of entries of each shared word, word after word

    def entries(self, ngrams: Integers) -> tuple[Integers, Integers]:
        """Return all entries of a list of shared words: the index in that list, and the entry."""
        counts = self.counts.take(ngrams)
        starts = segment_starts(self.counts).take(ngrams)
        return segment_numbers(counts), ranges(starts, counts)


class _SharedWords(NamedTuple):
    """The shared words of a block, by line."""

    line_counts: Integers  # number of shared words of each line
    ngrams: Integers  # the shared word at each word of the block, -1 if there is none
    ranks: Integers  # the rank of each shared word of the block within its line
    prediction_words: Integers  # indices in the block of shared words in predictions
    reference_words: Integers  # indices in the block of those in references, by shared word
    rows: _BitRows  # the latter as bits


def _shared_words(words: BlockWords, shared: SharedNgrams) -> _SharedWords:
    ngrams = shared.numbers
    indices = np.flatnonzero(ngrams >= 0)
    line_counts = np.bincount(words.lines.take(indices), minlength=words.line_ends.size)
    ranks = np.zeros(ngrams.size, dtype=np.int64)
    ranks[indices] = offsets(line_counts)

    is_prediction = words.texts & 1 == 0
    reference_words = indices[~is_prediction.take(indices)]
    order = stable_order(ngrams.take(reference_words).astype(np.uint32))
    reference_words = reference_words.take(order)
    reference_ngrams = ngrams.take(reference_words)
    line = words.lines.take(reference_words)
    word, mask = _bits(ranks.take(reference_words))
    starts = np.flatnonzero(changes(reference_ngrams, line, word))
    rows = _BitRows(
        line.take(starts),
        word.take(starts),
        np.bitwise_or.reduceat(mask, starts) if starts.size else mask,
        np.bincount(reference_ngrams.take(starts), minlength=shared.pairs.size),
    )
    prediction_words = indices[is_prediction.take(indices)]
    return _SharedWords(line_counts, ngrams, ranks, prediction_words, reference_words, rows)


def _bits(rows: Integers) -> tuple[Integers, Unsigned]:
    """Return the machine word of each row, and its bit within that word."""
    word = rows // ROWS
    return word, np.uint64(1) << (rows - ROWS * word).astype(np.uint64)  # numpy's divmod is slow


def union_lcs_counts(words: BlockWords, shared: SharedNgrams) -> Integers:
    """Return the number of words of the reference in the union, for each pair of a block."""
    lined = _shared_words(words, shared)
    pairs = words.text_counts.size // 2
    widths = word_counts(lined.line_counts)
    union_starts = segment_starts(widths)
    union = np.zeros(int(widths.sum()), dtype=np.uint64)  # of each line, as machine words
    large_pairs: dict[int, int] = {}

    columns = np.bincount(words.texts.take(lined.prediction_words) >> 1, minlength=pairs)
    ends = np.cumsum(columns)
    costs = _costs(words, lined, columns)
    for start, stop in bounded_ranges(costs, _ENTRIES):
        if costs[start] > _ENTRIES:
            prediction, reference = (_lines(words, lined, 2 * start + side) for side in (0, 1))
            large_pairs[start] = union_lcs(prediction, reference)
            continue
        batch = lined.prediction_words[ends[start] - columns[start] : ends[stop - 1]]
        if not batch.size:
            continue
        matches, lines = _line_matches(words, lined, batch)
        targets = ranges(union_starts.take(lines), widths.take(lines))
        order = stable_order(targets.astype(np.uint32))
        targets = targets.take(order)
        starts = np.flatnonzero(changes(targets))
        paths = lcs_paths(matches).take(order)
        union[targets.take(starts)] = np.bitwise_or.reduceat(paths, starts)

    word, mask = _bits(lined.ranks.take(lined.reference_words))
    lines = words.lines.take(lined.reference_words)
    in_union = union.take(union_starts.take(lines) + word) & mask != 0
    ngrams = lined.ngrams.take(lined.reference_words)
    counts = np.bincount(ngrams, weights=in_union, minlength=shared.pairs.size)
    clipped = np.minimum(counts, shared.prediction_counts)
    totals = np.bincount(shared.pairs, weights=clipped, minlength=pairs).astype(np.int64)
    for pair, total in large_pairs.items():
        totals[pair] = total
    return totals


def _costs(words: BlockWords, lined: _SharedWords, columns: Integers) -> Integers:
    """For each pair, an upper estimate of the entries and masks that its lines need.

    A line of one machine word has a mask for each entry. A line of several has at most one mask for
    every column of the prediction, and for the steps in which its last machine words lag behind the
    first.
    """
    entries = lined.rows.counts.take(lined.ngrams.take(lined.prediction_words))
    pairs = words.texts.take(lined.prediction_words) >> 1
    costs = np.bincount(pairs, weights=entries, minlength=columns.size).astype(np.int64)
    widths = word_counts(lined.line_counts)
    wide_lines = np.flatnonzero((widths > 1) & (words.line_texts & 1 == 1))
    widths = widths.take(wide_lines)
    pairs = words.line_texts.take(wide_lines) >> 1
    lines = np.bincount(words.line_texts >> 1, minlength=columns.size).take(pairs)
    masks = widths * (columns.take(pairs) + lines * (widths - 1))
    costs += np.bincount(pairs, weights=masks, minlength=columns.size).astype(np.int64)
    return costs


def _lines(words: BlockWords, lined: _SharedWords, text: int) -> list[list[int]]:
    """Return the words of a text, line by line, as shared words; references without other words.

    In a prediction, other words are -1, since `lcs_rows` must see them.
    """
    lines = []
    for line in np.flatnonzero(words.line_texts == text).tolist():
        start = int(words.line_ends[line - 1]) if line else 0
        ngrams = lined.ngrams[start : int(words.line_ends[line])]
        lines.append((ngrams[ngrams >= 0] if text % 2 else ngrams).tolist())
    return lines


def _line_matches(
    words: BlockWords, lined: _SharedWords, prediction_words: Integers
) -> tuple[Matches, Integers]:
    """Match each line of a reference with the prediction lines that share words with it.

    Args:
        words: the block.
        lined: the shared words of the block.
        prediction_words: the shared words in the predictions of some pairs.

    Returns:
        The matches of all such pairs of lines, and the reference line of each pair of lines,
        ordered by reference line.
    """
    column, entry = lined.rows.entries(lined.ngrams.take(prediction_words))
    line = lined.rows.line.take(entry)
    order = stable_order(line.astype(np.uint32))
    column, entry, line = column.take(order), entry.take(order), line.take(order)
    prediction_line = words.lines.take(prediction_words).take(column)
    is_new_pair = changes(line, prediction_line)
    is_new_column = is_new_pair | changes(column)
    pairs, columns = np.flatnonzero(is_new_pair), np.flatnonzero(is_new_column)
    pair_numbers, column_numbers = np.cumsum(is_new_pair) - 1, np.cumsum(is_new_column) - 1

    # A gap: the next column of the pair, or else the end of the line, is not the next word.
    position = prediction_words.take(column.take(columns))
    next_position = words.line_ends.take(prediction_line.take(columns))
    np.copyto(next_position[:-1], position[1:], where=~is_new_pair.take(columns[1:]))
    gaps = next_position - position > 1
    first_columns = column_numbers.take(pairs)
    matches = Matches(
        lined.line_counts.take(line.take(pairs)),
        np.diff(first_columns, append=columns.size),
        pair=pair_numbers,
        column=column_numbers - first_columns.take(pair_numbers),
        word=lined.rows.word.take(entry),
        bits=marked_gaps(lined.rows.bits.take(entry), gaps.take(column_numbers)),
    )
    return matches, line.take(pairs)
