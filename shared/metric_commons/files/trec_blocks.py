"""Lines of runs and judgments as columns, block by block.

Where all lines of a block look alike, with one separator between any two columns, the ends of all
columns are found at once and every column is read for all rows; a block that does not look so is
first written so. What is left, such as a tag with blanks, and what is wrong, is read line
by line in `trec`. Both ways accept, refuse and return the same.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..numbers.arrays import Bytes, Floats, Integers, Unsigned
from ..numbers.decimals import PADDING, joined_slices
from ..numbers.identifiers import Ids

_BLANKS = b" \t\r\x0b\x0c"  # with the line feed, what isspace() accepts in the C locale
_TO_SPACES = bytes.maketrans(_BLANKS, b" " * len(_BLANKS))
_SPACE, _TAB, _LINE_FEED = b" \t\n"
_COMMENT_LINES = re.compile(rb"^#.*\n?", re.MULTILINE)
_PADDING = b"x" * PADDING  # no blanks, which would end a column
_ROWS_A_CHANGE = (
    4  # rows to one change of the query, from which on changes are looked up one by one
)


class Form(NamedTuple):
    """What stands where in a line; the first column is the query."""

    document: int  # the number of its column
    value: int
    columns: int  # how many there are
    # Reads the numbers of all rows; None if they have another form than numbers usually have.
    parse_numbers: Callable[[Bytes, Integers, Integers], Floats | None]


class Columns(NamedTuple):
    """Some rows of a file: their queries, documents and numbers."""

    query: Integers  # an index, by the order in which queries first occur in the file
    documents: bytes  # one after another
    lengths: Integers  # of the documents
    values: Floats
    lines: int  # of the file, from which they are


class _Growing:
    """An array that grows at its end; room that is never written to takes no memory."""

    def __init__(self, kind: type[np.generic], room: int) -> None:
        self._array: NDArray[Any] = np.empty(room, kind)
        self.size = 0

    def extend(self, values: NDArray[Any]) -> None:
        """Add values."""
        end = self.size + len(values)
        if end > len(self._array):
            larger = np.empty(max(end, len(self._array) * 5 // 4), self._array.dtype)
            larger[: self.size] = self._array[: self.size]
            self._array = larger
        self._array[self.size : end] = values
        self.size = end

    def taken(self) -> NDArray[Any]:
        """The values so far."""
        return self._array[: self.size]


class AllRows:
    """The rows of all blocks of a file of about so many bytes.

    Room for all is made after the first block. Many small arrays, put together at the end, would
    take twice as much memory, since the system does not get it back.
    """

    def __init__(self, size: int) -> None:
        self._bytes = size
        self.query, self.lengths = _Growing(np.int32, 0), _Growing(np.int32, 0)
        self.values, self._documents = _Growing(np.float64, 0), _Growing(np.uint8, 0)

    def __len__(self) -> int:
        return self.values.size

    def append(self, columns: Columns, size: int) -> None:
        """Add the rows of a block of so many bytes."""
        if not len(self):
            blocks = 1.05 * self._bytes / max(size, 1) + 1
            rows = int(blocks * len(columns.values))
            self.query, self.lengths = _Growing(np.int32, rows), _Growing(np.int32, rows)
            self.values = _Growing(np.float64, rows)
            self._documents = _Growing(np.uint8, int(blocks * len(columns.documents)) + 8)
        self.query.extend(columns.query)
        self.lengths.extend(columns.lengths)
        self.values.extend(columns.values)
        self._documents.extend(np.frombuffer(columns.documents, np.uint8))

    def ids(self) -> Ids:
        """The documents; no row can be added afterwards."""
        self._documents.extend(np.zeros(8, np.uint8))  # `Ids` reads eight bytes at a time
        return Ids.from_padded(self._documents.taken(), self.lengths.taken())


def columns_of(lines: bytes, form: Form, indices: dict[bytes, int]) -> Columns | None:
    """The rows of a block of lines; None if it has to be read line by line.

    Args:
        lines: whole lines; the last may lack its end.
        form: what stands where in a line.
        indices: the index of each query that occurred so far. New ones are added.
    """
    if b"\r" in lines:
        lines = lines.replace(b"\r\n", b"\n")
    columns = _columns_of_uniform(lines, form, indices)
    if columns is None:
        uniform = made_uniform(lines)
        columns = _columns_of_uniform(uniform, form, indices) if uniform else None
        columns = columns and columns._replace(lines=lines.count(b"\n"))
    return columns


def made_uniform(lines: bytes) -> bytes:
    """The same rows with one space between fields, without comments and outer blanks."""
    characters = np.frombuffer(lines.translate(_TO_SPACES) + b"\n", np.uint8)
    current, following = characters[:-1], characters[1:]
    is_redundant = (current == _SPACE) & ((following == _SPACE) | (following == _LINE_FEED))
    lines = current[~is_redundant].tobytes().removeprefix(b" ")
    while b"\n " in lines or b"\n\n" in lines:
        lines = lines.replace(b"\n ", b"\n").replace(b"\n\n", b"\n")
    lines = lines.removeprefix(b"\n")
    return _COMMENT_LINES.sub(b"", lines) if b"#" in lines else lines


def _columns_of_uniform(lines: bytes, form: Form, indices: dict[bytes, int]) -> Columns | None:
    if lines.startswith(b"#") or (b"#" in lines and b"\n#" in lines):
        return None
    end = b"" if lines.endswith(b"\n") else b"\n"
    data = np.frombuffer(b"".join([_PADDING, lines, end, _PADDING]), np.uint8)
    ends = np.flatnonzero(data <= _SPACE)
    rows, surplus = divmod(len(ends), form.columns)
    if surplus or not rows:
        return None
    separators = data[ends].reshape(rows, form.columns)
    separator = separators[0, 0]
    if separator not in (_SPACE, _TAB) or not (separators[:, -1] == _LINE_FEED).all():
        return None
    if np.count_nonzero(separators == separator) != rows * (form.columns - 1):
        return None
    if ends[0] == PADDING or not (ends[1:] - ends[:-1] > 1).all():
        return None
    ends_of_rows = ends.reshape(rows, form.columns)

    def column(number: int) -> tuple[Integers, Integers]:
        """Where the texts of a column start and end."""
        previous_ends = (
            ends_of_rows[:, number - 1] if number else np.append(PADDING - 1, ends_of_rows[:-1, -1])
        )
        return previous_ends + 1, ends_of_rows[:, number].copy()

    values = form.parse_numbers(data, *column(form.value))
    if values is None:
        return None
    query = _queries(data, *column(0), indices)
    if query is None:
        return None
    starts, ends = column(form.document)
    documents = joined_slices(data, starts, ends).tobytes()
    lengths = (ends - starts).astype(np.int32)
    return Columns(query.astype(np.int32), documents, lengths, values, rows)


def _queries(
    data: Bytes, starts: Integers, ends: Integers, indices: dict[bytes, int]
) -> Integers | None:
    """The index of each row's query; None if two texts cannot be told apart by their hashes."""
    ids = Ids(data, starts, ends - starts)
    words = [ids.words(offset) for offset in range(0, ids.longest, 8)]
    is_new = ids.lengths[1:] != ids.lengths[:-1]
    for column in words:
        is_new |= column[1:] != column[:-1]
    first = np.append(0, np.flatnonzero(is_new) + 1)
    if len(first) * _ROWS_A_CHANGE <= len(starts):
        sizes = np.diff(first, append=len(starts))
        return np.repeat(_looked_up(data, starts[first], ends[first], indices), sizes)
    keys = _mixed([ids.lengths.astype(np.uint64), *words])
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    twin = first[inverse]
    if any((column != column[twin]).any() for column in (ids.lengths, *words)):
        return None
    order = np.argsort(first)  # indices go by first occurrence
    codes = np.empty(len(first), np.int64)
    codes[order] = _looked_up(data, starts[first[order]], ends[first[order]], indices)
    return codes[inverse]


def _looked_up(
    data: Bytes, starts: Integers, ends: Integers, indices: dict[bytes, int]
) -> Integers:
    """The indices of these texts."""
    content = data.tobytes()
    slices = zip(starts.tolist(), ends.tolist(), strict=True)
    return np.array(
        [indices.setdefault(content[start:end], len(indices)) for start, end in slices], np.int64
    )


def _mixed(columns: list[Unsigned]) -> Unsigned:
    """One number per row, of which rows that differ hardly ever have the same."""
    mixed = columns[0]
    for column in columns[1:]:
        mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15) + column
    return mixed
