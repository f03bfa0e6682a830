"""Rows of Parquet, and pieces of files, in whole rows, that any process can parse.

One process hashes all bytes. It sends lines to the processes that parse them; of Parquet, these
read and decompress their own rows, from a copy that does not change. Pieces are parsed in blocks of
a limited size, so that long texts do not fill the memory.
"""

import io
import os
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any, NamedTuple

from .field_paths import steps
from .json_rows import Records, Row, missing_field, records_of_lines

_SIZE = 1 << 20  # minimum bytes of a piece of lines, except the last
_PARSED = 1 << 16  # and of lines parsed at once, whose objects should stay in the cache
_BUFFER = 1 << 20  # bytes to read at a time from each column, instead of a whole row group
_ROWS = 2048  # to decode at a time: few enough for long texts
# A piece has small row groups, or a part of a large one.
_MINIMUM_ROWS, _MAXIMUM_ROWS = 1 << 15, 1 << 16
_SIZE_OF_PIECE = 1 << 24  # bytes of all columns


class LinesPiece(NamedTuple):
    """Whole lines of JSON Lines."""

    data: bytes
    start: int  # the number of lines before it


class PiecesOfLines:
    r"""The lines of a JSON Lines file, as pieces.

    Args:
        head: lines at the start that have been read already, with their numbers; lines between
            them were blank.
        content: the rest of the file.

    >>> from io import BytesIO
    >>> pieces = PiecesOfLines([], BytesIO(b'{"a": 1}\n\n{"a": 2}'))
    >>> [list(block.rows()) for piece in pieces for block in pieces.parsed(piece, 0)]
    [[(1, {'a': 1}), (3, {'a': 2})]]
    """

    def __init__(self, head: Sequence[tuple[int, str]], content: IO[bytes]) -> None:
        self._head, self._content = head, content

    def __iter__(self) -> Iterator[LinesPiece]:
        head, content = self._head, self._content
        lines_before, data = (head[0][0] - 1 if head else 0), b""
        for number, line in head:
            data += b"\n" * (number - 1 - lines_before - data.count(b"\n"))
            data += line.encode("utf-8", "surrogatepass")
        while data := data + content.read(_SIZE):
            data += content.readline() if not data.endswith(b"\n") else b""
            yield LinesPiece(data, lines_before)
            lines_before += data.count(b"\n")
            data = b""

    def parsed(self, piece: Any, rows_before: int) -> Iterator[Records]:
        """Yield the objects in the lines."""
        (data, lines_before), start = piece, 0
        while start < len(data):
            end = data.find(b"\n", start + _PARSED) + 1 or len(data)
            lines = data[start:end]
            block = records_of_lines(lines, lines_before, rows_before)
            yield block
            rows_before += len(block.records)
            lines_before += lines.count(b"\n")
            start = end


def parquet_names(stream: IO[bytes]) -> list[str]:
    """Return the names of the columns."""
    names: list[str] = _opened(stream).schema_arrow.names
    return names


def parquet_rows(
    stream: IO[bytes], fields: Callable[[], Sequence[str]] | None = None
) -> Iterator[Row]:
    """Yield rows with the columns of the fields that the function returns; by default all.

    Raises:
        ValueError: a column is missing or repeated.
    """
    file = _opened(stream)
    columns = column_names(file, fields)
    for batch in file.iter_batches(_ROWS, columns=columns, use_threads=False):
        for values in batch.to_pylist():
            yield None, values


def _opened(stream: IO[bytes] | io.RawIOBase) -> Any:
    from pyarrow import parquet

    return parquet.ParquetFile(
        stream, buffer_size=_BUFFER, pre_buffer=False, page_checksum_verification=True
    )


class ParquetPiece(NamedTuple):
    """Consecutive rows of some row groups."""

    groups: range
    first: int  # the number of rows of these groups before it
    rows: int
    start: int  # the number of rows before it in the file


