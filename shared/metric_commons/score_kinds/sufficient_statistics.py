"""Sufficient statistics: what the result of a module depends on, for any number of rows.

Each kind of score has a class of them. They take in rows, merge without rounding, and return the
result of all rows.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..catalog.arguments import REPORTING

if TYPE_CHECKING:
    from ..base.row_module import RowModule
    from .counted_scores import CountedScores

Columns = Mapping[str, Any]
Ids = Sequence[int | str]


class RowLabels(NamedTuple):
    """Labels of rows, one each; None if there are none."""

    groups: Sequence[str] | None = None
    clusters: Sequence[str] | None = None
    ids: Ids | None = None

    def columns(self) -> dict[str, Sequence[str]]:
        """Groups and clusters, where there are any.

        >>> RowLabels(groups=["a"]).columns()
        {'groups': ['a']}
        """
        columns = {"groups": self.groups, "clusters": self.clusters}
        return {name: labels for name, labels in columns.items() if labels is not None}


class SufficientStatistics(ABC):
    """All that the result of a module depends on, for any number of rows."""

    def __init__(self, metric: "RowModule") -> None:
        self._metric = metric
        self._options = {k: v for k, v in metric.options.items() if k not in REPORTING}

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def update(self, columns: Columns, labels: RowLabels) -> None:
        """Add rows."""

    @abstractmethod
    def merge(self, statistics: Any) -> None:
        """Add statistics of the same class."""

    @abstractmethod
    def result(self, **reporting: Any) -> dict[str, Any]:
        """The result of all rows."""

    def counts(self) -> "CountedScores | None":
        """How often each score of rows occurs; None where intervals do not follow from that."""
        return None

    @abstractmethod
    def to_jsonable(self) -> Any:
        """Lists, dicts, strings and finite numbers, for JSON."""

    @abstractmethod
    def read_jsonable(self, content: Any) -> None:
        """Add the rows that `to_jsonable` returned."""

    @abstractmethod
    def check(self) -> None:
        """Check that rows can have these statistics, which come from a file.

        Raises:
            ValueError: no rows have them.
        """


def refuse_ids(ids: Ids | None) -> None:
    """Check that there are no ids, which only rankings have.

    Raises:
        ValueError: there are some.
    """
    if ids is not None:
        raise ValueError("only rankings have ids")
