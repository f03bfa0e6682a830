"""Parts of tables that are too large for one process: partitions of Spark, batches of `datasets`.

Executors of Spark compute the states of each partition, and only states travel to the driver. They
merge in a tree, without rounding, so the result does not depend on how rows are partitioned. A task
that Spark runs again counts once, because Spark drops the output of the first attempt.

Executors need metric-commons and pyarrow installed. Set `PYSPARK_PYTHON` where their interpreter is
not the one that `python3` finds.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from .jobs import Job
from .parts import Part
from .table_columns import check_columns, is_dataset, is_spark
from .worker_processes import in_order

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH_SIZE = 20_000  # rows: large enough for speed, small enough for memory
_MAX_COLLECTED = 8  # states that the driver merges
_SCHEMA = "part string, error string"  # of a partition, either of which is null


def part_of_table(data: Any, job: Job, jobs: int = 1) -> Part:
    """The states of all rows of a Spark DataFrame, Dataset or IterableDataset.

    Args:
        data: the rows.
        job: what is scored.
        jobs: of `datasets`, how many processes. Of an IterableDataset each reads some shards.

    Raises:
        ValueError: a row is not valid; the message has the row, the column and the value, and of
            Spark the partition.
    """
    if is_spark(data):
        check_columns(job.names(), data.columns)
        return _part_of_spark(data, job)
    if is_dataset(data):
        check_columns(job.names(), data.column_names)
        rows = data.select_columns(job.names()).with_format("arrow")
        if jobs > 1:
            starts = range(0, len(data), _BATCH_SIZE)
            return _merged(job, jobs, starts, lambda start: _part_of_batch(job, rows, start))
        return job.part(map(columns_of_batch, rows.iter(_BATCH_SIZE)))
    if jobs > 1:
        shards = range(data.num_shards)
        return _merged(job, jobs, shards, lambda shard: _part_of_shard(job, data, shard))
    return job.part(_checked(job, data.iter(_BATCH_SIZE)))


def columns_of_batch(batch: Any) -> dict[str, Any]:
    """The columns of a table or a batch of pyarrow by their names."""
    return dict(zip(batch.schema.names, batch.columns, strict=True))


def name_partition(function: Callable[[Any], Any], argument: Any) -> Any:
    """The value of a function; a ValueError gets the number of Spark's partition."""
    from pyspark import TaskContext

    try:
        return function(argument)
    except ValueError as error:
        context = TaskContext.get()
        partition = context.partitionId() if context else 0
        raise ValueError(f"partition {partition}, {error}") from error


def _checked(job: Job, batches: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The batches of an IterableDataset, whose columns may be unknown until they are read."""
    for batch in batches:
        check_columns(job.names(), batch)
        yield batch


def _part_of_batch(job: Job, rows: Any, start: int) -> Part:
    return job.part([columns_of_batch(rows[start : start + _BATCH_SIZE])], start)


def _part_of_shard(job: Job, data: Any, shard: int) -> Part:
    rows = data.shard(num_shards=data.num_shards, index=shard)
    return job.part(_checked(job, rows.iter(_BATCH_SIZE)))


def _merged(job: Job, jobs: int, pieces: Sequence[int], work: Callable[[int], Part]) -> Part:
    """The states of all pieces, which several processes score."""
    total = job.part([])
    with closing(in_order(work, pieces, min(jobs, len(pieces) or 1))) as parts:
        for part in parts:
            total.merge(part)
    return total


def _part_of_spark(df: Any, job: Job) -> Part:
    parts = df.select(*job.names()).mapInArrow(_partition_part(job), _SCHEMA)
    partitions = parts.rdd.getNumPartitions()
    while partitions > _MAX_COLLECTED:
        partitions = math.isqrt(partitions)
        parts = parts.coalesce(partitions).mapInArrow(_merge(job), _SCHEMA)
    return job.total(map(_checked_part, parts.collect()))


def _partition_part(job: Job) -> "Callable[[Iterable[pa.RecordBatch]], Any]":
    """A function from the rows of a partition to a row with their states."""

    def part(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        columns = (columns_of_batch(batch) for batch in batches)
        try:
            record = {"part": [name_partition(job.part, columns).to_json()], "error": [None]}
        except ValueError as error:  # as data, since Spark would wrap it into its own traceback
            record = {"part": [None], "error": [str(error)]}
        yield pa.RecordBatch.from_pydict(record, _arrow_schema())

    return part


def _merge(job: Job) -> "Callable[[Iterable[pa.RecordBatch]], Any]":
    """A function from rows with states to a row with their sum, or with the first error."""

    def merge(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        rows = [row for batch in batches for row in batch.to_pylist()]
        errors = [row["error"] for row in rows if row["error"] is not None]
        total = None if errors else job.total(row["part"] for row in rows).to_json()
        record = {"part": [total], "error": errors[:1] or [None]}
        yield pa.RecordBatch.from_pydict(record, _arrow_schema())

    return merge


def _checked_part(row: Any) -> str:
    """The states in a row.

    Raises:
        ValueError: the row has an error instead.
    """
    if row.error is not None:
        raise ValueError(row.error)
    return str(row.part)


def _arrow_schema() -> Any:
    import pyarrow as pa

    return pa.schema([("part", pa.string()), ("error", pa.string())])
