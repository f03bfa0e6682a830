"""Coefficients of agreement with the influences of units, from which their intervals follow.

A coefficient is (p - c) / (1 - c) for an observed agreement p and an agreement c by chance. All are
computed from counts of units, so they do not depend on the order of rows.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Booleans, Floats, Integers
from ...statistics.arguments.checks import shown
from ...statistics.intervals.intervals import critical_value
from ...statistics.intervals.proportions import Interval, proportion_interval
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


@dataclass(frozen=True)
class AgreementEstimate:
    """A coefficient of agreement, and the influence of each unit.

    Args:
        value: NaN if it is undefined.
        agreement: the observed agreement, a proportion from 0 to 1.
        room: 1 minus the agreement by chance; the coefficient is 1 - (1 - agreement) / room.
        influences: the influence of each kind of unit on the coefficient; their sum over all units
            is 0.
        units: the kinds of units; None if there are none.
        is_plain: whether each unit either agrees or disagrees, so that the coefficient is a
            proportion.
    """

    value: float
    agreement: float = math.nan
    room: float = 1.0
    influences: Floats = field(default_factory=lambda: np.empty(0))
    units: RatedUnits | None = None
    is_plain: bool = False

    def interval(self, confidence_level: float, method: str = "auto") -> Interval:
        """Return the interval of the coefficient; NaN if it is undefined or there is only one unit.

        Args:
            confidence_level: strictly between 0 and 1.
            method: "auto", the interval of the observed agreement with an unseen unit, whose raters
                agree or do not, with ends corrected for agreement by chance; for a plain proportion
                Clopper and Pearson's. Or "linearized", Student's interval around
                the coefficient with the same standard error, as in irrCAC.
        """
        if self.units is None or not math.isfinite(self.value) or len(self.units) < 2:
            return Interval(math.nan, math.nan, method, math.nan, None)
        spread = self.units.spread(self.influences)
        error = spread.standard_error()
        n_clusters = spread.clusters
        if method == "linearized":
            reach = critical_value(confidence_level, spread.degrees) * error
            ends = self.value - reach, min(self.value + reach, 1.0)
            return Interval(*ends, method, error, None, n_clusters)
        rows = len(self.units)
        if self.is_plain and n_clusters is None:
            agreeing = round(self.agreement * rows)
            return proportion_interval(agreeing, rows, confidence_level=confidence_level)
        scaled = self.influences * self.room
        values = self.agreement + scaled
        estimate = self.units.interval(
            self.agreement,
            scaled,
            confidence_level,
            unseen=(min(0.0, float(values.min())), max(1.0, float(values.max()))),
        )
        low, high = (1 - (1 - end) / self.room for end in (estimate.low, estimate.high))
        return estimate._replace(low=low, high=high, standard_error=error)


UNDEFINED = AgreementEstimate(math.nan)


def plain_agreement(pairs: RatedUnits) -> AgreementEstimate:
    """Return the proportion of units on which two raters agree.

    >>> from .rated_units import rated_units
    >>> plain_agreement(rated_units([[1, 1], [1, 2]], in_order=True)).value
    0.5
    """
    agrees = pairs.codes[:, 0] == pairs.codes[:, 1]
    value = int(pairs.counts[agrees].sum()) / len(pairs)
    return AgreementEstimate(value, value, 1.0, agrees - value, pairs, is_plain=True)


def cohen_kappa(pairs: RatedUnits, weights: LabelWeights) -> AgreementEstimate:
    """Return Cohen's kappa of two raters; NaN if both have used one label only, the same.

    Source:
        Cohen, Weighted kappa (1968). The standard error is Fleiss, Cohen and Everitt's (1969) with
        n - 1 in place of n, as in irrCAC.

    >>> from .rated_units import rated_units
    >>> pairs = rated_units([["a", "a"], ["a", "b"], ["b", "b"], ["b", "b"]], in_order=True)
    >>> cohen_kappa(pairs, LabelWeights(2)).value
    0.5
    """
    first, second = pairs.codes.T
    rows, size = len(pairs), len(pairs.values)
    totals = [
        np.bincount(codes, pairs.counts, size).astype(np.float64) for codes in (first, second)
    ]
    agreements = weights.of_pairs(first, second)
    agreement = _mean(agreements, pairs.counts)
    expected = [weights.mean_agreement(total) / rows for total in reversed(totals)]
    # From whole numbers, so that agreement by chance is exactly 0.
    chance = float(totals[0] @ weights.mean_agreement(totals[1])) / rows**2
    if _is_certain(chance):
        return UNDEFINED
    room = 1 - chance
    value = (agreement - chance) / room
    moved = expected[0][first] + expected[1][second] - 2 * chance
    influences = (agreements - agreement - (1 - value) * moved) / room
    return AgreementEstimate(value, agreement, room, influences, pairs)


def chance_corrected(
    units: RatedUnits, weights: LabelWeights, coefficient: str
) -> AgreementEstimate:
    """Return percent agreement, or a coefficient of irrCAC's family, of any number of raters.

    The observed agreement is that of pairs of ratings, over units with two ratings or more. The
    agreement by chance of Fleiss and of Gwet is that of all rated units, each counting the same.

    Args:
        units: the units, with missing ratings.
        weights: the weights of pairs of labels.
        coefficient: "percent_agreement", "fleiss_kappa", "gwet_ac" or "brennan_prediger".

    Returns:
        The estimate; undefined if no unit has two ratings, or chance always agrees. Its influences
        equal those of irrCAC, also for units with one rating.

    Source:
        Gwet, Handbook of Inter-Rater Reliability (2014). Brennan and Prediger, Coefficient kappa:
        some uses, misuses, and alternatives (1981).

    >>> from .rated_units import rated_units
    >>> units = rated_units([[1, 1, 1], [1, 2, None], [2, 2, 2], [2, None, None]])
    >>> round(chance_corrected(units, LabelWeights(2), "fleiss_kappa").value, 4)
    0.2889
    """
    units = units.with_ratings(1)
    is_rated = units.is_rated
    sizes = is_rated.sum(axis=1)
    are_pairs = sizes >= 2
    rows, paired = len(units), int(units.counts[are_pairs].sum())
    if not paired:
        return UNDEFINED
    pairs = sum_over_pairs(units, weights.of_pairs)
    agreements = np.divide(pairs, sizes * (sizes - 1.0), out=np.zeros(sizes.size), where=are_pairs)
    agreement = _mean(agreements[are_pairs], units.counts[are_pairs])
    chance, chances = _chance(units, weights, coefficient, is_rated, sizes)
    if _is_certain(chance):
        return UNDEFINED
    room = 1 - chance
    value = (agreement - chance) / room
    influences = rows / paired * (agreements - chance * are_pairs) / room - value
    if coefficient == "percent_agreement":
        influences = rows / paired * (agreements - agreement * are_pairs)
    else:
        influences -= 2 * (1 - value) * (chances - chance) / room
    return AgreementEstimate(value, agreement, room, influences, units)


def _chance(
    units: RatedUnits, weights: LabelWeights, coefficient: str, is_rated: Booleans, sizes: Integers
) -> tuple[float, Floats]:
    """Return the agreement by chance, and that of the labels of each kind of unit."""
    size, kinds = len(units.values), len(units.codes)
    if coefficient == "percent_agreement":
        return 0.0, np.zeros(kinds)
    if coefficient == "brennan_prediger":
        chance = weights.total / size**2
        return chance, np.full(kinds, chance)
    shares = np.where(is_rated, (units.counts / sizes)[:, np.newaxis], 0.0)[is_rated]
    proportions = np.bincount(units.codes[is_rated], shares, size) / len(units)
    if coefficient == "gwet_ac":
        if size < 2:
            return math.nan, np.zeros(kinds)
        scale = weights.total / (size * (size - 1))
        of_labels = scale * (1 - proportions)
    else:
        of_labels = weights.mean_agreement(proportions)
    chance = float(proportions @ of_labels)
    return chance, np.where(is_rated, of_labels[units.codes], 0.0).sum(axis=1) / sizes


def krippendorff_alpha(units: RatedUnits, level: str) -> AgreementEstimate:
    """Return Krippendorff's alpha of any number of raters; NaN if all ratings are equal.

    Units with one rating do not count. The agreement is 1 minus the observed disagreement in
    units of the largest distance, and the room is the expected disagreement in these units.

    Source:
        Krippendorff, Computing Krippendorff's alpha-reliability (2011). The influences are those
        of the ratio of both disagreements.

    >>> from .rated_units import rated_units
    >>> units = rated_units([[1, 1, None], [2, 2, 3], [3, 3, 3]])
    >>> round(krippendorff_alpha(units, "nominal").value, 4)
    0.65
    """
    units = units.with_ratings(2)
    if not len(units):
        return UNDEFINED
    is_rated = units.is_rated
    sizes = is_rated.sum(axis=1)
    rows = len(units)
    ratings = int(sizes @ units.counts)
    repeated = np.broadcast_to(units.counts[:, np.newaxis], units.codes.shape)[is_rated]
    occurrences = np.bincount(units.codes[is_rated], repeated, len(units.values))
    pair_sums, to_all, largest = distances(units, level, np.asarray(occurrences, np.float64))
    unit_distances = pair_sums / (sizes - 1)
    observed = float(unit_distances @ units.counts) / ratings
    mean_distance = float(occurrences @ to_all) / ratings
    expected = mean_distance * ratings / (ratings - 1)
    if not expected > 0:
        return UNDEFINED
    value = 1 - observed / expected
    mean_size = ratings / rows
    labels_apart = np.where(is_rated, to_all[units.codes], 0.0).sum(axis=1)
    of_observed = (unit_distances - observed * sizes) / mean_size
    of_expected = 2 * (labels_apart - mean_distance * sizes) / mean_size
    of_expected *= ratings / (ratings - 1)
    influences = -(of_observed - observed / expected * of_expected) / expected
    return AgreementEstimate(value, 1 - observed / largest, expected / largest, influences, units)


def _mean(values: Floats, counts: Integers) -> float:
    """Return the mean of the values of kinds, weighted by their counts."""
    return float(values @ counts) / int(counts.sum())


def _is_certain(chance: float) -> bool:
    """Return whether chance always agrees, up to rounding, or is undefined."""
    return not chance < 1 - 1e-12
