"""Example rows: those with the worst scores, and those on which systems differ most.

Texts are from the inputs: tables, or logs whose ids match the rows.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...data.files.access import is_file, sha256_of
from ...data.tables.selection import Selected, Selection
from ...data.tables.tables import Source, file_of
from ...evaluation.results.module_results import ModuleResult
from ...evaluation.results.results import Results
from ...statistics.arguments.checks import check_labels
from ...text.transcripts.edit_rate import AlignedTexts, aligned_texts
from ...text.transcripts.transcript_normalizers import TRANSCRIPT_NORMALIZERS
from .example_rows import rank_rows

_COUNT = 10  # rows of each kind
_NO_FIELDS = "There are no examples, since these results do not name the fields of the rows."
_MAX_ALIGNED = 20_000  # characters of transcripts whose alignment is shown
_BLOCK = 10_000  # rows in memory at a time
# Fields with the question of a record; the first one that exists is shown by default.
_QUESTIONS = ("doc.question", "doc.query", "doc.goal", "question", "input", "prompt")


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


@dataclass(frozen=True)
class Examples:
    """Rows of each kind, and notes about rows that cannot be shown."""

    choices: Sequence[Mapping[str, Any]] = ()  # with the title, the reason and the examples
    notes: Sequence[str] = ()
    unchanged: Collection[str] = ()  # paths of inputs that have not changed since scoring


def find_examples(
    results: Results,
    *,
    fields: Sequence[str] = (),
    copies: Iterable[Path] = (),
) -> Examples:
    """Return rows of the inputs that a result names, if these have not changed since scoring.

    Args:
        results: results with scores of every row.
        fields: additional fields to show for each row, such as the question.
        copies: files that may be copies of the inputs, identified by their SHA-256.

    Raises:
        ValueError: an unchanged input lacks such a field.
    """
    paths, notes = _find_inputs(results, list(copies))
    columns = results.provenance.get("columns") or _log_columns(results)
    if not columns:
        notes.append(_NO_FIELDS)
        return Examples(notes=notes, unchanged=paths.keys())
    ranked = rank_rows(results, _COUNT)
    if isinstance(ranked, str):
        return Examples(notes=[*notes, ranked], unchanged=paths.keys())
    scores, rankings = ranked
    rows = sorted({row for ranking in rankings for row in ranking.rows})
    if "columns" in results.provenance:
        cells = _read_cells(columns, paths, rows, fields)
    else:
        cells = _read_log_cells(results, columns, paths, rows, fields)
    if not cells:
        return Examples(notes=notes, unchanged=paths.keys())

    inputs = _ExampleRows(results.systems, columns, cells)

    choices = []
    for title, reason, rows_of_kind in rankings:
        examples = [_example(results, scores, inputs, row) for row in rows_of_kind]
        choices.append({"title": title, "reason": reason, "examples": examples})
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
    """Return the cells of selected rows: of unchanged inputs, and of additional fields.

    Additional fields are in the file of the references.
    """
    inputs: dict[tuple[str, str | None], dict[str, None]] = {}  # the fields by path and format
    reference_paths = set()
    for system_columns in columns.values():
        for column in system_columns.values():
            inputs.setdefault((column["path"], column["format"]), {})[column["field"]] = None
        references = system_columns.get("references", system_columns["predictions"])
        reference_paths.add(references["path"])
    cells: dict[tuple[str, str, int], Any] = {}
    for (path, format_name), names in inputs.items():
        if path not in paths:
            continue
        listed = [*names, *(fields if path in reference_paths else ())]
        source = Source(
            paths[path], list(dict.fromkeys(listed)), format_name=format_name, progress=True
        )
        start = 0
        for block in source.blocks(_BLOCK):
            stop = start + len(next(iter(block.values())))
            for row in (row for row in rows if start <= row < stop):
                for field, values in block.items():
                    cells[path, field, row] = values[row - start]
            start = stop
    return cells


def _log_columns(results: Results) -> _Columns:
    """Return the path, format and field of each column in a log, by system and input.

    Empty if two systems have the same rows of one log, which their ids cannot tell apart.
    """
    columns: dict[str, dict[str, dict[str, Any]]] = {}
    for system, log in results.provenance.get("logs", {}).items():
        answers = log.get("answers", log)
        fields = {
            "predictions": (log, log.get("field", "prediction")),
            "references": (answers, log.get("references", "references")),
        }
        columns[system] = {
            name: {"path": file["path"], "format": file["format"], "field": field}
            for name, (file, field) in fields.items()
        }
    predictions = [tuple(column["predictions"].values()) for column in columns.values()]
    return columns if len(set(predictions)) == len(predictions) else {}


def _read_log_cells(
    results: Results,
    columns: _Columns,
    paths: Mapping[str, Path],
    rows: Sequence[int],
    fields: Sequence[str],
) -> _Cells:
    """Return the cells of selected rows by path, field and row, from unchanged logs.

    Args:
        results: results of logs, with the ids of their rows.
        columns: the columns of the inputs, from `_log_columns`.
        paths: the unchanged inputs.
        rows: the numbers of rows in the results.
        fields: additional fields; none for the question, if there is one.

    Raises:
        ValueError: a record lacks an additional field.
    """
    cells: dict[tuple[str, str, int], Any] = {}
    for system, log in results.provenance["logs"].items():
        table = next(iter(results.rows.get(system, {}).values()), None)
        ids = None if table is None else table.ids
        conditions = next(iter(results.systems[system].values())).conditions or {}
        where = [text.partition("=") for text in conditions.get("where", [])]
        selection = Selection(
            filter=conditions.get("filter"),
            conditions={name: value for name, _, value in where},
            incomplete=True,
        )
        files = [log, log["answers"]] if "answers" in log else [log]
        for file in files:
            path = file["path"]
            if path not in paths or (ids is not None and file.get("id") is None):
                continue
            inputs = [c["field"] for c in columns[system].values() if c["path"] == path]
            rows_of_ids: dict[Any, list[int]] = {}
            for row in rows:
                rows_of_ids.setdefault(row if ids is None else ids[row], []).append(row)
            source = Source(file_of(paths[path]), [], format_name=file["format"])
            try:
                chosen = selection if file is log else Selection()
                selected = Selected(source.log, chosen)
                for number, (_, record) in enumerate(selected):
                    name: Any = number
                    if ids is not None:
                        label = source.log.getter(file["id"], record)(record)
                        (name,) = check_labels("ids", [label], 1)
                    for row in rows_of_ids.pop(name, ()):
                        values = _values(source, record, inputs, fields, is_log=file is log)
                        cells |= {(path, field, row): value for field, value in values.items()}
                    if not rows_of_ids:
                        break
            finally:
                source.close()
    return cells


def _values(
    source: Source,
    record: Mapping[str, Any],
    inputs: Sequence[str],
    fields: Sequence[str],
    *,
    is_log: bool,
) -> dict[str, Any]:
    """Return the values of a record: of its inputs if it has them, and of additional fields."""
    values: dict[str, Any] = {}
    further = fields if fields and is_log else ()
    for field in [*inputs, *(() if fields or not is_log else _QUESTIONS)]:
        if field in _QUESTIONS and not values.keys().isdisjoint(_QUESTIONS):
            continue
        with suppress(ValueError, KeyError, IndexError, TypeError):
            values[field] = source.log.getter(field, record)(record)
    for field in further:
        try:
            values[field] = source.log.getter(field, record)(record)
        except (ValueError, KeyError) as error:
            raise ValueError(f"{source.path}: a record has no field {field!r}") from error
    return values


def _example(
    results: Results, scores: Sequence[str], inputs: _ExampleRows, row: int
) -> dict[str, Any]:
    """Return a row with the answers of all systems.

    A prediction is None if its file is missing. References are those of the row, or of each answer
    if systems have different ones.
    """
    predictions = inputs.values("predictions", row)
    references = inputs.values("references", row)
    common = next(iter(references.values()), None)
    is_common = all(value == common for value in references.values())
    answers = []
    for system, modules in results.systems.items():
        tables = results.rows.get(system, {})
        parts, space = _alignment(modules, predictions.get(system), references.get(system))
        answers.append(
            {
                "system": system,
                "prediction": predictions.get(system),
                "scores": {
                    score: values[row]
                    for table in tables.values()
                    for score, values in table.row_scores.items()
                    if score in scores
                },
                "references": None if is_common else references.get(system),
                "alignment": parts,
                "space": space,
                "is_lower_better": any(
                    score in result.lower_is_better
                    for result in modules.values()
                    for score in scores
                ),
                "explanations": [
                    texts[row] for table in tables.values() for texts in table.texts.values()
                ],
            }
        )
    return {
        "row": row,
        "fields": inputs.further_fields(row),
        "references": common if is_common else None,
        "answers": answers,
    }


def _alignment(
    modules: Mapping[str, ModuleResult], prediction: Any, reference: Any
) -> tuple[Sequence[AlignedTexts], str]:
    """Return the alignment of a transcript with errors, and the text between its parts."""
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
