"""What the result of a module depends on, of any number of rows: its sufficient statistics.

There is a class for each kind of scores that a module may declare. Each takes rows in, merges with
others of its class without rounding, and returns the result of all rows.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..catalog.arguments import REPORTING
from ..results.value_counts import CountedScores

Columns = Mapping[str, Any]
Ids = Sequence[int | str]


class RowLabels(NamedTuple):
    """What rows have beside their columns, one each; None if they do not."""

    groups: Sequence[str] | None = None
    clusters: Sequence[str] | None = None
    ids: Ids | None = None

    def columns(self) -> dict[str, Sequence[str]]:
        """Groups and clusters, as far as there are any.

        >>> RowLabels(groups=["a"]).columns()
        {'groups': ['a']}
        """
        columns = {"groups": self.groups, "clusters": self.clusters}
        return {name: labels for name, labels in columns.items() if labels is not None}


class SufficientStatistics(ABC):
    """What the result of a module depends on, of any number of rows."""

    def __init__(self, metric: Any) -> None:
        self._metric = metric
        self._options = {k: v for k, v in metric.options.items() if k not in REPORTING}

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def update(self, columns: Columns, labels: RowLabels) -> None:
        """Take in rows."""

    @abstractmethod
    def merge(self, other: Any) -> None:
        """Take in statistics of the same kind."""

    @abstractmethod
    def result(self, **reporting: Any) -> dict[str, Any]:
        """The result of all rows."""

    def counts(self) -> CountedScores | None:
        """How often each score of rows occurs; None where that says nothing of intervals."""
        return None

    @abstractmethod
    def to_plain(self) -> Any:
        """Lists, dicts, strings and finite numbers, for JSON."""

    @abstractmethod
    def take_plain(self, plain: Any) -> None:
        """Take in what `to_plain` returned."""

    @abstractmethod
    def check(self) -> None:
        """Nothing, if rows can have left this, which a file says.

        Raises:
            ValueError: they cannot.
        """


def refuse_ids(ids: Ids | None) -> None:
    """Nothing, if there are no ids, which only rankings have.

    Raises:
        ValueError: there are.
    """
    if ids is not None:
        raise ValueError("only rankings have ids")
