"""TER: the edits, including shifts of phrases, that turn a translation into its reference.

The scores equal those of sacrebleu, from 0 to 100 and above. If there are several references, the
one with the fewest edits counts, together with the mean length of all.

sacrebleu tokenizes references twice, and so must any score with its signature: `normalized` splits
"'s" from "peter's" the first time, and the apostrophe from "'s" the second time. The other options
have the same effect once or twice.
"""

import math
import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Integers
from ...statistics.arguments.domains import checked_options
from ...statistics.intervals.sum_distributions import SumRatio
from ...statistics.intervals.sums import RowStatistics
from ..tokens.references import check_columns, missing_reference, reference_list

# As in sacrebleu, which took them from Tercom; "\n-" is a slip there, instead of "-\n".
_WESTERN = [
    (re.compile(r"\n-"), ""),
    (re.compile(r"\n"), " "),
    (re.compile("&quot;"), '"'),
    (re.compile("&amp;"), "&"),
    (re.compile("&lt;"), "<"),
    (re.compile("&gt;"), ">"),
    (re.compile(r"\A|\Z"), " "),
    (re.compile(r"([{-~[-` -&(-+:-@/])"), r" \1 "),
    (re.compile("'s "), " 's "),
    (re.compile("'s$"), " 's"),
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile("([0-9])(-)"), r"\1 \2 "),
]
_MARKS = re.compile(r"[\.,\?:;!\"\(\)]")
_ASIAN_MARKS = re.compile("([\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb])")
_WIDE_MARKS = re.compile("([\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09])")
_KANA = ("\u3040-\u309f", "\u30a0-\u30ff", "\u31f0-\u31ff")
_ASIAN = [
    (re.compile("([\u4e00-\u9fff\u3400-\u4dbf])"), r" \1 "),
    (re.compile("([\u31c0-\u31ef\u2e80-\u2eff])"), r" \1 "),
    (re.compile("([\u3300-\u33ff\uf900-\ufaff\ufe30-\ufe4f])"), r" \1 "),
    (re.compile("([\u3200-\u3f22])"), r" \1 "),
    *((re.compile(f"(^|^[{kana}])([{kana}]+)(?=$|^[{kana}])"), r"\1 \2 ") for kana in _KANA),
    (_ASIAN_MARKS, r" \1 "),
    (_WIDE_MARKS, r" \1 "),
]


@checked_options
def ter_statistics(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> RowStatistics:
    """Return for each row the fewest edits, and the mean length of its references.

    Args:
        predictions: one translation per row.
        references: one or more references per row; an empty text counts as a reference.
        normalized: whether to split punctuation from words and resolve XML entities; twice for
            references.
        no_punct: whether to delete punctuation.
        asian_support: whether to do both for Chinese and Japanese text too.
        case_sensitive: whether case counts.

    Raises:
        ValueError: a row has no references, or an option is not valid.

    >>> rows = ter_statistics(["d e f a b c", "a"], ["a b c d e f", ["b", "a c a"]])
    >>> rows.result()
    {'ter': 25.0, 'num_edits': 2, 'ref_length': 8.0}
    """
    check_columns(predictions, references)
    words = cache(
        partial(
            ter_words,
            normalized=normalized,
            no_punct=no_punct,
            asian_support=asian_support,
            case_sensitive=case_sensitive,
        )
    )
    values = np.zeros((len(predictions), 2))
    for row, (prediction, texts) in enumerate(zip(predictions, references, strict=True)):
        row_references = [words(text) for text in reference_list(texts)]
        if not row_references:
            raise missing_reference(row)
        if normalized:
            row_references = [words(" ".join(target)) for target in row_references]
        edits = min(translation_edits(words(prediction), target) for target in row_references)
        values[row] = edits, sum(map(len, row_references)) / len(row_references)

    distribution = SumRatio({"num_edits": 1}, {"ref_length": 1}, upper=None, scale=100)
    names = ("num_edits", "ref_length")
    return RowStatistics(
        names,
        values,
        ter_score,
        lambda sums: {"ter": ter_score(sums)["ter"]},
        distributions=lambda statistics: {"ter": distribution},
    )


def ter_score(sums: Mapping[str, float]) -> dict[str, Any]:
    """Return TER from sums over rows; 100 if only the references are empty, 0 if all texts are."""
    edits, length = sums["num_edits"], sums["ref_length"]
    rate = edits / length if length else float(edits > 0)
    return {"ter": 100 * rate, "num_edits": int(edits), "ref_length": float(length)}


def ter_words(
    text: str,
    *,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> list[str]:
    """Return the words of a text, as in Tercom.

    >>> ter_words("It's 3.5 (now).", normalized=True)
    ['it', "'s", '3.5', '(', 'now', ')', '.']
    >>> ter_words("It's 3.5 (now).", no_punct=True)
    ["it's", '35', 'now']
    """
    text = text.rstrip() if case_sensitive else text.rstrip().lower()
    if normalized and text:
        for expression, replacement in [*_WESTERN, *(_ASIAN if asian_support else ())]:
            text = expression.sub(replacement, text)
    if no_punct:
        text = _MARKS.sub("", text)
        if asian_support:
            text = _WIDE_MARKS.sub("", _ASIAN_MARKS.sub("", text))
    return text.split()


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
        gains = (before - distances.cache[result] for result in moved)
        gain, _, words_after = max(zip(gains, candidates, moved, strict=True))
        if gain <= 0:
            return moves + before
        moves += 1
        words = words_after


def _moves(words: Words, target: Words, steps: str, tried: int) -> tuple[list[_Move], int]:
    """Return the moves to try, and the number tried so far including them.

    Both the phrase and the position that it would match must currently be wrong.
    """
    # For each reference word, the prediction word reached so far; and the wrong words of both.
    columns, word_errors, target_errors = [], [], []
    column = -1
    for step in steps:
        if step != "r":
            column += 1
            word_errors.append(step != " ")
        if step != "p":
            columns.append(column)
            target_errors.append(step != " ")
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


def _common_stretches(words: Words, target: Words) -> Iterator[tuple[int, int, int]]:
    """Yield the phrases that both have: where they start, and each length from 1."""
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
        self.cache: dict[Words, int] = {}

    def prepare(self, candidates: Sequence[Words], before: int) -> None:
        """Compute the missing distances of word sequences that all have the same length."""
        missing = [words for words in dict.fromkeys(candidates) if words not in self.cache]
        if not missing:
            return
        difference = abs(self._rows - len(missing[0]))
        is_near = max(before + 1, 2) + difference < 2 * _BEAM - 12
        if self._rows < _BEAM or len(missing) < _FEW or is_near:
            for words in missing:
                self.cache[words] = self._distance(words)
            missing = [w for w in missing if not self._is_in_beam(self.cache[w], len(w))]
        if missing:
            beam = _beam_rows(np.array(missing, np.int64), np.array(self._target, np.int64))
            ((_, last),) = deque(beam, maxlen=1)
            self.cache.update(zip(missing, last[:, -1].tolist(), strict=True))

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
    """Yield where each row of the distance table starts, and its cells, for many translations.

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
