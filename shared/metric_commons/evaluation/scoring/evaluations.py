"""Evaluations of files, as requested by a command line or a configuration file."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data.files.access import Limits
from ...data.files.streams import stem
from ...data.harness_logs.logs import PLAIN_ROWS
from ...data.tables.tables import Columns, Source
from ...module.catalog import catalog
from ...module.catalog.presets import preset, preset_options
from ...module.catalog.request import ROW_LABELS, Request, can_fork
from ...module.catalog.usage import UsageError
from ...module.declaration.declarations import Module, assign, check_supported, names_of_functions
from ...statistics.arguments.checks import RowError, check_labels, shown
from ...statistics.arguments.domains import is_per_row
from ..results.module_results import ModuleResult
from ..results.rendering import counted
from ..results.results import Results
from ..states.score_kind import kind_of
from .system_rows import InputError, SystemRows
from .text_notes import TextNotes
from .worker_processes import Result, columns_of, cores, map_pieces, run_parallel

if TYPE_CHECKING:
    from .scoring_plans import ScoringPlan
    from .states import Part

_Labels = dict[str, dict[str, Any]]  # of groups and of clusters: the labels by their texts

_ROWS = 2048  # of a block: few enough for long texts
_ROWS_OF_PIECE = 1 << 15  # of a block of limited size
_SIZE_OF_PROCESS = 4_000_000  # bytes of files that justify forking a process


@dataclass(frozen=True, kw_only=True)
class Evaluation(Request):
    """A request about files: the systems to be scored, and how to read their files."""

    systems: Mapping[str, tuple[Path, str]]  # the file, and the field of predictions if needed
    common: Path | None = None  # the file of these fields; None if each system has its own
    format_name: str | None = None
    allow_empty_references: bool = False  # in cells of CSV and TSV
    split_references: str | None = None  # what separates several references in a cell
    limit: int | None = None
    opened: Mapping[Path, Source] = field(default_factory=dict)  # files whose format is known
    limits: Limits | None = None  # of lines and compressed files

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
        return is_uncertain or self.compare or self.per_example

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
        return TextNotes(self.metrics, self._options_by_module())

    def results(self) -> Results:
        """Return the scores of every system and, if requested, a comparison of every two systems.

        Raises:
            ValueError: a file is malformed, or a module refuses a row.
            OSError: a file cannot be read.
        """
        return self._run(self._results)

    def part(self) -> "Part":
        """Return the states of every system and module, to be merged with those of other rows.

        Raises:
            ValueError: a file is malformed, or a module refuses a row.
            OSError: a file cannot be read.
        """
        return self._run(self._part)

    def _run(self, work: Callable[[int], Result]) -> Result:
        """Return the result of work in processes: one, if a file can be read only once.

        Files that it opened are closed in the end, also those that an error left open.
        """
        files = self.inputs()
        jobs = 1
        self.notes  # noqa: B018 # which processes share
        if all(map(Path.is_file, files)):
            most = sum(path.stat().st_size for path in files) // _SIZE_OF_PROCESS
            jobs = self.jobs or (min(cores(), most) if most > 1 and can_fork() else 1)
        try:
            return run_parallel(work, jobs)
        finally:
            for source in self._sources:
                source.close()

    @cached_property
    def _sources(self) -> list[Source]:
        """Return the files that were opened here."""
        return []

    def _results(self, jobs: int) -> Results:
        """Return the results, from this number of processes."""
        # All rows are needed to be saved, matched, or scored together.
        needs_all_rows = (
            *(self.per_example, self.compare, self.missing != "refuse"),
            self.common is not None and set(self.paths) != {self.common},
            not all(kind_of(metric).scores_rows for metric in self.metrics.values()),
            *(len(self.cluster_fields) > 1, need_rows(self.metrics, self.options or {})),
        )
        if any(needs_all_rows):
            results, _ = self.with_rows(jobs)
        else:
            results = self._part(jobs).results(**self.intervals).choose(self.scores)
        record = results.provenance | {"columns": self._columns()}
        results = replace(results, provenance=record)
        if self.split_references is not None:
            separator = self.split_references.replace("|", "vertical line")  # signatures use "|"
            results = signed(results, None, {"split_references": separator})
        return signed(results, self.preset)

    def _part(self, jobs: int) -> "Part":
        names = ("confidence_level", "groups", "clusters")
        check_supported([name for name in names if getattr(self, name) is not None], self.metrics)
        part = self._plan.empty_part(self.preset)
        sources = {path: self.source(path) for path in self.inputs()}
        for path, source in sources.items():
            labels: _Labels = {"groups": {}, "clusters": {}}
            if jobs == 1:
                for block in source.blocks(_ROWS_OF_PIECE if source.is_divisible else _ROWS):
                    start = source.rows - len(next(iter(block.values())))
                    self._update(part, labels, path, block, start, sources)
            else:

                def work(
                    blocks: Iterable[tuple[int, Columns]], path: Path = path
                ) -> tuple["Part", _Labels]:
                    part_of_piece = self._plan.empty_part(self.preset)
                    labels_of_piece: _Labels = {"groups": {}, "clusters": {}}
                    for start, block in blocks:
                        self._update(part_of_piece, labels_of_piece, path, block, start, sources)
                    return part_of_piece, labels_of_piece

                with closing(map_pieces(source, work, jobs)) as results:
                    for part_of_piece, labels_of_piece in results:
                        part.merge(part_of_piece)
                        for name, texts in labels_of_piece.items():
                            check_labels(name, list(texts.values()), len(texts), labels[name])
            part.inputs.append(source.provenance())
        return part

    @cached_property
    def _plan(self) -> "ScoringPlan":
        """Return how blocks of rows become states."""
        from .scoring_plans import ScoringPlan

        level = self.confidence_level
        return ScoringPlan(
            self._options_by_module(),
            {system: field or None for system, (_, field) in self.systems.items()},
            self._labels,
            {} if level is None else {"confidence_level": level},
        )

    def _update(
        self,
        part: "Part",
        labels: _Labels,
        path: Path,
        block: Mapping[str, list[Any]],
        start: int,
        sources: Mapping[Path, Source],
    ) -> None:
        """Add a block of rows of a file, the first with the number `start`, to the states."""
        systems = [name for name, (source_path, _) in self.systems.items() if source_path == path]
        for system in systems:
            self._note(block, self.systems[system][1])
        try:
            self._plan.update(part, block, start, systems)
            for name, texts in labels.items():
                if column := block.get(self._labels.get(name, "")):
                    check_labels(name, column, len(column), texts)
        except ValueError as error:
            refused = error if isinstance(error, InputError) else InputError(systems[0], error)
            raise self.located(refused, sources, start) from error

    def _note(self, columns: Mapping[str, list[Any]], predictions: str) -> None:
        references = columns.get(self._labels.get("references", ""), [])
        self.notes.update(columns.get(predictions, []), references)

    def with_rows(
        self, jobs: int = 1, **options: Any
    ) -> tuple[Results, dict[str, dict[str, list[Any] | None]]]:
        """Return the results, with all rows in memory, and the columns of each system.

        Args:
            jobs: the number of processes that read and score rows.
            **options: options of modules, in addition to those of the evaluation.

        Raises:
            ValueError: a file is malformed, or a module refuses a row.
            OSError: a file cannot be read.
        """
        sources = {path: self.source(path) for path in self.inputs()}
        columns = {path: columns_of(source, jobs) for path, source in sources.items()}
        self._check_rows(sources, columns)
        for path, predictions in self.systems.values():
            self._note({**columns[self.common or path], **columns[path]}, predictions)
        columns_of_systems: dict[str, dict[str, list[Any] | None]] = {
            system: {
                **dict.fromkeys(self.fields),
                **({"predictions": columns[path][predictions]} if predictions else {}),
                **{name: columns[self.common or path][f] for name, f in self._labels.items()},
            }
            for system, (path, predictions) in self.systems.items()
        }
        from .system_scores import score_systems  # imports numpy, so only on use

        try:
            results = score_systems(
                replace(self, options=self._all_options() | options, jobs=jobs),
                self.metrics,
                {system: self._system_rows(c) for system, c in columns_of_systems.items()},
                inputs=[source.provenance() for source in sources.values()],
                progress=True,
            )
        except InputError as error:
            raise self.located(error, sources) from error
        return results, columns_of_systems

    def _system_rows(self, columns: Mapping[str, Any]) -> SystemRows:
        """Return the rows of a system, from its columns by the names of inputs and labels."""
        clusters = {field: columns[name] for name, field in self.cluster_fields.items()}
        rows = SystemRows(
            inputs=dict.fromkeys(self.metrics, columns),
            groups=columns["groups"],
            clusters=clusters if len(clusters) > 1 else next(iter(clusters.values()), None),
            ids=columns["ids"],
        )
        return rows if self.missing == "refuse" else rows.answered(self.missing)

    def _columns(self) -> dict[str, dict[str, dict[str, str | None]]]:
        """Return the file, format and field of every column of each system, to find rows again."""
        return {
            system: {
                name: {"path": str(source), "format": self.format_name, "field": column}
                for name, source, column in [
                    *([("predictions", path, predictions)] if predictions else []),
                    *(
                        ("id" if name == "ids" else name, self.common or path, column)
                        for name, column in self._labels.items()
                    ),
                ]
            }
            for system, (path, predictions) in self.systems.items()
        }

    @cached_property
    def _labels(self) -> dict[str, str]:
        """Return the fields of references, groups, clusters and ids, as far as they are named."""
        return {name: field for name, field in self.fields.items() if field is not None}

    def source(self, path: Path) -> Source:
        """Return a file, and the fields of it that are needed."""
        fields_of_file = [
            column
            for source_path, column in self.systems.values()
            if source_path == path and column
        ]
        is_common = self.common in (None, path)
        labels = [field for name, field in self._labels.items() if is_common or name == "ids"]
        source = self.opened.get(path)
        if source is None:
            options: dict[str, Any] = {"format_name": self.format_name, "limit": self.limit}
            source = Source(path, [], **options, limits=self.limits, progress=True)
            self._sources.append(source)
        source.fields = list(dict.fromkeys([*fields_of_file, *labels]))
        for predictions in fields_of_file if is_common else ():
            self.check_compared(source, predictions, self.fields["references"])
        inputs = {
            name: [field] if is_common else []
            for name, field in self._labels.items()
            if name not in ROW_LABELS
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
        source.filled = [] if self.allow_empty_references else inputs["references"]
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
            for column in dict.fromkeys(filter(None, [self.ids, *self._labels.values()])):
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

    def _all_options(self) -> dict[str, Any]:
        """Return the options of all modules, as `module.option`."""
        return {
            f"{module}.{option}": value
            for module, options in self._options_by_module().items()
            for option, value in options.items()
        }

    def located(
        self, error: InputError, sources: Mapping[Path, Source], before: int = 0
    ) -> ValueError:
        """Return an error about `predictions[12]`, with the file, the field and the line.

        `before` is the number of rows in earlier blocks.
        """
        path, predictions = self.systems[error.system]
        names = {"predictions": predictions, **self.fields}
        cause = error.error
        if not isinstance(cause, RowError) or cause.column not in names:
            return cause
        file = path if cause.column == "predictions" else self.common or path
        position = sources[file].location(before + cause.row)
        return ValueError(f"{file}: {position}: {cause.about(f'field {names[cause.column]!r}')}")


def need_rows(metrics: Mapping[str, Module], options: Mapping[str, Any]) -> bool:
    """Return whether options of modules are functions, or are about all rows."""
    if names_of_functions(options):
        return True
    for key, value in options.items():
        option = key.rpartition(".")[2]
        follows = (metric.options_of_all_rows.get(option) for metric in metrics.values())
        declared = [m.declared_options[option] for m in metrics.values() if option in m.options]
        per_row = any(is_per_row(declaration.annotation) for declaration in declared)
        if per_row or value in filter(None, follows):
            return True
    return False


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


def signed(results: Results, name: str | None, values: Mapping[str, Any] | None = None) -> Results:
    """Return results with the name of a preset in provenance, and in signatures where it applies.

    Args:
        results: the results.
        name: the name of a preset, if any.
        values: other conditions of all scores, for signatures.
    """
    if name is None and values is None:
        return results
    options = {} if name is None else preset(name).modules

    def conditioned(_: str, module: str, result: ModuleResult) -> ModuleResult:
        if any(result.options[option] != v for option, v in options.get(module, {}).items()):
            return result
        added = {"preset": name} if values is None else values
        return replace(result, conditions={**result.conditions, **added}).signed(module)

    record = results.provenance | ({} if name is None else {"preset": name})
    return replace(results.map_modules(conditioned), provenance=record)


def _is_number(feature: Any) -> bool:
    """Return whether cells of an input are numbers; a cell cannot be a record."""
    is_record = isinstance(feature, dict)
    return not is_record and ("int64" in str(feature) or "float64" in str(feature))
