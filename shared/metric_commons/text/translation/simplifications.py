"""SARI of simplified sentences: the n-grams that are rightly kept, deleted and added.

The rule comes from tensor2tensor, as in evaluate's `sari` and in EASSE: 0/0 is 1, so that a perfect
simplification scores 100, and the recall of kept n-grams is weighted by how often they occur. Sums
of quotients are made in the order in which n-grams first occur in the source, as there, so that the
score of a row has the same bits.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from ..tokens.references import missing_reference, reference_list
from .translation_tokenizers import TranslationTokenizer, translation_words

_ORDERS = range(1, 5)
_NO_WORD = 0  # an empty text has one empty word

Grams = Counter[tuple[int, ...]]


def sari_scores(
    sources: Sequence[str],
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    lowercase: bool = True,
    tokenize: TranslationTokenizer = "13a",
) -> list[float]:
    """Return the SARI of each row, from 0 to 1.

    Args:
        sources: the original sentence of each row.
        predictions: its simplification.
        references: one or more simplifications by people.
        lowercase: whether case is ignored.
        tokenize: how texts are split into words, as for BLEU.

    Raises:
        ValueError: a row has no reference.

    Source:
        Xu and others, Optimizing Statistical Machine Translation for Text Simplification (2016).

    >>> sari_scores(["a b c"], ["a b"], [["a b", "b c"]])
    [0.8541666666666666]
    >>> sari_scores([""], [""], [""])
    [1.0]
    """
    lists = list(map(reference_list, references))
    for row, row_references in enumerate(lists):
        if not row_references:
            raise missing_reference(row)
    texts = [*sources, *predictions, *chain.from_iterable(lists)]
    if lowercase:
        texts = [text.lower() for text in texts]
    words = _words(texts, tokenize)
    source_words, prediction_words = ([next(words) for _ in sources] for _ in range(2))
    scores = []
    rows = zip(source_words, prediction_words, lists, strict=True)
    for source, prediction, row_references in rows:
        targets = [next(words) for _ in row_references]
        parts = []
        for order in _ORDERS:
            grams = _grams([source], order), _grams([prediction], order), _grams(targets, order)
            parts.append(_operations(*grams, len(targets)))
        keep, delete, add = (sum(part) / len(_ORDERS) for part in zip(*parts, strict=True))
        scores.append((keep + delete + add) / 3)
    return scores


def _words(texts: Sequence[str], tokenizer: TranslationTokenizer) -> Iterator[list[int]]:
    """Yield the words of each text as integers."""
    sequences = translation_words(texts, tokenizer, strip=False)
    codes, start = sequences.codes.tolist(), 0
    for count in sequences.counts.tolist():
        yield codes[start : start + count] or [_NO_WORD]
        start += count


def _grams(texts: list[list[int]], order: int) -> Grams:
    """Return how often the texts have each n-gram."""
    return Counter(
        chain.from_iterable(
            zip(*(words[start:] for start in range(order)), strict=False) for words in texts
        )
    )


def _operations(
    source: Grams, prediction: Grams, references: Grams, number: int
) -> tuple[float, float, float]:
    """Return the F1 of kept, the precision of deleted and the F1 of added n-grams of one order.

    Counts of the source and the prediction are multiplied by the number of references.
    """
    kept = deleted = to_keep = rightly_kept = 0
    kept_proportions = deleted_proportions = 0.0
    for gram, count in source.items():
        original, predicted = count * number, prediction.get(gram, 0) * number
        wanted = references.get(gram, 0)
        remaining, missing = min(original, predicted), original - predicted
        to_keep += min(original, wanted)
        if remaining:
            kept += 1
            right = min(remaining, wanted)
            rightly_kept += right
            kept_proportions += right / remaining
        if missing > 0:
            deleted += 1
            deleted_proportions += max(missing - wanted, 0) / missing
    added = prediction.keys() - source.keys()
    to_add = references.keys() - source.keys()
    rightly_added = len(added & to_add)
    return (
        _f1(_ratio(kept_proportions, kept), _ratio(rightly_kept, to_keep)),
        _ratio(deleted_proportions, deleted),
        _f1(_ratio(rightly_added, len(added)), _ratio(rightly_added, len(to_add))),
    )


def _ratio(part: float, whole: int) -> float:
    return part / whole if whole else 1.0


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision or recall else 0.0
