"""Sums of clusters beside exact fractions."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.statistics.intervals.cluster_sums import (
    ClusterSums,
    cancelled,
    resampled_cluster_means,
)
from metric_commons.statistics.intervals.spreads import row_spread

ROWS = st.lists(
    st.tuples(
        st.sampled_from("abcde"),
        st.floats(-1e300, 1e300) | st.sampled_from([0.0, -0.0, 0.1, 1 / 3, 5e-324, 1e-320]),
    ),
    min_size=1,
    max_size=30,
)


def sums_of(rows):
    labels, scores = zip(*rows, strict=True) if rows else ((), ())
    return ClusterSums.of(labels, np.array(scores, float))


def by_hand(rows):
    """Rows, mean, squares between clusters, and sum of squared sizes, in fractions."""
    mean = sum(Fraction(score) for _, score in rows) / len(rows)
    labels = {label for label, _ in rows}
    deviations = [sum(Fraction(s) - mean for name, s in rows if name == label) for label in labels]
    sizes = [sum(name == label for name, _ in rows) for label in labels]
    squares = sum(deviation**2 for deviation in deviations)
    return len(rows), mean, squares, sum(size**2 for size in sizes), len(labels)


@pytest.mark.long
@given(ROWS)
def test_all_is_exact(rows):
    sums = sums_of(rows)
    assert sums.spread() == by_hand(rows)
    assert (sums.rows, sums.exact_sum()) == (len(rows), sum(Fraction(s) for _, s in rows))


@pytest.mark.long
@given(ROWS, st.integers(0, 30), st.randoms())
def test_parts_add_up_to_the_whole(rows, cut, random):
    shuffled = random.sample(rows, len(rows))
    parts = [sums_of(shuffled[:cut]), sums_of(shuffled[cut:])]
    whole = sums_of(rows)
    assert parts[0] + parts[1] == ClusterSums.sum(reversed(parts)) == whole
    assert ClusterSums.from_jsonable(json.loads(json.dumps(whole.to_jsonable()))) == whole


@pytest.mark.parametrize(
    "plain",
    [
        [0, ["a"], [0], [1]],
        [0, ["a"], [1], [0.5]],
        [0.5, ["a"], [1], [1]],
        [0, ["a", "a"], [1, 1], [1, 1]],
        [0, ["a", "b"], [1], [1]],
    ],
)
def test_what_is_no_sum_is_refused(plain):
    with pytest.raises(ValueError, match="cluster"):
        ClusterSums.from_jsonable(plain)


def test_labels_are_checked():
    with pytest.raises(ValueError, match=r"^clusters\[1\] is None; every row needs a label$"):
        ClusterSums.of(["a", None], np.ones(2))
    with pytest.raises(ValueError, match="both would be called '1'"):
        ClusterSums.of(["1", 1], np.ones(2))
    with pytest.raises(ValueError, match=r"^clusters has 1 labels, but there are 2 rows$"):
        ClusterSums.of(["a"], np.ones(2))
    with pytest.raises(ValueError, match="got str"):
        ClusterSums.of("ab", np.ones(2))
    kinds = [[3, 3, 4], np.array([3, 3, 4]), ("3", "3", "4")]
    assert all(
        ClusterSums.of(labels, np.ones(3)).clusters == {"3": (2, 2), "4": (1, 1)}
        for labels in kinds
    )


def test_every_row_a_cluster_is_rows_alone():
    scores = np.random.default_rng(0).random(20)
    alone, each = row_spread(scores), ClusterSums.of(list(range(20)), scores).spread()
    assert each.units == alone.units == 20
    assert each.standard_error() == pytest.approx(alone.standard_error(), rel=1e-14)
    assert float(each.squares) == pytest.approx(float(alone.squares), rel=1e-14)
    assert math.isnan(ClusterSums.of(["a"] * 20, scores).spread().standard_error())


def test_squares_far_out_neither_overflow_nor_vanish():
    for unit in (1e-300, 1e-160, 1e160, 1e279):
        spread = row_spread(np.array([1.0, 2.0, 4.0]) * unit)
        error = np.std([1, 2, 4], ddof=1) / math.sqrt(3)
        assert spread.standard_error() == pytest.approx(error * unit, rel=1e-14)
    assert row_spread(np.full(10, 0.1)).squares == 0


def test_what_cancels_is_zero():
    assert cancelled(np.array([1e-13, -1e-13, 1e-9]), 1.0).tolist() == [0.0, 0.0, 1e-9]


def test_resampled_clusters_are_drawn_whole():
    labels = np.repeat(np.arange(40), 5)
    scores = np.repeat((np.arange(40) % 4 == 0).astype(float), 5)  # rows of a cluster are equal
    sums = ClusterSums.of(labels, scores)
    means = resampled_cluster_means(sums, n_resamples=20_000, seed=0)
    assert np.isin(np.rint(means * 40), means * 40).all()
    assert means.mean() == pytest.approx(0.25, abs=0.003)
    assert means.std() == pytest.approx(math.sqrt(0.25 * 0.75 / 40), rel=0.03)
    order = np.random.default_rng(0).permutation(200)
    shuffled = ClusterSums.of(labels[order] + 100, scores[order])
    again = resampled_cluster_means(shuffled, n_resamples=20_000, seed=0)
    assert np.array_equal(again, means)
