"""Scored rows of every system, and the results of them."""

from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from itertools import combinations
from typing import Any

from ...module.catalog.request import Missing, Request
from ...module.catalog.usage import with_bar
from ...module.declaration.columns import checked_once, holds_maps
from ...module.declaration.declarations import Module, assign, check_supported, texts_of_rows
from ...statistics.arguments.arrays import as_column
from ...statistics.resampling.progress import step
from ..comparison.pairing import check_same_rows, paired_scores
from ..results.comparisons import compare_pairs
from ..results.module_results import (
    ModuleResult,
    check_averages,
    module_result,
    provenance,
    row_digests,
)
from ..results.results import Results
from ..rows.plans import Plan, Tables, merged, tables_of, with_metrics
from ..rows.row_tables import kept_by, row_labels
from ..rows.rows import InputError, Rows
from ..rows.worker_processes import map_ordered, run_parallel

NO_SYSTEMS = "scoring needs at least one module and one system"
_LEVEL = 0.95  # of the intervals of differences, unless another level is asked for
_ROWS = 16_384  # of a block: enough for full speed, few enough for an even distribution


def options_of_modules(request: Request, metrics: Mapping[str, Module]) -> dict[str, Any]:
    """Return the modules with their options, by name.

    Raises:
        ValueError: an option is unknown, or not supported by this request.
    """
    options = assign(request.options or {}, {name: m.options for name, m in metrics.items()})
    if not request.rows:
        for name, of_module in options.items():
            for option in texts_of_rows(of_module):
                raise ValueError(
                    f"{option} of {name} is about single rows, which only rows=True keeps"
                )
    return {
        name: type(metric)(**options[name]) if options[name] else metric
        for name, metric in metrics.items()
    }


def needs_all_rows(metric: Any) -> bool:
    """Return whether the values of an option depend on all rows together."""
    return (
        any(
            value is not None and metric.options_of_all_rows.get(name) == value
            for name, value in metric.options.items()
        )
        and kept_by(metric) != "inputs"
    )


def check_reported(
    request: Request, metrics: Mapping[str, Module], *, has_groups: bool, has_clusters: bool
) -> None:
    """Check that some module supports what is asked for beside the scores.

    Raises:
        ValueError: none does.
    """
    requested = {
        "confidence_level": request.confidence_level is not None,
        "groups": has_groups,
        "clusters": has_clusters and not (request.compare or request.rows),
        "standard_error": request.standard_error,
    }
    check_supported([name for name, is_requested in requested.items() if is_requested], metrics)


def plan_of_columns(
    request: Request,
    metrics: Mapping[str, Module],
    systems: Mapping[str, str | None],
    labels: Mapping[str, str | None],
) -> Plan:
    """Return the plan for a table that is scored block by block.

    Raises:
        ValueError: an option is unknown, a module does not support the request, or an input has no
            column.
    """
    check_reported(
        request,
        metrics,
        has_groups=labels.get("groups") is not None,
        has_clusters=labels.get("clusters") is not None,
    )
    of_rows = ("ids", "groups", "clusters")
    clusters = labels.get("clusters")
    options_of_modules(request, metrics)  # which checks them
    options = assign(request.options or {}, {name: m.options for name, m in metrics.items()})
    return Plan(
        modules=options,
        systems=systems,
        columns={n: c for n, c in labels.items() if c is not None and n not in of_rows},
        ids=labels.get("ids"),
        groups=labels.get("groups"),
        clusters=() if clusters is None else (clusters,),
        missing=request.missing,
    )


def score_rows(
    request: Request,
    metrics: Mapping[str, Module],
    systems: Mapping[str, Rows],
    *,
    inputs: Iterable[Mapping[str, Any]] = (),
    progress: bool = False,
) -> Results:
    """Return the results of loaded modules, by their names, on the rows of every system.

    See `score`.
    """
    configured = options_of_modules(request, metrics)
    check_reported(
        request,
        metrics,
        has_groups=any(rows.groups is not None for rows in systems.values()),
        has_clusters=any(rows.clusters is not None for rows in systems.values()),
    )
    if request.compare and len(systems) < 2:
        raise ValueError(f"compare needs two systems; there is only {next(iter(systems))!r}")

    with checked_once():
        tables = run_parallel(
            lambda jobs: tables_of_systems(
                systems, configured, request.missing, jobs, progress=progress
            ),
            request.jobs or 1,
        )
        return results_of_tables(request, tables, inputs=inputs, progress=progress)


