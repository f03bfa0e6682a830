"""The kind of score of a module, which the module names: `score_kind = "means"`.

The file of that name in this folder defines the kind. It is imported on first use, so that other
kinds, and the families that they need, cost nothing.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..base.declarations import Module
from .sufficient_statistics import SufficientStatistics

if TYPE_CHECKING:
    from ..base.row_module import RowModule

_ROUNDING = 1e-9  # by which the score of a row may exceed 1


class ScoreKind(ABC):
    """How modules with one kind of score treat rows. The metric is always the module itself."""

    scores_rows = False  # whether each row has scores of its own
    # Whether blocks of rows can be scored separately, and two systems compared row by row.
    separates_rows = False
    needs_ids = False  # whether rows are matched by their ids when states are merged
    reduces_samples = False  # whether the scores of several rows of one sample can be averaged

    @abstractmethod
    def statistics(self, metric: "RowModule", *, with_intervals: bool) -> SufficientStatistics:
        """The empty statistics that a state keeps.

        Args:
            metric: the module, with its options.
            with_intervals: whether results will have intervals or standard errors.
        """

    def score_block(self, metric: "RowModule", columns: Mapping[str, Any]) -> Any:
        """The scores of a block of rows, as values that can be sent to another process.

        Only if `separates_rows`.
        """
        raise NotImplementedError

    def summarize_blocks(
        self, metric: "RowModule", blocks: Sequence[Any], **reporting: Any
    ) -> dict[str, Any]:
        """The result of `compute`, from the scores of all blocks."""
        raise NotImplementedError

    def bounds(
        self, metric: Module, score: str, extremes: tuple[float, float]
    ) -> tuple[float, float]:
        """The range of a score of rows, given the lowest and the highest one."""
        return (0.0, math.inf) if score in metric.unbounded else observed_range(*extremes)


def kind_of(metric: Module) -> ScoreKind:
    """The kind of score of a module.

    >>> from types import SimpleNamespace
    >>> kind_of(SimpleNamespace(score_kind="sums")).separates_rows
    True
    """
    return _kind(metric.score_kind)


@cache
def _kind(name: str) -> ScoreKind:
    kind: ScoreKind = import_module(f".{name}", __package__).KIND
    return kind


def observed_range(minimum: float, maximum: float) -> tuple[float, float]:
    """The probable range of a score, from its extremes: 0 to 1, 0 or more, or any number.

    >>> observed_range(0.2, 1.0), observed_range(3.0, 56.0)
    ((0.0, 1.0), (0.0, inf))
    """
    if minimum < 0:
        return -math.inf, math.inf
    return 0.0, 1.0 if maximum <= 1 + _ROUNDING else math.inf
