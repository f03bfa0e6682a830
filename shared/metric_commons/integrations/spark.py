"""Scoring a Spark DataFrame.

Each partition becomes a state of its own where its rows lie, and only states travel. They merge in
a tree, without rounding, so the result does not depend on how rows are partitioned. A task that
Spark runs again counts once, for Spark drops what the first attempt returned.

Executors need metric-commons installed, as they need pyarrow. Set `PYSPARK_PYTHON` where their
interpreter is not the one that `python3` finds.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ..evaluation.jobs import Job

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_COLLECTED = 8  # states that the driver merges at a time
_SCHEMA = "state string, error string"  # one of them is null


def score(
    df: "DataFrame",
    module: str,
    *,
    groups: str | None = None,
    ids: str | None = None,
    per_example: bool = False,
    **arguments: Any,
) -> Any:
    """What a module's `compute` returns for all rows, or a DataFrame with the scores of each row.

    Args:
        df: the rows. Rankings are one query a row; rows of single documents become so by
            `groupBy` on the query and `collect_list`.
        module: its name.
        groups: the column of labels; also return the scores of each.
        ids: for rankings, the column of the queries' ids.
        per_example: return `df` with a column for each score instead.
        **arguments: for each input of the module the name of a column, and its options.

    Raises:
        ValueError: a row is not what it may be: names partition, row, column and value.

    Examples:
        >>> score(df, "qa_f1", predictions="answer", references="gold")  # doctest: +SKIP
        {'qa_f1': 0.5, 'qa_precision': 0.5, 'qa_recall': 0.5}
    """
    job = Job.of(module, arguments, groups=groups, ids=ids)
    job.check_columns(df.columns)
    if per_example:
        return _with_scores(df, job)
    states = df.select(*job.names()).mapInArrow(_state_of_partition(job), _SCHEMA)
    parts = states.rdd.getNumPartitions()
    while parts > _COLLECTED:
        parts = math.isqrt(parts)
        states = states.coalesce(parts).mapInArrow(_merged(job), _SCHEMA)
    return job.total(map(_checked_state, states.collect())).result(**job.reporting)


def _state_of_partition(job: Job) -> "Callable[[Iterable[pa.RecordBatch]], Any]":
    def state(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        columns = (_columns(batch) for batch in batches)
        try:
            record = {"state": [_naming_partition(job.state, columns).to_json()], "error": [None]}
        except ValueError as error:  # as data: Spark would bury it in a traceback of its own
            record = {"state": [None], "error": [str(error)]}
        yield pa.RecordBatch.from_pydict(record, _arrow_schema())

    return state


def _merged(job: Job) -> "Callable[[Iterable[pa.RecordBatch]], Any]":
    def merged(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        rows = [row for batch in batches for row in batch.to_pylist()]
        errors = [row["error"] for row in rows if row["error"] is not None]
        total = None if errors else job.total(row["state"] for row in rows).to_json()
        record = {"state": [total], "error": errors[:1] or [None]}
        yield pa.RecordBatch.from_pydict(record, _arrow_schema())

    return merged


def _with_scores(df: "DataFrame", job: Job) -> "DataFrame":
    from pyspark.sql.types import DoubleType, StructField, StructType

    first = df.select(*job.names()).limit(1).toArrow()
    if not first.num_rows:
        raise ValueError("the DataFrame is empty; a score of no rows is undefined")
    names = list(job.scores_of_rows(_columns(first)))
    for name in names:
        if name in df.columns:
            raise ValueError(f"there is a column {name!r} already")
    schema = StructType([*df.schema.fields, *(StructField(name, DoubleType()) for name in names)])

    def scored(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        for batch in batches:
            if batch.num_rows:
                scores = _naming_partition(job.scores_of_rows, _columns(batch))
                columns = [*batch.columns, *map(pa.array, scores.values())]
                yield pa.RecordBatch.from_arrays(columns, [*batch.schema.names, *scores])

    return df.mapInArrow(scored, schema)


def _columns(batch: Any) -> dict[str, Any]:
    return dict(zip(batch.schema.names, batch.columns, strict=True))


def _naming_partition(function: Callable[[Any], Any], argument: Any) -> Any:
    from pyspark import TaskContext

    try:
        return function(argument)
    except ValueError as error:
        context = TaskContext.get()
        partition = context.partitionId() if context else 0
        raise ValueError(f"partition {partition}, {error}") from error


def _checked_state(row: Any) -> str:
    """The state in a row, or the error that is there in its place."""
    if row.error is not None:
        raise ValueError(row.error)
    return str(row.state)


def _arrow_schema() -> Any:
    import pyarrow as pa

    return pa.schema([("state", pa.string()), ("error", pa.string())])
