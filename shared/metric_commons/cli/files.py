"""Reading columns from files, exactly as they are written.

`datasets` reads these formats too, but not their values: of JSON it makes dates of strings like
"2017-01-02", floats of large integers and the number 1 of the string "1" beside [1]; of CSV it
makes numbers of "2017" and "007" and nothing of "NA", "None" and "". It refuses a lone surrogate.
So text is read by the standard library, which also knows the line of an error, and Parquet by
pyarrow.
"""

import csv
import gzip
import hashlib
import json
import os
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import IO, Any

_FORMATS = (".jsonl", ".json", ".csv", ".tsv", ".parquet")
_LARGEST_CELL = 2**31 - 1  # the csv module's own limit is 128 KiB, less than a long context

# One row: the line it starts in, where a format has lines, and its fields.
_Row = tuple[int | None, Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Input:
    """Columns read from a file, and where they stand in it."""

    path: Path
    sha256: str
    columns: dict[str, list[Any]]
    lines: Sequence[int]  # of each row; empty if the format has no lines

    def provenance(self) -> dict[str, Any]:
        """What a result says about where its rows came from."""
        rows = len(next(iter(self.columns.values())))
        return {"path": str(self.path), "sha256": self.sha256, "rows": rows}

    def place(self, row: int) -> str:
        """A row as results number it, and its line as editors do: `row 12 (line 13)`."""
        return _place(row, self.lines[row] if self.lines else None)


def read(path: Path, fields: Sequence[str], *, progress: bool = False) -> Input:
    """The columns `fields` of a JSON Lines, JSON, CSV, TSV or Parquet file.

    Values are what the file says. Cells of CSV and TSV are strings, but a column in which every
    cell is a JSON list holds these lists. A field `answer.aliases` is `aliases` inside `answer`,
    unless a field has this whole name. Text files may be gzipped.

    Raises:
        ValueError: the file is not what its name says, is cut off or empty; a row lacks a field.
        OSError: the file cannot be read.
    """
    from tqdm import tqdm

    columns: dict[str, list[Any]] = {field: [] for field in fields}
    lines = array("Q")
    try:
        with (
            path.open("rb") as raw,
            tqdm(
                desc=f"reading {path.name}",
                total=os.fstat(raw.fileno()).st_size,
                unit="B",
                unit_scale=True,
                delay=1,
                leave=False,
                disable=not progress,
            ) as bar,
        ):
            sha256 = hashlib.file_digest(raw, "sha256").hexdigest()
            raw.seek(0)
            rows = _rows(path, raw, fields, lambda: bar.update(raw.tell() - bar.n))
            for row, (line, values) in enumerate(rows):
                for field, column in columns.items():
                    try:
                        column.append(_value(values, field))
                    except (KeyError, TypeError):
                        where = _place(row, line)
                        raise ValueError(f"{where}: {_missing(field, values)}") from None
                if line is not None:
                    lines.append(line)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    except (ValueError, EOFError, RecursionError, zlib.error) as error:
        raise ValueError(f"{path}: {error}") from error
    if not all(columns.values()):
        raise ValueError(f"{path}: there are no rows")
    if _format(path) in (".csv", ".tsv"):
        columns = {field: _lists(cells) for field, cells in columns.items()}
    return Input(path=path, sha256=sha256, columns=columns, lines=lines)


def stem(path: Path) -> str:
    """The file's name without the suffixes that say how it is written.

    >>> stem(Path("runs/v1.2.jsonl.gz"))
    'v1.2'
    """
    return Path(path.name.removesuffix(".gz")).stem


def _format(path: Path) -> str:
    return Path(path.name.removesuffix(".gz")).suffix.lower()


def _rows(
    path: Path, raw: IO[bytes], fields: Sequence[str], advance: Callable[[], object]
) -> Iterator[_Row]:
    """The rows of a file, lazily where its format allows."""
    stream: Any = gzip.GzipFile(fileobj=raw) if path.name.endswith(".gz") else raw
    match _format(path):
        case ".jsonl":
            return _json_lines_rows(_lines(stream, advance))
        case ".json":
            return _json_rows(stream.read())
        case ".csv":
            return _delimited_rows(_lines(stream, advance), ",", fields)
        case ".tsv":
            return _delimited_rows(_lines(stream, advance), "\t", fields)
        case ".parquet":
            return _parquet_rows(stream, fields)
    raise ValueError(f"unknown kind of file; a name ends in {', '.join(_FORMATS)}, or in .gz after")


def _lines(stream: Iterable[bytes], advance: Callable[[], object]) -> Iterator[str]:
    """Lines as text. Only a line feed ends one: strings may hold U+2028 and its like."""
    for number, line in enumerate(stream, start=1):
        if number % 1024 == 0:
            advance()
        try:
            text = line.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"line {number} is not UTF-8: byte 0x{line[error.start]:02x} "
                f"after {error.start} others"
            ) from None
        yield text.removeprefix("\ufeff") if number == 1 else text


