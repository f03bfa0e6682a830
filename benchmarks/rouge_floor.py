"""What numpy's calls alone take for ROUGE-1/2/L, without anything that is ours.

Each stage is the fewest calls we know of that do its work, on arrays of the sizes that the texts
have, made ready beforehand: nothing is checked, padded, cut or put together. To be faster than
that, numpy would have to be left.
"""

import numpy as np
from _measure import cpu_seconds

from metric_commons.text.ngram_overlaps import shared_ngrams
from metric_commons.text.normalizers import normalizer_function
from metric_commons.text.rouge_tokenizers import RougeTokenizer
from metric_commons.text.text_pairs import pair_blocks
from metric_commons.text.word_codes import block_words

ROUNDS = 15
ROWS = 62  # of a machine word
TO_SPACES = bytes(n if chr(n).isalnum() and n < 128 else 32 for n in range(256))


def floor(predictions, references):
    """For each stage the CPU seconds of its calls."""
    tokenizer = RougeTokenizer("rouge_score", use_stemmer=False)
    seconds = dict.fromkeys(("letters", "words", "bigrams", "subsequences"), 0.0)
    sizes = []
    for block in pair_blocks(predictions, references, normalizer_function("none")):
        words = block_words(block, tokenizer, by_line=False)
        shared = dict(shared_ngrams(words, {1, 2}))
        bigrams = np.flatnonzero((shared[1].numbers[1:] >= 0) & (shared[1].numbers[:-1] >= 0))
        seconds["letters"] += fastest(letters(block.texts))
        seconds["words"] += fastest(table(words.codes))
        seconds["bigrams"] += fastest(table(words.codes[bigrams] + words.codes[bigrams + 1]))
        counts = np.bincount(words.texts[shared[1].numbers >= 0], minlength=len(block.texts))
        sizes.append(counts.reshape(-1, 2))
    seconds["subsequences"] = fastest(steps(np.concatenate(sizes)))
    return seconds


def fastest(call):
    return min(cpu_seconds(call) for _ in range(ROUNDS))


def letters(texts):
    """Where words begin and end, and their first eight bytes."""
    ends = np.empty(len(texts), dtype=np.int64)

    def call():
        blob = "\n".join(texts).encode("ascii", "replace").translate(TO_SPACES)
        is_letter = np.frombuffer(blob, np.uint8) > 32
        edges = np.flatnonzero(is_letter[1:] != is_letter[:-1])
        np.ndarray((len(blob) - 7,), "<u8", blob, strides=(1,))[edges[::2]]
        np.cumsum(ends)

    return call


def table(keys):
    """Equal keys found by a hash, verified, numbered and counted."""
    bits = keys.size.bit_length() + 1
    places, indices = np.empty(1 << bits, np.int64), np.arange(keys.size)

    def call():
        hashes = (keys * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(64 - bits)).view(np.int64)
        places[hashes] = indices
        examples = places.take(hashes)
        np.flatnonzero(keys.take(examples) != keys)
        np.bincount(np.cumsum(examples == indices).take(examples))

    return call


def steps(sizes):
    """A step for each column of the longest pair: six operations on all machine words."""
    columns, rows = sizes.min(axis=1), sizes.max(axis=1)
    number = int(columns.max())
    cells = int((columns * (rows // ROWS + 1)).sum())
    state, match, common, total = np.zeros((4, cells // number), dtype=np.uint64)
    bit = np.array(63, dtype=np.uint64)

    def call():
        for _ in range(number):
            np.bitwise_and(state, match, common)
            np.add(state, common, total)
            np.subtract(state, common, state)
            np.bitwise_or(state, total, state)
            np.right_shift(total, bit, total)
            np.bitwise_or(state, total, state)

    return call
