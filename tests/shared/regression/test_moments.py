"""Moments in any order of rows, of parts, and in JSON."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.regression.errors import MOMENT_MEASURES, moment_measures
from metric_commons.regression.moments import Moments, compute_moments
from metric_commons.regression.pairs import Pairs
from tests.number_rows import number_rows

MEASURES = list(MOMENT_MEASURES)


@pytest.mark.long
@given(number_rows(), st.randoms(use_true_random=False))
def test_the_order_of_rows_never_shows(rows, random):
    order = [*range(len(rows[0]))]
    random.shuffle(order)
    shuffled = [None if column is None else [column[row] for row in order] for column in rows]

    assert compute_moments(Pairs(*shuffled), MEASURES) == compute_moments(Pairs(*rows), MEASURES)


@pytest.mark.long
@pytest.mark.parametrize("spread", ["even", "heavy tails", "one far off", "offset", "sorted"])
def test_many_rows_in_any_order(spread):
    rng = np.random.default_rng(0)
    references = rng.normal(size=100_000)
    if spread == "heavy tails":
        references = rng.standard_cauchy(100_000)
    if spread == "one far off":
        references[77_777] = 1e12
    if spread == "offset":
        references += 1e9
    if spread == "sorted":
        references.sort()
    predictions = references + rng.normal(size=100_000) / 3
    order = rng.permutation(100_000)
    moments = compute_moments(Pairs(predictions, references), MEASURES)

    assert compute_moments(Pairs(predictions[order], references[order]), MEASURES) == moments
    values = moment_measures(moments, MEASURES)
    errors = references - predictions
    deviations = references - math.fsum(references.tolist()) / 100_000
    squares, variation = (math.fsum((x * x).tolist()) for x in (errors, deviations))
    assert values["mae"] == [pytest.approx(math.fsum(np.abs(errors).tolist()) / 1e5, rel=1e-14)]
    assert values["mse"] == [pytest.approx(squares / 1e5, rel=1e-14)]
    assert values["r2"] == [pytest.approx(1 - squares / variation, rel=1e-13)]
    assert values["max_error"] == [np.abs(errors).max()]


def test_moments_of_parts_add_up():
    rng = np.random.default_rng(1)
    references = rng.normal(1e6, 1, size=(500, 2))
    predictions = references + rng.normal(size=(500, 2))
    weights = rng.random(500)
    parts = [slice(0, 3), slice(3, 200), slice(200, 500)]
    first, second, third = (
        compute_moments(Pairs(predictions[part], references[part], weights[part]), MEASURES)
        for part in parts
    )
    total = [a + b + c for a, b, c in zip(first, second, third, strict=True)]
    moments = compute_moments(Pairs(predictions, references, weights), MEASURES)
    expected = moment_measures(moments, MEASURES)

    assert [moments.rows for moments in total] == [500, 500]
    for measure, values in moment_measures(total, MEASURES).items():
        assert values == pytest.approx(expected[measure], rel=1e-14), measure


def test_parts_without_weight_change_nothing():
    measures = MEASURES
    (moments,) = compute_moments(Pairs([1.0, 2.0], [2.0, 2.5]), measures)
    (empty,) = compute_moments(Pairs([7.0], [9.0], [0.0]), measures)

    for total in (moments + empty, empty + moments):
        assert moment_measures([total], measures) == moment_measures([moments], measures)


@pytest.mark.long
@given(number_rows())
def test_moments_survive_json(rows):
    predictions, references, _ = rows
    for moments in compute_moments(Pairs(predictions, references), MEASURES):
        stored = json.loads(json.dumps(moments.to_jsonable()))
        assert Moments.from_jsonable(stored) == moments
