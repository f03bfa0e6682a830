"""Quality of a clustering: from its points alone, or against true labels.

Points are put in an order of their own, so that the order of rows does not show in a score, and are
seen from near by, so that neither does how far they are from zero. Squared distances come from
matrix products, which lose digits where points are close; those are computed again.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, Literal, get_args

import numpy as np

from ..numbers.arrays import Column, Floats, Integers
from ..numbers.checks import RowError, check_choice, check_flag, check_measures
from ..numbers.contingency import Table, contingency
from ..numbers.domains import Parsed
from ..numbers.multisets import Multiset
from ..statistics.bootstrap import (
    check_draws,
    check_resampling,
    mean_interval,
    random_rows,
    resampled_totals,
)
from ..statistics.summary import mean

OF_POINTS = ("silhouette", "davies_bouldin", "calinski_harabasz")
OF_LABELS = ("ari", "nmi", "v_measure", "homogeneity", "completeness")
Measures = Annotated[
    str | Sequence[str],
    Parsed(partial(check_measures, known=(*OF_POINTS, *OF_LABELS)), "a measure, or a list of them"),
]
Metric = Literal["euclidean", "sqeuclidean", "cosine"]

_PRODUCT = 1 << 18  # multiplications up to which a matrix product stays in one thread
_HEIGHT = 16  # rows of such a product
_TILE = 1 << 17  # distances looked at together: small enough for the cache
_CLOSE = 1e-6  # squared distances below this share of the greatest are computed again
_LARGE = 256  # points of a cluster, on average, from which on pairs of clusters pay
_SAFE = 300  # exponents of coordinates up to here can be squared and summed
_COARSE = 2.0**-8  # of the farthest coordinate: what is smaller feels how centroids are rounded
_ROUNDING = 2.0**-46  # of the farthest coordinate: how far rounding may put centroids apart
_BLOCK = 1 << 13  # points looked at together by what is linear in them
_ORDERED = 1 << 14  # points up to which means and sums are taken in an order of their own


class Clusters:
    """Points and their clusters, sorted by cluster, and scaled where squares would overflow.

    Args:
        points: a row of coordinates each, shape (points, dimensions).
        labels: the cluster of each, an int or a text.
        directions: take of each point its direction from the origin alone.
        in_order: sort the points of a cluster too, whatever order they stand in.

    Raises:
        ValueError: points that are not rows of so many finite numbers; one cluster, or as many as
            points, of which no score can be taken.

    >>> clusters = Clusters([[0.0, 0.0], [9.0, 9.0], [0.0, 1.0]], ["a", "b", "a"])
    >>> clusters.sizes.tolist(), clusters.order.tolist()
    ([2, 1], [0, 2, 1])
    """

    def __init__(
        self, points: Column, labels: Column, *, directions: bool = False, in_order: bool = True
    ) -> None:
        given, largest = _coordinates(points)
        if len(given) != len(labels):
            raise ValueError(
                f"the inputs differ in length: predictions has {len(labels)} rows, "
                f"references has {len(given)} rows"
            )
        self.codes, count = _codes(labels)
        if not 1 < count < len(given):
            raise ValueError(
                f"predictions holds {count} cluster{'s' * (count > 1)} of {len(given)} points; "
                "a score needs at least two clusters, and less than there are points"
            )
        self.count = count
        if directions:
            given, largest = _directions(given), 1.0
        self.order = _order(given, self.codes) if in_order else np.arange(len(given))
        self.sizes = np.bincount(self.codes, minlength=count)
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])
        if in_order:
            given, self.codes = given[self.order], self.codes[self.order]
        power = math.frexp(largest)[1]
        # Squares of what is beyond this over- or underflow; no score depends on the unit.
        self.points = np.ldexp(given, -power) if abs(power) > _SAFE else given
        self.unit = math.ldexp(1.0, 0 if abs(power) > _SAFE else power)

    def __len__(self) -> int:
        return len(self.points)

    def means(self, about: Floats | None = None) -> Floats:
        """The mean of each cluster, or of its distances from what stands for each."""
        from scipy.sparse import csc_array

        sums = np.zeros((self.count, self.points.shape[1]))
        ones, places = np.ones(_BLOCK), np.arange(_BLOCK + 1, dtype=np.int32)
        for part in _parts(len(self)):
            codes, points = self.codes[part].astype(np.int32), self.points[part]
            if about is not None:
                points = points - about[codes]
            shape = self.count, len(codes)
            members = csc_array((ones[: len(codes)], codes, places[: len(codes) + 1]), shape=shape)
            sums += members @ points
        found: Floats = sums / self.sizes[:, np.newaxis]
        return found

    def unsorted(self, values: Floats) -> Floats:
        """Values of sorted points in the order of rows."""
        found = np.empty(len(self))
        found[self.order] = values
        return found


def silhouettes(clusters: Clusters, *, squared: bool = False, of: Integers | None = None) -> Floats:
    """How much closer each point is to its own cluster than to the next, from -1 to 1.

    (b - a) / max(a, b), where a is the mean distance to the other points of its cluster, and b the
    least mean distance to the points of another. 0 for the only point of a cluster, and where both
    are 0.

    Args:
        clusters: the points.
        squared: take squared distances, which takes time in proportion to the points alone.
        of: places of sorted points, for these alone; None for all.

    Returns:
        In the order of sorted points, or of `of`.

    Source:
        Rousseeuw, Silhouettes: a graphical aid to the interpretation and validation of cluster
        analysis (1987).

    >>> clusters = Clusters([[0.0, 0.0], [0.0, 1.0], [5.0, 5.0], [5.0, 6.0]], [0, 0, 1, 1])
    >>> silhouettes(clusters).round(3).tolist()
    [0.866, 0.852, 0.852, 0.866]
    """
    if squared:
        own, other = _squared_sums(clusters, np.arange(len(clusters)) if of is None else of)
    elif of is None and len(clusters) >= _LARGE * clusters.count:
        own, other = _sums_by_pairs(clusters)
    else:
        own, other = _sums_by_rows(clusters, np.arange(len(clusters)) if of is None else of)
    codes = clusters.codes if of is None else clusters.codes[of]
    size = clusters.sizes[codes]
    own /= np.maximum(size - 1, 1)
    greater = np.maximum(own, other)
    found = np.divide(other - own, greater, out=np.zeros(len(own)), where=greater > 0)
    found[size == 1] = 0.0
    return found


@dataclass(frozen=True)
class Spreads:
    """Where clusters are and how far they reach: all that the measures of centroids are made of.

    Attributes:
        sizes: how many points each cluster has.
        centroids: the mean of each, but for what `rest` adds, which is far smaller.
        rest: what rounding has left out of the centroids.
        distance: the mean distance of the points of each to its centroid.
        within: the sum of squared distances of all points to their centroids.
    """

    sizes: Integers
    centroids: Floats
    rest: Floats
    distance: Floats
    within: float

    def apart(self, cluster: int) -> Floats:
        """The distances of one centroid to all."""
        return _lengths(
            (self.centroids - self.centroids[cluster]) + (self.rest - self.rest[cluster])
        )


def spreads(clusters: Clusters) -> Spreads:
    """The centroids of clusters, and how far their points are from them.

    If clusters are small or close, compared with how far they are from zero, what rounding has left
    out of the centroids is taken in a second pass. Centroids so close that they may be the same are
    then taken as fractions: it is all the difference whether they are.
    """
    centroids = clusters.means()
    rough = _spreads(clusters, centroids, np.zeros_like(centroids))
    small = _COARSE * clusters.unit
    distances = rough.distance[rough.distance > 0]
    if _nearest(rough).min() > small and (distances > small).all():
        return rough
    rest = clusters.means(about=centroids)
    fine = _spreads(clusters, centroids, rest)
    together = np.flatnonzero(_nearest(fine) <= _ROUNDING * clusters.unit)
    if not together.size:
        return fine
    for cluster in together:
        for axis, coordinates in enumerate(clusters.points[clusters.codes == cluster].T):
            middle = Multiset.from_values(coordinates).exact_sum() / len(coordinates)
            centroids[cluster, axis] = float(middle)
            rest[cluster, axis] = float(middle - Fraction(centroids[cluster, axis]))
    return _spreads(clusters, centroids, rest)


def _nearest(of: Spreads) -> Floats:
    """The distance of each centroid to the one next to it."""
    return np.array(
        [np.delete(of.apart(cluster), cluster).min() for cluster in range(len(of.sizes))]
    )


def _spreads(clusters: Clusters, centroids: Floats, rest: Floats) -> Spreads:
    sums, within, left = np.zeros(clusters.count), 0.0, bool(rest.any())
    away = np.empty((min(_BLOCK, len(clusters)), centroids.shape[1]))
    for part in _parts(len(clusters)):
        codes = clusters.codes[part]
        from_centroid = np.take(centroids, codes, axis=0, out=away[: len(codes)], mode="clip")
        np.subtract(clusters.points[part], from_centroid, out=from_centroid)
        if left:
            from_centroid -= rest[codes]
        squares = np.einsum("ij,ij->i", from_centroid, from_centroid)
        within += float(squares.sum())
        sums += np.bincount(codes, np.sqrt(squares), clusters.count)
    return Spreads(clusters.sizes, centroids, rest, sums / clusters.sizes, within)


def davies_bouldin(of: Spreads) -> float:
    """The mean over clusters of how much they overlap with the one they overlap with most.

    Overlap is the sum of the mean distances of points to their centroid, over the distance of both
    centroids. Infinite where centroids coincide, unless all points of both clusters do.

    Source:
        Davies and Bouldin, A Cluster Separation Measure (1979).

    >>> davies_bouldin(spreads(Clusters([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])))
    0.2
    """
    worst = np.empty(len(of.sizes))
    for cluster, reach in enumerate(of.distance):
        both = reach + of.distance
        with np.errstate(divide="ignore", invalid="ignore"):
            overlap = np.where(both > 0, both / of.apart(cluster), 0.0)
        overlap[cluster] = 0.0
        worst[cluster] = overlap.max()
    return mean(worst)


def calinski_harabasz(of: Spreads) -> float:
    """The variance between clusters over that within, each divided by its degrees of freedom.

    Infinite where the points of every cluster coincide.

    Source:
        Calinski and Harabasz, A dendrite method for cluster analysis (1974).

    >>> calinski_harabasz(spreads(Clusters([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])))
    50.0
    """
    clusters, points = len(of.sizes), int(of.sizes.sum())
    sizes = of.sizes[:, np.newaxis]
    about = of.centroids - of.centroids[0] + (of.rest - of.rest[0])
    about -= (about * sizes).sum(axis=0) / points
    between = float((np.square(about) * sizes).sum())
    if not of.within:
        return math.inf
    return between * (points - clusters) / (of.within * (clusters - 1))


# Points


def _coordinates(points: Column) -> tuple[Floats, float]:
    """Points as an array of floats, each of so many finite coordinates, and the farthest from 0."""
    if not isinstance(points, np.ndarray):
        lengths = [len(point) if isinstance(point, Sequence) else -1 for point in points]
        for row, length in enumerate(lengths):
            if length != lengths[0]:
                raise RowError(
                    "references",
                    row,
                    f"has {length} coordinates, but references[0] has {lengths[0]}",
                )
    found = np.asarray(points)
    if found.ndim != 2 or not found.shape[1] or found.dtype.kind not in "biuf":
        raise ValueError(
            "references must hold a row of coordinates for each point, got an array of shape "
            f"{found.shape} and {found.dtype}; for one dimension give rows of one number"
        )
    found = found.astype(np.float64, copy=False)
    largest = _largest(found)
    if not math.isfinite(largest):
        row, column = np.argwhere(~np.isfinite(found))[0].tolist()
        raise RowError(
            "references",
            row,
            f"[{column}] is {found[row, column]}; every coordinate must be finite",
        )
    return found, largest


def _largest(points: Floats) -> float:
    """The absolute value of the coordinate farthest from zero; NaN if one is NaN."""
    ends = [(points[part].min(), points[part].max()) for part in _parts(len(points))]
    return float(np.abs(np.array(ends)).max())


def _parts(size: int) -> Iterator[slice]:
    for start in range(0, size, _BLOCK):
        yield slice(start, min(start + _BLOCK, size))


def _codes(labels: Column) -> tuple[Integers, int]:
    """The clusters as 0, 1, ..., in the order of their labels, and how many there are."""
    column = np.asarray(labels)
    if column.dtype.kind in "iub":
        least, greatest = int(column.min()), int(column.max())
        if greatest - least < 1 << 16:
            steps = (column - column.dtype.type(least)).astype(np.int64)
            occurs = np.bincount(steps) > 0
            return (np.cumsum(occurs) - 1)[steps], int(occurs.sum())
    found, codes = np.unique(column, return_inverse=True)
    return codes.astype(np.int64), len(found)


def _order(points: Floats, codes: Integers) -> Integers:
    """The order of points by cluster, then by coordinates, that of rows where all are equal."""
    order = np.lexsort([points[:, 0], codes])
    first = points[order, 0]
    tied = (first[1:] == first[:-1]) & (codes[order[1:]] == codes[order[:-1]])
    if tied.any() and points.shape[1] > 1:
        order = np.lexsort([*points.T[::-1], codes])
    return order


def _directions(points: Floats) -> Floats:
    """The points as seen from the origin, at distance 1 from it.

    Half the square of the distance of two such points is the cosine distance.
    """
    size = np.abs(points).max(axis=1)
    if not size.all():
        raise ValueError(
            f"references[{int(size.argmin())}] is zero everywhere and so has no direction; "
            "metric='cosine' needs one"
        )
    near_one = np.ldexp(points, -np.frexp(size)[1][:, np.newaxis])
    directions: Floats = near_one / _lengths(near_one)[:, np.newaxis]
    return directions


def _lengths(vectors: Floats) -> Floats:
    lengths: Floats = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return lengths


# Sums of distances, of which the mean to the next cluster is taken at once


def _squared_sums(clusters: Clusters, rows: Integers) -> tuple[Floats, Floats]:
    """For squared distances they are the size times that to the centroid, plus a constant.

    The constant is the sum of squared distances of the cluster to its centroid. Nothing cancels.
    """
    centroids = clusters.means()
    points, codes = clusters.points[rows], clusters.codes[rows]
    own, other = np.empty(len(rows)), np.full(len(rows), math.inf)
    for cluster, (centroid, size) in enumerate(zip(centroids, clusters.sizes, strict=True)):
        members = clusters.points[clusters.starts[cluster] : clusters.starts[cluster + 1]]
        members = members - centroid
        left_out = members.mean(axis=0)  # by rounding of the centroid
        members -= left_out
        reach = float(np.einsum("ij,ij->", members, members))
        away = points - centroid - left_out
        sums = size * np.einsum("ij,ij->i", away, away) + reach
        inside = codes == cluster
        own[inside] = sums[inside]
        np.minimum(other, sums / size, out=other, where=~inside)
    return own, other


class _Distances:
    """Distances of two sets of points, a tile at a time; sets lie about a middle of their own.

    The squared distance of x and y is [-2x, |x|^2, 1] . [y, 1, |y|^2]. A stack of low products is
    taken in one thread each; larger ones would wake those of the library, which then wait for each
    other longer than they work. About their middle, points are not farther from zero than they are
    from each other, so few squares lose digits; those that may have are computed from differences.
    """

    def __init__(self, first: Floats, second: Floats, middle: Floats) -> None:
        self._first, self._second = first, second
        width = first.shape[1] + 2
        self._height = _HEIGHT if width * _HEIGHT * 16 <= _PRODUCT else 1
        self.columns = max(16, min(512, _PRODUCT // (self._height * width) // 16 * 16))
        self.rows = max(self._height, _TILE // self.columns // self._height * self._height)
        at, to = first - middle, second - middle
        squares, other = (np.einsum("ij,ij->i", side, side) for side in (at, to))
        padded = -(-len(at) // self._height) * self._height
        self._left = np.zeros((padded, width))
        np.multiply(at, -2, out=self._left[: len(at), :-2])
        self._left[: len(at), -2], self._left[:, -1] = squares, 1
        self._right = np.empty((width, len(to)))
        self._right[:-2], self._right[-2], self._right[-1] = to.T, 1, other
        self._close = _CLOSE * max(float(squares.max()), float(other.max()))

    def tile(self, top: int, left: int, right: int, room: Floats) -> Floats:
        """The distances of `rows` points from `top` on to those from `left` up to `right`.

        An array in `room`, where the next tile will be.
        """
        part = self._left[top : top + self.rows]
        stack = part.reshape(-1, self._height, part.shape[1])
        width = right - left
        whole = room[: len(part) * width].reshape(len(stack), self._height, width)
        np.matmul(stack, self._right[:, left:right], out=whole)
        tile = whole.reshape(-1, width)[: len(self._first) - top]
        if tile.size and tile.min() < self._close:
            self._again(tile, top, left)
        return np.sqrt(tile, out=tile)

    def _again(self, tile: Floats, top: int, left: int) -> None:
        rows, columns = np.divmod(np.flatnonzero(tile < self._close), tile.shape[1])
        for part in _parts(len(rows)):
            at, to = rows[part], columns[part]
            apart = self._first[top + at] - self._second[left + to]
            tile[at, to] = np.einsum("ij,ij->i", apart, apart)

    def room(self) -> Floats:
        """Room for a tile."""
        return np.empty((self.rows + self._height) * self.columns)


def _sums_by_pairs(clusters: Clusters) -> tuple[Floats, Floats]:
    """A pair of clusters at a time, and each pair of points once."""
    own, other = np.zeros(len(clusters)), np.full(len(clusters), math.inf)
    parts = [slice(*ends) for ends in zip(clusters.starts, clusters.starts[1:], strict=False)]
    middles = clusters.means()
    for a, here in enumerate(parts):
        own[here] = _sums_within(clusters.points[here], middles[a])
        for b in range(a + 1, clusters.count):
            there = parts[b]
            middle = (middles[a] + middles[b]) / 2
            to, back = _sums_between(clusters.points[here], clusters.points[there], middle)
            other[here] = np.minimum(other[here], to / clusters.sizes[b])
            other[there] = np.minimum(other[there], back / clusters.sizes[a])
    return own, other


def _sums_within(points: Floats, middle: Floats) -> Floats:
    """The sum of distances of each point to the others."""
    sums = np.zeros(len(points))
    distances = _Distances(points, points, middle)
    room = distances.room()
    for top in range(0, len(points), distances.rows):
        bottom = min(top + distances.rows, len(points))
        # The square on the diagonal has each pair twice, what is right of it once.
        for left, right in [
            *_steps(top, bottom, distances.columns),
            *_steps(bottom, len(points), distances.columns),
        ]:
            tile = distances.tile(top, left, right, room)
            sums[top:bottom] += np.einsum("ij->i", tile)
            if left >= bottom:
                sums[left:right] += np.add.reduce(tile, axis=0)
    return sums


def _sums_between(here: Floats, there: Floats, middle: Floats) -> tuple[Floats, Floats]:
    """The sums of distances of each point to those of the other set, for both sets."""
    to, back = np.zeros(len(here)), np.zeros(len(there))
    distances = _Distances(here, there, middle)
    room = distances.room()
    for top in range(0, len(here), distances.rows):
        for left, right in _steps(0, len(there), distances.columns):
            tile = distances.tile(top, left, right, room)
            to[top : top + distances.rows] += np.einsum("ij->i", tile)
            back[left:right] += np.add.reduce(tile, axis=0)
    return to, back


def _steps(start: int, stop: int, width: int) -> Iterator[tuple[int, int]]:
    for left in range(start, stop, width):
        yield left, min(left + width, stop)


def _sums_by_rows(clusters: Clusters, rows: Integers) -> tuple[Floats, Floats]:
    """Some points at a time, to all points: for some of the points, or for many clusters."""
    own, other = np.empty(len(rows)), np.empty(len(rows))
    step = max(1, _TILE // 512)
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        points = clusters.points[part]
        distances = _Distances(points, clusters.points, points.mean(axis=0))
        room = distances.room()
        sums = np.zeros((len(part), clusters.count))
        for left, right in _steps(0, len(clusters), distances.columns):
            first, last = clusters.codes[left], clusters.codes[right - 1]
            begins = np.maximum(clusters.starts[first : last + 1] - left, 0)
            for top in range(0, len(part), distances.rows):
                tile = distances.tile(top, left, right, room)
                found = np.add.reduceat(tile, begins, axis=1)
                sums[top : top + len(tile), first : last + 1] += found
        codes = clusters.codes[part]
        places = np.arange(len(part))
        own[start : start + step] = sums[places, codes]
        sums /= clusters.sizes
        sums[places, codes] = math.inf
        other[start : start + step] = sums.min(axis=1)
    return own, other


# Labels


@dataclass(frozen=True)
class _Counted:
    """How often pairs of labels occur, in several tables at once; shape (tables, pairs)."""

    pairs: Integers
    rows: Integers  # of each pair, the totals of its labels
    columns: Integers
    row_totals: Integers  # shape (tables, labels)
    column_totals: Integers


def _counted(table: Table, counts: Integers) -> _Counted:
    shape = len(counts), len(table.first)
    first, second = np.zeros(shape, np.int64), np.zeros((len(counts), len(table.second)), np.int64)
    for of_table, one, other in zip(counts, first, second, strict=True):
        # Whole numbers of rows are exact in float64.
        one += np.bincount(table.rows, of_table, len(one)).astype(np.int64)
        other += np.bincount(table.columns, of_table, len(other)).astype(np.int64)
    return _Counted(counts, first[:, table.rows], second[:, table.columns], first, second)


def _ari(of: _Counted) -> list[float]:
    """Agreeing pairs of rows, less those expected by chance; in whole numbers up to a division."""

    def pairs(counts: Integers) -> list[int]:
        return [int(each) // 2 for each in (counts * (counts - 1)).sum(axis=1)]

    found = []
    totals = of.row_totals.sum(axis=1).tolist()
    every = zip(pairs(of.pairs), pairs(of.row_totals), pairs(of.column_totals), totals, strict=True)
    for both, one, other, rows in every:
        possible = rows * (rows - 1) // 2
        best = (one + other) * possible - 2 * one * other
        found.append(2 * (both * possible - one * other) / best if best else 1.0)
    return found


def _information(of: _Counted) -> tuple[list[float], list[float], list[float]]:
    """Mutual information and both entropies, in nats times the number of rows."""
    rows = of.row_totals.sum(axis=1, keepdims=True)
    expected = of.rows * of.columns
    with np.errstate(divide="ignore", invalid="ignore"):
        # Independent labels have ratios of exactly 1, and close to it nothing cancels.
        above = (of.pairs * rows - expected) / expected
        shared = np.where(of.pairs > 0, of.pairs * np.log1p(above), 0.0)
    return _sums(shared), _entropies(of.row_totals, rows), _entropies(of.column_totals, rows)


def _entropies(totals: Integers, rows: Integers) -> list[float]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return _sums(np.where(totals > 0, totals * np.log(rows / totals), 0.0))


def _sums(values: Floats) -> list[float]:
    return [max(math.fsum(each), 0.0) for each in values.tolist()]


def _ratios(shared: Sequence[float], entropy: Sequence[float]) -> list[float]:
    return [
        min(one / all_of, 1.0) if all_of else 1.0
        for one, all_of in zip(shared, entropy, strict=True)
    ]


def _of_information(of: _Counted, name: str) -> list[float]:
    shared, true, found = _information(of)
    if name == "homogeneity":
        return _ratios(shared, true)
    if name == "completeness":
        return _ratios(shared, found)
    # The harmonic mean of both is the information over the mean entropy, so V-measure is NMI.
    return _ratios([2 * each for each in shared], [a + b for a, b in zip(true, found, strict=True)])


def _agreement(name: str, of: _Counted) -> list[float]:
    return _ari(of) if name == "ari" else _of_information(of, name)


# Modules


def clustering_scores(
    predictions: Column,
    references: Column,
    *,
    measures: str | Sequence[str] | None = None,
    metric: str = "euclidean",
    per_example: bool = False,
    sample_size: int | None = None,
    confidence_level: float | None = None,
    n_resamples: int = 10_000,
    seed: int = 0,
) -> dict[str, Any]:
    """The measures asked for.

    Args:
        predictions: the cluster of each row, an int or a text.
        references: points, a row of coordinates each; or true labels, ints or texts.
        measures: names, of `OF_POINTS` or of `OF_LABELS`; None for all that the references have.
        metric: of the silhouette; the others are Euclidean.
        per_example: also return the silhouette of each point; NaN for those not in the sample.
        sample_size: take the silhouette of so many points alone, drawn without replacement.
        confidence_level: also return bootstrap intervals of the silhouette, or of scores of labels.
        n_resamples: how often the bootstrap resamples.
        seed: of the resampling, and of the sample.

    Raises:
        ValueError: a row or an option is not what it may be, or measures are not for these
            references.

    >>> scores = clustering_scores([0, 0, 1, 1], [0, 0, 1, 2], measures=["ari", "nmi"])
    >>> {name: round(score, 4) for name, score in scores.items()}
    {'ari': 0.5714, 'nmi': 0.8}
    >>> clustering_scores([0, 0, 1], [[0.0], [1.0], [5.0]], measures="davies_bouldin")
    {'davies_bouldin': 0.1111111111111111}
    """
    labels = len(references) > 0 and np.ndim(references[0]) == 0
    if labels and isinstance(references, np.ndarray) and references.dtype.kind == "f":
        _coordinates(references)  # says what is wrong with points of no rows
    asked = _asked(measures, OF_LABELS if labels else OF_POINTS, labels=labels)
    check_choice("metric", metric, get_args(Metric))
    check_flag("per_example", per_example)
    check_draws(n_resamples=n_resamples, seed=seed)
    bootstrap: dict[str, Any] = {}
    if confidence_level is not None:
        check_resampling(confidence_level=confidence_level, n_resamples=n_resamples, seed=seed)
        bootstrap = {
            "confidence_level": confidence_level,
            "n_resamples": n_resamples,
            "seed": seed,
        }
    if sample_size is not None and (
        isinstance(sample_size, bool) or not isinstance(sample_size, int) or sample_size < 1
    ):
        raise ValueError(f"sample_size must be an integer, at least 1, got {sample_size!r}")
    if labels:
        result = _against_labels(predictions, references, asked, bootstrap)
        return result | ({"per_example": {}} if per_example else {})
    return _of_points(
        predictions, references, asked, metric, per_example, sample_size, seed, bootstrap
    )


def _asked(measures: Any, known: Sequence[str], *, labels: bool) -> list[str]:
    """The names of measures, all of which the references have."""
    if measures is None:
        return list(known)
    names = check_measures(measures, (*OF_POINTS, *OF_LABELS))
    for name in names:
        if name not in known:
            needed, given = ("points", "labels") if labels else ("true labels", "points")
            raise ValueError(
                f"measures holds {name!r}, which needs {needed}; references are {given}"
            )
    return names


def _of_points(
    predictions: Column,
    references: Column,
    measures: Sequence[str],
    metric: str,
    per_example: bool,
    sample_size: int | None,
    seed: int,
    bootstrap: dict[str, Any],
) -> dict[str, Any]:
    result: dict[str, Any] = {}
    values = None
    if "silhouette" in measures:
        clusters = Clusters(references, predictions, directions=metric == "cosine")
        squared = metric != "euclidean"
        of = None
        if sample_size is not None and sample_size < len(clusters):
            of = _sample(len(clusters), sample_size, seed)
        values = silhouettes(clusters, squared=squared, of=of)
        result["silhouette"] = mean(values)
    if set(measures) - {"silhouette"}:
        if values is None or metric == "cosine":
            ordered = len(references) <= _ORDERED
            euclidean = Clusters(references, predictions, in_order=ordered)
        else:
            euclidean = clusters
        reach = spreads(euclidean)
        result["davies_bouldin"] = davies_bouldin(reach)
        result["calinski_harabasz"] = calinski_harabasz(reach)
    result = {name: result[name] for name in measures}
    if per_example:
        result["per_example"] = {}
        if values is not None:
            every = np.full(len(clusters), math.nan)
            every[slice(None) if of is None else of] = values
            result["per_example"]["silhouette"] = clusters.unsorted(every).tolist()
    if bootstrap:
        result["confidence_interval"] = {}
        if values is not None:
            result["confidence_interval"]["silhouette"] = list(mean_interval(values, **bootstrap))
    return result


def _sample(rows: int, size: int, seed: int) -> Integers:
    """Places of so many rows, drawn without replacement; ascending."""
    words = np.random.PCG64(int(seed))
    taken = np.zeros(rows, bool)
    while (lacking := size - int(np.count_nonzero(taken))) > 0:
        drawn = random_rows(words, rows, 2 * lacking)
        fresh = drawn[~taken[drawn]]
        first = np.sort(np.unique(fresh, return_index=True)[1])
        taken[fresh[first[:lacking]]] = True
    return np.flatnonzero(taken)


def _against_labels(
    predictions: Column, references: Column, measures: Sequence[str], bootstrap: dict[str, Any]
) -> dict[str, Any]:
    table = contingency(references, predictions)
    whole = _counted(table, table.counts[np.newaxis])
    result: dict[str, Any] = {name: _agreement(name, whole)[0] for name in measures}
    if bootstrap:
        level = float(bootstrap["confidence_level"])
        drawn = resampled_totals(
            table.counts,
            np.arange(len(table.counts))[:, np.newaxis],
            len(table.counts),
            n_resamples=int(bootstrap["n_resamples"]),
            seed=int(bootstrap["seed"]),
        )
        resamples = _counted(table, np.ascontiguousarray(drawn.T))
        result["confidence_interval"] = {
            name: np.quantile(
                _agreement(name, resamples), [(1 - level) / 2, (1 + level) / 2]
            ).tolist()
            for name in measures
        }
    return result
