"""Files of rows, and logs of harnesses, read as blocks of rows for every module.

References may be in another file, joined by id, or by order if lines have none; a long table has
the rows of several systems.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from ...data.files.json_rows import Columns
from ...data.harness_logs.logs import PLAIN_ROWS, TEXTS, listed
from ...data.tables.tables import Source
from ...module.catalog.request import Missing
from ...module.catalog.usage import UsageError
from ...module.declaration.declarations import Module
from ...statistics.arguments.checks import RowError
from ..rows.blocks import Block, Fields, Tables, finished, needs_all_rows, score_blocks
from ..rows.joins import joined_rows
from ..rows.logged_scores import LOGGED, OUTCOMES
from ..rows.row_tables import cluster_names
from ..rows.rows import InputError, Rows, taken
from ..rows.worker_processes import run_parallel

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
    metrics: Mapping[str, Module]
    columns: Mapping[str, str | None]
    clusters: Sequence[str] = ()
    answers: Sequence[Source] = ()
    system: str | None = None
    repeats_allowed: bool = False
    missing: Missing = "refuse"

    @property
    def is_log(self) -> bool:
        """Return whether the file is a log, whose rows may have no answer."""
        return self.source.log.format_name != PLAIN_ROWS

    @cached_property
    def fields(self) -> Fields:
        """Return the fields that are the inputs and labels of rows.

        Raises:
            UsageError: a field is missing, or would be compared with itself, or there are no ids by
                which to join answers.
        """
        ids = self._ids(self.source)
        if self.answers and ids is None:
            logs = self.source.log, self.answers[0].log
            if not {log.format_name for log in logs} <= {*_WITHOUT_IDS}:
                both = [name for name in logs[0].names if name in logs[1].names]
                hint = f"; both have {', '.join(both)}" if both else ""
                problem = "references in a file need --id, the field of ids in both"
                raise UsageError(problem + hint)
        file = _JOINED if self.answers else ""
        groups = self.columns.get("groups")
        inputs = {
            system: {name: self._inputs(name, predictions) for name in self.metrics}
            for system, predictions in self.systems.items()
        }
        return Fields(
            inputs=inputs,
            ids=ids,
            groups=groups and file + groups,
            clusters={name: file + name for name in self.clusters},
        )

    def _ids(self, source: Source) -> str | None:
        return self.columns.get("ids") or ("id" if "id" in source.log.columns else None)

    def _inputs(self, module: str, predictions: str | None) -> dict[str, str]:
        """Return the fields of the inputs of a module: those named, or the columns of a log."""
        metric, log = self.metrics[module], self.source.log
        standard = dict(zip(("predictions", "references"), metric.log_columns, strict=False))
        fields: dict[str, str] = {}
        for name in metric.input_names:
            is_joined = bool(self.answers) and name == "references"
            file = self.answers[0] if is_joined else self.source
            field = predictions if name == "predictions" else self.columns.get(name)
            if field is None or module == LOGGED:
                field = standard.get(name, name)
                if is_joined and file.log.format_name in _OF_ONE:
                    field = "prediction"
                if field in (LOGGED, OUTCOMES):
                    name = field = LOGGED
                if field not in file.log.columns and field not in file.log.names:
                    if name not in (*metric.required_inputs, LOGGED):
                        continue
                    raise UsageError(self._problem(module, name, field, file))
            fields[name] = f"{_JOINED * is_joined}{field}"
        used = [fields.get("predictions"), fields.get("references", "").removeprefix(_JOINED)]
        is_one = not self.answers or self.source.path.resolve() in (
            answers.path.resolve() for answers in self.answers
        )
        columns = [log.columns.get(field or "") for field in used]
        if is_one and used[0] and (used[0] == used[1] or None is not columns[0] is columns[1]):
            of_rows = "" if self.is_log else f": field {used[1]!r}"
            raise UsageError(f"{self.source.path}{of_rows} would be compared with itself")
        return fields

    def _problem(self, module: str, name: str, field: str, file: Source) -> str:
        if name == LOGGED:
            return f"{file.path}: {module} takes the scores of a log, but there are none"
        problem = f"{module} needs --{name}"
        if file.log.format_name == PLAIN_ROWS:
            return problem
        return f"{file.path}: {problem}; the format {file.log.format_name} has no column {field!r}"

    # ---- reading --------------------------------------------------------------------------------

    def parts(self, size: int | None) -> Iterator[tuple[int, Columns]]:
        """Yield columns of at most `size` rows, and the number of the first."""
        source, names = self.source, self.fields.names()
        own = [name for name in names if not name.startswith(_JOINED)]
        own += [name for name in (self._errors, self.system) if name]
        self._read(source, own)
        if not self.answers:
            for block in source.blocks(size):
                yield source.rows - len(next(iter(block.values()))), block
            return
        columns = dict(source.columns())
        columns |= self._answers(columns, [n[len(_JOINED) :] for n in names if n not in own])
        rows = len(next(iter(columns.values())))
        for start in range(0, rows, size or rows):
            yield start, taken(columns, range(start, start + (size or rows)))

    @property
    def _errors(self) -> str | None:
        return "error" if "error" in self.source.log.columns else None

    def _read(self, source: Source, fields: Sequence[str]) -> None:
        """Set which fields of a file are read, and how cells are: as numbers, and if empty."""
        source.fields = list(dict.fromkeys(fields))
        source.numbers, source.only_numbers = set(), set()
        sets = [metric.feature_sets for metric in self.metrics.values()]
        for name in {name for of_module in sets for features in of_module for name in features}:
            columns = {field.removeprefix(_JOINED) for field in self._named(name)}
            # Whether any or all of the shapes in which each module takes the input are numbers.
            kinds = [[_is_number(f[name]) for f in of if name in f] for of in sets]
            if any(kinds):
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
                rows = joined_rows(
                    columns[self.fields.ids],
                    answers[ids],
                    (str(source.path), str(file.path)),
                    repeats_allowed=self.repeats_allowed or self.system is not None,
                )
                answers = taken(answers, rows)
            elif source.rows != file.rows:
                raise ValueError(
                    f"{source.path} has {source.rows} rows, but {file.path} has {file.rows}"
                )
            files.append(answers)
        found = {_JOINED + name: files[0][name] for name in fields}
        for field in self._named("references") if files[1:] else ():
            several = zip(*(each[field[len(_JOINED) :]] for each in files), strict=True)
            found[field] = [[*chain.from_iterable(map(listed, row))] for row in several]
        return found

    def _named(self, name: str) -> list[str]:
        """Return the fields of an input, of all systems and modules."""
        inputs = chain.from_iterable(of.values() for of in self.fields.inputs.values())
        return list(dict.fromkeys(of[name] for of in inputs if name in of))

    def block(self, part: tuple[int, Columns]) -> Block:
        """Return the rows of each system in a part of the file."""
        start, columns = part
        block = self.fields.block(columns, partial(self.place, start))
        if self.is_log:
            errors = columns.get(self._errors or "")
            block = {
                system: {name: self._of_log(name, rows, errors) for name, rows in modules.items()}
                for system, modules in block.items()
            }
        if self.system is None:
            return block
        ((_, modules),) = block.items()
        rows_by_system: dict[str, list[int]] = {}
        for row, system in enumerate(columns[self.system]):
            rows_by_system.setdefault(str(system), []).append(row)
        return {
            system: {name: of_all.take(rows) for name, of_all in modules.items()}
            for system, rows in rows_by_system.items()
        }

    def _of_log(self, module: str, rows: Rows, errors: Sequence[Any] | None) -> Rows:
        """Return rows of a log: some have no answer, and numbers may be texts."""
        columns, features = dict(rows.columns), self.metrics[module].feature_sets
        for name, column in columns.items():
            shapes = [shapes[name] for shapes in features if name in shapes]
            if name != LOGGED and not any("string" in str(s) or not s for s in shapes):
                columns[name] = [*map(_number, column)]
        predictions = columns.get("predictions", ())
        reasons = ["unanswered" * (value is None) for value in predictions] or [""] * len(rows)
        if errors is not None:
            pairs = zip(errors, reasons, strict=True)
            reasons = ["error" if is_error else reason for is_error, reason in pairs]
        return replace(rows, columns=columns, reasons=reasons)

    def rows_of(self, module: str) -> Rows:
        """Return all rows of the first system as a module reads them."""
        ((_, columns),) = self.parts(None)
        return next(iter(self.block((0, columns)).values()))[module]

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
        size: int | None = _ROWS
        if any(map(needs_all_rows, self.metrics.values())):
            size, jobs = None, 1

        predicted, judged = self._named("predictions"), self._named("references")

        def parts() -> Iterator[tuple[int, Columns]]:
            for start, columns in self.parts(size):
                for field in predicted:
                    notes.update(columns[field], columns[judged[0]] if judged else [])
                yield start, columns

        def scored(processes: int) -> Tables:
            return score_blocks(
                parts(), lambda part: [self.block(part)], self.metrics, how["missing"], processes
            )

        tables = run_parallel(scored, jobs)
        if self.system is not None and how["reduce"] is None:
            tables = self._in_one_order(tables)
        selection = self.source.selection
        where = [f"{name}={text}" for name, text in selection.conditions.items()]
        conditions = {"filter": selection.filter, "where": where, "metric": how.get("score")}
        conditions["left_out"] = dict(self.source.excluded)
        if self.source.separator is not None:  # a signature has | between its parts
            conditions["split_references"] = self.source.separator.replace("|", "vertical line")
        how["conditions"] = {name: value for name, value in conditions.items() if value}
        try:
            return finished(tables, repeats_allowed=self.repeats_allowed, **how)
        except InputError as error:
            if isinstance(error.error, RowError):
                raise self.located(error, tables) from error
            raise ValueError(f"{self.source.path}: {error.error}") from error

    def located(self, error: InputError, tables: Tables) -> ValueError:
        """Return an error that was found in all rows with the place of its row in the file."""
        modules = self.fields.inputs.get(error.system)
        if modules is None or not isinstance(error.error, RowError):
            return error
        if len(next(iter(tables[error.system].values()))) != self.source.rows:
            return error
        field = self.fields.named(error.system, next(iter(modules)), error.error.column)
        return ValueError(error.error.about(self.place(0, field, error.error.row)))

    def _in_one_order(self, tables: Tables) -> Tables:
        """Return the rows of the systems of a long table in the order of the first."""
        (first, modules), *others = tables.items()
        one = next(iter(modules.values()))
        found = {first: modules}
        for system, of_system in others:
            names = f"system {first!r}", f"system {system!r}"
            other = next(iter(of_system.values()))
            if one.ids is not None and other.ids is not None:
                rows = joined_rows(one.ids, other.ids, names)
                of_system = {name: table.take(rows) for name, table in of_system.items()}
            elif len(one) != len(other):
                raise ValueError(
                    f"{self.source.path}: {names[0]} has {len(one)} rows, {names[1]} has "
                    f"{len(other)}; name their ids with --id"
                )
            found[system] = of_system
        return found

    # ---- provenance -----------------------------------------------------------------------------

    def origin(self, system: str, *, by_id: bool) -> dict[str, Any]:
        """Return where the rows of a system are: by id, or the file and field of each column."""
        inputs = self.fields.inputs.get(system) or next(iter(self.fields.inputs.values()))
        if not by_id:
            fields = {**next(iter(inputs.values()))} | {
                "id": self.fields.ids,
                "groups": self.fields.groups,
                **{called: name for name, called in cluster_names(self.clusters).items()},
            }
            file = {"path": str(self.source.path), "format": self.source.format_name}
            return {n: file | {"field": field} for n, field in fields.items() if field is not None}
        record: dict[str, Any] = self._file(self.source)
        judged = next(iter(inputs.values())).get("references", "").removeprefix(_JOINED)
        named = {"field": self.systems.get(system), "references": judged}
        record |= {name: field for name, field in named.items() if field}
        if self.source.log.task is not None:
            record |= {"task": self.source.log.task, "model": self.source.log.system}
        return record | ({"answers": self._file(self.answers[0])} if self.answers else {})

    def _file(self, source: Source) -> dict[str, Any]:
        format_name = source.log.format_name
        return {"path": str(source.path), "format": format_name, "id": self._ids(source)}


def _add_unanswered(
    columns: Columns, ids: str, expected: Sequence[Any], prediction: str | None
) -> None:
    """Add a row without a prediction for each id that is expected and not there."""
    absent = [*dict.fromkeys(expected).keys() - {*columns[ids]}]
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