class PiecesOfParquet:
    """The rows of a Parquet file, as pieces that are read where they are parsed.

    Args:
        stream: the file.
        fields: returns the fields to read.
    """

    def __init__(self, stream: IO[bytes], fields: Callable[[], Sequence[str]]) -> None:
        self._stream, self._fields = stream, fields
        self._groups = range(0)
        self._batches: Iterator[Any] = iter(())  # of these groups
        self._rest: Any = None  # of the last batch
        self._row = 0  # the number of rows of these groups before the rest

    def __iter__(self) -> Iterator[ParquetPiece]:
        # Without pread, there is no fork either.
        can_share = hasattr(os, "pread")
        self._file = _opened(_SharedFile(self._stream) if can_share else self._stream)
        self._columns = column_names(self._file, self._fields)
        about = self._file.metadata
        start, rows, size, row = 0, 0, 0, 0
        for group in range(about.num_row_groups):
            rows += about.row_group(group).num_rows
            size += about.row_group(group).total_byte_size
            if rows < _MINIMUM_ROWS and size < _SIZE_OF_PIECE and group + 1 < about.num_row_groups:
                continue
            step = -(-rows // max(rows // _MAXIMUM_ROWS, size // _SIZE_OF_PIECE, 1)) or 1
            for first in range(0, rows, step):
                groups, count = range(start, group + 1), min(step, rows - first)
                yield ParquetPiece(groups, first, count, row + first)
            start, rows, size, row = group + 1, 0, 0, row + rows

    def parsed(self, piece: Any, _: int) -> "Iterator[ColumnBatch]":
        """Yield the columns in batches."""
        if piece.groups != self._groups or piece.first < self._row:
            self._groups, self._row, self._rest = piece.groups, 0, None
            self._batches = self._file.iter_batches(
                _ROWS, list(piece.groups), self._columns, use_threads=False
            )
        for _batch in self._next(piece.first - self._row):
            pass
        yield from map(ColumnBatch, self._next(piece.rows))

    def _next(self, rows: int) -> Iterator[Any]:
        """Yield the next batches, with this number of rows."""
        end = self._row + rows
        while self._row < end:
            batch = self._rest or next(self._batches, None)
            if batch is None:
                raise ValueError("there are fewer rows than the file says")
            head = batch[: end - self._row]
            self._rest = batch[len(head) :]
            self._row += len(head)
            yield head


class _SharedFile(io.RawIOBase):
    """A file that forked processes read too: each has its own position, unlike in a plain file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._position = file, 0

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        size = os.fstat(self._file.fileno()).st_size
        self._position = offset + (0, self._position, size)[whence]
        return self._position

    def read(self, size: int = -1) -> bytes:
        descriptor = self._file.fileno()
        data = os.pread(descriptor, size, self._position)
        self._position += len(data)
        return data


class ColumnBatch(NamedTuple):
    """Consecutive rows of a Parquet file.

    >>> import pyarrow as pa
    >>> batch = ColumnBatch(pa.record_batch({"a": [1, 2], "b": [{"c": "x"}, {"c": "y"}]}))
    >>> batch.values("a"), batch.values("b.c"), batch.values("b[0]")
    ([1, 2], ['x', 'y'], None)
    """

    batch: Any
    lines: None = None

    @property
    def size(self) -> int:
        """Return the number of bytes of its columns."""
        size: int = self.batch.nbytes
        return size

    def values(self, field: str) -> list[Any] | None:
        """Return the values of a column, or of a field of its structs.

        None if a row may not have it.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        names = (field,) if field in self.batch.schema.names else steps(field)
        if "*" in names:
            return None
        column = self.batch.column(str(names[0]))
        for name in names[1:]:
            if not pa.types.is_struct(column.type) or column.null_count:
                return None
            if column.type.names.count(name) != 1:
                return None
            column = pc.struct_field(column, name)
        values: list[Any] = column.to_pylist()
        return values

    def rows(self) -> Iterator[Row]:
        """Return the rows one by one."""
        return ((None, values) for values in self.batch.to_pylist())


def column_names(file: Any, fields: Callable[[], Sequence[str]] | None) -> list[str]:
    """Return the columns of a Parquet file that contain the returned fields; None for all.

    Raises:
        ValueError: a column is missing or repeated.
    """
    names = file.schema_arrow.names
    columns = list(names) if fields is None else []
    for field in () if fields is None else fields():
        column = field if field in names else str(steps(field)[0])
        if column not in names:
            raise ValueError(missing_field(field, names))
        columns.append(column)
    for column in columns:
        if names.count(column) > 1:
            raise ValueError(f"there are {names.count(column)} columns {column!r}")
    return list(dict.fromkeys(columns))


# Any process that is forked after the first piece can parse these. `start` is at least the number
# of rows before a piece, and less than that of the next piece.
Pieces = PiecesOfLines | PiecesOfParquet
Piece = LinesPiece | ParquetPiece
RowBlock = Records | ColumnBatch
