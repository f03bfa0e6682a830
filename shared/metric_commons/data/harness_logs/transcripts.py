"""Transcripts with the id of each utterance: Kaldi's `text`, and the `.trn` of sclite."""

import re
from collections.abc import Iterator

from ..files.json_rows import Row, location
from .logs import Content, LogFormat

_ID = re.compile(r"(?=\S*[0-9])(?=\S*[A-Za-z_-])\S+")
_TRN = re.compile(r"(.*?)\s*\(([^()\s]+)\)\s*")


def _begins_with_ids(content: Content) -> bool:
    """Return whether the first lines begin with different words that have digits and letters.

    >>> from pathlib import Path
    >>> [
    ...     _begins_with_ids(Content(Path("text"), "text", lines, iter(())))
    ...     for lines in (("utt1 a", "utt2 b"), ("utt1 a", "utt1 b"), ("1 a", "2 b"))
    ... ]
    [True, False, False]
    """
    words = [text.partition(" ")[0] for text in content.first]
    return 1 < len(words) == len(set(words)) and all(map(_ID.fullmatch, words))


def _of_kaldi(rows: Iterator[Row]) -> Iterator[Row]:
    for line, record in rows:
        name, _, text = record["text"].replace("\t", " ").partition(" ")
        yield line, {"id": name, "text": text.strip()}


def _of_trn(rows: Iterator[Row]) -> Iterator[Row]:
    for row, (line, record) in enumerate(rows):
        match = _TRN.fullmatch(record["text"])
        if match is None:
            raise ValueError(f"{location(row, line)}: there is no (id) at the end")
        yield line, {"id": match[2], "text": match[1]}


_COLUMNS = {"id": "id", "prediction": "text"}

FORMATS = (
    LogFormat(
        name="kaldi",
        kinds=["text"],
        suffixes=["", ".txt", ".text"],
        further=_begins_with_ids,
        columns=_COLUMNS,
        computed=lambda content: {"rows": _of_kaldi(content.rows)},
    ),
    LogFormat(
        name="lines",
        kinds=["text"],
        suffixes=[".txt"],
        further=lambda content: not _begins_with_ids(content),
        columns={"prediction": "text"},
    ),
    LogFormat(
        name="trn",
        kinds=["text"],
        suffixes=[".trn"],
        columns=_COLUMNS,
        computed=lambda content: {"rows": _of_trn(content.rows)},
    ),
)
