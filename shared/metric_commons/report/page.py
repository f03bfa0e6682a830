"""The page: the values for the template, and the rendered template."""

import json
import math
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ..files.stored import to_jsonable
from ..results.breakdowns import breakdown_tables
from ..results.comparisons import (
    CORRECTED_BY,
    NOT_EQUAL,
    SIMULTANEOUS,
    Comparison,
    interval_of_difference,
    number_range,
    winner_first,
)
from ..results.comparisons import table as table_of
from ..results.module_results import breakdowns
from ..results.rendering import Entry, Table, as_html, best_entries, p_value
from ..results.result_tables import RANKS_NOTE
from ..results.results import Results
from .axes import Axis, fit_axis
from .examples import Examples

_TEMPLATE = Path(__file__).with_name("page.html")
_START_LENGTH = 280  # characters of a text that are visible before it is expanded
_MAX_LENGTH = 20_000  # characters of a text that are included in the page at all
_MAX_REFERENCES = 12  # references that are visible before the others are expanded
_MAX_PARTS = 400  # parts of an alignment
_MAX_GROUPS = 60  # groups per table
_NAME_LENGTH = 22  # characters that fit beside an axis; longer names go above it
_MAX_OPEN_LINES = 12  # lines of a panel that are visible before it is expanded
_MAX_PAIRED = 12  # up to this many systems, all pairs have lines; beyond, only those with the best
_MIN_MATRIX = 4  # systems from which a matrix shows all pairs
_MAX_TABLE = 400  # lines of the table of differences
_CELL, _SMALL_CELL = 16, 14  # pixels from one cell of a matrix to the next, if systems have letters
_DIGITS = 8  # of a SHA-256 in the heading
_MAX_ANSWERS = 12  # answers to a question that are included in the page
_MAX_RANKS = 36  # lines of the table of ranks that are visible before it is expanded
_JOINERS = "\u200c\u200d"  # invisible, but required by some scripts and emoji


class Dot(NamedTuple):
    """A number with its interval, as text and as positions on an axis in percent."""

    value: float
    text: str
    position: float | None  # None if the number is not finite
    interval: Sequence[float] | None = None
    low: float = 0.0
    high: float = 0.0


class ScoreLine(NamedTuple):
    """The score of a system."""

    system: str
    dot: Dot
    is_best: bool
    marks: str  # the letters of systems that are significantly worse
    letter: str  # of the system


class DifferenceLine(NamedTuple):
    """The difference between two systems."""

    a: str
    b: str
    dot: Dot
    interval: str
    p: str
    is_significant: bool
    better: str  # "a", "b" after a one-sided test, or "" if they are equal


class Matrix(NamedTuple):
    """All pairs of systems for one score, in the order of their ranks: two sets of cells."""

    names: Sequence[tuple[str, str]]  # the letter or number of each system, and its name
    cell: int  # the distance of two cells in pixels
    better: str  # cells as an SVG path: the system of the row is significantly better
    worse: str


class Panel(NamedTuple):
    """A score: an axis, and a line for each system or pair of systems."""

    module: str
    score: str
    is_lower_better: bool
    axis: Axis
    lines: Sequence[Any]
    is_open: bool = True
    matrix: Matrix | None = None
    is_partial: bool = False  # whether only pairs with the best system have lines


class GroupRow(NamedTuple):
    """A group: its number of rows, and a dot for each system."""

    group: str
    size: int
    dots: Sequence[Dot | None]


class GroupTable(NamedTuple):
    """A score: a row for each group, a column for each system."""

    module: str
    score: str
    is_lower_better: bool
    systems: Sequence[str]
    rows: Sequence[GroupRow]
    omitted: int  # smaller groups
    is_open: bool


class Text(NamedTuple):
    """A text of the data: its visible start, the collapsed rest, and the length left out."""

    start: str
    folded: str
    omitted: int  # characters


