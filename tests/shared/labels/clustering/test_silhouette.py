"""Silhouettes against decimals and definitions."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from metric_commons.labels.clustering.clusters import PointClusters
from metric_commons.labels.clustering.silhouette import silhouettes
from tests.points import blobs, distance, silhouette


@pytest.mark.long
@pytest.mark.parametrize("width", [1e-6, 1e-3, 1.0])
def test_large_clusters_of_any_width(width):
    """Pairs of clusters, and of points within, where the product of matrices cancels."""
    points, labels = blobs(2, rows=520, clusters=2, dimensions=3, width=width)
    points += 1e5
    rows = [[Fraction(x) for x in point] for point in points.tolist()]
    values = silhouettes(clusters := PointClusters(points, labels))
    for position in range(0, 520, 40):
        row = clusters.order[position]
        sums = {0: Decimal(0), 1: Decimal(0)}
        for member, label in zip(rows, labels, strict=True):
            sums[label] += distance(rows[row], member)
        a, b = sums[labels[row]] / 259, sums[1 - labels[row]] / 260
        assert values[position] == pytest.approx(silhouette(a, b), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
def test_a_few_points_have_the_values_that_they_have_among_all(metric):
    points, labels = blobs(4, rows=1200)
    clusters, sample = PointClusters(points, labels), np.array([3, 500, 501, 1199])
    squared = metric == "sqeuclidean"
    values = silhouettes(clusters, squared=squared)

    assert silhouettes(clusters, squared=squared, positions=sample) == pytest.approx(
        values[sample], rel=1e-12
    )
