"""Coefficients of agreement with the influences of units, from which their intervals follow.

A coefficient is (p - c) / (1 - c) for an observed agreement p and an agreement c by chance. All are
computed from counts of units, so they do not depend on the order of rows.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Booleans, Floats, Integers
from ...statistics.arguments.checks import OptionError, shown
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.weighted_units import (
    DrawnScore,
    extremes,
    unit_intervals,
)
from ...statistics.resampling.row_units import RowUnits
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
    """

    pair_sums: Floats
    to_all: Floats


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
    places = units_of_distance(units, level, occurrences)
    pair_sums = _pair_distances(units, level, places)
    if level == "nominal":
        return Distances(pair_sums, 1 - proportions)
    if level == "ratio":
        return Distances(pair_sums, _ratios(places) @ proportions)
    return Distances(pair_sums, np.square(places) + np.square(places) @ proportions)


def units_of_distance(units: RatedUnits, level: str, occurrences: Floats) -> Floats:
    """Return the numbers of labels whose distances count, near a mean of 0 but for ratios."""
    if level == "nominal":
        return np.zeros(len(units.values))
    if level == "ratio":
        return _numbers(units, "level='ratio'")
    if level == "ordinal":
        places = np.cumsum(occurrences) - occurrences / 2
    else:
        places = _numbers(units, "level='interval'")
    places = places - places[0]  # so that a common offset costs no digits
    centred: Floats = places - places @ (occurrences / occurrences.sum())
    return centred


def _ratios(values: Floats) -> Floats:
    """Return the squared differences over the squared sums of all pairs of values."""
    sums = values[:, np.newaxis] + values
    differences = values[:, np.newaxis] - values
    ratios = np.divide(differences, sums, out=np.zeros_like(sums), where=sums != 0)
    return np.asarray(np.square(ratios))


def _pair_distances(units: RatedUnits, level: str, places: Floats) -> Floats:
    """Return for each kind of unit the sum of distances over all ordered pairs of its ratings."""
    if level == "nominal":
        return sum_over_pairs(units, lambda first, second: (first != second) * 1.0)
    if level == "ratio":
        table = _ratios(places)
        return sum_over_pairs(units, lambda first, second: table[first, second])
    is_rated = units.is_rated
    # From the first rating of each unit, so that equal ratings have exactly no distance.
    apart = np.where(is_rated, places[units.codes] - places[units.codes[:, :1]], 0.0)
    squares, sums = np.square(apart).sum(axis=1), apart.sum(axis=1)
    distances: Floats = np.maximum(2 * (is_rated.sum(axis=1) * squares - np.square(sums)), 0.0)
    return distances


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


class UnitSums(NamedTuple):
    """How a coefficient follows from sums over units.

    Args:
        terms: from codes of units, shape (units, raters), to what each adds to the sums.
        score: from sums, shape (sums, draws), to the coefficients.
    """

    terms: Callable[[Integers], Floats]
    score: Callable[[Floats], Floats]


@dataclass(frozen=True)
class AgreementEstimate:
    """A coefficient of agreement, and the influence of each unit.

    Args:
        value: NaN if it is undefined.
        influences: the influence of each kind of unit on the coefficient; their sum over all units
            is 0.
        units: the kinds of units; None if there are none.
        sums: how the coefficient follows from sums; None for a mean of units.
        sizes: of a mean, how much each kind counts; None if all count the same.
    """

    value: float
    influences: Floats = field(default_factory=lambda: np.empty(0))
    units: RatedUnits | None = None
    sums: UnitSums | None = None
    sizes: Floats | None = None

    def interval(self, uncertainty: Uncertainty) -> Interval:
        """Return the interval of the coefficient; NaN if it is undefined.

        Units are weighted at random together with an unseen one. Of the units with two different
        labels, or the same, it is the one that lowers, or raises, the coefficient most.
        """
        units = self.units
        if units is None or not math.isfinite(self.value):
            return Interval(math.nan, math.nan, "law", math.nan)
        if uncertainty.method not in ("auto", "bootstrap"):
            raise OptionError("method", f"{uncertainty.method!r} is for means of rows; take 'auto'")
        error = units.standard_error(self.influences)
        if self.sums is None:
            sizes = np.ones(len(units.counts)) if self.sizes is None else self.sizes
            counted = float(sizes @ units.counts) / len(units)
            values = np.clip(self.influences * counted + self.value * sizes, 0.0, 1.0)
            found = units.mean_interval(values, uncertainty, sizes)
            return found._replace(standard_error=error)
        terms, score = self.sums
        rows, size = terms(units.codes), 1.0
        kinds = RowUnits(units.counts, rows)
        if units.members is not None:
            clusters, members, counts = units.members
            table = np.zeros((int(clusters.max()) + 1, rows.shape[1]))
            np.add.at(table, clusters, rows[members] * counts[:, np.newaxis])
            kinds = RowUnits.of_rows(table)
            of_clusters = np.bincount(clusters, counts)
            size = float(np.square(of_clusters).sum() / of_clusters.sum())

        def measure(sums: Floats, _: object) -> dict[str, Floats]:
            return {"": score(sums)}

        unseen = size * terms(_unseen_units(units))
        with np.errstate(all="ignore"):
            values = score(kinds.total()[:, np.newaxis] + unseen.T)
        drawn = DrawnScore(self.value, *extremes(values, unseen), (-1.0, 1.0))
        found = unit_intervals(kinds, {"": drawn}, measure, uncertainty)[""]
        return found._replace(standard_error=error)


