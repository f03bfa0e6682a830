"""Silhouettes of points: how much closer each is to its own cluster than to the next one.

Euclidean distances are computed by matrix products, which are fast but lose digits where points are
close; distances that may have lost some are recomputed from differences of coordinates.

Source:
    Rousseeuw, Silhouettes: a graphical aid to the interpretation and validation of cluster analysis
    (1987).
"""

import math
from collections.abc import Iterator
from typing import Literal

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arguments.checks import RowError
from .clusters import PointClusters, blocks

Metric = Literal["euclidean", "sqeuclidean", "cosine", "precomputed"]

_MULTIPLICATIONS = 1 << 18  # up to which BLAS computes a matrix product in one thread
_HEIGHT = 16  # rows of such a product
_TILE = 1 << 17  # distances computed together, so that they stay in the cache
_CLOSE = 1e-6  # squared distances below this fraction of the largest square are recomputed
_LARGE_CLUSTER = 256  # mean size from which tiles for pairs of clusters are worthwhile


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
    if squared:
        sums, b = _squared_sums(clusters, selection)
    elif positions is None and len(clusters) >= _LARGE_CLUSTER * clusters.count:
        sums, b = _sums_by_cluster_pairs(clusters)
    else:
        sums, b = _sums_by_points(clusters, selection)
    return _from_sums(clusters, selection, sums, b)


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
    sums, nearest = np.zeros(len(selection)), np.full(len(selection), math.inf)
    for cluster, size in enumerate(clusters.sizes.tolist()):
        members = distances[np.ix_(selection, clusters.codes == cluster)]
        members.sort(axis=1)
        totals = members.sum(axis=1)
        is_member = clusters.codes[selection] == cluster
        sums[is_member] = totals[is_member]
        np.minimum(nearest, totals / size, out=nearest, where=~is_member)
    return _from_sums(clusters, selection, sums, nearest)


def _from_sums(clusters: PointClusters, positions: Integers, sums: Floats, b: Floats) -> Floats:
    """The silhouettes, from sums of distances inside and the smallest mean distance outside."""
    sizes = clusters.sizes[clusters.codes[positions]]
    a = sums / np.maximum(sizes - 1, 1)
    greater = np.maximum(a, b)
    values = np.divide(b - a, greater, out=np.zeros(len(a)), where=greater > 0)
    values[sizes == 1] = 0.0
    return values


# Sums of distances to points of the same cluster, and the smallest mean distance to another


def _squared_sums(clusters: PointClusters, positions: Integers) -> tuple[Floats, Floats]:
    """Return the sums and means of squared distances, computed only from centroids.

    The squared distances of x to the n points of a cluster add up to n * |x - centroid|**2 plus the
    squared distances of the cluster from its centroid. All terms are positive: nothing cancels.
    """
    centroids = clusters.means()
    points, codes = clusters.points[positions], clusters.codes[positions]
    inside_sums, nearest = np.empty(len(positions)), np.full(len(positions), math.inf)
    for cluster, (centroid, size) in enumerate(zip(centroids, clusters.sizes, strict=True)):
        members = clusters.points[clusters.starts[cluster] : clusters.starts[cluster + 1]]
        members = members - centroid
        correction = members.mean(axis=0)  # the rounding error of the centroid
        members -= correction
        scatter = float(np.einsum("ij,ij->", members, members))
        differences = points - centroid - correction
        sums = size * np.einsum("ij,ij->i", differences, differences) + scatter
        is_inside = codes == cluster
        inside_sums[is_inside] = sums[is_inside]
        np.minimum(nearest, sums / size, out=nearest, where=~is_inside)
    return inside_sums, nearest


def _sums_by_cluster_pairs(clusters: PointClusters) -> tuple[Floats, Floats]:
    """Return one pair of clusters at a time, so that each distance is computed once."""
    inside_sums, nearest = np.zeros(len(clusters)), np.full(len(clusters), math.inf)
    parts = [slice(*ends) for ends in zip(clusters.starts, clusters.starts[1:], strict=False)]
    means = clusters.means()
    for i, left in enumerate(parts):
        inside_sums[left] = _sums_within(clusters.points[left], means[i])
        for j in range(i + 1, clusters.count):
            right = parts[j]
            left_sums, right_sums = _sums_between(
                clusters.points[left], clusters.points[right], (means[i] + means[j]) / 2
            )
            nearest[left] = np.minimum(nearest[left], left_sums / clusters.sizes[j])
            nearest[right] = np.minimum(nearest[right], right_sums / clusters.sizes[i])
    return inside_sums, nearest


def _sums_within(points: Floats, origin: Floats) -> Floats:
    """Return the sum of distances of each point to the others."""
    sums = np.zeros(len(points))
    distances = _PointDistances(points, points, origin)
    buffer = distances.buffer()
    for top in range(0, len(points), distances.rows):
        bottom = min(top + distances.rows, len(points))
        # The square on the diagonal has each pair twice; the part to its right has each pair once.
        for left, right in [
            *_steps(top, bottom, distances.columns),
            *_steps(bottom, len(points), distances.columns),
        ]:
            tile = distances.tile(top, left, right, buffer)
            sums[top:bottom] += np.einsum("ij->i", tile)
            if left >= bottom:
                sums[left:right] += np.add.reduce(tile, axis=0)
    return sums


