"""Limits of what is read, so that a small file cannot fill the memory."""

from collections.abc import Callable
from io import BufferedReader
from os import PathLike
from typing import IO, NamedTuple

from .access import open_file

_FREE = 10_000_000  # bytes of content that any compressed file may have
_SHOWN = ((10**9, "GB"), (10**6, "MB"))


class Limits(NamedTuple):
    """The maximum bytes of what is read.

    Args:
        line: of a line, and of a row of a JSON list.
        content: of a compressed file that is read row by row.
        whole: of content that is read as a whole: JSON documents, members of archives, compressed
            Parquet files. Once parsed, a document may take four times as much memory.
        ratio: how many times larger than its file compressed content may be, beyond 10 MB; None
            for any number.
    """

    line: int = 100_000_000
    content: int = 100_000_000_000
    whole: int = 2**30
    ratio: int | None = 1000

    def with_whole(self, size: int | None) -> "Limits":
        """These limits with this size of what is read as a whole; unchanged for None.

        Who names a size knows the files, so that the ratio does not matter any more.

        >>> Limits().with_whole(5000)[2:]
        (5000, None)
        """
        return self if size is None else self._replace(whole=size, ratio=None)


_default = Limits()


def default_limits() -> Limits:
    """The limits of this process where a caller names none."""
    return _default


def set_default(limits: Limits) -> None:
    """Set the limits of this process, as the processes of a server do."""
    global _default
    _default = limits


class LimitError(ValueError):
    """A file exceeds a limit of reading."""


class LineLimit:
    """Refuses a line that is too long while it is read, before it fills the memory."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._line, self._length = 1, 0  # the current line, and its bytes so far

    def observe(self, data: memoryview) -> None:
        """Note bytes that were read."""
        chunk = bytes(data)
        end = chunk.rfind(b"\n") + 1
        if end:
            self._check(self._length + chunk.find(b"\n"))
            self._line += chunk.count(b"\n")
            self._length = 0
        self._length += len(chunk) - end
        self._check(self._length)

    def _check(self, length: int) -> None:
        if length > self.limit:
            raise LimitError(
                f"line {self._line} is longer than {self.limit:,} bytes, the limit of a line"
            )


class GrowthLimit:
    """Refuses compressed content that is too large, while it is read.

    Args:
        limits: the limits.
        stored: returns the bytes of the compressed file, or those read so far from a pipe.
        subject: the content in messages.
    """

    def __init__(
        self, limits: Limits, stored: Callable[[], int], subject: str = "the content"
    ) -> None:
        self._subject, self._limit, self._count = subject, limits.content, 0
        self._ratio, self._stored = limits.ratio, stored

    def observe(self, data: memoryview) -> None:
        """Note content that was read."""
        self._count += len(data)
        if self._count > self._limit:
            raise LimitError(
                f"the compressed file contains more than {self._limit:,} bytes, which is the limit"
            )
        check_ratio(self._count, self._stored(), self._ratio, self._subject)


def check_ratio(size: int, stored: int, ratio: int | None, subject: str = "the content") -> None:
    """Check that compressed content is not suspiciously much larger than what is stored.

    Args:
        size: the bytes of the content so far.
        stored: the bytes that are stored.
        ratio: as in `Limits`.
        subject: the content in the message.

    Raises:
        LimitError: it is.

    >>> check_ratio(9_000_000, 759, 1000), check_ratio(500_000_000, 759, None)
    (None, None)
    """
    if ratio is not None and size > _FREE and size > ratio * stored:
        raise LimitError(
            f"{subject} is more than {ratio:,} times as large as the {stored:,} bytes stored, "
            "which is the limit; decompress it first, or set --max-unpacked"
        )


def check_whole(size: int, limit: int, subject: str = "the content") -> None:
    """Check the size of content that is read as a whole.

    Raises:
        LimitError: it is too large.
    """
    if size > limit:
        raise LimitError(
            f"{subject} has more than {limit:,} bytes, the limit of what is read as a whole; "
            "raise it with --max-unpacked"
        )


def read_whole(path: str | PathLike[str], limits: Limits) -> bytes:
    """The bytes of a file that is read as a whole.

    Raises:
        LimitError: it is too large.
        OSError: it cannot be read.
    """
    with BufferedReader(open_file(path)) as file:
        data = read_at_most(file, limits.whole, str(path))
    check_parsed(data, limits, str(path))
    return data


def read_at_most(
    file: IO[bytes], size: int, subject: str = "the content", start: bytes = b""
) -> bytes:
    """The bytes of a file that is read as a whole, after a start that was read before.

    Raises:
        LimitError: there are more than `size`.
    """
    data = start + file.read(max(size + 1 - len(start), 0))
    check_whole(len(data), size, subject)
    return data


def check_parsed(text: str | bytes, limits: Limits, subject: str = "the content") -> None:
    """Check the memory that JSON takes once it is parsed, before it is.

    Small values take more memory than text: an empty list, 56 bytes and a reference, instead of
    three. This adds up bounds of what values and keys take in CPython.

    Raises:
        LimitError: it is more than four times the limit of the text itself.
    """
    if len(text) * 64 <= limits.whole:  # not even if it consisted of nothing but braces
        return
    comma, bracket, brace = (",", "[", "{") if isinstance(text, str) else (b",", b"[", b"{")
    memory = len(text) + 100 * (text.count(comma) + text.count(bracket)) + 240 * text.count(brace)  # type: ignore[arg-type]
    if memory > 4 * limits.whole:
        raise LimitError(
            f"{subject} takes about {_shown(memory)} of memory when it is parsed, and the limit is "
            f"{_shown(4 * limits.whole)}; raise it with --max-unpacked"
        )


def _shown(size: int) -> str:
    unit, name = next(((unit, name) for unit, name in _SHOWN if size >= unit), (1, "bytes"))
    return f"{size / unit:.3g} {name}"
