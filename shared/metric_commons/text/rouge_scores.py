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
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, pairwise
from math import fsum
from operator import itemgetter
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..numbers.arrays import Booleans, Integers, Unsigned
from ..numbers.checks import check_choice, check_flag, nearest
from ..numbers.domains import Parsed
from ..numbers.ratios import PrecisionRecallF1, precision_recall_f1
from .lcs import (
    ROWS,
    Matches,
    lengths,
    long_cells,
    long_lengths,
    longest,
    marked,
    paths,
    traced,
    words_of,
)
from .normalizers import Normalizer, normalizer_function
from .porter import LONGEST, Stems, porter, stems_of
from .references import Aggregation, best, blocks, check_aggregation, mean, no_reference
from .tokens import (
    Codes,
    Tokens,
    alphanumeric,
    coded,
    coded_words,
    keep_freed_memory,
    line_counts,
    second_words,
    spelled,
    stable_order,
)

Tokenizer = Literal["rouge_score", "unicode"] | Callable[[str], list[str]]
Score = tuple[float, float, float]  # precision, recall and F1 of one pair or row
Line = Sequence[str | int]  # words, or numbers of stems
Lengths = Mapping[str, int]  # of the n-grams of some ROUGE types, 0 for those of subsequences

TOKENIZERS = ("rouge_score", "unicode")

# Below as many the fixed cost of numpy's calls outweighs what they save. A pair costs as much as
# some characters even if it has none; longer n-grams than these would cost too much to be made.
_FEW_CHARACTERS = 4_000
_CHARACTERS_OF_A_PAIR = 50
_FEW_WORDS = 9  # of an n-gram
_CHARACTERS = 700_000  # of a block of pairs
_CELLS = 1_500_000  # of the masks of subsequences, eight bytes each
_LONG_WORDS = 8  # of both sides of a pair
_ENTRIES = 200_000  # of words that meet between lines, some two hundred bytes each
_WORD = re.compile("[a-z0-9]+")
_NGRAM = re.compile("rouge[1-9][0-9]*")
_WHOLE, _BY_LINE = "rougeL", "rougeLsum"
_USUAL_TYPES = {_WHOLE: 0, _BY_LINE: 0} | {f"rouge{n}": n for n in range(1, 10)}
_DIGITS = 18


