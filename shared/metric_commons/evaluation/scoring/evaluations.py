"""Evaluations of files, as requested by a command line or a configuration file."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data.files.json_rows import Columns
from ...data.files.streams import stem
from ...data.harness_logs.logs import PLAIN_ROWS
from ...data.tables.tables import Source
from ...module.catalog import catalog
from ...module.catalog.presets import preset_options
from ...module.catalog.request import Request, can_fork
from ...module.catalog.usage import UsageError, note
from ...module.declaration.declarations import Module, assign
from ...statistics.arguments.checks import RowError
from ..results.rendering import counted
from ..results.results import Results
from ..rows.rows import InputError
from ..rows.worker_processes import cores, run_parallel
from .text_notes import TextNotes

if TYPE_CHECKING:
    from ..rows.plans import Block, Plan, Tables

FORMATS_OF_BOTH = ("lines", "conll", "squad")  # predictions and answers share these formats
_ROWS = 2048  # of a block: few enough for long texts
_SIZE_OF_PROCESS = 4_000_000  # bytes of files that justify forking a process


@dataclass(frozen=True, kw_only=True)
class Evaluation(Request):
    """A request about files: the systems to be scored, and how to read their files."""

    systems: Mapping[str, tuple[Path, str]]  # the file, and the field of predictions if needed
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

    def inputs(self) -> list[Path]:
        """Return the files that are read."""
        return list(dict.fromkeys(path for path, _ in self.systems.values()))

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
        from ..rows.plans import with_tables  # these import numpy
        from .scored_systems import check_reported, results_of_tables

        check_reported(self, self.metrics, self.groups, self.clusters)
        self.notes  # noqa: B018 # which processes share
        try:
            tables = run_parallel(self._tables, self._processes())
            if self.split_references is not None:
                separator = self.split_references.replace("|", "vertical line")  # as in signatures
                of_separator = {"split_references": separator}
                tables = with_tables(
                    tables, lambda t: replace(t, conditions={**t.conditions, **of_separator})
                )
            sources = [self._opened(path).provenance() for path in self.inputs()]
            results = results_of_tables(self, tables, inputs=sources, progress=True)
        except InputError as error:
            raise self._located(error) from error
        finally:
            for source in self._sources.values():
                source.close()
        self._note_texts()
        return replace(results, provenance=results.provenance | self._record_of(tables))

    def _note_texts(self) -> None:
        """Note what the texts have in common, and cells that seem to hold several references."""
        for line in self.notes.lines():
            note(line)
        inputs = [getattr(metric, "accepted_inputs", {}) for metric in self.metrics.values()]
        if not any("list of str" in kinds.get("references", []) for kinds in inputs):
            return
        sources = {**self.opened, **self._sources}.values()
        for cells, content, advice in (
            (sum(s.lists for s in sources), "a list", "a column has lists if every cell is one"),
            (
                sum(s.joined for s in sources),
                "a '|'",
                "--split-references '|' makes lists of accepted answers",
            ),
        ):
            if cells:
                subject = f"{counted(cells, 'cell')} of references with {content}"
                note(f"{subject} counted as one text each; {advice}")

    def _record_of(self, tables: "Tables") -> dict[str, Any]:
        """Return the file, format and field of every column, to find rows again.

        If systems have their rows in different orders, these are found by their ids, as in logs.
        """
        ids = [next(iter(of_system.values())).ids for of_system in tables.values()]
        if any(of_system != ids[0] for of_system in ids):
            id_and_references = {"id": self.ids, "references": self.fields["references"]}
            return {
                "logs": {
                    system: {"path": str(path), "format": self._opened(path).log.format_name}
                    | {"field": predictions, **id_and_references}
                    for system, (path, predictions) in self.systems.items()
                }
            }
        named = {"id" if n == "ids" else n: f for n, f in self.fields.items() if f is not None}
        columns = {}
        for system, (path, predictions) in self.systems.items():
            fields_of_system = {**({"predictions": predictions} if predictions else {}), **named}
            columns[system] = {
                name: {"path": str(path), "format": self.format_name, "field": column}
                for name, column in fields_of_system.items()
            }
        return {"columns": columns}

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
        found: Tables = {}
        for path in self.inputs():
            found |= self._tables_of_file(path, jobs)
        return {system: found[system] for system in self.systems}

    def _tables_of_file(self, path: Path, jobs: int) -> "Tables":
        """Return the scored rows of a file, whose blocks are not kept."""
        from ..rows.plans import merged, score_tasks
        from .scored_systems import needs_all_rows

        plan, source = self._plan(path), self.source(path)
        size: int | None = _ROWS
        if any(map(needs_all_rows, self._configured.values())):
            size, jobs = None, 1

        def numbered() -> Iterator[tuple[int, Columns]]:
            for block in source.blocks(size):
                yield source.rows - len(next(iter(block.values()))), block

        def blocks_of(task: tuple[int, Columns]) -> "Iterator[Block]":
            start, block = task
            rows = plan.rows(block, partial(_place, source, start))
            for of_system in rows.values():
                self.notes.update(of_system.columns)
            yield rows

        found = score_tasks(numbered(), blocks_of, self._configured, self.missing, jobs)
        with closing(found):
            return merged(tables for tables, _ in found)

    def _plan(self, path: Path) -> "Plan":
        """Return which fields of a file are which columns."""
        from .scored_systems import plan_of_columns

        systems = {name: field or None for name, (of, field) in self.systems.items() if of == path}
        clusters = self.cluster_fields
        labels: dict[str, Any] = {n: f for n, f in self.fields.items() if n not in clusters}
        labels["clusters"] = [*clusters.values()]
        return plan_of_columns(self._options_by_module(), systems, labels, self.missing)

    def _located(self, error: InputError) -> ValueError:
        """Return an error that was found in all rows with the place of its row in a file."""
        if self.missing != "refuse" or not isinstance(error.error, RowError):
            return error
        path, _ = self.systems[error.system]
        field_name = self._plan(path).field(error.system, error.error.column)
        return ValueError(
            error.error.about(_place(self.source(path), 0, field_name, error.error.row))
        )

    @cached_property
    def _configured(self) -> dict[str, Any]:
        """Return the modules with their options."""
        from .scored_systems import configured

        return configured(self, self.metrics, self._options_by_module())

    def _opened(self, path: Path) -> Source:
        if path in self.opened:
            return self.opened[path]
        if path not in self._sources:
            self._sources[path] = Source(
                path,
                [],
                format_name=self.format_name,
                limit=self.limit,
                progress=True,
            )
        return self._sources[path]

    def source(self, path: Path) -> Source:
        """Return a file, and the fields of it that are needed."""
        source, plan = self._opened(path), self._plan(path)
        source.fields = plan.names()
        predictions = list(filter(None, plan.systems.values()))
        for field_name in predictions:
            self.check_compared(source, field_name, self.fields["references"])
        inputs = {name: [field_name] for name, field_name in plan.columns.items()}
        self._expect(source, {"references": [], **inputs, "predictions": predictions})
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
        source.filled = source.references = inputs["references"]
        source.separator = self.split_references

    def _options_by_module(self) -> dict[str, dict[str, Any]]:
        """Return the options of each module: those of the preset, replaced by requested ones."""
        defaults = {name: metric.options for name, metric in self.metrics.items()}
        requested = assign(self.options or {}, defaults)
        if self.preset is None:
            return requested
        of_preset = assign(preset_options(self.preset, self.modules), defaults)
        return {module: of_preset[module] | options for module, options in requested.items()}


def _place(source: Source, start: int, name: str, row: int) -> str:
    return f"{source.path}: {source.location(start + row)}: field {name!r}"


def systems_of_files(
    sources: Sequence[Source], fields: Mapping[str, str | None], *, are_logs: bool = False
) -> dict[str, tuple[Path, str]]:
    """Return the file and field of each system, by the part of their names that distinguishes them.

    Args:
        sources: the files.
        fields: fields of predictions by name; one without a name and a field for the standard field
            of a log.
        are_logs: whether a single system is named after its file.

    Raises:
        UsageError: two systems have the same name.
    """
    systems: dict[str, tuple[Path, str]] = {}
    for file, source in zip(_file_names(sources), sources, strict=True):
        for name, of_predictions in fields.items():
            column = of_predictions or ""
            has_file = len(sources) > 1 or (are_logs and name == column)
            has_field = len(fields) > 1 or name != column
            system = "/".join([file] * has_file + [name] * has_field) or name or file
            if system in systems:
                raise UsageError(f"system {system!r} is given twice")
            systems[system] = source.path, column
    return systems


def _file_names(sources: Sequence[Source]) -> list[str]:
    """Return the shortest names that distinguish the files: models, with tasks, stems or paths."""
    logs = [source.log for source in sources]
    for names in (
        [log.system or "" for log in logs],
        [f"{log.system}/{log.task}" if log.system and log.task else "" for log in logs],
        [stem(source.path) for source in sources],
    ):
        if all(names) and len(set(names)) == len(names):
            return names
    return [str(source.path) for source in sources]


def _is_number(feature: Any) -> bool:
    """Return whether cells of an input are numbers; a cell cannot be a record."""
    is_record = isinstance(feature, dict)
    return not is_record and ("int64" in str(feature) or "float64" in str(feature))
