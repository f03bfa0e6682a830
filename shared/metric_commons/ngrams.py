"""ROUGE: how many n-grams, or how long a subsequence, a text shares with a reference.

The scores are those of rouge_score 0.1.2, to the last bit, which are in turn those of the original
ROUGE-1.5.5 to its printed digits. A few rows are counted in the obvious way. Many are counted a
block at a time: one sort brings equal words together, so that the words which both texts of a pair
have lie side by side. Longer n-grams and subsequences are found among those words alone, since
every n-gram that meets its equal begins with one that does, and ends with one.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .checks import check_choice, check_flag, nearest
from .ratios import PrecisionRecallF1, precision_recall_f1
from .references import best, blocks, check_aggregation, mean
from .stems import Stems
from .subsequences import ROWS, Matches, lengths, longest, marked, paths, traced, words_of
from .tokens import (
    Codes,
    Tokens,
    alphanumeric,
    coded,
    keep_freed_memory,
    line_counts,
    spelled,
    stable_order,
)

Tokenizer = Literal["rouge_score", "unicode"] | Callable[[str], list[str]]
Aggregation = Literal["max", "mean"]
Ints = NDArray[np.int64]
Line = Sequence[str | int]  # words, or numbers of stems

TOKENIZERS = ("rouge_score", "unicode")

_FEW_CHARACTERS = 15_000  # below this the fixed cost of numpy's calls outweighs what they save
_CHARACTERS = 700_000  # of a block of pairs
_CELLS = 1_500_000  # of the masks of subsequences, eight bytes each
_ENTRIES = 200_000  # of words that meet between lines, some two hundred bytes each
_WORD = re.compile("[a-z0-9]+")
_NGRAM = re.compile("rouge([1-9][0-9]*)")
_WHOLE, _BY_LINE = "rougeL", "rougeLsum"


def rouge(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    rouge_types: Sequence[str] = ("rouge1", "rouge2", "rougeL"),
    use_stemmer: bool = False,
    tokenizer: Tokenizer = "rouge_score",
    normalizer: Callable[[str], str] | None = None,
    reference_aggregation: Aggregation = "max",
) -> dict[str, PrecisionRecallF1]:
    """Precision, recall and F1 of each ROUGE type, one value a row.

    With "max" all three are those of the reference with the highest F1 of this type, the first of
    equals, as `score_multi` of rouge_score has it.

    Args:
        predictions: one text a row.
        references: the reference, or references, of each row.
        rouge_types: "rouge1", "rouge2" and so on for n-grams; "rougeL" for the longest common
            subsequence; "rougeLsum" for the union of those between each line of the reference and
            all lines of the prediction.
        use_stemmer: whether words of more than three characters, all of them a-z and 0-9, are
            replaced by their Porter stems.
        tokenizer: "rouge_score", "unicode" (see `unicode_words`), or a function from a text to the
            list of its words. For rougeLsum it gets each line by itself.
        normalizer: what all texts go through first.
        reference_aggregation: "max" or "mean" over the references of a row.

    Raises:
        ValueError: an option is not what it may be, or `tokenizer` returns something else.

    >>> scores = rouge(["the cat sat"], ["the cat sat on the mat"])
    >>> scores["rouge2"].recall.tolist(), scores["rougeL"].precision.tolist()
    ([0.4], [1.0])
    """
    check_types(rouge_types)
    check_flag("use_stemmer", use_stemmer)
    check_aggregation(reference_aggregation)
    if not callable(tokenizer):
        check_choice("tokenizer", tokenizer, TOKENIZERS)
    reader = _Reader(tokenizer, Stems() if use_stemmer else None)
    of_rows = np.array([1 if isinstance(r, str) else len(r) for r in references], dtype=np.int64)
    scores = np.empty((3, len(rouge_types), int(of_rows.sum())))
    for pairs in _blocks_of_pairs(predictions, references, normalizer):
        count = _count_plainly if pairs.characters < _FEW_CHARACTERS else _count_together
        counts: dict[str, Ints] = {}
        for types, by_line in reader.readings(rouge_types):
            counts |= count(pairs, reader, types, by_line=by_line)
        found = np.stack([counts[name] for name in rouge_types], axis=1)
        scores[..., pairs.first : pairs.first + found.shape[-1]] = precision_recall_f1(*found)
    return {
        name: _of_rows(PrecisionRecallF1(*of_pairs), of_rows, reference_aggregation)
        for name, *of_pairs in zip(rouge_types, *scores, strict=True)
    }


def _of_rows(
    scores: PrecisionRecallF1, references: Ints, aggregation: Aggregation
) -> PrecisionRecallF1:
    """The scores of rows from those of pairs, of which each row has one for each reference."""
    if int(references.sum()) == references.size:
        return scores
    if aggregation == "max":
        chosen = best(scores.f1, references)
        return PrecisionRecallF1(*(values.take(chosen) for values in scores))
    return PrecisionRecallF1(*(mean(values, references) for values in scores))


def check_types(rouge_types: Sequence[str]) -> None:
    """`rouge_types` names at least one ROUGE type, and nothing else.

    >>> check_types(["rouge2", "rougel"])
    Traceback (most recent call last):
    ValueError: rouge_types may name rouge1, rouge2, ..., rougeL and rougeLsum, got 'rougel'; \
