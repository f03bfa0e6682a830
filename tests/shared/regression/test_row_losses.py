"""Mean losses, from sums that are rounded once."""

import math
from unittest.mock import patch

import numpy as np
import pytest
from sklearn.metrics import d2_pinball_score

from metric_commons.regression import row_losses as row_losses_module
from metric_commons.regression.errors import regression_scores
from metric_commons.regression.measure_names import parse_measures
from metric_commons.regression.row_losses import mean_losses, row_losses
from tests.tables import tabled

NAMES = ["msle", "pinball(alpha=0.9)", "poisson_deviance", "gamma_deviance", "tweedie(power=1.5)"]


@pytest.mark.long
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
    expected = math.fsum(losses) / 3_000
    if weighted:
        expected = math.fsum(losses * weights) / math.fsum(weights)
    found = regression_scores(predictions, references, measures=name, sample_weight=weights)
    assert found == {name: expected}


MANY = tabled(__file__, "MANY")


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize(("rows", "block"), [(2_048, 512), (2_559, 512), (2_561, 512), (60, 1)])
def test_losses_do_not_depend_on_blocks_and_order(name, rows, block):
    rng = np.random.default_rng([MANY.index(name), rows])
    predictions, references = rng.gamma(2, 1, (2, rows, 2))
    if name not in ("gamma_deviance", "tweedie(power=3.5)"):
        references[::7] = 0
    options = {"measures": name, "multioutput": "raw_values"}
    expected = regression_scores(predictions, references, **options)
    with patch.object(row_losses_module, "_BLOCK", block):
        assert regression_scores(predictions, references, **options) == expected
        assert regression_scores(predictions[::-1], references[::-1], **options) == expected


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("column", ["predictions", "references"])
def test_numbers_that_are_not_finite_are_named_before_others(name, column, wrong):
    columns = {"predictions": np.ones(4_000), "references": np.ones(4_000)}
    columns[column][3_999] = wrong
    columns["predictions"][2] = -2.0  # not in the domain of many
    with pytest.raises(ValueError, match=rf"{column}\[3999\] is {wrong}; every row needs a finite"):
        regression_scores(**columns, measures=name)


@pytest.mark.parametrize(
    ("name", "column", "number"),
    [("poisson_deviance", "references", -1.0), ("gamma_deviance", "predictions", 0.0)],
)
def test_a_number_outside_the_domain_is_named_in_a_later_block(name, column, number):
    columns = {"predictions": np.ones(4_000), "references": np.full(4_000, 2.0)}
    columns[column][3_999] = number
    with (
        patch.object(row_losses_module, "_BLOCK", 512),
        pytest.raises(ValueError, match=rf"{column}\[3999\] is {number}; for '{name}' each"),
    ):
        regression_scores(**columns, measures=name)


def test_a_mean_is_finite_where_a_sum_is_not():
    losses = np.array([[1e308, 1.5e308, 1.7e308]])
    assert mean_losses(losses, None) == [1.4e308]
    assert mean_losses(losses, np.array([0.5, 0.5, 0.0])) == [1.25e308]


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.25, 1 / 3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("errors", [[0, 0, 0, 0], [0, -1, 0, 1], [-1, -1, 0, -1], [1, 0, 2, 1]])
def test_shares_of_quantile_losses_are_those_of_the_peer(alpha, errors):
    references = [1.0, 3.0, 4.0, 9.0]
    predictions = [value + error for value, error in zip(references, errors, strict=True)]
    name = f"d2_pinball(alpha={alpha})"
    expected = d2_pinball_score(references, predictions, alpha=alpha)
    found = regression_scores(predictions, references, measures=name)
    assert found == {name: pytest.approx(expected)}
