"""ROUGE-Lsum: the union of the longest common subsequences between lines.

For each line of the reference, the words on its longest common subsequence with any line
of the prediction count (Lin, ROUGE: A Package for Automatic Evaluation of Summaries, 2004,
section 3.2). Lin's example: the reference line "w1 w2 w3 w4 w5" has the subsequence "w1 w2" in
common with the line "w1 w2 w6 w7 w8", and "w1 w3 w5" with "w1 w3 w8 w9 w5". The union is
w1 w2 w3 w5: four words. The count of each word is limited to its count in the prediction.
"""

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
from .lcs import GAP, ROWS, Matches, lcs_paths, lcs_rows
from .rouge_words import BlockWords, SharedNgrams

_ENTRIES = 200_000  # per batch: matches between lines, some two hundred bytes each


class _SharedWords(NamedTuple):
    """The shared words of a block, by line."""

    line_counts: Integers  # number of shared words of each line
    ngrams: Integers  # the shared word at each word of the block, -1 if there is none
    ranks: Integers  # the rank of each shared word of the block within its line
    prediction_words: Integers  # indices in the block of shared words in predictions
    reference_words: Integers  # indices in the block of those in references, by shared word
    # Those of lines with at most `ROWS` shared words as bits: an entry for each shared word and
    # line, word after word.
    entry_lines: Integers
    entry_bits: Unsigned  # the ranks where the word occurs
    entry_counts: Integers  # number of entries of each shared word


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
    in_short = reference_words[line_counts.take(words.lines.take(reference_words)) <= ROWS]
    short_ngrams, line = ngrams.take(in_short), words.lines.take(in_short)
    bits = np.uint64(1) << ranks.take(in_short).astype(np.uint64)
    starts = np.flatnonzero(changes(short_ngrams, line))
    return _SharedWords(
        line_counts,
        ngrams,
        ranks,
        indices[is_prediction.take(indices)],
        reference_words,
        line.take(starts),
        np.bitwise_or.reduceat(bits, starts) if starts.size else bits,
        np.bincount(short_ngrams.take(starts), minlength=shared.pairs.size),
    )


def union_lcs_counts(words: BlockWords, shared: SharedNgrams) -> Integers:
    """Return the number of words of the reference in the union, for each pair of a block."""
    lined = _shared_words(words, shared)
    prediction_words = lined.prediction_words
    prediction_lines = words.lines.take(prediction_words)
    entries = lined.entry_counts.take(lined.ngrams.take(prediction_words))
    lines = words.line_ends.size
    costs = np.bincount(prediction_lines, weights=entries, minlength=lines).astype(np.int64)
    is_long = (costs > _ENTRIES) | ((lined.line_counts > ROWS) & (words.line_texts & 1 == 1))
    union = np.zeros(lines, dtype=np.uint64)  # of each line with few shared words, as bits
    ends = np.searchsorted(prediction_words, words.line_ends).tolist()
    for start, stop in bounded_ranges(costs, _ENTRIES):
        batch = prediction_words[ends[start - 1] if start else 0 : ends[stop - 1]]
        if batch.size and costs[start] <= _ENTRIES:
            matches, targets = _line_matches(words, lined, batch)
            starts = np.flatnonzero(changes(targets))
            union[targets.take(starts)] |= np.bitwise_or.reduceat(lcs_paths(matches), starts)

    in_union = np.zeros(lined.ngrams.size, dtype=bool)
    line = words.lines.take(lined.reference_words)
    ranks = np.minimum(lined.ranks.take(lined.reference_words), ROWS).astype(np.uint64)
    in_union[lined.reference_words] = union.take(line) >> ranks & np.uint64(1) > 0
    for number in np.flatnonzero(is_long).tolist():
        in_union[_in_long_line(words, lined, number)] = True
    in_union = in_union.take(lined.reference_words)
    ngrams = lined.ngrams.take(lined.reference_words)
    counts = np.bincount(ngrams, weights=in_union, minlength=shared.pairs.size)
    clipped = np.minimum(counts, shared.prediction_counts)
    pairs = words.text_counts.size // 2
    return np.bincount(shared.pairs, weights=clipped, minlength=pairs).astype(np.int64)


def _in_long_line(words: BlockWords, lined: _SharedWords, line: int) -> list[int]:
    """Return the words of references in the union that a long line is part of."""

    def shared_words(line: int) -> list[int]:
        start = words.line_ends[line - 1] if line else 0
        return list(map(int, lined.ngrams[start : words.line_ends[line]]))

    text = int(words.line_texts[line])
    others = range(*np.searchsorted(words.line_texts, [text ^ 1, (text ^ 1) + 1]).tolist())
    in_union: set[int] = set()
    seen = set()  # a model that got stuck writes one line a thousand times
    for other in others:
        target, source = (line, other) if text & 1 else (other, line)
        reference, prediction = shared_words(target), shared_words(source)
        if text & 1 and tuple(prediction) in seen:
            continue
        seen.add(tuple(prediction))
        start = int(words.line_ends[target]) - len(reference)
        rows = [row for row, word in enumerate(reference) if word >= 0]
        items = [reference[row] for row in rows]  # `lcs_rows` must see the others of predictions
        if not set(items).isdisjoint(prediction):
            path = lcs_rows(items, prediction)
            in_union.update(start + row for n, row in enumerate(rows) if path >> n & 1)
    return [*in_union]


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
    ngrams = lined.ngrams.take(prediction_words)
    counts = lined.entry_counts.take(ngrams)
    column = segment_numbers(counts)  # the index of each entry in `prediction_words`
    entry = ranges(segment_starts(lined.entry_counts).take(ngrams), counts)
    line = lined.entry_lines.take(entry)
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
        rows=lined.line_counts.take(line.take(pairs)),
        columns=np.diff(first_columns, append=columns.size),
        pair=pair_numbers,
        column=column_numbers - first_columns.take(pair_numbers),
        bits=lined.entry_bits.take(entry) | gaps.take(column_numbers) * GAP,
    )
    return matches, line.take(pairs)
