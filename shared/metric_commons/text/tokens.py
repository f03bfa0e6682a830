"""Tokens of many texts at once, as slices of one byte string, and how often texts share them.

Python's string methods cost about a microsecond a text, most of it for making objects. Here the
texts of a block are joined once, one `bytes.translate` lowers and cleans all of them, and numpy
finds where tokens begin and end. A token is never made into an object: its first eight bytes,
read as one integer, tell nearly all tokens apart, and whatever they cannot tell apart is compared
byte for byte. So the results are those of the obvious Python, not those of a hash.
"""

import re
import string
from collections.abc import Callable, Sequence
from functools import cache
from itertools import compress
from operator import not_
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..numbers.arrays import Booleans, Integers, Unsigned

Articles = Literal["keep", "drop", "drop_unless_alone"]

_SEPARATOR = " \xff "  # a token of its own; its byte never occurs in UTF-8
_MARK = "\n\ue000\n"  # between texts that are prepared together
_CONTROL = 1  # what control characters turn into, to be noticed and handled exactly
_SPACES = (*range(9, 14), *range(28, 33))  # what str.split() takes for white space in ASCII
_CONTROLS = (*range(9), *range(14, 28), 127)
_PUNCTUATION = string.punctuation.encode()
_PADDING = b" " * 24  # reading eight bytes at the last token stays inside the blob

_UNICODE_SPACE = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_CONTROL_CHARACTER = re.compile("[\x00-\x08\x0e-\x1b\x7f]")
_ALPHANUMERIC = bytes(
    ord(chr(n).lower()) if n < 128 and (chr(n).isalnum() or n == ord("\n")) else ord(" ")
    for n in range(256)
)
_ARTICLES = tuple(np.uint64(int.from_bytes(word, "little")) for word in (b"a", b"an", b"the"))
# So many bytes of a word of eight, the first of which are the lowest.
LOW_BYTES = np.array([(1 << 8 * n) - 1 for n in range(8)] + [2**64 - 1], dtype=np.uint64)


class ByteRule(NamedTuple):
    """A normalizer as a table of bytes, for the texts on which that is exact.

    On ASCII text the table does what `exact` does, up to white space and articles. Other text is
    brought outside ASCII by `fold`, which must do what `exact` does to such characters before it
    looks at punctuation. Texts on which the two could differ are given to `exact` itself.
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
    """The table that lowers ASCII letters and keeps, deletes or blanks ASCII punctuation.

    Args:
        exact: the normalizer itself, text to text, tokens joined by single spaces.
        fold: what it does to characters outside ASCII.
        lower: whether it lowers letters.
        punctuation: "keep", "delete" or "space".
        articles: whether it drops a, an and the; with "drop_unless_alone" a text that consists of
            nothing else keeps them.
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
    keys: Unsigned  # the first eight bytes of each; the whole token if it is no longer
    counts: Integers  # tokens of each text

    @property
    def texts(self) -> NDArray[np.int32]:
        """The text that each token belongs to."""
        return np.repeat(np.arange(self.counts.size, dtype=np.int32), self.counts)

    @property
    def firsts(self) -> Integers:
        """The first token of each text, or where it would be."""
        return np.cumsum(self.counts) - self.counts

    def take(self, which: Integers) -> "Tokens":
        """Some tokens, as those of one text."""
        return Tokens(
            self.blob,
            self.starts.take(which),
            self.lengths.take(which),
            self.keys.take(which),
            np.array([which.size]),
        )


def tokenize(texts: Sequence[str], rule: ByteRule) -> Tokens:
    """The tokens that `rule.exact(text).split(" ")` has, of every text.

    >>> rule = byte_rule(lambda text: " ".join(text.lower().split()), fold=str.lower, lower=True)
    >>> tokens = tokenize(["Paris  1889", "", "ÉTÉ"], rule)
    >>> tokens.counts.tolist(), tokens.lengths.tolist()
    ([2, 0, 1], [5, 4, 5])
    """
    ascii_only = list(map(str.isascii, texts))
    safe = list(texts)
    if not all(ascii_only):
        places = list(compress(range(len(safe)), map(not_, ascii_only)))
        for place, prepared in zip(
            places, _byte_texts([texts[place] for place in places], rule), strict=True
        ):
            safe[place] = prepared
    blob = _translated(safe, rule)
    if _CONTROL in blob:
        safe = [
            _escaped(rule.exact(text)) if _CONTROL_CHARACTER.search(prepared) else prepared
            for text, prepared in zip(texts, safe, strict=True)
        ]
        blob = _translated(safe, rule)
    return _cut(blob, rule)


