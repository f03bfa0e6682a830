"""Files in pieces of whole rows, which several processes can read: JSON Lines and Parquet.

One process reads the bytes, which are hashed and uncompressed as they pass, and others what they
mean, which takes a hundred times as long.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import IO, Any, NamedTuple

from .json_rows import Row, decoded_lines
from .parquet_rows import column_names

_SIZE = 1 << 21  # bytes of a piece of lines, if so many rows have them
_BATCHES = 4  # of which a piece of a table is made


class Piece(NamedTuple):
    """Some rows that follow each other; it can be sent to other processes."""

    start: int  # how many rows come before them
    rows: int
    data: Any
    read: Callable[[Any], Iterator[Row]] | None = None  # its rows; None of data that is columns


# A function that cuts a file in pieces of a multiple of so many rows, but for the last.
Cut = Callable[[int], Iterator[Piece]]


def pieces_of_lines(lines: Callable[[], Iterable[bytes]], multiple: int) -> Iterator[Piece]:
    r"""JSON Lines in pieces of a multiple of this number of rows; the last may be smaller.

    >>> [piece] = pieces_of_lines(lambda: [b'{"a": 1}\n', b"\n", b'{"a": 2}'], 1)
    >>> [row for _, row in piece.read(piece.data)]
    [{'a': 1}, {'a': 2}]
    """
    filled = (line for line in lines() if not line.isspace() or line.strip(b" \t\r\n"))
    start = rows = size = 0
    blocks: list[bytes] = []
    while block := list(islice(filled, multiple)):
        blocks.append(b"".join(block))
        rows, size = rows + len(block), size + len(blocks[-1])
        if size >= _SIZE:
            yield Piece(start, rows, b"".join(blocks), _rows_of_lines)
            start, rows, size, blocks = start + rows, 0, 0, []
    if blocks:
        yield Piece(start, rows, b"".join(blocks), _rows_of_lines)


def _rows_of_lines(data: bytes) -> Iterator[Row]:
    # A line feed is in no other character of UTF-8, so all lines can be decoded at once.
    lines = data.decode("utf-8", "surrogatepass").removesuffix("\n").split("\n")
    return ((None, row) for _, row in decoded_lines(enumerate(lines)))


def pieces_of_table(
    stream: IO[bytes], fields: Callable[[], Sequence[str]], multiple: int
) -> Iterator[Piece]:
    """The columns of these fields of a Parquet file in pieces, which are streams of Arrow."""
    import pyarrow as pa
    from pyarrow import parquet

    file: Any = parquet.ParquetFile(stream)
    start = 0
    columns = column_names(file, fields())
    for batch in file.iter_batches(batch_size=_BATCHES * multiple, columns=columns):
        output = pa.BufferOutputStream()
        with pa.ipc.new_stream(output, batch.schema) as writer:
            writer.write_batch(batch)
        data = output.getvalue().to_pybytes()
        yield Piece(start, batch.num_rows, data, _rows_of_batches)
        start += batch.num_rows


def _rows_of_batches(data: bytes) -> Iterator[Row]:
    import pyarrow as pa

    with pa.ipc.open_stream(data) as batches:
        for batch in batches:
            for values in batch.to_pylist():
                yield None, values
