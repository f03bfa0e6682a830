"""What one row of a column may look like: a value, a list, or a dict, of values of one type each.

Whole columns are recognized at the speed of C; only a column that is not is walked row by row.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, filterfalse
from math import isnan
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import Column, as_column
from .checks import RowError

Rows = Callable[[], Iterable[Any]]  # called for each pass over the values

_LEAST, _GREATEST = -(2**63), 2**63 - 1  # of 64 bits
_UNSIGNED = 2**64 - 1  # the greatest without a sign
_EXACT = 2**53  # up to here every integer is a float64
_LARGEST = int(sys.float_info.max)


class Mismatch(Exception):  # noqa: N818 - not an error yet: another shape may fit
    """A value is not of a shape; `place` leads to it inside the row."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(place, problem)
        self.place = place
        self.problem = problem

    def at(self, column: str, row: int) -> RowError:
        """The error that it is once no other shape is left."""
        gap = " " if self.place else ""
        return RowError(column, row, f"{self.place}{gap}{self.problem}")

    def inside(self, place: str) -> "Mismatch":
        """The same mismatch, seen from one level up."""
        return Mismatch(place + self.place, self.problem)


@dataclass(frozen=True)
class Scalar:
    """A row is one str, bool, int or float.

    `nan` says whether a float may be NaN, `unsigned` whether an int may be as great as 2**64 - 1,
    for one that is not calculated with.
    """

    kind: type
    nan: bool = False
    unsigned: bool = False

    def __str__(self) -> str:
        return self.kind.__name__

    def holds(self, rows: Rows) -> bool:
        """Whether all values are of this very type, without looking at them one by one."""
        if self.kind is str:
            return _encodable(rows())
        if not set(map(type, rows())) <= {self.kind}:
            return False
        if self.kind is int:
            return min(rows(), default=0) >= _LEAST and max(rows(), default=0) <= self._greatest
        return self.kind is bool or self.nan or not isnan(sum(rows())) or not _any_nan(rows())

    @property
    def _greatest(self) -> int:
        return _UNSIGNED if self.unsigned else _GREATEST

    def take(self, column: Column) -> Column | None:
        """The column, or None if some row has to be looked at."""
        if isinstance(column, list):
            return column if self.holds(lambda: column) else None
        return self._take_array(column) if column.ndim == 1 else None

    def _take_array(self, array: NDArray[Any]) -> Column | None:
        kind = array.dtype.kind
        if self.kind is str and kind in "UT":
            column: list[str] = array.tolist()
            return self.take(column)
        if self.kind is bool and kind == "b":
            return array
        fits = kind == "i" or (kind == "u" and int(array.max(initial=0)) <= _GREATEST)
        if self.kind is int and fits:
            return array.astype(np.int64, copy=False)
        if self.kind is int and self.unsigned and kind == "u":
            return array
        if self.kind is float and kind == "f" and array.dtype.itemsize <= 8:
            floats = array.astype(np.float64, copy=False)
            return floats if self.nan or not np.isnan(floats).any() else None
        return None

    def widened(self, array: NDArray[Any]) -> NDArray[Any] | None:
        """An array of whole numbers as floats, or of bools as whole numbers, if it is one."""
        if array.ndim != 1:
            return None
        if self.kind is int and array.dtype.kind == "b":
            return array.astype(np.int64)
        if self.kind is float and array.dtype.kind in "iu":
            if array.size and max(-int(array.min()), int(array.max())) > _EXACT:
                return None
            return array.astype(np.float64)
        return None

    def plain(self, value: Any, *, as_it_stands: bool) -> Any:
        """The value as this type, or `Mismatch`; 1 for True and 1.0 for 1 unless `as_it_stands`."""
        value = _python(value)
        if value is None:
            raise Mismatch("", "is None; every row needs a value")
        if isinstance(value, str) and self.kind is str:
            if not _encodable([value]):
                raise Mismatch("", "holds half of a surrogate pair, which is not valid text")
            return str(value)
        if isinstance(value, float) and self.kind is float:
            if isnan(value) and not self.nan:
                raise Mismatch("", "is NaN; every row needs a number")
            return float(value)
        if isinstance(value, bool):
            if self.kind is bool or (self.kind is int and not as_it_stands):
                return self.kind(value)
        elif isinstance(value, int) and self.kind is int:
            if not _LEAST <= value <= self._greatest:
                raise Mismatch("", f"is {_shown(value)}, which does not fit into 64 bits")
            return int(value)
        elif isinstance(value, int) and self.kind is float and not as_it_stands:
            if abs(value) > _EXACT and (abs(value) > _LARGEST or int(float(value)) != value):
                raise Mismatch("", f"is {_shown(value)}, which a float64 cannot hold exactly")
            return float(value)
        raise Mismatch("", f"is {_shown(value)}; expected {self}")


