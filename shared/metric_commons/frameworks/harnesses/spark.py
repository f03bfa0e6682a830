"""DataFrames of Spark and Spark Connect: row scores, and the states of streamed batches.

`metric_commons.score` scores a DataFrame as a whole.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ...evaluation.scoring.scoring import column_names
from ...evaluation.scoring.scoring_plans import ScoringPlan, plan_of_columns
from ...evaluation.scoring.states import Part
from ...evaluation.scoring.table_columns import check_columns, columns_of_block, quoted
from ...evaluation.scoring.table_parts import name_partition, numbered, on_executors, part_of_spark
from ...module.catalog.catalog import load_without_evaluate
from ...module.catalog.request import Request

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


def part_of_rows(
    modules: str | Iterable[str],
    df: "DataFrame",
    *,
    predictions: Any,
    references: str | None = None,
    options: Mapping[str, Any] | None = None,
    clusters: str | None = None,
    groups: str | None = None,
    ids: str | None = None,
    confidence_level: float | None = None,
) -> Part:
    """Return the states of the rows, which can be saved and merged with those of other rows.

    For a stream, call it in `foreachBatch` and save the result. There may be no rows.

    Args:
        modules: one or several names.
        df: the rows.
        predictions: one or several column names, or a mapping from system to column name.
        references: a column name, if a module needs references.
        options: the options of the modules; the key `option` applies to every module that has it,
            the key `module.option` to one.
        clusters: a column name.
        groups: a column name.
        ids: a column name; required by rankings.
        confidence_level: the level of intervals of a regression, whose states then keep rows; other
            modules take it when results are computed.

    Raises:
        ValueError: a module, option or column does not exist; or a row is not valid.

    Examples:
        >>> columns = {"predictions": "answer", "references": "gold"}
        >>> part = part_of_rows("qa_em", df, **columns)  # doctest: +SKIP
        >>> part.results(confidence_level=0.95)["answer"]["qa_em"]  # doctest: +SKIP
        0.5
    """
    names = [modules] if isinstance(modules, str) else list(modules)
    metrics = {name: load_without_evaluate(name) for name in names}
    labels = {"references": references, "clusters": clusters, "groups": groups, "ids": ids}
    request = Request(modules=names, options=options, confidence_level=confidence_level)
    plan = plan_of_columns(request, metrics, column_names(predictions), labels)
    return part_of_spark(df, plan)


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

    labels = {} if references is None else {"references": references}
    plan = ScoringPlan({module: options}, {"predictions": predictions}, labels)
    check_columns(plan.names(), df.columns)
    first = df.select(*map(quoted, plan.names())).limit(1).toArrow()
    if not first.num_rows:
        raise ValueError("the DataFrame is empty; a score of no rows is undefined")
    names = list(plan.scores_of_rows(columns_of_block(first)))
    for name in names:
        if name in df.columns:
            raise ValueError(f"there already is a column {name!r}")
    rows = numbered(df)
    schema = StructType([*rows.schema.fields, *(StructField(name, DoubleType()) for name in names)])
    function = partial(_batches_with_scores, df.columns)
    scored = rows.mapInArrow(on_executors(function, plan), schema)
    return scored.toDF(*df.columns, *names)


def _batches_with_scores(
    names: Sequence[str], plan: ScoringPlan, batches: "Iterable[pa.RecordBatch]"
) -> "Iterator[pa.RecordBatch]":
    """Yield the batches, whose columns have these names, with additional columns."""
    import pyarrow as pa

    offset = 0
    for batch in batches:
        if batch.num_rows:
            columns = dict(zip(names, batch.columns, strict=True))
            scores = name_partition(partial(plan.scores_of_rows, before=offset), columns)
            offset += batch.num_rows
            arrays = [*batch.columns, *map(pa.array, scores.values())]
            yield pa.RecordBatch.from_arrays(arrays, [*batch.schema.names, *scores])
