"""Rows of one system: the columns that modules read, the labels of rows, and their places."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Self

from ...module.declaration.columns import holds_maps
from ...statistics.arguments.arrays import as_column
from ...statistics.arguments.checks import RowError

Named = Mapping[str, Any]  # values by name
Values = dict[str, Any]  # likewise
Metrics = Mapping[str, Any]  # modules with their options, by name
Place = Callable[[str, int], str]  # from a column and a row, the words for them in a message


class InputError(ValueError):
    """A module refuses the rows of one system."""

    def __init__(self, system: str, error: ValueError) -> None:
        super().__init__(f"system {system!r}: {error}")
        self.system, self.error = system, error


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Rows of one system, or a block of them.

    Args:
        columns: the inputs of modules by name, and options with a value for each row.
        ids: one for each row; None if there are none, as for groups.
        groups: one label for each row.
        clusters: one label for each row, by field; several fields are crossed.
        reasons: why a row has nothing to score, "" for others; none if all rows have.
        place: from the name of a column and a row, the words for them in a message.

    >>> rows = Rows(columns={"predictions": ["a", "b"]}, ids=["x", "y"])
    >>> rows.take([1]).ids, len(rows)
    (['y'], 2)
    """

    columns: Named
    ids: Sequence[Any] | None = None
    groups: Sequence[Any] | None = None
    clusters: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    reasons: Sequence[str] = ()
    place: Place | None = None

    def __len__(self) -> int:
        return len(next(column for column in self.columns.values() if column is not None))

    def take(self, rows: Sequence[int]) -> Self:
        """Return some of the rows, in this order."""
        place = self.place
        names = ("columns", "ids", "groups", "clusters", "reasons")
        return replace(
            self,
            place=place and (lambda column, row: place(column, rows[row])),
            **{name: taken(getattr(self, name), rows) for name in names},
        )

    def located(self, system: str, error: ValueError) -> ValueError:
        """Return an error in the words of where the row comes from, or else with the system."""
        if self.place is None:
            return InputError(system, error)
        if not isinstance(error, RowError):
            return error
        return ValueError(error.about(self.place(error.column, error.row)))


def taken(column: Any, rows: Sequence[int]) -> Any:
    """Return the values of these rows; of a mapping, those of each of its columns.

    Those of a range are a slice, whose texts are not copied.

    >>> taken("abc", [0, 2]), taken({"item": "abc"}, [1]), taken("abc", range(1, 9))
    (['a', 'c'], {'item': ['b']}, 'bc')
    """
    if isinstance(column, Mapping):
        return {name: taken(values, rows) for name, values in column.items()}
    if column is None or not len(column):
        return column
    if isinstance(rows, range):
        return column[rows.start : rows.stop]
    return [column[row] for row in rows]


Block = Mapping[str, Mapping[str, Rows]]  # the rows of each system for each module


@dataclass(frozen=True, kw_only=True)
class Fields:
    """The columns of a table that are the inputs and the labels of rows.

    Args:
        inputs: the column of each input, by system and module.
        ids: the column of the ids; None if there is none, as for groups.
        groups: the column of the groups.
        clusters: the columns of the clusters, by what they are called.
    """

    inputs: Mapping[str, Mapping[str, Mapping[str, str]]]
    ids: str | None = None
    groups: str | None = None
    clusters: Mapping[str, str] = field(default_factory=dict)

    def names(self) -> list[str]:
        """Return the columns that are read."""
        modules = chain.from_iterable(of_system.values() for of_system in self.inputs.values())
        inputs = chain.from_iterable(of_module.values() for of_module in modules)
        labels = [self.ids, self.groups, *self.clusters.values()]
        return list(dict.fromkeys(name for name in (*inputs, *labels) if name is not None))

    def column(self, system: str, module: str, name: str) -> str:
        """Return the column of the table for an input or a label, in which an error was found."""
        labels = {"ids": self.ids, "groups": self.groups}
        called = called_clusters(self.clusters)
        names = {**labels, **self.inputs[system][module]}
        return self.clusters[called[name]] if name in called else names.get(name) or name

    def block(self, columns: Named, place: Place | None, reasons: Sequence[str] = ()) -> Block:
        """Return the rows of each system, for each module.

        Args:
            columns: the columns of some rows by name.
            place: the words for a column and a row of them.
            reasons: as in `Rows`.
        """
        read = {name: read_once(columns[name]) for name in self.names()}

        def rows(system: str, module: str, inputs: Mapping[str, str]) -> Rows:
            return Rows(
                columns={name: read[column] for name, column in inputs.items()},
                ids=read.get(self.ids or ""),
                groups=read.get(self.groups or ""),
                clusters={name: read[column] for name, column in self.clusters.items()},
                reasons=reasons,
                place=place and (lambda name, row: place(self.column(system, module, name), row)),
            )

        return {
            system: {module: rows(system, module, inputs) for module, inputs in modules.items()}
            for system, modules in self.inputs.items()
        }


def by_field(clusters: Any) -> Named:
    """Return clusters by field, of which labels alone have none."""
    if clusters is None:
        return {}
    return clusters if isinstance(clusters, Mapping) else {"clusters": clusters}


def called_clusters(clusters: Collection[str]) -> dict[str, str]:
    """Return columns of clusters by what they are called in messages.

    >>> called_clusters(["item"]), called_clusters(["item", "seed"])
    ({'clusters': 'item'}, {"clusters['item']": 'item', "clusters['seed']": 'seed'})
    """
    is_one = len(clusters) == 1
    return {"clusters" if is_one else f"clusters[{name!r}]": name for name in clusters}


def read_once(column: Any) -> Any:
    """Return a column as a list or an array, so that modules do not each convert it from Arrow.

    Maps of Arrow are unchanged, since rankings read them in their own way, and so is anything
    that is not a column, which the module refuses.
    """
    if column is None or isinstance(column, list | Mapping) or holds_maps(column):
        return column
    with suppress(ValueError):
        return as_column("", column)
    return column
