"""Losses of numbers far from zero, beside decimals of eighty digits."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.regression.errors import regression_scores
from metric_commons.regression.row_losses import unit_deviances
from metric_commons.statistics import interval

DEVIANCES = {"poisson_deviance": 1, "gamma_deviance": 2} | {
    f"tweedie(power={power})": power for power in (-1.0, 0, 1.01, 1.5, 1.999, 2.5, 3.0, 20.0)
}


def deviance(power, mean, value):
    """Its definition; the numbers are floats or exact fractions."""
    mean, value = (
        Decimal(Fraction(number).numerator) / Decimal(Fraction(number).denominator)
        for number in (mean, value)
    )
    p = Decimal(power)
    if p == 0:
        return (value - mean) ** 2
    if p == 1:
        return 2 * ((value * (value / mean).ln() if value else 0) - value + mean)
    if p == 2:
        return 2 * (value / mean - 1 - (value / mean).ln())
    base = max(value, Decimal(0))
    first = base ** (2 - p) if base else Decimal(0)
    rest = mean ** (2 - p) / (2 - p) - value * mean ** (1 - p) / (1 - p)
    return 2 * (first / ((1 - p) * (2 - p)) + rest)


def squared_log_error(prediction, reference):
    logarithms = [(1 + Decimal(number)).ln() for number in (prediction, reference)]
    return (logarithms[0] - logarithms[1]) ** 2


def mean(losses):
    return sum(losses) / len(losses)


@pytest.fixture(autouse=True)
def digits():
    with localcontext() as context:
        context.prec = 80
        yield


@pytest.mark.parametrize("offset", [1.0, 1e3, 1e6, 1e9, 1e12])
@pytest.mark.parametrize("name", ["msle", "rmsle", *DEVIANCES])
def test_losses_far_from_zero_are_those_of_exact_arithmetic(name, offset):
    references, predictions = offset + np.array([[1.0, 2.0, 3.5], [1.5, 1.0, 3.0]])
    if name in DEVIANCES:
        pairs = zip(predictions.tolist(), references.tolist(), strict=True)
        losses = [deviance(DEVIANCES[name], *pair) for pair in pairs]
    else:
        losses = list(map(squared_log_error, predictions.tolist(), references.tolist()))
    result = regression_scores(predictions, references, measures=[name], confidence_level=0.9)
    score = mean(losses)
    floats = list(map(float, losses))
    estimate = interval(floats, confidence_level=0.9, bounds=(0.0, math.inf))
    ends = [estimate.low, estimate.high]
    if name == "rmsle":
        score, ends = score.sqrt(), list(map(math.sqrt, ends))

    assert result[name] == pytest.approx(float(score), rel=1e-13)
    assert result["confidence_interval"][name] == pytest.approx(ends, rel=1e-12)


@pytest.mark.parametrize("offset", [1.0, 1e3, 1e6, 1e9, 1e12])
@pytest.mark.parametrize("power", [0, 1, 1.5, 2, 3.0])
@pytest.mark.parametrize("weights", [None, [0.3, 1.0, 0.7]])
def test_saved_deviances_far_from_zero_are_those_of_exact_arithmetic(power, offset, weights):
    """The best constant is the mean, which is no float."""
    references, predictions = offset + np.array([[1.0, 2.0, 3.5], [1.5, 1.0, 3.0]])
    shares = [Fraction(weight) for weight in weights or [1, 1, 1]]
    best = sum(
        share * Fraction(value) for share, value in zip(shares, references.tolist(), strict=True)
    ) / sum(shares)
    losses = [
        sum(
            Decimal(float(share)) * deviance(power, constant, value)
            for share, constant, value in zip(shares, constants, references.tolist(), strict=True)
        )
        for constants in (predictions.tolist(), [best] * 3)
    ]
    name = f"d2_tweedie(power={power})"
    result = regression_scores(predictions, references, measures=[name], sample_weight=weights)

    assert result[name] == pytest.approx(float(1 - losses[0] / losses[1]), rel=1e-12, abs=1e-13)


@given(
    st.sampled_from(list(DEVIANCES.values())),
    st.floats(-6, 12),
    st.floats(-16, 16) | st.sampled_from([-math.inf, -0.9, 0.0]),
    st.sampled_from([1.0, -1.0]),
)
def test_a_deviance_has_the_precision_of_its_numbers(power, size, distance, side):
    mean = 10.0**size
    value = mean * (1 + side * 10.0 ** min(distance, 12 - size))
    if power > 0:  # the domain
        value = max(value, 0.0 if power < 2 else 1e-6)
    columns = (np.array([number]) for number in (mean, value, value - mean))
    expected = deviance(power, mean, value) if value != mean else 0

    (found,) = unit_deviances(power, *columns).tolist()
    assert found == pytest.approx(float(expected), rel=1e-12, abs=1e-300)


def test_numbers_of_which_the_ratio_is_no_float_have_losses():
    far = {"predictions": [1e-310, 1e10], "references": [1.0, 1e-310]}
    losses = [float(deviance(1, *pair)) for pair in zip(*far.values(), strict=True)]
    result = regression_scores(**far, measures=["tweedie(power=1)", "msle"])
    near_minus_one = regression_scores([-1 + 2**-53], [1e300], measures=["msle"])

    assert result["tweedie(power=1)"] == pytest.approx(math.fsum(losses) / 2, rel=1e-13)
    assert near_minus_one["msle"] == pytest.approx(
        float(squared_log_error(-1 + 2**-53, 1e300)), rel=1e-13
    )
