"""The page: what a template needs to know, and the template."""

import json
import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ..evaluation.comparisons import Comparison
from ..evaluation.rendering import Entry, Table, as_html, p_value
from ..evaluation.results import Results
from ..files.stored import plain
from .axes import Axis, axis_of
from .examples import Examples, as_text

_TEMPLATE = Path(__file__).with_name("page.html")
_FOLDED = 280  # characters of a text that are seen before it is unfolded
_KEPT = 20_000  # characters of a text that are on the page at all
_LISTED = 12  # references that are seen before the others are unfolded
_GROUPS = 60  # groups of a table
_BESIDE = 22  # characters of a name that has room beside what is drawn; longer ones stand above
_OPEN = 120  # lines of a section that are seen before it is unfolded
_JOINERS = "\u200c\u200d"  # invisible, but some scripts and emoji are wrong without them


class Dot(NamedTuple):
    """A number with its interval, as text and as places on an axis in percent."""

    value: float
    text: str
    at: float | None  # None if the number is not finite
    interval: Sequence[float] | None = None
    low: float = 0.0
    high: float = 0.0


class Line(NamedTuple):
    """A dot of a panel, and whose it is."""

    name: str
    dot: Dot
    is_best: bool = False
    marks: str = ""
    letter: str = ""


class Difference(NamedTuple):
    """The difference of two systems."""

    a: str
    b: str
    dot: Dot
    p: str
    is_significant: bool
    better: str  # "a", "b" or "" if they are equal


class Panel(NamedTuple):
    """One score: an axis, and what stands along it."""

    module: str
    score: str
    is_lower_better: bool
    axis: Axis
    lines: Sequence[Any]
    is_open: bool = True


class GroupRow(NamedTuple):
    """One group: how many rows it has, and a dot a system."""

    group: str
    size: int
    dots: Sequence[Dot | None]
    best: float | None


class GroupTable(NamedTuple):
    """One score: a row a group, a column a system."""

    module: str
    score: str
    is_lower_better: bool
    systems: Sequence[str]
    rows: Sequence["GroupRow"]
    left_out: int
    is_open: bool


class Text(NamedTuple):
    """A text of the data: what is seen of it, what is folded away, how much is not there."""

    start: str
    rest: str
    missing: int


