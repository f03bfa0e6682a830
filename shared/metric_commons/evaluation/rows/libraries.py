"""Tables of any library: their columns by name, and their rows scored block by block.

No library is imported to recognize its tables. Executors of Spark score the rows of partitions,
and each partition returns one row: its pickled table of rows. Spark and Spark Connect take the same
path, with `mapInArrow` alone, since Connect has no RDDs. A task that Spark runs again counts once,
because Spark drops the output of the first attempt.
"""

import pickle
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...module.catalog.catalog import module_class, name_of, own_scripts
from ...module.catalog.request import Missing
from ...module.declaration.declarations import USUAL_NAMES
from ...statistics.arguments.checks import nearest
from .blocks import Tables, merged, score_blocks, with_metrics, without_metrics
from .rows import Block, Fields, Metrics, Named, Values

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

ROWS = 20_000  # of a block: enough for speed, few enough for memory
_SCHEMA = "partition int, tables binary, error string"
_MISSING = (
    "{error}, in the Python of Spark's executors, {python}; they need metric-commons. Install it "
    "there: pip install 'metric-commons[spark]'; or send an environment that holds it, by "
    "--archives or spark.addArtifact(..., archive=True)"
)


def columns_of_table(data: Any, names: Iterable[str]) -> Values:
    """Return the columns of a table of `blocks_of_table`.

    Raises:
        ValueError: a column is missing, or the data is not a table.

    >>> columns_of_table({"answer": ["a"], "gold": ["b"]}, ["gold"])
    {'gold': ['b']}
    >>> columns_of_table(iter([{"answer": "a"}, {"answer": "b"}]), ["answer"])
    {'answer': ['a', 'b']}
    """
    return next(blocks_of_table(data, names, sys.maxsize), {name: [] for name in names})


def blocks_of_table(data: Any, names: Iterable[str], size: int) -> Iterator[Values]:
    """Yield columns of a table by name: of at most `size` rows, if it is one of many rows.

    Args:
        data: a dictionary of columns; a DataFrame of pandas, polars or Spark; a table of pyarrow; a
            Dataset or IterableDataset of `datasets`; or an iterable of rows as dictionaries. The
            columns of a Spark DataFrame are collected by the driver.
        names: the names of the columns.
        size: the number of rows.

    Raises:
        ValueError: a column is missing, or the data is not a table.
    """
    wanted = list(dict.fromkeys(names))
    if is_spark(data):
        check_columns(wanted, data.columns)
        data = data.select(*map(quoted, wanted)).toArrow()
    known = table_names(data)
    if known is None or hasattr(data, "iter"):
        yield from _batches(data, wanted, size)
        return
    check_columns(wanted, known)
    if hasattr(data, "select_columns"):
        data = data.select_columns(wanted).with_format("arrow")
    elif not hasattr(data, "slice") or not hasattr(data, "column_names"):
        columns = {name: data[name] for name in wanted}
        is_polars = any(hasattr(c, "to_list") and not hasattr(c, "iloc") for c in columns.values())
        yield {name: c.to_list() for name, c in columns.items()} if is_polars else columns
        return
    for start in range(0, len(data), size):
        block = data[start : start + size]
        yield {name: block[name] for name in wanted}


def _batches(data: Any, names: Collection[str], size: int) -> Iterator[Values]:
    """Yield columns of an IterableDataset, or of rows."""
    if hasattr(data, "iter"):
        for batch in data.iter(size):
            check_columns(names, batch)
            yield {name: batch[name] for name in names}
        return
    if isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise ValueError(f"data must be a table with columns, got {type(data).__name__}")
    rows = iter(data)
    while block := list(islice(rows, size)):
        for row in block:
            if not isinstance(row, Mapping):
                kind = type(row).__name__
                raise ValueError(f"data must be a table with columns, got rows of {kind}")
            check_columns(names, row)
        yield {name: [row[name] for row in block] for name in names}


def table_names(data: Any) -> list[str] | None:
    """Return the names of the columns; None if the data can only be read row by row.

    >>> table_names({"answer": ["a"]}), table_names([{"answer": "a"}])
    (['answer'], None)
    """
    if isinstance(data, Mapping):
        return list(data)
    for attribute in ("columns",) if is_spark(data) else ("column_names", "columns"):
        names = getattr(data, attribute, None)
        if names is not None and not callable(names):
            texts = list(names)
            if all(isinstance(name, str) for name in texts):
                return texts
    return None


