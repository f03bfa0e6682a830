"""The words of pairs of texts as integers, with the texts and lines that contain them."""

from itertools import chain
from typing import NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Integers, Unsigned
from ..tokens.distinct_keys import distinct_keys
from ..tokens.segments import segment_numbers
from ..tokens.tokens import Tokens, alphanumeric_tokens, line_counts, spelled
from ..tokens.word_codes import numbers_of_words, token_keys
from .rouge_tokenizers import RougeTokenizer, stems
from .text_pairs import TextPairs


class BlockWords(NamedTuple):
    """The words of pairs of texts, by text and line."""

    codes: Unsigned  # one per word: equal if and only if the words are
    text_counts: Integers  # number of words of each text
    texts: Integers  # the text of each word; the texts of pair n are 2n and 2n + 1
    lines: Integers  # the line of each word, numbered across all texts
    line_ends: Integers  # for each line, the index after its last word
    line_texts: Integers  # the text of each line


def block_words(pairs: TextPairs, tokenizer: RougeTokenizer, *, by_line: bool) -> BlockWords:
    """Return the words of all texts; without `by_line`, a text counts as one line."""
    if tokenizer.is_alphanumeric:
        tokens = alphanumeric_tokens(pairs.texts)
        codes = _stem_codes(tokens) if tokenizer.use_stemmer else token_keys(tokens)
        if not by_line:
            return _block_words(codes, tokens.counts, np.ones_like(tokens.counts))
        lines = np.array([text.count("\n") + 1 for text in pairs.texts], dtype=np.int64)
        return _block_words(codes, line_counts(tokens), lines)
    texts = tokenizer.lines_of_words(pairs, by_line=by_line)
    return _block_words(
        numbers_of_words(list(chain.from_iterable(chain.from_iterable(texts)))).view(np.uint64),
        np.array([len(line) for lines in texts for line in lines], dtype=np.int64),
        np.array(list(map(len, texts)), dtype=np.int64),
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


def _stem_codes(tokens: Tokens) -> Unsigned:
    """Return the codes of the stems. Each distinct word is stemmed once."""
    words = distinct_keys(token_keys(tokens))
    codes = numbers_of_words(stems(spelled(tokens, words.examples)))
    return codes.view(np.uint64).take(words.numbers)
