"""BLEU: the n-gram precision of translations against references, with a brevity penalty.

The scores equal those of sacrebleu (Post, A Call for Clarity in Reporting BLEU Scores, 2018), from
0 to 100, which in turn equal those of the script mteval-v13a. BLEU (Papineni et al. 2002) is the
geometric mean of the precisions over all rows, for n-grams of one to four words, times

    exp(1 - reference length / length)

if the translations are shorter than the references; among several references, the one closest in
length counts, the shorter one in a tie.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arguments.domains import Length, Range, checked_options
from ...statistics.intervals.sum_distributions import Distributions, SumFunction, SumRatio, SumScore
from ...statistics.intervals.sums import RowStatistics
from ..tokens.references import blocks
from ..tokens.segments import segment_starts
from .clipped_ngrams import RowTexts, clipped_counts
from .translation_tokenizers import TranslationTokenizer, translation_words

SmoothMethod = Literal["exp", "floor", "add-k", "none"]
SmoothValue = Annotated[float, Range(0)]

SMOOTH_VALUES: Mapping[str, float] = {"floor": 0.1, "add-k": 1}
_LOG_OF_ZERO = -9999999999.0


@checked_options
def bleu_statistics(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    tokenize: TranslationTokenizer = "13a",
    lowercase: bool = False,
    smooth_method: SmoothMethod = "exp",
    smooth_value: SmoothValue | None = None,
    max_ngram_order: Length = 4,
    effective_order: bool = False,
) -> RowStatistics:
    """Return the length of each row and of its closest reference, and its shared and total n-grams.

    The score of a row uses only orders for which it has n-grams, as with `effective_order`.

    Args:
        predictions: one translation per row.
        references: one or more references per row; an empty text counts as a reference.
        tokenize: "13a", "intl", "zh", "char", "none", or a function from a text to its words, or to
            a text with spaces between them.
        lowercase: whether to ignore case.
        smooth_method: how to treat orders without shared n-grams. "exp": the first counts as 1/2 of
            an n-gram, the second as 1/4, and so on. "floor": as `smooth_value`, 0.1. "add-k":
            `smooth_value`, 1, is added to the n-grams of all orders but the first. "none": BLEU is
            0.
        smooth_value: for "floor" and "add-k"; None for the values above.
        max_ngram_order: the length of the longest n-grams.
        effective_order: skip orders for which the predictions have no n-grams.

    Raises:
        ValueError: a row has no references, or an option is not valid.

    >>> rows = bleu_statistics(["the cat sat on the mat"], ["the cat sat on a mat"])
    >>> rows.result()["counts"], round(rows.result()["bleu"], 2)
    ([5, 3, 2, 1], 53.73)
    """
    orders = int(max_ngram_order)
    values = [np.zeros((0, 2 + 2 * orders), np.int64)]
    for block in blocks(predictions, references):
        texts = [text.lower() for text in block.texts] if lowercase else block.texts
        words = translation_words(texts, tokenize)
        rows = RowTexts(*words, block.sizes)
        lengths = words.counts[block.prediction_indices]
        totals = np.maximum(lengths[:, np.newaxis] - np.arange(orders), 0)
        closest = _closest_lengths(words.counts, block.sizes)
        values.append(np.column_stack([lengths, closest, clipped_counts(rows, orders), totals]))
    names = [f"{kind}_{order}" for kind in ("count", "total") for order in range(1, orders + 1)]
    score = partial(
        bleu_score,
        orders=orders,
        smooth_method=smooth_method,
        smooth_value=smooth_value,
    )

    def row_scores(sums: Mapping[str, float]) -> dict[str, float]:
        return {"bleu": score(sums, effective_order=True)["bleu"]}

    return RowStatistics(
        ("sys_len", "ref_len", *names),
        np.concatenate(values),
        partial(score, effective_order=effective_order),
        row_scores,
        distributions=bleu_distributions(
            partial(
                bleu_of_arrays,
                orders=orders,
                smooth_method=smooth_method,
                smooth_value=smooth_value,
                effective_order=effective_order,
            ),
            "sys_len",
            "ref_len",
            largest=100.0,
        ),
        length=lambda statistics: ["ref_len"],
    )


def bleu_score(
    sums: Mapping[str, float],
    *,
    orders: int = 4,
    smooth_method: SmoothMethod = "exp",
    smooth_value: float | None = None,
    effective_order: bool = False,
) -> dict[str, Any]:
    """BLEU from sums over rows, and its components.

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
    """As `bleu_score`, for arrays of sums."""
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


def bleu_distributions(
    score: Callable[[Mapping[str, Floats]], Floats],
    length: str,
    reference_length: str,
    largest: float = 1.0,
) -> Distributions:
    """Return how BLEU follows from sums; an unseen row shares nothing with its reference, or all.

    For its brevity penalty an unseen row has no translation, or no reference.

    Args:
        score: BLEU of arrays of sums.
        length: the name of the length of translations.
        reference_length: the name of the length of references.
        largest: the largest score.
    """

    def distributions(statistics: Sequence[str]) -> dict[str, SumScore]:
        counts = [name for name in statistics if name.startswith("count_")]

        def nothing_shared(sums: Mapping[str, float]) -> dict[str, float]:
            return dict.fromkeys(counts, 0.0)

        def all_shared(sums: Mapping[str, float]) -> dict[str, float]:
            shared = {name: sums[name.replace("count_", "total_")] for name in counts}
            return shared | {reference_length: sums[length]}

        def penalty(sums: Mapping[str, Floats]) -> Floats:
            return np.exp(np.minimum(1 - sums[reference_length] / sums[length], 0.0))

        def is_empty(sums: Mapping[str, float]) -> dict[str, float]:
            return {length: 0.0}

        def has_no_reference(sums: Mapping[str, float]) -> dict[str, float]:
            return {reference_length: 0.0}

        size = {length: 1}
        return {
            "bleu": SumFunction(score, size, nothing_shared, all_shared, (0.0, largest)),
            "brevity_penalty": SumFunction(penalty, size, is_empty, has_no_reference),
            "length_ratio": SumRatio({length: 1}, {reference_length: 1}, upper=None),
        }

    return distributions


def _closest_lengths(counts: Integers, sizes: Integers) -> Integers:
    """For each row, the length of the reference closest in length to the prediction.

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
