"""Pieces of files, in whole rows, that several processes can parse: JSON Lines and Parquet.

One process reads, hashes and decompresses the bytes; others parse them, which takes a hundred times
as long.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import IO, Any, NamedTuple

from .json_rows import Row, decoded_lines
from .parquet_rows import column_names

_SIZE = 1 << 21  # minimum bytes of a piece of lines, except the last
_BATCHES = 4  # per piece of a table


class Piece(NamedTuple):
    """Consecutive rows, which can be sent to another process."""

    start: int  # the number of rows before them
    rows: int
    data: Any
    read: Callable[[Any], Iterator[Row]] | None = None  # parses `data`; None if it is columns


# Cuts a file into pieces whose numbers of rows are multiples of the argument, except the last.
Cut = Callable[[int], Iterator[Piece]]


def pieces_of_lines(lines: Callable[[], Iterable[bytes]], multiple: int) -> Iterator[Piece]:
    r"""JSON Lines in pieces; all but the last have a multiple of this number of rows.

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
    # In UTF-8, no other character contains a line feed, so all lines can be decoded at once.
    lines = data.decode("utf-8", "surrogatepass").removesuffix("\n").split("\n")
    return ((None, row) for _, row in decoded_lines(enumerate(lines)))


def pieces_of_table(
    stream: IO[bytes], fields: Callable[[], Sequence[str]], multiple: int
) -> Iterator[Piece]:
    """The columns of these fields of a Parquet file in pieces, which are Arrow streams."""
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
