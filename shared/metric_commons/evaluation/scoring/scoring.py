"""Scores of every module on every system, for Python, the command line and the server."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from inspect import signature
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any

from ...data.files.streams import stem
from ...data.harness_logs.logs import PLAIN_ROWS, format_names
from ...data.tables.selection import Selection
from ...data.tables.tables import Source
from ...module.catalog.catalog import load_without_evaluate, name_of
from ...module.catalog.presets import preset as preset_named
from ...module.catalog.presets import preset_options
from ...module.catalog.request import ROW_LABELS, Missing, Reduce, can_fork, check_jobs
from ...module.catalog.usage import UsageError, note, with_bar
from ...module.declaration.columns import checked_once, holds_queries
from ...module.declaration.declarations import (
    Module,
    assign,
    check_supported,
    is_assignable,
    meant_input,
    names_of_functions,
    texts_of_rows,
)
from ...statistics.arguments.checks import OptionError, check_choice, nearest, shown
from ...statistics.arguments.domains import Jobs, Level, Resamples, Seed, is_per_row
from ...statistics.intervals.methods import Assumption, Correction, Method, ScoreBounds
from ...statistics.resampling.progress import step
from ..results.module_results import (
    ModuleResult,
    check_averages,
    module_result,
    provenance,
    row_digests,
)
from ..results.rendering import counted
from ..results.results import Results
from ..rows.blocks import (
    Fields,
    Tables,
    finished,
    needs_all_rows,
    read_once,
    rows_in_memory,
    with_tables,
)
from ..rows.joins import in_order_of
from ..rows.libraries import (
    columns_of_table,
    comes_in_parts,
    is_spark,
    is_table,
    table_names,
    tables_of_data,
    tables_of_spark,
    usual_columns,
)
from ..rows.logged_scores import LOGGED, LoggedScores
from ..rows.row_tables import RowTable
from ..rows.rows import InputError, Rows
from ..rows.worker_processes import cores, run_parallel
from .agreement import agreements
from .files import FileOfRows
from .text_notes import TextNotes

FORMATS_OF_BOTH = ("lines", "conll", "squad")  # predictions and answers share these formats
NO_SYSTEMS = "scoring needs at least one module and one system"
_LEVEL = 0.95  # of the intervals of differences, unless another level is asked for
_ROWS = 16_384  # of a block: enough for full speed, few enough for an even distribution
_SIZE_OF_PROCESS = 4_000_000  # bytes of files that justify forking a process


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
    if jobs is not None:
        check_jobs(jobs)
    is_one = isinstance(modules, str | PathLike) or hasattr(modules, "feature_sets")
    listed = [modules] if is_one else list(modules)
    metrics: dict[str, Any] = {
        name: LoggedScores() if name == LOGGED else load_without_evaluate(name)
        for name in map(name_of, listed)
    }
    inputs_of_modules = dict.fromkeys(name for m in metrics.values() for name in m.input_names)
    for name in columns or ():
        if name not in inputs_of_modules:
            takes = f"{', '.join(metrics)} takes {', '.join(sorted(inputs_of_modules))}"
            raise OptionError("columns", f"{name}: {takes}{nearest(name, inputs_of_modules)}")
    labels = {"references": references, "clusters": clusters, "groups": groups, "ids": ids}
    labels |= columns or {}
    labels |= {n: module_options.pop(n) for n in inputs_of_modules if n in module_options}
    _check_options(module_options, options or {}, metrics)
    try:
        of_preset = {} if preset is None else preset_options(preset, metrics)
    except ValueError as error:
        raise OptionError("preset", f": {error}") from error
    loaded = {}
    for module in listed:
        for name, value in getattr(module, "settings", {}).items():
            if not is_assignable(name):
                raise ValueError(
                    f"{name_of(module)} was loaded with {name}={value!r}, which is an argument of "
                    "score"
                )
            loaded[f"{name_of(module)}.{name}"] = value
    given = {**of_preset, **loaded, **(options or {}), **module_options}
    reported = {
        "confidence_level": confidence_level,
        "groups": groups,
        "clusters": None if compare or rows else clusters,
        "standard_error": standard_error or None,
    }
    check_supported([name for name, value in reported.items() if value is not None], metrics)
    for option in (
        [] if rows else texts_of_rows({k.rpartition(".")[2]: v for k, v in given.items()})
    ):
        raise ValueError(f"{option} is about single rows, which only rows=True keeps")
    reading: dict[str, Any] = {
        "source": source,
        "system": system,
        "where": where,
        "filter": filter,
        "metric": metric,
        "incomplete": incomplete,
        "answers": answers,
        "reduce": reduce,
        "split_references": split_references,
    }
    readers: dict[str, FileOfRows] = {}
    record: dict[str, Any] = {}
    files = [data] if isinstance(data, str | PathLike | Source) else data
    if isinstance(files, list) and files and isinstance(files[0], str | PathLike | Source):
        if compare and system is None and len(files) < 2 and len(column_names(predictions)) < 2:
            raise OptionError("compare", "needs at least two systems")
        reading |= {"missing": missing, "jobs": jobs}
        with ExitStack() as stack:
            readers, tables, record = _of_files(
                stack, metrics, given, files, predictions, labels, **reading
            )
        inputs = record.pop("inputs")
    else:
        for name, value in reading.items():
            if value:
                raise ValueError(f"{name} is about files, and data is not the path of one")
        bar = "scoring" if progress else None
        tables = _of_columns(metrics, given, data, predictions, labels, missing, jobs or 1, bar)
    compared = {"scores": scores, "correction": correction, "assume": assume, "bounds": bounds}
    intervals: dict[str, Any] = {
        "interval": interval,
        "standard_error": standard_error,
        "n_resamples": n_resamples,
        "seed": seed,
    }
    if confidence_level is not None:  # or else modules use their own, usually none
        intervals["confidence_level"] = confidence_level
    try:
        results = _results(
            tables,
            intervals,
            of_preset=preset,
            compared=compared if compare else None,
            inputs=inputs,
            progress=progress or bool(readers),
        )
    except InputError as error:
        if error.system not in readers:
            raise
        raise readers[error.system].located(error, tables) from error
    results = replace(results, provenance=results.provenance | record)
    if not (rows or len(tables) > 1):
        results = replace(results, rows={})
    return results.choose(scores)


def _with_options(
    metrics: Mapping[str, Any], options: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    return {name: type(m)(**options[name]) if options[name] else m for name, m in metrics.items()}


# ---- results ------------------------------------------------------------------------------------


def _results(
    tables: Tables,
    intervals: Mapping[str, Any],
    *,
    of_preset: str | None = None,
    compared: Mapping[str, Any] | None = None,
    inputs: Iterable[Mapping[str, Any]] = (),
    progress: bool = False,
) -> Results:
    """Return the results of scored rows.

    Args:
        tables: the rows by system and module.
        intervals: the options of intervals, for modules that have them.
        of_preset: the preset of the options.
        compared: if systems are compared: the scores by which, and the options of their tests.
        inputs: the sources of the rows.
        progress: show a bar on stderr.

    Raises:
        ValueError: a score is undefined for all rows, or systems cannot be compared.
    """
    if of_preset is not None:
        tables = _with_preset(tables, of_preset)
    if compared is not None:
        if len(tables) < 2:
            raise ValueError(f"compare needs two systems; there is only {next(iter(tables))!r}")
        tables = _in_one_order(tables)
    systems: dict[str, dict[str, ModuleResult]] = {system: {} for system in tables}
    steps = [(system, name) for system, modules in tables.items() for name in modules]
    with step(0, 1 if compared is None else 2):
        for number, (system, name) in enumerate(with_bar(steps, "scoring") if progress else steps):
            with step(number, len(steps)):
                try:
                    found = module_result(tables[system][name], intervals)
                except ValueError as error:
                    raise InputError(system, error) from error
            systems[system][name] = found
    check_averages(systems)
    record = provenance(inputs) | row_digests(tables)
    if of_preset is not None:
        record["preset"] = of_preset
    results = Results(systems=systems, provenance=record, rows=tables)
    if compared is None:
        return results
    level = intervals.get("confidence_level") or _LEVEL
    with step(1, 2):
        pairs = combinations(tables, 2)
        from ..comparison.comparisons import with_comparisons  # imports tests, so only on use

        return with_comparisons(results, pairs, confidence_level=level, **compared)


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
    modules = preset_named(name).modules

    def conditioned(table: RowTable) -> RowTable:
        options = modules.get(table.module, {}).items()
        if any(table.options[option] != value for option, value in options):
            return table
        return replace(table, conditions={**table.conditions, "preset": name})

    return with_tables(tables, conditioned)


# ---- columns ------------------------------------------------------------------------------------


def _of_columns(
    metrics: Mapping[str, Any],
    given: Mapping[str, Any],
    data: Any,
    predictions: Any,
    labels: Mapping[str, Any],
    missing: Missing,
    jobs: int,
    bar: str | None,
) -> Tables:
    """Return the scored rows of columns, or of a table of any library; see `score`."""
    of_rows = {key: value for key, value in given.items() if _is_of_rows(key, value, metrics)}
    names: dict[str, str | None] = {}
    if data is not None:
        known = dict.fromkeys(("predictions", "references"), table_names(data) or ())
        predictions, labels = _with_usual_columns(metrics, known, predictions, labels)
        names = column_names(predictions)
        if labels["references"] is not None and labels["references"] in names.values():
            raise ValueError(f"column {labels['references']!r} would be compared with itself")
    provided = {"predictions": predictions, **labels}
    check_inputs(metrics, [name for name, column in provided.items() if column is not None])
    if not metrics or (data is not None and not names):
        raise ValueError(NO_SYSTEMS)
    is_of_spark = is_spark(data)
    if jobs > 1 and is_of_spark:
        raise ValueError("jobs must be 1 for Spark, whose executors do the work")
    options = {key: value for key, value in given.items() if key not in of_rows}
    chosen = assign(options, {name: m.options for name, m in metrics.items()})
    metrics = _with_options(metrics, chosen)
    needs_columns = (
        not comes_in_parts(data)
        or not all(column is None or isinstance(column, str) for column in labels.values())
        or of_rows
        or (is_of_spark and names_of_functions(given))
        or any(map(needs_all_rows, metrics.values()))
    )
    if not needs_columns:
        own = {name: c for name, c in labels.items() if c is not None and name not in ROW_LABELS}
        inputs = {s: own | ({"predictions": c} if c else {}) for s, c in names.items()}
        fields = Fields(
            inputs={
                system: dict.fromkeys(metrics, of_system) for system, of_system in inputs.items()
            },
            ids=labels["ids"],
            groups=labels["groups"],
            clusters={name: name for name in [labels["clusters"]] if name is not None},
        )

        def work(processes: int) -> Tables:
            if is_of_spark:
                return tables_of_spark(data, fields, metrics, chosen, missing)
            return tables_of_data(data, fields, metrics, missing, processes)
    else:
        if data is not None:
            predictions, labels = _from_table(data, names, labels)
        elif not isinstance(predictions, Mapping | list | None) and is_table(predictions):
            predictions = columns_of_table(predictions, table_names(predictions) or [])
        per_row = {key.rpartition(".")[2]: value for key, value in of_rows.items()}
        systems = _rows_of_systems(metrics, predictions, {**labels, **per_row})

        def work(processes: int) -> Tables:
            return rows_in_memory(systems, metrics, _ROWS, missing, processes, bar)

    with checked_once():
        tables = run_parallel(work, jobs)
    if not tables:
        raise ValueError("the table is empty; a score of no rows is undefined")
    return finished(tables, missing=missing)


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


# ---- files --------------------------------------------------------------------------------------


def _of_files(
    stack: ExitStack,
    metrics: Mapping[str, Any],
    given: Mapping[str, Any],
    files: Sequence[Any],
    predictions: Any,
    labels: Mapping[str, Any],
    **how: Any,
) -> tuple[dict[str, FileOfRows], Tables, dict[str, Any]]:
    """Return how each system was read from files, its scored rows, and the record of that.

    Args:
        stack: closes the files.
        metrics: the modules by name.
        given: the options of modules.
        files: of the predictions.
        predictions: their fields.
        labels: the fields of all others.
        **how: as in `score`.
    """
    for name, field in labels.items():
        if not isinstance(field, str | list | None if name == "clusters" else str | None):
            raise ValueError(f"{name} must name a field of the files, got {shown(field)}")
    source, answers, where = how["source"], how["answers"], how["where"] or {}
    if source is not None:
        check_choice("source", source, format_names())
    accepts_cut = how["incomplete"] or how["missing"] == "skip"

    def opened(file: Any, format_name: str | None, selection: Selection) -> Source:
        if not isinstance(file, Source):
            path = Path(file)
            file = Source(path, [], format_name=format_name, selection=selection, progress=True)
        stack.callback(file.close)
        opened_file: Source = file
        opened_file.separator = how["split_references"]
        return opened_file

    sources = [opened(file, source, Selection(how["filter"], where, accepts_cut)) for file in files]
    named = [answers] if isinstance(answers, str | PathLike | Source) else answers
    of_both = source if source in FORMATS_OF_BOTH else None
    judged = [opened(file, of_both, Selection(incomplete=accepts_cut)) for file in named]
    logs = [file.log for file in (*sources, *judged)]
    for file in sources:
        if file.log.means:
            problem = "it contains means without scores of rows, which `leaderboard` ranks"
            raise UsageError(f"{file.path} cannot be scored: {problem}")
    are_logs = LOGGED in metrics or any(log.format_name != PLAIN_ROWS for log in logs)
    if LOGGED not in metrics:
        sides = {"predictions": sources[0].log, "references": (judged or sources)[-1].log}
        plain = {n: log.names for n, log in sides.items() if log.format_name == PLAIN_ROWS}
        predictions, labels = _with_usual_columns(metrics, plain, predictions, labels)
    if not (are_logs or judged):
        chosen = {"predictions": predictions, **labels}
        provided = {*logs[0].names, *(n for n, field in chosen.items() if field is not None)}
        provided -= {n for n in ("predictions", "references") if chosen[n] is None}
        check_inputs(metrics, provided, logs[0].names)
    fields = {"": None} if predictions is None else column_names(predictions)
    if not fields:
        raise ValueError(NO_SYSTEMS)
    lower = {name for log in logs for name in log.lower_is_better}
    metrics = {n: LoggedScores(frozenset(lower)) if n == LOGGED else m for n, m in metrics.items()}
    implied = {name: value for log in logs for name, value in log.options.items()}
    options = assign(given, {name: metric.options for name, metric in metrics.items()})
    metrics = _with_options(
        metrics,
        {
            name: {n: v for n, v in implied.items() if n in metrics[name].options} | of_module
            for name, of_module in options.items()
        },
    )
    clusters = labels["clusters"] or []
    processes = _processes([*sources, *judged], how["jobs"])
    notes = TextNotes(metrics)
    systems = _systems_of_files(sources, fields, are_logs=are_logs)
    tables: Tables = {}
    readers: dict[str, FileOfRows] = {}
    checks: list[Any] = []
    for file in sources:
        reader = FileOfRows(
            source=file,
            systems={name: field for name, (of, field) in systems.items() if of is file},
            metrics=metrics,
            columns={name: field for name, field in labels.items() if name != "clusters"},
            clusters=list(dict.fromkeys([clusters] if isinstance(clusters, str) else clusters)),
            answers=judged,
            system=how["system"],
            repeats_allowed=bool(
                (are_logs and file.log.repeated_ids_allowed) or where or how["reduce"]
            ),
        )
        found = reader.tables(
            processes, notes, missing=how["missing"], reduce=how["reduce"], score=how["metric"]
        )
        tables |= found
        readers |= dict.fromkeys(found, reader)
        for name, of_system in found.items() if {LOGGED} < metrics.keys() else ():
            checks += agreements(name, of_system, file, reader.rows_of)
    _note_texts(notes, metrics, [*sources, *judged])
    ids = [next(iter(of_system.values())).ids for of_system in tables.values()]
    selecting = (where, *(how[name] for name in ("filter", "system", "reduce")))
    by_id = are_logs or judged or any(selecting) or any(each != ids[0] for each in ids)
    origins = {name: reader.origin(name, by_id=bool(by_id)) for name, reader in readers.items()}
    record: dict[str, Any] = {"logs" if by_id else "columns": origins}
    record["inputs"] = [file.provenance() for file in dict.fromkeys([*sources, *judged])]
    return readers, tables, record | ({"agreement": checks} if {LOGGED} < metrics.keys() else {})


def _systems_of_files(
    sources: Sequence[Source], fields: Mapping[str, str | None], *, are_logs: bool
) -> dict[str, tuple[Source, str | None]]:
    """Return the file and field of each system, by the part of their names that distinguishes them.

    Args:
        sources: the files.
        fields: fields of predictions by name; one without a name and a field for the standard field
            of a log.
        are_logs: whether a single system is named after its file.

    Raises:
        UsageError: two systems have the same name.
    """
    systems: dict[str, tuple[Source, str | None]] = {}
    for file, source in zip(_file_names(sources), sources, strict=True):
        for name, field in fields.items():
            is_named = name != (field or "")
            parts = [file] if len(sources) > 1 or (are_logs and not is_named) else []
            parts += [name] if len(fields) > 1 or is_named else []
            system = "/".join(parts) or name or file
            if system in systems:
                raise UsageError(f"system {system!r} is given twice")
            systems[system] = source, field
    return systems


def _file_names(sources: Sequence[Source]) -> list[str]:
    """Return the shortest names that distinguish the files: models, with tasks, stems or paths."""
    logs = [source.log for source in sources]
    for names in (
        [log.system or "" for log in logs],
        [f"{log.system}/{log.task}" if log.system and log.task else "" for log in logs],
        [stem(source.path) for source in sources],
    ):
        if all(names) and len(set(names)) == len(names):
            return names
    return [str(source.path) for source in sources]


def _processes(files: Sequence[Source], jobs: int | None) -> int:
    """Return how many processes score: one, if a file can be read only once."""
    if not all(file.path.is_file() for file in files):
        return 1
    most = sum(file.path.stat().st_size for file in files) // _SIZE_OF_PROCESS
    return jobs or (min(cores(), most) if most > 1 and can_fork() else 1)


def _note_texts(notes: TextNotes, metrics: Mapping[str, Module], sources: Sequence[Source]) -> None:
    """Note what the texts have in common, and how many cells seem to hold several references."""
    for line in notes.lines():
        note(line)
    inputs = [getattr(metric, "accepted_inputs", {}) for metric in metrics.values()]
    if not any("list of str" in kinds.get("references", []) for kinds in inputs):
        return
    advice = "--split-references '|' makes lists of accepted answers"
    for cells, content, hint in (
        (sum(s.lists for s in sources), "a list", "a column has lists if every cell is one"),
        (sum(s.joined for s in sources), "a '|'", advice),
    ):
        if cells:
            subject = f"{counted(cells, 'cell')} of references with {content}"
            note(f"{subject} counted as one text each; {hint}")


# ---- arguments ----------------------------------------------------------------------------------


def check_inputs(
    metrics: Mapping[str, Module], provided: Collection[str], fields: Collection[str] = ()
) -> None:
    """Check that each module has its columns.

    Raises:
        ValueError: a module lacks one; the message lists what it needs.

    >>> try:
    ...     check_inputs({"qa_em": load_without_evaluate("qa_em")}, {"predictions"})
    ... except ValueError as error:
    ...     print(error)
    qa_em needs the columns predictions, references; references is missing
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
