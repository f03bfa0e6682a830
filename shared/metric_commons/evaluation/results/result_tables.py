"""Standings of systems, and the tables, CSV and data frames that show results."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .breakdowns import breakdown_tables, breakdowns
from .comparison_tables import statement
from .comparison_tables import table as table_of
from .comparisons import Comparison, Rank, ranks
from .module_results import COUNTS, Systems
from .rendering import (
    LETTERS,
    LETTERS_NOTE,
    PLAIN,
    RAISED_DASH,
    RANGES_NOTE,
    Marks,
    Notation,
    NumberFormat,
    RenderedEntry,
    Table,
    Tiers,
    counted,
    format_of_entries,
    label,
    listed_names,
    one_system_table,
    raised,
    score_table,
    with_equal_decimals,
)

_MANY = 4  # scores of a single system, which get a row each
_MARKED = 25  # systems; more have over 300 pairs, too many to mark by letters
_NAME_LENGTH = 22  # of a system; if names are longer, differences show letters instead
_NAMED = 3  # scores up to which a legend names those that were not tested
_LISTED = 8  # systems up to which every pair has a line; more have a matrix

# The columns of CSV and of data frames, whatever was requested.
COLUMNS = (
    *("system", "group", "module", "score", "value", "low", "high", "rows"),
    *("versus", "p_value", "p_adjusted", "significant"),
    *("tier", "best_rank", "worst_rank", "letters"),
)


@dataclass(frozen=True)
class Standings:
    """Ranks, tiers and letters of systems, derived from their comparisons."""

    systems: Systems
    comparisons: Sequence[Comparison]

    def module_of(self, comparison: Comparison) -> str:
        """Return the module of a comparison.

        Where it is not recorded, the first one with the score.
        """
        if "module" in comparison:
            return str(comparison["module"])
        modules = self.systems.get(comparison["a"], {})
        return next(
            (m for m, result in modules.items() if comparison["score"] in result.scores), ""
        )

    def is_lower_better(self, comparison: Comparison) -> bool:
        """Return whether the system with the lower mean is the better one."""
        result = self.systems.get(comparison["a"], {}).get(self.module_of(comparison))
        return result is not None and comparison["score"] in result.lower_is_better

    @cached_property
    def families(self) -> dict[tuple[str, str], list[Comparison]]:
        """Return the comparisons by each module and score."""
        families: dict[tuple[str, str], list[Comparison]] = {}
        for comparison in self.comparisons:
            key = self.module_of(comparison), comparison["score"]
            families.setdefault(key, []).append(comparison)
        return families

    @cached_property
    def ranks(self) -> dict[tuple[str, str], dict[str, Rank]]:
        """Return the ranks of systems by module and score, best first, where all were compared."""
        ranks_of_scores = {}
        for (module, score), comparisons in self.families.items():
            means = {
                system: results[module].scores[score]
                for system, results in self.systems.items()
                if module in results and score in results[module].scores
            }
            lower = self.is_lower_better(comparisons[0])
            ranks_of_scores[module, score] = ranks(comparisons, means, lower)
        return {key: systems for key, systems in ranks_of_scores.items() if systems}

    def tiers(self) -> Tiers:
        """Return the tier of each system that was compared with all others, by module and score."""
        return {
            key: {system: rank["tier"] for system, rank in systems.items()}
            for key, systems in self.ranks.items()
        }

    @cached_property
    def letters(self) -> dict[str, str]:
        """Return the letter of each system; empty without comparisons and for more than 25 systems.

        "a" is the best system by the first score that ranks them, wherever the letters appear and
        however systems are listed; without ranks the letters follow the order of the systems.
        """
        if not self.comparisons or len(self.systems) > _MARKED:
            return {}
        best_first = next(iter(self.ranks.values()), {})
        letters = dict(zip(dict.fromkeys([*best_first, *self.systems]), LETTERS, strict=False))
        return {system: letters[system] for system in self.systems}

    @cached_property
    def winners(self) -> dict[tuple[str, str], set[tuple[str, str]]]:
        """Return the pairs of systems, by module and score, whose first is significantly better."""
        winners: dict[tuple[str, str], set[tuple[str, str]]] = {}
        for key, comparisons in self.families.items():
            pairs = winners.setdefault(key, set())
            for comparison in comparisons:
                if comparison["significant"]:
                    a, b = comparison["a"], comparison["b"]
                    is_a = (comparison["diff"] > 0) != self.is_lower_better(comparison)
                    pairs.add((a, b) if is_a else (b, a))
        return winners

    def marks(self) -> Marks:
        """Return the letters of significantly worse systems, by system, module and score."""
        worse: dict[tuple[str, str, str], str] = {}
        for key, pairs in self.winners.items():
            for winner, loser in pairs:
                name = winner, *key
                worse[name] = worse.get(name, "") + self.letters.get(loser, "")
        return {name: raised("".join(sorted(letters))) for name, letters in worse.items()}

    def legend(self) -> str:
        """Return the meaning of the letters after scores, and which scores were not tested."""
        words = [LETTERS_NOTE] if any(self.winners.values()) else ["No difference is significant."]
        if any(RAISED_DASH in marks for marks in self.marks().values()):
            words.append(RANGES_NOTE)
        names = list(dict.fromkeys(label(score) for _, score in self.untested()))
        if len(names) > _NAMED:
            tested = [*dict.fromkeys(label(score) for _, score in self.families)]
            words.append(f"All scores but {listed_names(tested, len(tested))} were not tested.")
        elif names:
            words.append(
                f"{listed_names(names)} {'was' if len(names) == 1 else 'were'} not tested."
            )
        return " ".join(words)

    def untested(self) -> list[tuple[str, str]]:
        """Return the module and name of each score by which no systems were compared."""
        if not self.comparisons:
            return []
        keys = dict.fromkeys((entry.module, entry.score) for entry in entries(self.systems))
        return [key for key in keys if key not in self.families]

    def rank_table(self, systems: Sequence[str], notation: Notation = PLAIN) -> Table | None:
        """Return the ranks of these systems, best first; None unless three or more were ranked.

        The first tier is in bold if there is a second. Without letters, a line of signs shows how
        a system compares with each of the others, in the order of their ranks.
        """
        ranked = {key: ranks for key, ranks in self.ranks.items() if len(ranks) > 2}
        if not ranked:
            return None
        marks = self.marks()
        formats = self._formats(ranked, notation)
        names = ["score", "", "system"] if self.letters else ["score", "system"]
        rows: list[list[str]] = []
        bold: set[tuple[int, int]] = set()
        for (module, score), ranks_of_systems in ranked.items():
            is_divided = any(rank["tier"] > 1 for rank in ranks_of_systems.values())
            number_format = formats[module, score]
            for system, rank in ranks_of_systems.items():
                if system not in systems:
                    continue
                if is_divided and rank["tier"] == 1:
                    bold |= {(len(rows), len(names)), (len(rows), len(names) + 1)}
                value = number_format.number(self.systems[system][module].scores[score])
                value += marks.get((system, module, score), "")
                low, high = rank["rank_interval"]
                possible = str(low) if low == high else f"{low}-{high}"
                letter = [self.letters[system]] if self.letters else []
                signs = [] if self.letters else [self.signs(module, score, system)]
                labels = [number_format.heading(label(score)), *letter, label(system)]
                rows.append([*labels, value, str(rank["tier"]), possible, *signs])
        header = [*names, "value", "tier", "ranks", *([] if self.letters else ["pairs"])]
        note = RANKS_NOTE if self.letters else f"{RANKS_NOTE} {PAIRS_NOTE}"
        return Table(header, rows, len(names), bold, note, "Ranks", kind="ranks")

    def _formats(
        self, ranked: Mapping[tuple[str, str], Mapping[str, Rank]], notation: Notation
    ) -> dict[tuple[str, str], NumberFormat]:
        """Return the formats of ranked scores.

        All have the most decimals that one of them supports.
        """
        by_score: dict[tuple[str, str], list[RenderedEntry]] = {}
        for entry in entries(self.systems):
            if entry.group is None and (entry.module, entry.score) in ranked:
                by_score.setdefault((entry.module, entry.score), []).append(entry)
        return with_equal_decimals(
            {key: format_of_entries(members, notation) for key, members in by_score.items()}
        )

    def signs(self, module: str, score: str, system: str) -> str:
        """Return a sign for each ranked system: + if `system` is significantly better, - if worse.

        A full stop means not significant; an equals sign is the system itself.
        """
        winners = self.winners[module, score]

        def sign(rival: str) -> str:
            if rival == system:
                return "="
            if (system, rival) in winners:
                return "+"
            return "-" if (rival, system) in winners else "."

        return "".join(map(sign, self.ranks[module, score]))

    def matrices(self, systems: Collection[str]) -> list[Table]:
        """Return for each score a table with a line and a column per ranked system, best first.

        Its cells are signs. Columns have the letters of systems.
        """
        words = f"{len(self.comparisons):,} comparisons are in CSV and JSON."
        matrices = []
        for (module, score), ranks_of_systems in self.ranks.items():
            visible = [system for system in ranks_of_systems if system in systems]
            columns = [number for number, name in enumerate(ranks_of_systems) if name in visible]
            rows = []
            for system in visible:
                signs = self.signs(module, score, system)
                cells = [signs[column] for column in columns]
                rows.append([self.letters[system], label(system), *cells])
            header = ["", "system", *(self.letters[system] for system in visible)]
            title = f"Differences of systems by {label(score)}"
            matrices.append(Table(header, rows, 2, set(), "", title, kind="differences"))
        note = f"{MATRIX_NOTE} {words} {statement(self.comparisons)}"
        return [*matrices[:-1], *(table._replace(note=note) for table in matrices[-1:])]


RANKS_NOTE = (
    "Tier 1, in bold if there are others: the best system and all systems that are not "
    "significantly worse. Ranks: the possible ranks of a system, simultaneous for all systems."
)
BOLD_NOTE = "Bold: tier 1, the best system and all systems that are not significantly worse."
PAIRS_NOTE = (
    "Pairs: one sign for each system, in the order of the lines: + if the system of the line is "
    "significantly better than that system, - if it is worse, . if neither."
)
MATRIX_NOTE = (
    "Signs: + if the system of the line is significantly better than that of the column, - if it "
    "is worse, . if neither."
)


def tables(
    standings: Standings,
    visible: Sequence[str],
    agreement: str,
    notation: Notation = PLAIN,
    group_field: str = "group",
) -> list[Table]:
    """Return the table of scores and, if available, of groups, parts, ranks and comparisons.

    If systems were compared, each has a letter, and the letters after a score are of the systems
    that are significantly worse. More than 8 systems have a matrix of signs in place of single
    comparisons, and more than 25, with over 300 pairs, a line of signs each without letters. Ranks
    are shown for three or more systems.
    The best tier and significant differences are in bold. A single system with many scores has a
    row for each of them.

    Args:
        standings: the systems and their comparisons.
        visible: the systems to show.
        agreement: a note below the scores about the scores of a log.
        notation: of the numbers.
        group_field: the heading of the column of groups.
    """
    systems, comparisons = standings.systems, standings.comparisons
    visible_entries = [entry for entry in entries(systems) if entry.system in visible]
    overall = [entry for entry in visible_entries if entry.group is None]
    grouped = [entry for entry in visible_entries if entry.group is not None]
    letters = standings.letters
    labels: dict[tuple[str, str | None], list[str]] = {}
    if len(visible) == 1 and len(overall) >= _MANY and len(systems) == 1:
        scores = one_system_table(overall, notation, f"{_level(systems)}interval")
    else:
        for name in visible:
            labels[name, None] = [letters[name], name] if letters else [name]
        scores = score_table(
            ["", "system"] if letters else ["system"],
            labels,
            overall,
            standings.marks(),
            standings.tiers(),
            notation,
        )
        if letters:
            is_divided = any(len({*tiers.values()}) > 1 for tiers in standings.tiers().values())
            legend = f"{standings.legend()} {BOLD_NOTE if is_divided else ''}".rstrip()
            scores = scores._replace(note=legend)
    notes = [scores.note, _missing(systems, visible), label(agreement)]
    note = " ".join(filter(None, notes))
    title = _title(systems, "Scores", overall)
    shown = [scores._replace(title=title, note=note, kind="scores")] if overall else []
    if grouped:
        for entry in grouped:  # modules may count other rows; the counts of the first are shown
            names_of_row = [entry.system, str(entry.group), str(entry.rows or "")]
            labels.setdefault((entry.system, entry.group), names_of_row)
        groups = score_table(
            ["system", label(group_field), "rows"],
            labels,
            grouped,
            notation=notation,
        )
        title = _title(systems, "Scores of groups", grouped)
        shown.append(groups._replace(labels=2, title=title, kind="groups"))
    visible_systems = {name: systems[name] for name in systems if name in visible}
    if parts := list(breakdowns(visible_systems)):
        shown += breakdown_tables(parts, notation)
    ranks_table = standings.rank_table(visible, notation)
    if ranks_table:
        shown.append(ranks_table)
    if ranks_table and not letters:
        words = f"{len(comparisons):,} comparisons are in CSV and JSON. "
        note = f"{words}{statement(comparisons)}"
        shown[-1] = ranks_table._replace(note=f"{ranks_table.note} {note}")
    elif ranks_table and len(systems) > _LISTED:
        shown += standings.matrices(visible)
    elif comparisons:
        pairs = [c for c in comparisons if c["a"] in visible and c["b"] in visible]
        is_long = max(map(len, systems)) > _NAME_LENGTH
        short_names = letters if is_long else {}
        if pairs:
            shown.append(table_of(pairs, standings.is_lower_better, short_names, notation))
    return shown


def lines(standings: Standings, visible: Collection[str]) -> Iterator[list[Any]]:
    """Yield the cells of each line of CSV, in the order of `COLUMNS`."""
    for entry in (entry for entry in entries(standings.systems) if entry.system in visible):
        *key, value, interval, rows, _, _ = entry
        ranks_of_score = standings.ranks.get((entry.module, entry.score), {})
        rank = None if entry.group is not None else ranks_of_score.get(entry.system)
        ranked = [rank["tier"], *rank["rank_interval"], rank["letters"]] if rank else [None] * 4
        yield [*key, value, *(interval or (None, None)), rows, *[None] * 4, *ranked]
    for comparison in standings.comparisons:
        if not {comparison["a"], comparison["b"]} <= set(visible):
            continue
        module = standings.module_of(comparison)
        key = [comparison["a"], None, module, comparison["score"], comparison["diff"]]
        tested = (comparison.get(n) for n in ("rows", "b", "p_value", "p_adjusted", "significant"))
        yield [*key, *comparison["confidence_interval"], *tested, *[None] * 4]


def entries(systems: Systems) -> Iterator[RenderedEntry]:
    """Yield every score that is a single number, for all rows and for each group."""
    for system, modules in systems.items():
        for module, result in modules.items():
            overall = {**result.scores, "n": result.rows}
            for group, scores in [(None, overall), *result.groups.items()]:
                details = vars(result) if group is None else scores
                intervals, bounds = (
                    details.get(name, {}) for name in ("confidence_interval", "score_bounds")
                )
                for name, value in scores.items():
                    if name not in ("n", *COUNTS) and isinstance(value, int | float):
                        interval, lower = intervals.get(name), name in result.lower_is_better
                        ends = bounds.get(name)
                        yield RenderedEntry(
                            *(system, group, module, name, value, interval, scores["n"], lower),
                            bounds=ends,
                        )


def _missing(systems: Systems, visible: Collection[str]) -> str:
    """Return how many rows systems lack, and what the bounds of scores mean."""
    gaps = {
        name: max(
            filter(None, (result.missing_rows for result in systems[name].values())), default=0
        )
        for name in visible
    }
    lists = [f"{label(name)} lacks {counted(rows, 'row')}" for name, rows in gaps.items() if rows]
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


def _title(systems: Systems, name: str, entries: Iterable[RenderedEntry]) -> str:
    """Return the title of a table of scores, with the level of its intervals if it has any."""
    if not any(entry.interval for entry in entries):
        return name
    return f"{name} with {_level(systems)}intervals"
