"""Distances between ordered labels, by which a weighted kappa penalizes errors."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Integers
from ...statistics.arguments.checks import OptionError
from .classes import Classes

KappaWeights = Literal["linear", "quadratic"]


@dataclass(frozen=True)
class LabelDistances:
    """The number of steps between labels, or its square.

    Args:
        ranks: the rank of each label of a task in the order of labels.
        power: 1 for steps, 2 for their squares.

    Source:
        Cohen, Weighted kappa: nominal scale agreement with provision for scaled disagreement or
        partial credit (1968).

    >>> LabelDistances(np.array([0, 1, 2]), 2).between(np.array([0, 2]), np.array([2, 2])).tolist()
    [4, 0]
    """

    ranks: Integers
    power: int

    @classmethod
    def of_task(cls, task: Classes, weights: KappaWeights) -> "LabelDistances":
        """Return the distances in the order of the option `labels`, by default that of the labels.

        Raises:
            ValueError: `labels` omits some, so that it does not order all labels.
        """
        if len(task.selection) < len(task.all_labels):
            raise OptionError(
                "kappa_weights", "needs an order of all labels, but labels=[...] leaves some out"
            )
        ranks = np.empty(len(task.selection), np.int64)
        ranks[task.selection] = np.arange(len(task.selection))
        return cls(ranks, 1 if weights == "linear" else 2)

    def between(self, references: Integers, predictions: Integers) -> Integers:
        """Return the distance for each pair of positions in `task.all_labels`."""
        steps: Integers = np.abs(self.ranks[references] - self.ranks[predictions])
        return steps**self.power

    def expected(self, support: NDArray[Any], predicted_positives: NDArray[Any]) -> Any:
        """Return the sum of distances over all pairs of a reference and a prediction.

        Squares are expanded, (i - j)**2 = i**2 - 2 * i * j + j**2. Steps are counted one by one: a
        pair crosses the step from k to k + 1 if one of the two is at most k, and the other larger.

        Args:
            support: the number of references with each label, shape (labels, ...).
            predicted_positives: the number of predictions with each label.
        """
        order = np.argsort(self.ranks)
        t, p = support[order], predicted_positives[order]
        total = t.sum(axis=0)
        if self.power == 1:
            t_below, p_below = t.cumsum(axis=0), p.cumsum(axis=0)
            return (t_below * (total - p_below) + p_below * (total - t_below)).sum(axis=0)
        ranks = np.arange(len(t)).astype(t.dtype).reshape(-1, *[1] * (t.ndim - 1))
        squares = (ranks**2 * (t + p)).sum(axis=0)
        return total * squares - 2 * (ranks * t).sum(axis=0) * (ranks * p).sum(axis=0)
