"""Alternative definitions of BLEU, from the modules `bleu` and `google_bleu` of `evaluate`.

`bleu` is the script of TensorFlow's NMT tutorial: unsmoothed, with the length of the *shortest*
reference, from 0 to 1. `google_bleu` is GLEU (Wu et al., Google's Neural Machine Translation
System, 2016) as in NLTK: it pools the n-grams of all orders and divides the shared ones by those of
the longer text, using for each row the reference for which this ratio is highest. Both take the
words of 13a without changing the text first; sacrebleu strips trailing white space.
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arguments.checks import OptionError
from ...statistics.arguments.domains import Length, checked_options
from ...statistics.intervals.sum_distributions import SumRatio
from ...statistics.intervals.sums import RowStatistics
from ..tokens.references import ReferenceBlock, best_pairs, blocks
from ..tokens.segments import segment_starts
from ..tokens.sequences import Sequences
from .clipped_ngrams import RowTexts, clipped_counts
from .ngram_precision import SmoothMethod, SmoothValue, bleu_distributions, bleu_statistics
from .translation_tokenizers import TranslationTokenizer, translation_words

Definition = Literal["sacrebleu", "hf", "gleu"]


@checked_options
def defined_bleu_statistics(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    definition: Definition = "sacrebleu",
    tokenize: TranslationTokenizer = "13a",
    lowercase: bool = False,
    smooth_method: SmoothMethod = "exp",
    smooth_value: SmoothValue | None = None,
    max_ngram_order: Length = 4,
    effective_order: bool = False,
) -> RowStatistics:
    """Return the lengths and n-grams of each row, and the BLEU of their sums in this definition.

    Args:
        predictions: one translation per row.
        references: one or more references per row; an empty text counts as a reference.
        definition: "sacrebleu", "hf" for evaluate's `bleu`, or "gleu" for its `google_bleu`.
        tokenize: as in `bleu_statistics`.
        lowercase: whether to ignore case.
        smooth_method: for "sacrebleu", as in `bleu_statistics`. "hf" accepts "add-k", which adds 1
            to the n-grams of all orders, and is otherwise unsmoothed; "gleu" is never smoothed.
        smooth_value: only for "sacrebleu".
        max_ngram_order: the length of the longest n-grams.
        effective_order: only for "sacrebleu".

    Raises:
        ValueError: a row has no references, or an option does not apply to the definition.

    >>> texts = ["the cat sat on the mat"], ["the cat sat on a mat"]
    >>> defined_bleu_statistics(*texts, definition="gleu").result()
    {'google_bleu': 0.6111111111111112}
    >>> defined_bleu_statistics(*texts, definition="hf").result()["precisions"]
    [0.8333333333333334, 0.6, 0.5, 0.3333333333333333]
    """
    texts: dict[str, Any] = {
        "tokenize": tokenize,
        "lowercase": lowercase,
        "max_ngram_order": max_ngram_order,
    }
    if definition == "sacrebleu":
        return bleu_statistics(
            predictions,
            references,
            smooth_method=smooth_method,
            smooth_value=smooth_value,
            effective_order=effective_order,
            **texts,
        )
    methods = ("exp", "none", "add-k") if definition == "hf" else ("exp", "none")
    for option, has_option in (
        ("smooth_method", smooth_method in methods),
        ("smooth_value", smooth_value in (None, 1) if definition == "hf" else smooth_value is None),
        ("effective_order", not effective_order),
    ):
        if not has_option:
            raise OptionError(option, f"of this value does not apply to {definition!r}")
    if definition == "gleu":
        return gleu_statistics(predictions, references, **texts)
    return _shortest_statistics(predictions, references, smooth=smooth_method == "add-k", **texts)


def _words(block: ReferenceBlock, tokenize: TranslationTokenizer, lowercase: bool) -> Sequences:
    texts = [text.lower() for text in block.texts] if lowercase else block.texts
    return translation_words(texts, tokenize, strip=False)


# ---- evaluate's `bleu` --------------------------------------------------------------------------


def _shortest_statistics(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    tokenize: TranslationTokenizer,
    lowercase: bool,
    smooth: bool,
    max_ngram_order: int,
) -> RowStatistics:
    """The length of each row, that of its shortest reference, and its shared and total n-grams."""
    orders = int(max_ngram_order)
    values = [np.zeros((0, 2 + 2 * orders), np.int64)]
    for block in blocks(predictions, references):
        words = _words(block, tokenize, lowercase)
        lengths = words.counts[block.prediction_indices]
        totals = np.maximum(lengths[:, np.newaxis] - np.arange(orders), 0)
        starts = segment_starts(block.sizes - 1)
        shortest = np.minimum.reduceat(words.counts[block.pair_references], starts)
        counts = clipped_counts(RowTexts(*words, block.sizes), orders)
        values.append(np.column_stack([lengths, shortest, counts, totals]))
    names = [f"{kind}_{order}" for kind in ("count", "total") for order in range(1, orders + 1)]
    score = partial(shortest_bleu, orders=orders, smooth=smooth)

    def row_scores(sums: Mapping[str, float]) -> dict[str, float]:
        return {"bleu": score(sums)["bleu"]}

    return RowStatistics(
        ("translation_length", "reference_length", *names),
        np.concatenate(values),
        score,
        row_scores,
        distributions=bleu_distributions(
            partial(shortest_bleu_of_arrays, orders=orders, smooth=smooth),
            "translation_length",
            "reference_length",
        ),
        length=lambda statistics: ["reference_length"],
    )


def shortest_bleu(
    sums: Mapping[str, float], *, orders: int = 4, smooth: bool = False
) -> dict[str, Any]:
    """The result of evaluate's `bleu` from sums over rows, computed in its order of operations.

    If it would divide by zero, because all texts of one side are empty, the ratio of lengths is
    infinite, NaN or 0, and the penalty is its limit.
    """
    length, reference_length = int(sums["translation_length"]), int(sums["reference_length"])
    precisions = []
    for order in range(1, orders + 1):
        count, total = sums[f"count_{order}"], sums[f"total_{order}"]
        if smooth:
            precisions.append((count + 1.0) / (total + 1.0))
        else:
            precisions.append(count / total if total else 0.0)
    mean = 0.0
    if min(precisions) > 0:
        mean = math.exp(sum(1.0 / orders * math.log(precision) for precision in precisions))
    without_references = math.inf if length else math.nan
    ratio = length / reference_length if reference_length else without_references
    penalty = 1.0
    if ratio <= 1.0:
        penalty = math.exp(1 - 1.0 / ratio) if ratio else 0.0
    return {
        "bleu": mean * penalty,
        "precisions": precisions,
        "brevity_penalty": penalty,
        "length_ratio": ratio,
        "translation_length": length,
        "reference_length": reference_length,
    }


def shortest_bleu_of_arrays(
    sums: Mapping[str, Floats], *, orders: int = 4, smooth: bool = False
) -> Floats:
    """Return the same for arrays of sums, whose lengths are above 0."""
    logarithms = np.zeros_like(sums["translation_length"])
    for order in range(1, orders + 1):
        count, total = sums[f"count_{order}"] + smooth, sums[f"total_{order}"] + smooth
        precisions = np.divide(count, total, out=np.zeros_like(logarithms), where=total > 0)
        logarithms += np.log(precisions) / orders
    excess = sums["reference_length"] / sums["translation_length"]
    return np.exp(logarithms + np.minimum(1 - excess, 0.0))


# ---- GLEU ---------------------------------------------------------------------------------------


def gleu_statistics(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    tokenize: TranslationTokenizer = "13a",
    lowercase: bool = False,
    min_ngram_order: Length = 1,
    max_ngram_order: Length = 4,
) -> RowStatistics:
    """The n-grams that each row shares with its best reference, and the n-grams of the longer text.

    Raises:
        OptionError: `min_ngram_order` is larger than `max_ngram_order`.
    """
    if min_ngram_order > max_ngram_order:
        raise OptionError("min_ngram_order", f"exceeds max_ngram_order, {max_ngram_order}")
    skipped, orders = int(min_ngram_order) - 1, int(max_ngram_order)
    values = [np.zeros((0, 2), np.int64)]
    for block in blocks(predictions, references):
        words = _words(block, tokenize, lowercase)
        lengths = np.arange(skipped, orders)
        ngrams = np.maximum(words.counts[:, np.newaxis] - lengths, 0).sum(axis=1)
        longer = np.maximum(ngrams[block.pair_predictions], ngrams[block.pair_references])
        pairs = np.column_stack([_shared_ngrams(words, block, orders, skipped), longer])
        ratios = pairs[:, 0] / np.maximum(longer, 1)
        ratios[longer == 0] = -1.0  # ignore pairs without n-grams
        values.append(pairs[best_pairs(ratios, block.sizes - 1)])
    names = ("shared", "ngrams")
    return RowStatistics(
        names,
        np.concatenate(values),
        gleu_score,
        gleu_score,
        distributions=lambda statistics: {"google_bleu": SumRatio({"shared": 1}, {"ngrams": 1})},
    )


def _shared_ngrams(words: Sequences, block: ReferenceBlock, orders: int, skipped: int) -> Integers:
    """For each pair of a prediction and a reference, the shared n-grams of all but short orders."""
    texts = np.stack([block.pair_predictions, block.pair_references], axis=1).ravel()
    rows = RowTexts(*words.of(texts), np.full(texts.size // 2, 2))
    shared: Integers = clipped_counts(rows, orders)[:, skipped:].sum(axis=1)
    return shared


def gleu_score(sums: Mapping[str, float]) -> dict[str, float]:
    """GLEU from sums over rows, from 0 to 1; 0 if there are no n-grams."""
    return {"google_bleu": sums["shared"] / sums["ngrams"] if sums["ngrams"] else 0.0}
