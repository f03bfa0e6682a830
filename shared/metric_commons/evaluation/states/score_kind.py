"""The kind of score of a module, which the module names: `score_kind = "means"`.

The file of that name in this folder defines the kind. It is imported on first use, so that other
kinds, and the families that they need, cost nothing. For states, each kind has a class of
sufficient statistics: they take in rows, merge without rounding, and return the result of all rows.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from ...module.declaration.declarations import REPORTING, Module
from ...statistics.arguments.domains import observed_range

if TYPE_CHECKING:
    from ...module.declaration.row_module import RowModule

Columns = Mapping[str, Any]
Ids = Sequence[int | str]
Bounds = tuple[float, float]


class RowLabels(NamedTuple):
    """Labels of rows, one each; None if there are none."""

    groups: Sequence[str] | None = None
    clusters: Sequence[str] | None = None
    ids: Ids | None = None

    def columns(self) -> dict[str, Sequence[str]]:
        """Return the groups and clusters, if there are any.

        >>> RowLabels(groups=["a"]).columns()
        {'groups': ['a']}
        """
        columns = {"groups": self.groups, "clusters": self.clusters}
        return {name: labels for name, labels in columns.items() if labels is not None}


class SufficientStatistics(ABC):
    """All that the result of a module depends on, for any number of rows."""

    keeps_ids = False  # whether rows have ids, and scores that a result can list

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
        """Return the result of all rows."""

    def counts(self) -> Any:
        """Return how often each score of rows occurs, as `CountedScores`.

        None where intervals do not follow from that.
        """
        return None

    @abstractmethod
    def to_jsonable(self) -> Any:
        """Return the rows as lists, dicts, strings and finite numbers, for JSON."""

    @abstractmethod
    def read_jsonable(self, content: Any) -> None:
        """Add the rows that `to_jsonable` returned."""

    @abstractmethod
    def check(self) -> None:
        """Check that rows can have these statistics, which come from a file.

        Raises:
            ValueError: no rows have them.
        """


class ScoreKind(ABC):
    """How modules with one kind of score treat rows. The metric is always the module itself."""

    scores_rows = False  # whether each row has scores of its own
    # Whether blocks of rows can be scored separately, and two systems compared row by row.
    separates_rows = False
    keeps_inputs = False  # whether systems are compared by the inputs of rows
    needs_ids = False  # whether rows are matched by their ids when states are merged
    reduces_samples = False  # whether the scores of several rows of one sample can be averaged

    @abstractmethod
    def statistics(self, metric: "RowModule", *, with_intervals: bool) -> SufficientStatistics:
        """Return the empty statistics that a state keeps.

        Args:
            metric: the module, with its options.
            with_intervals: whether results will have intervals or standard errors.
        """

    def score_block(self, metric: "RowModule", columns: Mapping[str, Any]) -> Any:
        """Return the scores of a block of rows, as values that can be sent to another process.

        Only if `separates_rows`.
        """
        raise NotImplementedError

    def summarize_blocks(
        self, metric: "RowModule", blocks: Sequence[Any], **reporting: Any
    ) -> dict[str, Any]:
        """Return the result of `compute`, from the scores of all blocks."""
        raise NotImplementedError

    def bounds(self, metric: Module, extremes: Mapping[str, Bounds]) -> dict[str, Bounds]:
        """Return the range of each score of rows, given the lowest and the highest one."""
        return {
            score: (0.0, math.inf) if score in metric.unbounded else observed_range(*ends)
            for score, ends in extremes.items()
        }


def kind_of(metric: Module) -> ScoreKind:
    """Return the kind of score of a module.

    >>> from types import SimpleNamespace
    >>> kind_of(SimpleNamespace(score_kind="sums")).separates_rows
    True
    """
    return _kind(metric.score_kind)


@cache
def _kind(name: str) -> ScoreKind:
    kind: ScoreKind = import_module(f".{name}", __package__).KIND
    return kind
