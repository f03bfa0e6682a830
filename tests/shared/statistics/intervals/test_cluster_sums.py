"""Labels of clusters, and errors of means beside those by hand."""

import math

import numpy as np
import pytest

from metric_commons.statistics import interval
from metric_commons.statistics.intervals.cluster_sums import Clusters
from metric_commons.statistics.intervals.intervals import ratio_error


def test_labels_are_checked():
    with pytest.raises(ValueError, match=r"^clusters\[1\] is None; every row needs a label$"):
        Clusters.of_labels(["a", None], 2)
    with pytest.raises(ValueError, match="both would be called '1'"):
        Clusters.of_labels(["1", 1], 2)
    with pytest.raises(ValueError, match=r"^clusters has 1 labels, but there are 2 rows$"):
        Clusters.of_labels(["a"], 2)
    with pytest.raises(ValueError, match="got str"):
        Clusters.of_labels("ab", 2)
    for labels in ([3, 3, 4], np.array([3, 3, 4]), ("3", "3", "4")):
        clusters = Clusters.of_labels(labels, 3)
        assert (clusters.labels, clusters.numbers.tolist()) == (["3", "4"], [0, 0, 1])


def test_every_row_a_cluster_is_rows_alone():
    scores = np.random.default_rng(0).random(20)
    alone, each = interval(scores), interval(scores, clusters=list(range(20)))
    assert each.standard_error == pytest.approx(alone.standard_error, rel=1e-14)
    assert each[:2] == pytest.approx(alone[:2], rel=1e-12)
    assert math.isnan(interval(scores, clusters=["a"] * 20).standard_error)


def test_squares_far_out_neither_overflow_nor_vanish():
    for unit in (1e-300, 1e-160, 1e160, 1e279):
        found = ratio_error(np.array([1.0, 2.0, 4.0]) * unit, np.ones(3))
        error = np.std([1, 2, 4], ddof=1) / math.sqrt(3)
        assert found == pytest.approx(error * unit, rel=1e-14)
    assert ratio_error(np.full(10, 0.1), np.ones(10)) == pytest.approx(0, abs=1e-17)
