"""Errors of predicted numbers: from pairs of numbers to sums, and from sums to measures.

Sums are exact: every summand is rounded to a fixed grid below the greatest of its kind. So the
order of rows cannot show in a result, nothing overflows, and second moments do not cancel however
far from zero the numbers lie. `Moments` holds such sums as fractions; those of parts add up.
"""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Annotated, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ..numbers.arrays import Booleans, Column, Floats, Integers
from ..numbers.checks import RowError, check_choice, check_measures
from ..numbers.domains import Parsed
from ..numbers.exact_sums import (
    GridSums,
    Number,
    as_float,
    grid_exponent,
    quotient,
    root,
    round_centre,
    times,
)
from ..statistics.bootstrap import check_draws, check_resampling, random_rows

MEASURES = (
    "mae",
    "mse",
    "rmse",
    "r2",
    "mape",
    "smape",
    "median_ae",
    "max_error",
    "explained_variance",
    "pearson",
    "spearman",
)
Measures = Annotated[
    str | Sequence[str],
    Parsed(partial(check_measures, known=MEASURES), "a measure, or a list of them"),
]
# The sums that a measure is made of. `residual` is reference minus prediction.
_TERMS = {
    "mae": ("absolute",),
    "mse": ("squared",),
    "rmse": ("squared",),
    "r2": ("squared", "target", "target_squared"),
    "mape": ("relative",),
    "smape": ("symmetric",),
    "max_error": (),
    "explained_variance": ("target", "target_squared", "guess", "guess_squared", "product"),
    "pearson": ("target", "target_squared", "guess", "guess_squared", "product"),
}
_CENTRED = ("target", "guess")  # these are summed about a centre of their own
_BLOCK = 40_000  # numbers looked at together: few enough for the cache, and for a `GridSums`
_SAMPLE = 1 << 11  # numbers whose extremes foretell those of all
_MANY = 1 << 16  # rows from which on one digit is enough, unless few rows outweigh all others
_DRAWN = 1 << 17  # rows drawn at a time, for all resamples together
_SKEW = 32  # how many times the variance the mean square about a centre may be
_SAFE = 400  # exponents up to here can be squared and summed
_EXACT = 1 << 53  # up to here every integer is a float64
_EPSILON = sys.float_info.epsilon