def rouge(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    rouge_types: "RougeTypes" = ("rouge1", "rouge2", "rougeL"),
    use_stemmer: bool = False,
    tokenizer: Tokenizer = "rouge_score",
    normalizer: Normalizer = "none",
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
        normalizer: what all texts go through first: a name in `NORMALIZERS` or a function.
        reference_aggregation: "max" or "mean" over the references of a row.

    Raises:
        ValueError: an option is not what it may be, or `tokenizer` returns something else.

    >>> scores = rouge(["the cat sat"], ["the cat sat on the mat"])
    >>> scores["rouge2"].recall.tolist(), scores["rougeL"].precision.tolist()
    ([0.4], [1.0])
    """
    lengths = type_lengths(rouge_types)
    check_flag("use_stemmer", use_stemmer)
    check_aggregation(reference_aggregation)
    if not callable(tokenizer):
        check_choice("tokenizer", tokenizer, TOKENIZERS)
    normalized = normalizer_function(normalizer)
    reader = _Reader(tokenizer, Stems() if use_stemmer else None)
    short = max(lengths.values()) <= _FEW_WORDS
    few = _few_pairs(predictions, references, normalized) if short else None
    if few is not None:
        return _score_plainly(few, reader, lengths, reference_aggregation)
    of_rows = _references_of_rows(references)
    scores = np.empty((3, len(lengths), int(of_rows.sum())))
    for pairs in _blocks_of_pairs(predictions, references, normalized):
        counts: dict[str, Integers] = {}
        for some, by_line in reader.readings(lengths):
            counts |= _count_together(pairs, reader, some, by_line=by_line)
        found = np.stack([counts[name] for name in lengths], axis=1)
        scores[..., pairs.first : pairs.first + found.shape[-1]] = precision_recall_f1(*found)
    return {
        name: _of_rows(PrecisionRecallF1(*of_pairs), of_rows, reference_aggregation)
        for name, *of_pairs in zip(lengths, *scores, strict=True)
    }


def _references_of_rows(references: Sequence[str | list[str]]) -> Integers:
    """How many references each row has."""
    counts = (1 if isinstance(of_row, str) else len(of_row) for of_row in references)
    return np.fromiter(counts, np.int64, len(references))


def _of_rows(
    scores: PrecisionRecallF1, references: Integers, aggregation: Aggregation
) -> PrecisionRecallF1:
    """The scores of rows from those of pairs, of which each row has one for each reference."""
    if int(references.sum()) == references.size:
        return scores
    if aggregation == "max":
        chosen = best(scores.f1, references)
        return PrecisionRecallF1(*(values.take(chosen) for values in scores))
    return PrecisionRecallF1(*(mean(values, references) for values in scores))


def type_lengths(rouge_types: Sequence[str]) -> dict[str, int]:
    """For each ROUGE type the words of its n-grams; 0 for those of subsequences.

    >>> type_lengths(["rouge2", "rougeL"])
    {'rouge2': 2, 'rougeL': 0}
    >>> type_lengths(["rouge2", "rougel"])
    Traceback (most recent call last):
    ValueError: rouge_types may name rouge1, rouge2, ..., rougeL and rougeLsum, got 'rougel'; \
did you mean 'rougeL'?
    """
    if isinstance(rouge_types, str) or not isinstance(rouge_types, Sequence) or not rouge_types:
        raise ValueError(f'rouge_types must be names such as ("rouge1",), got {rouge_types!r}')
    lengths = {}
    for name in rouge_types:
        if not isinstance(name, str) or not (name in _USUAL_TYPES or _NGRAM.fullmatch(name)):
            hint = nearest(name, _USUAL_TYPES) if isinstance(name, str) else ""
            raise ValueError(
                "rouge_types may name rouge1, rouge2, ..., rougeL and rougeLsum, "
                f"got {name!r}{hint}"
            )
        length = _USUAL_TYPES.get(name)
        # No text has as many words as a number of that many digits says, whatever its end.
        lengths[name] = int(name.removeprefix("rouge")[:_DIGITS]) if length is None else length
    return lengths


RougeTypes = Annotated[
    Sequence[str],
    Parsed(type_lengths, "a list of names such as 'rouge1', 'rougeL' and 'rougeLsum'"),
]


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

    def readings(self, lengths: Lengths) -> list[tuple[Lengths, bool]]:
        """The types that one reading of the texts serves, and whether it goes line by line.

        The words of a text are those of its lines, except that nobody knows what a given
        tokenizer does at the end of a line.
        """
        if self._given and _BY_LINE in lengths and len(lengths) > 1:
            others = {name: n for name, n in lengths.items() if name != _BY_LINE}
            return [(others, False), ({_BY_LINE: 0}, True)]
        return [(lengths, _BY_LINE in lengths)]


# Pairs


class _Pairs(NamedTuple):
    """Some pairs as a flat list of texts: a prediction, its reference, a prediction, ..."""

    texts: list[str]
    first: int  # the number of the first pair
    references: Sequence[str | list[str]]

    def place(self, index: int) -> str:
        """What the caller calls a text of `texts`."""
        pair = self.first + index // 2
        ends = np.cumsum(_references_of_rows(self.references))
        row = int(np.searchsorted(ends, pair, side="right"))
        if index % 2 == 0:
            return f"predictions[{row}]"
        nth = pair - int(ends[row - 1] if row else 0)
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
    normalized: Callable[[str], str],
) -> Iterator[_Pairs]:
    """Each reference beside the prediction of its row, in blocks bounded by characters."""
    texts: list[str] = []
    first = characters = 0
    for block in blocks(predictions, references):
        given = list(map(normalized, block.texts))
        for owner, tail in zip(block.owners.tolist(), block.tails.tolist(), strict=True):
            prediction, reference = given[owner], given[tail]
            texts += prediction, reference
            characters += len(prediction) + len(reference)
            if characters >= _CHARACTERS:
                yield _Pairs(texts, first, references)
                first += len(texts) // 2
                texts, characters = [], 0
    if texts:
        yield _Pairs(texts, first, references)


# One pair after another


def _few_pairs(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    normalized: Callable[[str], str],
) -> _Pairs | None:
    """All pairs, unless there are none, or many or long ones."""
    texts: list[str] = []
    characters = 0
    for row, (prediction, of_row) in enumerate(zip(predictions, references, strict=True)):
        given = normalized(prediction)
        accepted = [of_row] if isinstance(of_row, str) else of_row
        if not accepted:
            raise no_reference(row)
        for reference in map(normalized, accepted):
            texts += given, reference
            characters += len(given) + len(reference) + _CHARACTERS_OF_A_PAIR
        if characters >= _FEW_CHARACTERS:
            return None
    return _Pairs(texts, 0, references) if texts else None


def _score_plainly(
    pairs: _Pairs, reader: _Reader, lengths: Lengths, aggregation: Aggregation
) -> dict[str, PrecisionRecallF1]:
    """Precision, recall and F1 of all rows, in the obvious way."""
    scores = {}
    for some, by_line in reader.readings(lengths):
        read = pairs.read(reader, by_line=by_line)
        texts = [lines[0] if len(lines) == 1 else [*chain.from_iterable(lines)] for lines in read]
        for name, n in some.items():
            of_pairs = []
            for i in range(0, len(texts), 2):
                predicted, relevant = texts[i], texts[i + 1]
                if name == _WHOLE:
                    shared = longest(relevant, predicted)
                elif name == _BY_LINE:
                    shared = _union(read[i], read[i + 1])
                else:
                    shared = _shared_ngrams(predicted, relevant, n)
                shorter = n - 1 if n else 0  # a text has so many n-grams less than words
                of_pairs.append(_scored(shared, len(predicted) - shorter, len(relevant) - shorter))
            scores[name] = _rows_plainly(of_pairs, pairs.references, aggregation)
    columns = np.array([scores[name] for name in lengths]).transpose(0, 2, 1)
    return {
        name: PrecisionRecallF1(*of_type) for name, of_type in zip(lengths, columns, strict=True)
    }


def _scored(shared: int, predicted: int, relevant: int) -> Score:
    """Precision, recall and F1 of one pair, by the operations of `precision_recall_f1`."""
    if not shared:
        return 0.0, 0.0, 0.0
    precision, recall = shared / predicted, shared / relevant
    return precision, recall, 2 * precision * recall / (precision + recall)


def _rows_plainly(
    of_pairs: list[Score], references: Sequence[str | list[str]], aggregation: Aggregation
) -> list[Score]:
    """The scores of rows from those of pairs, by the operations of `_of_rows`."""
    if len(of_pairs) == len(references):
        return of_pairs
    scores = iter(of_pairs)
    rows: list[Score] = []
    for of_row in references:
        some = list(islice(scores, 1 if isinstance(of_row, str) else len(of_row)))
        if aggregation == "max":
            rows.append(max(some, key=itemgetter(2)))  # the first of equals
        else:
            precision, recall, f1 = (fsum(values) / len(some) for values in zip(*some, strict=True))
            rows.append((precision, recall, f1))
    return rows


def _shared_ngrams(predicted: Line, relevant: Line, n: int) -> int:
    """How many n-grams both have."""
    if n > min(len(predicted), len(relevant)):
        return 0
    left: dict[Hashable, int] = {}  # to make a Counter costs more than to count five words
    for ngram in _ngrams(predicted, n):
        left[ngram] = left.get(ngram, 0) + 1
    shared = 0
    for ngram in _ngrams(relevant, n):
        if left.get(ngram):
            left[ngram] -= 1
            shared += 1
    return shared


def _ngrams(words: Line, n: int) -> Iterable[Hashable]:
    """The n-grams of a text."""
    return words if n == 1 else zip(*(words[i:] for i in range(n)), strict=False)


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
    counts: Integers  # words of each text
    texts: Integers  # the text of each word
    lines: Integers  # the line of each word, if it was read by line; else its text
    ends: Integers  # of each line, the first word behind it
    line_texts: Integers  # the text of each line


def _words(codes: Codes, of_lines: Integers, lines_of: Integers) -> _Words:
    """Words from how many each line has, and how many lines each text."""
    ends = np.cumsum(of_lines)
    upto = np.concatenate(([0], ends))
    last = np.cumsum(lines_of)
    counts = upto.take(last) - upto.take(last - lines_of)
    return _Words(codes, counts, _owners(counts), _owners(of_lines), ends, _owners(lines_of))


def _count_together(
    pairs: _Pairs, reader: _Reader, lengths: Lengths, *, by_line: bool
) -> dict[str, Integers]:
    """What each type counts of all pairs: shared, predicted, relevant; shape (3, pairs)."""
    keep_freed_memory()
    words = (_read_bytes if reader.of_bytes else _read_words)(pairs, reader, by_line=by_line)
    predicted, relevant = words.counts[::2], words.counts[1::2]
    shared = {}
    for n, met in _meetings(words, set(lengths.values())):
        if n in lengths.values():
            shared[f"rouge{n}"] = met.shared(predicted.size)
        if n == 1 and _WHOLE in lengths:
            shared[_WHOLE] = _subsequences(words, met)
        if n == 1 and _BY_LINE in lengths:
            shared[_BY_LINE] = _unions(words, met)
    none = np.zeros(predicted.size, dtype=np.int64)
    counts = {}
    for name, n in lengths.items():
        shorter = max(n - 1, 0)  # a text has so many n-grams less than words
        sides = [np.maximum(words_of_side - shorter, 0) for words_of_side in (predicted, relevant)]
        counts[name] = np.stack([shared.get(name, none), *sides])
    return counts


def _read_bytes(pairs: _Pairs, reader: _Reader, *, by_line: bool) -> _Words:
    tokens = alphanumeric(pairs.texts)
    codes = coded(tokens)
    if reader.stems is not None:
        codes = _stemmed(tokens, codes)
    if not by_line:
        return _words(codes, tokens.counts, np.ones_like(tokens.counts))
    lines_of = np.array([text.count("\n") + 1 for text in pairs.texts], dtype=np.int64)
    return _words(codes, line_counts(tokens), lines_of)


def _stemmed(tokens: Tokens, codes: Codes) -> Codes:
    """The codes of the stems: each word is stemmed once, all its tokens follow."""
    new = _changes(codes.values.take(codes.order))
    stems = coded_words(*_stems(tokens, codes.order[new]))
    numbers = np.empty_like(stems.values)
    numbers[stems.order] = np.cumsum(_changes(stems.values.take(stems.order))) - 1
    values = np.empty_like(codes.values)
    values[codes.order] = numbers.take(np.cumsum(new) - 1)
    return Codes(values, stable_order(values))


def _stems(tokens: Tokens, which: Integers) -> tuple[Unsigned, Unsigned]:
    """The first eight bytes of the stems of some tokens, and what tells apart those beyond."""
    lengths = tokens.lengths.take(which)
    short = np.flatnonzero(lengths <= LONGEST)
    keys, seconds = np.empty((2, which.size), dtype=np.uint64)
    words = tokens.take(which.take(short))
    keys[short], seconds[short] = stems_of(words.keys, second_words(words), words.lengths)
    long = np.flatnonzero(lengths > LONGEST)
    if long.size:
        stems = [porter(word).decode() for word in spelled(tokens, which.take(long))]
        words = alphanumeric([" ".join(stems)])
        keys[long], seconds[long] = words.keys, second_words(words)
    return keys, seconds


def _read_words(pairs: _Pairs, reader: _Reader, *, by_line: bool) -> _Words:
    if reader.stems is not None:
        reader.stems.make_room()
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


def _changes(*columns: NDArray[np.generic]) -> Booleans:
    """Where a row of these columns differs from the one before; the first always does."""
    new = np.zeros(columns[0].size, dtype=bool)
    new[:1] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return new


def _owners(counts: Integers) -> Integers:
    """For each of so many things of each owner the owner."""
    return np.repeat(np.arange(counts.size), counts)


def _within(counts: Integers) -> Integers:
    """For each of so many things of each owner how many of the owner's came before."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


@dataclass(frozen=True)
class _Met:
    """The n-grams that both texts of a pair have, each in a group of its own.

    A group lists the tokens at which the n-gram begins, in the order of the texts: first those
    of the prediction.
    """

    pair: Integers  # of each group
    predicted: Integers  # tokens of the prediction in each group
    relevant: Integers  # tokens of the reference
    tokens: Integers  # of all groups, one group after another
    words: int  # of the block

    def shared(self, pairs: int) -> Integers:
        """How many n-grams each pair shares."""
        clipped = np.minimum(self.predicted, self.relevant)
        return np.bincount(self.pair, weights=clipped, minlength=pairs).astype(np.int64)

    @cached_property
    def groups(self) -> Integers:
        """The group of each of `tokens`."""
        return _owners(self.predicted + self.relevant)

    @cached_property
    def group(self) -> Integers:
        """The group of each word of the block, -1 if no n-gram that met begins there, and -1."""
        group = np.full(self.words + 1, -1, dtype=np.int64)
        group[self.tokens] = self.groups
        return group


def _steps(wanted: set[int]) -> list[int]:
    """Lengths of n-grams from 1 to the longest wanted, none more than twice the one before.

    >>> _steps({2, 9, 0})
    [1, 2, 4, 8, 9]
    """
    steps = [1]
    for n in sorted(wanted):
        while steps[-1] < n:
            steps.append(min(n, 2 * steps[-1]))
    return steps


def _meetings(words: _Words, wanted: set[int]) -> Iterator[tuple[int, _Met]]:
    """What meets, of single words and then of ever longer n-grams, while anything does.

    A key is equal for equal n-grams of the same text; only its lowest bit, the side, tells both
    texts of a pair apart. So in order of the keys an n-gram of the prediction is followed
    at once by the same of the reference, if there is one.
    """
    texts = words.texts.view(np.uint64)
    tokens = words.codes.order
    keys = (words.codes.values.astype(np.uint64) << np.uint64(32) | texts).take(tokens)
    met = _met(keys, tokens, texts)
    yield 1, met
    for shorter, n in pairwise(_steps(wanted)):
        # An n-gram is known by the groups of its first words and of its last ones, so many that
        # they leave none out: both meet if it does. The tokens are in order of the latter, and
        # sorted by the former.
        further = n - shorter
        group, groups = met.group, met.groups
        before = np.maximum(met.tokens - further, -1)  # the last entry is no group
        goes_on = np.flatnonzero(group.take(before) >= 0)
        before = before.take(goes_on)
        same_text = np.flatnonzero(texts.take(before) == texts.take(before + further))
        goes_on, before = goes_on.take(same_text), before.take(same_text)
        if not before.size:
            return
        first = group.take(before).astype(np.uint32)
        order = stable_order(first)
        tokens = before.take(order)
        keys = first.take(order).astype(np.uint64) << np.uint64(32)
        keys |= groups.take(goes_on).take(order).astype(np.uint64) << np.uint64(1)
        keys |= texts.take(tokens) & np.uint64(1)
        met = _met(keys, tokens, texts)
        yield n, met


def _met(keys: Unsigned, tokens: Integers, texts: Unsigned) -> _Met:
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
        texts.size,
    )


