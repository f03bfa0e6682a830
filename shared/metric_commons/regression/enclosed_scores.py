"""Mean errors and R2 of many rows from sums that are enclosed, where these settle the score.

A score is a rational number, rounded once. It is settled if both ends of the enclosed sums that it
follows from give the same float; if not, and for few rows, weights and extreme numbers, exact sums
decide, which take several times as long.
"""

from collections.abc import Collection, Sequence
from fractions import Fraction

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


def enclosed_scores(pairs: Pairs, names: Collection[str]) -> dict[str, list[float]]:
    """Return those of these measures, in each output, that their sums settle.

    >>> pairs = Pairs(np.arange(4096.0), np.arange(4096.0) + 0.5)
    >>> enclosed_scores(pairs, ["mae"])
    {'mae': [0.5]}
    """
    is_few = len(pairs.references) < _FEWEST
    if not names or pairs.weights is not None or pairs.wide_integers or is_few:
        return {}
    with np.errstate(all="ignore"):
        outputs = [_score_ends(names, *columns) for columns in zip(*pairs.tables(), strict=True)]
    settled = {}
    for name in names:
        ends = [found.get(name, (0.0, 1.0)) for found in outputs]
        if all(low == high for low, high in ends):
            settled[name] = [low for low, _ in ends]
    return settled


def _score_ends(
    names: Collection[str], predictions: Floats, references: Floats
) -> dict[str, tuple[float, float]]:
    """Return the scores from either end of the sums."""
    rows = Fraction(references.size)
    kinds = ["sizes"] * ("mae" in names) + ["squares"] * (not {*names} <= {"mae"})
    errors = _sums(references, predictions, kinds)
    if errors is None:
        return {}
    sums = dict(zip(kinds, errors, strict=True))
    found = {}
    for name in names:
        low, high = sums["sizes" if name == "mae" else "squares"]
        if name in ("mae", "mse"):
            found[name] = quotient(low, rows), quotient(high, rows)
        elif name == "rmse":
            found[name] = root(low / rows), root(high / rows)
        else:
            variations = _variation_ends(references)
            if variations is not None:
                found[name] = (
                    quotient(variations[0] - high, variations[0]),
                    quotient(variations[1] - low, variations[1]),
                )
    return found


def _variation_ends(references: Floats) -> _Ends | None:
    """Return an enclosure of the sum of squared deviations from the mean; None for constants."""
    lowest, highest = references.min(), references.max()
    sums = _sums(references, np.float64(references.mean()), ["differences", "squares"])
    if sums is None or not lowest < highest:
        return None
    (least, most), squares = sums
    nearest, farthest = max(least, -most, Fraction(0)), max(-least, most)
    ends = squares[0] - farthest**2 / references.size, squares[1] - nearest**2 / references.size
    return ends if ends[0] > 0 else None


def _sums(
    minuend: Floats, subtrahend: NDArray[np.float64] | np.float64, kinds: Sequence[str]
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
