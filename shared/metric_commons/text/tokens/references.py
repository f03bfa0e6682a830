"""Predictions paired with references: one prediction per row, with one or more references.

ASQA and ALCE ask questions with several answers, such as each winner of a cup, and accept every
answer under any of its aliases: rows have sets of references. The score of a row is the mean over
its sets: StringEM, which checks for each set whether the text contains one of its aliases, and
likewise QA-EM and F1.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, wraps
from itertools import chain
from math import fsum
from typing import Any, Literal, ParamSpec, TypeVar

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arguments.checks import RowError
from ...statistics.arithmetic.ratios import PrecisionRecallF1
from .segments import segment_starts

Aggregation = Literal["max", "mean"]

_CHARACTERS = 100_000  # per block, so that its arrays fit into the processor's cache
_FIRST_ROWS, _ROWS = 256, 4096  # per block: the first, in case texts are long, and any other


class ReferenceBlock:
    """Consecutive rows as a flat list of texts: for each row its prediction, then its references.

    A pair is a reference together with the prediction of its row.
    """

    def __init__(self, texts: list[str], references: Integers) -> None:
        self.texts = texts
        self.references = references  # the number of references of each row; shape (rows,)

    @cached_property
    def sizes(self) -> Integers:
        """Return the number of texts of each row; shape (rows,)."""
        return self.references + 1

    @cached_property
    def prediction_indices(self) -> Integers:
        """Return the index of each row's prediction in `texts`; shape (rows,)."""
        return segment_starts(self.sizes)

    @cached_property
    def pair_predictions(self) -> Integers:
        """Return the index of each pair's prediction in `texts`; shape (pairs,)."""
        return self.prediction_indices.repeat(self.references)

    @cached_property
    def pair_references(self) -> Integers:
        """Return the index of each pair's reference in `texts`; shape (pairs,)."""
        # Before it there are all earlier references and the predictions so far.
        predictions = np.arange(1, len(self.references) + 1).repeat(self.references)
        return np.arange(predictions.size) + predictions


def blocks(
    predictions: Sequence[str], references: Sequence[str | list[str]]
) -> Iterator[ReferenceBlock]:
    """Yield the rows in order, in blocks bounded by rows and by characters.

    The references of a row may be a string or a list of strings.

    Raises:
        ValueError: a row has an empty list of references, or the numbers of rows differ.

    >>> [block.texts for block in blocks(["a", "b"], ["x", ["y", "z"]])]
    [['a', 'x', 'b', 'y', 'z']]
    >>> list(blocks(["a", "b"], [["x"], []]))
    Traceback (most recent call last):
    ValueError: references[1] is empty; every row needs at least one reference
    """
    check_columns(predictions, references)
    start, rows = 0, _FIRST_ROWS
    while start < len(predictions):
        lists = references[start : start + rows]
        if not set(map(type, lists)) <= {list}:
            lists = [reference_list(row_references) for row_references in lists]
        counts = list(map(len, lists))
        if 0 in counts:
            raise missing_reference(start + counts.index(0))
        texts: list[str] = []
        for prediction, row_references in zip(
            predictions[start : start + rows], lists, strict=True
        ):
            texts.append(prediction)
            texts += row_references
        block, rows = ReferenceBlock(texts, np.array(counts, np.int64)), len(counts)
        characters = sum(map(len, block.texts)) + 1
        rows_that_fit = rows * _CHARACTERS // characters
        if rows_that_fit >= rows // 4 or rows == 1:  # otherwise try again with a smaller block
            yield block
            start += rows
        rows = min(max(rows_that_fit, 1), _ROWS)


def check_columns(predictions: Sequence[Any], references: Sequence[Any]) -> None:
    """Check that both columns are lists of as many rows.

    Raises:
        ValueError: one is a text, or the numbers of rows differ.
    """
    for name, column in (("predictions", predictions), ("references", references)):
        if isinstance(column, str):
            raise ValueError(f"{name} must hold one text per row, got a str; pass a list")
    if len(predictions) != len(references):
        raise ValueError(
            f"the inputs differ in length: predictions has {len(predictions)} rows, "
            f"references has {len(references)} rows"
        )


def reference_list(row_references: str | list[str]) -> list[str]:
    """Return the references of a row as a list, even if there is only one."""
    return [row_references] if isinstance(row_references, str) else row_references


def reference_counts(references: Sequence[str | list[str]]) -> Integers:
    """Return the number of references of each row.

    >>> reference_counts(["x", ["y", "z"]]).tolist()
    [1, 2]
    """
    counts = (1 if isinstance(row, str) else len(row) for row in references)
    return np.fromiter(counts, np.int64, len(references))


