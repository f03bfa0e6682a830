"""The edits of TER: words substituted, deleted, inserted, and stretches of words moved.

TER (Snover et al., A Study of Translation Edit Rate with Targeted Human Annotation, 2006) moves a
stretch of the translation that the reference has, for the price of one edit, as long as that saves
more than it costs. To find the fewest edits with moves is hard, so the search is greedy, and its
limits belong to the definition. They are those of sacrebleu, after Tercom: stretches of up to ten
words, moved by up to fifty places, distances within a beam around the diagonal, and no more than a
thousand moves tried.

Distances are computed with a bit for each word of the reference in one integer of Python (Myers
1999, in the form of Hyyrö 2003), where the beam cannot bite; else by the cells of the table that
lie in the beam, of all moves of a round at once.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..numbers.arrays import Integers

_BEAM = 25  # words on both sides of the diagonal
_LONGEST, _FARTHEST = 10, 50  # stretches that are moved, and how far
_MOVES = 1_000  # tried for a pair
_FEW = 8  # distances that cost less one by one
_FAR = 1 << 40

Words = tuple[int, ...]


class _Move(NamedTuple):
    """A stretch of the translation to be moved; the greater is tried first, all else equal."""

    length: int
    start: int  # negative, so that the leftmost is the greatest
    target: int  # negative too

    def applied(self, words: Words) -> Words:
        """The words with this stretch in another place."""
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
    """How many edits make the reference of the prediction, as the search of TER finds them.

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
    distances = _Distances(target)
    moves = tried = 0
    while True:
        before, steps = distances.trace(words)
        candidates, tried = _moves(words, target, steps, tried)
        if not candidates or tried >= _MOVES:  # at the limit the best move is not taken
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
    """The moves to try, and how many have been tried then.

    Both the stretch and the place that it would match have to be wrong as they are.
    """
    columns, word_errors, target_errors = _alignment(steps)
    candidates: list[_Move] = []
    for start, place, length in _common_stretches(words, target):
        is_wrong = any(word_errors[start : start + length])
        if not is_wrong or not any(target_errors[place : place + length]):
            continue
        if start <= columns[place] < start + length:
            continue
        previous = -1
        for index in range(place - 1, place + length):
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
    """For each word of the reference that of the prediction so far; and wrong words of both."""
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
    """Stretches that both have: where they start, and each length from 1 on."""
    places: dict[int, list[int]] = {}
    for place, word in enumerate(target):
        places.setdefault(word, []).append(place)
    for start, word in enumerate(words):
        for place in places.get(word, ()):
            if abs(place - start) > _FARTHEST:
                continue
            limit = min(_LONGEST, len(words) - start, len(target) - place)
            length = 0
            while length < limit and words[start + length] == target[place + length]:
                length += 1
                yield start, place, length


class _Distances:
    """Distances of translations from one reference, each computed once."""

    def __init__(self, target: Words) -> None:
        self._target = target
        self._array = np.array(target, np.int64)
        self._rows = len(target)
        self._all_rows = (1 << self._rows) - 1
        self._rows_of_words: dict[int, int] = {}
        for row, word in enumerate(target):
            self._rows_of_words[word] = self._rows_of_words.get(word, 0) | 1 << row
        self.known: dict[Words, int] = {}

    def prepare(self, candidates: Sequence[Words], before: int) -> None:
        """Compute the distances that are not known, of words that are all equally many."""
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
            last = _beam_rows(np.array(unknown, np.int64), self._array)[-1]
            self.known.update(zip(unknown, last[:, -1].tolist(), strict=True))

    def trace(self, words: Words) -> tuple[int, str]:
        """The distance, and the steps from the beginning: " ", or an error.

        An error is "s" for a word that stands for another, "p" for one of the prediction alone, "r"
        for one of the reference alone; of equally short ways the first of these is taken.
        """
        distance, steps = self._exact_trace(words)
        if self._is_in_beam(distance, len(words)):
            return distance, steps
        return self._beam_trace(words)

    def _is_in_beam(self, distance: int, columns: int) -> bool:
        """Whether no shortest way can leave the beam."""
        difference = abs(self._rows - columns)
        return self._rows < _BEAM or (distance + difference) / 2 + 2 < _BEAM

    def _distance(self, words: Words) -> int:
        rises, falls, distance = self._all_rows, 0, self._rows
        last, everything = 1 << (self._rows - 1), self._all_rows
        get = self._rows_of_words.get
        for word in words:
            match = get(word, 0)
            level = (((match & rises) + rises) ^ rises) | match | falls
            rises_right = falls | (everything & ~(level | rises))
            falls_right = level & rises
            if rises_right & last:
                distance += 1
            elif falls_right & last:
                distance -= 1
            rises_right = rises_right << 1 | 1
            rises = everything & ((falls_right << 1) | ~(level | rises_right))
            falls = rises_right & level & everything
        return distance

    def _exact_trace(self, words: Words) -> tuple[int, str]:
        rises, falls, everything = self._all_rows, 0, self._all_rows
        levels, rises_of_columns = [], []
        for word in words:
            match = self._rows_of_words.get(word, 0)
            level = ((((match & rises) + rises) ^ rises) | match | falls) & everything
            rises_right = falls | (everything & ~(level | rises))
            falls_right = level & rises
            levels.append(level)
            rises_of_columns.append(rises_right)
            rises_right = rises_right << 1 | 1
            rises = everything & ((falls_right << 1) | ~(level | rises_right))
            falls = rises_right & level & everything
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
        table = [line[0].tolist() for line in _beam_rows(array, self._array)]
        steps = []
        column, row = len(words), self._rows
        while column or row:
            distance = table[column][row]
            differs = bool(column and row and words[column - 1] != self._target[row - 1])
            if column and row and table[column - 1][row - 1] + differs == distance:
                steps.append("s" if differs else " ")
                column, row = column - 1, row - 1
            elif column and table[column - 1][row] + 1 == distance:
                steps.append("p")
                column -= 1
            else:
                steps.append("r")
                row -= 1
        return table[-1][-1], "".join(reversed(steps))


def _beam_rows(sides: Integers, target: Integers) -> list[Integers]:
    """The rows of the table of distances inside the beam, of many translations at once.

    A cell needs the one to its left: the least t[k] + j - k over all k up to j, which is a running
    minimum of t - j.

    Args:
        sides: the words of the translations, shape (translations, words).
        target: the words of the reference.
    """
    translations, words = sides.shape
    line = np.tile(np.arange(target.size + 1), (translations, 1))
    lines = [line]
    ratio = target.size / words if words else 1.0
    width = math.ceil(ratio / 2 + _BEAM) if ratio / 2 > _BEAM else _BEAM
    for number in range(1, words + 1):
        middle = math.floor(number * ratio)
        low = max(0, middle - width)
        high = target.size + 1 if number == words else min(target.size + 1, middle + width)
        first = max(low, 1)
        differs = sides[:, number - 1, np.newaxis] != target[first - 1 : high - 1]
        cells = np.minimum(line[:, first - 1 : high - 1] + differs, line[:, first:high] + 1)
        if low == 0:
            cells = np.concatenate((line[:, :1] + 1, cells), axis=1)
        offsets = np.arange(cells.shape[1])
        line = np.full_like(line, _FAR)
        line[:, low:high] = np.minimum.accumulate(cells - offsets, axis=1) + offsets
        np.minimum(line, _FAR, out=line)
        lines.append(line)
    return lines
