"""The tokens of many texts at once, as slices of one byte string.

Python's string methods cost about a microsecond per text, most of it for creating objects. Here
the texts of a block are joined, one `bytes.translate` lowers and cleans all of them, and numpy
finds where tokens begin and end. A token never becomes an object. Its key, the first eight bytes
read as one integer, distinguishes nearly all tokens; tokens with equal keys are compared byte by
byte. So the results equal those of plain Python and do not depend on a hash.
"""

import re
import string
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Integers, Unsigned
from .segments import ranges, segment_starts

Articles = Literal["keep", "drop", "drop_unless_alone"]

_SEPARATOR = " \xff "  # a separate token between texts: this byte never occurs in UTF-8
_MARK = "\n\ue000\n"  # separates texts that are folded together
_MARK_BYTES = _MARK.encode()
_CONTROL = 1  # replaces control characters, so that they are detected and handled exactly
_SPACES = (*range(9, 14), *range(28, 33))  # white space in ASCII, according to str.split()
_CONTROLS = (*range(9), *range(14, 28), 127)
_PUNCTUATION = string.punctuation.encode()
PADDING = b" " * 24  # so that reading eight bytes at the last token stays inside the blob

UNICODE_SPACE = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_CONTROL_CHARACTER = re.compile("[\x00-\x08\x0e-\x1b\x7f]")
_ALPHANUMERIC = bytes(
    ord(chr(n).lower()) if n < 128 and (chr(n).isalnum() or n == ord("\n")) else ord(" ")
    for n in range(256)
)
_ARTICLES = ("a", "an", "the")
# Masks for the first n bytes of an eight-byte integer; the first byte is the lowest.
_FIRST_BYTES = np.array([(1 << 8 * n) - 1 for n in range(8)] + [2**64 - 1], dtype=np.uint64)


_NO_LETTERS = np.empty(0, dtype=np.int64)


class ByteRule(NamedTuple):
    """A normalizer as a table of bytes, for the texts on which the table is exact.

    On ASCII text the table does what `exact` does, apart from white space and articles. Non-ASCII
    characters go through `fold`, which must do what `exact` does to them before it handles
    punctuation. Texts on which the two might differ go through `exact` itself.
    """

    exact: Callable[[str], str]
    fold: Callable[[str], str]
    table: bytes
    deleted: bytes
    articles: Articles


def byte_rule(
    exact: Callable[[str], str],
    *,
    fold: Callable[[str], str] = str,
    lower: bool = False,
    punctuation: Literal["keep", "delete", "space"] = "keep",
    articles: Articles = "keep",
) -> ByteRule:
    """Return a table that lower-cases ASCII letters and keeps, deletes or blanks ASCII punctuation.

    Args:
        exact: the normalizer itself, text to text, with tokens joined by single spaces.
        fold: the function for non-ASCII characters.
        lower: whether it lower-cases letters.
        punctuation: "keep", "delete" or "space".
        articles: whether it drops articles; with "drop_unless_alone", a text consisting only of
            articles keeps them.
    """
    table = bytearray(range(256))
    for byte in _CONTROLS:
        table[byte] = _CONTROL
    if lower:
        table[ord("A") : ord("Z") + 1] = range(ord("a"), ord("z") + 1)
    for byte in (*_SPACES, *(_PUNCTUATION if punctuation == "space" else ())):
        table[byte] = ord(" ")
    deleted = _PUNCTUATION if punctuation == "delete" else b""
    return ByteRule(exact, fold, bytes(table), deleted, articles)


class Tokens(NamedTuple):
    """The tokens of a list of texts, text after text."""

    blob: bytes
    starts: Integers  # where each token begins in the blob
    lengths: Integers  # in bytes
    keys: Unsigned  # the first eight bytes of each token; the whole token if it is no longer
    counts: Integers  # number of tokens of each text
    dropped: Integers = _NO_LETTERS  # where the letters of dropped articles are

    @property
    def texts(self) -> NDArray[np.int32]:
        """Return the text that each token belongs to."""
        return np.repeat(np.arange(self.counts.size, dtype=np.int32), self.counts)

    @property
    def text_starts(self) -> Integers:
        """Return the first token of each text, or where it would be."""
        return segment_starts(self.counts)

    def at(self, indices: Integers, counts: Integers) -> "Tokens":
        """Return the tokens with these indices; `counts` has the number of tokens of each text."""
        starts, lengths = self.starts.take(indices), self.lengths.take(indices)
        return Tokens(self.blob, starts, lengths, self.keys.take(indices), counts)

    def bytes_from(self, tokens: Integers, offset: int) -> Unsigned:
        """Return eight bytes of each token from an offset, as integers; zeros past their end.

        >>> tokens = tokenize(["internationalization"], byte_rule(str))
        >>> int(tokens.bytes_from(np.array([0]), 16)[0]).to_bytes(4, "little")
        b'tion'
        """
        eight_bytes = _eight_bytes(self.blob, self.starts.take(tokens) + offset)
        eight_bytes &= _FIRST_BYTES.take(self.lengths.take(tokens) - offset, mode="clip")
        return eight_bytes


