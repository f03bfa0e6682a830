"""The file with the scores of rows: JSON Lines, one line per row and system.

A line holds the number of the row, its id and cluster as far as these were given, the system, and
each score: `{"row": 0, "id": "q7", "system": "dpr", "scores": {"qa_f1": 0.5}}`. Of scores that
follow from sums it also has `"statistics": {"error_rate": {"hits": 3}}`: what the row adds to them,
as far as that is not 0. A module that says something about rows adds
`"texts": {"math_equivalence": {"reason": "two readings"}}`, with null where it says nothing.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ..files.stored import check_object, plain, refuse_device, restored, write_whole
from ..numbers.domains import Finite, Range, check_option

if TYPE_CHECKING:
    from ..statistics.sums import RowSums

_Number = Annotated[float, Range(-math.inf)] | None  # None stands for NaN
_Text = str | None
_RECORD = {
    "row": Annotated[int, Range(0)],
    "system": str,
    "scores": Mapping[str, Any],
}
_OF_RECORD = {
    "id": int | str,
    "cluster": int | str,
    "statistics": Mapping[str, Any],
    "texts": Mapping[str, Any],
}

Sums = Mapping[str, Mapping[str, "RowSums"]]  # of each system, by module
Columns = Mapping[str, Mapping[str, Sequence[Any]]]  # of each system, by their names
Texts = Mapping[str, Mapping[str, Mapping[str, Sequence[str | None]]]]  # by system and module


def write_rows(
    path: str | Path, scores: Columns, row_labels: Columns, sums: Sums, texts: Texts
) -> str:
    """Write the file, whole or not at all; its SHA-256.

    Args:
        path: of the file.
        scores: of each system the scores of its rows, by score.
        row_labels: of each system the `id` and the `cluster` of its rows, as far as there are any.
        sums: of each system what its rows add to sums, by module.
        texts: of each system the texts about its rows, by module and name.
    """
    digest = hashlib.sha256()

    def lines() -> Iterator[bytes]:
        for record in _records(scores, row_labels, sums, texts):
            line = (json.dumps(record) + "\n").encode()
            digest.update(line)
            yield line

    write_whole(path, lines())
    return digest.hexdigest()


def _records(
    scores: Columns, row_labels: Columns, sums: Sums, texts: Texts
) -> Iterator[dict[str, Any]]:
    for system, columns in scores.items():
        labels = row_labels.get(system, {})
        statistics = {
            module: (of_module.names, of_module.values.tolist())
            for module, of_module in sums.get(system, {}).items()
        }
        for row, values in enumerate(zip(*columns.values(), strict=True)):
            names = {name: column[row] for name, column in labels.items()}
            scores_of_row = dict(zip(columns, plain(values), strict=True))
            record = {"row": row, **names, "system": system, "scores": scores_of_row}
            if statistics:
                record["statistics"] = {
                    module: {
                        name: value
                        for name, value in zip(names_of_module, values[row], strict=True)
                        if value
                    }
                    for module, (names_of_module, values) in statistics.items()
                }
            if texts.get(system):
                record["texts"] = {
                    module: {name: column[row] for name, column in texts_of_module.items()}
                    for module, texts_of_module in texts[system].items()
                }
            yield record


def read_rows(
    path: str | Path, names: Mapping[str, Iterable[str]]
) -> tuple[
    dict[str, dict[str, list[float]]],
    dict[str, dict[str, list[Any]]],
    dict[str, dict[str, "RowSums"]],
    dict[str, dict[str, dict[str, list[str | None]]]],
]:
    """What `write_rows` takes: scores of rows, their labels, what they add to sums, and texts.

    Args:
        path: of the file.
        names: the scores that each system may have; of one that has no rows the column is empty.

    Raises:
        ValueError: the file is not what `write_rows` wrote, or has other systems or scores.
    """
    columns: dict[str, dict[str, list[float]]] = {
        system: {name: [] for name in scores} for system, scores in names.items()
    }
    rows = dict.fromkeys(columns, 0)
    labels: dict[str, dict[str, list[Any]]] = {system: {} for system in columns}
    statistics: dict[str, dict[str, list[dict[str, float]]]] = {system: {} for system in columns}
    texts: dict[str, dict[str, dict[str, list[str | None]]]] = {system: {} for system in columns}
    refuse_device(path)
    with Path(path).open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = json.loads(line)
                check_object("a row", record, _RECORD, _OF_RECORD)
                system, row, scores = record["system"], record["row"], record["scores"]
                if row != rows[system]:
                    raise ValueError(f"row {row} of {system!r}, where {rows[system]} is next")
                for name, value in scores.items():
                    check_option(name, value, _Number)
                    columns[system][name].append(restored(value))
                for name in ("id", "cluster"):
                    if name in record:
                        labels[system].setdefault(name, []).append(record[name])
                    if len(labels[system].get(name, ())) not in (0, row + 1):
                        raise ValueError(f"some rows of {system!r} have a field {name!r}, not all")
                for module, values in record.get("statistics", {}).items():
                    for name, value in values.items():
                        check_option(name, value, Finite)
                    statistics[system].setdefault(module, []).append(dict(values))
                for module, values in record.get("texts", {}).items():
                    for name, value in values.items():
                        check_option(name, value, _Text)
                        column = texts[system].setdefault(module, {}).setdefault(name, [])
                        column.append(value)
                        if len(column) != row + 1:
                            raise ValueError(f"some rows of {system!r} have {name!r}, not all")
                rows[system] += 1
            except KeyError as error:
                raise ValueError(f"{path}: line {number}: {error} is unknown or missing") from None
            except (ValueError, TypeError, AttributeError, RecursionError) as error:
                raise ValueError(f"{path}: line {number}: {error}") from None
    sums = {
        system: {module: _table(values) for module, values in of_system.items()}
        for system, of_system in statistics.items()
    }
    for system, texts_of_system in texts.items():
        for texts_of_module in texts_of_system.values():
            for name, column in texts_of_module.items():
                if len(column) != rows[system]:
                    raise ValueError(f"{path}: some rows of {system!r} have {name!r}, not all")
    labels = {system: columns for system, columns in labels.items() if columns}
    return columns, labels, sums, texts


def _table(rows: Sequence[Mapping[str, float]]) -> "RowSums":
    """The statistics of rows as a table, 0 where a row has none.

    >>> _table([{"hits": 2}, {"errors": 1}]).values.tolist()
    [[0, 2], [1, 0]]
    """
    import numpy as np

    from ..statistics.sums import RowSums

    names = tuple(sorted({name for row in rows for name in row}))
    values = [[row.get(name, 0) for name in names] for row in rows]
    return RowSums(names, np.array(values).reshape(len(rows), len(names)))
