"""Rows of Parquet files."""

from collections.abc import Iterator, Sequence
from typing import IO, Any

from .field_paths import steps
from .json_rows import Row, missing_field


def parquet_names(stream: IO[bytes]) -> list[str]:
    """The names of the columns."""
    from pyarrow import parquet

    names: list[str] = parquet.ParquetFile(stream).schema_arrow.names
    return names


def parquet_rows(stream: IO[bytes], fields: Sequence[str] | None) -> Iterator[Row]:
    """Rows with the columns of these fields; None for all.

    Raises:
        ValueError: a column is missing or repeated.
    """
    from pyarrow import parquet

    file: Any = parquet.ParquetFile(stream)
    for batch in file.iter_batches(columns=column_names(file, fields)):
        for values in batch.to_pylist():
            yield None, values


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
