"""Rows of states, in tables of Arrow: a column for each number and text of a row.

New tables are only collected. They are joined when their rows are needed, or when the number of
rows has grown fourfold since the last time. So the time of a merge depends on the new rows alone,
and all merges together take little longer than one.

The checks of a stored state look once at the minimum and the maximum of a column. A checksum
detects accidental changes, and these the mistakes of other programs.
"""

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...data.files.stored_columns import text_column, texts_of
from ...module.declaration.row_module import RowModule
from ...statistics.arguments.arrays import Integers
from ...statistics.arguments.checks import RowError
from ...statistics.arguments.domains import Ranges, check_score, score_range
from .score_kind import SufficientStatistics

Table = Any  # of Arrow
Columns = dict[str, Any]

_COUNT = "count"  # the column with the number of rows that are equal
_STATISTIC = "="  # before the names of statistics
_LABELS = ("groups", "clusters")
_PENDING = 1 << 16  # minimum of rows for which tables are joined
_INDEX = re.compile(r"\[[0-9]+\]$")
_MOST = 2**53
NOT_NEGATIVE: Ranges = {"*": (0.0, None)}


class CountedRows:
    """Rows, with the number of equal ones.

    Args:
        finish: applied to a table that has been joined; None for the distinct rows, counted.

    >>> rows = CountedRows()
    >>> rows.update({"predictions": [1.0, 1.0, 0.5], "references": ["a", "a", "b"]})
    >>> rows.to_jsonable()["counts"], len(rows)
    (array([1, 2]), 3)
    >>> rows.columns()["references"]
    ['a', 'a', 'b']
    """

    def __init__(self, finish: Callable[[Table], Table] | None = None) -> None:
        self.names: list[str] = []  # of the columns
        self._finish = finish or _distinct
        self._tables: list[Table] = []
        self._rows = self._pending = 0
        self._due = _PENDING  # pending rows at which tables are joined

    def __len__(self) -> int:
        return self._rows

    def update(
        self,
        columns: Mapping[str, Any],
        statistics: Mapping[str, Any] = MappingProxyType({}),
        rows: int | None = None,
    ) -> None:
        """Add rows.

        Args:
            columns: lists or arrays of values, of lists of any lengths, or of records.
            statistics: numbers by name; rows that lack a name have 0 there.
            rows: the number of rows; None for the length of the first column.

        Raises:
            ValueError: earlier rows have other columns.
        """
        if rows is None:
            rows = len(next(iter(columns.values())))
        parts = [part for name, column in columns.items() for part in _flat(name, column)]
        names = [name for name, part in parts if part is None or not _INDEX.search(name)]
        flat = {name: part for name, part in parts if part is not None}
        flat |= {f"{_STATISTIC}{name}": _column(column) for name, column in statistics.items()}
        if rows:
            self._append(names, flat, np.ones(rows, np.int64))

    def merge(self, rows: Self) -> None:
        """Add the rows of other tables, which are not changed."""
        for table in rows._tables:
            self._check(rows.names, table)
        for table in list(rows._tables):
            self._add(rows.names, table)
        self._rows += len(rows)

    def _check(self, names: Sequence[str], table: Table) -> None:
        """Check that further rows have the same columns as the others.

        Raises:
            ValueError: they do not.
        """
        for name in names:
            if not name.endswith("[]") and table.column(name).null_count:
                raise ValueError(f"some rows have {name}, others have none")
        if not self._tables:
            return
        for label in _LABELS:
            if (label in names) != (label in self.names):
                raise ValueError(f"some rows have {label}, others have none")
        if len(different := {*names} ^ {*self.names}) == 1:
            raise ValueError(f"some rows have {different.pop()}, others have none")
        if different:
            raise ValueError(f"some rows have {self.names}, others {[*names]}")
        schema = self._tables[0].schema
        for field in table.schema:
            position = schema.get_field_index(field.name)
            if position >= 0 and _is_text(field.type) != _is_text(schema.field(position).type):
                raise ValueError(f"some rows have texts as {field.name}, others have numbers")

    def _add(self, names: Sequence[str], table: Table) -> None:
        self.names = self.names or [*names]
        self._tables.append(table)
        self._pending += table.num_rows
        if self._pending > self._due:
            self._table()

    def _table(self) -> Table:
        """Return all rows."""
        if self._pending:
            self._tables = [self._finish(_joined(self._tables))]
            self._due, self._pending = max(_PENDING, 4 * self._tables[0].num_rows), 0
        return self._tables[0]

    def tables_of_numbers(self) -> Iterator[dict[str, NDArray[Any]]]:
        """Yield the columns of numbers of each table, except those of lists of different lengths.

        They include the counts, and statistics by their names without the mark.
        """
        for table in self._tables:
            columns = {}
            for name in table.column_names:
                column = table.column(name)
                if name.startswith(_STATISTIC):
                    column = column.fill_null(0)
                if not _is_text(column.type) and not column.null_count:
                    columns[name.removeprefix(_STATISTIC)] = column.to_numpy()
            yield columns

    def columns(self) -> Columns:
        """Return the columns, in which each row is repeated by its count."""
        table = self._repeated()
        return _records({name.removesuffix("[]"): _restored(name, table) for name in self.names})

    def statistics(self) -> dict[str, NDArray[Any]]:
        """Return the statistics, in the same order."""
        table = self._repeated()
        return {
            name.removeprefix(_STATISTIC): table.column(name).fill_null(0).to_numpy()
            for name in table.column_names
            if name.startswith(_STATISTIC)
        }

    def to_jsonable(self) -> Any:
        """Return names, columns and counts of rows, for files."""
        if not self._rows:
            return {"names": [], "columns": {}, "counts": []}
        table = _sorted(self._table()) if self._finish is _distinct else self._table()
        names = [name for name in table.column_names if name != _COUNT]
        return {
            "names": self.names,
            "columns": {name: _stored(table.column(name)) for name in names},
            "counts": table.column(_COUNT).to_numpy(),
        }

    def read_jsonable(self, content: Any) -> None:
        """Take in what `to_jsonable` returned, or the same in lists.

        Raises:
            ValueError: it is not a table, or a count is not positive.
        """
        counts = np.asarray(content["counts"])
        if not counts.size:
            return
        if counts.ndim != 1 or counts.dtype.kind != "i" or counts.min() < 1:
            raise ValueError("the counts of rows are positive integers")
        columns = {
            name: _column(_listed(name, column)) for name, column in content["columns"].items()
        }
        names = {name.removesuffix("[]") for name in content["names"]}
        for name, column in columns.items():
            if name.startswith(_STATISTIC) and _is_text(column.type):
                raise ValueError(f"{name.removeprefix(_STATISTIC)} is a column of texts")
            if name in _LABELS and not _is_text(column.type):
                raise ValueError(f"{name} is a column of numbers")
            if not name.startswith(_STATISTIC) and _INDEX.sub("", name) not in names:
                raise ValueError(f"{name} is a column without a name")
        if any(len(column) != counts.size for column in columns.values()):
            raise ValueError("columns of rows have different lengths")
        self._append(content["names"], columns, counts.astype(np.int64))

    def _repeated(self) -> Table:
        table = self._table()
        counts = table.column(_COUNT).to_numpy()
        if counts.max() == 1:
            return table
        return table.take(np.repeat(np.arange(counts.size), counts))

    def _append(self, names: Sequence[str], columns: Columns, counts: Integers) -> None:
        import pyarrow as pa

        table = pa.table({**columns, _COUNT: pa.array(counts)})
        self._check(names, table)
        self._add(names, table)
        self._rows += int(counts.sum())


