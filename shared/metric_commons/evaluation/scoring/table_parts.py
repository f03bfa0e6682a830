"""Parts of tables of Spark, `datasets` and pyarrow, which may be too large for one process."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from .scoring_plans import ScoringPlan
from .spark_parts import part_of_spark
from .states import Part
from .table_columns import check_columns, columns_of_block, is_arrow, is_dataset, is_spark
from .worker_processes import map_ordered

_ROWS = 20_000  # of a block: enough for speed, few enough for memory


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
    if is_dataset(data) or is_arrow(data):
        check_columns(plan.names(), data.column_names)
        if is_arrow(data):
            slice_of = data.select(plan.names()).slice
        else:
            rows = data.select_columns(plan.names()).with_format("arrow")

            def slice_of(start: int, size: int) -> Any:
                return rows[start : start + size]

        def block(start: int) -> Mapping[str, Any]:
            return columns_of_block(slice_of(start, _ROWS))

        starts = range(0, len(data), _ROWS)
        if jobs > 1:
            return _merged(plan, jobs, starts, lambda start: plan.part([block(start)], start))
        return plan.part(map(block, starts))
    if jobs > 1:

        def part_of_shard(number: int) -> Part:
            shard = data.shard(num_shards=data.num_shards, index=number)
            return plan.part(_checked(plan, shard.iter(_ROWS)))

        return _merged(plan, jobs, range(data.num_shards), part_of_shard)
    return plan.part(_checked(plan, data.iter(_ROWS)))


def _checked(plan: ScoringPlan, blocks: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield the blocks of an IterableDataset, whose columns may be unknown until it is read."""
    for block in blocks:
        check_columns(plan.names(), block)
        yield block


def _merged(
    plan: ScoringPlan, jobs: int, tasks: Sequence[int], work: Callable[[int], Part]
) -> Part:
    """Return the states of all rows, which several processes score."""
    total = plan.part([])
    with closing(map_ordered(work, tasks, min(jobs, len(tasks) or 1))) as parts:
        for part in parts:
            total.merge(part)
    return total
