"""Boards over tasks: points, and ranks that hold for all systems at once."""

import math
import random

import numpy as np
import pytest
from scipy import stats

from metric_commons.reporting.leaderboards.score_tables import ScoreTable
from metric_commons.reporting.leaderboards.task_means import task_means


def table(scores, errors=math.nan, *, lower=False):
    scores = np.array(scores, np.float64)
    systems, tasks = (
        [f"{letter}{n}" for n in range(size)]
        for letter, size in zip("st", scores.shape, strict=True)
    )
    known = np.broadcast_to(np.asarray(errors, np.float64), scores.shape)
    return ScoreTable(systems, tasks, scores, known, lower)


def board(*arguments, **options):
    means, _ = task_means(*arguments, **options)
    return {each["system"]: each for each in means.records()}


def test_points_are_those_of_scipy():
    for seed in range(40):
        chance = random.Random(seed)
        shape = chance.randrange(2, 7), chance.randrange(1, 6)
        scores = [
            [
                math.nan if task and chance.random() < 0.2 else chance.choice((0.1, 0.2, 0.7))
                for task in range(shape[1])
            ]
            for _ in range(shape[0])
        ]
        lower = seed % 2 == 1
        borda = np.zeros(shape[0])
        for column in np.array(scores).T:
            there = ~np.isnan(column)
            ranks = stats.rankdata(column[there] if lower else -column[there])
            borda[there] += shape[0] - ranks
        found = board(table(scores, lower=lower), "borda", gaps="worst")

        assert [found[f"s{n}"]["borda"] for n in range(shape[0])] == borda.tolist()
        assert {each["borda_rank"] for each in found.values()} == {
            1 + int((borda > value).sum()) for value in borda
        }


def test_a_third_system_may_turn_the_order():
    two = [[0.9, 0.9, 0.1], [0.8, 0.8, 0.8]]
    first, second = (board(table(each), "borda") for each in (two, [*two, [0.85, 0.85, 0.05]]))

    assert first["s0"]["borda"] > first["s1"]["borda"]
    assert second["s0"]["borda"] > second["s1"]["borda"]
    third = board(table([*two, [0.1, 0.1, 0.5]]), "borda")
    assert third["s0"]["borda"] == third["s1"]["borda"] == 4


def test_more_tasks_make_the_correction_stronger():
    # The difference of two errors of 1, 2.885 of its own errors, has the p-value 1/256.
    errors = 1.0
    difference = stats.norm.isf(1 / 512) * math.sqrt(2)

    def ranks(tasks, level):
        scores = [[difference] * tasks, [0.0] * tasks]
        found = board(table(scores, errors), "borda", confidence_level=level)
        return found["s0"]["rank_interval"]

    assert ranks(12, 0.95) == [1, 1]
    assert ranks(13, 0.95) == [1, 2]
    assert ranks(13, 0.9) == [1, 1]


def test_means_have_the_interval_and_the_ranks_of_a_normal_test():
    scores, errors = [[0.8, 0.6], [0.7, 0.6], [0.5, 0.5]], 0.02
    found = board(table(scores, errors), "tasks")
    z = stats.norm.ppf(0.975)

    assert found["s0"]["confidence_interval"] == pytest.approx(
        [0.7 - z * errors / math.sqrt(2), 0.7 + z * errors / math.sqrt(2)]
    )
    # The difference .05 has the error .02; its p-value, .0124, is multiplied by three.
    assert [each["rank_interval"] for each in found.values()] == [[1, 1], [2, 2], [3, 3]]
    assert board(table(scores, 0.021), "tasks")["s0"]["rank_interval"] == [1, 2]


def test_rows_bound_the_errors_of_proportions_and_lower_is_better():
    found = board(table([[5.0, 6.0], [7.0, 8.0], [6.9, 7.9]], 0.1, lower=True), "tasks")

    assert [*found] == ["s0", "s2", "s1"]
    assert [each["rank"] for each in found.values()] == [1, 2, 2]
    assert [each["letters"] for each in found.values()] == ["a", "b", "b"]


def test_ranks_ascend_although_errors_differ():
    """The third cannot be told apart from the best, but the second can."""
    errors = np.array([[0.01], [0.01], [0.2]])
    found = board(table([[0.747], [0.680], [0.678]], errors), "tasks")

    assert [each["rank_interval"] for each in found.values()] == [[1, 2], [2, 3], [1, 3]]
    assert [each["rank"] for each in found.values()] == [1, 2, 2]


def test_no_board_of_systems_that_all_lack_a_task():
    with pytest.raises(ValueError, match="no model has all 2 tasks"):
        task_means(table([[0.5, math.nan], [math.nan, 0.5]]), "borda")
