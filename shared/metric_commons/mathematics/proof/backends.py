"""Scores of predicted answers against accepted ones, by the rule of a backend."""

from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Floats
from ...statistics.arguments.checks import OptionError, RowError
from ...statistics.arguments.domains import NonNegative, checked_options
from .comparisons import Lists, Percent, Rounding
from .equivalence import (
    EquivalenceVerdict,
    Explanation,
    explanation,
    readable,
    rules_of,
    verdict,
)
from .hendrycks import hendrycks_equal
from .problem_sets import Dataset

Backend = Literal["exact", "hendrycks"]

_ORDER = {True: 0, None: 1, False: 2}  # of verdicts: which one decides a row


class EquivalenceScores(NamedTuple):
    """Scores 0 and 1, shape (rows,), and the explanation of each row, if requested."""

    equal: Floats  # 1 if the prediction means the same as a reference
    undecided: Floats  # 1 if that is neither proved nor disproved
    unreadable: Floats  # 1 if no reference can be read
    explanations: list[Explanation]  # by the reference that decided

    def columns(self, backend: Backend) -> dict[str, Floats]:
        """Return the scores of rows that a backend returns."""
        columns = {"math_equivalence": self.equal, "undecided": self.undecided}
        return columns | ({"unreadable": self.unreadable} if backend == "exact" else {})


@checked_options
def equivalence_scores(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    backend: Backend = "exact",
    percent: Percent = "either",
    lists: Lists = "either",
    rounding: Rounding = "none",
    decimal_comma: bool = False,
    relative_tolerance: NonNegative = 0.0,
    absolute_tolerance: NonNegative = 0.0,
    dataset: Dataset = None,
    explain: bool = False,
) -> EquivalenceScores:
    """Return whether each prediction means the same as one of its references.

    Args:
        predictions: one answer per row.
        references: the accepted answer, or answers, of each row.
        backend: "exact" is `equivalent`; "hendrycks" compares texts, see `hendrycks_equal`.
        percent: as in `equivalent`, like the following options; only for the backend "exact".
        lists: as in `equivalent`.
        rounding: as in `equivalent`.
        decimal_comma: as in `equivalent`.
        relative_tolerance: as in `equivalent`.
        absolute_tolerance: as in `equivalent`.
        dataset: a data set whose conventions are followed.
        explain: also return an explanation of each row.

    Raises:
        ValueError: a row has no reference, or an option is not for this backend.

    >>> scores = equivalence_scores(["0.5", "f(2)"], [["1", "1/2"], "2f"], explain=True)
    >>> scores.equal.tolist(), scores.undecided.tolist()
    ([1.0, 0.0], [0.0, 1.0])
    >>> scores.explanations[1].reason
    'two readings'
    """
    rules = rules_of(
        percent, lists, rounding, decimal_comma, relative_tolerance, absolute_tolerance, dataset
    )
    is_exact = backend == "exact"
    if not is_exact:
        for name in (name for name in rules.changes() if name != "settled"):
            raise OptionError(name, f"applies to backend='exact', not to {backend!r}")

    @cache  # each distinct pair is compared once
    def compare(reference: str, prediction: str) -> EquivalenceVerdict:
        if is_exact:
            return verdict(reference, prediction, rules)
        return EquivalenceVerdict(hendrycks_equal(reference, prediction))

    equal, undecided, unreadable = (np.zeros(len(predictions)) for _ in range(3))
    explanations: list[Explanation] = []
    for row, (prediction, accepted) in enumerate(zip(predictions, references, strict=True)):
        answers = [accepted] if isinstance(accepted, str) else accepted
        if not answers:
            raise RowError("references", row, "is empty; every row needs at least one reference")
        verdicts = {answer: compare(answer, prediction) for answer in answers}
        best = min(verdicts, key=lambda answer: _ORDER[verdicts[answer].is_equal])
        is_equal, reason = verdicts[best]
        equal[row] = is_equal is True
        undecided[row] = is_equal is None
        if is_exact and not is_equal:
            unreadable[row] = not any(
                readable(answer, decimal_comma=decimal_comma) for answer in answers
            )
        if explain:
            explanations.append(
                explanation(best, prediction, rules)
                if is_exact
                else Explanation(prediction, best, [f"rule: {backend}"], is_equal, reason)
            )
    return EquivalenceScores(equal, undecided, unreadable, explanations)
