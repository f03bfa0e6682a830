"""Saved results together with the scores of their rows, which lie in a file of their own."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ..catalog.usage import UsageError
from ..results.results import Results
from .stated_means import NO_ROWS

_ADVICE = "score again with --save and --per-example FILE, or name that file with --rows"


def is_saved_result(path: Path) -> bool:
    """Whether a file is a JSON object, as results are, and not lines of columns."""
    if not path.is_file():  # what is read from a pipe would be missing afterwards
        return False
    with path.open("rb") as file:
        return file.read(64).lstrip()[:1] == b"{"


def read_with_rows(
    paths: Sequence[Path],
    rows: Sequence[Path] = (),
    *,
    cluster_by: str | None = None,
    readable: Callable[[Path], bool] = lambda _: True,
) -> list[Results]:
    """Saved results with the scores of their rows.

    Args:
        paths: what `save` wrote.
        rows: what `save_per_example` wrote: one file for each result, or in their order for those
            results that name none. A file that a result names is looked for where it was written,
            and beside the result, and must be unchanged.
        cluster_by: a field of the inputs of these results, whose labels are the clusters of rows.
        readable: whether a file that a result names may be read; others count as missing.

    Raises:
        UsageError: there are more files of rows than results that need one.
        ValueError: a file is not what it should be, or the rows of a result are not there; says how
            to make them.
    """
    filled = []
    spare_rows = list(rows)
    for path in paths:
        results, problem, file = with_rows(
            path, spare_rows, is_first=len(rows) == len(paths), readable=readable
        )
        if problem:
            raise ValueError(problem)
        if file:
            spare_rows.remove(file)
        filled.append(
            results if cluster_by is None else _clustered(path, results, cluster_by, readable)
        )
    if spare_rows:
        raise UsageError(f"--rows: {spare_rows[0]} belongs to no result; each names its own rows")
    return filled


def _clustered(
    path: Path, results: Results, field: str, readable: Callable[[Path], bool]
) -> Results:
    from .cluster_labels import clustered

    try:
        return clustered(results, field, readable=readable)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def with_rows(
    path: Path,
    rows: Sequence[Path],
    *,
    is_first: bool,
    readable: Callable[[Path], bool] = lambda _: True,
) -> tuple[Results, str, Path | None]:
    """A saved result with the scores of its rows, or without them and why not.

    Args:
        path: what `save` wrote.
        rows: files of rows that are not yet spoken for.
        is_first: whether the first of them is that of this result; else it is so only if the result
            names none.
        readable: whether a file that the result names may be read.

    Returns:
        The result, what is wrong with its rows or "", and which of the files were its rows, if any.
    """
    results = Results.read(path)
    record = results.provenance.get("per_example")
    spare = rows[0] if rows and is_first else None
    try:
        file = spare or (_recorded(path, record, readable) if record else None)
        if file is None and rows:
            file = spare = rows[0]
        has_means_alone = all(
            not result.rows for modules in results.systems.values() for result in modules.values()
        )
        if file is None and has_means_alone:
            return results, f"{path}: {NO_ROWS}", None
        if file is None:
            problem = (
                f"its rows are not there: {record['path']}"
                if record
                else "it does not name the scores of its rows"
            )
            return results, f"{path}: {problem}; {_ADVICE}", None
        return results.with_rows(file), "", spare
    except ValueError as error:
        return results, str(error), spare


def _recorded(
    result: Path, record: Mapping[str, str], readable: Callable[[Path], bool]
) -> Path | None:
    """The file of rows that a result names, if it is there and unchanged."""
    name = record["path"]
    candidates = [Path(name), result.parent / name, result.parent / Path(name).name]
    file = next((path for path in candidates if readable(path) and path.is_file()), None)
    if file is not None:
        with file.open("rb") as raw:
            if hashlib.file_digest(raw, "sha256").hexdigest() != record["sha256"]:
                raise ValueError(f"{result}: its rows have changed since: {file}; {_ADVICE}")
    return file