def usual_columns(
    name: str, columns: Iterable[str], others: Collection[str | None] = ()
) -> list[str]:
    """Return the columns that by their names are an input: none, one, or several to choose from.

    Args:
        name: predictions or references.
        columns: the names of the columns.
        others: columns of other inputs.

    >>> usual_columns("references", ["question", "prediction", "answer"])
    ['answer']
    >>> usual_columns("references", ["answer", "gold"])
    ['answer', 'gold']
    """
    return [column for column in USUAL_NAMES[name] if column in columns and column not in others]


def is_spark(data: Any) -> bool:
    """Return whether a table is a DataFrame of Spark."""
    return hasattr(data, "toArrow")


def quoted(name: str) -> str:
    """Return the name of a column as Spark reads it, where a dot would lead into a struct.

    >>> quoted("answer.text")
    '`answer.text`'
    """
    return "`" + name.replace("`", "``") + "`"


def check_columns(wanted: Iterable[str], names: Iterable[str]) -> None:
    """Check that a table with columns of these names has all wanted ones.

    Raises:
        ValueError: one is missing.
    """
    columns = list(names)
    for name in wanted:
        if name not in columns:
            listed = ", ".join(map(repr, columns))
            raise ValueError(
                f"there is no column {name!r}{nearest(name, columns)}; the columns are {listed}"
            )


def numbered_blocks(fields: Fields, parts: Iterable[Named]) -> Iterator[Block]:
    """Yield the blocks of parts of a table that have rows; errors number all rows."""
    start = 0
    for columns in parts:
        if rows := len(next(iter(columns.values()))):

            def place(column: str, row: int, start: int = start) -> str:
                return f"row {start + row}: column {column!r}"

            yield fields.block(columns, place)
        start += rows


# ---- Spark --------------------------------------------------------------------------------------


def tables_of_spark(
    df: "DataFrame",
    fields: Fields,
    metrics: Metrics,
    modules: Mapping[str, Named],
    missing: Missing = "refuse",
) -> Tables:
    """Return the scored rows of a DataFrame of Spark or Spark Connect.

    Args:
        df: the rows.
        fields: the columns that are read.
        metrics: the modules with their options.
        modules: the options of each, from which executors make them again.
        missing: what becomes of rows without an answer.

    Raises:
        ValueError: a row is not valid; the message names partition, row and column. Or executors
            cannot import metric-commons.
    """
    names = fields.names()
    check_columns(names, df.columns)
    rows = df.select(*map(quoted, names)).toDF(
        *map(str, range(len(names)))
    )  # Connect takes no dots
    parts = rows.mapInArrow(on_executors(modules, fields, missing), _SCHEMA)
    tables = []
    for row in sorted(parts.toArrow().to_pylist(), key=itemgetter("partition")):
        if row["error"] is not None:
            raise ValueError(row["error"])
        tables.append(with_metrics(pickle.loads(row["tables"]), metrics))
    return merged(tables)


def on_executors(
    modules: Mapping[str, Named], *arguments: Any
) -> "Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]":
    """Return the function of record batches that executors run, with one row as its result.

    It is nested, so Spark sends its code, and it imports our functions when it runs. So it can
    report a missing metric-commons; a function sent by name would fail while it is unpickled.
    Errors are a row, too: Spark would retry, and wrap them.

    Args:
        modules: the options of each module.
        *arguments: the other ones of `_pickled_tables` before the batches.
    """
    payload = pickle.dumps((_pickled_tables, dict(modules), own_scripts(modules), *arguments))
    message = _MISSING

    def run(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pickle
        import sys

        import pyarrow as pa
        from pyspark import TaskContext

        context = TaskContext.get()
        partition = context.partitionId() if context else 0
        tables = problem = None
        try:
            function, *arguments = pickle.loads(payload)
            tables = function(*arguments, batches)
        except ImportError as error:
            problem = message.format(error=error, python=sys.executable)
        except ValueError as error:
            problem = f"partition {partition}, {error}"
        if tables or problem:
            record = {
                "partition": pa.array([partition], pa.int32()),
                "tables": pa.array([tables], pa.binary()),
                "error": pa.array([problem], pa.string()),
            }
            yield pa.RecordBatch.from_pydict(record)

    return run


def _pickled_tables(
    modules: Mapping[str, Named],
    scripts: Mapping[str, str],
    fields: Fields,
    missing: Missing,
    batches: "Iterable[pa.RecordBatch]",
) -> bytes | None:
    """Return the scored rows of a partition; None if it is empty."""
    for script in scripts.values():  # of modules that only the driver knows by name
        name_of(Path(script))
    metrics = {name: module_class(name)(**options) for name, options in modules.items()}
    parts = (dict(zip(fields.names(), batch.columns, strict=True)) for batch in batches)
    blocks = numbered_blocks(fields, parts)
    tables = score_blocks(lambda: blocks, lambda block: block, metrics, missing)
    return pickle.dumps(without_metrics(tables)) if tables else None
