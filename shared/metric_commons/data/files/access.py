"""The one file that opens files which users name.

A command may open every file that its user may. A server limits itself to some folders; it sets the
limit for a whole process, so no reader can forget it.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from io import FileIO
from os import PathLike
from pathlib import Path
from typing import IO

# Of a file's name: C0 and C1, which control a terminal, line separators, and changes of direction.
_CONTROLS = frozenset(
    map(chr, (*range(0x20), *range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A)))
)


class Access:
    """The files that a process may open: by default all of the user."""

    def is_file(self, path: Path) -> bool:
        """Return whether this is a file that may be read."""
        return path.is_file()

    def opened(self, path: Path) -> FileIO:
        """Return the file, open for reading."""
        return path.open("rb", buffering=0)

    def target(self, path: Path) -> Path:
        """Return the path of a file that may be written, with all links followed."""
        return Path(os.path.realpath(path))

    def created(self, path: Path, mode: int) -> IO[bytes]:
        """Return a new file with these permissions, open for writing."""
        return open(path, "xb", opener=partial(os.open, mode=mode))


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


def target_to_write(path: str | PathLike[str]) -> Path:
    """Return the path of a file to write, with all links followed.

    Raises:
        ValueError: the name has control characters, the path is not that of a file, or this
            process may not write there.
    """
    check_name(path)
    target = _access.target(Path(path))
    if target.exists() and not target.is_file():
        raise ValueError(f"{path} is not a file")  # and should not be replaced
    return target


def create_file(path: Path, mode: int) -> IO[bytes]:
    """Return a new file with these permissions, open for writing.

    Raises:
        ValueError: this process may not write there.
        OSError: it exists, or cannot be created.
    """
    return _access.created(path, mode)


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
