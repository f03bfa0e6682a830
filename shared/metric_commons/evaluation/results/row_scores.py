"""The file with the scores of rows: JSON Lines, one line per row and system.

A line contains the number of the row, its id and cluster if these were passed, the system, and
each score: `{"row": 0, "id": "q7", "system": "dpr", "scores": {"qa_f1": 0.5}}`. For scores computed
from sums it also contains the row's terms: `"statistics": {"error_rate": {"hits": 3}}`; the first
row of a system has all of them, and further rows those that are not zero. A module whose scores
follow from neither adds its inputs: `"inputs": {"classification": {"predictions": 1, "references":
0}}`. A module with texts about rows adds
`"texts": {"math_equivalence": {"explanations": {"reason": "two readings", ...}}}`.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ...data.files.access import default_limits, open_file
from ...data.files.stored import (
    check_object,
    from_jsonable,
    refuse_device,
    to_jsonable,
    write_whole,
)
from ...statistics.arguments.domains import Finite, Range, check_option
from .module_results import ModuleResult, means_of_rows
from .result_checks import check_rows

if TYPE_CHECKING:
    from ...statistics.intervals.sums import RowSums

_Number = Annotated[float, Range(-math.inf)] | None  # None stands for NaN
_RECORD = {
    "row": Annotated[int, Range(0)],
    "system": str,
    "scores": Mapping[str, Any],
}
_OPTIONAL_OF_RECORD = {
    "id": int | str,
    "cluster": int | str | Mapping[str, str],
    "statistics": Mapping[str, Any],
    "texts": Mapping[str, Any],
    "inputs": Mapping[str, Any],
}

Sums = Mapping[str, Mapping[str, "RowSums"]]  # by system and module
Columns = Mapping[str, Mapping[str, Sequence[Any]]]  # by system and name
ByModule = Mapping[str, Mapping[str, Mapping[str, Sequence[Any]]]]  # by system, module and name


def write_rows(
    path: str | Path,
    scores: Columns,
    row_labels: Columns,
    sums: Sums,
    texts: ByModule,
    inputs: ByModule,
) -> str:
    """Write the file atomically and return its SHA-256.

    Args:
        path: the file.
        scores: the scores of rows, by system and score.
        row_labels: the `id` and the `cluster` of rows, if any, by system.
        sums: the terms that rows add to sums, by system and module.
        texts: the texts about rows, by system, module and name.
        inputs: the inputs of rows, likewise.
    """
    digest = hashlib.sha256()

    def lines() -> Iterator[bytes]:
        for record in _records(scores, row_labels, sums, {"texts": texts, "inputs": inputs}):
            line = (json.dumps(record) + "\n").encode()
            digest.update(line)
            yield line

    write_whole(path, lines())
    return digest.hexdigest()


def _records(
    scores: Columns, row_labels: Columns, sums: Sums, by_module: Mapping[str, ByModule]
) -> Iterator[dict[str, Any]]:
    for system, columns in scores.items():
        labels = row_labels.get(system, {})
        statistics = {
            module: (row_sums.names, row_sums.values.tolist())
            for module, row_sums in sums.get(system, {}).items()
        }
        of_system = {
            key: to_jsonable(columns.get(system, {})) for key, columns in by_module.items()
        }
        listed = [*columns.values(), *(values for _, values in statistics.values())]
        listed += [
            column
            for modules in of_system.values()
            for named in modules.values()
            for column in named.values()
        ]
        for row in range(max(map(len, listed), default=0)):
            names = {name: column[row] for name, column in labels.items()}
            scores_of_row = {name: to_jsonable(column[row]) for name, column in columns.items()}
            record = {"row": row, **names, "system": system, "scores": scores_of_row}
            if statistics:
                record["statistics"] = {
                    module: {
                        name: value
                        for name, value in zip(names_of_module, values[row], strict=True)
                        if value or not row
                    }
                    for module, (names_of_module, values) in statistics.items()
                }
            for key, modules in of_system.items():
                if modules:
                    record[key] = {
                        module: {name: column[row] for name, column in named.items()}
                        for module, named in modules.items()
                    }
            yield record


def read_rows(
    path: str | Path, names: Mapping[str, Iterable[str]]
) -> tuple[
    dict[str, dict[str, list[float]]],
    dict[str, dict[str, list[Any]]],
    dict[str, dict[str, "RowSums"]],
    dict[str, dict[str, dict[str, list[Any]]]],
    dict[str, dict[str, dict[str, list[Any]]]],
]:
    """Return the scores, labels, sums, texts and inputs that `write_rows` was called with.

    Args:
        path: the file.
        names: the scores that each system may have; columns without rows are empty.

    Raises:
        ValueError: the file is not what `write_rows` wrote, or has other systems or scores.
    """
    columns: dict[str, dict[str, list[float]]] = {
        system: {name: [] for name in scores} for system, scores in names.items()
    }
    rows = dict.fromkeys(columns, 0)
    labels: dict[str, dict[str, list[Any]]] = {system: {} for system in columns}
    statistics: dict[str, dict[str, list[dict[str, float]]]] = {system: {} for system in columns}
    texts, inputs = (
        {system: dict[str, dict[str, list[Any]]]() for system in columns} for _ in range(2)
    )
    refuse_device(path)
    limit = default_limits().line
    with BufferedReader(open_file(path)) as file:
        lines = iter(partial(file.readline, limit + 1), b"")
        for number, line in enumerate(lines, start=1):
            try:
                if len(line) > limit:
                    raise ValueError(f"longer than {limit:,} bytes, the limit of a line")
                record = json.loads(line)
                check_object("a row", record, _RECORD, _OPTIONAL_OF_RECORD)
                system, row, scores = record["system"], record["row"], record["scores"]
                if row != rows[system]:
                    raise ValueError(f"row {row} of {system!r}, where {rows[system]} is next")
                for name, value in scores.items():
                    check_option(name, value, _Number)
                    columns[system][name].append(from_jsonable(value))
                for name in ("id", "cluster"):
                    if name in record:
                        labels[system].setdefault(name, []).append(record[name])
                    if len(labels[system].get(name, ())) not in (0, row + 1):
                        raise ValueError(f"some rows of {system!r} have a field {name!r}, not all")
                for module, values in record.get("statistics", {}).items():
                    rows_of_module = statistics[system].setdefault(module, [])
                    for name, value in values.items():
                        check_option(name, value, Finite)
                        if rows_of_module and name not in rows_of_module[0]:
                            raise ValueError(f"the first row of {system!r} does not have {name!r}")
                    rows_of_module.append(dict(values))
                for key, by_system in (("texts", texts), ("inputs", inputs)):
                    for module, values in record.get(key, {}).items():
                        for name, value in values.items():
                            if key == "texts":
                                check_option(name, value, dict[str, Any])
                            column = by_system[system].setdefault(module, {}).setdefault(name, [])
                            column.append(value)
                            if len(column) != row + 1:
                                raise ValueError(f"some rows of {system!r} have {name!r}, not all")
                rows[system] += 1
            except KeyError as error:
                raise ValueError(f"{path}: line {number}: {error} is unknown or missing") from None
            except (ValueError, TypeError, AttributeError, RecursionError) as error:
                raise ValueError(f"{path}: line {number}: {error}") from None
    sums = {
        system: {module: _table(values) for module, values in modules.items()}
        for system, modules in statistics.items()
    }
    for system, modules in chain(texts.items(), inputs.items()):
        for named in modules.values():
            for name, column in named.items():
                if len(column) != rows[system]:
                    raise ValueError(f"{path}: some rows of {system!r} have {name!r}, not all")
    labels = {system: columns for system, columns in labels.items() if columns}
    return columns, labels, sums, texts, inputs


def _table(rows: Sequence[Mapping[str, float]]) -> "RowSums":
    """Return the statistics of rows as a table, 0 where a row has none.

    >>> _table([{"hits": 2, "errors": 0}, {"errors": 1}]).values.tolist()
    [[2, 0], [0, 1]]
    """
    import numpy as np

    from ...statistics.intervals.sums import RowSums

    names = tuple(rows[0])
    values = [[row.get(name, 0) for name in names] for row in rows]
    return RowSums(names, np.array(values).reshape(len(rows), len(names)))


def with_columns(
    path: str | Path,
    system: str,
    module: str,
    result: ModuleResult,
    columns: Mapping[str, list[float]],
) -> ModuleResult:
    """Return the result with the columns of its scores, which are checked to be their means."""
    columns_of_module = {name: columns[name] for name in result.scores if columns[name]}
    try:
        check_rows(module, columns_of_module)
    except ValueError as error:
        raise ValueError(f"{path}: system {system!r}: {error}") from error
    full = replace(result, per_example=columns_of_module)
    for name, values in columns_of_module.items():
        if len(values) != result.rows:
            raise ValueError(
                f"{path}: system {system!r} has {len(values)} rows of {name}, but {result.rows} "
                "were scored"
            )
    for name, values in means_of_rows(full).items():
        counting = [value for value in values if not math.isnan(value)]
        average = math.fsum(counting) / len(counting) if counting else math.nan
        stored = result.scores[name]
        if not math.isnan(stored) and not math.isclose(
            average, stored, rel_tol=1e-9, abs_tol=1e-12
        ):
            raise ValueError(
                f"{path}: the mean of {name} of system {system!r} is {average}, but the result "
                f"says {stored}; the rows belong to another result"
            )
    return full
