"""Texts, one per line: answers in one file, and references in another."""

from .logs import Content, Log, Marks

FORMAT = "lines"
MARKS = Marks(kinds=("text",), suffixes=(".txt",))


def read(content: Content) -> Log:
    """Return the lines without line ends; an empty line is an empty text."""
    texts = ((line, record["text"].removesuffix("\n")) for line, record in content.rows)
    return Log(
        rows=((line, {"text": text.removesuffix("\r")}) for line, text in texts),
        columns={"prediction": lambda record: record["text"]},
    )
