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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import Annotated, Any

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

Systems = Mapping[str, Mapping[str, ModuleResult]]  # results by system and module
Labels = Mapping[str, Mapping[str, Sequence[Any]]]  # of rows by system: the `id` and the `cluster`


def write_rows(path: str | Path, systems: Systems, row_labels: Labels) -> str:
    """Write the file atomically and return its SHA-256."""
    digest = hashlib.sha256()

    def lines() -> Iterator[bytes]:
        for system, modules in systems.items():
            for record in _records(system, modules, row_labels.get(system, {})):
                line = (json.dumps(record) + "\n").encode()
                digest.update(line)
                yield line

    write_whole(path, lines())
    return digest.hexdigest()


def _records(
    system: str, modules: Mapping[str, ModuleResult], labels: Mapping[str, Sequence[Any]]
) -> Iterator[dict[str, Any]]:
    scores = {name: c for result in modules.values() for name, c in result.per_example.items()}
    sums = {m: (s.names, s.values.tolist()) for m, r in modules.items() if (s := r.row_sums)}
    by_module = {
        key: {m: to_jsonable(c) for m, r in modules.items() if (c := getattr(r, name))}
        for key, name in (("texts", "row_texts"), ("inputs", "row_inputs"))
    }
    columns = [*scores.values(), *(values for _, values in sums.values())]
    for of_modules in by_module.values():
        columns += [column for named in of_modules.values() for column in named.values()]
    for row in range(max(map(len, columns), default=0)):
        record: dict[str, Any] = {
            "row": row,
            **{name: column[row] for name, column in labels.items()},
            "system": system,
            "scores": {name: to_jsonable(column[row]) for name, column in scores.items()},
        }
        if sums:
            record["statistics"] = {
                module: {n: v for n, v in zip(names, values[row], strict=True) if v or not row}
                for module, (names, values) in sums.items()
            }
        for key, of_modules in by_module.items():
            if of_modules:
                record[key] = {
                    module: {name: column[row] for name, column in named.items()}
                    for module, named in of_modules.items()
                }
        yield record


def read_rows(
    path: str | Path, systems: Systems
) -> tuple[dict[str, dict[str, ModuleResult]], dict[str, dict[str, list[Any]]]]:
    """Return the results with what `write_rows` wrote about their rows, and the labels of rows.

    Raises:
        ValueError: the file is not what `write_rows` wrote, has other systems or scores, or its
            scores are not those of the results.
    """
    columns: dict[str, dict[str, list[float]]] = {
        system: {name: [] for result in modules.values() for name in result.scores}
        for system, modules in systems.items()
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
    for system, modules in (*texts.items(), *inputs.items()):
        for named in modules.values():
            for name, column in named.items():
                if len(column) != rows[system]:
                    raise ValueError(f"{path}: some rows of {system!r} have {name!r}, not all")
    filled: dict[str, dict[str, ModuleResult]] = {
        system: {
            module: replace(
                _with_columns(path, system, module, result, columns[system]),
                row_sums=_table(statistics[system].get(module)),
                row_texts=texts[system].get(module, {}),
                row_inputs=inputs[system].get(module, {}),
            )
            for module, result in modules.items()
        }
        for system, modules in systems.items()
    }
    return filled, {system: of_system for system, of_system in labels.items() if of_system}


def _table(rows: Sequence[Mapping[str, float]] | None) -> Any:
    """Return the statistics of rows as a table, 0 where a row has none; None without rows.

    >>> _table([{"hits": 2, "errors": 0}, {"errors": 1}]).values.tolist()
    [[2, 0], [0, 1]]
    """
    if rows is None:
        return None
    import numpy as np

    from ...statistics.intervals.sums import RowSums

    names = tuple(rows[0])
    values = [[row.get(name, 0) for name in names] for row in rows]
    return RowSums(names, np.array(values).reshape(len(rows), len(names)))


def _with_columns(
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
