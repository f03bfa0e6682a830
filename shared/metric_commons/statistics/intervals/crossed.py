"""The mean of rows that are crossed: each item with each template, seed or rater.

All fields are samples, and each combination occurs. The error of the mean follows from the mean
squares of the main effects and interactions (random effects), with Satterthwaite's degrees of
freedom. It is never less than that of one field alone, or of two.

Source:
    Satterthwaite, An approximate distribution of estimates of variance components (1946). Searle,
    Casella and McCulloch, Variance Components (1992).
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Floats, Integers
from ..arguments.checks import OptionError, check_labels

_MOST_FIELDS = 3


class CrossedMean(NamedTuple):
    """A mean of crossed rows, its standard error and degrees of freedom."""

    mean: float
    standard_error: float  # 0 if nothing varies
    degrees: float


@dataclass(frozen=True)
class CrossedClusters:
    """Two or three fields of rows, each combination of whose labels occurs equally often.

    >>> labels = {"item": ["a", "a", "b", "b"], "template": [1, 2, 1, 2]}
    >>> crossed = CrossedClusters.of_labels(labels, 4)
    >>> print(f"{crossed.sums(np.array([1.0, 0.5, 0.5, 0.0])).standard_error:.3f}")
    0.354
    >>> CrossedClusters.of_labels({"item": ["a", "a", "b"], "template": [1, 2, 1]}, 3)
    Traceback (most recent call last):
    ValueError: clusters must be crossed: 0 rows have item 'b' and template '2', others 1
    """

    labels: Mapping[str, list[str]]  # of each row, by field
    codes: tuple[Integers, ...]  # the same as numbers

    def __len__(self) -> int:
        """Return the smallest number of labels of a field."""
        return min(self._shape)

    @property
    def _shape(self) -> tuple[int, ...]:
        return tuple(int(codes.max()) + 1 for codes in self.codes)

    @classmethod
    def of_labels(cls, clusters: Mapping[str, Any], rows: int) -> Self:
        """Return the fields of this many rows.

        Raises:
            ValueError: there are more than three fields or fewer than two, one has not two levels
                or not one label per row, or a combination is missing or more frequent than others.
        """
        if not 2 <= len(clusters) <= _MOST_FIELDS:
            named = ", ".join(map(str, clusters))
            problem = f"crosses two or three fields, got {len(clusters)}: {named}"
            raise OptionError("clusters", problem)
        names = {
            n: check_labels(f"clusters[{n!r}]", column, rows) for n, column in clusters.items()
        }
        crossed = cls(names, tuple(np.unique(c, return_inverse=True)[1] for c in names.values()))
        counts = crossed._cells(np.ones(rows))
        for name, levels in zip(names, counts.shape, strict=True):
            if levels < 2:
                problem = f"need two labels or more of each field, but {name} has one"
                raise OptionError("clusters", problem)
        if counts.min() < counts.max():
            cell = np.unravel_index(int(counts.argmin()), counts.shape)
            named = " and ".join(
                f"{name} {sorted(set(column))[number]!r}"
                for (name, column), number in zip(names.items(), cell, strict=True)
            )
            problem = f"{counts.min():g} rows have {named}, others {counts.max():g}"
            raise OptionError("clusters", f"must be crossed: {problem}")
        return crossed

    def _cells(self, values: Floats) -> Floats:
        """Return the sum of the values of each combination."""
        cells = np.zeros(self._shape)
        # In the order of values, so that no digit depends on the order of rows.
        order = np.lexsort((values, *self.codes))
        np.add.at(cells, tuple(codes[order] for codes in self.codes), values[order])
        return cells

    def take(self, rows: NDArray[Any]) -> Self:
        """Return the fields of some of the rows, by their numbers."""
        chosen = {name: np.array(column)[rows] for name, column in self.labels.items()}
        return type(self).of_labels(chosen, len(rows))

    def sums(self, scores: Floats) -> CrossedMean:
        """Return the mean of the scores of rows with its error; a cell of several is their mean.

        Named as in `Clusters`: it is what an interval needs of the scores.
        """
        cells = self._cells(scores) / self._cells(np.ones(scores.size))
        whole = tuple(range(cells.ndim))
        degrees = {axes: math.prod(cells.shape[a] - 1 for a in axes) for axes in _subsets_of(whole)}
        squares = {axes: _sum_of_squares(cells, axes) / number for axes, number in degrees.items()}
        variances = [
            sum((-1) ** (len(part) + 1) * squares[part] for part in _subsets_of(axes))
            for axes in squares
        ]
        variance = max(*variances, squares[whole])
        total = sum(square**2 / degrees[axes] for axes, square in squares.items())
        return CrossedMean(
            math.fsum(scores.tolist()) / scores.size,
            math.sqrt(variance / cells.size),
            max(variance**2 / total, 1.0) if total else 1.0,
        )


def _subsets_of(axes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield all sets of these axes but the empty one."""
    for size in range(1, len(axes) + 1):
        yield from combinations(axes, size)


def _sum_of_squares(cells: Floats, axes: tuple[int, ...]) -> float:
    """Return the sum of squares, over cells, of the interaction of these axes, or of one effect."""
    effect = cells
    for axis in range(cells.ndim):
        mean = effect.mean(axis=axis, keepdims=True)
        effect = effect - mean if axis in axes else mean
    square = cells.size / effect.size * float(np.square(effect).sum())
    # Scores whose effects cancel leave rounding.
    return square if square > 1e-28 * max(float(np.square(cells).max()), 1e-300) else 0.0
