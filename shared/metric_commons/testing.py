"""An assertion about scores, for tests with pytest or without."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from math import isfinite
from typing import Any

from .catalog.catalog import load_without_evaluate
from .numbers.checks import OptionError, nearest, shown

__all__ = ["assert_scores"]

_WORST = 3  # rows that a message shows
_WIDTH = 80  # characters of a value in a message


def assert_scores(
    module: str,
    predictions: Sequence[Any],
    references: Sequence[Any],
    *,
    at_least: float,
    score: str | None = None,
    certain: bool = False,
    level: float = 0.95,
    clusters: Sequence[Any] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Check that a score is high enough; the error shows the interval and the worst rows.

    Args:
        module: the name of a module.
        predictions: as in its `compute`.
        references: as in its `compute`.
        at_least: the lowest score that passes.
        score: the name of a score; None for the main one.
        certain: whether the lower end of the confidence interval has to reach `at_least`, so that
            luck does not pass.
        level: the confidence level of the interval.
        clusters: one label per row, for rows that are not independent.
        **options: of the module.

    Returns:
        The result of `compute`, with the interval.

    Raises:
        AssertionError: the score, or the lower end of its interval, is too low, or is not defined.
        ValueError: there is no such module or score, lower scores are better, or an option is not
            valid.

    >>> result = assert_scores("qa_em", ["Oslo", "Bern"], ["Oslo", "Bern"], at_least=0.9)
    >>> assert_scores("qa_em", ["Oslo", "Bern"], ["Oslo", "Rome"], at_least=0.9)
    Traceback (most recent call last):
    AssertionError: qa_em 0.5000 [0.0126, 0.9874] of 2 rows is below 0.9; the worst rows:
      row 1: 0.0000  'Bern' for 'Rome'
      row 0: 1.0000  'Oslo' for 'Oslo'
    """
    __tracebackhide__ = True
    if (
        isinstance(at_least, bool)
        or not isinstance(at_least, int | float)
        or not isfinite(at_least)
    ):
        raise OptionError("at_least", f"must be a number, got {shown(at_least)}")
    metric = load_without_evaluate(module, **options)
    arguments = {} if clusters is None else {"clusters": clusters}
    rows_option = {"per_example": True} if "per_example" in metric.declared_options else {}
    result: dict[str, Any] = metric.compute(
        predictions=predictions,
        references=references,
        confidence_level=level,
        **rows_option,
        **arguments,
    )
    intervals = result["confidence_interval"]
    name = score or metric.main_score or next(iter(intervals))
    if name not in intervals:
        hint = nearest(name, intervals) or f"; there are {', '.join(intervals)}"
        raise OptionError("score", f": {module} has no score {name!r} with an interval{hint}")
    if any(fnmatchcase(name, pattern) for pattern in metric.lower_is_better):
        raise OptionError("score", f": lower is better for {name!r}, so at_least says nothing")
    low, high = intervals[name]
    if (low if certain else result[name]) >= at_least:
        return result
    verb = f"may be below {at_least} at level {level}" if certain else f"is below {at_least}"
    raise AssertionError(
        f"{name} {result[name]:.4f} [{low:.4f}, {high:.4f}] of {len(predictions)} rows {verb}"
        + _worst_rows(result.get("per_example", {}).get(name), predictions, references)
    )


def _worst_rows(scores: Any, predictions: Sequence[Any], references: Sequence[Any]) -> str:
    """The rows with the lowest scores, one per line, if rows have scores."""
    if not scores:
        return ""
    rows = sorted(range(len(scores)), key=scores.__getitem__)[:_WORST]
    lines = (
        f"\n  row {row}: {scores[row]:.4f}  {shown(predictions[row], _WIDTH)} "
        f"for {shown(references[row], _WIDTH)}"
        for row in rows
    )
    return "; the worst rows:" + "".join(lines)