# Subsequences of the words that met


class _Rows(NamedTuple):
    """Words of references as bits: an entry for each group, line, and `ROWS` rows of the line."""

    line: Integers
    word: Integers
    bits: Unsigned
    counts: Integers  # entries of each group, group after group

    def of(self, groups: Integers) -> tuple[Integers, Integers]:
        """All entries of a list of groups: of which of the list, and which entries."""
        counts = self.counts.take(groups)
        first = (np.cumsum(self.counts) - self.counts).take(groups)
        return _owners(counts), np.repeat(first, counts) + _within(counts)


class _Lines(NamedTuple):
    """The words that met, in the lines where they are."""

    lengths: Integers  # words of each line that met
    group: Integers  # of each word of the block, -1 if it did not meet
    rank: Integers  # of each word that met, among those of its line
    columns: Integers  # the words of predictions that met
    relevant: Integers  # the words of references that met, group after group
    rows: _Rows  # the same as bits


def _lines(words: _Words, met: _Met, line: Integers, lines: int) -> _Lines:
    """What met, by the line of each word; a text may be taken for a line."""
    group, groups = met.group[:-1], met.groups
    did_meet = np.flatnonzero(group >= 0)
    of_lines = np.bincount(line.take(did_meet), minlength=lines)
    rank = np.zeros(line.size, dtype=np.int64)
    rank[did_meet] = _within(of_lines)

    in_prediction = words.texts & 1 == 0
    of_reference = np.flatnonzero(~in_prediction.take(met.tokens))
    relevant, groups = met.tokens.take(of_reference), groups.take(of_reference)
    row = rank.take(relevant)
    word = row // ROWS  # numpy has no fast divmod
    bit = row - ROWS * word
    new = np.flatnonzero(_changes(groups, line.take(relevant), word))
    bits = np.uint64(1) << bit.astype(np.uint64)
    rows = _Rows(
        line.take(relevant.take(new)),
        word.take(new),
        np.bitwise_or.reduceat(bits, new) if new.size else bits,
        np.bincount(groups.take(new), minlength=met.pair.size),
    )
    columns = did_meet.take(np.flatnonzero(in_prediction.take(did_meet)))
    return _Lines(of_lines, group, rank, columns, relevant, rows)


