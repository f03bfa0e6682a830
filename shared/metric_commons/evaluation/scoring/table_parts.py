"""Parts of tables of Spark and `datasets`, which may be too large for one process."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from .scoring_plans import ScoringPlan
from .spark_parts import part_of_spark
from .states import Part
from .table_columns import check_columns, columns_of_block, is_dataset, is_spark
from .worker_processes import map_ordered

_ROWS = 20_000  # of a block: enough for speed, few enough for memory


def part_of_table(data: Any, plan: ScoringPlan, jobs: int = 1) -> Part:
    """Return the states of all rows of a Spark DataFrame, Dataset or IterableDataset.

    Args:
        data: the rows.
        plan: the modules, and the columns that they read.
        jobs: the number of processes, for `datasets`; each reads some shards of an IterableDataset.

    Raises:
        ValueError: a row is not valid; the message names row, column and value, and for
            Spark the partition.
    """
    if is_spark(data):
        return part_of_spark(data, plan)
    if is_dataset(data):
        check_columns(plan.names(), data.column_names)
        rows = data.select_columns(plan.names()).with_format("arrow")
        if jobs > 1:
            starts = range(0, len(data), _ROWS)

            def part_of_block(start: int) -> Part:
                return plan.part([columns_of_block(rows[start : start + _ROWS])], start)

            return _merged(plan, jobs, starts, part_of_block)
        return plan.part(map(columns_of_block, rows.iter(_ROWS)))
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
