"""The folders that a server may read from and write to."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from ..catalog.usage import UsageError

_SYSTEM = tuple(map(Path, ("/proc", "/sys", "/dev")))  # whose files are no data, below any root
# What a folder holds that somebody works in.
_MARKS = (
    *(".git", ".hg", "pyproject.toml", "setup.py", "requirements.txt", "package.json"),
    "Cargo.toml",
)


def project_folder() -> Path:
    """The working directory, if it is the folder of a project.

    Raises:
        UsageError: it is not, or it is the home folder or that of the whole system.
    """
    folder = Path.cwd()
    wide = folder in (Path(folder.anchor), Path.home())
    if wide or not any((folder / mark).exists() for mark in _MARKS):
        reason = "is not the folder of one project" if wide else f"has none of {', '.join(_MARKS)}"
        raise UsageError(
            f"say which folder may be used: metric-commons mcp --root DIR (without it that is the "
            f"working directory, if it is the folder of a project, but {folder} {reason})"
        )
    return folder


class Roots:
    """Folders, and the files below them after every symbolic link is followed.

    Relative paths start at the first folder. `execution_allowed` says whether modules may run
    programs that a model wrote.

    Raises:
        ValueError: a path is no folder, or one of the system, such as /proc.
    """

    def __init__(self, folders: Sequence[Path], *, execution_allowed: bool = False) -> None:
        self.execution_allowed = execution_allowed
        self._folders = [Path(os.path.realpath(folder)) for folder in folders]
        for folder in self._folders:
            if not folder.is_dir():
                raise ValueError(f"{folder} is not a folder")
            if _is_of_system(folder):
                raise ValueError(f"{folder} holds no data; name another folder")

    @property
    def first(self) -> Path:
        """Where relative paths start."""
        return self._folders[0]

    def to_read(self, name: str, path: str) -> Path:
        """The file at a path.

        Args:
            name: of the argument that holds the path, for messages.
            path: relative to the first folder, or absolute.

        Raises:
            ValueError: the file is outside the folders, or it is a folder, a device or a pipe.
            OSError: there is no file.
        """
        target = self._inside(name, path)
        if not stat.S_ISREG(target.stat().st_mode):
            raise ValueError(f"{name}: {path} is not a file")
        return target

    def to_write(self, name: str, path: str) -> Path:
        """The path of a file that may be written, with all links followed.

        Raises:
            ValueError: the file is outside the folders, or it is a folder or a device.
        """
        target = self._inside(name, path)
        if path.endswith(("/", os.sep)) or (target.exists() and not target.is_file()):
            raise ValueError(f"{name}: {path} is a folder or a device; name a file")
        return target

    def hold(self, path: Path) -> bool:
        """Whether a file may be read; relative paths start at the first folder."""
        try:
            self._inside("path", str(path))
        except ValueError:
            return False
        return True

    def _inside(self, name: str, path: str) -> Path:
        if not path or "\0" in path:
            raise ValueError(f"{name} must be a path, got {path!r}")
        try:
            target = Path(os.path.realpath(self.first / path))
        except UnicodeEncodeError:
            raise ValueError(f"{name} must be a path, got {path!r}") from None
        if _is_of_system(target):
            raise ValueError(f"{name}: {path} is a file of the system, which is never read")
        if not any(target.is_relative_to(folder) for folder in self._folders):
            folders = ", ".join(map(str, self._folders))
            raise ValueError(
                f"{name}: {path} leads outside of what this server may use: {folders}; "
                f"start the server with --root {target.parent} to allow it"
            )
        for part in (target, *target.parents):
            if part.is_symlink():  # realpath follows every link except those in a circle
                raise ValueError(f"{name}: {path} is a link that leads in a circle")
        return target


def _is_of_system(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in _SYSTEM)
