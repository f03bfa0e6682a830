"""Lines of runs and judgments as columns, one block of lines at a time.

pyarrow reads blocks of large files in which all fields are separated by one blank. All other blocks
are read in Python, since for small files importing pyarrow would take longer than reading the
lines. Both ways accept the same lines and return the same columns.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Booleans, Bytes, Floats, Integers
from .identifiers import Ids

_SPACE, _LINE_FEED = b" \n"
_ONE_PIECE = 2**31 - 1  # bytes, larger than any block of lines
_LARGE = 1 << 22  # bytes above which reading with pyarrow saves more time than its import takes
_THREADS = 2
# Bytes to split in Python at a time: their words stay in the processor's cache.
_FEW_LINES = 1 << 16


class Layout(NamedTuple):
    """The fields of a line; the first is the query, and one is the document."""

    columns: tuple[str, ...]
    number: str  # the column of it
    allows_more_fields: bool  # whether text may follow the last column
    # The numbers that texts represent; ValueError if a text is not a valid number.
    parse_numbers: Callable[[Sequence[bytes]], Floats]
    has_real_numbers: bool  # parsed by pyarrow as by `parse_numbers`; integers are read as texts

    @property
    def fields(self) -> int:
        """Return the number of fields."""
        return len(self.columns)

    @property
    def used(self) -> tuple[int, int, int]:
        """Return the indices of the query, the document and the number."""
        return 0, self.columns.index("document"), self.columns.index(self.number)


class Columns(NamedTuple):
    """Some rows of a file: their queries, documents and numbers."""

    queries: Sequence[bytes]  # all different
    query: Integers  # an index of these
    documents: Bytes  # concatenated
    lengths: Integers  # of the documents
    values: Floats
    lines: int  # of the file, including comments and empty lines


class _Growing:
    """An array that grows at its end; reserved space takes memory only when it is written to."""

    def __init__(self, kind: type[np.generic], capacity: int) -> None:
        self._array: NDArray[Any] = np.empty(capacity, kind)
        self.size = 0

    def extend(self, values: NDArray[Any]) -> None:
        """Append values."""
        end = self.size + len(values)
        if end > len(self._array):
            larger = np.empty(max(end, len(self._array) * 5 // 4), self._array.dtype)
            larger[: self.size] = self._array[: self.size]
            self._array = larger
        self._array[self.size : end] = values
        self.size = end

    def filled(self) -> NDArray[Any]:
        """Return the values so far."""
        return self._array[: self.size]


class AllRows:
    """The rows of all blocks of a file with about this number of bytes.

    Space for all rows is reserved after the first block. Concatenating many small arrays at the end
    would take twice as much memory, which is not given back to the system.
    """

    def __init__(self, size: int) -> None:
        self._bytes = size
        self.indices: dict[bytes, int] = {}  # of the queries
        self.query, self.lengths = _Growing(np.int32, 0), _Growing(np.int32, 0)
        self.values, self._documents = _Growing(np.float64, 0), _Growing(np.uint8, 0)

    def __len__(self) -> int:
        return self.values.size

    def append(self, columns: Columns, size: int) -> None:
        """Add the rows of a block of this number of bytes."""
        if not len(self):
            blocks = 1.05 * self._bytes / max(size, 1) + 1
            rows = int(blocks * len(columns.values))
            self.query, self.lengths = _Growing(np.int32, rows), _Growing(np.int32, rows)
            self.values = _Growing(np.float64, rows)
            self._documents = _Growing(np.uint8, int(blocks * len(columns.documents)) + 8)
        for query in columns.queries:
            self.indices.setdefault(query, len(self.indices))
        self.query.extend(_looked_up(columns.queries, self.indices)[columns.query])
        self.lengths.extend(columns.lengths)
        self.values.extend(columns.values)
        self._documents.extend(columns.documents)

    def ids(self) -> Ids:
        """Return the documents; no rows can be added afterwards."""
        self._documents.extend(np.zeros(8, np.uint8))  # `Ids` reads eight bytes at a time
        return Ids.from_padded(self._documents.filled(), self.lengths.filled())


def columns_of_blocks(
    blocks: Iterator[bytes], layout: Layout, size: int
) -> Iterator[tuple[bytes, Columns | None]]:
    """Yield blocks of whole lines and their rows, which are None if a line is not valid.

    pyarrow and numpy let other threads run, so two threads parse the blocks of a large file, while
    this one reads and hashes the next blocks. Blocks that are read in Python are read here, since
    such threads would only wait for each other.

    Args:
        blocks: the blocks.
        layout: the fields of a line.
        size: about the number of bytes of all blocks.
    """
    for block, columns in _parsed_by_arrow(blocks, layout, size):
        if columns is not None:
            yield block, columns
            continue
        start = 0
        while start < len(block):
            stop = block.find(b"\n", start + _FEW_LINES) + 1 or len(block)
            lines = block[start:stop]
            yield lines, columns_by_lines(lines, layout)
            start = stop


def _parsed_by_arrow(
    blocks: Iterator[bytes], layout: Layout, size: int
) -> Iterator[tuple[bytes, Columns | None]]:
    """Yield blocks and their rows, None if pyarrow cannot read them."""
    if size < _LARGE:
        is_loaded = "pyarrow" in sys.modules
        for block in blocks:
            yield block, columns_by_arrow(block, layout) if is_loaded else None
        return
    from concurrent.futures import ThreadPoolExecutor

    def parsed(block: bytes) -> tuple[bytes, Columns | None]:
        return block, columns_by_arrow(block, layout)

    with ThreadPoolExecutor(_THREADS) as pool:
        waiting = deque(pool.submit(parsed, block) for block in islice(blocks, _THREADS))
        for block in blocks:
            waiting.append(pool.submit(parsed, block))
            yield waiting.popleft().result()
        yield from (task.result() for task in waiting)


def columns_by_arrow(lines: bytes, layout: Layout) -> Columns | None:
    """Return the rows of a block of lines; None if it must be read in Python.

    Args:
        lines: whole lines; the last may lack its line end.
        layout: the fields of a line.
    """
    from pyarrow import ArrowInvalid, BufferReader, csv

    lines = _with_line_feeds(lines)
    is_blank = _single_blanks(lines)
    if is_blank is None or b"\r" in lines:  # with which pyarrow would end a line
        return None
    separator = chr(lines[int(is_blank.argmax())])
    if separator not in " \t":
        return None
    try:
        table = csv.read_csv(BufferReader(lines), *_arrow_options(layout, separator))
    except ArrowInvalid:
        return None
    if len(table) * layout.fields != np.count_nonzero(is_blank):
        return None  # there is a blank or a control character inside a text
    queries, documents, numbers = (column.combine_chunks() for column in table.columns)
    try:
        values = (
            np.frombuffer(numbers.buffers()[1], np.float64)[: len(table)]
            if layout.has_real_numbers
            else layout.parse_numbers(numbers.dictionary.to_pylist())[_codes(numbers)]
        )
    except ValueError:
        return None
    if np.isnan(values).any():
        return None
    _, offsets, texts = documents.buffers()
    bounds = np.frombuffer(offsets, np.int32)[: len(table) + 1]
    return Columns(
        queries.dictionary.to_pylist(),
        _codes(queries),
        np.frombuffer(texts, np.uint8)[: bounds[-1]],
        np.diff(bounds),
        values,
        len(table),
    )


@cache
def _arrow_options(layout: Layout, separator: str) -> tuple[Any, Any, Any]:
    """Return the options with which pyarrow reads lines in one piece, and the fields used."""
    from pyarrow import binary, csv, dictionary, float64, int32

    texts = dictionary(int32(), binary())
    kinds = texts, binary(), float64() if layout.has_real_numbers else texts
    types = {layout.columns[field]: kind for field, kind in zip(layout.used, kinds, strict=True)}
    return (
        csv.ReadOptions(column_names=layout.columns, use_threads=False, block_size=_ONE_PIECE),
        csv.ParseOptions(delimiter=separator, quote_char=False, ignore_empty_lines=False),
        csv.ConvertOptions(
            column_types=types, include_columns=[*types], null_values=[], check_utf8=False
        ),
    )


def columns_by_lines(lines: bytes, layout: Layout) -> Columns | None:
    """Return the same as `columns_by_arrow`, in Python; None if a line is not valid."""
    lines = _with_line_feeds(lines)
    fields = _fields_of_equal_lines(lines, layout)
    if fields is not None:
        queries, documents, numbers = (fields[field :: layout.fields] for field in layout.used)
    else:
        rows = [row for line in lines.split(b"\n") if (row := line.split()) and row[0][:1] != b"#"]
        widths = {len(row) for row in rows}
        if min(widths, default=layout.fields) < layout.fields:
            return None
        if max(widths, default=0) > layout.fields and not layout.allows_more_fields:
            return None
        queries, documents, numbers = ([row[field] for row in rows] for field in layout.used)
    try:
        values = layout.parse_numbers(numbers)
    except ValueError:
        return None
    indices = {query: index for index, query in enumerate(dict.fromkeys(queries))}
    return Columns(
        list(indices),
        _looked_up(queries, indices),
        np.frombuffer(b"".join(documents), np.uint8),
        np.fromiter(map(len, documents), np.int32, len(documents)),
        values,
        len(queries) if fields else lines.count(b"\n"),
    )


def _with_line_feeds(lines: bytes) -> bytes:
    """Return the lines, each ended by a line feed."""
    if b"\r" in lines:
        lines = lines.replace(b"\r\n", b"\n")
    return lines if lines.endswith(b"\n") else lines + b"\n"


def _single_blanks(lines: bytes) -> Booleans | None:
    """Return a mask of blanks and control characters; None with comments or two in a row."""
    if b"#" in lines and (lines.startswith(b"#") or b"\n#" in lines):
        return None
    is_blank: Booleans = np.frombuffer(lines, np.uint8) <= _SPACE
    return None if is_blank[0] or (is_blank[1:] & is_blank[:-1]).any() else is_blank


def _fields_of_equal_lines(lines: bytes, layout: Layout) -> list[bytes] | None:
    """Return the fields of lines that all have the expected number; None if they differ."""
    is_blank = _single_blanks(lines)
    if is_blank is None:
        return None
    is_end = np.frombuffer(lines, np.uint8)[is_blank] == _LINE_FEED
    ends = np.flatnonzero(is_end) + 1
    if len(is_end) != len(ends) * layout.fields or (ends % layout.fields).any():
        return None
    fields = lines.split()  # at the blanks of the C locale, without other control characters
    return fields if len(fields) == len(is_end) else None


def _codes(texts: Any) -> Integers:
    """Return the index of each row's text in the dictionary of an Arrow column."""
    codes: Integers = np.frombuffer(texts.indices.buffers()[1], np.int32)[: len(texts)]
    return codes


def _looked_up(queries: Sequence[bytes], indices: Mapping[bytes, int]) -> Integers:
    """Return the indices of these queries, as 32-bit integers."""
    return np.fromiter(map(indices.__getitem__, queries), np.int32, len(queries))
