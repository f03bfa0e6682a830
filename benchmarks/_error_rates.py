"""How often tests of two or many systems err, and how often they find what is there."""

import math

import numpy as np
from _paired import p_of
from scipy import stats

from metric_commons.statistics import interval
from metric_commons.statistics.tests.corrections import adjusted

ALPHA = 0.05
TESTS = ("permutation", "t", "wilcoxon")
TESTS_OF_SHARES = (*TESTS, "mcnemar")


def p_of_test(differences, test, clusters=None):
    """The p-value of a test; that of the bootstrap is 0 or 1: whether 0 lies outside its interval.

    That was how intervals were read, and is here to be measured beside.
    """
    if test == "bootstrap":
        low, high, *_ = interval(differences, method="bootstrap", bounds=(-1, 1), n_resamples=500)
        return float(low <= 0 <= high)
    return p_of(differences, test=test, clusters=clusters)


def samples(rng, distribution, rows, runs, signs):
    """Samples of a distribution of differences; with random signs neither system is better."""
    drawn = distribution[rng.integers(0, distribution.size, (runs, rows))]
    return drawn * rng.choice([-1.0, 1.0], drawn.shape) if signs else drawn


def rejections(differences, test):
    """The share of samples in which the test is significant."""
    return float(np.mean([p_of_test(sample, test) < ALPHA for sample in differences]))


def mcnemar_rate(rows, discordant, wins):
    """The share of samples in which McNemar's exact test is significant, exactly.

    Of so many rows each is discordant with one probability, and then a win with another.
    """
    rate = 0.0
    for number in range(1, rows + 1):
        chance = stats.binom.pmf(number, rows, discordant)
        if chance < 1e-9:
            continue
        for won in range(number + 1):
            differences = np.repeat([1.0, -1.0], [won, number - won])
            weight = chance * stats.binom.pmf(won, number, wins)
            rate += weight * (p_of_test(differences, "mcnemar") < ALPHA)
    return rate


def cluster_rejections(rng, clusters, size, share, runs):
    """The shares of samples in which tests are significant though no system is better.

    Of rows alone, of cluster sums with flipped signs, and of the cluster-robust t-test. `share` is
    that of the variance that lies between clusters.
    """
    labels = np.repeat(np.arange(clusters), size).tolist()
    tests = (("permutation", None), ("permutation", labels), ("t", labels))
    hits = np.zeros(len(tests))
    for _ in range(runs):
        between = np.repeat(rng.normal(0, math.sqrt(share), clusters), size)
        differences = between + rng.normal(0, math.sqrt(1 - share), clusters * size)
        hits += [p_of_test(differences, test, given) < ALPHA for test, given in tests]
    return (hits / runs).tolist()


def systems(rng, rows, equal, unlike):
    """Scores of so many equal systems and of others that are better, on the same rows."""
    skill = rng.beta(2, 2, rows)
    shifts = np.append(np.zeros(equal), np.linspace(0.05, 0.15, unlike))
    return np.clip(skill + shifts[:, None] + rng.normal(0, 0.2, (equal + unlike, rows)), 0, 1)


def family_errors(rng, rows, equal, unlike, runs, corrections):
    """The share of runs in which some two equal systems are told apart, by each correction."""
    pairs = [(a, b) for a in range(equal + unlike) for b in range(a)]
    null = [number for number, (a, _) in enumerate(pairs) if a < equal]
    hits = np.zeros(len(corrections))
    for _ in range(runs):
        scores = systems(rng, rows, equal, unlike)
        differences = np.array([scores[a] - scores[b] for a, b in pairs])
        p_values = [p_of(row) for row in differences]
        for number, correction in enumerate(corrections):
            hits[number] += adjusted(p_values, correction)[null].min() < ALPHA
    return (hits / runs).tolist()


def forty_systems(rows=400):
    """The differences of 780 pairs of systems that are all unlike, shape (780, rows)."""
    rng = np.random.default_rng(0)
    answers = np.choose(rng.integers(0, 3, rows), [rng.random(rows), 0.0, 1.0])
    scores = answers + rng.normal(0, 0.3, (40, rows)) + np.linspace(0, 0.4, 40)[:, None]
    return np.array([scores[a] - scores[b] for a in range(40) for b in range(a)])
