"""Scores of models on tasks, read from plain tables, MTEB's folders and other published files.

A table is long, with a score a row, or wide, with a column for each task.
"""

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...data.files.access import default_limits, open_file, read_whole
from ...data.harness_logs import mteb
from ...data.harness_logs.logs import PLAIN_ROWS, Content, Log, recognized
from ...data.tables.tables import Source
from ...evaluation.results.rendering import listed_names
from ...evaluation.results.results import Results
from ...module.catalog.usage import UsageError

_MODELS = ("model", "system", "name", "")  # the last is the index of a data frame
_TASKS = ("task", "dataset", "benchmark")
_SCORES = ("score", "value", "main_score")
_ERRORS = ("standard_error", "stderr", "se")
_ROWS = ("rows", "n")
_TYPES = ("type", "task_type")
_EMPTY = ("", "-", "–", "—", "nan", "n/a", "null", "none")
_START = 100  # bytes of a file, which contain the format of a saved result
_SHOWN = 20  # columns or scores in a message
_LINK = re.compile(r"\[([^]]*)]\([^)]*\)")
_RULE = re.compile(r"[|:\-\s]+")
_MAIN = "main_score"
_LOGS = (".jsonl", ".eval")  # in a folder without summaries, which end in .json


class Score(NamedTuple):
    """The score of a model on a task, as a file has it: for each subset, and in one split."""

    system: str
    task: str
    subsets: Mapping[str, float]
    origin: str  # the file or folder of the command line
    location: str  # in that file
    split: str = ""
    error: float = math.nan
    rows: float = math.nan
    is_lower_better: bool = False
    revision: str = ""  # of the data of the task
    type: str = ""
    release: str = ""  # the revision of the model, as MTEB's folders have it
    version: str | None = None  # of mteb, for its files alone


class BenchmarkTask(NamedTuple):
    """A task of a benchmark, and which of its scores count."""

    task: str
    subsets: Sequence[str] = ()
    split: str = ""
    score: str = ""
    type: str = ""


class _Request(NamedTuple):
    """The tasks and the score to read, and notes, to which reading adds."""

    origin: Path  # as on the command line
    name: str | None
    benchmark: Mapping[str, BenchmarkTask]
    notes: list[str]


def are_saved(paths: Sequence[Path]) -> bool:
    """Return whether files are results written by `save`, and not scores of other programs.

    Raises:
        UsageError: some are, and some are not.
    """
    marks = {}
    for path in paths:
        if path.is_dir():
            marks[path] = False
        elif path.name != mteb.METADATA:
            with open_file(path) as file:
                marks[path] = Results.FORMAT.partition("/")[0].encode() in file.read(_START)
    if len(set(marks.values())) > 1:
        saved, foreign = (next(p for p in marks if marks[p] is kind) for kind in (True, False))
        raise UsageError(f"{saved} is a saved result, but {foreign} is not; name files of one kind")
    return all(marks.values())


def read_scores(
    paths: Sequence[Path], name: str | None = None, benchmark: Sequence[BenchmarkTask] = ()
) -> tuple[list[Score], list[str]]:
    """Return the scores in files and folders, and notes about what was not read.

    Args:
        paths: tables, results of MTEB or lm-evaluation-harness, or folders of them.
        name: the score to read, where a file has several.
        benchmark: the tasks to read; empty for all.

    Raises:
        ValueError: a file is not a table of scores, or a cell is not a number.
    """
    scores: list[Score] = []
    notes: list[str] = []
    tasks = {entry.task: entry for entry in benchmark}
    for path in paths:
        if path.name == mteb.METADATA:  # a sidecar of MTEB's results
            continue
        request = _Request(path, name, tasks, notes)
        if not path.is_dir():
            scores += _of_file(path, request)
            continue
        summaries = [file for file in path.rglob("*.json") if file.name != mteb.METADATA]
        files = sorted(summaries or (f for end in _LOGS for f in path.rglob(f"*{end}")))
        for file in files:
            parts = file.relative_to(path).parts
            is_deep = len(parts) >= 3  # model, revision, task
            if is_deep and tasks and file.stem not in tasks and mteb.is_revision(file.parent):
                continue
            scores_of_file = _of_file(file, request)
            if is_deep and any(score.version is not None for score in scores_of_file):
                model, release, _ = parts[-3:]
                model = model.replace("__", "/")
                scores_of_file = [s._replace(system=model, release=release) for s in scores_of_file]
            scores += scores_of_file
        if not files:
            raise ValueError(f"{path}: there are no results in this folder")
    return _with_paths(_of_one_release(scores, notes)), notes


