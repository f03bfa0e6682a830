"""Scored rows of every system, and the results of them."""

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from itertools import combinations
from typing import Any

from ...module.catalog.presets import preset
from ...module.catalog.request import ROW_LABELS, Missing, Request
from ...module.catalog.usage import with_bar
from ...module.declaration.declarations import Module, check_supported, texts_of_rows
from ...statistics.resampling.progress import step
from ..comparison.comparisons import with_comparisons
from ..results.module_results import (
    ModuleResult,
    check_averages,
    module_result,
    provenance,
    row_digests,
)
from ..results.results import Results
from ..rows.joins import in_order_of
from ..rows.plans import Block, Plan, Tables, merged, score_tasks, tables_of, with_tables
from ..rows.row_tables import RowTable, kept_by
from ..rows.rows import InputError

NO_SYSTEMS = "scoring needs at least one module and one system"
_LEVEL = 0.95  # of the intervals of differences, unless another level is asked for
_ROWS = 16_384  # of a block: enough for full speed, few enough for an even distribution


def configured(
    request: Request, metrics: Mapping[str, Module], options: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the modules with their options.

    Raises:
        ValueError: an option is not supported by this request.
    """
    for name, of_module in options.items():
        for option in [] if request.rows else texts_of_rows(of_module):
            raise ValueError(f"{option} of {name} is about single rows, which only rows=True keeps")
    return {
        name: type(metric)(**options[name]) if options[name] else metric
        for name, metric in metrics.items()
    }


def needs_all_rows(metric: Any) -> bool:
    """Return whether the values of an option depend on all rows together."""
    return kept_by(metric) != "inputs" and any(
        value is not None and metric.options[name] == value
        for name, value in metric.options_of_all_rows.items()
        if name in metric.options
    )


def check_reported(
    request: Request, metrics: Mapping[str, Module], groups: Any, clusters: Any
) -> None:
    """Check that some module supports what is asked for beside the scores.

    Raises:
        ValueError: none does.
    """
    requested = {
        "confidence_level": request.confidence_level,
        "groups": groups,
        "clusters": None if request.compare or request.rows else clusters,
        "standard_error": request.standard_error or None,
    }
    check_supported([name for name, value in requested.items() if value is not None], metrics)


def plan_of_columns(
    options: Mapping[str, Mapping[str, Any]],
    systems: Mapping[str, str | None],
    labels: Mapping[str, Any],
    missing: Missing,
) -> Plan:
    """Return the plan for a table with columns of these names.

    Args:
        options: those of each module.
        systems: the column of predictions of each system.
        labels: all other columns by name, or None; several are crossed clusters.
        missing: what becomes of rows without an answer.
    """
    clusters = labels.get("clusters") or ()
    return Plan(
        modules=options,
        systems=systems,
        columns={n: c for n, c in labels.items() if c is not None and n not in ROW_LABELS},
        ids=labels.get("ids"),
        groups=labels.get("groups"),
        clusters=(clusters,) if isinstance(clusters, str) else tuple(clusters),
        missing=missing,
    )


def tables_of_systems(
    systems: Block,
    metrics: Mapping[str, Any],
    jobs: int,
    *,
    missing: Missing = "refuse",
    progress: bool = False,
) -> Tables:
    """Return the scored rows of each system, which other processes score in blocks.

    Args:
        systems: the rows by system.
        metrics: the modules with their options, by name.
        jobs: the number of processes.
        missing: what becomes of rows without an answer.
        progress: show a bar on stderr.

    Raises:
        ValueError: a row is not valid.
    """
    starts = range(0, max(map(len, systems.values())), _ROWS) if jobs > 1 else range(1)
    if len(starts) < 2 or not _is_divisible(systems, metrics):
        return tables_of(systems, metrics, missing)

    def blocks_of(start: int) -> Iterable[Block]:
        yield {
            name: rows.take(range(start, start + _ROWS))
            for name, rows in systems.items()
            if start < len(rows) or not start
        }

    with closing(score_tasks(starts, blocks_of, metrics, missing, jobs)) as found:
        steps = with_bar(found, "scoring", total=len(starts)) if progress else found
        return merged(tables for tables, _ in steps)


def _is_divisible(systems: Block, metrics: Mapping[str, Any]) -> bool:
    """Return whether blocks of rows can be scored by other processes.

    Modules that keep inputs have nothing to do, and rows that are matched by ids inside them, like
    the dictionaries of SQuAD, belong together.
    """
    if any(map(needs_all_rows, metrics.values())):
        return False
    if all(kept_by(metric) == "inputs" for metric in metrics.values()):
        return False
    for rows in systems.values():
        columns = [column for column in rows.columns.values() if column is not None]
        if any(len(c) and isinstance(c[0], dict) and "id" in c[0] for c in columns):
            return False
        if len(set(map(len, columns))) > 1:
            return False
    return True


def results_of_tables(
    request: Request,
    tables: Tables,
    *,
    inputs: Iterable[Mapping[str, Any]] = (),
    progress: bool = False,
) -> Results:
    """Return the results of scored rows, compared if that is requested.

    Args:
        request: what is reported; its modules and options are ignored.
        tables: the rows by system and module.
        inputs: the sources of the rows.
        progress: show a bar on stderr.

    Raises:
        ValueError: a score is undefined for all rows, or systems cannot be compared.
    """
    if request.preset is not None:
        tables = _with_preset(tables, request.preset)
    if request.compare:
        if len(tables) < 2:
            raise ValueError(f"compare needs two systems; there is only {next(iter(tables))!r}")
        tables = _in_one_order(tables)
    systems: dict[str, dict[str, ModuleResult]] = {system: {} for system in tables}
    steps = [(system, name) for system, modules in tables.items() for name in modules]
    with step(0, 1 + request.compare):
        for number, (system, name) in enumerate(with_bar(steps, "scoring") if progress else steps):
            with step(number, len(steps)):
                try:
                    found = module_result(tables[system][name], request.intervals)
                except ValueError as error:
                    raise InputError(system, error) from error
            systems[system][name] = found
    check_averages(systems)
    of_preset = {} if request.preset is None else {"preset": request.preset}
    results = Results(
        systems=systems,
        provenance=provenance(inputs) | row_digests(tables) | of_preset,
        rows=tables,
    )
    if request.compare:
        level = request.confidence_level
        with step(1, 2):
            results = with_comparisons(
                results,
                combinations(tables, 2),
                request.scores,
                correction=request.correction,
                assume=request.assume,
                bounds=request.bounds,
                confidence_level=_LEVEL if level is None else level,
            )
    if not (request.rows or len(tables) > 1):
        results = replace(results, rows={})
    return results.choose(request.scores)


def _in_one_order(tables: Tables) -> Tables:
    """Return the rows of all systems in the order of the first.

    Raises:
        ValueError: they are not the same.
    """
    (first, modules), *others = tables.items()
    return {first: modules} | {
        system: {
            name: in_order_of(modules[name], table, (first, system))
            for name, table in of_system.items()
        }
        for system, of_system in others
    }


def _with_preset(tables: Tables, name: str) -> Tables:
    """Return the rows with a preset for signatures, where no option differs from it."""
    modules = preset(name).modules

    def conditioned(table: RowTable) -> RowTable:
        options = modules.get(table.module, {}).items()
        if any(table.options[option] != value for option, value in options):
            return table
        return replace(table, conditions={**table.conditions, "preset": name})

    return with_tables(tables, conditioned)
