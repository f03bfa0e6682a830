"""chrF: the F score of character n-grams that a translation and its reference share.

The scores equal those of sacrebleu, from 0 to 100. chrF (Popović, chrF: character n-gram F-score
for automatic MT evaluation, 2015) averages precision and recall over n-grams of one to six
characters, ignoring white space; chrF++ (2017) adds words and pairs of words. If a row has several
references, the one with the best score for this row is used, the first in a tie. For that reason
the order of the references may change the score of all rows together.
"""

import string
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Annotated

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arguments.domains import Length, Range, checked_options
from ...statistics.intervals.sum_distributions import SumFunction
from ...statistics.intervals.sums import RowStatistics
from ..tokens.references import ReferenceBlock, best_pairs, blocks
from ..tokens.word_codes import Sequences, numbered_characters, word_sequences
from .clipped_ngrams import clipped_counts

Order = Annotated[int, Range(0, 100)]
Beta = Annotated[float, Range(0, 1_000_000)]

_KINDS = ("predicted", "relevant", "shared")
_PUNCTUATION = frozenset(string.punctuation)
_TINY = 1e-16  # with `eps_smoothing`, the precision if there are no n-grams


@checked_options
def chrf_statistics(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    char_order: Length = 6,
    word_order: Order = 0,
    beta: Beta = 2,
    lowercase: bool = False,
    whitespace: bool = False,
    eps_smoothing: bool = False,
) -> RowStatistics:
    """Return for each row the n-grams of the prediction, of its best reference, and shared.

    Args:
        predictions: one translation per row.
        references: one or more references per row; an empty text counts as a reference.
        char_order: the length of the longest n-grams of characters.
        word_order: the length of the longest n-grams of words; 2 is chrF++, 0 means none.
        beta: recall is weighted this many times as much as precision.
        lowercase: whether to ignore case.
        whitespace: whether white space counts as characters.
        eps_smoothing: average the F scores of all orders, as chrF++.py and NLTK do, instead of the
            precision and recall of the orders that both sides have.

    Raises:
        ValueError: a row has no references, or an option is not valid.

    >>> rows = chrf_statistics(["the cat"], ["the cats"])
    >>> round(rows.result()["chrf"], 2)
    77.57
    """
    orders = [("character", order) for order in range(1, int(char_order) + 1)]
    orders += [("word", order) for order in range(1, int(word_order) + 1)]
    names = [[f"{kind}_{unit}_{order}" for kind in _KINDS] for unit, order in orders]
    score = partial(chrf_score, names=names, beta=beta, eps_smoothing=eps_smoothing)
    flat = tuple(chain.from_iterable(names))
    values = [np.zeros((0, len(flat)), np.int64)]
    for block in blocks(predictions, references):
        texts = [text.lower() for text in block.texts] if lowercase else block.texts
        characters = texts if whitespace else ["".join(text.split()) for text in texts]
        counts = [_pair_counts(numbered_characters(characters), block, int(char_order))]
        if word_order:
            counts.append(
                _pair_counts(word_sequences(list(map(chrf_words, texts))), block, int(word_order))
            )
        pairs = np.concatenate(counts, axis=1)
        if len(pairs) > block.sizes.size:
            scores = [score(dict(zip(flat, row, strict=True)))["chrf"] for row in pairs.tolist()]
            pairs = pairs[best_pairs(np.array(scores), block.sizes - 1)]
        values.append(pairs)
    # An unseen row shares nothing with its reference, or all.
    distribution = SumFunction(
        partial(chrf_of_arrays, names=names, beta=beta, eps_smoothing=eps_smoothing),
        {names[0][0]: 1.0},
        lambda sums: {shared: 0.0 for _, _, shared in names},
        lambda sums: {name: sums[first] for first, *others in names for name in others},
        (0.0, 100.0),
    )
    return RowStatistics(
        flat,
        np.concatenate(values),
        score,
        score,
        lambda statistics: {"chrf": distribution},
    )


