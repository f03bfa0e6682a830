"""Rows of CSV and TSV, and the values of their cells."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from io import BytesIO
from itertools import chain
from typing import IO, Any, NamedTuple

from .field_paths import steps
from .json_rows import STRICT, Columns, Lines, Row, location, missing_field, text_lines

_QUOTES = "; a text with separators needs double quotes around it"
_DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "vertical bars"}
# What JSON does not have before the digits of a number: a plus, or a point without 0.
_LEAD = re.compile(r" *(?:\+(?=[0-9.])|(-?)(?=\.))(\.?)")
_LARGEST = 2**31 - 1  # limit of the csv module on every platform
_SIZE = 1 << 19  # bytes of a block
_MARK = b"\xef\xbb\xbf"  # byte order mark


class Cells(NamedTuple):
    """Whole rows of CSV or TSV.

    pyarrow parses all cells of regular rows, in which quotes stand only at the ends of cells. What
    it refuses, the csv module reads again, which names the row.
    """

    data: bytes
    rest: Iterable[bytes] | None  # further lines, up to the end of the file, if they are irregular
    lines_before: int
    header: Sequence[str]
    delimiter: str

    def columns(self, fields: Sequence[str]) -> tuple[Columns, Lines] | None:
        """Return the cells of fields; None if rows must be read one by one."""
        from pyarrow import ArrowInvalid, BufferReader, csv

        # pyarrow would skip a byte order mark, and read a cell from an empty line.
        has_empty = len(self.header) == 1 and b"\n\n" in b"\n" + self.data.replace(b"\r", b"")
        if has_empty or self.rest is not None or self.data.startswith(_MARK):
            return None
        if not fields or not all(field in self.header for field in fields):
            return None
        names = [str(self.header.index(field)) for field in fields]
        options = _arrow_options(len(self.header), self.delimiter, tuple(dict.fromkeys(names)))
        try:
            table = csv.read_csv(BufferReader(self.data), *options)
        except ArrowInvalid:
            return None
        if len(table) != self.data.count(b"\n") + (not self.data.endswith(b"\n")):
            return None  # there are line feeds in cells, or empty lines
        first = self.lines_before + 1
        cells = {name: table[name].to_pylist() for name in table.column_names}
        columns = {field: cells[name] for field, name in zip(fields, names, strict=True)}
        return columns, range(first, first + len(table))

    def rows(self, row: int) -> Iterator[Row]:
        """Yield the rows, whose cells are strings; the first one has this number.

        Raises:
            ValueError: a row has more or fewer cells than the header, a quote is not closed, there
                is a carriage return outside of quotes, or a line is not UTF-8.
        """
        header, end = self.header, self.lines_before
        lines = text_lines(chain(BytesIO(self.data), self.rest or ()), end + 1)
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        try:
            for cells in reader:
                start, end = end + 1, self.lines_before + reader.line_num
                if not cells and len(header) > 1:
                    continue  # an empty line; in a file of one column it would be an empty cell
                if len(cells) != len(header):
                    raise ValueError(
                        f"{location(row, start)}: the number of cells is {len(cells)}, but the "
                        f"header has {len(header)}{_QUOTES if len(cells) > len(header) else ''}"
                    )
                yield start, dict(zip(header, cells, strict=True))
                row += 1
        except csv.Error as error:
            raise _fault(error, row, end + 1) from None


def delimited_blocks(
    content: IO[bytes], delimiter: str, fields: Callable[[], Sequence[str]]
) -> tuple[list[str], Iterator[Cells]]:
    """Return the names in the header, none if it cannot be read, and the rows in blocks.

    Args:
        content: the file.
        delimiter: the character between cells.
        fields: returns the fields that the header must have, once they are known.
    """
    csv.field_size_limit(_LARGEST)  # its default is too small for long contexts
    all_lines = text_lines(iter(content.readline, b""))
    reader = csv.reader(all_lines, delimiter=delimiter, strict=True)
    try:
        header: list[str] = next(reader, [])
    except csv.Error as error:
        raise _fault(error, 0, 1) from None

    def blocks() -> Iterator[Cells]:
        if not header:
            return
        _check_header(header, delimiter, fields())
        lines, data = reader.line_num, b""
        while chunk := content.read(_SIZE) + content.readline():
            data += chunk
            end = _end_of_rows(data, delimiter)
            if end is None:
                yield Cells(data, content, lines, header, delimiter)
                return
            if end:
                yield Cells(data[:end], None, lines, header, delimiter)
                lines, data = lines + data.count(b"\n", 0, end), data[end:]
        if data:  # a quote is not closed
            yield Cells(data, (), lines, header, delimiter)

    return header, blocks()


def _end_of_rows(data: bytes, delimiter: str) -> int | None:
    r"""Return the number of bytes of whole rows in whole lines; None if quotes are irregular.

    A regular quote begins or ends a cell, or is one of two inside of quotes. Then a line feed ends
    a row if the number of quotes before it is even.

    >>> [_end_of_rows(data, ",") for data in (b'a,b\n"c\n', b'"a""b"\r\n', b'a"b\n')]
    [4, 8, None]
    """
    import numpy as np

    if data.count(b"\r") != data.count(b"\r\n"):
        return None
    if b'"' not in data:
        return len(data)
    padded = np.frombuffer(b"\n" + data + b"\n", np.uint8)
    quotes = np.flatnonzero(padded == ord('"'))
    borders = np.frombuffer(f'{delimiter}\n"'.encode(), np.uint8)
    opens = np.isin(padded[quotes[::2] - 1], borders)
    closes = np.isin(padded[quotes[1::2] + 1], [*borders, ord("\r")])
    if not (opens.all() and closes.all()):
        return None
    ends = np.flatnonzero(padded[1:-1] == ord("\n")) + 1
    ends = ends[np.searchsorted(quotes, ends) % 2 == 0]  # outside of quotes
    return len(data) if quotes.size % 2 == 0 else int(ends[-1]) if ends.size else 0


def _fault(error: csv.Error, row: int, line: int) -> ValueError:
    problem = str(error)
    if "new-line character" in problem:
        problem = "a carriage return does not end a line; a text that has one needs double quotes"
    return ValueError(f"{location(row, line)}: {problem}")


@cache
def _arrow_options(width: int, delimiter: str, names: tuple[str, ...]) -> tuple[Any, Any, Any]:
    """Return the options to read columns, named by their positions, as texts in one piece."""
    from pyarrow import csv, string

    return (
        csv.ReadOptions(
            column_names=list(map(str, range(width))), use_threads=False, block_size=_LARGEST
        ),
        csv.ParseOptions(
            delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=width > 1
        ),
        csv.ConvertOptions(
            column_types=dict.fromkeys(names, string()),
            include_columns=list(names),
            strings_can_be_null=False,
        ),
    )


def _check_header(header: Sequence[str], delimiter: str, fields: Sequence[str]) -> None:
    """Check that the header has each field once."""
    for field in fields:
        if header.count(field) > 1:
            raise ValueError(f"line 1: there are {header.count(field)} columns {field!r}")
        if field not in header and not _leads_into(field, header):
            text = delimiter.join(header)
            separator = next(
                (mark for mark in _DELIMITERS if mark in text and len(header) == 1), None
            )
            if separator is not None:
                raise ValueError(
                    f"line 1: the cells seem to be separated by {_DELIMITERS[separator]}, not by "
                    f"{_DELIMITERS[delimiter]}: {text!r}; .csv needs commas, and .tsv tabs"
                )
            raise ValueError(f"line 1: {missing_field(field, header)}")


def _leads_into(path: str, header: Sequence[str]) -> bool:
    """Return whether a path, such as `["a.b"]`, starts with a column."""
    try:
        return steps(path)[0] in header
    except ValueError:
        return False


def values_of_cells(cells: Sequence[str], *, numbers_allowed: bool) -> tuple[Any, Sequence[Any]]:
    """Return the common type of the cells, `list`, `int | float` or else `str`, and their values.

    >>> values_of_cells(["[1]", "[]"], numbers_allowed=False)
    (<class 'list'>, [[1], []])
    >>> values_of_cells(["1", "x"], numbers_allowed=True)
    (<class 'str'>, ['1', 'x'])
    """
    kinds: list[Any] = [list] if all(cell.startswith("[") for cell in cells) else []
    kinds += [int | float] if numbers_allowed else []
    for kind in kinds:
        try:
            return kind, [value_of_cell(cell, kind) for cell in cells]
        except ValueError:
            continue
    return str, cells


def value_of_cell(cell: str, kind: Any) -> Any:
    """Return the value of a cell as JSON.

    >>> value_of_cell("0.5", int | float), value_of_cell("007", str)
    (0.5, '007')

    Raises:
        ValueError: it is not of this kind.
    """
    if kind is str:
        return cell
    value = STRICT.decode(cell)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError
    return value


def as_json_number(cell: str) -> str:
    """Return a number without a plus, and with a digit before its point, as JSON has it.

    >>> as_json_number("+.5"), as_json_number("-.5"), as_json_number("+2"), as_json_number("x")
    ('0.5', '-0.5', '2', 'x')
    """
    lead = _LEAD.match(cell)
    return f"{lead[1] or ''}{'0.' * bool(lead[2])}{cell[lead.end() :]}" if lead else cell
