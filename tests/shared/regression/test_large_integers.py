"""Integers that a float64 cannot hold, such as times in nanoseconds: nothing is rounded."""

import mpmath
import numpy as np
import pytest

from metric_commons.regression.errors import regression_scores
from tests.tables import tabled

OFFSETS = [2**53 + 1, 1_700_000_000_000_000_000, 2**62, -(2**61) - 1]
SHIFTED = (  # measures that do not change if both columns are shifted
    *("mae", "mse", "rmse", "r2", "median_ae", "max_error", "explained_variance", "pearson"),
    *("concordance", "kendall", "spearman", "pinball(alpha=0.9)", "tweedie(power=0)"),
    *("d2_absolute_error", "d2_pinball(alpha=0.9)", "d2_tweedie(power=0)"),
)
OF_INTERVALS = ("coverage", "interval_width", "winkler(alpha=0.1)")
OPTIONS = tabled(__file__, "OPTIONS")
NEAR = np.array([2, 3, 4, 7, 1]), np.array([1, 3, 5, 10, 2])


def numbers(result):
    """The numbers of a result."""
    if isinstance(result, dict):
        return [number for value in result.values() for number in numbers(value)]
    if isinstance(result, list):
        return [number for value in result for number in numbers(value)]
    return [result] if isinstance(result, float) else []


def measures_for(options, names):
    ranked = {"kendall", "spearman"} if "sample_weight" in options else set()
    return [name for name in names if name not in ranked]


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("options", OPTIONS[:2])
def test_scores_are_those_of_the_distances_from_an_offset(options, offset):
    measures = measures_for(options, SHIFTED)

    near = regression_scores(*NEAR, measures=measures, **options)
    far = regression_scores(*(offset + column for column in NEAR), measures=measures, **options)

    assert far == near


@pytest.mark.long
@pytest.mark.parametrize("options", OPTIONS[2:])
def test_intervals_are_those_of_the_distances_from_an_offset(options):
    measures = measures_for(options, SHIFTED)

    near = regression_scores(*NEAR, measures=measures, **options)
    far = regression_scores(*(2**62 + column for column in NEAR), measures=measures, **options)

    assert numbers(far) == pytest.approx(numbers(near), rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("options", OPTIONS)
def test_prediction_intervals_are_those_of_the_distances_from_an_offset(options, offset):
    predictions = np.array([[0, 1], [3, 3], [0, 5], [0, 9], [3, 4]])

    near = regression_scores(predictions, NEAR[1], measures=OF_INTERVALS, **options)
    far = regression_scores(
        offset + predictions, offset + NEAR[1], measures=OF_INTERVALS, **options
    )

    assert numbers(far) == pytest.approx(numbers(near), rel=0, abs=0, nan_ok=True)
    assert 0 < near["coverage"] < 1


def test_many_rows_and_several_outputs_are_those_of_the_distances():
    chance = np.random.default_rng(0)
    near = chance.integers(-50, 50, (2, 1_500, 2))
    measures = [name for name in SHIFTED if name != "kendall"]

    result = regression_scores(*(2**60 + near), measures=measures, multioutput="raw_values")

    assert result == regression_scores(*near, measures=measures, multioutput="raw_values")


def test_rows_without_an_error_have_the_interval_of_their_distances():
    ends = [
        regression_scores(column, column, measures="mae", confidence_level=0.9)
        for column in (NEAR[1], 2**62 + NEAR[1])
    ]
    assert ends[0] == ends[1]


DEVIANCES = {
    "poisson_deviance": lambda p, r: 2 * (r * mpmath.log(r / p) - r + p),
    "gamma_deviance": lambda p, r: 2 * (r / p - 1 - mpmath.log(r / p)),
    "msle": lambda p, r: (mpmath.log1p(r) - mpmath.log1p(p)) ** 2,
}


@pytest.mark.parametrize("name", ["poisson_deviance", "gamma_deviance", "msle"])
@pytest.mark.parametrize("spread", [2, 1_000, 2**40, 2**58])
@pytest.mark.parametrize("lowest", [2**53 + 1, 2**60, 2**62 + 7])
def test_losses_are_those_of_sixty_digits(name, spread, lowest):
    chance = np.random.default_rng([spread, lowest])
    predictions, references = lowest + chance.integers(0, spread, (2, 5), endpoint=True)
    with mpmath.workdps(60):
        rows = [
            tuple(map(mpmath.mpf, row))
            for row in zip(predictions.tolist(), references.tolist(), strict=True)
        ]
        loss = mpmath.fsum(DEVIANCES[name](*row) for row in rows) / 5
        mean = mpmath.fsum(r for _, r in rows) / 5
        constant = mpmath.fsum(DEVIANCES[name](mean, r) for _, r in rows) / 5
        expected = {name: float(loss)}
        if name != "msle":
            power = 1 if name == "poisson_deviance" else 2
            expected[f"d2_tweedie(power={power})"] = float(1 - loss / constant)

    result = regression_scores(predictions, references, measures=list(expected))

    assert result == pytest.approx(expected, rel=1e-12)
