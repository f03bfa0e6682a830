"""Scores of points against decimals of sixty digits, which are slow and never cancel."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metric_commons.labels.clustering.centroids import calinski_harabasz, davies_bouldin, spreads
from metric_commons.labels.clustering.clustering_measures import clustering_scores
from metric_commons.labels.clustering.clusters import PointClusters
from tests.points import blobs, exact_scores
from tests.tables import by_table


def check(points, labels):
    silhouettes, davies_bouldin, calinski_harabasz = exact_scores(points, labels)
    result = clustering_scores(labels, points, per_example=True)
    per_point = result["per_example"]["silhouette"]

    assert per_point == pytest.approx(silhouettes, rel=1e-9, abs=1e-9)
    assert result["silhouette"] == pytest.approx(math.fsum(silhouettes) / len(labels), rel=1e-9)
    assert result["davies_bouldin"] == pytest.approx(davies_bouldin, rel=1e-9)
    assert result["calinski_harabasz"] == pytest.approx(calinski_harabasz, rel=1e-9)
    sampled = clustering_scores(
        labels, points, measures="silhouette", per_example=True, sample_size=5
    )["per_example"]["silhouette"]
    pairs = [pair for pair in zip(sampled, silhouettes, strict=True) if not math.isnan(pair[0])]
    assert len(pairs) == 5
    assert all(value == pytest.approx(exact, rel=1e-9, abs=1e-9) for value, exact in pairs)


@by_table("scale, offset")
def test_neither_origin_nor_unit_matters(scale, offset):
    points, labels = blobs(0)
    check(points * scale + offset, labels)


def test_tight_clusters_far_from_another():
    points, labels = blobs(1, width=1e-3)
    points *= 1e-7
    points[np.array(labels) == 2] += 1e3
    check(points, labels)


@pytest.mark.long
@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(2, 5))
@settings(max_examples=25)
def test_generated_points(seed, dimensions, clusters):
    check(*blobs(seed, rows=25, clusters=clusters, dimensions=dimensions))


@pytest.mark.long
@given(st.integers(0, 2**32), st.integers(2, 4))
@settings(max_examples=25)
def test_points_that_coincide(seed, clusters):
    rng = np.random.default_rng(seed)
    labels = (np.arange(20) % clusters).tolist()
    points = rng.integers(-2, 3, size=(20, 2)) + 0.1
    points[:, 0] += 7 * np.array(labels)  # so that centroids do not
    check(points, labels)


@pytest.mark.parametrize("rows", [60, 1500, 3000])
@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine"])
def test_the_order_of_rows_never_shows(rows, metric):
    points, labels = blobs(3, rows=rows, clusters=4)
    points, labels = np.round(points + 20, 1), np.array(labels)  # with equal points
    order = np.random.default_rng(0).permutation(rows)
    options = {"metric": metric, "confidence_level": 0.9, "n_resamples": 20}

    result = clustering_scores(labels, points, **options)
    assert clustering_scores(labels[order], points[order], **options) == result
    left, right = (spreads(PointClusters(points[i], labels[i])) for i in (np.arange(rows), order))
    assert davies_bouldin(left) == davies_bouldin(right)
    assert calinski_harabasz(left) == calinski_harabasz(right)
