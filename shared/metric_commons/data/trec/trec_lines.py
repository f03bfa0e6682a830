"""Lines of runs and judgments as columns, one block of lines at a time.

pyarrow reads blocks of large files in which all fields are separated by one blank. All other blocks
are read in Python, since for small files importing pyarrow would take longer than reading the
lines. Both ways accept the same lines and return the same columns.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Bytes, Floats, Integers

_SPACE = ord(" ")
_ONE_PIECE = 2**31 - 1  # bytes, larger than any block of lines
_LARGE = 1 << 22  # bytes above which reading with pyarrow saves more time than its import takes
_THREADS = 2


class Layout(NamedTuple):
    """The fields of a line; the first is the query, and one is the document."""

    columns: tuple[str, ...]
    number: str  # the column of it
    allows_more_fields: bool  # whether text may follow the last column
    # The numbers that texts represent; ValueError if a text is not a valid number.
    parse_numbers: Callable[[Sequence[bytes]], Floats]
    has_real_numbers: bool  # parsed by pyarrow as by `parse_numbers`; integers are read as texts

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


def columns_of_blocks(
    blocks: Iterator[bytes], layout: Layout, size: int
) -> Iterator[tuple[bytes, Columns | None]]:
    """Yield blocks of whole lines and their rows, which are None if a line is not valid.

    pyarrow and numpy let other threads run, so two threads parse the blocks of a large file, while
    this one reads and hashes the next blocks.

    Args:
        blocks: the blocks.
        layout: the fields of a line.
        size: about the number of bytes of all blocks.
    """
    for block, columns in _by_arrow(blocks, layout, size):
        yield block, columns or columns_by_lines(block, layout)


def _by_arrow(
    blocks: Iterator[bytes], layout: Layout, size: int
) -> Iterator[tuple[bytes, Columns | None]]:
    """Yield the blocks of a large file with their rows, which are None if pyarrow refuses them."""

    def parsed(block: bytes) -> tuple[bytes, Columns | None]:
        return block, columns_by_arrow(block, layout)

    if size < _LARGE:
        yield from ((block, None) for block in blocks)
        return
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

    lines = lines.replace(b"\r\n", b"\n") if b"\r" in lines else lines
    lines = lines if lines.endswith(b"\n") else lines + b"\n"
    has_comments = b"#" in lines and (lines.startswith(b"#") or b"\n#" in lines)
    if has_comments or b"\r" in lines:  # with which pyarrow would end a line
        return None
    is_blank = np.frombuffer(lines, np.uint8) <= _SPACE
    separator = lines[int(is_blank.argmax())]
    is_single = not (is_blank[0] or (is_blank[1:] & is_blank[:-1]).any())
    if not is_single or separator not in b" \t":
        return None
    try:
        table = csv.read_csv(BufferReader(lines), *_arrow_options(layout, chr(separator)))
    except ArrowInvalid:
        return None
    if len(table) * len(layout.columns) != np.count_nonzero(is_blank):
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


def _codes(texts: Any) -> Integers:
    """Return the index of each row's text in the dictionary of an Arrow column."""
    codes: Integers = np.frombuffer(texts.indices.buffers()[1], np.int32)[: len(texts)]
    return codes


def columns_by_lines(lines: bytes, layout: Layout) -> Columns | None:
    """Return the same as `columns_by_arrow`, in Python; None if a line is not valid."""
    rows = [row for line in lines.split(b"\n") if (row := line.split()) and row[0][:1] != b"#"]
    widths = set(map(len, rows)) or {len(layout.columns)}
    is_wide = max(widths) > len(layout.columns) and not layout.allows_more_fields
    if is_wide or min(widths) < len(layout.columns):
        return None
    queries, documents, numbers = ([row[field] for row in rows] for field in layout.used)
    try:
        values = layout.parse_numbers(numbers)
    except ValueError:
        return None
    indices = {query: index for index, query in enumerate(dict.fromkeys(queries))}
    return Columns(
        list(indices),
        looked_up(queries, indices),
        np.frombuffer(b"".join(documents), np.uint8),
        np.fromiter(map(len, documents), np.int32, len(documents)),
        values,
        lines.count(b"\n") + (not lines.endswith(b"\n")),
    )


def looked_up(queries: Sequence[bytes], indices: Mapping[bytes, int]) -> Integers:
    """Return the indices of these queries, as 32-bit integers."""
    return np.fromiter(map(indices.__getitem__, queries), np.int32, len(queries))
