"""Scores of clusters by their centroids: Davies-Bouldin and Calinski-Harabasz."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arithmetic.exact_sums import exact_sum
from ...statistics.intervals.summary import mean
from .clusters import BLOCK, PointClusters, blocks, vector_lengths

# Both are relative to `Clusters.unit`, which exceeds all coordinates.
_COARSE = 2.0**-8  # smaller distances are noticeably changed by the rounding of centroids
_ROUNDING = 2.0**-46  # equal centroids may be this far apart after rounding


@dataclass(frozen=True)
class Spreads:
    """The positions and extents of clusters, which determine the scores by centroids.

    Attributes:
        sizes: the number of points of each cluster.
        centroids: the mean of the points of each cluster, rounded.
        corrections: the rounding error of each centroid: the exact mean is the sum of both.
        mean_distances: the mean distance of the points of each cluster to its centroid.
        scatter: the sum of squared distances of all points to their centroids.
    """

    sizes: Integers
    centroids: Floats
    corrections: Floats
    mean_distances: Floats
    scatter: float

    def distances(self, cluster: int) -> Floats:
        """Return the distances of the centroid of a cluster from all centroids."""
        return vector_lengths(
            (self.centroids - self.centroids[cluster])
            + (self.corrections - self.corrections[cluster])
        )

    def nearest_distances(self) -> Floats:
        """Return the distance of each centroid to the nearest other one."""
        return np.array(
            [
                np.delete(self.distances(cluster), cluster).min()
                for cluster in range(len(self.sizes))
            ]
        )


def spreads(clusters: PointClusters) -> Spreads:
    """Return the centroids of clusters, and the distances of their points from them.

    If clusters are small or close together compared with their distance from zero, the rounding of
    centroids would show: the mean of 1e9, 1e9 and 1e9 + 1 is 1e9 + 1/3, but float64 is off by up to
    6e-8. In that case the mean difference between points and their rounded centroid is kept as a
    correction.

    Centroids so close that they may be equal are computed as fractions, because Davies-Bouldin is
    infinite if they are.
    """
    centroids = clusters.means()
    coarse = _spreads(clusters, centroids, np.zeros_like(centroids))
    limit = _COARSE * clusters.unit
    distances = coarse.mean_distances[coarse.mean_distances > 0]
    if coarse.nearest_distances().min() > limit and (distances > limit).all():
        return coarse
    corrections = clusters.means(centres=centroids)
    fine = _spreads(clusters, centroids, corrections)
    close = np.flatnonzero(fine.nearest_distances() <= _ROUNDING * clusters.unit)
    if not close.size:
        return fine
    for cluster in close:
        for axis, coordinates in enumerate(clusters.points[clusters.codes == cluster].T):
            exact = exact_sum(coordinates) / len(coordinates)
            centroids[cluster, axis] = float(exact)
            corrections[cluster, axis] = float(exact - Fraction(centroids[cluster, axis]))
    return _spreads(clusters, centroids, corrections)


def _spreads(clusters: PointClusters, centroids: Floats, corrections: Floats) -> Spreads:
    """Return the spreads about these centroids."""
    sums, scatter, is_corrected = np.zeros(clusters.count), 0.0, bool(corrections.any())
    buffer = np.empty((min(BLOCK, len(clusters)), centroids.shape[1]))
    for block in blocks(len(clusters)):
        codes = clusters.codes[block]
        differences = np.take(centroids, codes, axis=0, out=buffer[: len(codes)], mode="clip")
        np.subtract(clusters.points[block], differences, out=differences)
        if is_corrected:
            differences -= corrections[codes]
        squares = np.einsum("ij,ij->i", differences, differences)
        scatter += float(squares.sum())
        sums += np.bincount(codes, np.sqrt(squares), clusters.count)
    return Spreads(clusters.sizes, centroids, corrections, sums / clusters.sizes, scatter)


def davies_bouldin(spread: Spreads) -> float:
    """The overlap of each cluster with the one that it overlaps most, averaged over clusters.

    The overlap of two clusters is the sum of their mean distances to their centroids, divided by
    the distance between the centroids. It is infinite if the centroids coincide, and 0 if all
    points of both clusters do.

    Source:
        Davies and Bouldin, A Cluster Separation Measure (1979).

    >>> davies_bouldin(spreads(PointClusters([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])))
    0.2
    """
    worst = np.empty(len(spread.sizes))
    for cluster, mean_distance in enumerate(spread.mean_distances):
        sums = mean_distance + spread.mean_distances
        with np.errstate(divide="ignore", invalid="ignore"):
            overlaps = np.where(sums > 0, sums / spread.distances(cluster), 0.0)
        overlaps[cluster] = 0.0
        worst[cluster] = overlaps.max()
    return mean(worst)


def calinski_harabasz(spread: Spreads) -> float:
    """Return the variance between clusters over that within clusters, each per degree of freedom.

    It is infinite if the points of every cluster coincide, and NaN (0 / 0) if all points do.

    Source:
        Calinski and Harabasz, A dendrite method for cluster analysis (1974).

    >>> calinski_harabasz(spreads(PointClusters([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])))
    50.0
    """
    clusters, points = len(spread.sizes), int(spread.sizes.sum())
    sizes = spread.sizes[:, np.newaxis]
    # Centroids relative to the first one, then to the mean of all points: far from zero, the mean
    # itself would be rounded too much.
    differences = spread.centroids - spread.centroids[0]
    differences += spread.corrections - spread.corrections[0]
    differences -= (differences * sizes).sum(axis=0) / points
    between_squares = float((np.square(differences) * sizes).sum())
    if not spread.scatter:
        return math.inf if between_squares else math.nan
    return between_squares * (points - clusters) / (spread.scatter * (clusters - 1))
