"""The files to score: their formats, the selection of rows, and the names of systems."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from errno import ENOENT
from pathlib import Path
from typing import Any, NamedTuple

import click

from ...data.files.streams import STANDARD_INPUT, stem, suffix
from ...data.harness_logs.logs import PLAIN_ROWS, format_names
from ...data.tables.selection import Selection
from ...data.tables.tables import Source
from ...evaluation.rows.logged_scores import LOGGED
from ...evaluation.rows.table_columns import usual_columns
from ...evaluation.scoring.evaluations import Evaluation
from ...evaluation.scoring.log_evaluations import LogEvaluation
from ...module.catalog import catalog
from ...module.catalog.request import Missing, Reduce
from ...module.catalog.usage import UsageError
from ...statistics.arguments.checks import check_choice
from ...statistics.resampling.progress import is_quiet

_NAME_AND_FIELD = re.compile(r"(?P<name>[^=\[\]\"<>]+)=(?P<field>.+)")
_FORMATS_OF_BOTH = ("lines", "conll", "squad")  # predictions and answers share these formats


class Files(NamedTuple):
    """The opened files of an evaluation."""

    sources: dict[Path, Source]
    paths: Sequence[Path]  # of the predictions
    answers: Sequence[Path]  # of the references, if these are in files of their own
    references: str | None  # the field of the references, if it is named


@dataclass(frozen=True)
class Inputs:
    """The options of how files are read, and which of their rows are scored.

    Args:
        source: Format of the files: rows, jsonl, csv ..., or a log such as lm-eval, inspect or
            helm. By default it is detected from the content.
        answers: File with the references, if they are in another file; rows are matched by --id.
            With it, --references can name their field.
        system: Field that names the system of each row, if a file has several.
        filter: The filter to score in a log of lm-eval.
        where: Score only rows with this value, such as split=test; repeatable.
        metric: The score of a log that `logged` summarizes; by default all.
        missing: Rows without an answer: refuse them, skip them, count them as zero, or report the
            bounds of the score if each had the worst score or the best.
        reduce: How several rows with the same id, such as epochs, become one.
        incomplete: Accept a log of a run that did not finish.
    """

    source: str | None = None
    answers: Path | None = None
    system: str | None = None
    filter: str | None = None
    where: Mapping[str, str] | None = None
    metric: str | None = None
    missing: Missing = "refuse"
    reduce: Reduce | None = None
    incomplete: bool = False

    @property
    def selection(self) -> Selection:
        """Return the rows to score."""
        accepts_incomplete = self.incomplete or self.missing == "skip"
        return Selection(
            self.filter,
            self.where or {},
            incomplete=accepts_incomplete,
        )

    @property
    def log_options(self) -> dict[str, Any]:
        """Return the options of a `LogEvaluation`."""
        options = {name: getattr(self, name) for name in ("metric", "missing", "reduce")}
        return {"system_field": self.system, **options}

    @contextmanager
    def opened(self, paths: Sequence[Path], references: Sequence[str]) -> Iterator[Files]:
        """Open the files of predictions and references; all are closed at the end.

        Args:
            paths: the files of predictions.
            references: each the name of a field or, if no file of predictions has it, of a file.

        Raises:
            UsageError: standard input is named twice, references are two fields, or texts have
                references in a field.
            FileNotFoundError: the references of texts are not a file.
        """
        if self.source is not None:
            check_choice("--from", self.source, format_names())
        selection = Selection(incomplete=self.selection.incomplete)
        origin = self.source if self.source in _FORMATS_OF_BOTH else None
        with ExitStack() as stack:

            def source(path: Path, format_name: str | None, **options: Any) -> Source:
                opened = Source(path, [], format_name=format_name, **options)
                stack.callback(opened.close)
                return opened

            sources = {
                path: source(path, self.source, selection=self.selection, progress=True)
                for path in paths
            }
            named = dict.fromkeys(references)
            fields = [name for name in named if not _is_file(name, sources)]
            if fields[1:]:
                raise UsageError(f"--references {fields[1]} is not a file, and one field is enough")
            answers = [Path(name) for name in named if name not in fields]
            answers += [self.answers] if self.answers is not None else []
            for path in answers:
                sources.setdefault(path, source(path, origin, selection=selection))
            files = [*paths, *answers]
            if files.count(STANDARD_INPUT) > 1:
                raise UsageError("only one file can be standard input")
            formats = {sources[path].log.format_name for path in files if path != STANDARD_INPUT}
            if answers and STANDARD_INPUT in files and self.source is None and formats <= {"lines"}:
                sources[STANDARD_INPUT].format_name = "lines"
            if fields and not answers and formats == {"lines"}:
                if suffix(paths[0]) == "txt":
                    raise FileNotFoundError(ENOENT, "", fields[0])
                raise UsageError(
                    f"{paths[0]} is read as lines of text, so --references is a file, and there is "
                    f"no file {fields[0]!r}; for a table say --from csv or --from tsv"
                )
            yield Files(sources, paths, answers, next(iter(fields), None))


def _is_file(name: str, sources: Mapping[Path, Source]) -> bool:
    """Return whether this is a file of references, and not a field of the predictions."""
    path = Path(name)
    if not (path == STANDARD_INPUT or path.exists()):
        return False
    for file, source in sources.items():
        if file == STANDARD_INPUT and source.format_name is None and "." in name:
            continue  # there may be texts, too
        if name in source.log.names or name in source.log.columns:
            return False
    return True


def usual_fields(
    modules: Sequence[str], files: Files, predictions: Sequence[str]
) -> tuple[Sequence[str], str | None]:
    """Return the fields of predictions and references, which rows need no option for if obvious.

    Raises:
        UsageError: several fields are possible; the message has the command with one of them.
    """
    sources = [files.sources[path] for path in [*files.paths, *files.answers]]
    if LOGGED in modules:
        return predictions, files.references
    required = {n for m in modules for n in catalog.load_without_evaluate(m).required_inputs}
    fields = [_NAME_AND_FIELD.sub(r"\g<field>", text) for text in predictions]
    chosen = {"predictions": fields, "references": [files.references] if files.references else []}
    sources_of = {"predictions": sources[0], "references": sources[-1 if files.answers else 0]}
    named: dict[str, str] = {}
    for name, source in sources_of.items():
        if name not in required or chosen[name] or source.log.format_name != PLAIN_ROWS:
            continue
        others = () if files.answers else [*chosen["predictions"], *chosen["references"]]
        candidates = usual_columns(name, source.log.names, others)
        if not candidates:
            return predictions, files.references  # a later check names the missing field
        chosen[name] = candidates[:1]
        named[name] = candidates[0]
        if len(candidates) > 1:
            words = [*modules, *map(str, files.paths)]
            words += [f"--answers={path}" for path in files.answers]
            words += [f"--{name}={fields[0]}" for name, fields in chosen.items() if fields]
            raise UsageError(
                f"the {name} may be {' or '.join(map(repr, candidates))}; name the field: "
                f"metric-commons score {shlex.join(words)}"
            )
    if named and not is_quiet():
        texts = [f"{name} are the field {field!r}" for name, field in named.items()]
        click.echo(f"note: {', '.join(texts)}", err=True)
    return predictions or chosen["predictions"], next(iter(chosen["references"]), None)


def evaluation_on(
    files: Files,
    predictions: Sequence[str],
    request: Mapping[str, Any],
    inputs: Inputs,
) -> Evaluation:
    """Return the evaluation of the files: of plain rows, or of logs and rows to be joined.

    Args:
        files: the files.
        predictions: fields, possibly with names.
        request: the arguments of both kinds of evaluations.
        inputs: the options of reading, with the additional arguments for logs.

    Raises:
        UsageError: two systems have one name.
        ValueError: a file has no known format.
        OSError: a file cannot be read.
    """
    sources, paths, answers, _ = files
    log_options = inputs.log_options | {"answers": answers}
    has_defaults = all(value in (None, [], "refuse") for value in log_options.values())
    has_choice = inputs.selection[:2] != (None, {})
    are_logs = LOGGED in request["modules"] or any(
        source.log.format_name != PLAIN_ROWS for source in sources.values()
    )
    names = file_names(paths, sources)
    systems = named_systems(names, paths, predictions, are_logs=are_logs)
    if has_defaults and not has_choice and not are_logs:
        return Evaluation(**request, systems=systems, opened=sources)
    return LogEvaluation(**request, **log_options, systems=systems, opened=sources)


def named_systems(
    names: Sequence[str], paths: Sequence[Path], fields: Sequence[str], *, are_logs: bool = False
) -> dict[str, tuple[Path, str]]:
    """Return the file and field of each system, by name; "" for the standard field of a log.

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
            system = "/".join(parts) or field_name or file_name
            if system in systems:
                raise UsageError(f"system {system!r} is given twice")
            systems[system] = path, field
    return systems


def file_names(paths: Sequence[Path], sources: Mapping[Path, Source] | None = None) -> list[str]:
    """Return the shortest names that distinguish the files: models, with tasks, stems or paths."""
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