_MOST_LABELS = 24  # of an unseen unit


def _unseen_units(units: RatedUnits) -> Integers:
    """Return the codes of units that may come: any two labels, of as many raters as usual."""
    occurrences = np.bincount(
        units.codes[units.is_rated], np.repeat(units.counts, units.is_rated.sum(axis=1))
    )
    labels = np.argsort(occurrences, kind="stable")
    if labels.size > _MOST_LABELS:  # the rarest and the commonest
        labels = np.append(labels[: _MOST_LABELS // 2], labels[-_MOST_LABELS // 2 :])
    raters = units.codes.shape[1]
    first, second = (codes.ravel() for codes in np.meshgrid(labels, labels))
    codes: Integers = np.stack([(first, second)[rater % 2] for rater in range(raters)], axis=1)
    return codes


def _label_counts(codes: Integers, size: int) -> Floats:
    """Return how many raters of each unit gave each label, shape (units, labels)."""
    table = np.zeros((len(codes), size + 1))
    for column in codes.T:
        table[np.arange(len(codes)), column] += 1  # holes are -1, the last column
    counts: Floats = table[:, :size]
    return counts


UNDEFINED = AgreementEstimate(math.nan)


def plain_agreement(pairs: RatedUnits) -> AgreementEstimate:
    """Return the proportion of units on which two raters agree.

    >>> from .rated_units import rated_units
    >>> plain_agreement(rated_units([[1, 1], [1, 2]], in_order=True)).value
    0.5
    """
    agrees = pairs.codes[:, 0] == pairs.codes[:, 1]
    value = int(pairs.counts[agrees].sum()) / len(pairs)
    return AgreementEstimate(value, agrees - value, pairs)


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

    def terms(codes: Integers) -> Floats:
        first, second = (_label_counts(codes[:, [rater]], size) for rater in (0, 1))
        agreements = weights.of_pairs(*codes.T)
        return np.column_stack([agreements, first, second])

    def score(sums: Floats) -> Floats:
        first, second = sums[1 : size + 1], sums[size + 1 :]
        rows = first.sum(axis=0)
        chance = (first * weights.mean_agreement(second)).sum(axis=0) / (rows * rows)
        return _above_chance(sums[0] / rows, chance)

    return AgreementEstimate(value, influences, pairs, UnitSums(terms, score))


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
        return AgreementEstimate(value, influences, units, sizes=are_pairs.astype(np.float64))
    influences -= 2 * (1 - value) * (chances - chance) / room
    size = len(units.values)

    def terms(codes: Integers) -> Floats:
        kinds = replace(units, codes=codes)
        table = _label_counts(codes, size)
        sizes = table.sum(axis=1)
        pairs = sum_over_pairs(kinds, weights.of_pairs)
        agreements = pairs / np.maximum(sizes * (sizes - 1), 1.0)
        return np.column_stack([agreements, sizes >= 2, table / sizes[:, np.newaxis]])

    def score(sums: Floats) -> Floats:
        shares = sums[2:] / sums[2:].sum(axis=0)
        if coefficient == "brennan_prediger":
            expected = np.full(sums.shape[1], chance)
        elif coefficient == "gwet_ac":
            expected = (shares * (1 - shares)).sum(axis=0) * weights.total / (size * (size - 1))
        else:
            expected = (shares * weights.mean_agreement(shares)).sum(axis=0)
        return _above_chance(sums[0] / sums[1], expected)

    return AgreementEstimate(value, influences, units, UnitSums(terms, score))


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

    Units with one rating do not count.

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
    pair_sums, to_all = distances(units, level, np.asarray(occurrences, np.float64))
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
    size = len(units.values)
    places = units_of_distance(units, level, np.asarray(occurrences, np.float64))

    def terms(codes: Integers) -> Floats:
        kinds = replace(units, codes=codes)
        table = _label_counts(codes, size)
        sizes = table.sum(axis=1)
        found = _pair_distances(kinds, level, places) / (sizes - 1)
        if level in ("interval", "ordinal"):  # whose mean distances follow from two moments
            table = np.column_stack([table @ places, table @ np.square(places)])
        return np.column_stack([found, sizes, table])

    def score(sums: Floats) -> Floats:
        ratings, means = sums[1], sums[2:] / sums[1]
        if level == "nominal":
            expected = 1 - np.square(means).sum(axis=0)
        elif level == "ratio":
            expected = (means * (_ratios(places) @ means)).sum(axis=0)
        else:
            expected = 2 * (means[1] - np.square(means[0]))
        expected = expected * ratings / (ratings - 1)
        return np.where(expected > 0, 1 - sums[0] / ratings / expected, np.nan)

    return AgreementEstimate(value, influences, units, UnitSums(terms, score))


def _above_chance(agreement: Floats, chance: Floats) -> Floats:
    """Return coefficients; NaN where chance always agrees."""
    return np.where(chance < 1 - 1e-12, (agreement - chance) / (1 - chance), np.nan)


def _mean(values: Floats, counts: Integers) -> float:
    """Return the mean of the values of kinds, weighted by their counts."""
    return float(values @ counts) / int(counts.sum())


def _is_certain(chance: float) -> bool:
    """Return whether chance always agrees, up to rounding, or is undefined."""
    return not chance < 1 - 1e-12
