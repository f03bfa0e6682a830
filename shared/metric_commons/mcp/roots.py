"""The folders that a server may read from and write to."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path


class Roots:
    """Folders, and the files below them after every symbolic link is followed.

    Relative paths start at the first folder.

    Raises:
        ValueError: a path is no folder.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = [Path(os.path.realpath(folder)) for folder in folders]
        for folder in self._folders:
            if not folder.is_dir():
                raise ValueError(f"{folder} is not a folder")

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

    def _inside(self, name: str, path: str) -> Path:
        if not isinstance(path, str) or not path or "\0" in path:
            raise ValueError(f"{name} must be a path, got {path!r}")
        target = Path(os.path.realpath(self._folders[0] / path))
        if not any(target.is_relative_to(folder) for folder in self._folders):
            folders = ", ".join(map(str, self._folders))
            raise ValueError(f"{name}: {path} leads outside of what this server may use: {folders}")
        for part in (target, *target.parents):
            if part.is_symlink():  # realpath follows every link except those in a circle
                raise ValueError(f"{name}: {path} is a link that leads in a circle")
        return target
