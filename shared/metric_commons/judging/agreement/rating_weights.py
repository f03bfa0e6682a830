"""How far two labels agree: weights of pairs, and the distances of Krippendorff's alpha."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arguments.checks import shown
from .rated_units import LARGEST, RatedUnits

Weighting = Literal["identity", "linear", "quadratic", "ordinal"]
WeightBy = Literal["position", "value"]
Level = Literal["nominal", "ordinal", "interval", "ratio"]


class LabelWeights(NamedTuple):
    """The agreement of each pair of labels, from 0 to 1; symmetric, 1 for equal labels.

    `matrix` is None for labels that agree only if they are equal.
    """

    n_labels: int
    matrix: Floats | None = None

    def of_pairs(self, first: Integers, second: Integers) -> Floats:
        """Return the agreement of pairs of codes."""
        if self.matrix is None:
            return np.equal(first, second).astype(np.float64)
        agreements: Floats = self.matrix[first, second]
        return agreements

    def mean_agreement(self, proportions: Floats) -> Floats:
        """Return the mean agreement of each label with labels that occur in these proportions."""
        return proportions if self.matrix is None else self.matrix @ proportions

    @property
    def total(self) -> float:
        """Return the sum over all pairs of labels."""
        return float(self.n_labels if self.matrix is None else self.matrix.sum())


def label_weights(units: RatedUnits, weights: str, weight_by: str) -> LabelWeights:
    """Return the weights of the labels of units.

    scikit-learn computes with the positions of labels, irrCAC with their values; they differ where
    labels are not equally spaced.

    Args:
        units: with their labels, in order.
        weights: "identity"; "linear" and "quadratic", by the distance of labels; or "ordinal", by
            the number of pairs of labels from one to the other.
        weight_by: whether a distance is one of positions or of values.

    Raises:
        ValueError: values are wanted, but labels are texts.

    >>> from .rated_units import rated_units
    >>> label_weights(rated_units([[1, 2], [2, 5]]), "linear", "value").matrix.tolist()
    [[1.0, 0.75, 0.0], [0.75, 1.0, 0.25], [0.0, 0.25, 1.0]]
    """
    size = len(units.values)
    if weights == "identity" or size < 2:
        return LabelWeights(size)
    positions = np.arange(size, dtype=np.float64)
    if weights == "ordinal":
        steps = np.abs(positions[:, np.newaxis] - positions) + 1
        pairs = steps * (steps - 1) / 2
        return LabelWeights(size, 1 - pairs / pairs.max())
    if weight_by == "value":
        positions = _numbers(units, f"weights={weights!r} by value")
    distance = np.abs(positions[:, np.newaxis] - positions)
    distance /= distance.max()
    return LabelWeights(size, 1 - (distance if weights == "linear" else distance**2))


class Distances(NamedTuple):
    """Krippendorff's distances of ratings, as sums over the ratings of units.

    Args:
        pair_sums: for each kind of unit the sum over all ordered pairs of its ratings.
        to_all: for each label its mean distance to all ratings.
        largest: the largest distance of two labels.
    """

    pair_sums: Floats
    to_all: Floats
    largest: float


def distances(units: RatedUnits, level: str, occurrences: Floats) -> Distances:
    """Return the distances of the ratings of units.

    A squared difference needs no table of all pairs of labels: with d the differences from any
    one value, the sum over ordered pairs of m ratings is 2 (m sum(d**2) - sum(d)**2).

    Args:
        units: each with two ratings or more.
        level: "nominal": 1 for different labels; "interval": the squared difference; "ordinal":
            the squared number of ratings between both, half of those with the same labels included;
            "ratio": the squared difference over the squared sum, 0 for values that add up to 0.
        occurrences: the count of each label.

    Raises:
        ValueError: the level needs numbers, but labels are texts.

    Source:
        Krippendorff, Computing Krippendorff's alpha-reliability (2011).
    """
    proportions = occurrences / occurrences.sum()
    if level == "nominal":
        differ = sum_over_pairs(units, lambda first, second: (first != second) * 1.0)
        return Distances(differ, 1 - proportions, 1.0)
    if level == "ratio":
        values = _numbers(units, "level='ratio'")
        sums = values[:, np.newaxis] + values
        differences = values[:, np.newaxis] - values
        ratios = np.divide(differences, sums, out=np.zeros_like(sums), where=sums != 0)
        table = np.square(ratios)
        pair_sums = sum_over_pairs(units, lambda first, second: table[first, second])
        return Distances(pair_sums, table @ proportions, float(table.max()))
    if level == "ordinal":
        positions = np.cumsum(occurrences) - occurrences / 2
    else:
        positions = _numbers(units, "level='interval'")
    positions = positions - positions[0]  # so that a common offset costs no digits
    positions -= positions @ proportions
    is_rated = units.is_rated
    # From the first rating of each unit, so that equal ratings have exactly no distance.
    apart = np.where(is_rated, positions[units.codes] - positions[units.codes[:, :1]], 0.0)
    squares, sums = np.square(apart).sum(axis=1), apart.sum(axis=1)
    pair_sums = 2 * (is_rated.sum(axis=1) * squares - np.square(sums))
    to_all = np.square(positions) + np.square(positions) @ proportions
    return Distances(np.maximum(pair_sums, 0.0), to_all, float(np.ptp(positions) ** 2))


def sum_over_pairs(units: RatedUnits, function: Callable[[Integers, Integers], Floats]) -> Floats:
    """For each kind of unit the sum over all ordered pairs of different raters."""
    total = np.zeros(len(units.codes))
    is_rated = units.is_rated
    raters = units.codes.shape[1]
    for second in range(raters):
        for first in range(second):
            is_pair = is_rated[:, first] & is_rated[:, second]
            if is_pair.any():
                pair = units.codes[is_pair, first], units.codes[is_pair, second]
                total[is_pair] += 2 * function(*pair)
    return total


def _numbers(units: RatedUnits, purpose: str) -> Floats:
    """Return the labels as numbers, whose powers are finite.

    Raises:
        ValueError: they are texts, or one is too large.
    """
    numbers = units.numbers(purpose)
    for value in numbers[np.abs(numbers) > LARGEST].tolist():
        raise ValueError(f"{purpose} needs labels up to {LARGEST:g}, got {shown(value)}")
    return numbers
