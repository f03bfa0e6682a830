"""Files of rows, and logs of harnesses, read as blocks of rows for every module.

References may be in another file, joined by id, or by order if lines have none; a long table has
the rows of several systems.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from ...data.files.json_rows import Columns
from ...data.harness_logs.logs import PLAIN_ROWS, TEXTS, Log, listed
from ...data.tables.tables import Source
from ...module.catalog.request import Missing
from ...module.catalog.usage import UsageError
from ...statistics.arguments.checks import RowError
from ..rows.blocks import Tables, finished, needs_all_rows, score_blocks
from ..rows.joins import joined_rows
from ..rows.logged_scores import LOGGED, OUTCOMES
from ..rows.rows import Block, Fields, InputError, Metrics, Rows, Values, called_clusters, taken

if TYPE_CHECKING:
    from .text_notes import TextNotes

_WITHOUT_IDS = ("lines", "conll")  # formats whose rows are matched by their order
_OF_ONE = (*TEXTS, "conll")  # formats with one column, the last, as a file of references
_ROWS = 2048  # of a block: few enough for long texts
_WRONG = "\0"  # which is no answer to any question, nor a refusal to answer
_JOINED = "answers\0"  # before the fields of another file


@dataclass(frozen=True, kw_only=True)
class FileOfRows:
    """A file with the rows of some systems, as modules read it.

    Args:
        source: the file.
        systems: the field of the predictions of each system; None for the column of a log.
        metrics: the modules with their options, by name.
        columns: the fields of other inputs, groups and ids, where they are named.
        clusters: the fields of the clusters.
        answers: the files of the references; the first also has the other labels.
        system: the field that names the system of each row.
        repeats_allowed: whether rows with the same id are one sample.
        missing: unless it is "refuse", ids of the answers without a prediction are rows, too.
    """

    source: Source
    systems: Mapping[str, str | None]
    metrics: Metrics
    columns: Mapping[str, str | None]
    clusters: Sequence[str] = ()
    answers: Sequence[Source] = ()
    system: str | None = None
    repeats_allowed: bool = False
    missing: Missing = "refuse"

    @cached_property
    def fields(self) -> Fields:
        """Return the fields that are the inputs and labels of rows.

        Raises:
            UsageError: a field is missing, or would be compared with itself, or there are no ids by
                which to join answers.
        """
        ids = self._ids(self.source)
        formats = {file.log.format_name for file in (self.source, *self.answers)}
        if self.answers and ids is None and not formats <= {*_WITHOUT_IDS}:
            raise UsageError("references in a file need --id, the field of ids in both")
        file = _JOINED if self.answers else ""
        groups = self.columns.get("groups")
        return Fields(
            inputs={
                system: {name: self._inputs(name, predictions) for name in self.metrics}
                for system, predictions in self.systems.items()
            },
            ids=ids,
            groups=groups and file + groups,
            clusters={name: file + name for name in self.clusters},
        )

    def _ids(self, source: Source) -> str | None:
        return self.columns.get("ids") or ("id" if "id" in source.log.columns else None)

    def _inputs(self, module: str, predictions: str | None) -> dict[str, str]:
        """Return the fields of the inputs of a module: those named, or the columns of a log."""
        metric = self.metrics[module]
        standard = dict(zip(("predictions", "references"), metric.log_columns, strict=False))
        fields: dict[str, str] = {}
        for name in metric.input_names:
            is_joined = bool(self.answers) and name == "references"
            log = (self.answers[0] if is_joined else self.source).log
            field = predictions if name == "predictions" else self.columns.get(name)
            if field is None or module == LOGGED:
                field = standard.get(name, name)
                if is_joined and log.format_name in _OF_ONE:
                    field = "prediction"
                is_logged = field in (LOGGED, OUTCOMES)
                name, field = (LOGGED, LOGGED) if is_logged else (name, field)
                if field not in log.columns and field not in log.names:
                    if is_logged or name in metric.required_inputs:
                        raise UsageError(self._problem(module, name, field, log))
                    continue
            fields[name] = _JOINED * is_joined + field
        path, judged = self.source.path, (self.answers or [self.source])[0].path
        field = fields.get("predictions")
        is_both = field == fields.get("references", "").removeprefix(_JOINED)
        if is_both and judged.resolve() == path.resolve():
            raise UsageError(f"{path}: field {field!r} would be compared with itself")
        return fields

    def _problem(self, module: str, name: str, field: str, log: Log) -> str:
        if name == LOGGED:
            return f"{self.source.path}: {module} takes the scores of a log, but there are none"
        flag = f"--{name}" if name in ("predictions", "references") else f"--column {name}=FIELD"
        if log.format_name == PLAIN_ROWS:
            return f"{module} needs {flag}; the fields are {', '.join(map(str, log.names))}"
        return f"{module} needs {flag}; the format {log.format_name} has no column {field!r}"

    # ---- reading --------------------------------------------------------------------------------

    def parts(self, size: int) -> Iterator[tuple[int, Columns]]:
        """Yield columns of at most `size` rows, and the number of the first."""
        source, names = self.source, self.fields.names()
        own = [name for name in names if not name.startswith(_JOINED)]
        own += ["error"] * ("error" in source.log.columns)
        self._read(source, own if self.system is None else [*own, self.system])
        if not self.answers:
            for block in source.blocks(size):
                yield source.rows - len(next(iter(block.values()))), block
            return
        columns = dict(source.columns())
        columns |= self._answers(columns, [n[len(_JOINED) :] for n in names if n not in own])
        rows = len(next(iter(columns.values())))
        for start in range(0, rows, size):
            yield start, taken(columns, range(start, start + size))

    def _read(self, source: Source, fields: Sequence[str]) -> None:
        """Set which fields of a file are read, and how cells are: as numbers, and if empty."""
        source.fields = list(dict.fromkeys(fields))
        source.numbers, source.only_numbers = set(), set()
        sets = [metric.feature_sets for metric in self.metrics.values()]
        for name in {name for of_module in sets for features in of_module for name in features}:
            columns = {field.removeprefix(_JOINED) for field in self._named(name)}
            # Whether any or all of the shapes in which each module takes the input are numbers.
            kinds = [[_is_number(f[name]) for f in of if name in f] for of in sets]
            source.numbers |= columns if all(map(any, filter(None, kinds))) else set()
            source.only_numbers |= columns if all(map(all, kinds)) else set()
        judged = {field.removeprefix(_JOINED) for field in self._named("references")}
        source.references = judged
        empty = {metric.empty_references for metric in self.metrics.values()}
        source.filled = judged if "refused" in empty else ()
        source.holes = judged if empty == {"nan"} else ()
        if empty == {"left out"} and source is self.source:
            source.selection = source.selection._replace(labelled=judged)

    def _answers(self, columns: Columns, fields: Sequence[str]) -> Columns:
        """Return fields of the files of answers, in the order of the rows of predictions.

        Several files are several references of each row.
        """
        source, files = self.source, []
        for file in self.answers:
            ids = self._ids(file) if self.fields.ids else None
            self._read(file, [*fields, *filter(None, [ids])])
            answers = file.columns()
            if ids is not None and self.fields.ids is not None:
                if self.missing != "refuse":
                    kinds = {metric.score_kind for metric in self.metrics.values()}
                    is_wrong = self.missing == "zero" and kinds == {"outcomes"}
                    gap = _WRONG if is_wrong else None
                    _add_unanswered(columns, self.fields.ids, answers[ids], gap)
                names = str(source.path), str(file.path)
                keys = columns[self.fields.ids], answers[ids]
                are_several = self.repeats_allowed or self.system is not None
                rows = joined_rows(*keys, names, repeats_allowed=are_several)
                answers = taken(answers, rows)
            elif source.rows != file.rows:
                raise ValueError(
                    f"{source.path} has {source.rows} rows, but {file.path} has {file.rows}"
                )
            files.append(answers)
        found = {_JOINED + name: files[0][name] for name in fields}
        for field in self._named("references") if files[1:] else ():
            several = zip(*(answers[field[len(_JOINED) :]] for answers in files), strict=True)
            found[field] = [[*chain.from_iterable(map(listed, row))] for row in several]
        return found

    def _named(self, name: str) -> list[str]:
        """Return the fields of an input, of all systems and modules."""
        inputs = chain.from_iterable(of.values() for of in self.fields.inputs.values())
        return list(dict.fromkeys(of[name] for of in inputs if name in of))

    def block(self, part: tuple[int, Columns]) -> Block:
        """Return the rows of each system in a part of the file."""
        start, columns = part
        place = partial(self.place, start)
        if self.system is not None:
            ((_, modules),) = self.fields.block(columns, place).items()
            rows_of: dict[str, list[int]] = {}
            for row, system in enumerate(columns[self.system]):
                rows_of.setdefault(str(system), []).append(row)
            return {
                system: {name: of_all.take(rows) for name, of_all in modules.items()}
                for system, rows in rows_of.items()
            }
        if self.source.log.format_name == PLAIN_ROWS:
            return self.fields.block(columns, place)
        rows = len(next(iter(columns.values())))
        # A row of a log may have no answer, which is no error.
        reasons = ["error" * bool(error) for error in columns.get("error", [None] * rows)]
        block = self.fields.block(columns, place, reasons)
        return {
            system: {name: self._with_numbers(name, of_log) for name, of_log in modules.items()}
            for system, modules in block.items()
        }

    def _with_numbers(self, module: str, rows: Rows) -> Rows:
        """Return rows of a log, in which numbers may be texts."""
        columns, features = dict(rows.columns), self.metrics[module].feature_sets
        for name, column in columns.items():
            shapes = [shapes[name] for shapes in features if name in shapes]
            if name != LOGGED and not any("string" in str(s) or not s for s in shapes):
                columns[name] = [*map(_number, column)]
        return replace(rows, columns=columns)

    def place(self, start: int, column: str, row: int) -> str:
        """Return the words for a column and a row of a block that begins at `start`."""
        place = f"{self.source.path}: {self.source.location(start + row)}"
        place += f": field {column.removeprefix(_JOINED)!r}"
        return f"{self.answers[0].path}, joined to {place}" if column.startswith(_JOINED) else place

    # ---- scores ---------------------------------------------------------------------------------

    def tables(self, jobs: int, notes: "TextNotes", **how: Any) -> Tables:
        """Return the scored rows of every system.

        Args:
            jobs: the number of processes.
            notes: what is counted about the texts.
            **how: as in `samples_of_rows`.

        Raises:
            ValueError: the file is malformed, or a module refuses a row.
        """
        size = _ROWS
        if needs_all_rows(self.metrics):
            size, jobs = sys.maxsize, 1
        predicted, judged = self._named("predictions"), self._named("references")

        def parts() -> Iterator[tuple[int, Columns]]:
            for start, columns in self.parts(size):
                for field in predicted:
                    notes.update(columns[field], columns[judged[0]] if judged else [])
                yield start, columns

        tables = score_blocks(parts, self.block, self.metrics, how["missing"], jobs)
        selection, separator = self.source.selection, self.source.separator
        conditions = {
            "filter": selection.filter,
            "where": [f"{name}={text}" for name, text in selection.conditions.items()],
            "metric": how["score"],
            "left_out": dict(self.source.excluded),
            # A signature has | between its parts.
            "split_references": separator and separator.replace("|", "vertical line"),
        }
        how["conditions"] = {name: value for name, value in conditions.items() if value}
        try:
            return finished(tables, repeats_allowed=self.repeats_allowed, **how)
        except InputError as error:
            raise ValueError(f"{self.source.path}: {error.error}") from error

    def located(self, error: InputError, rows: int) -> ValueError:
        """Return an error about one of these rows with its place, if they are those of the file."""
        cause = error.error
        if not isinstance(cause, RowError) or rows != self.source.rows:
            return error
        field = self.fields.column(error.system, next(iter(self.metrics)), cause.column)
        return ValueError(cause.about(self.place(0, field, cause.row)))

    # ---- provenance -----------------------------------------------------------------------------

    def origin(self, system: str) -> Values:
        """Return the files and fields of the rows of a system."""
        modules = self.fields.inputs.get(system) or next(iter(self.fields.inputs.values()))
        fields: dict[str, str | None] = {**next(iter(modules.values()))}
        if fields.pop(LOGGED, None):
            fields = {"predictions": "prediction", "references": "references"}
        fields |= {"groups": self.fields.groups, **called_clusters(self.clusters)}
        record: Values = self._file(self.source)
        record["fields"] = {n: f.removeprefix(_JOINED) for n, f in fields.items() if f is not None}
        if self.system is not None:
            record["system"] = self.system
        if self.source.log.task is not None:
            record |= {"task": self.source.log.task, "model": self.source.log.system}
        return record | ({"answers": self._file(self.answers[0])} if self.answers else {})

    def _file(self, source: Source) -> Values:
        format_name = source.format_name or source.log.format_name
        return {"path": str(source.path), "format": format_name, "id": self._ids(source)}


def _add_unanswered(
    columns: Columns, ids: str, expected: Sequence[Any], prediction: str | None
) -> None:
    """Add a row without a prediction for each id that is expected and not there."""
    known = {*map(str, columns[ids])}
    absent = [name for name in dict.fromkeys(expected) if str(name) not in known]
    for field, column in columns.items():
        columns[field] = [*column, *(absent if field == ids else [prediction] * len(absent))]


def _is_number(feature: Any) -> bool:
    """Return whether cells of an input are numbers; a cell cannot be a record."""
    is_record = isinstance(feature, dict)
    return not is_record and ("int64" in str(feature) or "float64" in str(feature))


def _number(value: Any) -> Any:
    """Return the number that a text represents, also inside lists; other values unchanged.

    >>> _number(["-4.61", "x"])
    [-4.61, 'x']
    """
    if isinstance(value, list):
        return [*map(_number, value)]
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value
