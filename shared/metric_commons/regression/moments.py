"""Sums of products of errors, predictions and references, about centres near their means.

Sums of few rows, and of extreme numbers, are those of whole numbers. Of many rows, each number is
kept as two floats, so a difference is not rounded. A sum of products has an exact part, from the
leading digits of both factors, and one of rests, so it is right to about 2**-70 of its size.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import lshift, mul, sub
from typing import NamedTuple

import numpy as np

from ..statistics.arguments.arrays import Floats
from ..statistics.arithmetic.exact_sums import exact_ldexp, exact_sum
from .pairs import Numbers, Pairs

_FEW = 1 << 11  # rows whose sums are those of whole numbers
_ROWS = 1 << 14  # of a block: few enough for the cache, and for BLAS to start no threads
_SIZES = 2.0**-400, 2.0**400  # of numbers whose squares are neither infinite nor 0

_REFERENCE = (("reference", "reference"), ("reference", "one"))
_BOTH = (
    *_REFERENCE,
    ("prediction", "prediction"),
    ("prediction", "one"),
    ("reference", "prediction"),
)
SQUARES = ("error", "error")
_PRODUCTS = {
    "mae": (("size", "one"),),
    "mse": (SQUARES,),
    "rmse": (SQUARES,),
    "r2": (SQUARES, *_REFERENCE),
    "explained_variance": _BOTH,
    "pearson": _BOTH,
    "concordance": (*_BOTH, ("error", "one")),
}


class _Column(NamedTuple):
    digits: Floats  # the first 19 bits, so that sums of products over a block are exact
    rests: Floats
    numbers: Floats  # the sum of both, rounded


Products = Collection[tuple[str, str]]


@dataclass(frozen=True)
class Moments:
    """Weighted sums over the rows of one output."""

    rows: int  # including those of weight 0
    weight: Fraction
    sums: Mapping[tuple[str, str], Fraction]

    def mean(self, first: str, second: str = "one") -> Fraction:
        """Return the weighted mean of a product."""
        return self.sums[first, second] / self.weight

    def covariation(self, first: str, second: str) -> Fraction:
        """Return the sum of products of deviations from the means."""
        product = self.sums[first, "one"] * self.sums[second, "one"]
        return self.sums[first, second] - product / self.weight


def compute_moments(pairs: Pairs, measures: Collection[str]) -> list[Moments]:
    """Return the sums of each output that these measures need.

    >>> (moments,) = compute_moments(Pairs([2.5, 0.0], [3.0, -0.5]), ["mae"])
    >>> moments.sums["size", "one"], moments.weight
    (Fraction(1, 1), Fraction(2, 1))
    """
    products = {product for name in measures for product in _PRODUCTS[name]}
    rows, weights = pairs.references.shape[1], pairs.weights
    if not rows or not products:
        return [Moments(pairs.rows, Fraction(0), {})] * pairs.outputs
    weight = Fraction(rows) if weights is None else exact_sum(weights)
    is_usual = pairs.references.dtype.kind == "f" and _SIZES[0] < pairs.largest < _SIZES[1]
    sums = _block_sums if rows > _FEW and is_usual else _whole_sums
    return [
        Moments(pairs.rows, weight, sums(*columns, weights, products))
        for columns in zip(pairs.predictions, pairs.references, strict=True)
    ]


def _whole_sums(
    predictions: Numbers, references: Numbers, weights: Floats | None, products: Products
) -> dict[tuple[str, str], Fraction]:
    rows = references.size
    numbers, unit = _whole(np.concatenate([predictions, references]))
    x, y = numbers[:rows], numbers[rows:]
    errors = list(map(sub, y, x))
    columns = {"prediction": x, "reference": y, "error": errors, "size": list(map(abs, errors))}
    factors, unit_of_weights = ([1] * rows, 0) if weights is None else _whole(weights)
    sums = {}
    for first, second in products:
        factor = columns[first] if weights is None else map(mul, factors, columns[first])
        power = unit_of_weights + (unit if second == "one" else 2 * unit)
        total = sum(factor if second == "one" else map(mul, factor, columns[second]))
        sums[first, second] = exact_ldexp(total, power)
    return sums


def _whole(numbers: Numbers) -> tuple[list[int], int]:
    """Return numbers as whole numbers, and the exponent of their unit."""
    if numbers.dtype.kind != "f":
        return numbers.tolist(), 0
    mantissas, exponents = np.frexp(numbers)
    lowest = exponents.min()
    whole = (mantissas * 2.0**53).astype(np.int64).tolist()
    return list(map(lshift, whole, (exponents - lowest).tolist())), int(lowest) - 53


def _block_sums(
    predictions: Floats, references: Floats, weights: Floats | None, products: Products
) -> dict[tuple[str, str], Fraction]:
    names = {name for product in products for name in product}
    tables = {"prediction": predictions, "reference": references}
    centres = {
        name: np.clip(np.average(table, weights=weights), table.min(), table.max())
        for name, table in tables.items()
        if name in names
    }
    parts: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for start in range(0, references.size, _ROWS):
        part = slice(start, start + _ROWS)
        x, y = predictions[part], references[part]
        columns = {name: _column(tables[name][part], centre) for name, centre in centres.items()}
        if "error" in names:
            columns["error"] = _column(y, x)
        if "size" in names:
            columns["size"] = _column(np.maximum(x, y), np.minimum(x, y))
        for first, second in products:
            factor = columns[first]
            if weights is not None:
                factor = _split(factor.numbers * weights[part])
            parts[first, second] += _product(factor, columns.get(second))
    return {product: exact_sum(np.array(numbers)) for product, numbers in parts.items()}


def _column(first: Floats, second: Floats | np.float64) -> _Column:
    """Return differences, and their rounding errors.

    Source:
        Knuth, The art of computer programming, volume 2, theorem 4.2.2 B.
    """
    numbers = first - second
    back = numbers - first
    low = numbers - back
    np.subtract(first, low, out=low)
    back += second
    low -= back
    return _split(numbers, low)


def _split(numbers: Floats, low: Floats | float = 0.0) -> _Column:
    power = math.frexp(max(float(numbers.max()), -float(numbers.min())))[1]
    magic = math.ldexp(1.5, power + 33)  # near it floats are 2**-19 of the largest apart
    digits = numbers + magic
    digits -= magic
    rests = numbers - digits
    rests += low
    return _Column(digits, rests, numbers)


def _product(first: _Column, second: _Column | None) -> tuple[float, float]:
    """Return the sum of products of digits, which is exact, and that of the rest."""
    if second is None:
        return float(first.digits.sum()), float(first.rests.sum())
    rest = first.digits @ second.rests + first.rests @ second.numbers
    return float(first.digits @ second.digits), float(rest)
