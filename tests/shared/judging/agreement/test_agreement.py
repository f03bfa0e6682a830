"""Coefficients of agreement beside their definitions, pair of ratings by pair of ratings."""

import math
import random
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from metric_commons.judging import judge_agreement
from metric_commons.judging.agreement.agreement_coefficients import (
    LabelWeights,
    chance_corrected,
    cohen_kappa,
    krippendorff_alpha,
    label_weights,
)
from metric_commons.judging.agreement.rated_units import coded, paired_units, rated_units
from metric_commons.statistics.arithmetic.rank_correlations import PairedScores, kendall_tau_b
from tests.spec import drawn_examples, rounds

VALUES = st.sampled_from([0.0, 1.0, 2.0, 5.0, -1.0])
UNITS = st.lists(
    st.lists(st.none() | VALUES, min_size=0, max_size=4), min_size=1, max_size=12
) | st.lists(st.lists(st.sampled_from([1.0, 2.0]), min_size=3, max_size=3), min_size=1, max_size=6)
LEVELS = ("nominal", "ordinal", "interval", "ratio")
WEIGHTS = ("identity", "linear", "quadratic", "ordinal")
FAMILY = ("percent_agreement", "fleiss_kappa", "gwet_ac", "brennan_prediger")


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9, nan_ok=True)


# Definitions


def distance(level, a, b, occurrences):
    if level == "nominal":
        return float(a != b)
    if level == "interval":
        return (a - b) ** 2
    if level == "ratio":
        return ((a - b) / (a + b)) ** 2 if a + b and a != b else 0.0
    low, high = sorted([a, b])
    between = sum(n for value, n in occurrences.items() if low <= value <= high)
    return (between - (occurrences.get(low, 0) + occurrences.get(high, 0)) / 2) ** 2


def alpha_by_pairs(units, level):
    units = [[v for v in unit if v is not None] for unit in units]
    units = [unit for unit in units if len(unit) >= 2]
    ratings = [value for unit in units for value in unit]
    if not units:
        return math.nan
    occurrences = {value: ratings.count(value) for value in ratings}
    observed = sum(
        distance(level, a, b, occurrences) / (len(unit) - 1)
        for unit in units
        for a, b in permutations(unit, 2)
    )
    expected = sum(distance(level, a, b, occurrences) for a, b in permutations(ratings, 2))
    if not expected:
        return math.nan
    return 1 - observed * (len(ratings) - 1) / expected


def weight(kind, a, b, values):
    if kind == "identity" or len(values) < 2:
        return float(a == b)
    if kind == "ordinal":
        pairs = [
            math.comb(abs(values.index(x) - values.index(y)) + 1, 2)
            for x in (a, values[0])
            for y in (b, values[-1])
        ]
        most = math.comb(len(values), 2)
        return 1 - pairs[0] / most
    step = abs(a - b) / (max(values) - min(values))
    return 1 - (step if kind == "linear" else step**2)


def coefficient_by_pairs(units, kind, coefficient):
    units = [[v for v in unit if v is not None] for unit in units]
    units = [unit for unit in units if unit]
    values = sorted({value for unit in units for value in unit})
    pairs = [
        [weight(kind, a, b, values) for a, b in permutations(unit, 2)]
        for unit in units
        if len(unit) >= 2
    ]
    if not pairs:
        return math.nan
    agreement = sum(sum(unit) / len(unit) for unit in pairs) / len(pairs)
    if coefficient == "percent_agreement":
        return agreement
    shares = {
        value: sum(unit.count(value) / len(unit) for unit in units) / len(units) for value in values
    }
    total = sum(weight(kind, a, b, values) for a in values for b in values)
    if coefficient == "fleiss_kappa":
        chance = sum(
            weight(kind, a, b, values) * shares[a] * shares[b] for a in values for b in values
        )
    elif coefficient == "gwet_ac":
        if len(values) < 2:
            return math.nan
        spread = sum(share * (1 - share) for share in shares.values())
        chance = total / (len(values) * (len(values) - 1)) * spread
    else:
        chance = total / len(values) ** 2
    return math.nan if chance > 1 - 1e-12 else (agreement - chance) / (1 - chance)


@pytest.mark.long
@given(UNITS)
@drawn_examples(150)
def test_coefficients_are_those_of_their_definitions(units):
    for level in LEVELS:
        result = judge_agreement(units, measures="krippendorff_alpha", level=level)
        assert result["krippendorff_alpha"] == close(alpha_by_pairs(units, level)), level
    for kind in WEIGHTS:
        result = judge_agreement(units, measures=FAMILY, weights=kind)
        for name in FAMILY:
            assert result[name] == close(coefficient_by_pairs(units, kind, name)), (kind, name)


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=15))
def test_kappa_of_two_raters_is_that_of_its_definition(pairs):
    first, second = map(list, zip(*pairs, strict=True))
    values = sorted({*first, *second})
    for kind in WEIGHTS[:3]:
        observed = sum(weight(kind, a, b, values) for a, b in pairs) / len(pairs)
        chance = sum(weight(kind, a, b, values) for a in first for b in second) / len(pairs) ** 2
        expected = math.nan if chance > 1 - 1e-12 else (observed - chance) / (1 - chance)
        options = {"measures": "cohen_kappa", "weights": kind, "weight_by": "value"}
        assert judge_agreement(first, second, **options)["cohen_kappa"] == close(expected)


