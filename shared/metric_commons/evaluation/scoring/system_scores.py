"""Scores of loaded modules on columns, and on the rows of every system."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from typing import Any

from ...module.catalog.request import ROW_LABELS, Request
from ...module.declaration.declarations import (
    Module,
    assign,
    check_supported,
    names_of_functions,
    texts_of_rows,
)
from ...statistics.arguments.domains import is_per_row
from ...statistics.resampling.progress import step
from ..comparison.pairing import paired_scores
from ..results.comparisons import compare_pairs
from ..results.module_results import provenance, row_digests
from ..results.results import Results
from .system_rows import SystemRows, check_same_rows, row_labels
from .worker_processes import run_parallel

NO_SYSTEMS = "scoring needs at least one module and one system"
_LEVEL = 0.95  # of the intervals of differences, unless another level is asked for


def score_columns(
    request: Request,
    metrics: Mapping[str, Module],
    predictions: Any,
    labels: Mapping[str, Any],
    *,
    inputs: Iterable[Mapping[str, Any]] = (),
    progress: bool = False,
) -> Results:
    """Return the results of loaded modules, by their names, on columns; see `score`.

    Args:
        request: the request; its fields are ignored.
        metrics: the modules by name.
        predictions: a column, or a column for each system; None without predictions.
        labels: all other columns by name, for all systems or for each.
        inputs: the sources of the rows.
        progress: show a bar on stderr.
    """
    from ...module.declaration.columns import holds_queries  # imports numpy, so only on use

    systems: Mapping[str, Any] = {"rows" if predictions is None else "predictions": predictions}
    if isinstance(predictions, Mapping) and not holds_queries(predictions):
        systems = predictions
    if not systems:
        raise ValueError(NO_SYSTEMS)
    rows = {}
    ids, clusters = labels["ids"], _clusters_by_system(labels["clusters"], systems)
    shared = {name: _read_once(each) for name, each in labels.items() if name not in ROW_LABELS}
    for system, predicted in systems.items():
        columns = {
            name: column if holds_queries(column) else _read_once(_column(name, column, system))
            for name, column in shared.items()
        }
        judged = columns["references"]
        queries = list(judged) if holds_queries(judged) else None
        columns["predictions"] = _read_once(predicted)
        rows[system] = SystemRows(
            inputs={
                name: columns if queries is None else metric.as_rows(columns)
                for name, metric in metrics.items()
            },
            groups=_column("groups", labels["groups"], system),
            clusters=_column("clusters", clusters, system),
            ids=queries if ids is None else _column("ids", ids, system),
        )
        if request.missing != "refuse":
            rows[system] = rows[system].at_hand(request.missing)
    return score_systems(request, metrics, rows, inputs=inputs, progress=progress)


def score_systems(
    request: Request,
    metrics: Mapping[str, Module],
    systems: Mapping[str, SystemRows],
    *,
    inputs: Iterable[Mapping[str, Any]] = (),
    progress: bool = False,
) -> Results:
    """Return the results of loaded modules, by their names, on the rows of every system.

    See `score`.
    """
    from ...module.declaration.columns import checked_once  # imports numpy, so only on use
    from ...text.tokens.normalizers import shared_token_cache
    from .kept_rows import kept_rows
    from .states import results_of_states

    compare, per_example = request.compare, request.per_example
    module_options = assign(
        request.options or {}, {name: metric.options for name, metric in metrics.items()}
    )
    if not per_example:
        for name, options in module_options.items():
            for option in texts_of_rows(options):
                raise ValueError(
                    f"{option} of {name} is about single rows, which only per_example keeps"
                )
    if compare:
        check_same_rows(systems)
        if len(systems) < 2:
            raise ValueError(
                f"compare needs two systems; there is only {', '.join(map(repr, systems))}"
            )
    requested = {
        "confidence_level": request.confidence_level is not None,
        "groups": any(rows.groups is not None for rows in systems.values()),
        "clusters": not (compare or per_example)
        and any(rows.clusters is not None for rows in systems.values()),
        "standard_error": request.standard_error,
    }
    check_supported([option for option, is_requested in requested.items() if is_requested], metrics)

    with checked_once(), shared_token_cache():
        states = run_parallel(
            lambda jobs: kept_rows(metrics, systems, module_options, jobs, progress=progress),
            request.jobs or 1,
        )
        reporting = {**request.intervals, "per_example": per_example or compare}
        with step(0, 1 + compare):
            results = results_of_states(states, provenance(inputs), reporting, progress=progress)
    digests = row_digests(
        {
            system: {"references": rows.references(), "ids": rows.ids}
            for system, rows in systems.items()
        }
    )
    record = results.provenance | digests
    results = replace(results, provenance=record, row_labels=row_labels(systems))
    if not compare:
        return results.choose(request.scores)
    level = request.confidence_level
    with step(1, 2):
        comparisons = compare_pairs(
            paired_scores(results, combinations(systems, 2), request.scores),
            correction=request.correction,
            assume=request.assume,
            bounds=request.bounds,
            confidence_level=_LEVEL if level is None else level,
            n_resamples=request.n_resamples,
            seed=request.seed,
        )
    results = results if per_example else results.without_rows()
    return replace(results, comparisons=comparisons).choose(request.scores)


def need_rows(metrics: Mapping[str, Module], options: Mapping[str, Any]) -> bool:
    """Return whether options of modules are functions, or are about all rows."""
    if names_of_functions(options):
        return True
    for key, value in options.items():
        option = key.rpartition(".")[2]
        follows = (metric.options_of_all_rows.get(option) for metric in metrics.values())
        declared = [m.declared_options[option] for m in metrics.values() if option in m.options]
        per_row = any(is_per_row(declaration.annotation) for declaration in declared)
        if per_row or value in filter(None, follows):
            return True
    return False


def _read_once(column: Any) -> Any:
    """Return a column as a list or an array, so that modules do not each convert it from Arrow.

    Maps of Arrow are unchanged, since rankings read them in their own way, and so is anything
    that is not a column, which the module refuses.
    """
    from ...module.declaration.columns import holds_maps
    from ...statistics.arguments.arrays import as_column

    if column is None or isinstance(column, Mapping) or holds_maps(column):
        return column
    with suppress(ValueError):
        return as_column("", column)
    return column


def _clusters_by_system(clusters: Any, systems: Mapping[str, Any]) -> Any:
    """Return the clusters of each system, if those of all are crossed: columns by field.

    Raises:
        ValueError: only some systems have clusters, or some fields the names of systems.
    """
    if not isinstance(clusters, Mapping) or systems.keys() <= clusters.keys():
        return clusters
    if named := [system for system in systems if system in clusters]:
        raise ValueError(
            f"clusters has {', '.join(map(repr, clusters))}: neither all systems, of which there "
            f"is {', '.join(map(repr, named))}, nor only fields that are crossed"
        )
    return dict.fromkeys(systems, clusters)


def _column(name: str, columns: Any, system: str) -> Any:
    """Return the column of one system, if each has one; otherwise the column that all share."""
    if not isinstance(columns, Mapping):
        return columns
    if system not in columns:
        raise ValueError(f"there are no {name} for system {system!r}")
    return columns[system]
