"""Tables of breakdowns: the parts with the lowest F1, or first score, come first."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .module_results import Systems
from .rendering import PLAIN, Cell, Notation, Table, label

_OF_PARTS = "by_"  # begins the names of breakdowns among the scores
_MOST = 40  # parts in a table
_BESIDE = ("confidence_interval", "standard_error")  # the entries of a part that are not scores

Parts = Mapping[str, Mapping[str, Any]]


class Breakdown(NamedTuple):
    """Scores of parts of one system's rows, such as those with one path: `by_path` in the scores.

    Each part has counts and scores, and perhaps their intervals.
    """

    system: str
    module: str
    name: str  # what the parts are: of systems that were rated, the best one comes first
    parts: Parts  # in the order of the table
    level: float | None  # of the intervals


def main_score(scores: Mapping[str, Any]) -> str | None:
    """Return the score by which parts are ordered: F1, or else the first one that is a float.

    >>> main_score({"n": 3, "strict_acc": 0.5}), main_score({"precision": 1.0, "f1": 0.5})
    ('strict_acc', 'f1')
    """
    if "f1" in scores:
        return "f1"
    return next((name for name, value in scores.items() if isinstance(value, float)), None)


def _ordered(parts: Parts, sign: int = 1) -> Parts:
    """Return the parts with the lowest score first, or with the highest if the sign is -1.

    >>> list(_ordered({"$.a": {"f1": 1.0}, "$.b": {"f1": 0.5}}))
    ['$.b', '$.a']
    """

    def rank(part: str) -> tuple[float, str]:
        value = parts[part].get(main_score(parts[part]) or "", math.nan)
        return math.inf if math.isnan(value) else sign * value, part

    return {part: parts[part] for part in sorted(parts, key=rank)}


def breakdowns(systems: Systems) -> Iterator[Breakdown]:
    """Yield the breakdowns of all systems and modules that have any.

    Scores that have a number for each rated system are one of them.
    """
    for system, modules in systems.items():
        for module, result in modules.items():
            level = result.options.get("confidence_level")
            of_rated: dict[str, dict[str, Any]] = {}
            for key, value in result.scores.items():
                if not isinstance(value, Mapping):
                    continue
                if key.startswith(_OF_PARTS):
                    name = key.removeprefix(_OF_PARTS)
                    yield Breakdown(system, module, name, _ordered(value), level)
                elif reported := {n: s for n, s in value.items() if isinstance(s, Mapping)}:
                    # by a report of classification, and its averages
                    yield Breakdown(system, module, "label", reported, level)
                else:
                    ends: Any = result.confidence_interval.get(key, {})
                    for rated, number in value.items():
                        if isinstance(number, int | float):
                            scores = of_rated.setdefault(rated, {"confidence_interval": {}})
                            scores[key] = number
                            scores["confidence_interval"][key] = ends.get(rated)
            if of_rated:
                yield Breakdown(system, module, "system", _ordered(of_rated, -1), level)


def breakdown_tables(systems: Systems, notation: Notation = PLAIN) -> list[Table]:
    """Return a table for each module with a breakdown, with a row for each part and system."""
    grouped: dict[tuple[str, str], list[Breakdown]] = {}
    for breakdown in breakdowns(systems):
        if breakdown.parts:
            grouped.setdefault((breakdown.module, breakdown.name), []).append(breakdown)
    return [_table(f"{module} by {name}", of, notation) for (module, name), of in grouped.items()]


def _table(title: str, of_systems: Sequence[Breakdown], notation: Notation) -> Table:
    form = notation.format_of(is_proportion=True)
    shown = [(of, part) for of in of_systems for part in [*of.parts][:_MOST]]
    scores = [of.parts[part] for of, part in shown]
    names = [(of_systems[0].name, [label(part) for _, part in shown])]
    if len(of_systems) > 1:
        names.insert(0, ("system", [label(of.system) for of, _ in shown]))

    def cell(part: Mapping[str, Any], key: str) -> str:
        value = part.get(key)
        if value is None or math.isnan(value):
            return ""
        if not isinstance(value, float):
            return f"{value:,}"
        ends = part.get("confidence_interval", {}).get(key) if key == main_score(part) else None
        return Cell(form.number(value), interval=form.interval(ends))

    columns = [
        (
            form.heading(key) if any(isinstance(p.get(key), float) for p in scores) else key,
            [cell(part, key) for part in scores],
        )
        for key in scores[0]
        if key not in _BESIDE
    ]
    levels = {of.level for of in of_systems} - {None}
    if len(levels) == 1 and any(part.get("confidence_interval") for part in scores):
        title += f", with {100 * (levels.pop() or 0):g}% intervals"
    table = Table.of(names, columns, title=title, kind="parts")
    hidden = sum(len(of.parts) for of in of_systems) - len(shown)
    return table._replace(note=f"{hidden:,} more are in JSON." if hidden else "")
