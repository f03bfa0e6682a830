"""The panels of a page: axes with a dot and an interval for each system, pair and group."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...evaluation.results.comparisons import Comparison, number_range, winner_first
from ...evaluation.results.comparisons import table as table_of
from ...evaluation.results.rendering import (
    PLAIN,
    NumberFormat,
    RenderedEntry,
    as_html,
    best_entries,
    format_of_entries,
    formats_of_differences,
    interval_of_difference,
    p_value,
    scored_by,
)
from ...evaluation.results.results import Results
from .axes import Axis, fit_axis

NAME_LENGTH = 22  # characters that fit beside an axis; longer names go above it
_MAX_GROUPS = 60  # groups per table
_MAX_OPEN_LINES = 12  # lines of a panel that are visible before it is expanded
_MAX_PAIRED = 12  # up to this many systems, all pairs have lines; beyond, only those with the best
_MIN_MATRIX = 4  # systems from which a matrix shows all pairs
_MAX_TABLE = 400  # lines of the table of differences
_CELL, _SMALL_CELL = 16, 14  # pixels from one cell of a matrix to the next, if systems have letters


class Dot(NamedTuple):
    """A number with its interval, as text and as positions on an axis in percent."""

    value: float
    text: str
    position: float | None  # None if the number is not finite
    interval: str = ""
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
    p: str
    is_significant: bool
    better: str  # "a", "b" after a one-sided test, or "" if they are equal


class MatrixPanel(NamedTuple):
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
    matrix: MatrixPanel | None = None
    is_partial: bool = False  # whether only pairs with the best system have lines
    is_untested: bool = False  # whether systems were compared by other scores only


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


def _dot(axis: Axis, value: float, text: str, ends: Sequence[float] | None, interval: str) -> Dot:
    """Return a number and its interval, as written; without one that is not finite."""
    position = axis.percent(value) if math.isfinite(value) else None
    if ends is None or not all(map(math.isfinite, ends)):
        return Dot(value, text, position)
    low, high = map(axis.percent, ends)
    return Dot(value, text, position, interval, low, high)


def _dot_of_entry(axis: Axis, entry: RenderedEntry, number_format: NumberFormat) -> Dot:
    value = entry.value
    text = f"{value:,}" if isinstance(value, int) else number_format.number(value)
    return _dot(axis, value, text, entry.interval, number_format.interval(entry.interval))


def _by_score(entries: Iterable[RenderedEntry]) -> dict[tuple[str, str], list[RenderedEntry]]:
    """Return the numbers of each module and score."""
    scores: dict[tuple[str, str], list[RenderedEntry]] = {}
    for entry in entries:
        scores.setdefault((entry.module, entry.score), []).append(entry)
    return scores


def score_panels(results: Results) -> list[Panel]:
    """Return a panel for each score, with a line for each system.

    The axis covers every interval.
    """
    standings = results.standings
    marks, tiers, untested = standings.marks(), standings.tiers(), standings.untested()
    panels = []
    overall = (entry for entry in results.entries() if entry.group is None)
    for (module, score), entries in _by_score(overall).items():
        best = best_entries(entries, tiers.get((module, score)))
        ends = (end for entry in entries for end in entry.interval or ())
        axis = fit_axis([*(entry.value for entry in entries), *ends])
        number_format = format_of_entries(entries, PLAIN)
        is_untested = (module, score) in untested
        letters = {} if is_untested else standings.letters
        lines = [
            ScoreLine(
                entry.system,
                _dot_of_entry(axis, entry, number_format),
                entry in best,
                marks.get((entry.system, module, score), ""),
                letters.get(entry.system, ""),
            )
            for entry in entries
        ]
        panels.append(Panel(module, score, entries[0].lower, axis, lines, is_untested=is_untested))
    return panels


def difference_panels(results: Results) -> list[Panel]:
    """Return a panel for each score, with a line for each pair of systems; the axis includes zero.

    If there are many systems, only pairs with the best one have lines, and a matrix shows all
    pairs.
    """
    panels: list[Panel] = []
    if not results.comparisons:
        return panels
    formats = formats_of_differences(results.comparisons, PLAIN)
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
        lines = [
            _difference_line(axis, comparison, lower, formats[scored_by(comparison)])
            for comparison in comparisons
        ]
        is_open = len(lines) <= _MAX_OPEN_LINES
        matrix = _matrix(results, module, score) if len(ranks) >= _MIN_MATRIX else None
        panels.append(Panel(module, score, lower, axis, lines, is_open, matrix, is_partial))
    return panels


def difference_table(results: Results) -> str:
    """Return the table of all differences as HTML; empty if there are none or too many."""
    if not 0 < len(results.comparisons) <= _MAX_TABLE:
        return ""
    letters = results.standings.letters
    is_long = max(map(len, results.systems)) > NAME_LENGTH
    lower = results.standings.is_lower_better
    table = table_of(results.comparisons, lower, letters if is_long else {})
    return as_html([table._replace(note="")], [])


def _matrix(results: Results, module: str, score: str) -> MatrixPanel:
    """Return the matrix of all ranked systems, with gaps of 2 pixels between its cells."""
    ranks = list(results.standings.ranks[module, score])
    position = {system: number for number, system in enumerate(ranks)}
    letters = results.standings.letters
    step = _CELL if letters else _SMALL_CELL
    square = f"h{step - 2}v{step - 2}h{2 - step}z"
    better, worse = [], []
    for winner, loser in sorted(
        results.standings.winners[module, score],
        key=lambda pair: (position[pair[0]], position[pair[1]]),
    ):
        first, second = position[winner], position[loser]
        better.append(f"M{step * second} {step * first}{square}")
        worse.append(f"M{step * first} {step * second}{square}")
    names = [
        (letters.get(system, str(number)), system) for number, system in enumerate(ranks, start=1)
    ]
    return MatrixPanel(names, step, "".join(better), "".join(worse))


def _difference_line(
    axis: Axis, comparison: Comparison, lower: bool, number_format: NumberFormat
) -> DifferenceLine:
    """Return a comparison as a line; `lower` says whether lower is better."""
    difference = comparison["diff"]
    better = ""
    if difference:
        better = "a" if (difference > 0) != lower else "b"
    text = number_format.number(difference, signed=True)
    interval = interval_of_difference(comparison, number_format)
    return DifferenceLine(
        comparison["a"],
        comparison["b"],
        _dot(axis, difference, text, comparison["confidence_interval"], interval),
        p_value(comparison["p_adjusted"]),
        comparison["significant"],
        better,
    )


def comparison_options(comparisons: Sequence[Comparison]) -> Mapping[str, Any]:
    """Return the options that all comparisons share, None for others, and their counts."""
    shared: dict[str, Any] = {}
    for name in ("test", "alternative", "correction", "alpha", "confidence_level"):
        values = [comparison.get("options", {}).get(name) for comparison in comparisons]
        shared[name] = values[0] if values and values.count(values[0]) == len(values) else None
    for name, key in (("rows", "rows"), ("clusters", "n_clusters")):
        shared[name] = number_range(comparison.get(key) for comparison in comparisons)
    significant = sum(comparison["significant"] for comparison in comparisons)
    return {**shared, "tests": len(comparisons), "significant": significant}


def group_tables(results: Results) -> list[GroupTable]:
    """Return a table for each score, with the first of each module expanded; at most 60 groups."""
    tables: list[GroupTable] = []
    grouped = (entry for entry in results.entries() if entry.group is not None)
    for (module, score), entries in _by_score(grouped).items():
        systems = list(dict.fromkeys(entry.system for entry in entries))
        sizes = _group_sizes(entries)
        largest = set(sorted(sizes, key=lambda group: -sizes[group])[:_MAX_GROUPS])
        ends = (end for entry in entries for end in entry.interval or ())
        axis = fit_axis([0.0, *(entry.value for entry in entries), *ends])
        cells = {(str(entry.group), entry.system): entry for entry in entries}
        number_format = format_of_entries(entries, PLAIN)
        dots = {cell: _dot_of_entry(axis, entry, number_format) for cell, entry in cells.items()}
        rows = [
            GroupRow(group, size, [dots.get((group, system)) for system in systems])
            for group, size in sizes.items()
            if group in largest
        ]
        is_open = all(table.module != module for table in tables)
        lower = entries[0].lower
        omitted = len(sizes) - len(rows)
        tables.append(GroupTable(module, score, lower, systems, rows, omitted, is_open))
    return tables


def _group_sizes(entries: Iterable[RenderedEntry]) -> dict[str, int]:
    """Return the size of each group, in the system where it is largest."""
    sizes: dict[str, int] = {}
    for entry in entries:
        group = str(entry.group)
        sizes[group] = max(sizes.get(group, 0), entry.rows)
    return sizes
