"""Parts of tables that are too large for one process: partitions of Spark, batches of `datasets`."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .jobs import Job
from .parts import Part
from .spark_parts import part_of_spark
from .table_columns import check_columns, columns_of_batch, is_dataset, is_spark

_BATCH_SIZE = 20_000  # rows: large enough for speed, small enough for memory


def part_of_table(data: Any, job: Job, num_proc: int | None = None) -> Part:
    """The states of all rows of a Spark DataFrame, Dataset or IterableDataset.

    Args:
        data: the rows.
        job: what is scored.
        num_proc: of a Dataset, how many processes; None for the calling one.

    Raises:
        ValueError: a row is not valid; the message has the row, the column and the value, and of
            Spark the partition.
    """
    if is_spark(data):
        return part_of_spark(data, job)
    if is_dataset(data):
        check_columns(job.names(), data.column_names)
        rows = data.select_columns(job.names()).with_format("arrow")
        if num_proc is not None and len(data):
            return _part_of_processes(rows, job, num_proc)
        return job.part(map(columns_of_batch, rows.iter(_BATCH_SIZE)))
    return job.part(_checked(job, data.iter(_BATCH_SIZE)))


def _checked(job: Job, batches: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The batches of an IterableDataset, whose columns may be unknown until they are read."""
    for batch in batches:
        check_columns(job.names(), batch)
        yield batch


def _part_of_processes(rows: Any, job: Job, num_proc: int) -> Part:
    """The states of a Dataset, in several processes; `datasets` shows the progress."""

    def part(batch: Any, numbers: list[int]) -> dict[str, list[bytes]]:
        return {"part": [job.part([columns_of_batch(batch)], numbers[0]).to_bytes()]}

    parts = rows.map(
        part,
        with_indices=True,
        batched=True,
        batch_size=_BATCH_SIZE,
        num_proc=num_proc,
        remove_columns=job.names(),
        load_from_cache_file=False,
        # With a cache file of an earlier call, `datasets` would take the number of processes of it.
        keep_in_memory=True,
        desc="scoring",
    )
    return job.total(parts.with_format(None)["part"])
