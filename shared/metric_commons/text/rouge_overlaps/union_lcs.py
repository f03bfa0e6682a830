"""ROUGE-Lsum: the union of the longest common subsequences between lines.

For each line of the reference, the words on its longest common subsequence with any line
of the prediction count (Lin, ROUGE: A Package for Automatic Evaluation of Summaries, 2004,
section 3.2). Lin's example: the reference line "w1 w2 w3 w4 w5" has the subsequence "w1 w2" in
common with the line "w1 w2 w6 w7 w8", and "w1 w3 w5" with "w1 w3 w8 w9 w5". The union is
w1 w2 w3 w5: four words. The count of each word is limited to its count in the prediction.
"""

from typing import NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Booleans, Integers, Unsigned
from ..tokens.segments import (
    bounded_ranges,
    changes,
    offsets,
    ranges,
    segment_numbers,
    segment_starts,
    stable_order,
)
from .lcs import GAP, ROWS, Matches, lcs_paths, lcs_rows, word_counts
from .rouge_words import BlockWords, SharedNgrams

_ENTRIES = 200_000  # per batch: matches between lines, some two hundred bytes each
_ALL_ROWS = (1 << ROWS) - 1  # of a machine word


class _SharedWords(NamedTuple):
    """The shared words of a block, by line."""

    line_counts: Integers  # number of shared words of each line
    ngrams: Integers  # the shared word at each word of the block, -1 if there is none
    ranks: Integers  # the rank of each shared word of the block within its line
    prediction_words: Integers  # indices in the block of shared words in predictions
    reference_words: Integers  # indices in the block of those in references, by shared word
    # The latter as bits: an entry for each shared word, line and `ROWS` rows, word after word.
    entry_lines: Integers
    entry_words: Integers  # the machine word, which begins at row word * ROWS
    entry_bits: Unsigned  # the rows where the word occurs
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
    reference_ngrams = ngrams.take(reference_words)
    line = words.lines.take(reference_words)
    word, mask = _bits(ranks.take(reference_words))
    starts = np.flatnonzero(changes(reference_ngrams, line, word))
    return _SharedWords(
        line_counts,
        ngrams,
        ranks,
        indices[is_prediction.take(indices)],
        reference_words,
        line.take(starts),
        word.take(starts),
        np.bitwise_or.reduceat(mask, starts) if starts.size else mask,
        np.bincount(reference_ngrams.take(starts), minlength=shared.pairs.size),
    )


def _bits(rows: Integers) -> tuple[Integers, Unsigned]:
    """Return the machine word of each row, and its bit within that word."""
    word = rows // ROWS
    return word, np.uint64(1) << (rows - ROWS * word).astype(np.uint64)  # numpy's divmod is slow


def union_lcs_counts(words: BlockWords, shared: SharedNgrams) -> Integers:
    """Return the number of words of the reference in the union, for each pair of a block."""
    lined = _shared_words(words, shared)
    widths = word_counts(lined.line_counts)
    union_starts = segment_starts(widths)
    union = np.zeros(int(widths.sum()), dtype=np.uint64)  # of each line, as machine words
    costs = _costs(words, lined)
    is_new = _first_lines(words, lined, costs)
    prediction_words = lined.prediction_words
    prediction_words = prediction_words[is_new.take(words.lines.take(prediction_words))]
    columns = np.bincount(words.lines.take(prediction_words), minlength=widths.size)
    costs *= is_new
    ends = np.cumsum(columns)
    for start, stop in bounded_ranges(costs, _ENTRIES):
        batch = prediction_words[ends[start] - columns[start] : ends[stop - 1]]
        if costs[start] > _ENTRIES:
            _add_line(words, lined, start, union, union_starts)
        elif batch.size:
            matches, lines = _line_matches(words, lined, batch)
            targets = ranges(union_starts.take(lines), widths.take(lines))
            order = stable_order(targets.astype(np.uint32))
            targets = targets.take(order)
            starts = np.flatnonzero(changes(targets))
            paths = lcs_paths(matches).take(order)
            union[targets.take(starts)] |= np.bitwise_or.reduceat(paths, starts)

    word, mask = _bits(lined.ranks.take(lined.reference_words))
    lines = words.lines.take(lined.reference_words)
    in_union = union.take(union_starts.take(lines) + word) & mask != 0
    ngrams = lined.ngrams.take(lined.reference_words)
    counts = np.bincount(ngrams, weights=in_union, minlength=shared.pairs.size)
    clipped = np.minimum(counts, shared.prediction_counts)
    pairs = words.text_counts.size // 2
    return np.bincount(shared.pairs, weights=clipped, minlength=pairs).astype(np.int64)