# Influences


@pytest.mark.long
@given(UNITS.filter(lambda units: sum(len([v for v in u if v is not None]) > 1 for u in units) > 1))
@settings(max_examples=60, deadline=None)
def test_influences_are_derivatives_by_the_weights_of_units(units):
    """A unit that weighs a little more moves a coefficient by its influence, over the units."""
    # irrCAC's influences, which its errors follow from, count units with one rating as if these
    # disagreed as often as chance; they are derivatives where there are none.
    rated = rated_units([unit for unit in units if sum(v is not None for v in unit) != 1])
    functions = [
        *(lambda u, level=level: krippendorff_alpha(u, level) for level in ("nominal", "interval")),
        *(
            lambda u, name=name, kind=kind: chance_corrected(
                u, label_weights(u, kind, "value"), name
            )
            for name in FAMILY
            for kind in ("identity", "quadratic")
        ),
    ]
    for function in functions:
        kinds = function(rated).units
        # Of many copies of the units, so that n and n - 1 are nearly the same.
        estimate = function(replace(kinds, counts=kinds.counts * 10**6))
        if not math.isfinite(estimate.value):
            continue
        assert float((influences := estimate.influences()) @ kinds.counts) == pytest.approx(
            0, abs=1e-8
        )
        scale = 10**6
        for kind in range(len(kinds.counts)):
            counts = kinds.counts * scale
            base = function(replace(kinds, counts=counts)).value
            counts[kind] += 1
            moved = function(replace(kinds, counts=counts)).value
            slope = (moved - base) * scale * len(kinds)
            assert slope == pytest.approx(influences[kind], rel=1e-3, abs=1e-3)


def test_influences_of_cohens_kappa_are_derivatives():
    pairs = paired_units([1, 1, 2, 3, 3, 2, 1], [1, 2, 2, 3, 1, 2, 1])
    for kind in WEIGHTS[:3]:
        weights = label_weights(pairs, kind, "position")
        influences = cohen_kappa(pairs, weights).influences()
        for row in range(len(pairs.counts)):
            counts = pairs.counts * 10**6
            base = cohen_kappa(replace(pairs, counts=counts), weights).value
            counts[row] += 1
            moved = cohen_kappa(replace(pairs, counts=counts), weights).value
            slope = (moved - base) * 10**6 * len(pairs)
            assert slope == pytest.approx(influences[row], rel=1e-3, abs=1e-3)


# Numbers


def test_a_common_offset_costs_no_digits():
    rng = np.random.default_rng(0)
    ratings = rng.integers(0, 4, (40, 3)).astype(float)
    for offset in (0.0, 1e9, -1e12):
        moved = judge_agreement(ratings + offset, measures="krippendorff_alpha", level="interval")
        assert moved["krippendorff_alpha"] == pytest.approx(
            alpha_by_pairs(ratings.tolist(), "interval"), rel=1e-9
        )


def test_many_different_numbers_need_no_table_of_pairs():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=(30_000, 1))
    ratings = truth + rng.normal(size=(30_000, 2))
    result = judge_agreement(ratings, measures="krippendorff_alpha", level="interval")

    assert result["krippendorff_alpha"] == pytest.approx(0.5, abs=0.02)


@pytest.mark.long
@given(
    st.lists(st.none() | st.integers(-5, 70_000), min_size=1, max_size=8)
    | st.lists(st.none() | st.floats(-9, 9), min_size=1, max_size=8)
    | st.lists(st.none() | st.text(max_size=2), min_size=1, max_size=8)
)
def test_codes_stand_for_labels(column):
    values, codes = coded(column)
    assert values == sorted(set(column) - {None})
    assert [None if code < 0 else values[code] for code in codes.tolist()] == column
    if all(isinstance(value, float) for value in column):
        from_array = coded(np.array(column))
        assert from_array[0] == values
        assert from_array[1].tolist() == codes.tolist()


def test_units_of_many_raters_and_labels_are_told_apart():
    rng = np.random.default_rng(2)
    ratings = rng.integers(0, 50, (30, 40))  # more kinds than an integer can number
    units = rated_units(np.concatenate([ratings, ratings[::-1, ::-1]]))
    assert units.counts.tolist() == [2] * 30
    assert chance_corrected(units, LabelWeights(50), "gwet_ac").value == pytest.approx(
        coefficient_by_pairs(ratings.tolist() * 2, "identity", "gwet_ac")
    )


# Panels and positions


