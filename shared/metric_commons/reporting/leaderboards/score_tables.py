"""Scores of models on tasks, from plain tables, MTEB's folders and other published files.

A table is long, with a score a row, or wide, with a column for each task. Nothing of it is averaged
over what a model happens to have: a score that is missing is named.
"""

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from ...data.files.access import default_limits, open_file, read_whole
from ...data.harness_logs import mteb
from ...data.harness_logs.logs import PLAIN_ROWS, Content, Log, recognized
from ...data.tables.tables import Source
from ...evaluation.results.results import Results
from ...module.catalog.usage import UsageError
from ...statistics.arguments.arrays import Floats

Gaps = Literal["out", "worst"]

_MODELS = ("model", "system", "name", "")  # the last is the index of a data frame
_TASKS = ("task", "dataset", "benchmark")
_SCORES = ("score", "value", "main_score")
_ERRORS = ("standard_error", "stderr", "se")
_ROWS = ("rows", "n")
_TYPES = ("type", "task_type")
_NOTHING = ("", "-", "–", "—", "nan", "n/a", "null", "none")
_START = 100  # bytes of a file, which contain the format of a saved result
_LISTED = 3  # tasks that a line names
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
    place: str
    split: str = ""
    error: float = math.nan
    rows: float = math.nan
    is_lower_better: bool = False
    revision: str = ""  # of the data of the task
    type: str = ""
    release: str = ""  # the revision of the model, as MTEB's folders have it
    version: str | None = None  # of mteb, for its files alone


class BenchmarkTask(NamedTuple):
    """A task of a benchmark, and which of its scores are meant."""

    task: str
    subsets: Sequence[str] = ()
    split: str = ""
    score: str = ""
    type: str = ""


class Wanted(NamedTuple):
    """What is read of files: which score of which tasks; notes are added to."""

    origin: Path
    name: str | None
    benchmark: Mapping[str, BenchmarkTask]
    notes: list[str]


@dataclass(frozen=True)
class ScoreTable:
    """The scores of systems on tasks, with what is known of their errors.

    Arrays have the shape (systems, tasks). `pairs` has for each task, if its rows are known, the
    p-values of all pairs of systems and the standard errors of their differences.
    """

    systems: Sequence[str]
    tasks: Sequence[str]
    scores: Floats  # NaN where a system lacks a task
    lower: Sequence[bool]  # for each task, whether the lowest score is the best
    errors: Floats
    rows: Floats
    ends: Floats | None = None  # of intervals, with a third axis
    pairs: Sequence[tuple[Floats, Floats]] | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    problem: str = "there are neither rows nor standard errors"  # why a task has no pairs
    module: str = ""
    name: str = "score"

    def only(self, systems: Iterable[int]) -> "ScoreTable":
        """Return the table of these systems alone."""
        kept = list(systems)
        square = np.ix_(kept, kept)
        return replace(
            self,
            systems=[self.systems[system] for system in kept],
            scores=self.scores[kept],
            errors=self.errors[kept],
            rows=self.rows[kept],
            ends=None if self.ends is None else self.ends[kept],
            pairs=self.pairs and [(p[square], error[square]) for p, error in self.pairs],
        )

    def gaps(self) -> dict[str, list[str]]:
        """Return the tasks that systems lack, for those that lack any."""
        missing = np.isnan(self.scores).tolist()
        return {
            system: [task for task, gap in zip(self.tasks, gaps, strict=True) if gap]
            for system, gaps in zip(self.systems, missing, strict=True)
            if any(gaps)
        }


# ---- files --------------------------------------------------------------------------------------


def are_saved(paths: Sequence[Path]) -> bool:
    """Return whether files are results written by `save`, and not scores of other programs.

    Raises:
        UsageError: some are, and some are not.
    """
    marks = {path: _is_saved(path) for path in paths if path.name != mteb.METADATA}
    if len(set(marks.values())) > 1:
        saved, other = (next(p for p in marks if marks[p] is kind) for kind in (True, False))
        raise UsageError(f"{saved} is a saved result, but {other} is not; name files of one kind")
    return all(marks.values())


