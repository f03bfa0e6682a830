"""The words of ROUGE: pairs of texts, how these are split, and the n-grams that both texts have.

A pair is a prediction and one of its references. Equal words of a pair get the same number, by
which they are counted (Lin, ROUGE: A Package for Automatic Evaluation of Summaries, 2004). Longer
n-grams are searched only among words that both texts have: "a b c" is shared only if "a b" and
"b c" are.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import Literal, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Integers, Unsigned
from ...statistics.arguments.checks import OptionError
from ..tokens.distinct_keys import distinct_keys
from ..tokens.references import blocks
from ..tokens.segments import segment_numbers
from ..tokens.tokens import alphanumeric_tokens, line_counts, spelled
from ..tokens.word_codes import numbers_of_words, token_keys
from .porter import porter

_CHARACTERS = 700_000  # per block


def pair_blocks(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    normalizer: Callable[[str], str],
) -> Iterator[list[str]]:
    """Yield the texts of all pairs, normalized, in blocks bounded by characters.

    A block has a prediction, its reference, a prediction, and so on.
    """
    texts: list[str] = []
    characters = 0
    for block in blocks(predictions, references):
        normalized = list(map(normalizer, block.texts))
        indices = zip(block.pair_predictions.tolist(), block.pair_references.tolist(), strict=True)
        for prediction_index, reference_index in indices:
            prediction, reference = normalized[prediction_index], normalized[reference_index]
            texts += prediction, reference
            characters += len(prediction) + len(reference)
            if characters >= _CHARACTERS:
                yield texts
                texts, characters = [], 0
    if texts:
        yield texts


Tokenizer = Literal["rouge_score", "unicode"] | Callable[[str], list[str]]

_ALPHANUMERIC = re.compile("[a-z0-9]+")
_CACHED_WORDS = 1 << 16  # some 200 bytes each
_CACHED_LETTERS = 32  # maximum length of a cached word


def rouge_score_words(text: str) -> list[str]:
    """Return the runs of a-z and 0-9 of the lower-cased text, as in rouge_score.

    >>> rouge_score_words("Don't, 3.5 naïve")
    ['don', 't', '3', '5', 'na', 've']
    """
    return _ALPHANUMERIC.findall(text.lower())


class _WordCharacters(dict[int, str]):
    """The replacement for each code point, before words are split at white space."""

    def __missing__(self, code_point: int) -> str:
        character = chr(code_point)
        if unicodedata.category(character)[0] not in "LMN":
            character = " "
        elif unicodedata.name(character, "").startswith("CJK "):
            character = f" {character} "
        self[code_point] = character
        return character


_WORD_CHARACTERS = _WordCharacters()


def unicode_words(text: str) -> list[str]:
    """Return the words of a text in any script: runs of letters, marks and digits, lower-cased.

    Each CJK ideograph is a word, since nothing separates the words of a Chinese text. Marks belong
    to words because the vowel signs of many scripts are marks. On ASCII text the result equals that
    of `rouge_score_words`.

    >>> unicode_words("Don't, 3.5 naïve"), unicode_words("今天 OK")
    (['don', 't', '3', '5', 'naïve'], ['今', '天', 'ok'])
    """
    return text.lower().translate(_WORD_CHARACTERS).split()


SentenceSplitter = Callable[[str], list[str]]


def sentence_lines(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    split: SentenceSplitter,
    normalize: Callable[[str], str],
) -> tuple[list[str], list[str | list[str]]]:
    r"""Put each sentence of the texts on a separate line.

    Raises:
        OptionError: `split` does not return a list of texts.

    >>> sentence_lines(["A b! C?"], [["D."]], lambda text: text.split(" C"), str.lower)
    (['a b!\n?'], [['d.']])
    """
    lines_of_texts: dict[str, str] = {}

    def lines(text: str) -> str:
        if text not in lines_of_texts:
            sentences = split(text)
            if not _are_words(sentences):
                problem = f"must return a list of str, got {sentences!r:.60} for {text!r:.60}"
                raise OptionError("split_summaries", problem)
            parts = (normalize(sentence).replace("\n", " ") for sentence in sentences)
            lines_of_texts[text] = "\n".join(parts)
        return lines_of_texts[text]

    return (
        list(map(lines, predictions)),
        [lines(row) if isinstance(row, str) else list(map(lines, row)) for row in references],
    )


def _stem(word: str) -> str:
    return porter(word.encode()).decode() if len(word) > 3 else word


_cached_stem = lru_cache(_CACHED_WORDS)(_stem)  # words recur within texts and between calls


def stems(words: Iterable[str]) -> list[str]:
    """Return the Porter stem of each word that has more than three letters, all from a-z and 0-9.

    Other words are unchanged, as in rouge_score.

    >>> stems(["connects", "ads"])
    ['connect', 'ads']
    """
    return [_cached_stem(word) if len(word) <= _CACHED_LETTERS else _stem(word) for word in words]


class RougeTokenizer:
    """A tokenizer, with or without stemming."""

    def __init__(self, tokenizer: Tokenizer, *, use_stemmer: bool) -> None:
        self.is_alphanumeric = tokenizer == "rouge_score"  # see `alphanumeric_tokens`
        self.is_custom = callable(tokenizer)
        self.use_stemmer = use_stemmer
        plain_words = rouge_score_words if self.is_alphanumeric else unicode_words
        self._split = tokenizer if callable(tokenizer) else plain_words

    def lines_of_words(self, texts: Sequence[str], *, by_line: bool) -> list[list[list[str]]]:
        """Return the words of each line of each text; without `by_line`, a text counts as one line.

        Raises:
            ValueError: a custom tokenizer does not return a list of words.
        """
        lines_of_texts: dict[str, list[list[str]]] = {}
        for text in texts:
            if text not in lines_of_texts:
                parts = text.split("\n") if by_line else [text]
                lines_of_texts[text] = list(map(self._words, parts))
        return [lines_of_texts[text] for text in texts]

    def _words(self, text: str) -> list[str]:
        words = self._split(text)
        if self.is_custom and not _are_words(words):
            problem = f"must return a list of str, got {words!r:.60} for {text[:60]!r}"
            raise OptionError("tokenizer", problem)
        if not self.use_stemmer:
            return words
        if self.is_alphanumeric:
            return stems(words)
        return [_cached_stem(word) if _ALPHANUMERIC.fullmatch(word) else word for word in words]


def _are_words(words: Sequence[str]) -> bool:
    return isinstance(words, list) and all(isinstance(word, str) for word in words)


class BlockWords(NamedTuple):
    """The words of pairs of texts, by text and line."""

    codes: Unsigned  # one per word: equal if and only if the words are
    text_counts: Integers  # number of words of each text
    texts: Integers  # the text of each word; the texts of pair n are 2n and 2n + 1
    lines: Integers  # the line of each word, numbered across all texts
    line_ends: Integers  # for each line, the index after its last word
    line_texts: Integers  # the text of each line


def block_words(texts: Sequence[str], tokenizer: RougeTokenizer, *, by_line: bool) -> BlockWords:
    """Return the words of all texts; without `by_line`, a text counts as one line."""
    if tokenizer.is_alphanumeric:
        tokens = alphanumeric_tokens(texts)
        codes = token_keys(tokens)
        if tokenizer.use_stemmer:  # each distinct word is stemmed once
            numbers, examples = distinct_keys(codes)
            codes = numbers_of_words(stems(spelled(tokens, examples))).view(np.uint64).take(numbers)
        if not by_line:
            return _block_words(codes, tokens.counts, np.ones_like(tokens.counts))
        lines = np.array([text.count("\n") + 1 for text in texts], dtype=np.int64)
        return _block_words(codes, line_counts(tokens), lines)
    words = tokenizer.lines_of_words(texts, by_line=by_line)
    return _block_words(
        numbers_of_words(list(chain.from_iterable(chain.from_iterable(words)))).view(np.uint64),
        np.array([len(line) for lines in words for line in lines], dtype=np.int64),
        np.array(list(map(len, words)), dtype=np.int64),
    )


def _block_words(codes: Unsigned, words: Integers, lines: Integers) -> BlockWords:
    """Build a block from the words of each line and the lines of each text."""
    line_ends = np.cumsum(words)
    totals = np.concatenate(([0], line_ends))
    text_ends = np.cumsum(lines)
    text_counts = totals.take(text_ends) - totals.take(text_ends - lines)
    return BlockWords(
        codes,
        text_counts,
        segment_numbers(text_counts),
        segment_numbers(words),
        line_ends,
        segment_numbers(lines),
    )


class SharedNgrams(NamedTuple):
    """The n-grams that both texts of a pair have; different pairs have different n-grams."""

    pairs: Integers  # the pair of each n-gram, ascending
    prediction_counts: Integers  # how often each occurs in the prediction
    reference_counts: Integers  # how often each occurs in the reference
    numbers: Integers  # the n-gram at each possible position, -1 if it is not shared

    def overlaps(self, pairs: int) -> Integers:
        """Return the number of n-grams that each pair shares, with multiplicity."""
        clipped = np.minimum(self.prediction_counts, self.reference_counts)
        return np.bincount(self.pairs, weights=clipped, minlength=pairs).astype(np.int64)


def _steps(lengths: set[int]) -> list[int]:
    """Return increasing lengths from 1 to the longest, none more than twice the previous one.

    >>> _steps({2, 9, 0})
    [1, 2, 4, 8, 9]
    """
    steps = [1]
    for n in sorted(lengths):
        while steps[-1] < n:
            steps.append(min(n, 2 * steps[-1]))
    return steps


def shared_ngrams(words: BlockWords, lengths: set[int]) -> Iterator[tuple[int, SharedNgrams]]:
    """Yield the shared words, then shared n-grams of increasing length, while there are any.

    Each length is at most twice the previous one, so that an n-gram consists of its first and its
    last words, both of the previous length, which overlap or touch: "a b c" is "a b" and "b c".
    Shared words may start at any word of the block, which is what their `numbers` refer to.
    """
    pairs = (words.texts >> 1).view(np.uint64)
    shared = _shared(words.texts, words.codes, pairs)
    yield 1, shared
    starts, at_words = np.empty(0, np.int64), shared.numbers
    for shorter, n in pairwise(_steps(lengths)):
        if shorter > 1:
            at_words = np.full(words.texts.size, -1)
            at_words[starts] = shared.numbers
        extension = n - shorter
        if extension >= words.texts.size:
            return
        first_parts, last_parts = at_words[:-extension], at_words[extension:]
        are_shared = (first_parts >= 0) & (last_parts >= 0)
        are_shared &= words.texts[:-extension] == words.texts[extension:]
        starts = np.flatnonzero(are_shared)
        if not starts.size:
            return
        keys = first_parts.take(starts) * shared.pairs.size + last_parts.take(starts)
        shared = _shared(words.texts.take(starts), keys.view(np.uint64))
        yield n, shared


def _shared(texts: Integers, *keys: Unsigned) -> SharedNgrams:
    """Return the shared n-grams among those with these keys.

    Args:
        texts: the text of each n-gram, ascending.
        keys: columns that are equal for equal n-grams of the same pair.
    """
    numbers, examples = distinct_keys(*keys)
    reference_offsets = (texts & 1) * examples.size
    counts = np.bincount(numbers + reference_offsets, minlength=2 * examples.size)
    prediction_counts, reference_counts = counts[: examples.size], counts[examples.size :]
    shared = np.flatnonzero((prediction_counts > 0) & (reference_counts > 0))
    new_numbers = np.full(examples.size, -1)
    new_numbers[shared] = np.arange(shared.size)
    return SharedNgrams(
        texts.take(examples.take(shared)) >> 1,
        prediction_counts.take(shared),
        reference_counts.take(shared),
        new_numbers.take(numbers),
    )
