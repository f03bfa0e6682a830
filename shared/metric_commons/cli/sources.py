"""The files to score: their formats, the selection of rows, and the names of systems."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from ..catalog.usage import UsageError
from ..console.options import LOGS, READING
from ..files.access import Limits
from ..files.logs import PLAIN_ROWS, format_names
from ..files.selections import Selection
from ..files.streams import STANDARD_INPUT, stem
from ..files.tables import Source
from ..logs.log_evaluations import LogEvaluation
from ..logs.samples import LOGGED, Missing
from ..numbers.checks import OptionError, check_choice
from ..scoring.evaluations import Evaluation
from ..scoring.row_samples import Reduce

_NAME_AND_FIELD = re.compile(r"(?P<name>[^=\[\]\"<>]+)=(?P<field>.+)")
_FORMATS_OF_BOTH = ("lines", "conll", "squad")  # predictions and answers share these formats


def check_format(name: str | None) -> str | None:
    """Check the name of a format of files, and return it.

    Raises:
        UsageError: there is no such format.
    """
    if name is not None:
        try:
            check_choice("--from", name, format_names())
        except OptionError as error:
            raise UsageError(str(error)) from error
    return name


Origin = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FORMAT",
        callback=check_format,
        help="Format of the files: rows, jsonl, csv ..., or a log such as lm-eval, inspect or "
        "helm. By default it is detected from the content.",
        rich_help_panel=READING,
    ),
]
Filter = Annotated[
    str | None,
    typer.Option(
        "--filter",
        metavar="NAME",
        help="The filter to score in a log of lm-eval.",
        rich_help_panel=LOGS,
    ),
]
Conditions = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="PATH=VALUE",
        help="Score only rows with this value, such as split=test; repeatable.",
        rich_help_panel=READING,
    ),
]
MetricName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The score of a log that `logged` summarizes; by default all.",
        rich_help_panel=LOGS,
    ),
]
MissingSamples = Annotated[
    Missing,
    typer.Option(
        help="Samples without a score or an answer: refuse them, skip them, or count them as zero.",
        rich_help_panel=LOGS,
    ),
]
ReduceIds = Annotated[
    Reduce | None,
    typer.Option(
        help="How several rows with the same id, such as epochs, become one.",
        show_default="mean",
        rich_help_panel=LOGS,
    ),
]
Incomplete = Annotated[
    bool,
    typer.Option(
        "--incomplete",
        help="Accept a log of a run that did not finish.",
        rich_help_panel=LOGS,
    ),
]
Answers = Annotated[
    Path | None,
    typer.Option(
        "--references-file",
        metavar="FILE",
        help="File with the references, if they are in another file; rows are matched by --id.",
        rich_help_panel=READING,
    ),
]
SystemField = Annotated[
    str | None,
    typer.Option(
        "--system",
        metavar="FIELD",
        help="Field that names the system of each row, if a file has several.",
        rich_help_panel=READING,
    ),
]
LineLimit = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="BYTES",
        help="Refuse files with longer lines.",
        show_default="100 MB",
        rich_help_panel=READING,
    ),
]
SizeLimit = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="BYTES",
        help="Refuse compressed files with more content.",
        show_default="100 GB",
        rich_help_panel=READING,
    ),
]
LIMITS = Limits()


@contextmanager
def opened(
    paths: Sequence[Path],
    answers: Path | None,
    format_name: str | None,
    selection: Selection,
    limits: Limits,
) -> Iterator[dict[Path, Source]]:
    """The files by path; all are closed at the end.

    Raises:
        UsageError: standard input is named twice.
    """
    if [*paths, answers].count(STANDARD_INPUT) > 1:
        raise UsageError("only one file can be standard input")
    sources = {
        path: Source(
            path, [], format_name=format_name, selection=selection, limits=limits, progress=True
        )
        for path in paths
    }
    if answers is not None:
        format_name = format_name if format_name in _FORMATS_OF_BOTH else None
        selection = Selection(incomplete=selection.incomplete)
        sources.setdefault(
            answers,
            Source(answers, [], format_name=format_name, selection=selection, limits=limits),
        )
    with ExitStack() as stack:
        for source in sources.values():
            stack.callback(source.close)
        yield sources


def evaluation_on(
    sources: Mapping[Path, Source],
    paths: Sequence[Path],
    predictions: Sequence[str],
    request: Mapping[str, Any],
    log_options: Mapping[str, Any],
) -> Evaluation:
    """The evaluation of the files: of plain rows, or of logs and rows that need assembling.

    Args:
        sources: the files.
        paths: the files with predictions.
        predictions: fields, possibly with names.
        request: the arguments of both kinds of evaluations.
        log_options: the additional arguments for logs.

    Raises:
        UsageError: the rows are plain, and the field of predictions is missing.
        ValueError: a file has no known format.
        OSError: a file cannot be read.
    """
    has_defaults = all(value in (None, "refuse") for value in log_options.values())
    has_choice = any(source.selection[:2] != (None, {}) for source in sources.values())
    are_logs = LOGGED in request["modules"] or any(
        source.log.format_name != PLAIN_ROWS for source in sources.values()
    )
    if not are_logs and not predictions:
        raise UsageError("Missing option '--predictions': the field of the answers")
    names = file_names(paths, sources)
    systems = named_systems(names, paths, predictions, are_logs=are_logs)
    if has_defaults and not has_choice and not are_logs:
        return Evaluation(**request, systems=systems, opened=sources)
    return LogEvaluation(**request, **log_options, systems=systems, opened=sources)


def conditions(texts: Sequence[str]) -> dict[str, str]:
    """The paths of `--where`, with the value that each must have.

    A path ends at the first equals sign, so values may contain others.

    Raises:
        UsageError: there is no equals sign, or a path has two different values.

    >>> conditions(["split=test", "prompt=a=b"])
    {'split': 'test', 'prompt': 'a=b'}
    """
    pairs: dict[str, str] = {}
    for text in texts:
        path, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--where takes PATH=VALUE, got {text!r}")
        if pairs.setdefault(path, value) != value:
            raise UsageError(f"--where {path}: a row cannot be both {pairs[path]!r} and {value!r}")
    return pairs


def named_systems(
    names: Sequence[str], paths: Sequence[Path], fields: Sequence[str], *, are_logs: bool = False
) -> dict[str, tuple[Path, str]]:
    """The file and field of each system, by name; "" for the standard field of a log.

    A system is named by NAME=FIELD, or else by the names of its file and field as far as they
    distinguish the systems. A single system of a log is named after its file, others after their
    fields.
    """
    systems: dict[str, tuple[Path, str]] = {}
    for file_name, path in zip(names, paths, strict=True):
        for text in fields or [""]:
            match = _NAME_AND_FIELD.fullmatch(text)
            field_name, field = (match["name"], match["field"]) if match else (text, text)
            parts = [file_name] if len(paths) > 1 or (are_logs and not match) else []
            parts += [field_name] if len(fields) > 1 or match else []
            system = "/".join(parts) or field_name
            if system in systems:
                raise UsageError(f"system {system!r} is given twice")
            systems[system] = path, field
    return systems


def file_names(paths: Sequence[Path], sources: Mapping[Path, Source] | None = None) -> list[str]:
    """The shortest names that distinguish the files: models, models with tasks, stems or paths."""
    logs = [sources[path].log for path in paths] if sources else []
    kinds: list[list[str]] = [
        [log.system or "" for log in logs],
        [f"{log.system}/{log.task}" if log.system and log.task else "" for log in logs],
        [stem(path) for path in paths],
    ]
    for names in kinds:
        if names and all(names) and len(set(names)) == len(names):
            return names
    return list(map(str, paths))