def _byte_texts(texts: Sequence[str], rule: ByteRule) -> list[str]:
    """Texts that are not ASCII, each as one Latin-1 character a byte of its UTF-8.

    They go through `fold` and the searches together, between marks that no letter can see past:
    a private character is neither cased, nor a letter, nor ignored by the rule of final sigma.
    """
    if not texts:
        return []
    together = _MARK.join(texts)
    if together.count(_MARK[1]) >= len(texts):  # a text that holds the private character
        return (
            [part for text in texts for part in _byte_texts([text], rule)]
            if texts[1:]
            else [_as_bytes(rule.exact(texts[0])).decode("latin-1")]
        )
    # To a table of bytes the white space of Unicode is none.
    data = _as_bytes(_UNICODE_SPACE.sub(" ", rule.fold(together)))
    prepared = data.decode("latin-1").split(_as_bytes(_MARK).decode("latin-1"))
    if rule.articles != "keep":
        cleaned = data.translate(rule.table, rule.deleted)
        unsure = _articles_at_non_ascii(cleaned)
        if unsure.size:
            mark = _as_bytes(_MARK).translate(rule.table)
            ends = np.cumsum([len(part) + len(mark) for part in cleaned.split(mark)])
            for index in np.searchsorted(ends, unsure, side="right").tolist():
                prepared[index] = _as_bytes(rule.exact(texts[index])).decode("latin-1")
    return prepared


def _articles_at_non_ascii(data: bytes) -> Integers:
    """Where an article touches a character outside ASCII, in text of letters, digits and spaces.

    The bytes cannot tell whether that character is a letter, as in "año", or ends the word, as
    in "the…", so texts with such places take the exact way.
    """
    letters = np.frombuffer(b"    %b    " % data, dtype=np.uint8)
    other = letters >= 0x80
    word = ~other & (letters > ord(" "))
    turns = np.flatnonzero(other[1:] != other[:-1])
    places = []
    # The last letter before, then the first letter behind; articles spelled from there.
    for step, articles in ((-1, (b"a", b"na", b"eht")), (1, (b"a", b"an", b"the"))):
        touching = turns[~other[turns]] if step < 0 else turns[other[turns]] + 1
        for article in articles:
            found = touching
            for letter in article:
                found = found[letters[found] == letter] + step
            places.append(found[~word[found]] - step * len(article))
    return np.concatenate(places) - 4


def _as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _escaped(text: str) -> str:
    """As `_byte_text`, with control characters written as two bytes that UTF-8 does not have."""
    data = _as_bytes(text).decode("latin-1")
    return _CONTROL_CHARACTER.sub(lambda found: "\xfe" + chr(0x80 | ord(found[0]) & 0x3F), data)


def _translated(texts: Sequence[str], rule: ByteRule) -> bytes:
    joined = _SEPARATOR.join(texts).encode("latin-1")
    return b" %b \xff%b" % (joined.translate(rule.table, rule.deleted), _PADDING)


def _cut(blob: bytes, rule: ByteRule) -> Tokens:
    """Where the tokens of a translated blob are."""
    inside = np.frombuffer(blob, dtype=np.uint8) > ord(" ")
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    starts = edges[::2].copy()
    lengths = edges[1::2] - starts
    keys = _words_at(blob, starts)
    keys &= LOW_BYTES.take(lengths, mode="clip")
    separators = keys == 0xFF
    ends = np.flatnonzero(separators)
    kept = ~separators
    if rule.articles != "keep":
        kept &= (keys != _ARTICLES[0]) & (keys != _ARTICLES[1]) & (keys != _ARTICLES[2])
    upto = np.cumsum(kept)
    counts = np.diff(upto[ends], prepend=0)
    if rule.articles == "drop_unless_alone":
        alone = np.repeat(counts == 0, np.diff(ends, prepend=-1))
        kept |= alone & ~separators
        counts = np.diff(np.cumsum(kept)[ends], prepend=0)
    chosen = np.flatnonzero(kept)
    return Tokens(blob, starts.take(chosen), lengths.take(chosen), keys.take(chosen), counts)


