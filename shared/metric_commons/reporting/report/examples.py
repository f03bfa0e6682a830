"""Example rows: those with the worst scores, and those on which systems differ most.

Texts are from the inputs: tables, or logs whose ids match the rows.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...data.files.access import is_file, sha256_of
from ...data.harness_logs.logs import PLAIN_ROWS
from ...data.tables.selection import Selection
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
_Cells = dict[tuple[str, str, int], Any]


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
    columns = _columns(results)
    ranked = rank_rows(results, _COUNT) if columns else _NO_FIELDS
    if isinstance(ranked, str):
        return Examples(notes=[*notes, ranked], unchanged=paths.keys())
    scores, rankings = ranked
    rows = sorted({row for ranking in rankings for row in ranking.rows})
    cells = _read_cells(results, columns, paths, rows, fields)
    choices = [
        {
            "title": title,
            "reason": reason,
            "examples": [_example(results, scores, columns, cells, row) for row in rows_of_kind],
        }
        for title, reason, rows_of_kind in rankings
        if cells
    ]
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
    results: Results,
    columns: _Columns,
    paths: Mapping[str, Path],
    rows: Sequence[int],
    fields: Sequence[str],
) -> _Cells:
    """Return the cells of selected rows: of unchanged inputs, and of additional fields.

    Rows are found by their ids, if they have any. Additional fields are in the file of predictions.
    """
    files: dict[tuple[str, str, str], list[str]] = {}  # their fields
    for system, of_system in columns.items():
        for name, column in of_system.items():
            key = column["path"], column["format"], system
            files.setdefault(key, []).append(column["field"])
            files[key] += fields if name == "predictions" else ()
    cells: _Cells = {}
    for (path, format_name, system), names in files.items():
        if path not in paths:
            continue
        table = next(iter(results.rows.get(system, {}).values()), None)
        ids = None if table is None else table.ids
        numbers: dict[Any, list[int]] = {}
        for row in rows:
            numbers.setdefault(row if ids is None else ids[row], []).append(row)
        record = results.provenance["sources"][system]
        is_main = path == record["path"]
        id_field = None if ids is None else (record if is_main else record["answers"])["id"]
        if ids is not None and id_field is None:
            continue
        selection = _selection(results, system) if is_main else Selection()
        is_log = is_main and format_name != PLAIN_ROWS
        questions = _QUESTIONS if is_log and not fields else ()
        if is_log:
            names = _present(file_of(paths[path]), format_name, names, fields, questions)
        source = Source(
            file_of(paths[path]),
            list(dict.fromkeys([*filter(None, [id_field]), *names])),
            format_name=format_name,
            selection=selection,
            progress=True,
        )
        for block in source.blocks(_BLOCK):
            count = len(next(iter(block.values())))
            found: Iterable[Any] = range(source.rows - count, source.rows)
            if id_field is not None:
                found = check_labels("ids", block[id_field], count)
            for position, name in enumerate(found):
                for row in numbers.pop(name, ()):
                    cells |= {(path, field, row): block[field][position] for field in names}
    return cells


def _selection(results: Results, system: str) -> Selection:
    """Return which rows of a log were scored."""
    conditions = next(iter(results.systems[system].values())).conditions or {}
    where = [text.partition("=") for text in conditions.get("where", [])]
    chosen = {name: value for name, _, value in where}
    return Selection(conditions.get("filter"), chosen, incomplete=True)


def _present(
    path: Path,
    format_name: str | None,
    names: Iterable[str],
    fields: Sequence[str],
    questions: Iterable[str],
) -> list[str]:
    """Return the fields that the first record of a log has, and the first of the questions.

    Raises:
        ValueError: it lacks an additional field.
    """
    with closing(Source(path, [], format_name=format_name)) as source:
        record = next((record for _, record in source.log.rows), {})

        def has(name: str) -> bool:
            with suppress(ValueError, LookupError, TypeError):
                source.log.getter(name, record)(record)
                return True
            if name in fields:
                raise ValueError(f"{path}: a record has no field {name!r}")
            return False

        return [*filter(has, names), *[name for name in questions if has(name)][:1]]


def _columns(results: Results) -> _Columns:
    """Return the path, format and field of each column, by system and input.

    Empty if two systems have the same rows of one file, which their ids cannot tell apart.
    """
    columns: dict[str, dict[str, dict[str, Any]]] = {}
    selections: dict[str, Selection] = {}
    for system, source in results.provenance.get("sources", {}).items():
        selection = _selection(results, system)
        predictions = f"{source['path']}\0{source['fields'].get('predictions')}"
        if "system" in source or selections.setdefault(predictions, selection) != selection:
            return {}
        columns[system] = {}
        for name, field in source["fields"].items():
            file = source if name == "predictions" else source.get("answers", source)
            place = {"path": file["path"], "format": file["format"], "field": field}
            columns[system][name] = place
    return columns


def _example(
    results: Results, scores: Sequence[str], columns: _Columns, cells: _Cells, row: int
) -> dict[str, Any]:
    """Return a row with the answers of all systems.

    A prediction is None if its file is missing. References are those of the row, or of each answer
    if systems have different ones.
    """

    def values(name: str) -> dict[str, Any]:
        """Return the values of an input by system, without systems whose files are missing."""
        named = {s: of_system[name] for s, of_system in columns.items() if name in of_system}
        found = {s: cells.get((c["path"], c["field"], row)) for s, c in named.items()}
        return {system: value for system, value in found.items() if value is not None}

    inputs = {column["field"] for of_system in columns.values() for column in of_system.values()}
    fields = {f: v for (_, f, number), v in cells.items() if number == row and f not in inputs}
    for system, value in list(values("groups").items())[:1]:
        fields[columns[system]["groups"]["field"]] = value
    predictions, references = values("predictions"), values("references")
    common = next(iter(references.values()), None)
    is_common = all(value == common for value in references.values())
    answers = []
    for system, modules in results.systems.items():
        tables = results.rows.get(system, {}).values()
        parts, space = _alignment(modules, predictions.get(system), references.get(system))
        answers.append(
            {
                "system": system,
                "prediction": predictions.get(system),
                "scores": {
                    score: table.row_scores[score][row]
                    for table in tables
                    for score in table.row_scores
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
                "explanations": [texts[row] for t in tables for texts in t.texts.values()],
            }
        )
    return {
        "row": row,
        "fields": fields,
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
