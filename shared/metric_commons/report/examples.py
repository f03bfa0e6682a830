"""Example rows: those with the lowest scores, and those on which systems differ most."""

import hashlib
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, get_args

from ..files.access import is_file, open_file
from ..files.tables import Source
from ..results.module_results import ModuleResult, means_of_rows
from ..results.results import Results
from ..transcripts.edit_rate import AlignedTexts, TranscriptNormalizer, aligned_texts

_MAX_ALIGNED = 20_000  # characters of transcripts whose alignment is shown
_BLOCK = 10_000  # rows in memory at a time

# By system and input (such as "predictions"): path, field and format of the column.
_Columns = Mapping[str, Mapping[str, Mapping[str, Any]]]
# By path, field and row.
_Cells = Mapping[tuple[str, str, int], Any]


class Answer(NamedTuple):
    """A system's prediction for a row; None if the file of its predictions is missing."""

    system: str
    prediction: Any
    scores: Mapping[str, float]
    references: Any = None  # if systems have different references
    alignment: Sequence[AlignedTexts] = ()  # with the reference, for a transcript with errors
    space: str = " "  # between the parts of the alignment
    is_lower_better: bool = False  # for its scores


@dataclass(frozen=True)
class Example:
    """A row: its input, its references and the answers of all systems."""

    row: int
    fields: Mapping[str, Any]  # such as the question, by name
    references: Any  # None if systems have different references
    answers: Sequence[Answer]


class Choice(NamedTuple):
    """Rows of one kind, and the reason for choosing them."""

    title: str
    reason: str
    examples: Sequence[Example]


@dataclass(frozen=True)
class Examples:
    """Rows of each kind, and notes about rows that cannot be shown."""

    choices: Sequence[Choice] = ()
    notes: Sequence[str] = ()
    unchanged: Collection[str] = ()  # paths of inputs that have not changed since scoring


class _RowScores(NamedTuple):
    """The score of each row for each system, averaged over the named scores."""

    names: Sequence[str]
    rows: Sequence[Sequence[float]]  # the scores of all systems for each row; higher is better
    is_negated: bool = False  # whether lower was better before negation


class _Ranking(NamedTuple):
    """The indices of rows of one kind, and the reason for choosing them."""

    title: str
    reason: str
    rows: Sequence[int]


def find_examples(
    results: Results,
    *,
    fields: Sequence[str] = (),
    copies: Iterable[Path] = (),
    count: int = 10,
) -> Examples:
    """Rows of the inputs that a result names, if these have not changed since scoring.

    Args:
        results: results with scores of every row.
        fields: additional fields to show for each row, such as the question.
        copies: files that may be copies of the inputs, identified by their SHA-256.
        count: the number of rows of each kind.

    Raises:
        ValueError: an unchanged input lacks such a field.
    """
    paths, notes = _find_inputs(results, list(copies))
    columns = results.provenance.get("columns")
    if not columns:
        notes.append("The results do not record the files and fields of their rows.")
        return Examples(notes=notes, unchanged=paths.keys())
    scores = _row_scores(results)
    if isinstance(scores, str):
        return Examples(notes=[*notes, scores], unchanged=paths.keys())
    rankings = [
        *_rank(list(results.systems), scores, count),
        *_rank_unparsed(results, len(scores.rows), count),
    ]
    rows = sorted({row for ranking in rankings for row in ranking.rows})
    cells = _read_cells(columns, paths, rows, fields)
    if not cells:
        return Examples(notes=notes, unchanged=paths.keys())
    choices = [
        Choice(
            ranking.title,
            ranking.reason,
            [_example(results, scores.names, columns, cells, row) for row in ranking.rows],
        )
        for ranking in rankings
    ]
    return Examples(choices, notes, paths.keys())


def _find_inputs(results: Results, copies: Sequence[Path]) -> tuple[dict[str, Path], list[str]]:
    """The path of each unchanged input, by the path in the result, and notes about the others."""
    hashes = {path: _sha256(path) for path in copies}
    paths, notes = {}, []
    for source in results.provenance.get("inputs", []):
        if "path" not in source or "sha256" not in source:
            continue  # results created in Python may lack them
        path = Path(source["path"])
        hashes[path] = _sha256(path) if is_file(path) else ""
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


def _sha256(path: Path) -> str:
    with open_file(path) as raw:
        return hashlib.file_digest(raw, "sha256").hexdigest()


