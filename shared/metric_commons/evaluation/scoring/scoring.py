"""Scores of every module on every system, for Python, the command line and the server."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any

from ...module.catalog.catalog import load_without_evaluate, name_of
from ...module.catalog.request import ROW_LABELS, Missing, Request, check_jobs
from ...module.declaration.columns import holds_queries
from ...module.declaration.declarations import (
    Module,
    is_assignable,
    meant_input,
    names_of_functions,
)
from ...statistics.arguments.checks import nearest
from ...statistics.arguments.domains import is_per_row
from ...statistics.intervals.methods import Assumption, Correction, Method, ScoreBounds
from ..results.results import Results
from ..rows.rows import Rows
from ..rows.table_blocks import tables_of_data
from ..rows.table_columns import (
    columns_of_table,
    comes_in_parts,
    is_spark,
    is_table,
    table_names,
    usual_columns,
)
from ..rows.worker_processes import run_parallel
from .evaluations import fields_of_file, results_of_file
from .scored_systems import (
    NO_SYSTEMS,
    needs_all_rows,
    options_of_modules,
    plan_of_columns,
    read_once,
    results_of_tables,
    score_rows,
)


def score(
    modules: Any,
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
    missing: Missing = "refuse",
    rows: bool = False,
    compare: bool = False,
    scores: Sequence[str] | None = None,
    correction: Correction = "bonferroni",
    assume: Assumption = "exchangeable",
    bounds: ScoreBounds | None = None,
    inputs: Iterable[Mapping[str, Any]] = (),
    progress: bool = False,
    jobs: int = 1,
    **module_options: Any,
) -> Results:
    """Return the results of every module on every system.

    Args:
        modules: one or several: a name, the path of a folder with a script, or what `load` returns,
            with its settings.
        data: a table: a dictionary of columns; a DataFrame of pandas, polars or Spark; a table of
            pyarrow; a Dataset or IterableDataset; or the path of a file of rows, such as .csv,
            .jsonl or .parquet. Other arguments then name its columns; predictions and references
            need no names if one column of each is called so, or response, answer ... Tables of
            Spark, `datasets` and pyarrow are scored in blocks; their columns are collected only for
            labels that are not columns, options that have a value for each row or, for Spark, are
            functions, and modules that look at all rows together.
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
            comparisons then count clusters instead of rows. Several fields, as a list of names of
            columns of `data` or as a dictionary of columns, are crossed.
        n_resamples: number of resamples, for intervals and tests that need them.
        seed: seed of the resamples.
        groups: one label per row, for all systems or for each system.
        ids: one id per row, likewise; results are compared by them.
        missing: rows without an answer: refuse them, skip them, count them as zero, or report the
            bounds of the score if each had the worst score or the best. With "bounds", `scores`
            are those of the rows with an answer, `score_bounds` the two ends, and `missing_rows`
            the number of the others; intervals reach from the lower end of the worst to the upper
            end of the best.
        rows: also keep the table of scored rows: `results.rows[system][module]`.
        compare: test every two systems against each other; they must have the same rows. A
            permutation test compares the main score of each module, and p-values are corrected
            for the number of pairs and scores.
        scores: report and compare only these scores, such as qa_f1; by default all are reported,
            and the main score of each module is compared: as `score` or `module.score`.
        correction: correction of p-values for several comparisons: bonferroni, holm,
            benjamini_hochberg or none.
        assume: what comparisons of means of rows assume: exchangeable (the systems, row by row) or
            nothing.
        bounds: the lowest and the highest possible score of a row, for comparisons of means; by
            default as the module declares.
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
    is_one = isinstance(modules, str | PathLike) or hasattr(modules, "feature_sets")
    module_names = [*map(name_of, listed := [modules] if is_one else list(modules))]
    metrics = {name: load_without_evaluate(name) for name in module_names}
    inputs_of_modules = {name for metric in metrics.values() for name in metric.input_names}
    columns = {
        name: module_options.pop(name) for name in list(module_options) if name in inputs_of_modules
    }
    _check_options(module_options, options or {}, metrics)
    options = {**_settings(listed), **(options or {}), **module_options}
    request = Request(
        modules=module_names,
        options=options,
        confidence_level=confidence_level,
        interval=interval,
        standard_error=standard_error,
        n_resamples=n_resamples,
        seed=seed,
        missing=missing,
        rows=rows,
        compare=compare,
        scores=scores,
        correction=correction,
        assume=assume,
        bounds=bounds,
        jobs=jobs,
    )
    labels = {"references": references, "clusters": clusters, "groups": groups, "ids": ids}
    labels |= columns
    path = Path(data) if isinstance(data, str | PathLike) else None
    if data is not None:
        table = data if path is None else fields_of_file(path)
        predictions, labels = _with_usual_columns(metrics, table, predictions, labels)
    provided = {name for name, column in labels.items() if column is not None}
    check_inputs(metrics, provided | ({"predictions"} if predictions is not None else set()))
    names = column_names(predictions) if data is not None else {}
    if not metrics or (data is not None and not names):
        raise ValueError(NO_SYSTEMS)
    check_jobs(jobs)
    if path is not None:
        return results_of_file(request, path, names, labels)
    if jobs > 1 and is_spark(data):
        raise ValueError("jobs must be 1 for Spark, whose executors do the work")
    per_row = _values_of_rows(metrics, options)
    request = replace(request, options={k: v for k, v in options.items() if k not in per_row})
    columns_of_options = {key.rpartition(".")[2]: options[key] for key in per_row}
    if _comes_in_blocks(data, labels, request, metrics) and not per_row:
        plan = plan_of_columns(request, metrics, names, labels)
        tables = run_parallel(lambda processes: tables_of_data(data, plan, processes), jobs)
        return results_of_tables(request, tables, inputs=inputs, progress=progress)
    if data is not None:
        predictions, labels = _from_table(data, names, labels)
    elif is_table(predictions):
        predictions = columns_of_table(predictions, table_names(predictions) or [])
    systems = _rows_of_systems(metrics, predictions, labels | columns_of_options)
    return score_rows(request, metrics, systems, inputs=inputs, progress=progress)


