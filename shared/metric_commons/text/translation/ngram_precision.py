"""BLEU: the n-gram precision of translations against references, with a brevity penalty.

The scores equal those of sacrebleu (Post, A Call for Clarity in Reporting BLEU Scores, 2018), from
0 to 100, which in turn equal those of the script mteval-v13a. BLEU (Papineni et al. 2002) is the
geometric mean of the precisions over all rows, for n-grams of one to four words, times

    exp(1 - reference length / length)

if the translations are shorter than the references; among several references, the one closest in
length counts, the shorter one in a tie.

Two alternative definitions are those of the modules `bleu` and `google_bleu` of `evaluate`. `bleu`
is the script of TensorFlow's NMT tutorial: unsmoothed, with the length of the *shortest* reference,
from 0 to 1. `google_bleu` is GLEU (Wu et al., Google's Neural Machine Translation System, 2016) as
in NLTK: it pools the n-grams of all orders and divides the shared ones by those of the longer text,
using for each row the reference for which this ratio is highest. Both take the words of 13a without
changing the text first; sacrebleu strips trailing white space.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arguments.checks import OptionError
from ...statistics.arguments.domains import Length, Range, checked_options
from ...statistics.intervals.sum_distributions import SumFunction, SumRatio, SumScore
from ...statistics.intervals.sums import RowStatistics
from ..tokens.references import ReferenceBlock, best_pairs, blocks
from ..tokens.segments import segment_starts
from ..tokens.word_codes import Sequences
from .clipped_ngrams import clipped_counts
from .translation_tokenizers import TranslationTokenizer, translation_words

Definition = Literal["sacrebleu", "hf", "gleu"]
SmoothMethod = Literal["exp", "floor", "add-k", "none"]
SmoothValue = Annotated[float, Range(0)]

SMOOTH_VALUES: Mapping[str, float] = {"floor": 0.1, "add-k": 1}
_LOG_OF_ZERO = -9999999999.0


@checked_options
def bleu_statistics(
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

    The score of a row uses only orders for which it has n-grams, as with `effective_order`.

    Args:
        predictions: one translation per row.
        references: one or more references per row; an empty text counts as a reference.
        definition: "sacrebleu", "hf" for evaluate's `bleu`, or "gleu" for its `google_bleu`.
        tokenize: "13a", "intl", "zh", "char", "none", or a function from a text to its words, or to
            a text with spaces between them.
        lowercase: whether to ignore case.
        smooth_method: how to treat orders without shared n-grams. "exp": the first counts as 1/2 of
            an n-gram, the second as 1/4, and so on. "floor": as `smooth_value`, 0.1. "add-k":
            `smooth_value`, 1, is added to the n-grams of all orders but the first. "none": BLEU is
            0. "hf" accepts "add-k", which adds 1 to the n-grams of all orders, and is otherwise
            unsmoothed; "gleu" is never smoothed.
        smooth_value: for "floor" and "add-k"; None for the values above.
        max_ngram_order: the length of the longest n-grams.
        effective_order: only for "sacrebleu": skip orders for which the predictions have no
            n-grams.

    Raises:
        ValueError: a row has no references, or an option is not valid, or does not apply to the
            definition.

    >>> rows = bleu_statistics(["the cat sat on the mat"], ["the cat sat on a mat"])
    >>> rows.result()["counts"], round(rows.result()["bleu"], 2)
    ([5, 3, 2, 1], 53.73)
    >>> texts = ["the cat sat on the mat"], ["the cat sat on a mat"]
    >>> bleu_statistics(*texts, definition="gleu").result()
    {'google_bleu': 0.6111111111111112}
    >>> bleu_statistics(*texts, definition="hf").result()["precisions"]
    [0.8333333333333334, 0.6, 0.5, 0.3333333333333333]
    """
    orders, is_stock = int(max_ngram_order), definition == "hf"
    methods = ("exp", "none", "add-k") if is_stock else ("exp", "none")
    for option, has_option in (
        ("smooth_method", smooth_method in methods),
        ("smooth_value", smooth_value is None or (is_stock and smooth_value == 1)),
        ("effective_order", not effective_order),
    ):
        if definition != "sacrebleu" and not has_option:
            raise OptionError(option, f"of this value does not apply to {definition!r}")
    if definition == "gleu":
        return gleu_statistics(
            predictions,
            references,
            tokenize=tokenize,
            lowercase=lowercase,
            max_ngram_order=max_ngram_order,
        )
    values = [np.zeros((0, 2 + 2 * orders), np.int64)]
    for block in blocks(predictions, references):
        words = _words(block, tokenize, lowercase, strip=not is_stock)
        lengths = words.counts[block.prediction_indices]
        relevant = (_shortest_lengths if is_stock else _closest_lengths)(words.counts, block.sizes)
        counts = clipped_counts(words, block.sizes, orders)
        totals = np.maximum(lengths[:, np.newaxis] - np.arange(orders), 0)
        values.append(np.column_stack([lengths, relevant, counts, totals]))
    score: Callable[..., dict[str, Any]]
    if is_stock:
        length, reference_length = "translation_length", "reference_length"
        smooth = smooth_method == "add-k"
        score = row_score = partial(shortest_bleu, orders=orders, smooth=smooth)
        array_score = partial(shortest_bleu_of_arrays, orders=orders, smooth=smooth)
    else:
        length, reference_length = "sys_len", "ref_len"
        options: dict[str, Any] = {
            "orders": orders,
            "smooth_method": smooth_method,
            "smooth_value": smooth_value,
        }
        score = partial(bleu_score, **options, effective_order=effective_order)
        row_score = partial(bleu_score, **options, effective_order=True)
        array_score = partial(bleu_of_arrays, **options, effective_order=effective_order)
    names = [f"{kind}_{order}" for kind in ("count", "total") for order in range(1, orders + 1)]
    return RowStatistics(
        (length, reference_length, *names),
        np.concatenate(values),
        score,
        lambda sums: {"bleu": row_score(sums)["bleu"]},
        distributions=lambda statistics: _bleu_distributions(
            array_score, length, reference_length, names[:orders], 1.0 if is_stock else 100.0
        ),
    )


