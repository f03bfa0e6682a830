"""Scores of models on tasks, read from plain tables, and from results and logs of harnesses.

A table is long, with a score a row, or wide, with a column for each task.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...data.files.access import open_file, read_file
from ...data.harness_logs.logs import PLAIN_ROWS, Content, Log, recognized
from ...data.tables.tables import Source
from ...evaluation.comparison.saved_results import holds_rows
from ...evaluation.results.rendering import listed_names
from ...evaluation.results.results import Results
from ...module.catalog.usage import UsageError

_MODELS = ("model", "system", "name", "")  # the last is the index of a data frame
_TASKS = ("task", "dataset", "benchmark")
_SCORES = ("score", "value", "main_score")
_ERRORS = ("standard_error", "stderr", "se")
_ENDS = ("_stderr", "_standard_error")  # of the columns with the errors of a wide table
_ROWS = ("rows", "n")
_EMPTY = ("", "-", "–", "—", "nan", "n/a", "null", "none")
_START = 100  # bytes of a file, which contain the format of a saved result
_SHOWN = 20  # columns or scores in a message
_LOGS = (".jsonl", ".eval")  # in a folder without summaries, which end in .json

_Records = Sequence[tuple[str, Mapping[str, Any]]]  # with their places


class Score(NamedTuple):
    """The score of a model on a task, as a file has it."""

    system: str
    task: str
    value: float
    location: str  # the file, and perhaps the row
    error: float = math.nan
    rows: float = math.nan
    is_lower_better: bool = False


def are_saved(paths: Sequence[Path]) -> bool:
    """Return whether files are results or rows of this program, and not scores of others.

    Raises:
        UsageError: some are, and some are not.
    """

    def is_saved(path: Path) -> bool:
        if path.is_dir():
            return False
        with open_file(path) as file:
            start = file.read(_START)
        return Results.FORMAT.partition("/")[0].encode() in start or holds_rows(path)

    marks = {path: is_saved(path) for path in paths}
    if len(set(marks.values())) > 1:
        saved, foreign = (next(p for p in marks if marks[p] is kind) for kind in (True, False))
        raise UsageError(f"{saved} is a saved result, but {foreign} is not; name files of one kind")
    return all(marks.values())


def read_scores(paths: Sequence[Path], name: str | None = None) -> tuple[list[Score], list[str]]:
    """Return the scores in files and folders, and notes about what was not read.

    Args:
        paths: tables, results of lm-evaluation-harness, logs, or folders of them.
        name: the score to read, where a file has several.

    Raises:
        ValueError: a file is not a table of scores, or a cell is not a number.
    """
    scores: list[Score] = []
    notes: list[str] = []
    for path in paths:
        files = [path]
        if path.is_dir():
            summaries = list(path.rglob("*.json"))
            files = sorted(summaries or (f for end in _LOGS for f in path.rglob(f"*{end}")))
        for file in files:
            scores += _of_file(file, name, notes)
        if not files:
            raise ValueError(f"{path}: there are no results in this folder")
    return scores, notes


def _of_file(path: Path, name: str | None, notes: list[str]) -> list[Score]:
    """Return the scores of a file of any kind."""
    document: Any = None
    if path.suffix == ".json":
        with suppress(ValueError):  # of lines of JSON
            document = json.loads(read_file(path))
    if isinstance(document, Mapping):
        content = Content(path, "document", document, iter(()), document=document)
        module = recognized(content)
        if module is not None and (log := module.read(content)).means:
            return list(_of_means(log, path, name, notes))
    source = Source(path, [])
    if source.log.format_name != PLAIN_ROWS:
        return [_of_log(source, name)]
    source.fields = source.log.names
    columns = source.columns()
    records = [
        (f"{path}, {source.location(row)}", dict(zip(columns, cells, strict=True)))
        for row, cells in enumerate(zip(*columns.values(), strict=True))
    ]
    return _of_records(records, path, name, notes)


def _of_log(source: Source, name: str | None) -> Score:
    """Return the mean score of the samples in a log, with its standard error."""
    log, path = source.log, source.path
    advice = (
        f"score this log first: metric-commons score logged {path} --confidence 0.95 --save "
        "FILE.json --rows FILE.parquet"
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
        math.fsum(values) / values.size,
        str(path),
        float(values.std(ddof=1)) / math.sqrt(values.size) if values.size > 1 else math.nan,
        values.size,
        score in log.lower_is_better,
    )


def _of_means(log: Log, path: Path, name: str | None, notes: list[str]) -> Iterator[Score]:
    """Yield the scores of a log that has means; groups of tasks stand for their members."""
    lacking = []  # tasks without the score
    for means in log.means:
        if means.group is not None:
            continue
        names = [key for key in means.scores if name in (key, key.partition(",")[0])]
        if name is None and len(means.scores) == 1:
            names = list(means.scores)
        if len(names) > 1 or (name is None and not names):
            listed_scores = ", ".join(names or [*means.scores][:_SHOWN])
            raise ValueError(
                f"{path}: task {means.task} has {listed_scores}; name one of them in full with --by"
            )
        if not names:
            lacking.append(means.task)
            continue
        (score,) = names
        yield Score(
            log.system or path.stem,
            means.task,
            means.scores[score],
            str(path),
            means.errors.get(score, math.nan),
            means.rows or math.nan,
            score in log.lower_is_better,
        )
    if lacking:
        notes.append(f"{path}: no score {name!r} of {listed('task', lacking)}")


def _of_records(records: _Records, path: Path, name: str | None, notes: list[str]) -> list[Score]:
    """Return the scores of a table, long or wide."""
    columns = list(dict.fromkeys(column for _, record in records for column in record))
    column_of = {column.strip().lower(): column for column in reversed(columns)}
    listed_columns = ", ".join(columns[:_SHOWN]) or "none"

    def first(names: Sequence[str]) -> str | None:
        return next((column_of[name] for name in names if name in column_of), None)

    model, task, value = first(_MODELS), first(_TASKS), name or first(_SCORES)
    error, rows = first(_ERRORS), first(_ROWS)
    if model is None:
        raise ValueError(
            f"{path}: there is no column of models; name it model, system or name; the columns are "
            f"{listed_columns}"
        )
    if name is not None and name not in columns:
        raise ValueError(f"{path}: there is no column {name!r}; the columns are {listed_columns}")
    if task is None:
        errors = {c.removesuffix(end): c for c in columns for end in _ENDS if c.endswith(end)}
        others = {model, rows, error, *errors.values()}
        scores = [name] if name else [column for column in columns if column not in others]
        texts = [column for column in scores if name is None and _is_text(records, column)]
        if texts:
            notes.append(f"{path}: columns without numbers are not tasks: {', '.join(texts)}")
        columns_of_scores = {c: errors.get(c) for c in scores if c not in texts}
        if not columns_of_scores:
            raise ValueError(f"{path}: there is no column of scores; there are {listed_columns}")
    elif value is None:
        raise ValueError(
            f"{path}: there is no column of scores; name it score, value or main_score, or use "
            f"--by COLUMN; the columns are {listed_columns}"
        )
    else:
        columns_of_scores = {value: error}
    return [
        Score(
            str(record[model]),
            column if task is None else str(record[task]),
            _number(record, column, where),
            where,
            _number(record, error, where),
            _number(record, rows, where),
        )
        for where, record in records
        for column, error in columns_of_scores.items()
    ]


def _is_text(records: _Records, column: str) -> bool:
    """Return whether no cell of a column is a number."""
    for where, record in records:
        with suppress(ValueError):
            if not math.isnan(_number(record, column, where)):
                return False
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


def listed(noun: str, names: Sequence[str]) -> str:
    """Return names after a noun, which gets a plural.

    >>> listed("task", ["a"]), listed("task", ["a", "b", "c", "d"])
    ('task a', 'tasks a, b, c and 1 other')
    """
    return f"{noun}{'' if len(names) == 1 else 's'} {listed_names(names)}"
