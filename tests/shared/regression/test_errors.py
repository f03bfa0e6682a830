"""Measures against their definitions in fractions, which are slow and never wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metric_commons.evaluation.rows.states import State
from metric_commons.regression.error_influences import regression_influences
from metric_commons.regression.errors import regression_scores
from metric_commons.statistics.arithmetic.exact_sums import as_float
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


MEASURES = [*"mae mse rmse r2 mape smape max_error explained_variance pearson concordance".split()]


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
    found = regression_scores(predictions, references, measures=MEASURES, sample_weight=weights)
    for measure, value in found.items():
        if expected[measure] is None or (
            measure in ("r2", "pearson", "concordance") and len(references) < 2
        ):
            assert math.isnan(value) or value in (0.0, 1.0)
        elif measure in ("pearson", "concordance"):
            assert value == pytest.approx(float(expected[measure]), rel=1e-12, abs=1e-12)
        else:
            assert close(value, expected[measure]), measure


NUMBERS = st.floats(-10, 10) | st.floats(-1e9, 1e9).map(lambda number: number + 1e9)
NUMBERS |= st.sampled_from([0.0, -0.0, 1e-200, -1e-150, 1e150, 1e300, -1.7e308, 0.1, 1.0])


@pytest.mark.long
@drawn_examples(300)
@given(
    rows=st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=9),
    order=st.randoms(use_true_random=False),
)
def test_sums_are_rounded_once_in_any_order(rows, order):
    expected = oracle(*zip(*rows, strict=True))
    shuffled = order.sample(rows, len(rows))
    states = [State("regression", measures=MEASURES) for _ in range(2)]
    for state, part in zip(states, (shuffled[:1], shuffled[1:]), strict=True):
        predictions, references = map(list, zip(*part, strict=True))
        state.update(predictions=predictions, references=references)
    states[0].merge(states[1])
    predictions, references = map(list, zip(*rows, strict=True))
    values = regression_scores(predictions, references, measures=MEASURES)
    assert repr(states[0].result()) == repr(values)
    for measure in ("mae", "mse", "rmse"):
        assert values[measure] == as_float(expected[measure])
    if len(set(references)) > 1:
        assert values["r2"] == as_float(expected["r2"])


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
    values = regression_scores(predictions, references, measures=MEASURES)

    assert regression_scores(predictions[order], references[order], measures=MEASURES) == values
    errors = references - predictions
    deviations = references - math.fsum(references.tolist()) / 100_000
    squares, variation = (math.fsum((x * x).tolist()) for x in (errors, deviations))
    assert values["mae"] == pytest.approx(math.fsum(np.abs(errors).tolist()) / 1e5, rel=1e-14)
    assert values["mse"] == pytest.approx(squares / 1e5, rel=1e-14)
    assert values["r2"] == pytest.approx(1 - squares / variation, rel=1e-13)


def test_several_outputs_have_sums_of_their_own():
    generator = np.random.default_rng(0)
    predictions = generator.normal(size=(50, 3)) * [1e-9, 1, 1e9]
    references = predictions + generator.normal(size=(50, 3))
    found = regression_scores(predictions, references, measures=MEASURES, multioutput="raw_values")
    for output in range(3):
        alone = regression_scores(predictions[:, output], references[:, output], measures=MEASURES)
        assert {name: values[output] for name, values in found.items()} == alone


def test_a_mean_squared_error_is_rounded_once():
    # Residuals that are rounded, and then squared and rounded, miss this by a part in 2**53.
    predictions, references = [0.1, 0.7, 1e9], [0.3, 0.2, 1e9 + 0.3]
    expected = oracle(predictions, references)["mse"]
    assert regression_scores(predictions, references, measures=["mse"]) == {"mse": float(expected)}


@pytest.mark.parametrize("side", [-1, 0, 1])
def test_a_mean_near_a_half_is_rounded_to_the_right_side(side):
    # The mean absolute error lies halfway between two floats, or 2**-102 beside that.
    references, predictions = np.full(4096, 1.0), np.zeros(4096)
    references[0] += 2.0**-53 * 4096
    predictions[1] = -side * 2.0**-90
    expected = 1.0 + 2.0**-52 if side > 0 else 1.0
    assert regression_scores(predictions, references, measures="mae")["mae"] == expected


def test_all_blocks_are_checked_and_added():
    numbers = np.arange(29_000.0)
    with pytest.raises(ValueError, match=r"references\[28999\] is nan"):
        regression_scores(numbers, np.where(numbers == 28_999, np.nan, numbers), measures="mae")
    for references, score in ((numbers, 1.0), (numbers * 0, 1.0), (numbers * 0 + 7.0, 0.0)):
        predictions = references if score else references * 0
        assert regression_scores(predictions, references, measures="r2")["r2"] == score


def test_a_correlation_with_a_constant_has_no_influences():
    measures = ["mae", "pearson", "concordance", "r2"]
    for columns in (([2.0, 2.0, 2.0], [1.0, 2.0, 4.0]), ([1.0, 2.0, 4.0], [2.0, 2.0, 2.0])):
        found = regression_influences(*columns, measures=measures)
        assert "mae" in found
        assert "pearson" not in found
