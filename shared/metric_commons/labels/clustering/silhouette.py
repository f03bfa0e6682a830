"""Silhouettes of points: how much closer each is to its own cluster than to the next one.

Euclidean distances are computed by matrix products, which are fast but lose digits where points are
close; distances that may have lost some are recomputed from differences of coordinates.

Source:
    Rousseeuw, Silhouettes: a graphical aid to the interpretation and validation of cluster analysis
    (1987).
"""

import math
from typing import Literal

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arguments.checks import RowError
from .clusters import PointClusters, squared_lengths

Metric = Literal["euclidean", "sqeuclidean", "cosine", "precomputed"]

_AT_ONCE = 1 << 18  # distances, so that they stay in the cache
_AROUND = 512  # points that are near one another, as they are sorted by cluster
_CLOSE = 1e-6  # squared distances below this fraction of the largest square are recomputed


def silhouettes(
    clusters: PointClusters, *, squared: bool = False, positions: Integers | None = None
) -> Floats:
    """Return how much closer each point is to its own cluster than to the next one, from -1 to 1.

    It is (b - a) / max(a, b), where a is the mean distance to the other points of its cluster, and
    b the smallest mean distance to the points of another cluster; 0 for the only point of a
    cluster, and if a and b are 0.

    Args:
        clusters: the points.
        squared: whether to use squared distances, which takes time linear in the number of points.
        positions: the indices of points to use among the sorted ones; None for all.

    Returns:
        One value per sorted point, or per element of `positions`.

    >>> clusters = PointClusters([[0.0, 0.0], [0.0, 1.0], [5.0, 5.0], [5.0, 6.0]], [0, 0, 1, 1])
    >>> silhouettes(clusters).round(3).tolist()
    [0.866, 0.852, 0.852, 0.866]
    """
    selection = np.arange(len(clusters)) if positions is None else positions
    sums = (_squared_sums if squared else _distance_sums)(clusters, selection)
    return _from_sums(clusters, selection, sums)


def silhouettes_of_distances(
    clusters: PointClusters, *, positions: Integers | None = None
) -> Floats:
    """The silhouettes of rows whose "points" are their distances to all rows, in the same order.

    Distances are sorted before they are summed, so that the order of rows does not matter.

    Raises:
        ValueError: there are not as many distances as rows, a distance is negative, or that of a
            row from itself is not 0; names the row.

    >>> distances = [[0.0, 1.0, 5.0], [1.0, 0.0, 4.0], [5.0, 4.0, 0.0]]
    >>> clusters = PointClusters(distances, [0, 0, 1], sort_points=False)
    >>> silhouettes_of_distances(clusters).round(3).tolist()
    [0.8, 0.75, 0.0]
    """
    distances = clusters.points
    rows, width = distances.shape
    if rows != width:
        raise ValueError(
            f"references have {width} distances per row, but there are {rows} rows; "
            "metric='precomputed' needs one for every pair"
        )
    if (distances < 0).any():
        row, column = np.argwhere(distances < 0)[0].tolist()
        raise RowError("references", row, f"[{column}] is negative; a distance is at least 0")
    if distances.diagonal().any():
        row = int(distances.diagonal().argmax())
        raise RowError("references", row, f"[{row}] is not 0, the distance of a row from itself")
    selection = np.arange(rows) if positions is None else positions
    members = (clusters.codes == cluster for cluster in range(clusters.count))
    sums = [np.sort(distances[np.ix_(selection, of)], axis=1).sum(axis=1) for of in members]
    return _from_sums(clusters, selection, np.stack(sums, axis=1))


def _from_sums(clusters: PointClusters, positions: Integers, sums: Floats) -> Floats:
    """The silhouettes, from sums of distances to the points of each cluster."""
    codes, rows = clusters.codes[positions], np.arange(positions.size)
    sizes = clusters.sizes[codes]
    a = sums[rows, codes] / np.maximum(sizes - 1, 1)
    means = sums / clusters.sizes
    means[rows, codes] = math.inf
    b = means.min(axis=1)
    greater = np.maximum(a, b)
    values = np.divide(b - a, greater, out=np.zeros(len(a)), where=greater > 0)
    return np.where(sizes == 1, 0.0, values)


def _squared_sums(clusters: PointClusters, positions: Integers) -> Floats:
    """Return the sums of squared distances to each cluster, computed only from centroids.

    The squared distances of x to the n points of a cluster add up to n * |x - centroid|**2 plus the
    squared distances of the cluster from its centroid. All terms are positive: nothing cancels.
    """
    points, sums = clusters.points[positions], np.empty((positions.size, clusters.count))
    parts = np.split(clusters.points, clusters.starts[1:-1])
    for cluster, (centroid, part) in enumerate(zip(clusters.means(), parts, strict=True)):
        differences = part - centroid
        correction = differences.mean(axis=0)  # the rounding error of the centroid
        scatter = float(squared_lengths(differences - correction).sum())
        distances = squared_lengths(points - centroid - correction)
        sums[:, cluster] = len(part) * distances + scatter
    return sums


def _distance_sums(clusters: PointClusters, positions: Integers) -> Floats:
    """Return the sums of distances to each cluster, some points at a time.

    The squared distance of x and y is the dot product of (-2 x, |x|**2, 1) and (y, 1, |y|**2).
    Points are taken relative to the middle of those at hand. There |x| and |y| are not much larger
    than the distances of points, so few distances lose digits.
    """
    sums, step = np.empty((positions.size, clusters.count)), max(1, _AT_ONCE // len(clusters))
    for start in range(0, positions.size, _AROUND):
        points = clusters.points[positions[start : start + _AROUND]]
        origin = points.mean(axis=0)
        sides = points - origin, clusters.points - origin
        (x, x_squares), (y, y_squares) = ((side, squared_lengths(side)) for side in sides)
        left = np.column_stack([-2 * x, x_squares, np.ones(len(x))])
        right = np.vstack([y.T, np.ones(len(y)), y_squares])
        close = _CLOSE * max(x_squares.max(), y_squares.max())
        for first in range(0, len(points), step):
            squares = left[first : first + step] @ right
            i, j = np.divmod(np.flatnonzero(squares < close), len(clusters))
            squares[i, j] = squared_lengths(points[first + i] - clusters.points[j])
            np.sqrt(squares, out=squares)
            of_points = slice(start + first, start + first + len(squares))
            sums[of_points] = np.add.reduceat(squares, clusters.starts[:-1], axis=1)
    return sums
