"""Boards over tasks: points, and ranks that hold for all systems at once."""

import math
import random
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from metric_commons.reporting.leaderboards.score_tables import ScoreTable
from metric_commons.reporting.leaderboards.task_means import task_means


def table(scores, errors=math.nan, *, lower=False, rows=math.nan, pairs=None):
    scores = np.array(scores, np.float64)
    systems, tasks = (
        [f"{letter}{n}" for n in range(size)]
        for letter, size in zip("st", scores.shape, strict=True)
    )
    known = [np.broadcast_to(np.asarray(each, np.float64), scores.shape) for each in (errors, rows)]
    return ScoreTable(systems, tasks, scores, [lower] * len(tasks), *known, pairs=pairs)


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
        rates = board(table(scores, lower=lower), "win_rate", gaps="worst")
        assert [rates[f"s{n}"]["value"] for n in range(shape[0])] == pytest.approx(
            borda / (shape[0] - 1) / shape[1]
        )


def test_a_third_system_may_turn_the_order():
    two = [[0.9, 0.9, 0.1], [0.8, 0.8, 0.8]]
    first, second = (board(table(each), "borda") for each in (two, [*two, [0.85, 0.85, 0.05]]))

    assert first["s0"]["borda"] > first["s1"]["borda"]
    assert second["s0"]["borda"] > second["s1"]["borda"]
    third = board(table([*two, [0.1, 0.1, 0.5]]), "borda")
    assert third["s0"]["borda"] == third["s1"]["borda"] == 4


def test_more_tasks_make_the_correction_stronger():
    p_values = np.array([[1, 1 / 256], [1 / 256, 1]])

    def ranks(tasks, level):
        scores = [[9 / 40] * tasks, [0.0] * tasks]
        pairs = [(p_values, p_values)] * tasks
        found = board(table(scores, pairs=pairs), "borda", confidence_level=level)
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
    pooled = board(table(scores, errors, rows=[300, 100]), "rows")["s0"]
    assert pooled["value"] == pytest.approx(0.75 * 0.8 + 0.25 * 0.6)
    high = pooled["confidence_interval"][1]
    assert high - 0.75 == pytest.approx(z * errors * math.hypot(0.75, 0.25))


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


def test_a_sample_of_tasks_is_compared_by_sign_flips_of_all_pairs_together():
    rng = np.random.default_rng(1)
    scores = rng.random((4, 8)) * 0.3 + np.array([[0.5], [0.45], [0.3], [0.1]])
    pairs = [*combinations(range(4), 2)]
    differences = np.array([scores[a] - scores[b] for a, b in pairs])
    differences /= np.sqrt(np.square(differences).sum(axis=1, keepdims=True))
    signs = np.array([*product((-1, 1), repeat=8)])
    largest = np.abs(signs @ differences.T).max(axis=1)
    p_values = [(largest >= abs(row.sum()) - 1e-12).mean() for row in differences]
    assert min(abs(p - 0.05) for p in p_values) > 0.02  # far from the level, beyond draws
    better, worse = ([0] * 4 for _ in range(2))
    for (a, b), p in zip(pairs, p_values, strict=True):
        if p < 0.05:
            first, second = (a, b) if scores[a].mean() > scores[b].mean() else (b, a)
            worse[first] += 1
            better[second] += 1
    found = board(table(scores), "tasks", sampled=True)

    assert any(better)
    assert [found[f"s{n}"]["rank_interval"] for n in range(4)] == [
        [1 + up, 4 - down] for up, down in zip(better, worse, strict=True)
    ]
    cautious = board(table(scores), "borda", sampled=True, assume="nothing")
    assert cautious["s0"]["rank_interval"][1] >= found["s0"]["rank_interval"][1]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((table([[0.5] * 5]), "tasks"), {"sampled": True}, "at least 6; there are 5"),
        ((table([[0.5, math.nan], [math.nan, 0.5]]), "borda"), {}, "no model has all 2 tasks"),
        ((table([[0.5]]), "rows"), {}, "needs the number of rows of every task"),
        ((table([[0.5], [0.5]], rows=[[9], [8]]), "rows"), {}, "systems have 8 and 9 rows of t0"),
    ],
)
def test_what_has_no_board(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        task_means(*arguments, **options)


@pytest.mark.parametrize("assume", ["exchangeable", "nothing"])
def test_percentages_are_compared_as_proportions_are(assume):
    scores = np.round(np.random.default_rng(2).random((3, 9)), 4)
    scores[0] = np.minimum(scores[0] + 0.5, 0.999)
    shares, percentages = (
        board(table(unit * scores), "tasks", sampled=True, assume=assume) for unit in (1, 100)
    )

    for system, each in shares.items():
        assert percentages[system]["rank_interval"] == each["rank_interval"]
        for name in ("value", "confidence_interval"):
            assert np.divide(percentages[system][name], 100) == pytest.approx(each[name])


def test_scores_without_bounds_cannot_be_compared_assuming_nothing():
    unbounded = table([[101.0] * 6, [50.0] * 6])

    assert board(unbounded, "tasks", sampled=True)
    with pytest.raises(ValueError, match="from 0 to 1, or percentages from 0 to 100"):
        task_means(unbounded, "tasks", sampled=True, assume="nothing")
