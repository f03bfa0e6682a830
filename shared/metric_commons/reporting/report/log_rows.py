"""The records of logs behind the rows of results, matched by their ids."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...data.tables.selections import Selected, Selection
from ...data.tables.tables import Source, file_of, getter
from ...evaluation.results.results import Results
from ...statistics.arguments.checks import check_labels

# Fields with the question of a record, of which the first one that exists is shown by default.
_QUESTIONS = ("doc.question", "doc.query", "doc.goal", "question", "input", "prompt")

_Columns = dict[str, dict[str, dict[str, Any]]]


def log_columns(results: Results) -> _Columns:
    """Return the path, format and field of each column in a log, by system and input.

    Empty if two systems have the same rows of one log, which their ids cannot tell apart.
    """
    columns: _Columns = {}
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


def read_log_cells(
    results: Results,
    columns: Mapping[str, Mapping[str, Mapping[str, Any]]],
    paths: Mapping[str, Path],
    rows: Sequence[int],
    fields: Sequence[str],
) -> dict[tuple[str, str, int], Any]:
    """Return the cells of selected rows by path, field and row, from unchanged logs.

    Args:
        results: results of logs, with the ids of their rows.
        columns: the columns of the inputs, from `log_columns`.
        paths: the unchanged inputs.
        rows: the numbers of rows in the results.
        fields: additional fields; none for the question, if there is one.

    Raises:
        ValueError: a record lacks an additional field.
    """
    cells: dict[tuple[str, str, int], Any] = {}
    for system, log in results.provenance["logs"].items():
        ids = results.row_labels.get(system, {}).get("id")
        selection = _selection(results, system)
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
                id_field = None if ids is None else file["id"]
                records = _records(source, selection if file is log else Selection(), id_field)
                for name, record in records:
                    for row in rows_of_ids.pop(name, ()):
                        values = _values(source, record, inputs, fields, is_log=file is log)
                        cells |= {(path, field, row): value for field, value in values.items()}
                    if not rows_of_ids:
                        break
            finally:
                source.close()
    return cells


def _selection(results: Results, system: str) -> Selection:
    """Return the selection of records that were scored."""
    conditions = next(iter(results.systems[system].values())).conditions or {}
    where = [text.partition("=") for text in conditions.get("where", [])]
    texts = {name: value for name, _, value in where}
    return Selection(filter=conditions.get("filter"), conditions=texts, incomplete=True)


def _records(
    source: Source, selection: Selection, id_field: str | None
) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Yield the selected records, each with its id, or without ids with its number."""
    log = source.log
    for number, (_, record) in enumerate(Selected(log, selection, lambda f, r: getter(log, f, r))):
        if id_field is None:
            yield number, record
        else:
            (name,) = check_labels("ids", [getter(log, id_field, record)(record)], 1)
            yield name, record


def _values(
    source: Source,
    record: Mapping[str, Any],
    inputs: Sequence[str],
    fields: Sequence[str],
    *,
    is_log: bool,
) -> dict[str, Any]:
    """Return the values of a record.

    Of its inputs as far as it has them, and of additional fields.
    """
    values: dict[str, Any] = {}
    further = fields if fields and is_log else ()
    for field in [*inputs, *(() if fields or not is_log else _QUESTIONS)]:
        if field in _QUESTIONS and not values.keys().isdisjoint(_QUESTIONS):
            continue
        with suppress(ValueError, KeyError, IndexError, TypeError):
            values[field] = getter(source.log, field, record)(record)
    for field in further:
        try:
            values[field] = getter(source.log, field, record)(record)
        except (ValueError, KeyError) as error:
            raise ValueError(f"{source.path}: a record has no field {field!r}") from error
    return values