def render(results: Results, examples: Examples) -> str:
    """The page as a single file, without scripts and external resources.

    Everything from the data is escaped. Characters that are invisible, that change the direction of
    the following text, or that UTF-8 cannot encode, are spelled out.
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "visible": visible,
        "short": shortened,
        "fold": fold,
        "number": _format_number,
        "time": _format_time,
    }
    template = environment.from_string(_TEMPLATE.read_text("utf-8"))
    results = _sorted(results)
    rows = {result.rows for modules in results.systems.values() for result in modules.values()}
    tables = results.tables()
    rank_table = _rank_table(results)
    provenance = results.provenance
    level = _level(results)
    page = template.render(
        results=results,
        data_names=_data_names(results),
        files=_file_names(results),
        level=f"{100 * level:g} %" if level else "",
        main_scores={module: next(iter(scores), "") for module, scores in _modules(results)},
        systems=list(results.systems),
        sentences=results.sentences(),
        rows=sorted(rows),
        has_long_names=max(map(len, results.systems), default=0) > _NAME_LENGTH,
        score_table=Markup(as_html(tables[:1], [])),
        difference_table=Markup(_difference_table(results)),
        letters=results.standings.letters,
        rank_count=len(rank_table.rows) if rank_table else 0,
        max_ranks=_MAX_RANKS,
        max_answers=_MAX_ANSWERS,
        rank_table=Markup(as_html([rank_table], [])) if rank_table else "",
        panels=_score_panels(results),
        differences=_difference_panels(results),
        comparison_options=_comparison_options(results.comparisons),
        corrected_by=CORRECTED_BY,
        not_equal=NOT_EQUAL,
        simultaneous=SIMULTANEOUS,
        groups=_group_tables(results),
        breakdowns=[
            (table.title, Markup(as_html([table._replace(title="")], [])))
            for table in breakdown_tables(breakdowns(results.systems))
        ],
        examples=examples,
        signatures=results.signatures(),
        inputs=[_input_row(source) for source in provenance.get("inputs", [])],
        versions=provenance.get("versions", {}),
        created=provenance.get("created", ""),
        options=_options(results),
        config=_json(provenance["config"]) if "config" in provenance else "",
        max_references=_MAX_REFERENCES,
        max_parts=_MAX_PARTS,
    )
    return page.lstrip()


def _modules(results: Results) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The modules with their scores, those of the first system last, whose order counts."""
    for modules in reversed(results.systems.values()):
        for module, result in modules.items():
            yield module, result.scores


def _level(results: Results) -> float | None:
    """The level of all intervals; None if there are none, or several levels."""
    levels = {
        result.options.get("confidence_level")
        for modules in results.systems.values()
        for result in modules.values()
        if result.confidence_interval
    }
    return levels.pop() if len(levels) == 1 else None


def _data_names(results: Results) -> list[str]:
    """The names of the data: the tasks of logs, or the files of references without suffix."""
    provenance = results.provenance
    names = {
        str(log["task"]): None for log in provenance.get("logs", {}).values() if log.get("task")
    }
    columns = [columns for columns in provenance.get("columns", {}).values() if columns]
    files = [column.get("references") or next(iter(column.values())) for column in columns]
    names |= {Path(file["path"]).name.partition(".")[0]: None for file in files}
    return list(names)


def _file_names(results: Results) -> list[str]:
    """The input files as they were named, with the first digits of their SHA-256."""
    return [
        f"{source['path']} ({str(source.get('sha256', ''))[:_DIGITS]})"
        for source in results.provenance.get("inputs", [])
        if "path" in source
    ]


def _sorted(results: Results) -> Results:
    """The results with the best system first, by the first score that is compared or a number."""
    for module, score in results.standings.ranks:
        return results.sort(f"{module}.{score}")
    for entry in results.entries():
        return results.sort(f"{entry.module}.{entry.score}")
    return results


def _rank_table(results: Results) -> Table | None:
    """The ranks, without pairwise signs, for which the page has a matrix."""
    table = results.standings.rank_table(results.visible_systems())
    if table is None or table.header[-1] != "pairs":
        return table
    rows = [row[:-1] for row in table.rows]
    return table._replace(header=table.header[:-1], rows=rows, note=RANKS_NOTE)


def shortened(name: str) -> str:
    """A long name reduced to both ends, since systems of one family may differ in either.

    >>> shortened("organisation/model-7b-instruct"), shortened("bot")
    ('organisat…7b-instruct', 'bot')
    """
    half = _NAME_LENGTH // 2
    return name if len(name) <= _NAME_LENGTH else f"{name[: half - 2]}…{name[-half:]}"


def _options(results: Results) -> dict[str, str]:
    """The options of each module, listed once for systems that share them."""
    systems: dict[tuple[str, str], list[str]] = {}
    for system, modules in results.systems.items():
        for module, result in modules.items():
            systems.setdefault((module, _json(result.options)), []).append(system)
    modules_of_options = [module for module, _ in systems]
    return {
        module
        if modules_of_options.count(module) == 1
        else f"{module} · {', '.join(names)}": options
        for (module, options), names in systems.items()
    }


