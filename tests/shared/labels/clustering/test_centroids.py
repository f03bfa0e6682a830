"""Davies-Bouldin of close and of coinciding centroids against fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest

from metric_commons.labels.clustering.centroids import davies_bouldin, spreads
from metric_commons.labels.clustering.clusters import PointClusters


@pytest.mark.long
def test_centroids_may_be_close():
    rng = np.random.default_rng(3200)
    labels = rng.integers(0, 200, 3000)
    points = rng.normal(size=(200, 1))[labels] + rng.normal(size=(3000, 1))
    members = [[Fraction(x) for x in points[labels == c, 0].tolist()] for c in range(200)]
    centroids = [sum(values) / len(values) for values in members]
    mean_distances = [
        sum(abs(x - centroid) for x in values) / len(values)
        for values, centroid in zip(members, centroids, strict=True)
    ]
    worst = [
        max(
            float((mean_distances[i] + mean_distances[j]) / abs(centroids[i] - centroids[j]))
            for j in range(200)
            if j != i
        )
        for i in range(200)
    ]

    score = davies_bouldin(spreads(PointClusters(points, labels)))
    assert score == pytest.approx(math.fsum(worst) / 200, rel=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_centroids_that_coincide_though_their_sums_are_rounded(offset):
    # thirds in every order: the mean of both clusters is 11 / 3
    points = np.array([[3.0], [2.0], [6.0], [6.0], [3.0], [2.0], [0.0], [6.0], [5.0]]) + offset
    labels = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert davies_bouldin(spreads(PointClusters(points, labels))) == math.inf
    rng = np.random.default_rng(5)
    coincidences = 0
    for _ in range(300):
        points = rng.integers(0, 7, (26, 1)) + offset
        labels = rng.integers(0, 4, 26)
        centroids = [
            Fraction(sum(map(Fraction, points[labels == k, 0].tolist()))) / int((labels == k).sum())
            for k in set(labels.tolist())
        ]
        coincide = len(set(centroids)) < len(centroids)
        coincidences += coincide
        assert (davies_bouldin(spreads(PointClusters(points, labels))) == math.inf) == coincide
    assert coincidences > 5
