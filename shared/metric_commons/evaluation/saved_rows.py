"""Saved results together with the scores of their rows, which lie in a file of their own."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from .results import Results
from .usage import UsageError

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
    readable: Callable[[Path], bool] = lambda _: True,
) -> list[Results]:
    """Saved results with the scores of their rows.

    Args:
        paths: what `save` wrote.
        rows: what `save_per_example` wrote: one file for each result, or in their order for those
            results that name none. A file that a result names is looked for where it was written,
            and beside the result, and must be unchanged.
        readable: whether a file that a result names may be read; others count as missing.

    Raises:
        UsageError: there are more files of rows than results that need one.
        ValueError: a file is not what it should be, or the rows of a result are not there; says how
            to make them.
    """
    results = [Results.read(path) for path in paths]
    if len(rows) == len(paths):
        return [result.with_rows(file) for result, file in zip(results, rows, strict=True)]
    spare_rows = list(rows)
    filled = []
    for path, result in zip(paths, results, strict=True):
        record = result.provenance.get("per_example")
        file = _recorded(path, record, readable) if record else None
        if file is None and spare_rows:
            file = spare_rows.pop(0)
        if file is None:
            problem = (
                f"its rows are not there: {record['path']}"
                if record
                else "it does not name the scores of its rows"
            )
            raise ValueError(f"{path}: {problem}; {_ADVICE}")
        filled.append(result.with_rows(file))
    if spare_rows:
        raise UsageError(f"--rows: {spare_rows[0]} belongs to no result; each names its own rows")
    return filled


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