def visible(text: str) -> str:
    r"""`text` with invisible characters spelled out, as Python writes them in a string.

    >>> visible("a\u202eb\x00\ud800 é 🙂\n")
    'a\\u202eb\\x00\\ud800 é 🙂\n'
    """
    if text.isprintable():
        return text
    return "".join(map(_spell_out, text))


def fold(value: Any) -> Text:
    """A value of the data as a text, of which only the start is visible at first.

    >>> text = fold("word " * 100)
    >>> text.start[-6:], len(text.folded), fold(["é"]).start
    ('word …', 220, '["é"]')
    """
    text = visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    start, folded = text[:_START_LENGTH], text[_START_LENGTH:_MAX_LENGTH]
    return Text(start + "…" if folded else start, folded, max(0, len(text) - _MAX_LENGTH))


def _spell_out(character: str) -> str:
    """Spaces, line breaks and joiners unchanged; other unprintable characters in ASCII."""
    if character.isprintable() or character in f"\n\t{_JOINERS}":
        return character
    if unicodedata.category(character) == "Zs":
        return character
    return ascii(character)[1:-1]


def _format_number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def _format_time(text: str) -> str:
    """A time in readable form; other texts unchanged."""
    try:
        time = datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return text
    return f"{time:%Y-%m-%d %H:%M} UTC"


def _json(value: Any) -> str:
    return json.dumps(to_jsonable(value), ensure_ascii=False, indent=2)


def _input_row(source: Mapping[str, Any]) -> dict[str, str]:
    """Path, SHA-256 and rows of an input; empty if the result does not record them."""
    rows = source.get("rows")
    return {
        "path": str(source.get("path", "")),
        "sha256": str(source.get("sha256", "")),
        "rows": f"{rows:,}" if isinstance(rows, int) else "",
    }


def _dot(axis: Axis, value: float, interval: Sequence[float] | None, spec: str = ".4f") -> Dot:
    text = f"{value:{spec}}" if isinstance(value, float) else f"{value:,}"
    position = axis.percent(value) if math.isfinite(value) else None
    if interval is None or not all(map(math.isfinite, interval)):
        return Dot(value, text, position)
    low, high = interval
    return Dot(value, text, position, interval, axis.percent(low), axis.percent(high))


def _by_score(entries: Iterable[Entry]) -> dict[tuple[str, str], list[Entry]]:
    """The numbers of each module and score."""
    scores: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        scores.setdefault((entry.module, entry.score), []).append(entry)
    return scores


def _score_panels(results: Results) -> list[Panel]:
    """A panel for each score, with a line for each system; the axis covers every interval."""
    standings = results.standings
    letters, marks, tiers = standings.letters, standings.marks(), standings.tiers()
    panels = []
    overall = (entry for entry in results.entries() if entry.group is None)
    for (module, score), entries in _by_score(overall).items():
        best = best_entries(entries, tiers.get((module, score)))
        ends = (end for entry in entries for end in entry.interval or ())
        axis = fit_axis([*(entry.value for entry in entries), *ends])
        lines = [
            ScoreLine(
                entry.system,
                _dot(axis, entry.value, entry.interval),
                entry in best,
                marks.get((entry.system, module, score), ""),
                letters.get(entry.system, ""),
            )
            for entry in entries
        ]
        panels.append(Panel(module, score, entries[0].lower, axis, lines))
    return panels


def _difference_panels(results: Results) -> list[Panel]:
    """A panel for each score, with a line for each pair of systems; the axis includes zero.

    If there are many systems, only pairs with the best one have lines, and a matrix shows all
    pairs.
    """
    panels: list[Panel] = []
    for (module, score), pairs in results.standings.families.items():
        ranks = list(results.standings.ranks.get((module, score), {}))
        is_partial = len(ranks) > _MAX_PAIRED
        lower = results.standings.is_lower_better(pairs[0])
        comparisons = [
            winner_first(pair, lower)
            for pair in pairs
            if not is_partial or ranks[0] in (pair["a"], pair["b"])
        ]
        differences = [comparison["diff"] for comparison in comparisons]
        ends = (end for comparison in comparisons for end in comparison["confidence_interval"])
        values = [0.0, *differences, *ends]
        axis = fit_axis(values if any(values) else [-0.5, 0.5])
        lines = [_difference_line(axis, comparison, lower) for comparison in comparisons]
        is_open = len(lines) <= _MAX_OPEN_LINES
        matrix = _matrix(results, module, score) if len(ranks) >= _MIN_MATRIX else None
        panels.append(Panel(module, score, lower, axis, lines, is_open, matrix, is_partial))
    return panels


