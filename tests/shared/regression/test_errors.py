"""Measures against their definitions in fractions, which are slow and never wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given

from metric_commons.regression.error_influences import regression_influences
from metric_commons.regression.errors import MOMENT_MEASURES, moment_measures
from metric_commons.regression.moments import compute_moments
from metric_commons.regression.pairs import Pairs
from tests.number_rows import number_rows
from tests.spec import drawn_examples


def oracle(predictions, references, weights=None):
    """Each measure by its definition, in fractions; None where it is undefined."""
    t, p = [*map(Fraction, references)], [*map(Fraction, predictions)]
    w = [Fraction(x) for x in (weights if weights is not None else [1] * len(t))]
    t, p, w = ([x for x, weight in zip(column, w, strict=True) if weight] for column in (t, p, w))
    total = sum(w)

    def mean(values):
        return sum(x * weight for x, weight in zip(values, w, strict=True)) / total

    def covariance(first, second):
        first_mean, second_mean = mean(first), mean(second)
        products = zip(first, second, strict=True)
        return mean([(x - first_mean) * (y - second_mean) for x, y in products])

    errors = [a - b for a, b in zip(t, p, strict=True)]
    variance = covariance(t, t)
    least = Fraction(np.finfo(float).eps)
    pairs = list(zip(t, p, errors, strict=True))
    product = variance * covariance(p, p)
    values = {
        "mae": mean([abs(e) for e in errors]),
        "mse": mean([e * e for e in errors]),
        "mape": mean([abs(e) / max(abs(a), least) for a, _, e in pairs]),
        "smape": mean([2 * abs(e) / (abs(a) + abs(b)) if e else 0 for a, b, e in pairs]),
        "max_error": max(map(abs, errors)),
        "r2": 1 - mean([e * e for e in errors]) / variance if variance else None,
        "explained_variance": 1 - covariance(errors, errors) / variance if variance else None,
    }
    spread = variance + covariance(p, p) + mean(errors) ** 2
    values["concordance"] = 2 * covariance(t, p) / spread if spread else None
    values["rmse"] = root(values["mse"])
    values["pearson"] = None
    if product:
        sign = 1 if covariance(t, p) > 0 else -1
        values["pearson"] = root(covariance(t, p) ** 2 / product) * sign
    return values


def root(square):
    power = 2 * (square.denominator.bit_length() + 200)
    return Fraction(math.isqrt(int(square * 2**power)), 2 ** (power // 2))


def close(value, expected):
    """Equal to a fraction to 1e-12; infinite if that is beyond all floats."""
    try:
        float(expected)
    except OverflowError:
        return math.isinf(value)
    # A difference of 1 and a ratio keeps the precision of the ratio.
    slack = abs(1 - expected) * Fraction(1, 10**14) + Fraction(1, 2**1074)
    return abs(Fraction(value) - expected) <= abs(expected) * Fraction(1, 10**12) + slack


@pytest.mark.long
@given(number_rows())
@example(([0.0, 0.0], [1e200, 1e-307], None))
@example(([2.0**53, 2.0**53], [0.0, 1.0], None))
@example(([2.0**53, 2.0**53 + 2], [0.0, 1.0], None))
@example(([0, 0, 1], [1, 2**53 + 1, 0], [1e6, 0.0, 0.3]))
@example(([0, 1, 1], [2**63 - 1, 2**63 - 1, 0], [1e6, 1e6, 1e-9]))
@drawn_examples(300)
def test_every_measure_is_exact(rows):
    predictions, references, weights = rows
    if weights is not None and not any(weights):
        return
    expected = oracle(predictions, references, weights)
    pairs = Pairs(predictions, references, weights)
    for measure in MOMENT_MEASURES:
        (value,) = moment_measures(compute_moments(pairs, [measure]), [measure])[measure]
        if expected[measure] is None or (
            measure in ("r2", "pearson", "concordance") and len(references) < 2
        ):
            assert math.isnan(value) or value in (0.0, 1.0)
        elif measure in ("pearson", "concordance"):
            assert value == pytest.approx(float(expected[measure]), rel=1e-12, abs=1e-12)
        else:
            assert close(value, expected[measure]), measure


def test_a_correlation_with_a_constant_has_no_influences():
    measures = ["mae", "pearson", "concordance", "r2"]
    for columns in (([2.0, 2.0, 2.0], [1.0, 2.0, 4.0]), ([1.0, 2.0, 4.0], [2.0, 2.0, 2.0])):
        found = regression_influences(*columns, measures=measures)
        assert "mae" in found
        assert "pearson" not in found