did you mean 'rougeL'?
    """
    if isinstance(rouge_types, str) or not isinstance(rouge_types, Sequence) or not rouge_types:
        raise ValueError(f'rouge_types must be names such as ("rouge1",), got {rouge_types!r}')
    known = [_WHOLE, _BY_LINE, *(f"rouge{n}" for n in range(1, 10))]
    for name in rouge_types:
        if not isinstance(name, str) or not (name in known or _NGRAM.fullmatch(name)):
            hint = nearest(name, known) if isinstance(name, str) else ""
            raise ValueError(
                "rouge_types may name rouge1, rouge2, ..., rougeL and rougeLsum, "
                f"got {name!r}{hint}"
            )


# Words


class _WordCharacters(dict[int, str]):
    """What each character becomes, by its number, so that white space parts words."""

    def __missing__(self, number: int) -> str:
        character = chr(number)
        if unicodedata.category(character)[0] not in "LMN":
            character = " "
        elif unicodedata.name(character, "").startswith("CJK "):
            character = f" {character} "
        self[number] = character
        return character


_WORD_CHARACTERS = _WordCharacters()


def rouge_score_words(text: str) -> list[str]:
    """The runs of a-z and 0-9 of the lower-cased text, as rouge_score has them.

    >>> rouge_score_words("Don't, 3.5 naïve")
    ['don', 't', '3', '5', 'na', 've']
    """
    return _WORD.findall(text.lower())


def unicode_words(text: str) -> list[str]:
    """The words of a text in any script: runs of letters, marks and digits, lower-cased.

    Each CJK ideograph is a word, since nothing parts the words of a Chinese text. Marks belong
    to words because the vowel signs of many scripts are marks. On ASCII text these are the words
    of rouge_score.

    >>> unicode_words("Don't, 3.5 naïve"), unicode_words("今天 OK")
    (['don', 't', '3', '5', 'naïve'], ['今', '天', 'ok'])
    """
    return text.lower().translate(_WORD_CHARACTERS).split()


class _NotWordsError(Exception):
    """A tokenizer that was given returned this."""


class _Reader:
    """How texts become words."""

    def __init__(self, tokenizer: Tokenizer, stems: Stems | None) -> None:
        self.of_bytes = tokenizer == "rouge_score"  # can read whole blocks at once
        self.stems = stems
        self._given = callable(tokenizer)
        named = {"rouge_score": rouge_score_words, "unicode": unicode_words}
        self._words = tokenizer if callable(tokenizer) else named[tokenizer]

    def words(self, text: str) -> Line:
        """The words of a text, or numbers of their stems."""
        words = self._words(text)
        if self._given and not (
            isinstance(words, list) and all(isinstance(word, str) for word in words)
        ):
            raise _NotWordsError(repr(words))
        return self.stems.of(words) if self.stems is not None else words

    def readings(self, types: Sequence[str]) -> list[tuple[list[str], bool]]:
        """The types that one reading of the texts serves, and whether it goes line by line.

        The words of a text are those of its lines, except that nobody knows what a given
        tokenizer does at the end of a line.
        """
        by_line = [name for name in types if name == _BY_LINE]
        others = [name for name in types if name != _BY_LINE]
        if self._given and by_line and others:
            return [(others, False), (by_line, True)]
        return [(list(types), bool(by_line))]


# Pairs


class _Pairs(NamedTuple):
    """Some pairs as a flat list of texts: a prediction, its reference, a prediction, ..."""

    texts: list[str]
    characters: int  # in all texts
    first: int  # the number of the first pair
    references: Sequence[str | list[str]]

    def place(self, index: int) -> str:
        """What the caller calls a text of `texts`."""
        pair = self.first + index // 2
        sizes = [1 if isinstance(of_row, str) else len(of_row) for of_row in self.references]
        row = int(np.searchsorted(np.cumsum(sizes), pair, side="right"))
        if index % 2 == 0:
            return f"predictions[{row}]"
        nth = pair - sum(sizes[:row])
        return f"references[{row}]" + ("" if isinstance(self.references[row], str) else f"[{nth}]")

    def read(self, reader: _Reader, *, by_line: bool) -> list[list[Line]]:
        """The words of each line of each text; without `by_line` a text is taken for one line."""
        known: dict[str, list[Line]] = {}
        for index, text in enumerate(self.texts):
            if text not in known:
                try:
                    known[text] = [
                        reader.words(line) for line in (text.split("\n") if by_line else [text])
                    ]
                except _NotWordsError as returned:
                    raise ValueError(
                        f"tokenizer must return a list of str, got {returned} for "
                        f"{self.place(index)}"
                    ) from None
        return [known[text] for text in self.texts]


def _blocks_of_pairs(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    normalizer: Callable[[str], str] | None,
) -> Iterator[_Pairs]:
    """Each reference beside the prediction of its row, in blocks bounded by characters."""
    texts: list[str] = []
    first = characters = 0
    for block in blocks(predictions, references):
        given = block.texts if normalizer is None else list(map(normalizer, block.texts))
        for owner, tail in zip(block.owners.tolist(), block.tails.tolist(), strict=True):
            prediction, reference = given[owner], given[tail]
            texts += prediction, reference
            characters += len(prediction) + len(reference)
            if characters >= _CHARACTERS:
                yield _Pairs(texts, characters, first, references)
                first += len(texts) // 2
                texts, characters = [], 0
    if texts:
        yield _Pairs(texts, characters, first, references)


# One pair after another


def _count_plainly(
    pairs: _Pairs, reader: _Reader, types: Sequence[str], *, by_line: bool
) -> dict[str, Ints]:
    """What each type counts, in the obvious way: shared, predicted, relevant; shape (3, pairs)."""
    read = pairs.read(reader, by_line=by_line)
    counts: dict[str, list[tuple[int, int, int]]] = {name: [] for name in types}
    for predicted_lines, relevant_lines in zip(read[::2], read[1::2], strict=True):
        predicted = list(chain.from_iterable(predicted_lines))
        relevant = list(chain.from_iterable(relevant_lines))
        for name in types:
            if name == _WHOLE:
                shared = longest(relevant, predicted)
                counts[name].append((shared, len(predicted), len(relevant)))
            elif name == _BY_LINE:
                shared = _union(predicted_lines, relevant_lines)
                counts[name].append((shared, len(predicted), len(relevant)))
            else:
                counts[name].append(_shared_ngrams(predicted, relevant, _length_of(name)))
    return {name: np.array(values, dtype=np.int64).T for name, values in counts.items()}


def _length_of(name: str) -> int:
    """The n of rouge<n>; 0 of the other types."""
    found = _NGRAM.fullmatch(name)
    return int(found[1]) if found else 0


def _shared_ngrams(predicted: Line, relevant: Line, n: int) -> tuple[int, int, int]:
    """How many n-grams both have, and how many each has."""
    bags = [
        Counter(zip(*(words[i:] for i in range(n)), strict=False))
        for words in (predicted, relevant)
    ]
    shared = (bags[0] & bags[1]).total()
    return shared, bags[0].total(), bags[1].total()


def _union(predicted_lines: Sequence[Line], relevant_lines: Sequence[Line]) -> int:
    """How many words of the reference lie on a common subsequence with some line.

    Of each word no more count than the prediction has.
    """
    available = Counter(chain.from_iterable(predicted_lines))
    shared: Counter[str | int] = Counter()
    for line in relevant_lines:
        words = set(line)
        union = 0
        for other in predicted_lines:
            if not words.isdisjoint(other):
                union |= traced(line, other)
        shared.update(word for place, word in enumerate(line) if union >> place & 1)
    return (shared & available).total()


# All pairs of a block together


class _Words(NamedTuple):
    """The words of a block, text after text and line after line."""

    codes: Codes
    counts: Ints  # words of each text
    texts: Ints  # the text of each word
    lines: Ints  # the line of each word, if it was read by line; else its text
    ends: Ints  # of each line, the first word behind it
    line_texts: Ints  # the text of each line


def _words(codes: Codes, of_lines: Ints, lines_of: Ints) -> _Words:
    """Words from how many each line has, and how many lines each text."""
    ends = np.cumsum(of_lines)
    upto = np.concatenate(([0], ends))
    last = np.cumsum(lines_of)
    counts = upto.take(last) - upto.take(last - lines_of)
    return _Words(codes, counts, _owners(counts), _owners(of_lines), ends, _owners(lines_of))


def _count_together(
    pairs: _Pairs, reader: _Reader, types: Sequence[str], *, by_line: bool
) -> dict[str, Ints]:
    """The same of all pairs at once."""
    keep_freed_memory()
    words = (_read_bytes if reader.of_bytes else _read_words)(pairs, reader, by_line=by_line)
    predicted, relevant = words.counts[::2], words.counts[1::2]
    found = {}
    wanted = {_length_of(name) for name in types}
    meetings = _meetings(words, max(wanted))
    for n, met in enumerate(meetings, start=1):
        if n in wanted:
            found[f"rouge{n}"] = met.shared(predicted.size)
        if n == 1 and 0 in wanted:
            if _WHOLE in types:
                found[_WHOLE] = _subsequences(words, met)
            if _BY_LINE in types:
                found[_BY_LINE] = _unions(words, met)
    none = np.zeros(predicted.size, dtype=np.int64)
    counts = {}
    for name in types:
        shorter = max(_length_of(name) - 1, 0)  # a text has so many n-grams less than words
        sides = [np.maximum(words_of_side - shorter, 0) for words_of_side in (predicted, relevant)]
        counts[name] = np.stack([found.get(name, none), *sides])
    return counts


def _read_bytes(pairs: _Pairs, reader: _Reader, *, by_line: bool) -> _Words:
    tokens = alphanumeric(pairs.texts)
    codes = coded(tokens)
    if reader.stems is not None:
        codes = _stemmed(tokens, codes, reader.stems)
    if not by_line:
        return _words(codes, tokens.counts, np.ones_like(tokens.counts))
    lines_of = np.array([text.count("\n") + 1 for text in pairs.texts], dtype=np.int64)
    return _words(codes, line_counts(tokens), lines_of)


def _stemmed(tokens: Tokens, codes: Codes, stems: Stems) -> Codes:
    """The codes of the stems: each word is looked up once, all its tokens follow."""
    stems.make_room()
    new = _changes(codes.values.take(codes.order))
    words = spelled(tokens, codes.order[new])
    numbers = np.array(stems.numbers(words), dtype=np.uint32)
    values = np.empty_like(codes.values)
    values[codes.order] = numbers.take(np.cumsum(new) - 1)
    return Codes(values, stable_order(values))


def _read_words(pairs: _Pairs, reader: _Reader, *, by_line: bool) -> _Words:
    read = pairs.read(reader, by_line=by_line)
    numbers: dict[str | int, int] = {}
    values = np.array(
        [
            numbers.setdefault(word, len(numbers))
            for word in chain.from_iterable(chain.from_iterable(read))
        ],
        dtype=np.uint32,
    )
    return _words(
        Codes(values, stable_order(values)),
        np.array([len(line) for of_text in read for line in of_text], dtype=np.int64),
        np.array(list(map(len, read)), dtype=np.int64),
    )


def _changes(*columns: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Where a row of these columns differs from the one before; the first always does."""
    new = np.zeros(columns[0].size, dtype=bool)
    new[:1] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return new


