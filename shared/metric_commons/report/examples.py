"""Rows to look at: those that are answered worst, and those on which systems differ most."""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ..evaluation.results import Results, means_of_rows

_BLOCK = 10_000  # rows in memory at a time


class Answer(NamedTuple):
    """What one system says about a row; None where its file is not there."""

    system: str
    prediction: Any
    scores: Mapping[str, float]
    references: Any = None  # if they are not those of all systems


@dataclass(frozen=True)
class Example:
    """One row: what was asked, what is right and what each system says."""

    row: int
    shown: Mapping[str, Any]  # field and value
    references: Any
    answers: Sequence[Answer]


class Choice(NamedTuple):
    """Rows of one kind, and why they are here."""

    title: str
    reason: str
    examples: Sequence[Example]


@dataclass(frozen=True)
class Examples:
    """Rows of each kind, and what keeps others from being shown."""

    choices: Sequence[Choice] = ()
    notes: Sequence[str] = ()
    checked: Mapping[str, str] = field(default_factory=dict)  # of each input, if it is unchanged


class _Scored(NamedTuple):
    """What every system scores on each row: the mean of a few scores."""

    names: Sequence[str]
    values: Sequence[Sequence[float]]  # of each row those of each system


def find_examples(
    results: Results,
    *,
    shown: Sequence[str] = (),
    elsewhere: Iterable[Path] = (),
    count: int = 10,
) -> Examples:
    """Rows of the inputs that a result names, if these are as they were when it was made.

    Args:
        results: with the scores of every row.
        shown: other fields to show of each row, such as the question.
        elsewhere: where inputs may lie now; they are known by what they hold.
        count: how many rows of each kind.

    Raises:
        ValueError: an input that is unchanged has no such field.
    """
    unchanged, notes = _verified(results, list(elsewhere))
    checked = {path: str(found) for path, found in unchanged.items()}
    columns = results.provenance.get("columns")
    if not columns:
        told = "The results do not say in which fields of which files their rows are."
        return Examples(notes=[*notes, told], checked=checked)
    scored = _scored(results)
    if isinstance(scored, str):
        return Examples(notes=[*notes, scored], checked=checked)
    chosen = _chosen(list(results.systems), scored, count)
    wanted = sorted({row for _, _, rows in chosen for row in rows})
    cells = _cells(columns, unchanged, wanted, shown)
    if not cells:
        return Examples(notes=notes, checked=checked)
    choices = [
        Choice(
            title, reason, [_example(results, columns, scored.names, cells, row) for row in rows]
        )
        for title, reason, rows in chosen
    ]
    return Examples(choices, notes, checked)


def _verified(results: Results, elsewhere: Sequence[Path]) -> tuple[dict[str, Path], list[str]]:
    """Where each input lies that is what it was, and what is to be said of the others."""
    hashes = {path: _sha256(path) for path in elsewhere}
    unchanged, notes = {}, []
    for source in results.provenance.get("inputs", []):
        if "path" not in source or "sha256" not in source:
            continue  # whoever scored in Python may tell less
        path = Path(source["path"])
        hashes[path] = _sha256(path) if path.is_file() else ""
        same = [each for each, sha256 in hashes.items() if sha256 == source["sha256"]]
        if same:
            unchanged[source["path"]] = path if path in same else same[0]
        elif hashes[path]:
            notes.append(
                f"{source['path']} has changed since it was scored (its SHA-256 is another one), "
                "so nothing of it is shown."
            )
        else:
            notes.append(f"{source['path']} is not there, so nothing of it is shown.")
    return unchanged, notes


def _sha256(path: Path) -> str:
    with path.open("rb") as raw:
        return hashlib.file_digest(raw, "sha256").hexdigest()


def _scored(results: Results) -> _Scored | str:
    """The mean of each module's first score, a row a list of systems; or why there is none."""
    per_system = []
    for modules in results.systems.values():
        columns: dict[str, list[float]] = {}
        for result in modules.values():
            means = means_of_rows(result)
            usable = [name for name in means if name not in result.lower_is_better]
            columns |= {name: means[name] for name in usable[:1]}
        per_system.append(columns)
    first = per_system[0] if per_system else {}
    names = [name for name in first if all(name in columns for columns in per_system)]
    if not names:
        return "The scores of every row were not given (--per-example), so there are no examples."
    rows = {len(columns[name]) for columns in per_system for name in names}
    if len(rows) > 1:
        return "Systems have different numbers of rows, so there are no examples side by side."
    values = [
        [_mean([columns[name][row] for name in names]) for columns in per_system]
        for row in range(*rows)
    ]
    return _Scored(names, values)


def _mean(values: Iterable[float]) -> float:
    """The mean of those that are numbers."""
    finite = [value for value in values if math.isfinite(value)]
    return math.fsum(finite) / len(finite) if finite else math.nan


