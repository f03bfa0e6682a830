"""Coefficients of agreement as functions of sums over units.

A coefficient is (p - c) / (1 - c) for an observed agreement p and an agreement c by chance. It says
what a unit adds to sums, and how its value follows from them; intervals and errors do, too. All are
computed from counts of units, so they do not depend on the order of rows.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arguments.checks import shown
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import UNDEFINED, Interval
from ...statistics.intervals.weighted_units import (
    DrawnScore,
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


def _places(units: RatedUnits, level: str, occurrences: Floats) -> Floats:
    """Return the numbers of labels whose distances count, near a mean of 0 but for ratios."""
    if level == "nominal" or not len(units):
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


class UnitTerms(NamedTuple):
    """What units add to sums: amounts, and for each of their labels a share.

    Args:
        amounts: shape (units, amounts).
        labels: numbers of labels, -1 for none, shape (units, ratings).
        shares: what each label of a unit counts, shape (units,).
        size: the number of labels.
    """

    amounts: Floats
    labels: Integers
    shares: Floats
    size: int

    def total(self, counts: Integers) -> Floats:
        """Return the sums over units."""
        is_label = self.labels >= 0
        shares = np.where(is_label, (self.shares * counts)[:, np.newaxis], 0.0)[is_label]
        labels = np.bincount(self.labels[is_label], shares, self.size)
        return np.append(self.amounts.T @ counts.astype(np.float64), labels)

    def table(self) -> Floats:
        """Return what each unit adds to all sums, shape (units, sums)."""
        table = np.zeros((len(self.labels), self.size + 1))
        for column in self.labels.T:
            table[np.arange(len(table)), column] += self.shares  # holes are -1, the last column
        return np.column_stack([self.amounts, table[:, : self.size]])


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of agreement.

    Args:
        units: the kinds of units.
        terms: from codes of units, shape (units, raters), to what they add to the sums.
        score: from sums, shape (sums, draws), to the coefficients.
        is_mean: whether it is the first sum over the second one, a number of units.
        has_single: whether units with one rating count for chance only, as in irrCAC, whose errors
            take them for units that agree as often as chance.
    """

    units: RatedUnits
    terms: Callable[[Integers], UnitTerms]
    score: Callable[[Floats], Floats]
    is_mean: bool = False
    has_single: bool = False

    @property
    def value(self) -> float:
        """Return the coefficient; NaN if it is undefined."""
        total = self.terms(self.units.codes).total(self.units.counts)
        with np.errstate(all="ignore"):
            return float(self.score(total[:, np.newaxis])[0])

    def influences(self) -> Floats:
        """Return the influence of each kind of unit, whose sum over all units is 0."""
        terms, counts = self.terms(self.units.codes), self.units.counts
        total, table = terms.total(counts), terms.table()
        step = 1e-100  # an imaginary step has the derivative as its imaginary part
        slopes = [
            np.imag(self.score(total[:, np.newaxis] + step * 1j * directions)) / step
            for directions in np.array_split(np.eye(total.size), -(-total.size // 256), axis=1)
        ]
        influences: Floats = len(self.units) * (table @ np.concatenate(slopes))
        if self.has_single:
            influences += self.value * (len(self.units) / total[1] * table[:, 1] - 1)
        return influences

    def interval(self, uncertainty: Uncertainty) -> Interval:
        """Return the interval of the coefficient; NaN if it is undefined.

        Units are weighted at random together with an unseen one. Of the units with two different
        labels, or the same, it is the one that lowers, or raises, the coefficient most.
        """
        units, value = self.units, self.value
        if math.isnan(value):
            return UNDEFINED
        uncertainty.check_drawn()
        error = units.standard_error(self.influences())
        rows, size = self.terms(units.codes).table(), 1.0
        if self.is_mean:
            found = units.mean_interval(rows[:, 0], uncertainty, rows[:, 1])
            return found._replace(standard_error=error)
        kinds = RowUnits(units.counts, rows)
        if units.members is not None:
            clusters, members, counts = units.members
            table = np.zeros((int(clusters.max()) + 1, rows.shape[1]))
            np.add.at(table, clusters, rows[members] * counts[:, np.newaxis])
            kinds = RowUnits.of_rows(table)
            of_clusters = np.bincount(clusters, counts)
            size = float(np.square(of_clusters).sum() / of_clusters.sum())

        def measure(sums: Floats, _: object) -> dict[str, Floats]:
            return {"": self.score(sums)}

        unseen = size * self.terms(_unseen_units(units)).table()
        drawn = DrawnScore(value, unseen, (-1.0, 1.0))
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


def plain_agreement(pairs: RatedUnits) -> Coefficient:
    """Return the proportion of units on which two raters agree.

    >>> from .rated_units import rated_units
    >>> plain_agreement(rated_units([[1, 1], [1, 2]], in_order=True)).value
    0.5
    """

    def terms(codes: Integers) -> UnitTerms:
        ones = np.ones(len(codes))
        amounts = np.column_stack([codes[:, 0] == codes[:, 1], ones])
        return UnitTerms(amounts, codes[:, :0], ones, 0)

    return Coefficient(pairs, terms, lambda sums: sums[0] / sums[1], is_mean=True)


def cohen_kappa(pairs: RatedUnits, weights: LabelWeights) -> Coefficient:
    """Return Cohen's kappa of two raters; undefined if both have used one label only, the same.

    Source:
        Cohen, Weighted kappa (1968). The standard error is Fleiss, Cohen and Everitt's (1969) with
        n - 1 in place of n, as in irrCAC.

    >>> from .rated_units import rated_units
    >>> pairs = rated_units([["a", "a"], ["a", "b"], ["b", "b"], ["b", "b"]], in_order=True)
    >>> cohen_kappa(pairs, LabelWeights(2)).value
    0.5
    """
    size = len(pairs.values)

    def terms(codes: Integers) -> UnitTerms:
        agreements = weights.of_pairs(*codes.T)[:, np.newaxis]
        return UnitTerms(agreements, codes + np.array([0, size]), np.ones(len(codes)), 2 * size)

    def score(sums: Floats) -> Floats:
        first, second = sums[1 : size + 1], sums[size + 1 :]
        rows = first.sum(axis=0)
        chance = (first * weights.mean_agreement(second)).sum(axis=0) / (rows * rows)
        return _above_chance(sums[0] / rows, chance)

    return Coefficient(pairs, terms, score)


def chance_corrected(units: RatedUnits, weights: LabelWeights, coefficient: str) -> Coefficient:
    """Return percent agreement, or a coefficient of irrCAC's family, of any number of raters.

    The observed agreement is that of pairs of ratings, over units with two ratings or more. The
    agreement by chance of Fleiss and of Gwet is that of all rated units, each counting the same. It
    is undefined if no unit has two ratings, or chance always agrees.

    Args:
        units: the units, with missing ratings.
        weights: the weights of pairs of labels.
        coefficient: "percent_agreement", "fleiss_kappa", "gwet_ac" or "brennan_prediger".

    Source:
        Gwet, Handbook of Inter-Rater Reliability (2014). Brennan and Prediger, Coefficient kappa:
        some uses, misuses, and alternatives (1981).

    >>> from .rated_units import rated_units
    >>> units = rated_units([[1, 1, 1], [1, 2, None], [2, 2, 2], [2, None, None]])
    >>> round(chance_corrected(units, LabelWeights(2), "fleiss_kappa").value, 4)
    0.2889
    """
    units = units.with_ratings(1)
    size, is_mean = len(units.values), coefficient == "percent_agreement"

    def terms(codes: Integers) -> UnitTerms:
        kinds = replace(units, codes=codes)
        sizes = kinds.is_rated.sum(axis=1)
        agreements = sum_over_pairs(kinds, weights.of_pairs) / np.maximum(sizes * (sizes - 1), 1)
        amounts = np.column_stack([agreements, sizes >= 2])
        return UnitTerms(
            amounts, codes[:, :0] if is_mean else codes, 1 / sizes, 0 if is_mean else size
        )

    def score(sums: Floats) -> Floats:
        agreement, shares = sums[0] / sums[1], sums[2:] / sums[2:].sum(axis=0)
        if is_mean:
            return np.asarray(agreement)
        chance = np.full(sums.shape[1], weights.total / size**2 if size else math.nan)
        if coefficient == "brennan_prediger":
            return _above_chance(agreement, chance)
        if coefficient == "gwet_ac":
            scale = weights.total / (size * (size - 1)) if size > 1 else math.nan
            chance = (shares * (1 - shares)).sum(axis=0) * scale
        else:
            chance = (shares * weights.mean_agreement(shares)).sum(axis=0)
        return _above_chance(agreement, chance)

    return Coefficient(units, terms, score, is_mean, has_single=not is_mean)


def krippendorff_alpha(units: RatedUnits, level: str) -> Coefficient:
    """Return Krippendorff's alpha of any number of raters; undefined if all ratings are equal.

    Units with one rating do not count. The distances of labels are for "nominal" 1; for "interval"
    the squared difference; for "ordinal" the squared number of ratings between both, half of those
    with the same labels included; for "ratio" the squared difference over the squared sum, 0 for
    values that add up to 0. A squared difference needs no table of all pairs of labels.

    Raises:
        ValueError: the level needs numbers, but labels are texts.

    Source:
        Krippendorff, Computing Krippendorff's alpha-reliability (2011).

    >>> from .rated_units import rated_units
    >>> units = rated_units([[1, 1, None], [2, 2, 3], [3, 3, 3]])
    >>> round(krippendorff_alpha(units, "nominal").value, 4)
    0.65
    """
    units = units.with_ratings(2)
    size = len(units.values)
    counts = np.where(units.is_rated, units.counts[:, np.newaxis], 0)[units.is_rated]
    occurrences = np.bincount(units.codes[units.is_rated], counts, size).astype(np.float64)
    places = _places(units, level, occurrences)
    has_moments = level in ("interval", "ordinal")  # from which mean distances follow

    def terms(codes: Integers) -> UnitTerms:
        kinds = replace(units, codes=codes)
        sizes = kinds.is_rated.sum(axis=1)
        columns = [_pair_distances(kinds, level, places) / (sizes - 1), sizes]
        if has_moments:
            of_ratings = np.where(kinds.is_rated, places[codes], 0.0)
            columns += [of_ratings.sum(axis=1), np.square(of_ratings).sum(axis=1)]
            codes = codes[:, :0]
        ones = np.ones(len(codes))
        return UnitTerms(np.column_stack(columns), codes, ones, 0 if has_moments else size)

    def score(sums: Floats) -> Floats:
        ratings, means = sums[1], sums[2:] / sums[1]
        if level == "nominal":
            expected = 1 - np.square(means).sum(axis=0)
        elif level == "ratio":
            expected = (means * (_ratios(places) @ means)).sum(axis=0)
        else:
            expected = 2 * (means[1] - np.square(means[0]))
        few = np.real(ratings)  # the correction for few ratings, whose change is no influence
        expected = expected * (few / (few - 1))
        return np.where(np.real(expected) > 0, 1 - sums[0] / ratings / expected, np.nan)

    return Coefficient(units, terms, score)


def _above_chance(agreement: Floats, chance: Floats) -> Floats:
    """Return coefficients; NaN where chance always agrees."""
    return np.where(np.real(chance) < 1 - 1e-12, (agreement - chance) / (1 - chance), np.nan)
