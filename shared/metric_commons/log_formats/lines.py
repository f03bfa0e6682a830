"""Texts, one per line: answers in one file, and references in another."""

from collections.abc import Iterator

from ..files.json_rows import Row
from ..files.logs import Content, Log, Marks

FORMAT = "lines"
MARKS = Marks(kinds=("text",), suffixes=(".txt",))


def read(content: Content) -> Log:
    """The lines without line ends; an empty line is an empty text."""
    columns = {name: lambda record: record["text"] for name in ("prediction", "references")}
    return Log(rows=_texts(content.rows), columns=columns)


def _texts(rows: Iterator[Row]) -> Iterator[Row]:
    for line, record in rows:
        text = record["text"]
        yield line, {"text": text.removesuffix("\n").removesuffix("\r")}
