"""Rows of JSON Lines and JSON, with the lines in which they start.

The items of a JSON list are decoded one at a time, so that a large list is never in memory.
"""

import io
import json
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice, repeat
from typing import Any, NamedTuple

from ...statistics.arguments.checks import nearest, shown
from .access import LimitError

Row = tuple[int | None, Mapping[str, Any]]  # the line in which a row starts, and its fields


def unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of a JSON object, which must be distinct; `json` keeps the last of two."""
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in values if names.count(name) > 1)
        raise ValueError(f"field {repeated!r} is given twice")
    return values


STRICT = json.JSONDecoder(object_pairs_hook=unique_fields)
# For logs: it is twice as fast, and programs do not write a field twice.
PLAIN = json.JSONDecoder()
_ENDS = ("\n", "\r\n")
_BLOCK = 256  # rows decoded at a time
_BLANKS = " \t\n\r"
_MARGIN = 16  # characters; longer than any number's exponent, escape or word such as -Infinity


def location(row: int, line: int | None) -> str:
    """Return the number of a row, from 0, and its first line, from 1, if there are lines.

    >>> location(12, 14), location(12, None)
    ('row 12 (line 14)', 'row 12')
    """
    return f"row {row}" if line is None else f"row {row} (line {line})"


class LineNumbers:
    """The line of each row, stored once for rows in consecutive lines.

    >>> lines = LineNumbers()
    >>> lines.add(0, [2, 3, 5])
    >>> lines.add(3, range(6, 9))
    >>> [lines.of(row) for row in range(6)], len(lines)
    ([2, 3, 5, 6, 7, 8], 2)
    """

    def __init__(self) -> None:
        self._rows, self._lines = array("Q"), array("Q")  # the first of each run

    def __len__(self) -> int:
        """Return the number of runs of consecutive lines."""
        return len(self._rows)

    def add(self, row: int, lines: Sequence[int]) -> None:
        """Add the lines of consecutive rows, beginning with `row`."""
        if lines and lines[-1] - lines[0] == len(lines) - 1:
            lines = lines[:1]
        for number, line in enumerate(lines, start=row):
            if not self._rows or line - self._lines[-1] != number - self._rows[-1]:
                self._rows.append(number)
                self._lines.append(line)

    def of(self, row: int) -> int | None:
        """Return the line of a row; None if it is not known."""
        run = bisect_right(self._rows, row) - 1
        return self._lines[run] + row - self._rows[run] if run >= 0 else None


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


def filled_lines(lines: Iterable[str], first: int = 1) -> Iterator[tuple[int, str]]:
    """Return the lines that are not blank, with their numbers; the first line has `first`."""
    return (
        pair
        for pair in enumerate(lines, start=first)
        # For most lines, isspace() reads one character, while strip() copies the whole line.
        if not pair[1].isspace() or pair[1].strip(" \t\r\n")
    )


def decoded_lines(
    lines: Iterable[tuple[int, str]], decoder: json.JSONDecoder = STRICT, first: int = 0
) -> Iterator[Row]:
    """Return the objects in lines of JSON Lines; `first` is the number of the first row.

    Raises:
        ValueError: a line is not JSON, or not an object.
    """
    return chain.from_iterable(_blocks(_decoded(lines, decoder, first)))


def _blocks(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """Yield the rows in lists, also those before an error: a reader may need only these."""
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


def _decoded(
    lines: Iterable[tuple[int, str]], decoder: json.JSONDecoder, first: int
) -> Iterator[Row]:
    scan = decoder.scan_once  # type: ignore[attr-defined] # decode() searches for white space with regular expressions
    for row, (number, line) in enumerate(lines, start=first):
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


class Records(NamedTuple):
    """Consecutive rows that have been parsed."""

    records: Sequence[Mapping[str, Any]]
    lines: Sequence[int] | None  # in which they start, if there are lines
    size: int  # of the lines, in bytes

    def values(self, field: str) -> list[Any] | None:
        """Return the values of a field; None if a record does not have it."""
        try:
            return [record[field] for record in self.records]
        except KeyError:
            return None

    def rows(self) -> Iterator[Row]:
        """Return the rows one by one."""
        return zip(self.lines or repeat(None), self.records)  # noqa: B905 # the former may be endless


def records_of_lines(data: bytes, lines_before: int, rows_before: int) -> Records:
    """Return the objects in whole lines of JSON Lines.

    Raises:
        ValueError: a line is not UTF-8, not JSON, or not an object.
    """
    records = None
    with suppress(UnicodeDecodeError):
        records = _plain_records(data.decode("utf-8", "surrogatepass"))
    if records is not None:
        numbers = range(lines_before + 1, lines_before + 1 + len(records))
        return Records(records, numbers, len(data))
    first = lines_before + 1
    lines = filled_lines(text_lines(io.BytesIO(data), first), first)
    rows = list(decoded_lines(lines, STRICT, rows_before))
    return Records([record for _, record in rows], [line or 0 for line, _ in rows], len(data))


def _plain_records(text: str) -> list[dict[str, Any]] | None:
    """Return the objects in lines without blanks around them; None if any line is different.

    The scanner starts where the previous object ended, so lines need not be copied. Each object
    must be followed by a line feed; if there are no others, each line holds one object.
    """
    if "\r" in text:  # which JSON allows only between tokens
        text = text.replace("\r\n", "\n")
    if not text.endswith("\n"):
        text += "\n"
    scan = STRICT.scan_once  # type: ignore[attr-defined] # as in `_decoded`
    records: list[dict[str, Any]] = []
    add = records.append
    position, end = 0, len(text)
    try:
        while position < end:
            record, position = scan(text, position)
            if text[position] != "\n":
                return None
            position += 1
            add(record)
    except (StopIteration, ValueError, RecursionError):
        return None
    is_plain = len(records) == text.count("\n") and set(map(type, records)) <= {dict}
    return records if is_plain else None


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
    """Return the objects in a JSON document, a list, or an object with the list `data`.

    Raises:
        ValueError: it has another structure.
    """
    rows = document.get("data") if isinstance(document, dict) else document
    if not isinstance(rows, list):
        hint = f"; it has {shown([*document])}" if isinstance(document, dict) else ""
        raise ValueError(f'neither a list of objects, one per row, nor {{"data": [...]}}{hint}')
    return rows_of_items(rows)


def rows_of_items(items: Iterable[Any]) -> Iterator[Row]:
    """Yield the items of a list as rows.

    Raises:
        ValueError: one is not an object.
    """
    for row, values in enumerate(items):
        yield None, _object(values, row, None)


def _object(values: Any, row: int, line: int | None) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise ValueError(f"{location(row, line)} is not an object with fields")
    return values


class JsonList:
    """A JSON list that is read while its items are decoded.

    Args:
        chunks: the bytes of the list, after any byte order mark and blanks.
        limit: the maximum characters of an item.
    """

    def __init__(self, chunks: Iterator[bytes], limit: int) -> None:
        self._chunks, self._limit = chunks, limit
        self._bytes = b""  # the start of a character whose rest has not been read
        self._text, self._position = "", 0  # the text in memory, and the next character in it
        self._is_at_end = False
        self._row = 0
        self._lines, self._column, self._dropped = 1, 0, 0  # before this text, for messages
        self._skip_to("\ufeff")
        self._skip_to("[")

    def first(self) -> Any:
        """Return the first item, which remains to be read; an empty list if there is none."""
        return [] if self._next_character() == "]" else self._decoded(PLAIN)[0]

    def items(self, decoder: json.JSONDecoder) -> Iterator[Any]:
        """Yield the items.

        Raises:
            ValueError: this is not a list, or an item is too long or not valid.
        """
        if self._next_character() != "]":
            yield self._item(decoder)
            while self._next_character() == ",":
                self._position += 1
                self._next_character()
                yield self._item(decoder)
        if self._next_character() != "]":
            raise self._fault("Expecting ',' delimiter")
        self._position += 1
        if self._next_character():
            raise self._fault("Extra data")

    def _item(self, decoder: json.JSONDecoder) -> Any:
        item, self._position = self._decoded(decoder)
        self._row += 1
        return item

    def _decoded(self, decoder: json.JSONDecoder) -> tuple[Any, int]:
        """Return the item at the position, and its end; read more text until it is complete."""
        scan = decoder.scan_once  # type: ignore[attr-defined] # as in `decoded_lines`
        while True:
            try:
                item, end = scan(self._text, self._position)
                is_closed = isinstance(item, dict | list | str)  # a number may go on
                if is_closed or end + _MARGIN < len(self._text) or self._is_at_end:
                    return item, end
            except StopIteration as stop:
                fault = json.JSONDecodeError("Expecting value", self._text, stop.value)
                self._check_incomplete(fault)
            except json.JSONDecodeError as error:
                self._check_incomplete(error)
            except ValueError as error:
                raise ValueError(f"{location(self._row, None)}: {fault_of(error)}") from None
            if len(self._text) - self._position > self._limit:
                raise LimitError(
                    f"{location(self._row, None)} is longer than {self._limit:,} bytes, the limit "
                    "of a line"
                )
            self._read_more()

    def _check_incomplete(self, error: json.JSONDecodeError) -> None:
        """Check that an error may be due to text that has not been read."""
        is_near_end = error.pos >= len(self._text) - _MARGIN
        if self._is_at_end or not (is_near_end or error.msg.startswith("Unterminated string")):
            raise self._fault(error)

    def _next_character(self) -> str:
        """Move to the next character that is not blank, and return it; "" at the end."""
        while True:
            while self._position < len(self._text):
                character = self._text[self._position]
                if character not in _BLANKS:
                    return character
                self._position += 1
            if self._is_at_end:
                return ""
            self._read_more()

    def _skip_to(self, mark: str) -> None:
        if self._next_character() == mark:
            self._position += 1

    def _read_more(self) -> None:
        """Read at least as much text as there is left, and drop the text that was decoded."""
        past = self._text[: self._position]
        if "\n" in past:
            self._lines += past.count("\n")
            self._column = len(past) - past.rfind("\n") - 1
        else:
            self._column += len(past)
        self._dropped += len(past)
        pieces = [self._text[self._position :]]
        self._text, self._position = "", 0
        missing = max(len(pieces[0]), 1)
        while missing > 0 and not self._is_at_end:
            chunk = next(self._chunks, b"")
            data = self._bytes + chunk
            end = _end_of_characters(data) if chunk else len(data)
            self._bytes, self._is_at_end = data[end:], not chunk
            pieces.append(data[:end].decode("utf-8", "surrogatepass"))
            missing -= end
        self._text = "".join(pieces)

    def _fault(self, error: json.JSONDecodeError | str) -> ValueError:
        """Return an error, by default at this position, with its position in the file."""
        if isinstance(error, str):
            error = json.JSONDecodeError(error, self._text, self._position)
        line = self._lines + error.lineno - 1
        column = error.colno + (self._column if error.lineno == 1 else 0)
        position = self._dropped + error.pos
        return ValueError(f"{error.msg}: line {line} column {column} (char {position})")


def _end_of_characters(data: bytes) -> int:
    """Return the number of bytes that are certainly whole characters in UTF-8.

    >>> [_end_of_characters(text.encode()[:3]) for text in ("abc", "ab\u00e9", "a\u00e9")]
    [3, 2, 1]
    """
    for back in range(1, min(4, len(data)) + 1):
        if data[-back] >= 0xC0:
            return len(data) - back
        if data[-back] < 0x80:
            return len(data)
    return len(data)
