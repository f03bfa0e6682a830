"""Standings of systems, and the tables that show results."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .breakdowns import breakdown_tables, breakdowns
from .comparison_tables import statement
from .comparison_tables import table as table_of_differences
from .comparisons import Comparison, Rank, ranks
from .module_results import Systems
from .records import ScoreRecord
from .rendering import (
    PLAIN,
    Cell,
    Notation,
    NumberFormat,
    Table,
    counted,
    label,
    listed_names,
)

_MANY = 4  # scores of a single system, which get a row each
_LISTED = 8  # systems up to which every pair has a line
_LETTERED = 25  # systems; more letters cannot be read

LETTERS_NOTE = "Systems whose scores share a letter cannot be told apart."
BOLD_NOTE = "Bold: tier 1, the best system and all systems that are not significantly worse."
RANKS_NOTE = (
    "Tier 1: the best system and all systems that are not significantly worse. Ranks: the possible "
    "ranks of a system, simultaneous for all systems."
)

Key = tuple[str, str]  # a module and its score


@dataclass(frozen=True)
class Standings:
    """Ranks, tiers and letters of systems, derived from their comparisons."""

    systems: Systems
    comparisons: Sequence[Comparison]

    def module_of(self, comparison: Comparison) -> str:
        """Return the module of a comparison; if it is not recorded, the first with the score."""
        if "module" in comparison:
            return str(comparison["module"])
        modules = self.systems.get(comparison["a"], {})
        return next((m for m, r in modules.items() if comparison["score"] in r.scores), "")

    def is_lower_better(self, comparison: Comparison) -> bool:
        """Return whether the system with the lower mean is the better one."""
        result = self.systems.get(comparison["a"], {}).get(self.module_of(comparison))
        return result is not None and comparison["score"] in result.lower_is_better

    @cached_property
    def families(self) -> dict[Key, list[Comparison]]:
        """Return the comparisons by each module and score."""
        families: dict[Key, list[Comparison]] = {}
        for comparison in self.comparisons:
            key = self.module_of(comparison), comparison["score"]
            families.setdefault(key, []).append(comparison)
        return families

    @cached_property
    def ranks(self) -> dict[Key, dict[str, Rank]]:
        """Return the ranks of systems by module and score, best first, where all were compared."""
        found = {}
        for (module, score), comparisons in self.families.items():
            means = {
                system: results[module].scores[score]
                for system, results in self.systems.items()
                if module in results and score in results[module].scores
            }
            found[module, score] = ranks(comparisons, means, self.is_lower_better(comparisons[0]))
        return {key: systems for key, systems in found.items() if systems}

    def first_tier(self, key: Key) -> list[str]:
        """Return the systems of the first tier; none if all systems are in it.

        Without comparisons there are no tiers: the highest of several numbers may be so by chance.
        """
        tiers = {system: rank["tier"] for system, rank in self.ranks.get(key, {}).items()}
        return [system for system, tier in tiers.items() if tier == 1 < max(tiers.values())]

    def letters(self, system: str, key: Key) -> str:
        """Return the letters after a score; scores that share one cannot be told apart.

        None for two systems, whose difference has a line of its own.
        """
        ranks = self.ranks.get(key, {})
        return ranks[system]["letters"] if 2 < len(ranks) <= _LETTERED else ""

    def legend(self) -> str:
        """Return the meaning of letters and bold type; empty without comparisons."""
        if self.comparisons and not any(c["significant"] for c in self.comparisons):
            return "No difference is significant."
        notes = []
        if any(2 < len(systems) <= _LETTERED for systems in self.ranks.values()):
            notes.append(LETTERS_NOTE)
        if any(map(self.first_tier, self.ranks)):
            notes.append(BOLD_NOTE)
        return " ".join(notes)

    def rank_table(self, systems: Sequence[str], notation: Notation = PLAIN) -> Table | None:
        """Return the ranks of these systems, best first; None unless three or more were ranked."""
        records: dict[Key, list[ScoreRecord]] = {}
        for record in shown_records(self.systems):
            if record.group is None and len(self.ranks.get(record.key, ())) > 2:
                records.setdefault(record.key, []).append(record)
        if not records:
            return None
        rows = []
        for key, members in records.items():
            form = format_of(members, notation)
            by_system = {record.system: record for record in members}
            for system, rank in self.ranks[key].items():
                if system in systems:
                    names = [form.heading(label(key[1])), label(system)]
                    value = form.number(by_system[system].number)
                    rows.append(
                        [*names, value, str(rank["tier"]), rank_range(rank["rank_interval"])]
                    )
        header = ["score", "system", "value", "tier", "ranks"]
        return Table(header, rows, 2, set(), RANKS_NOTE, "Ranks", kind="ranks")


def rank_range(ends: Sequence[int]) -> str:
    """Return the best and the worst possible rank.

    >>> rank_range([1, 1]), rank_range([2, 3])
    ('1', '2-3')
    """
    low, high = ends
    return str(low) if low == high else f"{low}-{high}"


def records(systems: Systems) -> Iterator[ScoreRecord]:
    """Yield every score that is a single number, for all rows and for each group."""
    for system, modules in systems.items():
        for module, result in modules.items():
            yield from result.records(system, module)


def shown_records(systems: Systems, *, with_counts: bool = False) -> list[ScoreRecord]:
    """Return the scores that tables show; counts only where a module has nothing else."""
    listed = list(records(systems))
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


def tables(
    standings: Standings,
    visible: Sequence[str],
    notation: Notation = PLAIN,
    *,
    agreement: str = "",
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
        agreement: a note below the scores about the scores of a log.
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
        notes = [standings.legend(), _missing(systems, visible), label(agreement)]
        note = " ".join(filter(None, notes))
        shown.append(table._replace(note=note, title=_title(systems, "Scores", overall)))
    if grouped:
        table = _groups(standings, grouped, notation, label(group_field))
        shown.append(table._replace(title=_title(systems, "Scores of groups", grouped)))
    visible_systems = {name: systems[name] for name in systems if name in visible}
    shown += breakdown_tables(breakdowns(visible_systems), notation)
    ranks_table = standings.rank_table(visible, notation)
    if ranks_table and len(systems) > _LISTED:
        further = f"{len(comparisons):,} comparisons are in CSV and JSON. {statement(comparisons)}"
        shown.append(ranks_table._replace(note=f"{ranks_table.note} {further}"))
        return shown
    if ranks_table:
        shown.append(ranks_table)
    pairs = [c for c in comparisons if c["a"] in visible and c["b"] in visible]
    if pairs:
        shown.append(table_of_differences(pairs, standings.is_lower_better, notation))
    return shown


def _one_system(standings: Standings, records: Sequence[ScoreRecord], notation: Notation) -> Table:
    """Return a row for each score."""
    formats = [format_of([record], notation) for record in records]
    pairs = list(zip(records, formats, strict=True))
    names = [form.heading(label(record.score)) for record, form in pairs]
    numbers = [_number(standings, record, form) for record, form in pairs]
    intervals = [form.interval(record.interval) for record, form in pairs]
    table = Table.of(
        [("score", names)],
        [(label(records[0].system), numbers), (f"{_level(standings.systems)}interval", intervals)],
    )
    return table._replace(kind="scores")


def _scores(standings: Standings, records: Sequence[ScoreRecord], notation: Notation) -> Table:
    """Return a row for each system and a column for each score, the first tier in bold."""
    systems = list(dict.fromkeys(record.system for record in records))
    names = [("system", [label(system) for system in systems])]
    table = _by_score(standings, names, records, notation)
    best = {
        (row, column)
        for column, key in enumerate(dict.fromkeys(r.key for r in records), start=len(names))
        for row, system in enumerate(systems)
        if system in standings.first_tier(key)
    }
    return table._replace(best=best, kind="scores")


def _groups(
    standings: Standings, records: Sequence[ScoreRecord], notation: Notation, field: str
) -> Table:
    """Return a row for each system and group; rows are those of the first module."""
    first: dict[Any, ScoreRecord] = {}
    for record in records:
        first.setdefault((record.system, record.group), record)
    rows = list(first.values())
    names = [
        ("system", [label(record.system) for record in rows]),
        (field, [label(str(record.group)) for record in rows]),
        ("rows", [str(record.n or "") for record in rows]),
    ]
    table = _by_score(standings, names, records, notation)
    return table._replace(labels=2, kind="groups")


def _by_score(
    standings: Standings,
    names: Sequence[tuple[str, list[str]]],
    records: Sequence[ScoreRecord],
    notation: Notation,
) -> Table:
    """Return a table with a row for each system and group, and a column for each score."""
    keys = dict.fromkeys((record.system, record.group) for record in records)
    by_score: dict[Key, dict[Any, ScoreRecord]] = {}
    for record in records:
        by_score.setdefault(record.key, {})[record.system, record.group] = record
    columns = []
    for key, members in by_score.items():
        form = format_of(list(members.values()), notation)
        cells = [
            Cell(
                _number(standings, members[row], form),
                standings.letters(row[0], key) if row[1] is None else "",
                form.interval(members[row].interval),
            )
            if row in members
            else ""
            for row in keys
        ]
        columns.append((form.heading(label(key[1])), cells))
    return Table.of(names, columns)


def _number(standings: Standings, record: ScoreRecord, form: NumberFormat) -> str:
    """Return the score, or its bounds if rows are missing."""
    result = standings.systems[record.system][record.module]
    values = vars(result) if record.group is None else result.groups[record.group]
    bounds: Mapping[str, Sequence[float]] = values.get("score_bounds", {})
    ends = dict.fromkeys(bounds.get(record.score, [record.number]))
    return " to ".join(map(form.number, ends))


def _missing(systems: Systems, visible: Iterable[str]) -> str:
    """Return how many rows systems lack, and what the bounds of scores mean."""
    lists = []
    for name in visible:
        gaps = (result.missing_rows or 0 for result in systems[name].values())
        if rows := max(gaps, default=0):
            lists.append(f"{label(name)} lacks {counted(rows, 'row')}")
    if not lists:
        return ""
    return (
        f"{listed_names(lists, len(lists))}: whatever these rows are, the score is between the two "
        "numbers; the interval is for both ends."
    )


def _level(systems: Systems) -> str:
    """Return the level of intervals, such as "95% "; "" if results differ in it or have none."""
    levels = {
        result.options.get("confidence_level")
        for modules in systems.values()
        for result in modules.values()
    }
    level = levels.pop() if len(levels) == 1 else None
    return f"{100 * level:g}% " if level else ""


def _title(systems: Systems, name: str, records: Iterable[ScoreRecord]) -> str:
    """Return the title of a table of scores, with the level of its intervals if it has any."""
    has_intervals = any(record.interval for record in records)
    return f"{name} with {_level(systems)}intervals" if has_intervals else name
