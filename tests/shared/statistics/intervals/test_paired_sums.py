import itertools
import random
import tracemalloc

import numpy as np
import pytest
from metric_commons.statistics.tests.paired_sums import compare_sums, exchanged_sums

from metric_commons.statistics.intervals.sums import RowStatistics


def shares(sums):
    return {"share": sums["right"] / sums["all"], "all": int(sums["all"])}


def statistics(rows, names=("right", "all")):
    return RowStatistics(names, np.array(rows), shares, shares)


CHANCE = random.Random(4)
A = [[CHANCE.randrange(3, 9), 9] for _ in range(10)]
B = [[CHANCE.randrange(0, 8), 8] for _ in range(10)]


def exact_p(rows_a, rows_b):
    """The share of all exchanges that make a difference at least as great as the observed one."""

    def difference(exchanged):
        sides = [
            (b, a) if swap else (a, b) for a, b, swap in zip(rows_a, rows_b, exchanged, strict=True)
        ]
        right_a, all_a, right_b, all_b = (
            sum(side[system][column] for side in sides) for system in (0, 1) for column in (0, 1)
        )
        return right_a / all_a - right_b / all_b

    observed = abs(difference([False] * len(rows_a)))
    all_of_them = list(itertools.product([False, True], repeat=len(rows_a)))
    return sum(abs(difference(way)) >= observed - 1e-12 for way in all_of_them) / len(all_of_them)


@pytest.mark.long
@pytest.mark.parametrize("rows", [3, 6, 10])
def test_randomization_is_near_all_exchanges(rows):
    found = compare_sums(statistics(A[:rows]), statistics(B[:rows]), n_resamples=40_000)["share"]

    assert found["p_value"] == pytest.approx(exact_p(A[:rows], B[:rows]), abs=0.01)


def test_scores_and_their_difference():
    found = compare_sums(statistics(A), statistics(B), n_resamples=50)

    assert found.keys() == {"share"}
    score_a, score_b = (
        sum(right for right, _ in rows) / sum(total for _, total in rows) for rows in (A, B)
    )
    assert (found["share"]["A_mean"], found["share"]["B_mean"]) == (score_a, score_b)
    assert found["share"]["diff"] == score_a - score_b
    low, high = found["share"]["confidence_interval"]
    assert low < score_a - score_b < high


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_one_side_and_the_other(test):
    options = {"test": test, "n_resamples": 4_000, "confidence_level": None}
    a, b = statistics(A), statistics(B)
    greater = compare_sums(a, b, alternative="greater", **options)["share"]["p_value"]
    less = compare_sums(a, b, alternative="less", **options)["share"]["p_value"]

    turned = compare_sums(b, a, alternative="less", **options)["share"]["p_value"]

    assert greater < 0.2 < 0.8 < less
    assert greater == pytest.approx(turned, abs=0.02)


def test_equal_systems_do_not_differ():
    found = compare_sums(statistics(A), statistics(A), n_resamples=100)["share"]

    assert (found["diff"], found["p_value"]) == (0.0, 1.0)
    assert found["confidence_interval"] == [0.0, 0.0]


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
@pytest.mark.parametrize("clustered", [False, True])
def test_the_order_of_rows_does_not_show(test, clustered):
    clusters = ["c", "a", "c", "b", "b", "a", "d", "d", "e", "e"]
    order = random.Random(2).sample(range(10), 10)

    def compared(rows):
        labels = {"clusters": [clusters[row] for row in rows]} if clustered else {}
        sides = (statistics([side[row] for row in rows]) for side in (A, B))
        return compare_sums(*sides, test=test, n_resamples=300, **labels)

    assert compared(order) == compared(range(10))


def test_clusters_are_exchanged_together():
    alike_a, alike_b = ([row for row in side for _ in range(5)] for side in (A, B))
    labels = [number // 5 for number in range(50)]
    options = {"n_resamples": 3_000, "confidence_level": None}
    found = compare_sums(statistics(alike_a), statistics(alike_b), clusters=labels, **options)
    alone = compare_sums(statistics(A), statistics(B), **options)

    assert found["share"]["p_value"] == alone["share"]["p_value"]


def test_statistics_go_by_their_names():
    turned = [row[::-1] for row in B]
    options = {"n_resamples": 200}
    expected = compare_sums(statistics(A), statistics(B), **options)

    assert compare_sums(statistics(A), statistics(turned, ("all", "right")), **options) == expected


def test_exchanges_keep_the_sums_of_both():
    values = np.array([[0.1, 5.0, 0.3, 2.0], [0.7, 1.0, 0.2, 9.0]])
    sums = np.concatenate([*exchanged_sums(values, n_resamples=1_000, seed=1)])

    assert {tuple(row) for row in np.round(sums, 12).tolist()} == {
        (0.8, 6.0, 0.5, 11.0),
        (1.0, 3.0, 0.3, 14.0),
        (0.3, 14.0, 1.0, 3.0),
        (0.5, 11.0, 0.8, 6.0),
    }


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(ValueError, match="A has 10 rows, but B has 9; rows are pairs"):
        compare_sums(statistics(A), statistics(B[1:]))
    with pytest.raises(ValueError, match="test must be one of 'randomization', 'bootstrap'"):
        compare_sums(statistics(A), statistics(B), test="t")


@pytest.mark.long
def test_memory_does_not_grow_with_the_exchanges():
    rows = np.arange(60.0).reshape(-1, 2)
    tracemalloc.start()
    try:
        peaks = []
        for n_resamples in (200_000, 800_000):
            tracemalloc.reset_peak()
            for _ in exchanged_sums(rows, n_resamples=n_resamples, seed=0):
                pass
            peaks.append(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()

    assert peaks[1] < 1.2 * peaks[0]


def test_systems_without_statistics_do_not_differ():
    nothing = RowStatistics((), np.empty((2, 0)), lambda sums: {"score": 0.0}, dict)

    assert compare_sums(nothing, nothing, n_resamples=20)["score"]["p_value"] == 1.0
