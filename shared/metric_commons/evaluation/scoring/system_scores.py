"""Scores of loaded modules on columns, and on the rows of every system.

Scores of single rows, comparisons, and options that are functions, have a value for each row or
follow from all rows need the rows in their order. If several processes score them, block by block,
the scores of all blocks are summarized once, by the function that `compute` itself calls, so the
result equals that of one `compute`.
"""

from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from ...module.catalog.request import ROW_LABELS, Request
from ...module.catalog.usage import with_bar
from ...module.declaration.columns import checked_once, holds_maps, holds_queries
from ...module.declaration.declarations import Module, assign, check_supported, texts_of_rows
from ...module.declaration.row_module import RowModule
from ...statistics.arguments.arrays import as_column
from ...statistics.arguments.domains import is_per_row
from ...statistics.resampling.progress import step
from ..comparison.pairing import paired_scores
from ..results.comparisons import compare_pairs
from ..results.module_results import ModuleResult, module_result, provenance, row_digests
from ..results.results import Results
from ..states.means import CountedScores
from ..states.score_kind import kind_of
from .states import results_of_states
from .system_rows import (
    InputError,
    SystemRows,
    as_list,
    check_same_rows,
    row_labels,
    scores_of_samples,
)
from .worker_processes import map_ordered, run_parallel

NO_SYSTEMS = "scoring needs at least one module and one system"
_LEVEL = 0.95  # of the intervals of differences, unless another level is asked for
_ROWS = 16_384  # of a block: enough for full speed, few enough for an even distribution


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
    systems: Mapping[str, Any] = {"rows" if predictions is None else "predictions": predictions}
    if isinstance(predictions, Mapping) and not holds_queries(predictions):
        systems = predictions
    if not systems:
        raise ValueError(NO_SYSTEMS)
    rows = {}
    ids, clusters = labels["ids"], _clusters_by_system(labels["clusters"], systems)
    shared = {name: _read_once(c) for name, c in labels.items() if name not in ROW_LABELS}
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
            rows[system] = rows[system].answered(request.missing)
    return score_systems(request, metrics, rows, inputs=inputs, progress=progress)


def score_systems(
    request: Request,
    metrics: Mapping[str, Module],
    systems: Mapping[str, SystemRows],
    *,
    inputs: Iterable[Mapping[str, Any]],
    progress: bool,
) -> Results:
    """Return the results of loaded modules, by their names, on the rows of every system.

    See `score`.
    """
    compare, per_example = request.compare, request.per_example
    options = assign(request.options or {}, {name: m.options for name, m in metrics.items()})
    if not per_example:
        for name, of_module in options.items():
            for option in texts_of_rows(of_module):
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

    def kept(jobs: int) -> dict[str, dict[str, KeptRows]]:
        states = {
            system: {
                name: KeptRows(system, name, metric, options[name], rows)
                for name, metric in metrics.items()
            }
            for system, rows in systems.items()
        }
        if jobs > 1:
            _score_blocks(states, jobs, progress=progress)
        return states

    with checked_once():
        states = run_parallel(kept, request.jobs or 1)
        reporting = {**request.intervals, "per_example": per_example or compare}
        with step(0, 1 + compare):
            results = results_of_states(states, provenance(inputs), reporting, progress=progress)
    record = results.provenance | row_digests(
        {
            system: {"references": rows.references(), "ids": rows.ids}
            for system, rows in systems.items()
        }
    )
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