def _chosen(
    systems: Sequence[str], scored: _Scored, count: int
) -> list[tuple[str, str, Sequence[int]]]:
    """Title, reason and rows of each kind. Of equals the first rows come first."""
    *others, last = scored.names
    by = f"mean of {', '.join(others)} and {last}" if others else last
    mean = {row: _mean(values) for row, values in enumerate(scored.values)}
    mean = {row: value for row, value in mean.items() if not math.isnan(value)}
    worst = sorted(mean, key=mean.__getitem__)[:count]
    least = mean[worst[0]] if worst else math.nan
    ties = sum(value == least for value in mean.values())
    over = " over all systems" if len(systems) > 1 else ""
    reason = (
        f"The lowest {by}{over}: {least:.4g} in {ties:,} of {_rows(len(scored.values))}"
        f"{f', of which these are the first {count}' if ties > count else ''}."
    )
    chosen: list[tuple[str, str, Sequence[int]]] = [("Worst", reason, worst)]
    if len(systems) == 2:
        gains = {row: scored.values[row][0] - scored.values[row][1] for row in mean}
        for sign, (better, other) in ((1, systems), (-1, systems[::-1])):
            found = {row: sign * gain for row, gain in gains.items() if sign * gain > 0}
            rows = sorted(found, key=found.__getitem__, reverse=True)[:count]
            told = f"The greatest differences of {by}; {better} is better in {_rows(len(found))}."
            chosen.append((f"{better} better than {other}", told, rows))
    elif len(systems) > 2:
        spread = {row: _spread(scored.values[row]) for row in mean}
        differing = [row for row, (distance, _) in spread.items() if distance > 0]
        rows = sorted(differing, key=spread.__getitem__, reverse=True)[:count]
        told = (
            f"The greatest distances between the {by} of one system and another, those first on "
            f"which systems are split most evenly; they differ in {_rows(len(differing))}."
        )
        chosen.append(("Most different", told, rows))
    return [(title, reason, rows) for title, reason, rows in chosen if rows]


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def _spread(values: Sequence[float]) -> tuple[float, float]:
    """The distance from the least to the greatest, and then how evenly systems are split."""
    finite = [value for value in values if math.isfinite(value)]
    center = _mean(finite)
    return max(finite) - min(finite), math.fsum((value - center) ** 2 for value in finite)


def _cells(
    columns: Mapping[str, Mapping[str, Mapping[str, Any]]],
    unchanged: Mapping[str, Path],
    rows: Sequence[int],
    shown: Sequence[str],
) -> dict[tuple[str, str, int], Any]:
    """Values by file, field and row, of the files that are unchanged."""
    from ..files.tables import Source

    fields: dict[tuple[str, str | None], dict[str, None]] = {}
    for of_system in columns.values():
        for column in of_system.values():
            place = column["path"], column["format"]
            fields.setdefault(place, {})[column["field"]] = None
    others = {_home(of_system) for of_system in columns.values()}
    cells: dict[tuple[str, str, int], Any] = {}
    for (name, form), own in fields.items():
        if name in unchanged:
            source = Source(
                unchanged[name],
                list(own | dict.fromkeys(shown if name in others else ())),
                form=form,
                progress=True,
            )
            cells |= _picked(name, source, rows)
    return cells


def _home(of_system: Mapping[str, Mapping[str, Any]]) -> str:
    """The file in which a system's rows say what they are about: that of the references."""
    return str(of_system.get("references", of_system["predictions"])["path"])


def _picked(name: str, source: Any, rows: Sequence[int]) -> dict[tuple[str, str, int], Any]:
    cells, start = {}, 0
    for block in source.blocks(_BLOCK):
        stop = start + len(next(iter(block.values())))
        for row in (row for row in rows if start <= row < stop):
            for of, column in block.items():
                cells[name, of, row] = column[row - start]
        start = stop
    return cells


def _example(
    results: Results,
    columns: Mapping[str, Mapping[str, Mapping[str, Any]]],
    names: Sequence[str],
    cells: Mapping[tuple[str, str, int], Any],
    row: int,
) -> Example:
    def of_systems(column: str) -> dict[str, Any]:
        """The values of a column in this row, of the systems whose files are there."""
        places = {s: columns[s][column] for s in results.systems if column in columns.get(s, {})}
        found = {s: cells.get((place["path"], place["field"], row)) for s, place in places.items()}
        return {system: value for system, value in found.items() if value is not None}

    kept = {place["field"] for of_system in columns.values() for place in of_system.values()}
    shown = {of: cells[path, of, at] for path, of, at in cells if at == row and of not in kept}
    for column in ("id", "groups"):
        for system, value in list(of_systems(column).items())[:1]:
            shown[columns[system][column]["field"]] = value
    predictions, references = of_systems("predictions"), of_systems("references")
    common = next(iter(references.values()), None)
    is_shared = all(value == common for value in references.values())
    return Example(
        row,
        shown,
        common if is_shared else None,
        [
            Answer(
                system,
                predictions.get(system),
                {
                    name: values[row]
                    for result in modules.values()
                    for name, values in result.per_example.items()
                    if name in names
                },
                None if is_shared else references.get(system),
            )
            for system, modules in results.systems.items()
        ],
    )


def as_text(value: Any) -> str:
    """A value of the data as people read it.

    >>> as_text("Paris"), as_text([1, "é"])
    ('Paris', '[1, "é"]')
    """
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