def tables_of_systems(
    systems: Mapping[str, Rows],
    metrics: Mapping[str, Any],
    missing: Missing,
    jobs: int,
    *,
    progress: bool,
) -> Tables:
    """Return the scored rows of each system, which other processes score in blocks.

    Args:
        systems: the rows by system.
        metrics: the modules with their options, by name.
        missing: what becomes of rows without an answer.
        jobs: the number of processes.
        progress: show a bar on stderr.

    Raises:
        ValueError: a row is not valid.
    """
    blocks = _blocks(metrics, systems) if jobs > 1 else []
    if len(blocks) < 2:
        return tables_of(systems, metrics, missing)
    # Labels are compared with all others before they are divided.
    labelled = {
        system: replace(rows, **row_labels(rows, len(rows))) for system, rows in systems.items()
    }

    def work(block: tuple[str, int]) -> Tables:
        system, start = block
        rows = labelled[system].between(start, start + _ROWS)
        return with_metrics(tables_of({system: rows}, metrics, missing), {})

    parts: dict[str, list[Tables]] = {}
    with closing(map_ordered(work, blocks, jobs)) as found:
        for part in with_bar(found, "scoring", total=len(blocks)) if progress else found:
            parts.setdefault(next(iter(part)), []).append(with_metrics(part, metrics))
    return {system: merged(of_system)[system] for system, of_system in parts.items()}


def _blocks(metrics: Mapping[str, Any], systems: Mapping[str, Rows]) -> list[tuple[str, int]]:
    """Return the blocks of rows that other processes score; none if they cannot be divided.

    Modules that keep inputs have nothing to do, and rows that are matched by ids inside them, like
    the dictionaries of SQuAD, belong together.
    """
    if any(map(needs_all_rows, metrics.values())):
        return []
    if all(kept_by(metric) == "inputs" for metric in metrics.values()):
        return []
    for rows in systems.values():
        columns = [column for column in rows.columns.values() if column is not None]
        if any(len(c) and isinstance(c[0], dict) and "id" in c[0] for c in columns):
            return []
        if len(set(map(len, columns))) > 1:
            return []
    return [
        (system, start) for system in systems for start in range(0, len(systems[system]), _ROWS)
    ]


def results_of_tables(
    request: Request,
    tables: Tables,
    *,
    inputs: Iterable[Mapping[str, Any]] = (),
    record: Mapping[str, Any] | None = None,
    progress: bool = False,
) -> Results:
    """Return the results of scored rows, compared if that is requested.

    Args:
        request: what is reported; its modules and options are ignored.
        tables: the rows by system and module.
        inputs: the sources of the rows.
        record: the provenance; None for that of these inputs.
        progress: show a bar on stderr.

    Raises:
        ValueError: a score is undefined for all rows, or systems cannot be compared.
    """
    if request.compare:
        check_same_rows(tables)
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
    results = Results(
        systems=systems,
        provenance={**(provenance(inputs) if record is None else record), **row_digests(tables)},
        rows=tables,
    )
    if request.compare:
        level = request.confidence_level
        with step(1, 2):
            comparisons = compare_pairs(
                paired_scores(results, combinations(tables, 2), request.scores),
                correction=request.correction,
                assume=request.assume,
                bounds=request.bounds,
                confidence_level=_LEVEL if level is None else level,
            )
        results = replace(results, comparisons=comparisons)
    if not (request.rows or len(tables) > 1):
        results = replace(results, rows={})
    return results.choose(request.scores)


def read_once(column: Any) -> Any:
    """Return a column as a list or an array, so that modules do not each convert it from Arrow.

    Maps of Arrow are unchanged, since rankings read them in their own way, and so is anything
    that is not a column, which the module refuses.
    """
    if column is None or isinstance(column, Mapping) or holds_maps(column):
        return column
    with suppress(ValueError):
        return as_column("", column)
    return column