def chrf_score(
    sums: Mapping[str, float],
    *,
    names: Sequence[Sequence[str]],
    beta: float = 2,
    eps_smoothing: bool = False,
) -> dict[str, float]:
    """Return chrF from sums over rows, with sacrebleu's operations in the same order.

    Args:
        sums: the numbers of n-grams of each order, by name.
        names: for each order, the names of its predicted, relevant and shared n-grams.
        beta: as in `chrf_statistics`.
        eps_smoothing: as in `chrf_statistics`.
    """
    factor = beta**2
    precision_sum = recall_sum = smoothed_sum = 0.0
    effective = 0
    for predicted_name, relevant_name, shared_name in names:
        predicted, relevant, shared = sums[predicted_name], sums[relevant_name], sums[shared_name]
        precision = shared / predicted if predicted else _TINY
        recall = shared / relevant if relevant else _TINY
        if eps_smoothing:
            weighted = factor * precision + recall
            smoothed_sum += (1 + factor) * precision * recall / weighted if weighted else _TINY
        elif predicted and relevant:
            precision_sum += precision
            recall_sum += recall
            effective += 1
    if eps_smoothing:
        return {"chrf": 100 * smoothed_sum / len(names)}
    if not precision_sum + recall_sum:
        return {"chrf": 0.0}
    precision, recall = precision_sum / effective, recall_sum / effective
    score = (1 + factor) * precision * recall / (factor * precision + recall)
    return {"chrf": 100 * score}


def chrf_of_arrays(
    sums: Mapping[str, Floats],
    *,
    names: Sequence[Sequence[str]],
    beta: float = 2,
    eps_smoothing: bool = False,
) -> Floats:
    """Return the chrF of `chrf_score`, for arrays of sums."""
    factor = beta**2
    columns = [tuple(sums[name] for name in order_names) for order_names in names]
    zeros = np.zeros_like(columns[0][0])
    precision_sum, recall_sum, smoothed_sum, effective = (zeros.copy() for _ in range(4))
    for predicted, relevant, shared in columns:
        precision = np.where(predicted > 0, shared / predicted, _TINY)
        recall = np.where(relevant > 0, shared / relevant, _TINY)
        weighted = factor * precision + recall
        harmonic = (1 + factor) * precision * recall / weighted
        smoothed_sum += np.where(weighted > 0, harmonic, _TINY)
        counts = (predicted > 0) & (relevant > 0)
        precision_sum += np.where(counts, precision, 0.0)
        recall_sum += np.where(counts, recall, 0.0)
        effective += counts
    if eps_smoothing:
        return 100 * smoothed_sum / len(names)
    precision, recall = precision_sum / effective, recall_sum / effective
    score = (1 + factor) * precision * recall / (factor * precision + recall)
    return np.where(precision_sum + recall_sum > 0, 100 * score, 0.0)


def _pair_counts(symbols: Sequences, block: ReferenceBlock, orders: int) -> Integers:
    """Return predicted, relevant and shared n-grams of each pair; shape (pairs, 3 orders).

    Predicted n-grams do not count for an order for which the reference has none.
    """
    texts = np.stack([block.pair_predictions, block.pair_references], axis=1).ravel()
    if block.pair_predictions.size > block.sizes.size:  # predictions are repeated
        symbols = symbols.of(texts)
    shared = clipped_counts(symbols, np.full(texts.size // 2, 2), orders)
    lengths = symbols.counts.reshape(-1, 2, 1) - np.arange(orders)
    predicted, relevant = np.maximum(lengths, 0).transpose(1, 0, 2)
    predicted = np.where(relevant > 0, predicted, 0)
    counts = np.stack([predicted, relevant, shared], axis=2)
    return counts.reshape(len(counts), -1)


def chrf_words(text: str) -> list[str]:
    """Return words, with one punctuation mark split off at the end, or else at the start.

    >>> chrf_words("(hi) 'tis !")
    ['(hi', ')', "'", 'tis', '!']
    """
    words: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _PUNCTUATION:
            words += word[:-1], word[-1]
        elif len(word) > 1 and word[0] in _PUNCTUATION:
            words += word[0], word[1:]
        else:
            words.append(word)
    return words