def render(results: Results, examples: Examples) -> str:
    """The page as one file: no script, nothing that is loaded from elsewhere.

    Whatever comes from data is escaped. Characters that cannot be seen or would change the
    direction of what follows, and those that UTF-8 does not have, are spelled out.
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"visible": visible, "cut": cut, "number": _number, "moment": _moment}
    template = environment.from_string(_TEMPLATE.read_text("utf-8"))
    rows = {result.rows for modules in results.systems.values() for result in modules.values()}
    page = template.render(
        results=results,
        systems=list(results.systems),
        rows=sorted(rows),
        is_long=max(map(len, results.systems), default=0) > _BESIDE,
        as_tables=[Markup(as_html([table], [])) for table in _tables(results)],
        panels=_score_panels(results),
        differences=_difference_panels(results),
        comparing=_comparing(results.comparisons),
        groups=_group_tables(results),
        examples=examples,
        signatures=results.signatures(),
        inputs=[_told(source) for source in results.provenance.get("inputs", [])],
        versions=results.provenance.get("versions", {}),
        created=results.provenance.get("created", ""),
        options={
            f"{module} · {system}" if len(results.systems) > 1 else module: _written(result.options)
            for system, modules in results.systems.items()
            for module, result in modules.items()
        },
        config=_written(results.provenance["config"]) if "config" in results.provenance else "",
        listed=_LISTED,
    )
    return page.lstrip()


def visible(text: str) -> str:
    r"""`text` with what cannot be seen spelled out, as it would be in a string of Python.

    >>> visible("a\u202eb\x00\ud800 é 🙂\n")
    'a\\u202eb\\x00\\ud800 é 🙂\n'
    """
    if text.isprintable():
        return text
    return "".join(map(_visible, text))


def cut(value: Any) -> Text:
    """A value of the data as a text, of which only the start is seen at first.

    >>> cut("word " * 100).start[-6:], len(cut("word " * 100).rest), cut([1]).start
    ('word …', 220, '[1]')
    """
    text = visible(as_text(value))
    start, rest = text[:_FOLDED], text[_FOLDED:_KEPT]
    return Text(start + "…" if rest else start, rest, max(0, len(text) - _KEPT))


def _visible(character: str) -> str:
    """Spaces, line breaks and joiners as they are; other unprintable characters in ASCII."""
    if character.isprintable() or character in f"\n\t{_JOINERS}":
        return character
    if unicodedata.category(character) == "Zs":
        return character
    return ascii(character)[1:-1]


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def _told(source: Mapping[str, Any]) -> dict[str, str]:
    """What a result says about an input; empty where it says nothing."""
    rows = source.get("rows")
    told = {name: str(source.get(name, "")) for name in ("path", "sha256")}
    return told | {"rows": f"{rows:,}" if isinstance(rows, int) else ""}


def _moment(text: str) -> str:
    """A time of a result as people write it, if it is one."""
    try:
        moment = datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return text
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _written(value: Any) -> str:
    return json.dumps(plain(value), ensure_ascii=False, indent=2)


def _dot(axis: Axis, value: float, interval: Sequence[float] | None, form: str = ".4f") -> Dot:
    text = f"{value:{form}}" if isinstance(value, float) else f"{value:,}"
    at = axis.at(value) if math.isfinite(value) else None
    if interval is None or not all(map(math.isfinite, interval)):
        return Dot(value, text, at)
    first, last = interval
    return Dot(value, text, at, interval, axis.at(first), axis.at(last))


def _best(entries: Sequence[Entry]) -> float | None:
    """The best of several numbers; counts are neither good nor bad."""
    values = [entry.value for entry in entries if isinstance(entry.value, float)]
    known = [value for value in values if not math.isnan(value)]
    if len(entries) < 2 or not known:
        return None
    return min(known) if entries[0].lower else max(known)


def _by_score(entries: Iterable[Entry]) -> dict[tuple[str, str], list[Entry]]:
    found: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        found.setdefault((entry.module, entry.score), []).append(entry)
    return found


def _tables(results: Results) -> list[Table]:
    """The table of scores and, if there is one, that of comparisons."""
    tables = results.tables()
    return [tables[0], *(tables[-1:] if results.comparisons else [])]


def _score_panels(results: Results) -> list[Panel]:
    """A panel a score, a line a system; the axis holds every interval."""
    letters, marks = results.letters(), results.marks()
    panels = []
    for (module, score), entries in _by_score(
        entry for entry in results.entries() if entry.group is None
    ).items():
        best = _best(entries)
        ends = (end for entry in entries for end in entry.interval or ())
        axis = axis_of([*(entry.value for entry in entries), *ends])
        panels.append(
            Panel(
                module,
                score,
                entries[0].lower,
                axis,
                [
                    Line(
                        entry.system,
                        _dot(axis, entry.value, entry.interval),
                        entry.value == best,
                        marks.get((entry.system, module, score), ""),
                        letters.get(entry.system, ""),
                    )
                    for entry in entries
                ],
            )
        )
    return panels


def _difference_panels(results: Results) -> list[Panel]:
    """A panel a score, a line a pair; the axis holds zero."""
    found: dict[tuple[str, str], list[Comparison]] = {}
    for each in results.comparisons:
        found.setdefault((results.module_of(each), each["score"]), []).append(each)
    panels: list[Panel] = []
    seen = 0
    for (module, score), comparisons in found.items():
        axis = axis_of(
            [
                *(0.0, *(each["diff"] for each in comparisons)),
                *(end for each in comparisons for end in each["confidence_interval"]),
            ]
        )
        lower = results.is_lower_better(comparisons[0])
        lines = [
            Difference(
                each["a"],
                each["b"],
                _dot(axis, each["diff"], each["confidence_interval"], "+.4f"),
                p_value(each["p_adjusted"]),
                each["significant"],
                "" if not each["diff"] else "a" if (each["diff"] > 0) != lower else "b",
            )
            for each in comparisons
        ]
        seen += len(lines)
        panels.append(Panel(module, score, lower, axis, lines, not panels or seen <= _OPEN))
    return panels


def _comparing(comparisons: Sequence[Comparison]) -> Mapping[str, Any]:
    """How systems were compared, if all were compared alike; what a result does not say is None."""
    options = [each.get("options", {}) for each in comparisons]
    names = ("test", "alternative", "correction", "alpha", "confidence_level")
    return {
        name: options[0].get(name)
        if options and all(each.get(name) == options[0].get(name) for each in options)
        else None
        for name in names
    } | {"tests": len(comparisons), "significant": sum(each["significant"] for each in comparisons)}


def _group_tables(results: Results) -> list[GroupTable]:
    """A table a score, each module's first one open; of very many groups the largest."""
    tables: list[GroupTable] = []
    grouped = (entry for entry in results.entries() if entry.group is not None)
    for (module, score), entries in _by_score(grouped).items():
        systems = list(dict.fromkeys(entry.system for entry in entries))
        cells = {(str(entry.group), entry.system): entry for entry in entries}
        sizes: dict[str, int] = {}
        for entry in entries:
            sizes[str(entry.group)] = max(sizes.get(str(entry.group), 0), entry.rows)
        largest = set(sorted(sizes, key=lambda group: -sizes[group])[:_GROUPS])
        axis = axis_of([0.0, *(entry.value for entry in entries)])
        rows = []
        for group, size in sizes.items():
            if group in largest:
                own = [cells.get((group, system)) for system in systems]
                dots = [None if each is None else _dot(axis, each.value, None) for each in own]
                rows.append(GroupRow(group, size, dots, _best([each for each in own if each])))
        is_open = all(table.module != module for table in tables)  # the first score of a module
        lower = entries[0].lower
        left_out = len(sizes) - len(rows)
        tables.append(GroupTable(module, score, lower, systems, rows, left_out, is_open))
    return tables
