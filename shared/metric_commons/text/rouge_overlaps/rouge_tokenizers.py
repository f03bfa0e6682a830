"""The words that ROUGE counts: tokenizers and stemming."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from ...statistics.arguments.checks import OptionError
from .porter import porter
from .text_pairs import TextPairs

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


_TOKENIZERS: dict[str, Callable[[str], list[str]]] = {
    "rouge_score": rouge_score_words,
    "unicode": unicode_words,
}


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


class _Stems(dict[str, str]):
    """The Porter stem of each word of a-z and 0-9; as in rouge_score, up to three letters stay.

    Stemming takes some 3 microseconds. Words recur within texts and between calls, so the cache
    belongs to the process.
    """

    def __missing__(self, word: str) -> str:
        stem = porter(word.encode()).decode() if len(word) > 3 else word
        if len(self) >= _CACHED_WORDS:
            self.clear()
        if len(word) <= _CACHED_LETTERS:
            self[word] = stem
        return stem


_STEMS = _Stems()


def stems(words: Iterable[str]) -> list[str]:
    """Return the Porter stem of each word that has more than three letters, all from a-z and 0-9.

    Other words are unchanged, as in rouge_score.

    >>> stems(["connects", "ads"])
    ['connect', 'ads']
    """
    return list(map(_STEMS.__getitem__, words))


class RougeTokenizer:
    """A tokenizer, with or without stemming."""

    def __init__(self, tokenizer: Tokenizer, *, use_stemmer: bool) -> None:
        self.is_alphanumeric = tokenizer == "rouge_score"  # see `alphanumeric_tokens`
        self.is_custom = callable(tokenizer)
        self.use_stemmer = use_stemmer
        self._split = tokenizer if callable(tokenizer) else _TOKENIZERS[tokenizer]

    def lines_of_words(self, pairs: TextPairs, *, by_line: bool) -> list[list[list[str]]]:
        """Return the words of each line of each text; without `by_line`, a text counts as one line.

        Raises:
            ValueError: a custom tokenizer does not return a list of words.
        """
        lines_of_texts: dict[str, list[list[str]]] = {}
        for index, text in enumerate(pairs.texts):
            if text not in lines_of_texts:
                parts = text.split("\n") if by_line else [text]
                lines_of_texts[text] = [self._words(part, pairs, index) for part in parts]
        return [lines_of_texts[text] for text in pairs.texts]

    def _words(self, text: str, pairs: TextPairs, index: int) -> list[str]:
        words = self._split(text)
        if self.is_custom and not _are_words(words):
            problem = f"must return a list of str, got {words!r} for {pairs.location(index)}"
            raise OptionError("tokenizer", problem)
        if not self.use_stemmer:
            return words
        if self.is_alphanumeric:
            return stems(words)
        return [_STEMS[word] if _ALPHANUMERIC.fullmatch(word) else word for word in words]


def _are_words(words: Sequence[str]) -> bool:
    return isinstance(words, list) and all(isinstance(word, str) for word in words)
