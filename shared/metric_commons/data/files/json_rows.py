"""Rows of JSON Lines and JSON, with the lines in which they start."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...statistics.arguments.checks import nearest, shown

Row = tuple[int | None, Mapping[str, Any]]  # the line in which a row starts, and its fields
Columns = dict[str, list[Any]]
Lines = Sequence[int]


def unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of a JSON object, which must be distinct; `json` keeps the last of two."""
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in values if names.count(name) > 1)
        raise ValueError(f"field {repeated!r} is given twice")
    return values


STRICT = json.JSONDecoder(object_pairs_hook=unique_fields)
PLAIN = json.JSONDecoder()  # twice as fast
_scan = vars(PLAIN)["scan_once"]  # what it calls, but for blanks around the object
_BLANKS = " \t\r\n"
_COLONS = ('":', " :", "\t:", "\r:")  # the ways in which a name can end


def location(row: int, line: int | None) -> str:
    """Return the number of a row, from 0, and its first line, from 1, if there are lines.

    >>> location(12, 14), location(12, None)
    ('row 12 (line 14)', 'row 12')
    """
    return f"row {row}" if line is None else f"row {row} (line {line})"


def missing_field(field: str, names: Iterable[str]) -> str:
    """Return the message about a field that a row or a header lacks.

    >>> missing_field("anser", ["question", "answer"])
    "there is no field 'anser'; did you mean 'answer'? The fields are question, answer"
    """
    fields = list(map(str, names)) or ["none"]
    hint = f"{hint}? The" if (hint := nearest(field, fields).rstrip("?")) else "; the"
    return f"there is no field {field!r}{hint} fields are {', '.join(fields)}"


def text_lines(content: Iterable[bytes], first: int = 1) -> Iterator[str]:
    """Yield lines as text. Only a line feed ends a line, since JSON strings may contain U+2028.

    Args:
        content: the lines.
        first: the number of the first one.

    Raises:
        ValueError: a line is not UTF-8.
    """
    for number, line in enumerate(content, start=first):
        try:
            text = line.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"line {number} is not UTF-8: byte 0x{line[error.start]:02x} "
                f"after {error.start} valid bytes; save the file as UTF-8"
            ) from None
        yield text.removeprefix("\ufeff") if number == 1 else text


def json_lines(lines: Iterable[bytes], *, is_log: bool = False) -> Iterator[Row]:
    r"""Yield the objects in the lines of a file; blank lines have none.

    Args:
        lines: of the file.
        is_log: whether fields given twice need not be looked for, since a program wrote the lines.

    Raises:
        ValueError: a line is not UTF-8, not JSON, or not an object.

    >>> [*json_lines([b'{"a": 1}\n', b"\n", b'{"a": 2}'])]
    [(1, {'a': 1}), (3, {'a': 2})]
    """
    row = 0
    for number, line in enumerate(text_lines(lines), 1):
        try:
            values, end = _scan(line, 0)
            is_whole = line[end:] in ("\n", "")
        except (StopIteration, ValueError, RecursionError):
            is_whole = False
        if not is_whole:
            if line.isspace() and not line.strip(_BLANKS):
                continue
            values = _decoded(PLAIN, line, row, number)
        if not isinstance(values, dict):
            _object(values, row, number)
        elif not is_log and line.count(":") != len(values) and _may_repeat(line, len(values)):
            values = _decoded(STRICT, line, row, number)
        yield number, values
        row += 1


def _decoded(decoder: json.JSONDecoder, line: str, row: int, number: int) -> Any:
    """Return what a line holds; an error says where it is."""
    try:
        return decoder.decode(line)
    except json.JSONDecodeError as error:
        state = "" if line.endswith("\n") else " is cut off"
        column = min(error.pos, len(line.rstrip())) + 1
        raise ValueError(
            f"{location(row, number)}{state}: not JSON: {error.msg} (column {column})"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{location(row, number)}: {fault_of(error)}") from None


def _may_repeat(line: str, fields: int) -> bool:
    """Return whether a line may give a field twice: there are more ends of names than fields."""
    return sum(map(line.count, _COLONS)) != fields


def fault_of(error: BaseException) -> str:
    """Return the message of an error, without Python's advice on changing its limits.

    >>> fault_of(RecursionError("too deep")), fault_of(ValueError("no JSON"))
    ('values are nested too deeply', 'no JSON')
    """
    if isinstance(error, RecursionError):
        return "values are nested too deeply"
    if "integer string conversion" in str(error):
        return "an integer has more than 4,300 digits"
    return str(error)


def rows_of_document(document: Any) -> Iterator[Row]:
    """Yield the objects in a JSON document, a list, or an object with the list `data`.

    Raises:
        ValueError: it has another structure.
    """
    rows = document.get("data") if isinstance(document, dict) else document
    if not isinstance(rows, list):
        hint = f"; it has {shown([*document])}" if isinstance(document, dict) else ""
        raise ValueError(f'neither a list of objects, one per row, nor {{"data": [...]}}{hint}')
    for row, values in enumerate(rows):
        yield None, _object(values, row, None)


def _object(values: Any, row: int, line: int | None) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise ValueError(f"{location(row, line)} is not an object with fields")
    return values