def _is_saved(path: Path) -> bool:
    if path.is_dir():
        return False
    with open_file(path) as file:
        return Results.FORMAT.partition("/")[0].encode() in file.read(_START)


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
        if not path.is_dir():
            scores += _of_file(path, Wanted(path, name, tasks, notes))
            continue
        request = Wanted(path, name, tasks, notes)
        found_files = [file for file in path.rglob("*.json") if file.name != mteb.METADATA]
        files = sorted(found_files or (f for end in _LOGS for f in path.rglob(f"*{end}")))
        for file in files:
            parts = file.relative_to(path).parts
            is_deep = len(parts) >= 3  # model, revision, task
            if is_deep and tasks and file.stem not in tasks and mteb.is_revision(file.parent):
                continue
            found = _of_file(file, request)
            if is_deep and any(score.version is not None for score in found):
                model, release, _ = parts[-3:]
                system = model.replace("__", "/")
                found = [score._replace(system=system, release=release) for score in found]
            scores += found
        if not files:
            raise ValueError(f"{path}: there are no results in this folder")
    return _with_paths(_of_one_release(scores, notes)), notes


def _of_one_release(scores: Sequence[Score], notes: list[str]) -> list[Score]:
    """Return the scores of the revision of each model that mteb would choose, for each task."""
    releases: dict[tuple[str, str], dict[str, Any]] = {}
    for score in scores:
        known = releases.setdefault((score.system, score.task), {})
        known[score.release] = mteb.newness(score.release, score.version)
    choices: dict[tuple[str, ...], list[str]] = {}
    chosen = {}
    for (system, task), known in releases.items():
        newest = max(known.values())
        chosen[system, task] = [name for name, rank in known.items() if rank == newest]
        if len(known) > 1:
            choices.setdefault((system, *chosen[system, task], *known), []).append(task)
    notes += [
        f"model {system} has several revisions of {_listed('task', tasks)}; {release} is used, "
        "with the latest version of mteb"
        for (system, release, *_), tasks in choices.items()
    ]
    return [score for score in scores if score.release in chosen[score.system, score.task]]


def _with_paths(scores: Sequence[Score]) -> list[Score]:
    """Return the scores, with the paths of files as the names of models that would clash."""
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


def _of_file(path: Path, request: Wanted) -> list[Score]:
    """Return the scores of a file of any kind."""
    log = None
    document: Any = None
    if path.suffix == ".json":
        text = read_whole(path, default_limits())
        try:
            document = json.loads(text)
        except ValueError:  # perhaps lines of JSON
            document = None
        content = Content(path, "document", document, iter(()), document=document)
        if mteb.is_result(content):
            log = mteb.read(content)
        elif isinstance(document, Mapping):
            module = recognized(content)
            log = module and module.read(content)
    if log is not None and log.means:
        return list(_of_means(log, path, request))
    records: _Records | None = None
    if path.suffix in (".md", ".markdown"):
        records = list(_of_markdown(path))
    elif isinstance(document, Mapping) or (document and "header" in document[0]):
        records = None if log else _records_of_document(document, path, request.notes)
    if records is None:
        source = Source(path, [])
        if source.log.format_name != PLAIN_ROWS:
            return [_of_log(source, request)]
        source.close()
        records = _records_of_document(document, path, request.notes) or _of_table(path)
    return _of_records(records, path, request)


def _of_log(source: Source, request: Wanted) -> Score:
    """Return the mean score of the samples in a log, with its standard error."""
    log, path, name = source.log, source.path, request.name
    if "logged" not in log.columns:
        raise ValueError(
            f"{path}: this log of {log.format_name} has no scores; {_first_score(path)}"
        )
    source.fields = [field for field in ("id", "logged") if field in log.columns]
    columns = source.columns()
    logged = columns["logged"]
    names = list(dict.fromkeys(each for scores in logged for each in scores))
    wanted = names[0] if name is None and len(names) == 1 else name
    if wanted not in names:
        raise ValueError(
            f"{path}: name the score of this log with --by; there are {', '.join(names) or 'none'}"
        )
    units: dict[Any, list[float]] = {}
    for unit, scores in zip(columns.get("id", range(len(logged))), logged, strict=True):
        units.setdefault(unit, []).append(scores.get(wanted, math.nan))
    values = np.array([math.fsum(values) / len(values) for values in units.values()])
    absent = int(np.isnan(values).sum())
    if absent:
        raise ValueError(f"{path}: {absent} samples have no {wanted}; {_first_score(path)}")
    return Score(
        log.system or path.stem,
        log.task or path.stem,
        {"": math.fsum(values) / values.size},
        str(request.origin),
        str(path),
        error=float(values.std(ddof=1)) / math.sqrt(values.size) if values.size > 1 else math.nan,
        rows=values.size,
        is_lower_better=wanted in log.lower_is_better,
    )


