"""The edits of TER: substituted, deleted and inserted words, and shifted phrases.

TER (Snover et al., A Study of Translation Edit Rate with Targeted Human Annotation, 2006) moves a
phrase of the translation that also occurs in the reference, at the cost of one edit, as long as
that saves more than it costs. Finding the fewest edits with shifts is hard, so the search is
greedy, and its limits are part of the definition, as in sacrebleu, after Tercom:
phrases of up to ten words, shifted by up to fifty positions, distances within a beam around the
diagonal, and at most a thousand shifts tried.

Distances are computed in one Python integer with a bit for each word of the reference (Myers 1999,
in the form of Hyyrö 2003) if the beam cannot affect the result; otherwise from the cells of the
table inside the beam, for all shifts of a round at once.
"""

import math
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Integers

_BEAM = 25  # words on either side of the diagonal
_LONGEST, _FARTHEST = 10, 50  # words of a shifted phrase, and how far it moves
_MOVES = 1_000  # tried per pair
_FEW = 8  # up to this many distances are cheaper one by one
_FAR = 1 << 40

Words = tuple[int, ...]


class _Move(NamedTuple):
    """A phrase of the translation to move; larger tuples are tried first, all else being equal."""

    length: int
    start: int  # negative, so that the leftmost is the largest
    target: int  # also negative

    def applied(self, words: Words) -> Words:
        """Return the words after moving this phrase."""
        start, target = -self.start, -self.target
        end = start + self.length
        stretch = words[start:end]
        if target < start:
            return words[:target] + stretch + words[target:start] + words[end:]
        if target > end:
            return words[:start] + words[end:target] + stretch + words[target:]
        shifted = target + self.length
        return words[:start] + words[end:shifted] + stretch + words[shifted:]


def translation_edits(prediction: Sequence[str], reference: Sequence[str]) -> int:
    """Return the number of edits from prediction to reference, as found by TER's search.

    >>> translation_edits("d e f g a b c".split(), "a b c d e f g".split())
    1
    >>> translation_edits("a x c".split(), "a b c".split()), translation_edits(["a"], [])
    (1, 1)
    """
    if not reference or prediction == reference:
        return len(prediction) if not reference else 0
    numbers: dict[str, int] = {}
    words, target = (
        tuple(numbers.setdefault(word, len(numbers)) for word in side)
        for side in (prediction, reference)
    )
    distances = _EditDistances(target)
    moves = tried = 0
    while True:
        before, steps = distances.trace(words)
        candidates, tried = _moves(words, target, steps, tried)
        if not candidates or tried >= _MOVES:  # at the limit even the best move is not made
            return moves + before
        moved = [move.applied(words) for move in candidates]
        distances.prepare(moved, before)
        gains = (before - distances.known[result] for result in moved)
        gain, _, words_after = max(zip(gains, candidates, moved, strict=True))
        if gain <= 0:
            return moves + before
        moves += 1
        words = words_after


def _moves(words: Words, target: Words, steps: str, tried: int) -> tuple[list[_Move], int]:
    """Return the moves to try, and the number tried so far including them.

    Both the phrase and the position that it would match must currently be wrong.
    """
    columns, word_errors, target_errors = _alignment(steps)
    candidates: list[_Move] = []
    for start, position, length in _common_stretches(words, target):
        is_wrong = any(word_errors[start : start + length])
        if not is_wrong or not any(target_errors[position : position + length]):
            continue
        if start <= columns[position] < start + length:
            continue
        previous = -1
        for index in range(position - 1, position + length):
            if index >= len(columns):
                break
            column = columns[index] + 1 if index >= 0 else 0
            if column != previous:
                candidates.append(_Move(length, -start, -column))
                previous = column
        if tried + len(candidates) >= _MOVES:
            break
    return candidates, tried + len(candidates)


