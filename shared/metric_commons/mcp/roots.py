"""The folders that a server may read from and write to."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from ..catalog.usage import UsageError

_SYSTEM = tuple(map(Path, ("/proc", "/sys", "/dev")))  # never read, even below a root
# Files that mark the folder of a project.
_MARKS = (
    *(".git", ".hg", "pyproject.toml", "setup.py", "requirements.txt", "package.json"),
    "Cargo.toml",
)


def project_folder() -> Path:
    """The working directory, if it is the folder of a project.

    Raises:
        UsageError: it is not, or it is the home folder or the root of the file system.
    """
    folder = Path.cwd()
    is_broad = folder in (Path(folder.anchor), Path.home())
    if is_broad or not any((folder / mark).exists() for mark in _MARKS):
        reason = (
            "is not the folder of one project" if is_broad else f"has none of {', '.join(_MARKS)}"
        )
        raise UsageError(
            "name the folder that may be used: metric-commons mcp --root DIR (the default is the "
            f"working directory, if it is the folder of a project, but {folder} {reason})"
        )
    return folder


class Roots:
    """Folders whose files may be used, where symbolic links are followed before the check.

    Relative paths start at the first folder. `execution_allowed` determines whether modules may run
    programs that a model wrote.

    Raises:
        ValueError: a path is not a folder, or belongs to the system, such as /proc.
    """

    def __init__(self, folders: Sequence[Path], *, execution_allowed: bool = False) -> None:
        self.execution_allowed = execution_allowed
        self._folders = [Path(os.path.realpath(folder)) for folder in folders]
        for folder in self._folders:
            if not folder.is_dir():
                raise ValueError(f"{folder} is not a folder")
            if _is_of_system(folder):
                raise ValueError(f"{folder} belongs to the system; name another folder")

    @property
    def first(self) -> Path:
        """The folder at which relative paths start."""
        return self._folders[0]

    def to_read(self, name: str, path: str) -> Path:
        """The file at a path.

        Args:
            name: the name of the argument, for messages.
            path: relative to the first folder, or absolute.

        Raises:
            ValueError: the file is outside the folders, or it is a folder, a device or a pipe.
            OSError: the file does not exist.
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
            raise ValueError(f"{name}: {path} is a system file, which is never read")
        if not any(target.is_relative_to(folder) for folder in self._folders):
            folders = ", ".join(map(str, self._folders))
            raise ValueError(
                f"{name}: {path} leads outside the folders that this server may use: {folders}; "
                f"start the server with --root {target.parent} to allow it"
            )
        for part in (target, *target.parents):
            if part.is_symlink():  # realpath follows every link except circular ones
                raise ValueError(f"{name}: {path} is a circular link")
        return target


def _is_of_system(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in _SYSTEM)
