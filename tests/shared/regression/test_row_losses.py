"""Mean losses, from sums that are rounded once."""

import math

import numpy as np
import pytest
from sklearn.metrics import d2_pinball_score

from metric_commons.regression.measure_names import parse_measures
from metric_commons.regression.pairs import Pairs
from metric_commons.regression.row_losses import loss_values, mean_losses, row_losses

NAMES = ["msle", "pinball(alpha=0.9)", "poisson_deviance", "gamma_deviance", "tweedie(power=1.5)"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_mean_is_that_of_the_losses_of_rows(name, weighted):
    rng = np.random.default_rng(0)
    predictions, references = rng.gamma(2, 1, (2, 3_000))
    weights = rng.random(3_000) if weighted else None
    (measure,) = parse_measures([name])
    losses = [
        row_losses(measure, *pair)[0, 0]
        for pair in zip(predictions.reshape(-1, 1, 1), references.reshape(-1, 1, 1), strict=True)
    ]
    pairs = Pairs(predictions, references, weights)
    if not weighted:
        expected = math.fsum(losses) / 3_000
    else:
        expected = math.fsum(losses * pairs.weights) / math.fsum(pairs.weights)
    assert loss_values(measure, pairs) == [expected]


def test_a_mean_is_finite_where_a_sum_is_not():
    losses = np.array([[1e308, 1.5e308, 1.7e308]])
    assert mean_losses(losses, None) == [1.4e308]
    assert mean_losses(losses, np.array([0.5, 0.5, 0.0])) == [1.25e308]


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.25, 1 / 3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("errors", [[0, 0, 0, 0], [0, -1, 0, 1], [-1, -1, 0, -1], [1, 0, 2, 1]])
def test_shares_of_quantile_losses_are_those_of_the_peer(alpha, errors):
    references = [1.0, 3.0, 4.0, 9.0]
    predictions = [value + error for value, error in zip(references, errors, strict=True)]
    (measure,) = parse_measures([f"d2_pinball(alpha={alpha})"])
    expected = d2_pinball_score(references, predictions, alpha=alpha)
    assert loss_values(measure, Pairs(predictions, references)) == pytest.approx([expected])
