"""States: the scored rows of one process, which merge with those of others.

If there are too many rows for one process, each process keeps a `State` of its rows. States merge
into the state of all rows, whose result has the same bits as that of one `compute`.
"""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Self

from ...module.catalog.catalog import module_class, name_of
from ...module.declaration.declarations import (
    OF_ROWS,
    OF_SCRIPTS,
    REPORTING,
    names_of_functions,
    texts_of_rows,
)
from ...module.declaration.row_module import Lock
from ...statistics.arguments.arrays import as_column
from .joins import check_unique
from .row_tables import RowTable, check_mergeable, joined, result, scored
from .rows import Rows, Values, by_field

_SYSTEM = "rows"  # the name of the only system in the file of a state


class State:
    """The state of a module with these options, without rows.

    Args:
        module: its name.
        **options: the options of the module. Those for reporting, such as `confidence_level`, are
            the defaults of `result`.

    Raises:
        ValueError: the module is unknown, or an option is a function, which a file cannot hold.
        TypeError: an option is unknown.

    >>> first, second = State("qa_em"), State("qa_em")
    >>> first.update(predictions=["Paris"], references=["paris"])
    >>> second.update(predictions=["Rome", "Oslo"], references=["paris", "Oslo"])
    >>> first.merge(second)
    >>> len(first), round(first.result()["qa_em"], 4)
    (3, 0.6667)
    """

    def __init__(self, module: str | PathLike[str], **options: Any) -> None:
        self.module = name_of(module)
        self.metric = module_class(self.module)(**options)
        for name in texts_of_rows(options):
            raise ValueError(f"{name} is about single rows; ask compute for it")
        for name in names_of_functions(self.metric.options):
            raise ValueError(f"{name} is a function, which a state cannot hold")
        for name, value in self.metric.options_of_all_rows.items():
            if self.metric.options[name] == value:
                raise ValueError(f"{name}={value!r} follows from all rows; name its value")
        self._empty = RowTable(metric=self.metric, columns={})
        self._tables: list[RowTable] = []
        self._ids: set[str] = set()
        self._lock = Lock()  # guards the tables: several threads may update and merge

    def __len__(self) -> int:
        with self._lock:
            return sum(map(len, self._tables))

    def update(
        self,
        *,
        groups: Sequence[Any] | None = None,
        clusters: Any = None,
        ids: Sequence[Any] | None = None,
        **columns: Any,
    ) -> None:
        """Add rows, or none of them if one is not valid.

        There may be no rows, since parts of a table may be empty; only a result needs some.

        Args:
            groups: one label per row, in every update or in none.
            clusters: likewise, for rows that depend on each other; or labels by field, which are
                crossed.
            ids: likewise; no id may occur twice.
            **columns: the inputs of the module, and options with a value for each row.

        Raises:
            ValueError: a row, a label or an id is not valid.
        """
        for name, labels in (("groups", groups), ("clusters", clusters)):
            if labels is not None and name not in self.metric.options:
                raise ValueError(f"{name} is not an option of {self.module}")
        for name, column in columns.items():
            if not hasattr(column, "__len__") or getattr(column, "shape", None) == ():
                columns[name] = as_column(name, column)  # a generator is read only once
        if not columns or not any(map(len, columns.values())):
            return
        for name in columns:
            if name not in self.metric.input_names and name not in self.metric.options:
                self.metric.checked(**columns)  # which has an error about it
        if ids is not None:
            ids = list(as_column("ids", ids))
        rows = Rows(columns=columns, ids=ids, groups=groups, clusters=by_field(clusters))
        self._add([scored(self.metric, rows)])

    def merge(self, *states: "State") -> None:
        """Add the rows of other states, one state after another; they are not changed.

        Raises:
            ValueError: a state has another module, other options or other labels of rows, or a row
                with the same id. Rows of previous states have been added.
        """
        for state in states:
            if state is self:
                raise ValueError("a state cannot be merged into itself; its rows would count twice")
            check_mergeable(self._empty, state._empty)
            with state._lock:
                tables = list(state._tables)
            self._add(tables)

    def result(self, **reporting: Any) -> Values:
        """Return the result of `compute` for all rows.

        Args:
            **reporting: the options of the module for reporting, such as `confidence_level`,
                `interval`, `standard_error`, `n_resamples` and `seed`. Groups are reported if
                there are any, and intervals count clusters if there are any.

        Raises:
            ValueError: there are no rows, or the module does not have an option.
        """
        labels = {"groups", "clusters", *OF_ROWS, *OF_SCRIPTS}
        names = (REPORTING - labels) & self.metric.options.keys()
        for name in reporting:
            if name not in names:
                raise ValueError(f"{name} is not an option of a result of {self.module}")
        table = self.table()
        if not len(table):
            raise ValueError("the state has no rows; a score of no rows is undefined")
        return result(table, **{n: self.metric.options[n] for n in names} | reporting)

    def table(self) -> RowTable:
        """Return all rows in one table."""
        with self._lock:
            table = joined([self._empty, *self._tables])
            self._tables = [table] if len(table) else []
            return table

    def save(self, path: str | Path) -> None:
        """Write the rows to a file, whole or not at all: Parquet, or JSON Lines if it is .jsonl."""
        from .table_files import write_tables

        write_tables(path, {_SYSTEM: {self.module: self.table()}})

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Return the state in a file that `save` wrote.

        Raises:
            ValueError: it did not write the file, or another version did, whose scores may differ.
            OSError: the file cannot be read.
        """
        from .table_files import read_tables

        tables = [t for modules in read_tables(path).tables.values() for t in modules.values()]
        if len(tables) != 1:
            raise ValueError(f"{path}: the file has rows of {len(tables)} systems and modules")
        (table,) = tables
        state = cls(table.module, **table.options)
        state._add([table] if len(table) else [])
        return state

    def _add(self, tables: Sequence[RowTable]) -> None:
        """Add tables, unless their rows do not go with the others."""
        with self._lock:
            for table in tables:
                check_mergeable(self._tables[0] if self._tables else table, table)
            ids = [name for table in tables for name in table.ids or ()]
            check_unique([*ids, *self._ids.intersection(ids)])
            self._ids.update(ids)
            self._tables += tables
