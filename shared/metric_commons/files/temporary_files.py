"""Names of temporary files, which say whether the process that writes one is still alive."""

import os
import platform
import re
import secrets
import time
import zlib
from contextlib import suppress

from .access import Target

_NAME = re.compile(r"\.metric-commons-([0-9a-f]{8})-([0-9]+)-[0-9a-f]{8}")
_ABANDONED = 24 * 60 * 60  # seconds after which the process is dead, on whatever computer


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
