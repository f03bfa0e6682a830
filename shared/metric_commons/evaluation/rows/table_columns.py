"""Columns of the tables of any library, by name, without importing the library."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ...module.declaration.declarations import USUAL_NAMES
from ...statistics.arguments.checks import nearest

_ROWS = 1_000  # of a block of a table that is read block by block


def columns_of_table(data: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return the columns of a table.

    Args:
        data: a dictionary of columns; a DataFrame of pandas, polars or Spark; a table of pyarrow; a
            Dataset or IterableDataset of `datasets`; or an iterable of rows as dictionaries. The
            columns of a Spark DataFrame are collected by the driver.
        names: the names of the columns.

    Raises:
        ValueError: a column is missing, or the data is not a table.

    >>> columns_of_table({"answer": ["a"], "gold": ["b"]}, ["gold"])
    {'gold': ['b']}
    >>> columns_of_table(iter([{"answer": "a"}, {"answer": "b"}]), ["answer"])
    {'answer': ['a', 'b']}
    """
    wanted = list(dict.fromkeys(names))
    if is_spark(data):
        check_columns(wanted, data.columns)
        data = data.select(*map(quoted, wanted)).toArrow()
    columns = table_names(data)
    if columns is None or hasattr(data, "iter"):  # an IterableDataset
        return _collected(data, wanted)
    check_columns(wanted, columns)
    return {name: _column(data[name]) for name in wanted}


def table_names(data: Any) -> list[str] | None:
    """Return the names of the columns; None if the data can only be read row by row.

    >>> table_names({"answer": ["a"]}), table_names([{"answer": "a"}])
    (['answer'], None)
    """
    if isinstance(data, Mapping):
        return list(data)
    if not (hasattr(data, "__len__") or is_spark(data) or hasattr(data, "select_columns")):
        return None
    for attribute in ("columns",) if is_spark(data) else ("column_names", "columns"):
        names = getattr(data, attribute, None)
        if names is not None and not callable(names) and hasattr(data, "__getitem__"):
            texts = list(names)
            if all(isinstance(name, str) for name in texts):
                return texts
    return None


def usual_columns(
    name: str, columns: Iterable[str], others: Collection[str | None] = ()
) -> list[str]:
    """Return the columns that by their names are an input: none, one, or several to choose from.

    Args:
        name: predictions or references.
        columns: the names of the columns.
        others: columns of other inputs.

    >>> usual_columns("references", ["question", "prediction", "answer"])
    ['answer']
    >>> usual_columns("references", ["answer", "gold"])
    ['answer', 'gold']
    """
    return [column for column in USUAL_NAMES[name] if column in columns and column not in others]


def is_table(data: Any) -> bool:
    """Return whether an argument is a table with named columns, not a single column."""
    return not isinstance(data, Mapping) and table_names(data) is not None


def is_spark(data: Any) -> bool:
    """Return whether a table is a DataFrame of Spark."""
    return hasattr(data, "toArrow")


def is_arrow(data: Any) -> bool:
    """Return whether a table is one of pyarrow."""
    return hasattr(data, "slice") and hasattr(data, "column_names")


def quoted(name: str) -> str:
    """Return the name of a column as Spark reads it, where a dot would lead into a struct.

    >>> quoted("answer.text")
    '`answer.text`'
    """
    return "`" + name.replace("`", "``") + "`"


def comes_in_parts(data: Any) -> bool:
    """Return whether a table is one of Spark, `datasets` or pyarrow, which may be large."""
    return is_spark(data) or hasattr(data, "select_columns") or is_arrow(data)


def columns_of_block(block: Any) -> dict[str, Any]:
    """Return the columns of a table or a record batch of pyarrow, by name."""
    return dict(zip(block.schema.names, block.columns, strict=True))


def _column(column: Any) -> Any:
    """Return a column that modules accept: as a list, if it is one of polars."""
    return (
        column.to_list() if hasattr(column, "to_list") and not hasattr(column, "iloc") else column
    )


def _collected(data: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return the columns of a table that is read row by row, or in blocks of columns."""
    columns: dict[str, list[Any]] = {name: [] for name in names}
    if isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise ValueError(f"data must be a table with columns, got {type(data).__name__}")
    if hasattr(data, "iter"):  # an IterableDataset
        for block in data.iter(batch_size=_ROWS):
            check_columns(names, block)
            for name, column in columns.items():
                column.extend(block[name])
        return columns
    for row in data:
        if not isinstance(row, Mapping):
            raise ValueError(f"data must be a table with columns, got rows of {type(row).__name__}")
        check_columns(names, row)
        for name, column in columns.items():
            column.append(row[name])
    return columns


def check_columns(wanted: Iterable[str], names: Iterable[str]) -> None:
    """Check that a table with columns of these names has all wanted ones.

    Raises:
        ValueError: one is missing.
    """
    columns = list(names)
    for name in wanted:
        if name not in columns:
            listed = ", ".join(map(repr, columns))
            raise ValueError(
                f"there is no column {name!r}{nearest(name, columns)}; the columns are {listed}"
            )
