"""CoNLL columns: one token per line with its tags, and an empty line after each sentence.

As in conlleval, the last column is the predicted tag and the one before it the right one. Columns
are named by their numbers, from 0.
"""

import re
from collections.abc import Iterator
from itertools import chain

from ..files.json_rows import Row, location
from .logs import LogFormat, Record

_TAG = re.compile(r"O|[A-Z]-.+|.+-[A-Z]")


def _right_tags(record: Record) -> list[str]:
    """Return the column before the last.

    Raises:
        ValueError: it is the first column, and has words.
    """
    cells: list[str] = record[str(len(record) - 2)]
    word = next((cell for cell in cells if not _TAG.fullmatch(cell)), None)
    if len(record) == 2 and word is not None:
        raise ValueError(
            f"there is one column of tags, beside words such as {word!r}; name the file with the "
            "other tags with --references"
        )
    return cells


def _sentences(rows: Iterator[Row]) -> Iterator[Row]:
    tokens: list[list[str]] = []
    start: int | None = None
    sentence = 0
    for line, record in chain(rows, [(None, {"text": ""})]):  # the last sentence ends, too
        cells = record["text"].split()
        if cells and cells[0] != "-DOCSTART-":
            start = start if tokens else line
            tokens.append(cells)
            if len(cells) != len(tokens[0]):
                raise ValueError(
                    f"{location(sentence, line)}: columns: {len(cells)}, not {len(tokens[0])} as "
                    "in the line before"
                )
        elif tokens:
            columns = zip(*tokens, strict=True)
            yield start, {str(number): list(tags) for number, tags in enumerate(columns)}
            tokens, sentence = [], sentence + 1


FORMATS = (
    LogFormat(
        name="conll",
        kinds=["text"],
        suffixes=[".conll", ".bio", ".iob"],
        columns={
            "prediction": lambda record: record[str(len(record) - 1)],
            "references": _right_tags,
        },
        computed=lambda content: {"rows": _sentences(content.rows)},
    ),
)
