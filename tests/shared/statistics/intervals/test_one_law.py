"""The p-value and the interval of a comparison follow from one law, so they never disagree."""

import numpy as np
import pytest

from metric_commons.statistics import compare

DIFFERENCES = {
    "wins and losses": lambda rng, n: rng.choice([-1.0, 0.0, 1.0], n, p=[0.2, 0.5, 0.3]),
    "eighths": lambda rng, n: (rng.integers(1, 9, n) - rng.integers(0, 8, n)) / 8,
    "smooth": lambda rng, n: np.clip(rng.normal(0.08, 0.3, n), -1, 1),
    "like F1": lambda rng, n: rng.beta(0.3, 0.4, n) - rng.beta(0.35, 0.4, n),
    "rarely much worse": lambda rng, n: np.where(rng.random(n) < 0.05, -0.95, 0.05),
    "mostly equal": lambda rng, n: np.where(rng.random(n) < 0.5, 0, 0.02) * rng.choice([1, -9], n),
    "some partial credit": lambda rng, n: (
        np.where(rng.random(n) < 0.1, rng.random(n), rng.random(n) < 0.6) - (rng.random(n) < 0.5)
    ),
}
SIZES = 3, 8, 15, 25, 31, 40, 60, 100, 200


@pytest.mark.parametrize(
    "draws", [pytest.param(14, marks=pytest.mark.long), pytest.param(1430, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", DIFFERENCES)
def test_p_is_below_the_level_exactly_if_the_interval_excludes_0(name, draws):
    rng = np.random.default_rng(sorted(DIFFERENCES).index(name))
    significant = 0
    for number in range(draws):
        rows = SIZES[number % len(SIZES)]
        differences = DIFFERENCES[name](rng, rows)
        new = np.clip(differences, 0, 1)
        clusters = rng.integers(0, max(2, rows // 3), rows).tolist() if number % 5 == 4 else None
        for assume in ("exchangeable", "nothing"):
            result = compare(new, new - differences, assume=assume, clusters=clusters)
            low, high = result["confidence_interval"]
            assert (result["p_value"] < 0.05) == (low > 0 or high < 0), (rows, assume, result)
            significant += result["p_value"] < 0.05
    assert 0 < significant < 2 * draws


def test_ends_that_are_approximated_stay_on_the_side_that_was_counted():
    # p is .0501, counted; the approximation, on its own, would leave 0 outside the interval.
    odd = [-0.247, 0.721, 0.941]
    differences = np.repeat([-1.0, 0.0, 1.0, *odd], [10, 27, 20, 1, 1, 1])
    result = compare(np.clip(differences, 0, 1), np.clip(-differences, 0, 1))
    assert (result["test"], result["confidence_interval"][0]) == ("sign_flip_exact", 0.0)
    assert 0.05 < result["p_value"] < 0.0502


@pytest.mark.parametrize("rows", range(34, 40))
def test_a_loss_of_rounding_size_beside_wins(rows):
    wins = np.append(np.random.default_rng(0).random(rows), 0.0)
    wins *= 0.5 / wins.sum()
    losses = np.append(np.zeros(rows), 1e-17)
    result = compare(wins, losses)
    assert result["p_value"] == 2.0 ** (1 - rows)
    assert result["confidence_interval"][0] > 0
