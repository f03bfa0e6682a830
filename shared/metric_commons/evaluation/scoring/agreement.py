"""Whether recomputed scores equal those of a log, and if not, why.

The reason is found by trials, not guessed: the same module with another value of an option, or with
rounding, reproduces the score of the log in every row.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np

from ...data.files.streams import STANDARD_INPUT
from ...data.tables.tables import Source
from ...module.declaration.declarations import REPORTING
from ...statistics.arguments.arrays import Floats
from ..rows.logged_scores import LOGGED
from ..rows.row_tables import RowTable
from ..rows.rows import Rows

_TOLERANCE = 1e-9
_EXAMPLES = 3  # rows in a message


def agreements(
    system: str,
    tables: Mapping[str, RowTable],
    source: Source,
    rows_of: Callable[[str], Rows],
) -> Iterator[dict[str, Any]]:
    """Yield every score of a module compared with the score of the log that should be the same.

    Args:
        system: the name of the system.
        tables: its scored rows, by module.
        source: the log.
        rows_of: reads the rows of a module again.
    """
    logged_scores = tables[LOGGED].row_scores
    pairs = [
        (name, metric, score)
        for name, table in tables.items()
        if name != LOGGED
        for score, *names in table.metric.logged_names
        if score in table.row_scores
        for metric in logged_scores
        if metric.rpartition(".")[2].lower() in names
    ]
    for name, metric, score in pairs:
        table, logged = tables[name], logged_scores[metric]
        values = table.row_scores[score]
        differ = np.flatnonzero(~(np.abs(logged - values) <= _TOLERANCE)).tolist()
        record = {"system": system, "metric": metric, "module": name, "score": score}
        text, reason = f"{system}: {score} is {metric} of the log in all {len(table):,} rows.", ""
        if differ:
            reason = _rounding(logged, values)
            is_whole = len(table) == source.rows and "reduce" not in table.conditions
            if not reason and is_whole and source.path != STANDARD_INPUT:
                reason = _change(table, rows_of(name), score, logged)
            if not reason:
                shown = ", ".join(
                    f"{_place(source, table, row)} has {_number(logged[row])} in the log and "
                    f"{_number(values[row])} here"
                    for row in differ[:_EXAMPLES]
                )
                reason = f"reason unknown; {shown}"
            text = (
                f"{system}: {score} differs from {metric} of the log in {len(differ):,} of "
                f"{len(table):,} rows: {reason}."
            )
        yield record | {
            "rows": len(table),
            "differing": len(differ),
            "reason": reason,
            "text": text,
        }


def _rounding(logged: Floats, values: Floats) -> str:
    """Return the digits to which the log rounded the values, in words; "" if others differ.

    >>> _rounding(np.array([0.67, 1.0]), np.array([2 / 3, 1.0]))
    'the log rounds it to 2 digits'
    """
    for digits in (4, 3, 2, 1):
        is_near = np.abs(values - logged) <= 0.5 * 10.0**-digits + _TOLERANCE
        if is_near.all() and (np.abs(np.round(logged, digits) - logged) <= _TOLERANCE).all():
            return f"the log rounds it to {digits} digits"
    return ""


def _change(table: RowTable, rows: Rows, score: str, logged: Floats) -> str:
    """Return the value of an option with which all rows are equal, in words, or ""."""
    metric, options = table.metric, table.options
    for name, option in metric.declared_options.items():
        schemas = option.schema.get("anyOf", [option.schema])
        is_of_scores = name in options and name not in REPORTING
        for value in chain.from_iterable(map(_values, schemas if is_of_scores else ())):
            try:
                changed = {**rows.columns, **options, name: value}
                scores = metric.compute(**changed, per_example=True)["per_example"][score]
            except (ValueError, TypeError):  # the options are incompatible
                continue
            found = np.array(scores, np.float64)
            if (np.abs(logged - found) <= _TOLERANCE).all():
                return f"with {name}={value} it is equal in all rows"
            if rounded := _rounding(logged, found):
                return f"with {name}={value}, {rounded}"
    return ""


def _values(schema: Mapping[str, Any]) -> list[Any]:
    """Return the valid values of an option, if they can be listed; for a range, its ends."""
    if schema.get("type") == "boolean":
        return [True, False]
    if schema.get("type") == "number" and {"minimum", "maximum"} <= schema.keys():
        return [float(schema["minimum"]), float(schema["maximum"])]
    return list(schema.get("enum", ()))


def _place(source: Source, table: RowTable, row: int) -> str:
    if len(table) == source.rows:
        return source.location(row)
    return f"row {row}" if table.ids is None else f"id {table.ids[row]!r}"


def _number(value: float) -> str:
    return "none" if math.isnan(value) else f"{value:.4g}"
