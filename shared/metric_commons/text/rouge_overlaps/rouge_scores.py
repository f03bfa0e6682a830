"""ROUGE: the n-grams, or the longest subsequence, that a text has in common with a reference.

The scores equal those of rouge_score 0.1.2 to the last bit, and these equal those of the original
ROUGE-1.5.5 (Lin, ROUGE: A Package for Automatic Evaluation of Summaries, 2004) to its printed
digits. Texts are scored in blocks: one pass finds the words that both texts of a pair have, and
longer n-grams and subsequences are searched only among those.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any

import numpy as np

from ...statistics.arguments.arrays import Integers
from ...statistics.arguments.checks import OptionError, nearest, shown
from ...statistics.arguments.domains import Parsed, checked_options
from ...statistics.arithmetic.ratios import PrecisionRecallF1, precision_recall_f1
from ..tokens.normalizers import Normalizer, normalizer_function
from ..tokens.references import Aggregation, reference_counts, row_scores
from ..tokens.word_codes import Sequences
from .lcs import lcs_lengths
from .rouge_words import (
    BlockWords,
    RougeTokenizer,
    SentenceSplitter,
    SharedNgrams,
    Tokenizer,
    block_words,
    pair_blocks,
    sentence_lines,
    shared_ngrams,
)
from .union_lcs import union_lcs_counts

NgramLengths = Mapping[str, int]  # words per n-gram of each type, 0 for subsequences

LCS, UNION_LCS = "rougeL", "rougeLsum"

_NGRAM = re.compile("rouge[1-9][0-9]*")
_USUAL_TYPES = {LCS: 0, UNION_LCS: 0} | {f"rouge{n}": n for n in range(1, 10)}
_DIGITS = 18


def ngram_lengths(rouge_types: Sequence[str]) -> dict[str, int]:
    """Return the number of words in the n-grams of each ROUGE type; 0 for subsequences.

    >>> ngram_lengths(["rouge2", "rougeL"])
    {'rouge2': 2, 'rougeL': 0}
    >>> ngram_lengths(["rouge2", "rougel"])
    Traceback (most recent call last):
    ValueError: rouge_types may name rouge1, rouge2, ..., rougeL and rougeLsum, got 'rougel'; \