@pytest.mark.long
@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 2), min_size=3, max_size=3), st.integers(0, 2)),
        min_size=1,
        max_size=15,
    )
)
def test_a_panel_by_its_definition(rows):
    verdicts, labels = map(list, zip(*rows, strict=True))
    result = judge_agreement(verdicts, labels)
    wrong = np.array([[v != label for v in row] for row, label in rows], float)
    majority = []
    for row, label in rows:
        top = [v for v in set(row) if row.count(v) == max(map(row.count, row))]
        majority.append((label in top) / len(top))
    assert result["agreement"] == close(1 - wrong.mean())
    assert result["best_agreement"] == close(1 - wrong.mean(axis=0).min())
    assert result["majority_agreement"] == close(np.mean(majority))
    assert result["tied_majorities"] == sum(0 < m < 1 for m in majority) + sum(
        len(set(row)) == 3 and label not in row for row, label in rows
    )
    assert result["all_wrong"] == close(wrong.all(axis=1).mean())
    if wrong.std(axis=0).all():
        correlations = np.corrcoef(wrong.T)[np.triu_indices(3, 1)]
        assert result["error_correlation"] == close(correlations.mean())
    else:
        assert math.isnan(result["error_correlation"])


def test_law_and_bootstrap_are_near_students_interval_where_units_are_many():
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 3, 800)
    verdicts = np.where(rng.random(800) < 0.8, labels, rng.integers(0, 3, 800))
    columns = {"predictions": verdicts.tolist(), "references": labels.tolist()}
    for method in ("auto", "bootstrap"):
        result = judge_agreement(
            **columns, confidence_level=0.95, interval=method, n_resamples=2000
        )
        kappa, reach = result["cohen_kappa"], 1.96 * result["standard_error"]["cohen_kappa"]
        ends = result["confidence_interval"]["cohen_kappa"]
        assert ends == pytest.approx([kappa - reach, kappa + reach], abs=0.012)


@rounds(6, 20)
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("rows", [2, 3, 10])
def test_every_number_has_an_interval_in_its_range(rows, clustered, rounds):
    rng = np.random.default_rng(rows)
    options = {"confidence_level": 0.95, "n_resamples": 200}
    if clustered:
        options["clusters"] = [row // 2 for row in range(rows)]
    for seed in range(rounds):
        ratings = rng.integers(0, 1 + seed % 3, (rows, 2 + seed % 2)).astype(float)
        measures = [*FAMILY, "krippendorff_alpha"]
        results = [
            judge_agreement(ratings, measures=measures, weights=kind, level=level, **options)
            for kind, level in zip(WEIGHTS, LEVELS, strict=True)
        ]
        first, second = ratings.T[:2]
        names = ["agreement", "cohen_kappa", "kendall_tau_b", "spearman", "pearson"]
        results.append(judge_agreement(first, second, measures=names, **options))
        for result in results:
            for name, (low, high) in result["confidence_interval"].items():
                if not math.isnan(result[name]):
                    assert -1 <= low <= result[name] + 1e-12
                    assert result[name] - 1e-12 <= high <= 1


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall_tau_b"])
def test_correlations_of_numbers_near_the_largest_float_are_those_of_smaller_ones(name):
    first, second = [1.75, -1.5, 1.25, 0.5], [0.5, -1.0, 1.75, -0.5]
    small = judge_agreement(first, second, measures=[name])
    columns = ([math.ldexp(number, 1023) for number in column] for column in (first, second))
    assert judge_agreement(*columns, measures=[name]) == small


def test_the_order_of_raters_in_perfect_agreement_correlates_with_1():
    chance = random.Random(0)
    for _ in range(300):
        ratings = [chance.randrange(-4, 4) for _ in range(chance.randrange(2, 30))]
        if len(set(ratings)) == 1:
            continue
        step, offset = chance.choice((1, 2, 3, -1, -3)), chance.randrange(9)
        others = [step * rating + offset for rating in ratings]
        names = ["kendall_tau_b", "spearman", "pearson"]
        result = judge_agreement(ratings, others, measures=names)
        assert [result[name] for name in names] == [math.copysign(1.0, step)] * 3


def test_kendall_tau_is_that_of_pairs_and_of_scipy():
    chance = random.Random(1)
    for _ in range(200):
        columns = [[chance.randrange(5) for _ in range(12)] for _ in "ab"]
        if min(len(set(column)) for column in columns) == 1:
            continue
        tau = judge_agreement(*columns, measures="kendall_tau_b")["kendall_tau_b"]
        scores = PairedScores(*(np.array(column, float) for column in columns))
        assert tau == kendall_tau_b(scores).value
        assert tau == pytest.approx(kendalltau(*columns).statistic, rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("weights", ["identity", "linear", "quadratic"])
def test_kappa_of_independent_raters_is_exactly_0(weights):
    for rows, columns in product(product(range(1, 5), repeat=2), repeat=2):
        table = np.outer(rows, columns)
        first, second = (
            np.repeat(codes.ravel(), table.ravel()) for codes in np.indices(table.shape)
        )
        kappa = judge_agreement(first, second, measures="cohen_kappa", weights=weights)
        assert kappa["cohen_kappa"] == 0.0
