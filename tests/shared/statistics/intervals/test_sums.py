import math
import random

import numpy as np
import pytest

from metric_commons.statistics.intervals.sum_distributions import SumFunction
from metric_commons.statistics.intervals.summary import summarize
from metric_commons.statistics.intervals.sums import RowStatistics
from metric_commons.statistics.resampling.row_units import RowUnits


def shares(sums):
    return {"share": sums["right"] / sums["all"], "all": int(sums["all"])}


def row_share(sums):
    return {"share": sums["right"] / sums["all"]}


SHARE = SumFunction(
    lambda sums: sums["right"] / sums["all"],
    {"all": 1},
    lambda sums: {"right": 0.0},
    lambda sums: {"right": sums["all"]},
)


def statistics(rows):
    return RowStatistics(
        ("right", "all"), np.array(rows), shares, row_share, lambda names: {"share": SHARE}
    )


ROWS = [[1, 2], [3, 3], [0, 5], [1, 1], [3, 3]]


def all_sums(rows, clusters=None, **options):
    """The sums of all resamples."""
    units = RowUnits.of_rows(rows, clusters)
    drawn = units.resampled(lambda sums, columns: sums, range(rows.shape[1]), **options)
    return np.stack([*drawn.values()], axis=1)


def test_scores_are_of_sums():
    result = summarize(statistics(ROWS), per_example=True, groups=["b", "a", "b", "a", "a"])

    assert result == {
        "share": 8 / 14,
        "all": 14,
        "per_example": {"share": [0.5, 1.0, 0.0, 1.0, 1.0]},
        "groups": {"a": {"share": 1.0, "all": 7, "n": 3}, "b": {"share": 1 / 7, "all": 7, "n": 2}},
    }
    assert result.statistics.values.tolist() == ROWS


def test_fractions_add_up_in_any_order():
    rows = [[0.1, 1], *[[1e16, 1], [-1e16, 1]] * 3, [0.2, 1]]
    sums = {statistics(order).result()["share"] for order in (rows, rows[::-1], sorted(rows))}

    assert sums == {math.fsum([0.1, 0.2]) / 8}


def test_an_interval_is_that_of_the_resampled_sums():
    rows = statistics(ROWS)
    options = {"n_resamples": 300, "seed": 5}
    found = summarize(rows, confidence_level=0.8, interval="bootstrap", **options)
    found = found["confidence_interval"]
    sums = all_sums(rows.values[:, [1, 0]], **options)

    assert found.keys() == {"share"}
    expected = np.quantile(sums[:, 1] / sums[:, 0], [0.1, 0.9])
    assert found["share"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("repeats", [1, 40])
def test_rows_are_drawn_in_any_order(repeats):
    rows = ROWS * repeats
    shuffled = random.Random(1).sample(rows, len(rows))
    sums, sums_shuffled = (
        all_sums(np.array(order), n_resamples=50, seed=2) for order in (rows, shuffled)
    )

    assert np.array_equal(sums, sums_shuffled)


@pytest.mark.parametrize("repeats", [1, 40])
def test_resamples_scatter_as_rows_do(repeats):
    rows = np.array(ROWS * repeats)
    sums = all_sums(rows, n_resamples=20_000, seed=3)
    expected = np.sqrt(len(rows) * rows.var(axis=0))

    assert sums.mean(axis=0) == pytest.approx(rows.sum(axis=0), rel=0.01)
    assert sums.std(axis=0) == pytest.approx(expected, rel=0.03)
    assert np.array_equal(sums, np.rint(sums))
    correlation = np.corrcoef(sums.T)[0, 1]
    assert correlation == pytest.approx(np.corrcoef(rows.T)[0, 1], abs=0.03)


def test_an_undefined_score_has_no_interval():
    zeros = np.zeros((3, 2), np.int64)
    undefined = {"share": math.nan}
    for distributions in (lambda names: {"share": SHARE}, lambda names: {}):
        rows = RowStatistics(("right", "all"), zeros, lambda sums: undefined, dict, distributions)
        ends = summarize(rows, confidence_level=0.9)["confidence_interval"]
        assert np.isnan(ends.get("share", math.nan)).all()


def test_what_stands_beside_an_interval():
    rows = statistics(ROWS * 8)
    options = {"n_resamples": 2_000, "seed": 1}
    found = summarize(rows, confidence_level=0.9, interval="bootstrap", **options)
    sums = all_sums(rows.values[:, [1, 0]], **options)

    assert found["interval"] == {"share": "bootstrap"}
    assert found["effective_n"] == {"share": 40.0}
    error = np.std(sums[:, 1] / sums[:, 0], ddof=1)
    assert found["standard_error"] == {"share": pytest.approx(error)}
    alone = summarize(rows, standard_error=True, **options)
    assert alone["standard_error"]["share"] == pytest.approx(error, rel=0.1)


def test_clusters_are_resampled():
    alike = [row for row in ROWS for _ in range(8)]
    labels = [number // 8 for number in range(40)]
    options = {"confidence_level": 0.9, "n_resamples": 4_000}
    found = summarize(statistics(alike), clusters=labels, **options)
    alone = summarize(statistics(ROWS), **options)

    ends = alone["confidence_interval"]["share"]
    assert found["confidence_interval"]["share"] == pytest.approx(ends, rel=1e-12)
    assert found["n_clusters"] == 5
    assert found["design_effect"]["share"] == pytest.approx(8, rel=0.25)
    assert found["effective_n"]["share"] == pytest.approx(5, rel=0.25)


@pytest.mark.long
def test_the_order_of_rows_in_clusters_does_not_show():
    rows = [[0.1, 1.0], [0.2, 3.0], [0.7, 2.0], [0.3, 1.0], [0.05, 4.0]] * 3
    labels = list("abcabcdeabcdfgh")
    expected = summarize(statistics(rows), clusters=labels, confidence_level=0.9)
    for seed in range(3):
        order = random.Random(seed).sample(range(15), 15)
        found = summarize(
            statistics([rows[n] for n in order]),
            clusters=[labels[n] for n in order],
            confidence_level=0.9,
        )
        assert found == expected


def test_an_interval_for_means_is_refused():
    with pytest.raises(ValueError, match="interval of share: 'wilson' is for means of rows"):
        summarize(statistics(ROWS), interval="wilson", confidence_level=0.9)
