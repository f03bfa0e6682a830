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
    levels: tuple[int, ...]  # of each field
    parts: Mapping[str, float]  # variance of one level of each field, and of the rest

    def ends(self, confidence_level: float) -> tuple[float, float]:
        """Return the interval by Student's t; NaN if nothing varies."""
        from scipy.special import stdtrit

        if not self.standard_error:
            return math.nan, math.nan
        critical = -float(stdtrit(self.degrees, (1 - confidence_level) / 2))
        half = critical * self.standard_error
        return self.mean - half, self.mean + half


@dataclass(frozen=True)
class CrossedClusters:
    """Two or three fields of rows, each combination of whose labels occurs equally often.

    >>> labels = {"item": ["a", "a", "b", "b"], "template": [1, 2, 1, 2]}
    >>> crossed = CrossedClusters.of_labels(labels, 4)
    >>> print(f"{crossed.sums(np.array([1.0, 0.5, 0.5, 0.0])).standard_error:.3f}")
    0.354
    >>> CrossedClusters.of_labels({"item": ["a", "a", "b"], "template": [1, 2, 1]}, 3)
    Traceback (most recent call last):
    ValueError: clusters must be crossed: there is no row with item 'b' and template '2'
    """

    fields: tuple[str, ...]
    labels: tuple[list[str], ...]  # the levels of each field
    codes: tuple[Integers, ...]  # for each row the number of its label

    def __len__(self) -> int:
        """Return the smallest number of labels of a field."""
        return min(map(len, self.labels))

    @classmethod
    def of_labels(cls, clusters: Mapping[str, Any], rows: int) -> Self:
        """Return the fields of this many rows.

        Raises:
            ValueError: there are more than three fields or fewer than two, one has not two levels
                or not one label per row, or a combination is missing or more frequent than others.
        """
        if not 2 <= len(clusters) <= _MOST_FIELDS:
            named = ", ".join(map(str, clusters))
            raise OptionError(
                "clusters", f"crosses two or three fields, got {len(clusters)}: {named}"
            )
        levels, codes = [], []
        for name, labels in clusters.items():
            texts = check_labels(f"clusters[{name!r}]", labels, rows)
            numbers = {text: number for number, text in enumerate(sorted(set(texts)))}
            if len(numbers) < 2:
                raise OptionError(
                    "clusters", f"need two labels or more of each field, but {name} has one"
                )
            levels.append(list(numbers))
            codes.append(np.array([numbers[text] for text in texts], np.int64))
        crossed = cls(tuple(clusters), tuple(levels), tuple(codes))
        crossed._check_balance()
        return crossed

    def _check_balance(self) -> None:
        counts = np.zeros(tuple(map(len, self.labels)), np.int64)
        np.add.at(counts, self.codes, 1)
        if counts.min() == counts.max():
            return
        cell = np.unravel_index(int(counts.argmin()), counts.shape)
        named = " and ".join(
            f"{name} {labels[number]!r}"
            for name, labels, number in zip(self.fields, self.labels, cell, strict=True)
        )
        fewest, most = int(counts.min()), int(counts.max())
        if not fewest:
            raise OptionError("clusters", f"must be crossed: there is no row with {named}")
        raise OptionError(
            "clusters",
            f"must be balanced: {fewest} rows have {named}, but {most} have another combination",
        )

    def take(self, rows: NDArray[Any]) -> Self:
        """Return the fields of some of the rows, by their numbers."""
        chosen = {
            name: [labels[number] for number in codes[rows].tolist()]
            for name, labels, codes in zip(self.fields, self.labels, self.codes, strict=True)
        }
        return type(self).of_labels(chosen, len(next(iter(chosen.values()))))

    def sums(self, scores: Floats) -> CrossedMean:
        """Return the mean of the scores of rows with its error; a cell of several is their mean.

        Named as in `Clusters`: it is what an interval needs of the scores.
        """
        shape = tuple(map(len, self.labels))
        cells, counts = np.zeros(shape), np.zeros(shape)
        # In the order of values, so that no digit depends on the order of rows.
        order = np.lexsort((scores, *self.codes))
        np.add.at(cells, tuple(codes[order] for codes in self.codes), scores[order])
        np.add.at(counts, self.codes, 1.0)
        cells /= counts
        whole = tuple(range(cells.ndim))
        squares = {axes: _mean_square(cells, axes) for axes in _subsets_of(whole)}
        variances = [
            sum((-1) ** (len(part) + 1) * squares[part] for part in _subsets_of(axes))
            for axes in squares
        ]
        variance = max(*variances, squares[whole]) / cells.size
        total = sum(
            (square / cells.size) ** 2 / math.prod(shape[axis] - 1 for axis in axes)
            for axes, square in squares.items()
        )
        parts = {
            name: max(squares[(axis,)] - squares[whole], 0.0) * shape[axis] / cells.size
            for axis, name in enumerate(self.fields)
        }
        return CrossedMean(
            math.fsum(scores.tolist()) / scores.size,
            math.sqrt(variance),
            max(variance**2 / total, 1.0) if total else 1.0,
            shape,
            {**parts, "rest": squares[whole]},
        )


def _subsets_of(axes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield all sets of these axes but the empty one."""
    for size in range(1, len(axes) + 1):
        yield from combinations(axes, size)


def _mean_square(cells: Floats, axes: tuple[int, ...]) -> float:
    """Return the mean square of the interaction of these axes, or of one main effect."""
    effect = np.zeros([cells.shape[axis] if axis in axes else 1 for axis in range(cells.ndim)])
    for part in [(), *_subsets_of(axes)]:
        others = tuple(axis for axis in range(cells.ndim) if axis not in part)
        effect = effect + (-1) ** (len(axes) - len(part)) * cells.mean(axis=others, keepdims=True)
    repeats = cells.size / effect.size
    degrees = math.prod(cells.shape[axis] - 1 for axis in axes)
    square = repeats * float(np.square(effect).sum()) / degrees
    # Scores whose effects cancel leave rounding.
    return square if square > 1e-28 * max(float(np.square(cells).max()), 1e-300) else 0.0
