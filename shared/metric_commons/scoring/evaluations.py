"""One evaluation, whether a command line or a file asks for it: what to read, and how to score."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.checked_columns import checked_once
from ..catalog import catalog
from ..catalog.arguments import assign, check_supported, input_names, scores_rows
from ..catalog.presets import preset, preset_options
from ..catalog.usage import UsageError
from ..files.pieces import Piece
from ..files.streams import Limits, stem
from ..files.tables import Source
from ..numbers.checks import RowError, check_labels
from ..results.module_results import ModuleResult
from ..results.rendering import counted
from ..results.results import Results
from ..texts.token_cache import shared_token_cache
from .parallel_reading import columns_of
from .scoring import score
from .system_rows import InputError
from .worker_processes import can_fork, cores, in_order, in_processes

if TYPE_CHECKING:
    from ..states.parts import Part
    from ..states.state import State

_Labels = dict[str, dict[str, Any]]  # of groups and clusters the labels by what they are called

_ROWS = 2048  # of a block: enough to score at full speed, few enough to hold long texts
_SIZE_OF_PROCESS = 4_000_000  # bytes of files, of which the work takes longer than to fork for it


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What is scored, with what, and what is wanted besides."""

    modules: Sequence[str]
    systems: Mapping[str, tuple[Path, str]]  # the file and the field of the predictions
    fields: Mapping[str, str | None]  # of references, groups, clusters and id
    common: Path | None = None  # the file of these fields; None if each system's file has its own
    form: str | None = None
    allow_empty_references: bool = False  # in cells of CSV and TSV
    limit: int | None = None
    opened: Mapping[Path, Source] = field(default_factory=dict)  # files whose format was found
    limits: Limits | None = None  # of lines and compressed files
    options: Mapping[str, Any] = field(default_factory=dict)  # as `results.score` takes them
    preset: str | None = None
    uncertainty: Mapping[str, Any] = field(default_factory=dict)
    compare: bool = False
    scores: Sequence[str] | None = None  # of the result; None for all, the main ones compared
    correction: str = "holm"
    per_example: bool = False
    jobs: int | None = 1  # processes; None for as many as pay for files of this size

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """The modules by their names, each loaded once."""
        return {name: catalog.load_without_evaluate(name) for name in self.modules}

    @property
    def uses_clusters(self) -> bool:
        """Whether clusters change anything: intervals, errors, tests, or the rows to be saved."""
        uncertain = self.uncertainty.get("confidence_level"), self.uncertainty.get("standard_error")
        return any(uncertain) or self.compare or self.per_example

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
            results = self._part(jobs).results(**self.uncertainty).choose(self.scores)
        record = results.provenance | {"columns": self._columns()}
        return signed(replace(results, provenance=record), self.preset)

    def _needs_all_rows(self) -> bool:
        """Whether rows cannot be forgotten: wanted again, matched, or not scored one by one."""
        several_files = self.common is not None and set(self._paths()) != {self.common}
        one_by_one = all(map(scores_rows, self.metrics.values()))
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
        size = sum(path.stat().st_size for path in files)
        return max(1, min(cores(), size // _SIZE_OF_PROCESS)) if can_fork() else 1

    def _part(self, jobs: int) -> "Part":
        requested = {
            "confidence_level": self.uncertainty.get("confidence_level"),
            "groups": self.fields.get("groups"),
            "clusters": self.fields.get("clusters"),
        }
        check_supported(
            [option for option, value in requested.items() if value is not None], self.metrics
        )
        part = self._empty_part()
        sources = {path: self.source(path) for path in self.inputs()}
        for path, source in sources.items():
            labels: _Labels = {"groups": {}, "clusters": {}}
            if jobs == 1:
                for block in source.blocks(_ROWS):
                    start = source.rows - len(next(iter(block.values())))
                    self._take(part, labels, path, block, start, sources)
            else:
                self._take_pieces(part, labels, path, sources, jobs)
            part.inputs.append(source.provenance())
        return part

    def _empty_part(self) -> "Part":
        from ..states.parts import Part
        from ..states.state import State

        fields_of_file = assign(self._all_options(), self._known_options())
        level = self.uncertainty.get("confidence_level")
        intervals = {} if level is None else {"confidence_level": level}
        states = {
            system: {
                name: State(
                    name,
                    **fields_of_file[name],
                    **(intervals if "confidence_level" in metric.options else {}),
                )
                for name, metric in self.metrics.items()
            }
            for system in self.systems
        }
        return Part(states, [], self.preset)

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
            part_of_piece, start = self._empty_part(), piece.start
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
        from ..numbers.row_digests import row_digest

        systems = [name for name, (source_path, _) in self.systems.items() if source_path == path]
        for system in systems:
            try:
                self._update(system, part.states[system], block, start)
                for name, texts in labels.items():
                    column = block.get(self.fields.get(name) or "", [])
                    check_labels(name, column, len(column), texts)
            except ValueError as error:
                refused = InputError(system, error)
                raise self.located(refused, sources, start) from error
        digests = {
            name: row_digest(block[column])
            for name, column in (
                ("references", self.fields.get("references")),
                ("ids", self.fields.get("id")),
            )
            if column is not None
        }
        for system in systems:
            part.add_digests(system, digests)

    @checked_once()
    @shared_token_cache()
    def _update(
        self,
        system: str,
        states: Mapping[str, "State"],
        block: Mapping[str, list[Any]],
        start: int,
    ) -> None:
        """Take a block of rows, whose first has the number `start`, into states of one system."""
        fields = {**self.fields, "predictions": self.systems[system][1]}
        columns = {name: block[field] for name, field in fields.items() if field is not None}
        for module, state in states.items():
            metric = self.metrics[module]
            inputs = {name: columns[name] for name in input_names(metric)}
            labels = {
                name: columns.get(name) for name in ("groups", "clusters") if name in metric.options
            }
            numbers = range(start, start + len(columns["predictions"]))
            state.update(
                **inputs,
                **labels,
                ids=columns.get("id", numbers) if metric.scores_are == "rankings" else None,
            )

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

        def by_system(name: str) -> dict[str, list[Any]] | None:
            column = self.fields.get(name) is not None
            return {system: rows[system][name] for system in rows} if column else None

        try:
            results = score(
                self.modules,
                predictions={system: rows[system]["predictions"] for system in rows},
                references=by_system("references"),
                groups=by_system("groups"),
                clusters=by_system("clusters"),
                ids=by_system("id"),
                options=self._all_options() | options,
                per_example=self.per_example,
                compare=self.compare,
                scores=self.scores,
                correction=self.correction,
                inputs=[source.provenance() for source in sources.values()],
                progress=True,
                jobs=jobs,
                **self.uncertainty,
            )
        except InputError as error:
            raise self.located(error, sources) from error
        return results, rows

    def _columns(self) -> dict[str, dict[str, dict[str, str | None]]]:
        """Of each system the file, its format and the field of every column, to find rows again."""
        return {
            system: {
                name: {"path": str(source), "format": self.form, "field": column}
                for name, source, column in [
                    ("predictions", path, predictions),
                    *(
                        (name, self.common or path, source_path)
                        for name, source_path in self.fields.items()
                        if source_path
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
            shared_fields = {name: column for name, column in shared_fields.items() if name == "id"}
        fields = list(dict.fromkeys([*fields_of_file, *shared_fields.values()]))
        source = self.opened.get(path)
        if source is None:
            source = Source(
                path,
                fields,
                form=self.form,
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
        having = [metric for metric in self.metrics.values() if key in input_names(metric)]
        return bool(having) and all(
            quantifier(
                not isinstance(features[key], dict)  # a record, which no cell is
                and ("int64" in str(features[key]) or "float64" in str(features[key]))
                for features in metric.feature_sets
                if key in features
            )
            for metric in having
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
            shared = ("id", "references", "groups", "clusters")
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
        requested = assign(self.options, self._known_options())
        return preset_options(self.preset, self.modules) | {
            f"{module}.{option}": value
            for module in requested
            for option, value in requested[module].items()
        }

    def _known_options(self) -> dict[str, dict[str, Any]]:
        return {name: metric.options for name, metric in self.metrics.items()}

    def located(
        self, error: InputError, sources: Mapping[Path, Source], before: int = 0
    ) -> ValueError:
        """A module's complaint about `predictions[12]`, with the file's names for it.

        `before` are the rows of earlier blocks, which the module does not know of.
        """
        path, predictions = self.systems[error.system]
        names = {"predictions": predictions, "ids": self.fields.get("id"), **self.fields}
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
