"""Example rows: those with the lowest scores, and those on which systems differ most."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ...data.files.access import is_file, sha256_of
from ...data.tables.tables import Source
from ...evaluation.results.module_results import ModuleResult
from ...evaluation.results.results import Results
from ...text.transcripts.edit_rate import AlignedTexts, aligned_texts
from ...text.transcripts.transcript_normalizers import TRANSCRIPT_NORMALIZERS
from .log_rows import log_columns, read_log_cells
from .row_rankings import rank_rows, rank_unparsed, row_scores

_NO_FIELDS = "There are no examples, which need the fields of the rows; these results name none."
_MAX_ALIGNED = 20_000  # characters of transcripts whose alignment is shown
_BLOCK = 10_000  # rows in memory at a time

# By system and input (such as "predictions"): path, field and format of the column.
_Columns = Mapping[str, Mapping[str, Mapping[str, Any]]]
# By path, field and row.
_Cells = Mapping[tuple[str, str, int], Any]


@dataclass(frozen=True)
class _ExampleRows:
    """Selected rows of the inputs."""

    systems: Collection[str]
    columns: _Columns
    cells: _Cells

    def values(self, name: str, row: int) -> dict[str, Any]:
        """Return the values of an input by system, without systems whose files are missing."""
        columns = {system: self.columns.get(system, {}).get(name) for system in self.systems}
        values = {
            system: self.cells.get((column["path"], column["field"], row))
            for system, column in columns.items()
            if column
        }
        return {system: value for system, value in values.items() if value is not None}

    def further_fields(self, row: int) -> dict[str, Any]:
        """Return the fields that are not inputs of a module, then the id and the group of a row."""
        inputs = {
            column["field"] for columns in self.columns.values() for column in columns.values()
        }
        fields = {
            field: value
            for (_, field, cell_row), value in self.cells.items()
            if cell_row == row and field not in inputs
        }
        for name in ("id", "groups"):
            for system, value in list(self.values(name, row).items())[:1]:
                fields[self.columns[system][name]["field"]] = value
        return fields


class ShownAnswer(NamedTuple):
    """A system's prediction for a row; None if the file of its predictions is missing."""

    system: str
    prediction: Any
    scores: Mapping[str, float]
    references: Any = None  # if systems have different references
    alignment: Sequence[AlignedTexts] = ()  # with the reference, for a transcript with errors
    space: str = " "  # between the parts of the alignment
    is_lower_better: bool = False  # for its scores
    explanations: Sequence[Mapping[str, Any]] = ()  # of its scores, by modules that explain


@dataclass(frozen=True)
class Example:
    """A row: its input, its references and the answers of all systems."""

    row: int
    fields: Mapping[str, Any]  # such as the question, by name
    references: Any  # None if systems have different references
    answers: Sequence[ShownAnswer]
    kind: str = ""  # of the answers, where examples of different kinds were chosen


class ShownChoice(NamedTuple):
    """Rows of one kind, and the reason for choosing them."""

    title: str
    reason: str
    examples: Sequence[Example]


@dataclass(frozen=True)
class Examples:
    """Rows of each kind, and notes about rows that cannot be shown."""

    choices: Sequence[ShownChoice] = ()
    notes: Sequence[str] = ()
    unchanged: Collection[str] = ()  # paths of inputs that have not changed since scoring


def find_examples(
    results: Results,
    *,
    fields: Sequence[str] = (),
    copies: Iterable[Path] = (),
    count: int = 10,
) -> Examples:
    """Return rows of the inputs that a result names, if these have not changed since scoring.

    Args:
        results: results with scores of every row.
        fields: additional fields to show for each row, such as the question.
        copies: files that may be copies of the inputs, identified by their SHA-256.
        count: the number of rows of each kind.

    Raises:
        ValueError: an unchanged input lacks such a field.
    """
    paths, notes = _find_inputs(results, list(copies))
    columns = results.provenance.get("columns") or log_columns(results)
    if not columns:
        notes.append(_NO_FIELDS)
        return Examples(notes=notes, unchanged=paths.keys())
    scores = row_scores(results)
    if isinstance(scores, str):
        return Examples(notes=[*notes, scores], unchanged=paths.keys())
    rankings = [
        *rank_rows(list(results.systems), scores, count),
        *rank_unparsed(results, len(scores.rows), count),
    ]
    rows = sorted({row for ranking in rankings for row in ranking.candidates()})
    if "columns" in results.provenance:
        cells = _read_cells(columns, paths, rows, fields)
    else:
        cells = read_log_cells(results, columns, paths, rows, fields)
    if not cells:
        return Examples(notes=notes, unchanged=paths.keys())

    inputs = _ExampleRows(results.systems, columns, cells)

    def texts(row: int) -> tuple[Sequence[Any], Any]:
        references = inputs.values("references", row).values()
        return list(inputs.values("predictions", row).values()), list(references)[:1]

    choices = []
    for ranking in rankings:
        kinds = ranking.chosen(texts).items()
        examples = [_example(results, scores.names, inputs, row, kind) for row, kind in kinds]
        choices.append(ShownChoice(ranking.title, ranking.reason, examples))
    return Examples(choices, notes, paths.keys())


