"""Rows of CSV and TSV, and what their cells stand for."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .json_rows import STRICT, Row, location

_LARGEST_CELL = 2**31 - 1  # the default of the csv module, 128 KiB, is less than a long context


def delimited_rows(lines: Iterable[str], delimiter: str, fields: Sequence[str]) -> Iterator[Row]:
    """Rows whose cells are strings.

    Raises:
        ValueError: a row has more or fewer cells than the header, a field stands in it twice, or a
            quote is not closed.
    """
    csv.field_size_limit(_LARGEST_CELL)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    end = row = 0
    try:
        header = next(reader, [])
        for field in fields:
            if header.count(field) > 1:
                raise ValueError(f"line 1: there are {header.count(field)} columns {field!r}")
        end = reader.line_num
        for cells in reader:
            start, end = end + 1, reader.line_num
            if not cells and len(header) > 1:
                continue  # an empty line; in a file of one column it would be an empty cell
            if len(cells) != len(header):
                raise ValueError(
                    f"{location(row, start)}: cells: {len(cells)}, columns: {len(header)}"
                )
            yield start, dict(zip(header, cells, strict=True))
            row += 1
    except csv.Error as error:
        raise ValueError(f"{location(row, end + 1)}: {error}") from None


def values_of_cells(cells: Sequence[str], *, numbers_allowed: bool) -> tuple[Any, Sequence[Any]]:
    """What all cells of a column are, `list`, `int | float` or else `str`, and their values.

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
    """The value of a cell as JSON.

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
