"""Saved results together with the scores of their rows, which are in a separate file."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ...data.files.access import is_file, open_file, sha256_of
from ...module.catalog.usage import UsageError
from ..results.results import Results
from .reported_means import NO_ROWS

_ADVICE = "score again with --save and --per-example FILE, or name that file with --rows"


def is_saved_result(path: Path) -> bool:
    """Return whether a file holds a JSON object, as results do, and not lines of columns."""
    if not is_file(path):  # a pipe cannot be read twice
        return False
    with open_file(path) as file:
        return file.read(64).lstrip()[:1] == b"{"


def read_with_rows(
    paths: Sequence[Path],
    rows: Sequence[Path] = (),
    *,
    cluster_by: Sequence[str] = (),
) -> list[Results]:
    """Read saved results with the scores of their rows.

    Args:
        paths: files written by `save`.
        rows: files written by `save_per_example`: one for each result, or in order, one for each
            result that does not name its file. A file that a result names is looked for where it
            was written, and next to the result, and must be unchanged.
        cluster_by: fields of the inputs of these results, whose labels are the clusters of rows.

    Raises:
        UsageError: there are more files of rows than results that need one.
        ValueError: a file is not valid, or the rows of a result are missing; the message says how
            to create them.
    """
    filled = []
    for path, results, problem in _results_with_rows(paths, rows):
        if problem:
            raise ValueError(problem)
        filled.append(_clustered(path, results, cluster_by) if cluster_by else results)
    return filled


def _results_with_rows(
    paths: Sequence[Path], rows: Sequence[Path]
) -> Iterator[tuple[Path, Results, str]]:
    """Yield each result with the scores of its rows, or without them and the reason.

    Raises:
        UsageError: there are more files of rows than results that need one.
        ValueError: a file is not valid.
    """
    spare_rows = list(rows)
    for path in paths:
        results, problem, file = with_rows(path, spare_rows, is_first=len(rows) == len(paths))
        if file:
            if problem:
                raise ValueError(problem)
            spare_rows.remove(file)
        yield path, results, problem
    if spare_rows:
        raise UsageError(f"--rows: {spare_rows[0]} is not needed; every result names its own rows")


def _clustered(path: Path, results: Results, fields: Sequence[str]) -> Results:
    from .cluster_labels import clustered

    try:
        return clustered(results, fields)
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
        UsageError: a file of rows is not needed, or a result is given twice.
        ValueError: a file is not valid.
    """
    stems = [path.stem for path in paths]
    names = [
        stem if stems.count(stem) == 1 else str(path)
        for stem, path in zip(stems, paths, strict=True)
    ]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise UsageError(f"result {paths[number]} is given twice")
    filled = list(_results_with_rows(paths, rows))
    results = {name: result for name, (_, result, _) in zip(names, filled, strict=True)}
    return results, [problem for _, _, problem in filled if problem]


def with_rows(
    path: Path,
    rows: Sequence[Path],
    *,
    is_first: bool,
) -> tuple[Results, str, Path | None]:
    """Return a saved result with the scores of its rows, or without them and the reason.

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
    """Return the file of rows that a result names, if it exists; it must be unchanged."""
    name = record["path"]
    candidates = [Path(name), result.parent / name, result.parent / Path(name).name]
    file = next((path for path in candidates if is_file(path)), None)
    if file is not None and sha256_of(file) != record["sha256"]:
        raise ValueError(f"{result}: the scores of its rows changed: {file}; {_ADVICE}")
    return file
