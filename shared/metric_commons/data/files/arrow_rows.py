"""Rows of Parquet, in batches of columns."""

from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any, NamedTuple

from .field_paths import steps
from .json_rows import Columns, Lines, Row, missing_field

_BUFFER = 1 << 20  # bytes to read at a time from each column, instead of a whole row group
_ROWS = 2048  # to decode at a time: few enough for long texts


class ArrowBatch(NamedTuple):
    """Consecutive rows of a Parquet file.

    >>> import pyarrow as pa
    >>> batch = ArrowBatch(pa.record_batch({"a": [1, 2], "b": ["x", "y"]}))
    >>> batch.columns(["b"])
    ({'b': ['x', 'y']}, ())
    """

    batch: Any

    def columns(self, fields: Sequence[str]) -> tuple[Columns, Lines] | None:
        """Return the values of columns; None if a field is none of them, but part of one."""
        if not fields or not all(field in self.batch.schema.names for field in fields):
            return None
        return {field: self.batch.column(field).to_pylist() for field in fields}, ()

    def rows(self, _: int) -> Iterator[Row]:
        """Yield the rows one by one."""
        return ((None, values) for values in self.batch.to_pylist())


def parquet_blocks(
    stream: IO[bytes], fields: Callable[[], Sequence[str]]
) -> tuple[list[str], Iterator[ArrowBatch], Iterator[ArrowBatch]]:
    """Return the names of the columns, all rows, and rows with only the columns of some fields.

    Args:
        stream: the file.
        fields: returns the fields, once they are known.

    Raises:
        ValueError: a column is missing or repeated; raised when the first row is requested.
    """
    from pyarrow import parquet

    file = parquet.ParquetFile(
        stream, buffer_size=_BUFFER, pre_buffer=False, page_checksum_verification=True
    )
    names: list[str] = file.schema_arrow.names

    def blocks(fields: Callable[[], Sequence[str]]) -> Iterator[ArrowBatch]:
        columns = _columns_of(fields(), names)
        batches = file.iter_batches(_ROWS, columns=columns, use_threads=False)
        yield from map(ArrowBatch, batches)

    return names, blocks(lambda: names), blocks(fields)


def _columns_of(fields: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the columns that contain the fields."""
    columns = [field if field in names else str(steps(field)[0]) for field in fields]
    for field, column in zip(fields, columns, strict=True):
        if column not in names:
            raise ValueError(missing_field(field, names))
        if names.count(column) > 1:
            raise ValueError(f"there are {names.count(column)} columns {column!r}")
    return list(dict.fromkeys(columns))