def _words(
    block: ReferenceBlock, tokenize: TranslationTokenizer, lowercase: bool, *, strip: bool
) -> Sequences:
    texts = [text.lower() for text in block.texts] if lowercase else block.texts
    return translation_words(texts, tokenize, strip=strip)


def bleu_score(
    sums: Mapping[str, float],
    *,
    orders: int = 4,
    smooth_method: SmoothMethod = "exp",
    smooth_value: float | None = None,
    effective_order: bool = False,
) -> dict[str, Any]:
    """Return BLEU from sums over rows, and its components.

    The operations are the same as in sacrebleu, in the same order. So a perfect score is
    100.00000000000004, and with "add-k" the counts include what is added.
    """
    sys_len, ref_len = int(sums["sys_len"]), int(sums["ref_len"])
    counts = [sums[f"count_{order}"] for order in range(1, orders + 1)]
    totals = [sums[f"total_{order}"] for order in range(1, orders + 1)]
    penalty = 1.0
    if sys_len < ref_len:
        penalty = math.exp(1 - ref_len / sys_len) if sys_len else 0.0
    precisions = [0.0] * orders
    score = 0.0
    if any(counts):
        value = SMOOTH_VALUES.get(smooth_method, 0.0) if smooth_value is None else smooth_value
        effective, halvings = orders, 0
        for index in range(orders):
            if smooth_method == "add-k" and index:
                counts[index] += value
                totals[index] += value
            if not totals[index]:
                break
            if effective_order:
                effective = index + 1
            if counts[index]:
                precisions[index] = 100.0 * counts[index] / totals[index]
            elif smooth_method == "exp":
                halvings += 1
                precisions[index] = 100.0 / (2.0**halvings * totals[index])
            elif smooth_method == "floor":
                precisions[index] = 100.0 * value / totals[index]
        logarithms = [math.log(p) if p else _LOG_OF_ZERO for p in precisions[:effective]]
        score = penalty * math.exp(sum(logarithms) / effective)
    return {
        "bleu": score,
        "precisions": precisions,
        "brevity_penalty": penalty,
        "counts": counts,
        "totals": totals,
        "sys_len": sys_len,
        "ref_len": ref_len,
    }


