"""What numpy's calls alone take for ROUGE-1/2/L, without anything around them.

Each stage is the fewest calls we know of that do its work, on arrays of the sizes that these texts
have, made ready beforehand. Nothing is padded, cut or put together, and no hashes meet. The longest
common subsequences, which rapidfuzz finds, are left out.
"""

import numpy as np
from _measure import cpu_seconds

from metric_commons.text.rouge_overlaps.block_words import block_words
from metric_commons.text.rouge_overlaps.ngram_overlaps import shared_ngrams
from metric_commons.text.rouge_overlaps.rouge_tokenizers import RougeTokenizer
from metric_commons.text.rouge_overlaps.text_pairs import pair_blocks
from metric_commons.text.tokens.normalizers import normalizer_function

CALLS = 15  # of which the fastest counts
TO_SPACES = bytes(n if chr(n).isalnum() and n < 128 else ord(" ") for n in range(256))


def floor(predictions, references):
    """For each stage the CPU seconds of its calls."""
    tokenizer = RougeTokenizer("rouge_score", use_stemmer=False)
    seconds = dict.fromkeys(("letters", "words", "bigrams"), 0.0)
    for block in pair_blocks(predictions, references, normalizer_function("none")):
        words = block_words(block, tokenizer, by_line=False)
        is_shared = next(shared_ngrams(words, {1}))[1].numbers >= 0
        bigrams = np.flatnonzero(is_shared[1:] & is_shared[:-1])
        keys = words.codes + (words.texts >> 1).view(np.uint64)
        seconds["letters"] += fastest(letters(block.texts))
        seconds["words"] += fastest(table(keys))
        seconds["bigrams"] += fastest(table(keys[bigrams] * keys[bigrams + 1]))
    return seconds


def fastest(call):
    return min(cpu_seconds(call) for _ in range(CALLS))


def letters(texts):
    """Where words begin and end, and their first eight bytes."""

    def call():
        blob = ("\n".join(texts) + " " * 8).encode("ascii", "replace").translate(TO_SPACES)
        is_letter = np.frombuffer(blob, np.uint8) > ord(" ")
        edges = np.flatnonzero(is_letter[1:] != is_letter[:-1])
        np.ndarray((len(blob) - 7,), "<u8", blob, strides=(1,))[edges[::2]]

    return call


def table(keys):
    """Equal keys are found by a hash, compared, numbered and counted."""
    bits = keys.size.bit_length() + 1
    entries, indices = np.empty(1 << bits, np.int64), np.arange(keys.size)

    def call():
        slots = (keys * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(64 - bits)).view(np.int64)
        entries[slots] = indices
        examples = entries.take(slots)
        np.flatnonzero(keys.take(examples) != keys)
        np.bincount(np.cumsum(examples == indices).take(examples))

    return call
