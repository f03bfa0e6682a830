"""An assertion about scores, for tests with pytest or without."""

from collections.abc import Sequence
from typing import Any

from ...module.catalog.catalog import load_without_evaluate, score_scale
from ...statistics.arguments.checks import OptionError, alternatives, shown
from ...statistics.arguments.domains import Finite, check_option

_LEVEL = 0.95  # of the interval
_WORST = 3  # rows that a message shows
_WIDTH = 80  # characters of a value in a message


def assert_scores(
    module: str,
    predictions: Sequence[Any],
    references: Sequence[Any] | None = None,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    score: str | None = None,
    certain: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """Check that a score is good enough; the error shows the interval and the worst rows.

    Args:
        module: the name of a module.
        predictions: as in its `compute`.
        references: as in its `compute`; None for a module that takes none.
        at_least: the lowest score that passes.
        at_most: the highest score that passes, for example of error rates.
        score: the name of a score; None for the main one.
        certain: whether the whole 95 % confidence interval has to pass.
        **options: of the module.

    Returns:
        The result of `compute`, with the interval.

    Raises:
        AssertionError: the score, or an end of its interval, does not pass, or is not defined.
        ValueError: the module or score is unknown; there is no limit, or only a lower one for a
            score of which lower is better; or an option is not valid.

    >>> result = assert_scores("qa_em", ["Oslo", "Bern"], ["Oslo", "Bern"], at_least=0.9)
    >>> assert_scores("qa_em", ["Oslo", "Bern"], ["Oslo", "Rome"], at_least=0.9)
    Traceback (most recent call last):
    AssertionError: qa_em 0.5000 [0.0126, 0.9874] of 2 rows is below 0.9; the worst rows:
      row 1: 0.0000  'Bern' for 'Rome'
      row 0: 1.0000  'Oslo' for 'Oslo'
    >>> result = assert_scores("error_rate", ["a b c d"], ["a b c e"], at_most=0.3)
    """
    __tracebackhide__ = True
    check_option("at_least", at_least, Finite | None)
    check_option("at_most", at_most, Finite | None)
    if at_least is None and at_most is None:
        raise OptionError("at_least", "is missing; pass at_least= or at_most=")
    if at_least is not None and at_most is not None and at_least > at_most:
        raise OptionError("at_least", f"is {at_least}, but at_most is {at_most}")
    metric = load_without_evaluate(module, **options)
    rows = {"per_example": True} if "per_example" in metric.declared_options else {}
    result: dict[str, Any] = metric.compute(
        predictions=predictions, references=references, confidence_level=_LEVEL, **rows
    )
    intervals = result["confidence_interval"]
    name = score or metric.main_score or next(iter(intervals))
    if name not in intervals:
        hint = alternatives(name, intervals)
        raise OptionError("score", f": {module} has no score {name!r} with an interval{hint}")
    if score_scale(module, name).lower_is_better and at_most is None:
        raise OptionError("at_least", f": lower is better for {name!r}; pass at_most=")
    low, high = intervals[name]
    lowest, highest = (low, high) if certain else (result[name], result[name])
    problems = []
    if at_least is not None and not lowest >= at_least:
        problems.append(f"below {at_least}")
    if at_most is not None and not highest <= at_most:
        problems.append(f"above {at_most}")
    if not problems:
        return result
    message = f"{name} {result[name]:.4f} [{low:.4f}, {high:.4f}] of {len(predictions)} rows "
    message += f"{'may be' if certain else 'is'} {' or '.join(problems)}"
    scores = result.get("per_example", {}).get(name)
    if scores is None:
        raise AssertionError(message)
    columns = [_values(column) for column in (predictions, references) if column is not None]
    worst = sorted(range(len(scores)), key=scores.__getitem__, reverse=at_least is None)[:_WORST]
    lines = [f"{message}; the worst rows:"]
    for row in worst:
        values = " for ".join(shown(column[row], _WIDTH) for column in columns)
        lines.append(f"row {row}: {scores[row]:.4f}  {values}")
    raise AssertionError("\n  ".join(lines))


def _values(column: Any) -> list[Any]:
    """Return the values of a column in order, also of a Series, whose rows have labels."""
    return list(column.tolist() if hasattr(column, "tolist") else column)
