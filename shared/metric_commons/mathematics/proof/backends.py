"""Scores of predicted answers against accepted ones, by the rule of a backend."""

from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Floats
from ...statistics.arguments.checks import OptionError, RowError
from .equivalence import EquivalenceVerdict, readable, rules_of, verdict
from .hendrycks import hendrycks_equal

Backend = Literal["exact", "hendrycks"]

_ORDER = {True: 0, None: 1, False: 2}  # of verdicts: which one decides a row


class Explanation(NamedTuple):
    """The verdict on a row: the answers that were compared, and the reason."""

    prediction: str
    reference: str  # that decided
    verdict: bool | None
    reason: str


class EquivalenceScores(NamedTuple):
    """Scores 0 and 1, shape (rows,), and the explanation of each row."""

    equal: Floats  # 1 if the prediction means the same as a reference
    undecided: Floats  # 1 if that is neither proved nor disproved
    unreadable: Floats  # 1 if no reference can be read
    explanations: list[Explanation]

    def columns(self, backend: Backend) -> dict[str, Floats]:
        """Return the scores of rows that a backend returns."""
        columns = {"math_equivalence": self.equal, "undecided": self.undecided}
        return columns | ({"unreadable": self.unreadable} if backend == "exact" else {})


def equivalence_scores(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    backend: Backend = "exact",
    **options: Any,
) -> EquivalenceScores:
    """Return whether each prediction means the same as one of its references.

    Args:
        predictions: one answer per row.
        references: the accepted answer, or answers, of each row.
        backend: "exact" is `equivalent`; "hendrycks" compares texts, see `hendrycks_equal`.
        **options: of `rules_of`; only for the backend "exact".

    Raises:
        ValueError: a row has no reference, or an option is not for this backend.

    >>> scores = equivalence_scores(["0.5", "f(2)"], [["1", "1/2"], "2f"])
    >>> scores.equal.tolist(), scores.undecided.tolist()
    ([1.0, 0.0], [0.0, 1.0])
    >>> scores.explanations[1].reason
    'two readings'
    """
    rules = rules_of(**options)
    is_exact = backend == "exact"
    if not is_exact:
        for item in fields(rules):
            if item.name != "settled" and getattr(rules, item.name) != item.default:
                raise OptionError(item.name, f"applies to backend='exact', not to {backend!r}")

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
        equal[row], undecided[row] = is_equal is True, is_equal is None
        if is_exact and not is_equal:
            unreadable[row] = not any(
                readable(a, decimal_comma=rules.decimal_comma) for a in answers
            )
        reason_or_proof = reason or ("proved equal" if is_equal else "proved different")
        explanations.append(Explanation(prediction, best, is_equal, reason_or_proof))
    return EquivalenceScores(equal, undecided, unreadable, explanations)
