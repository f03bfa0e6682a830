r"""The tokenizers of BLEU, as in sacrebleu: the words of many texts as integers.

13a comes from NIST's script mteval-v13a and has become the standard. Its regular expressions split
off symbols, full stops and commas that are not between digits, and hyphens after digits.
Where two full stops or commas follow each other, one match consumes a character that the next one
needs; such texts go through the expressions themselves. All others are split as bytes, all texts at
once.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from ...statistics.arguments.arrays import Booleans, Bytes
from ...statistics.arguments.checks import OptionError
from ..tokens.normalizers import squeeze
from ..tokens.tokens import PADDING, UNICODE_SPACE, Tokens, byte_rule, tokenize, tokens_at
from ..tokens.word_codes import Sequences, numbered_characters, token_codes, word_sequences

TranslationTokenizer = Literal["13a", "intl", "zh", "char", "none"] | Callable[[str], object]

_EXPRESSIONS = [
    (re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])"), r" \1 "),
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
]
_RUN = re.compile(r"[.,]\s*[.,]")
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))

_SYMBOLS: Booleans = np.zeros(256, dtype=bool)  # those that the first expression splits off
for _first, _last in ("{~", "[`", " &", "(+", ":@", "//"):
    _SYMBOLS[ord(_first) : ord(_last) + 1] = True
_VISIBLE: Booleans = np.ones(256, dtype=bool)
_VISIBLE[[*range(9, 14), *range(28, 33)]] = False

# The characters that sacrebleu treats as Chinese. Its ranges in planes 1 and 2 are strings of two
# characters; so are, in effect, those from U+2001 to U+2A6D and from U+2F81 to U+2FA1.
_CHINESE = (
    "[\u2001-\u2a6d\u2e80-\u2eff\u2f00-\u2fdf\u2ff0-\u2fff\u3000-\u303f\u3100-\u312f\u31a0-\u31bf"
    "\u31c0-\u31ef\u3200-\u33ff\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9"
    "\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef]"
)
_CHINESE_EDGE = re.compile(f"(?={_CHINESE})|(?<={_CHINESE})")
_KEEP = byte_rule(squeeze)


def translation_words(
    texts: Sequence[str], tokenizer: TranslationTokenizer, *, strip: bool = True
) -> Sequences:
    """Return the words of each text as integers from 1; equal words are equal integers.

    Trailing white space is stripped first, as in sacrebleu, which changes the words of texts that
    end with a hyphen and a line break; `strip=False` keeps it.

    >>> words = translation_words(["It's 3.5.", "3.5"], "13a")
    >>> words.counts.tolist(), bool(words.codes[1] == words.codes[3])
    ([3, 1], True)
    >>> translation_words(["It's 3.5."], "char").counts.tolist()
    [8]
    """
    stripped = [text.rstrip() for text in texts] if strip else list(texts)
    if tokenizer in ("13a", "zh") and not any("\0" in text for text in stripped):
        return _coded(_words_13a(stripped) if tokenizer == "13a" else _words_of_chinese(stripped))
    if tokenizer == "none":
        return _coded(tokenize(stripped, _KEEP))
    if tokenizer == "char":
        return numbered_characters(["".join(text.split()) for text in stripped])
    if tokenizer == "intl":
        words = _words_intl(stripped)
    else:
        split = _checked(tokenizer) if callable(tokenizer) else _EXACT[tokenizer]
        words = list(map(split, stripped))
    return word_sequences(words)


def _coded(tokens: Tokens) -> Sequences:
    return Sequences(token_codes(tokens) + 1, tokens.counts)


# ---- 13a ----------------------------------------------------------------------------------------


def words_13a(text: str) -> list[str]:
    """Return the words of a text, by the regular expressions themselves.

    >>> words_13a("&quot;No.&quot; 1,000.5-2")
    ['"', 'No', '.', '"', '1,000.5', '-', '2']
    """
    return _parted(f" {_unescaped(text)} ").split()


def _parted(line: str) -> str:
    for expression, replacement in _EXPRESSIONS:
        line = expression.sub(replacement, line)
    return line


def _unescaped(text: str) -> str:
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return text


def _words_13a(texts: Sequence[str]) -> Tokens:
    """Return the words of many texts, as bytes; trailing zeros of a word would be lost."""
    joined = "".join(texts)
    is_plain = not any(part in joined for part in ("&", "\n", "<skipped>"))
    lines = list(texts) if is_plain else list(map(_unescaped, texts))
    return _words_of_lines(lines, lambda line: _parted(f" {line} "))


def _words_of_chinese(texts: Sequence[str]) -> Tokens:
    """Return the same for Chinese, where lines do not end with a space and a final stop stays."""
    joined = "\n".join(text.strip().replace("\n", " ") for text in texts)
    lines = _CHINESE_EDGE.sub(" ", joined).split("\n")
    return _words_of_lines(lines, _parted, ends_are_digits=True)


def _words_of_lines(
    lines: list[str], parted: Callable[[str], str], *, ends_are_digits: bool = False
) -> Tokens:
    """Return the words of lines.

    `parted` is applied to those with runs of full stops and commas.
    """
    joined = "\n".join(lines)
    exact: list[int] = []
    if _RUN.search(joined):
        exact = [number for number, line in enumerate(lines) if _RUN.search(line)]
        for number in exact:
            lines[number] = " ".join(parted(lines[number]).split())
        joined = "\n".join(lines)
    if not joined.isascii():
        joined = UNICODE_SPACE.sub(" ", joined)
    blob = b"\n%b\n%b" % (joined.encode("utf-8", "surrogatepass"), PADDING)
    data: Bytes = np.frombuffer(blob, np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    is_alone = _alone(data, ends_are_digits=ends_are_digits)
    for number in exact:
        is_alone[ends[number] : ends[number + 1]] = False
    visible = _VISIBLE.take(data)
    begins = visible.copy()
    begins[1:] &= ~visible[:-1] | is_alone[1:] | is_alone[:-1]
    starts = np.flatnonzero(begins)
    stops = visible.copy()
    stops[:-1] &= ~visible[1:] | begins[1:]
    lengths = np.flatnonzero(stops) - starts + 1
    return tokens_at(blob, starts, lengths, np.diff(np.searchsorted(starts, ends)))


def _alone(data: Bytes, *, ends_are_digits: bool) -> Booleans:
    """Return which bytes are words by themselves, in text without runs of full stops and commas."""
    is_digit = (data >= ord("0")) & (data <= ord("9"))
    is_alone = _SYMBOLS.take(data)
    hyphens = np.flatnonzero(data == ord("-"))
    is_alone[hyphens] = is_digit[hyphens - 1]
    if ends_are_digits:
        is_digit |= data == ord("\n")
    points = np.flatnonzero((data == ord(".")) | (data == ord(",")))
    is_alone[points] = ~(is_digit[points - 1] & is_digit[points + 1])
    return is_alone


# ---- text by text -------------------------------------------------------------------------------


def _words_zh(text: str) -> list[str]:
    """Return each Chinese character, and words as in 13a but without its entities.

    >>> _words_zh("今天 3.5 km。")
    ['今', '天', '3.5', 'km', '。']
    """
    return _parted(_CHINESE_EDGE.sub(" ", text.strip())).split()


def _words_intl(texts: Sequence[str]) -> list[list[str]]:
    """Return words of any script, without punctuation and symbols, as in mteval-v14.

    The expressions refer to the Unicode categories N, P and S, which `re` does not support. They
    are built from the characters of each category that occur.

    >>> _words_intl(["„Où?“ 3,5 €."])
    [['„', 'Où', '?', '“', '3,5', '€', '.']]
    """
    categories: dict[str, list[str]] = {"N": ["0"], "P": [], "S": []}
    for character in sorted(set().union(*texts)):
        kind = unicodedata.category(character)[0]
        if kind in categories:
            categories[kind].append(re.escape(character))
    numbers, punctuation, symbols = map("".join, categories.values())
    expressions = []
    if punctuation:
        expressions.append((re.compile(f"([^{numbers}])([{punctuation}])"), r"\1 \2 "))
        expressions.append((re.compile(f"([{punctuation}])([^{numbers}])"), r" \1 \2"))
    if symbols:
        expressions.append((re.compile(f"([{symbols}])"), r" \1 "))
    words = []
    for text in texts:
        for expression, replacement in expressions:
            text = expression.sub(replacement, text)
        words.append(text.split())
    return words


_EXACT: dict[str, Callable[[str], list[str]]] = {"13a": words_13a, "zh": _words_zh}


def _checked(tokenizer: Callable[[str], object]) -> Callable[[str], list[str]]:
    """Wrap a custom tokenizer to raise an error unless it returns words or a text of words."""

    def split(text: str) -> list[str]:
        words = tokenizer(text)
        if isinstance(words, str):
            return words.split()
        if isinstance(words, list) and all(isinstance(word, str) for word in words):
            return words
        problem = f"must return a str or a list of str, got {words!r:.60} for {text[:60]!r}"
        raise OptionError("tokenize", problem)

    return split
