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
from .plans import Block, Plan, Tables, merged, score_tasks
from .table_columns import check_columns, columns_of_block, is_arrow, is_spark, quoted
from .table_files import table_bytes, tables_of_bytes

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
        check_columns(plan.names(), data.column_names)
        if is_arrow(data):
            rows = data.select(plan.names())
        else:
            rows = data.select_columns(plan.names()).with_format("arrow")
        tasks = range(0, len(rows), _ROWS)

        def blocks_of(start: int) -> Iterator[Block]:
            return plan.blocks([columns_of_block(rows[start : start + _ROWS])], start)
    else:
        tasks = range(1 if jobs == 1 else data.num_shards)

        def blocks_of(start: int) -> Iterator[Block]:
            shard = data if jobs == 1 else data.shard(num_shards=data.num_shards, index=start)
            return plan.blocks(shard.iter(_ROWS))

    jobs = min(jobs, len(tasks) or 1)
    with closing(score_tasks(tasks, blocks_of, plan.metrics, plan.missing, jobs)) as found:
        tables = merged(part for part, _ in found)
    if not tables:
        raise ValueError("the table is empty; a score of no rows is undefined")
    return tables


def scores_of_block(plan: Plan, block: Mapping[str, Any], start: int = 0) -> dict[str, list[float]]:
    """Return the scores of each row of a block, by the module of a plan, for its only system."""
    for options in plan.modules.values():
        for option in texts_of_rows(options):
            raise ValueError(f"{option} adds texts, which columns of scores do not hold")
    scores: dict[str, list[float]] = {}
    for tables in plan.tables(block, start).values():
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
    columns = (dict(zip(names, batch.columns, strict=True)) for batch in batches)

    def scored(blocks: Iterable[Mapping[str, Any]]) -> Tables:
        tasks = score_tasks([blocks], plan.blocks, plan.metrics, plan.missing, 1)
        return merged(tables for tables, _ in tasks)

    tables = name_partition(scored, columns)
    if tables:
        record = {
            "partition": pa.array([_partition()], pa.int32()),
            "tables": [table_bytes(tables)],
            "error": pa.array([None], pa.string()),
        }
        yield pa.RecordBatch.from_pydict(record)


def _partition() -> int:
    """Return the number of the partition that this process is working on."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context else 0