def _of_one_release(scores: Sequence[Score], notes: list[str]) -> list[Score]:
    """Return for each model and task the scores of the revision that mteb would choose."""
    releases: dict[tuple[str, str], dict[str, Any]] = {}
    for score in scores:
        ages = releases.setdefault((score.system, score.task), {})
        ages[score.release] = mteb.newness(score.release, score.version)
    choices: dict[tuple[str, ...], list[str]] = {}
    chosen = {}
    for (system, task), ages in releases.items():
        newest = max(ages.values())
        chosen[system, task] = [name for name, age in ages.items() if age == newest]
        if len(ages) > 1:
            choices.setdefault((system, *chosen[system, task], *ages), []).append(task)
    notes += [
        f"model {system} has several revisions of {listed('task', tasks)}; {release} is used, "
        "with the latest version of mteb"
        for (system, release, *_), tasks in choices.items()
    ]
    return [score for score in scores if score.release in chosen[score.system, score.task]]


def _with_paths(scores: Sequence[Score]) -> list[Score]:
    """Return the scores; models of one name in several files are named by their files."""
    origins: dict[tuple[str, str, str], set[str]] = {}
    for score in scores:
        origins.setdefault((score.system, score.task, score.split), set()).add(score.origin)
    clashes = {
        (key[0], origin) for key, names in origins.items() if len(names) > 1 for origin in names
    }
    systems = Counter(origin for _, origin in {(score.system, score.origin) for score in scores})
    return [
        score._replace(
            system=score.origin if systems[score.origin] == 1 else f"{score.origin}: {score.system}"
        )
        if (score.system, score.origin) in clashes
        else score
        for score in scores
    ]


def _of_file(path: Path, request: _Request) -> list[Score]:
    """Return the scores of a file of any kind."""
    if path.suffix in (".md", ".markdown"):
        return _of_records(list(_of_markdown(path)), path, request)
    log: Log | None = None
    document: Any = None
    if path.suffix == ".json":
        with suppress(ValueError):  # of lines of JSON
            document = json.loads(read_whole(path, default_limits()))
        content = Content(path, "document", document, iter(()), document=document)
        if mteb.is_result(content):
            log = mteb.read(content)
        elif isinstance(document, Mapping):
            module = recognized(content)
            log = module and module.read(content)
    if log is not None and log.means:
        return list(_of_means(log, path, request))
    records: _Records | None = None
    if log is None and (isinstance(document, Mapping) or _is_of_helm(document)):
        records = _records_of_document(document, path, request.notes)
    if records is None:
        source = Source(path, [])
        if source.log.format_name != PLAIN_ROWS:
            return [_of_log(source, request)]
        source.close()
        records = _records_of_document(document, path, request.notes) or _of_table(path)
    return _of_records(records, path, request)


