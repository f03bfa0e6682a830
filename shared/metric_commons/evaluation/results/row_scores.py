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
from ...data.files.stored import check_object, refuse_device, to_jsonable, write_whole
from ...statistics.arguments.domains import Finite, Range, check_option
from .module_results import ModuleResult, Systems, means_of_rows
from .result_checks import check_rows

_Number = Annotated[float, Range(-math.inf)] | None  # None stands for NaN
_LABELS = {"id": int | str, "cluster": int | str | Mapping[str, str]}
_RECORD = {"row": Annotated[int, Range(0)], "system": str, "scores": Mapping[str, Any]}
_OPTIONAL_OF_RECORD = _LABELS | dict.fromkeys(("statistics", "texts", "inputs"), Mapping[str, Any])

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
    scores = {
        name: [value if math.isfinite(value) else None for value in column]
        for result in modules.values()
        for name, column in result.per_example.items()
    }
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
            "scores": {name: column[row] for name, column in scores.items()},
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
    read: dict[str, dict[str, dict[Any, list[Any]]]] = {
        system: {
            "scores": {name: [] for result in modules.values() for name in result.scores},
            **{key: {} for key in ("labels", "statistics", "texts", "inputs")},
        }
        for system, modules in systems.items()
    }
    rows = dict.fromkeys(read, 0)
    shapes: set[Any] = set()  # keys and types of the values of a row, which are checked once
    decode = json.JSONDecoder(parse_constant=_refused).decode
    refuse_device(path)
    limit = default_limits().line
    with BufferedReader(open_file(path)) as file:
        for number, line in enumerate(iter(partial(file.readline, limit + 1), b""), start=1):
            try:
                if len(line) > limit:
                    raise ValueError(f"longer than {limit:,} bytes, the limit of a line")
                record = decode(line.decode())
                shape = (*record, *map(type, record.values())) if type(record) is dict else None
                if shape not in shapes:
                    check_object("a row", record, _RECORD, _OPTIONAL_OF_RECORD)
                    shapes.add(shape)
                system, row = record["system"], record["row"]
                if row != rows[system]:
                    raise ValueError(f"row {row} of {system!r}, where {rows[system]} is next")
                _add(read[system], record)
                rows[system] += 1
            except KeyError as error:
                raise ValueError(f"{path}: line {number}: {error} is unknown or missing") from None
            except (ValueError, TypeError, AttributeError, RecursionError) as error:
                raise ValueError(f"{path}: line {number}: {error}") from None
    try:
        filled = {
            system: _filled(system, modules, read[system], rows[system])
            for system, modules in systems.items()
        }
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    return filled, {system: r["labels"] for system, r in read.items() if r["labels"]}


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is not a number of JSON")


def _add(read: Mapping[str, dict[Any, list[Any]]], record: Mapping[str, Any]) -> None:
    """Add the values of a row to the columns of its system."""
    for name, value in record["scores"].items():
        read["scores"][name].append(value)
    for name in _LABELS:
        if name in record:
            read["labels"].setdefault(name, []).append(record[name])
    for module, values in record.get("statistics", {}).items():
        read["statistics"].setdefault(module, []).append(values)
    for key in ("texts", "inputs"):
        for module, values in record.get(key, {}).items():
            for name, value in values.items():
                read[key].setdefault((module, name), []).append(value)


def _filled(
    system: str,
    modules: Mapping[str, ModuleResult],
    read: Mapping[str, dict[Any, list[Any]]],
    rows: int,
) -> dict[str, ModuleResult]:
    """Return the results of a system with the columns of its rows, which are checked."""
    for key in ("labels", "statistics", "texts", "inputs"):
        for name, column in read[key].items():
            if len(column) != rows:
                field = name[1] if isinstance(name, tuple) else name
                raise ValueError(f"some rows of {system!r} have {field!r}, not all")
    for name, column in read["labels"].items():
        _check_column(system, name, column, {int, str}, _LABELS[name])
    for module, of_rows in read["statistics"].items():
        _check_column(system, f"statistics of {module}", of_rows, {dict}, Mapping[str, Any])
    for (_, name), column in read["texts"].items():
        _check_column(system, name, column, {dict}, dict[str, Any])
    for name, column in read["scores"].items():
        _check_column(system, name, column, {int, float, type(None)}, _Number)
        read["scores"][name] = [math.nan if value is None else value for value in column]

    def of_module(module: str, key: str) -> dict[str, list[Any]]:
        return {name: column for (owner, name), column in read[key].items() if owner == module}

    return {
        module: replace(
            _with_columns(system, module, result, read["scores"]),
            row_sums=_table(system, read["statistics"].get(module)),
            row_texts=of_module(module, "texts"),
            row_inputs=of_module(module, "inputs"),
        )
        for module, result in modules.items()
    }


def _check_column(
    system: str, name: str, values: Sequence[Any], types: set[type], annotation: Any
) -> None:
    """Check the values of rows; one by one only if a type or a number is unusual."""
    if types.issuperset(map(type, values)):
        numbers = filter(None, values) if float in types else ()
        if max(map(abs, numbers), default=0) < 2**63:  # integers have no more bits
            return
    for row, value in enumerate(values):
        try:
            check_option(name, value, annotation)
        except ValueError as error:
            raise ValueError(f"row {row} of {system!r}: {error}") from error


def _table(system: str, rows: Sequence[Mapping[str, float]] | None) -> Any:
    """Return the statistics of rows as a table, 0 where a row has none; None without rows.

    >>> _table("a", [{"hits": 2, "errors": 0}, {"errors": 1}]).values.tolist()
    [[2, 0], [0, 1]]
    """
    if rows is None:
        return None
    import numpy as np

    from ...statistics.intervals.sums import RowSums

    names = tuple(rows[0])
    if unknown := set[str]().union(*rows) - {*names}:
        raise ValueError(f"the first row of {system!r} does not have {min(unknown)!r}")
    columns = [[row.get(name, 0) for row in rows] for name in names]
    for name, column in zip(names, columns, strict=True):
        _check_column(system, name, column, {int, float}, Finite)
    return RowSums(names, np.array(columns).reshape(len(names), len(rows)).T)


def _with_columns(
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
        raise ValueError(f"system {system!r}: {error}") from error
    full = replace(result, per_example=columns_of_module)
    for name, values in columns_of_module.items():
        if len(values) != result.rows:
            raise ValueError(
                f"system {system!r} has {len(values)} rows of {name}, but {result.rows} were scored"
            )
    for name, values in means_of_rows(full).items():
        counting = [value for value in values if not math.isnan(value)]
        average = math.fsum(counting) / len(counting) if counting else math.nan
        stored = result.scores[name]
        if not math.isnan(stored) and not math.isclose(
            average, stored, rel_tol=1e-9, abs_tol=1e-12
        ):
            raise ValueError(
                f"the mean of {name} of system {system!r} is {average}, but the result "
                f"says {stored}; the rows belong to another result"
            )
    return full
