"""Columns of JSON Lines, JSON, CSV, TSV and Parquet files, with exactly the values in the file.

`datasets` reads these formats too, but changes values. In JSON it turns strings like "2017-01-02"
into dates, large integers into floats, and the string "1" beside [1] into a number. In CSV it turns
"2017" and "007" into numbers, and "NA", "None" and "" into missing values. It refuses single
surrogates. Therefore text is parsed by the standard library, which also knows the line of an error,
and Parquet by pyarrow.
"""

import csv
import gzip
import hashlib
import json
import os
import zlib
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import islice
from operator import getitem
from pathlib import Path
from typing import IO, Any, Literal, get_args

Format = Literal["jsonl", "json", "csv", "tsv", "parquet"]
_LARGEST_CELL = 2**31 - 1  # the default of the csv module, 128 KiB, is less than a long context

# The line in which a row starts, if the format has lines, and its fields.
_Row = tuple[int | None, Mapping[str, Any]]


class Source:
    """Columns of a file, and the lines of its rows.

    Values are those in the file. Cells of CSV and TSV are strings, with two exceptions: a column of
    which every cell is a JSON list becomes lists, and a column among `numbers` of which every cell
    is a JSON number becomes numbers. Text files may be compressed with gzip.

    Args:
        path: a JSON Lines, JSON, CSV, TSV or Parquet file.
        fields: the columns. A field `answer.aliases` is `aliases` inside `answer`, unless there is
            a field with the whole name.
        form: the format, such as "jsonl"; by default that of the file's suffix.
        limit: how many rows to read; None for all.
        numbers: the fields of CSV and TSV to be read as numbers, if possible.
        progress: show a progress bar on stderr if reading takes longer than a second.
    """

    def __init__(
        self,
        path: Path,
        fields: Sequence[str],
        *,
        form: str | None = None,
        limit: int | None = None,
        numbers: Collection[str] = (),
        progress: bool = False,
    ) -> None:
        self.path, self.fields, self.limit, self.progress = path, fields, limit, progress
        self.numbers = numbers
        self.form = form or _suffix(path)
        self.sha256 = ""
        self.rows = 0  # the number of rows read so far
        self.lines = array("Q")  # the line of each row; empty if the format has no lines

    def columns(self) -> dict[str, list[Any]]:
        """The columns of all rows.

        Raises:
            ValueError: the file is not of its format, is truncated or empty, or a row lacks a
                field.
            OSError: the file cannot be read.
        """
        (columns,) = self.blocks(None)
        return columns

    def blocks(self, size: int | None) -> Iterator[dict[str, list[Any]]]:
        """The columns of `size` rows at a time; the errors are those of `columns`.

        CSV and TSV come as one block, since the kind of a column depends on all its cells.
        """
        self.rows, self.lines = 0, array("Q")
        delimited = self.form in ("csv", "tsv")
        try:
            for block in self._blocks(None if delimited else size):
                yield {f: self._values(f, block[f]) for f in block} if delimited else block
        except OSError as error:
            raise OSError(error.errno, error.strerror or str(error), str(self.path)) from error
        except (ValueError, EOFError, RecursionError, zlib.error) as error:
            raise ValueError(f"{self.path}: {error}") from error
        if not self.rows:
            raise ValueError(f"{self.path}: there are no rows")

    def _values(self, field: str, cells: list[str]) -> list[Any]:
        """The lists or numbers in the cells of a column; the cells if any is of another kind."""
        if all(cell.startswith("[") for cell in cells):
            return _decode(cells, list)
        return _decode(cells, int | float) if field in self.numbers else cells

    def provenance(self) -> dict[str, Any]:
        """The path, hash and number of rows for the provenance of a result, once all are read."""
        return {"path": str(self.path), "sha256": self.sha256, "rows": self.rows}

    def location(self, row: int) -> str:
        """The number of a row, from 0 as in results, and of its line: `row 12 (line 13)`."""
        return _location(row, self.lines[row] if self.lines else None)

    def _blocks(self, size: int | None) -> Iterator[dict[str, list[Any]]]:
        from tqdm import tqdm

        with (
            self.path.open("rb") as raw,
            tqdm(
                desc=f"reading {self.path.name}",
                total=os.fstat(raw.fileno()).st_size,
                unit="B",
                unit_scale=True,
                delay=1,
                leave=False,
                disable=not self.progress,
            ) as bar,
        ):
            self.sha256 = hashlib.file_digest(raw, "sha256").hexdigest()
            raw.seek(0)
            rows = islice(self._rows(raw, lambda: bar.update(raw.tell() - bar.n)), self.limit)
            while True:
                rows_before = self.rows
                block = self._block(rows, size)
                if self.rows > rows_before:
                    yield block
                if size is None or self.rows < rows_before + size:
                    break

    def _block(self, rows: Iterator[_Row], size: int | None) -> dict[str, list[Any]]:
        block: dict[str, list[Any]] = {field: [] for field in self.fields}
        for line, values in islice(rows, size):
            for field, column in block.items():
                try:
                    column.append(_value(values, field))
                except (KeyError, TypeError):
                    location = _location(self.rows, line)
                    raise ValueError(f"{location}: {_missing(field, values)}") from None
            if line is not None:
                self.lines.append(line)
            self.rows += 1
        return block

    def _rows(self, raw: IO[bytes], advance: Callable[[], object]) -> Iterator[_Row]:
        """The rows of the file, one after another if the format allows it."""
        stream: Any = gzip.GzipFile(fileobj=raw) if self.path.name.endswith(".gz") else raw
        match self.form:
            case "jsonl":
                return _json_lines_rows(_lines(stream, advance))
            case "json":
                return _json_rows(stream.read())
            case "csv":
                return _delimited_rows(_lines(stream, advance), ",", self.fields)
            case "tsv":
                return _delimited_rows(_lines(stream, advance), "\t", self.fields)
            case "parquet":
                return _parquet_rows(stream, self.fields)
        names = ", ".join(f".{form}" for form in get_args(Format))
        raise ValueError(f"unknown kind of file; a name ends in {names}, or in .gz after")


