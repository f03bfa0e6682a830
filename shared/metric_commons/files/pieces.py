"""Pieces of files, in whole rows, that any process can parse: JSON Lines and Parquet.

One process reads, hashes and decompresses the bytes; it or others parse them, which takes many
times as long. Pieces are bounded by their size, so that long texts do not fill the memory.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any, NamedTuple, Protocol

from .json_rows import Records, Row, records_of_lines
from .parquet_rows import ColumnBatch, batches_of_parquet

_SIZE = 1 << 19  # minimum bytes of a piece of lines, except the last
_PARSED = 1 << 16  # and of lines parsed at once, whose objects should stay in the cache
_BLANK = re.compile(rb"(?:\A|\n)[ \t\r\n]")  # in pieces that may have blank lines


class Block(Protocol):
    """Consecutive rows that have been parsed."""

    @property
    def lines(self) -> Sequence[int] | None:
        """The lines in which the rows start, if there are lines."""

    def values(self, field: str) -> list[Any] | None:
        """The values of a field; None if they must be found row by row."""

    def rows(self) -> Iterator[Row]:
        """The rows one by one."""


class Piece(Protocol):
    """Consecutive rows of a file, which can be sent to another process."""

    def count_rows(self) -> int:
        """The number of rows, which is exact if all of them are valid."""

    def parse(self, rows_before: int) -> Iterator[Block]:
        """The rows in blocks, with this number of rows before them.

        Raises:
            ValueError: a row is not valid; the message names it.
        """


Pieces = Callable[[], Iterator[Piece]]


class LinesPiece(NamedTuple):
    r"""Whole lines of JSON Lines.

    >>> piece = LinesPiece(b'{"a": 1}\n\n{"a": 2}', 0)
    >>> piece.count_rows(), [list(block.rows()) for block in piece.parse(0)]
    (2, [[(1, {'a': 1}), (3, {'a': 2})]])
    """

    data: bytes
    lines_before: int

    def count_rows(self) -> int:
        """The number of lines that are not blank."""
        data = self.data
        if _BLANK.search(data):
            return sum(1 for line in data.split(b"\n") if line.strip(b" \t\r"))
        return data.count(b"\n") + (not data.endswith(b"\n"))

    def parse(self, rows_before: int) -> Iterator[Records]:
        """The objects in the lines."""
        data, lines_before, start = self.data, self.lines_before, 0
        while start < len(data):
            end = data.find(b"\n", start + _PARSED) + 1 or len(data)
            lines = data[start:end]
            block = records_of_lines(lines, lines_before, rows_before)
            yield block
            rows_before += len(block.records)
            lines_before += lines.count(b"\n")
            start = end


class ParquetPiece(NamedTuple):
    """Rows of a Parquet file."""

    table: Any

    def count_rows(self) -> int:
        """The number of rows."""
        rows: int = self.table.num_rows
        return rows

    def parse(self, rows_before: int) -> Iterator[ColumnBatch]:
        """The columns in batches."""
        return map(ColumnBatch, self.table.to_batches())


def pieces_of_lines(head: Sequence[tuple[int, str]], content: IO[bytes]) -> Iterator[LinesPiece]:
    r"""The lines of a file, as pieces.

    Args:
        head: lines at the start that have been read already, with their numbers; lines between
            them were blank.
        content: the rest of the file.
    """
    lines_before, start = (head[0][0] - 1 if head else 0), b""
    for number, line in head:
        start += b"\n" * (number - 1 - lines_before - start.count(b"\n"))
        start += line.encode("utf-8", "surrogatepass")
    while data := start + content.read(_SIZE):
        data += content.readline() if not data.endswith(b"\n") else b""
        yield LinesPiece(data, lines_before)
        lines_before += data.count(b"\n")
        start = b""


def pieces_of_parquet(
    stream: IO[bytes], fields: Callable[[], Sequence[str]]
) -> Iterator[ParquetPiece]:
    """The columns of these fields of a Parquet file, as pieces."""
    return map(ParquetPiece, batches_of_parquet(stream, fields()))
