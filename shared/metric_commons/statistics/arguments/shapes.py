"""The shape of the rows of a column: a single value, a list or a dict.

Most columns are recognized as a whole by functions written in C. Only a column that is not
recognized is checked row by row.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, filterfalse
from math import isnan
from operator import is_, itemgetter
from typing import Annotated, Any

import numpy as np

from .arrays import Column, as_column
from .checks import RowError, shown

Values = Callable[[], Iterable[Any]]  # called once for each pass over the values

_INT64_MIN, _INT64_MAX, _UINT64_MAX = -(2**63), 2**63 - 1, 2**64 - 1
_EXACT = 2**53  # every integer up to here is a float64
_FLOAT_MAX = int(sys.float_info.max)


_is_none = partial(is_, None)


class Mismatch(Exception):  # noqa: N818 - not an error yet: another shape may fit
    """A value does not have a shape; `path` locates it inside the row, such as "['score'][1]"."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(path, problem)
        self.path = path
        self.problem = problem

    def error(self, column: str, row: int) -> RowError:
        """Return the error about the row, to raise if no other shape fits."""
        space = " " if self.path else ""
        return RowError(column, row, f"{self.path}{space}{self.problem}")

    def inside(self, path: str) -> "Mismatch":
        """Return the same mismatch, with the path of its container prepended."""
        return Mismatch(path + self.path, self.problem)


@dataclass(frozen=True)
class Scalar:
    """A row is one str, bool, int or float.

    `nan` says whether a float may be NaN, `unsigned` whether an int may be as large as those of
    uint64, and `missing` whether None may take the place of a value.
    """

    kind: type
    nan: bool = False
    unsigned: bool = False
    missing: bool = False

    def __str__(self) -> str:
        return self.kind.__name__

    def holds(self, values: Values) -> bool:
        """Return whether all values are of exactly this type, checked in loops that run in C."""
        if self.missing:
            return replace(self, missing=False).holds(lambda: filterfalse(_is_none, values()))
        if self.kind is str:
            return _are_encodable(values())
        if not set(map(type, values())) <= {self.kind}:
            return False
        if self.kind is int:
            ends = min(values(), default=0), max(values(), default=0)
            return ends[0] >= _INT64_MIN and ends[1] <= self._largest
        if self.kind is bool or self.nan:
            return True
        # A sum is NaN if a value is, but also for inf - inf.
        return not isnan(sum(values())) or not any(map(isnan, values()))

    @property
    def _largest(self) -> int:
        return _UINT64_MAX if self.unsigned else _INT64_MAX

    def take(self, column: Column, *, widen: bool = False) -> Column | None:
        """Return the column, or None if it has to be checked row by row.

        To widen it makes floats of integers, or integers of an array of bools.
        """
        if isinstance(column, list):
            if widen and self.kind is float and set(map(type, column)) <= {int, float}:
                with suppress(OverflowError):
                    floats: Column = list(map(float, column))
                    column = floats if floats == column else column  # no integer was rounded
            return column if self.holds(lambda: column) else None
        kind = column.dtype.kind
        if column.ndim != 1:
            return None
        if self.kind is str:
            return self.take(list(column.tolist())) if kind in "UT" else None
        if self.kind is bool:
            return column if kind == "b" else None
        if self.kind is int:
            fits = kind == "i" or (kind == "u" and int(column.max(initial=0)) <= _INT64_MAX)
            if self.unsigned and kind == "u" and not fits:
                return column
            return column.astype(np.int64, copy=False) if fits or (widen and kind == "b") else None
        if widen and kind in "iu":
            fits = max(-int(column.min(initial=0)), int(column.max(initial=0))) <= _EXACT
            return column.astype(np.float64) if fits else None
        if kind != "f" or column.dtype.itemsize > 8:
            return None
        floats = column.astype(np.float64, copy=False)
        smallest = np.minimum.reduce(floats, initial=np.inf)  # NaN if any number is
        return floats if self.nan or not isnan(smallest) else None

    def plain(self, value: Any, *, strict: bool) -> Any:
        """Return the value as this type, or `Mismatch`.

        `strict` forbids True as 1, and 1 as 1.0.
        """
        value = _python(value)
        if value is None:
            if self.missing:
                return None
            raise Mismatch("", "is None; every row needs a value")
        if isinstance(value, str) and self.kind is str:
            if not _are_encodable([value]):
                raise Mismatch("", "holds half of a surrogate pair, which is not valid text")
            return str(value)
        if isinstance(value, float) and self.kind is float:
            if isnan(value) and not self.nan:
                raise Mismatch("", "is NaN; every row needs a number")
            return float(value)
        if isinstance(value, bool):
            if self.kind is bool or (self.kind is int and not strict):
                return self.kind(value)
        elif isinstance(value, int) and self.kind is int:
            if not _INT64_MIN <= value <= self._largest:
                raise Mismatch("", f"is {_excerpt(value)}, which does not fit into 64 bits")
            return int(value)
        elif isinstance(value, int) and self.kind is float and not strict:
            if abs(value) > _EXACT and (abs(value) > _FLOAT_MAX or int(float(value)) != value):
                raise Mismatch("", f"is {_excerpt(value)}, which a float64 cannot hold exactly")
            return float(value)
        raise Mismatch("", f"is {_excerpt(value)}; expected {self}")