def _json_lines_rows(lines: Iterable[str]) -> Iterator[_Row]:
    filled = (pair for pair in enumerate(lines, start=1) if pair[1].strip(" \t\r\n"))
    for row, (number, line) in enumerate(filled):
        try:
            values = _JSON.decode(line)
        except json.JSONDecodeError as error:
            state = "" if line.endswith("\n") else " is cut off"
            raise ValueError(
                f"{_place(row, number)}{state}: {error.msg} (column {error.colno})"
            ) from None
        except ValueError as error:
            raise ValueError(f"{_place(row, number)}: {error}") from None
        yield number, _object(values, row, number)


def _json_rows(content: bytes) -> Iterator[_Row]:
    document = _JSON.decode(content.decode("utf-8", "surrogatepass").removeprefix("\ufeff"))
    rows = document.get("data") if isinstance(document, dict) else document
    if not isinstance(rows, list):
        raise ValueError('neither a list of objects nor {"data": [...]}')
    for row, values in enumerate(rows):
        yield None, _object(values, row, None)


def _delimited_rows(lines: Iterable[str], delimiter: str, fields: Sequence[str]) -> Iterator[_Row]:
    csv.field_size_limit(_LARGEST_CELL)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    end = 0
    try:
        header = next(reader, [])
        for field in fields:
            if header.count(field) > 1:
                raise ValueError(f"line 1: there are {header.count(field)} columns {field!r}")
        end = reader.line_num
        row = 0
        for cells in reader:
            start, end = end + 1, reader.line_num
            if not cells and len(header) > 1:
                continue  # an empty line; in a file of one column it would be an empty cell
            if len(cells) != len(header):
                raise ValueError(
                    f"{_place(row, start)}: cells: {len(cells)}, columns: {len(header)}"
                )
            yield start, dict(zip(header, cells, strict=True))
            row += 1
    except csv.Error as error:
        raise ValueError(f"line {end + 1}: {error}") from None


def _parquet_rows(stream: IO[bytes], fields: Sequence[str]) -> Iterator[_Row]:
    from pyarrow import parquet

    file = parquet.ParquetFile(stream)
    known = dict.fromkeys(file.schema_arrow.names)
    columns = [field if field in known else field.partition(".")[0] for field in fields]
    for field, column in zip(fields, columns, strict=True):
        if column not in known:
            raise ValueError(_missing(field, known))
    for batch in file.iter_batches(columns=columns):
        for values in batch.to_pylist():
            yield None, values


def _value(values: Mapping[str, Any], field: str) -> Any:
    return values[field] if field in values else reduce(getitem, field.split("."), values)


def _missing(field: str, values: Iterable[str]) -> str:
    return f"field {field!r} is missing; its fields are {', '.join(values)}"


def _place(row: int, line: int | None) -> str:
    return f"row {row}" if line is None else f"row {row} (line {line})"


def _object(values: Any, row: int, line: int | None) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise ValueError(f"{_place(row, line)} is not an object with fields")
    return values


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object in which no field is given twice; json itself would keep the last."""
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in values if names.count(name) > 1)
        raise ValueError(f"field {twice!r} is given twice")
    return values


_JSON = json.JSONDecoder(object_pairs_hook=_once)


def _lists(cells: list[str]) -> list[Any]:
    """The cells as JSON lists if every one is such a list, else as they are."""
    if not all(cell.startswith("[") for cell in cells):
        return cells
    try:
        return [_JSON.decode(cell) for cell in cells]
    except ValueError:
        return cells
