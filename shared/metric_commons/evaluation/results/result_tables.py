"""The tables that show results: scores, groups, parts, ranks and differences."""

from collections.abc import Iterable, Mapping, Sequence

from .breakdowns import breakdown_tables
from .comparison_tables import table as table_of_differences
from .module_results import Systems
from .records import ScoreRecord
from .rendering import PLAIN, Notation, NumberFormat, Table, cell, counted, label, level_heading
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


def by_score(records: Iterable[ScoreRecord]) -> dict[Key, list[ScoreRecord]]:
    """Return the records of each score."""
    scores: dict[Key, list[ScoreRecord]] = {}
    for record in records:
        scores.setdefault(record.key, []).append(record)
    return scores


def format_of(records: Sequence[ScoreRecord], notation: Notation) -> NumberFormat:
    """Return the format of a column of one score."""
    values = [record.number for record in records]
    return notation.format_of_score(*records[0].key, values, [r.interval for r in records])


def tables(
    standings: Standings,
    visible: Sequence[str],
    notation: Notation = PLAIN,
    *,
    note: str = "",
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
        with_counts: whether counts are shown beside scores.
    """
    systems, comparisons = standings.systems, standings.comparisons
    listed = [r for r in shown_records(systems, with_counts=with_counts) if r.system in visible]
    overall = [record for record in listed if record.group is None]
    grouped = [record for record in listed if record.group is not None]
    shown = []
    if overall:
        table = _scores(standings, overall, notation)
        if len(systems) == 1 and len(overall) >= _MANY:
            table = _turned(table)
        notes = [_legend(standings), _missing(systems, visible), label(note)]
        shown.append(table._replace(kind="scores", note=" ".join(filter(None, notes))))
    if grouped:
        table = _scores(standings, grouped, notation, has_groups=True)
        shown.append(table._replace(kind="groups"))
    shown += breakdown_tables({name: systems[name] for name in visible}, notation)
    ranks = _ranks(standings, visible, notation)
    pairs = [pair for pair in comparisons if pair["a"] in visible and pair["b"] in visible]
    if ranks.rows:
        if len(systems) > _LISTED:
            pairs = []
            further = f"{len(comparisons):,} comparisons are in CSV and JSON."
            ranks = ranks._replace(note=f"{ranks.note} {further}")
        shown.append(ranks)
    if pairs:
        shown.append(table_of_differences(pairs, standings.is_lower_better, notation))
    return shown


def _scores(
    standings: Standings,
    records: Sequence[ScoreRecord],
    notation: Notation,
    has_groups: bool = False,
) -> Table:
    """Return a row for each system, and perhaps group, and a column for each score.

    The first tier is bold. Groups have the number of rows of the first module.
    """
    rows: dict[tuple[str, str | None], list[str]] = {}
    for record in records:
        names = [label(record.system)]
        if has_groups:
            names += [label(record.group or ""), str(record.n or "")]
        rows.setdefault((record.system, record.group), names)
    header, places = ["system", "group", "rows"] if has_groups else ["system"], list(rows)
    best = set()
    for key, members in by_score(records).items():
        form, tier = format_of(members, notation), standings.first_tier(key)
        column = dict.fromkeys(places, "")
        for record in members:
            letters = "" if has_groups else standings.letters(record.system, key)
            number = _number(standings.systems, record, form)
            place = record.system, record.group
            column[place] = cell(number, letters, form.interval(record.interval))
            if record.system in tier and not has_groups:
                best.add((places.index(place), len(header)))
        for place, text in column.items():
            rows[place].append(text)
        header.append(form.heading(label(key[1])))
    title = "Scores of groups" if has_groups else "Scores"
    levels = {record.level for record in records} - {None}
    if len(levels) == 1:
        title += f" with {level_heading(levels.pop() or 0)}s"
    return Table(header, list(rows.values()), 2 if has_groups else 1, best, title=title)


def _turned(table: Table) -> Table:
    """Return the table of a single system with a row for each score."""
    _, *scores = table.header
    ((system, *cells),) = table.rows
    rows = [list(pair) for pair in zip(scores, cells, strict=True)]
    return table._replace(header=["score", system], rows=rows)


def _ranks(standings: Standings, systems: Sequence[str], notation: Notation) -> Table:
    """Return the ranks of these systems by scores with which three or more were compared."""
    rows = []
    for key, members in by_score(standings.records()).items():
        ranks = standings.ranks.get(key, {})
        if len(ranks) < 3:
            continue
        form = format_of(members, notation)
        numbers = {record.system: record.number for record in members if record.group is None}
        for system, rank in ranks.items():
            if system in systems:
                place = str(rank["tier"]), rank_range(rank["rank_interval"])
                value = form.number(numbers[system])
                rows.append([form.heading(label(key[1])), label(system), value, *place])
    header = ["score", "system", "value", "tier", "ranks"]
    return Table(header, rows, 2, set(), RANKS_NOTE, title="Ranks", kind="ranks")


def _legend(standings: Standings) -> str:
    """Return the meaning of letters and bold type; empty where nothing is told apart."""
    divided = [len(ranks) for key, ranks in standings.ranks.items() if standings.first_tier(key)]
    if not divided:
        return ""
    return f"{LETTERS_NOTE} Bold: tier 1." if max(divided) > 2 else "Bold: the better system."


def _number(systems: Systems, record: ScoreRecord, form: NumberFormat) -> str:
    """Return the score, or its bounds if rows are missing."""
    result = systems[record.system][record.module]
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
        f"{', '.join(lists)}: whatever these rows are, the score is between the two numbers; the "
        "interval is for both ends."
    )
