"""Scores of predicted answers against accepted ones, by the rule of a backend."""

from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Floats
from ...statistics.arguments.checks import OptionError, RowError
from ...statistics.arguments.domains import NonNegative, Positive, checked_options
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
from .minerva import minerva_normalized
from .problem_sets import Dataset
from .symbolic_processes import SymbolicProcess

Backend = Literal["exact", "exact_then_math_verify", "hendrycks", "minerva", "math_verify"]

_ORDER = {True: 0, None: 1, False: 2}  # of verdicts: which one decides a row
_EXACT = ("exact", "exact_then_math_verify")


class EquivalenceScores(NamedTuple):
    """Scores 0 and 1, shape (rows,), and the explanation of each row, if requested."""

    equal: Floats  # 1 if the prediction means the same as a reference
    undecided: Floats  # 1 if that is neither proved nor disproved
    unreadable: Floats  # 1 if no reference can be read
    by_math_verify: Floats  # 1 if only math-verify says that they are equal
    explanations: list[Explanation]  # by the reference that decided

    def columns(self, backend: Backend) -> dict[str, Floats]:
        """Return the scores of rows that a backend returns."""
        columns = {"math_equivalence": self.equal, "undecided": self.undecided}
        if backend in _EXACT:
            columns["unreadable"] = self.unreadable
        if backend == "exact_then_math_verify":
            columns["by_math_verify"] = self.by_math_verify
        return columns


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
    timeout: Positive = 5,
    dataset: Dataset = None,
    explain: bool = False,
) -> EquivalenceScores:
    """Return whether each prediction means the same as one of its references.

    Args:
        predictions: one answer per row.
        references: the accepted answer, or answers, of each row.
        backend: "exact" is `equivalent`; "exact_then_math_verify" asks math-verify where it is
            undecided; "hendrycks" compares texts, see `hendrycks_equal`; "minerva" and
            "math_verify" use sympy, which the extra `math` installs, or math-verify.
        percent: as in `equivalent`, like the following options; only for the exact backends.
        lists: as in `equivalent`.
        rounding: as in `equivalent`.
        decimal_comma: as in `equivalent`.
        relative_tolerance: as in `equivalent`.
        absolute_tolerance: as in `equivalent`.
        timeout: seconds that a comparison may take before it is left undecided, if a backend uses
            sympy.
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
    if backend not in _EXACT:
        for name in (name for name in rules.changes() if name != "settled"):
            raise OptionError(name, f"applies to backend='exact', not to {backend!r}")
    equal, undecided, unreadable, by_math_verify = (np.zeros(len(predictions)) for _ in range(4))
    scores = EquivalenceScores(equal, undecided, unreadable, by_math_verify, [])
    library = "math_verify" if backend in _EXACT else backend
    with SymbolicProcess(library, timeout) as process:

        @cache  # each distinct pair is compared once
        def compare(reference: str, prediction: str) -> EquivalenceVerdict:
            if backend in _EXACT:
                return verdict(reference, prediction, rules)
            if backend == "hendrycks":
                return EquivalenceVerdict(hendrycks_equal(reference, prediction))
            if backend == "minerva":
                reference, prediction = map(minerva_normalized, (reference, prediction))
            is_equal = process.compare(reference, prediction)
            return EquivalenceVerdict(is_equal, "not decided" if is_equal is None else "")

        ask = cache(process.compare)
        for row, (prediction, accepted) in enumerate(zip(predictions, references, strict=True)):
            answers = [accepted] if isinstance(accepted, str) else accepted
            if not answers:
                raise RowError(
                    "references", row, "is empty; every row needs at least one reference"
                )
            verdicts = {answer: compare(answer, prediction) for answer in answers}
            best = min(verdicts, key=lambda answer: _ORDER[verdicts[answer].is_equal])
            is_equal, reason = verdicts[best]
            equal[row] = is_equal is True
            if is_equal is None:
                opinions: list[bool | None] = [None]
                if backend == "exact_then_math_verify":
                    opinions = [
                        ask(answer, prediction)
                        for answer, single in verdicts.items()
                        if single.is_equal is None
                    ]
                by_math_verify[row] = True in opinions
                undecided[row] = None in opinions and True not in opinions
            if backend in _EXACT and not equal[row]:
                unreadable[row] = not any(
                    readable(answer, decimal_comma=decimal_comma) for answer in answers
                )
            if explain:
                explained = (
                    explanation(best, prediction, rules)
                    if backend in _EXACT
                    else Explanation(prediction, best, [f"rule: {backend}"], is_equal, reason)
                )
                if by_math_verify[row]:
                    explained.steps.append("rule: math-verify calls them equal")
                scores.explanations.append(explained)
    return scores
