"""Blocks of rows, which are scored one by one in any process, and joined again."""

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from itertools import repeat
from typing import Any

from ...module.catalog.request import Missing
from ...module.declaration.columns import checked_once
from .row_tables import RowTable, joined, kept_by, scored
from .rows import Block, InputError, Metrics
from .samples import samples_of_rows
from .worker_processes import REFUSALS, EndedError, mapped

Tables = dict[str, dict[str, RowTable]]  # the scored rows of each system by every module


def tables_of(block: Block, metrics: Metrics, missing: Missing = "refuse") -> Tables:
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
                if predictions is not None and (rows.reasons or missing != "refuse"):
                    known = zip(rows.reasons or repeat(""), predictions, strict=False)
                    reasons = [why or "unanswered" * (value is None) for why, value in known]
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
    parts: Callable[[], Iterable[Any]],
    block_of: Callable[[Any], Block],
    metrics: Metrics,
    missing: Missing = "refuse",
    jobs: int = 1,
) -> Tables:
    """Return the scored rows of all blocks.

    Args:
        parts: reads what processes are sent.
        block_of: the block of a part, made in the process that scores it.
        metrics: the modules with their options, by name.
        missing: as in `tables_of`.
        jobs: the number of processes.

    Raises:
        ValueError: a row is not valid.
    """

    def work(part: Any) -> Tables:
        return without_metrics(tables_of(block_of(part), metrics, missing))

    if jobs > 1:
        try:
            with closing(mapped(work, parts(), jobs)) as found:
                return merged(with_metrics(part, metrics) for part in found)
        except EndedError:
            raise
        except REFUSALS:
            pass  # one process finds the first invalid row, with its number and line
    return merged(tables_of(block_of(part), metrics, missing) for part in parts())


def finished(tables: Tables, missing: Missing, **how: Any) -> Tables:
    """Return the tables of all rows, with one row for each sample.

    Args:
        tables: the scored rows.
        missing: as in `samples_of_rows`.
        **how: as there.

    Raises:
        ValueError: as there, or there are no rows; names the system.
    """
    if not tables:
        raise ValueError("the table is empty; a score of no rows is undefined")
    found: Tables = {}
    for system, modules in tables.items():
        try:
            found[system] = samples_of_rows(modules, missing, **how)
        except ValueError as error:
            raise InputError(system, error) from error
    return found


def needs_all_rows(metrics: Metrics) -> bool:
    """Return whether the values of an option of a module depend on all rows together."""
    return any(
        value is not None and metric.options.get(name) == value
        for metric in metrics.values()
        if kept_by(metric) != "inputs"
        for name, value in metric.options_of_all_rows.items()
    )


def with_tables(tables: Tables, changed: Callable[[RowTable], RowTable]) -> Tables:
    """Return what a function makes of each table."""
    return {
        system: {name: changed(table) for name, table in of_system.items()}
        for system, of_system in tables.items()
    }


def with_metrics(tables: Tables, metrics: Metrics) -> Tables:
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
