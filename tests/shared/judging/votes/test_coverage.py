"""95 % intervals of ratings and of correlations hold the truth, in simulations with a seed."""

import math

import numpy as np
import pytest
from scipy.special import expit

from metric_commons.judging import pairwise_ratings, ranking_agreement

pytestmark = pytest.mark.slow
DRAWS = 2_000
LOG = {"base": math.e, "scale": 1.0}


def rating_coverage(systems, votes, ties, draws, *, prompts=None):
    """How often intervals hold the rating, mean over systems, among samples with finite ratings."""
    random = np.random.default_rng(1)
    truth = np.linspace(1.0, -1.0, systems)
    first, second = np.triu_indices(systems, 1)
    names = [f"m{number:02d}" for number in range(systems)]
    hits = samples = 0
    for _ in range(draws):
        columns = np.repeat(first, votes), np.repeat(second, votes)
        difference = truth[columns[0]] - truth[columns[1]]
        options = {}
        if prompts:
            labels = random.integers(0, prompts, difference.size)
            effects = random.normal(0, 0.5, (prompts, systems))
            difference = difference + effects[labels, columns[0]] - effects[labels, columns[1]]
            options = {"clusters": labels.tolist()}
        wins = expit(difference)
        tied = ties * 2 * np.minimum(wins, 1 - wins)
        number = random.random(difference.size)
        points = np.where(number < tied, 0.5, np.where(number < wins + tied / 2, 1.0, 0.0))
        try:
            result = pairwise_ratings(
                [names[i] for i in columns[0]],
                [names[i] for i in columns[1]],
                points.tolist(),
                confidence_level=0.95,
                **LOG,
                **options,
            )
        except ValueError:  # no finite ratings, or too few prompts
            continue
        samples += 1
        ends = np.array([*result["confidence_interval"]["ratings"].values()]) - 1000.0
        hits += ((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean()
    return hits / samples


@pytest.mark.parametrize(
    ("systems", "votes", "ties"),
    [(2, 20, 0.3), (2, 100, 0.0), (5, 5, 0.3), (5, 20, 0.9), (10, 3, 0.0), (10, 20, 0.3)],
)
def test_ratings_are_covered(systems, votes, ties):
    assert rating_coverage(systems, votes, ties, DRAWS) >= 0.93


@pytest.mark.parametrize(("systems", "prompts"), [(4, 20), (4, 50), (8, 50)])
def test_ratings_of_votes_on_prompts_are_covered(systems, prompts):
    # The truth is a mean over prompts on the scale of log odds, which shrinks it a little; all
    # systems have truths near 0, where this does not matter.
    assert rating_coverage(systems, 15, 0.2, DRAWS // 4, prompts=prompts) >= 0.93


@pytest.mark.parametrize("systems", [6, 8, 20, 50])
@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9, 0.99])
def test_tau_and_spearman_are_covered(systems, correlation):
    random = np.random.default_rng(2)
    truth = {
        "kendall_tau_b": 2 / math.pi * math.asin(correlation),
        "pairwise_accuracy": 0.5 + math.asin(correlation) / math.pi,
    }
    hits = dict.fromkeys(truth, 0)
    for _ in range(DRAWS):
        x = random.standard_normal(systems)
        y = correlation * x + math.sqrt(1 - correlation**2) * random.standard_normal(systems)
        found = ranking_agreement(x, y, measures=[*truth], confidence_level=0.95)
        for name, value in truth.items():
            low, high = found["confidence_interval"][name]
            hits[name] += low <= value <= high
    assert min(hits.values()) / DRAWS >= 0.93
