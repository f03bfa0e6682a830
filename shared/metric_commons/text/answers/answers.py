"""Scores of short answers against accepted ones: exact match, token F1, containment.

All of them compare *normalized* texts, and communities differ in the normalizer.

SQuAD's dictionaries become texts before: a question is `{"id", "prediction_text"}` on one side and
`{"id", "answers": {"text", "answer_start"}}` on the other, as in the data set and in the scripts of
transformers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ...statistics.arguments.arrays import Booleans, Floats, Integers
from ...statistics.arguments.checks import RowError
from ...statistics.arguments.domains import Proportion, checked_options
from ...statistics.arithmetic.ratios import PrecisionRecallF1, precision_recall_f1
from ..tokens.normalizers import (
    Normalizer,
    inspect_ai,
    normalized_tokens,
    normalizer_function,
    squeeze,
    strip_lower,
)
from ..tokens.references import Aggregation, ReferenceBlock, blocks, over_sets, row_scores
from ..tokens.segments import segment_starts
from ..tokens.tokens import Tokens, byte_rule, normalized_texts, tokenize
from .token_overlaps import distinct_tokens, equal_texts, longest_common_run, shared_tokens


def answer_texts(predictions: Any, references: Any) -> tuple[Any, Any]:
    """Return predictions and accepted answers as texts, in the order of the predictions.

    Inputs that are not dictionaries are returned unchanged.

    Raises:
        RowError: an id occurs on one side only, or twice, or a question has no answer.

    >>> answer_texts(
    ...     [{"id": "b", "prediction_text": "Oslo"}, {"id": "a", "prediction_text": "Rome"}],
    ...     [
    ...         {"id": "a", "answers": {"text": ["Rome", "Roma"], "answer_start": [0, 9]}},
    ...         {"id": "b", "answers": {"text": ["Oslo"], "answer_start": [4]}},
    ...     ],
    ... )
    (['Oslo', 'Rome'], [['Oslo'], ['Rome', 'Roma']])
    """
    if not isinstance(predictions[0], Mapping):
        return predictions, references
    for row, reference in enumerate(references):
        if not reference["answers"]["text"]:
            raise RowError(
                "references", row, "has no answer; use squad_v2 for questions without one"
            )
    return matched_answers(predictions, references)


def matched_answers(
    predictions: Sequence[Mapping[str, Any]], references: Sequence[Mapping[str, Any]]
) -> tuple[list[str], list[list[str]]]:
    """Return the texts of dictionaries, matched by id; a question may have no answer.

    If both sides have the same ids in the same order, an id may be repeated, as in a resample.

    Raises:
        RowError: an id occurs on one side only, or twice.
    """
    ids = [reference["id"] for reference in references]
    if [prediction["id"] for prediction in predictions] == ids:
        return (
            [prediction["prediction_text"] for prediction in predictions],
            [reference["answers"]["text"] for reference in references],
        )
    answers = _rows_by_id("references", references)
    for name, row in _rows_by_id("predictions", predictions).items():
        if name not in answers:
            raise RowError("predictions", row, f"has the id {name!r}, which no reference has")
    return (
        [prediction["prediction_text"] for prediction in predictions],
        [references[answers[prediction["id"]]]["answers"]["text"] for prediction in predictions],
    )


def _rows_by_id(column: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for number, row in enumerate(rows):
        if numbers.setdefault(row["id"], number) != number:
            raise RowError(column, number, f"repeats the id {row['id']!r}")
    return numbers


Match = Literal["substring", "tokens", "token_set"]
Overlap = Literal["multiset", "set", "longest_run"]
EmptyReference = Literal["never", "always"]

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
    """Return 1.0 for each row whose prediction equals a reference, else 0.0; shape (rows,).

    Args:
        predictions: one text per row.
        references: the accepted text, or texts, of each row; or lists of texts, which are sets of
            aliases for several answers, and whose mean is the score.
        normalizer: applied to both sides first: a name in `NORMALIZERS` or a function.
        reference_aggregation: "max" requires any reference to be equal; "mean" returns the
            proportion of equal references, which UltraRAG calls StringEM.

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
    both_empty: Proportion = 1.0,
    reference_aggregation: Aggregation = "max",
) -> PrecisionRecallF1:
    """Return precision, recall and F1 of the words of prediction and reference; shape (rows,).

    With "max", all three are for the reference with the highest F1, the first in a tie.

    Args:
        predictions: one text per row.
        references: the accepted text, or texts, of each row; or lists of texts, which are sets of
            aliases for several answers, and whose mean is the score.
        normalizer: applied to both sides first: a name in `NORMALIZERS` or a function.
        overlap: "multiset" counts repeated words, as SQuAD does; "set" does not, as DROP;
            "longest_run" counts the words of the longest run that both share, as CMRC 2018.
        both_empty: the score of two texts without words: 1 in SQuAD v2, 0 in SQuAD v1.
        reference_aggregation: "max" or "mean" over the references of a row.

    >>> token_f1(["to be or not"], [["be", "to be"]]).f1.tolist()
    [0.6666666666666666]
    >>> token_f1(["the"], ["a"], both_empty=0.0).f1.tolist()
    [0.0]
    """
    scores = []
    for pairs in answer_pairs(predictions, references, normalizer=normalizer):
        pair_scores = pairs.token_f1(overlap, both_empty=both_empty)
        scores.append(row_scores(pair_scores, pairs.references, reference_aggregation))
    if len(scores) == 1:
        return scores[0]
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
    """Return 1.0 for each row whose prediction contains a reference, else 0.0; shape (rows,).

    A prediction that normalizes to nothing contains nothing, as in UltraRAG's Acc. With
    `empty_reference="always"` there are two exceptions, which contain a reference that normalizes
    to nothing too: `match="token_set"`, for UltraRAG's CoverEM, and substrings under the normalizer
    "strip_lower", since OLMES asks whether '' is in ''.

    Args:
        predictions: one text per row.
        references: the accepted text, or texts, of each row; or lists of texts, which are sets of
            aliases for several answers, and whose mean is the score.
        normalizer: applied to both sides first: a name in `NORMALIZERS` or a function.
        match: "substring" compares characters; "tokens" requires the words of the reference as a
            contiguous run, as DPR does; "token_set" requires them anywhere, as UltraRAG's CoverEM.
        empty_reference: whether a reference that normalizes to nothing is contained "never" or
            "always". UltraRAG's Acc and CoverEM use "always", so that a reference "A" matches.
        reference_aggregation: "max" requires any reference, "mean" returns their proportion.

    >>> contained(["It is New York City."], [["york city", "NYC"]]).tolist()
    [1.0]
    >>> contained(["a boat"], ["oat"], match="tokens").tolist()
    [0.0]
    """
    contains_empty = empty_reference == "always"
    scores = []
    for pairs in answer_pairs(predictions, references, normalizer=normalizer):
        hit = pairs.contained(match, empty_is_contained=contains_empty)
        scores.append(pairs.hits(hit, reference_aggregation))
    return np.concatenate(scores)


