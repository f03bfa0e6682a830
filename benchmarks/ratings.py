"""Ratings beside evalica. Prints ratios of CPU time.

    python benchmarks/ratings.py [VOTES]

1,500,000 votes between 150 systems in lists of texts, a quarter of them ties. Evalica takes
verdicts as members of an enumeration, which are looked up for it as for us. It returns strengths
alone; ours are with errors, intervals and ranks where a line says so. Both run in one thread and
are checked against each other.
"""

import math
import sys

import evalica
import numpy as np
from _measure import ratio

from metric_commons import load

SYSTEMS = 150


def votes(size):
    """Columns of votes: two systems and a verdict."""
    chance = np.random.default_rng(0)
    strengths = chance.normal(0, 0.7, SYSTEMS)
    first = chance.integers(0, SYSTEMS, size)
    second = (first + chance.integers(1, SYSTEMS, size)) % SYSTEMS
    wins = chance.random(size) < 1 / (1 + np.exp(strengths[second] - strengths[first]))
    verdicts = np.where(chance.random(size) < 0.25, "tie", np.where(wins, "model_a", "model_b"))
    names = [f"system-{number:03d}" for number in range(SYSTEMS)]
    return {
        "model_a": [names[number] for number in first.tolist()],
        "model_b": [names[number] for number in second.tolist()],
        "winner": verdicts.tolist(),
    }


def main(size=1_500_000):
    metric, columns = load("pairwise_ranking"), votes(size)
    winners = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}

    def theirs():
        return columns["model_a"], columns["model_b"], [winners[w] for w in columns["winner"]]

    scores = evalica.bradley_terry(*theirs(), tolerance=1e-13, limit=10_000).scores
    logarithms = np.log(scores.to_numpy())
    expected = 1000 + 400 / math.log(10) * (logarithms - logarithms.mean())
    ratings = metric.compute(**columns)["ratings"]
    assert np.allclose([ratings[name] for name in scores.index], expected, atol=1e-6, rtol=0)

    rows = [
        ("Bradley-Terry", {}, lambda: evalica.bradley_terry(*theirs())),
        (
            "Bradley-Terry with intervals, evalica without",
            {"confidence_level": 0.95},
            lambda: evalica.bradley_terry(*theirs()),
        ),
        ("Davidson", {"ties": "davidson"}, lambda: evalica.newman(*theirs())),
        ("Elo", {"method": "elo"}, lambda: evalica.elo(*theirs())),
    ]
    for title, options, peer in rows:
        ratio(title, lambda options=options: metric.compute(**columns, **options), peer)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
