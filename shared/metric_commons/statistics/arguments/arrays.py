"""Array types, and columns that callers pass as lists or arrays, with their digests.

Digests show whether two results come from the same rows, in any order.
"""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from .checks import unmasked

Floats = NDArray[np.float64]
Integers = NDArray[np.signedinteger[Any]]  # int64, or int32 for rows of large files if it suffices
Unsigned = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Booleans = NDArray[np.bool_]

Column = list[Any] | NDArray[Any]  # the rows of one input


def as_column(name: str, column: Any) -> Column:
    """Return the rows as a list, or as a numpy array of numbers, bools or strings.

    >>> as_column("predictions", ("a", "b"))
    ['a', 'b']
    >>> as_column("predictions", "ab")
    Traceback (most recent call last):
    ValueError: predictions must hold one value per row, got str; pass a list
    """
    if isinstance(column, list):
        return column
    column = unmasked(name, column)
    if isinstance(column, np.ndarray) and column.ndim:
        if column.dtype.kind in "biufUT":
            return column
        return list(column.tolist() if column.dtype.kind == "O" else column)
    if hasattr(column, "detach"):  # a torch tensor, on any device
        tensor = column.detach().cpu()
        if "bfloat" in str(tensor.dtype):  # numpy lacks this type; float32 holds every value
            tensor = tensor.float()
        return as_column(name, np.asarray(tensor))
    if hasattr(column, "to_pylist"):  # pyarrow, several times slower if it may have maps
        kind = str(getattr(column, "type", "map<"))
        may_have_maps = "map<" in kind or "extension<" in kind
        with no_collection():
            return list(column.to_pylist(**{"maps_as_pydicts": "strict"} if may_have_maps else {}))
    if hasattr(column, "iloc"):  # pandas, with any index
        return as_column(name, column.to_numpy())
    if isinstance(column, Sequence) and not isinstance(column, str | bytes):
        with suppress(TypeError):
            return list(column[:])  # much faster than row by row for a `datasets` column
        return list(column)
    if hasattr(column, "__array__") and np.ndim(column):
        return as_column(name, np.asarray(column))
    if hasattr(column, "to_list"):  # a `datasets` table, whose rows are dictionaries
        return list(column.to_list())
    if isinstance(column, Iterator):  # a generator can be read only once
        return list(column)
    raise ValueError(
        f"{name} must hold one value per row, got {type(column).__name__}; pass a list"
    )


@contextmanager
def no_collection() -> Iterator[None]:
    """Suspend garbage collection, which would take longer than creating the many lists."""
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_enabled:
            gc.enable()


def take(column: Any, rows: Integers) -> Any:
    """Select rows of a column by index; None if there is no column.

    >>> take(["a", "b", "c"], np.array([2, 0])), take(None, np.array([0]))
    (['c', 'a'], None)
    """
    if column is None:
        return None
    plain = column if isinstance(column, list) else as_column("column", column)
    return plain[rows] if isinstance(plain, np.ndarray) else [plain[row] for row in rows.tolist()]


def wrapped(number: int) -> int:
    """Return the number modulo 2**64, in the range -2**63 to 2**63 - 1, as in int64 arithmetic.

    >>> wrapped(2**63), wrapped(-1)
    (-9223372036854775808, -1)
    """
    return (number + 2**63) % 2**64 - 2**63


def single_precision(column: Any) -> Floats:
    """Return numbers rounded to single precision, as modules of `evaluate` store them.

    >>> single_precision([0.1]).tolist()
    [0.10000000149011612]
    """
    return np.asarray(column, np.float32).astype(np.float64)


def row_codes(rows: Sequence[Any]) -> Unsigned:
    """Return a number for each row of a column, by which equal rows are found again.

    A text and a list of just that text have the same number. It detects accidental differences; it
    does not protect against rows forged to look alike.

    >>> one, other = row_codes(["a", ["b"]]).tolist()
    >>> [one, other] == row_codes([["a"], "b"]).tolist(), one == other
    (True, False)
    """
    to_list = getattr(rows, "to_pylist", None) or getattr(rows, "tolist", None)
    listed = to_list() if to_list else rows
    texts = listed if set(map(type, listed)) == {str} else list(map(_text, listed))
    try:
        codes = np.fromiter(map(crc32, map(str.encode, texts)), np.uint64, len(listed))
    except UnicodeEncodeError:
        data = (text.encode("utf-8", "surrogatepass") for text in texts)
        codes = np.fromiter(map(crc32, data), np.uint64, len(listed))
    return codes + np.uint64(1)  # so that empty texts count too


def digest_text(codes: Unsigned) -> str:
    """Return the digest of a column in any order: the sum of the numbers of its rows.

    >>> digest_text(row_codes(["a", "b"])) == digest_text(row_codes(["b", "a"]))
    True
    """
    return f"{int(codes.sum(dtype=np.uint64)):016x}"


def _text(row: Any) -> str:
    if hasattr(row, "tolist"):
        row = row.tolist()
    if isinstance(row, tuple | list):
        row = row[0] if len(row) == 1 and isinstance(row[0], str) else list(row)
    return row if isinstance(row, str) else repr(row)