def _costs(words: BlockWords, lined: _SharedWords) -> Integers:
    """Return for each line of a prediction an upper estimate of the entries and masks it needs.

    With a reference line of one machine word it has a mask for each entry. With one of several it
    has at most one mask for every column, and for the steps in which the last machine words lag
    behind the first.
    """
    entries = lined.entry_counts.take(lined.ngrams.take(lined.prediction_words))
    lines = words.lines.take(lined.prediction_words)
    columns = np.bincount(lines, minlength=words.line_ends.size)
    costs = np.bincount(lines, weights=entries, minlength=columns.size).astype(np.int64)
    widths = word_counts(lined.line_counts)
    wide_lines = np.flatnonzero((widths > 1) & (words.line_texts & 1 == 1))
    widths = widths.take(wide_lines)
    pairs, pair = words.line_texts >> 1, words.line_texts.take(wide_lines) >> 1
    masks, lagging = (
        np.bincount(pair, weights=weights, minlength=words.text_counts.size).astype(np.int64)
        for weights in (widths, widths * (widths - 1))
    )
    costs += np.where(columns > 0, columns * masks.take(pairs) + lagging.take(pairs), 0)
    return costs


def _first_lines(words: BlockWords, lined: _SharedWords, costs: Integers) -> Booleans:
    """Return which lines are not a repetition, in texts that cost more than a batch.

    A model that got stuck writes one line a thousand times, which adds nothing to the union.
    """
    is_first = np.ones(costs.size, dtype=bool)
    large_texts = np.flatnonzero(np.bincount(words.line_texts, weights=costs) > _ENTRIES)
    for text in large_texts.tolist():
        previous_lines = set()
        for line in np.flatnonzero(words.line_texts == text).tolist():
            ngrams = _line_words(words, lined, line).tobytes()
            is_first[line] = ngrams not in previous_lines
            previous_lines.add(ngrams)
    return is_first


def _add_line(
    words: BlockWords, lined: _SharedWords, line: int, union: Unsigned, union_starts: Integers
) -> None:
    """Add the subsequences of one long line of a prediction to the union, one after another."""
    prediction = _line_words(words, lined, line).tolist()
    predicted_words = set(prediction)
    for target in np.flatnonzero(words.line_texts == words.line_texts[line] + 1).tolist():
        ngrams = _line_words(words, lined, target)
        reference = ngrams[ngrams >= 0].tolist()  # in predictions `lcs_rows` must see the others
        if not predicted_words.isdisjoint(reference):
            rows = lcs_rows(reference, prediction)
            for word in range(len(reference) // ROWS + 1):
                union[union_starts[target] + word] |= np.uint64(rows >> ROWS * word & _ALL_ROWS)


def _line_words(words: BlockWords, lined: _SharedWords, line: int) -> Integers:
    """Return the words of a line as shared words; -1 for others."""
    start = words.line_ends[line - 1] if line else 0
    return lined.ngrams[start : words.line_ends[line]]


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
        lined.line_counts.take(line.take(pairs)),
        np.diff(first_columns, append=columns.size),
        pair=pair_numbers,
        column=column_numbers - first_columns.take(pair_numbers),
        word=lined.entry_words.take(entry),
        bits=lined.entry_bits.take(entry) | gaps.take(column_numbers) * GAP,
    )
    return matches, line.take(pairs)
