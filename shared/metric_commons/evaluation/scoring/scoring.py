"""Scores of every module on every system, for Python, the command line and the server."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any

from ...data.harness_logs.logs import PLAIN_ROWS, format_names
from ...data.tables.selection import Selection
from ...data.tables.tables import Source
from ...module.catalog.catalog import load_without_evaluate, name_of
from ...module.catalog.presets import preset_options
from ...module.catalog.request import ROW_LABELS, Missing, Reduce, Request, check_jobs
from ...module.catalog.usage import UsageError, note
from ...module.declaration.columns import checked_once, holds_queries
from ...module.declaration.declarations import (
    Module,
    assign,
    is_assignable,
    meant_input,
    names_of_functions,
)
from ...statistics.arguments.checks import OptionError, check_choice, nearest, shown
from ...statistics.arguments.domains import Jobs, Level, Resamples, Seed, is_per_row
from ...statistics.intervals.methods import Assumption, Correction, Method, ScoreBounds
from ..results.results import Results
from ..rows.logged_scores import LOGGED
from ..rows.plans import read_once
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
from .evaluations import FORMATS_OF_BOTH, Evaluation, systems_of_files
from .log_evaluations import LogEvaluation
from .scored_systems import (
    NO_SYSTEMS,
    check_reported,
    configured,
    needs_all_rows,
    plan_of_columns,
    results_of_tables,
    tables_of_systems,
)


def score(
    modules: Any,
    data: Any = None,
    *,
    predictions: Any = None,
    references: Any = None,
    columns: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    preset: str | None = None,
    confidence_level: Level | None = None,
    interval: Method = "auto",
    standard_error: bool = False,
    clusters: Any = None,
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
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
    jobs: Jobs | None = 1,
    source: str | None = None,
    system: str | None = None,
    where: Mapping[str, str] | None = None,
    filter: str | None = None,  # noqa: A002 # as logs call it
    metric: str | None = None,
    incomplete: bool = False,
    answers: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    reduce: Reduce | None = None,
    split_references: str | None = None,
    **module_options: Any,
) -> Results:
    """Score the predictions of one or more systems with one or more modules.

    metric-commons score qa_em qa_f1 runs.jsonl -p bot -r gold

    Files: .jsonl, .json (a list of objects, or {"data": [...]}), .csv, .tsv, .parquet, and logs of
    evaluation harnesses; .txt and others have a text per line. Text files may be compressed, as
    .jsonl.gz. Each file and each --predictions is one system. A field a.b is field b inside field
    a. Cells of .csv and .tsv are texts. They are read as lists if every cell of the column is a
    JSON list, and as numbers if the modules take numbers there.

    Args:
        modules: names of modules, paths of folders with a script, or what `load` returns, with its
            settings.
        data: the rows: a path or several, each a system; or a table, see below.
        predictions: field of the predictions; several, also by name, are several systems. Not
            needed for logs.
        references: field of the references, or a file of them; several files of lines are several
            references of each text.
        columns: field of a further input of the modules, such as sources=src.
        options: option of all modules, such as normalizer=ultrarag, or of one, such as
            qa_f1.both_empty=0.
        preset: options that reproduce another tool; `metric-commons presets` lists them.
        confidence_level: level of confidence intervals, such as 0.95; without it there are none.
        interval: how intervals are computed; auto chooses by the kind of score.
        standard_error: also report the standard error of each score.
        clusters: field with the cluster of each row, such as its document; intervals and tests
            count clusters instead of rows. Several fields are crossed.
        n_resamples: number of resamples, for intervals and tests that need them.
        seed: seed of the resamples.
        groups: field of groups, such as a topic; each group is also scored separately.
        ids: field that identifies each row; results are compared by it.
        missing: rows without an answer: refuse them, skip them, count them as zero, or report the
            bounds of the score if each had the worst score or the best.
        rows: also keep the table of scored rows: `results.rows[system][module]`.
        compare: test every two systems against each other; they must have the same rows.
        scores: report and compare only these scores, as score or module.score; by default all are
            reported, and the main score of each module is compared.
        correction: correction of p-values for several comparisons: bonferroni, holm,
            benjamini_hochberg or none.
        assume: what comparisons of means of rows assume: exchangeable (the systems, row by row) or
            nothing.
        bounds: the lowest and the highest possible score of a row, for comparisons of means; by
            default as the module declares.
        inputs: the sources of the rows, for the provenance.
        progress: show a bar on stderr if it takes longer than a second.
        jobs: how many processes read and score rows; the result is the same. A command has one for
            small files, and one per core for large files.
        source: format of the files: rows, jsonl, csv ..., or a log such as lm-eval, inspect or
            helm. By default it is detected from the content.
        system: field that names the system of each row, if a file has several.
        where: score only rows of a file with this value, such as split=test.
        filter: the filter to score in a log of lm-eval.
        metric: the score of a log that `logged` summarizes; by default all.
        incomplete: accept a log of a run that did not finish.
        answers: file with the references, if they are in another file; rows are matched by ids, or
            lines by their order. With it, references names their field.
        reduce: how several rows with the same id, such as epochs, become one.
        split_references: what separates the accepted answers in a cell of .csv and .tsv, such as
            '|'.
        **module_options: further inputs of the modules by name, such as `sources`, each a column
            like `references`; and options of modules, as in `options`.

    A table is a dictionary of columns; a DataFrame of pandas, polars or Spark; a table of pyarrow;
    or a Dataset or IterableDataset. Arguments then name its columns, or are columns. Predictions
    and references need no names if one column of each is called so, or response, answer ... Tables
    of Spark, `datasets` and pyarrow are scored in blocks; their columns are collected only for
    labels that are not columns, options that have a value for each row or, for Spark, are
    functions, and modules that look at all rows together.

    Without data, predictions are a column; the column of each system, by name; or a table with a
    column for each system. Other columns are for all systems or for each; without predictions they
    make one system, "rows". Columns of rankings may be dictionaries `{query: {document: number}}`,
    and crossed clusters are a dictionary of columns.

    With missing="bounds", `scores` are those of the rows with an answer, `score_bounds` the two
    ends, and `missing_rows` the number of the others; intervals reach from the lower end of the
    worst to the upper end of the best. Processes are forked from this one, which is worthwhile from
    about 100,000 rows on.

    Returns:
        The scores of each system and module, and the comparisons.

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
    ValueError: options: there is no option 'normaliser'; did you mean 'normalizer'?
    """
    is_one = isinstance(modules, str | PathLike) or hasattr(modules, "feature_sets")
    module_names = [*map(name_of, listed := [modules] if is_one else list(modules))]
    metrics = {name: load_without_evaluate(name) for name in module_names if name != LOGGED}
    further = dict(columns or {})
    input_names = dict.fromkeys(name for m in metrics.values() for name in m.input_names)
    for name in further:
        if name not in input_names:
            takes = f"{', '.join(module_names)} takes {', '.join(sorted(input_names))}"
            raise OptionError("columns", f"{name}: {takes}{nearest(name, input_names)}")
    for name in input_names:
        if name in module_options:
            further[name] = module_options.pop(name)
    _check_options(module_options, options or {}, metrics)
    try:
        of_preset = {} if preset is None else preset_options(preset, module_names)
    except ValueError as error:
        raise OptionError("preset", f": {error}") from error
    given = {**of_preset, **_settings(listed), **(options or {}), **module_options}
    of_rows = {key: value for key, value in given.items() if _is_of_rows(key, value, metrics)}
    request = Request(
        modules=module_names,
        options={key: value for key, value in given.items() if key not in of_rows},
        preset=preset,
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
    labels |= further
    if jobs is not None:
        check_jobs(jobs)
    files = [data] if isinstance(data, str | PathLike | Source) else data
    reading = {
        "source": source,
        "system": system,
        "where": where,
        "filter": filter,
        "metric": metric,
        "incomplete": incomplete,
        "answers": [answers] if isinstance(answers, str | PathLike | Source) else [*answers],
        "reduce": reduce,
        "split_references": split_references,
    }
    if isinstance(files, list) and files and isinstance(files[0], str | PathLike | Source):
        request = replace(request, options=given)
        return _results_of_files(request, metrics, files, predictions, labels, **reading)
    for name, value in reading.items():
        if value:
            raise ValueError(f"{name} is about files, and data is not the path of one")
    names: dict[str, str | None] = {}
    if data is not None:
        columns_of_data = dict.fromkeys(("predictions", "references"), table_names(data) or ())
        predictions, labels = _with_usual_columns(metrics, columns_of_data, predictions, labels)
        names = column_names(predictions)
        if isinstance(labels["references"], str) and labels["references"] in names.values():
            raise ValueError(f"column {labels['references']!r} would be compared with itself")
    provided = [name for name, column in labels.items() if column is not None]
    check_inputs(metrics, provided if predictions is None else ["predictions", *provided])
    if not metrics or (data is not None and not names):
        raise ValueError(NO_SYSTEMS)
    if jobs and jobs > 1 and is_spark(data):
        raise ValueError("jobs must be 1 for Spark, whose executors do the work")
    chosen = assign(request.options or {}, {name: m.options for name, m in metrics.items()})
    of_modules = configured(request, metrics, chosen)
    check_reported(request, metrics, groups, clusters)
    has_functions = data is not None and is_spark(data) and names_of_functions(given)
    are_names = all(column is None or isinstance(column, str) for column in labels.values())
    if (
        (data is not None and comes_in_parts(data) and are_names)
        and not (of_rows or has_functions)
        and not any(map(needs_all_rows, of_modules.values()))
    ):
        plan = plan_of_columns(chosen, names, labels, missing)
        tables = run_parallel(lambda processes: tables_of_data(data, plan, processes), jobs or 1)
        return results_of_tables(request, tables, inputs=inputs, progress=progress)
    if data is not None:
        predictions, labels = _from_table(data, names, labels)
    elif not isinstance(predictions, Mapping | list | None) and is_table(predictions):
        predictions = columns_of_table(predictions, table_names(predictions) or [])
    labels |= {key.rpartition(".")[2]: value for key, value in of_rows.items()}
    systems = _rows_of_systems(metrics, predictions, labels)
    with checked_once():
        work = partial(tables_of_systems, systems, of_modules, missing=missing, progress=progress)
        tables = run_parallel(work, jobs) if jobs and jobs > 1 else work(1)
        return results_of_tables(request, tables, inputs=inputs, progress=progress)


def _results_of_files(
    request: Request,
    metrics: Mapping[str, Module],
    files: Sequence[Any],
    predictions: Any,
    labels: Mapping[str, Any],
    *,
    answers: Sequence[Any],
    source: str | None,
    where: Mapping[str, str] | None,
    filter: str | None,  # noqa: A002
    system: str | None,
    metric: str | None,
    incomplete: bool,
    reduce: Reduce | None,
    split_references: str | None,
) -> Results:
    """Return the results on files of rows, or on logs; see `score`."""
    for name, field in labels.items():
        if not isinstance(field, str | list | None if name == "clusters" else str | None):
            raise ValueError(f"{name} must name a field of the files, got {shown(field)}")
    if source is not None:
        check_choice("source", source, format_names())
    is_incomplete = incomplete or request.missing == "skip"
    selection = Selection(filter, where or {}, incomplete=is_incomplete)
    origin = source if source in FORMATS_OF_BOTH else None
    with ExitStack() as stack:

        def opened(file: Any, format_name: str | None, **how: Any) -> Source:
            if not isinstance(file, Source):
                file = Source(Path(file), [], format_name=format_name, **how)
            stack.callback(file.close)
            return file

        sources = [opened(file, source, selection=selection, progress=True) for file in files]
        judged = [
            opened(file, origin, selection=Selection(incomplete=selection.incomplete))
            for file in answers
        ]
        sides = {"predictions": sources[0].log, "references": (judged or sources)[-1].log}
        logs = [file.log for file in (*sources, *judged)]
        for file in sources:
            if file.log.means:
                problem = "it contains means without scores of rows, which `leaderboard` ranks"
                raise UsageError(f"{file.path} cannot be scored: {problem}")
        is_logged = LOGGED in request.modules
        are_logs = is_logged or any(log.format_name != PLAIN_ROWS for log in logs)
        plain = {n: log.names for n, log in sides.items() if log.format_name == PLAIN_ROWS}
        if not is_logged:
            predictions, labels = _with_usual_columns(metrics, plain, predictions, labels)
        if not (are_logs or judged):
            given = {"predictions": predictions, **labels}
            provided = {*logs[0].names, *(n for n, field in given.items() if field is not None)}
            provided -= {n for n in ("predictions", "references") if given[n] is None}
            check_inputs(metrics, provided, logs[0].names)
        named = {name: labels[name] for name in ("references", *ROW_LABELS)}
        fields = {"": None} if predictions is None else column_names(predictions)
        if not fields:
            raise ValueError(NO_SYSTEMS)
        systems = systems_of_files(sources, fields, are_logs=are_logs)
        if request.compare and len(systems) < 2 and system is None:
            raise OptionError("compare", "needs at least two systems")
        how: dict[str, Any] = vars(request) | named
        how |= {
            "columns": {name: field for name, field in labels.items() if name not in named},
            "systems": systems,
            "opened": {file.path: file for file in (*judged, *sources)},
            "split_references": split_references,
        }
        if not (are_logs or judged or reduce or where or filter or system or metric):
            return Evaluation(**how).results()
        evaluation = LogEvaluation(
            **how,
            answers=[file.path for file in judged],
            reduce=reduce,
            system_field=system,
            metric=metric,
        )
        evaluation.check()
        return evaluation.results()


def _is_of_rows(key: str, value: Any, metrics: Mapping[str, Module]) -> bool:
    """Return whether an option has a value for each row."""
    name = key.rpartition(".")[2]
    return not isinstance(value, str | Mapping | None) and any(
        is_per_row(metric.declared_options[name].annotation)
        for metric in metrics.values()
        if name in metric.declared_options
    )


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


def check_inputs(
    metrics: Mapping[str, Module], provided: Collection[str], fields: Collection[str] = ()
) -> None:
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
            raise MissingInputError(name, metric.required_inputs, missing, fields)


class MissingInputError(UsageError):
    """A module lacks columns; `fields` are those of the file, if the rows are in one."""

    def __init__(
        self, module: str, needed: Sequence[str], missing: Sequence[str], fields: Collection[str]
    ) -> None:
        super().__init__(module, needed, missing, fields)
        self.module, self.needed, self.missing, self.fields = module, needed, missing, fields

    def __str__(self) -> str:
        verb = "is" if len(self.missing) == 1 else "are"
        has = f"; the file has {', '.join(map(str, self.fields))}" if self.fields else ""
        columns = f"{self.module} needs the columns {', '.join(self.needed)}"
        return f"{columns}; {', '.join(self.missing)} {verb} missing{has}"


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
    metrics: Mapping[str, Module],
    names: Mapping[str, Collection[str]],
    predictions: Any,
    labels: Mapping[str, Any],
) -> tuple[Any, dict[str, Any]]:
    """Return the columns, with those of tables that are inputs by their names.

    Args:
        metrics: the modules by name.
        names: the columns among which predictions, and references, are.
        predictions: the columns of predictions, if they are named.
        labels: all other columns by name.

    Raises:
        ValueError: several columns could be one.
    """
    chosen = {"predictions": predictions, **labels}
    required = {name for metric in metrics.values() for name in metric.required_inputs}
    is_one = len({*map(id, names.values())}) == 1
    found = []
    for name, columns in names.items():
        if name in required and chosen[name] is None:
            others = list(column_names(chosen["predictions"]).values()) if is_one else []
            others += [labels["references"]] if is_one else []
            matches = usual_columns(name, columns, others)
            if len(matches) > 1:
                listed = " or ".join(map(repr, matches))
                raise OptionError(name, f"may be {listed}; name one of them")
            chosen[name] = matches[0] if matches else None
            found += [f"{name} are the field {field!r}" for field in matches]
    if found:
        note(", ".join(found))
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
