"""Columns of rows, checked in every row and handed on as plain lists or numpy arrays.

A *shape* says what one row of a column looks like. A module accepts one or several *layouts*, each
a shape for every column. Whole columns are recognized at the speed of C; only a column that is not
is walked row by row, to bring rows of mixed shape to one shape or to name the row that is wrong.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, filterfalse
from math import isnan
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Column = list[Any] | NDArray[Any]
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
Layout = Mapping[str, Shape]


def copied(column: Column, shape: Shape) -> Column:
    """The column with containers of its own: whoever gave it may use his for the next rows."""
    if isinstance(column, np.ndarray) or isinstance(shape, Scalar):
        return column.copy()
    return [_copied(row, shape) for row in column]


def _copied(value: Any, shape: Shape) -> Any:
    if isinstance(shape, Record):
        return {name: _copied(value[name], inner) for name, inner in shape.fields}
    if isinstance(shape, ListOf):
        flat = isinstance(shape.item, Scalar)
        return value.copy() if flat else [_copied(item, shape.item) for item in value]
    return value


def read(columns: Mapping[str, Any], layouts: Sequence[Layout]) -> tuple[int, dict[str, Column]]:
    """The columns as plain lists or arrays, and which layout they have.

    The first layout that all rows have as they stand is taken, else the first to which all rows
    can be brought without loss: a single string becomes a list of one, an int a float.

    Args:
        columns: for each name a list, tuple, numpy array, torch tensor, pandas Series, `datasets`
            column or pyarrow array.
        layouts: what is accepted, all with these names.

    Raises:
        ValueError: unequal lengths, or a row that fits no layout; names column, row and cause.

    >>> layouts = [{"r": Scalar(str)}, {"r": ListOf(Scalar(str))}]
    >>> read({"r": ["a", "b"]}, layouts)
    (0, {'r': ['a', 'b']})
    >>> read({"r": ["a", ["b", "c"]]}, layouts)
    (1, {'r': [['a'], ['b', 'c']]})
    >>> read({"r": ["a", ["b", None]]}, layouts)
    Traceback (most recent call last):
    ValueError: r[1][1] is None; every row needs a value
    """
    given = {name: as_column(name, column) for name, column in columns.items()}
    lengths = {name: len(column) for name, column in given.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {rows} rows" for name, rows in lengths.items())
        raise ValueError(f"the inputs differ in length: {listed}")
    take = cache(lambda name, shape: shape.take(given[name]))  # layouts share shapes
    for number, layout in enumerate(layouts):
        taken = {name: take(name, shape) for name, shape in layout.items()}
        if all(column is not None for column in taken.values()):
            return number, taken
    return _read_rows(given, layouts)


def _read_rows(
    given: Mapping[str, Column], layouts: Sequence[Layout]
) -> tuple[int, dict[str, Column]]:
    """As `read`, row by row: first for rows as they stand, then for what they can become."""
    for as_it_stands in (True, False):
        failures: dict[str, list[_Failure]] = {name: [] for name in given}
        for number, layout in enumerate(layouts):
            rows: dict[str, Column] = {}
            for name, shape in layout.items():
                taken = _plain_rows(given[name], shape, as_it_stands=as_it_stands)
                if isinstance(taken, _Failure):
                    failures[name].append(taken)
                else:
                    rows[name] = taken
            if len(rows) == len(layout):
                return number, rows
    for name, found in failures.items():
        if len(found) == len(layouts):  # whatever the other columns are, this one is wrong
            raise ValueError(f"{name}{_blamed(found)}")
    accepted = "; ".join(
        ", ".join(f"{name}: {shape}" for name, shape in layout.items()) for layout in layouts
    )
    raise ValueError(f"the inputs do not go together; accepted are {accepted}")


class _Failure(NamedTuple):
    row: int
    mismatch: Mismatch
    shape: Shape


def _plain_rows(column: Column, shape: Shape, *, as_it_stands: bool) -> Column | _Failure:
    taken = shape.take(column)
    if taken is not None:  # only another column of this layout has to be looked at
        return taken
    if isinstance(column, np.ndarray) and not as_it_stands:
        array = shape.widened(column)
        if array is not None:
            return array
    rows = []
    for row, value in enumerate(column):
        try:
            rows.append(shape.plain(value, as_it_stands=as_it_stands))
        except Mismatch as mismatch:
            return _Failure(row, mismatch, shape)
    return rows


def _blamed(failures: Sequence[_Failure]) -> str:
    """The row at which the shapes that go furthest give up, and why."""
    last = max(failures, key=_telling)
    problem, expected, _ = last.mismatch.problem.partition("; expected ")
    if expected and not last.mismatch.place:
        shapes = dict.fromkeys(str(each.shape) for each in failures if each.row == last.row)
        problem += f"; expected {' or '.join(shapes)}"
    else:
        problem = last.mismatch.problem
    return f"[{last.row}]{last.mismatch.place} {problem}"


def _telling(failure: _Failure) -> tuple[int, int, bool]:
    """How much a failure says: a value of the right type that may not be beats one of another."""
    mismatch = failure.mismatch
    return failure.row, len(mismatch.place), "; expected " not in mismatch.problem


def joined(
    batches: Sequence[tuple[int, dict[str, Column]]], layouts: Sequence[Layout]
) -> dict[str, Column]:
    """The columns of several batches as one, brought to one layout if they differ.

    >>> layouts = [{"r": Scalar(str)}, {"r": ListOf(Scalar(str))}]
    >>> joined([(0, {"r": ["a"]}), (1, {"r": [["b", "c"]]})], layouts)
    {'r': [['a'], ['b', 'c']]}
    """
    if len(batches) == 1:
        return batches[0][1]
    names = batches[0][1].keys()
    merged = {name: _concatenated([batch[name] for _, batch in batches]) for name in names}
    if len({number for number, _ in batches}) > 1:
        return read(merged, layouts)[1]
    return merged


def _concatenated(columns: Sequence[Column]) -> Column:
    arrays = [column for column in columns if isinstance(column, np.ndarray)]
    alike = {(array.shape[1:], array.dtype.kind) for array in arrays}  # int and uint make a float
    if len(arrays) == len(columns) and len(alike) == 1:
        return np.concatenate(arrays)
    return list(
        chain.from_iterable(
            column.tolist() if isinstance(column, np.ndarray) else column for column in columns
        )
    )


def as_column(name: str, column: Any) -> Column:
    """What holds the rows, as a list or a numpy array of numbers, bools or strings.

    >>> as_column("predictions", ("a", "b"))
    ['a', 'b']
    >>> as_column("predictions", "ab")
    Traceback (most recent call last):
    ValueError: predictions must hold one value a row, got str; pass a list
    """
    if isinstance(column, list):
        return column
    if isinstance(column, np.ma.MaskedArray):  # its masked rows become None
        return list(column.tolist())
    if isinstance(column, np.ndarray) and column.ndim:
        if column.dtype.kind in "biufUT":
            return column
        return list(column.tolist() if column.dtype.kind == "O" else column)
    if hasattr(column, "detach"):  # a torch tensor, wherever it lives
        tensor = column.detach().cpu()
        if "bfloat" in str(tensor.dtype):  # unknown to numpy; float32 holds all of it
            tensor = tensor.float()
        return as_column(name, np.asarray(tensor))
    if hasattr(column, "to_pylist"):  # pyarrow
        return list(column.to_pylist())
    if hasattr(column, "iloc"):  # pandas, whatever its index
        return as_column(name, column.to_numpy())
    if isinstance(column, Sequence) and not isinstance(column, str | bytes):
        with suppress(TypeError):
            return list(column[:])  # a column of `datasets` is quickest as a whole
        return list(column)
    if hasattr(column, "__array__") and np.ndim(column):
        return as_column(name, np.asarray(column))
    raise ValueError(f"{name} must hold one value a row, got {type(column).__name__}; pass a list")


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
