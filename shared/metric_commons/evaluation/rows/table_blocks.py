"""Tables of Spark, `datasets` and pyarrow, which are scored block by block.

Executors of Spark score the rows of partitions, and each partition returns one row: the bytes of
its table of rows. Spark and Spark Connect take the same path, with `mapInArrow` alone, since
Connect has no RDDs. A task that Spark runs again counts once, because Spark drops the output of the
first attempt.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ...module.declaration.declarations import texts_of_rows
from .plans import Plan, Tables, merged
from .table_columns import check_columns, columns_of_block, is_arrow, is_spark, quoted
from .table_files import table_bytes, tables_of_bytes
from .worker_processes import map_ordered

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


def tables_of_data(data: Any, plan: Plan, jobs: int = 1) -> Tables:
    """Return the scored rows of a Spark DataFrame, Dataset, IterableDataset or Arrow table.

    Args:
        data: the rows.
        plan: the modules, and the columns that they read.
        jobs: the number of processes, unless for Spark; each reads some shards of an
            IterableDataset.

    Raises:
        ValueError: a row is not valid; the message names row and column, and for Spark the
            partition.
    """
    if is_spark(data):
        return tables_of_spark(data, plan)
    if hasattr(data, "__len__"):
        tables = _tables_of_slices(data, plan, jobs)
    else:
        tables = _tables_of_shards(data, plan, jobs)
    if not tables:
        raise ValueError("the table is empty; a score of no rows is undefined")
    return merged(tables)


def _tables_of_slices(data: Any, plan: Plan, jobs: int) -> list[Tables]:
    """Return the scored rows of each block of a Dataset or an Arrow table."""
    check_columns(plan.names(), data.column_names)
    if is_arrow(data):
        rows = data.select(plan.names())
    else:
        rows = data.select_columns(plan.names()).with_format("arrow")

    def work(start: int) -> Tables:
        return scored_block(plan, columns_of_block(rows[start : start + _ROWS]), start)

    starts = range(0, len(rows), _ROWS)
    with closing(map_ordered(work, starts, min(jobs, len(starts) or 1))) as tables:
        return list(tables)


def _tables_of_shards(data: Any, plan: Plan, jobs: int) -> list[Tables]:
    """Return the scored rows of each block of an IterableDataset."""
    if jobs == 1:
        return list(scored_blocks(plan, data.iter(_ROWS)))

    def work(number: int) -> list[Tables]:
        shard = data.shard(num_shards=data.num_shards, index=number)
        return list(scored_blocks(plan, shard.iter(_ROWS)))

    numbers = range(data.num_shards)
    with closing(map_ordered(work, numbers, min(jobs, len(numbers)))) as shards:
        return [tables for shard in shards for tables in shard]


def scored_block(plan: Plan, block: Mapping[str, Any], start: int) -> Tables:
    """Return the scored rows of a block, the first of which has the number `start`."""
    return plan.tables(block, lambda column, row: f"row {start + row}: column {column!r}")


def scored_blocks(plan: Plan, blocks: Iterable[Mapping[str, Any]]) -> Iterator[Tables]:
    """Yield the scored rows of each block that has any."""
    start = 0
    for block in blocks:
        check_columns(plan.names(), block)
        if rows := len(block[plan.names()[0]]):
            yield scored_block(plan, block, start)
        start += rows


def scores_of_block(plan: Plan, block: Mapping[str, Any], start: int = 0) -> dict[str, list[float]]:
    """Return the scores of each row of a block, by the module of a plan, for its only system."""
    for options in plan.modules.values():
        for option in texts_of_rows(options):
            raise ValueError(f"{option} adds texts, which columns of scores do not hold")
    scores: dict[str, list[float]] = {}
    for tables in scored_block(plan, block, start).values():
        for table in tables.values():
            scores |= {name: values.tolist() for name, values in table.row_scores.items()}
    return scores


def tables_of_spark(df: "DataFrame", plan: Plan) -> Tables:
    """Return the scored rows of a DataFrame of Spark or Spark Connect.

    Raises:
        ValueError: a row is not valid; the message names partition, row and column. Or executors
            cannot import metric-commons.
    """
    check_columns(plan.names(), df.columns)
    rows = numbered(df.select(*map(quoted, plan.names())))
    parts = rows.mapInArrow(_errors_as_rows(on_executors(_row_of_partition, plan)), _SCHEMA)
    tables = []
    for row in sorted(parts.toArrow().to_pylist(), key=itemgetter("partition")):
        if row["error"] is not None:
            raise ValueError(row["error"])
        tables.append(tables_of_bytes(row["tables"]))
    if not tables:
        raise ValueError("the DataFrame is empty; a score of no rows is undefined")
    return merged(tables)


def numbered(df: "DataFrame") -> "DataFrame":
    """Return the DataFrame with numbers as names.

    Connect passes no names with dots to `mapInArrow`.
    """
    return df.toDF(*map(str, range(len(df.columns))))


def on_executors(function: Callable[..., "Iterator[pa.RecordBatch]"], plan: Plan) -> "MapInArrow":
    """Return a function of record batches, for `mapInArrow`, that passes a plan to another one.

    It is nested, so Spark sends its code, and it imports the other function when it runs. So it can
    report a missing metric-commons; a function sent by name would fail while it is unpickled.
    """
    payload, message = pickle.dumps((function, plan)), _MISSING

    def run(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pickle
        import sys

        try:
            function, plan = pickle.loads(payload)
            yield from function(plan, batches)
        except ImportError as error:
            raise ValueError(message.format(error=error, python=sys.executable)) from error

    return run


def name_partition(function: Callable[[Any], Any], argument: Any) -> Any:
    """Return the value of a function; the number of the partition is added to a ValueError."""
    try:
        return function(argument)
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
    plan: Plan, batches: "Iterable[pa.RecordBatch]"
) -> "Iterator[pa.RecordBatch]":
    """Yield the table of the rows of a partition, unless it is empty."""
    import pyarrow as pa

    names = plan.names()
    blocks = (dict(zip(names, batch.columns, strict=True)) for batch in batches)
    tables = name_partition(lambda blocks: list(scored_blocks(plan, blocks)), blocks)
    if tables:
        record = {
            "partition": pa.array([_partition()], pa.int32()),
            "tables": [table_bytes(merged(tables))],
            "error": pa.array([None], pa.string()),
        }
        yield pa.RecordBatch.from_pydict(record)


def _partition() -> int:
    """Return the number of the partition that this process is working on."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context else 0
