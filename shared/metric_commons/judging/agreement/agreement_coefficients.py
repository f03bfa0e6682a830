"""Coefficients of agreement with the influences of units, from which their intervals follow.

A coefficient is (p - c) / (1 - c) for an observed agreement p and an agreement c by chance. All are
computed from counts of units, so they do not depend on the order of rows.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from ...statistics.arguments.arrays import Booleans, Floats, Integers
from ...statistics.intervals.intervals import critical_value
from ...statistics.intervals.proportions import Interval, proportion_interval
from .rated_units import RatedUnits
from .rating_weights import LabelWeights, distances, sum_over_pairs


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
        spread = self.units.cluster_spread(self.influences) or self.units.spread(self.influences)
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
    """Cohen's kappa of two raters; NaN if both have used one label only, the same.

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
    shares = [np.bincount(codes, pairs.counts, size) / rows for codes in (first, second)]
    agreements = weights.of_pairs(first, second)
    agreement = _mean(agreements, pairs.counts)
    expected = [weights.mean_agreement(share) for share in reversed(shares)]
    chance = float(shares[0] @ expected[0])
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
    """Percent agreement, or a coefficient of irrCAC's family, of any number of raters.

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
    """Krippendorff's alpha of any number of raters; NaN if all ratings are equal.

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