def _alignment(steps: str) -> tuple[list[int], list[bool], list[bool]]:
    """For each reference word, the prediction word reached so far; and the wrong words of both."""
    columns, word_errors, target_errors = [], [], []
    column = -1
    for step in steps:
        if step != "r":
            column += 1
            word_errors.append(step != " ")
        if step != "p":
            columns.append(column)
            target_errors.append(step != " ")
    return columns, word_errors, target_errors


def _common_stretches(words: Words, target: Words) -> Iterator[tuple[int, int, int]]:
    """Phrases that both have: where they start, and each length from 1."""
    positions_by_word: dict[int, list[int]] = {}
    for position, word in enumerate(target):
        positions_by_word.setdefault(word, []).append(position)
    for start, word in enumerate(words):
        positions = positions_by_word.get(word, [])
        nearest = bisect_left(positions, start - _FARTHEST)
        for position in islice(positions, nearest, None):
            if position > start + _FARTHEST:
                break
            limit = min(_LONGEST, len(words) - start, len(target) - position)
            length = 0
            while length < limit and words[start + length] == target[position + length]:
                length += 1
                yield start, position, length


class _EditDistances:
    """Distances of translations from one reference, each computed once."""

    def __init__(self, target: Words) -> None:
        self._target = target
        self._rows = len(target)
        self._all_rows = (1 << self._rows) - 1
        self._rows_of_words: dict[int, int] = {}
        for row, word in enumerate(target):
            self._rows_of_words[word] = self._rows_of_words.get(word, 0) | 1 << row
        self.known: dict[Words, int] = {}

    def prepare(self, candidates: Sequence[Words], before: int) -> None:
        """Compute the missing distances of word sequences that all have the same length."""
        unknown = [words for words in dict.fromkeys(candidates) if words not in self.known]
        if not unknown:
            return
        difference = abs(self._rows - len(unknown[0]))
        is_near = max(before + 1, 2) + difference < 2 * _BEAM - 12
        if self._rows < _BEAM or len(unknown) < _FEW or is_near:
            for words in unknown:
                self.known[words] = self._distance(words)
            unknown = [w for w in unknown if not self._is_in_beam(self.known[w], len(w))]
        if unknown:
            beam = _beam_rows(np.array(unknown, np.int64), np.array(self._target, np.int64))
            ((_, last),) = deque(beam, maxlen=1)
            self.known.update(zip(unknown, last[:, -1].tolist(), strict=True))

    def trace(self, words: Words) -> tuple[int, str]:
        """Return the distance, and the steps from the beginning: " " for a match, or an error.

        An error is "s" for a substituted word, "p" for a word of the prediction only, "r" for one
        of the reference only; among equally short paths, the first in this order is taken.
        """
        distance, steps = self._exact_trace(words)
        if self._is_in_beam(distance, len(words)):
            return distance, steps
        return self._beam_trace(words)

    def _is_in_beam(self, distance: int, columns: int) -> bool:
        """Return whether no shortest path can leave the beam."""
        difference = abs(self._rows - columns)
        return self._rows < _BEAM or (distance + difference) / 2 + 2 < _BEAM

    def _distance(self, words: Words) -> int:
        rises, falls, distance = self._all_rows, 0, self._rows
        last, all_rows = 1 << (self._rows - 1), self._all_rows
        get = self._rows_of_words.get
        for word in words:
            match = get(word, 0)
            level = (((match & rises) + rises) ^ rises) | match | falls
            rises_right = falls | (all_rows & ~(level | rises))
            falls_right = level & rises
            if rises_right & last:
                distance += 1
            elif falls_right & last:
                distance -= 1
            rises_right = rises_right << 1 | 1
            rises = all_rows & ((falls_right << 1) | ~(level | rises_right))
            falls = rises_right & level & all_rows
        return distance

    def _exact_trace(self, words: Words) -> tuple[int, str]:
        rises, falls, all_rows = self._all_rows, 0, self._all_rows
        levels, rises_of_columns = [], []
        for word in words:
            match = self._rows_of_words.get(word, 0)
            level = ((((match & rises) + rises) ^ rises) | match | falls) & all_rows
            rises_right = falls | (all_rows & ~(level | rises))
            falls_right = level & rises
            levels.append(level)
            rises_of_columns.append(rises_right)
            rises_right = rises_right << 1 | 1
            rises = all_rows & ((falls_right << 1) | ~(level | rises_right))
            falls = rises_right & level & all_rows
        steps = []
        column, row = len(words), self._rows
        while column or row:
            if column and row and words[column - 1] == self._target[row - 1]:
                steps.append(" ")
                column, row = column - 1, row - 1
            elif column and row and not levels[column - 1] >> (row - 1) & 1:
                steps.append("s")
                column, row = column - 1, row - 1
            elif column and (not row or rises_of_columns[column - 1] >> (row - 1) & 1):
                steps.append("p")
                column -= 1
            else:
                steps.append("r")
                row -= 1
        return len(steps) - steps.count(" "), "".join(reversed(steps))

    def _beam_trace(self, words: Words) -> tuple[int, str]:
        array = np.array([words], np.int64).reshape(1, len(words))
        table = [
            (low, cells[0].tolist())
            for low, cells in _beam_rows(array, np.array(self._target, np.int64))
        ]

        def cell(column: int, row: int) -> int:
            low, cells = table[column]
            inside: int = cells[row - low] if low <= row < low + len(cells) else _FAR
            return inside

        steps = []
        column, row = len(words), self._rows
        while column or row:
            distance = cell(column, row)
            differs = bool(column and row and words[column - 1] != self._target[row - 1])
            if column and row and cell(column - 1, row - 1) + differs == distance:
                steps.append("s" if differs else " ")
                column, row = column - 1, row - 1
            elif column and cell(column - 1, row) + 1 == distance:
                steps.append("p")
                column -= 1
            else:
                steps.append("r")
                row -= 1
        return cell(len(words), self._rows), "".join(reversed(steps))


