"""Results read from files, with the scored rows that they name, or made from files of rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...data.files.access import is_file, open_file, sha256_of
from ...module.catalog.usage import UsageError
from ..results.module_results import module_result
from ..results.results import Results
from ..rows.plans import Tables
from ..rows.table_files import FORMAT, RowFile, read_tables
from .reported_means import NO_ROWS

_ADVICE = "score again with --save and --rows FILE, or name that file"


def holds_rows(path: Path) -> bool:
    """Return whether a file has scored rows; a pipe, which cannot be read twice, has not."""
    if not is_file(path):
        return False
    with open_file(path) as file:
        start = file.read(64)
    return start.startswith((b"PAR1", f'{{"format": "{FORMAT[:-1]}'.encode()))


def is_saved(path: Path) -> bool:
    """Return whether a file holds results or scored rows, and not rows to be scored."""
    if holds_rows(path):
        return True
    if not is_file(path):
        return False
    with open_file(path) as file:
        return file.read(64).lstrip()[:1] == b"{"


def results_of_rows(file: RowFile, reporting: Mapping[str, Any] | None = None) -> Results:
    """Return the results of scored rows.

    Args:
        file: the rows, and where they come from.
        reporting: the options of intervals, for modules that have them.
    """
    systems = {
        system: {name: module_result(table, reporting or {}) for name, table in modules.items()}
        for system, modules in file.tables.items()
    }
    return Results(systems=systems, provenance=file.provenance, rows=file.tables)


def read_results(
    path: Path, *, cluster_by: Sequence[str] = (), rows_needed: bool = True
) -> Results:
    """Return the results in a file, with their scored rows.

    Args:
        path: results, or rows, whose scores are then computed. Rows that a result names are looked
            for where they were written, and next to the result, and must be unchanged.
        cluster_by: the fields of the clusters, among those that were scored; several are crossed.
            None for those of the rows.
        rows_needed: whether results without rows are refused.

    Raises:
        ValueError: a file is not valid, or rows or clusters are missing; the message says how to
            make them.
    """
    if holds_rows(path):
        file = read_tables(path)
        return _clustered(path, results_of_rows(file), cluster_by)
    results = Results.read(path)
    record = results.provenance.get("rows")
    found = None if record is None else _recorded(path, record)
    if found is None:
        if rows_needed or cluster_by:
            raise ValueError(f"{path}: {_absence(results, record)}; {_ADVICE}")
        return results
    try:
        results = results.with_rows(read_tables(found))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    return _clustered(path, results, cluster_by)


def read_all(
    paths: Sequence[Path], *, cluster_by: Sequence[str] = (), rows_needed: bool = True
) -> dict[str, Results]:
    """Return the results in several files, by the names of the files.

    Raises:
        UsageError: a file is given twice.
        ValueError: as in `read_results`.
    """
    for path in paths:
        if paths.count(path) > 1:
            raise UsageError(f"result {path} is given twice")
    stems = [path.stem for path in paths]
    return {
        stem if stems.count(stem) == 1 else str(path): read_results(
            path, cluster_by=cluster_by, rows_needed=rows_needed
        )
        for stem, path in zip(stems, paths, strict=True)
    }


def _absence(results: Results, record: Mapping[str, str] | None) -> str:
    """Return why a result has no scored rows."""
    if not any(part.rows for modules in results.systems.values() for part in modules.values()):
        return NO_ROWS
    if record is not None:
        return f"its scored rows are missing: {record['path']}"
    return "it does not name a file of its scored rows"


def _recorded(result: Path, record: Mapping[str, str]) -> Path | None:
    """Return the file of rows that a result names, if it exists; it must be unchanged."""
    name = record["path"]
    candidates = [Path(name), result.parent / name, result.parent / Path(name).name]
    file = next((path for path in candidates if is_file(path)), None)
    if file is not None and sha256_of(file) != record["sha256"]:
        raise ValueError(f"{result}: its scored rows changed: {file}; {_ADVICE}")
    return file


def _clustered(path: Path, results: Results, fields: Sequence[str]) -> Results:
    """Return the results with the labels in these fields as clusters of their rows."""
    if not fields:
        return results
    tables: Tables = {}
    for system, modules in results.rows.items():
        tables[system] = {}
        for module, table in modules.items():
            if missing := [name for name in fields if name not in table.clusters]:
                known = ", ".join(table.clusters) or "none"
                raise ValueError(
                    f"{path}: rows of {system!r} were scored without --cluster-by {missing[0]}; "
                    f"their clusters: {known}"
                )
            clusters = {name: table.clusters[name] for name in fields}
            tables[system][module] = replace(table, clusters=clusters)
    return replace(results, rows=tables)