def _subsequences(words: _Words, met: _Met) -> Integers:
    """For each pair the length of the longest common subsequence."""
    sizes = np.bincount(words.texts.take(met.tokens), minlength=words.counts.size)
    is_long = words_of(sizes[::2]) + words_of(sizes[1::2]) >= _LONG_WORDS
    shared = np.zeros(is_long.size, dtype=np.int64)
    if not is_long.all():
        shared = _short_subsequences(words, met, is_long)
    if is_long.any():
        long = np.flatnonzero(is_long)
        shared[long] = _long_subsequences(met, sizes, long)
    return shared


def _short_subsequences(words: _Words, met: _Met, is_long: Booleans) -> Integers:
    """The same, but 0 for long pairs."""
    text = _lines(words, met, words.texts, words.counts.size)
    columns, rows = np.where(is_long, 0, text.lengths.reshape(-1, 2).T)
    cells = words_of(rows) * (columns + words_of(rows) - 1)
    ends = np.cumsum(columns)
    pair = _owners(columns)
    is_short = ~is_long.take(words.texts.take(text.columns) >> 1)
    every = text.columns.take(np.flatnonzero(is_short))
    shared = np.zeros(rows.size, dtype=np.int64)
    for start, stop in _portions(cells, _CELLS):
        some = slice(ends[start] - columns[start], ends[stop - 1])
        tokens = every[some]
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