class Pairs:
    """Predictions and references as arrays, checked, and the weights of rows.

    Rows of weight 0 are left out; `rows` counts them nevertheless.

    Args:
        predictions: a number a row, or a list of so many in each row.
        references: the same; rows of one number and plain numbers go together.
        sample_weight: a number a row, at least 0; None weighs all alike.

    Raises:
        ValueError: rows of unequal length, a number that is not finite, weights that are not what
            they may be; names the row.

    >>> pairs = Pairs([[1.0], [2.0]], [1.0, 4.0])
    >>> pairs.rows, pairs.outputs
    (2, 1)
    """

    def __init__(self, predictions: Column, references: Column, sample_weight: Any = None) -> None:
        guess, target = _table("predictions", predictions), _table("references", references)
        self.rows, self.outputs = len(target), 1 if target.ndim == 1 else target.shape[1]
        if len(guess) != self.rows:
            raise ValueError(
                f"the inputs differ in length: predictions has {len(guess)} rows, "
                f"references has {self.rows} rows"
            )
        if not self.rows:
            raise ValueError("predictions is empty; a score of no rows is undefined")
        if guess.shape != target.shape:
            raise ValueError(
                f"predictions have {guess.size // self.rows} numbers a row, "
                f"but references have {self.outputs}"
            )
        # Integers that a float64 cannot hold stay integers, and so are subtracted.
        integers = guess.dtype.kind in "iu" and target.dtype.kind in "iu"
        self.wide = integers and any(
            max(-int(table.min()), int(table.max())) > _EXACT for table in (guess, target)
        )
        if self.wide:
            guess, target = guess.astype(np.int64), target.astype(np.int64)
        self.weight: Floats | None = None
        self.weight_exponent = 0
        if sample_weight is not None:
            weight = _weights(sample_weight, self.rows)
            check_finite(predictions=guess, references=target)
            counts = weight > 0
            guess, target, weight = guess[counts], target[counts], weight[counts]
            if weight.size:
                self.weight_exponent = math.frexp(float(weight.max()))[1]
            self.weight = np.ldexp(weight, -self.weight_exponent)
        self.guess, self.target = guess, target

    def blocks(self) -> Iterator[tuple[Any, Any, Floats | None]]:
        """References, predictions, both of shape (outputs, some rows), and weights of these."""
        rows = len(self.target)
        parts = -(-rows // max(1, _BLOCK // self.outputs))
        size = -(-rows // parts)  # all of one size, as each takes some time of its own
        for start in range(0, rows, size):
            part = slice(start, start + size)
            weight = None if self.weight is None else self.weight[part]
            yield self._block(self.target[part]), self._block(self.guess[part]), weight

    def _block(self, part: NDArray[Any]) -> NDArray[Any]:
        across = part.reshape(1, -1) if part.ndim == 1 else np.ascontiguousarray(part.T)
        return across if self.wide else across.astype(np.float64, copy=False)

    def sample(self) -> tuple[Any, Any, Floats | None]:
        """Rows from all over; of few rows, all of them."""
        size = max(1, _SAMPLE // self.outputs)
        every = slice(None, None, -(-len(self.target) // size))
        return self._block(self.target[every]), self._block(self.guess[every]), None

    def columns(self) -> tuple[Floats, Floats, Floats]:
        """References, predictions and residuals as floats, shape (outputs, rows) each.

        Of integers beyond float64 references and predictions are told from the least reference.
        """
        target, guess = self._block(self.target), self._block(self.guess)
        with np.errstate(over="ignore"):
            residual = _difference(target, guess, np.empty(target.shape))
        if self.wide:
            least = np.full((self.outputs, 1), self.target.min())
            target, guess = (
                _difference(table, least, np.empty(table.shape)) for table in (target, guess)
            )
        return target, guess, residual

    def order(self) -> Integers:
        """The order of rows by their numbers, whatever order they stand in."""
        tables = [np.atleast_2d(table.T) for table in (self.guess, self.target)]
        keys = [*tables[0], *tables[1]]
        return np.lexsort(keys if self.weight is None else [self.weight, *keys])

    def errors(self) -> tuple[Floats, int]:
        """The absolute errors over a power of two, shape (outputs, rows), and its exponent."""
        *_, residual = self.columns()
        if np.isfinite(residual).all():
            return np.abs(residual), 0
        target, guess = self._block(self.target), self._block(self.guess)
        return np.abs(target / 2 - guess / 2), 1


def check_finite(**tables: NDArray[Any]) -> None:
    """Nothing, if all numbers of all tables are finite.

    >>> check_finite(references=np.array([1.0, np.inf]))
    Traceback (most recent call last):
    ValueError: references[1] is inf; every row needs a finite number
    """
    for name, table in tables.items():
        wrong = np.argwhere(~np.isfinite(table))
        if len(wrong):
            row, *inside = wrong[0].tolist()
            where = "".join(f"[{index}] " for index in inside)
            value = table[tuple(wrong[0])]
            raise RowError(name, row, f"{where}is {value}; every row needs a finite number")


@dataclass(frozen=True)
class Moments:
    """Sums over rows, exact and free of scale: what most measures are made of.

    Attributes:
        rows: how many there are, those of weight 0 included.
        weight: the sum of their weights; without weights the number of rows.
        sums: for each kind of summand its weighted sum in each output.
        ranges: of each output the least and the greatest reference ("target"), residual and, where
            asked for, prediction ("guess"), over the rows whose weight is not 0.
    """

    rows: int
    weight: Fraction
    sums: Mapping[str, tuple[Fraction, ...]]
    ranges: Mapping[str, "_Ranges"]

    def merged(self, other: "Moments") -> "Moments":
        """The moments of the rows of both.

        Sums are fractions about zero, so they add up; what Chan's formula does for rounded moments
        is not needed.

        >>> whole = moments(Pairs([1.0, 2.0, 4.0], [1.0, 2.0, 3.0]), ["r2"])
        >>> one, two = Pairs([1.0], [1.0]), Pairs([2.0, 4.0], [2.0, 3.0])
        >>> moments(one, ["r2"]).merged(moments(two, ["r2"])) == whole
        True
        """
        return Moments(
            self.rows + other.rows,
            self.weight + other.weight,
            {
                term: tuple(a + b for a, b in zip(sums, other.sums[term], strict=True))
                for term, sums in self.sums.items()
            },
            {name: _joined(mine, other.ranges[name]) for name, mine in self.ranges.items()},
        )

    def to_plain(self) -> dict[str, Any]:
        """Lists of integers of any size, two for a fraction: what JSON keeps as it is."""
        return {
            "rows": self.rows,
            "weight": self.weight.as_integer_ratio(),
            "sums": {term: [s.as_integer_ratio() for s in of] for term, of in self.sums.items()},
            "ranges": {
                name: [[number.as_integer_ratio() for number in ends] for ends in of]
                for name, of in self.ranges.items()
            },
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> "Moments":
        """The inverse of `to_plain`."""
        return cls(
            plain["rows"],
            Fraction(*plain["weight"]),
            {term: tuple(Fraction(*s) for s in of) for term, of in plain["sums"].items()},
            {
                name: tuple((Fraction(*low), Fraction(*high)) for low, high in of)
                for name, of in plain["ranges"].items()
            },
        )

    @property
    def outputs(self) -> int:
        """How many numbers a row has."""
        return len(self.ranges["target"])

    def mean(self, term: str) -> list[Fraction]:
        """The weighted mean of a summand in each output."""
        return [total / self.weight for total in self.sums[term]]

    def mean_float(self, term: str) -> list[float]:
        """The same, each rounded to the nearest float."""
        return [quotient(total, self.weight) for total in self.sums[term]]

    def variation(self, name: str, of: str | None = None) -> list[Fraction]:
        """The sum of squared distances from the mean; of a product, from both means."""
        other = self.sums[of or name]
        product = self.sums["product" if of else f"{name}_squared"]
        return [
            both - one * two / self.weight
            for one, two, both in zip(self.sums[name], other, product, strict=True)
        ]

    def constant(self, name: str) -> list[bool]:
        """Whether a quantity is the same in all rows, in each output."""
        return [least == greatest for least, greatest in self.ranges[name]]


_Ranges = tuple[tuple["Number", "Number"], ...]


def _joined(one: _Ranges, other: _Ranges) -> _Ranges:
    return tuple(
        (min(low, lower), max(high, higher))
        for (low, high), (lower, higher) in zip(one, other, strict=True)
    )


def moments(pairs: Pairs, measures: Sequence[str]) -> Moments:
    """The moments that these measures need, in one pass over the rows, seldom in two or three.

    Sums are taken about a centre and on a grid that the extremes of all rows fix. The pass starts
    with those of a sample of the rows and mostly finds that they are the same; else it is
    repeated. It is repeated on a finer grid if few rows outweigh all others, and about the mean if
    the centre is far from it. All this depends on the rows, not on their order.

    >>> of = moments(Pairs([2.5, 0.0], [3.0, -0.5]), ["mae"])
    >>> of.sums["absolute"], of.weight
    ((Fraction(1, 1),), Fraction(2, 1))
    """
    terms = list(dict.fromkeys(term for measure in measures for term in _TERMS.get(measure, ())))
    if not len(pairs.target):  # all weights are 0
        none = tuple(Fraction(0) for _ in range(pairs.outputs))
        met = dict.fromkeys(["target", "residual"], ((math.inf, -math.inf),) * pairs.outputs)
        return Moments(pairs.rows, Fraction(0), dict.fromkeys(terms, none), met)
    digits = 1 if len(pairs.target) >= _MANY else 2
    means: dict[str, list[float]] = {}
    rooms: dict[str, Floats] = {}
    extremes = _sampled(pairs, terms, rooms)
    while True:
        frame = _frame(extremes, terms, means)
        taken = _Pass(frame, terms, digits, rooms)
        taken.add_all(pairs.blocks())
        extremes = _checked(taken, pairs)
        if frame != _frame(extremes, terms, means):
            continue
        if digits == 1 and taken.coarse():
            digits = 2
            continue
        weight = taken.weight() if pairs.weight is not None else Fraction(len(pairs.target))
        sums = taken.totals()
        if not means and (means := _means(sums, weight, frame)):
            continue
        break
    by = pairs.weight_exponent
    return Moments(
        pairs.rows,
        times(weight, by),
        {
            term: tuple(times(total, by) for total in of)
            for term, of in _about_zero(sums, weight, frame).items()
        },
        {name: extremes[name] for name in (*_CENTRED, "residual") if name in extremes},
    )


class _Frame(NamedTuple):
    """Where sums are taken, for each output: about a centre, and on a grid.

    Attributes:
        centre: of references, predictions and residuals.
        shift: by which power of two they are divided, so that squares neither over- nor underflow.
        exponent: for each kind of summand, of the power of two that it stays below.
    """

    centre: dict[str, list[float]]
    shift: dict[str, list[int]]
    exponent: dict[str, list[int]]


def _frame(
    extremes: Mapping[str, _Ranges], terms: Sequence[str], means: Mapping[str, list[float]]
) -> _Frame:
    """The frame of numbers with these extremes; most numbers more leave it as it is."""
    centre: dict[str, list[float]] = {}
    shift: dict[str, list[int]] = {}
    greatest: dict[str, list[Number]] = {}
    for name, ends in extremes.items():
        if name in _CENTRED:
            centre[name] = means.get(name) or [round_centre(*map(as_float, pair)) for pair in ends]
            far = [
                max(_gap(high, about), _gap(about, low))
                for (low, high), about in zip(ends, centre[name], strict=True)
            ]
        elif name == "residual":
            far = [max(-low, high) for low, high in ends]
        else:
            greatest[name] = [high for _, high in ends]
            if name == "relative":
                left_out = _relative_shift(shift["residual"])
                greatest[name] = _over(greatest[name], [left_out] * len(ends))
            continue
        bounds = map(grid_exponent, far)
        shift[name] = [bound if abs(bound) > _SAFE else 0 for bound in bounds]
        greatest[name] = _over(far, shift[name])
        greatest[f"{name}_squared"] = [x * x for x in greatest[name]]
    greatest["absolute"], greatest["squared"] = greatest["residual"], greatest["residual_squared"]
    if "product" in terms:
        both = zip(greatest["target"], greatest["guess"], strict=True)
        greatest["product"] = [a * b for a, b in both]
    return _Frame(centre, shift, {term: list(map(grid_exponent, greatest[term])) for term in terms})


def _over(numbers: Sequence[Number], shift: Sequence[int]) -> list[Number]:
    """The numbers over powers of two."""
    return [
        times(Fraction(number), -power) if power else number
        for number, power in zip(numbers, shift, strict=True)
    ]


def _gap(high: Number, low: Number) -> Number:
    """The difference; where it is a float, rounding has not taken it below a power of two."""
    if isinstance(high, float) and isinstance(low, float) and math.isfinite(high - low):
        return high - low
    return Fraction(high) - Fraction(low)


def _relative_shift(shift: Sequence[int]) -> int:
    """The power of two that relative errors leave out where numbers are huge, not to overflow."""
    return 100 if max(shift) > 0 else 0


def _sampled(pairs: Pairs, terms: Sequence[str], rooms: dict[str, Floats]) -> dict[str, _Ranges]:
    """The extremes of a sample of the rows."""
    for power in (0, 2 * _SAFE):  # a difference may overflow where both numbers are finite
        frame = _Frame({}, {"residual": [power] * pairs.outputs}, {})
        taken = _Pass(frame, terms, 0, rooms)
        taken.add_all([pairs.sample()])
        if taken.finite():
            break
        check_finite(predictions=pairs.guess, references=pairs.target)
    return taken.extremes()


def _checked(taken: "_Pass", pairs: Pairs) -> dict[str, _Ranges]:
    """The extremes of all rows; of numbers that are not finite, an error."""
    if taken.finite():
        return taken.extremes()
    check_finite(predictions=pairs.guess, references=pairs.target)
    # All numbers are finite, so a difference has overflowed that the sample did not show.
    frame = _Frame({}, {"residual": [2 * _SAFE] * pairs.outputs}, {})
    again = _Pass(frame, taken.terms, 0, {})
    again.add_all(pairs.blocks())
    return again.extremes()


class _Pass:
    """One pass over the rows, a block at a time: sums in a frame, and the extremes met.

    Arrays have the shape (outputs, rows). Their rooms are kept from block to block, and from pass
    to pass: to ask for memory takes longer than to fill it.
    """

    def __init__(
        self, frame: _Frame, terms: Sequence[str], digits: int, rooms: dict[str, Floats]
    ) -> None:
        self.terms = list(terms)
        self._frame = frame
        self._digits = digits
        self._rooms = rooms
        outputs = len(frame.shift["residual"])
        self._shape = outputs, max(1, _BLOCK // outputs)
        self._met: dict[str, tuple[list[Any], list[Any]]] = {}
        self._shift = frame.shift | {
            "relative": [_relative_shift(frame.shift["residual"])] * outputs
        }
        self._plain = {name for name, shift in self._shift.items() if not any(shift)}
        self._sums = GridSums([*frame.exponent.values()], digits)
        self._of_weights = GridSums([[0]], digits)

    def add_all(self, blocks: Iterable[tuple[Any, Any, Floats | None]]) -> None:
        """Take in references, predictions and weights of all these rows."""
        with np.errstate(over="ignore", invalid="ignore"):  # a frame may turn out too small
            for block in blocks:
                self._add(*block)

    def _add(self, target: Any, guess: Any, weight: Floats | None) -> None:
        size = target.shape[1]
        residual = self._minus(target, guess, "residual", self._room("residual", size))
        columns = {"target": target, "residual": residual}
        if "guess" in self.terms:
            columns["guess"] = guess
        for term in ("relative", "symmetric"):
            if term in self.terms:
                columns[term] = self._relative(term, target, guess, residual)
        for name, column in columns.items():
            lows, highs = self._met.setdefault(name, ([], []))
            lows.append(np.minimum.reduce(column, axis=1))
            highs.append(np.maximum.reduce(column, axis=1))
        if not self._digits:  # only the extremes are asked for
            return
        about = {
            name: self._centred(name, columns[name]) for name in _CENTRED if name in self.terms
        }
        room = self._room("summands", size)
        whole = left = room  # of one digit, nothing is left
        if self._digits > 1:
            whole, left = self._room("whole", size), self._room("left", size)
        for kind, term in enumerate(self.terms):
            summands = self._summands(term, columns, about, room)
            if weight is not None:
                summands = np.multiply(summands, weight, out=room)
            self._sums.add(kind, summands, whole, left)
        if weight is not None:
            self._of_weights.add(0, weight.reshape(1, -1), whole[:1], left[:1])

    def _summands(
        self, term: str, columns: Mapping[str, Any], about: Mapping[str, Floats], out: Floats
    ) -> Floats:
        if term in about:
            return about[term]
        if term in columns:
            relative: Floats = columns[term]
            return relative
        if term == "absolute":
            np.abs(columns["residual"], out=out)
        elif term == "product":
            np.multiply(about["target"], about["guess"], out=out)
        else:
            name = term.removesuffix("_squared")
            numbers = columns["residual"] if term == "squared" else about[name]
            np.multiply(numbers, numbers, out=out)
        return out

    def _centred(self, name: str, column: Any) -> Floats:
        """Distances from the centre."""
        if name in self._plain and not any(self._frame.centre[name]):
            near: Floats = column.astype(np.float64, copy=False)
            return near
        centre = np.array(self._frame.centre[name])[:, np.newaxis]
        room = self._room(f"{name} centred", column.shape[1])
        return self._minus(column, centre.astype(column.dtype), name, room)

    def _relative(self, term: str, target: Any, guess: Any, residual: Floats) -> Floats:
        """The error in proportion to the reference, or to the mean of both numbers."""
        out, huge = self._room(term, target.shape[1]), any(self._shift["residual"])
        if term == "relative":
            np.abs(self._minus(target, guess, term, out) if huge else residual, out=out)
            out /= np.maximum(np.abs(target, dtype=np.float64), _EPSILON)
            return out
        if huge:  # neither may a sum overflow, nor tiny numbers beside it lose their digits
            power = -np.frexp(np.maximum(np.abs(target), np.abs(guess)))[1]
            target, guess = np.ldexp(target, power), np.ldexp(guess, power)
            residual = np.subtract(target, guess, out=out)
        np.abs(residual, out=out)
        both = np.abs(target, dtype=np.float64) + np.abs(guess, dtype=np.float64)
        np.divide(out, both, out=out, where=both > 0)  # nothing of nothing is no error
        out *= 2
        return out

    def _minus(self, first: Any, second: Any, name: str, out: Floats) -> Floats:
        """The difference, rounded once, over the power of two that is left out."""
        if name in self._plain:
            return _difference(first, second, out)
        shift = self._shift[name]
        if max(shift) > 0 and first.dtype.kind == "f":  # before, not to overflow
            by = [max(each, 0) for each in shift]
            np.subtract(_shifted(first, by), _shifted(second, by), out=out)
        else:
            _difference(first, second, out)
        if min(shift) < 0:
            out[...] = _shifted(out, [min(each, 0) for each in shift])
        return out

    def _room(self, name: str, size: int) -> Floats:
        if name not in self._rooms:
            self._rooms[name] = np.empty(self._shape)
        return self._rooms[name][:, :size]

    @cached_property
    def _ends(self) -> dict[str, tuple[list[float], list[float]]]:
        """The least and the greatest numbers met, of each output."""
        return {
            name: (np.minimum.reduce(lows).tolist(), np.maximum.reduce(highs).tolist())
            for name, (lows, highs) in self._met.items()
        }

    def finite(self) -> bool:
        """Whether all numbers met are finite."""
        return all(math.isfinite(end) for ends in self._ends.values() for of in ends for end in of)

    def extremes(self) -> dict[str, _Ranges]:
        """The least and the greatest number met of each kind."""
        found = {}
        for name, (lows, highs) in self._ends.items():
            shift = self._shift[name] if name in ("residual", "relative") else [0] * len(lows)
            found[name] = tuple(
                (_number(low, by), _number(high, by))
                for low, high, by in zip(lows, highs, shift, strict=True)
            )
        return found

    def totals(self) -> dict[str, list[Fraction]]:
        """The sum of each kind of summands in each output, about the centres."""
        return {
            term: [times(total, by) for total, by in zip(of, self._powers(term), strict=True)]
            for term, of in zip(self.terms, self._sums.totals(), strict=True)
        }

    def weight(self) -> Fraction:
        """The sum of weights."""
        return self._of_weights.totals()[0][0]

    def coarse(self) -> bool:
        """Whether summands of some kind, none negative, are few units of the grid on average.

        Where weights are, so are the weighted summands.
        """
        signed = {*_CENTRED, "product"}
        positive = [kind for kind, term in enumerate(self.terms) if term not in signed]
        return any(map(self._sums.coarse, positive))

    def _powers(self, term: str) -> list[int]:
        """The powers of two that a kind of summands leaves out."""
        if term in ("relative", "symmetric"):
            return self._shift["relative"] if term == "relative" else [0] * self._shape[0]
        if term == "product":
            return [a + b for a, b in zip(self._shift["target"], self._shift["guess"], strict=True)]
        if term in ("absolute", "squared"):
            return [(1 + (term == "squared")) * by for by in self._shift["residual"]]
        name = term.removesuffix("_squared")
        return [(1 if name == term else 2) * by for by in self._shift[name]]


def _difference(first: NDArray[Any], second: NDArray[Any], out: Floats) -> Floats:
    """First minus second, rounded once; of integers too, which need not be float64."""
    if first.dtype.kind == "f":
        np.subtract(first, second, out=out)
        return out
    mask = np.int64(2**32 - 1)  # of the halves of the bits a float64 holds the differences
    np.multiply((first >> 32) - (second >> 32), 2.0**32, out=out)
    out += (first & mask) - (second & mask)
    return out


def _number(value: float | int, shift: int) -> Number:
    """A number times a power of two; an integer as a fraction, since a float may not hold it."""
    exact = shift == 0 and isinstance(value, float)
    return value if exact else times(Fraction(value), shift)


def _shifted(numbers: NDArray[Any], shift: Sequence[int]) -> NDArray[Any]:
    """The numbers of each output over a power of two."""
    return np.ldexp(numbers, -np.array(shift)[:, np.newaxis]) if any(shift) else numbers


def _means(
    sums: Mapping[str, Sequence[Fraction]], weight: Fraction, frame: _Frame
) -> dict[str, list[float]]:
    """The means to sum about instead, if some centre is far off; else nothing."""
    names = [name for name in _CENTRED if name in sums]
    skewed = any(
        squared > _SKEW * (squared - total * total / weight)
        for name in names
        for total, squared in zip(sums[name], sums[f"{name}_squared"], strict=True)
    )
    return {
        name: [
            float(Fraction(about) + total / weight)
            for about, total in zip(frame.centre[name], sums[name], strict=True)
        ]
        for name in names
        if skewed
    }


def _about_zero(
    sums: Mapping[str, Sequence[Fraction]], weight: Fraction, frame: _Frame
) -> dict[str, list[Fraction]]:
    """Sums about the centres as sums about zero, without rounding."""
    moved = {term: list(of) for term, of in sums.items()}
    for name in _CENTRED:
        if name in sums:
            for output, about in enumerate(map(Fraction, frame.centre[name])):
                if not about:
                    continue
                total, squared = sums[name][output], sums[f"{name}_squared"][output]
                moved[name][output] = total + about * weight
                moved[f"{name}_squared"][output] = squared + about * (2 * total + about * weight)
    if "product" in sums:
        for output in range(len(sums["product"])):
            one, other = (Fraction(frame.centre[name][output]) for name in ("target", "guess"))
            moved["product"][output] += (
                one * sums["guess"][output] + other * sums["target"][output] + one * other * weight
            )
    return moved


def _table(name: str, column: Column) -> NDArray[Any]:
    """A column of numbers, or of rows of so many numbers each; one a row is as none around it."""
    if not isinstance(column, np.ndarray):
        lengths = {len(row) if isinstance(row, Sequence) else None for row in column}
        if len(lengths) > 1:
            usual = len(column[0])
            row = next(row for row, numbers in enumerate(column) if len(numbers) != usual)
            raise RowError(name, row, f"has {len(column[row])} numbers, but {name}[0] has {usual}")
        column = np.array(column)
    if column.ndim > 2 or column.dtype.kind not in "biuf" or 0 in column.shape[1:]:
        raise ValueError(
            f"{name} must hold a number a row, or as many numbers in each, got an array of shape "
            f"{column.shape} and {column.dtype}"
        )
    if column.dtype.kind == "b":
        column = column.astype(np.int64)
    return column.ravel() if column.ndim == 2 and column.shape[1] == 1 else column


def _weights(sample_weight: Any, rows: int) -> Floats:
    """A weight a row, finite and not negative."""
    weight = np.asarray(sample_weight)
    if weight.shape != (rows,) or weight.dtype.kind not in "biuf":
        raise ValueError(
            f"sample_weight must hold a number for each of {rows} rows, got an array of shape "
            f"{weight.shape} and {weight.dtype}"
        )
    wrong = ~(np.isfinite(weight) & (weight >= 0))
    if wrong.any():
        row = int(wrong.argmax())
        raise RowError(
            "sample_weight", row, f"is {weight[row]}; a weight is finite and not negative"
        )
    return weight.astype(np.float64)


# From moments and rows to measures


def measures_of(moments: Moments, measures: Sequence[str]) -> dict[str, list[float]]:
    """The measures that moments have, each a value an output.

    NaN is what is undefined: everything if the weights sum to zero, R2 of less than two rows, and
    the correlation of a constant. R2 and the explained variance of constant references are 1.0
    where nothing is left to explain and 0.0 otherwise, as in scikit-learn.

    Args:
        moments: of these measures.
        measures: all but `median_ae` and `spearman`, which no moments have.

    >>> of = moments(Pairs([2.5, 0.0, 2.0, 8.0], [3.0, -0.5, 2.0, 7.0]), ["mae", "r2"])
    >>> measures_of(of, ["mae", "r2"])
    {'mae': [0.5], 'r2': [0.9486081370449678]}
    """
    if not moments.weight:
        return {name: [math.nan] * moments.outputs for name in measures}
    return {name: OF_MOMENTS[name](moments) for name in measures}


def _mean_of(term: str) -> Callable[[Moments], list[float]]:
    return lambda of: of.mean_float(term)


def _rmse(of: Moments) -> list[float]:
    return list(map(root, of.mean("squared")))


def _max_error(of: Moments) -> list[float]:
    return [as_float(Fraction(max(-low, high))) for low, high in of.ranges["residual"]]


def _r2(of: Moments) -> list[float]:
    if of.rows < 2:
        return [math.nan] * of.outputs
    return _explained(of, of.sums["squared"])


def _explained_variance(of: Moments) -> list[float]:
    """The variation of residuals is that of references and predictions, less what they share.

    Residuals themselves are rounded, which shows where predictions are far off.
    """
    every = zip(
        of.variation("target"),
        of.variation("guess"),
        of.variation("target", "guess"),
        of.constant("residual"),
        strict=True,
    )
    return _explained(
        of, [Fraction(0) if same else a + b - 2 * shared for a, b, shared, same in every]
    )


def _explained(of: Moments, left: Sequence[Fraction]) -> list[float]:
    """The share of the variation of references that is not left over."""
    every = zip(left, of.variation("target"), of.constant("target"), strict=True)
    return [
        float(not rest) if constant or all_of <= 0 else quotient(all_of - rest, all_of)
        for rest, all_of, constant in every
    ]


def _pearson(of: Moments) -> list[float]:
    every = zip(
        of.variation("target", "guess"),
        of.variation("target"),
        of.variation("guess"),
        of.constant("target"),
        of.constant("guess"),
        strict=True,
    )
    return [
        math.nan
        if constant or other_constant or one <= 0 or other <= 0
        else min(root(both * both / (one * other)), 1.0) * (1 if both > 0 else -1)
        for both, one, other, constant, other_constant in every
    ]


OF_MOMENTS: dict[str, Callable[[Moments], list[float]]] = {
    "mae": _mean_of("absolute"),
    "mse": _mean_of("squared"),
    "rmse": _rmse,
    "r2": _r2,
    "mape": _mean_of("relative"),
    "smape": _mean_of("symmetric"),
    "max_error": _max_error,
    "explained_variance": _explained_variance,
    "pearson": _pearson,
}


def regression_scores(
    predictions: Column,
    references: Column,
    *,
    measures: str | Sequence[str] = ("mae", "mse", "rmse", "r2"),
    multioutput: str = "uniform_average",
    sample_weight: Any = None,
    confidence_level: float | None = None,
    n_resamples: int = 10_000,
    seed: int = 0,
) -> dict[str, Any]:
    """The measures asked for, and their intervals.

    Args:
        predictions: a number a row, or as many in each row as there are outputs.
        references: the same.
        measures: names, of `MEASURES`.
        multioutput: "uniform_average" averages the values of the outputs, "variance_weighted" with
            the variance of the references of each as its weight; "raw_values" returns a list.
        sample_weight: a weight a row, not negative; not for `spearman`.
        confidence_level: also return bootstrap intervals, such as 0.95.
        n_resamples: how often rows are resampled, all outputs of a row together.
        seed: of the resampling.

    Raises:
        ValueError: a number that is not finite, rows of unequal length, an option that is not what
            it may be; names the row or the option.

    >>> regression_scores(
    ...     [2.5, 0.0, 2.0, 8.0], [3.0, -0.5, 2.0, 7.0], measures=["mae", "median_ae"]
    ... )
    {'mae': 0.5, 'median_ae': 0.5}
    >>> regression_scores([1.0], [2.0], measures=["mae", "r2"])
    {'mae': 1.0, 'r2': nan}
    """
    asked = check_measures(measures, MEASURES)
    check_choice("multioutput", multioutput, get_args(Multioutput))
    check_draws(n_resamples=n_resamples, seed=seed)
    if sample_weight is not None and "spearman" in asked:
        raise ValueError("sample_weight does not go with 'spearman': ranks have no weights")
    pairs = Pairs(predictions, references, sample_weight)
    of = moments(pairs, with_weighing(asked, multioutput))
    from_moments = measures_of(of, [name for name in asked if name in OF_MOMENTS])
    values = {
        name: from_moments[name] if name in from_moments else _OF_ROWS[name](pairs)
        for name in asked
    }
    result = over_outputs(values, of, multioutput)
    if confidence_level is not None:
        check_resampling(confidence_level=confidence_level, n_resamples=n_resamples, seed=seed)
        result["confidence_interval"] = _Bootstrap(pairs, of, asked, multioutput).intervals(
            float(confidence_level), int(n_resamples), int(seed)
        )
    return result


Multioutput = Literal["uniform_average", "raw_values", "variance_weighted"]


def with_weighing(measures: Sequence[str], multioutput: str) -> list[str]:
    """The measures, and what else has to be summed up to weigh outputs."""
    return [*measures, *(["r2"] if multioutput == "variance_weighted" else [])]


def over_outputs(
    values: Mapping[str, list[float]], of: Moments, multioutput: str
) -> dict[str, Any]:
    """One value of each measure for all outputs, or a list if `multioutput` is "raw_values"."""
    shares = _shares(of) if multioutput == "variance_weighted" else None
    return {
        name: of_outputs if multioutput == "raw_values" else _average(of_outputs, shares)
        for name, of_outputs in values.items()
    }


def _shares(of: Moments) -> list[Fraction] | None:
    """The variation of the references of each output; None where none varies."""
    if not of.weight:
        return None
    variation = zip(of.variation("target"), of.constant("target"), strict=True)
    shares = [Fraction(0) if constant else every for every, constant in variation]
    return shares if any(shares) else None


def _average(values: Sequence[float], shares: Sequence[Fraction] | None) -> float:
    """The average over outputs, rounded once."""
    if len(values) == 1:
        return values[0]
    weights = shares or [Fraction(1)] * len(values)
    counted = [(value, weight) for value, weight in zip(values, weights, strict=True) if weight]
    if not all(math.isfinite(value) for value, _ in counted):
        return sum(value for value, _ in counted if not math.isfinite(value))
    total = sum(Fraction(value) * weight for value, weight in counted)
    return as_float(total / sum(weight for _, weight in counted))


def _median_ae(pairs: Pairs) -> list[float]:
    """The median of absolute errors in each output; with weights, where they reach the half."""
    if not len(pairs.target):
        return [math.nan] * pairs.outputs
    errors, power = pairs.errors()
    return [as_float(times(Fraction(_median(of, pairs.weight)), power)) for of in errors]


def _median(errors: Floats, weight: Floats | None) -> float:
    if weight is None:
        middle = [(errors.size - 1) // 2, errors.size // 2]
        low, high = np.partition(errors, middle)[middle].tolist()
    else:
        order = np.lexsort([weight, errors])
        reached = np.cumsum(weight[order])
        half = reached[-1] / 2
        sides = [int(reached.searchsorted(half, side)) for side in ("left", "right")]
        low, high = errors[order][np.minimum(sides, errors.size - 1)].tolist()
    return float(low + (high - low) / 2)


def _spearman(pairs: Pairs) -> list[float]:
    """The correlation of ranks, equal numbers sharing the mean of theirs, in each output."""
    from scipy.stats import rankdata

    ranks = [
        np.array([rankdata(of_output) for of_output in np.atleast_2d(table.T)]).T
        for table in (pairs.guess, pairs.target)
    ]
    return measures_of(moments(Pairs(*ranks), ["pearson"]), ["pearson"])["pearson"]


_OF_ROWS: dict[str, Callable[[Pairs], list[float]]] = {
    "median_ae": _median_ae,
    "spearman": _spearman,
}


class _Bootstrap:
    """Measures of resamples: rows drawn with replacement, as many as there are.

    Rows are first put in order, so that theirs cannot show. A resample of a measure made of sums
    needs the sums of what rows contribute alone; these are whole numbers of a small unit, so that
    no rounding depends on how they are added up.
    """

    def __init__(
        self, pairs: Pairs, of: Moments, measures: Sequence[str], multioutput: str
    ) -> None:
        self._measures, self._multioutput = measures, multioutput
        self._counted, self._rows = len(pairs.target), of.rows
        self._outputs = pairs.outputs
        if not self._counted:
            return
        order = pairs.order()
        self._weight = None if pairs.weight is None else pairs.weight[order]
        target, guess, residual = (column[:, order] for column in pairs.columns())
        self._target, self._guess = _places(target), _places(guess)
        errors, self._doubled = pairs.errors()
        self._errors = errors[:, order]
        sizes = [
            np.abs(np.atleast_2d(table.T)[:, order].astype(np.float64))
            for table in (pairs.target, pairs.guess)
        ]
        power = math.frexp(max(float(column.max()) for column in (*sizes, self._errors)))[1]
        self._power = power if abs(power) > _SAFE else 0
        target, guess, *sizes = (
            np.ldexp(column, -self._power) for column in (target, guess, *sizes)
        )
        residual = target - guess if power > _SAFE else np.ldexp(residual, -self._power)
        terms = [term for name in measures for term in _TERMS.get(name, ())]
        if multioutput == "variance_weighted":
            terms += _TERMS["r2"]
        smallest = math.ldexp(_EPSILON, -self._power)
        contributions = _contributions(target, guess, residual, sizes, smallest)
        self._units = {term: self._in_units(contributions[term]()) for term in dict.fromkeys(terms)}
        if self._weight is not None:
            self._units["weight"] = _whole(self._weight[np.newaxis])

    def _in_units(self, contributions: Floats) -> tuple[Integers, int]:
        return _whole(contributions if self._weight is None else contributions * self._weight)

    def intervals(self, level: float, n_resamples: int, seed: int) -> dict[str, Any]:
        """The ends of the interval of each measure; without those resamples where it is NaN."""
        if not self._counted:
            undefined = [math.nan, math.nan]
            raw = self._multioutput == "raw_values"
            every = [undefined] * self._outputs if raw else undefined
            return dict.fromkeys(self._measures, every)
        words = np.random.PCG64(seed)
        at_once = max(1, _DRAWN // self._counted)
        parts = []
        for start in range(0, n_resamples, at_once):
            resamples = min(at_once, n_resamples - start)
            rows = random_rows(words, self._counted, resamples * self._counted)
            parts.append(self._measured(rows.reshape(resamples, self._counted)))
        found = {}
        for name in self._measures:
            values = np.concatenate([part[name] for part in parts], axis=1)
            ends = [_ends(of_output, level) for of_output in values]
            found[name] = ends if self._multioutput == "raw_values" else ends[0]
        return found

    def _measured(self, rows: Integers) -> dict[str, Floats]:
        """Each measure of some resamples; shape (outputs or 1, resamples)."""
        sums = {
            term: np.ldexp(
                np.array([of.take(rows).sum(axis=1) for of in units]).astype(np.float64), exponent
            )
            for term, (units, exponent) in self._units.items()
        }
        weight = sums.get("weight", np.full((1, 1), float(self._counted)))
        with np.errstate(all="ignore"):
            values = {name: self._values(name, rows, sums, weight) for name in self._measures}
            if self._multioutput == "raw_values":
                return values
            shares = np.ones((self._outputs, len(rows)))
            if self._multioutput == "variance_weighted":
                constant = _constant(self._target, rows)
                varying = np.where(constant, 0.0, _variation("target", sums, weight))
                shares = np.where(varying.any(axis=0), varying, shares)
            total = shares.sum(axis=0)
            return {
                name: (np.where(shares > 0, of * shares, 0.0).sum(axis=0) / total)[np.newaxis]
                for name, of in values.items()
            }

    def _values(
        self, name: str, rows: Integers, sums: Mapping[str, Floats], weight: Floats
    ) -> Floats:
        """One measure of each output in some resamples."""
        match name:
            case "mae":
                return np.ldexp(sums["absolute"] / weight, self._power)
            case "mse":
                return np.ldexp(sums["squared"] / weight, 2 * self._power)
            case "rmse":
                return np.ldexp(np.sqrt(sums["squared"] / weight), self._power)
            case "mape":
                return sums["relative"] / weight
            case "smape":
                return sums["symmetric"] / weight
            case "max_error":
                greatest = [of.take(rows).max(axis=1) for of in self._errors]
                return np.ldexp(greatest, self._doubled)
            case "median_ae":
                medians = [self._medians(of, rows) for of in self._errors]
                return np.ldexp(medians, self._doubled)
            case "spearman":
                every = zip(self._target, self._guess, strict=True)
                return np.array([_rank_correlation(one[rows], other[rows]) for one, other in every])
        constant, variation = _constant(self._target, rows), _variation("target", sums, weight)
        if name == "pearson":
            both = sums["product"] - sums["target"] * sums["guess"] / weight
            value = both / np.sqrt(variation * _variation("guess", sums, weight))
            undefined = constant | _constant(self._guess, rows)
            return np.where(undefined, math.nan, np.clip(value, -1.0, 1.0))
        if name == "r2":
            left = sums["squared"]
            nothing = left == 0
        else:
            shared = sums["product"] - sums["target"] * sums["guess"] / weight
            left = np.maximum(variation + _variation("guess", sums, weight) - 2 * shared, 0.0)
            nothing = _constant(self._guess, rows)
        explained = np.where(constant, np.where(nothing, 1.0, 0.0), 1 - left / variation)
        return explained if self._rows > 1 or name != "r2" else np.full_like(explained, math.nan)

    def _medians(self, errors: Floats, rows: Integers) -> Floats:
        if self._weight is None:
            middle: Floats = np.median(errors[rows], axis=1)
            return middle
        return np.array([_median(errors[drawn], self._weight[drawn]) for drawn in rows])


def _contributions(
    target: Floats, guess: Floats, residual: Floats, sizes: Sequence[Floats], smallest: float
) -> dict[str, Callable[[], Floats]]:
    """What each row adds to the sums of each kind, about the middle of its column.

    Args:
        target: references, of integers beyond float64 their distance from one of them.
        guess: predictions, from the same.
        residual: references minus predictions.
        sizes: of references and predictions, the absolute values.
        smallest: the least reference that a relative error is divided by.
    """
    about = {
        name: column - _middle(column) for name, column in (("target", target), ("guess", guess))
    }
    return {
        "absolute": lambda: np.abs(residual),
        "squared": lambda: residual * residual,
        "relative": lambda: np.abs(residual) / np.maximum(sizes[0], smallest),
        "symmetric": lambda: 2 * _proportion(np.abs(residual), sizes[0] + sizes[1]),
        "product": lambda: about["target"] * about["guess"],
        "target": lambda: about["target"],
        "target_squared": lambda: np.square(about["target"]),
        "guess": lambda: about["guess"],
        "guess_squared": lambda: np.square(about["guess"]),
    }


def _middle(column: Floats) -> Floats:
    """A number near the mean of each output, whatever the order of rows."""
    sums = [math.fsum((of / of.size).tolist()) for of in column]
    return np.array(sums)[:, np.newaxis]


def _proportion(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)


def _whole(numbers: Floats) -> tuple[Integers, int]:
    """Numbers as whole multiples of a power of two, of which all together fit into 64 bits."""
    exponent = math.frexp(float(np.abs(numbers).max()))[1] + numbers.shape[1].bit_length() - 62
    return np.rint(np.ldexp(numbers, -exponent)).astype(np.int64), exponent


def _places(columns: NDArray[Any]) -> list[Integers]:
    """Each output with every number replaced by its place among the distinct ones."""
    return [np.unique(column, return_inverse=True)[1] for column in columns]


def _constant(places: Sequence[Integers], rows: Integers) -> Booleans:
    """Whether a resample has drawn the same number throughout, for each output."""
    drawn = (of.take(rows) for of in places)
    return np.array([of.min(axis=1) == of.max(axis=1) for of in drawn])


def _variation(name: str, sums: Mapping[str, Floats], weight: Floats) -> Floats:
    return sums[f"{name}_squared"] - sums[name] * sums[name] / weight


def _rank_correlation(one: Integers, other: Integers) -> Floats:
    """The correlation of ranks in each row; NaN where one side is constant."""
    from scipy.stats import rankdata

    # Twice the distance of a rank from the mean is a whole number, and so are the sums.
    first, second = (
        (2 * rankdata(side, axis=1)).astype(np.int64) - (side.shape[1] + 1) for side in (one, other)
    )
    sums = [(x * y).sum(axis=1) for x, y in ((first, second), (first, first), (second, second))]
    both, squares, other_squares = (each.astype(np.float64) for each in sums)
    spread = np.sqrt(squares) * np.sqrt(other_squares)
    found = np.divide(both, spread, out=np.full(len(one), math.nan), where=spread > 0)
    correlation: Floats = np.clip(found, -1.0, 1.0)
    return correlation


def _ends(values: Floats, level: float) -> list[float]:
    """The percentile interval of the values that are defined."""
    defined = values[~np.isnan(values)]
    if not defined.size:
        return [math.nan, math.nan]
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return [low, high]