def _row_scores(results: Results) -> _RowScores | str:
    """The mean of the first score of each module, for each row; or why there is none."""
    for choose in (_higher_means, _higher_scores, _lower_scores):
        systems = [
            {
                name: column
                for result in modules.values()
                for name, column in list(choose(result).items())[:1]
            }
            for modules in results.systems.values()
        ]
        first = systems[0] if systems else {}
        names = [name for name in first if all(name in columns for columns in systems)]
        if names:
            break
    else:
        return "The scores of every row were not given (--per-example), so there are no examples."
    sizes = {len(columns[name]) for columns in systems for name in names}
    if len(sizes) > 1:
        return "Systems have different numbers of rows, so there are no examples side by side."
    rows = [
        [_mean(columns[name][row] for name in names) for columns in systems]
        for row in range(*sizes)
    ]
    return _RowScores(names, rows, is_negated=choose is _lower_scores)


def _higher_means(result: ModuleResult) -> dict[str, list[float]]:
    """The row scores whose mean is a score, and for which higher is better."""
    means = means_of_rows(result)
    return {name: means[name] for name in means if name not in result.lower_is_better}


def _higher_scores(result: ModuleResult) -> dict[str, list[float]]:
    """The row scores for which higher is better."""
    columns = result.per_example.items()
    return {name: values for name, values in columns if name not in result.lower_is_better}


def _lower_scores(result: ModuleResult) -> dict[str, list[float]]:
    """The row scores for which lower is better, negated."""
    columns = result.per_example.items()
    return {
        name: [-value for value in values]
        for name, values in columns
        if name in result.lower_is_better
    }


def _mean(values: Iterable[float]) -> float:
    """The mean of the finite values; NaN if there are none."""
    finite = [value for value in values if math.isfinite(value)]
    return math.fsum(finite) / len(finite) if finite else math.nan


def _rank(systems: Sequence[str], scores: _RowScores, count: int) -> list[_Ranking]:
    """The rows of each kind, at most `count`; in a tie, the first rows."""
    *first_names, last_name = scores.names
    score = f"mean of {', '.join(first_names)} and {last_name}" if first_names else last_name
    means = {row: _mean(values) for row, values in enumerate(scores.rows)}
    means = {row: mean for row, mean in means.items() if not math.isnan(mean)}
    rankings = [_rank_worst(systems, means, score, len(scores.rows), count, scores.is_negated)]
    if len(systems) == 2:
        differences = {row: scores.rows[row][0] - scores.rows[row][1] for row in means}
        for sign, (better, worse) in ((1, systems), (-1, systems[::-1])):
            gains = {row: sign * gain for row, gain in differences.items() if sign * gain > 0}
            reason = f"The largest differences in {score}; {better} is better in {_rows(gains)}."
            rows = sorted(gains, key=gains.__getitem__, reverse=True)[:count]
            rankings.append(_Ranking(f"{better} better than {worse}", reason, rows))
    elif len(systems) > 2:
        spreads = {row: _spread(scores.rows[row]) for row in means}
        differing = [row for row, (distance, _) in spreads.items() if distance > 0]
        reason = (
            f"The largest differences in the {score} between systems, first those on which systems "
            f"are split most evenly; they differ in {_rows(differing)}."
        )
        rows = sorted(differing, key=spreads.__getitem__, reverse=True)[:count]
        rankings.append(_Ranking("Most different", reason, rows))
    return [ranking for ranking in rankings if ranking.rows]


def _rank_worst(
    systems: Sequence[str],
    means: Mapping[int, float],
    score: str,
    total: int,
    count: int,
    is_negated: bool,
) -> _Ranking:
    """The rows with the worst mean over systems."""
    rows = sorted(means, key=means.__getitem__)[:count]
    lowest = means[rows[0]] if rows else math.nan
    ties = sum(mean == lowest for mean in means.values())
    shown = -lowest if is_negated else lowest
    reason = (
        f"The {'highest' if is_negated else 'lowest'} {score}"
        f"{' over all systems' if len(systems) > 1 else ''}: {shown:.4g} in "
        f"{ties:,} of {_rows(range(total))}{_first(count, ties)}."
    )
    return _Ranking("Worst", reason, rows)


