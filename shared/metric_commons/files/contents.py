"""Detecting whether a file contains the rows of a table or the log of a harness."""

import zipfile
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, Literal, get_args

from .delimited_rows import delimited_rows
from .json_lists import JsonList
from .json_rows import (
    PLAIN,
    STRICT,
    Row,
    decoded_lines,
    filled_lines,
    rows_of_document,
    rows_of_items,
    text_lines,
)
from .logs import PLAIN_ROWS, Content, Log, format_named, formats, recognized
from .parquet_rows import PiecesOfParquet, parquet_names, parquet_rows
from .pieces import PiecesOfLines
from .read_limits import check_parsed
from .streams import STANDARD_INPUT, Stream, suffix

Format = Literal["jsonl", "json", "csv", "tsv", "parquet"]
_TABLES = get_args(Format)
_TEXT_FORMATS = ("lines", "conll")
_TEXT_SUFFIXES = ("txt", "conll", "bio", "iob")
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_ZIP, _PARQUET = b"PK\x03\x04", b"PAR1"
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OF_SPREADSHEETS = ("xl/workbook.xml", "content.xml")  # of Excel, and of LibreOffice
_SPREADSHEET = "this is a spreadsheet; save its sheet as .csv"

Fields = Callable[[], Sequence[str]]  # the fields to read, known when the first row is requested


def format_names() -> list[str]:
    """The values of `--from`: the formats of logs, those of tables, and `rows` for plain rows."""
    return [PLAIN_ROWS, *formats(), *_TABLES]


def log_in(stream: Stream, format_name: str | None, fields: Fields) -> Log:
    """The log in a file, or its plain rows.

    Args:
        stream: the file.
        format_name: its format, or None to detect it by the content and the suffix.
        fields: returns the fields to read, once they are known.

    Raises:
        ValueError: the content has no known format, or not this one.
    """
    kind = (
        format_name if format_name is not None and format_name in _TABLES else suffix(stream.path)
    )
    is_table = format_name in (*_TABLES, PLAIN_ROWS)
    start = stream.start()
    if format_name in _TEXT_FORMATS or (not is_table and kind in _TEXT_SUFFIXES):
        return _log(Content(stream.path, "text", None, _texts(stream)), format_name)
    if start.startswith(_OLD_OFFICE):
        raise ValueError(_SPREADSHEET)
    if start.startswith(_ZIP) and not is_table:
        file = stream.seekable()
        names = zipfile.ZipFile(file).namelist()
        if any(name in _OF_SPREADSHEETS for name in names):
            raise ValueError(_SPREADSHEET)
        return _log(
            Content(stream.path, "zip", names, iter(()), file=file, limits=stream.limits),
            format_name,
        )
    if kind == "parquet" or start.startswith(_PARQUET):
        return _parquet(stream, None if is_table else format_name, is_table, fields)
    if kind in _DELIMITERS:
        rows = _delimited(stream, _DELIMITERS[kind], fields)
        return Log(format_name=PLAIN_ROWS, rows=rows, has_cells=True)
    if kind not in ("json", "jsonl") and not _is_json(start):
        if stream.path == STANDARD_INPUT:
            raise ValueError("not JSON; for a table on standard input say --from csv or --from tsv")
        suffixes = ", ".join(f".{name}" for name in _TABLES)
        raise ValueError(
            f"unknown kind of file; its name must end in {suffixes}, optionally with .gz or .zst"
        )
    return _json(stream, kind, None if is_table else format_name, is_table)


def _log(content: Content, format_name: str | None) -> Log:
    """The log, in this format or in the one detected by its marks."""
    module = recognized(content) if format_name is None else format_named(format_name)
    if module is None:
        raise ValueError("the format cannot be detected from the content; name it with --from")
    try:
        log: Log = module.read(content)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not in the format {module.FORMAT}: {error}") from error
    return log


def _texts(stream: Stream) -> Iterator[Row]:
    return ((line, {"text": text}) for line, text in enumerate(text_lines(stream.content), start=1))


def _delimited(stream: Stream, delimiter: str, fields: Fields) -> Iterator[Row]:
    yield from delimited_rows(text_lines(stream.content), delimiter, fields(), stream.limits.line)


def _parquet(stream: Stream, format_name: str | None, is_table: bool, fields: Fields) -> Log:
    file = stream.seekable()
    content = Content(stream.path, "parquet", parquet_names(file), parquet_rows(file, None))
    if format_name is not None or (not is_table and recognized(content) is not None):
        return _log(content, format_name)

    def rows() -> Iterator[Row]:
        yield from parquet_rows(file, fields())

    return Log(format_name=PLAIN_ROWS, rows=rows(), pieces=PiecesOfParquet(file, fields))


def _json(stream: Stream, kind: str, format_name: str | None, is_table: bool) -> Log:
    """The log or the plain rows in JSON Lines or a JSON document, whatever the suffix."""
    if _is_list(stream.start()):
        return _list(stream, format_name, is_table)
    # Files named .json may hold lines, such as those of BFCL, unless the user says what they are.
    if kind == "json" and is_table:
        return _document(stream.text(), stream, format_name, is_table)
    lines = filled_lines(text_lines(stream.content))
    head = list(islice(lines, 2))
    try:
        first = PLAIN.decode(head[0][1]) if head else None
    except (ValueError, RecursionError):
        if kind == "jsonl":
            return Log(format_name=PLAIN_ROWS, rows=decoded_lines(chain(head, lines)))
        start = "".join(text for _, text in head)
        return _document(start + stream.text(), stream, format_name, is_table)
    if kind != "jsonl" and len(head) == 1:
        del first  # large documents should not be in memory twice
        return _document(head[0][1], stream, format_name, is_table)
    content = Content(
        *(stream.path, "lines", first, decoded_lines(chain(head, lines), PLAIN)),
        limits=stream.limits,
    )
    if format_name is not None or (not is_table and recognized(content) is not None):
        return _log(content, format_name)

    pieces = PiecesOfLines(head, stream.content)
    return Log(format_name=PLAIN_ROWS, rows=decoded_lines(chain(head, lines)), pieces=pieces)


def _list(stream: Stream, format_name: str | None, is_table: bool) -> Log:
    items = JsonList(stream.chunks(), stream.limits.line)
    rows = rows_of_items(items.items(PLAIN))
    content = Content(stream.path, "document", items.first(), rows, limits=stream.limits)
    if format_name is not None or (not is_table and recognized(content) is not None):
        return _log(content, format_name)
    return Log(format_name=PLAIN_ROWS, rows=rows_of_items(items.items(STRICT)))


def _document(text: str, stream: Stream, format_name: str | None, is_table: bool) -> Log:
    check_parsed(text, stream.limits)
    if not is_table:
        document: Any = PLAIN.decode(text)
        content = Content(
            *(stream.path, "document", document, _items(document), document), limits=stream.limits
        )
        if format_name is not None or recognized(content) is not None:
            return _log(content, format_name)
        del document, content  # a large document should not be in memory twice
    return Log(format_name=PLAIN_ROWS, rows=rows_of_document(STRICT.decode(text)))


def _items(document: Any) -> Iterator[Row]:
    yield from rows_of_document(document)


def _is_list(start: bytes) -> bool:
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


def _is_json(start: bytes) -> bool:
    return not start or start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")