def missing_reference(row: int) -> ValueError:
    """Return the error for a row with an empty list of references."""
    return RowError("references", row, "is empty; every row needs at least one reference")


def row_scores(
    pair_scores: PrecisionRecallF1, counts: Integers, aggregation: Aggregation
) -> PrecisionRecallF1:
    """Aggregate the scores of pairs to those of rows; a row has one pair per reference.

    With "max", all three are for the reference with the highest F1, the first in a tie.

    >>> scores = PrecisionRecallF1(*np.array([[0.5, 1.0], [1.0, 0.25], [0.6, 0.4]]))
    >>> row_scores(scores, np.array([2]), "max").precision.tolist()
    [0.5]
    >>> row_scores(scores, np.array([2]), "mean").precision.tolist()
    [0.75]
    """
    if pair_scores.f1.size == counts.size:  # one reference per row
        return pair_scores
    if aggregation == "max":
        best = best_pairs(pair_scores.f1, counts)
        return PrecisionRecallF1(*(scores.take(best) for scores in pair_scores))
    return PrecisionRecallF1(*(row_means(scores, counts) for scores in pair_scores))


def best_pairs(scores: Floats, counts: Integers) -> Integers:
    """Return for each row the index of its highest score, the first in a tie.

    Args:
        scores: one per pair, row after row.
        counts: the number of pairs of each row, at least one.

    >>> best_pairs(np.array([0.5, 1.0, 1.0, 0.0]), np.array([3, 1])).tolist()
    [1, 3]
    """
    starts = segment_starts(counts)
    highest = np.flatnonzero(scores == np.repeat(np.maximum.reduceat(scores, starts), counts))
    return highest[np.searchsorted(highest, starts)]


def row_means(scores: Floats, counts: Integers) -> Floats:
    """Return the mean score of each row, from exactly rounded sums: the order does not matter.

    >>> row_means(np.array([0.5, 1.0, 1.0]), np.array([2, 1])).tolist()
    [0.75, 1.0]
    """
    values = scores.tolist()
    ends = np.cumsum(counts).tolist()
    starts = [0, *ends[:-1]]
    return np.array(
        [fsum(values[i:j]) / (j - i) for i, j in zip(starts, ends, strict=True)], dtype=np.float64
    )


P = ParamSpec("P")
Scores = TypeVar("Scores", Floats, PrecisionRecallF1)

Texts = Sequence[str]
# Each row has one reference, several, or several sets of them; all rows alike.
References = Sequence[str | list[str]] | Sequence[list[list[str]]]


def has_sets(references: References) -> bool:
    """Return whether rows have sets of references: lists of lists of texts.

    >>> has_sets([["a", "b"]]), has_sets([[["a", "b"], ["c"]]])
    (False, True)
    """
    row = next(iter(filter(None, references)), "")
    return isinstance(row, list) and isinstance(row[0], list)


def over_sets(function: Callable[..., Scores]) -> Callable[..., Scores]:
    """Extend a function of rows to rows with sets of references: the mean over the sets.

    >>> from ..answers.answers import contained
    >>> aliases = [[["Denver Broncos", "Broncos"], ["2015"], ["Panthers"]]]
    >>> contained(["the Broncos won, the Panthers lost"], aliases).round(3).tolist()
    [0.667]
    """

    @wraps(function)
    def means(predictions: Texts, references: Any, **options: Any) -> Scores:
        if not has_sets(references):
            return function(predictions, references, **options)
        check_columns(predictions, references)
        for row, sets in enumerate(references):
            if not sets:
                raise missing_reference(row)
            for number, aliases in enumerate(sets):
                if not aliases:
                    problem = f"[{number}] is empty; every set needs a text"
                    raise RowError("references", row, problem)
        counts = np.array([len(sets) for sets in references], dtype=np.int64)
        repeated = [
            text
            for text, count in zip(predictions, counts.tolist(), strict=True)
            for _ in range(count)
        ]
        scores = function(repeated, list(chain.from_iterable(references)), **options)
        if isinstance(scores, PrecisionRecallF1):
            return PrecisionRecallF1(*(row_means(values, counts) for values in scores))
        return row_means(scores, counts)

    return means


def all_found(matched: Floats, references: References) -> dict[str, Floats]:
    """Return whether all sets of each row are matched, if rows have sets: ALCE's STR-EM-HIT.

    Args:
        matched: the proportion of matched sets of each row.
        references: the references of each row.

    >>> all_found(np.array([1.0, 0.5]), [[["a"]], [["b"], ["c"]]])["all_found"].tolist()
    [1.0, 0.0]
    >>> all_found(np.array([1.0]), [["a"]])
    {}
    """
    return {"all_found": (matched == 1.0).astype(np.float64)} if has_sets(references) else {}