def tokenize(texts: Sequence[str], rule: ByteRule) -> Tokens:
    """Return the tokens of `rule.exact(text).split(" ")` for every text.

    >>> rule = byte_rule(lambda text: " ".join(text.lower().split()), fold=str.lower, lower=True)
    >>> tokens = tokenize(["Paris  1889", "", "ÉTÉ"], rule)
    >>> tokens.counts.tolist(), tokens.lengths.tolist()
    ([2, 0, 1], [5, 4, 5])
    """
    latin_texts = list(texts)
    foreign = [index for index, text in enumerate(texts) if not text.isascii()]
    if foreign:
        parts = _folded([latin_texts[index] for index in foreign], rule)
        for index, part in zip(foreign, parts, strict=True):
            latin_texts[index] = part.decode("latin-1")
    blob = _blob(latin_texts, rule)
    if _CONTROL in blob:
        latin_texts = [
            _with_escapes(rule.exact(text)) if _CONTROL_CHARACTER.search(latin_text) else latin_text
            for text, latin_text in zip(texts, latin_texts, strict=True)
        ]
        blob = _blob(latin_texts, rule)
    return _tokens_of_blob(blob, rule)


def _folded(texts: Sequence[str], rule: ByteRule) -> list[bytes]:
    """Return the folded texts in UTF-8.

    They go through `fold` and the searches together, separated by marks that isolate them: a
    private-use character is not cased, not a letter, and not ignored by the final sigma rule.
    """
    joined = _MARK.join(texts)
    exact: set[int] = set()
    if joined.count(_MARK[1]) >= len(texts):  # some texts contain the private-use character
        exact.update(index for index, text in enumerate(texts) if _MARK[1] in text)
        joined = _MARK.join("" if _MARK[1] in text else text for text in texts)
    # The byte table does not cover the white space of Unicode.
    data = _utf8(UNICODE_SPACE.sub(" ", rule.fold(joined)))
    if rule.articles != "keep":
        cleaned = data.translate(rule.table, rule.deleted)
        positions = _articles_at_non_ascii(cleaned)
        if positions.size:
            mark = _MARK_BYTES.translate(rule.table)
            ends = np.cumsum([len(text) + len(mark) for text in cleaned.split(mark)])
            exact.update(np.searchsorted(ends, positions, side="right").tolist())
    parts = data.split(_MARK_BYTES)
    for index in exact:
        parts[index] = _utf8(rule.exact(texts[index]))
    return parts


def _articles_at_non_ascii(data: bytes) -> Integers:
    """Return where an article touches a non-ASCII character, in letters, digits and spaces.

    The bytes do not show whether that character is a letter, as in "año", or ends the word, as in
    "the…". So texts with such positions go through the exact normalizer.
    """
    letters = np.frombuffer(b"    %b    " % data, dtype=np.uint8)
    is_foreign = letters >= 0x80
    is_word = ~is_foreign & (letters > ord(" "))
    borders = np.flatnonzero(is_foreign[1:] != is_foreign[:-1])
    positions = []
    # At each border, first leftwards, with the articles reversed, then rightwards.
    for step, articles in ((-1, (b"a", b"na", b"eht")), (1, (b"a", b"an", b"the"))):
        ends = borders[~is_foreign[borders]] if step < 0 else borders[is_foreign[borders]] + 1
        for article in articles:
            position = ends
            for letter in article:
                position = position[letters[position] == letter] + step
            positions.append(position[~is_word[position]] - step * len(article))
    return np.concatenate(positions) - 4


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _with_escapes(text: str) -> str:
    """Return UTF-8 as Latin-1, with control characters as two bytes that UTF-8 does not have."""
    data = _utf8(text).decode("latin-1")
    return _CONTROL_CHARACTER.sub(lambda match: "\xfe" + chr(0x80 | ord(match[0]) & 0x3F), data)


def _blob(latin_texts: Sequence[str], rule: ByteRule) -> bytes:
    """Return all texts, joined and translated."""
    joined = _SEPARATOR.join(latin_texts).encode("latin-1")
    return b" %b \xff%b" % (joined.translate(rule.table, rule.deleted), PADDING)


def _tokens_of_blob(blob: bytes, rule: ByteRule) -> Tokens:
    """Return the tokens between spaces, without articles if the rule drops them."""
    is_letter = np.frombuffer(blob, dtype=np.uint8) > ord(" ")
    edges = np.flatnonzero(is_letter[1:] != is_letter[:-1]) + 1
    starts = edges[::2].copy()
    lengths = edges[1::2] - starts
    keys = _eight_bytes(blob, starts)
    keys &= _FIRST_BYTES.take(lengths, mode="clip")
    is_separator = keys == 0xFF
    ends = np.flatnonzero(is_separator)
    is_token = ~is_separator
    if rule.articles != "keep":
        for article in _ARTICLES:
            is_token &= keys != np.uint64(int.from_bytes(article.encode(), "little"))
    counts = np.diff(np.cumsum(is_token)[ends], prepend=0)
    if rule.articles == "drop_unless_alone":
        in_empty_text = np.repeat(counts == 0, np.diff(ends, prepend=-1))
        is_token |= in_empty_text & ~is_separator
        counts = np.diff(np.cumsum(is_token)[ends], prepend=0)
    articles = np.flatnonzero(~(is_token | is_separator))
    dropped = ranges(starts.take(articles), lengths.take(articles))
    indices = np.flatnonzero(is_token)
    return Tokens(
        blob, starts.take(indices), lengths.take(indices), keys.take(indices), counts, dropped
    )