def _difference_table(results: Results) -> str:
    """The table of all differences as HTML; empty if there are none or too many."""
    if not 0 < len(results.comparisons) <= _MAX_TABLE:
        return ""
    letters = results.standings.letters
    is_long = max(map(len, results.systems)) > _NAME_LENGTH
    lower = results.standings.is_lower_better
    table = table_of(results.comparisons, lower, letters if is_long else {})
    return as_html([table._replace(note="")], [])


def _matrix(results: Results, module: str, score: str) -> Matrix:
    """The matrix of all ranked systems, with gaps of 2 pixels between its cells."""
    ranks = list(results.standings.ranks[module, score])
    position = {system: number for number, system in enumerate(ranks)}
    letters = results.standings.letters
    step = _CELL if letters else _SMALL_CELL
    square = f"h{step - 2}v{step - 2}h{2 - step}z"
    cells: dict[bool, list[str]] = {True: [], False: []}
    for winner, loser in sorted(
        results.standings.winners[module, score],
        key=lambda pair: (position[pair[0]], position[pair[1]]),
    ):
        first, second = position[winner], position[loser]
        cells[True].append(f"M{step * second} {step * first}{square}")
        cells[False].append(f"M{step * first} {step * second}{square}")
    names = [
        (letters.get(system, str(number)), system) for number, system in enumerate(ranks, start=1)
    ]
    return Matrix(names, step, "".join(cells[True]), "".join(cells[False]))


def _difference_line(axis: Axis, comparison: Comparison, lower: bool) -> DifferenceLine:
    """A comparison as a line; `lower` says whether lower is better."""
    difference = comparison["diff"]
    better = ""
    if difference:
        better = "a" if (difference > 0) != lower else "b"
    return DifferenceLine(
        comparison["a"],
        comparison["b"],
        _dot(axis, difference, comparison["confidence_interval"], "+.4f"),
        interval_of_difference(comparison),
        p_value(comparison["p_adjusted"]),
        comparison["significant"],
        better,
    )


def _comparison_options(comparisons: Sequence[Comparison]) -> Mapping[str, Any]:
    """The options that all comparisons share, None for others, and how many are significant."""
    shared: dict[str, Any] = {}
    for name in ("test", "alternative", "correction", "alpha", "confidence_level"):
        values = [comparison.get("options", {}).get(name) for comparison in comparisons]
        shared[name] = values[0] if values and values.count(values[0]) == len(values) else None
    for name, key in (("rows", "rows"), ("clusters", "n_clusters")):
        shared[name] = number_range(comparison.get(key) for comparison in comparisons)
    shared["simultaneous"] = all(comparison.get("simultaneous") for comparison in comparisons)
    significant = sum(comparison["significant"] for comparison in comparisons)
    return {**shared, "tests": len(comparisons), "significant": significant}


def _group_tables(results: Results) -> list[GroupTable]:
    """A table for each score, with the first of each module expanded; at most 60 groups."""
    tables: list[GroupTable] = []
    grouped = (entry for entry in results.entries() if entry.group is not None)
    for (module, score), entries in _by_score(grouped).items():
        systems = list(dict.fromkeys(entry.system for entry in entries))
        sizes = _group_sizes(entries)
        largest = set(sorted(sizes, key=lambda group: -sizes[group])[:_MAX_GROUPS])
        ends = (end for entry in entries for end in entry.interval or ())
        axis = fit_axis([0.0, *(entry.value for entry in entries), *ends])
        cells = {(str(entry.group), entry.system): entry for entry in entries}
        rows = [
            _group_row(axis, group, size, [cells.get((group, system)) for system in systems])
            for group, size in sizes.items()
            if group in largest
        ]
        is_open = all(table.module != module for table in tables)
        lower = entries[0].lower
        omitted = len(sizes) - len(rows)
        tables.append(GroupTable(module, score, lower, systems, rows, omitted, is_open))
    return tables


def _group_sizes(entries: Iterable[Entry]) -> dict[str, int]:
    """The size of each group, in the system where it is largest."""
    sizes: dict[str, int] = {}
    for entry in entries:
        group = str(entry.group)
        sizes[group] = max(sizes.get(group, 0), entry.rows)
    return sizes


def _group_row(axis: Axis, group: str, size: int, entries: Sequence[Entry | None]) -> GroupRow:
    """The row of a group; None stands for a system without this group."""
    dots = [entry and _dot(axis, entry.value, entry.interval) for entry in entries]
    return GroupRow(group, size, dots)
