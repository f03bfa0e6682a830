"""ROUGE of a few pairs of texts, one pair at a time, in plain Python."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import chain, islice
from math import fsum
from operator import itemgetter

import numpy as np

from ...statistics.arithmetic.ratios import PrecisionRecallF1, pair_precision_recall_f1
from ..tokens.references import Aggregation, reference_list
from .lcs import lcs_length
from .rouge_tokenizers import RougeTokenizer
from .rouge_types import LCS, UNION_LCS, NgramLengths
from .text_pairs import TextPairs
from .union_lcs import union_lcs

Score = tuple[float, float, float]  # precision, recall and F1 of one pair or row


def pairwise_rouge(
    pairs: TextPairs, tokenizer: RougeTokenizer, lengths: NgramLengths, aggregation: Aggregation
) -> dict[str, PrecisionRecallF1]:
    """Precision, recall and F1 of all rows, for each ROUGE type."""
    scores = {}
    lines = tokenizer.lines_of_words(pairs, by_line=UNION_LCS in lengths)
    texts = [text[0] if len(text) == 1 else [*chain.from_iterable(text)] for text in lines]
    for name, n in lengths.items():
        pair_scores = []
        for i in range(0, len(texts), 2):
            prediction, reference = texts[i], texts[i + 1]
            if name == LCS:
                shared = lcs_length(reference, prediction)
            elif name == UNION_LCS:
                shared = union_lcs(lines[i], lines[i + 1])
            else:
                shared = _shared_ngrams(prediction, reference, n)
            shorter = n - 1 if n else 0  # how many fewer n-grams than words a text has
            counts = shared, len(prediction) - shorter, len(reference) - shorter
            pair_scores.append(pair_precision_recall_f1(*counts))
        scores[name] = _row_scores(pair_scores, pairs.references, aggregation)
    columns = np.array([scores[name] for name in lengths]).transpose(0, 2, 1)
    return {name: PrecisionRecallF1(*values) for name, values in zip(lengths, columns, strict=True)}


def _row_scores(
    pair_scores: list[Score], references: Sequence[str | list[str]], aggregation: Aggregation
) -> list[Score]:
    """Aggregate the scores of pairs to rows, with the operations of `row_scores`."""
    if len(pair_scores) == len(references):
        return pair_scores
    iterator = iter(pair_scores)
    rows: list[Score] = []
    for row_references in references:
        scores = list(islice(iterator, len(reference_list(row_references))))
        if aggregation == "max":
            rows.append(max(scores, key=itemgetter(2)))  # the first in a tie
        else:
            precision, recall, f1 = (
                fsum(values) / len(scores) for values in zip(*scores, strict=True)
            )
            rows.append((precision, recall, f1))
    return rows


def _shared_ngrams(prediction: list[str], reference: list[str], n: int) -> int:
    """Return the number of n-grams that both texts share, with multiplicity."""
    if n > min(len(prediction), len(reference)):
        return 0
    counts: dict[Hashable, int] = {}  # creating a Counter costs more than counting five words
    for ngram in _ngrams(prediction, n):
        counts[ngram] = counts.get(ngram, 0) + 1
    shared = 0
    for ngram in _ngrams(reference, n):
        if counts.get(ngram):
            counts[ngram] -= 1
            shared += 1
    return shared


def _ngrams(words: list[str], n: int) -> Iterable[Hashable]:
    return words if n == 1 else zip(*(words[i:] for i in range(n)), strict=False)
