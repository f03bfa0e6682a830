"""Against decimals of sixty digits, which are slow and never cancel."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metric_commons.clustering.partitions import (
    Clusters,
    calinski_harabasz,
    clustering_scores,
    davies_bouldin,
    silhouettes,
    spreads,
)


def decimal(fraction):
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def square(one, other):
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def apart(one, other):
    return decimal(square(one, other)).sqrt()


def exact(points, labels):
    """Silhouette of each point, Davies-Bouldin and Calinski-Harabasz, by their definitions."""
    with localcontext() as context:
        context.prec = 60
        rows = [[Fraction(x) for x in point] for point in points.tolist()]
        clusters = {label: [] for label in labels}
        for row, label in zip(rows, labels, strict=True):
            clusters[label].append(row)
        middle = {
            label: [sum(axis) / len(members) for axis in zip(*members, strict=True)]
            for label, members in clusters.items()
        }
        of_points = []
        for row, label in zip(rows, labels, strict=True):
            sums = {
                other: sum(apart(row, each) for each in members)
                for other, members in clusters.items()
            }
            if len(clusters[label]) == 1:
                of_points.append(0.0)
                continue
            own = sums.pop(label) / (len(clusters[label]) - 1)
            next_one = min(total / len(clusters[other]) for other, total in sums.items())
            greater = max(own, next_one)
            of_points.append(float((next_one - own) / greater) if greater else 0.0)
        reach = {
            label: sum(apart(each, middle[label]) for each in members) / len(members)
            for label, members in clusters.items()
        }
        worst = [
            max((reach[a] + reach[b]) / apart(middle[a], middle[b]) for b in clusters if b != a)
            for a in clusters
        ]
        centre = [sum(axis) / len(rows) for axis in zip(*rows, strict=True)]
        between = sum(len(clusters[a]) * square(middle[a], centre) for a in clusters)
        within = sum(square(row, middle[a]) for row, a in zip(rows, labels, strict=True))
        freedom = Fraction(len(rows) - len(clusters), len(clusters) - 1)
        return of_points, float(sum(worst) / len(worst)), float(between / within * freedom)


def blobs(seed, rows=40, clusters=3, dimensions=2, width=1.0):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(rows) % clusters)
    centres = rng.normal(size=(clusters, dimensions)) * 3
    return centres[labels] + width * rng.normal(size=(rows, dimensions)), labels.tolist()


def check(points, labels):
    of_points, overlap, variance = exact(points, labels)
    result = clustering_scores(labels, points, per_example=True)
    found = result["per_example"]["silhouette"]

    assert found == pytest.approx(of_points, rel=1e-9, abs=1e-9)
    assert result["silhouette"] == pytest.approx(math.fsum(of_points) / len(labels), rel=1e-9)
    assert result["davies_bouldin"] == pytest.approx(overlap, rel=1e-9)
    assert result["calinski_harabasz"] == pytest.approx(variance, rel=1e-9)
    sampled = clustering_scores(
        labels, points, measures="silhouette", per_example=True, sample_size=5
    )["per_example"]["silhouette"]
    taken = [(one, other) for one, other in zip(sampled, of_points, strict=True) if one == one]
    assert len(taken) == 5
    assert all(one == pytest.approx(other, rel=1e-9, abs=1e-9) for one, other in taken)


@pytest.mark.parametrize(
    ("scale", "offset"),
    [
        (1.0, 0.0),
        (1.0, 1e9),
        (0.01, 4e6),  # metres, in clusters of centimetres
        (60.0, 1.7e9),  # seconds since 1970
        (1e-7, 50.0),  # degrees
        (1e-9, 0.0),
        (1e200, 0.0),
        (1e-200, 0.0),
        (1e-200, 1e-190),
        (1e307, 0.0),
    ],
)
def test_neither_origin_nor_unit_matters(scale, offset):
    points, labels = blobs(0)
    check(points * scale + offset, labels)


def test_tight_clusters_far_from_another():
    points, labels = blobs(1, width=1e-3)
    points *= 1e-7
    points[np.array(labels) == 2] += 1e3
    check(points, labels)


@pytest.mark.parametrize("width", [1e-6, 1e-3, 1.0])
def test_large_clusters_of_any_width(width):
    """Pairs of clusters, and of points within, where the product of matrices cancels."""
    points, labels = blobs(2, rows=520, clusters=2, dimensions=3, width=width)
    points += 1e5
    rows = [[Fraction(x) for x in point] for point in points.tolist()]
    found = silhouettes(clusters := Clusters(points, labels))
    for place in range(0, 520, 40):
        row = clusters.order[place]
        sums = {0: Decimal(0), 1: Decimal(0)}
        for other, label in zip(rows, labels, strict=True):
            sums[label] += apart(rows[row], other)
        own, next_one = sums[labels[row]] / 259, sums[1 - labels[row]] / 260
        assert found[place] == pytest.approx(
            float((next_one - own) / max(own, next_one)), rel=1e-9, abs=1e-9
        )


def test_centroids_may_be_close():
    rng = np.random.default_rng(3200)
    labels = rng.integers(0, 200, 3000)
    points = rng.normal(size=(200, 1))[labels] + rng.normal(size=(3000, 1))
    members = [[Fraction(x) for x in points[labels == c, 0].tolist()] for c in range(200)]
    middles = [sum(of) / len(of) for of in members]
    reach = [
        sum(abs(x - middle) for x in of) / len(of)
        for of, middle in zip(members, middles, strict=True)
    ]
    worst = [
        max(
            float((reach[a] + reach[b]) / abs(middles[a] - middles[b]))
            for b in range(200)
            if b != a
        )
        for a in range(200)
    ]

    found = davies_bouldin(spreads(Clusters(points, labels)))
    assert found == pytest.approx(math.fsum(worst) / 200, rel=1e-9)


@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(2, 5))
@settings(max_examples=25)
def test_generated_points(seed, dimensions, clusters):
    check(*blobs(seed, rows=25, clusters=clusters, dimensions=dimensions))


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
    reach, moved = (spreads(Clusters(points[of], labels[of])) for of in (np.arange(rows), order))
    assert davies_bouldin(reach) == davies_bouldin(moved)
    assert calinski_harabasz(reach) == calinski_harabasz(moved)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
def test_a_few_points_have_the_values_that_they_have_among_all(metric):
    points, labels = blobs(4, rows=1200)
    clusters, some = Clusters(points, labels), np.array([3, 500, 501, 1199])
    squared = metric == "sqeuclidean"
    whole = silhouettes(clusters, squared=squared)

    assert silhouettes(clusters, squared=squared, of=some) == pytest.approx(whole[some], rel=1e-12)


def test_squared_distances_by_their_definition():
    points, labels = blobs(5)
    squares = [[float(square(a, b)) for b in points.tolist()] for a in points.tolist()]
    result = clustering_scores(
        labels, points, measures="silhouette", metric="sqeuclidean", per_example=True
    )
    for row, found in enumerate(result["per_example"]["silhouette"]):
        sums = [
            sum(s for s, label in zip(squares[row], labels, strict=True) if label == other)
            for other in range(3)
        ]
        sizes = [labels.count(other) for other in range(3)]
        own = sums[labels[row]] / (sizes[labels[row]] - 1)
        next_one = min(sums[other] / sizes[other] for other in range(3) if other != labels[row])
        assert found == pytest.approx((next_one - own) / max(own, next_one), rel=1e-12)


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_centroids_that_coincide_though_their_sums_are_rounded(offset):
    # thirds in every order: the mean of both clusters is 11 / 3
    points = np.array([[3.0], [2.0], [6.0], [6.0], [3.0], [2.0], [0.0], [6.0], [5.0]]) + offset
    labels = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert davies_bouldin(spreads(Clusters(points, labels))) == math.inf
    chance = np.random.default_rng(5)
    met = 0
    for _ in range(300):
        points = chance.integers(0, 7, (26, 1)) + offset
        labels = chance.integers(0, 4, 26)
        middles = [
            Fraction(sum(map(Fraction, points[labels == k, 0].tolist()))) / int((labels == k).sum())
            for k in set(labels.tolist())
        ]
        coincide = len(set(middles)) < len(middles)
        met += coincide
        assert (davies_bouldin(spreads(Clusters(points, labels))) == math.inf) == coincide
    assert met > 5
