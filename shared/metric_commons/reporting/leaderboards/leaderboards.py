"""Leaderboards: the systems of saved results ordered by one score, if they are comparable.

Systems share a leaderboard if they were scored in the same way: their options are equal, except
those for intervals, and so are the digests of their references and ids. Ranks come from row-by-row
comparisons, as everywhere; without row scores a leaderboard has intervals but no ranks.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, combinations
from pathlib import Path
from typing import Any

from ...data.files.stored import option_text, to_jsonable
from ...evaluation.comparison.combined_results import merged, renamed
from ...evaluation.comparison.comparisons import with_comparisons
from ...evaluation.comparison.saved_results import SavedResult
from ...evaluation.results.comparison_tables import statement
from ...evaluation.results.module_results import ModuleResult
from ...evaluation.results.rendering import (
    PLAIN,
    Cell,
    Column,
    Notation,
    NumberFormat,
    Table,
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
    def name(self) -> str:
        """Return the name of the system: its model, if a result has one model on several tasks."""
        log = self._recorded("logs")
        of_task = f"{log.get('model')}/{log.get('task')}"
        return str(log["model"]) if self.system == of_task else self.system

    @property
    def result(self) -> ModuleResult:
        """Return the system's result for the module."""
        return self.origin.results.systems[self.system][self.module]

    @property
    def parts(self) -> dict[str, str]:
        """Return all that can affect the score, by name, in JSON, where unequal values differ."""
        result = self.result
        settings: dict[str, Any] = {
            name: value for name, value in result.settings().items() if name not in UNSCORED
        }
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
        return str(self._recorded("logs").get("task") or "")

    @property
    def task(self) -> str:
        """Return a name for the rows: the task of a log, or the file of the references."""
        if self.logged_task:
            return self.logged_task
        column = self._recorded("columns").get("references")
        return Path(column["path"]).stem if column else ""

    def _recorded(self, name: str) -> Mapping[str, Any]:
        """Return the entry about the system in this part of the provenance.

        Empty if there is none.
        """
        entries_of_systems: Mapping[str, Any] = self.origin.results.provenance.get(name, {})
        return entries_of_systems.get(self.system) or {}