def _beam_rows(sides: Integers, target: Integers) -> Iterator[tuple[int, Integers]]:
    """Yield the rows of the distance table, for many translations at once.

    Where each starts, its cells.

    After the first, a row has only the cells inside the beam, so that time and memory grow with the
    number of words and not with its square. A cell depends on the one to its left: it is the
    minimum of t[k] + j - k over all k up to j, which is a running minimum of t - j.

    Args:
        sides: the words of the translations, shape (translations, words).
        target: the words of the reference.
    """
    translations, words = sides.shape
    low = 0
    line: Integers = np.broadcast_to(np.arange(target.size + 1), (translations, target.size + 1))
    yield low, line
    ratio = target.size / words if words else 1.0
    width = math.ceil(ratio / 2 + _BEAM) if ratio / 2 > _BEAM else _BEAM
    for number in range(1, words + 1):
        middle = math.floor(number * ratio)
        before, low = low, max(0, middle - width)
        high = target.size + 1 if number == words else min(target.size + 1, middle + width)
        first = max(low, 1)
        differs = sides[:, number - 1, np.newaxis] != target[first - 1 : high - 1]
        above = _cells(line, before, first - 1, high)
        cells = np.minimum(above[:, :-1] + differs, above[:, 1:] + 1)
        if low == 0:
            cells = np.concatenate((above[:, :1] + 1, cells), axis=1)
        offsets = np.arange(cells.shape[1])
        line = np.minimum.accumulate(cells - offsets, axis=1) + offsets
        np.minimum(line, _FAR, out=line)
        yield low, line


def _cells(line: Integers, low: int, start: int, end: int) -> Integers:
    """Return the cells from start to end of a row that starts at `low`.

    Far ones are outside the beam.
    """
    cells = np.full((line.shape[0], end - start), _FAR, np.int64)
    left, right = max(start, low), min(end, low + line.shape[1])
    if left < right:
        cells[:, left - start : right - start] = line[:, left - low : right - low]
    return cells
