"""Rows of JSON Lines and JSON, with the lines in which they start."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from ..numbers.checks import nearest, shown

Row = tuple[int | None, Mapping[str, Any]]  # the line in which a row starts, and its fields


def unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of a JSON object, which must be distinct; `json` itself keeps the last of two."""
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in values if names.count(name) > 1)
        raise ValueError(f"field {repeated!r} is given twice")
    return values


STRICT = json.JSONDecoder(object_pairs_hook=unique_fields)
# For logs: twice as fast, and programs do not write a field twice.
PLAIN = json.JSONDecoder()
_ENDS = ("\n", "\r\n")
_BLOCK = 256  # rows decoded at a time


def location(row: int, line: int | None) -> str:
    """The location of a row: its number, from 0, and its first line, from 1, if there are lines.

    >>> location(12, 14), location(12, None)
    ('row 12 (line 14)', 'row 12')
    """
    return f"row {row}" if line is None else f"row {row} (line {line})"


def missing_field(field: str, names: Iterable[str]) -> str:
    """The message about a field that a row or a header lacks.

    >>> missing_field("anser", ["question", "answer"])
    "there is no field 'anser'; did you mean 'answer'? The fields are question, answer"
    """
    fields = list(map(str, names)) or ["none"]
    hint = f"{hint}? The" if (hint := nearest(field, fields).rstrip("?")) else "; the"
    return f"there is no field {field!r}{hint} fields are {', '.join(fields)}"


def text_lines(content: Iterable[bytes]) -> Iterator[str]:
    """Lines as text. Only a line feed ends a line, because JSON strings may contain U+2028.

    Raises:
        ValueError: a line is not UTF-8.
    """
    for number, line in enumerate(content, start=1):
        try:
            text = line.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"line {number} is not UTF-8: byte 0x{line[error.start]:02x} "
                f"after {error.start} valid bytes; save the file as UTF-8"
            ) from None
        yield text.removeprefix("\ufeff") if number == 1 else text


def filled_lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, with their numbers."""
    return (
        pair
        for pair in enumerate(lines, start=1)
        # For most lines, isspace() reads one character, while strip() copies the whole line.
        if not pair[1].isspace() or pair[1].strip(" \t\r\n")
    )


def decoded_lines(
    lines: Iterable[tuple[int, str]], decoder: json.JSONDecoder = STRICT
) -> Iterator[Row]:
    """The objects in the lines of JSON Lines.

    Raises:
        ValueError: a line is not JSON, or not an object.
    """
    return chain.from_iterable(_blocks(_decoded(lines, decoder)))


def _blocks(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """The rows in lists; those before an error come first, as a reader may want no more."""
    while True:
        block: list[Row] = []
        try:
            block.extend(islice(rows, _BLOCK))
        except Exception:
            yield block
            raise
        if not block:
            return
        yield block


def _decoded(lines: Iterable[tuple[int, str]], decoder: json.JSONDecoder) -> Iterator[Row]:
    scan = decoder.scan_once  # type: ignore[attr-defined] # decode() looks for white space with regular expressions
    for row, (number, line) in enumerate(lines):
        try:
            try:
                values, end = scan(line, 0)
                if end < len(line) and line[end:] not in _ENDS:
                    values = decoder.decode(line)
            except StopIteration:  # leading white space, or not JSON
                values = decoder.decode(line)
        except json.JSONDecodeError as error:
            state = "" if line.endswith("\n") else " is cut off"
            column = min(error.pos, len(line.rstrip())) + 1
            raise ValueError(
                f"{location(row, number)}{state}: not JSON: {error.msg} (column {column})"
            ) from None
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{location(row, number)}: {fault_of(error)}") from None
        yield number, _object(values, row, number)


def fault_of(error: BaseException) -> str:
    """The error in a document, without Python's advice on how to change its own limits.

    >>> fault_of(RecursionError("too deep")), fault_of(ValueError("no JSON"))
    ('values are nested too deeply', 'no JSON')
    """
    if isinstance(error, RecursionError):
        return "values are nested too deeply"
    if "integer string conversion" in str(error):
        return "an integer has more than 4,300 digits"
    return str(error)


def rows_of_document(document: Any) -> Iterator[Row]:
    """The objects in a JSON document, which is a list of them or has them under `data`.

    Raises:
        ValueError: it has another structure.
    """
    rows = document.get("data") if isinstance(document, dict) else document
    if not isinstance(rows, list):
        hint = f"; it has {shown([*document])}" if isinstance(document, dict) else ""
        raise ValueError(f'neither a list of objects, one per row, nor {{"data": [...]}}{hint}')
    return rows_of_items(rows)


def rows_of_items(items: Iterable[Any]) -> Iterator[Row]:
    """The items of a list as rows.

    Raises:
        ValueError: one is not an object.
    """
    for row, values in enumerate(items):
        yield None, _object(values, row, None)


def _object(values: Any, row: int, line: int | None) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise ValueError(f"{location(row, line)} is not an object with fields")
    return values
