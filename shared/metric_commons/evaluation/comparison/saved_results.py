"""Results read from files, with the scored rows that they name, or made from files of rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...data.files.access import is_file, open_file, sha256_of
from ...module.catalog.usage import UsageError
from ...module.declaration.declarations import OF_INTERVALS
from ..results.module_results import ModuleResult, module_result, provenance
from ..results.results import Results

if TYPE_CHECKING:  # since these import numpy
    from ..rows.blocks import Tables
    from ..rows.row_tables import RowTable
    from ..rows.table_files import RowFile

_OF_INTERVALS = frozenset(OF_INTERVALS) - {"clusters"}
_ADVICE = "score again with --save and --rows FILE, or name that file"


def holds_rows(path: Path) -> bool:
    """Return whether a file has scored rows; a pipe, which cannot be read twice, has not."""
    from ..rows.table_files import FORMAT, has_parquet_header

    start = _start(path)
    if start.startswith(b"PAR1"):
        return has_parquet_header(path)
    return start.startswith(f'{{"format": "{FORMAT[:-1]}'.encode())


def is_saved(path: Path) -> bool:
    """Return whether a file holds results or scored rows, and not rows to be scored."""
    is_object = not {".jsonl", ".ndjson"} & set(path.suffixes) and _start(path).lstrip()[:1] == b"{"
    return is_object or holds_rows(path)


def _start(path: Path) -> bytes:
    if not is_file(path):
        return b""
    with open_file(path) as file:
        return file.read(64)


def merged_rows(paths: Iterable[Path]) -> "RowFile":
    """Return the rows of several files in one.

    Raises:
        ValueError: a file is not one of rows, they cannot be merged, or two are of one input.
    """
    from ..rows.blocks import merged
    from ..rows.joins import check_unique
    from ..rows.table_files import RowFile, read_tables

    tables: list[Tables] = []
    inputs: list[Any] = []
    record: dict[str, Any] = {}
    for path in paths:
        file = read_tables(path)
        known = {source["sha256"] for source in inputs}
        for source in file.provenance.get("inputs", []):
            if source["sha256"] in known:
                raise ValueError(
                    f"{path}: the rows of {source['path']} are in an earlier file, too"
                )
            inputs.append(source)
        record = record or file.provenance
        tables.append(file.tables)
        names = [
            {(s, n) for s, modules in t.items() for n in modules} for t in (tables[0], file.tables)
        ]
        if different := sorted(names[0] ^ names[1]):
            listed = ", ".join(f"{module} of {system!r}" for system, module in different)
            raise ValueError(f"{path}: only some of the files have rows of {listed}")
    if len(tables) > 1:  # rows are in several files, which one field of a file does not name
        record = {n: v for n, v in record.items() if n != "sources"}
    whole = merged(tables)
    for modules in whole.values():
        check_unique(next(iter(modules.values())).ids)
    return RowFile(whole, {**record, **provenance(inputs)})


class SavedResult(NamedTuple):
    """The results in a file, with their scored rows unless there is a problem with these."""

    path: Path
    results: Results
    problem: str = ""


def saved_result(path: Path, cluster_by: Sequence[str] = ()) -> SavedResult:
    """Return the results in a file, with their scored rows if these can be had.

    Args:
        path: results, or rows, whose scores are then computed. Rows that a result names are looked
            for where they were written, and next to the result, and must be unchanged.
        cluster_by: the fields of the clusters, among those that were scored; several are crossed.
            Empty for those of the rows.

    Raises:
        ValueError: a file is not valid, or there are no such clusters.
    """
    from ..rows.table_files import read_tables

    if holds_rows(path):
        file = read_tables(path)
        results = Results.of_rows(file.tables, file.provenance, {})
        return SavedResult(path, _clustered(path, results, cluster_by))
    results = Results.read(path)
    record, problem = results.provenance.get("rows"), ""
    if record is None:
        problem = "it does not name a file of its scored rows"
    elif (found := _recorded(path, record)) is None:
        problem = f"its scored rows are missing: {record['path']}"
    elif sha256_of(found) != record["sha256"]:
        problem = f"its scored rows changed: {found}"
    if problem or found is None:
        problem = f"{path}: {problem}; {_ADVICE}"
        if cluster_by:
            raise ValueError(f"clusters need scored rows: {problem}")
        return SavedResult(path, results, problem)
    try:
        results = results.with_rows(read_tables(found))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    return SavedResult(path, _clustered(path, results, cluster_by))


def read_results(path: Path, cluster_by: Sequence[str] = ()) -> Results:
    """Return the results in a file, with their scored rows.

    Raises:
        ValueError: as in `saved_result`; or rows are missing, and the message says how to make
            them.
    """
    saved = saved_result(path, cluster_by)
    if saved.problem:
        raise ValueError(saved.problem)
    return saved.results


def check_distinct(paths: Sequence[Path]) -> None:
    """Check that no result is given twice.

    Raises:
        UsageError: one is.
    """
    for path in paths:
        if paths.count(path) > 1:
            raise UsageError(f"result {path} is given twice")


def named(saved: Sequence[SavedResult]) -> dict[str, Results]:
    """Return results by the names of their files, as far as these distinguish them."""
    stems = [result.path.stem for result in saved]
    return {
        stem if stems.count(stem) == 1 else str(result.path): result.results
        for stem, result in zip(stems, saved, strict=True)
    }


def with_intervals(results: Results, level: float | None = None) -> Results:
    """Return the results with intervals as far as their rows are known.

    Args:
        results: results, perhaps with scored rows.
        level: the level of the intervals; None for that of each result, if it has one.
    """

    def changed(module: str, result: ModuleResult, table: "RowTable | None") -> ModuleResult:
        if table is None or "confidence_level" not in table.metric.options:
            return result
        reporting = {n: result.options[n] for n in _OF_INTERVALS if n in result.options}
        if level is not None:
            reporting["confidence_level"] = level
        found = module_result(table, {"standard_error": bool(result.standard_error), **reporting})
        return replace(found, conditions=result.conditions).only(result.scores).signed(module)

    return replace(
        results,
        systems={
            system: {
                name: changed(name, result, results.rows.get(system, {}).get(name))
                for name, result in modules.items()
            }
            for system, modules in results.systems.items()
        },
    )


def _recorded(result: Path, record: Mapping[str, str]) -> Path | None:
    """Return the file of rows that a result names, if it exists."""
    path = Path(record["path"])
    return next(filter(is_file, (path, result.parent / path.name)), None)


def _clustered(path: Path, results: Results, fields: Sequence[str]) -> Results:
    """Return the results as if rows had been scored with the clusters in these fields."""
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
    return with_intervals(replace(results, rows=tables))