@dataclass(frozen=True)
class ListOf:
    """A row is a list of values of one shape, or a row of a two-dimensional array.

    `wraps_text` says whether a single string may stand for a list of one, and `wraps_items` whether
    it may do so as an item of a longer list.
    """

    item: "Shape"
    wraps_text: bool = True
    wraps_items: bool = False

    def __str__(self) -> str:
        return f"list of {self.item}"

    def holds(self, values: Values) -> bool:
        """Return whether all values are lists whose items all have the inner shape."""
        return set(map(type, values())) <= {list} and self.item.holds(
            lambda: chain.from_iterable(values())
        )

    def take(self, column: Column, *, widen: bool = False) -> Column | None:
        """Return the column, or None if it has to be checked row by row.

        To widen it makes lists of texts, or does the same as `Scalar.take` with the rows of arrays.
        """
        if isinstance(column, list):
            if widen and self.item == Scalar(str) and self.wraps_text:
                column = [[row] if type(row) is str else row for row in column]
            return column if self.holds(lambda: column) else None
        if column.ndim != 2 or not isinstance(self.item, Scalar):
            return None
        flat = self.item.take(column.reshape(-1), widen=widen)
        if isinstance(flat, np.ndarray):
            return flat.reshape(column.shape)
        return None if flat is None else list(column.tolist())  # strings become lists

    def plain(self, value: Any, *, strict: bool) -> list[Any]:
        """Return the value as a list, or `Mismatch`; `strict` forbids a string as a list of one."""
        if isinstance(value, str) and self.item == Scalar(str) and self.wraps_text and not strict:
            return [self.item.plain(value, strict=True)]
        if isinstance(value, Sequence) and not isinstance(value, str | bytes):
            values = value
        elif getattr(value, "shape", ()) != ():
            if np.ma.is_masked(value):
                raise Mismatch("", "is masked; every row needs a value")
            values = value.tolist()
        elif value is None:
            raise Mismatch("", "is None; every row needs a value")
        else:
            raise Mismatch("", f"is {_excerpt(value)}; expected {self}")
        items = []
        for i, item in enumerate(values):
            wraps = self.wraps_items and not strict
            if isinstance(item, str) and isinstance(self.item, ListOf) and not wraps:
                # Only a whole row may become a list of one: ["a", "b"] and [["a"], ["b"]] differ in
                # meaning.
                raise Mismatch(f"[{i}]", f"is {_excerpt(item)}; expected {self.item}")
            try:
                items.append(self.item.plain(item, strict=strict))
            except Mismatch as mismatch:
                raise mismatch.inside(f"[{i}]") from None
        return items


@dataclass(frozen=True)
class Record:
    """A row is a dict with exactly these fields."""

    fields: tuple[tuple[str, "Shape"], ...]

    def __str__(self) -> str:
        inner = ", ".join(f"{name!r}: {shape}" for name, shape in self.fields)
        return f"dict {{{inner}}}"

    def holds(self, values: Values) -> bool:
        """Return whether all values are dicts with exactly these fields, each of its shape."""
        if not set(map(type, values())) <= {dict}:
            return False
        if not set(map(len, values())) <= {len(self.fields)}:
            return False
        try:
            return all(
                shape.holds(partial(_field, name, values))  # looks up the name in every row
                for name, shape in self.fields
            )
        except KeyError:
            return False

    def take(self, column: Column, *, widen: bool = False) -> Column | None:
        """Return the column, or None if it has to be checked row by row; nothing can be widened."""
        return column if isinstance(column, list) and self.holds(lambda: column) else None

    def plain(self, value: Any, *, strict: bool) -> dict[str, Any]:
        """Return the value as a dict, or `Mismatch`."""
        if not isinstance(value, Mapping):
            raise Mismatch("", f"is {_excerpt(value)}; expected {self}")
        if value.keys() != dict(self.fields).keys():
            raise Mismatch("", f"has the fields {sorted(map(str, value))}; expected {self}")
        row = {}
        for name, shape in self.fields:
            try:
                row[name] = shape.plain(value[name], strict=strict)
            except Mismatch as mismatch:
                raise mismatch.inside(f"[{name!r}]") from None
        return row


Shape = Scalar | ListOf | Record

# Annotations of columns, with the shapes that their rows may have.
TextRows = Annotated[Any, Scalar(str)]
TextsRows = Annotated[Any, Scalar(str), ListOf(Scalar(str))]
NumberRows = Annotated[Any, Scalar(float), ListOf(Scalar(float))]


def checked_column(name: str, column: Any, shape: Shape) -> Column:
    """Return the rows of a column in this shape, converted where that loses nothing.

    Raises:
        RowError: a row does not have the shape.

    >>> checked_column("score", [1, 0.5], Scalar(float))
    [1.0, 0.5]
    >>> checked_column("score", [1, None], Scalar(float))
    Traceback (most recent call last):
    ValueError: score[1] is None; every row needs a value
    """
    rows = as_column(name, column)
    result = shape.take(rows)
    result = shape.take(rows, widen=True) if result is None else result
    if result is not None:
        return result
    plain = []
    for row, value in enumerate(rows):
        try:
            plain.append(shape.plain(value, strict=False))
        except Mismatch as mismatch:
            raise mismatch.error(name, row) from None
    return plain


def _are_encodable(values: Iterable[Any]) -> bool:
    """Return whether all values are texts that UTF-8 can encode, without lone surrogates."""
    try:
        deque(map(str.encode, filterfalse(str.isascii, values)), maxlen=0)
    except (TypeError, UnicodeEncodeError):  # TypeError: a value is not a str
        return False
    return True


def _field(name: str, values: Values) -> Iterable[Any]:
    return map(itemgetter(name), values())


def _python(value: Any) -> Any:
    """Return the Python value of a numpy or torch scalar; any other value as it is."""
    if isinstance(value, np.generic):
        return value.item() if value.dtype.kind in "biufU" else value  # not dates
    if isinstance(value, np.ma.MaskedArray) and value.shape == ():
        return value.tolist()  # None if it is masked
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        return value.item()
    return value


def _excerpt(value: Any) -> str:
    return f"{shown(value, 60)} ({type(value).__name__})"