def bleu_of_arrays(
    sums: Mapping[str, Floats],
    *,
    orders: int = 4,
    smooth_method: SmoothMethod = "exp",
    smooth_value: float | None = None,
    effective_order: bool = False,
) -> Floats:
    """Return the BLEU of `bleu_score`, for arrays of sums."""
    value = SMOOTH_VALUES.get(smooth_method, 0.0) if smooth_value is None else smooth_value
    length = sums["sys_len"]
    logarithms, halvings = np.zeros_like(length), np.zeros_like(length)
    effective = np.full_like(length, orders)
    has_ngrams, has_counts = np.ones(length.shape, bool), np.zeros(length.shape, bool)
    for order in range(1, orders + 1):
        count, total = sums[f"count_{order}"], sums[f"total_{order}"]
        has_counts |= count > 0
        if smooth_method == "add-k" and order > 1:
            count, total = count + value, total + value
        has_ngrams = has_ngrams & (total > 0)
        if smooth_method == "exp":
            halvings += count == 0
            count = np.where(count > 0, count, 2.0**-halvings)
        elif smooth_method == "floor":
            count = np.where(count > 0, count, value)
        precision = np.where(has_ngrams, 100 * count / total, 0.0)
        logarithm = np.where(precision > 0, np.log(precision), _LOG_OF_ZERO)
        if effective_order:
            effective = np.where(has_ngrams, order, effective if order > 1 else 1)
            logarithm = np.where(has_ngrams, logarithm, 0.0)
        logarithms += logarithm
    penalty = np.exp(np.minimum(1 - sums["ref_len"] / length, 0.0))
    return np.where(has_counts, penalty * np.exp(logarithms / effective), 0.0)


def _bleu_distributions(
    score: Callable[[Mapping[str, Floats]], Floats],
    length: str,
    reference_length: str,
    counts: Sequence[str],
    largest: float,
) -> dict[str, SumScore]:
    """Return how BLEU follows from sums; an unseen row shares nothing with its reference, or all.

    For its brevity penalty an unseen row has no translation, or no reference.
    """

    def all_shared(sums: Mapping[str, float]) -> dict[str, float]:
        shared = {name: sums[name.replace("count_", "total_")] for name in counts}
        return shared | {reference_length: sums[length]}

    def penalty(sums: Mapping[str, Floats]) -> Floats:
        return np.exp(np.minimum(1 - sums[reference_length] / sums[length], 0.0))

    size = {length: 1}
    return {
        "bleu": SumFunction(
            score, size, lambda sums: dict.fromkeys(counts, 0.0), all_shared, (0.0, largest)
        ),
        "brevity_penalty": SumFunction(
            penalty, size, lambda sums: {length: 0.0}, lambda sums: {reference_length: 0.0}
        ),
        "length_ratio": SumRatio({length: 1}, {reference_length: 1}, upper=None),
    }


def _closest_lengths(counts: Integers, sizes: Integers) -> Integers:
    """Return for each row the length of the reference closest in length to the prediction.

    >>> _closest_lengths(np.array([4, 9, 5, 3]), np.array([4])).tolist()
    [3]
    """
    starts = segment_starts(sizes)
    differences = np.abs(counts - np.repeat(counts[starts], sizes))
    # The difference, then the length, as one integer; predictions come last.
    keys = (differences << 32) + counts
    keys[starts] = np.iinfo(np.int64).max
    closest: Integers = np.minimum.reduceat(keys, starts) & ((1 << 32) - 1)
    return closest


def _shortest_lengths(counts: Integers, sizes: Integers) -> Integers:
    """Return the length of the shortest reference of each row."""
    is_reference = np.ones(counts.size, dtype=bool)
    is_reference[segment_starts(sizes)] = False
    return np.minimum.reduceat(counts[is_reference], segment_starts(sizes - 1))


def shortest_bleu(
    sums: Mapping[str, float], *, orders: int = 4, smooth: bool = False
) -> dict[str, Any]:
    """Return the result of evaluate's `bleu` from sums over rows, by its order of operations.

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
    """Return the n-grams that a row and its best reference share, and those of the longer text."""
    skipped, orders = int(min_ngram_order) - 1, int(max_ngram_order)
    values = [np.zeros((0, 2), np.int64)]
    for block in blocks(predictions, references):
        words = _words(block, tokenize, lowercase, strip=False)
        lengths = np.arange(skipped, orders)
        ngrams = np.maximum(words.counts[:, np.newaxis] - lengths, 0).sum(axis=1)
        longer = np.maximum(ngrams[block.pair_predictions], ngrams[block.pair_references])
        texts = np.stack([block.pair_predictions, block.pair_references], axis=1).ravel()
        counts = clipped_counts(words.of(texts), np.full(texts.size // 2, 2), orders)
        shared = counts[:, skipped:].sum(axis=1)
        pairs = np.column_stack([shared, longer])
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


def gleu_score(sums: Mapping[str, float]) -> dict[str, float]:
    """Return GLEU from sums over rows, from 0 to 1; 0 if there are no n-grams."""
    return {"google_bleu": sums["shared"] / sums["ngrams"] if sums["ngrams"] else 0.0}
