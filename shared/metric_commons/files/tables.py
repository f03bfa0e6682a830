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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import islice
from operator import getitem
from pathlib import Path
from typing import IO, Any, Literal, get_args

Format = Literal["jsonl", "json", "csv", "tsv", "parquet"]
_LARGEST_CELL = 2**31 - 1  # the csv module's own limit is 128 KiB, less than a long context

# One row: the line it starts in, where a format has lines, and its fields.
_Row = tuple[int | None, Mapping[str, Any]]


class Source:
    """Columns of a file, and where its rows stand in it.

    Values are what the file says. Cells of CSV and TSV are strings, but a column in which every
    cell is a JSON list holds these lists, and one of `numbers` in which every cell is a JSON number
    holds these numbers. Text files may be gzipped.

    Args:
        path: a JSON Lines, JSON, CSV, TSV or Parquet file.
        fields: the columns. A field `answer.aliases` is `aliases` inside `answer`, unless a field
            has this whole name.
        form: the format, such as "jsonl"; None if the name of the file says it.
        limit: how many rows to read; None for all.
        numbers: the fields that are wanted as numbers, if they can be.
        progress: show a bar on stderr if it takes longer than a second.
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
        self.rows = 0  # read so far
        self.lines = array("Q")  # of each row; empty if the format has no lines

    def columns(self) -> dict[str, list[Any]]:
        """The columns of all rows.

        Raises:
            ValueError: the file is not what its name says, is cut off or empty; a row lacks a
                field.
            OSError: the file cannot be read.
        """
        (columns,) = self.blocks(None)
        return columns

    def blocks(self, size: int | None) -> Iterator[dict[str, list[Any]]]:
        """The columns of `size` rows at a time; `columns` says what it raises.

        CSV and TSV come as one block, since only the last cell settles what cells are.
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
        """What the cells of a column stand for; text if it is not the same kind in all of them."""
        if all(cell.startswith("[") for cell in cells):
            return _decoded(cells, list)
        return _decoded(cells, int | float) if field in self.numbers else cells

    def provenance(self) -> dict[str, Any]:
        """What a result says about where its rows came from, once they are read."""
        return {"path": str(self.path), "sha256": self.sha256, "rows": self.rows}

    def place(self, row: int) -> str:
        """A row as results number it, and its line as editors do: `row 12 (line 13)`."""
        return _place(row, self.lines[row] if self.lines else None)

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
            rows = islice(self._found(raw, lambda: bar.update(raw.tell() - bar.n)), self.limit)
            while True:
                before = self.rows
                block = self._block(rows, size)
                if self.rows > before:
                    yield block
                if size is None or self.rows < before + size:
                    break

    def _block(self, rows: Iterator[_Row], size: int | None) -> dict[str, list[Any]]:
        block: dict[str, list[Any]] = {field: [] for field in self.fields}
        for line, values in islice(rows, size):
            for field, column in block.items():
                try:
                    column.append(_value(values, field))
                except (KeyError, TypeError):
                    where = _place(self.rows, line)
                    raise ValueError(f"{where}: {_missing(field, values)}") from None
            if line is not None:
                self.lines.append(line)
            self.rows += 1
        return block

    def _found(self, raw: IO[bytes], advance: Callable[[], object]) -> Iterator[_Row]:
        """The rows of the file, lazily where its format allows."""
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
    """The file's name without the suffixes that say how it is written.

    >>> stem(Path("runs/v1.2.jsonl.gz"))
    'v1.2'
    """
    return Path(path.name.removesuffix(".gz")).stem


def _suffix(path: Path) -> str:
    return Path(path.name.removesuffix(".gz")).suffix.lower().removeprefix(".")


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


def _decoded(cells: list[str], kind: Any) -> list[Any]:
    """The cells as JSON if every one is of a kind, else as they are.

    >>> _decoded(["1", "0.5"], int | float), _decoded(["1", "007"], int | float)
    ([1, 0.5], ['1', '007'])
    """
    try:
        values = [_JSON.decode(cell) for cell in cells]
    except ValueError:
        return cells
    is_kind = all(isinstance(value, kind) and not isinstance(value, bool) for value in values)
    return values if is_kind else cells
