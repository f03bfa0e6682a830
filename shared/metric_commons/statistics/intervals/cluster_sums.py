"""Sums over clusters of rows: for each label the number of rows and the exact sum of scores.

Rows of one cluster (questions about one passage, samples of one problem, answers of one user) are
alike, so a standard error has to count clusters, not rows.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Floats, Integers
from ..arguments.checks import check_labels
from ..arithmetic.exact_sums import as_float, exact_group_sums, exact_ldexp
from ..resampling.row_units import RowUnits, gathered, percentile_ends
from .spreads import Spread

_TIE = 10**12  # a sum of at most this part of all |scores| is rounding: terms that cancel


@dataclass(frozen=True)
class Clusters:
    """The cluster of each row.

    >>> clusters = Clusters.of_labels(["b", "a", "b"], 3)
    >>> clusters.labels, clusters.numbers.tolist()
    (['b', 'a'], [0, 1, 0])
    >>> clusters.take(np.array([1])).sums(np.array([0.5]))
    ClusterSums(clusters={'a': (1, 1)}, power=-1)
    """

    labels: list[str]  # all different
    numbers: Integers  # for each row the number of its label, shape (rows,)

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def of_labels(cls, labels: Sequence[object], rows: int, name: str = "clusters") -> Self:
        """Return the clusters of this many rows, from one label per row.

        Args:
            labels: one per row.
            rows: the number of rows.
            name: the name of the labels in error messages.

        Raises:
            ValueError: there is not one label per row, or two look alike as texts.
        """
        plain: Any = labels.tolist() if hasattr(labels, "tolist") else labels
        is_plain = isinstance(plain, list | tuple) and len(plain) == rows
        if not is_plain or set(map(type, plain)) not in ({str}, {int}):
            plain = check_labels(name, plain, rows)
        # Distinct texts, or integers, are distinct as texts: only these are compared.
        number: defaultdict[object, int] = defaultdict(count().__next__)
        numbers = np.fromiter(map(number.__getitem__, plain), np.int64, rows)
        return cls(check_labels(name, list(number), len(number)), numbers)

    def take(self, rows: NDArray[Any]) -> Self:
        """Return the clusters of some of the rows, by their numbers or by a mask."""
        present, numbers = np.unique(self.numbers[rows], return_inverse=True)
        return type(self)([self.labels[number] for number in present.tolist()], numbers)

    def sums(self, scores: Floats) -> "ClusterSums":
        """Return the sums of finite scores, shape (rows,), in each cluster."""
        units, power = exact_group_sums(scores, self.numbers, len(self.labels))
        sizes = np.bincount(self.numbers, minlength=len(self.labels)).tolist()
        totals = zip(sizes, units, strict=True)
        return ClusterSums.reduced(dict(zip(self.labels, totals, strict=True)), power)


@dataclass(frozen=True)
class ClusterSums:
    """Sizes and exact sums of clusters by label.

    A sum is a whole number times 2**power, where the power is as large as possible. So equal
    clusters are equal objects, however their rows were divided.

    >>> sums = ClusterSums.of(["a", "b", "a", "b"], np.array([0.5, 1.0, 0.25, 0.5]))
    >>> sums
    ClusterSums(clusters={'a': (2, 3), 'b': (2, 6)}, power=-2)
    >>> len(sums), sums.rows
    (2, 4)
    """

    clusters: Mapping[str, tuple[int, int]]  # label -> (rows, units of 2**power)
    power: int

    @staticmethod
    def of(labels: Sequence[object], scores: Floats, name: str = "clusters") -> "ClusterSums":
        """Return the clusters of rows.

        Args:
            labels: one per row.
            scores: finite, shape (rows,).
            name: the name of the labels in error messages.

        Raises:
            ValueError: there is not one label per row, or two look alike as texts.
        """
        return Clusters.of_labels(labels, scores.size, name).sums(scores)

    @classmethod
    def reduced(cls, clusters: dict[str, tuple[int, int]], power: int) -> Self:
        """Return the clusters, in units of the largest power of two that divides all sums."""
        bits = 0
        for _, units in clusters.values():
            bits |= units
        if not bits:
            return cls(clusters, 0)
        shift = (bits & -bits).bit_length() - 1  # zeros after the last bit of all sums
        if shift:
            clusters = {label: (rows, units >> shift) for label, (rows, units) in clusters.items()}
        return cls(clusters, power + shift)

    def __len__(self) -> int:
        return len(self.clusters)

    @property
    def rows(self) -> int:
        """Return the number of rows of all clusters."""
        return sum(rows for rows, _ in self.clusters.values())

    def spread(self) -> Spread:
        """Return the mean, and the squared deviations of clusters from it.

        >>> sums = ClusterSums.of(["a", "a", "b", "b"], np.array([1.0, 1.0, 0.0, 1.0]))
        >>> sums.spread().standard_error()
        0.25
        """
        rows = self.rows
        total = sum(units for _, units in self.clusters.values())
        # A cluster of n rows with the sum s deviates by s - n * total / rows.
        squares = sum((units * rows - n * total) ** 2 for n, units in self.clusters.values())
        return Spread(
            rows,
            exact_ldexp(total, self.power) / rows,
            exact_ldexp(squares, 2 * self.power) / rows**2,
            sum(n * n for n, _ in self.clusters.values()),
            len(self),
        )

    def sums(self) -> Floats:
        """Return the sum of each cluster, rounded once, in the order of `clusters`.

        Shape (clusters,).
        """
        return np.array(
            [as_float(exact_ldexp(units, self.power)) for _, units in self.clusters.values()]
        )

    def sizes(self) -> Floats:
        """Return the number of rows of each cluster, in the order of `clusters`."""
        return np.array([rows for rows, _ in self.clusters.values()], np.float64)

    def resampled_ends(
        self, confidence_level: float, *, n_resamples: int, seed: int
    ) -> tuple[float, float]:
        """Return the percentile bootstrap interval of the mean of clusters drawn again.

        Source:
            Davison and Hinkley, Bootstrap Methods and their Application (1997), section 3.8.

        >>> sums = ClusterSums.of(["a", "a", "b"], np.array([0.0, 1.0, 0.5]))
        >>> sums.resampled_ends(0.9, n_resamples=3, seed=0)
        (0.5, 0.5)
        """
        kinds, counts = zip(*sorted(Counter(self.clusters.values()).items()), strict=True)
        amounts = [[as_float(exact_ldexp(units, self.power)), rows] for rows, units in kinds]
        units = RowUnits(np.array(counts), np.array(amounts))
        blocks = units.resampled(n_resamples=n_resamples, seed=seed)
        means = gathered(({"": totals / rows} for totals, rows in blocks), n_resamples)[""]
        low, high = percentile_ends(means, confidence_level).tolist()
        return low, high


def cancelled(sums: Floats, total_size: float) -> Floats:
    """Return the sums, with 0 for those that differ from 0 only by rounding.

    Args:
        sums: sums of differences, shape (clusters,).
        total_size: the sum of all |differences|.

    >>> cancelled(np.array([0.1 + 0.2 - 0.3, 0.5]), 1.1).tolist()
    [0.0, 0.5]
    """
    return np.where(np.abs(sums) * _TIE <= total_size, 0.0, sums)
