"""Scores of predicted answers against accepted ones, by the rule of a backend."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from ..numbers.arrays import Floats
from ..numbers.checks import OptionError, RowError
from ..numbers.domains import NonNegative, Positive, checked_options
from .equivalence import Percent, equivalent
from .hendrycks import hendrycks_equal
from .minerva import minerva_normalized
from .symbolic_processes import SymbolicProcess

Backend = Literal["exact", "hendrycks", "minerva", "math_verify"]
Comparison = Callable[[str, str], bool | None]  # of a reference with a prediction


class EquivalenceScores(NamedTuple):
    """Scores 0 and 1; shape (rows,)."""

    equal: Floats  # 1 where the prediction means the same as a reference
    undecided: Floats  # 1 where that is not proved, and not disproved either


@checked_options
def equivalence_scores(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    backend: Backend = "exact",
    percent: Percent = "either",
    relative_tolerance: NonNegative = 0.0,
    absolute_tolerance: NonNegative = 0.0,
    timeout: Positive = 5,
) -> EquivalenceScores:
    """Whether each prediction means the same as one of its references, and whether that is open.

    Args:
        predictions: one answer per row.
        references: the accepted answer, or answers, of each row.
        backend: "exact" is `equivalent`; "hendrycks" compares texts, see `hendrycks_equal`;
            "minerva" and "math_verify" ask sympy, which the extra `math` brings.
        percent: as in `equivalent`; of the backend "exact" alone.
        relative_tolerance: as in `equivalent`; of the backend "exact" alone.
        absolute_tolerance: as in `equivalent`; of the backend "exact" alone.
        timeout: seconds that a comparison may take before it is left undecided, where a backend
            asks sympy.

    Raises:
        ValueError: a row has no reference, or an option is not for this backend.

    >>> scores = equivalence_scores(["0.5", "sin(0)"], [["1", "1/2"], "0"])
    >>> scores.equal.tolist(), scores.undecided.tolist()
    ([1.0, 0.0], [0.0, 1.0])
    """
    defaults = {
        "percent": percent == "either",
        "relative_tolerance": relative_tolerance == 0,
        "absolute_tolerance": absolute_tolerance == 0,
    }
    if backend != "exact" and not all(defaults.values()):
        name = next(name for name, is_default in defaults.items() if not is_default)
        raise OptionError(name, f"is for backend='exact', and not for {backend!r}")
    exact = partial(
        equivalent,
        percent=percent,
        relative_tolerance=relative_tolerance,
        absolute_tolerance=absolute_tolerance,
    )
    verdicts: dict[tuple[str, str], bool | None] = {}  # each distinct pair is compared once

    with _comparison(backend, timeout, exact) as compare:

        def verdict(reference: str, prediction: str) -> bool | None:
            pair = reference, prediction
            if pair not in verdicts:
                verdicts[pair] = compare(reference, prediction)
            return verdicts[pair]

        equal = np.zeros(len(predictions))
        undecided = np.zeros(len(predictions))
        for row, (prediction, accepted) in enumerate(zip(predictions, references, strict=True)):
            answers = [accepted] if isinstance(accepted, str) else accepted
            if not answers:
                raise RowError(
                    "references", row, "is empty; every row needs at least one reference"
                )
            row_verdicts = {verdict(answer, prediction) for answer in answers}
            equal[row] = True in row_verdicts
            undecided[row] = None in row_verdicts and True not in row_verdicts
    return EquivalenceScores(equal, undecided)


@contextmanager
def _comparison(backend: Backend, timeout: float, exact: Comparison) -> Iterator[Comparison]:
    """What compares two answers for a backend."""
    if backend == "exact":
        yield exact
    elif backend == "hendrycks":
        yield hendrycks_equal
    else:
        with SymbolicProcess(backend, timeout) as process:
            yield _normalizing(process.compare) if backend == "minerva" else process.compare


def _normalizing(compare: Comparison) -> Comparison:
    """The comparison of two answers as `minerva_math` tidies them up."""

    def compare_normalized(reference: str, prediction: str) -> bool | None:
        return compare(minerva_normalized(reference), minerva_normalized(prediction))

    return compare_normalized
