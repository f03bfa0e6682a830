"""Pieces of files, in whole rows, that any process can parse: JSON Lines and Parquet.

One process hashes all bytes. It sends lines to the processes that parse them; of Parquet, these
read and decompress their own rows, from a copy that does not change. Pieces are parsed in blocks of
a limited size, so that long texts do not fill the memory.
"""

from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple, Protocol

from .json_rows import Records, Row, records_of_lines

_SIZE = 1 << 20  # minimum bytes of a piece of lines, except the last
_PARSED = 1 << 16  # and of lines parsed at once, whose objects should stay in the cache


class RowBlock(Protocol):
    """Consecutive rows that have been parsed."""

    @property
    def lines(self) -> Sequence[int] | None:
        """Return the lines in which the rows start, if there are lines."""

    @property
    def size(self) -> int:
        """About the number of their bytes."""

    def values(self, field: str) -> list[Any] | None:
        """Return the values of a field; None if they must be found row by row."""

    def rows(self) -> Iterator[Row]:
        """Return the rows one by one."""


class Piece(Protocol):
    """Consecutive rows of a file, which can be sent to another process."""

    @property
    def start(self) -> int:
        """The number of rows before it, or a larger one that is less than that of the next."""


class Pieces(Protocol):
    """The pieces of a file, which any process can parse that is forked after the first of them."""

    def __iter__(self) -> Iterator[Piece]:
        """The pieces, in order."""

    def parsed(self, piece: Any, rows_before: int) -> Iterator[RowBlock]:
        """Return the rows of a piece in blocks, with this number of rows before them.

        Raises:
            ValueError: a row is not valid; the message names it.
        """


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

    def parsed(self, piece: LinesPiece, rows_before: int) -> Iterator[Records]:
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
