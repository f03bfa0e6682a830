"""Intervals of estimates from the influences of rows, beside those of means and the formula."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.statistics import influence_interval, interval
from metric_commons.statistics.intervals.estimates import influence_spread
from metric_commons.statistics.intervals.proportions import proportion_interval

SCORES = st.lists(
    st.integers(0, 1000).map(lambda n: n / 1000) | st.sampled_from([0.0, 1.0]),
    min_size=2,
    max_size=30,
)


@pytest.mark.long
@given(SCORES, st.data())
def test_a_mean_has_the_interval_of_means(scores, data):
    labels = data.draw(st.lists(st.integers(0, 4), min_size=len(scores), max_size=len(scores)))
    numbers = np.unique(labels, return_inverse=True)[1]
    mean = float(Fraction(sum(map(Fraction, scores)) / len(scores)))
    influences = np.array(scores) - mean
    for clusters in (None, numbers):
        found = influence_interval(mean, influences, clusters=clusters)
        labels = None if clusters is None else clusters.tolist()
        expected = interval(scores, clusters=labels)
        assert found[:2] == pytest.approx(expected[:2], abs=1e-7)
        assert found.standard_error == pytest.approx(
            expected.standard_error, abs=1e-12, nan_ok=True
        )


@pytest.mark.long
@given(SCORES, st.randoms())
def test_counts_and_the_order_of_rows_leave_every_bit(scores, random):
    influences = [score - 0.5 for score in scores] * 2
    labels = [random.randrange(3) for _ in influences]
    rows = list(zip(influences, labels, strict=True))
    random.shuffle(rows)
    distinct = sorted(set(rows))
    counts = np.array([rows.count(row) for row in distinct])
    influences, labels = map(np.array, zip(*rows, strict=True))
    kinds, kind_labels = map(np.array, zip(*distinct, strict=True))

    assert influence_spread(kinds, counts) == influence_spread(np.sort(influences))
    assert influence_spread(kinds, counts, kind_labels).squares == pytest.approx(
        float(influence_spread(influences, clusters=labels).squares)
    )


def test_ranges_sizes_and_clusters():
    influences = np.array([0.5, -0.25, -0.25, 0.75, -0.75])
    unit = influence_interval(0.6, influences / 2)
    twice = influence_interval(0.2, influences, unseen=(-1, 1), bounds=(-1, 1))
    assert twice[:2] == pytest.approx([2 * end - 1 for end in unit[:2]])
    assert influence_interval(0.6, influences, bounds=(0.5, 0.65))[:2] == (0.5, 0.65)
    certain = influence_interval(1.0, np.zeros(5))
    assert certain[:2] == pytest.approx(proportion_interval(5, 5)[:2])
    # A row of size 0 only adds its influence.
    wider = influence_interval(
        0.6, np.append(influences / 2, [1.0, -1.0]), sizes=np.array([1, 1, 1, 1, 1, 0, 0.0])
    )
    assert wider.low < unit.low < unit.high < wider.high
    counted = influence_interval(
        0.6, np.array([0.25, -0.25, 0.0]), np.array([2, 2, 1]), clusters=np.array([0, 1, 1])
    )
    assert counted.n_clusters == 2


def test_influences_are_numbers():
    for influences, message in (([math.nan, 0.0], r"influences\[0\] is nan"), ([], "is empty")):
        with pytest.raises(ValueError, match=message):
            influence_spread(np.array(influences, float))
    with pytest.raises(ValueError, match="smallest and the largest score"):
        influence_interval(0.5, np.zeros(3), bounds=(1, 0))
