"""The one file that opens files which users name, and names temporary files beside them.

A command may open every file that its user may. A server limits itself to some folders; it sets the
limit for a whole process, so no reader can forget it.
"""

import os
import platform
import re
import secrets
import stat
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from os import PathLike
from pathlib import Path
from typing import NamedTuple, Protocol

# Of a file's name: C0 and C1, which control a terminal, line separators, and changes of direction.
_CONTROLS = frozenset(
    map(chr, (*range(0x20), *range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A)))
)

_NAME = re.compile(r"\.metric-commons-([0-9a-f]{8})-([0-9]+)-[0-9a-f]{8}")
_ABANDONED = 24 * 60 * 60  # seconds after which the process is dead, on whatever computer


class Target(NamedTuple):
    """A name in an open folder, or a path where `folder` is None."""

    folder: int | None
    name: str

    def status(self) -> os.stat_result:
        """The status of the file, or of the link, with this name."""
        return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)

    def mode(self) -> int | None:
        """The type and the permissions of the file with this name; None if there is none."""
        try:
            return self.status().st_mode
        except FileNotFoundError:
            return None

    def remove(self) -> None:
        """Remove the file with this name, if there is one."""
        with suppress(FileNotFoundError):
            os.unlink(self.name, dir_fd=self.folder)

    def beside(self, name: str) -> "Target":
        """Another name in the same folder."""
        if self.folder is not None:
            return Target(self.folder, name)
        return Target(None, os.path.join(os.path.dirname(self.name), name))


class Access(Protocol):
    """The files that a process may open."""

    def is_file(self, path: Path) -> bool:
        """Whether this is a file that may be read."""

    def opened(self, path: Path) -> FileIO:
        """The file, open for reading."""

    def target(self, path: Path) -> Target:
        """Where a file is to be written, in a folder that is created if it is missing.

        The folder is open, and is for the caller to close.
        """


class _Unlimited:
    """Access to all files of the user."""

    def is_file(self, path: Path) -> bool:
        return path.is_file()

    def opened(self, path: Path) -> FileIO:
        return path.open("rb", buffering=0)

    def target(self, path: Path) -> Target:
        target = os.path.realpath(path)  # a symbolic link still points to the file afterwards
        os.makedirs(os.path.dirname(target), exist_ok=True)
        return Target(None, target)


_access: Access = _Unlimited()


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
    """Whether this is a file that may be read."""
    return _access.is_file(Path(path))


def open_file(path: str | PathLike[str]) -> FileIO:
    """A file, open for reading its bytes without a buffer.

    Raises:
        ValueError: this process may not read it.
        OSError: it cannot be read.
    """
    return _access.opened(Path(path))


def read_file(path: str | PathLike[str]) -> bytes:
    """The content of a file; the errors are those of `open_file`."""
    with open_file(path) as file:
        return file.readall()


@contextmanager
def target_to_write(path: str | PathLike[str]) -> Iterator[Target]:
    """Where a file is to be written; missing folders are created.

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


# Temporary files, whose names say whether the process that writes one is still alive


def temporary_name() -> str:
    """A new name for a hidden file: of this project, this computer and this process."""
    return f".metric-commons-{_computer()}-{os.getpid()}-{secrets.token_hex(4)}"


def remove_abandoned(target: Target) -> None:
    """Remove temporary files of dead processes from the folder of a file.

    A folder may be shared with other computers and containers, whose processes cannot be seen;
    their temporary files are removed after a day.
    """
    folder = os.path.dirname(target.name) if target.folder is None else _readable(target.folder)
    try:
        names = os.listdir(folder) if folder is not None else []
    except OSError:
        names = []
    finally:
        if isinstance(folder, int):
            os.close(folder)
    for name in names:
        match = _NAME.fullmatch(name)
        if match:
            leftover = target.beside(name)
            is_dead = match[1] == _computer() and not _is_alive(int(match[2]))
            with suppress(OSError):
                if is_dead or time.time() - leftover.status().st_mtime > _ABANDONED:
                    leftover.remove()


def _readable(folder: int) -> int | None:
    """The same folder, open for listing; None if its names may not be listed."""
    try:
        return os.open(".", os.O_RDONLY, dir_fd=folder)
    except OSError:
        return None


def _computer() -> str:
    """A short name for the computer or the container."""
    return f"{zlib.crc32(platform.node().encode()):08x}"


def _is_alive(process: int) -> bool:
    """Whether a process of this computer may be alive."""
    if os.name == "nt":  # where the signal 0 would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # the process of another user, for example
    return True
