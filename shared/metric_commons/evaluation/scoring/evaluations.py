"""Evaluations of files, as requested by a command line or a configuration file."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data.files.json_rows import Columns
from ...data.files.streams import stem
from ...data.harness_logs.logs import PLAIN_ROWS
from ...data.tables.tables import Source
from ...module.catalog import catalog
from ...module.catalog.presets import preset, preset_options
from ...module.catalog.request import ROW_LABELS, Request, can_fork
from ...module.catalog.usage import UsageError
from ...module.declaration.declarations import Module, assign
from ...statistics.arguments.checks import RowError, shown
from ..results.rendering import counted
from ..results.results import Results
from ..rows.rows import InputError, Rows
from ..rows.worker_processes import cores, map_pieces, run_parallel
from .text_notes import TextNotes

if TYPE_CHECKING:
    from ..rows.plans import Tables
    from ..rows.row_tables import RowTable

_Labels = dict[str, dict[str, Any]]  # by name and text

_ROWS = 2048  # of a block: few enough for long texts
_SIZE_OF_PROCESS = 4_000_000  # bytes of files that justify forking a process


@dataclass(frozen=True, kw_only=True)
class Evaluation(Request):
    """A request about files: the systems to be scored, and how to read their files."""

    systems: Mapping[str, tuple[Path, str]]  # the file, and the field of predictions if needed
    common: Path | None = None  # the file of these fields; None if each system has its own
    format_name: str | None = None
    split_references: str | None = None  # what separates several references in a cell
    limit: int | None = None
    opened: Mapping[Path, Source] = field(default_factory=dict)  # files whose format is known

    @cached_property
    def metrics(self) -> Mapping[str, Module]:
        """Return the modules by their names, each loaded once."""
        return {name: catalog.load_without_evaluate(name) for name in self.modules}

    @cached_property
    def fields(self) -> dict[str, str | None]:
        """Return the fields of all columns but the predictions, by the names of inputs.

        Further inputs are in fields of their own names unless others are named.
        """
        inputs = {name for metric in self.metrics.values() for name in metric.input_names}
        further = sorted(inputs - {"predictions", "references"})
        return {**{name: name for name in further}, **super().fields}

    @property
    def uses_clusters(self) -> bool:
        """Return whether clusters affect anything: intervals, errors, tests, or saved rows."""
        is_uncertain = self.confidence_level is not None or self.standard_error
        return is_uncertain or self.compare or self.rows

    @property
    def paths(self) -> list[Path]:
        """Return the files with the predictions of the systems."""
        return [path for path, _ in self.systems.values()]

    def inputs(self) -> list[Path]:
        """Return the files that are read."""
        return list(dict.fromkeys([*filter(None, [self.common]), *self.paths]))

    @cached_property
    def notes(self) -> TextNotes:
        """Return what the texts of the rows have in common."""
        return TextNotes(self.metrics, self._options_by_module(), self._processes())

    def results(self) -> Results:
        """Return the scores of every system and, if requested, a comparison of every two systems.

        Raises:
            ValueError: a file is malformed, or a module refuses a row.
            OSError: a file cannot be read.
        """
        from .scored_systems import results_of_tables  # imports numpy, so only on use

        self.notes  # noqa: B018 # which processes share
        try:
            tables = self._conditioned(run_parallel(self._tables, self._processes()))
            results = results_of_tables(
                self,
                tables,
                inputs=[self.source(path).provenance() for path in self.inputs()],
                progress=True,
            )
        except InputError as error:
            raise self._located(error) from error
        finally:
            for source in self._sources.values():
                source.close()
        of_preset = {} if self.preset is None else {"preset": self.preset}
        record = results.provenance | self._record_of(tables) | of_preset
        return replace(results, provenance=record)

    def _conditioned(self, tables: "Tables") -> "Tables":
        """Return the rows with what else changes scores, for signatures: a preset, a separator."""
        conditions = {}
        if self.split_references is not None:
            separator = self.split_references.replace("|", "vertical line")  # signatures use "|"
            conditions["split_references"] = separator
        modules = {} if self.preset is None else preset(self.preset).modules

        def conditioned(table: "RowTable") -> "RowTable":
            added = dict(conditions)
            options = modules.get(table.module, {}).items()
            if self.preset is not None and all(table.options[n] == v for n, v in options):
                added["preset"] = self.preset
            return replace(table, conditions={**table.conditions, **added})

        return {
            system: {name: conditioned(table) for name, table in of_system.items()}
            for system, of_system in tables.items()
        }

    def _record_of(self, tables: "Tables") -> dict[str, Any]:
        """Return what provenance says of the columns."""
        return {"columns": self._columns()}

    def _processes(self) -> int:
        """Return how many processes score: one, if a file can be read only once."""
        files = self.inputs()
        if not all(map(Path.is_file, files)):
            return 1
        most = sum(path.stat().st_size for path in files) // _SIZE_OF_PROCESS
        return self.jobs or (min(cores(), most) if most > 1 and can_fork() else 1)

    @cached_property
    def _sources(self) -> dict[Path, Source]:
        """Return the files that were opened here."""
        return {}

    def _tables(self, jobs: int) -> "Tables":
        """Return the scored rows of every system, in the order of the systems."""
        from ...module.declaration.columns import checked_once  # these import numpy
        from ..rows.plans import merged
        from .scored_systems import needs_all_rows, tables_of_systems

        self._check_supported()
        sources = {path: self.source(path) for path in self.inputs()}
        is_joined = self.common is not None and {*self.paths} != {self.common}
        found: Tables = {}
        if is_joined or self.compare or any(map(needs_all_rows, self._configured.values())):
            columns = {path: source.columns() for path, source in sources.items()}
            self._check_rows(sources, columns)
            rows: dict[str, Rows] = {}
            for path in dict.fromkeys(self.paths):
                rows |= self._rows(path, columns[path], columns[self.common or path], 0, sources)
            with checked_once():
                found = tables_of_systems(rows, self._configured, self.missing, jobs, progress=True)
        else:
            for path, source in sources.items():
                found |= merged(self._blocks(path, source, sources, jobs))
        return {system: found[system] for system in self.systems}

    def _blocks(
        self, path: Path, source: Source, sources: Mapping[Path, Source], jobs: int
    ) -> "Iterator[Tables]":
        """Yield the scored rows of each block of a file."""
        from ..rows.plans import with_metrics

        seen: _Labels = {}
        if jobs == 1:
            for block in source.blocks(_ROWS):
                start = source.rows - len(next(iter(block.values())))
                yield self._scored(path, block, start, sources, seen)
            return

        def work(blocks: Iterable[tuple[int, Columns]]) -> "tuple[list[Tables], _Labels]":
            labels: _Labels = {}
            tables = [
                with_metrics(self._scored(path, block, start, sources, labels), {})
                for start, block in blocks
            ]
            return tables, labels

        with closing(map_pieces(source, work, jobs)) as pieces:
            for tables, labels in pieces:
                for name, texts in labels.items():
                    known = seen.setdefault(name, {})
                    if any(known.setdefault(text, label) != label for text, label in texts.items()):
                        raise ValueError(f"two {name} are called alike")  # one process says where
                for table in tables:
                    yield with_metrics(table, self._configured)

    def _scored(
        self,
        path: Path,
        block: Mapping[str, Any],
        start: int,
        sources: Mapping[Path, Source],
        seen: _Labels,
    ) -> "Tables":
        """Return the scored rows of the systems of a file in a block, after `start` rows.

        Args:
            path: the file.
            block: the columns of the block.
            start: the number of rows before the block.
            sources: all files.
            seen: the groups and clusters of earlier blocks.
        """
        from ...module.declaration.columns import checked_once  # these import numpy
        from ..rows.plans import tables_of
        from ..rows.row_tables import row_labels

        systems = self._rows(path, block, block, start, sources)
        for system, rows in systems.items():
            try:
                labels = row_labels(replace(rows, ids=None), len(rows), seen)
            except ValueError as error:
                raise rows.located(error) from error
            systems[system] = replace(rows, **labels | {"ids": rows.ids})
        with checked_once():
            return tables_of(systems, self._configured, self.missing)

    def _rows(
        self,
        path: Path,
        own: Mapping[str, Any],
        shared: Mapping[str, Any],
        start: int,
        sources: Mapping[Path, Source],
    ) -> dict[str, Rows]:
        """Return the rows of the systems of a file, after `start` rows.

        Args:
            path: the file.
            own: the columns of the file.
            shared: the columns of the file that has all inputs but predictions.
            start: the number of rows before these.
            sources: all files.
        """
        rows = {}
        for system, (file, predictions) in self.systems.items():
            if file != path:
                continue
            fields = {name: field for name, field in self.fields.items() if field is not None}
            columns = {n: shared[f] for n, f in fields.items() if n not in self._labels}
            if predictions:
                columns["predictions"] = own[predictions]
                fields["predictions"] = predictions

            def place(column: str, row: int, system: str = system) -> str:
                return self._place(system, column, start + row, sources)

            self.notes.update(columns.get("predictions", []), columns.get("references", []))
            rows[system] = Rows(
                columns=columns,
                ids=None if self.ids is None else shared[self.ids],
                groups=None if self.groups is None else shared[self.groups],
                clusters={field: shared[field] for field in self.cluster_fields.values()} or None,
                place=place,
            )
        return rows

    def _place(self, system: str, column: str, row: int, sources: Mapping[Path, Source]) -> str:
        """Return the file, row and field of a value."""
        path, predictions = self.systems[system]
        file = path if column == "predictions" else self.common or path
        name = predictions if column == "predictions" else self.fields.get(column)
        return f"{file}: {sources[file].location(row)}: field {name or column!r}"

    def _located(self, error: InputError) -> ValueError:
        """Return an error that was found in all rows with the place of its row in a file."""
        if self.missing != "refuse" or not isinstance(error.error, RowError):
            return error
        column, row = error.error.column, error.error.row
        sources = {path: self.source(path) for path in self.inputs()}
        return ValueError(error.error.about(self._place(error.system, column, row, sources)))

    @cached_property
    def _configured(self) -> dict[str, Any]:
        """Return the modules with their options."""
        from .scored_systems import options_of_modules

        options = self._options_by_module()
        named = {f"{module}.{name}": v for module, of in options.items() for name, v in of.items()}
        return options_of_modules(replace(self, options=named), self.metrics)

    def _check_supported(self) -> None:
        from .scored_systems import check_reported

        check_reported(
            self,
            self.metrics,
            has_groups=self.groups is not None,
            has_clusters=self.clusters is not None,
        )

    def _columns(self) -> dict[str, dict[str, dict[str, str | None]]]:
        """Return the file, format and field of every column of each system, to find rows again."""
        return {
            system: {
                name: {"path": str(source), "format": self.format_name, "field": column}
                for name, source, column in [
                    *([("predictions", path, predictions)] if predictions else []),
                    *(
                        ("id" if name == "ids" else name, self.common or path, column)
                        for name, column in self._named.items()
                    ),
                ]
            }
            for system, (path, predictions) in self.systems.items()
        }

    @cached_property
    def _named(self) -> dict[str, str]:
        """Return the fields of references, groups, clusters and ids, as far as they are named."""
        return {name: field for name, field in self.fields.items() if field is not None}

    @property
    def _labels(self) -> set[str]:
        """Return the names of the columns that are no inputs."""
        return {*self.cluster_fields, "groups", "ids"}

    def source(self, path: Path) -> Source:
        """Return a file, and the fields of it that are needed."""
        fields_of_file = [
            column
            for source_path, column in self.systems.values()
            if source_path == path and column
        ]
        is_common = self.common in (None, path)
        labels = [field for name, field in self._named.items() if is_common or name == "ids"]
        source = self.opened.get(path)
        if source is None:
            options: dict[str, Any] = {"format_name": self.format_name, "limit": self.limit}
            source = self._sources.get(path) or Source(path, [], **options, progress=True)
            self._sources[path] = source
        source.fields = list(dict.fromkeys([*fields_of_file, *labels]))
        for predictions in fields_of_file if is_common else ():
            self.check_compared(source, predictions, self.fields["references"])
        inputs = {
            name: [field] if is_common else []
            for name, field in self._named.items()
            if name not in self._labels
        }
        self._expect(source, {"references": [], **inputs, "predictions": fields_of_file})
        return source

    @staticmethod
    def check_compared(source: Source, predictions: str | None, references: str | None) -> None:
        """Check that no column would be compared with itself.

        Raises:
            UsageError: predictions and references are one column of the file.
        """
        if predictions is None or references is None:
            return
        columns = source.log.columns
        column = columns.get(predictions)
        if predictions == references or (column is not None and column is columns.get(references)):
            of_rows = f": field {references!r}" if source.log.format_name == PLAIN_ROWS else ""
            raise UsageError(f"{source.path}{of_rows} would be compared with itself")

    def _expect(self, source: Source, inputs: Mapping[str, Collection[str]]) -> None:
        """Set which cells of a file are numbers, and which must not be empty.

        Args:
            source: the file.
            inputs: the fields of each input.
        """
        sets = [metric.feature_sets for metric in self.metrics.values()]
        source.numbers, source.only_numbers = set(), set()
        for name, columns in inputs.items():
            # Whether any or all of the shapes in which each module takes the input are numbers.
            kinds = [[_is_number(f[name]) for f in of_module if name in f] for of_module in sets]
            if any(kinds):
                source.numbers |= {*columns} if all(map(any, filter(None, kinds))) else set()
                source.only_numbers |= {*columns} if all(map(all, kinds)) else set()
        source.filled = inputs["references"]
        source.references, source.separator = inputs["references"], self.split_references

    def _check_rows(
        self, sources: Mapping[Path, Source], columns: Mapping[Path, Mapping[str, list[Any]]]
    ) -> None:
        """Check that the files of systems agree where they have the same columns."""
        if self.common is None and not self.compare:
            return
        (first, inputs), *more_files = columns.items()
        for path, fields_of_file in more_files:
            if sources[path].rows != sources[first].rows:
                raise ValueError(
                    f"{path} has {counted(sources[path].rows, 'row')}, but {first} has "
                    f"{sources[first].rows:,}; systems are compared on the same rows"
                )
            for column in dict.fromkeys(filter(None, [self.ids, *self._named.values()])):
                if (
                    column in fields_of_file
                    and column in inputs
                    and fields_of_file[column] != inputs[column]
                ):
                    pairs = zip(fields_of_file[column], inputs[column], strict=True)
                    row = next(i for i, (a, b) in enumerate(pairs) if a != b)
                    raise ValueError(
                        f"{path}: {sources[path].location(row)}: field {column!r} differs from "
                        f"{first}; systems are compared on the same rows"
                    )

    def _options_by_module(self) -> dict[str, dict[str, Any]]:
        """Return the options of each module: those of the preset, replaced by requested ones."""
        defaults = {name: metric.options for name, metric in self.metrics.items()}
        requested = assign(self.options or {}, defaults)
        if self.preset is None:
            return requested
        of_preset = assign(preset_options(self.preset, self.modules), defaults)
        return {module: of_preset[module] | options for module, options in requested.items()}


def fields_of_file(path: Path) -> dict[str, None]:
    """Return the fields of a file of rows, in the place of columns.

    Raises:
        ValueError: the file has no rows with fields, or is a log.
        OSError: the file cannot be read.
    """
    with closing(Source(path, [])) as source:
        log = source.log
    if log.format_name != PLAIN_ROWS:
        raise ValueError(
            f"{path}: score reads tables; `metric-commons score` reads {log.format_name}"
        )
    return dict.fromkeys(log.names)


def results_of_file(
    request: Request, path: Path, systems: Mapping[str, str | None], labels: Mapping[str, Any]
) -> Results:
    """Return the results on a file of rows, for `score`.

    Args:
        request: the request; its fields are ignored.
        path: the file.
        systems: the field with the predictions of each system.
        labels: the fields of all other columns by name, or None.

    Raises:
        ValueError: a column is not the name of a field, or the rows are not valid.
    """
    for name, field_name in labels.items():
        if not isinstance(field_name, str | list | None if name == "clusters" else str | None):
            raise ValueError(f"{name} must name a field of {path}, got {shown(field_name)}")
    further = {n: f for n, f in labels.items() if f and n not in ("references", *ROW_LABELS)}
    named = {name: labels[name] for name in ("references", *ROW_LABELS)}
    options = {option.name: getattr(request, option.name) for option in fields(request)}
    evaluation = Evaluation(
        **options | named | {"columns": further},
        systems={system: (path, field_name or "") for system, field_name in systems.items()},
    )
    return evaluation.results()


def systems_from(paths: Sequence[Path], fields: Sequence[str]) -> dict[str, tuple[Path, str]]:
    """Return the file and field of each system, by the part of their names that distinguishes them.

    Raises:
        UsageError: two systems have the same name.
    """
    stems = [stem(path) for path in paths]
    names = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
    systems: dict[str, tuple[Path, str]] = {}
    for name, path in zip(names, paths, strict=True):
        for column in fields:
            parts = ([name] if len(paths) > 1 else []) + ([column] if len(fields) > 1 else [])
            system = "/".join(parts) or column or name
            if system in systems:
                raise UsageError(f"system {system!r} is given twice")
            systems[system] = path, column
    return systems


def _is_number(feature: Any) -> bool:
    """Return whether cells of an input are numbers; a cell cannot be a record."""
    is_record = isinstance(feature, dict)
    return not is_record and ("int64" in str(feature) or "float64" in str(feature))