def _values_of_rows(metrics: Mapping[str, Module], options: Mapping[str, Any]) -> list[str]:
    """Return the keys of the options that have a value for each row."""
    return [
        key
        for key, value in options.items()
        if value is not None
        and any(
            is_per_row(metric.declared_options[name].annotation)
            for name in [key.rpartition(".")[2]]
            for metric in metrics.values()
            if name in metric.declared_options
        )
        and not isinstance(value, str | Mapping)
    ]


def _comes_in_blocks(
    data: Any, labels: Mapping[str, Any], request: Request, metrics: Mapping[str, Module]
) -> bool:
    """Return whether a table is scored block by block, and its columns are not collected."""
    if data is None or not comes_in_parts(data):
        return False
    if not all(column is None or isinstance(column, str) for column in labels.values()):
        return False
    if is_spark(data) and names_of_functions(request.options or {}):
        return False
    return not any(map(needs_all_rows, options_of_modules(request, metrics).values()))


def _rows_of_systems(
    metrics: Mapping[str, Module], predictions: Any, labels: Mapping[str, Any]
) -> dict[str, Rows]:
    """Return the rows of each system.

    Args:
        metrics: the modules by name.
        predictions: a column, or a column for each system; None without predictions.
        labels: all other columns by name, for all systems or for each.
    """
    systems: Mapping[str, Any] = {"rows" if predictions is None else "predictions": predictions}
    if isinstance(predictions, Mapping) and not holds_queries(predictions):
        systems = predictions
    if not systems:
        raise ValueError(NO_SYSTEMS)
    clusters = _clusters_by_system(labels["clusters"], systems)
    shared = {name: read_once(c) for name, c in labels.items() if name not in ROW_LABELS}
    rows = {}
    for system, predicted in systems.items():
        columns = {
            name: column if holds_queries(column) else read_once(_column(name, column, system))
            for name, column in shared.items()
        }
        judged, ids = columns["references"], labels["ids"]
        columns["predictions"] = read_once(predicted)
        if holds_queries(judged):
            ids = list(judged) if ids is None else ids
            metric = next(iter(metrics.values()))
            columns = dict(metric.as_rows({n: c for n, c in columns.items() if c is not None}))
        rows[system] = Rows(
            columns=columns,
            ids=_column("ids", ids, system),
            groups=_column("groups", labels["groups"], system),
            clusters=_column("clusters", clusters, system),
        )
    return rows


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