def stem(path: Path) -> str:
    """The file's name without the suffixes of its format and compression.

    >>> stem(Path("runs/v1.2.jsonl.gz"))
    'v1.2'
    """
    return Path(path.name.removesuffix(".gz")).stem


def _suffix(path: Path) -> str:
    return Path(path.name.removesuffix(".gz")).suffix.lower().removeprefix(".")


def _lines(stream: Iterable[bytes], advance: Callable[[], object]) -> Iterator[str]:
    """Lines as text. Only a line feed ends a line, because JSON strings may contain U+2028."""
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
                f"{_location(row, number)}{state}: {error.msg} (column {error.colno})"
            ) from None
        except ValueError as error:
            raise ValueError(f"{_location(row, number)}: {error}") from None
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
                    f"{_location(row, start)}: cells: {len(cells)}, columns: {len(header)}"
                )
            yield start, dict(zip(header, cells, strict=True))
            row += 1
    except csv.Error as error:
        raise ValueError(f"line {end + 1}: {error}") from None


def _parquet_rows(stream: IO[bytes], fields: Sequence[str]) -> Iterator[_Row]:
    from pyarrow import parquet

    file = parquet.ParquetFile(stream)
    names = dict.fromkeys(file.schema_arrow.names)
    columns = [field if field in names else field.partition(".")[0] for field in fields]
    for field, column in zip(fields, columns, strict=True):
        if column not in names:
            raise ValueError(_missing(field, names))
    for batch in file.iter_batches(columns=columns):
        for values in batch.to_pylist():
            yield None, values


def _value(values: Mapping[str, Any], field: str) -> Any:
    return values[field] if field in values else reduce(getitem, field.split("."), values)


def _missing(field: str, values: Iterable[str]) -> str:
    return f"field {field!r} is missing; its fields are {', '.join(values)}"


def _location(row: int, line: int | None) -> str:
    return f"row {row}" if line is None else f"row {row} (line {line})"


def _object(values: Any, row: int, line: int | None) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise ValueError(f"{_location(row, line)} is not an object with fields")
    return values


def _unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of a JSON object, all different; `json` itself would keep the last of two."""
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in values if names.count(name) > 1)
        raise ValueError(f"field {repeated!r} is given twice")
    return values


_JSON = json.JSONDecoder(object_pairs_hook=_unique_fields)


def _decode(cells: list[str], kind: Any) -> list[Any]:
    """The values of the cells as JSON if all of them are of this kind, else the cells.

    >>> _decode(["1", "0.5"], int | float), _decode(["1", "007"], int | float)
    ([1, 0.5], ['1', '007'])
    """
    try:
        values = [_JSON.decode(cell) for cell in cells]
    except ValueError:
        return cells
    fits = all(isinstance(value, kind) and not isinstance(value, bool) for value in values)
    return values if fits else cells
