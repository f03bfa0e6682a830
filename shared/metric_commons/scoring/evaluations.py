"""One evaluation, whether a command line or a file asks for it: what to read, and how to score."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.declarations import Module
from ..catalog import catalog
from ..catalog.arguments import assign, check_supported
from ..catalog.presets import preset, preset_options
from ..catalog.usage import UsageError
from ..files.pieces import Piece
from ..files.streams import Limits, stem
from ..files.tables import Source
from ..numbers.checks import RowError, check_labels
from ..results.module_results import ModuleResult
from ..results.rendering import counted
from ..results.results import Results
from ..score_kinds.score_kind import kind_of
from .parallel_reading import columns_of
from .request import Request
from .scoring import score_columns
from .system_rows import InputError
from .worker_processes import can_fork, cores, in_order, in_processes

if TYPE_CHECKING:
    from ..states.parts import Part
    from .scoring_plans import ScoringPlan

_Labels = dict[str, dict[str, Any]]  # of groups and clusters the labels by what they are called

_ROWS = 2048  # of a block: enough to score at full speed, few enough to hold long texts
_SIZE_OF_PROCESS = 4_000_000  # bytes of files, of which the work takes longer than to fork for it


@dataclass(frozen=True, kw_only=True)
class Evaluation(Request):
    """A request about files: which systems are scored, and how their files are read."""

    systems: Mapping[str, tuple[Path, str]]  # the file and the field of the predictions
    common: Path | None = None  # the file of these fields; None if each system's file has its own
    format_name: str | None = None
    allow_empty_references: bool = False  # in cells of CSV and TSV
    limit: int | None = None
    opened: Mapping[Path, Source] = field(default_factory=dict)  # files whose format was found
    limits: Limits | None = None  # of lines and compressed files

    @cached_property
    def metrics(self) -> Mapping[str, Module]:
        """The modules by their names, each loaded once."""
        return {name: catalog.load_without_evaluate(name) for name in self.modules}

    @property
    def uses_clusters(self) -> bool:
        """Whether clusters change anything: intervals, errors, tests, or the rows to be saved."""
        is_uncertain = self.confidence_level is not None or self.standard_error
        return is_uncertain or self.compare or self.per_example

    def inputs(self) -> list[Path]:
        """The files that are read."""
        return list(dict.fromkeys([*filter(None, [self.common]), *self._paths()]))

    def results(self) -> Results:
        """The scores of every system and, if it is asked for, every two of them compared.

        Raises:
            ValueError: a file is not what it should be, or a module refuses what is in it.
            OSError: a file cannot be read.
        """
        return in_processes(self._results, self._processes())

    def _results(self, jobs: int) -> Results:
        """The results, made in so many processes."""
        if self._needs_all_rows():
            results, _ = self.with_rows(jobs)
        else:
            results = self._part(jobs).results(**self.intervals).choose(self.scores)
        record = results.provenance | {"columns": self._columns()}
        return signed(replace(results, provenance=record), self.preset)

    def _needs_all_rows(self) -> bool:
        """Whether rows cannot be forgotten: wanted again, matched, or not scored one by one."""
        several_files = self.common is not None and set(self._paths()) != {self.common}
        one_by_one = all(kind_of(metric).scores_rows for metric in self.metrics.values())
        return self.per_example or self.compare or several_files or not one_by_one

    def part(self) -> "Part":
        """The states of every system and module, to be merged with those of other rows.

        Raises:
            ValueError: a file is not what it should be, or a module refuses what is in it.
            OSError: a file cannot be read.
        """
        return in_processes(self._part, self._processes())

    def _processes(self) -> int:
        """In how many processes to begin: one, if a file can be read but once."""
        files = self.inputs()
        if not all(map(Path.is_file, files)):
            return 1
        if self.jobs is not None:
            return self.jobs
        most = sum(path.stat().st_size for path in files) // _SIZE_OF_PROCESS
        return min(cores(), most) if most > 1 and can_fork() else 1

    def _part(self, jobs: int) -> "Part":
        labels = ("confidence_level", "groups", "clusters")
        check_supported([name for name in labels if getattr(self, name) is not None], self.metrics)
        part = self._plan.empty_part(self.preset)
        sources = {path: self.source(path) for path in self.inputs()}
        for path, source in sources.items():
            texts: _Labels = {"groups": {}, "clusters": {}}
            if jobs == 1:
                for block in source.blocks(_ROWS):
                    start = source.rows - len(next(iter(block.values())))
                    self._take(part, texts, path, block, start, sources)
            else:
                self._take_pieces(part, texts, path, sources, jobs)
            part.inputs.append(source.provenance())
        return part

    @cached_property
    def _plan(self) -> "ScoringPlan":
        """How blocks of rows become states."""
        from .scoring_plans import ScoringPlan

        level = self.confidence_level
        return ScoringPlan(
            assign(self._all_options(), self._known_options()),
            {system: predictions for system, (_, predictions) in self.systems.items()},
            {name: field for name, field in self.fields.items() if field is not None},
            {} if level is None else {"confidence_level": level},
        )

    def _take_pieces(
        self,
        part: "Part",
        labels: _Labels,
        path: Path,
        sources: Mapping[Path, Source],
        jobs: int,
    ) -> None:
        """Take the rows of a file, whose pieces other processes read and score, into the states."""
        source = sources[path]

        def work(piece: Piece) -> tuple["Part", _Labels]:
            part_of_piece, start = self._plan.empty_part(self.preset), piece.start
            labels_of_piece: _Labels = {name: {} for name in labels}
            for block in source.blocks_of(piece, _ROWS):
                self._take(part_of_piece, labels_of_piece, path, block, start, sources)
                start += _ROWS
            return part_of_piece, labels_of_piece

        with closing(in_order(work, source.pieces(_ROWS), jobs)) as results:
            for part_of_piece, labels_of_piece in results:
                part.merge(part_of_piece)
                for name, texts in labels_of_piece.items():
                    check_labels(name, list(texts.values()), len(texts), labels[name])

    def _take(
        self,
        part: "Part",
        labels: _Labels,
        path: Path,
        block: Mapping[str, list[Any]],
        start: int,
        sources: Mapping[Path, Source],
    ) -> None:
        """Take a block of rows of a file, whose first has the number `start`, into the states."""
        systems = [name for name, (source_path, _) in self.systems.items() if source_path == path]
        try:
            self._plan.update(part, block, start, systems)
            for name, texts in labels.items():
                column = block.get(self.fields[name] or "", [])
                check_labels(name, column, len(column), texts)
        except ValueError as error:
            refused = error if isinstance(error, InputError) else InputError(systems[0], error)
            raise self.located(refused, sources, start) from error

    def with_rows(
        self, jobs: int = 1, **options: Any
    ) -> tuple[Results, dict[str, dict[str, list[Any]]]]:
        """The results of rows that are kept, and these rows: the columns of each system.

        Args:
            jobs: how many processes read and score the rows.
            **options: of the modules, beside those of the evaluation.

        Raises:
            ValueError: a file is not what it should be, or a module refuses what is in it.
            OSError: a file cannot be read.
        """
        sources = {path: self.source(path) for path in self.inputs()}
        columns = {path: columns_of(source, jobs) for path, source in sources.items()}
        self._check_rows(sources, columns)
        rows = {
            system: {
                "predictions": columns[path][predictions],
                **{
                    name: columns[self.common or path][field]
                    for name, field in self.fields.items()
                    if field is not None
                },
            }
            for system, (path, predictions) in self.systems.items()
        }

        labels = {
            name: {system: rows[system][name] for system in rows} if field is not None else None
            for name, field in self.fields.items()
        }
        try:
            results = score_columns(
                replace(self, options=self._all_options() | options, jobs=jobs),
                self.metrics,
                {system: rows[system]["predictions"] for system in rows},
                labels,
                inputs=[source.provenance() for source in sources.values()],
                progress=True,
            )
        except InputError as error:
            raise self.located(error, sources) from error
        return results, rows

    def _columns(self) -> dict[str, dict[str, dict[str, str | None]]]:
        """Of each system the file, its format and the field of every column, to find rows again."""
        return {
            system: {
                name: {"path": str(source), "format": self.format_name, "field": column}
                for name, source, column in [
                    ("predictions", path, predictions),
                    *(
                        ("id" if name == "ids" else name, self.common or path, column)
                        for name, column in self.fields.items()
                        if column
                    ),
                ]
            }
            for system, (path, predictions) in self.systems.items()
        }

    def _paths(self) -> Iterator[Path]:
        return (path for path, _ in self.systems.values())

    def source(self, path: Path) -> Source:
        """A file, to be read as far as it is needed."""
        fields_of_file = [
            column for source_path, column in self.systems.values() if source_path == path
        ]
        shared_fields = {name: column for name, column in self.fields.items() if column is not None}
        if self.common not in (None, path):
            shared_fields = {
                name: column for name, column in shared_fields.items() if name == "ids"
            }
        fields = list(dict.fromkeys([*fields_of_file, *shared_fields.values()]))
        source = self.opened.get(path)
        if source is None:
            source = Source(
                path,
                fields,
                format_name=self.format_name,
                limit=self.limit,
                limits=self.limits,
                progress=True,
            )
        source.fields = fields
        references = [field for field in [shared_fields.get("references")] if field]
        self._expect(source, {"predictions": fields_of_file, "references": references})
        return source

    def _expect(self, source: Source, inputs: Mapping[str, Collection[str]]) -> None:
        """Tell a file which cells are numbers, and which may not be empty; `inputs` are fields."""
        source.numbers, source.only_numbers = (
            {
                field
                for name, fields in inputs.items()
                if self._take_numbers(name, ways)
                for field in fields
            }
            for ways in (any, all)
        )
        source.filled = [] if self.allow_empty_references else inputs["references"]

    def _take_numbers(self, key: str, quantifier: Callable[[Iterable[bool]], bool]) -> bool:
        """Whether all modules take numbers for an input: in any, or in all ways to give it."""
        having = [
            feature_sets
            for feature_sets in (metric.feature_sets for metric in self.metrics.values())
            if key in feature_sets[0]
        ]
        return bool(having) and all(
            quantifier(
                not isinstance(features[key], dict)  # a record, which no cell is
                and ("int64" in str(features[key]) or "float64" in str(features[key]))
                for features in feature_sets
                if key in features
            )
            for feature_sets in having
        )

    def _check_rows(
        self, sources: Mapping[Path, Source], columns: Mapping[Path, Mapping[str, list[Any]]]
    ) -> None:
        """What files have in common is the same in every row, where rows are taken as the same."""
        if self.common is None and not self.compare:
            return
        (first, inputs), *more_files = columns.items()
        for path, fields_of_file in more_files:
            if sources[path].rows != sources[first].rows:
                raise ValueError(
                    f"{path} has {counted(sources[path].rows, 'row')}, but {first} has "
                    f"{sources[first].rows:,}; systems are compared on the same rows"
                )
            shared = ("ids", "references", "groups", "clusters")
            for column in filter(None, map(self.fields.get, shared)):
                if (
                    column in fields_of_file
                    and column in inputs
                    and fields_of_file[column] != inputs[column]
                ):
                    pairs = zip(fields_of_file[column], inputs[column], strict=True)
                    row = next(i for i, (a, b) in enumerate(pairs) if a != b)
                    raise ValueError(
                        f"{path}: {sources[path].location(row)}: field {column!r} is not that of "
                        f"{first}; systems are compared on the same rows"
                    )

    def _all_options(self) -> dict[str, Any]:
        """The options of each module: what the preset says, then what was asked for."""
        requested = assign(self.options or {}, self._known_options())
        of_preset = {} if self.preset is None else preset_options(self.preset, self.modules)
        return of_preset | {
            f"{module}.{option}": value
            for module in requested
            for option, value in requested[module].items()
        }

    def _known_options(self) -> dict[str, Mapping[str, Any]]:
        return {name: metric.options for name, metric in self.metrics.items()}

    def located(
        self, error: InputError, sources: Mapping[Path, Source], before: int = 0
    ) -> ValueError:
        """A module's complaint about `predictions[12]`, with the file's names for it.

        `before` are the rows of earlier blocks, which the module does not know of.
        """
        path, predictions = self.systems[error.system]
        names = {"predictions": predictions, **self.fields}
        wrong = error.error
        if not isinstance(wrong, RowError) or wrong.column not in names:
            return wrong
        file = path if wrong.column == "predictions" else self.common or path
        position = sources[file].location(before + wrong.row)
        return ValueError(f"{file}: {position}: {wrong.about(f'field {names[wrong.column]!r}')}")


def systems_from(paths: Sequence[Path], fields: Sequence[str]) -> dict[str, tuple[Path, str]]:
    """The file and field of each system, under the part of their names that tells them apart.

    Raises:
        UsageError: two systems have one name.
    """
    stems = [stem(path) for path in paths]
    names = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
    systems: dict[str, tuple[Path, str]] = {}
    for name, path in zip(names, paths, strict=True):
        for column in fields:
            parts = ([name] if len(paths) > 1 else []) + ([column] if len(fields) > 1 else [])
            system = "/".join(parts) or column
            if system in systems:
                raise UsageError(f"system {system!r} is given twice")
            systems[system] = path, column
    return systems


def signed(results: Results, name: str | None) -> Results:
    """Results with the name of a preset where it holds: in signatures and the provenance."""
    if name is None:
        return results
    settled = preset(name).modules

    def with_preset(module: str, result: ModuleResult) -> ModuleResult:
        if any(result.options[option] != value for option, value in settled[module].items()):
            return result
        conditions = (result.conditions or {}) | {"preset": name}
        return replace(result, conditions=conditions).signed(module)

    systems = {
        system: {module: with_preset(module, result) for module, result in modules.items()}
        for system, modules in results.systems.items()
    }
    return replace(results, systems=systems, provenance=results.provenance | {"preset": name})