def _owners(counts: Ints) -> Ints:
    """For each of so many things of each owner the owner."""
    return np.repeat(np.arange(counts.size), counts)


def _within(counts: Ints) -> Ints:
    """For each of so many things of each owner how many of the owner's came before."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


class _Met(NamedTuple):
    """The n-grams that both texts of a pair have, each in a group of its own.

    A group lists the tokens at which the n-gram begins, in the order of the texts: first those
    of the prediction.
    """

    pair: Ints  # of each group
    predicted: Ints  # tokens of the prediction in each group
    relevant: Ints  # tokens of the reference
    tokens: Ints  # of all groups, one group after another

    def shared(self, pairs: int) -> Ints:
        """How many n-grams each pair shares."""
        clipped = np.minimum(self.predicted, self.relevant)
        return np.bincount(self.pair, weights=clipped, minlength=pairs).astype(np.int64)

    @property
    def groups(self) -> Ints:
        """The group of each of `tokens`."""
        return _owners(self.predicted + self.relevant)


def _meetings(words: _Words, longest_ngram: int) -> Iterator[_Met]:
    """What meets, of single words and then of ever longer n-grams, while anything does.

    A key is equal for equal n-grams of the same text; only its lowest bit, the side, tells both
    texts of a pair apart. So in order of the keys an n-gram of the prediction is followed
    at once by the same of the reference, if there is one.
    """
    texts = words.texts.view(np.uint64)
    tokens = words.codes.order
    keys = (words.codes.values.astype(np.uint64) << np.uint64(32) | texts).take(tokens)
    met = _met(keys, tokens, texts)
    yield met
    for _ in range(1, longest_ngram):
        # An n-gram is known by the groups of its first n - 1 words and of its last n - 1: both
        # meet if it does. The tokens are in order of the latter, and sorted by the former.
        group = np.full(texts.size + 1, -1, dtype=np.int64)
        groups = met.groups
        group[met.tokens] = groups
        before = met.tokens - 1  # for the first token the last entry, which has no group
        goes_on = np.flatnonzero(group.take(before) >= 0)
        before = before.take(goes_on)
        same_text = texts.take(before) == texts.take(before + 1)
        goes_on, before = goes_on[same_text], before[same_text]
        if not before.size:
            return
        first = group.take(before).astype(np.uint32)
        order = stable_order(first)
        tokens = before.take(order)
        keys = first.take(order).astype(np.uint64) << np.uint64(32)
        keys |= groups.take(goes_on).take(order).astype(np.uint64) << np.uint64(1)
        keys |= texts.take(tokens) & np.uint64(1)
        met = _met(keys, tokens, texts)
        yield met


def _met(keys: NDArray[np.uint64], tokens: Ints, texts: NDArray[np.uint64]) -> _Met:
    """What meets among n-grams in order of their keys; `tokens` are where they begin."""
    begins = np.flatnonzero(_changes(keys))
    run = keys.take(begins)
    length = np.diff(begins, append=keys.size)
    first = np.flatnonzero(run[1:] ^ run[:-1] == 1)
    predicted, relevant = length.take(first), length.take(first + 1)
    both = predicted + relevant
    return _Met(
        (texts.take(tokens.take(begins.take(first))) >> np.uint64(1)).astype(np.int64),
        predicted,
        relevant,
        tokens.take(np.repeat(begins.take(first), both) + _within(both)),
    )


# Subsequences of the words that met


class _Rows(NamedTuple):
    """Words of references as bits: an entry for each group, line, and `ROWS` rows of the line."""

    line: Ints
    word: Ints
    bits: NDArray[np.uint64]
    counts: Ints  # entries of each group, group after group

    def of(self, groups: Ints) -> tuple[Ints, Ints]:
        """All entries of a list of groups: of which of the list, and which entries."""
        counts = self.counts.take(groups)
        first = (np.cumsum(self.counts) - self.counts).take(groups)
        return _owners(counts), np.repeat(first, counts) + _within(counts)


class _Lines(NamedTuple):
    """The words that met, in the lines where they are."""

    lengths: Ints  # words of each line that met
    group: Ints  # of each word of the block, -1 if it did not meet
    rank: Ints  # of each word that met, among those of its line
    columns: Ints  # the words of predictions that met
    relevant: Ints  # the words of references that met, group after group
    rows: _Rows  # the same as bits


def _lines(words: _Words, met: _Met, line: Ints, lines: int) -> _Lines:
    """What met, by the line of each word; a text may be taken for a line."""
    group = np.full(line.size, -1, dtype=np.int64)
    groups = met.groups
    group[met.tokens] = groups
    did_meet = np.flatnonzero(group >= 0)
    of_lines = np.bincount(line.take(did_meet), minlength=lines)
    rank = np.zeros(line.size, dtype=np.int64)
    rank[did_meet] = _within(of_lines)

    in_prediction = words.texts & 1 == 0
    is_relevant = ~in_prediction.take(met.tokens)
    relevant, groups = met.tokens[is_relevant], groups[is_relevant]
    word, bit = np.divmod(rank.take(relevant), ROWS)
    new = np.flatnonzero(_changes(groups, line.take(relevant), word))
    bits = np.uint64(1) << bit.astype(np.uint64)
    rows = _Rows(
        line.take(relevant.take(new)),
        word.take(new),
        np.bitwise_or.reduceat(bits, new) if new.size else bits,
        np.bincount(groups.take(new), minlength=met.pair.size),
    )
    columns = did_meet[in_prediction.take(did_meet)]
    return _Lines(of_lines, group, rank, columns, relevant, rows)


def _subsequences(words: _Words, met: _Met) -> Ints:
    """For each pair the length of the longest common subsequence."""
    text = _lines(words, met, words.texts, words.counts.size)
    columns, rows = text.lengths[::2], text.lengths[1::2]
    cells = words_of(rows) * (columns + words_of(rows) - 1)
    ends = np.cumsum(columns)
    pair = _owners(columns)
    shared = np.zeros(rows.size, dtype=np.int64)
    for start, stop in _portions(cells, _CELLS):
        if cells[start] > _CELLS:
            shared[start] = longest(*(_groups_of(words, text, 2 * start + n) for n in (1, 0)))
            continue
        some = slice(ends[start] - columns[start], ends[stop - 1])
        tokens = text.columns[some]
        column, entry = text.rows.of(text.group.take(tokens))
        shared[start:stop] = lengths(
            Matches(
                rows[start:stop],
                columns[start:stop],
                pair=pair[some].take(column) - start,
                column=text.rank.take(tokens).take(column),
                word=text.rows.word.take(entry),
                bits=text.rows.bits.take(entry),
            )
        )
    return shared


def _unions(words: _Words, met: _Met) -> Ints:
    """For each pair the words of the reference on a common subsequence with some line.

    Of each word no more count than the prediction has.
    """
    lined = _lines(words, met, words.lines, words.ends.size)
    pairs = words.counts.size // 2
    width = words_of(lined.lengths)
    first_word = np.cumsum(width) - width
    union = np.zeros(int(width.sum()), dtype=np.uint64)
    plainly: dict[int, int] = {}

    columns = np.bincount(words.texts.take(lined.columns) >> 1, minlength=pairs)
    ends = np.cumsum(columns)
    costs = _line_costs(words, lined, columns)
    for start, stop in _portions(costs, _ENTRIES):
        if costs[start] > _ENTRIES:
            plainly[start] = _union(*(_lines_of(words, lined, 2 * start + n) for n in (0, 1)))
            continue
        tokens = lined.columns[ends[start] - columns[start] : ends[stop - 1]]
        if not tokens.size:
            continue
        matches, line = _between_lines(words, lined, tokens)
        widths = width.take(line)
        target = np.repeat(first_word.take(line), widths) + _within(widths)
        order = stable_order(target.astype(np.uint32))
        target = target.take(order)
        begins = np.flatnonzero(_changes(target))
        union[target.take(begins)] = np.bitwise_or.reduceat(paths(matches).take(order), begins)

    word, bit = np.divmod(lined.rank.take(lined.relevant), ROWS)
    at = first_word.take(words.lines.take(lined.relevant)) + word
    on_path = union.take(at) >> bit.astype(np.uint64) & np.uint64(1)
    groups = lined.group.take(lined.relevant)
    counts = np.bincount(groups, weights=on_path, minlength=met.pair.size)
    clipped = np.minimum(counts, met.predicted)
    shared = np.bincount(met.pair, weights=clipped, minlength=pairs).astype(np.int64)
    for at_once, value in plainly.items():
        shared[at_once] = value
    return shared


def _line_costs(words: _Words, lined: _Lines, columns: Ints) -> Ints:
    """For each pair how many entries and masks its lines need, or a few more.

    A line of one word has a mask for each entry. One of several has masks for every column of the
    prediction at most, and for the steps in which its last words wait for the first.
    """
    entries = lined.rows.counts.take(lined.group.take(lined.columns))
    pair = words.texts.take(lined.columns) >> 1
    costs = np.bincount(pair, weights=entries, minlength=columns.size).astype(np.int64)
    width = words_of(lined.lengths)
    long = np.flatnonzero((width > 1) & (words.line_texts & 1 == 1))
    pair = words.line_texts.take(long) >> 1
    others = np.bincount(words.line_texts >> 1, minlength=columns.size).take(pair)
    masks = width.take(long) * (columns.take(pair) + others * (width.take(long) - 1))
    costs += np.bincount(pair, weights=masks, minlength=columns.size).astype(np.int64)
    return costs


def _groups_of(words: _Words, text: _Lines, index: int) -> list[int]:
    """The groups of the words of a text that met."""
    stop = int(words.counts[: index + 1].sum())
    groups = text.group[stop - int(words.counts[index]) : stop]
    found: list[int] = groups[groups >= 0].tolist()
    return found


def _lines_of(words: _Words, lined: _Lines, index: int) -> list[Line]:
    """The groups of the words of a text, line by line; of a reference only of those that met."""
    found = []
    for line in np.flatnonzero(words.line_texts == index).tolist():
        start = int(words.ends[line - 1]) if line else 0
        groups = lined.group[start : int(words.ends[line])]
        found.append((groups[groups >= 0] if index % 2 else groups).tolist())
    return found


def _between_lines(words: _Words, lined: _Lines, tokens: Ints) -> tuple[Matches, Ints]:
    """What each line of a reference shares with each of the prediction, if it shares anything.

    Args:
        words: the block.
        lined: what met in it.
        tokens: the words of some predictions that met.

    Returns:
        The matches of all such pairs of lines, and the line of the reference of each; in the
        order of these lines.
    """
    column, entry = lined.rows.of(lined.group.take(tokens))
    line = lined.rows.line.take(entry)
    order = stable_order(line.astype(np.uint32))
    column, entry, line = column.take(order), entry.take(order), line.take(order)
    other = words.lines.take(tokens).take(column)
    new_pair = _changes(line, other)
    new_column = new_pair | _changes(column)
    pairs, columns = np.flatnonzero(new_pair), np.flatnonzero(new_column)
    nth_pair, nth_column = np.cumsum(new_pair) - 1, np.cumsum(new_column) - 1

    token = tokens.take(column.take(columns))
    behind = words.ends.take(other.take(columns))  # or the next column, if it is of the same pair
    np.copyto(behind[:-1], token[1:], where=~new_pair.take(columns[1:]))
    first = nth_column.take(pairs)
    matches = Matches(
        lined.lengths.take(line.take(pairs)),
        np.diff(first, append=columns.size),
        pair=nth_pair,
        column=nth_column - first.take(nth_pair),
        word=lined.rows.word.take(entry),
        bits=marked(lined.rows.bits.take(entry), (behind - token > 1).take(nth_column)),
    )
    return matches, line.take(pairs)


def _portions(costs: Ints, limit: int) -> Iterator[tuple[int, int]]:
    """Ranges of pairs that together cost no more than the limit, or are one that costs more."""
    upto = np.cumsum(costs)
    start = 0
    while start < costs.size:
        spent = int(upto[start] - costs[start])
        stop = max(int(np.searchsorted(upto, spent + limit, side="right")), start + 1)
        yield start, stop
        start = stop
