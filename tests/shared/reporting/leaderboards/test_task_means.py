"""Intervals of mean ranks hold the true mean ranks, however many tasks there are."""

from itertools import combinations

import numpy as np
import pytest

from metric_commons.evaluation.results.comparisons import Pair, compare_pairs
from metric_commons.reporting.leaderboards.task_means import simultaneous_ranks

SYSTEMS = "xyz"


def ranks_of(scores):
    """The rank of each system, 1 for the best, equal ones sharing theirs."""
    return [
        1 + sum(rival > score for rival in scores) + (scores.count(score) - 1) / 2
        for score in scores
    ]


@pytest.mark.slow
@pytest.mark.parametrize("rates", [(0.5, 0.55, 0.6), (0.5, 0.5, 0.6)])
@pytest.mark.parametrize("number_of_tasks", [2, 15])
def test_the_intervals_cover(rates, number_of_tasks):
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(60):
        tasks = []
        for _ in range(number_of_tasks):
            rows = (rng.random((3, 60)) < np.array(rates)[:, None]).astype(float)
            columns = dict(zip(SYSTEMS, rows.tolist(), strict=True))
            pairs = [
                Pair(a, b, "m", "em", columns[a], columns[b]) for a, b in combinations(SYSTEMS, 2)
            ]
            means = {system: float(np.mean(column)) for system, column in columns.items()}
            tasks.append((compare_pairs(pairs), means))
        of_tasks = simultaneous_ranks(tasks, 0.95)
        covered += all(
            np.mean([task[system][0] for task in of_tasks])
            <= rank
            <= np.mean([task[system][1] for task in of_tasks])
            for system, rank in zip(SYSTEMS, ranks_of(rates), strict=True)
        )

    assert covered / 60 >= 0.95


def test_more_tasks_make_the_correction_stronger():
    rows = {"x": [1.0] * 9 + [0.0] * 31, "y": [0.0] * 40}  # 9 differences: p = 1/256
    pairs = compare_pairs([Pair("x", "y", "m", "em", rows["x"], rows["y"])])
    task = pairs, {"x": 9 / 40, "y": 0.0}

    assert simultaneous_ranks([task] * 12, 0.95)[0] == {"x": [1, 1], "y": [2, 2]}
    assert simultaneous_ranks([task] * 13, 0.95)[0] == {"x": [1, 2], "y": [1, 2]}
    assert simultaneous_ranks([task] * 13, 0.9)[0] == {"x": [1, 1], "y": [2, 2]}
    assert simultaneous_ranks([task], 0.95, is_lower_better=True)[0]["y"] == [1, 1]
