"""DataFrames of Spark and Spark Connect: a column for each score of rows.

`metric_commons.score` scores a DataFrame as a whole; with `rows=True` its result has the table of
scored rows, which can be saved and merged with those of other batches of a stream.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...evaluation.rows.blocks import Fields
from ...evaluation.rows.libraries import (
    check_columns,
    columns_of_block,
    name_partition,
    numbered,
    on_executors,
    quoted,
    scores_of_block,
)
from ...module.catalog.catalog import load_without_evaluate

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


def scores_of_rows(
    module: str, df: "DataFrame", *, predictions: str, references: str | None = None, **options: Any
) -> "DataFrame":
    """Return the DataFrame with an additional column for each score of its rows.

    Args:
        module: the name of a module.
        df: the rows. For rankings a row is a query; `groupBy` on the query and `collect_list` make
            it from rows of single documents.
        predictions: a column name.
        references: a column name, if the module needs references.
        **options: the options of the module.

    Raises:
        ValueError: a row is not valid; the message names the partition, the row, the column and the
            value.

    Examples:
        >>> columns = {"predictions": "answer", "references": "gold"}
        >>> scores_of_rows("qa_em", df, **columns).columns  # doctest: +SKIP
        ['answer', 'gold', 'qa_em']
    """
    from pyspark.sql.types import DoubleType, StructField, StructType

    fields = Fields.of_one(predictions, references)
    check_columns(fields.names(), df.columns)
    first = df.select(*map(quoted, fields.names())).limit(1).toArrow()
    if not first.num_rows:
        raise ValueError("the DataFrame is empty; a score of no rows is undefined")
    metric = load_without_evaluate(module, **options)
    names = list(scores_of_block(metric, fields, columns_of_block(first)))
    for name in names:
        if name in df.columns:
            raise ValueError(f"there already is a column {name!r}")
    rows = numbered(df)
    schema = StructType([*rows.schema.fields, *(StructField(name, DoubleType()) for name in names)])
    run = on_executors(_batches_with_scores, {module: options}, fields, df.columns)
    scored = rows.mapInArrow(run, schema)
    return scored.toDF(*df.columns, *names)


def _batches_with_scores(
    metrics: Mapping[str, Any],
    fields: Fields,
    names: Sequence[str],
    batches: "Iterable[pa.RecordBatch]",
) -> "Iterator[pa.RecordBatch]":
    """Yield the batches, whose columns have these names, with additional columns."""
    import pyarrow as pa

    (metric,), offset = metrics.values(), 0
    for batch in batches:
        if batch.num_rows:
            columns = dict(zip(names, batch.columns, strict=True))
            scores = name_partition(scores_of_block, metric, fields, columns, offset)
            offset += batch.num_rows
            arrays = [*batch.columns, *map(pa.array, scores.values())]
            yield pa.RecordBatch.from_arrays(arrays, [*batch.schema.names, *scores])
