"""Points and their clusters, ordered and scaled so that sums of squares are safe."""

import math

import numpy as np

from ...statistics.arguments.arrays import Column, Floats
from ...statistics.arguments.checks import RowError, check_finite, check_widths

_SAFE_EXPONENT = 300  # coordinates below 2**300 and above 2**-300 can be squared and summed


class PointClusters:
    """Points and their clusters, sorted by cluster, and scaled if squares would overflow.

    Args:
        points: rows of coordinates, shape (points, dimensions).
        labels: the cluster of each point, an int or a string.
        directions: whether to replace each point by its direction from the origin, a unit vector.
        sort_points: whether to sort the points by cluster and coordinates, so that the order of
            rows does not affect a score.

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
        coordinates, largest = _coordinates(points)
        rows = len(coordinates)
        if rows != len(labels):
            raise ValueError(
                f"the inputs differ in length: predictions has {len(labels)} rows, "
                f"references has {rows} rows"
            )
        distinct, self.codes = np.unique(np.asarray(labels), return_inverse=True)
        self.count = len(distinct)
        if not 1 < self.count < rows:
            raise ValueError(
                f"predictions holds {self.count} cluster{'s' * (self.count > 1)} of {rows} points; "
                "a score needs at least two clusters, and fewer clusters than points"
            )
        if directions:
            coordinates, largest = _directions(coordinates), 1.0
        self.sizes = np.bincount(self.codes, minlength=self.count)
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])
        self.order = np.arange(rows)
        if sort_points:
            # The first coordinate usually decides, so the others are compared only if it does not.
            self.order = np.lexsort([coordinates[:, 0], self.codes])
            first = coordinates[self.order, 0]
            if (first[1:] == first[:-1]).any():
                self.order = np.lexsort([*coordinates.T[::-1], self.codes])
            coordinates, self.codes = coordinates[self.order], self.codes[self.order]
        # Scores do not depend on the unit of coordinates, so a power of two may be factored out.
        exponent = math.frexp(largest)[1]
        is_safe = abs(exponent) <= _SAFE_EXPONENT
        self.points = coordinates if is_safe else np.ldexp(coordinates, -exponent)
        self.unit = math.ldexp(1.0, exponent if is_safe else 0)  # exceeds all coordinates

    def __len__(self) -> int:
        return len(self.points)

    def means(self, centres: Floats | None = None) -> Floats:
        """Return the mean of the sorted points of each cluster.

        With `centres`, of their differences from these.

        Args:
            centres: a point for each cluster, shape (clusters, dimensions).
        """
        points = self.points if centres is None else self.points - centres[self.codes]
        means: Floats = np.add.reduceat(points, self.starts[:-1]) / self.sizes[:, np.newaxis]
        return means


def squared_lengths(vectors: Floats) -> Floats:
    """Return the squared Euclidean length of each vector, shape (vectors, dimensions).

    >>> squared_lengths(np.array([[3.0, 4.0]])).tolist()
    [25.0]
    """
    squares: Floats = np.einsum("ij,ij->i", vectors, vectors)
    return squares


def _coordinates(points: Column) -> tuple[Floats, float]:
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
    directions: Floats = scaled / np.sqrt(squared_lengths(scaled))[:, np.newaxis]
    return directions
