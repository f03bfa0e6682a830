"""Tables of scores that have a number for each label, path, rated system or other part of rows."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from .module_results import Systems
from .rendering import PLAIN, Notation, NumberFormat, Table, cell, label

_INTERVALS = "confidence_interval"
_OF_PARTS = "by_"  # begins the names of scores that are breakdowns

Part = tuple[str, str, Mapping[str, Any]]  # its system, its name and its scores


def breakdown_tables(systems: Systems, notation: Notation = PLAIN) -> list[Table]:
    """Return a table for each module and kind of part, with a row for each part and system."""
    grouped: dict[str, list[Part]] = {}
    for system, modules in systems.items():
        for module, result in modules.items():
            of_rated: dict[str, dict[str, Any]] = {}
            for key, value in result.scores.items():
                if not isinstance(value, Mapping):
                    continue
                of_parts = [
                    (system, n, part) for n, part in value.items() if isinstance(part, Mapping)
                ]
                kind = key.removeprefix(_OF_PARTS) if key.startswith(_OF_PARTS) else "label"
                grouped.setdefault(f"{module} by {kind}", []).extend(of_parts)
                ends: Any = result.confidence_interval.get(key, {})
                for name, number in {} if of_parts else value.items():
                    if isinstance(number, int | float):
                        part = of_rated.setdefault(name, {_INTERVALS: {}})
                        part[key], part[_INTERVALS][key] = number, ends.get(name)
            rated = [(system, *item) for item in of_rated.items()]
            grouped.setdefault(f"{module} by system", []).extend(rated)
    form = notation.format_of(is_proportion=True)
    return [_table(title, parts, form) for title, parts in grouped.items() if parts]


def _table(title: str, parts: Sequence[Part], form: NumberFormat) -> Table:
    """Return a row for each part, with the number of digits that proportions have."""
    names = [(title.rpartition(" ")[2], [label(name) for _, name, _ in parts])]
    if len({system for system, _, _ in parts}) > 1:
        names.insert(0, ("system", [label(system) for system, _, _ in parts]))

    def text(part: Mapping[str, Any], key: str) -> str:
        value = part.get(key)
        if value is None or math.isnan(value):
            return ""
        ends = part.get(_INTERVALS, {}).get(key)
        number = form.number(value) if isinstance(value, float) else f"{value:,}"
        return cell(number, interval=form.interval(ends))

    columns = [
        (key, [text(part, key) for _, _, part in parts])
        for key in parts[0][2]
        if key not in (_INTERVALS, "standard_error")
    ]
    return Table.of(names, columns, title=title, kind="parts")