def _words_at(blob: bytes, starts: Integers) -> Unsigned:
    """The eight bytes at each start as one integer, read through a view with a step of one byte."""
    view: Unsigned = np.ndarray((len(blob) - 7,), "<u8", blob, strides=(1,))
    return view[starts]


def equal_tokens(tokens: Tokens, left: Integers, right: Integers) -> Booleans:
    """Whether the tokens at `left` and at `right`, pair by pair, are the same bytes.

    Keys decide for tokens of up to eight bytes; of longer ones the rest is read eight bytes at a
    time, as long as there is a pair that still looks the same.
    """
    lengths = tokens.lengths.take(left)
    same: Booleans = tokens.keys.take(left) == tokens.keys.take(right)
    same &= lengths == tokens.lengths.take(right)
    open_pairs = np.flatnonzero(same & (lengths > 8))
    offset = 8
    while open_pairs.size:
        rest = lengths.take(open_pairs) - offset
        words = [
            _words_at(tokens.blob, tokens.starts.take(side.take(open_pairs)) + offset)
            & LOW_BYTES.take(rest, mode="clip")
            for side in (left, right)
        ]
        equal = words[0] == words[1]
        same[open_pairs[~equal]] = False
        open_pairs = open_pairs[equal & (rest > 8)]
        offset += 8
    return same


def equal_texts(tokens: Tokens, left: Integers, right: Integers) -> Booleans:
    """Whether the texts at `left` and at `right`, pair by pair, have the same tokens in order."""
    counts = tokens.counts.take(left)
    same: Booleans = counts == tokens.counts.take(right)
    candidates = np.flatnonzero(same & (counts > 0))
    if candidates.size:
        width = counts.take(candidates)
        begin = np.cumsum(width) - width
        within = np.arange(int(width.sum())) - np.repeat(begin, width)
        positions = [
            np.repeat(tokens.firsts.take(side.take(candidates)), width) + within
            for side in (left, right)
        ]
        equal = equal_tokens(tokens, positions[0], positions[1])
        same[candidates] = np.logical_and.reduceat(equal, begin)
    return same


class Overlaps(NamedTuple):
    """How many tokens each text has, and shares with the first text of its group."""

    shared: Integers  # with multiplicity: the clipped overlap
    shared_types: Integers  # distinct tokens
    types: Integers  # distinct tokens of each text
    unsure: Booleans  # where hashes of different tokens met: to be counted another way


def overlaps(tokens: Tokens, heads: Integers, sizes: Integers) -> Overlaps:
    """For each text its overlap with the head of its group.

    A stable radix sort by a hash of the token alone leaves, since texts lie group after group,
    runs of (hash, group, text), the head's run first: no sort by group or text is needed. A run
    stands for one token; that it does, and that two runs hold the same one, is verified. Texts
    with a run of two tokens (one in 65,536 pairs of tokens, or in 2**32 in long texts) are unsure.

    Args:
        tokens: of all texts.
        heads: index of the first text of each group.
        sizes: texts of each group.
    """
    order, hashes = _by_hash(tokens)
    owners = tokens.texts.take(order)
    same = (hashes[1:] == hashes[:-1]) & (owners[1:] == owners[:-1])
    inner = np.flatnonzero(same)
    odd = inner[~equal_tokens(tokens, order.take(inner), order.take(inner + 1))]

    begins = np.flatnonzero(np.concatenate(([True], ~same))[: order.size])
    run = _Runs(order.take(begins), hashes.take(begins), owners.take(begins))
    length = np.diff(begins, append=order.size)
    head = np.repeat(heads, sizes).astype(np.int32).take(run.text)
    is_head = run.text == head
    latest_head = np.maximum.accumulate(np.where(is_head, np.arange(is_head.size), 0))
    met = np.flatnonzero(~is_head)
    at = latest_head.take(met)
    meets = (run.text.take(at) == head.take(met)) & (run.hash.take(at) == run.hash.take(met))
    met, at = met[meets], at[meets]
    equal = equal_tokens(tokens, run.token.take(met), run.token.take(at))
    met, at = met[equal], at[equal]

    n = tokens.counts.size
    text = run.text.take(met)
    clipped = np.minimum(length.take(met), length.take(at))
    unsure = np.zeros(n, dtype=bool)
    unsure[owners.take(odd)] = True
    return Overlaps(
        np.bincount(text, weights=clipped, minlength=n).astype(np.int64),
        np.bincount(text, minlength=n),
        np.bincount(run.text, minlength=n),
        unsure,
    )


