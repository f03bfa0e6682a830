"""Parts of tables that are too large for one process: of Spark, or batches of `datasets`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from ..states.parts import Part
from .scoring_plans import ScoringPlan
from .spark_parts import part_of_spark
from .table_columns import check_columns, columns_of_batch, is_dataset, is_spark
from .worker_processes import in_order

_BATCH_SIZE = 20_000  # rows: large enough for speed, small enough for memory


def part_of_table(data: Any, plan: ScoringPlan, jobs: int = 1) -> Part:
    """The states of all rows of a Spark DataFrame, Dataset or IterableDataset.

    Args:
        data: the rows.
        plan: what is scored.
        jobs: of `datasets`, how many processes. Of an IterableDataset each reads some shards.

    Raises:
        ValueError: a row is not valid; the message has the row, the column and the value, and of
            Spark the partition.
    """
    if is_spark(data):
        return part_of_spark(data, plan)
    if is_dataset(data):
        check_columns(plan.names(), data.column_names)
        rows = data.select_columns(plan.names()).with_format("arrow")
        if jobs > 1:
            starts = range(0, len(data), _BATCH_SIZE)
            return _merged(plan, jobs, starts, lambda start: _part_of_batch(plan, rows, start))
        return plan.part(map(columns_of_batch, rows.iter(_BATCH_SIZE)))
    if jobs > 1:
        shards = range(data.num_shards)
        return _merged(plan, jobs, shards, lambda shard: _part_of_shard(plan, data, shard))
    return plan.part(_checked(plan, data.iter(_BATCH_SIZE)))


def _checked(
    plan: ScoringPlan, batches: Iterable[Mapping[str, Any]]
) -> Iterator[Mapping[str, Any]]:
    """The batches of an IterableDataset, whose columns may be unknown until they are read."""
    for batch in batches:
        check_columns(plan.names(), batch)
        yield batch


def _part_of_batch(plan: ScoringPlan, rows: Any, start: int) -> Part:
    return plan.part([columns_of_batch(rows[start : start + _BATCH_SIZE])], start)


def _part_of_shard(plan: ScoringPlan, data: Any, shard: int) -> Part:
    rows = data.shard(num_shards=data.num_shards, index=shard)
    return plan.part(_checked(plan, rows.iter(_BATCH_SIZE)))


def _merged(
    plan: ScoringPlan, jobs: int, pieces: Sequence[int], work: Callable[[int], Part]
) -> Part:
    """The states of all pieces, which several processes score."""
    total = plan.part([])
    with closing(in_order(work, pieces, min(jobs, len(pieces) or 1))) as parts:
        for part in parts:
            total.merge(part)
    return total