def _of_log(source: Source, request: _Request) -> Score:
    """Return the mean score of the samples in a log, with its standard error."""
    log, path, name = source.log, source.path, request.name
    advice = (
        f"score this log first: metric-commons score logged {path} --confidence 0.95 --save "
        "FILE.json --per-example FILE.jsonl"
    )
    if "logged" not in log.columns:
        raise ValueError(f"{path}: this log of {log.format_name} has no scores; {advice}")
    source.fields = [field for field in ("id", "logged") if field in log.columns]
    columns = source.columns()
    logged = columns["logged"]
    names = list(dict.fromkeys(key for scores in logged for key in scores))
    score = names[0] if name is None and len(names) == 1 else name
    if score not in names:
        raise ValueError(
            f"{path}: name the score of this log with --by; there are {', '.join(names) or 'none'}"
        )
    units: dict[Any, list[float]] = {}
    for unit, scores in zip(columns.get("id", range(len(logged))), logged, strict=True):
        units.setdefault(unit, []).append(scores.get(score, math.nan))
    values = np.array([math.fsum(values) / len(values) for values in units.values()])
    absent = int(np.isnan(values).sum())
    if absent:
        raise ValueError(f"{path}: {absent} samples have no {score}; {advice}")
    return Score(
        log.system or path.stem,
        log.task or path.stem,
        {"": math.fsum(values) / values.size},
        str(request.origin),
        str(path),
        error=float(values.std(ddof=1)) / math.sqrt(values.size) if values.size > 1 else math.nan,
        rows=values.size,
        is_lower_better=score in log.lower_is_better,
    )


def _of_means(log: Log, path: Path, request: _Request) -> Iterator[Score]:
    """Yield the scores of a log that has means; groups of tasks stand for their members."""
    name = request.name
    lacking: dict[str, Sequence[str]] = {}  # the scores of tasks without the right one
    main = name or _MAIN
    for means in log.means:
        task = str(means.about["task"])
        if task not in request.benchmark if request.benchmark else means.about.get("group"):
            continue
        main = (task in request.benchmark and request.benchmark[task].score) or name or _MAIN
        names = [key for key in means.scores if main in (key, key.partition(",")[0])]
        if not names and main == _MAIN and len(means.scores) == 1:
            names = list(means.scores)
        if len(names) > 1:
            raise ValueError(
                f"{path}: task {task} has {', '.join(names)}; name one of them in full with --by"
            )
        if not names:
            lacking[task] = list(means.scores)[:_SHOWN]
            continue
        (score,) = names
        subsets = {part: scores.get(score, math.nan) for part, scores in means.subsets.items()}
        only = next(iter(means.about.get("subsets") or [""]))
        yield Score(
            log.system or path.stem,
            task,
            subsets or {only: means.scores[score]},
            str(request.origin),
            str(path),
            means.split,
            means.errors.get(score, math.nan),
            means.rows or math.nan,
            score in log.lower_is_better,
            str(means.about.get("dataset_revision") or ""),
            version=str(means.about["mteb_version"] or "")
            if "mteb_version" in means.about
            else None,
        )
    if lacking:
        names_of_first = ", ".join(next(iter(lacking.values()))) or "none"
        problem = (
            f"{path}: no score {main!r} of {listed('task', list(lacking))}; there are "
            f"{names_of_first}"
        )
        if len(lacking) == len(log.means) and path == request.origin:
            raise ValueError(f"{problem}; name one with --by")
        request.notes.append(problem)  # the models lack these tasks


# ---- tables -------------------------------------------------------------------------------------

_Records = Sequence[tuple[str, Mapping[str, Any]]]  # with their places


def _of_table(path: Path) -> _Records:
    """Return the rows of a table of any kind."""
    source = Source(path, [])
    log = source.log
    if log.format_name != PLAIN_ROWS:
        source.close()
        raise ValueError(f"{path}: this is a log of {log.format_name}, not a list of tasks")
    source.fields = log.names
    columns = source.columns()
    return [
        (f"{path}, {source.location(row)}", dict(zip(columns, cells, strict=True)))
        for row, cells in enumerate(zip(*columns.values(), strict=True))
    ]


