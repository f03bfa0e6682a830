"""The one file that opens files which users name.

A command may open every file that its user may. A server limits itself to some folders; it sets the
limit for a whole process, so no reader can forget it. The size of content is limited, too, so that
a small file cannot fill the memory.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BufferedReader, FileIO
from os import PathLike
from pathlib import Path
from typing import IO, NamedTuple

# Of a file's name: C0 and C1, which control a terminal, line separators, and changes of direction.
_CONTROLS = frozenset(
    map(chr, (*range(0x20), *range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A)))
)

# Searching a folder needs no permission to list it where the system distinguishes these.
FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)

_FREE = 10_000_000  # bytes of content that any compressed file may have
_SHOWN = ((10**9, "GB"), (10**6, "MB"))


class Target(NamedTuple):
    """A name in an open folder, or a path where `folder` is None."""

    folder: int | None
    name: str

    def status(self) -> os.stat_result:
        """Return the status of the file, or of the link, with this name."""
        return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)

    def mode(self) -> int | None:
        """Return the type and the permissions of the file with this name; None if there is none."""
        try:
            return self.status().st_mode
        except FileNotFoundError:
            return None

    def remove(self) -> None:
        """Remove the file with this name, if there is one."""
        with suppress(FileNotFoundError):
            os.unlink(self.name, dir_fd=self.folder)

    def create(self, mode: int) -> IO[bytes]:
        """Return a new file, which `take` gives this name; if possible, it has none before.

        Raises:
            OSError: there is a file with this name, or the folder cannot be written.
        """
        if hasattr(os, "O_TMPFILE") and self.folder is not None and os.path.isdir("/proc/self/fd"):
            with suppress(OSError):  # not in all file systems
                flags = os.O_TMPFILE | os.O_WRONLY
                return os.fdopen(os.open(".", flags, mode, dir_fd=self.folder), "wb")
        return open(self.name, "xb", opener=partial(os.open, mode=mode, dir_fd=self.folder))

    def take(self, file: IO[bytes]) -> None:
        """Give a file that `create` returned this name, unless it has it already."""
        if self.folder is not None and not os.fstat(file.fileno()).st_nlink:
            os.link(f"/proc/self/fd/{file.fileno()}", self.name, dst_dir_fd=self.folder)

    def beside(self, name: str) -> "Target":
        """Return another name in the same folder."""
        if self.folder is not None:
            return Target(self.folder, name)
        return Target(None, os.path.join(os.path.dirname(self.name), name))


class Access:
    """The files that a process may open: by default all of the user."""

    def is_file(self, path: Path) -> bool:
        """Return whether this is a file that may be read."""
        return path.is_file()

    def opened(self, path: Path) -> FileIO:
        """Return the file, open for reading."""
        return path.open("rb", buffering=0)

    def target(self, path: Path) -> Target:
        """Return where a file is to be written, in a folder that is created if it is missing.

        The folder is open, and is for the caller to close.
        """
        target = os.path.realpath(path)  # a symbolic link still points to the file afterwards
        folder, name = os.path.split(target)
        os.makedirs(folder, exist_ok=True)
        if os.open not in os.supports_dir_fd:
            return Target(None, target)
        return Target(os.open(folder, FOLDER), name)


_access = Access()


@contextmanager
def limited_to(access: Access) -> Iterator[None]:
    """Limit this process to some files: all of its threads, and processes forked from it."""
    global _access
    earlier, _access = _access, access
    try:
        yield
    finally:
        _access = earlier


def is_file(path: str | PathLike[str]) -> bool:
    """Return whether this is a file that may be read."""
    return _access.is_file(Path(path))


def open_file(path: str | PathLike[str]) -> FileIO:
    """Return a file, open for reading its bytes without a buffer.

    Raises:
        ValueError: this process may not read it.
        OSError: it cannot be read.
    """
    return _access.opened(Path(path))


def read_file(path: str | PathLike[str]) -> bytes:
    """Return the content of a file; the errors are those of `open_file`."""
    with open_file(path) as file:
        return file.readall()


def sha256_of(path: str | PathLike[str]) -> str:
    """Return the SHA-256 of a file; the errors are those of `open_file`."""
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def state_of(file: IO[bytes] | FileIO) -> tuple[int, int] | None:
    """Return what changes with the content of an open file; None for a pipe."""
    status = os.fstat(file.fileno())
    return (status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else None


def check_unchanged(file: IO[bytes] | FileIO, state: tuple[int, int] | None, name: str) -> None:
    """Check that the state of a file is still the same.

    Raises:
        ValueError: it is not, so the bytes may be a mixture.
    """
    if state_of(file) != state:
        raise ValueError(f"{name} has changed while it was read")


@contextmanager
def target_to_write(path: str | PathLike[str]) -> Iterator[Target]:
    """Return where a file is to be written, in a folder that is created if it is missing.

    Raises:
        ValueError: the name has control characters, the path is not that of a file, or this
            process may not write there.
        OSError: a folder cannot be created or opened.
    """
    check_name(path)
    target = _access.target(Path(path))
    try:
        mode = target.mode()
        if mode is not None and stat.S_IFMT(mode) not in (stat.S_IFREG, stat.S_IFLNK):
            raise ValueError(f"{path} is not a file")  # and should not be replaced
        yield target
    finally:
        if target.folder is not None:
            os.close(target.folder)


def check_name(path: str | PathLike[str]) -> None:
    r"""Check that a file to be written has a name that can be shown.

    Raises:
        ValueError: it has control characters, which would reach every terminal that lists it.

    >>> check_name("scores/\x1b[2J.json")
    Traceback (most recent call last):
    ValueError: 'scores/\x1b[2J.json' has control characters; choose another name
    """
    if not _CONTROLS.isdisjoint(str(path)):
        raise ValueError(f"{str(path)!r} has control characters; choose another name")


# Limits of reading


class Limits(NamedTuple):
    """The maximum bytes that are read.

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
        """Return limits with this size of what is read as a whole; for None the same limits.

        A caller that names a size knows the files, so the ratio no longer matters.

        >>> Limits().with_whole(5000)[2:]
        (5000, None)
        """
        return self if size is None else self._replace(whole=size, ratio=None)


_default = Limits()


def default_limits() -> Limits:
    """Return the limits of this process where a caller names none."""
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


def check_ratio(size: int, stored: int, ratio: int | None, subject: str) -> None:
    """Check that compressed content is not suspiciously much larger than its compressed size.

    Args:
        size: the bytes of the content so far.
        stored: the bytes that are stored.
        ratio: as in `Limits`.
        subject: the content in the message.

    Raises:
        LimitError: it is.

    >>> check_ratio(9_000_000, 759, 1000, "x"), check_ratio(500_000_000, 759, None, "x")
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
    """Return the bytes of a file that is read as a whole.

    Raises:
        LimitError: it is too large.
        OSError: it cannot be read.
    """
    with BufferedReader(open_file(path)) as file:
        state = state_of(file)
        data = read_at_most(file, limits.whole, str(path))
        check_unchanged(file, state, os.fspath(path))
    check_parsed(data, limits, str(path))
    return data


def read_at_most(
    file: IO[bytes], size: int, subject: str = "the content", start: bytes = b""
) -> bytes:
    """Return the bytes of a file that is read as a whole, after a start that was read before.

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
