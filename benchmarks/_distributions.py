"""Distributions of scores, and how often intervals contain the true mean of a distribution.

All distributions are made up, but similar to those of benchmarks: F1 of short answers with many
zeros and ones, saturated and hopeless ones, proportions of 8 samples, scores that hardly vary,
clusters that succeed or fail as a whole.
"""

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np


class Cell(NamedTuple):
    """The intervals of one distribution: how often they contain the mean, and their width."""

    coverage: float
    above: float  # the proportion of intervals above the mean
    below: float
    width: float
    runs: int

    def reaches(self, attainable):
        """Whether the coverage may well be `attainable`: three standard errors are for chance."""
        return (
            self.coverage + 3 * math.sqrt(attainable * (1 - attainable) / self.runs) >= attainable
        )


def cell(intervals, truth):
    """The cell of intervals, shape (runs, 2), for the true mean."""
    low, high = np.asarray(intervals, float).T
    above, below = float(np.mean(low > truth + 1e-12)), float(np.mean(high < truth - 1e-12))
    return Cell(1 - above - below, above, below, float(np.mean(high - low)), len(low))


def exact_cells(intervals, trials, shares):
    """The coverage of intervals of 0, 1, ..., `trials` successes for each true share, exactly."""
    successes = np.arange(trials + 1)
    log_choices = np.array(
        [
            math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
            for k in successes
        ]
    )
    share = np.asarray(shares)[:, None]
    distribution = np.exp(
        log_choices + successes * np.log(share) + (trials - successes) * np.log1p(-share)
    )
    low, high = np.asarray(intervals, float).T
    return (distribution * ((low <= share) & (share <= high))).sum(axis=1), distribution @ (
        high - low
    )


# Scores of rows: each distribution is a large sample, whose mean is the truth.


def _short_answers(rng, zeros, ones, size):
    """F1 of short answers: so many 0 and 1, and fractions of few tokens between."""
    predicted, accepted = rng.integers(1, 8, size), rng.integers(1, 6, size)
    overlap = rng.binomial(np.minimum(predicted, accepted), 0.6)
    between = 2 * overlap / (predicted + accepted)
    kind = rng.random(size)
    return np.where(kind < zeros, 0.0, np.where(kind < zeros + ones, 1.0, between))


def score_distributions(size=20_000):
    """Large samples of scores from 0 to 1, by name."""
    rng = np.random.default_rng(0)
    return {
        "F1 .5": _short_answers(rng, 0.3, 0.3, size),
        "F1 .9": _short_answers(rng, 0.05, 0.8, size),
        "F1 .98": _short_answers(rng, 0.01, 0.96, size),
        "F1 .06": _short_answers(rng, 0.88, 0.02, size),
        "MRR .97": 1 / np.where(rng.random(size) < 0.95, 1, rng.integers(1, 6, size)),
        "pass@1 of 8": rng.binomial(8, rng.beta(0.3, 0.9, size)) / 8,
        "beta(40, 60)": rng.beta(40, 60, size),
        "beta(8, .2)": rng.beta(8, 0.2, size),
    }


def difference_distributions(size=20_000):
    """Large samples of differences of two systems, by name."""
    rng = np.random.default_rng(1)
    hard = rng.beta(0.5, 0.5, size)
    a, b = (rng.random((2, size)) < hard).astype(float)
    skill = rng.beta(2, 2, size)
    first, second = (np.clip(skill + rng.normal(shift, 0.15, size), 0, 1) for shift in (0.05, 0))
    return {
        "0/1, a third differs": a - b,
        "0/1, 4 % differ": np.where(rng.random(size) < 0.12, a - b, 0.0),
        "F1": _short_answers(rng, 0.25, 0.35, size) - _short_answers(rng, 0.3, 0.3, size),
        "nDCG": first - second,
        "wins and ties": rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], size, p=[0.1, 0.1, 0.4, 0.2, 0.2]),
    }


# Clusters of 0/1 rows


def lognormal_sizes(clusters, mean):
    """Sizes of unlike clusters, whose logarithms are quantiles of the normal distribution."""
    normal = NormalDist()
    sizes = np.exp([normal.inv_cdf((rank + 0.5) / clusters) for rank in range(clusters)])
    return np.maximum(1, np.rint(sizes / sizes.mean() * mean)).astype(int)


CLUSTERS = {
    "5 of 20": np.full(5, 20),
    "10 of 10": np.full(10, 10),
    "30 of 10": np.full(30, 10),
    "100 of 5": np.full(100, 5),
    "50, lognormal": lognormal_sizes(50, 10),
    "half in 1 of 20": np.append(95, np.full(19, 5)),
}
SHARES = {
    "p .5, icc 0": (0.5, 0.0),
    "p .5, icc .2": (0.5, 0.2),
    "p .8, icc .5": (0.8, 0.5),
    "p .95, icc .05": (0.95, 0.05),
    "p .95, icc .2": (0.95, 0.2),
    "p .95, icc .8": (0.95, 0.8),
}


def clustered_rows(rng, sizes, share, icc):
    """0/1 rows and the cluster of each: beta-binomial clusters with an intraclass correlation."""
    chances = np.full(len(sizes), share)
    if icc:
        strength = 1 / icc - 1
        chances = rng.beta(share * strength, (1 - share) * strength, len(sizes))
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return (rng.random(labels.size) < chances[labels]).astype(float), labels
