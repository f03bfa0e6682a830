"""Saved results together with the scores of their rows, which are in a separate file."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..catalog.usage import UsageError
from ..files.access import is_file, open_file, sha256_of
from ..results.results import Results
from .reported_means import NO_ROWS

_ADVICE = "score again with --save and --per-example FILE, or name that file with --rows"


def is_saved_result(path: Path) -> bool:
    """Whether a file holds a JSON object, as results do, and not lines of columns."""
    if not is_file(path):  # a pipe cannot be read twice
        return False
    with open_file(path) as file:
        return file.read(64).lstrip()[:1] == b"{"


def read_with_rows(
    paths: Sequence[Path],
    rows: Sequence[Path] = (),
    *,
    cluster_by: str | None = None,
) -> list[Results]:
    """Read saved results with the scores of their rows.

    Args:
        paths: files written by `save`.
        rows: files written by `save_per_example`: one for each result, or in order, one for each
            result that does not name its file. A file that a result names is looked for where it
            was written, and next to the result, and must be unchanged.
        cluster_by: a field of the inputs of these results, whose labels are the clusters of rows.

    Raises:
        UsageError: there are more files of rows than results that need one.
        ValueError: a file is not valid, or the rows of a result are missing; the message says how
            to create them.
    """
    filled = []
    spare_rows = list(rows)
    for path in paths:
        results, problem, file = with_rows(path, spare_rows, is_first=len(rows) == len(paths))
        if problem:
            raise ValueError(problem)
        if file:
            spare_rows.remove(file)
        filled.append(results if cluster_by is None else _clustered(path, results, cluster_by))
    if spare_rows:
        raise UsageError(f"--rows: {spare_rows[0]} is not needed; every result names its own rows")
    return filled


def _clustered(path: Path, results: Results, field: str) -> Results:
    from .cluster_labels import clustered

    try:
        return clustered(results, field)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def read_available_rows(
    paths: Sequence[Path], rows: Sequence[Path] = ()
) -> tuple[dict[str, Results], list[str]]:
    """Saved results with the scores of their rows as far as these are available.

    Args:
        paths: files written by `save`.
        rows: files written by `save_per_example`, as for `read_with_rows`.

    Returns:
        The results by the name of their file, and the problems with rows.

    Raises:
        UsageError: a file of rows is not needed.
        ValueError: a file is not valid, or a result is given twice.
    """
    results: dict[str, Results] = {}
    problems = []
    spare_rows = list(rows)
    stems = [path.stem for path in paths]
    for path in paths:
        name = path.stem if stems.count(path.stem) == 1 else str(path)
        if name in results:
            raise UsageError(f"result {path} is given twice")
        is_first = len(rows) == len(paths)
        results[name], problem, file = with_rows(path, spare_rows, is_first=is_first)
        if file:
            if problem:
                raise ValueError(problem)
            spare_rows.remove(file)
        problems += [problem] if problem else []
    if spare_rows:
        raise UsageError(f"{spare_rows[0]} is not needed; every result names its own rows")
    return results, problems


def with_rows(
    path: Path,
    rows: Sequence[Path],
    *,
    is_first: bool,
) -> tuple[Results, str, Path | None]:
    """A saved result with the scores of its rows, or without them and the reason.

    Args:
        path: a file written by `save`.
        rows: files of rows that are not assigned yet.
        is_first: whether the first of them belongs to this result even if the result names a file.

    Returns:
        The result, the problem with its rows or "", and which of the files was used, if any.
    """
    results = Results.read(path)
    record = results.provenance.get("per_example")
    spare = rows[0] if rows and is_first else None
    try:
        file = spare or (_recorded(path, record) if record else None)
        if file is None and rows:
            file = spare = rows[0]
        has_only_means = all(
            not result.rows for modules in results.systems.values() for result in modules.values()
        )
        if file is None and has_only_means:
            return results, f"{path}: {NO_ROWS}", None
        if file is None:
            problem = (
                f"the scores of its rows are missing: {record['path']}"
                if record
                else "it does not name a file with the scores of its rows"
            )
            return results, f"{path}: {problem}; {_ADVICE}", None
        return results.with_rows(file), "", spare
    except ValueError as error:
        return results, str(error), spare


def _recorded(result: Path, record: Mapping[str, str]) -> Path | None:
    """The file of rows that a result names, if it exists; it must be unchanged."""
    name = record["path"]
    candidates = [Path(name), result.parent / name, result.parent / Path(name).name]
    file = next((path for path in candidates if is_file(path)), None)
    if file is not None and sha256_of(file) != record["sha256"]:
        raise ValueError(f"{result}: the scores of its rows changed: {file}; {_ADVICE}")
    return file