def _find_inputs(results: Results, copies: Sequence[Path]) -> tuple[dict[str, Path], list[str]]:
    """Return each unchanged input by its path in the result, and notes about the others."""
    hashes = {path: sha256_of(path) for path in copies}
    paths, notes = {}, []
    for source in results.provenance.get("inputs", []):
        if "path" not in source or "sha256" not in source:
            continue  # results created in Python may lack them
        path = Path(source["path"])
        hashes[path] = sha256_of(path) if is_file(path) else ""
        unchanged = [file for file, sha256 in hashes.items() if sha256 == source["sha256"]]
        if unchanged:
            paths[source["path"]] = path if path in unchanged else unchanged[0]
        elif hashes[path]:
            notes.append(
                f"{source['path']} has changed since it was scored (its SHA-256 differs), "
                "so nothing from it is shown."
            )
        else:
            notes.append(f"{source['path']} is missing, so nothing from it is shown.")
    return paths, notes


def _read_cells(
    columns: _Columns, paths: Mapping[str, Path], rows: Sequence[int], fields: Sequence[str]
) -> _Cells:
    """Return the cells of selected rows.

    Of inputs that have not changed, and of additional fields.
    """
    inputs: dict[tuple[str, str | None], dict[str, None]] = {}  # the fields by path and format
    for system_columns in columns.values():
        for column in system_columns.values():
            inputs.setdefault((column["path"], column["format"]), {})[column["field"]] = None
    reference_paths = {_reference_path(system_columns) for system_columns in columns.values()}
    cells: dict[tuple[str, str, int], Any] = {}
    for (path, format_name), names in inputs.items():
        if path in paths:
            if path in reference_paths:
                names = names | dict.fromkeys(fields)
            cells |= _pick(
                path, Source(paths[path], list(names), format_name=format_name, progress=True), rows
            )
    return cells


def _reference_path(system_columns: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the file of the references, which also has the additional fields of a row."""
    return str(system_columns.get("references", system_columns["predictions"])["path"])


def _pick(path: str, source: Source, rows: Sequence[int]) -> _Cells:
    """Return the cells of selected rows of a file, holding one block in memory at a time."""
    cells, start = {}, 0
    for block in source.blocks(_BLOCK):
        stop = start + len(next(iter(block.values())))
        for row in (row for row in rows if start <= row < stop):
            for field, column in block.items():
                cells[path, field, row] = column[row - start]
        start = stop
    return cells


def _example(
    results: Results, scores: Sequence[str], inputs: _ExampleRows, row: int, kind: str
) -> Example:
    """Return a row of some kind with the answers of all systems."""
    predictions = inputs.values("predictions", row)
    references = inputs.values("references", row)
    common = next(iter(references.values()), None)
    is_common = all(value == common for value in references.values())
    answers = [
        ShownAnswer(
            system,
            predictions.get(system),
            {
                score: values[row]
                for result in modules.values()
                for score, values in result.per_example.items()
                if score in scores
            },
            None if is_common else references.get(system),
            *_alignment(modules, predictions.get(system), references.get(system)),
            any(score in result.lower_is_better for result in modules.values() for score in scores),
            [texts[row] for result in modules.values() for texts in result.row_texts.values()],
        )
        for system, modules in results.systems.items()
    ]
    return Example(row, inputs.further_fields(row), common if is_common else None, answers, kind)


def _alignment(
    modules: Mapping[str, ModuleResult], prediction: Any, reference: Any
) -> tuple[Sequence[AlignedTexts], str]:
    """Return the alignment of a transcript, if a module counts errors, and its separator."""
    result = modules.get("error_rate")
    if result is None or not isinstance(prediction, str) or not isinstance(reference, str):
        return (), ""
    options = {name: result.options[name] for name in ("unit", "normalizer", "merge_compounds")}
    is_named = options["normalizer"] in TRANSCRIPT_NORMALIZERS
    if not is_named or len(prediction) + len(reference) > _MAX_ALIGNED:
        return (), ""  # a result records only the name of a function
    parts = aligned_texts(prediction, reference, **options)
    has_errors = any(part.kind != "equal" for part in parts)
    return parts if has_errors else (), " " if options["unit"] == "word" else ""
