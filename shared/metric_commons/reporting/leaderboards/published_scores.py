"""Scores of models on tasks, read from plain tables, and from the means that lm-eval writes.

A table is long, with a score a row, or wide, with a column for each task.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from ...data.files.access import open_file
from ...data.harness_logs.logs import PLAIN_ROWS, Log
from ...data.tables.tables import Source
from ...evaluation.comparison.saved_results import holds_rows
from ...evaluation.results.rendering import listed_names
from ...evaluation.results.results import Results
from ...module.catalog.usage import UsageError

_MODELS = ("model", "system", "name", "")  # the last is the index of a data frame
_TASKS = ("task", "dataset", "benchmark")
_SCORES = ("score", "value", "main_score")
_ERRORS = ("standard_error", "stderr")
_ROWS = ("rows", "n")
_END = "_stderr"  # of the columns with the errors of a wide table
_EMPTY = ("", "-", "–", "nan", "n/a", "null", "none")
_START = 100  # bytes of a file, which contain the format of a saved result
_SHOWN = 20  # columns or scores in a message


class Score(NamedTuple):
    """The score of a model on a task, as a file has it; NaN for what it lacks."""

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


def read_scores(paths: Sequence[Path], name: str | None = None) -> list[Score]:
    """Return the scores in files and folders.

    Args:
        paths: tables, results of lm-evaluation-harness, or folders of these.
        name: the score to read, where a file has several.

    Raises:
        ValueError: a file is not a table of scores, or a cell is not a number.
    """
    scores: list[Score] = []
    for path in paths:
        files = sorted(path.rglob("*.json")) if path.is_dir() else [path]
        if not files:
            raise ValueError(f"{path}: there are no results in this folder")
        for file in files:
            with closing(Source(file, [])) as source:
                if source.log.means:
                    scores += _of_means(source.log, file, name)
                elif source.log.format_name == PLAIN_ROWS:
                    scores += _of_table(source, name)
                else:
                    raise ValueError(
                        f"{file}: this is a log of {source.log.format_name}; score it first: "
                        f"metric-commons score logged {file} --save FILE.json --rows FILE.parquet"
                    )
    return scores


def _of_means(log: Log, path: Path, name: str | None) -> Iterator[Score]:
    """Yield the scores of a log that has means; groups of tasks stand for their members."""
    for means in log.means:
        if means.group is not None:
            continue
        names = [key for key in means.scores if name in (key, key.partition(",")[0])]
        if name is None:
            names = list(means.scores)[:_SHOWN]
        if len(names) > 1:
            raise ValueError(
                f"{path}: task {means.task} has {', '.join(names)}; name one of them in full with "
                "--by"
            )
        for key in names:
            yield Score(
                log.system or path.stem,
                means.task,
                means.scores[key],
                str(path),
                means.errors.get(key, math.nan),
                means.rows or math.nan,
                key in log.lower_is_better,
            )


def _of_table(source: Source, name: str | None) -> list[Score]:
    """Return the scores of a table, long or wide."""
    path = source.path
    source.fields = source.log.names
    columns = source.columns()
    column_of = {column.strip().lower(): column for column in reversed(columns)}
    known = ", ".join([*columns][:_SHOWN]) or "none"

    def first(names: Sequence[str]) -> str | None:
        return next((column_of[name] for name in names if name in column_of), None)

    model, task, value = first(_MODELS), first(_TASKS), name or first(_SCORES)
    error, rows = first(_ERRORS), first(_ROWS)
    if model is None and {"model_a", "model_b"} <= {*columns}:
        raise UsageError(f"{path}: these are votes; leaderboard --votes {path} ranks by them")
    if model is None:
        raise ValueError(
            f"{path}: there is no column of models; name it model, system or name; the columns are "
            f"{known}"
        )
    if name is not None and name not in columns:
        raise ValueError(f"{path}: there is no column {name!r}; the columns are {known}")
    errors = {c.removesuffix(_END): c for c in columns if c.endswith(_END)}
    scored = [value] if value is not None and (task is not None or name) else []
    if task is None and name is None:
        others = {model, rows, error, *errors.values()}
        scored = [c for c in columns if c not in others and any(map(_is_number, columns[c]))]
    if not scored:
        raise ValueError(
            f"{path}: there is no column of scores; name it score or value, or use --by COLUMN; "
            f"the columns are {known}"
        )

    def number(column: str | None, row: int) -> float:
        cell = None if column is None else columns[column][row]
        if cell is None or str(cell).strip().lower() in _EMPTY:
            return math.nan
        if not _is_number(cell):
            place = f"{path}, {source.location(row)}, column {column}"
            raise ValueError(f"{place}: {str(cell)[:80]!r} is not a finite number")
        return float(cell)

    return [
        Score(
            str(columns[model][row]),
            str(column if task is None else columns[task][row]),
            number(column, row),
            f"{path}, {source.location(row)}",
            number(errors.get(column) if task is None else error, row),
            number(rows, row),
        )
        for row in range(source.rows)
        for column in scored
    ]


def _is_number(cell: Any) -> bool:
    try:
        return not isinstance(cell, bool | Mapping | list) and math.isfinite(float(cell))
    except (TypeError, ValueError):
        return False


def listed(noun: str, names: Sequence[str]) -> str:
    """Return names after a noun, which gets a plural.

    >>> listed("task", ["a"]), listed("task", ["a", "b", "c", "d"])
    ('task a', 'tasks a, b, c and 1 other')
    """
    return f"{noun}{'' if len(names) == 1 else 's'} {listed_names(names)}"