class _Runs(NamedTuple):
    """Equal tokens of one text that lie together in the order of `_by_hash`."""

    token: Integers  # the first of them
    hash: NDArray[np.uint32]
    text: NDArray[np.int32]


def _by_hash(tokens: Tokens) -> tuple[Integers, NDArray[np.uint32]]:
    """A stable order of the tokens by hash, and the hashes in this order.

    numpy sorts 16-bit integers by radix. Sixteen bits are enough where texts are short; a second
    pass, by the upper half, keeps different tokens of a long text apart.
    """
    mixed = tokens.keys * np.uint64(0x9E3779B97F4A7C15)
    long = np.flatnonzero(tokens.lengths > 8)
    rest = _words_at(tokens.blob, tokens.starts.take(long) + 8)
    rest &= LOW_BYTES.take(tokens.lengths.take(long) - 8, mode="clip")
    rest += tokens.lengths.take(long).astype(np.uint64)
    mixed[long] += rest * np.uint64(0xC2B2AE3D27D4EB4F)
    hashes = (mixed >> np.uint64(32)).astype(np.uint32)
    upper = (hashes >> np.uint32(16)).astype(np.uint16)
    if tokens.counts.max(initial=0) <= 64:
        order = np.argsort(upper, kind="stable")
        return order, upper.take(order).astype(np.uint32)
    order = np.argsort(hashes.astype(np.uint16), kind="stable")
    order = order.take(np.argsort(upper.take(order), kind="stable"))
    return order, hashes.take(order)


def normalized_bytes(tokens: Tokens) -> list[bytes]:
    """Each text as its tokens joined by single spaces, in UTF-8.

    A control character stands as two bytes of its own, so containment of one text in another is
    that of the strings.

    >>> rule = byte_rule(str.lower, lower=True)
    >>> normalized_bytes(tokenize([" New   York ", ""], rule))
    [b'new york', b'']
    """
    letters = np.frombuffer(tokens.blob, dtype=np.uint8)
    ends = tokens.starts + tokens.lengths
    last = (tokens.firsts + tokens.counts - 1)[tokens.counts > 0]
    ends += 1  # with the space behind it, but for the last of a text
    ends[last] -= 1
    change = np.zeros(letters.size + 1, dtype=np.int8)
    change[tokens.starts] += 1
    change[ends] -= 1
    kept = np.add.accumulate(change[:-1], dtype=np.int8).view(bool)
    kept |= letters == 0xFF
    texts: list[bytes] = letters[kept].tobytes().split(b"\xff")
    return texts[:-1]


def alphanumeric(texts: Sequence[str]) -> Tokens:
    """The runs of a-z and 0-9 in each text after lower-casing, the words of rouge_score.

    Any other character ends a word, so those outside ASCII may all be written as one that does;
    but for the two that lower-casing brings into ASCII, the Turkish \u0130 (i, and a mark) and the
    Kelvin sign (k). New lines stay in the blob, where `line_counts` finds them.

    >>> tokens = alphanumeric(["It's  42K", "", "naïve"])
    >>> tokens.counts.tolist(), spelled(tokens, np.arange(5))
    ([3, 0, 2], [b'it', b's', b'42k', b'na', b've'])
    """
    joined = "\n".join(texts)
    if "\u0130" in joined or "\u212a" in joined:
        texts = [text.replace("\u0130", "i ").replace("\u212a", "k") for text in texts]
        joined = "\n".join(texts)
    translated = joined.encode("ascii", "replace").translate(_ALPHANUMERIC)
    blob = b"\n%b\n%b" % (translated, _PADDING)
    inside = np.frombuffer(blob, dtype=np.uint8) > ord(" ")
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    starts = edges[::2] + 1
    lengths = edges[1::2] + 1 - starts
    keys = _words_at(blob, starts)
    keys &= LOW_BYTES.take(lengths, mode="clip")
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1)
    return Tokens(blob, starts, lengths, keys, np.diff(np.searchsorted(starts, ends), prepend=0))


