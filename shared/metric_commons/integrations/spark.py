"""Scoring a Spark DataFrame.

Executors compute a state of each partition, and only states travel to the driver. They merge in a
tree, without rounding, so the result does not depend on how rows are partitioned. A task that Spark
runs again counts once, because Spark drops the output of the first attempt.

Executors need metric-commons and pyarrow installed. Set `PYSPARK_PYTHON` where their interpreter is
not the one that `python3` finds.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ..evaluation.jobs import Job

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_MAX_COLLECTED = 8  # states that the driver merges
_SCHEMA = "state string, error string"  # of a partition, either of which is null


def score(
    df: "DataFrame",
    module: str,
    *,
    groups: str | None = None,
    clusters: str | None = None,
    ids: str | None = None,
    per_example: bool = False,
    **arguments: Any,
) -> Any:
    """The result of a module's `compute` for all rows, or a DataFrame with the scores of each row.

    Args:
        df: the rows. Of rankings a row is a query; `groupBy` on the query and `collect_list` make
            it of rows of single documents.
        module: the name of a module.
        groups: a column of labels; the scores of each label are returned too.
        clusters: a column of labels of rows that are alike; intervals then count labels.
        ids: for rankings, the column of the queries' ids.
        per_example: return `df` with a further column for each score.
        **arguments: the name of a column for each input of the module, and options of the module.

    Raises:
        ValueError: a row is not valid; the message has the partition, the row, the column and the
            value.

    Examples:
        >>> score(df, "qa_f1", predictions="answer", references="gold")  # doctest: +SKIP
        {'qa_f1': 0.5, 'qa_precision': 0.5, 'qa_recall': 0.5}
    """
    job = Job.of(module, arguments, groups=groups, clusters=clusters, ids=ids)
    job.check_columns(df.columns)
    if per_example:
        return _with_scores(df, job)
    states = df.select(*job.names()).mapInArrow(_partition_state(job), _SCHEMA)
    partitions = states.rdd.getNumPartitions()
    while partitions > _MAX_COLLECTED:
        partitions = math.isqrt(partitions)
        states = states.coalesce(partitions).mapInArrow(_merge(job), _SCHEMA)
    return job.total(map(_checked_state, states.collect())).result(**job.reporting)


def _partition_state(job: Job) -> "Callable[[Iterable[pa.RecordBatch]], Any]":
    """A function from the rows of a partition to a row with their state."""

    def state(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        columns = (_columns(batch) for batch in batches)
        try:
            record = {"state": [_name_partition(job.state, columns).to_json()], "error": [None]}
        except ValueError as error:  # as data, since Spark would wrap it into its own traceback
            record = {"state": [None], "error": [str(error)]}
        yield pa.RecordBatch.from_pydict(record, _arrow_schema())

    return state


def _merge(job: Job) -> "Callable[[Iterable[pa.RecordBatch]], Any]":
    """A function from rows with states to a row with their sum, or with the first error."""

    def merge(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        rows = [row for batch in batches for row in batch.to_pylist()]
        errors = [row["error"] for row in rows if row["error"] is not None]
        total = None if errors else job.total(row["state"] for row in rows).to_json()
        record = {"state": [total], "error": errors[:1] or [None]}
        yield pa.RecordBatch.from_pydict(record, _arrow_schema())

    return merge


def _with_scores(df: "DataFrame", job: Job) -> "DataFrame":
    """The DataFrame with a further column for each score of single rows."""
    from pyspark.sql.types import DoubleType, StructField, StructType

    first = df.select(*job.names()).limit(1).toArrow()
    if not first.num_rows:
        raise ValueError("the DataFrame is empty; a score of no rows is undefined")
    names = list(job.scores_of_rows(_columns(first)))
    for name in names:
        if name in df.columns:
            raise ValueError(f"there is a column {name!r} already")
    schema = StructType([*df.schema.fields, *(StructField(name, DoubleType()) for name in names)])

    def add_scores(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        for batch in batches:
            if batch.num_rows:
                scores = _name_partition(job.scores_of_rows, _columns(batch))
                columns = [*batch.columns, *map(pa.array, scores.values())]
                yield pa.RecordBatch.from_arrays(columns, [*batch.schema.names, *scores])

    return df.mapInArrow(add_scores, schema)


def _columns(batch: Any) -> dict[str, Any]:
    return dict(zip(batch.schema.names, batch.columns, strict=True))


def _name_partition(function: Callable[[Any], Any], argument: Any) -> Any:
    """The value of a function; a ValueError gets the number of the partition."""
    from pyspark import TaskContext

    try:
        return function(argument)
    except ValueError as error:
        context = TaskContext.get()
        partition = context.partitionId() if context else 0
        raise ValueError(f"partition {partition}, {error}") from error


def _checked_state(row: Any) -> str:
    """The state in a row.

    Raises:
        ValueError: the row has an error instead.
    """
    if row.error is not None:
        raise ValueError(row.error)
    return str(row.state)


def _arrow_schema() -> Any:
    import pyarrow as pa

    return pa.schema([("state", pa.string()), ("error", pa.string())])
