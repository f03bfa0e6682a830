"""Scores of short answers against accepted ones: exact match, token F1, containment.

All compare *normalized* texts; communities disagree about the normalizer. A few rows are compared
in the obvious way, many as the tokens of a block, with equal results.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from ..numbers.arrays import Booleans, Floats, Integers
from ..numbers.domains import Share, checked_options
from ..numbers.ratios import PrecisionRecallF1, precision_recall_f1
from ..texts.normalizers import (
    Normalizer,
    normalized_tokens,
    normalizer_function,
    squeeze,
    strip_lower,
)
from ..texts.readings import READINGS
from ..texts.reference_sets import over_sets
from ..texts.references import Aggregation, Block, blocks, row_scores
from ..texts.segments import segment_starts
from ..texts.tokens import Tokens, byte_rule, normalized_texts, tokenize
from .token_overlaps import equal_texts, overlaps

Match = Literal["substring", "tokens", "token_set"]
Overlap = Literal["multiset", "set"]
EmptyReference = Literal["never", "always"]

_SHARED_ROWS = 100_000  # of a reading that is kept: some 40 MB of short answers
_FEW_ROWS = 10  # below this the fixed cost of numpy's calls outweighs what they save
_WORDS = byte_rule(squeeze)


@checked_options
@over_sets
def exact_match(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    normalizer: Normalizer = "squad",
    reference_aggregation: Aggregation = "max",
) -> Floats:
    """For each row 1.0 if the prediction equals a reference, else 0.0; shape (rows,).

    Args:
        predictions: one text per row.
        references: the accepted text, or texts, of each row; of lists of texts, which are sets of
            names of several answers, the mean is the score.
        normalizer: what both sides go through first: a name in `NORMALIZERS` or a function.
        reference_aggregation: "max" asks for any reference; "mean" gives the share of the
            references that are equal, which UltraRAG calls StringEM.

    >>> exact_match(["The Cat!", "dog"], ["cat", ["cat", "Dog."]]).tolist()
    [1.0, 1.0]
    >>> exact_match(["dog"], [["cat", "Dog."]], reference_aggregation="mean").tolist()
    [0.5]
    """
    pair_blocks = answer_pairs(predictions, references, normalizer=normalizer)
    return np.concatenate(
        [pairs.hits(pairs.equal(), reference_aggregation) for pairs in pair_blocks]
    )


@checked_options
@over_sets
def token_f1(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    normalizer: Normalizer = "squad",
    overlap: Overlap = "multiset",
    both_empty: Share = 1.0,
    reference_aggregation: Aggregation = "max",
) -> PrecisionRecallF1:
    """Precision, recall and F1 of the words that prediction and reference share; shape (rows,).

    With "max" all three are those of the reference with the highest F1, the first of equals.

    Args:
        predictions: one text per row.
        references: the accepted text, or texts, of each row; of lists of texts, which are sets of
            names of several answers, the mean is the score.
        normalizer: what both sides go through first: a name in `NORMALIZERS` or a function.
        overlap: "multiset" counts repeated words, as SQuAD does; "set" does not, as DROP.
        both_empty: the score of two texts without words: 1 in SQuAD v2, 0 in SQuAD v1.
        reference_aggregation: "max" or "mean" over the references of a row.

    >>> token_f1(["to be or not"], [["be", "to be"]]).f1.tolist()
    [0.6666666666666666]
    >>> token_f1(["the"], ["a"], both_empty=0.0).f1.tolist()
    [0.0]
    """
    scores = []
    for pairs in answer_pairs(predictions, references, normalizer=normalizer):
        pair_scores = pairs.token_f1(distinct=overlap == "set", both_empty=both_empty)
        scores.append(row_scores(pair_scores, pairs.references, reference_aggregation))
    if not scores:
        raise ValueError("predictions is empty; a score of no rows is undefined")
    return PrecisionRecallF1(*map(np.concatenate, zip(*scores, strict=True)))


@checked_options
@over_sets
def contained(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    normalizer: Normalizer = "lower",
    match: Match = "substring",
    empty_reference: EmptyReference = "never",
    reference_aggregation: Aggregation = "max",
) -> Floats:
    """For each row 1.0 if the prediction contains a reference, else 0.0; shape (rows,).

    A prediction that normalizes to nothing contains nothing, as UltraRAG's Acc says. With
    `empty_reference="always"` there are two exceptions, where a reference that normalizes to
    nothing too is contained: `match="token_set"`, for UltraRAG's CoverEM, and substrings under the
    normalizer "strip_lower", since OLMES asks whether '' is in ''.

    Args:
        predictions: one text per row.
        references: the accepted text, or texts, of each row; of lists of texts, which are sets of
            names of several answers, the mean is the score.
        normalizer: what both sides go through first: a name in `NORMALIZERS` or a function.
        match: "substring" looks at characters; "tokens" asks for the words of the reference one
            after another, as DPR does; "token_set" for all of them anywhere, UltraRAG's CoverEM.
        empty_reference: whether a reference that normalizes to nothing is contained "never" or
            "always". UltraRAG's Acc and CoverEM say always, so that a reference "A" matches.
        reference_aggregation: "max" asks for any reference, "mean" gives their share.

    >>> contained(["It is New York City."], [["york city", "NYC"]]).tolist()
    [1.0]
    >>> contained(["a boat"], ["oat"], match="tokens").tolist()
    [0.0]
    """
    always = empty_reference == "always"
    scores = []
    for pairs in answer_pairs(predictions, references, normalizer=normalizer):
        hit = pairs.contained(match, empty_is_contained=always)
        scores.append(pairs.hits(hit, reference_aggregation))
    return np.concatenate(scores)


class SharedWords(NamedTuple):
    """Counts of words, one a pair."""

    shared: Integers
    prediction: Integers
    reference: Integers


def answer_pairs(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    normalizer: Normalizer = "squad",
) -> Iterator["AnswerPairs"]:
    """The rows in blocks, each ready to be compared in several ways for the price of one reading.

    >>> for pairs in answer_pairs(["The cat", "dog"], [["cat", "cats"], "dogs"]):
    ...     print(pairs.equal().tolist(), pairs.contained("substring").tolist())
    [True, False, False] [True, False, False]
    """
    function = normalizer_function(normalizer)
    readings = READINGS.get()
    if readings is None or not _FEW_ROWS < len(predictions) <= _SHARED_ROWS:
        for block in blocks(predictions, references):
            yield AnswerPairs(block, function)
        return
    reading = next((r for r in readings if r.is_of(predictions, references, function)), None)
    if reading is None:
        pairs = [AnswerPairs(block, function) for block in blocks(predictions, references)]
        reading = _Reading(predictions, references, function, pairs)
        readings.append(reading)
    yield from reading.pairs


class _Reading(NamedTuple):
    """Rows that were read, and what they were read with."""

    predictions: Sequence[str]
    references: Sequence[str | list[str]]
    normalizer: Callable[[str], str]
    pairs: "list[AnswerPairs]"

    def is_of(self, predictions: Any, references: Any, normalizer: Callable[[str], str]) -> bool:
        """Whether these rows would be read alike; lists of the same texts compare quickly."""
        return (
            self.normalizer is normalizer
            and type(self.predictions) is type(predictions) is list
            and type(self.references) is type(references) is list
            and self.predictions == predictions
            and self.references == references
        )


class AnswerPairs:
    """Each reference of some rows beside the prediction of its row, both normalized.

    Comparisons return one value per pair: for each reference, row after row.
    """

    def __init__(self, block: Block, normalizer: Callable[[str], str]) -> None:
        self._block = block
        self._normalizer = normalizer
        self._is_small = len(block.sizes) <= _FEW_ROWS
        self.references = block.sizes - 1  # of each row

    def hits(self, hit: Booleans, aggregation: Aggregation) -> Floats:
        """For each row whether any pair is a hit, or the share of its pairs that are."""
        hits = np.add.reduceat(hit, segment_starts(self.references), dtype=np.int64)
        return (hits > 0).astype(np.float64) if aggregation == "max" else hits / self.references

    def equal(self) -> Booleans:
        """Whether both texts are the same."""
        block = self._block
        if self._tokens is not None:
            return equal_texts(self._tokens, block.pair_references, block.pair_predictions)
        texts = self._texts
        return np.array([texts[r] == texts[p] for r, p in self._indices()], dtype=bool)

    def contained(self, match: Match, *, empty_is_contained: bool = False) -> Booleans:
        """Whether the prediction contains the reference; see the function `contained`."""
        if match == "token_set":
            words = self.shared_words(distinct=True)
            covered: Booleans = (words.shared == words.reference) & (words.reference > 0)
            if empty_is_contained:
                covered |= words.reference == 0
            return covered
        if self._tokens is None:
            texts = self._texts if match == "substring" else list(map(squeeze, self._texts))
            is_empty: Booleans = np.array([not text for text in texts], dtype=np.bool_)
        else:
            texts, is_empty = normalized_texts(self._tokens), self._tokens.counts == 0
        if match == "tokens":
            # Between spaces, so that containment is that of whole words, one after another.
            texts = [text and f" {text} " for text in texts]
        hit: Booleans = np.array([texts[r] in texts[p] for r, p in self._indices()], dtype=np.bool_)
        # Python says that every text contains an empty one.
        empty_references = is_empty.take(self._block.pair_references)
        if not empty_is_contained:
            return hit & ~empty_references
        if self._normalizer is not strip_lower or match != "substring":
            hit &= ~(empty_references & is_empty.take(self._block.pair_predictions))
        return hit

    def token_f1(self, *, distinct: bool, both_empty: float) -> PrecisionRecallF1:
        """Precision, recall and F1 of the words of both texts; see the function `token_f1`."""
        words = self.shared_words(distinct=distinct)
        scores = precision_recall_f1(words.shared, words.prediction, words.reference)
        no_words = (words.prediction == 0) & (words.reference == 0)
        for values in scores:
            values[no_words] = both_empty
        return scores

    def shared_words(self, *, distinct: bool) -> SharedWords:
        """How many words both texts share, and how many each has, repetitions counted or not."""
        block = self._block
        if self._is_small:
            return self._words_by_row(range(len(block.sizes)), distinct=distinct)
        tokens = tokenize(self._texts, _WORDS) if self._tokens is None else self._tokens
        counts = overlaps(tokens, block.prediction_indices, block.sizes, count_types=distinct)
        shared, words = counts.shared, tokens.counts
        if counts.types is not None:
            shared, words = counts.shared_types, counts.types
        result = SharedWords(
            shared[block.pair_references],
            words[block.pair_predictions],
            words[block.pair_references],
        )
        if counts.collisions.any():
            collisions = np.logical_or.reduceat(counts.collisions, block.prediction_indices)
            exact = self._words_by_row(np.flatnonzero(collisions).tolist(), distinct=distinct)
            in_rows = np.repeat(collisions, self.references)
            for values, exact_values in zip(result, exact, strict=True):
                values[in_rows] = exact_values
        return result

    def _words_by_row(self, rows: Sequence[int], *, distinct: bool) -> SharedWords:
        """The same counts for some rows, in the obvious way."""
        counts = []
        for row in rows:
            start = int(self._block.prediction_indices[row])
            texts = self._block.texts[start : start + int(self._block.sizes[row])]
            words = [self._normalizer(text).split() for text in texts]
            prediction, *references = (Counter(set(w) if distinct else w) for w in words)
            for reference in references:
                shared = (reference & prediction).total()
                counts.append((shared, prediction.total(), reference.total()))
        return SharedWords(*np.array(counts, dtype=np.int64).T.copy())

    @cached_property
    def _tokens(self) -> Tokens | None:
        """The tokens of all texts, if the normalizer has a byte rule."""
        return None if self._is_small else normalized_tokens(self._block.texts, self._normalizer)

    @cached_property
    def _texts(self) -> list[str]:
        """All texts, normalized one by one, each distinct one once."""
        normalized = {text: self._normalizer(text) for text in dict.fromkeys(self._block.texts)}
        return [normalized[text] for text in self._block.texts]

    def _indices(self) -> Iterator[tuple[int, int]]:
        """For each pair the index of its reference and of its prediction."""
        block = self._block
        return zip(block.pair_references.tolist(), block.pair_predictions.tolist(), strict=True)