def _long_subsequences(met: _Met, sizes: Integers, pairs: Integers) -> Integers:
    """The same of these pairs, from the words that met, those alike in size together.

    Rows are those of the longer text, since every column is a step.
    """
    groups = met.group.take(np.flatnonzero(met.group >= 0))
    starts = np.cumsum(sizes) - sizes
    longer = 2 * pairs + (sizes.take(2 * pairs + 1) > sizes.take(2 * pairs))
    texts = np.stack((longer, longer ^ 1))
    rows, columns = sizes.take(texts)
    cells = long_cells(rows, columns)
    shared = np.zeros(pairs.size, dtype=np.int64)
    for some in _alike(rows, columns, cells):
        first, second = (
            groups.take(np.repeat(starts.take(side), counts) + _within(counts))
            for side in texts.take(some, axis=1)
            for counts in [sizes.take(side)]
        )
        if some.size == 1 and cells[some[0]] > _CELLS:
            shared[some] = longest(first.tolist(), second.tolist())
        else:
            shared[some] = long_lengths(first, rows.take(some), second, columns.take(some))
    return shared


def _alike(rows: Integers, columns: Integers, cells: Integers) -> Iterator[Integers]:
    """Portions of pairs that are padded to one size, and so take at most twice their cells."""
    some: list[int] = []
    for pair in np.argsort(-columns, kind="stable").tolist():
        together = np.array([*some, pair])
        padded = long_cells(rows.take(together).max(), columns[together[0]]) * together.size
        if some and (padded > _CELLS or padded > 2 * cells.take(together).sum()):
            yield np.array(some)
            some = []
        some.append(pair)
    yield np.array(some)