def _records_of_document(document: Any, path: Path, notes: list[str]) -> _Records | None:
    """Return the rows of a JSON document: of records, of scores by model, or of HELM's tables."""
    if _is_of_helm(document):
        first, *others = document if isinstance(document, list) else [document]
        if others:
            notes.append(
                f"{path}: this is the first of {len(document)} tables, {first.get('title')}"
            )
        try:
            return [
                (f"{path}, row {row}", _helm_row(first["header"], cells))
                for row, cells in enumerate(first["rows"])
            ]
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"{path}: this is not one of HELM's tables") from error
    if isinstance(document, list) and all(isinstance(record, Mapping) for record in document):
        return [(f"{path}, row {row}", record) for row, record in enumerate(document)]
    if (
        isinstance(document, Mapping)
        and document
        and all(isinstance(scores, Mapping) for scores in document.values())
    ):
        return [
            (f"{path}, {model}", {"model": model, **scores}) for model, scores in document.items()
        ]
    return None


def _is_of_helm(document: Any) -> bool:
    """Return whether a JSON document is one of HELM's tables, or a list of them."""
    first = document[0] if isinstance(document, list) and document else document
    return isinstance(first, Mapping) and {"header", "rows"} <= first.keys()


def _helm_row(header: Sequence[Mapping[str, Any]], cells: Sequence[Mapping[str, Any]]) -> Any:
    """Return a row of HELM's tables: its model, and the scores in columns that have an order."""
    names = [str(cell["value"]) for cell in header]
    row: dict[str, Any] = {"model": cells[0]["value"]}
    for name, head, cell in zip(names[1:], header[1:], cells[1:], strict=True):
        lower = head.get("lower_is_better")
        if lower is not None and not name.lower().endswith("win rate"):
            row[f"{name} ↓" if lower else name] = cell.get("value")
    return row


