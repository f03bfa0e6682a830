"""Parts of a Spark DataFrame: executors compute states of partitions, and only states travel.

Spark and Spark Connect take the same path, `mapInArrow` alone, for Connect has no RDDs. The states
of partitions are dealt out to a few tasks, which merge them, and the driver merges what is left.
Merging does not round, so the result does not depend on how rows are partitioned. A task that Spark
runs again counts once, because Spark drops the output of the first attempt.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..states.parts import Part
from .scoring_plans import ScoringPlan
from .table_columns import check_columns, quoted

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    MapInArrow = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

_MERGING_TASKS = 8  # as many states reach the driver
# Bytes of a state in one row: Spark keeps several copies of a row, and Connect limits messages.
_PIECE = 1 << 20
_ORDER = ("partition", "piece")
_SCHEMA = "partition int, piece int, state binary, error string"
_MISSING = (
    "{error}, in the Python of Spark's executors, {python}; they need metric-commons. Install it "
    "there: pip install 'metric-commons[spark]'; or send an environment that holds it, by "
    "--archives or spark.addArtifact(..., archive=True)"
)


def part_of_spark(df: "DataFrame", plan: ScoringPlan) -> Part:
    """The states of all rows of a DataFrame of Spark or Spark Connect.

    Raises:
        ValueError: a row is not valid; the message has the partition, the row, the column and the
            value. Or executors cannot import metric-commons.
    """
    check_columns(plan.names(), df.columns)
    rows = numbered(df.select(*map(quoted, plan.names())))
    parts = rows.mapInArrow(_errors_as_rows(on_executors(_rows_of_partition, plan)), _SCHEMA)
    shuffle = parts.repartition(_MERGING_TASKS, "partition").sortWithinPartitions(*_ORDER)
    totals = shuffle.mapInArrow(_errors_as_rows(on_executors(_rows_of_total, plan)), _SCHEMA)
    return plan.total(_states(sorted(totals.toArrow().to_pylist(), key=itemgetter(*_ORDER))))


def numbered(df: "DataFrame") -> "DataFrame":
    """The DataFrame with numbers for names, since Connect gives none with a dot to `mapInArrow`."""
    return df.toDF(*map(str, range(len(df.columns))))


def on_executors(
    function: Callable[..., "Iterator[pa.RecordBatch]"], plan: ScoringPlan
) -> "MapInArrow":
    """A function of batches, for `mapInArrow`, that calls another one with a plan and the batches.

    It is nested, so it is sent with its code and imports what it calls when it runs. Where
    metric-commons is missing it can say so; what is sent by name fails while it is unpickled.
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
    """The value of a function; a ValueError gets the number of Spark's partition."""
    try:
        return function(argument)
    except ValueError as error:
        raise ValueError(f"partition {_partition()}, {error}") from error


def _errors_as_rows(function: "MapInArrow") -> "MapInArrow":
    """The function, whose errors become rows: Spark would try again, and wrap them."""

    def run(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa
        from pyspark import TaskContext

        try:
            yield from function(batches)
        except ValueError as error:
            context = TaskContext.get()
            record = {
                "partition": pa.array([context.partitionId() if context else 0], pa.int32()),
                "piece": pa.array([0], pa.int32()),
                "state": pa.array([None], pa.binary()),
                "error": [str(error)],
            }
            yield pa.RecordBatch.from_pydict(record)

    return run


def _rows_of_partition(
    plan: ScoringPlan, batches: "Iterable[pa.RecordBatch]"
) -> "Iterator[pa.RecordBatch]":
    """The state of the rows of a partition; nothing of no rows."""
    names = plan.names()
    filled = (dict(zip(names, batch.columns, strict=True)) for batch in batches if batch.num_rows)
    first = next(filled, None)
    if first is not None:
        yield from _rows(name_partition(plan.part, chain([first], filled)))


def _rows_of_total(
    plan: ScoringPlan, batches: "Iterable[pa.RecordBatch]"
) -> "Iterator[pa.RecordBatch]":
    """The sum of the states in some rows, in the order of `_ORDER`; nothing of none."""
    states = _states(row for batch in batches for row in batch.to_pylist())
    first = next(states, None)
    if first is not None:
        yield from _rows(plan.total(chain([first], states)))


def _rows(part: Part) -> "Iterator[pa.RecordBatch]":
    """The pieces of a state."""
    import pyarrow as pa

    state = part.to_bytes()
    for piece, start in enumerate(range(0, len(state), _PIECE)):
        record = {
            "partition": pa.array([_partition()], pa.int32()),
            "piece": pa.array([piece], pa.int32()),
            "state": [state[start : start + _PIECE]],
            "error": pa.array([None], pa.string()),
        }
        yield pa.RecordBatch.from_pydict(record)


def _states(rows: Iterable[Any]) -> Iterator[bytes]:
    """The states in rows in the order of `_ORDER`.

    Raises:
        ValueError: a row has an error instead.
    """
    for _, group in groupby(rows, itemgetter("partition")):
        pieces = []
        for row in group:
            if row["error"] is not None:
                raise ValueError(row["error"])
            pieces.append(row["state"])
        yield b"".join(pieces)


def _partition() -> int:
    """The number of the partition that this process works on."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context else 0
