"""Pseudovalues of rows: a value of each row, whose mean is a score, for scores of any kind.

A module may have a function for them. Otherwise they are those of the jackknife: the score, plus
the number of rows times the loss of the score if the row is left out.
"""

import json
import math
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ...data.files.stored import to_jsonable
from ...module.catalog.catalog import load_without_evaluate
from ...statistics.arguments.arrays import Floats, Integers, take
from ...statistics.resampling.progress import step
from ..rows.row_tables import RowTable

_KEPT = 1 << 20  # rows of draws whose scores are kept
_DIGITS = 12  # of a pseudovalue of the jackknife, so that equal rows have equal ones


def pseudovalues(
    first: RowTable, second: RowTable, names: Collection[str]
) -> dict[str, tuple[Floats, Floats]]:
    """Return the pseudovalues of two systems by score, for scores that have some.

    Args:
        first: the rows of a system, with their inputs.
        second: the same rows of another system.
        names: the scores.

    >>> from ...module.catalog.catalog import load_without_evaluate
    >>> from ..rows.row_tables import scored
    >>> from ..rows.rows import Rows
    >>> rows = Rows(columns={"predictions": [0, 0, 1, 1], "references": [0, 1, 1, 1]})
    >>> table = scored(load_without_evaluate("classification"), rows)
    >>> pseudovalues(table, table, ["accuracy"])["accuracy"][0]
    array([1., 0., 1., 1.])
    """
    metric = first.metric
    if metric.pseudovalues is None:
        ours, theirs = (_of_jackknife(table, names) for table in (first, second))
        values = {name: (ours[name], theirs[name]) for name in ours if name in theirs}
    else:
        inputs, other = (
            {n: c for n, c in table.columns.items() if n in metric.input_names}
            for table in (first, second)
        )
        of_rows = {n: c for n, c in first.columns.items() if n not in metric.input_names}
        values = dict(metric.pseudovalues(inputs, other, **{**first.options, **of_rows}))
    return {
        name: pair
        for name, pair in values.items()
        if name in names and not any(np.isnan(column).all() for column in pair)
    }


def _scores(metric: Any, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scores of these rows, without intervals, which take time."""
    level = {"confidence_level": None} if "confidence_level" in metric.options else {}
    scores: dict[str, Any] = metric.compute(**columns, **level)
    return scores


def _of_jackknife(table: RowTable, names: Collection[str]) -> dict[str, Floats]:
    """Return the pseudovalues of the jackknife; equal rows are left out once."""
    number, scores = len(table), _scores(table.metric, table.columns)
    kinds: dict[str, list[int]] = {}
    for row, values in enumerate(zip(*table.columns.values(), strict=True)):
        listed = [value.tolist() if hasattr(value, "tolist") else value for value in values]
        kinds.setdefault(json.dumps(to_jsonable(listed)), []).append(row)
    columns = {name: np.empty(number) for name in names}
    for position, rows in enumerate(kinds.values()):
        with step(position, len(kinds)):
            others = np.delete(np.arange(number), rows[0])
            without = _of_rows(table, others) if others.size else {}
        for name, column in columns.items():
            column[rows] = without.get(name, math.nan)
    return {
        name: ((number - 1) * (float(np.sort(column).mean()) - column) + scores[name]).round(
            _DIGITS
        )
        for name, column in columns.items()
        if np.isfinite(column).all()
    }


def _of_rows(table: RowTable, rows: Integers) -> dict[str, Any]:
    """Return the scores of some rows; none if they have no scores."""
    try:
        columns = {name: take(column, rows) for name, column in table.columns.items()}
        return _scores(table.metric, columns)
    except ValueError:
        return {}


def drawn_score(first: RowTable, second: RowTable, name: str) -> Callable[[Integers], float]:
    """Return the function from indices of rows to a score; NaN if it is undefined.

    Args:
        first: the rows of a system, with their inputs.
        second: the rows of another one, which follow those of the first.
        name: the score.
    """
    metric, columns = first.metric, dict[str, Any]()
    for key, column in first.columns.items():
        both = [*column, *second.columns[key]]
        # Modules check an array of numbers in less time.
        is_numeric = metric.arrays_allowed and {*map(type, both)} <= {float, np.float64}
        columns[key] = np.array(both) if is_numeric else both
    options = first.options
    if "measures" in options:  # the others take time
        metric = load_without_evaluate(first.module, **{**options, "measures": [name]})

    @lru_cache(_KEPT // len(first))  # few rows are drawn alike again and again
    def score_of(rows: bytes) -> float:
        drawn = {k: take(column, np.frombuffer(rows, np.int64)) for k, column in columns.items()}
        try:
            return float(_scores(metric, drawn)[name])
        except ValueError:
            return math.nan

    return lambda rows: score_of(np.sort(rows).tobytes())
