"""Rows of a table scored block by block, in one process or several, and joined again."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from ...module.catalog.catalog import module_class, name_of, own_scripts
from ...module.catalog.request import Missing
from ...module.declaration.columns import checked_once, holds_maps
from ...statistics.arguments.arrays import as_column
from ...text.tokens.normalizers import tokenized_once
from .row_tables import RowTable, check_mergeable, joined, row_labels, scored
from .rows import InputError, Rows
from .samples import answered, scored_samples
from .table_columns import check_columns

Tables = dict[str, dict[str, RowTable]]  # by system and module
Block = Mapping[str, Rows]  # the rows of each system
Labels = dict[str, dict[str, dict[str, Any]]]  # by system, kind of label and text


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Modules with their options, and the columns of a table that they read.

    It can be sent to other processes.

    Args:
        modules: by module: the options that affect its scores.
        systems: by system: the column of predictions, if there is one.
        columns: the columns of all other inputs, by their names.
        ids: the column of the ids; None if there is none, as for groups.
        groups: the column of the groups.
        clusters: the columns of the clusters.
        missing: what becomes of rows without an answer.

    >>> plan = Plan(
    ...     modules={"qa_em": {}}, systems={"bot": "answer"}, columns={"references": "gold"}
    ... )
    >>> tables = plan.tables({"answer": ["Paris", "Rome"], "gold": ["paris", "Oslo"]})
    >>> tables["bot"]["qa_em"].columns["qa_em"]
    array([1., 0.])
    """

    modules: Mapping[str, Mapping[str, Any]]
    systems: Mapping[str, str | None]
    columns: Mapping[str, str]
    ids: str | None = None
    groups: str | None = None
    clusters: tuple[str, ...] = ()
    missing: Missing = "refuse"

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in vars(self).items() if name != "metrics"}
        return state | {"scripts": own_scripts(self.modules)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for script in state.pop("scripts").values():
            name_of(Path(script))
        vars(self).update(state)

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """Return the modules with their options."""
        return {name: module_class(name)(**options) for name, options in self.modules.items()}

    def names(self) -> list[str]:
        """Return the columns that are read."""
        named = [*self.systems.values(), *self.columns.values(), self.ids, self.groups]
        return list(dict.fromkeys(name for name in (*named, *self.clusters) if name is not None))

    def field(self, system: str, column: str) -> str:
        """Return the column of the table for an input or a label, in which an error was found."""
        names = {**self.columns, "ids": self.ids, "groups": self.groups}
        names |= {f"clusters[{name!r}]": name for name in self.clusters}
        names["clusters"] = next(iter(self.clusters), None)
        names["predictions"] = self.systems[system]
        return names.get(column) or column

    def rows(self, columns: Mapping[str, Any], place: Callable[[str, int], str]) -> dict[str, Rows]:
        """Return the rows of each system in a block of the table.

        Args:
            columns: the columns of the block by name.
            place: from a column of the table and a row of the block, the words for them.
        """
        block = {name: read_once(columns[name]) for name in self.names()}
        systems = {}
        for system, predictions in self.systems.items():
            inputs = {name: block[field] for name, field in self.columns.items()}
            if predictions is not None:
                inputs["predictions"] = block[predictions]

            def placed(column: str, row: int, system: str = system) -> str:
                return place(self.field(system, column), row)

            systems[system] = Rows(
                columns=inputs,
                ids=None if self.ids is None else block[self.ids],
                groups=None if self.groups is None else block[self.groups],
                clusters={name: block[name] for name in self.clusters} or None,
                place=placed,
            )
        return systems

    def blocks(self, blocks: Iterable[Mapping[str, Any]], start: int = 0) -> Iterator[Block]:
        """Yield the rows of each block that has any; errors number them from `start`."""
        for block in blocks:
            check_columns(self.names(), block)
            if rows := len(block[self.names()[0]]):
                yield self.rows(block, partial(_place, start))
            start += rows

    def tables(self, block: Mapping[str, Any], start: int = 0) -> Tables:
        """Return the scored rows of a block, the first of which has the number `start`.

        Raises:
            ValueError: a row is not valid.
        """
        with checked_once():
            return tables_of(self.rows(block, partial(_place, start)), self.metrics, self.missing)


def _place(start: int, column: str, row: int) -> str:
    return f"row {start + row}: column {column!r}"


def score_tasks(
    tasks: Iterable[Any],
    blocks_of: Callable[[Any], Iterable[Block]],
    metrics: Mapping[str, Any],
    missing: Missing,
    jobs: int,
) -> Generator[tuple[Tables, int], None, None]:
    """Yield the scored rows of each task, and how many rows were read.

    Args:
        tasks: what processes are told to read.
        blocks_of: the blocks of a task, read in the process that scores them.
        metrics: the modules with their options, by name.
        missing: what becomes of rows without an answer.
        jobs: the number of processes.

    Raises:
        ValueError: a row is not valid, or labels of two rows are called alike.
    """
    seen: Labels = {}

    def work(task: Any) -> tuple[Tables, int, Labels]:
        labels = seen if jobs == 1 else {}
        parts, rows = [], 0
        for block in blocks_of(task):
            rows += len(next(iter(block.values())))
            with checked_once():
                parts.append(tables_of(block, metrics, missing, labels))
        tables = merged(parts)
        if jobs > 1:  # an option of a module may be a function, which cannot be sent
            tables = with_tables(tables, lambda table: replace(table, metric=table.module))
        return tables, rows, labels

    if jobs == 1:
        found: Iterable[tuple[Tables, int, Labels]] = map(work, tasks)
    else:
        from .worker_processes import map_ordered

        found = map_ordered(work, tasks, jobs)
    for tables, rows, labels in found:
        if labels is not seen:
            _check_labels(seen, labels)
            tables = with_tables(tables, lambda table: replace(table, metric=metrics[table.metric]))
        yield tables, rows


def _check_labels(seen: Labels, labels: Labels) -> None:
    for system, kinds in labels.items():
        for name, texts in kinds.items():
            known = seen.setdefault(system, {}).setdefault(name, {})
            if any(known.setdefault(text, label) != label for text, label in texts.items()):
                raise ValueError(f"two {name} are called alike")  # one process says where


@tokenized_once()
def tables_of(
    systems: Block,
    metrics: Mapping[str, Any],
    missing: Missing = "refuse",
    seen: Labels | None = None,
) -> Tables:
    """Return the scored rows of each system, by every module.

    Args:
        systems: the rows by system.
        metrics: the modules with their options, by name.
        missing: what becomes of rows without an answer.
        seen: the labels of earlier blocks.

    Raises:
        ValueError: a row is not valid; names the system, unless rows have a place.
    """
    digests: dict[int, Any] = {}  # systems usually have one column of references in common
    tables: Tables = {}
    for system, part in systems.items():
        rows = part
        try:
            if seen is not None:
                labels = seen.setdefault(system, {})
                texts = row_labels(replace(rows, ids=None), len(rows), labels)
                part = replace(rows, **texts | {"ids": rows.ids})
            samples, conditions = None, dict[str, Any]()
            if missing != "refuse":
                part, samples, conditions = answered(part, missing)
            references = part.columns.get("references")
            tables[system] = {}
            for name, metric in metrics.items():
                if conditions:
                    tables[system][name] = scored_samples(metric, part, samples, conditions)
                    continue
                table = scored(metric, part, digests.get(id(references)))
                if table.digests is not None:
                    digests[id(references)] = table.digests
                tables[system][name] = table
        except ValueError as error:
            if rows.place is None:
                raise InputError(system, error) from error
            raise part.located(error) from error
    return tables


def with_tables(tables: Tables, changed: Callable[[RowTable], RowTable]) -> Tables:
    """Return what a function makes of each table."""
    return {
        system: {name: changed(table) for name, table in of_system.items()}
        for system, of_system in tables.items()
    }


def merged(parts: Iterable[Tables]) -> Tables:
    """Return all rows of each system and module of the first part that has any.

    Raises:
        ValueError: parts have tables that cannot be joined.
    """
    collected = [part for part in parts if part]
    return {
        system: {
            module: joined([part[system][module] for part in collected if system in part])
            for module in modules
        }
        for first in collected[:1]
        for system, modules in first.items()
    }


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
