"""Tables of any library: their columns by name, and their rows scored block by block.

No library is imported to recognize its tables. Executors of Spark score the rows of partitions,
and each partition returns one row: its pickled table of rows. Spark and Spark Connect take the same
path, with `mapInArrow` alone, since Connect has no RDDs. A task that Spark runs again counts once,
because Spark drops the output of the first attempt.
"""

import pickle
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...module.catalog.catalog import module_class, name_of, own_scripts
from ...module.catalog.request import Missing
from ...module.declaration.declarations import USUAL_NAMES
from ...statistics.arguments.checks import nearest
from .blocks import (
    Block,
    Fields,
    Tables,
    merged,
    score_blocks,
    with_metrics,
    without_metrics,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    MapInArrow = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

_ROWS = 20_000  # of a block: enough for speed, few enough for memory
_SCHEMA = "partition int, tables binary, error string"
_MISSING = (
    "{error}, in the Python of Spark's executors, {python}; they need metric-commons. Install it "
    "there: pip install 'metric-commons[spark]'; or send an environment that holds it, by "
    "--archives or spark.addArtifact(..., archive=True)"
)


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
    if columns is not None and not hasattr(data, "iter"):
        check_columns(wanted, columns)
        found = {name: data[name] for name in wanted}
        is_polars = any(hasattr(c, "to_list") and not hasattr(c, "iloc") for c in found.values())
        return {name: c.to_list() for name, c in found.items()} if is_polars else found
    if isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise ValueError(f"data must be a table with columns, got {type(data).__name__}")
    read: dict[str, list[Any]] = {name: [] for name in wanted}
    for row in data:
        if not isinstance(row, Mapping):
            raise ValueError(f"data must be a table with columns, got rows of {type(row).__name__}")
        check_columns(wanted, row)
        for name, column in read.items():
            column.append(row[name])
    return read


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


def comes_in_parts(data: Any) -> bool:
    """Return whether a table is one of Spark, `datasets` or pyarrow, which may be large."""
    is_arrow = hasattr(data, "slice") and hasattr(data, "column_names")
    return is_spark(data) or hasattr(data, "select_columns") or is_arrow


def quoted(name: str) -> str:
    """Return the name of a column as Spark reads it, where a dot would lead into a struct.

    >>> quoted("answer.text")
    '`answer.text`'
    """
    return "`" + name.replace("`", "``") + "`"


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


# ---- blocks -------------------------------------------------------------------------------------


def columns_of_block(block: Any) -> dict[str, Any]:
    """Return the columns of a table or a record batch of pyarrow, by name."""
    return dict(zip(block.schema.names, block.columns, strict=True))


def _place(start: int, column: str, row: int) -> str:
    return f"row {start + row}: column {column!r}"


def _blocks(fields: Fields, parts: Iterable[Mapping[str, Any]], start: int = 0) -> Iterator[Block]:
    """Yield the blocks of parts of a table that have rows; errors number these from `start`."""
    for columns in parts:
        check_columns(fields.names(), columns)
        if rows := len(columns[fields.names()[0]]):
            yield fields.block(columns, partial(_place, start))
        start += rows


def tables_of_data(
    data: Any,
    fields: Fields,
    metrics: Mapping[str, Any],
    missing: Missing = "refuse",
    jobs: int = 1,
) -> Tables:
    """Return the scored rows of a Dataset, IterableDataset or Arrow table.

    Args:
        data: the rows.
        fields: the columns that are read.
        metrics: the modules with their options.
        missing: what becomes of rows without an answer.
        jobs: the number of processes; each reads some shards of an IterableDataset.

    Raises:
        ValueError: a row is not valid; the message names row and column.
    """
    names = fields.names()
    if hasattr(data, "__len__"):
        check_columns(names, data.column_names)
        is_dataset = hasattr(data, "select_columns")
        rows = data.select_columns(names).with_format("arrow") if is_dataset else data.select(names)
        tasks = range(0, len(rows), _ROWS)

        def blocks_of(start: int) -> Iterator[Block]:
            return _blocks(fields, [columns_of_block(rows[start : start + _ROWS])], start)
    else:
        tasks = range(1 if jobs == 1 else data.num_shards)

        def blocks_of(start: int) -> Iterator[Block]:
            shard = data if jobs == 1 else data.shard(num_shards=data.num_shards, index=start)
            return _blocks(fields, shard.iter(_ROWS))

    return score_blocks(tasks, blocks_of, metrics, missing, min(jobs, len(tasks) or 1))


# ---- Spark --------------------------------------------------------------------------------------


def tables_of_spark(
    df: "DataFrame",
    fields: Fields,
    metrics: Mapping[str, Any],
    modules: Mapping[str, Mapping[str, Any]],
    missing: Missing = "refuse",
) -> Tables:
    """Return the scored rows of a DataFrame of Spark or Spark Connect.

    Args:
        df: the rows.
        fields: the columns that are read.
        metrics: the modules with their options.
        modules: the options of each, from which executors make them again.
        missing: what becomes of rows without an answer.

    Raises:
        ValueError: a row is not valid; the message names partition, row and column. Or executors
            cannot import metric-commons.
    """
    check_columns(fields.names(), df.columns)
    rows = numbered(df.select(*map(quoted, fields.names())))
    run = on_executors(_row_of_partition, modules, fields, missing)
    parts = rows.mapInArrow(_errors_as_rows(run), _SCHEMA)
    tables = []
    for row in sorted(parts.toArrow().to_pylist(), key=itemgetter("partition")):
        if row["error"] is not None:
            raise ValueError(row["error"])
        tables.append(with_metrics(pickle.loads(row["tables"]), metrics))
    return merged(tables)


def numbered(df: "DataFrame") -> "DataFrame":
    """Return the DataFrame with numbers as names.

    Connect passes no names with dots to `mapInArrow`.
    """
    return df.toDF(*map(str, range(len(df.columns))))


def on_executors(
    function: Callable[..., "Iterator[pa.RecordBatch]"],
    modules: Mapping[str, Mapping[str, Any]],
    *arguments: Any,
) -> "MapInArrow":
    """Return a function of record batches, for `mapInArrow`, that passes arguments to another one.

    It is nested, so Spark sends its code, and it imports the other function when it runs. So it can
    report a missing metric-commons; a function sent by name would fail while it is unpickled.

    Args:
        function: takes the modules with their options, the arguments, and the record batches.
        modules: the options of each module.
        *arguments: further ones.
    """
    load = partial(_loaded, dict(modules), own_scripts(modules))
    payload, message = pickle.dumps((function, load, arguments)), _MISSING

    def run(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pickle
        import sys

        try:
            function, load, arguments = pickle.loads(payload)
            yield from function(load(), *arguments, batches)
        except ImportError as error:
            raise ValueError(message.format(error=error, python=sys.executable)) from error

    return run


def _loaded(modules: Mapping[str, Mapping[str, Any]], scripts: Mapping[str, str]) -> dict[str, Any]:
    """Return the modules with their options, also those that only the driver knows by name."""
    for script in scripts.values():
        name_of(Path(script))
    return {name: module_class(name)(**options) for name, options in modules.items()}


def name_partition(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the value of a function; the number of the partition is added to a ValueError."""
    try:
        return function(*arguments)
    except ValueError as error:
        raise ValueError(f"partition {_partition()}, {error}") from error


def _errors_as_rows(function: "MapInArrow") -> "MapInArrow":
    """Return the function, with errors returned as rows: Spark would retry, and wrap them."""

    def run(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa
        from pyspark import TaskContext

        try:
            yield from function(batches)
        except ValueError as error:
            context = TaskContext.get()
            record = {
                "partition": pa.array([context.partitionId() if context else 0], pa.int32()),
                "tables": pa.array([None], pa.binary()),
                "error": [str(error)],
            }
            yield pa.RecordBatch.from_pydict(record)

    return run


def _row_of_partition(
    metrics: Mapping[str, Any],
    fields: Fields,
    missing: Missing,
    batches: "Iterable[pa.RecordBatch]",
) -> "Iterator[pa.RecordBatch]":
    """Yield the table of the rows of a partition, unless it is empty."""
    import pyarrow as pa

    parts = (dict(zip(fields.names(), batch.columns, strict=True)) for batch in batches)
    blocks = partial(_blocks, fields)
    tables = name_partition(score_blocks, [parts], blocks, metrics, missing)
    if tables:
        record = {
            "partition": pa.array([_partition()], pa.int32()),
            "tables": [pickle.dumps(without_metrics(tables))],
            "error": pa.array([None], pa.string()),
        }
        yield pa.RecordBatch.from_pydict(record)


def _partition() -> int:
    """Return the number of the partition that this process is working on."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context else 0
