"""Mean errors and R2 of many rows from sums that are enclosed, where these settle the score.

A score is a rational number, rounded once. It is settled if both ends of the enclosed sums that it
follows from give the same float; if not, and for few rows, weights and extreme numbers, exact sums
decide, which take several times as long.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..statistics.arguments.arrays import Floats, equal_blocks
from ..statistics.arithmetic.exact_sums import EnclosedSum, quotient, root
from .pairs import Pairs

MEASURES = ("mae", "mse", "rmse", "r2")

_FEWEST = 1 << 11  # rows below which exact sums take no longer
_ROWS = 1 << 14  # of a block
_SIZES = 2.0**-400, 2.0**400  # of differences whose squares are far from 0 and from infinity
_HALVING = 2.0**27 + 1

_Ends = tuple[Fraction, Fraction]


def enclosed_scores(pairs: Pairs, name: str) -> list[float] | None:
    """Return a measure of each output, or None if its sums do not settle it.

    >>> pairs = Pairs(np.arange(4096.0), np.arange(4096.0) + 0.5)
    >>> enclosed_scores(pairs, "mae")
    [0.5]
    """
    if pairs.weights is not None or pairs.wide_integers or len(pairs.references) < _FEWEST:
        return None
    values = []
    with np.errstate(all="ignore"):
        for predictions, references in zip(*pairs.tables(), strict=True):
            ends = _score_ends(name, predictions, references)
            if ends is None or ends[0] != ends[1]:
                return None
            values.append(ends[0])
    return values


def _score_ends(name: str, predictions: Floats, references: Floats) -> tuple[float, float] | None:
    """Return the score from either end of the sums."""
    rows = Fraction(references.size)
    if name == "mae":
        total = _sums(references, predictions, ("sizes",))
        return None if total is None else _both(quotient, total[0], rows)
    errors = _sums(references, predictions, ("squares",))
    if errors is None:
        return None
    if name == "mse":
        return _both(quotient, errors[0], rows)
    if name == "rmse":
        low, high = (root(end / rows) for end in errors[0])
        return low, high
    lowest, highest = references.min(), references.max()
    middle = np.float64(references.mean())
    sums = _sums(references, middle, ("differences", "squares"))
    if sums is None or not lowest < highest:
        return None
    (low, high), squares = sums
    nearest = max(low, -high, Fraction(0))
    variations = (
        squares[0] - max(-low, high) ** 2 / rows,
        squares[1] - nearest**2 / rows,
    )
    if variations[0] <= 0:
        return None
    return (
        quotient(variations[0] - errors[0][1], variations[0]),
        quotient(variations[1] - errors[0][0], variations[1]),
    )


def _both(function: Any, ends: _Ends, rows: Fraction) -> tuple[float, float]:
    return function(ends[0], rows), function(ends[1], rows)


def _sums(
    minuend: Floats, subtrahend: NDArray[np.float64] | np.float64, kinds: tuple[str, ...]
) -> list[_Ends] | None:
    """Return enclosures of the sums of differences, of their sizes, or of their squares.

    None if a number is not finite, too large or too small.
    """
    totals = [EnclosedSum() for _ in kinds]
    for part in equal_blocks(minuend.size, _ROWS):
        first = minuend[part]
        second = subtrahend[part] if isinstance(subtrahend, np.ndarray) else subtrahend
        # A difference, and its rounding error: both are floats (Knuth).
        differences = first - second
        back = differences - first
        errors = (first - (differences - back)) - (second + back)
        for kind, total in zip(kinds, totals, strict=True):
            summands = differences, errors
            if kind == "sizes":
                summands = np.abs(differences), np.copysign(1.0, differences) * errors
            elif kind == "squares":
                sizes = np.abs(differences)
                if ((sizes > _SIZES[1]) | ((sizes < _SIZES[0]) & (sizes > 0))).any():
                    return None
                # A square, and its rounding error (Dekker) with the product of both parts.
                squares = differences * differences
                large = differences * _HALVING
                high = large - (large - differences)
                low = differences - high
                rests = ((high * high - squares) + 2 * high * low) + low * low
                summands = squares, rests + 2 * differences * errors
            if not all(map(total.add, summands)):
                return None
    ends = []
    for kind, total in zip(kinds, totals, strict=True):
        lower, upper = total.ends()
        # Rests are at most 3 * 2**-53 of their squares, and each is off by a part of 2**-51.
        slack = upper / 2**102 if kind == "squares" else Fraction(0)
        ends.append((lower - slack, upper + slack))
    return ends