def _settings(modules: Sequence[Any]) -> dict[str, Any]:
    """Return the options with which modules were loaded, unless they are given by names or paths.

    Raises:
        ValueError: one is about what `score` reports, and therefore an argument of it.
    """
    settings = {}
    for module in modules:
        for name, value in getattr(module, "settings", {}).items():
            if not is_assignable(name):
                raise ValueError(
                    f"{name_of(module)} was loaded with {name}={value!r}, which is an argument of "
                    "score"
                )
            settings[f"{name_of(module)}.{name}"] = value
    return settings


def check_inputs(metrics: Mapping[str, Module], provided: Collection[str]) -> None:
    """Check that each module has its columns.

    Raises:
        ValueError: a module lacks one; the message lists what it needs.

    >>> check_inputs({"qa_em": load_without_evaluate("qa_em")}, {"predictions"})
    Traceback (most recent call last):
    ValueError: qa_em needs the columns predictions, references; references is missing
    """
    for name, metric in metrics.items():
        missing = [column for column in metric.required_inputs if column not in provided]
        if missing:
            raise ValueError(
                f"{name} needs the columns {', '.join(metric.required_inputs)}; "
                f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
            )


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
    """Return the predictions of each system, and the other columns, given by name or as values."""
    predicted = {system: name for system, name in systems.items() if name is not None}
    clusters, columns_of_data = labels["clusters"], {*(table_names(data) or ())}
    named = [clusters] if isinstance(clusters, str) else clusters
    is_named = isinstance(named, list) and columns_of_data.issuperset(named)
    crossed = named if is_named else []
    names = [*predicted.values(), *(name for name in labels.values() if isinstance(name, str))]
    columns = columns_of_table(data, [*names, *crossed])
    if crossed:
        labels = {**labels, "clusters": {name: columns[name] for name in crossed}}
    return {system: columns[name] for system, name in predicted.items()} or None, {
        label: columns[name] if isinstance(name, str) else name for label, name in labels.items()
    }


def _with_usual_columns(
    metrics: Mapping[str, Module], data: Any, predictions: Any, labels: Mapping[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Return the columns, with those of the table that are inputs by their names.

    Raises:
        ValueError: several columns could be one, or a column would be compared with itself.
    """
    chosen = {"predictions": predictions, **labels}
    required = {name for metric in metrics.values() for name in metric.required_inputs}
    for name in ("predictions", "references"):
        if name in required and chosen[name] is None:
            named = [n for n in (predictions, labels["references"]) if isinstance(n, str)]
            matches = usual_columns(name, table_names(data) or (), [*named, chosen["predictions"]])
            if len(matches) > 1:
                raise ValueError(
                    f"{name} may be {' or '.join(map(repr, matches))}; pass {name}={matches[0]!r}"
                )
            chosen[name] = matches[0] if matches else None
    fields = column_names(chosen["predictions"]).values()
    if isinstance(chosen["references"], str) and chosen["references"] in fields:
        raise ValueError(f"column {chosen['references']!r} would be compared with itself")
    return chosen.pop("predictions"), chosen


def _check_options(
    named: Mapping[str, Any], options: Mapping[str, Any], metrics: Mapping[str, Module]
) -> None:
    """Check the options that were passed by their names, which some module must have.

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
        hint = meant_input(name, arguments) or nearest(name, arguments)
        hint = hint or nearest(name, [o for metric in metrics.values() for o in metric.options])
        raise TypeError(f"score() has no argument {name!r}{hint}")
