"""What numpy's calls alone take for ROUGE-1/2/L, without anything around them.

Each stage is the fewest calls we know of that do its work, on arrays of the sizes that these texts
have, made ready beforehand. Nothing is padded, cut or put together, and no hashes meet.
"""

import numpy as np
from _measure import cpu_seconds

from metric_commons.text.rouge_overlaps.rouge_words import (
    RougeTokenizer,
    block_words,
    pair_blocks,
    shared_ngrams,
)
from metric_commons.text.tokens.normalizers import normalizer_function

CALLS = 15  # of which the fastest counts
ROWS = 62  # of a machine word
REPEATS = 3  # how often a text of some length has each of its words
MASKS = 200_000  # at a time
TO_SPACES = bytes(n if chr(n).isalnum() and n < 128 else ord(" ") for n in range(256))


def floor(predictions, references):
    """For each stage the CPU seconds of its calls."""
    tokenizer = RougeTokenizer("rouge_score", use_stemmer=False)
    seconds = dict.fromkeys(("letters", "words", "bigrams"), 0.0)
    counts = []
    for block in pair_blocks(predictions, references, normalizer_function("none")):
        words = block_words(block, tokenizer, by_line=False)
        is_shared = next(shared_ngrams(words, {1}))[1].numbers >= 0
        bigrams = np.flatnonzero(is_shared[1:] & is_shared[:-1])
        keys = words.codes + (words.texts >> 1).view(np.uint64)
        seconds["letters"] += fastest(letters(block.texts))
        seconds["words"] += fastest(table(keys))
        seconds["bigrams"] += fastest(table(keys[bigrams] * keys[bigrams + 1]))
        counts.append(np.bincount(words.texts[is_shared], minlength=len(block.texts)))
    sizes = np.concatenate(counts).reshape(-1, 2)
    steps, machine_words = sizes.min(axis=1), sizes.max(axis=1) // ROWS + 1
    most_steps = int(steps.max())
    masks_a_step = int(steps @ machine_words) // most_steps
    seconds["masks"] = fastest(masks(most_steps, int(machine_words.mean()), masks_a_step))
    seconds["subsequences"] = fastest(subsequences(most_steps, masks_a_step))
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


def masks(steps, machine_words, masks_a_step):
    """The masks of the word that each pair has at a step, in the order in which they are used."""
    pairs = masks_a_step // machine_words
    at_once = min(steps, MASKS // masks_a_step + 1)
    of_words = np.zeros((steps * pairs // REPEATS, machine_words), dtype=np.uint64)
    chosen = np.random.default_rng(0).integers(0, len(of_words), (at_once, pairs))
    in_order = np.empty((at_once, machine_words, pairs), dtype=np.uint64)

    def call():
        for _ in range(steps // at_once):
            in_order[:] = of_words.take(chosen, axis=0).transpose(0, 2, 1)

    return call


def subsequences(steps, masks_a_step):
    """Six operations on all machine words at each step."""
    state, match, common, total = np.zeros((4, masks_a_step), dtype=np.uint64)
    bit = np.array(63, dtype=np.uint64)

    def call():
        for _ in range(steps):
            np.bitwise_and(state, match, common)
            np.add(state, common, total)
            np.subtract(state, common, state)
            np.bitwise_or(state, total, state)
            np.right_shift(total, bit, total)
            np.bitwise_or(state, total, state)

    return call
