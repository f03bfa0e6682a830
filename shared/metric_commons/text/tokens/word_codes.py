"""Words and characters as integers that are equal if and only if these are."""

from collections.abc import Sequence
from itertools import chain, count
from typing import NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Integers, Unsigned
from .distinct_keys import distinct_keys
from .segments import ranges, segment_starts
from .tokens import Tokens

_LONG = np.uint64(255 << 56)
_TEXT = 0x110000  # codes below this are characters, and a text is compared faster than a list


class Sequences(NamedTuple):
    """Concatenated sequences of non-negative integers; equal items are equal integers."""

    codes: Integers
    counts: Integers  # number of items of each sequence

    def block(self, start: int, stop: int) -> "Sequences":
        """Return the sequences from `start` to `stop`."""
        counts = self.counts[start:stop]
        first = int(self.counts[:start].sum())
        return Sequences(self.codes[first : first + int(counts.sum())], counts)

    def of(self, rows: Integers) -> "Sequences":
        """Return the sequences with these indices."""
        counts = self.counts[rows]
        starts = segment_starts(self.counts)[rows]
        return Sequences(self.codes[ranges(starts, counts)], counts)

    def split(self) -> "list[str] | list[list[int]]":
        """Return the items of each sequence: a text if they can be characters, else a list.

        >>> Sequences(np.array([97, 98, 99]), np.array([2, 0, 1])).split()
        ['ab', '', 'c']
        """
        starts = segment_starts(self.counts)
        bounds = list(zip(starts.tolist(), (starts + self.counts).tolist(), strict=True))
        if int(self.codes.max(initial=0)) < _TEXT:
            text = self.codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
            return [text[start:stop] for start, stop in bounds]
        items = self.codes.tolist()
        return [items[start:stop] for start, stop in bounds]


def numbers_of_words(words: list[str]) -> Integers:
    """Return a number for each word, from 0 in order of first occurrence."""
    numbers = dict(zip(dict.fromkeys(words), count(), strict=False))
    return np.fromiter(map(numbers.__getitem__, words), np.int64, len(words))


def word_sequences(texts: Sequence[list[str]]) -> Sequences:
    """Return the words of each text as integers from 1; equal words are equal integers.

    >>> word_sequences([["a", "b"], ["b"]]).codes.tolist()
    [1, 2, 2]
    """
    counts = np.fromiter(map(len, texts), np.int64, len(texts))
    return Sequences(numbers_of_words(list(chain.from_iterable(texts))) + 1, counts)


def numbered_characters(texts: Sequence[str]) -> Sequences:
    """Return the characters of each text as integers from 1, at most the number of characters.

    >>> numbered_characters(["abc", "ça"]).codes.tolist()
    [1, 2, 3, 4, 1]
    """
    counts = np.fromiter(map(len, texts), np.int64, len(texts))
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), "<u4")
    occurs = np.zeros(int(codes.max(initial=0)) + 1, np.int64)
    occurs[codes] = 1
    return Sequences(np.cumsum(occurs)[codes], counts)


def token_codes(tokens: Tokens) -> Integers:
    """Return integers from 0, equal if and only if the tokens are; tokens have no byte 255."""
    return distinct_keys(token_keys(tokens)).numbers


def token_keys(tokens: Tokens) -> Unsigned:
    """Return integers that are equal if and only if the tokens are; tokens have no byte 255.

    For tokens of up to eight bytes they are the keys. Longer tokens are numbered, below a final
    byte 255, which no key has.
    """
    keys, long = tokens.keys, np.flatnonzero(tokens.lengths > 8)
    if not long.size:
        return keys
    numbers = distinct_keys(keys.take(long), _rests(tokens, long)).numbers
    keys = keys.copy()
    keys[long] = numbers.view(np.uint64) | _LONG
    return keys


def _rests(tokens: Tokens, long: Integers) -> Unsigned:
    """Return the next eight bytes of long tokens, which distinguish tokens with the same key.

    Tokens of more than sixteen bytes are numbered instead, downwards from the largest integer. No
    eight bytes equal such a number, since tokens never contain the byte 255.
    """
    rests = tokens.bytes_from(long, 8)
    longer = np.flatnonzero(tokens.lengths.take(long) > 16)
    if longer.size:
        starts, lengths = (
            column.take(long.take(longer)) for column in (tokens.starts, tokens.lengths)
        )
        numbers: dict[bytes, int] = {}
        rests[longer] = [
            2**64 - 1 - numbers.setdefault(tokens.blob[start : start + length], len(numbers))
            for start, length in zip(starts.tolist(), lengths.tolist(), strict=True)
        ]
    return rests
