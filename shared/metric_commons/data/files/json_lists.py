"""The items of a JSON list, decoded one at a time, so that a large list is never in memory."""

import json
from collections.abc import Iterator
from typing import Any

from .access import LimitError
from .json_rows import PLAIN, fault_of, location

_BLANKS = " \t\n\r"
_MARGIN = 16  # characters; longer than any number's exponent, escape or word such as -Infinity


class JsonList:
    """A JSON list that is read while its items are decoded.

    Args:
        chunks: the bytes of the list, after any byte order mark and blanks.
        limit: the maximum characters of an item.
    """

    def __init__(self, chunks: Iterator[bytes], limit: int) -> None:
        self._chunks, self._limit = chunks, limit
        self._bytes = b""  # the start of a character whose rest has not been read
        self._text, self._position = "", 0  # what has been read and not dropped; the next character
        self._is_at_end = False
        self._row = 0
        self._lines, self._column, self._dropped = 1, 0, 0  # before the text, for messages
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
            raise self._fault(json.JSONDecodeError("Expecting ',' delimiter", *self._here()))
        self._position += 1
        if self._next_character():
            raise self._fault(json.JSONDecodeError("Extra data", *self._here()))

    def _item(self, decoder: json.JSONDecoder) -> Any:
        item, self._position = self._decoded(decoder)
        self._row += 1
        return item

    def _decoded(self, decoder: json.JSONDecoder) -> tuple[Any, int]:
        """Return the item at the position, and where it ends.

        More text is read until it is complete.
        """
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
        """Return the next character that is not blank, to which the position moves.

        "" at the end.
        """
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
        """Read at least as much as there is, and drop what has been decoded."""
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

    def _here(self) -> tuple[str, int]:
        return self._text, self._position

    def _fault(self, error: json.JSONDecodeError) -> ValueError:
        """Return the error, with its position in the file."""
        line = self._lines + error.lineno - 1
        column = error.colno + (self._column if error.lineno == 1 else 0)
        position = self._dropped + error.pos
        return ValueError(f"{error.msg}: line {line} column {column} (char {position})")


def _end_of_characters(data: bytes) -> int:
    """Where the last character may start, so that all before it are whole in UTF-8.

    >>> [_end_of_characters(text.encode()[:3]) for text in ("abc", "ab\u00e9", "a\u00e9")]
    [3, 2, 1]
    """
    for back in range(1, min(4, len(data)) + 1):
        if data[-back] >= 0xC0:
            return len(data) - back
        if data[-back] < 0x80:
            return len(data)
    return len(data)