def _rank_unparsed(results: Results, total: int, count: int) -> list[_Ranking]:
    """The rows with a prediction in which no answer was found, if there are any."""
    unparsed = {
        system: {
            row
            for result in modules.values()
            for row, share in enumerate(result.per_example.get("unparsed", ()))
            if share
        }
        for system, modules in results.systems.items()
    }
    rows = sorted(set().union(*unparsed.values()))
    if not rows:
        return []
    parts = [f"{system} {len(numbers):,}" for system, numbers in unparsed.items() if numbers]
    reason = (
        f"Predictions in which no answer was found, and which score 0 ({', '.join(parts)} of "
        f"{_rows(range(total))}){_first(count, len(rows))}."
    )
    return [_Ranking("Unparsed", reason, rows[:count])]


def _first(count: int, total: int) -> str:
    """A note that only the first rows are shown, if so."""
    return f", of which these are the first {count}" if total > count else ""


def _rows(rows: Collection[int]) -> str:
    """A number of rows, in words."""
    return f"{len(rows):,} row{'' if len(rows) == 1 else 's'}"


def _spread(values: Sequence[float]) -> tuple[float, float]:
    """The range of the finite values, and the sum of their squared distances from the mean.

    The sum shows how evenly systems are split: it is 1 for 0, 0, 1, 1, and 0.75 for 0, 0, 0, 1.
    """
    finite = [value for value in values if math.isfinite(value)]
    center = _mean(finite)
    return max(finite) - min(finite), math.fsum((value - center) ** 2 for value in finite)


def _read_cells(
    columns: _Columns, paths: Mapping[str, Path], rows: Sequence[int], fields: Sequence[str]
) -> _Cells:
    """The cells of selected rows: of inputs that have not changed, and of additional fields."""
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
    """The file of the references, which also has the additional fields of a row."""
    return str(system_columns.get("references", system_columns["predictions"])["path"])


def _pick(path: str, source: Source, rows: Sequence[int]) -> _Cells:
    """The cells of selected rows of a file, holding one block in memory at a time."""
    cells, start = {}, 0
    for block in source.blocks(_BLOCK):
        stop = start + len(next(iter(block.values())))
        for row in (row for row in rows if start <= row < stop):
            for field, column in block.items():
                cells[path, field, row] = column[row - start]
        start = stop
    return cells


def _example(
    results: Results, scores: Sequence[str], columns: _Columns, cells: _Cells, row: int
) -> Example:
    """A row with the answers of all systems."""
    predictions = _system_values("predictions", results.systems, columns, cells, row)
    references = _system_values("references", results.systems, columns, cells, row)
    common = next(iter(references.values()), None)
    is_common = all(value == common for value in references.values())
    answers = [
        Answer(
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
        )
        for system, modules in results.systems.items()
    ]
    fields = _further_fields(results.systems, columns, cells, row)
    return Example(row, fields, common if is_common else None, answers)


def _alignment(
    modules: Mapping[str, ModuleResult], prediction: Any, reference: Any
) -> tuple[Sequence[AlignedTexts], str]:
    """The alignment of a transcript, if a module counts errors, and the separator of its parts."""
    result = modules.get("error_rate")
    if result is None or not isinstance(prediction, str) or not isinstance(reference, str):
        return (), ""
    unit, normalizer = result.options["unit"], result.options["normalizer"]
    is_named = normalizer in get_args(get_args(TranscriptNormalizer)[0])
    if not is_named or len(prediction) + len(reference) > _MAX_ALIGNED:
        return (), ""  # a result records only the name of a function
    parts = aligned_texts(prediction, reference, unit=unit, normalizer=normalizer)
    has_errors = any(part.kind != "equal" for part in parts)
    return parts if has_errors else (), " " if unit == "word" else ""


def _system_values(
    name: str, systems: Iterable[str], columns: _Columns, cells: _Cells, row: int
) -> dict[str, Any]:
    """The values of an input in a row, by system, without systems whose files are missing."""
    values = {}
    for system in systems:
        column = columns.get(system, {}).get(name)
        if column:
            values[system] = cells.get((column["path"], column["field"], row))
    return {system: value for system, value in values.items() if value is not None}


def _further_fields(
    systems: Iterable[str], columns: _Columns, cells: _Cells, row: int
) -> dict[str, Any]:
    """The fields of a row that are not inputs of a module, then its id and its group."""
    inputs = {
        column["field"] for system_columns in columns.values() for column in system_columns.values()
    }
    fields = {
        field: cells[path, field, cell_row]
        for path, field, cell_row in cells
        if cell_row == row and field not in inputs
    }
    for name in ("id", "groups"):
        values = _system_values(name, systems, columns, cells, row)
        for system, value in list(values.items())[:1]:
            fields[columns[system][name]["field"]] = value
    return fields
