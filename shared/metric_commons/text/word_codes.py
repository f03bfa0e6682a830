"""The words of a block of texts as integers that are equal if and only if the words are."""

from itertools import chain, count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..numbers.arrays import Booleans, Integers, Unsigned
from .rouge_tokenizers import RougeTokenizer, stems
from .segments import changes, segment_numbers, stable_order
from .text_pairs import TextPairs
from .token_overlaps import KEY_MULTIPLIER, REST_MULTIPLIER
from .tokens import Tokens, alphanumeric_tokens, line_counts, spelled


class Codes(NamedTuple):
    """Words as integers: two are equal if and only if their integers are."""

    values: NDArray[np.uint32]
    order: Integers  # of the words by value, equal ones in the order of the text

    def ranks(self) -> Integers:
        """Words as small integers: the rank of each among the distinct codes, from 0 on."""
        ranks = np.empty(self.values.size, np.int64)
        ranks[self.order] = np.cumsum(changes(self.values.take(self.order))) - 1
        return ranks


class BlockWords(NamedTuple):
    """The words of pairs of texts, text after text and line after line."""

    codes: Codes
    text_counts: Integers  # words of each text
    texts: Integers  # the text of each word; those of pair n are 2n and 2n + 1
    lines: Integers  # the line of each word, counted over all texts
    line_ends: Integers  # of each line, the index behind its last word
    line_texts: Integers  # the text of each line


def block_words(pairs: TextPairs, tokenizer: RougeTokenizer, *, by_line: bool) -> BlockWords:
    """The words of all texts; without `by_line` a text counts as one line."""
    if tokenizer.is_alphanumeric:
        tokens = alphanumeric_tokens(pairs.texts)
        codes = token_codes(tokens)
        if tokenizer.use_stemmer:
            codes = _stem_codes(tokens, codes)
        if not by_line:
            return _block_words(codes, tokens.counts, np.ones_like(tokens.counts))
        lines = np.array([text.count("\n") + 1 for text in pairs.texts], dtype=np.int64)
        return _block_words(codes, line_counts(tokens), lines)
    texts = tokenizer.lines_of_words(pairs, by_line=by_line)
    values = numbers_of_words(list(chain.from_iterable(chain.from_iterable(texts))))
    return _block_words(
        Codes(values, stable_order(values)),
        np.array([len(line) for lines in texts for line in lines], dtype=np.int64),
        np.array(list(map(len, texts)), dtype=np.int64),
    )


def _block_words(codes: Codes, words: Integers, lines: Integers) -> BlockWords:
    """A block from the words of each line and the lines of each text."""
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


def numbers_of_words(words: list[str]) -> NDArray[np.uint32]:
    """A number for each word, from 0 on in the order in which words first occur."""
    numbers = dict(zip(dict.fromkeys(words), count(), strict=False))
    return np.fromiter(map(numbers.__getitem__, words), np.uint32, len(words))


def _stem_codes(tokens: Tokens, codes: Codes) -> Codes:
    """The codes of the stems. Each distinct word is stemmed once."""
    is_new = changes(codes.values.take(codes.order))
    numbers = numbers_of_words(stems(spelled(tokens, codes.order[is_new])))
    values = np.empty_like(codes.values)
    values[codes.order] = numbers.take(np.cumsum(is_new) - 1)
    return Codes(values, stable_order(values))


def token_codes(tokens: Tokens) -> Codes:
    """Codes of tokens without the byte 255.

    A code is a hash of 32 bits. Sorted by it, tokens with the same hash are neighbours, so one
    comparison of neighbours tells whether different tokens collide. If they do, in one block of
    English in a hundred, the codes are the ranks of the tokens instead, by a slower sort.

    >>> values = token_codes(alphanumeric_tokens(["to be", "to go"])).values
    >>> (values[:2] == values[2:]).tolist()
    [True, False]
    """
    keys, rests = tokens.keys, _rests(tokens)
    mixed = keys * KEY_MULTIPLIER
    long = np.flatnonzero(rests)
    mixed[long] += rests.take(long) * REST_MULTIPLIER
    values = (mixed >> np.uint64(32)).astype(np.uint32)
    order = stable_order(values)
    is_new = _token_changes(keys, rests, order)
    ordered = values.take(order)
    if (is_new & (ordered[1:] == ordered[:-1])).any():
        order = np.lexsort((rests, keys))
        values[order[1:]] = np.cumsum(_token_changes(keys, rests, order))
        values[order[:1]] = 0
    return Codes(values, order)


def _token_changes(keys: Unsigned, rests: Unsigned, order: Integers) -> Booleans:
    """In this order, which tokens differ from the one before; without the first."""
    return changes(keys.take(order), rests.take(order))[1:]


def _rests(tokens: Tokens) -> Unsigned:
    """What distinguishes tokens with the same key: their next eight bytes, 0 if there are none.

    Tokens of more than sixteen bytes are numbered instead, downwards from the greatest integer.
    No eight bytes are equal to such a number, since the byte 255 does not occur in a token.
    """
    rests = np.zeros(tokens.keys.size, dtype=np.uint64)
    long = np.flatnonzero(tokens.lengths > 8)
    rests[long] = tokens.bytes_from(long, 8)
    longer = long[tokens.lengths.take(long) > 16]
    if longer.size:
        numbers: dict[bytes, int] = {}
        starts, lengths = tokens.starts.take(longer), tokens.lengths.take(longer)
        rests[longer] = [
            2**64 - 1 - numbers.setdefault(tokens.blob[start : start + length], len(numbers))
            for start, length in zip(starts.tolist(), lengths.tolist(), strict=True)
        ]
    return rests
