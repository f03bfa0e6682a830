"""Sums of clusters beside exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metric_commons.statistics.intervals.cluster_sums import ClusterSums, cancelled
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
    assert sums.rows == len(rows)


@pytest.mark.long
@given(ROWS, st.randoms())
def test_the_order_of_rows_does_not_show(rows, random):
    assert sums_of(random.sample(rows, len(rows))) == sums_of(rows)


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


def test_resamples_of_clusters_are_those_of_their_number():
    labels, scores = np.arange(40), np.array([1.0] * 10 + [0.0] * 30)
    sums = ClusterSums.of(np.repeat(labels, 5), np.repeat(scores, 5))
    ends = sums.resampled_ends(0.9, n_resamples=20_000, seed=0)
    assert ends == pytest.approx(stats.binom.ppf([0.05, 0.95], 40, 0.25) / 40)
    order = np.random.default_rng(0).permutation(200)
    shuffled = ClusterSums.of(np.repeat(labels, 5)[order] + 100, np.repeat(scores, 5)[order])
    assert shuffled.resampled_ends(0.9, n_resamples=20_000, seed=0) == ends
