import math
import random

import pytest
from scipy import stats

from metric_commons.reporting.leaderboards.task_ranks import task_ranks


def draw_tasks(seed):
    """Scores of systems on tasks, with ties and missing scores."""
    chance = random.Random(seed)
    systems = [f"m{i}" for i in range(chance.randrange(1, 7))]
    return [
        {
            system: math.nan if chance.random() < 0.15 else chance.choice((0.1, 0.2, 0.3, 0.7))
            for system in systems
            if chance.random() < 0.9
        }
        for _ in range(chance.randrange(1, 6))
    ]


def test_ranks_are_those_of_scipy():
    for seed in range(60):
        tasks = draw_tasks(seed)
        lower = [seed % 2 == 1] * len(tasks)
        found = task_ranks(tasks, lower)
        systems = {system for task in tasks for system in task}
        borda, rates = dict.fromkeys(systems, 0.0), {system: [] for system in systems}
        for task, is_lower in zip(tasks, lower, strict=True):
            present = {system: score for system, score in task.items() if score == score}
            values = [score if is_lower else -score for score in present.values()]
            for system, rank in zip(present, stats.rankdata(values), strict=True):
                borda[system] += len(systems) - rank
                if len(present) > 1:
                    rates[system].append((len(present) - rank) / (len(present) - 1))

        assert found.keys() == systems
        for system, ranks in found.items():
            mean = sum(rates[system]) / len(rates[system]) if rates[system] else math.nan
            assert ranks.borda == pytest.approx(borda[system])
            assert ranks.mean_win_rate == pytest.approx(mean, nan_ok=True)
            assert ranks.borda_rank == 1 + sum(b > borda[system] + 1e-9 for b in borda.values())


def test_a_third_system_may_turn_the_order():
    two = [{"a": 0.9, "b": 0.8}, {"a": 0.9, "b": 0.8}, {"a": 0.1, "b": 0.8}]
    three = [task | {"c": score} for task, score in zip(two, (0.1, 0.1, 0.5), strict=True)]
    ranks, with_third = task_ranks(two), task_ranks(three)

    assert ranks["a"].borda > ranks["b"].borda
    assert with_third["a"].borda < with_third["b"].borda + 1
    assert with_third["b"].borda == with_third["a"].borda
