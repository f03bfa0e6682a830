"""Evaluations of logs, of files joined by id, and of long tables.

In all of these, the rows of a system are not simply the rows of a file: samples without a score are
excluded or count as zero, rows with the same id form one unit, references come from another file,
or one file has the rows of several systems.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data.harness_logs.logs import PLAIN_ROWS, listed
from ...data.tables.tables import Source
from ...module.catalog import catalog
from ...module.catalog.request import Reduce
from ...module.catalog.usage import UsageError
from ...module.declaration.declarations import Module
from ..rows.joins import check_unique, joined_rows
from ..rows.logged_scores import LOGGED, OUTCOMES, LoggedScores
from ..rows.rows import InputError, Rows, taken
from .evaluations import Evaluation

if TYPE_CHECKING:
    from ..rows.plans import Tables
    from .log_samples import LogRows, RowsToScore

_WITHOUT_IDS = ("lines", "conll")  # formats whose rows are matched by their order


@dataclass(frozen=True, kw_only=True)
class LogEvaluation(Evaluation):
    """An evaluation whose rows are assembled before they are scored."""

    answers: Sequence[Path] = ()  # the files of the references, joined by id or by their order
    common: bool = False  # whether all columns but the predictions are in the file of the answers
    system_field: str | None = None  # in a long table: the field with the system of a row
    metric: str | None = None  # a score or a scorer of a log; None for all
    reduce: Reduce | None = None  # for rows with the same id; None for the mean

    @cached_property
    def metrics(self) -> Mapping[str, Module]:
        """Return the modules by name, possibly including `logged`, which only summarizes a log."""
        logs = [self._opened(path).log for path, _ in self.systems.values()]
        lower: frozenset[str] = frozenset().union(*(log.lower_is_better for log in logs))
        return {
            name: LoggedScores(lower) if name == LOGGED else catalog.load_without_evaluate(name)
            for name in self.modules
        }

    def _options_by_module(self) -> dict[str, dict[str, Any]]:
        """Return the options of each module, with those that its log implies."""
        logs = [self._opened(path).log for path in self.inputs()]
        implied = dict(chain.from_iterable(log.options.items() for log in logs))
        return {
            module: {n: v for n, v in implied.items() if n in self.metrics[module].options}
            | options
            for module, options in super()._options_by_module().items()
        }

    def inputs(self) -> list[Path]:
        """Return the files that are read."""
        return list(dict.fromkeys([*super().inputs(), *self.answers]))

    def _tables(self, jobs: int) -> "Tables":
        """Return the scored rows of every system."""
        from ...module.declaration.columns import checked_once
        from ..rows.samples import scored_samples
        from .scored_systems import tables_of_systems

        tables: Tables = {}
        with checked_once():
            for system, (_, part) in self._read_systems.items():
                tables[system] = {}
                for name, metric in self._configured.items():
                    rows, samples = part.rows[name], part.samples.get(name)
                    self.notes.update(rows.columns)
                    if samples is None:
                        one, alone = {system: rows}, {name: metric}
                        found = tables_of_systems(one, alone, jobs, progress=True)
                        table = replace(found[system][name], conditions=part.conditions)
                    else:
                        try:
                            table = scored_samples(metric, rows, samples, part.conditions)
                        except ValueError as error:
                            raise InputError(system, error) from error
                    tables[system][name] = table
        return tables

    def _located(self, error: InputError) -> ValueError:
        """Return an error that was found in all rows with the place of its row in a file."""
        _, part = self._read_systems[error.system]
        rows = next(iter(part.rows.values()))
        located = rows.located(error.error)
        return error if located is error.error else located

    @cached_property
    def _read_systems(self) -> "dict[str, tuple[LogRows, RowsToScore]]":
        """Return the rows of every system, as they are in the files and as they are scored."""
        from .log_samples import rows_to_score

        return {
            system: (part, rows_to_score(part, self.missing, self.reduce, self.metric))
            for path in super().inputs()
            for system, part in self._samples_of(path)
        }

    def _record_of(self, tables: "Tables") -> dict[str, Any]:
        read = self._read_systems
        record: dict[str, Any] = {
            "logs": {system: self._record(system, part) for system, (part, _) in read.items()}
        }
        if {LOGGED} < {*self.modules}:
            from .logged_agreement import agreements

            record["agreement"] = [
                agreement._asdict() | {"text": str(agreement)}
                for system, of_system in tables.items()
                for agreement in agreements(system, of_system, *read[system])
            ]
        return record

    def _record(self, system: str, samples: "LogRows") -> dict[str, Any]:
        """Return the origin of a system's rows: file, format, fields and, for a log, the task."""
        source = samples.source
        record: dict[str, Any] = self._origin(source)
        _, predictions = self.systems.get(system) or next(iter(self.systems.values()))
        if predictions:
            record["field"] = predictions
        if references := self.fields.get("references"):
            record["references"] = references
        if source.log.task is not None:
            record |= {"task": source.log.task, "model": source.log.system}
        if self.answers:
            record["answers"] = self._origin(self._answers)
        return record

    def _origin(self, source: Source) -> dict[str, Any]:
        return {
            "path": str(source.path),
            "format": source.log.format_name,
            "id": self._id_field(source),
        }

    def check(self) -> None:
        """Check that every module has a field for each of its inputs, without reading rows.

        Raises:
            UsageError: a field is missing.
        """
        for path, predictions in self.systems.values():
            source = self._opened(path)
            for module in self.modules:
                self._fields_of_module(module, source, predictions)
            if self.answers and self._id_field(source) is None:
                formats = [source.log.format_name, self._answers.log.format_name]
                if not {*formats} <= {*_WITHOUT_IDS}:
                    both = [name for name in source.log.names if name in self._answers.log.names]
                    hint = f"; both have {', '.join(both)}" if both else ""
                    raise UsageError(
                        f"references in a file need --id, the field of ids in both{hint}"
                    )

    # ---- fields ---------------------------------------------------------------------------------

    def _fields_of_module(self, module: str, source: Source, predictions: str) -> dict[str, str]:
        """Return the fields of the inputs of a module.

        Those named, or the standard columns of a log.
        """
        metric = self.metrics[module]
        standard_columns = dict(
            zip(("predictions", "references"), metric.log_columns, strict=False)
        )
        fields: dict[str, str] = {}
        for name in metric.input_names:
            option = predictions if name == "predictions" else self.fields.get(name)
            field = option if option and module != LOGGED else None
            if field is None:
                standard = standard_columns[name]
                field = LOGGED if standard == OUTCOMES else standard
                file = source if self._is_in_file(name) else self._answers
                if file.log.format_name in _WITHOUT_IDS and name == "references" and self.answers:
                    field = "prediction"  # as a file of references, it has one column, the last
                if field not in file.log.columns:
                    if name not in metric.required_inputs:
                        continue
                    problem = f"{module} needs --{name}"
                    if field == LOGGED:
                        problem = (
                            f"{file.path}: {module} takes the scores of a log, but there are none"
                        )
                    elif file.log.format_name != PLAIN_ROWS:
                        problem = (
                            f"{file.path}: {problem}; the format {file.log.format_name} has no "
                            f"column {field!r}"
                        )
                    raise UsageError(problem)
            fields[name] = field
        is_in_file = not self.answers or source.path.resolve() in map(Path.resolve, self.answers)
        if is_in_file and module != LOGGED:
            self.check_compared(source, fields.get("predictions"), fields.get("references"))
        return fields

    def _is_in_file(self, name: str) -> bool:
        """Return whether an input or a label is in the file of the predictions."""
        if self.common:
            return name in ("predictions", "id", "error", "system")
        shared = ("references", "groups", *self.cluster_fields)
        return not self.answers or name not in shared

    @property
    def _answers(self) -> Source:
        """Return the first file of answers, which also has the labels, where there is one."""
        return self._opened(self.answers[0])

    def _id_field(self, source: Source) -> str | None:
        """Return the field of the ids: the one that was named, or else the one of the log."""
        return self.ids or ("id" if "id" in source.log.columns else None)

    # ---- reading --------------------------------------------------------------------------------

    def _samples_of(self, path: Path) -> "Iterator[tuple[str, LogRows]]":
        """Yield the systems of a file with their rows, joined to the file of answers."""
        from .log_samples import LogRows

        source = self._opened(path)
        named = {
            "id": self._id_field(source),
            "error": "error" if "error" in source.log.columns else None,
            "system": self.system_field,
            "groups": self.groups,
            **self.cluster_fields,
        }
        labels = {name: field for name, field in named.items() if field is not None}
        systems = {name: field for name, (file, field) in self.systems.items() if file == path}
        inputs = {
            system: {
                module: self._fields_of_module(module, source, field) for module in self.modules
            }
            for system, field in systems.items()
        }
        requested = [*labels.items()]
        for fields in chain.from_iterable(modules.values() for modules in inputs.values()):
            requested += fields.items()
        columns = self._read(source, [field for name, field in requested if self._is_in_file(name)])
        joined = [(name, field) for name, field in requested if not self._is_in_file(name)]
        answers = self._joined(source, columns, labels.get("id"), joined) if self.answers else {}

        def column(name: str, field: str) -> Sequence[Any]:
            return (columns if self._is_in_file(name) else answers)[field]

        label = {name: column(name, field) for name, field in labels.items()}
        labelled = Rows(
            columns={},
            ids=label.get("id"),
            groups=label.get("groups"),
            clusters={field: label[name] for name, field in self.cluster_fields.items()} or None,
        )
        for system, predictions in systems.items():
            rows = {
                module: {
                    name: self._typed(module, name, column(name, field), source)
                    for name, field in fields.items()
                }
                for module, fields in inputs[system].items()
            }
            scored_by_log = {
                module: metric.log_columns[0]
                for module, metric in self.metrics.items()
                if (not predictions or module == LOGGED)
                and metric.log_columns[0] in (LOGGED, OUTCOMES)
            }

            def place(name: str, row: int, predictions: str = predictions) -> str:
                field = predictions if name == "predictions" else self.fields.get(name)
                named = f"field {field!r}" if field else name
                words = f"{source.path}: {source.location(row)}: {named}"
                return words if self._is_in_file(name) else f"{self.answers[0]}, joined to {words}"

            of_system = replace(labelled, place=place)
            part = LogRows(
                source,
                range(source.rows),
                {module: replace(of_system, columns=inputs) for module, inputs in rows.items()},
                label.get("error", [False] * source.rows),
                scored_by_log,
            )
            yield from self._split(part, label["system"]) if self.system_field else [(system, part)]

    def _read(self, source: Source, fields: Sequence[str]) -> dict[str, list[Any]]:
        """Return the columns of these fields in a file."""
        predictions = {field for _, field in self.systems.values() if field}
        references = {field for field in [self.fields.get("references")] if field}
        source.fields = list(dict.fromkeys(fields))
        self._expect(source, {"predictions": predictions, "references": references})
        return source.columns()

    def _joined(
        self,
        source: Source,
        columns: Mapping[str, Sequence[Any]],
        id_field: str | None,
        fields: Sequence[tuple[str, str]],
    ) -> dict[str, list[Any]]:
        """Return the columns of the files of answers, in the order of the rows of predictions.

        Several files are several references of each row.
        """
        named = [field for _, field in fields]
        files = []
        for file in map(self._opened, self.answers):
            answers = self._read(file, [*filter(None, [id_field]), *named])
            if id_field is not None:
                rows = joined_rows(
                    columns[id_field],
                    answers[id_field],
                    (str(source.path), str(file.path)),
                    repeats_allowed=(
                        source.log.format_name != PLAIN_ROWS
                        or self.system_field is not None
                        or self.reduce is not None
                    ),
                )
                answers = taken(answers, rows)
            elif source.rows != file.rows:
                raise ValueError(
                    f"{source.path} has {source.rows} rows, but {file.path} has {file.rows}"
                )
            files.append(answers)
        first = files[0]
        for field in {f for name, f in fields if name == "references"} if files[1:] else ():
            first[field] = [
                list(chain.from_iterable(map(listed, references)))
                for references in zip(*(answers[field] for answers in files), strict=True)
            ]
        return first

    def _split(self, samples: "LogRows", systems: Sequence[Any]) -> "Iterator[tuple[str, LogRows]]":
        """Yield the rows of each system of a long table, in the same order of ids."""
        rows_by_system: dict[str, list[int]] = {}
        for row, system in enumerate(systems):
            rows_by_system.setdefault(str(system), []).append(row)
        parts = {system: samples.take(rows) for system, rows in rows_by_system.items()}
        (first, reference), *_ = parts.items()
        for system, part in parts.items():
            names = (f"system {first!r}", f"system {system!r}")
            if part.ids is None or reference.ids is None:
                if len(part.numbers) != len(reference.numbers):
                    raise ValueError(
                        f"{samples.source.path}: {names[0]} has {len(reference.numbers)} rows, "
                        f"{names[1]} has {len(part.numbers)}; name their ids with --id"
                    )
                yield system, part
            elif self.reduce is None:
                check_unique(part.ids, f"{samples.source.path}: {names[1]}")
                yield system, part.take(joined_rows(reference.ids, part.ids, names))
            else:
                yield system, part

    def _typed(
        self, module: str, name: str, column: Sequence[Any], source: Source
    ) -> Sequence[Any]:
        """Return the column, with texts parsed if the module takes numbers from a log."""
        features = self.metrics[module].feature_sets
        if source.log.format_name == PLAIN_ROWS or module == LOGGED:
            return column
        if any("string" in str(shapes[name]) or not shapes[name] for shapes in features):
            return column
        return list(map(_number, column))


def _number(value: Any) -> Any:
    """Return the number that a text represents, also inside lists.

    Other values are returned unchanged.

    >>> _number(["-4.61", "x"])
    [-4.61, 'x']
    """
    if isinstance(value, list):
        return [_number(item) for item in value]
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value