def _sums_between(
    left_points: Floats, right_points: Floats, origin: Floats
) -> tuple[Floats, Floats]:
    """Return the sums of distances of each point to those of the other set, for both sets."""
    left_sums, right_sums = np.zeros(len(left_points)), np.zeros(len(right_points))
    distances = _PointDistances(left_points, right_points, origin)
    buffer = distances.buffer()
    for top in range(0, len(left_points), distances.rows):
        for left, right in _steps(0, len(right_points), distances.columns):
            tile = distances.tile(top, left, right, buffer)
            left_sums[top : top + distances.rows] += np.einsum("ij->i", tile)
            right_sums[left:right] += np.add.reduce(tile, axis=0)
    return left_sums, right_sums


def _sums_by_points(clusters: PointClusters, positions: Integers) -> tuple[Floats, Floats]:
    """Some points at a time, to all points: for a sample of the points, or for many clusters."""
    inside_sums, nearest = np.empty(len(positions)), np.empty(len(positions))
    step = max(1, _TILE // 512)
    for start in range(0, len(positions), step):
        part = positions[start : start + step]
        points = clusters.points[part]
        distances = _PointDistances(points, clusters.points, points.mean(axis=0))
        buffer = distances.buffer()
        sums = np.zeros((len(part), clusters.count))
        for left, right in _steps(0, len(clusters), distances.columns):
            first, last = clusters.codes[left], clusters.codes[right - 1]
            # Points are sorted by cluster, so the columns of a cluster are adjacent.
            starts = np.maximum(clusters.starts[first : last + 1] - left, 0)
            for top in range(0, len(part), distances.rows):
                tile = distances.tile(top, left, right, buffer)
                tile_sums = np.add.reduceat(tile, starts, axis=1)
                sums[top : top + len(tile), first : last + 1] += tile_sums
        codes = clusters.codes[part]
        rows = np.arange(len(part))
        inside_sums[start : start + step] = sums[rows, codes]
        means = sums / clusters.sizes
        means[rows, codes] = math.inf
        nearest[start : start + step] = means.min(axis=1)
    return inside_sums, nearest


def _steps(start: int, stop: int, width: int) -> Iterator[tuple[int, int]]:
    """Yield the ends of consecutive ranges of at most this width.

    >>> list(_steps(0, 5, 2))
    [(0, 2), (2, 4), (4, 5)]
    """
    for left in range(start, stop, width):
        yield left, min(left + width, stop)


# Distances


class _PointDistances:
    """Euclidean distances between two sets of points, one tile at a time.

    The squared distance of x and y is the dot product of (-2x, |x|**2, 1) and (y, 1, |y|**2), so a
    tile is a product of two matrices. With x = 3 and y = 5 it is (-6, 9, 1) . (5, 1, 25), which is
    -30 + 9 + 25 = 4.

    The product is split into a stack of low ones. BLAS computes a small product in one thread; for
    a large one it would wake more threads, which would wait for each other longer than they work.

    Points are taken relative to `origin`, a point in their middle. There |x| and |y| are not much
    larger than the distances of points, so few distances lose digits. Those that may have lost some
    are recomputed from differences of coordinates.

    Args:
        left: the points for the rows of a tile, shape (points, dimensions).
        right: the points for the columns of a tile.
        origin: shape (dimensions,).
    """

    def __init__(self, left: Floats, right: Floats, origin: Floats) -> None:
        self._left, self._right = left, right
        width = left.shape[1] + 2
        self._height = _HEIGHT if width * _HEIGHT * 16 <= _MULTIPLICATIONS else 1
        self.columns = max(16, min(512, _MULTIPLICATIONS // (self._height * width) // 16 * 16))
        self.rows = max(self._height, _TILE // self.columns // self._height * self._height)
        x, y = left - origin, right - origin
        x_squares, y_squares = (np.einsum("ij,ij->i", points, points) for points in (x, y))
        padded = -(-len(x) // self._height) * self._height
        self._left_factors = np.zeros((padded, width))
        np.multiply(x, -2, out=self._left_factors[: len(x), :-2])
        self._left_factors[: len(x), -2], self._left_factors[:, -1] = x_squares, 1
        self._right_factors = np.empty((width, len(y)))
        self._right_factors[:-2] = y.T
        self._right_factors[-2], self._right_factors[-1] = 1, y_squares
        self._close = _CLOSE * max(float(x_squares.max()), float(y_squares.max()))

    def tile(self, top: int, left: int, right: int, buffer: Floats) -> Floats:
        """The distances of `rows` points from `top` onwards to the points `left` to `right` - 1.

        The array is a view of `buffer`, which the next tile overwrites.
        """
        factors = self._left_factors[top : top + self.rows]
        stack = factors.reshape(-1, self._height, factors.shape[1])
        width = right - left
        products = buffer[: len(factors) * width].reshape(len(stack), self._height, width)
        np.matmul(stack, self._right_factors[:, left:right], out=products)
        tile = products.reshape(-1, width)[: len(self._left) - top]
        if tile.size and tile.min() < self._close:
            self._correct(tile, top, left)
        return np.sqrt(tile, out=tile)

    def _correct(self, tile: Floats, top: int, left: int) -> None:
        """Recompute small squared distances from differences of coordinates."""
        rows, columns = np.divmod(np.flatnonzero(tile < self._close), tile.shape[1])
        for block in blocks(len(rows)):
            i, j = rows[block], columns[block]
            differences = self._left[top + i] - self._right[left + j]
            tile[i, j] = np.einsum("ij,ij->i", differences, differences)

    def buffer(self) -> Floats:
        """Return memory for one tile."""
        return np.empty((self.rows + self._height) * self.columns)
