"""Scores of every module on every system, for Python, the command line and the server."""

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from inspect import signature
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any

from ...data.files.streams import stem
from ...data.harness_logs.logs import PLAIN_ROWS, TEXTS, format_names
from ...data.tables.selection import Selection
from ...data.tables.tables import Source
from ...module.catalog.catalog import load_without_evaluate, name_of
from ...module.catalog.presets import preset as preset_named
from ...module.catalog.presets import preset_options
from ...module.catalog.request import ROW_LABELS, Missing, Reduce, can_fork, check_jobs
from ...module.catalog.usage import UsageError, note
from ...module.declaration.columns import holds_queries
from ...module.declaration.declarations import (
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
from ..results.rendering import counted
from ..results.results import Results
from ..rows.blocks import Tables, finished, merged, needs_all_rows, tables_of, with_tables
from ..rows.joins import in_order_of
from ..rows.libraries import (
    ROWS,
    blocks_of_table,
    is_spark,
    numbered_blocks,
    table_names,
    tables_of_spark,
    usual_columns,
)
from ..rows.logged_scores import LOGGED, LoggedScores
from ..rows.row_tables import RowTable
from ..rows.rows import Block, Fields, InputError, Metrics, Named, Rows, Values, by_field, read_once
from ..rows.worker_processes import cores
from .agreement import agreements
from .files import FileOfRows
from .text_notes import TextNotes

FORMATS_OF_BOTH = (*TEXTS, "conll", "squad")  # predictions and answers share these formats
NO_SYSTEMS = "scoring needs at least one module and one system"
_LEVEL = 0.95  # of the intervals of differences, unless another level is asked for
_SIDES = ("predictions", "references")
_SIZE_OF_PROCESS = 4_000_000  # bytes of files that justify forking a process


def score(
    modules: Any,
    data: Any = None,
    *,
    predictions: Any = None,
    references: Any = None,
    columns: Named | None = None,
    options: Named | None = None,
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
        references: field of the references, or a file of them; several files are several references
            of each row.
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
        jobs: how many processes read and score files; the result is the same. A command has one for
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
    or a Dataset or IterableDataset. Arguments then name its columns, but for options that have a
    value for each row. Predictions and references need no names if one column of each is called so,
    or response, answer ... Tables of Spark, `datasets` and pyarrow are scored in blocks; their
    columns are collected only for such options, for modules that look at all rows together and, for
    Spark, for options that are functions.

    Without data, predictions are a column, or the column of each system, by name. Other columns are
    for all systems; without predictions they make one system, "rows". Columns of rankings may be
    dictionaries `{query: {document: number}}`, and crossed clusters are a dictionary of columns.

    With missing="bounds", `scores` are those of the rows with an answer, `score_bounds` the two
    ends, and `missing_rows` the number of the others; intervals reach from the lower end of the
    worst to the upper end of the best. Processes are forked from this one.

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
    metrics: Values = {
        name: LoggedScores() if name == LOGGED else load_without_evaluate(name)
        for name in map(name_of, listed)
    }
    if not metrics:
        raise ValueError(NO_SYSTEMS)
    inputs_of_modules = dict.fromkeys(name for m in metrics.values() for name in m.input_names)
    for name in columns or ():
        if name not in inputs_of_modules:
            takes = f"{', '.join(metrics)} takes {', '.join(sorted(inputs_of_modules))}"
            raise OptionError("columns", f"{name}: {takes}{nearest(name, inputs_of_modules)}")
    fields = {"predictions": predictions, "references": references, **(columns or {})}
    fields |= {"clusters": clusters, "groups": groups, "ids": ids}
    fields |= {n: module_options.pop(n) for n in inputs_of_modules if n in module_options}
    _check_options(module_options, options or {}, metrics)
    try:
        of_preset = {} if preset is None else preset_options(preset, metrics)
    except ValueError as error:
        raise OptionError("preset", f": {error}") from error
    given = of_preset | _loaded_with(listed) | {**(options or {}), **module_options}
    reported = {
        "confidence_level": confidence_level,
        "groups": groups,
        "clusters": None if compare or rows else clusters,
        "standard_error": standard_error or None,
    }
    check_supported([name for name, value in reported.items() if value is not None], metrics)
    texts = {name.rpartition(".")[2]: value for name, value in given.items()}
    for option in [] if rows else texts_of_rows(texts):
        raise ValueError(f"{option} is about single rows, which only rows=True keeps")
    reading: Values = {
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
    record: Values = {}
    files = data if isinstance(data, list) else [data]
    if files and isinstance(files[0], str | PathLike | Source):
        reading |= {"missing": missing, "jobs": jobs}
        with ExitStack() as stack:
            readers, tables, record = _of_files(stack, metrics, given, files, fields, **reading)
    else:
        for name, value in {**reading, "jobs": jobs != 1 and jobs}.items():
            if value:
                raise ValueError(f"{name} is about files, and data is not the path of one")
        tables = finished(_of_columns(metrics, given, data, fields, missing), missing)
    if preset is not None:
        tables = with_tables(tables, partial(_with_preset, preset))
        record["preset"] = preset
    if compare:
        if len(tables) < 2:
            problem = f"needs two systems; there is only {next(iter(tables))!r}"
            raise OptionError("compare", problem)
        tables = _in_one_order(tables)
    intervals: Values = {
        "interval": interval,
        "standard_error": standard_error,
        "n_resamples": n_resamples,
        "seed": seed,
    }
    if confidence_level is not None:  # or else modules use their own, usually none
        intervals["confidence_level"] = confidence_level
    try:
        results = Results.of_rows(tables, record, intervals)
    except InputError as error:
        if error.system not in readers:
            raise
        of_system = next(iter(tables[error.system].values()))
        raise readers[error.system].located(error, len(of_system)) from error
    if compare:
        tested: Values = {"correction": correction, "assume": assume, "bounds": bounds}
        tested["confidence_level"] = confidence_level or _LEVEL
        from ..comparison.comparisons import with_comparisons  # imports tests, so only on use

        results = with_comparisons(results, combinations(tables, 2), scores, **tested)
    if not (rows or len(tables) > 1):
        results = replace(results, rows={})
    return results.choose(scores)


def _loaded_with(modules: Iterable[Any]) -> Values:
    """Return the options with which modules were loaded."""
    loaded = {}
    for module in modules:
        for name, value in getattr(module, "settings", {}).items():
            if not is_assignable(name):
                raise ValueError(
                    f"{name_of(module)} was loaded with {name}={value!r}, which is an argument of "
                    "score"
                )
            loaded[f"{name_of(module)}.{name}"] = value
    return loaded


def _with_options(metrics: Metrics, options: Mapping[str, Named]) -> Values:
    return {name: type(m)(**options[name]) if options[name] else m for name, m in metrics.items()}


def _in_one_order(tables: Tables) -> Tables:
    """Return the rows of all systems in the order of the first.

    Raises:
        ValueError: they are not the same.
    """
    first, modules = next(iter(tables.items()))
    return {
        system: {
            name: in_order_of(modules[name], table, (first, system))
            for name, table in of_system.items()
        }
        for system, of_system in tables.items()
    }


def _with_preset(name: str, table: RowTable) -> RowTable:
    """Return the rows with the preset for signatures, if no option differs from it."""
    options = preset_named(name).modules.get(table.module, {}).items()
    if any(table.options[option] != value for option, value in options):
        return table
    return replace(table, conditions={**table.conditions, "preset": name})


# ---- columns ------------------------------------------------------------------------------------


def _of_columns(
    metrics: Metrics,
    given: Named,
    data: Any,
    fields: Named,
    missing: Missing,
) -> Tables:
    """Return the scored rows of columns, or of a table of any library; see `score`."""
    of_rows = {name: value for name, value in given.items() if _is_of_rows(name, value, metrics)}
    options = {name: value for name, value in given.items() if name not in of_rows}
    per_row = {name.rpartition(".")[2]: value for name, value in of_rows.items()}
    if data is not None:
        names = table_names(data) or ()
        fields = _with_usual_columns(metrics, dict.fromkeys(_SIDES, names), fields)
    check_inputs(metrics, [name for name, column in fields.items() if column is not None])
    chosen = assign(options, {name: metric.options for name, metric in metrics.items()})
    metrics = _with_options(metrics, chosen)
    if data is None:
        return tables_of(_block_of_columns(metrics, {**fields, **per_row}), metrics, missing)
    table = _fields_of_table(metrics, fields, per_row)
    is_whole = per_row or needs_all_rows(metrics)
    if is_spark(data) and not (is_whole or names_of_functions(given)):
        return tables_of_spark(data, table, metrics, chosen, missing)
    wanted = [name for name in table.names() if name not in per_row]
    parts = blocks_of_table(data, wanted, sys.maxsize if is_whole else ROWS)
    blocks = numbered_blocks(table, ({**columns, **per_row} for columns in parts))
    return merged(tables_of(block, metrics, missing) for block in blocks)


def _is_of_rows(key: str, value: Any, metrics: Metrics) -> bool:
    """Return whether an option has a value for each row."""
    name = key.rpartition(".")[2]
    return not isinstance(value, str | Mapping | None) and any(
        is_per_row(metric.declared_options[name].annotation)
        for metric in metrics.values()
        if name in metric.declared_options
    )


def _fields_of_table(metrics: Iterable[str], fields: Named, others: Iterable[str]) -> Fields:
    """Return the columns of a table, and others that are added to it under their own names."""
    systems = column_names(fields["predictions"])
    clusters = _check_names(fields, "column of data")
    inputs = {n: c for n, c in fields.items() if c is not None and n not in ROW_LABELS}
    inputs |= {name: name for name in others}
    if inputs.get("references", "") in systems.values():
        raise ValueError(f"column {inputs['references']!r} would be compared with itself")
    of_systems = {
        system: inputs if column is None else {**inputs, "predictions": column}
        for system, column in systems.items()
    }
    return Fields(
        inputs={system: dict.fromkeys(metrics, of) for system, of in of_systems.items()},
        ids=fields["ids"],
        groups=fields["groups"],
        clusters={name: name for name in clusters},
    )


def _check_names(fields: Named, kind: str) -> list[str]:
    """Check that labels and inputs are names, and return those of the clusters."""
    clusters = fields["clusters"] or []
    named = [clusters] if isinstance(clusters, str) else clusters
    for name, column in fields.items():
        given = named if name == "clusters" else column
        if name != "predictions" and not isinstance(given, list if given is named else str | None):
            raise ValueError(f"{name} must name a {kind}, got {shown(column)}")
    return list(dict.fromkeys(named))


def _block_of_columns(metrics: Metrics, columns: Named) -> Block:
    """Return the rows of each system.

    Args:
        metrics: the modules by name.
        columns: by name; as predictions those of each system, or one, or none.
    """
    predictions, ids = columns["predictions"], columns["ids"]
    systems: Named = {"rows" if predictions is None else "predictions": predictions}
    if isinstance(predictions, Mapping) and not holds_queries(predictions):
        systems = predictions
    if not systems:
        raise ValueError(NO_SYSTEMS)
    shared = {
        name: column if holds_queries(column) else read_once(column)
        for name, column in columns.items()
        if name not in (*ROW_LABELS, "predictions")
    }
    block = {}
    for system, predicted in systems.items():
        inputs = {**shared, "predictions": read_once(predicted)}
        if holds_queries(columns["references"]):
            ids = list(columns["references"]) if ids is None else ids
            metric = next(iter(metrics.values()))
            inputs = dict(metric.as_rows({n: c for n, c in inputs.items() if c is not None}))
        clusters = by_field(columns["clusters"])
        rows = Rows(columns=inputs, ids=ids, groups=columns["groups"], clusters=clusters)
        block[system] = dict.fromkeys(metrics, rows)
    return block


# ---- files --------------------------------------------------------------------------------------


def _of_files(
    stack: ExitStack,
    metrics: Metrics,
    given: Named,
    files: Sequence[Any],
    fields: Named,
    **how: Any,
) -> tuple[dict[str, FileOfRows], Tables, Values]:
    """Return how each system was read from files, its scored rows, and the record of that.

    Args:
        stack: closes the files.
        metrics: the modules by name.
        given: the options of modules.
        files: of the predictions.
        fields: the fields of all inputs and labels.
        **how: as in `score`.
    """
    clusters = _check_names(fields, "field of the files")
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
        sides = zip(_SIDES, (sources[0].log, (judged or sources)[-1].log), strict=True)
        plain = {name: log.names for name, log in sides if log.format_name == PLAIN_ROWS}
        fields = _with_usual_columns(metrics, plain, fields)
    lower = frozenset(name for log in logs for name in log.lower_is_better)
    metrics = {n: LoggedScores(lower) if n == LOGGED else m for n, m in metrics.items()}
    options = assign(given, {name: metric.options for name, metric in metrics.items()})
    for log in logs:
        for name, of_module in options.items():
            implied = {n: v for n, v in log.options.items() if n in metrics[name].options}
            options[name] = implied | of_module
    metrics = _with_options(metrics, options)
    processes = _processes([*sources, *judged], how["jobs"])
    notes = TextNotes(metrics)
    systems = _systems_of_files(sources, fields["predictions"], are_logs=are_logs)
    tables: Tables = {}
    readers: dict[str, FileOfRows] = {}
    record: Values = {}
    for file in sources:
        reader = FileOfRows(
            source=file,
            systems={name: field for name, (of, field) in systems.items() if of is file},
            metrics=metrics,
            columns=fields,
            clusters=clusters,
            answers=judged,
            system=how["system"],
            missing=how["missing"],
            repeats_allowed=bool(
                (are_logs and file.log.repeated_ids_allowed) or where or how["reduce"]
            ),
        )
        found = reader.tables(
            processes, notes, missing=how["missing"], reduce=how["reduce"], score=how["metric"]
        )
        tables |= found
        readers |= dict.fromkeys(found, reader)
        if unlabelled := file.excluded["unlabelled"]:
            note(f"{file.path}: {counted(unlabelled, 'row')} without a label left out")
        if {LOGGED} < metrics.keys():
            checks = record.setdefault("agreement", [])
            for name, of_system in found.items():
                checks += agreements(name, of_system, file)
    for line in notes.lines():
        note(line)
    if source is None and any(log.format_name == "kaldi" for log in logs):
        note("lines begin with ids, as Kaldi's do; --from lines takes these for words")
    record["sources"] = {name: reader.origin(name) for name, reader in readers.items()}
    record["inputs"] = [file.provenance() for file in dict.fromkeys([*sources, *judged])]
    return readers, tables, record


def _systems_of_files(
    sources: Sequence[Source], predictions: Any, *, are_logs: bool
) -> dict[str, tuple[Source, str | None]]:
    """Return the file and field of each system, by the part of their names that distinguishes them.

    Args:
        sources: the files.
        predictions: their fields, perhaps by name; None for the standard field of a log.
        are_logs: whether a single system is named after its file.

    Raises:
        UsageError: two systems have the same name.
    """
    fields = {"": None} if predictions is None else column_names(predictions)
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


# ---- arguments ----------------------------------------------------------------------------------


def check_inputs(metrics: Metrics, provided: Collection[str]) -> None:
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
            verb = "is" if len(missing) == 1 else "are"
            needed = f"{name} needs the columns {', '.join(metric.required_inputs)}"
            raise ValueError(f"{needed}; {', '.join(missing)} {verb} missing")


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
    if not columns:
        raise ValueError(NO_SYSTEMS)
    return dict(zip(predictions, columns, strict=True))


def _with_usual_columns(
    metrics: Metrics, names: Mapping[str, Collection[str]], fields: Named
) -> Values:
    """Return the columns, with those of tables that are inputs by their names.

    Args:
        metrics: the modules by name.
        names: the columns among which predictions, and references, are.
        fields: the columns that are named.

    Raises:
        ValueError: several columns could be one.
    """
    chosen = dict(fields)
    required = {name for metric in metrics.values() for name in metric.required_inputs}
    is_one = len({*map(id, names.values())}) == 1
    found = []
    for name, columns in names.items():
        if name in required and chosen[name] is None:
            others = [*column_names(chosen["predictions"]).values(), chosen["references"]]
            matches = usual_columns(name, columns, others if is_one else [])
            if len(matches) > 1:
                listed = " or ".join(map(repr, matches))
                raise OptionError(name, f"may be {listed}; name one of them")
            chosen[name] = matches[0] if matches else None
            found += [f"{name} are the field {field!r}" for field in matches]
    if found:
        note(", ".join(found))
    return chosen


def _check_options(named: Named, options: Named, metrics: Metrics) -> None:
    """Check the options that were passed by their names, which some module must have.

    Raises:
        TypeError: no module has it, or it is also in `options`; the message has a hint.
    """
    for name in named:
        if name in options:
            raise TypeError(f"{name!r} is passed twice, by its name and in options")
        if any(name in metric.options for metric in metrics.values()) and is_assignable(name):
            continue
        arguments = [*signature(score).parameters][:-1]
        arguments += {name for metric in metrics.values() for name in metric.input_names}
        hint = meant_input(name, arguments) or nearest(name, arguments)
        hint = hint or nearest(name, [o for metric in metrics.values() for o in metric.options])
        raise TypeError(f"score() has no argument {name!r}{hint}")
