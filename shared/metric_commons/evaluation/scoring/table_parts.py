"""Parts of tables of Spark, `datasets` and pyarrow, which may be too large for one process.

Executors of Spark compute the states of partitions, and send only these. Spark and Spark Connect
take the same path, with `mapInArrow` alone, since Connect has no RDDs. A few tasks merge the states
of the partitions, and the driver merges theirs. Merging does not round, so the result does not
depend on how rows are partitioned. A task that Spark runs again counts once, because Spark drops
the output of the first attempt.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from .scoring_plans import ScoringPlan
from .states import Part
from .table_columns import check_columns, columns_of_block, is_arrow, is_spark, quoted
from .worker_processes import map_ordered

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    MapInArrow = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

_ROWS = 20_000  # of a block: enough for speed, few enough for memory
_MERGING_TASKS = 8  # and as many states for the driver
# Bytes of a state in one row: Spark keeps several copies of a row, and Connect limits messages.
_CHUNK = 1 << 20
_ORDER = ("partition", "chunk")
_SCHEMA = "partition int, chunk int, state binary, error string"
_MISSING = (
    "{error}, in the Python of Spark's executors, {python}; they need metric-commons. Install it "
    "there: pip install 'metric-commons[spark]'; or send an environment that holds it, by "
    "--archives or spark.addArtifact(..., archive=True)"
)


def part_of_table(data: Any, plan: ScoringPlan, jobs: int = 1) -> Part:
    """Return the states of all rows of a Spark DataFrame, Dataset, IterableDataset or Arrow table.

    Args:
        data: the rows.
        plan: the modules, and the columns that they read.
        jobs: the number of processes, unless for Spark; each reads some shards of an
            IterableDataset.

    Raises:
        ValueError: a row is not valid; the message names row, column and value, and for
            Spark the partition.
    """
    if is_spark(data):
        return part_of_spark(data, plan)
    is_dataset = hasattr(data, "select_columns") and hasattr(data, "__len__")
    if is_dataset or is_arrow(data):
        check_columns(plan.names(), data.column_names)
        if is_arrow(data):
            slice_of = data.select(plan.names()).slice
        else:
            rows = data.select_columns(plan.names()).with_format("arrow")

            def slice_of(start: int, size: int) -> Any:
                return rows[start : start + size]

        def work(task: int) -> Part:
            return plan.part([columns_of_block(slice_of(task, _ROWS))], task)

        tasks = range(0, len(data), _ROWS)
        if jobs == 1:
            return plan.part(columns_of_block(slice_of(start, _ROWS)) for start in tasks)
    else:

        def work(task: int) -> Part:
            shard = data.shard(num_shards=data.num_shards, index=task)
            return plan.part(_checked(plan, shard.iter(_ROWS)))

        if jobs == 1:
            return plan.part(_checked(plan, data.iter(_ROWS)))
        tasks = range(data.num_shards)
    total = plan.part([])
    with closing(map_ordered(work, tasks, min(jobs, len(tasks) or 1))) as parts:
        for part in parts:
            total.merge(part)
    return total


def _checked(plan: ScoringPlan, blocks: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield the blocks of an IterableDataset, whose columns may be unknown until it is read."""
    for block in blocks:
        check_columns(plan.names(), block)
        yield block


def part_of_spark(df: "DataFrame", plan: ScoringPlan) -> Part:
    """Return the states of all rows of a DataFrame of Spark or Spark Connect.

    Raises:
        ValueError: a row is not valid; the message names partition, row, column and value. Or
            executors cannot import metric-commons.
    """
    check_columns(plan.names(), df.columns)
    rows = numbered(df.select(*map(quoted, plan.names())))
    parts = rows.mapInArrow(_errors_as_rows(on_executors(_rows_of_partition, plan)), _SCHEMA)
    shuffle = parts.repartition(_MERGING_TASKS, "partition").sortWithinPartitions(*_ORDER)
    totals = shuffle.mapInArrow(_errors_as_rows(on_executors(_rows_of_total, plan)), _SCHEMA)
    return plan.total(_states(sorted(totals.toArrow().to_pylist(), key=itemgetter(*_ORDER))))


def numbered(df: "DataFrame") -> "DataFrame":
    """Return the DataFrame with numbers as names.

    Connect passes no names with dots to `mapInArrow`.
    """
    return df.toDF(*map(str, range(len(df.columns))))


def on_executors(
    function: Callable[..., "Iterator[pa.RecordBatch]"], plan: ScoringPlan
) -> "MapInArrow":
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
                "chunk": pa.array([0], pa.int32()),
                "state": pa.array([None], pa.binary()),
                "error": [str(error)],
            }
            yield pa.RecordBatch.from_pydict(record)

    return run


def _rows_of_partition(
    plan: ScoringPlan, batches: "Iterable[pa.RecordBatch]"
) -> "Iterator[pa.RecordBatch]":
    """Yield the state of the rows of a partition, unless it is empty."""
    names = plan.names()
    filled = (dict(zip(names, batch.columns, strict=True)) for batch in batches if batch.num_rows)
    first = next(filled, None)
    if first is not None:
        yield from _rows(name_partition(plan.part, chain([first], filled)))


def _rows_of_total(
    plan: ScoringPlan, batches: "Iterable[pa.RecordBatch]"
) -> "Iterator[pa.RecordBatch]":
    """Yield the sum of the states in some rows, in the order of `_ORDER`, unless there are none."""
    states = _states(row for batch in batches for row in batch.to_pylist())
    first = next(states, None)
    if first is not None:
        yield from _rows(plan.total(chain([first], states)))


def _rows(part: Part) -> "Iterator[pa.RecordBatch]":
    """Yield the chunks of a state."""
    import pyarrow as pa

    state = part.to_bytes()
    for chunk, start in enumerate(range(0, len(state), _CHUNK)):
        record = {
            "partition": pa.array([_partition()], pa.int32()),
            "chunk": pa.array([chunk], pa.int32()),
            "state": [state[start : start + _CHUNK]],
            "error": pa.array([None], pa.string()),
        }
        yield pa.RecordBatch.from_pydict(record)


def _states(rows: Iterable[Any]) -> Iterator[bytes]:
    """Yield the states in rows in the order of `_ORDER`.

    Raises:
        ValueError: a row has an error instead.
    """
    for _, group in groupby(rows, itemgetter("partition")):
        chunks = []
        for row in group:
            if row["error"] is not None:
                raise ValueError(row["error"])
            chunks.append(row["state"])
        yield b"".join(chunks)


def _partition() -> int:
    """Return the number of the partition that this process is working on."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context else 0
