"""Leaderboards: the systems of saved results ordered by one score, if they are comparable.

Systems share a leaderboard if they were scored in the same way: their options are equal, except
those for intervals, and so are the digests of their references and ids. Ranks come from row-by-row
comparisons, as everywhere; without row scores a leaderboard has intervals but no ranks.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations
from typing import Any

from ...data.files.stored import option_text, to_jsonable
from ...evaluation.comparison.combined_results import merged, renamed
from ...evaluation.comparison.comparisons import with_comparisons
from ...evaluation.comparison.saved_results import SavedResult
from ...evaluation.results.comparison_tables import statement
from ...evaluation.results.module_results import ModuleResult
from ...evaluation.results.rendering import (
    PLAIN,
    Column,
    Notation,
    Table,
    cell,
    column,
    label,
    level_heading,
)
from ...evaluation.results.result_tables import LETTERS_NOTE, RANKS_NOTE, rank_range
from ...evaluation.results.results import Results, find_score
from ...evaluation.results.standings import Rank
from ...module.declaration.declarations import OF_INTERVALS

# Options that do not affect a score; a preset is listed with its options.
UNSCORED = frozenset(OF_INTERVALS) - {"clusters"} | {"preset"}


@dataclass(frozen=True)
class Entry:
    """A system of a saved result that has the score."""

    origin: SavedResult
    system: str
    module: str
    score: str

    @property
    def parts(self) -> dict[str, str]:
        """Return all that can affect the score, by name, in JSON, where unequal values differ."""
        result = self.origin.results.systems[self.system][self.module]
        settings = {n: value for n, value in result.settings().items() if n not in UNSCORED}
        if result.options.get("sample_size") is not None:
            settings["seed"] = result.options.get("seed")
        if result.rows:
            settings["rows"] = result.rows
        values = to_jsonable({"module": self.module, **settings, "version": result.program})
        return {name: json.dumps(value) for name, value in values.items()}

    @property
    def digests(self) -> Mapping[str, str]:
        """Return the known digests of the rows: those of `references` and `ids`."""
        return self._recorded("digests")

    @property
    def logged_task(self) -> str:
        """Return the task that a log names; "" if there is no log, or it names none."""
        return str(self._recorded("sources").get("task") or "")

    def _recorded(self, name: str) -> Mapping[str, Any]:
        """Return the entry about the system in this part of the provenance, if there is one."""
        return self.origin.results.provenance.get(name, {}).get(self.system) or {}


@dataclass(frozen=True)
class Leaderboard:
    """Systems ordered by a score, best first, and compared if their rows are available."""

    module: str
    score: str
    results: Results
    confidence_level: float
    problem: str = ""  # why systems were not compared

    @property
    def ranks(self) -> Mapping[str, Rank]:
        """Return the possible ranks of each system; empty if systems were not compared."""
        return self.results.standings.ranks.get((self.module, self.score), {})

    @property
    def scored(self) -> dict[str, ModuleResult]:
        """Return the result of each system."""
        return {system: modules[self.module] for system, modules in self.results.systems.items()}

    @property
    def is_lower_better(self) -> bool:
        """Return whether the system with the lowest score is the best."""
        return any(self.score in result.lower_is_better for result in self.scored.values())

    def interval(self, system: str) -> list[float] | None:
        """Return the interval of a system's score, if there is one at this level."""
        result = self.scored[system]
        if result.options.get("confidence_level") != self.confidence_level:
            return None
        return result.confidence_interval.get(self.score)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the data of each system, best first."""
        scored = self.scored
        ranks = [self.ranks.get(system, {}) for system in scored]
        shown: Sequence[int | None] = [None] * len(ranks)
        if self.ranks:
            shown = ascending([rank["rank_interval"][0] for rank in ranks])
        for place, rank, (system, result) in zip(shown, ranks, scored.items(), strict=True):
            yield {
                "rank": place,
                "system": system,
                "value": result.scores[self.score],
                "confidence_interval": self.interval(system),
                "rank_interval": rank.get("rank_interval"),
                "tier": rank.get("tier"),
                "rows": result.rows,
            }

    def table(self, top: int | None = None, notation: Notation = PLAIN) -> Table:
        """Return one row per system; the first tier is in bold, if there is a second."""
        standings, key = self.results.standings, (self.module, self.score)
        records = list(self.records())
        form = notation.format_of_score(
            *key,
            [record["value"] for record in records],
            [record["confidence_interval"] for record in records],
        )
        records = records[:top]
        systems = [record["system"] for record in records]
        labels = [column(records, "rank")] if self.ranks else []
        labels.append(column(records, "system", label))
        scores = [
            cell(form.number(record["value"]), standings.letters(record["system"], key))
            for record in records
        ]
        level = level_heading(self.confidence_level)
        columns: list[Column] = [
            (form.heading(label(self.score)), scores),
            column(records, "confidence_interval", form.interval, level),
            column(records, "rank_interval", rank_range, "ranks"),
            column(records, "tier"),
            column(records, "rows", lambda rows: f"{rows:,}" if rows else ""),
        ]
        best = [systems.index(name) for name in standings.first_tier(key) if name in systems]
        title = f"Leaderboard by {label(self.score)}"
        table = Table.of(labels, columns, best=best)
        return table._replace(note=" ".join(self._statements()), title=title)

    def _statements(self) -> Iterator[str]:
        """Yield the notes that are needed to read the table."""
        if self.is_lower_better:
            yield "Lower is better."
        if self.ranks:
            yield (
                "Rank: 1 plus the number of significantly better systems, but at least the rank of "
                f"any better system. {RANKS_NOTE}"
            )
            if len(self.ranks) > 2:
                yield LETTERS_NOTE
            yield statement(self.results.comparisons)
        if self.problem:
            yield f"There are no ranks: {self.problem}."


def entries(stored_results: Iterable[SavedResult], name: str) -> list[Entry]:
    """Return every system of every result, with the score that orders the leaderboard.

    Raises:
        ValueError: a result lacks the score; the message names its file.
    """
    systems = []
    for stored in stored_results:
        try:
            module, score = find_score(name, stored.results.systems)
        except ValueError as error:
            raise ValueError(f"{stored.path}: {error}") from None
        for system, results in stored.results.systems.items():
            if module in results and score in results[module].scores:
                if not isinstance(results[module].scores[score], int | float):
                    raise ValueError(
                        f"{stored.path}: {name} is not a number, so it cannot order anything"
                    )
                systems.append(Entry(stored, system, module, score))
    return systems


def comparable(systems: Iterable[Entry]) -> list[list[Entry]]:
    """Group the systems that were scored in the same way, in order of first occurrence."""
    groups: list[list[Entry]] = []
    for system in systems:
        for group in groups:
            if all(
                system.parts == member.parts and _have_same_rows(system, member) for member in group
            ):
                group.append(system)
                break
        else:
            groups.append([system])
    return groups


def _have_same_rows(first: Entry, second: Entry) -> bool:
    """Return whether digests and tasks allow that the rows are the same.

    If references are equal, the names of tasks in two harnesses do not matter; without references,
    as for scores from a log, ids such as 0, 1 and 2 prove little.
    """
    common = first.digests.keys() & second.digests.keys()
    if any(first.digests[name] != second.digests[name] for name in common):
        return False
    return "references" in common or len({first.logged_task, second.logged_task} - {""}) < 2


def differences(groups: Sequence[Sequence[Entry]]) -> str:
    """Return the options in which systems differ, with a file for each value."""
    firsts = [group[0] for group in groups]
    texts = []
    for name in dict.fromkeys(name for entry in firsts for name in entry.parts):
        paths = _by_value((entry.parts.get(name, '"nothing"'), entry) for entry in firsts)
        pairs = [f"{option_text(json.loads(value))} ({path})" for value, path in paths.items()]
        texts += [f"{name}: {', '.join(pairs)}"] if len(pairs) > 1 else []
    for name in ("references", "ids"):
        paths = _by_value((entry.digests.get(name, ""), entry) for entry in firsts)
        paths.pop("", None)
        if len(paths) > 1:
            texts.append(f"{name} of the rows: different in {', '.join(paths.values())}")
    tasks = _by_value((entry.logged_task or "none", entry) for entry in firsts)
    if not texts and len(tasks) > 1:
        texts.append("task: " + ", ".join(f"{name} ({path})" for name, path in tasks.items()))
    return "; ".join(texts)


def _by_value(pairs: Iterable[tuple[str, Entry]]) -> dict[str, str]:
    """Return the name of the first file with each value."""
    paths: dict[str, str] = {}
    for value, entry in pairs:
        paths.setdefault(value, entry.origin.path.name)
    return paths


def leaderboard(
    systems: Sequence[Entry],
    *,
    confidence_level: float = 0.95,
    assume: str = "exchangeable",
) -> Leaderboard:
    """Return the leaderboard of comparable systems.

    Args:
        systems: the systems of one of the groups of `comparable`.
        confidence_level: the level of the intervals of scores.
        assume: what comparisons of systems assume, as in `score`.
    """
    first = systems[0]
    key, names = f"{first.module}.{first.score}", _names(systems)
    named = zip(systems, names, strict=True)
    pool = merged([renamed(entry.origin.results, {entry.system: name}) for entry, name in named])
    problem = next((entry.origin.problem for entry in systems if entry.origin.problem), "")
    if not problem:
        try:
            pool = with_comparisons(pool, combinations(names, 2), [key], assume=assume)
        except ValueError as error:
            problem = str(error)
    pool = pool.sort(key).choose([key])
    return Leaderboard(first.module, first.score, pool, confidence_level, problem)


def _names(systems: Sequence[Entry]) -> list[str]:
    """Return a name for each system: with that of its file if several results have its own name."""
    counts = Counter(entry.system for entry in systems)
    stems = Counter(path.stem for path in {entry.origin.path for entry in systems})
    names = []
    for entry in systems:
        path = entry.origin.path
        of_file = path.stem if stems[path.stem] == 1 else str(path)
        names.append(entry.system if counts[entry.system] == 1 else f"{of_file}: {entry.system}")
    return names


def ascending(ranks: Sequence[int]) -> list[int]:
    """Return the ranks of systems, best first, none less than the rank of a better system.

    With unequal errors a system may be significantly worse than the best, and the next not.

    >>> ascending([1, 2, 1])
    [1, 2, 2]
    """
    return list(accumulate(ranks, max))