@dataclass(frozen=True)
class KeptRows:
    """The rows of one system for one module: columns, or the scores of blocks.

    Like a `State`, it has a result, but it is not stored.

    Args:
        system: the name of the system.
        module: the name of the module.
        metric: the module.
        options: its options that affect scores.
        rows: the rows.

    >>> from ...module.catalog.catalog import load_without_evaluate
    >>> columns = {"predictions": ["Paris", "Rome"], "references": ["paris", "Oslo"]}
    >>> rows = SystemRows(inputs={"qa_em": columns})
    >>> kept = KeptRows("bot", "qa_em", load_without_evaluate("qa_em"), {}, rows)
    >>> kept.module_result({"per_example": True}).per_example
    {'qa_em': [1.0, 0.0]}
    """

    system: str
    module: str
    metric: Module
    options: Mapping[str, Any]
    rows: SystemRows
    blocks: list[Any] = field(default_factory=list)  # the scores of blocks, in the order of rows

    def columns_of_blocks(self) -> dict[str, Any]:
        """Return the columns, if blocks of them can be scored separately; otherwise none.

        Not if inputs are matched by ids, like the dictionaries of SQuAD, or an option has a value
        for each row, such as the choices of each question.
        """
        metric = self.metric
        if (
            not isinstance(metric, RowModule)
            or not kind_of(metric).separates_rows
            or self.module in self.rows.samples
            or any(
                self.options.get(name) is not None and is_per_row(option.annotation)
                for name, option in metric.declared_options.items()
            )
        ):
            return {}
        inputs = self.rows.inputs[self.module]
        columns = {
            name: as_column(name, inputs[name])
            for name in metric.input_names
            if inputs.get(name) is not None
        }
        firsts = [column[0] for column in columns.values() if len(column)]
        return {} if any(isinstance(row, dict) and "id" in row for row in firsts) else columns

    def configured(self) -> Any:
        """Return the module with its options."""
        return type(self.metric)(**self.options)

    def module_result(self, reporting: Mapping[str, Any]) -> ModuleResult:
        """Return the result of all rows.

        Args:
            reporting: the options for reporting.

        Raises:
            InputError: the module refuses a row.
        """
        metric, rows, kind = self.metric, self.rows, kind_of(self.metric)
        keeps_rows = reporting.get("per_example") or kind.scores_rows
        requested = {
            "conventions": True,
            **reporting,
            "per_example": keeps_rows,
            "groups": rows.groups,
            "clusters": rows.clusters,
        }
        reported = {name: v for name, v in requested.items() if name in metric.options}
        columns = rows.inputs[self.module]
        inputs = metric.with_nan(
            {name: columns[name] for name in metric.feature_sets[0] if name in columns}
        )
        statistics = None
        try:
            if self.blocks:
                result = kind.summarize_blocks(self.configured(), self.blocks, **reported)
                statistics = getattr(result, "statistics", None)
            elif self.module in rows.samples:
                samples = rows.samples[self.module]
                result = scores_of_samples(
                    self.module, metric, columns, self.options, reported, samples
                )
            else:
                arguments = {**inputs, **self.options, **reported}
                result, statistics = metric.compute_with_statistics(**arguments)
        except ValueError as error:
            raise InputError(self.system, error) from error
        counts, clusters = None, rows.clusters
        if kind.scores_rows and "score_bounds" not in result and not isinstance(clusters, Mapping):
            counts = CountedScores.of_rows(result["per_example"], clusters)
        return module_result(
            self.module,
            metric,
            result,
            rows=len(rows),
            options=self.options,
            reported=reported,
            counts=counts,
            row_sums=statistics.sums_of_rows() if statistics is not None and keeps_rows else None,
            row_inputs={
                name: list(map(as_list, as_list(as_column(name, column))))
                for name, column in inputs.items()
                if column is not None and kind.keeps_inputs and keeps_rows
            },
            choices=rows.choices,
            excluded=rows.excluded,
        )


def _score_blocks(
    states: Mapping[str, Mapping[str, KeptRows]], jobs: int, *, progress: bool
) -> None:
    """Score the rows of states in several processes, as far as that can be done block by block."""
    columns = {
        (system, name): columns_of_state
        for system, modules in states.items()
        for name, state in modules.items()
        if (columns_of_state := state.columns_of_blocks())
    }
    rows: dict[str, int] = {}
    for (system, _), of_module in columns.items():
        for column in of_module.values():
            if rows.setdefault(system, len(column)) != len(column):
                raise ValueError("the inputs differ in length")
    blocks = [(system, start) for system, n in rows.items() for start in range(0, n, _ROWS)]

    def work(block: tuple[str, int]) -> dict[str, Any]:
        system, start = block
        return {
            name: kind_of(state.metric).score_block(
                state.configured(),
                {n: c[start : start + _ROWS] for n, c in columns[system, name].items()},
            )
            for name, state in states[system].items()
            if (system, name) in columns
        }

    with closing(map_ordered(work, blocks, jobs)) as results:
        steps = with_bar(blocks, "scoring") if progress else blocks
        for (system, _), by_module in zip(steps, results, strict=True):
            for name, scores in by_module.items():
                states[system][name].blocks.append(scores)


def _read_once(column: Any) -> Any:
    """Return a column as a list or an array, so that modules do not each convert it from Arrow.

    Maps of Arrow are unchanged, since rankings read them in their own way, and so is anything
    that is not a column, which the module refuses.
    """
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
            f"clusters has {', '.join(map(repr, clusters))}: it must have all systems, not only "
            f"{', '.join(map(repr, named))}, or only fields that are crossed"
        )
    return dict.fromkeys(systems, clusters)


def _column(name: str, columns: Any, system: str) -> Any:
    """Return the column of one system, if each has one; otherwise the column that all share."""
    if not isinstance(columns, Mapping):
        return columns
    if system not in columns:
        raise ValueError(f"there are no {name} for system {system!r}")
    return columns[system]
