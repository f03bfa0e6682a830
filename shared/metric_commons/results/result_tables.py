"""What tables, CSV and data frames show of results: scores, groups, ranks and comparisons."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from .comparisons import Rank, statement
from .comparisons import table as table_of
from .module_results import ModuleResult
from .rendering import Entry, Table, label, score_table
from .standings import Standings

Systems = Mapping[str, Mapping[str, ModuleResult]]  # what each module says of each system

_NAME_LENGTH = 22  # of a system; with longer ones differences name the letters of systems

# The columns of CSV and of data frames, which do not depend on what was asked for.
COLUMNS = (
    *("system", "group", "module", "score", "value", "low", "high", "rows"),
    *("versus", "p_value", "p_adjusted", "significant"),
    *("tier", "best_rank", "worst_rank", "letters"),
)


def tables(standings: Standings, visible: Sequence[str], agreement: str) -> list[Table]:
    """The table of scores and, where there are any, those of groups and of comparisons.

    Beside comparisons each system has a letter, and a score those of the systems that it is
    significantly better than. Of more than 25 systems, which are 300 pairs and up, a line of
    signs a system takes the place of letters and of the comparisons one by one. Ranks are shown
    of three systems and more. Bold are the best tier, and differences that are significant.

    Args:
        standings: the systems and how they were compared.
        visible: the systems to show.
        agreement: what is said below the scores about those of a log.
    """
    systems, comparisons = standings.systems, standings.comparisons
    visible_entries = [entry for entry in entries(systems) if entry.system in visible]
    overall = [entry for entry in visible_entries if entry.group is None]
    grouped = [entry for entry in visible_entries if entry.group is not None]
    tiers = standings.tiers()
    if letters := standings.letters:
        scores = score_table(
            ["", "system"],
            lambda f: [letters[f.system], label(f.system)],
            overall,
            standings.marks(),
            tiers,
        )._replace(note=standings.legend())
    else:
        scores = score_table(["system"], lambda f: [label(f.system)], overall, tiers=tiers)
    note = " ".join(filter(None, [scores.note, label(agreement)]))
    shown = [scores._replace(title=_title(systems, "Scores", overall), note=note)]
    if grouped:
        groups = score_table(
            ["system", "group", "rows"],
            lambda f: [label(f.system), label(str(f.group)), str(f.rows or "")],
            grouped,
        )
        shown.append(groups._replace(labels=2, title=_title(systems, "Scores of groups", grouped)))
    ranks_table = standings.rank_table(visible)
    if ranks_table:
        shown.append(ranks_table)
    if ranks_table and not letters:
        words = f"{len(comparisons):,} comparisons are in CSV and JSON. "
        note = f"{words}{statement(comparisons)}"
        shown[-1] = ranks_table._replace(note=f"{ranks_table.note} {note}")
    elif comparisons:
        pairs = [c for c in comparisons if c["a"] in visible and c["b"] in visible]
        is_long = max(map(len, systems)) > _NAME_LENGTH
        short_names = letters if is_long else {}
        if pairs:
            shown.append(table_of(pairs, standings.is_lower_better, short_names))
    return shown


def lines(standings: Standings, visible: Collection[str]) -> Iterator[list[Any]]:
    """The cells of each line of CSV, in the order of `COLUMNS`."""
    for entry in (entry for entry in entries(standings.systems) if entry.system in visible):
        *key, value, interval, rows, _ = entry
        rank = _rank(standings, entry)
        ranked = [rank["tier"], *rank["rank_interval"], rank["letters"]] if rank else [None] * 4
        yield [*key, value, *(interval or (None, None)), rows, *[None] * 4, *ranked]
    for comparison in standings.comparisons:
        if not {comparison["a"], comparison["b"]} <= set(visible):
            continue
        module = standings.module_of(comparison)
        key = [comparison["a"], None, module, comparison["score"], comparison["diff"]]
        tested = (comparison.get(n) for n in ("rows", "b", "p_value", "p_adjusted", "significant"))
        yield [*key, *comparison["confidence_interval"], *tested, *[None] * 4]


def entries(systems: Systems) -> Iterator[Entry]:
    """Every score that is a single number, of all rows and of each group."""
    for system, modules in systems.items():
        for module, result in modules.items():
            overall = {**result.scores, "n": result.rows}
            for group, scores in [(None, overall), *result.groups.items()]:
                intervals = (
                    result.confidence_interval
                    if group is None
                    else scores.get("confidence_interval", {})
                )
                for name, value in scores.items():
                    if name not in ("n", "n_clusters") and isinstance(value, int | float):
                        interval, lower = intervals.get(name), name in result.lower_is_better
                        rows = scores["n"]
                        yield Entry(system, group, module, name, value, interval, rows, lower)


def _rank(standings: Standings, entry: Entry) -> Rank | None:
    """The rank of the system of a score of all rows."""
    if entry.group is not None:
        return None
    return standings.ranks.get((entry.module, entry.score), {}).get(entry.system)


def _title(systems: Systems, name: str, entries: Iterable[Entry]) -> str:
    """The title of a table of scores: whether there are intervals, and at which level."""
    levels = {
        result.options.get("confidence_level")
        for modules in systems.values()
        for result in modules.values()
    }
    if not any(entry.interval for entry in entries):
        return name
    level = levels.pop() if len(levels) == 1 else None
    at_level = f"{100 * level:g}% " if level else ""
    return f"{name} with {at_level}intervals"
