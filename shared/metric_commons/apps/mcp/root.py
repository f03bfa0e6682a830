"""The folder of a server: only files below it are read or written."""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from io import FileIO
from pathlib import Path
from typing import IO, Any, get_args

from ...data.files.access import Access, check_name
from ...statistics.arguments.checks import OptionError
from ...statistics.arguments.domains import Parsed

_SYSTEM = ("/proc", "/sys", "/dev")  # never read, even if the root is /


@dataclass(frozen=True, eq=False)
class NewFile(Parsed):
    """A path of a file to write, whose name ends so."""

    suffix: str = ""


class Root(Access):
    """A folder, at which relative paths start. Links that stay below it are followed.

    What is checked is the path of the file that was opened, so it does not matter whether names
    have become links meanwhile.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(os.path.realpath(folder))
        if not self.folder.is_dir():
            raise ValueError(f"{folder} is not a folder")
        self.check(self.folder, folder)

    def confined(self, annotations: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call, in which paths lead to files below this folder.

        Raises:
            ValueError: one leads elsewhere.
        """

        def path(name: str, text: Any, suffix: str) -> Path:
            if not isinstance(text, str) or not text or not text.isprintable():
                raise OptionError(name, f"must be a path, got {text!r}")
            target = self.folder / text
            try:
                self.check(Path(os.path.realpath(target)), text)
                if not suffix and target.is_dir():
                    raise ValueError(f"{text} is not a file")
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
            if suffix:  # as in UltraRAG, the name has the time, so that no file is replaced
                check_name(text)
                time = datetime.now().astimezone().strftime("%Y%m%d_%H%M%S_%f")
                return target.with_name(f"{target.stem}_{time}{suffix}")
            return target

        confined = dict(values)
        for name, value in values.items():
            suffix = _suffix(annotations[name])
            if suffix is not None and isinstance(value, list):
                confined[name] = [path(name, text, suffix) for text in value]
            elif suffix is not None and value is not None:
                confined[name] = path(name, value, suffix)
        return confined

    def check(self, resolved: Path, path: Any) -> None:
        """Check that a path without links is below this folder, and no file of the system.

        Raises:
            ValueError: it is not.
        """
        if any(resolved.is_relative_to(folder) for folder in _SYSTEM):
            raise ValueError(f"{path} belongs to the system, and is never read")
        if not resolved.is_relative_to(self.folder):
            raise ValueError(
                f"{path} leads outside the folder that this server may use, {self.folder}; start "
                f"the server with --root {resolved.parent} to allow it"
            )

    def is_file(self, path: Path) -> bool:
        """Return whether this is a file below the folder."""
        resolved = Path(os.path.realpath(self.folder / path))
        return resolved.is_relative_to(self.folder) and resolved.is_file()

    def opened(self, path: Path) -> FileIO:
        """Return the file, open for reading.

        Raises:
            ValueError: it is outside the folder, or it is a folder, a device or a pipe.
            OSError: it cannot be read.
        """
        # A pipe would wait for its other end, unless it is opened without blocking.
        file = FileIO(os.open(self.folder / path, os.O_RDONLY | os.O_NONBLOCK))
        try:
            self.check(_path_of(file.fileno()), path)
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ValueError(f"{path} is not a file")
        except BaseException:
            file.close()
            raise
        return file

    def target(self, path: Path) -> Path:
        """Return the path of a file to write, with all links followed.

        Raises:
            ValueError: it is outside the folder.
        """
        resolved = super().target(self.folder / path)
        self.check(resolved, path)
        return resolved

    def created(self, path: Path, mode: int) -> IO[bytes]:
        """Return a new file, open for writing.

        Raises:
            ValueError: a folder of its path has become a link that leads outside.
        """
        file = super().created(path, mode)
        made = _path_of(file.fileno())  # by now the name may lead to another folder
        try:
            self.check(made, path)
        except ValueError:
            file.close()
            made.unlink(missing_ok=True)
            raise
        return file


def _path_of(descriptor: int) -> Path:
    """Return the path of an open file."""
    if os.path.isdir("/proc/self/fd"):
        return Path(os.readlink(f"/proc/self/fd/{descriptor}"))
    import fcntl

    path: bytes = fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024))  # type: ignore[attr-defined] # macOS
    return Path(os.fsdecode(path.rstrip(b"\0")))


def _suffix(annotation: Any) -> str | None:
    """Return the ending of a file to write, "" for one to read, None for what is no path."""
    if isinstance(annotation, NewFile):
        return annotation.suffix
    parts = [_suffix(part) for part in reversed(get_args(annotation))]
    return next((part for part in parts if part is not None), "" if annotation is Path else None)