class TabulatedStatistics(SufficientStatistics):
    """Statistics that consist of rows, in a table with the number of equal rows.

    Args:
        metric: the module.
        finish: as in `CountedRows`.
    """

    def __init__(self, metric: RowModule, finish: Callable[[Table], Table] | None = None) -> None:
        super().__init__(metric)
        self._rows = CountedRows(finish)

    def __len__(self) -> int:
        return len(self._rows)

    def merge(self, statistics: Self) -> None:
        self._rows.merge(statistics._rows)

    def to_jsonable(self) -> Any:
        return self._rows.to_jsonable()

    def read_jsonable(self, content: Any) -> None:
        self._rows.read_jsonable(content)


def _distinct(table: Table) -> Table:
    """Return the distinct rows, and their counts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keys = [name for name in table.column_names if name != _COUNT]
    if keys:
        grouped = pa.TableGroupBy(table, keys, use_threads=False).aggregate([(_COUNT, "sum")])
        names = [_COUNT if name == f"{_COUNT}_sum" else name for name in grouped.column_names]
        return grouped.rename_columns(names).combine_chunks()
    return pa.table({_COUNT: [pc.sum(table.column(_COUNT)).as_py()]})


def _sorted(table: Table) -> Table:
    """Return the rows with equal values side by side, which makes few runs in a file."""
    import pyarrow.compute as pc

    keys = [name for name in table.column_names if name != _COUNT]
    keys.sort(key=lambda name: int(pc.count_distinct(table.column(name)).as_py()))
    return table.sort_by([(name, "ascending") for name in keys]) if keys else table


def runs(table: Table) -> Table:
    """Return the rows in their order, with the counts of equal ones that follow each other."""
    import pyarrow as pa
    import pyarrow.compute as pc

    counts = table.column(_COUNT).to_numpy()
    is_new = np.arange(counts.size) == 0
    for column in table.drop_columns(_COUNT).columns:
        is_new[1:] |= pc.not_equal(column[1:], column[:-1]).to_numpy()
    starts = np.flatnonzero(is_new)
    summed = pa.array(np.add.reduceat(counts, starts))
    table = table.take(starts)
    return table.set_column(table.schema.get_field_index(_COUNT), _COUNT, summed).combine_chunks()


def _joined(tables: Sequence[Table]) -> Table:
    """Return all rows, with null for numbers that some tables lack.

    A column with truth values or integers in some tables and other numbers in others is converted
    to the latter: 1 and 0.5 become 1.0 and 0.5.
    """
    import pyarrow as pa

    kinds: dict[str, list[Any]] = {}
    for table in tables:
        for field in table.schema:
            kinds.setdefault(field.name, []).append(field.type)
    ladder = [pa.large_binary(), pa.bool_(), pa.int64(), pa.uint64(), pa.float64()]
    schema = pa.schema([(name, max(types, key=ladder.index)) for name, types in kinds.items()])
    aligned = [
        table
        if table.schema.equals(schema)
        else pa.table(
            [
                table.column(field.name).cast(field.type)
                if field.name in table.column_names
                else pa.nulls(table.num_rows, field.type)
                for field in schema
            ],
            schema=schema,
        )
        for table in tables
    ]
    return pa.concat_tables(aligned).combine_chunks()


def _flat(name: str, column: Any) -> Iterator[tuple[str, Any]]:
    """Yield a column as columns of Arrow: one for each field of records, and each index of lists.

    The columns of lists follow a name without a column.

    >>> [part for part, _ in _flat("predictions", [{"n": [3, 1]}])]
    ['predictions.n[]', 'predictions.n[0]', 'predictions.n[1]']
    """
    first = column[0] if len(column) else None
    if isinstance(first, dict):
        for field in first:
            yield from _flat(f"{name}.{field}", [row[field] for row in column])
        return
    is_list = isinstance(first, list | tuple)
    if is_list and first and len({*map(len, column)}) == 1:
        column = np.array(column).reshape(len(column), -1)
    if isinstance(column, np.ndarray) and column.ndim == 2:
        yield f"{name}[]", None
        for index in range(column.shape[1]):
            yield f"{name}[{index}]", _column(np.ascontiguousarray(column[:, index]))
    elif is_list:
        yield f"{name}[]", None
        for index in range(max(map(len, column))):
            values = [row[index] if index < len(row) else None for row in column]
            yield f"{name}[{index}]", _column(values)
    else:
        yield name, _column(column)


def _column(values: Any) -> Any:
    """Return a column of Arrow, without the sign of zeros."""
    import pyarrow as pa

    if isinstance(values, pa.Array):
        return values
    if isinstance(values, np.ndarray):
        if values.dtype.kind == "U":
            return text_column(values.tolist())
        return pa.array(values + 0.0 if values.dtype.kind == "f" else values)
    first = next((value for value in values if value is not None), None)
    if isinstance(first, str):
        return text_column(values)
    if isinstance(first, float) and None not in values:
        return pa.array(np.array(values) + 0.0)
    try:
        return pa.array(values)
    except OverflowError:
        return pa.array(values, pa.uint64())


def _listed(name: str, values: Any) -> Any:
    """Check that a value from a file is a column.

    Raises:
        ValueError: it is not.
    """
    if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
        raise ValueError(f"{name} is {type(values).__name__}, not a column")
    return values


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_large_binary(kind))


def _stored(column: Any) -> Any:
    """Return a column for files: an array of numbers, unless lists had different lengths."""
    if column.null_count:
        return texts_of(column) if _is_text(column.type) else column.to_pylist()
    return column.combine_chunks() if _is_text(column.type) else column.to_numpy()


def _restored(name: str, table: Table) -> Any:
    """Return a column from its parts in a table; lists of equal lengths become an array."""
    if not name.endswith("[]"):
        column = _stored(table.column(name))
        return texts_of(column) if _is_text(table.column(name).type) else column
    pattern = re.compile(rf"{re.escape(name[:-2])}\[[0-9]+\]")
    columns = [table.column(part) for part in table.column_names if pattern.fullmatch(part)]
    kinds = {column.type for column in columns}
    if len(kinds) == 1 and not any(_is_text(c.type) or c.null_count for c in columns):
        return np.column_stack([column.to_numpy() for column in columns])
    listed = (
        [None if text is None else text.decode("utf-8") for text in column.to_pylist()]
        if _is_text(column.type)
        else column.to_pylist()
        for column in columns
    )
    rows = zip(*listed, strict=True)
    return [[value for value in row if value is not None] for row in rows] or [[]] * len(table)


def _records(columns: Mapping[str, Any]) -> Columns:
    """Return the columns, with fields combined to records.

    >>> _records({"predictions.n": [3], "predictions.c": [1]})
    {'predictions': [{'n': 3, 'c': 1}]}
    """
    records: Columns = {}
    for name, column in columns.items():
        record, _, field = name.partition(".")
        values = column.tolist() if field and isinstance(column, np.ndarray) else column
        if not field:
            records[name] = column
            continue
        rows = records.setdefault(record, [{} for _ in values])
        for row, value in zip(rows, values, strict=True):
            row[field] = value
    return records


def check_column(name: str, values: NDArray[Any], ranges: Ranges) -> None:
    """Check that rows can have these numbers.

    Raises:
        RowError: one is impossible.

    >>> check_column("qa_em", np.array([0.0, 7.5]), {"*": (0, 1)})
    Traceback (most recent call last):
    ValueError: qa_em[1] is 7.5, but must lie between 0 and 1
    """
    if score_range(name, ranges) is None or not values.size:
        return
    for end, position in ((values.min(), values.argmin), (values.max(), values.argmax)):
        if math.isnan(end):  # both ends are NaN if any value is
            raise RowError(name, int(position()), "is NaN, which no row has")
        try:
            check_score(name, float(end), ranges)
        except ValueError as error:
            problem = str(error).partition(", but ")[2]
            raise RowError(name, int(position()), f"is {end}, but {problem}") from error


def check_counts(counts: NDArray[Any]) -> None:
    """Check that the number of rows is possible.

    Raises:
        ValueError: it is not.
    """
    if counts.sum(dtype=np.float64) >= _MOST:
        raise ValueError("counts add up to 2**53 rows or more")


def check_names(names: Collection[str], required: Iterable[str]) -> None:
    """Check that no score or statistic is missing that every row has.

    Raises:
        ValueError: one is missing.

    >>> check_names(["qa_precision"], ["qa_f1"])
    Traceback (most recent call last):
    ValueError: qa_f1 is missing
    """
    for name in sorted(required):
        if name not in names:
            raise ValueError(f"{name} is missing")
