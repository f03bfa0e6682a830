"""Blocks of rows, which are scored one by one in any process, and joined again."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from ...module.catalog.request import Missing
from ...module.catalog.usage import with_bar
from ...module.declaration.columns import checked_once, holds_maps
from ...statistics.arguments.arrays import as_column
from ...text.tokens.normalizers import tokenized_once
from .row_tables import RowTable, check_mergeable, cluster_names, joined, kept_by, scored
from .rows import InputError, Rows
from .samples import samples_of_rows
from .worker_processes import mapped

Block = Mapping[str, Mapping[str, Rows]]  # the rows of each system for each module
Tables = dict[str, dict[str, RowTable]]  # likewise
Place = Callable[[str, int], str]  # from a column of a table and a row, the words for them


@dataclass(frozen=True, kw_only=True)
class Fields:
    """The columns of a table that are the inputs and the labels of rows.

    Args:
        inputs: the column of each input, by system and module.
        ids: the column of the ids; None if there is none, as for groups.
        groups: the column of the groups.
        clusters: the columns of the clusters, by what they are called.
    """

    inputs: Mapping[str, Mapping[str, Mapping[str, str]]]
    ids: str | None = None
    groups: str | None = None
    clusters: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_one(cls, predictions: str, references: str | None) -> "Fields":
        """Return the columns of one system and module."""
        columns = {"predictions": predictions}
        return cls(inputs={"": {"": columns | ({"references": references} if references else {})}})

    def names(self) -> list[str]:
        """Return the columns that are read."""
        inputs = chain.from_iterable(of_system.values() for of_system in self.inputs.values())
        named = [*chain.from_iterable(each.values() for each in inputs), self.ids, self.groups]
        named += self.clusters.values()
        return list(dict.fromkeys(name for name in named if name is not None))

    def named(self, system: str, module: str, column: str) -> str:
        """Return the column of the table for an input or a label, in which an error was found."""
        names: dict[str, str | None] = {**self.inputs[system][module]}
        names |= {"ids": self.ids, "groups": self.groups}
        names |= {called: self.clusters[n] for n, called in cluster_names(self.clusters).items()}
        return names.get(column) or column

    def block(self, columns: Mapping[str, Any], place: Place, **labels: Any) -> Block:
        """Return the rows of each system, for each module.

        Args:
            columns: the columns of some rows by name.
            place: the words for a column and a row of them.
            **labels: other labels of `Rows`.
        """
        read = {name: read_once(columns[name]) for name in self.names()}
        labels |= {
            "ids": None if self.ids is None else read[self.ids],
            "groups": None if self.groups is None else read[self.groups],
            "clusters": {name: read[column] for name, column in self.clusters.items()} or None,
        }

        def rows(system: str, module: str) -> Rows:
            inputs = self.inputs[system][module]
            return Rows(
                columns={name: read[column] for name, column in inputs.items()},
                place=lambda column, row: place(self.named(system, module, column), row),
                **labels,
            )

        return {s: {m: rows(s, m) for m in modules} for s, modules in self.inputs.items()}


def read_once(column: Any) -> Any:
    """Return a column as a list or an array, so that modules do not each convert it from Arrow.

    Maps of Arrow are unchanged, since rankings read them in their own way, and so is anything
    that is not a column, which the module refuses.
    """
    if column is None or isinstance(column, list | Mapping) or holds_maps(column):
        return column
    with suppress(ValueError):
        return as_column("", column)
    return column


@tokenized_once()
def tables_of(block: Block, metrics: Mapping[str, Any], missing: Missing = "refuse") -> Tables:
    """Return the scored rows of each system, by every module.

    Args:
        block: the rows by system and module.
        metrics: the modules with their options, by name.
        missing: unless it is "refuse", rows without a prediction are not scored.

    Raises:
        ValueError: a row is not valid; says where it is, or names the system.
    """
    digests: dict[int, Any] = {}  # systems usually have one column of references in common
    tables: Tables = {}
    with checked_once():
        for system, of_modules in block.items():
            tables[system] = {}
            for name, rows in of_modules.items():
                references = id(rows.columns.get("references"))
                predictions = rows.columns.get("predictions")
                if missing != "refuse" and predictions is not None and not rows.reasons:
                    reasons = ["unanswered" * (value is None) for value in predictions]
                    rows = replace(rows, reasons=reasons)
                try:
                    table = scored(metrics[name], rows, digests.get(references))
                except ValueError as error:
                    raise rows.located(system, error) from error
                if table.digests is not None:
                    digests[references] = table.digests
                tables[system][name] = table
    return tables


def score_blocks(
    tasks: Iterable[Any],
    blocks_of: Callable[[Any], Iterable[Block]],
    metrics: Mapping[str, Any],
    missing: Missing = "refuse",
    jobs: int = 1,
    bar: Mapping[str, Any] | None = None,
) -> Tables:
    """Return the scored rows of all blocks.

    Args:
        tasks: what processes are told to read.
        blocks_of: the blocks of a task, read in the process that scores them.
        metrics: the modules with their options, by name.
        missing: as in `tables_of`.
        jobs: the number of processes.
        bar: how a progress bar on stderr looks.

    Raises:
        ValueError: a row is not valid.
    """

    def work(task: Any) -> Tables:
        tables = merged(tables_of(block, metrics, missing) for block in blocks_of(task))
        return without_metrics(tables) if jobs > 1 else tables

    with closing(mapped(work, tasks, jobs)) as found:
        parts = with_bar(found, **bar) if bar else found
        return merged(with_metrics(part, metrics) if jobs > 1 else part for part in parts)


def finished(tables: Tables, **how: Any) -> Tables:
    """Return the tables of all rows, with one row for each sample and with labels as texts.

    Args:
        tables: the scored rows.
        **how: as in `samples_of_rows`.

    Raises:
        ValueError: as there, or two labels are called alike; names the system.
    """
    found: Tables = {}
    for system, modules in tables.items():
        try:
            found[system] = {n: t.named() for n, t in samples_of_rows(modules, **how).items()}
        except ValueError as error:
            raise InputError(system, error) from error
    return found


def rows_in_memory(
    systems: Mapping[str, Rows],
    metrics: Mapping[str, Any],
    size: int,
    missing: Missing = "refuse",
    jobs: int = 1,
    bar: str | None = None,
) -> Tables:
    """Return the scored rows of systems, which several processes score in blocks of this size.

    Raises:
        ValueError: a row is not valid.
    """
    longest = max(map(len, systems.values())) if jobs > 1 else 0
    if longest <= size or not _is_divisible(systems.values(), metrics):
        block = {system: dict.fromkeys(metrics, rows) for system, rows in systems.items()}
        return tables_of(block, metrics, missing)

    def blocks_of(start: int) -> Iterator[Block]:
        yield {
            system: dict.fromkeys(metrics, rows.take(range(start, start + size)))
            for system, rows in systems.items()
            if start < len(rows) or not start
        }

    starts = range(0, longest, size)
    style = None if bar is None else {"text": bar, "total": len(starts)}
    return score_blocks(starts, blocks_of, metrics, missing, jobs, style)


def check_alike(first: Tables, part: Tables) -> None:
    """Check that the rows of two tables can be merged, as far as their headers show.

    Raises:
        ValueError: they have different systems, modules or options, or other labels.
    """
    for subject, one, other in (
        ("systems", sorted(first), sorted(part)),
        ("modules", *(sorted({m for of in t.values() for m in of}) for t in (first, part))),
    ):
        if one != other:
            raise ValueError(f"rows of different {subject} cannot be merged: {one}, {other}")
    for system, modules in first.items():
        for module, table in modules.items():
            check_mergeable(table, part[system][module])


def needs_all_rows(metric: Any) -> bool:
    """Return whether the values of an option depend on all rows together."""
    return kept_by(metric) != "inputs" and any(
        value is not None and metric.options[name] == value
        for name, value in metric.options_of_all_rows.items()
        if name in metric.options
    )


def _is_divisible(systems: Iterable[Rows], metrics: Mapping[str, Any]) -> bool:
    """Return whether blocks of rows can be scored by other processes.

    Modules that keep inputs have nothing to do, and rows that are matched by ids inside them, like
    the dictionaries of SQuAD, belong together.
    """
    if any(map(needs_all_rows, metrics.values())):
        return False
    if all(kept_by(metric) == "inputs" for metric in metrics.values()):
        return False
    for rows in systems:
        columns = [column for column in rows.columns.values() if column is not None]
        if any(len(c) and isinstance(c[0], dict) and "id" in c[0] for c in columns):
            return False
        if len(set(map(len, columns))) > 1:
            return False
    return True


def with_tables(tables: Tables, changed: Callable[[RowTable], RowTable]) -> Tables:
    """Return what a function makes of each table."""
    return {
        system: {name: changed(table) for name, table in of_system.items()}
        for system, of_system in tables.items()
    }


def with_metrics(tables: Tables, metrics: Mapping[str, Any]) -> Tables:
    """Return tables that were sent from another process, where a module was only a name."""
    return with_tables(tables, lambda table: replace(table, metric=metrics[table.metric]))


def without_metrics(tables: Tables) -> Tables:
    """Return tables to be sent: an option of a module may be a function, which cannot be sent."""
    return with_tables(tables, lambda table: replace(table, metric=table.module))


def merged(parts: Iterable[Tables]) -> Tables:
    """Return all rows of each system and module.

    Raises:
        ValueError: parts have tables that cannot be joined.
    """
    found: dict[str, dict[str, list[RowTable]]] = {}
    for part in parts:
        for system, modules in part.items():
            for name, table in modules.items():
                found.setdefault(system, {}).setdefault(name, []).append(table)
    return {s: {n: joined(tables) for n, tables in of.items()} for s, of in found.items()}
