"""The tables that show results: scores, groups, parts, ranks and differences."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .breakdowns import breakdown_tables
from .comparison_tables import table as table_of_differences
from .module_results import Systems
from .records import ScoreRecord
from .rendering import PLAIN, Cell, Notation, NumberFormat, Table, counted, label, listed_names
from .standings import Key, Standings

_MANY = 4  # scores of a single system, which get a row each
_LISTED = 8  # systems up to which every pair has a line

LETTERS_NOTE = "Systems whose scores share a letter cannot be told apart."
RANKS_NOTE = (
    "Tier 1: the best system and all that are not significantly worse. Ranks: all that are "
    "possible, for all systems together."
)


def rank_range(ends: Sequence[int]) -> str:
    """Return the best and the worst possible rank.

    >>> rank_range([1, 1]), rank_range([2, 3])
    ('1', '2-3')
    """
    low, high = ends
    return str(low) if low == high else f"{low}-{high}"


def shown_records(systems: Systems, *, with_counts: bool = False) -> list[ScoreRecord]:
    """Return the scores that tables show; counts only where a module has nothing else."""
    listed = list(Standings(systems, ()).records())
    measured = {record.module for record in listed if isinstance(record.value, float)}
    return [
        record
        for record in listed
        if with_counts or isinstance(record.value, float) or record.module not in measured
    ]


def format_of(records: Sequence[ScoreRecord], notation: Notation) -> NumberFormat:
    """Return the format of a column of one score."""
    values = [record.number for record in records]
    return notation.format_of_score(*records[0].key, values, [r.interval for r in records])


def legend(standings: Standings) -> str:
    """Return the meaning of letters and bold type; empty where nothing is told apart."""
    notes = []
    if any(pair["significant"] for pair in standings.comparisons):
        are_ranked = any(len(systems) > 2 for systems in standings.ranks.values())
        if any(standings.letters(next(iter(of)), key) for key, of in standings.ranks.items()):
            notes.append(LETTERS_NOTE)
        if any(map(standings.first_tier, standings.ranks)):
            notes.append("Bold: tier 1." if are_ranked else "Bold: the better system.")
    return " ".join(notes)


def rank_table(
    standings: Standings, systems: Sequence[str], notation: Notation = PLAIN
) -> Table | None:
    """Return the ranks of these systems, best first; None unless three or more were ranked."""
    rows = []
    for key, records in _by_score(standings.records()).items():
        ranks = standings.ranks.get(key, {})
        if len(ranks) < 3:
            continue
        form = format_of(list(records.values()), notation)
        for system, rank in ranks.items():
            if system in systems:
                value = form.number(records[system, None].number)
                place = str(rank["tier"]), rank_range(rank["rank_interval"])
                rows.append([form.heading(label(key[1])), label(system), value, *place])
    header = ["score", "system", "value", "tier", "ranks"]
    table = Table(header, rows, 2, set(), RANKS_NOTE, title="Ranks", kind="ranks")
    return table if rows else None


def tables(
    standings: Standings,
    visible: Sequence[str],
    notation: Notation = PLAIN,
    *,
    note: str = "",
    group_field: str = "group",
    with_counts: bool = False,
) -> list[Table]:
    """Return the table of scores and, if available, of groups, parts, ranks and comparisons.

    If three or more systems were compared, those whose scores share a letter cannot be told apart.
    Up to 8 systems have a line for each comparison. A single system with many scores has a row for
    each of them.

    Args:
        standings: the systems and their comparisons.
        visible: the systems to show.
        notation: of the numbers.
        note: what is said below the scores, too.
        group_field: the heading of the column of groups.
        with_counts: whether counts are shown beside scores.
    """
    systems, comparisons = standings.systems, standings.comparisons
    listed = [r for r in shown_records(systems, with_counts=with_counts) if r.system in visible]
    overall = [record for record in listed if record.group is None]
    grouped = [record for record in listed if record.group is not None]
    shown = []
    if overall:
        is_single = len(systems) == 1 and len(overall) >= _MANY
        table = (_one_system if is_single else _scores)(standings, overall, notation)
        notes = [legend(standings), _missing(systems, visible), label(note)]
        shown.append(table._replace(note=" ".join(filter(None, notes))))
    if grouped:
        shown.append(_groups(standings, grouped, notation, label(group_field)))
    shown += breakdown_tables({name: systems[name] for name in visible}, notation)
    ranks = rank_table(standings, visible, notation)
    pairs = [pair for pair in comparisons if pair["a"] in visible and pair["b"] in visible]
    differences = []
    if pairs:
        differences = [table_of_differences(pairs, standings.is_lower_better, notation)]
    if ranks and len(systems) > _LISTED:
        further = f"{len(comparisons):,} comparisons are in CSV and JSON."
        ranks = ranks._replace(note=f"{ranks.note} {further}")
        differences = []
    return [*shown, *filter(None, [ranks]), *differences]


def _one_system(standings: Standings, records: Sequence[ScoreRecord], notation: Notation) -> Table:
    """Return a row for each score."""
    names, numbers, intervals = [], [], []
    for record in records:
        form = format_of([record], notation)
        names.append(form.heading(label(record.score)))
        numbers.append(_number(standings, record, form))
        intervals.append(form.interval(record.interval))
    columns = [(label(records[0].system), numbers), (f"{_level(records)}interval", intervals)]
    return Table.of([("score", names)], columns, title=_title("Scores", records), kind="scores")


def _scores(standings: Standings, records: Sequence[ScoreRecord], notation: Notation) -> Table:
    """Return a row for each system and a column for each score, the first tier in bold."""
    systems = list(dict.fromkeys(record.system for record in records))
    best = {
        (row, column)
        for column, key in enumerate(_by_score(records), start=1)
        for row, system in enumerate(systems)
        if system in standings.first_tier(key)
    }
    columns = _columns(standings, records, notation)
    title = _title("Scores", records)
    table = Table.of([("system", [*map(label, systems)])], columns, title=title, kind="scores")
    return table._replace(best=best)


def _groups(
    standings: Standings, records: Sequence[ScoreRecord], notation: Notation, field: str
) -> Table:
    """Return a row for each system and group; rows are those of the first module."""
    first: dict[Any, ScoreRecord] = {}
    for record in records:
        first.setdefault((record.system, record.group), record)
    rows = first.values()
    names = [
        ("system", [label(record.system) for record in rows]),
        (field, [label(str(record.group)) for record in rows]),
        ("rows", [str(record.n or "") for record in rows]),
    ]
    columns, title = _columns(standings, records, notation), _title("Scores of groups", records)
    return Table.of(names, columns, title=title, kind="groups")._replace(labels=2)


Rows = dict[tuple[str, str | None], ScoreRecord]  # by system and group


def _by_score(records: Iterable[ScoreRecord]) -> dict[Key, Rows]:
    by_score: dict[Key, Rows] = {}
    for record in records:
        by_score.setdefault(record.key, {})[record.system, record.group] = record
    return by_score


def _columns(
    standings: Standings, records: Sequence[ScoreRecord], notation: Notation
) -> list[tuple[str, list[str]]]:
    """Return a column for each score, with a cell for each system and group."""
    rows = list(dict.fromkeys((record.system, record.group) for record in records))
    columns = []
    for key, members in _by_score(records).items():
        form = format_of(list(members.values()), notation)
        cells = [""] * len(rows)
        for place, record in members.items():
            letters = "" if record.group else standings.letters(record.system, key)
            number, interval = _number(standings, record, form), form.interval(record.interval)
            cells[rows.index(place)] = Cell(number, letters, interval)
        columns.append((form.heading(label(key[1])), cells))
    return columns


def _number(standings: Standings, record: ScoreRecord, form: NumberFormat) -> str:
    """Return the score, or its bounds if rows are missing."""
    result = standings.systems[record.system][record.module]
    values = result.values if record.group is None else result.groups[record.group]
    bounds: Mapping[str, Sequence[float]] = values.get("score_bounds", {})
    ends = dict.fromkeys(bounds.get(record.score, [record.number]))
    return " to ".join(map(form.number, ends))


def _missing(systems: Systems, visible: Iterable[str]) -> str:
    """Return how many rows systems lack, and what the bounds of scores mean."""
    lists = []
    for name in visible:
        gaps = [result.values.get("missing_rows", 0) for result in systems[name].values()]
        if rows := max(gaps, default=0):
            lists.append(f"{label(name)} lacks {counted(rows, 'row')}")
    if not lists:
        return ""
    return (
        f"{listed_names(lists, len(lists))}: whatever these rows are, the score is between the two "
        "numbers; the interval is for both ends."
    )


def _level(records: Iterable[ScoreRecord]) -> str:
    """Return the level of intervals, such as "95% "; "" if records differ in it or have none."""
    levels = {record.level for record in records} - {None}
    return f"{100 * (levels.pop() or math.nan):g}% " if len(levels) == 1 else ""


def _title(name: str, records: Sequence[ScoreRecord]) -> str:
    """Return the title of a table of scores, with the level of its intervals if it has any."""
    has_intervals = any(record.interval for record in records)
    return f"{name} with {_level(records)}intervals" if has_intervals else name