did you mean 'rougeL'?
    """
    if isinstance(rouge_types, str) or not isinstance(rouge_types, Sequence) or not rouge_types:
        problem = f'must be names such as ("rouge1",), got {shown(rouge_types)}'
        raise OptionError("rouge_types", problem)
    lengths = {}
    for name in rouge_types:
        if not isinstance(name, str) or not (name in _USUAL_TYPES or _NGRAM.fullmatch(name)):
            hint = nearest(name, _USUAL_TYPES) if isinstance(name, str) else ""
            problem = f"may name rouge1, rouge2, ..., rougeL and rougeLsum, got {shown(name)}{hint}"
            raise OptionError("rouge_types", problem)
        # No text has as many words as such a long number says; further digits can be cut off.
        digits = name.removeprefix("rouge")[:_DIGITS]
        lengths[name] = _USUAL_TYPES[name] if name in _USUAL_TYPES else int(digits)
    return lengths


RougeTypes = Annotated[
    Sequence[str],
    Parsed(ngram_lengths, "a list of names such as 'rouge1', 'rougeL' and 'rougeLsum'"),
]


@checked_options
def rouge(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    rouge_types: RougeTypes = ("rouge1", "rouge2", "rougeL"),
    use_stemmer: bool = False,
    tokenizer: Tokenizer = "rouge_score",
    normalizer: Normalizer = "none",
    reference_aggregation: Aggregation = "max",
    split_summaries: SentenceSplitter | None = None,
) -> dict[str, PrecisionRecallF1]:
    """Return precision, recall and F1 of each ROUGE type, one value per row.

    With "max", all three are for the reference with the highest F1 of this type, the first in
    a tie, as in `score_multi` of rouge_score.

    Args:
        predictions: one text per row.
        references: one or more references per row.
        rouge_types: "rouge1", "rouge2" and so on for n-grams; "rougeL" for the longest common
            subsequence; "rougeLsum" for the union of the subsequences between each line of the
            reference and all lines of the prediction.
        use_stemmer: whether to replace words of more than three characters from a-z and 0-9 by
            their Porter stems.
        tokenizer: "rouge_score", "unicode" (see `unicode_words`), or a function from a text to the
            list of its words. For rougeLsum it is called for each line.
        normalizer: applied to all texts first: a name in `NORMALIZERS` or a function.
        reference_aggregation: "max" or "mean" over the references of a row.
        split_summaries: for rougeLsum, a function from a text to its sentences, which replace its
            lines. They are normalized one by one; a line break in a sentence becomes a space.

    Raises:
        ValueError: an option is not valid, or `tokenizer` does not return a list of words.

    >>> scores = rouge(["the cat sat"], ["the cat sat on the mat"])
    >>> scores["rouge2"].recall.tolist(), scores["rougeL"].precision.tolist()
    ([0.4], [1.0])
    """
    lengths = ngram_lengths(rouge_types)
    by_line = UNION_LCS in lengths
    if by_line and len(lengths) > 1 and (split_summaries is not None or callable(tokenizer)):
        # The words of a text need not be those of its lines.
        options: dict[str, Any] = {
            "use_stemmer": use_stemmer,
            "tokenizer": tokenizer,
            "normalizer": normalizer,
            "reference_aggregation": reference_aggregation,
            "split_summaries": split_summaries,
        }
        others = [name for name in lengths if name != UNION_LCS]
        scores_by_type = rouge(predictions, references, rouge_types=others, **options)
        scores_by_type |= rouge(predictions, references, rouge_types=[UNION_LCS], **options)
        return {name: scores_by_type[name] for name in lengths}
    normalize = normalizer_function(normalizer)
    if by_line and split_summaries is not None:
        predictions, references = sentence_lines(
            predictions, references, split_summaries, normalize
        )
        normalize = str
    rouge_tokenizer = RougeTokenizer(tokenizer, use_stemmer=use_stemmer)
    counts = reference_counts(references)
    keep_freed_memory()
    scores = np.empty((3, len(lengths), int(counts.sum())))
    start = 0
    for texts in pair_blocks(predictions, references, normalize):
        counts_of_types = _counts(block_words(texts, rouge_tokenizer, by_line=by_line), lengths)
        shared = np.stack([counts_of_types[name] for name in lengths], axis=1)
        stop = start + shared.shape[-1]
        scores[..., start:stop] = precision_recall_f1(*shared)
        start = stop
    return {
        name: row_scores(PrecisionRecallF1(*pair_scores), counts, reference_aggregation)
        for name, *pair_scores in zip(lengths, *scores, strict=True)
    }


def _counts(words: BlockWords, lengths: NgramLengths) -> dict[str, Integers]:
    """Return for each type the shared, predicted and reference items; shape (3, pairs)."""
    pairs = words.text_counts.size // 2
    shared_counts = {}
    for n, shared in shared_ngrams(words, set(lengths.values())):
        if n in lengths.values():
            shared_counts[f"rouge{n}"] = shared.overlaps(pairs)
        if n == 1 and {LCS, UNION_LCS} & lengths.keys():
            shared_counts[LCS] = _lcs_lengths(words, shared)
        if n == 1 and UNION_LCS in lengths:
            # If both texts have a single line, the union is its subsequence.
            lines = np.bincount(words.line_texts, minlength=2 * pairs)
            is_single = (lines[::2] == 1) & (lines[1::2] == 1)
            numbers = np.where(is_single.take(words.texts >> 1), -1, shared.numbers)
            union = union_lcs_counts(words, shared._replace(numbers=numbers))
            shared_counts[UNION_LCS] = np.where(is_single, shared_counts[LCS], union)
    zeros = np.zeros(pairs, dtype=np.int64)
    counts = {}
    for name, n in lengths.items():
        # A text has n - 1 fewer n-grams than words.
        text_counts = np.maximum(words.text_counts - max(n - 1, 0), 0)
        counts[name] = np.stack(
            [shared_counts.get(name, zeros), text_counts[::2], text_counts[1::2]]
        )
    return counts


def _lcs_lengths(words: BlockWords, shared: SharedNgrams) -> Integers:
    """Return the length of the longest common subsequence of each pair of texts.

    Only words that both texts have matter. Those of a pair have adjacent numbers, which count from
    the first one here, because rapidfuzz compares small characters fastest.
    """
    indices = np.flatnonzero(shared.numbers >= 0)
    counts = np.bincount(words.texts.take(indices), minlength=words.text_counts.size)
    first_numbers = np.searchsorted(shared.pairs, np.arange(counts.size // 2))
    codes = shared.numbers.take(indices) - np.repeat(first_numbers, counts[::2] + counts[1::2])
    return lcs_lengths(Sequences(codes, counts))


@cache
def keep_freed_memory() -> None:
    """Make this process reuse freed memory from now on, instead of requesting new pages.

    On Linux, the C library returns every large array to the system when it is freed, and requests
    memory again, page by page, for the next one, which takes twice as long as the actual work. It
    stops doing so for sizes up to that of the largest array it has seen freed, at most 32 MB. So
    such an array is freed here, without ever touching its pages.
    """
    np.empty(31 << 20, dtype=np.uint8)