def answer_pairs(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    normalizer: Normalizer = "squad",
) -> Iterator["AnswerPairs"]:
    """Yield the rows in blocks that are normalized once and can be compared in several ways.

    >>> for pairs in answer_pairs(["The cat", "dog"], [["cat", "cats"], "dogs"]):
    ...     print(pairs.equal().tolist(), pairs.contained("substring").tolist())
    [True, False, False] [True, False, False]
    """
    if not len(predictions):
        raise ValueError("predictions is empty; a score of no rows is undefined")
    function = normalizer_function(normalizer)
    for block in blocks(predictions, references):
        yield AnswerPairs(block, function)


class AnswerPairs:
    """Each reference of a block of rows paired with the prediction of its row, both normalized.

    Comparisons return one value per pair: for each reference, row after row.
    """

    def __init__(self, block: ReferenceBlock, normalizer: Callable[[str], str]) -> None:
        self._block = block
        self._normalizer = normalizer
        self.references = block.references  # number of references of each row

    def hits(self, hit: Booleans, aggregation: Aggregation) -> Floats:
        """Return whether any pair of each row is a hit, or the proportion of its pairs that are."""
        if hit.size == self.references.size:  # one reference per row
            return hit.astype(np.float64)
        hits = np.add.reduceat(hit, segment_starts(self.references), dtype=np.int64)
        return (hits > 0).astype(np.float64) if aggregation == "max" else hits / self.references

    def equal(self) -> Booleans:
        """Return whether both texts are equal; for inspect_ai, texts of nothing never are."""
        block = self._block
        if self._tokens is not None:
            return equal_texts(self._tokens, block.pair_references, block.pair_predictions)
        texts, needs_text = self._texts, self._normalizer is inspect_ai
        return np.array(
            [texts[r] == texts[p] and bool(texts[r] or not needs_text) for r, p in self._indices()],
            dtype=bool,
        )

    def contained(self, match: Match, *, empty_is_contained: bool = False) -> Booleans:
        """Return whether the prediction contains the reference; see the function `contained`."""
        if match == "token_set":
            shared, _, words = self._shared_words("set")
            covered: Booleans = (shared == words) & (empty_is_contained | (words > 0))
            return covered
        if self._tokens is None:
            texts = self._texts if match == "substring" else list(map(squeeze, self._texts))
            is_empty: Booleans = np.array([not text for text in texts], dtype=np.bool_)
        else:
            texts, is_empty = normalized_texts(self._tokens), self._tokens.counts == 0
        if match == "tokens":
            # Surrounding spaces restrict containment to contiguous whole words.
            texts = [text and f" {text} " for text in texts]
        hit: Booleans = np.array([texts[r] in texts[p] for r, p in self._indices()], dtype=np.bool_)
        # In Python every text contains the empty text.
        empty_references = is_empty.take(self._block.pair_references)
        if not empty_is_contained:
            return hit & ~empty_references
        if self._normalizer is not strip_lower or match != "substring":
            hit &= ~(empty_references & is_empty.take(self._block.pair_predictions))
        return hit

    def token_f1(self, overlap: Overlap, *, both_empty: float) -> PrecisionRecallF1:
        """Return precision, recall and F1 of the words of both texts; see function `token_f1`."""
        shared, predicted, relevant = self._shared_words(overlap)
        scores = precision_recall_f1(shared, predicted, relevant)
        no_words = (predicted == 0) & (relevant == 0)
        for values in scores:
            values[no_words] = both_empty
        return scores

    def _shared_words(self, overlap: Overlap) -> Iterable[Integers]:
        """Return how many words both texts share, and how many each has, by a kind of overlap."""
        if overlap == "longest_run":
            words = [text.split() for text in self._texts]
            texts = [(words[p], words[r]) for r, p in self._indices()]
            counts = [(longest_common_run(p, r), len(p), len(r)) for p, r in texts]
            return np.array(counts, np.int64).T.copy()
        tokens = tokenize(self._texts, _WORDS) if self._tokens is None else self._tokens
        if overlap == "set":
            tokens = distinct_tokens(tokens)
        block = self._block
        shared = shared_tokens(tokens, block.prediction_indices)
        predicted, relevant = block.pair_predictions, block.pair_references
        return shared[relevant], tokens.counts[predicted], tokens.counts[relevant]

    @cached_property
    def _tokens(self) -> Tokens | None:
        """Return the tokens of all texts, if the normalizer has a byte rule."""
        return normalized_tokens(self._block.texts, self._normalizer)

    @cached_property
    def _texts(self) -> list[str]:
        """Return all texts, normalized one by one, each distinct text once."""
        normalized = {text: self._normalizer(text) for text in dict.fromkeys(self._block.texts)}
        return [normalized[text] for text in self._block.texts]

    def _indices(self) -> Iterator[tuple[int, int]]:
        """Return for each pair the index of its reference and of its prediction."""
        block = self._block
        return zip(block.pair_references.tolist(), block.pair_predictions.tolist(), strict=True)