def tokens_at(blob: bytes, starts: Integers, lengths: Integers, counts: Integers) -> Tokens:
    """Return the tokens at these positions; at least eight bytes must follow the last one.

    >>> tokens = tokens_at(b"so it goes        ", np.array([0, 6]), np.array([2, 4]), np.array([2]))
    >>> int(tokens.keys[0]).to_bytes(2, "little")
    b'so'
    """
    keys = _eight_bytes(blob, starts)
    keys &= _FIRST_BYTES.take(lengths, mode="clip")
    return Tokens(blob, starts, lengths, keys, counts)


def _eight_bytes(blob: bytes, starts: Integers) -> Unsigned:
    """Return the eight bytes at each start as an integer, by a view with a stride of one byte."""
    view: Unsigned = np.ndarray((len(blob) - 7,), "<u8", blob, strides=(1,))
    return view[starts]


def normalized_texts(tokens: Tokens) -> list[str]:
    """Return each text as its tokens joined by single spaces, one Latin-1 character per UTF-8 byte.

    Such texts contain each other if and only if the normalized texts do: the bytes of a character
    never occur inside another's, and a control character becomes two bytes of its own. Python
    searches them twice as fast as bytes.

    >>> rule = byte_rule(str.lower, lower=True)
    >>> normalized_texts(tokenize([" New   York ", ""], rule))
    ['new york', '']
    """
    letters = np.frombuffer(tokens.blob, dtype=np.uint8)
    is_text = letters > ord(" ")  # including separators
    if tokens.dropped.size:
        is_text[tokens.dropped] = False
    ends = tokens.starts + tokens.lengths
    is_text[ends] = True  # the space after each token, except for the last one of a text
    is_text[ends[(tokens.text_starts + tokens.counts - 1)[tokens.counts > 0]]] = False
    chosen = letters.compress(is_text)  # twice as fast as boolean indexing
    texts: list[str] = chosen.tobytes().decode("latin-1").split("\xff")
    return texts[:-1]


# The words of rouge_score


def alphanumeric_tokens(texts: Sequence[str]) -> Tokens:
    """Return the runs of a-z and 0-9 in each text after lower-casing: the words of rouge_score.

    Any other character ends a word, so all non-ASCII characters can be replaced by one that does.
    There are two exceptions, which lower-casing turns into ASCII: the Turkish \u0130 (an i and a
    mark) and the Kelvin sign (k). Line breaks stay in the blob, where `line_counts` finds them.

    >>> tokens = alphanumeric_tokens(["It's  42K", "", "naïve"])
    >>> tokens.counts.tolist(), spelled(tokens, np.arange(5))
    ([3, 0, 2], ['it', 's', '42k', 'na', 've'])
    """
    joined = "\n".join(texts)
    if "\u0130" in joined or "\u212a" in joined:
        texts = [text.replace("\u0130", "i ").replace("\u212a", "k") for text in texts]
        joined = "\n".join(texts)
    translated = joined.encode("ascii", "replace").translate(_ALPHANUMERIC)
    blob = b"\n%b\n%b" % (translated, PADDING)
    is_letter = np.frombuffer(blob, dtype=np.uint8) > ord(" ")
    edges = np.flatnonzero(is_letter[1:] != is_letter[:-1])
    starts, lengths = edges[::2] + 1, edges[1::2] - edges[::2]
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1)
    return tokens_at(blob, starts, lengths, np.diff(np.searchsorted(starts, ends), prepend=0))


def line_counts(tokens: Tokens) -> Integers:
    r"""Return the number of `alphanumeric_tokens` on each line; the end of a text ends a line.

    >>> line_counts(alphanumeric_tokens(["a b\nc", "d"])).tolist()
    [2, 1, 1]
    """
    ends = np.flatnonzero(np.frombuffer(tokens.blob, dtype=np.uint8) == ord("\n"))
    return np.diff(np.searchsorted(tokens.starts, ends))


def spelled(tokens: Tokens, indices: Integers) -> list[str]:
    """Return selected `alphanumeric_tokens` as strings."""
    letters = np.frombuffer(tokens.blob, dtype=np.uint8)
    lengths = tokens.lengths.take(indices) + 1  # including the following space or line break
    words = letters.take(ranges(tokens.starts.take(indices), lengths))
    return words.tobytes().decode("ascii").split()
