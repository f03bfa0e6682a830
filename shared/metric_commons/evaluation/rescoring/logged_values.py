"""The scores in the rows of a log: which scores are numbers, and which rows lack one."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ...statistics.arguments.checks import alternatives

Scores = Mapping[str, Any]


def scores_of_rows(
    rows: Sequence[Scores], metric: str | None
) -> tuple[list[dict[str, float] | None], Counter[str]]:
    """The scores of each row, or None if one is missing, and counts of values of other types.

    Args:
        rows: the values in the log, by the names of its metrics.
        metric: one of these names, or a scorer whose scores are `scorer.key`; None for all.

    Raises:
        ValueError: there are no scores, or none that is one number per row.

    >>> scores_of_rows([{"acc": 1, "f1": [1, 0]}, {"acc": float("nan"), "f1": [0, 0]}], None)
    ([{'acc': 1.0}, None], Counter({'f1': 2}))
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        raise ValueError("the log has no scores; its samples were not scored")
    if metric is not None:
        selection = [name for name in names if name == metric or name.startswith(f"{metric}.")]
        if not selection:
            raise ValueError(f"the log has no metric {metric!r}{alternatives(metric, names)}")
        names = selection
    pairs = Counter(
        name
        for row in rows
        for name in names
        if name in row and not isinstance(row[name], int | float)
    )
    numbers = [name for name in names if name not in pairs]
    if not numbers or (metric is not None and pairs):
        raise ValueError(
            f"{', '.join(pairs)}: the log has no number per row, but the input of a measure of all "
            "rows, such as pairs of reference and prediction, which has no mean; score the answers "
            "with a module"
        )
    return [_numbers(row, numbers) for row in rows], pairs


def _numbers(row: Scores, names: Sequence[str]) -> dict[str, float] | None:
    values = {name: float(row[name]) for name in names if name in row}
    is_complete = len(values) == len(names) and not any(map(math.isnan, values.values()))
    return values if is_complete else None


def outcome(scores: Mapping[str, float]) -> int:
    """Return whether a sample passed, 1 or 0, by its only score.

    >>> outcome({"match": 1.0})
    1

    Raises:
        ValueError: there are several scores, or the score is neither.
    """
    if len(scores) > 1:
        raise ValueError(f"which score shows that a sample passed? --metric {' or '.join(scores)}")
    (value,) = scores.values()
    if value not in (0, 1):
        raise ValueError(f"a sample either passed or failed, 1 or 0, but its score is {value}")
    return int(value)
