"""Rows and columns of Parquet files."""

from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple

from .field_paths import steps
from .json_rows import Row, missing_field

_BUFFER = 1 << 20  # bytes to read at a time from each column, instead of a whole row group
_ROWS = 2048  # to decode at a time: few enough for long texts
_SIZE = 1 << 19  # bytes of a batch, unless it has the maximum of rows
_MAXIMUM_ROWS = 1 << 15


def parquet_names(stream: IO[bytes]) -> list[str]:
    """The names of the columns."""
    names: list[str] = _opened(stream).schema_arrow.names
    return names


def parquet_rows(stream: IO[bytes], fields: Sequence[str] | None) -> Iterator[Row]:
    """Rows with the columns of these fields; None for all.

    Raises:
        ValueError: a column is missing or repeated.
    """
    file = _opened(stream)
    columns = column_names(file, fields)
    for batch in file.iter_batches(_ROWS, columns=columns, use_threads=False):
        for values in batch.to_pylist():
            yield None, values


def batches_of_parquet(stream: IO[bytes], fields: Sequence[str]) -> Iterator[Any]:
    """Tables of pyarrow with the columns of these fields, of a limited size.

    Raises:
        ValueError: a column is missing or repeated.
    """
    import pyarrow as pa

    file = _opened(stream)
    collected: list[Any] = []
    rows = size = 0
    for batch in file.iter_batches(_ROWS, columns=column_names(file, fields), use_threads=False):
        collected.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if size >= _SIZE or rows >= _MAXIMUM_ROWS:
            yield pa.Table.from_batches(collected)
            collected, rows, size = [], 0, 0
    if collected:
        yield pa.Table.from_batches(collected)


def _opened(stream: IO[bytes]) -> Any:
    from pyarrow import parquet

    return parquet.ParquetFile(stream, buffer_size=_BUFFER, pre_buffer=False)


class ColumnBatch(NamedTuple):
    """Consecutive rows of a Parquet file.

    >>> import pyarrow as pa
    >>> batch = ColumnBatch(pa.record_batch({"a": [1, 2], "b": [{"c": "x"}, {"c": "y"}]}))
    >>> batch.values("a"), batch.values("b.c"), batch.values("b[0]")
    ([1, 2], ['x', 'y'], None)
    """

    batch: Any
    lines: None = None

    def values(self, field: str) -> list[Any] | None:
        """The values of a column, or of a field of its structs; None if a row may not have it."""
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
        """The rows one by one."""
        return ((None, values) for values in self.batch.to_pylist())


def column_names(file: Any, fields: Sequence[str] | None) -> list[str]:
    """The columns of a Parquet file that contain these fields; None for all.

    Raises:
        ValueError: a column is missing or repeated.
    """
    names = file.schema_arrow.names
    columns = list(names) if fields is None else []
    for field in fields or ():
        column = field if field in names else str(steps(field)[0])
        if column not in names:
            raise ValueError(missing_field(field, names))
        columns.append(column)
    for column in columns:
        if names.count(column) > 1:
            raise ValueError(f"there are {names.count(column)} columns {column!r}")
    return list(dict.fromkeys(columns))
