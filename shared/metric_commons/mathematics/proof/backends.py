"""Scores of predicted answers against accepted ones, by the rule of a backend."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Floats
from ...statistics.arguments.checks import OptionError, RowError
from ...statistics.arguments.domains import NonNegative, Positive, checked_options
from .comparisons import Lists, Percent, Rounding
from .equivalence import EquivalenceVerdict, readable, rules_of, verdict
from .hendrycks import hendrycks_equal
from .minerva import minerva_normalized
from .symbolic_processes import SymbolicProcess

Backend = Literal["exact", "exact_then_math_verify", "hendrycks", "minerva", "math_verify"]
Comparison = Callable[[str, str], EquivalenceVerdict]  # of a reference with a prediction

_EXACT = ("exact", "exact_then_math_verify")


class EquivalenceScores(NamedTuple):
    """Scores 0 and 1, shape (rows,), and a reason for each row."""

    equal: Floats  # 1 if the prediction means the same as a reference
    undecided: Floats  # 1 if that is neither proved nor disproved
    unreadable: Floats  # 1 if no reference can be read
    by_math_verify: Floats  # 1 if only math-verify says that they are equal
    reasons: list[str | None]  # why a row is undecided

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
) -> EquivalenceScores:
    """Return whether each prediction means the same as one of its references.

    Args:
        predictions: one answer per row.
        references: the accepted answer, or answers, of each row.
        backend: "exact" is `equivalent`; "exact_then_math_verify" asks math-verify where it is
            undecided; "hendrycks" compares texts, see `hendrycks_equal`; "minerva" and
            "math_verify" use sympy, which the extra `math` installs.
        percent: as in `equivalent`, like the following options; only for the exact backends.
        lists: as in `equivalent`.
        rounding: as in `equivalent`.
        decimal_comma: as in `equivalent`.
        relative_tolerance: as in `equivalent`.
        absolute_tolerance: as in `equivalent`.
        timeout: seconds that a comparison may take before it is left undecided, if a backend uses
            sympy.

    Raises:
        ValueError: a row has no reference, or an option is not for this backend.

    >>> scores = equivalence_scores(["0.5", "f(2)"], [["1", "1/2"], "2f"])
    >>> scores.equal.tolist(), scores.undecided.tolist(), scores.reasons
    ([1.0, 0.0], [0.0, 1.0], [None, 'two readings'])
    """
    if backend not in _EXACT:
        changed = {
            "percent": percent != "either",
            "lists": lists != "either",
            "rounding": rounding != "none",
            "decimal_comma": decimal_comma,
            "relative_tolerance": relative_tolerance != 0,
            "absolute_tolerance": absolute_tolerance != 0,
        }
        for name, is_changed in changed.items():
            if is_changed:
                raise OptionError(name, f"applies to backend='exact', not to {backend!r}")
    rules = rules_of(percent, lists, rounding, relative_tolerance, absolute_tolerance)

    def exact(reference: str, prediction: str) -> EquivalenceVerdict:
        return verdict(reference, prediction, rules, decimal_comma=decimal_comma)

    rows = len(predictions)
    equal, undecided, unreadable, by_math_verify = (np.zeros(rows) for _ in range(4))
    scores = EquivalenceScores(equal, undecided, unreadable, by_math_verify, [None] * rows)
    verdicts: dict[tuple[str, str], EquivalenceVerdict] = {}  # each distinct pair is compared once
    opinions_of_pairs: dict[tuple[str, str], bool | None] = {}
    with _comparison(backend, timeout, exact) as (compare, ask):
        for row, (prediction, accepted) in enumerate(zip(predictions, references, strict=True)):
            answers = [accepted] if isinstance(accepted, str) else accepted
            if not answers:
                raise RowError(
                    "references", row, "is empty; every row needs at least one reference"
                )
            row_verdicts = []
            for answer in answers:
                pair = answer, prediction
                if pair not in verdicts:
                    verdicts[pair] = compare(*pair)
                row_verdicts.append(verdicts[pair])
            if any(single.is_equal for single in row_verdicts):
                scores.equal[row] = 1
            else:
                open_answers = [
                    answer
                    for answer, single in zip(answers, row_verdicts, strict=True)
                    if single.is_equal is None
                ]
                _score_open_row(
                    scores, row, open_answers, row_verdicts, prediction, ask, opinions_of_pairs
                )
            if backend in _EXACT and not scores.equal[row]:
                scores.unreadable[row] = not any(map(readable, answers))
    return scores


def _score_open_row(
    scores: EquivalenceScores,
    row: int,
    open_answers: Sequence[str],
    verdicts: Sequence[EquivalenceVerdict],
    prediction: str,
    ask: Callable[[str, str], bool | None] | None,
    opinions_of_pairs: dict[tuple[str, str], bool | None],
) -> None:
    """A row without a proof of equality; undecided comparisons may be left to math-verify."""
    if not open_answers:
        return
    if ask is not None:
        for answer in open_answers:
            pair = answer, prediction
            if pair not in opinions_of_pairs:
                opinions_of_pairs[pair] = ask(*pair)
        opinions = [opinions_of_pairs[answer, prediction] for answer in open_answers]
        if True in opinions:
            scores.by_math_verify[row] = 1
            return
        if None not in opinions:
            return
    scores.undecided[row] = 1
    scores.reasons[row] = next(single.reason for single in verdicts if single.is_equal is None)


@contextmanager
def _comparison(
    backend: Backend, timeout: float, exact: Comparison
) -> Iterator[tuple[Comparison, Callable[[str, str], bool | None] | None]]:
    """The comparison of a backend, and the one to use if that is undecided."""
    if backend == "exact":
        yield exact, None
    elif backend == "hendrycks":
        yield _without_reason(hendrycks_equal), None
    elif backend == "exact_then_math_verify":
        with SymbolicProcess("math_verify", timeout) as process:
            yield exact, process.compare
    else:
        with SymbolicProcess(backend, timeout) as process:
            compare = _normalizing(process.compare) if backend == "minerva" else process.compare
            yield _without_reason(compare), None


def _without_reason(compare: Callable[[str, str], bool | None]) -> Comparison:
    def compared(reference: str, prediction: str) -> EquivalenceVerdict:
        is_equal = compare(reference, prediction)
        return EquivalenceVerdict(is_equal, "not decided" if is_equal is None else "")

    return compared


def _normalizing(
    compare: Callable[[str, str], bool | None],
) -> Callable[[str, str], bool | None]:
    """Return the comparison of two answers after the normalization of `minerva_math`."""

    def compare_normalized(reference: str, prediction: str) -> bool | None:
        return compare(minerva_normalized(reference), minerva_normalized(prediction))

    return compare_normalized
