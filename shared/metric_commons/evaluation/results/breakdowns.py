"""Tables of breakdowns: the parts with the lowest F1, or first score, come first."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .module_results import Systems
from .rendering import PLAIN, Notation, NumberFormat, Table, label

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
    level: float | None  # of the intervals
    descending: bool = False  # whether the highest scores come first
    is_ordered: bool = False  # whether the parts come as they are


def breakdowns(systems: Systems) -> Iterator[Breakdown]:
    """Yield the breakdowns of all systems and modules that have any.

    Scores that have a number for each rated system are one of them.
    """
    for system, modules in systems.items():
        for module, result in modules.items():
            level = result.options.get("confidence_level")
            of_labels: dict[str, dict[str, Any]] = {}
            for key, value in result.scores.items():
                if key.startswith(_OF_PARTS) and isinstance(value, Mapping):
                    name = key.removeprefix(_OF_PARTS)
                    yield Breakdown(system, module, name, value, level)
                elif isinstance(value, Mapping):
                    reported = {part: s for part, s in value.items() if isinstance(s, Mapping)}
                    if reported:  # by a report of classification, and its averages
                        yield Breakdown(system, module, "label", reported, level, is_ordered=True)
                        continue
                    for rated, number in value.items():
                        if isinstance(number, int | float):
                            scores = of_labels.setdefault(rated, {})
                            scores[key] = number
                            ends: Any = result.confidence_interval.get(key, {})
                            if rated in ends:
                                scores.setdefault("confidence_interval", {})[key] = ends[rated]
            if of_labels:
                yield Breakdown(system, module, "system", of_labels, level, descending=True)


def ordered_parts(breakdown: Breakdown) -> list[str]:
    """Return the names of the parts, those with the lowest score first, or with the highest.

    >>> parts = {"$.a": {"f1": 1.0}, "$.b": {"f1": 0.5}}
    >>> ordered_parts(Breakdown("bot", "json_match", "path", parts, None))
    ['$.b', '$.a']
    """

    def rank(part: str) -> tuple[float, str]:
        scores = breakdown.parts[part]
        name = main_score(scores)
        value = math.nan if name is None else _number(scores[name])
        value = -value if breakdown.descending else value
        return (math.inf if math.isnan(value) else value), part

    return list(breakdown.parts) if breakdown.is_ordered else sorted(breakdown.parts, key=rank)


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
    return [_table(module, name, parts, notation) for (module, name), parts in grouped.items()]


def _table(module: str, name: str, of_systems: Sequence[Breakdown], notation: Notation) -> Table:
    number_format = notation.format_of(is_proportion=True)
    has_systems = len(of_systems) > 1
    columns = [key for key in next(iter(of_systems[0].parts.values())) if key not in _BESIDE]
    rows = []
    hidden = 0
    for breakdown in of_systems:
        names = ordered_parts(breakdown)
        hidden += max(0, len(names) - _MOST)
        for part in names[:_MOST]:
            scores = breakdown.parts[part]
            system = [label(breakdown.system)] if has_systems else []
            rows.append(
                [
                    *system,
                    label(part),
                    *(_cell(scores, column, number_format) for column in columns),
                ]
            )
    note = f"{hidden:,} more are in JSON." if hidden else ""
    levels = {breakdown.level for breakdown in of_systems} - {None}
    title = f"{module} by {name}"
    if len(levels) == 1 and any("[" in cell for row in rows for cell in row[-1:]):
        title += f", with {100 * (levels.pop() or 0):g}% intervals"
    parts = [scores for breakdown in of_systems for scores in breakdown.parts.values()]
    proportions = {c for c in columns if any(isinstance(scores.get(c), float) for scores in parts)}
    headings = [number_format.heading(c) if c in proportions else c for c in columns]
    header = [*(["system"] if has_systems else []), name, *headings]
    return Table(header, rows, 2 if has_systems else 1, set(), note, title, kind="parts")


def _cell(scores: Mapping[str, Any], column: str, number_format: NumberFormat) -> str:
    """Return a count, or a score; the main score with its interval."""
    value = scores.get(column)
    if not isinstance(value, float) and value is not None:
        return f"{value:,}"
    number = _number(value)
    if math.isnan(number):
        return ""
    interval = scores.get("confidence_interval", {}).get(column)
    if interval is None or column != main_score(scores):
        return number_format.number(number)
    return f"{number_format.number(number)} {number_format.interval(interval)}"


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)