def _unions(words: _Words, met: _Met) -> Integers:
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

    row = lined.rank.take(lined.relevant)
    word = row // ROWS
    bit = row - ROWS * word
    at = first_word.take(words.lines.take(lined.relevant)) + word
    on_path = union.take(at) >> bit.astype(np.uint64) & np.uint64(1)
    groups = lined.group.take(lined.relevant)
    counts = np.bincount(groups, weights=on_path, minlength=met.pair.size)
    clipped = np.minimum(counts, met.predicted)
    shared = np.bincount(met.pair, weights=clipped, minlength=pairs).astype(np.int64)
    for at_once, value in plainly.items():
        shared[at_once] = value
    return shared


def _line_costs(words: _Words, lined: _Lines, columns: Integers) -> Integers:
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


def _lines_of(words: _Words, lined: _Lines, index: int) -> list[Line]:
    """The groups of the words of a text, line by line; of a reference only of those that met."""
    found = []
    for line in np.flatnonzero(words.line_texts == index).tolist():
        start = int(words.ends[line - 1]) if line else 0
        groups = lined.group[start : int(words.ends[line])]
        found.append((groups[groups >= 0] if index % 2 else groups).tolist())
    return found


def _between_lines(words: _Words, lined: _Lines, tokens: Integers) -> tuple[Matches, Integers]:
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


def _portions(costs: Integers, limit: int) -> Iterator[tuple[int, int]]:
    """Ranges of pairs that together cost no more than the limit, or are one that costs more."""
    upto = np.cumsum(costs)
    start = 0
    while start < costs.size:
        spent = int(upto[start] - costs[start])
        stop = max(int(np.searchsorted(upto, spent + limit, side="right")), start + 1)
        yield start, stop
        start = stop
