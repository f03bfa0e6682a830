"""Tables of breakdowns: the parts with the lowest F1, or first score, come first."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .module_results import Systems
from .rendering import PLAIN, Cell, Notation, NumberFormat, Table, label

_OF_PARTS = "by_"  # begins the names of breakdowns among the scores
_MOST = 40  # parts in a table
_BESIDE = ("confidence_interval", "standard_error")  # the entries of a part that are not scores


class Breakdown(NamedTuple):
    """Scores of parts of one system's rows, such as those with one path: `by_path` in the scores.

    Each part has counts and scores, and perhaps their intervals.
    """

    system: str
    module: str
    name: str  # what the parts are, such as "path"
    parts: Mapping[str, Mapping[str, Any]]
    level: float | None = None  # of the intervals
    descending: bool = False  # whether the highest scores come first
    is_ordered: bool = False  # whether the parts come as they are

    def ordered(self) -> list[str]:
        """Return the names of the parts, those with the lowest score first, or with the highest.

        >>> parts = {"$.a": {"f1": 1.0}, "$.b": {"f1": 0.5}}
        >>> Breakdown("bot", "json_match", "path", parts).ordered()
        ['$.b', '$.a']
        """

        def rank(part: str) -> tuple[float, str]:
            scores = self.parts[part]
            value = scores.get(main_score(scores) or "")
            if value is None or math.isnan(value):
                return math.inf, part
            return -value if self.descending else value, part

        return list(self.parts) if self.is_ordered else sorted(self.parts, key=rank)


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
                    yield Breakdown(system, module, key.removeprefix(_OF_PARTS), value, level)
                elif reported := {n: s for n, s in value.items() if isinstance(s, Mapping)}:
                    # by a report of classification, and its averages
                    yield Breakdown(system, module, "label", reported, level, is_ordered=True)
                else:
                    ends: Any = result.confidence_interval.get(key, {})
                    for rated, number in value.items():
                        if isinstance(number, int | float):
                            scores = of_rated.setdefault(rated, {})
                            scores[key] = number
                            if rated in ends:
                                scores.setdefault("confidence_interval", {})[key] = ends[rated]
            if of_rated:
                yield Breakdown(system, module, "system", of_rated, level, descending=True)


def main_score(scores: Mapping[str, Any]) -> str | None:
    """Return the score by which parts are ordered: F1, or else the first one that is a float.

    >>> main_score({"n": 3, "strict_acc": 0.5}), main_score({"precision": 1.0, "f1": 0.5})
    ('strict_acc', 'f1')
    """
    if "f1" in scores:
        return "f1"
    return next((name for name, value in scores.items() if isinstance(value, float)), None)


def breakdown_tables(breakdowns: Iterable[Breakdown], notation: Notation = PLAIN) -> list[Table]:
    """Return a table for each module with a breakdown, with a row for each part and system.

    Args:
        breakdowns: of the systems to show.
        notation: of the numbers.
    """
    grouped: dict[tuple[str, str], list[Breakdown]] = {}
    for breakdown in breakdowns:
        if breakdown.parts:
            grouped.setdefault((breakdown.module, breakdown.name), []).append(breakdown)
    return [
        _table(f"{module} by {name}", parts, notation) for (module, name), parts in grouped.items()
    ]


def _table(title: str, of_systems: Sequence[Breakdown], notation: Notation) -> Table:
    form = notation.format_of(is_proportion=True)
    listed = [(of_system, of_system.ordered()) for of_system in of_systems]
    shown = [(of_system, part) for of_system, parts in listed for part in parts[:_MOST]]
    scores = [of_system.parts[part] for of_system, part in shown]
    names = [(of_systems[0].name, [label(part) for _, part in shown])]
    if len(of_systems) > 1:
        names.insert(0, ("system", [label(of_system.system) for of_system, _ in shown]))
    columns = []
    for key in scores[0]:
        if key not in _BESIDE:
            is_score = any(isinstance(part.get(key), float) for part in scores)
            heading = form.heading(key) if is_score else key
            columns.append((heading, [_cell(part, key, form) for part in scores]))
    hidden = sum(len(parts) for _, parts in listed) - len(shown)
    note = f"{hidden:,} more are in JSON." if hidden else ""
    levels = {of_system.level for of_system in of_systems} - {None}
    if len(levels) == 1 and any(part.get("confidence_interval") for part in scores):
        title += f", with {100 * (levels.pop() or 0):g}% intervals"
    return Table.of(names, columns)._replace(title=title, note=note, kind="parts")


def _cell(scores: Mapping[str, Any], key: str, form: NumberFormat) -> str:
    """Return a count, or a score; the main score with its interval."""
    value = scores.get(key)
    if value is None or math.isnan(value):
        return ""
    if not isinstance(value, float):
        return f"{value:,}"
    interval = scores.get("confidence_interval", {}).get(key) if key == main_score(scores) else None
    return Cell(form.number(value), interval=form.interval(interval))
