"""Points and their clusters, ordered and scaled so that sums of squares are safe.

Points are sorted, so that the order of rows does not affect a score. Coordinates whose squares
would overflow or underflow are scaled by a power of two.
"""

import math
from collections.abc import Iterator

import numpy as np

from ...statistics.arguments.arrays import Column, Floats, Integers
from ...statistics.arguments.checks import RowError, check_finite, check_widths

_SAFE_EXPONENT = 300  # coordinates below 2**300 and above 2**-300 can be squared and summed
BLOCK = 1 << 13  # points at a time, so that intermediate arrays fit into the cache


class PointClusters:
    """Points and their clusters, sorted by cluster, and scaled if squares would overflow.

    Args:
        points: rows of coordinates, shape (points, dimensions).
        labels: the cluster of each point, an int or a string.
        directions: whether to replace each point by its direction from the origin, a unit vector.
        sort_points: whether to sort the points of each cluster by their coordinates too; otherwise
            points stay in the order of rows.

    Raises:
        ValueError: points are not rows of equally many finite numbers; or there is one cluster, or
            as many as points, for which no score is defined.

    >>> clusters = PointClusters([[0.0, 0.0], [9.0, 9.0], [0.0, 1.0]], ["a", "b", "a"])
    >>> clusters.sizes.tolist(), clusters.order.tolist()
    ([2, 1], [0, 2, 1])

    """

    def __init__(
        self,
        points: Column,
        labels: Column,
        *,
        directions: bool = False,
        sort_points: bool = True,
    ) -> None:
        coordinates, largest = as_coordinates(points)
        rows = len(coordinates)
        if rows != len(labels):
            raise ValueError(
                f"the inputs differ in length: predictions has {len(labels)} rows, "
                f"references has {rows} rows"
            )
        self.codes, self.count = _cluster_codes(labels)
        if not 1 < self.count < rows:
            raise ValueError(
                f"predictions holds {self.count} cluster{'s' * (self.count > 1)} of {rows} points; "
                "a score needs at least two clusters, and fewer clusters than points"
            )
        if directions:
            coordinates, largest = _directions(coordinates), 1.0
        self.order = np.arange(rows)
        self.sizes = np.bincount(self.codes, minlength=self.count)
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])
        if sort_points:
            # The first coordinate usually decides, so the others are compared only if it does not.
            order = np.lexsort([coordinates[:, 0], self.codes])
            first, codes = coordinates[order, 0], self.codes[order]
            is_tied = ((first[1:] == first[:-1]) & (codes[1:] == codes[:-1])).any()
            if is_tied and coordinates.shape[1] > 1:
                order = np.lexsort([*coordinates.T[::-1], self.codes])
            self.order = order
            coordinates, self.codes = coordinates[self.order], self.codes[self.order]
        # Scores do not depend on the unit of coordinates, so a power of two may be factored out.
        exponent = math.frexp(largest)[1]
        is_safe = abs(exponent) <= _SAFE_EXPONENT
        self.points = coordinates if is_safe else np.ldexp(coordinates, -exponent)
        self.unit = math.ldexp(1.0, exponent if is_safe else 0)  # exceeds all coordinates

    def __len__(self) -> int:
        return len(self.points)

    def means(self, centres: Floats | None = None) -> Floats:
        """Return the mean of the points of each cluster.

        With `centres`, of their differences from these.

        Args:
            centres: a point for each cluster, shape (clusters, dimensions).
        """
        from scipy.sparse import csc_array

        sums = np.zeros((self.count, self.points.shape[1]))
        ones, indices = np.ones(BLOCK), np.arange(BLOCK + 1, dtype=np.int32)
        for block in blocks(len(self)):
            codes, points = self.codes[block].astype(np.int32), self.points[block]
            if centres is not None:
                points = points - centres[codes]
            # Row k of this matrix has a 1 for each point of cluster k: times points, it sums them.
            membership = csc_array(
                (ones[: len(codes)], codes, indices[: len(codes) + 1]),
                shape=(self.count, len(codes)),
            )
            sums += membership @ points
        means: Floats = sums / self.sizes[:, np.newaxis]
        return means

    def in_row_order(self, values: Floats) -> Floats:
        """Return values of sorted points, rearranged to the order of rows."""
        rows = np.empty(len(self))
        rows[self.order] = values
        return rows


def blocks(size: int) -> Iterator[slice]:
    """Return slices of consecutive points that together cover `size` of them.

    >>> list(blocks(10_000))
    [slice(0, 8192, None), slice(8192, 10000, None)]
    """
    for start in range(0, size, BLOCK):
        yield slice(start, min(start + BLOCK, size))


def vector_lengths(vectors: Floats) -> Floats:
    """Return the Euclidean length of each vector, shape (vectors, dimensions).

    >>> vector_lengths(np.array([[3.0, 4.0]])).tolist()
    [5.0]
    """
    lengths: Floats = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return lengths


def as_coordinates(points: Column) -> tuple[Floats, float]:
    """The points as an array, shape (points, dimensions), and the largest absolute coordinate.

    Raises:
        ValueError: points have different lengths or no coordinates, or a coordinate is not finite;
            names the row.
    """
    check_widths("references", points, "coordinates")
    array = np.asarray(points)
    if array.ndim != 2 or not array.shape[1] or array.dtype.kind not in "biuf":
        raise ValueError(
            "references must hold a row of coordinates for each point, got an array of shape "
            f"{array.shape} and {array.dtype}; for one dimension, pass rows of one number"
        )
    coordinates = array.astype(np.float64, copy=False)
    low, high = check_finite("references", coordinates, "every coordinate must be finite")
    return coordinates, float(max(-low, high))


def _cluster_codes(labels: Column) -> tuple[Integers, int]:
    """Return the clusters as 0, 1, ..., in the order of their labels, and their number."""
    column = np.asarray(labels)
    if column.dtype.kind in "iub":
        lowest, largest = int(column.min()), int(column.max())
        if largest - lowest < 1 << 16:  # counters cost less than the sort of np.unique
            offsets = (column - column.dtype.type(lowest)).astype(np.int64)
            occurs = np.bincount(offsets) > 0
            return (np.cumsum(occurs) - 1)[offsets], int(occurs.sum())
    distinct, codes = np.unique(column, return_inverse=True)
    return codes.astype(np.int64), len(distinct)


def _directions(points: Floats) -> Floats:
    """Return the points as vectors of length 1, with the same direction from the origin.

    Half the squared distance between two such vectors is their cosine distance. Each point is first
    scaled by a power of two, to a largest coordinate from 0.5 to 1, so that no square overflows.
    """
    largest = np.abs(points).max(axis=1)
    if not largest.all():
        raise RowError(
            "references",
            int(largest.argmin()),
            "is zero everywhere and so has no direction; metric='cosine' needs one",
        )
    scaled = np.ldexp(points, -np.frexp(largest)[1][:, np.newaxis])
    directions: Floats = scaled / vector_lengths(scaled)[:, np.newaxis]
    return directions