@dataclass(frozen=True)
class Leaderboard:
    """Systems ordered by a score, best first, and compared if their rows are available."""

    module: str
    score: str
    results: Results
    paths: Mapping[str, Path]  # of each system
    confidence_level: float
    task: str = ""
    problem: str = ""  # why systems were not compared

    @property
    def ranks(self) -> Mapping[str, Rank]:
        """Return the possible ranks of each system; empty if systems were not compared."""
        return self.results.standings.ranks.get((self.module, self.score), {})

    @property
    def is_lower_better(self) -> bool:
        """Return whether the system with the lowest score is the best."""
        return any(self.score in self.result(name).lower_is_better for name in self.results.systems)

    @property
    def values(self) -> dict[str, float]:
        """Return the score of each system."""
        return {system: self.result(system).scores[self.score] for system in self.results.systems}

    def result(self, system: str) -> ModuleResult:
        """Return the result of a system for the module."""
        return self.results.systems[system][self.module]

    def interval(self, system: str) -> list[float] | None:
        """Return the interval of a system's score, if there is one."""
        return _interval_of(self.result(system), self.score, self.confidence_level)

    def standard_error(self, system: str) -> float | None:
        """Return the standard error of a system's score, if there is one."""
        return self.result(system).standard_error.get(self.score)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the data of each system, best first."""
        best = [self.ranks[name]["rank_interval"][0] for name in self.results.systems if self.ranks]
        shown = dict(zip(self.results.systems, ascending(best), strict=False))
        for system in self.results.systems:
            result, rank = self.result(system), self.ranks.get(system)
            yield {
                "rank": shown.get(system),
                "system": system,
                "value": result.scores[self.score],
                "confidence_interval": self.interval(system),
                "rank_interval": rank and rank["rank_interval"],
                "tier": rank and rank["tier"],
                "rows": result.rows,
                "result": str(self.paths[system]),
            }

    def table(self, notation: Notation = PLAIN) -> Table:
        """Return one row per system; the first tier is in bold, if there is a second."""
        standings, key = self.results.standings, (self.module, self.score)
        systems = self.results.visible_systems()
        records = [record for record in self.records() if record["system"] in systems]
        form = self._format(*key, notation)
        labels = [column(records, "rank")] if self.ranks else []
        labels.append(column(records, "system", label))
        numbers = [
            Cell(form.number(record["value"]), standings.letters(record["system"], key))
            for record in records
        ]
        level = level_heading(self.confidence_level)
        columns: list[Column] = [
            (form.heading(label(self.score)), numbers),
            column(records, "confidence_interval", form.interval, level),
            column(records, "rank_interval", rank_range, "ranks"),
            column(records, "tier"),
        ]
        first = next(iter(self.results.systems.values()))
        further = [(m, score) for m, result in first.items() for score in result.scores]
        for module, score in further:
            if (module, score) != key:  # requested in addition
                form = self._format(module, score, notation)
                cells = [self._cell(system, module, score, form) for system in systems]
                columns.append((form.heading(label(score)), cells))
        columns.append(column(records, "rows", lambda rows: f"{rows:,}" if rows else ""))
        best = [systems.index(name) for name in standings.first_tier(key) if name in systems]
        table = Table.of(labels, columns, best=best)
        title = f"Leaderboard by {label(self.score)}"
        return table._replace(note=" ".join(self._statements()), title=title)

    def _cell(self, system: str, module: str, score: str, form: NumberFormat) -> str:
        result = self.results.systems[system].get(module)
        number = None if result is None else result.scores.get(score)
        return "" if number is None else form.number(number)

    def _format(self, module: str, score: str, notation: Notation) -> NumberFormat:
        """Return the format of the numbers of a score."""
        results = [m[module] for m in self.results.systems.values() if module in m]
        results = [result for result in results if score in result.scores]
        intervals = [_interval_of(r, score, self.confidence_level) for r in results]
        values = [result.scores[score] for result in results]
        return notation.format_of_score(module, score, values, intervals)

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
    texts = []
    for name in dict.fromkeys(name for group in groups for name in group[0].parts):
        paths: dict[str, Path] = {}
        for group in groups:
            paths.setdefault(group[0].parts.get(name, json.dumps("nothing")), group[0].origin.path)
        if len(paths) > 1:
            value_texts = [option_text(json.loads(value)) for value in paths]
            if len({*value_texts}) < len(value_texts):  # unequal values may look the same
                value_texts = list(paths)
            pairs = zip(value_texts, paths.values(), strict=True)
            texts.append(f"{name}: " + ", ".join(f"{v} ({p.name})" for v, p in pairs))
    for name in ("references", "ids"):
        digests = {group[0].digests.get(name): group[0].origin.path for group in groups}
        digests.pop(None, None)
        if len(digests) > 1:
            texts.append(
                f"{name} of the rows: different in {', '.join(p.name for p in digests.values())}"
            )
    tasks = {group[0].logged_task: group[0].origin.path for group in groups}
    if not texts and len(tasks) > 1:
        listed = [f"{name or 'none'} ({path.name})" for name, path in tasks.items()]
        texts.append(f"task: {', '.join(listed)}")
    return "; ".join(texts)


def leaderboard(
    systems: Sequence[Entry],
    *,
    confidence_level: float = 0.95,
    scores: Collection[str] | None = None,
    top: int | None = None,
    assume: str = "exchangeable",
) -> Leaderboard:
    """Return the leaderboard of comparable systems.

    Args:
        systems: the systems of one of the groups of `comparable`.
        confidence_level: the level of the intervals of scores.
        scores: additional scores to show.
        top: the number of systems to show; None for all.
        assume: what comparisons of systems assume, as in `score`.
    """
    module, score = systems[0].module, systems[0].score
    names = _names(systems)
    key = f"{module}.{score}"
    pool = merged(
        [
            renamed(entry.origin.results, {entry.system: name})
            for entry, name in zip(systems, names, strict=True)
        ]
    )
    problem = next((entry.origin.problem for entry in systems if entry.origin.problem), "")
    if not problem:
        try:
            pool = with_comparisons(pool, combinations(names, 2), [key], assume=assume)
        except ValueError as error:
            problem = str(error)
    pool = replace(pool.sort(key).choose([key, *(scores or [])]), top=top)
    paths = {name: entry.origin.path for name, entry in zip(names, systems, strict=True)}
    return Leaderboard(
        module,
        score,
        pool,
        paths,
        confidence_level,
        task=systems[0].task,
        problem=problem,
    )


def _names(systems: Sequence[Entry]) -> list[str]:
    """Return a name for each system: that of its file if several results have its own name."""
    systems_by_name = Counter(entry.name for entry in systems)
    files_by_stem = Counter(path.stem for path in {entry.origin.path for entry in systems})
    systems_by_origin = Counter(id(entry.origin) for entry in systems)
    names = []
    for entry in systems:
        name, path = entry.name, entry.origin.path
        if systems_by_name[name] > 1:
            name = path.stem if files_by_stem[path.stem] == 1 else str(path)
            if systems_by_origin[id(entry.origin)] > 1:
                name = f"{name}: {entry.system}"
        names.append(name)
    return names


def _interval_of(result: ModuleResult, score: str, confidence_level: float) -> list[float] | None:
    """Return the interval of a score; None if the result does not have one at this level."""
    is_at_level = result.options.get("confidence_level") == confidence_level
    if score in result.confidence_interval and is_at_level:
        return list(result.confidence_interval[score])
    return None


def ascending(ranks: Sequence[int]) -> list[int]:
    """Return the ranks of systems, best first, none less than the rank of a better system.

    With unequal errors a system may be significantly worse than the best, and the next not.

    >>> ascending([1, 2, 1])
    [1, 2, 2]
    """
    return list(accumulate(ranks, max))
