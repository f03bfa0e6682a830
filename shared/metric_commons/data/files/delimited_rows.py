"""Rows of CSV and TSV, and the values of their cells."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from .access import LimitError
from .field_paths import steps
from .json_rows import STRICT, Row, location, missing_field

_QUOTES = "; a text with separators needs double quotes around it"
_DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "vertical bars"}
# What JSON does not have before the digits of a number: a plus, or a point without 0.
_LEAD = re.compile(r" *(?:\+(?=[0-9.])|(-?)(?=\.))(\.?)")
_LARGEST = 2**31 - 1  # limit of the csv module on every platform


def delimited_rows(
    lines: Iterable[str], delimiter: str, fields: Callable[[], Sequence[str]], limit: int
) -> Iterator[Row]:
    """Yield the rows, whose cells are strings.

    Args:
        lines: of the file.
        delimiter: the character between cells.
        fields: returns the fields that the header must have.
        limit: the maximum characters of a cell, which may have several lines; the default of the
            csv module is too small for long contexts.

    Raises:
        ValueError: the header lacks a field or repeats it, a row has more or fewer cells than the
            header, a quote is not closed, or there is a carriage return outside of quotes.
    """
    csv.field_size_limit(min(limit, _LARGEST))
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    end = row = 0
    try:
        header = next(reader, [])
        if not header:
            return
        _check_header(header, delimiter, fields())
        end = reader.line_num
        for cells in reader:
            start, end = end + 1, reader.line_num
            if not cells and len(header) > 1:
                continue  # an empty line; in a file of one column it would be an empty cell
            if len(cells) != len(header):
                raise ValueError(
                    f"{location(row, start)}: the number of cells is {len(cells)}, but the header "
                    f"has {len(header)}{_QUOTES if len(cells) > len(header) else ''}"
                )
            yield start, dict(zip(header, cells, strict=True))
            row += 1
    except csv.Error as error:
        if "larger than field limit" in str(error):
            raise LimitError(
                f"{location(row, end + 1)}: a cell is longer than {limit:,} bytes, the limit of a "
                "line"
            ) from None
        problem = str(error)
        if "new-line character" in problem:
            problem = (
                "a carriage return does not end a line; a text that has one needs double quotes"
            )
        raise ValueError(f"{location(row, end + 1)}: {problem}") from None


def header_and_lines(lines: Iterator[str], delimiter: str) -> tuple[list[str], Iterator[str]]:
    """Return the names in the header, none if it cannot be read, and all lines again."""
    head: list[str] = []

    def noted() -> Iterator[str]:
        for line in lines:
            head.append(line)
            yield line

    names: list[str] = []
    with suppress(csv.Error):
        names = next(csv.reader(noted(), delimiter=delimiter, strict=True), [])
    return names, chain(head, lines)


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
