"""Scores of every module on every system, for Python, the command line and the server."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from inspect import signature
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ...module.catalog.catalog import load_without_evaluate
from ...module.catalog.request import ROW_LABELS, Request, check_jobs
from ...module.catalog.usage import with_bar
from ...module.declaration.declarations import (
    Module,
    assign,
    check_supported,
    is_assignable,
    names_of_functions,
    texts_of_rows,
)
from ...statistics.arguments.checks import nearest
from ...statistics.arguments.domains import is_per_row
from ...statistics.intervals.methods import Assumption, Correction, DifferenceBounds, Method
from ...statistics.resampling.progress import step
from ..comparison.pairing import paired_scores
from ..results.comparisons import compare_pairs
from ..results.module_results import ModuleResult, provenance, row_digests
from ..results.results import Results
from ..states.score_kind import kind_of
from .system_rows import InputError, SystemRows, check_same_rows, row_labels
from .table_columns import (
    columns_of_table,
    comes_in_parts,
    is_spark,
    is_table,
    table_names,
)
from .worker_processes import run_parallel

if TYPE_CHECKING:
    from .parallel_rows import Summaries

_NO_SYSTEMS = "scoring needs at least one module and one system"
_LEVEL = 0.95  # of the intervals of differences, unless another level is asked for


def score(
    modules: str | Iterable[str],
    data: Any = None,
    *,
    predictions: Any = None,
    references: Any = None,
    options: Mapping[str, Any] | None = None,
    confidence_level: float | None = None,
    interval: Method = "auto",
    standard_error: bool = False,
    clusters: Any = None,
    n_resamples: int = 10_000,
    seed: int = 0,
    groups: Any = None,
    ids: Any = None,
    per_example: bool = False,
    compare: bool = False,
    scores: Sequence[str] | None = None,
    correction: Correction = "bonferroni",
    assume: Assumption = "exchangeable",
    bounds: DifferenceBounds | None = None,
    inputs: Iterable[Mapping[str, Any]] = (),
    progress: bool = False,
    jobs: int = 1,
    **module_options: Any,
) -> Results:
    """Return the results of every module on every system.

    Args:
        modules: a name, or several.
        data: a table: a dictionary of columns; a DataFrame of pandas, polars or Spark; a table of
            pyarrow; a Dataset or IterableDataset. Other arguments then name its columns. Tables of
            Spark and `datasets` are scored in parts, whose states merge; columns are collected
            only for `per_example`, `compare`, labels that are not columns, options that are
            functions, `sample_weight`, and rankings of `datasets` without ids.
        predictions: a column; the column of each system, by name; or a table with a column for
            each system. With `data`: the name of a column, several, or a name for each system.
            None for modules without predictions, whose columns make one system, "rows".
        references: for all systems, or for each system; None if no module needs them. Both columns
            of rankings may be dictionaries `{query: {document: number}}`.
        options: options of modules: `option` is for every module that has it, `module.option` for
            one.
        confidence_level: level of confidence intervals, such as 0.95; without it there are none.
        interval: how intervals are computed; auto chooses by the kind of score.
        standard_error: also report the standard error of each score.
        clusters: the cluster of each row, for all systems or for each system; intervals and
            comparisons then count clusters instead of rows.
        n_resamples: number of resamples, for intervals and tests that need them.
        seed: seed of the resamples.
        groups: one label per row, for all systems or for each system.
        ids: one id per row, likewise; results are compared by them. Rankings of Spark need them.
        per_example: also keep the scores of every row.
        compare: test every two systems against each other; they must have the same rows. A
            permutation test compares the main score of each module, and p-values are corrected
            for the number of pairs and scores.
        scores: report and compare only these scores, such as qa_f1; by default all are reported,
            and the main score of each module is compared: as `score` or `module.score`.
        correction: correction of p-values for several comparisons: bonferroni, max_t (of the
            largest statistic), holm, benjamini_hochberg or none.
        assume: what comparisons of means of rows assume: exchangeable (the systems, row by row) or
            nothing.
        bounds: the smallest and the largest possible difference of two systems; by default -1 and
            1 for scores from 0 to 1.
        inputs: the sources of the rows, for the provenance.
        progress: show a bar on stderr if it takes longer than a second.
        jobs: how many processes read and score rows; the result is the same. They are forked from
            this one, which is worthwhile from about 100,000 rows on.
        **module_options: further inputs of the modules by name, such as `sources`, each a column
            like `references`; and options of modules, as in `options`.

    Raises:
        ValueError: an unknown module or option, a missing column, or input that a module refuses.
        TypeError: an argument is unknown, and no module has an option of this name; the message
            has a hint at what was probably meant.

    >>> systems = {"a": ["Paris", "Rome"], "b": ["Paris", "Oslo"]}
    >>> results = score(["qa_em", "qa_f1"], predictions=systems, references=["paris", "oslo"])
    >>> [results.systems[name]["qa_em"].scores["qa_em"] for name in systems]
    [0.5, 1.0]
    >>> score("qa_em", predictions=["a"], references=["A"], normalizer=str.upper)["predictions"]
    {'qa_em': 1.0}
    >>> score("qa_em", predictions=["a"], references=["a"], options={"normaliser": "lower"})
    Traceback (most recent call last):
    ValueError: there is no option 'normaliser'; did you mean 'normalizer'?
    """
    module_names = [modules] if isinstance(modules, str) else list(modules)
    metrics = {name: load_without_evaluate(name) for name in module_names}
    inputs_of_modules = {name for metric in metrics.values() for name in metric.input_names}
    columns = {
        name: module_options.pop(name) for name in list(module_options) if name in inputs_of_modules
    }
    options = {**(options or {}), **_checked_options(module_options, options or {}, metrics)}
    request = Request(
        modules=module_names,
        options=options,
        confidence_level=confidence_level,
        interval=interval,
        standard_error=standard_error,
        n_resamples=n_resamples,
        seed=seed,
        per_example=per_example,
        compare=compare,
        scores=scores,
        correction=correction,
        assume=assume,
        bounds=bounds,
        jobs=jobs,
    )
    labels = {"references": references, "clusters": clusters, "groups": groups, "ids": ids}
    labels |= columns
    given = {name for name, column in labels.items() if column is not None}
    check_inputs(metrics, given | ({"predictions"} if predictions is not None else set()))
    names = column_names(predictions) if data is not None else {}
    if not metrics or (data is not None and not names):
        raise ValueError(_NO_SYSTEMS)
    check_jobs(jobs)
    if jobs > 1 and is_spark(data):
        raise ValueError("jobs must be 1 for Spark, whose executors do the work")
    if not (per_example or compare or _needs_rows(data, metrics, labels, options or {})):
        from .scoring_plans import plan_of_columns
        from .table_parts import part_of_table

        plan = plan_of_columns(request, metrics, names, labels)
        part = run_parallel(lambda processes: part_of_table(data, plan, processes), jobs)
        part.inputs.extend(map(dict, inputs))
        return part.results(**request.intervals).choose(scores)
    if data is not None:
        predictions, labels = _from_table(data, names, labels)
    elif is_table(predictions):
        predictions = columns_of_table(predictions, table_names(predictions) or [])
    return score_columns(request, metrics, predictions, labels, inputs=inputs, progress=progress)


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
        raise ValueError(_NO_SYSTEMS)
    rows = {}
    ids = labels["ids"]
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
            clusters=_column("clusters", labels["clusters"], system),
            ids=queries if ids is None else _column("ids", ids, system),
        )
    return score_systems(request, metrics, rows, inputs=inputs, progress=progress)


def check_inputs(metrics: Mapping[str, Module], given: Collection[str]) -> None:
    """Check that each module has its columns.

    Raises:
        ValueError: a module lacks one; the message lists what it needs.

    >>> check_inputs({"qa_em": load_without_evaluate("qa_em")}, {"predictions"})
    Traceback (most recent call last):
    ValueError: qa_em needs the columns predictions, references; references is missing
    """
    for name, metric in metrics.items():
        missing = [column for column in metric.required_inputs if column not in given]
        if missing:
            raise ValueError(
                f"{name} needs the columns {', '.join(metric.required_inputs)}; "
                f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
            )


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


def column_names(predictions: Any) -> dict[str, str | None]:
    """Return the column with the predictions of each system.

    >>> column_names("answer"), column_names({"bot": "answer"}), column_names(None)
    ({'answer': 'answer'}, {'bot': 'answer'}, {'rows': None})
    """
    if predictions is None:
        return {"rows": None}
    if isinstance(predictions, str):
        predictions = [predictions]
    columns = list(predictions.values() if isinstance(predictions, Mapping) else predictions)
    for name in columns:
        if not isinstance(name, str):
            raise ValueError(f"predictions must name columns of data, got {type(name).__name__}")
    return dict(zip(predictions, columns, strict=True))


def _from_table(
    data: Any, systems: Mapping[str, str | None], labels: Mapping[str, Any]
) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """The predictions of each system, and the other columns, some of which may not be names."""
    predicted = {system: name for system, name in systems.items() if name is not None}
    names = [*predicted.values(), *(name for name in labels.values() if isinstance(name, str))]
    columns = columns_of_table(data, names)
    return {system: columns[name] for system, name in predicted.items()} or None, {
        label: columns[name] if isinstance(name, str) else name for label, name in labels.items()
    }


def _needs_rows(
    data: Any, metrics: Mapping[str, Module], labels: Mapping[str, Any], options: Mapping[str, Any]
) -> bool:
    """Return whether states of parts are insufficient, or the table does not come in parts."""
    if data is None or not comes_in_parts(data):
        return True
    if not all(column is None or isinstance(column, str) for column in labels.values()):
        return True
    if names_of_functions(options):
        return True
    for key, value in options.items():
        option = key.rpartition(".")[2]
        follows = (metric.options_of_all_rows.get(option) for metric in metrics.values())
        declared = [m.declared_options[option] for m in metrics.values() if option in m.options]
        per_row = any(is_per_row(declaration.annotation) for declaration in declared)
        if per_row or value in filter(None, follows):
            return True
    if labels["ids"] is not None or not any(kind_of(m).needs_ids for m in metrics.values()):
        return False
    return not is_spark(data)


def _checked_options(
    named: Mapping[str, Any], options: Mapping[str, Any], metrics: Mapping[str, Module]
) -> Mapping[str, Any]:
    """Return the options that were passed by their names, which some module must have.

    Raises:
        TypeError: no module has it, or it is also in `options`; the message has a hint.
    """
    for name in named:
        if name in options:
            raise TypeError(f"{name!r} is passed twice, by its name and in options")
        if any(name in metric.options for metric in metrics.values()) and is_assignable(name):
            continue
        arguments = [key for key in signature(score).parameters if key != "module_options"]
        arguments += {name for metric in metrics.values() for name in metric.input_names}
        prefixed = [argument for argument in arguments if argument.startswith(f"{name}_")]
        hint = nearest(prefixed[0], prefixed) if prefixed else nearest(name, arguments)
        hint = hint or nearest(name, [o for metric in metrics.values() for o in metric.options])
        raise TypeError(f"score() has no argument {name!r}{hint}")
    return named


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
        per_row = [name for name, metric in metrics.items() if kind_of(metric).separates_rows]
        if len(systems) < 2 or not per_row:
            raise ValueError(
                "compare needs two systems and a module that scores row by row; there are "
                f"{', '.join(map(repr, systems))} and {', '.join(metrics)}"
            )
    requested = {
        "per_example": per_example,
        "confidence_level": request.confidence_level is not None,
        "groups": any(rows.groups is not None for rows in systems.values()),
        "clusters": any(rows.clusters is not None for rows in systems.values()),
        "standard_error": request.standard_error,
    }
    check_supported([option for option, is_requested in requested.items() if is_requested], metrics)

    def summaries_in(processes: int) -> "Summaries":
        if processes == 1:
            return {}  # `compute` will score the rows
        from .parallel_rows import summaries_of_rows

        return summaries_of_rows(metrics, systems, module_options, processes, progress=progress)

    results_by_system: dict[str, dict[str, ModuleResult]] = {system: {} for system in systems}
    steps = [(system, name) for system in systems for name in metrics]
    with checked_once(), shared_token_cache():
        summaries = run_parallel(summaries_in, request.jobs or 1)
        for number, (system, name) in enumerate(with_bar(steps, "scoring") if progress else steps):
            reporting = {
                **request.intervals,
                "per_example": per_example or compare or kind_of(metrics[name]).scores_rows,
                "conventions": True,
            }
            try:
                with step(number, len(steps) + compare):
                    result = systems[system].result(
                        name,
                        metrics[name],
                        module_options[name],
                        reporting,
                        summaries.get((system, name)),
                    )
            except ValueError as error:
                raise InputError(system, error) from error
            if not (per_example or compare):
                result = replace(result, per_example={}, row_sums=None)
            results_by_system[system][name] = result
    digests = row_digests(
        {
            system: {"references": rows.references(), "ids": rows.ids}
            for system, rows in systems.items()
        }
    )
    results = Results(
        systems=results_by_system,
        provenance=provenance(inputs) | digests,
        row_labels=row_labels(systems),
    )
    if not compare:
        return results.choose(request.scores)
    level = request.confidence_level
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


def _column(name: str, columns: Any, system: str) -> Any:
    """Return the column of one system, if each has one; otherwise the column that all share."""
    if not isinstance(columns, Mapping):
        return columns
    if system not in columns:
        raise ValueError(f"there are no {name} for system {system!r}")
    return columns[system]