@dataclass(frozen=True)
class ListOf:
    """A row is a list of values of one shape; of an array, one row of it."""

    item: "Shape"

    def __str__(self) -> str:
        return f"list of {self.item}"

    def holds(self, rows: Rows) -> bool:
        """Whether all values are lists, and all that they hold is of the inner shape."""
        return set(map(type, rows())) <= {list} and self.item.holds(
            lambda: chain.from_iterable(rows())
        )

    def take(self, column: Column) -> Column | None:
        """The column, or None if some row has to be looked at."""
        if isinstance(column, list):
            return column if self.holds(lambda: column) else None
        if column.ndim != 2 or not isinstance(self.item, Scalar):
            return None
        flat = self.item.take(column.reshape(-1))
        if isinstance(flat, np.ndarray):
            return flat.reshape(column.shape)
        return None if flat is None else list(column.tolist())  # strings are kept in lists

    def widened(self, array: NDArray[Any]) -> NDArray[Any] | None:
        """The same as that of `Scalar`, for rows of an array."""
        if array.ndim != 2 or not isinstance(self.item, Scalar):
            return None
        flat = self.item.widened(array.reshape(-1))
        return None if flat is None else flat.reshape(array.shape)

    def plain(self, value: Any, *, as_it_stands: bool) -> list[Any]:
        """The value as a list, or `Mismatch`; a string is a list of one unless `as_it_stands`."""
        if isinstance(value, str) and self.item == Scalar(str) and not as_it_stands:
            return [self.item.plain(value, as_it_stands=True)]
        if isinstance(value, Sequence) and not isinstance(value, str | bytes):
            values = value
        elif getattr(value, "shape", ()) != ():
            values = value.tolist()
        elif value is None:
            raise Mismatch("", "is None; every row needs a value")
        else:
            raise Mismatch("", f"is {_shown(value)}; expected {self}")
        items = []
        for i, item in enumerate(values):
            try:
                items.append(self.item.plain(item, as_it_stands=as_it_stands))
            except Mismatch as mismatch:
                raise mismatch.inside(f"[{i}]") from None
        return items


@dataclass(frozen=True)
class Record:
    """A row is a dict with these fields and no others."""

    fields: tuple[tuple[str, "Shape"], ...]

    def __str__(self) -> str:
        inner = ", ".join(f"{name!r}: {shape}" for name, shape in self.fields)
        return f"dict {{{inner}}}"

    def holds(self, rows: Rows) -> bool:
        """Whether all values are dicts with these fields, each of its shape."""
        if not set(map(type, rows())) <= {dict} or not set(map(len, rows())) <= {len(self.fields)}:
            return False
        try:
            return all(
                shape.holds(partial(_fields, name, rows))  # looks up the name in every row
                for name, shape in self.fields
            )
        except KeyError:
            return False

    def take(self, column: Column) -> Column | None:
        """The column, or None if some row has to be looked at."""
        return column if isinstance(column, list) and self.holds(lambda: column) else None

    def widened(self, array: NDArray[Any]) -> None:
        """None: no array has rows that are dicts."""

    def plain(self, value: Any, *, as_it_stands: bool) -> dict[str, Any]:
        """The value as a dict, or `Mismatch`."""
        if not isinstance(value, Mapping):
            raise Mismatch("", f"is {_shown(value)}; expected {self}")
        if value.keys() != dict(self.fields).keys():
            raise Mismatch("", f"has the fields {sorted(map(str, value))}; expected {self}")
        row = {}
        for name, shape in self.fields:
            try:
                row[name] = shape.plain(value[name], as_it_stands=as_it_stands)
            except Mismatch as mismatch:
                raise mismatch.inside(f"[{name!r}]") from None
        return row


Shape = Scalar | ListOf | Record


def checked_column(name: str, column: Any, shape: Shape) -> Column:
    """The rows of a column, every one of this shape, or brought to it without loss.

    Raises:
        RowError: a row is of another shape.

    >>> checked_column("score", [1, 0.5], Scalar(float))
    [1.0, 0.5]
    >>> checked_column("score", [1, None], Scalar(float))
    Traceback (most recent call last):
    ValueError: score[1] is None; every row needs a value
    """
    rows = as_column(name, column)
    taken = shape.take(rows)
    if taken is None and isinstance(rows, np.ndarray):
        taken = shape.widened(rows)
    if taken is not None:
        return taken
    plain = []
    for row, value in enumerate(rows):
        try:
            plain.append(shape.plain(value, as_it_stands=False))
        except Mismatch as mismatch:
            raise mismatch.at(name, row) from None
    return plain


def _encodable(values: Iterable[Any]) -> bool:
    """Whether all values are texts that can be written as UTF-8; a lone surrogate cannot."""
    try:
        deque(map(str.encode, filterfalse(str.isascii, values)), maxlen=0)
    except (TypeError, UnicodeEncodeError):  # TypeError: called on what is not a str
        return False
    return True


def _any_nan(values: Iterable[float]) -> bool:
    return any(map(isnan, values))


def _fields(name: str, rows: Rows) -> Iterable[Any]:
    return map(itemgetter(name), rows())


def _python(value: Any) -> Any:
    """A numpy or torch scalar as the Python value it holds."""
    if isinstance(value, np.generic):
        return value.item() if value.dtype.kind in "biufU" else value  # a date would be a number
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        return value.item()
    return value


def _shown(value: Any) -> str:
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python refuses to write out an integer of thousands of digits
        text = object.__repr__(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"
