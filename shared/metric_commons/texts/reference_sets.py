"""Rows with several sets of references: questions with several answers, each with aliases.

ASQA and ALCE ask questions with several answers, such as each winner of a cup, and accept every
answer under any of its aliases. The score of a row is the mean over its sets: StringEM, which
checks for each set whether the text contains one of its aliases, and likewise QA-EM and F1.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from itertools import chain
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ..numbers.arrays import Floats, Integers
from ..numbers.checks import RowError
from ..numbers.ratios import PrecisionRecallF1
from .references import missing_reference, row_means

P = ParamSpec("P")
Scores = TypeVar("Scores", Floats, PrecisionRecallF1)

Texts = Sequence[str]
# Each row has one reference, several, or several sets of them; all rows alike.
References = Sequence[str | list[str]] | Sequence[list[list[str]]]


def has_sets(references: References) -> bool:
    """Whether rows have sets of references: lists of lists of texts.

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
        counts = _set_counts(references)
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
    """Whether all sets of each row are matched, if rows have sets: ALCE's STR-EM-HIT.

    Args:
        matched: the proportion of matched sets of each row.
        references: the references of each row.

    >>> all_found(np.array([1.0, 0.5]), [[["a"]], [["b"], ["c"]]])["all_found"].tolist()
    [1.0, 0.0]
    >>> all_found(np.array([1.0]), [["a"]])
    {}
    """
    return {"all_found": (matched == 1.0).astype(np.float64)} if has_sets(references) else {}


def _set_counts(references: Sequence[Sequence[Sequence[str]]]) -> Integers:
    """The number of sets of each row.

    Raises:
        RowError: a row has no sets, or a set has no references.
    """
    for row, sets in enumerate(references):
        if not sets:
            raise missing_reference(row)
        for number, aliases in enumerate(sets):
            if not aliases:
                raise RowError("references", row, f"[{number}] is empty; every set needs a text")
    return np.array([len(sets) for sets in references], dtype=np.int64)