def _first_score(path: Path) -> str:
    """Return the advice for a log whose scores are not at hand."""
    return (
        f"score this log first: metric-commons score logged {path} --confidence 0.95 --save "
        "FILE.json --per-example FILE.jsonl"
    )


def _of_means(log: Log, path: Path, request: Wanted) -> Iterator[Score]:
    """Yield the scores of a log that has means: of groups of tasks instead of their members."""
    name = request.name
    lacking: dict[str, Sequence[str]] = {}  # what tasks without the score have instead
    wanted = name or _MAIN
    for means in log.means:
        task = str(means.about["task"])
        if task not in request.benchmark if request.benchmark else means.about.get("group"):
            continue
        wanted = (task in request.benchmark and request.benchmark[task].score) or name or _MAIN
        found = [each for each in means.scores if wanted in (each, each.partition(",")[0])]
        if not found and wanted == _MAIN and len(means.scores) == 1:
            found = list(means.scores)
        if len(found) > 1:
            raise ValueError(
                f"{path}: task {task} has {', '.join(found)}; name one of them in full with --by"
            )
        if not found:
            lacking[task] = list(means.scores)[:20]
            continue
        (score,) = found
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
        there = ", ".join(next(iter(lacking.values()))) or "none"
        problem = (
            f"{path}: no score {wanted!r} of {_listed('task', list(lacking))}; there are {there}"
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
        raise ValueError(f"{path}: this is a log of {log.format_name}, and no list of tasks")
    source.fields = log.names
    columns = source.columns()
    return [
        (f"{path}, {source.location(row)}", dict(zip(columns, cells, strict=True)))
        for row, cells in enumerate(zip(*columns.values(), strict=True))
    ]


def _records_of_document(document: Any, path: Path, notes: list[str]) -> _Records | None:
    """Return the rows of a JSON document: of records, of scores by model, or of HELM's tables."""
    first = document[0] if isinstance(document, list) and document else document
    if isinstance(first, Mapping) and {"header", "rows"} <= first.keys():
        if isinstance(document, list) and len(document) > 1:
            notes.append(
                f"{path}: this is the first of {len(document)} tables, {first.get('title')}"
            )
        return [
            (f"{path}, row {row}", _helm_row(first["header"], cells))
            for row, cells in enumerate(first["rows"])
        ]
    if isinstance(document, list) and all(isinstance(each, Mapping) for each in document):
        return [(f"{path}, row {row}", record) for row, record in enumerate(document)]
    if (
        isinstance(document, Mapping)
        and document
        and all(isinstance(each, Mapping) for each in document.values())
    ):
        return [
            (f"{path}, {model}", {"model": model, **scores}) for model, scores in document.items()
        ]
    return None


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


def _of_records(records: _Records, path: Path, request: Wanted) -> list[Score]:
    """Return the scores of a table, long or wide."""
    name = request.name
    columns = list(dict.fromkeys(column for _, record in records for column in record))
    known = {column.strip().lower(): column for column in reversed(columns)}
    model = _first(known, _MODELS)
    if model is None:
        raise ValueError(
            f"{path}: there is no column of models; name it model, system or name; the columns are "
            f"{', '.join(columns[:20]) or 'none'}"
        )
    task = _first(known, _TASKS)
    value = _first(known, _SCORES) if name is None else name
    error, rows, kind = (_first(known, names) for names in (_ERRORS, _ROWS, _TYPES))
    if task is not None:
        if value is None or value not in columns:
            wanted = f"no column {name!r}" if name else "no column of scores"
            raise ValueError(
                f"{path}: there is {wanted}; name it score, value or main_score, or say --by "
                f"COLUMN; the columns are {', '.join(columns[:20])}"
            )
        return [
            Score(
                str(record[model]),
                str(record[task]),
                {"": _number(record, value, where)},
                str(request.origin),
                where,
                error=_number(record, error, where),
                rows=_number(record, rows, where),
                type=str(record.get(kind) or "") if kind else "",
            )
            for where, record in records
        ]
    if name is not None and name not in columns:
        raise ValueError(
            f"{path}: there is no column {name!r}; there are {', '.join(columns[:20])}"
        )
    ends = ("_stderr", "_standard_error")
    beside = {c.removesuffix(end): c for c in columns for end in ends if c.endswith(end)}
    if error is not None:  # that of the column before it
        written = [column for column in columns if column not in (model, rows, kind)]
        place = written.index(error)
        beside.setdefault(written[place - 1 if place else min(1, len(written) - 1)], error)
    others = {model, error, rows, kind, *beside.values()}
    named = {name} if name else request.benchmark.keys()
    tasks = [column for column in columns if (column in named if named else column not in others)]
    texts = [] if named else [column for column in tasks if _is_text(records, column)]
    if texts:
        request.notes.append(f"{path}: columns without numbers are no tasks: {', '.join(texts)}")
    tasks = [column for column in tasks if column not in texts]
    if not tasks:
        raise ValueError(
            f"{path}: there is no column of scores; there are {', '.join(columns[:20])}"
        )
    return [
        Score(
            str(record[model]),
            column,
            {"": _number(record, column, where)},
            str(request.origin),
            where,
            error=_number(record, beside.get(column), where),
            rows=_number(record, rows, where),
            is_lower_better=column.endswith("↓"),
        )
        for where, record in records
        for column in tasks
    ]


def _first(known: Mapping[str, str], names: Sequence[str]) -> str | None:
    return next((known[name] for name in names if name in known), None)


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
    """Return a cell as a number, NaN if there is none or if it says so."""
    value = None if column is None else record.get(column)
    if value is None or (isinstance(value, str) and value.strip().lower() in _NOTHING):
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
        records = json.loads(read_whole(path, default_limits()))
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
        subsets = record.get("subsets") or ()
        listed = subsets.split(",") if isinstance(subsets, str) else subsets
        details = {name: str(record.get(name) or "") for name in ("split", "score", "type")}
        tasks.append(
            BenchmarkTask(str(record["task"]), [str(part).strip() for part in listed], **details)
        )
    repeated = [task for task, count in Counter(entry.task for entry in tasks).items() if count > 1]
    if repeated or not tasks:
        raise ValueError(
            f"{path}: "
            + (f"task {repeated[0]} is listed twice" if repeated else "there are no tasks")
        )
    return tasks


# ---- one table ----------------------------------------------------------------------------------


def score_table(
    scores: Sequence[Score], benchmark: Sequence[BenchmarkTask] = (), *, lower: bool = False
) -> tuple[ScoreTable, list[str]]:
    """Return the table of scores, and notes about what is not comparable or missing.

    Args:
        scores: of systems and tasks, each once.
        benchmark: the tasks, in their order; empty for all.
        lower: whether the lowest scores are the best.

    Raises:
        ValueError: two scores of one system and task, or two units in one task.
    """
    by_task: dict[str, list[Score]] = {entry.task: [] for entry in benchmark}
    for score in scores:
        if not benchmark or score.task in by_task:
            by_task.setdefault(score.task, []).append(score)
    entries = {entry.task: entry for entry in benchmark}
    kept = {score.system: None for each in by_task.values() for score in each}
    systems = {system: row for row, system in enumerate(kept)}
    shape = len(systems), len(by_task)
    values, errors, rows = (np.full(shape, math.nan) for _ in range(3))
    notes: list[str] = []
    for column, (task, found) in enumerate(by_task.items()):
        entry = entries.get(task, BenchmarkTask(task))
        chosen = _of_one_split(found, entry, notes)
        required = list(entry.subsets) or sorted({p for score in chosen for p in score.subsets})
        places: dict[str, str] = {}
        for score in chosen:
            if score.system in places:
                raise ValueError(
                    f"two scores of model {score.system} and task {task}: {places[score.system]} "
                    f"and {score.place}"
                )
            places[score.system] = score.place
            parts = [score.subsets.get(part, math.nan) for part in required]
            absent = [part for part in required if part not in score.subsets]
            if absent:
                notes.append(
                    f"{score.place}: model {score.system}, task {task} has no "
                    f"{_listed('subset', absent)}"
                )
            row = systems[score.system]
            values[row, column] = math.fsum(parts) / len(parts)
            errors[row, column], rows[row, column] = score.error, score.rows
        _check_unit(task, chosen, values[:, column], systems)
        revisions = Counter(score.revision for score in chosen if score.revision)
        if len(revisions) > 1:
            named = [
                f"{revision} ({count} models, such as "
                f"{next(s.system for s in chosen if s.revision == revision)})"
                for revision, count in revisions.most_common(_LISTED)
            ]
            notes.append(
                f"task {task}: scores are of unlike revisions of its data: {', '.join(named)}"
            )
    tasks = list(by_task)
    directions = [lower or any(score.is_lower_better for score in by_task[task]) for task in tasks]
    types = {task: entry.type for task, entry in entries.items() if entry.type}
    types |= {score.task: score.type for score in scores if score.type and score.task in by_task}
    errors = _errors(values, errors, rows)
    table = ScoreTable(list(systems), tasks, values, directions, errors, rows, types=types)
    unknown = np.isnan(values).all(axis=1).tolist()
    notes += [f"{name} has no score of any task" for name, row in systems.items() if unknown[row]]
    if all(unknown):
        raise ValueError("no model has a score of any task" + (" of the benchmark" * bool(entries)))
    return table.only(row for row in systems.values() if not unknown[row]), notes


def _of_one_split(scores: Sequence[Score], entry: BenchmarkTask, notes: list[str]) -> list[Score]:
    """Return the scores of the split that counts: the one named, or test, or the only one."""
    splits = list(dict.fromkeys(score.split for score in scores))
    final = [split for split in splits if not split.startswith(("dev", "train", "val"))]
    candidates = ["test"] if "test" in splits else final or splits
    if entry.split:
        candidates = [entry.split]
    if len(candidates) > 1:
        raise ValueError(
            f"{scores[0].place}: task {entry.task} has the splits {', '.join(candidates)}; choose "
            "one in the column split of --benchmark"
        )
    chosen = [score for score in scores if score.split in candidates]
    have = {score.system for score in chosen}
    notes += [
        f"{score.place}: model {score.system}, task {entry.task}: the split {score.split} does not "
        f"count, but {candidates[0]} does"
        for score in scores
        if score.system not in have
    ]
    return chosen


def _check_unit(
    task: str, scores: Sequence[Score], values: Floats, systems: Mapping[str, int]
) -> None:
    """Check that scores are not proportions beside percentages.

    A score from 0 to 1 is a proportion if all others are several times greater than 1, and it
    would be among them as a percentage.
    """
    small = (values > 0) & (values <= 1)
    large = values[values > 1]
    if not small.any() or not large.size or large.max() > 100:
        return
    low, high = float(large.min()), float(large.max())
    for score in scores:
        value = float(values[systems[score.system]])
        if 0 < value <= 1 and value < low / 5 and low / 2 <= 100 * value <= min(2 * high, 100):
            other = next(each for each in scores if values[systems[each.system]] > 1)
            raise ValueError(
                f"{score.place}: model {score.system}, task {task}: {value:g} is in another unit "
                f"than {values[systems[other.system]]:g} of model {other.system}"
            )


def _errors(values: Floats, errors: Floats, rows: Floats) -> Floats:
    """Return standard errors; of a proportion without one the greatest that its rows allow.

    A mean of n scores from 0 to 1 varies no more than a proportion of n rows. One success and one
    failure are added, so that the error of 0 or 1 is not 0 (Agresti and Caffo, 2000).
    """
    from_rows = np.isnan(errors) & (rows > 0) & (values >= 0) & (values <= 1)
    share = (values * rows + 1) / (rows + 2)
    return np.where(from_rows, np.sqrt(share * (1 - share) / (rows + 2)), errors)


def _listed(noun: str, names: Sequence[str]) -> str:
    hidden = len(names) - _LISTED
    text = ", ".join(names[:_LISTED]) + (f" and {hidden} more" if hidden > 0 else "")
    return f"{noun} {text}" if len(names) == 1 else f"{noun}s {text}"


def without_gaps(table: ScoreTable, gaps: Gaps) -> tuple[ScoreTable, list[str]]:
    """Return the table of the systems that have all tasks, and a line for each that has not.

    Args:
        table: of all systems.
        gaps: "out" leaves systems with missing tasks out, "worst" keeps them.

    Raises:
        ValueError: no system has all tasks.
    """
    missing = table.gaps()
    lines = [
        f"{system} has no score of {_listed('task', tasks)}; it "
        + ("counts as the worst there" if gaps == "worst" else "is left out")
        for system, tasks in missing.items()
    ]
    if gaps == "worst":
        return table, lines
    if len(missing) == len(table.systems):
        raise ValueError(
            f"no model has all {len(table.tasks)} tasks: {lines[0].partition(';')[0]}; name the "
            "tasks with --benchmark FILE, or count missing ones as the worst with --missing-tasks "
            "worst"
        )
    return table.only(n for n, name in enumerate(table.systems) if name not in missing), lines
