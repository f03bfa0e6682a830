"""Clusters of rows.

Rows of one cluster (questions about one passage, samples of one problem, answers of one user) are
alike, so a standard error has to count clusters, not rows.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Integers
from ..arguments.checks import check_labels


@dataclass(frozen=True)
class Clusters:
    """The cluster of each row.

    >>> clusters = Clusters.of_labels(["b", "a", "b"], 3)
    >>> clusters.labels, clusters.numbers.tolist()
    (['b', 'a'], [0, 1, 0])
    >>> clusters.take(np.array([1])).labels
    ['a']
    """

    labels: list[str]  # all different
    numbers: Integers  # for each row the number of its label, shape (rows,)

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def of_labels(cls, labels: Sequence[object], rows: int) -> Self:
        """Return the clusters of this many rows, from one label per row.

        Args:
            labels: one per row.
            rows: the number of rows.

        Raises:
            ValueError: there is not one label per row, or two look alike as texts.
        """
        number: defaultdict[str, int] = defaultdict(count().__next__)
        texts = check_labels("clusters", labels, rows)
        numbers = np.fromiter(map(number.__getitem__, texts), np.int64, rows)
        return cls(list(number), numbers)

    def take(self, rows: NDArray[Any]) -> Self:
        """Return the clusters of some of the rows, by their numbers or by a mask."""
        present, numbers = np.unique(self.numbers[rows], return_inverse=True)
        return type(self)([self.labels[number] for number in present.tolist()], numbers)