def _of_markdown(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the rows of the first table of a Markdown file."""
    names: list[str] = []
    text = read_whole(path, default_limits()).decode()
    for line, content in enumerate(text.splitlines(), start=1):
        if "|" not in content:
            if names:
                break
            continue
        cells = [
            _LINK.sub(r"\1", cell).replace("*", "").replace("`", "").strip()
            for cell in next(
                csv.reader([content.strip().strip("|")], delimiter="|", quoting=csv.QUOTE_NONE)
            )
        ]
        if not names:
            names = cells
        elif len(cells) != len(names):
            raise ValueError(
                f"{path}, line {line}: there are {len(cells)} cells, but {len(names)} in the header"
            )
        elif not _RULE.fullmatch(content):
            yield f"{path}, line {line}", dict(zip(names, cells, strict=True))


def _of_records(records: _Records, path: Path, request: _Request) -> list[Score]:
    """Return the scores of a table, long or wide."""
    name = request.name
    columns = list(dict.fromkeys(column for _, record in records for column in record))
    column_of = {column.strip().lower(): column for column in reversed(columns)}
    model = _first(column_of, _MODELS)
    if model is None:
        raise ValueError(
            f"{path}: there is no column of models; name it model, system or name; the columns are "
            f"{', '.join(columns[:_SHOWN]) or 'none'}"
        )
    task = _first(column_of, _TASKS)
    value = _first(column_of, _SCORES) if name is None else name
    error, rows, kind = (_first(column_of, names) for names in (_ERRORS, _ROWS, _TYPES))
    names_of_columns = ", ".join(columns[:_SHOWN])
    if task is not None:
        if value is None or value not in columns:
            problem = f"no column {name!r}" if name else "no column of scores"
            raise ValueError(
                f"{path}: there is {problem}; name it score, value or main_score, or use --by "
                f"COLUMN; the columns are {names_of_columns}"
            )
        columns_of_scores = {value: error}
    else:
        if name is not None and name not in columns:
            raise ValueError(f"{path}: there is no column {name!r}; there are {names_of_columns}")
        ends = ("_stderr", "_standard_error")
        errors = {c.removesuffix(end): c for c in columns for end in ends if c.endswith(end)}
        if error is not None:  # belongs to the column before it
            numbers = [column for column in columns if column not in (model, rows, kind)]
            index = numbers.index(error)
            errors.setdefault(numbers[index - 1 if index else min(1, len(numbers) - 1)], error)
        further = {model, error, rows, kind, *errors.values()}
        named = {name} if name else request.benchmark.keys()
        tasks = [c for c in columns if (c in named if named else c not in further)]
        texts = [] if named else [column for column in tasks if _is_text(records, column)]
        if texts:
            note = f"{path}: columns without numbers are not tasks: {', '.join(texts)}"
            request.notes.append(note)
        columns_of_scores = {c: errors.get(c) for c in tasks if c not in texts}
        if not columns_of_scores:
            raise ValueError(f"{path}: there is no column of scores; there are {names_of_columns}")
    return [
        Score(
            str(record[model]),
            column if task is None else str(record[task]),
            {"": _number(record, column, where)},
            str(request.origin),
            where,
            error=_number(record, error, where),
            rows=_number(record, rows, where),
            is_lower_better=task is None and column.endswith("↓"),
            type=str(record.get(kind) or "") if task and kind else "",
        )
        for where, record in records
        for column, error in columns_of_scores.items()
    ]


def _first(column_of: Mapping[str, str], names: Sequence[str]) -> str | None:
    return next((column_of[name] for name in names if name in column_of), None)


def _is_text(records: _Records, column: str) -> bool:
    """Return whether no cell of a column is a number."""
    for where, record in records:
        try:
            if not math.isnan(_number(record, column, where)):
                return False
        except ValueError:
            continue
    return True


def _number(record: Mapping[str, Any], column: str | None, where: str) -> float:
    """Return a cell as a number; NaN if it is missing, empty or a word for that."""
    value = None if column is None else record.get(column)
    if value is None or (isinstance(value, str) and value.strip().lower() in _EMPTY):
        return math.nan
    try:
        number = math.inf if isinstance(value, bool | list | dict) else float(value)
    except ValueError:
        number = math.inf
    if math.isinf(number):
        raise ValueError(f"{where}, column {column}: {str(value)[:80]!r} is not a finite number")
    return number


# ---- benchmarks ---------------------------------------------------------------------------------


def read_benchmark(path: Path) -> list[BenchmarkTask]:
    """Return the tasks of a benchmark: lines of names, a JSON list, or a table with details.

    A table has the column `task`, and may have `subsets` (separated by commas), `split`, `score`
    and `type`. A list of JSON has names, or objects with these fields.

    Raises:
        ValueError: there are no tasks, or one twice.
    """
    records: Iterable[Any]
    if path.suffix in (".csv", ".tsv", ".jsonl", ".parquet"):
        records = [record for _, record in _of_table(path)]
    elif path.suffix == ".json":
        try:
            records = json.loads(read_whole(path, default_limits()))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        if not isinstance(records, list):
            raise ValueError(f"{path}: a benchmark is a list of tasks")
    else:
        lines = read_whole(path, default_limits()).decode().splitlines()
        records = [name for line in lines if (name := line.partition("#")[0].strip())]
    tasks = []
    for record in records:
        if isinstance(record, str):
            tasks.append(BenchmarkTask(record))
            continue
        if not isinstance(record, Mapping) or not record.get("task"):
            raise ValueError(f"{path}: every task needs a name; {str(record)[:80]} has none")
        subsets = record.get("subsets") or []
        listed = subsets.split(",") if isinstance(subsets, str) else subsets
        if not isinstance(listed, list):
            raise ValueError(f"{path}: subsets of {record['task']} are {subsets!r}, not a list")
        details = {name: str(record.get(name) or "") for name in ("split", "score", "type")}
        tasks.append(
            BenchmarkTask(str(record["task"]), [str(part).strip() for part in listed], **details)
        )
    if not tasks:
        raise ValueError(f"{path}: there are no tasks")
    ((task, count),) = Counter(entry.task for entry in tasks).most_common(1)
    if count > 1:
        raise ValueError(f"{path}: task {task} is listed twice")
    return tasks


def listed(noun: str, names: Sequence[str]) -> str:
    """Return names after a noun, which gets a plural.

    >>> listed("task", ["a"]), listed("task", ["a", "b", "c", "d"])
    ('task a', 'tasks a, b, c and 1 other')
    """
    return f"{noun}{'' if len(names) == 1 else 's'} {listed_names(names)}"
