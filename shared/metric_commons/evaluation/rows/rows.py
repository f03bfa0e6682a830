"""Rows of one system: the columns that modules read, the labels of rows, and their places."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from ...statistics.arguments.checks import RowError

Clusters = Sequence[Any] | Mapping[str, Sequence[Any]]


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
        ids: one for each row; None if there are none, as for groups and clusters.
        groups: one label for each row.
        clusters: one label for each row, or the labels of several fields, which are crossed.
        reasons: why a row has nothing to score, "" for others; none if all rows have.
        place: from the name of a column and a row, the words for them in a message.

    >>> rows = Rows(columns={"predictions": ["a", "b"]}, ids=["x", "y"])
    >>> rows.take([1]).ids, len(rows)
    (['y'], 2)
    """

    columns: Mapping[str, Any]
    ids: Sequence[Any] | None = None
    groups: Sequence[Any] | None = None
    clusters: Clusters | None = None
    reasons: Sequence[str] = ()
    place: Callable[[str, int], str] | None = None

    def __len__(self) -> int:
        return len(next(column for column in self.columns.values() if column is not None))

    def take(self, rows: Sequence[int]) -> Self:
        """Return some of the rows, in this order."""
        place = self.place
        return replace(
            self,
            columns=taken(self.columns, rows),
            ids=taken(self.ids, rows),
            groups=taken(self.groups, rows),
            clusters=taken(self.clusters, rows),
            reasons=taken(self.reasons, rows) if self.reasons else (),
            place=None if place is None else lambda column, row: place(column, rows[row]),
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
    if column is None:
        return None
    if isinstance(column, Mapping):
        return {name: taken(values, rows) for name, values in column.items()}
    if isinstance(rows, range):
        return column[rows.start : rows.stop]
    return [column[row] for row in rows]