def line_counts(tokens: Tokens) -> Integers:
    r"""How many of such `alphanumeric` tokens each line has; no line goes on into the next text.

    >>> line_counts(alphanumeric(["a b\nc", "d"])).tolist()
    [2, 1, 1]
    """
    ends = np.flatnonzero(np.frombuffer(tokens.blob, dtype=np.uint8) == ord("\n"))
    return np.diff(np.searchsorted(tokens.starts, ends))


def spelled(tokens: Tokens, which: Integers) -> list[bytes]:
    """The bytes of some tokens."""
    starts = tokens.starts.take(which)
    ends = starts + tokens.lengths.take(which)
    blob = tokens.blob
    return [blob[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


class Codes(NamedTuple):
    """Tokens as integers: two are equal if and only if their integers are."""

    values: NDArray[np.uint32]
    order: Integers  # of the tokens by value, equal ones in the order of the text


def coded(tokens: Tokens) -> Codes:
    """Tokens as integers that are equal if and only if they are.

    The integer is a hash of 32 bits. Sorted by it, tokens with the same hash lie side by side, so
    one comparison of neighbours tells whether different ones met. Then, in one block of English in
    a hundred, the integers are the ranks of the tokens instead, by a slower sort.

    >>> values = coded(alphanumeric(["to be", "to go"])).values
    >>> (values[:2] == values[2:]).tolist()
    [True, False]
    """
    return coded_words(tokens.keys, second_words(tokens))


def coded_words(keys: Unsigned, seconds: Unsigned) -> Codes:
    """The same for words that are known by their `keys` and `second_words`."""
    mixed = keys * np.uint64(0x9E3779B97F4A7C15)
    long = np.flatnonzero(seconds)
    mixed[long] += seconds.take(long) * np.uint64(0xC2B2AE3D27D4EB4F)
    values = (mixed >> np.uint64(32)).astype(np.uint32)
    order = stable_order(values)
    new_token = _new_tokens(keys, seconds, order)
    ordered = values.take(order)
    if (new_token & (ordered[1:] == ordered[:-1])).any():
        order = np.lexsort((seconds, keys))
        new_token = _new_tokens(keys, seconds, order)
        values[order[1:]] = np.cumsum(new_token)
        values[order[:1]] = 0
    return Codes(values, order)


def second_words(tokens: Tokens) -> Unsigned:
    """What tells apart tokens with the same key: their next eight bytes, 0 if there are none.

    Those of more than sixteen bytes are numbered instead, from the top, where no bytes are: 255
    does not occur in a token.
    """
    words = np.zeros(tokens.keys.size, dtype=np.uint64)
    long = np.flatnonzero(tokens.lengths > 8)
    left = tokens.lengths.take(long) - 8
    words[long] = _words_at(tokens.blob, tokens.starts.take(long) + 8)
    words[long] &= LOW_BYTES.take(left, mode="clip")
    longer = long[left > 8]
    if longer.size:
        numbers: dict[bytes, int] = {}
        words[longer] = [
            2**64 - 1 - numbers.setdefault(token, len(numbers)) for token in spelled(tokens, longer)
        ]
    return words


def _new_tokens(keys: Unsigned, seconds: Unsigned, order: Integers) -> Booleans:
    """In this order, which tokens but the first differ from the one before."""
    keys, seconds = keys.take(order), seconds.take(order)
    new: Booleans = (keys[1:] != keys[:-1]) | (seconds[1:] != seconds[:-1])
    return new


def stable_order(values: NDArray[np.unsignedinteger]) -> Integers:
    """The order of integers below 2**32; equal ones stay as they are.

    numpy sorts 16-bit integers by radix, five times as fast as longer ones.

    >>> stable_order(np.array([70_000, 1, 70_000, 0], dtype=np.uint32)).tolist()
    [3, 1, 0, 2]
    """
    order = np.argsort(values.astype(np.uint16), kind="stable")
    if int(values.max(initial=0)) < 1 << 16:
        return order
    upper = (values >> 16).astype(np.uint16)
    return order.take(np.argsort(upper.take(order), kind="stable"))


@cache
def keep_freed_memory() -> None:
    """From now on this process uses freed memory again instead of asking for new pages.

    The C library of Linux gives every large array back to the system when it is freed, and gets it
    anew, page by page, for the next one: twice the time of what is done with it. It stops doing so
    for sizes up to that of the largest array it has seen freed, at most 32 MB. So one is shown to
    it, of which no page is ever touched.
    """
    np.empty(31 << 20, dtype=np.uint8)
